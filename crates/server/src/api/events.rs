//! Live events (SSE): what changes is told as it does, at most twice a second; a slow reader gets the newest state.

use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Serialize;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};

use super::runs::{self, Run};
use crate::extract::Path;
use crate::problem::{Problem, Problems};
use crate::state::App;
use crate::stream;

/// Between two looks at a run.
const TICK: Duration = Duration::from_millis(500);

/// Looks without news before a heartbeat.
const QUIET: u32 = 30;

/// Events on their way; a reader that is slower gets fewer.
const WAITING: usize = 4;

/// What happens to a run: `run` and `rows`; ends after the run.
#[utoipa::path(
    get, path = "/runs/{id}/events", tag = "runs", params(("id" = i64, Path)),
    responses((status = 200, body = String, content_type = "text/event-stream"), Problems)
)]
pub(crate) async fn of_run(
    State(app): State<App>,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    runs::one(&app, id).await?;
    let (mut events, response) = Events::open(&headers);
    tokio::spawn(async move {
        let mut ticks = ticks();
        let (mut last, mut rows) = (String::new(), None);
        loop {
            ticks.tick().await;
            let Ok(run) = runs::one(&app, id).await else { break };
            let now_rows = run.rows();
            if now_rows != rows {
                rows = now_rows;
                events.send("rows", &json!({ "count": rows }));
            }
            let text = serde_json::to_string(&run).unwrap_or_default();
            if text != last {
                last = text;
                events.send("run", &run);
            }
            if !events.beat() || !run.is_live() {
                break;
            }
        }
    });
    Ok(response)
}

/// The runs under way: `runs`, whenever they change.
#[utoipa::path(
    get, path = "/events", tag = "runs",
    responses((status = 200, body = String, content_type = "text/event-stream"), Problems)
)]
pub(crate) async fn of_all(State(app): State<App>, headers: HeaderMap) -> Response {
    let (mut events, response) = Events::open(&headers);
    tokio::spawn(async move {
        let mut ticks = ticks();
        let mut last = String::new();
        loop {
            ticks.tick().await;
            let Ok(runs) = runs::all(&app).await else { break };
            let runs: Vec<Run> = runs.into_iter().filter(Run::is_live).collect();
            let text = serde_json::to_string(&runs).unwrap_or_default();
            if text != last {
                last = text;
                events.send("runs", &runs);
            }
            if !events.beat() {
                break;
            }
        }
    });
    response
}

fn ticks() -> tokio::time::Interval {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// A stream of events to one reader.
struct Events {
    sender: mpsc::Sender<Bytes>,
    number: u64,
    quiet: u32,
    /// Events were left out because the reader was slow.
    gap: bool,
}

impl Events {
    /// Numbers go on from what the reader has seen.
    fn open(headers: &HeaderMap) -> (Events, Response) {
        let seen =
            headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
        let (sender, receiver) = mpsc::channel(WAITING);
        let events = Events { sender, number: seen.unwrap_or(0), quiet: 0, gap: false };
        let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
        (events, (headers, stream::body(receiver)).into_response())
    }

    fn send(&mut self, name: &str, value: &impl Serialize) {
        let data = serde_json::to_string(value).unwrap_or_default();
        self.number += 1;
        let mut text = String::new();
        if self.gap {
            text = format!("event: gap\nid: {}\ndata: {{}}\n\n", self.number);
            self.number += 1;
        }
        text += &format!("event: {name}\nid: {}\ndata: {data}\n\n", self.number);
        self.gap = self.sender.try_send(text.into()).is_err();
        self.quiet = 0;
    }

    /// A sign of life now and then; false when nobody reads any more.
    fn beat(&mut self) -> bool {
        self.quiet += 1;
        if self.quiet >= QUIET {
            self.quiet = 0;
            let _ = self.sender.try_send(Bytes::from_static(b":\n\n"));
        }
        !self.sender.is_closed()
    }
}
