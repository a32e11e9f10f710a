//! Reading a body within limits of size, time and rate.

use std::pin::{Pin, pin};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use model::Cut;
use tokio::time::Sleep;

use crate::Limits;

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
    mut deadline: Pin<&mut Sleep>,
) -> Read {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let enough = limits.lowest_rate.saturating_mul(limits.rate_window.as_secs().max(1));
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
                    let room = most - kept.len();
                    kept.extend_from_slice(&data[..data.len().min(room)]);
                    if data.len() > room {
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
