//! A clock that only runs forward, handed to whatever measures spans: DNS lifetimes, idle connections, timings.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Time that the machine sleeps counts: a connection is as old after it as its server thinks, and a host that
/// asked for an hour has had it. Where the system has no such clock it does not count.
#[cfg(target_os = "linux")]
const CLOCK: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const CLOCK: ClockId = ClockId::Monotonic;

/// Tells the time since a fixed moment. Tests hand in one that they turn by hand.
pub trait Clock: Send + Sync {
    /// Time since the clock was made.
    fn elapsed(&self) -> Duration;
}

/// The machine's own clock; a change of the date does not move it.
#[derive(Clone, Copy, Debug)]
pub struct ProcessClock(Duration);

impl ProcessClock {
    /// A clock that starts now.
    pub fn start() -> ProcessClock {
        ProcessClock(since_boot())
    }
}

impl Clock for ProcessClock {
    fn elapsed(&self) -> Duration {
        since_boot().saturating_sub(self.0)
    }
}

fn since_boot() -> Duration {
    // `try_from` fails on negative times alone, which this clock does not have.
    Duration::try_from(clock_gettime(CLOCK)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_runs_forward_from_zero() {
        let clock = ProcessClock::start();
        let (first, second) = (clock.elapsed(), clock.elapsed());
        assert!(first <= second && second < Duration::from_secs(60), "{first:?} {second:?}");
    }
}
