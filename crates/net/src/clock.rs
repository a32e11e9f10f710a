//! A clock that only runs forward, handed to whatever measures spans: DNS lifetimes, idle connections, timings.

use std::time::{Duration, Instant};

/// Tells the time since a fixed moment. Tests hand in one that they turn by hand.
pub trait Clock: Send + Sync {
    /// Time since the clock was made.
    fn elapsed(&self) -> Duration;
}

/// The machine's own clock; a change of the date does not move it.
#[derive(Clone, Copy, Debug)]
pub struct ProcessClock(Instant);

impl ProcessClock {
    /// A clock that starts now.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where spans are measured; everyone else is handed a Clock"
    )]
    pub fn start() -> ProcessClock {
        ProcessClock(Instant::now())
    }
}

impl Clock for ProcessClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
