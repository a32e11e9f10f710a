//! The run's clock: the date when it was made, moved on by a clock that only runs forward.
//!
//! A change of the machine's date during a run moves no due time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use model::Timestamp;
use net::{Clock, ProcessClock};

/// Tells the date.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    /// Since 1970, to the nanosecond: two runs must agree on where a millisecond begins.
    start: Duration,
    process: ProcessClock,
}

impl WallClock {
    /// Reads the machine's date, once.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where a run learns the date; all else is handed `now`"
    )]
    pub fn start() -> WallClock {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        WallClock { start: since_epoch, process: ProcessClock::start() }
    }

    /// Now: the millisecond that has begun.
    pub fn now(&self) -> Timestamp {
        let since_epoch = self.start + self.process.elapsed();
        Timestamp(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
    }

    /// The end of something that ended just now: the millisecond that begins next, so that a pause counted from
    /// it is over, by [`WallClock::now`], no sooner than it really is.
    pub fn ended(&self) -> Timestamp {
        Timestamp(self.now().0.saturating_add(1))
    }

    /// The clock underneath.
    pub fn process(&self) -> ProcessClock {
        self.process
    }
}
