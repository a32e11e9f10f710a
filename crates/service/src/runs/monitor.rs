//! Listens to a run: what is being fetched now, the figures over time, the latest pages for its health, the log.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crawl::{Event, Progress, VisitEnd, Visited, Watcher};
use model::{Host, LeaseId, PageUrl, Project, Rate, Timestamp, UrlKey, Value};

use super::eta::{Eta, Paces};
use super::health::{Recent, Seen};
use super::log::{LogLevel, LogWriter};
use super::series::Recorder;
use crate::ServiceError;

/// The pace is that of the last seconds.
const WINDOW: u64 = 30_000;

/// How often the figures are written down.
const SAVE_EVERY: u64 = 10_000;

/// The name of the figures' file.
pub(crate) const SERIES_FILE: &str = "series.json";

/// Listens to one run.
pub(crate) struct Monitor {
    series_file: PathBuf,
    /// Fields by page type.
    fields: BTreeMap<String, Vec<String>>,
    state: Mutex<State>,
}

struct State {
    flying: HashMap<LeaseId, Vec<Flying>>,
    recorder: Recorder,
    saved: Timestamp,
    recent: Recent,
    pages: VecDeque<(Timestamp, u64)>,
    paces: Paces,
    log: LogWriter,
}

/// A URL that is asked for now.
#[derive(Clone)]
pub(crate) struct Flying {
    pub(crate) key: UrlKey,
    pub(crate) url: PageUrl,
    pub(crate) host: Host,
    pub(crate) depth: u32,
    pub(crate) via: Option<PageUrl>,
    pub(crate) since: Timestamp,
}

impl Monitor {
    /// Goes on with what the run's folder has.
    pub(crate) fn open(dir: &Path, project: &Project) -> Result<Monitor, ServiceError> {
        let log = LogWriter::open(dir)?;
        let series_file = dir.join(SERIES_FILE);
        let types = project.fields.iter().flat_map(|fields| &fields.pages);
        let fields = types
            .map(|page| (page.name.clone(), page.read.iter().map(|field| field.name.clone()).collect()))
            .collect();
        let state = State {
            flying: HashMap::new(),
            recorder: Recorder::load(&series_file),
            saved: Timestamp::ZERO,
            recent: Recent::new(project.fields.is_some()),
            pages: VecDeque::new(),
            paces: Paces::default(),
            log,
        };
        Ok(Monitor { series_file, fields, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is asked for now, the oldest first.
    pub(crate) fn flying(&self) -> Vec<Flying> {
        let mut flying: Vec<Flying> = self.state().flying.values().flatten().cloned().collect();
        flying.sort_by(|a, b| (a.since, &a.url).cmp(&(b.since, &b.url)));
        flying
    }

    /// The figures so far.
    pub(crate) fn recorder(&self) -> Recorder {
        self.state().recorder.clone()
    }

    /// The latest pages.
    pub(crate) fn recent(&self) -> Recent {
        self.state().recent.clone()
    }

    /// Pages per second, lately.
    pub(crate) fn pace(&self) -> f64 {
        let state = self.state();
        let (Some(first), Some(last)) = (state.pages.front(), state.pages.back()) else { return 0.0 };
        let seconds = last.0.since(first.0).as_secs_f64();
        if seconds < 0.5 { 0.0 } else { last.1.saturating_sub(first.1) as f64 / seconds }
    }

    /// How long the run will still take.
    pub(crate) fn eta(&self, progress: &Progress, rate: Option<Rate>) -> Option<Eta> {
        self.state().paces.eta(progress, rate)
    }

    /// Adds a line of the owner's.
    pub(crate) fn note(&self, now: Timestamp, level: LogLevel, message: &str) {
        self.state().log.add(now, level, None, message);
    }

    /// Lets readers see all lines.
    pub(crate) fn flush(&self) {
        self.state().log.flush();
    }

    /// Writes down all there is.
    pub(crate) fn save(&self) {
        let mut state = self.state();
        state.log.flush();
        if let Err(error) = state.recorder.save(&self.series_file) {
            tracing::debug!(error = error.sentence(), "the figures of a run were not kept");
        }
    }

    fn visited(&self, state: &mut State, lease: LeaseId, key: UrlKey, visited: &Visited<'_>, now: Timestamp) {
        if visited.end == VisitEnd::Unfinished {
            return;
        }
        let flying = state.flying.get_mut(&lease).and_then(|urls| {
            let at = urls.iter().position(|url| url.key == key)?;
            Some(urls.remove(at))
        });
        let url = flying.map(|flying| flying.url.to_string()).unwrap_or_default();
        let own_rows = visited.rows.filter(|rows| !rows.detail);
        let rows = own_rows.map_or(0, |rows| rows.rows.len());
        let point = state.recorder.at(now);
        if let Some(class) = visited.status.and_then(|status| usize::from(status / 100).checked_sub(2))
            && let Some(count) = point.classes.get_mut(class)
        {
            *count += 1;
        }
        if let Some(millis) = visited.millis.filter(|_| visited.status.is_some()) {
            point.latency.add(millis);
        }
        point.rows += rows as u64;
        match &visited.end {
            VisitEnd::Page => point.pages += 1,
            VisitEnd::Failed(_) | VisitEnd::Busy(..) => point.errors += 1,
            _ => {}
        }
        point.failed += u64::from(visited.status.is_none() && matches!(visited.end, VisitEnd::Failed(_)));
        let (level, words) = line(visited, rows);
        state.log.add(now, level, Some(&url), &words);
        let seen = self.seen(url, visited, rows, now);
        state.recent.add(seen);
    }

    fn seen(&self, url: String, visited: &Visited<'_>, rows: usize, now: Timestamp) -> Seen {
        let mut empty = Vec::new();
        let mut filled = Vec::new();
        for row in visited.rows.iter().flat_map(|page| &page.rows) {
            let names = self.fields.get(&row.page_type).map_or(&[][..], Vec::as_slice);
            for (name, value) in names.iter().zip(&row.values) {
                let list = if *value == Value::Empty { &mut empty } else { &mut filled };
                if !list.contains(name) {
                    list.push(name.clone());
                }
            }
        }
        empty.retain(|name| !filled.contains(name));
        Seen { at: now, url, status: visited.status, end: visited.end.clone(), rows, empty, filled }
    }
}

impl Watcher for Monitor {
    fn told(&self, event: &Event<'_>, now: Timestamp) {
        let state = &mut *self.state();
        match event {
            Event::Leased { lease, host, urls } => {
                let flying = urls.iter().map(|url| Flying {
                    key: url.key,
                    url: url.url.clone(),
                    host: (*host).clone(),
                    depth: url.depth,
                    via: url.via.clone(),
                    since: now,
                });
                state.flying.insert(*lease, flying.collect());
            }
            Event::Visited { lease, key, visited } => self.visited(state, *lease, *key, visited, now),
            Event::Released { lease } => _ = state.flying.remove(lease),
            Event::Progress(progress) => {
                state.progress(progress, now);
                if now.0.abs_diff(state.saved.0) > SAVE_EVERY {
                    state.saved = now;
                    let _ = state.recorder.save(&self.series_file);
                }
            }
            Event::Note { warn, text } => {
                let level = if *warn { LogLevel::Warn } else { LogLevel::Info };
                state.log.add(now, level, None, text);
            }
        }
    }
}

impl State {
    fn progress(&mut self, progress: &Progress, now: Timestamp) {
        self.recorder.at(now).queue = Some(progress.queue);
        self.paces.look(progress, now);
        if progress.paused.is_some() {
            self.pages.clear();
        }
        // What was not committed when a write failed is not counted any more.
        while self.pages.back().is_some_and(|(_, pages)| *pages > progress.pages_now) {
            self.pages.pop_back();
        }
        self.pages.push_back((now, progress.pages_now));
        while self.pages.front().is_some_and(|(at, _)| at.0 + WINDOW < now.0) {
            self.pages.pop_front();
        }
    }
}

/// A visit as a line of the log.
fn line(visited: &Visited<'_>, rows: usize) -> (LogLevel, String) {
    let status = visited.status.map(|status| format!("{status} ")).unwrap_or_default();
    let took = visited.millis.map(|millis| format!(" in {millis} ms")).unwrap_or_default();
    match &visited.end {
        VisitEnd::Page => {
            let rows = match rows {
                0 => String::new(),
                1 => ", 1 row".to_owned(),
                rows => format!(", {rows} rows"),
            };
            (LogLevel::Info, format!("{status}fetched, {} bytes{took}{rows}", visited.bytes))
        }
        VisitEnd::NotModified => (LogLevel::Info, format!("{status}not modified{took}")),
        VisitEnd::Redirect(to) => (LogLevel::Info, format!("{status}redirected to {to}{took}")),
        VisitEnd::Disallowed(Some(line)) => (LogLevel::Info, format!("disallowed by robots.txt line {line}")),
        VisitEnd::Disallowed(None) => (LogLevel::Info, "disallowed by robots.txt".to_owned()),
        VisitEnd::Unwanted(what) => (LogLevel::Info, format!("{status}unwanted: {what}")),
        VisitEnd::Failed(error) => (LogLevel::Error, format!("failed: {error}{took}")),
        VisitEnd::Busy(status, wait) => {
            let wait = wait.map(|wait| format!(", asks us to wait {} s", seconds(wait))).unwrap_or_default();
            (LogLevel::Warn, format!("{status} host is busy{wait}, host rests"))
        }
        VisitEnd::Unfinished => (LogLevel::Info, "given back".to_owned()),
    }
}

fn seconds(span: Duration) -> u64 {
    span.as_secs()
}
