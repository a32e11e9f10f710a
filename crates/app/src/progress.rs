//! Live progress of a run: one line that is rewritten on a terminal, plain lines elsewhere. On standard error,
//! so that standard output holds the summary alone.

use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::time::Duration;

use crawl::{Pause, Progress};
use model::Timestamp;

/// A run without an answer for this long says why.
const QUIET: Duration = Duration::from_secs(10);

/// Rates are means over this span.
const WINDOW: Duration = Duration::from_secs(10);

/// Time between plain lines.
const PLAIN_EVERY: Duration = Duration::from_secs(5);

/// Shows a run's progress.
pub(crate) struct Display {
    terminal: bool,
    quiet: bool,
    samples: VecDeque<Sample>,
    last_plain: Option<Duration>,
    paused: bool,
    shown: bool,
    /// What a refresh does was told.
    told: bool,
}

#[derive(Clone, Copy)]
struct Sample {
    at: Duration,
    pages: u64,
    bytes: u64,
}

impl Display {
    pub(crate) fn new(quiet: bool) -> Display {
        let terminal = std::io::stderr().is_terminal();
        let samples = VecDeque::new();
        Display { terminal, quiet, samples, last_plain: None, paused: false, shown: false, told: false }
    }

    /// Shows the latest state.
    pub(crate) fn show(&mut self, progress: &Progress, now: Timestamp) {
        self.sample(progress);
        if self.quiet {
            return;
        }
        self.tell(progress);
        let line = self.line(progress, now);
        if self.terminal {
            let width = terminal_width();
            let cut: String = line.chars().take(width.saturating_sub(1)).collect();
            eprint!("\r\x1b[2K{cut}");
            let _ = std::io::stderr().flush();
            self.shown = true;
        } else if self.last_plain.is_none_or(|last| progress.running >= last + PLAIN_EVERY)
            || self.paused != progress.paused.is_some()
        {
            self.paused = progress.paused.is_some();
            self.last_plain = Some(progress.running);
            eprintln!("{line}");
        }
    }

    /// Tells once what a refresh does.
    pub(crate) fn tell(&mut self, progress: &Progress) {
        let Some(words) = progress.refresh.as_ref().filter(|_| !self.quiet && !self.told) else { return };
        self.told = true;
        self.end();
        self.shown = false;
        eprintln!("{words}");
    }

    /// Leaves the line, so that what follows begins on its own.
    pub(crate) fn end(&mut self) {
        if self.shown {
            eprintln!();
        }
    }

    fn sample(&mut self, progress: &Progress) {
        let sample = Sample { at: progress.running, pages: progress.pages_now, bytes: progress.bytes_now };
        self.samples.push_back(sample);
        while self.samples.front().is_some_and(|first| first.at + WINDOW < sample.at) {
            self.samples.pop_front();
        }
    }

    /// Pages and bytes per second over the last seconds.
    fn rates(&self) -> (f64, f64) {
        let (Some(first), Some(last)) = (self.samples.front(), self.samples.back()) else {
            return (0.0, 0.0);
        };
        // Counts go back when a write has failed: what was not committed is not counted any more.
        let seconds = last.at.saturating_sub(first.at).as_secs_f64();
        if seconds <= 0.0 {
            return (0.0, 0.0);
        }
        let per_second = |last: u64, first: u64| last.saturating_sub(first) as f64 / seconds;
        (per_second(last.pages, first.pages), per_second(last.bytes, first.bytes))
    }

    fn line(&self, progress: &Progress, now: Timestamp) -> String {
        let (pages_per_second, bytes_per_second) = self.rates();
        let limit = progress.limit.map(|limit| format!(" (limit {limit})")).unwrap_or_default();
        let mut line = format!(
            "{} done / {} known{limit} · {pages_per_second:.1} pages/s · {:.2} MB/s · hosts {} ready, {} resting · {} errors",
            progress.done,
            progress.known,
            bytes_per_second / 1e6,
            progress.hosts_ready,
            progress.hosts_resting,
            progress.errors,
        );
        if progress.rows > 0 {
            line.push_str(&format!(" · {} rows", progress.rows));
        }
        if let Some(pause @ (Pause::Disk { .. } | Pause::Write { .. })) = &progress.paused {
            // In front: a narrow terminal cuts the rest.
            line = format!("paused: {pause} · {line}");
        } else if let Some(Pause::NoProxy) = &progress.paused {
            line.push_str(" · no proxy works, waiting");
        } else if progress.paused.is_some() {
            line.push_str(" · paused");
        } else if progress.quiet >= QUIET {
            line.push_str(&reason(progress, now));
        } else if let Some(eta) = eta(progress, pages_per_second) {
            line.push_str(&format!(" · ETA {}", span(eta)));
        }
        line
    }
}

/// Why nothing is fetched, and when that ends.
fn reason(progress: &Progress, now: Timestamp) -> String {
    match &progress.next_due {
        Some((due, host)) => {
            let host = host.as_ref().map_or_else(|| "the next host".to_owned(), ToString::to_string);
            format!(" · waiting: {host} may be asked again in {} ({due})", span(due.since(now)))
        }
        None if progress.slots_busy > 0 => {
            format!(" · waiting: {} hosts have not answered yet", progress.slots_busy)
        }
        None => " · waiting: nothing may be asked now".to_owned(),
    }
}

/// How long the rest takes at this pace.
fn eta(progress: &Progress, pages_per_second: f64) -> Option<Duration> {
    let target = progress.limit.map_or(progress.known, |limit| limit.min(progress.known));
    let left = target.saturating_sub(progress.done) as f64;
    (pages_per_second > 0.01).then(|| Duration::from_secs_f64((left / pages_per_second).min(1e9)))
}

/// A span in words: `45 s`, `12 min`, `3 h 20 min`.
pub(crate) fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0..=89 => format!("{seconds} s"),
        90..=5399 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

fn terminal_width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).unwrap_or_else(|| {
        terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| usize::from(width.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(seconds: u64, pages: u64) -> Progress {
        Progress {
            pages_now: pages,
            done: pages,
            known: 100,
            bytes_now: pages * 1_000_000,
            hosts_ready: 1,
            hosts_resting: 2,
            running: Duration::from_secs(seconds),
            ..Progress::default()
        }
    }

    fn display(states: &[Progress]) -> (Display, Progress) {
        let mut display = Display {
            terminal: false,
            quiet: true,
            samples: VecDeque::new(),
            last_plain: None,
            paused: false,
            shown: false,
            told: false,
        };
        for state in states {
            display.show(state, Timestamp(0));
        }
        (display, states.last().cloned().unwrap())
    }

    #[test]
    fn the_line_names_counts_rates_and_the_time_left() {
        let (display, last) = display(&[progress(0, 0), progress(5, 10)]);
        assert_eq!(
            display.line(&last, Timestamp(0)),
            "10 done / 100 known · 2.0 pages/s · 2.00 MB/s · hosts 1 ready, 2 resting · 0 errors · ETA 45 s"
        );
    }

    #[test]
    fn rates_are_those_of_the_last_seconds() {
        let (display, _) = display(&[progress(0, 0), progress(5, 50), progress(14, 50), progress(20, 50)]);
        assert_eq!(display.rates().0, 0.0);
    }

    #[test]
    fn a_run_held_by_its_disk_says_so_first() {
        let mut state = progress(5, 10);
        state.paused = Some(Pause::Disk { free: 180 << 20, needed: 512 << 20 });
        let (display, last) = display(&[state]);
        let line = display.line(&last, Timestamp(0));
        let words =
            "paused: disk: 180 MiB free, needs 512 MiB; free some space, the run goes on by itself · 10 done";
        assert!(line.starts_with(words), "{line}");
    }

    #[test]
    fn counts_that_go_back_are_no_rate() {
        let (display, _) = display(&[progress(5, 50), progress(6, 40)]);
        assert_eq!(display.rates(), (0.0, 0.0));
    }

    #[test]
    fn a_quiet_run_says_why_and_until_when() {
        let host = model::PageUrl::parse("http://slow.test/").unwrap().host();
        let mut state = progress(30, 10);
        state.quiet = Duration::from_secs(12);
        state.next_due = Some((Timestamp(60_000), Some(host)));
        let (display, last) = display(&[state]);
        let line = display.line(&last, Timestamp(20_000));
        assert!(
            line.ends_with("waiting: slow.test may be asked again in 40 s (1970-01-01T00:01:00.000Z)"),
            "{line}"
        );
    }

    #[test]
    fn spans_are_words() {
        for (seconds, words) in [(0, "0 s"), (89, "89 s"), (600, "10 min"), (7200, "2 h 0 min")] {
            assert_eq!(span(Duration::from_secs(seconds)), words);
        }
    }
}
