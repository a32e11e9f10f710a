//! Waiting on a thread of one's own. A timer of the runtime would wake the threads that fetch, to be told of it, each time.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};
use std::time::Duration;

use net::{Clock, ProcessClock};

/// Wakes a thread that waits.
struct Waiting(Thread);

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// What a future that needs no timers of the runtime gives, unless that takes longer.
pub(crate) fn wait_for<T>(
    future: impl Future<Output = T>,
    longest: Duration,
    clock: ProcessClock,
) -> Option<T> {
    let waker = Arc::new(Waiting(thread::current())).into();
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    let until = clock.elapsed() + longest;
    loop {
        if let Poll::Ready(given) = future.as_mut().poll(&mut context) {
            return Some(given);
        }
        let left = until.saturating_sub(clock.elapsed());
        if left.is_zero() {
            return None;
        }
        thread::park_timeout(left);
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

    #[test]
    fn what_comes_is_told_and_what_does_not_come_is_not_waited_for() {
        let clock = ProcessClock::start();
        let (sender, mut inbox) = mpsc::channel(1);
        assert_eq!(wait_for(inbox.recv(), Duration::ZERO, clock), None);
        assert_eq!(wait_for(inbox.recv(), Duration::from_millis(1), clock), None);
        let other = thread::spawn(move || sender.blocking_send(5));
        assert_eq!(wait_for(inbox.recv(), Duration::from_secs(60), clock), Some(Some(5)));
        assert!(other.join().is_ok());
        // Nobody can send any more.
        assert_eq!(wait_for(inbox.recv(), Duration::from_secs(60), clock), Some(None));
    }
}
