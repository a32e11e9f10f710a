//! The run's clock: the date when it was made, moved on by a clock that only runs forward.
//!
//! A change of the machine's date during a run moves no due time.

use std::time::{SystemTime, UNIX_EPOCH};

use model::Timestamp;
use net::{Clock, ProcessClock};

/// Tells the date.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    start: Timestamp,
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
        WallClock { start: Timestamp::ZERO + since_epoch, process: ProcessClock::start() }
    }

    /// Now.
    pub fn now(&self) -> Timestamp {
        self.start + self.process.elapsed()
    }

    /// The clock underneath.
    pub fn process(&self) -> ProcessClock {
        self.process
    }
}
