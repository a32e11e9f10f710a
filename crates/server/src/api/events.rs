//! Live events (SSE): what changes is told as it does, at most twice a second.
//!
//! States (`run`, `runs`, `rows`) are always the newest; a slow reader misses older ones and is told by `gap`. An
//! event's id is the number of the last log line that was told, so that a reader who comes back misses no line.

use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use catalog::RunId;
use serde::Serialize;
use serde_json::json;
use service::LogRequest;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};

use super::runs;
use crate::extract::Path;
use crate::problem::{Problem, Problems};
use crate::state::App;
use crate::{asking, stream};

/// Between two looks at a run.
const TICK: Duration = Duration::from_millis(500);

/// Looks without news before a heartbeat.
const QUIET: u32 = 30;

/// Events on their way; a reader that is slower gets fewer.
const WAITING: usize = 8;

/// Lines told at once; when more have come, only the last are told.
const LINES: usize = 500;

/// What happens to a run: `run`, `rows`, `log`, and `gap` where something was left out.
#[utoipa::path(
    get, path = "/runs/{id}/events", tag = "runs",
    params(("id" = i64, Path), ("last-event-id" = Option<String>, Header, description = "The last event that was heard")),
    responses((status = 200, body = String, content_type = "text/event-stream"), Problems)
)]
pub(crate) async fn of_run(
    State(app): State<App>,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    runs::one(&app, id).await?;
    let heard = last_event(&headers);
    let (mut events, response) = Events::open(heard.unwrap_or(0));
    if heard.is_none() {
        events.number = last_line(&app, id).await?;
    }
    tokio::spawn(async move {
        let mut ticks = ticks();
        let (mut last, mut rows, mut live) = (String::new(), None, true);
        // After the run's end the stream stays open, silent: a browser would only open it again.
        while events.beat() {
            ticks.tick().await;
            if !live {
                continue;
            }
            let Ok(run) = runs::one(&app, id).await else { break };
            // What was logged until now belongs to this state of the run, also when it is its last.
            live = runs::is_live(&run);
            if tell_lines(&app, id, &mut events).await.is_err() {
                break;
            }
            let now_rows = runs::rows(&run);
            if now_rows != rows {
                rows = now_rows;
                events.send("rows", &json!({ "count": rows }));
            }
            let text = serde_json::to_string(&run).unwrap_or_default();
            if text != last && events.send("run", &run) {
                last = text;
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
pub(crate) async fn of_all(State(app): State<App>) -> Response {
    let (mut events, response) = Events::open(0);
    tokio::spawn(async move {
        let mut ticks = ticks();
        let mut last = String::new();
        while events.beat() {
            ticks.tick().await;
            let Ok(runs) = runs::under_way(&app).await else { break };
            let text = serde_json::to_string(&runs).unwrap_or_default();
            if text != last && events.send("runs", &runs) {
                last = text;
            }
        }
    });
    response
}

/// The number of a run's last log line.
async fn last_line(app: &App, id: i64) -> Result<u64, Problem> {
    let request = LogRequest { limit: Some(1), ..LogRequest::default() };
    let page = asking::blocking(app, move |data| service::log(data, RunId(id), &request)).await?;
    Ok(page.items.last().map_or(0, |line| line.seq))
}

async fn tell_lines(app: &App, id: i64, events: &mut Events) -> Result<(), Problem> {
    let after =
        LogRequest { cursor: Some(events.number.to_string()), limit: Some(LINES), ..LogRequest::default() };
    let mut page = asking::blocking(app, move |data| service::log(data, RunId(id), &after)).await?;
    if page.items.len() >= LINES {
        let latest = LogRequest { limit: Some(LINES), ..LogRequest::default() };
        page = asking::blocking(app, move |data| service::log(data, RunId(id), &latest)).await?;
        events.gap |= page.items.first().is_some_and(|line| line.seq > events.number + 1);
    }
    let Some(last) = page.items.last().map(|line| line.seq).filter(|last| *last > events.number) else {
        return Ok(());
    };
    let before = std::mem::replace(&mut events.number, last);
    if !events.send("log", &page.items) {
        // Told again when the reader has caught up.
        events.number = before;
    }
    Ok(())
}

fn last_event(headers: &HeaderMap) -> Option<u64> {
    headers.get("last-event-id")?.to_str().ok()?.parse().ok()
}

fn ticks() -> tokio::time::Interval {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// A stream of events to one reader.
struct Events {
    sender: mpsc::Sender<Bytes>,
    /// The last log line that was told.
    number: u64,
    quiet: u32,
    /// Events were left out because the reader was slow.
    gap: bool,
}

impl Events {
    fn open(number: u64) -> (Events, Response) {
        let (sender, receiver) = mpsc::channel(WAITING);
        let events = Events { sender, number, quiet: 0, gap: false };
        let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
        (events, (headers, stream::body(receiver)).into_response())
    }

    /// False when the reader is too slow to take it.
    fn send(&mut self, name: &str, value: &impl Serialize) -> bool {
        let data = serde_json::to_string(value).unwrap_or_default();
        let mut text = format!("event: {name}\nid: {}\ndata: {data}\n\n", self.number);
        if self.gap {
            text += &format!("event: gap\nid: {}\ndata: {{}}\n\n", self.number);
        }
        let sent = self.sender.try_send(text.into()).is_ok();
        self.gap = !sent;
        self.quiet = 0;
        sent
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
