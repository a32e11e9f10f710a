//! Reading a body within limits of size, time and rate.

use std::pin::{Pin, pin};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use model::Cut;
use net::Clock;
use tokio::time::Sleep;

use crate::{Limits, Share};

/// Room made at once for a body whose length is told: no more is believed before it comes.
const MOST_AT_ONCE: usize = 1 << 18;

/// What was read of a body.
#[derive(Default)]
pub(crate) struct Read {
    pub(crate) body: Bytes,
    pub(crate) cut: Option<Cut>,
    /// What broke the line.
    pub(crate) error: Option<hyper::Error>,
}

pub(crate) async fn read_body(
    body: &mut Incoming,
    most: u64,
    limits: &Limits,
    room: Option<&Share>,
    clock: &dyn Clock,
    mut deadline: Pin<&mut Sleep>,
) -> Read {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let enough = limits.lowest_rate.saturating_mul(limits.rate_window.as_secs().max(1));
    let told = body.size_hint().exact().and_then(|length| usize::try_from(length).ok());
    let mut kept = BytesMut::new();
    let mut window = pin!(tokio::time::sleep(limits.rate_window));
    let mut in_window = 0u64;
    let mut error = None;
    let cut = loop {
        tokio::select! {
            biased;
            frame = body.frame() => match frame {
                None => break None,
                Some(Err(cause)) => {
                    error = Some(cause);
                    break Some(Cut::Disconnect);
                }
                Some(Ok(frame)) => {
                    let Ok(data) = frame.into_data() else { continue };
                    in_window = in_window.saturating_add(data.len() as u64);
                    let left = most - kept.len();
                    let taken = &data[..data.len().min(left)];
                    if let Some(room) = room {
                        let waited = wait_for(room, (kept.len() + taken.len()) as u64, clock).await;
                        if !waited.is_zero() {
                            // We kept the server waiting, not it us.
                            let later = deadline.deadline() + waited;
                            deadline.as_mut().reset(later);
                            window.set(tokio::time::sleep(limits.rate_window));
                            in_window = enough;
                        }
                    }
                    if kept.is_empty() {
                        kept.reserve(told.unwrap_or_default().min(most).min(MOST_AT_ONCE));
                    }
                    kept.extend_from_slice(taken);
                    if data.len() > left {
                        break Some(Cut::Length);
                    }
                }
            },
            () = &mut deadline => break Some(Cut::Time),
            () = &mut window => {
                if in_window < enough {
                    break Some(Cut::Time);
                }
                in_window = 0;
                window.set(tokio::time::sleep(limits.rate_window));
            }
        }
    };
    Read { body: kept.freeze(), cut, error }
}

/// Waits for room, and tells how long.
async fn wait_for(room: &Share, bytes: u64, clock: &dyn Clock) -> Duration {
    let before = clock.elapsed();
    match room.grow_to(bytes).await {
        true => clock.elapsed().saturating_sub(before),
        false => Duration::ZERO,
    }
}
