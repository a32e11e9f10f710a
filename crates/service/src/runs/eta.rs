//! How long a run will still take, and what that is reckoned from. An honest guess: for the URLs known now, at the pace of
//! the last minutes, no faster than the hosts that are left may be asked.

use std::collections::VecDeque;
use std::time::Duration;

use crawl::Progress;
use model::{Rate, Timestamp};

/// The pace is that of half the run, but of no less and no more than this.
const LEAST: Duration = Duration::from_secs(30);
const MOST: Duration = Duration::from_secs(300);

/// Two looks are at least so far apart.
const APART: u64 = 1_000;

/// Before this nothing is said.
const SOON: Duration = Duration::from_secs(3);

/// How far a run was at some moments.
#[derive(Default)]
pub(crate) struct Paces {
    looks: VecDeque<(Timestamp, u64)>,
    /// How long nothing may be asked from the last look on.
    rests: Duration,
}

/// A guess.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Eta {
    pub(crate) left: Duration,
    /// From what, in words.
    pub(crate) basis: String,
}

impl Paces {
    /// How the run stands now.
    pub(crate) fn look(&mut self, progress: &Progress, now: Timestamp) {
        if progress.paused.is_some() {
            self.looks.clear();
        }
        // Failed URLs that are tried again are not done any more.
        while self.looks.back().is_some_and(|(_, done)| *done > progress.done) {
            self.looks.pop_back();
        }
        let due = progress.next_due.as_ref().filter(|_| progress.slots_busy == 0);
        self.rests = due.map_or(Duration::ZERO, |(due, _)| due.since(now));
        if self.looks.back().is_none_or(|(at, _)| at.0 + APART <= now.0) {
            self.looks.push_back((now, progress.done));
        }
        let window = (progress.running / 2).clamp(LEAST, MOST);
        while self.looks.front().is_some_and(|(at, _)| now.since(*at) > window) {
            self.looks.pop_front();
        }
    }

    /// How long the rest will take. None while there is no telling.
    pub(crate) fn eta(&self, progress: &Progress, rate: Option<Rate>) -> Option<Eta> {
        let ((first, began), (last, done)) = (self.looks.front()?, self.looks.back()?);
        let (over, done) = (last.since(*first), done.saturating_sub(*began));
        let known = progress.known.saturating_sub(progress.done);
        let left = progress.limit.map_or(known, |limit| known.min(limit.saturating_sub(progress.pages)));
        if over < SOON || done == 0 {
            return None;
        }
        let seconds = left as f64 * over.as_secs_f64() / done as f64;
        let hosts = progress.hosts_ready + progress.hosts_resting + progress.slots_busy;
        let gap = rate.map_or(0.0, |rate| rate.gap().as_secs_f64());
        let allowed = left as f64 * gap / hosts.max(1) as f64;
        let what = match left {
            _ if left < known => format!("for {left} more pages up to the limit"),
            1 => "for the URL known now".to_owned(),
            _ => format!("for the {left} URLs known now"),
        };
        let mut basis =
            format!("{what}, at {} of the last {}", per_time(done as f64 / over.as_secs_f64()), span(over));
        if allowed > seconds {
            let hosts = if hosts == 1 { "one host".to_owned() } else { format!("{hosts} hosts") };
            basis = format!("{what}, on {hosts} that may be asked every {gap:.1} s");
        }
        if self.rests > Duration::from_secs(1) {
            basis.push_str(&format!("; nothing may be asked for the next {}", span(self.rests)));
        }
        let seconds = seconds.max(allowed) + if left > 0 { self.rests.as_secs_f64() } else { 0.0 };
        Some(Eta { left: Duration::from_secs_f64(seconds.min(1e9)), basis })
    }
}

fn per_time(per_second: f64) -> String {
    match per_second {
        many if many >= 0.95 => format!("the {many:.1} a second"),
        few => format!("the {:.1} a minute", few * 60.0),
    }
}

fn span(span: Duration) -> String {
    match span.as_secs() {
        seconds @ 0..=90 => format!("{seconds} s"),
        seconds => format!("{} min", (seconds + 30) / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(done: u64, known: u64, seconds: u64) -> Progress {
        Progress { done, known, running: Duration::from_secs(seconds), hosts_ready: 1, ..Progress::default() }
    }

    /// Looks once a second at a run that has done so much then; the last guess, in seconds.
    fn check(known: u64, rate: Option<&str>, done: impl Fn(u64) -> u64, seconds: u64, expected: Option<u64>) {
        let mut paces = Paces::default();
        let mut last = progress(0, known, 0);
        for second in 0..=seconds {
            last = progress(done(second), known, second);
            paces.look(&last, Timestamp(1_000 * second));
        }
        let eta = paces.eta(&last, rate.map(|rate| rate.parse().unwrap()));
        assert_eq!(eta.as_ref().map(|eta| eta.left.as_secs()), expected, "{eta:?}");
    }

    #[test]
    fn the_rest_takes_as_long_as_its_share() {
        check(1_000, None, |second| 2 * second, 2, None);
        check(1_000, None, |second| 2 * second, 100, Some(400));
        check(1_000, None, |_| 10, 100, None);
    }

    #[test]
    fn a_burst_at_the_end_of_a_long_run_moves_little() {
        // 1/s for ten minutes, then 10/s for ten seconds: 390 done of the last five minutes, not 10/s.
        let done = |second: u64| second.min(600) + second.saturating_sub(600) * 10;
        check(4_000, None, done, 610, Some(2_538));
    }

    #[test]
    fn no_host_is_asked_faster_than_it_may_be() {
        // Many hosts were quick; one is left.
        check(1_000, Some("1/s"), |second| 5 * second, 100, Some(500));
        check(1_000, Some("10/s"), |second| 5 * second, 100, Some(100));
    }

    #[test]
    fn a_limit_on_pages_is_what_is_left() {
        let mut paces = Paces::default();
        let mut last = progress(0, 500, 0);
        for second in 0..=50 {
            last = Progress { limit: Some(60), pages: second, ..progress(second, 500, second) };
            paces.look(&last, Timestamp(1_000 * second));
        }
        let eta = paces.eta(&last, None).unwrap();
        assert_eq!(
            (eta.left.as_secs(), eta.basis.as_str()),
            (10, "for 10 more pages up to the limit, at the 1.0 a second of the last 30 s")
        );
    }

    #[test]
    fn a_rest_that_hosts_asked_for_is_added_and_said() {
        let mut paces = Paces::default();
        let mut last = progress(0, 100, 0);
        for second in 0..=50 {
            let next_due = Some((Timestamp(1_000 * (second + 60)), None));
            last = Progress { next_due, ..progress(second, 100, second) };
            paces.look(&last, Timestamp(1_000 * second));
        }
        let eta = paces.eta(&last, None).unwrap();
        assert_eq!(eta.left.as_secs(), 110);
        assert_eq!(
            eta.basis,
            "for the 50 URLs known now, at the 1.0 a second of the last 30 s; nothing may be asked for the next 60 s"
        );
    }
}
