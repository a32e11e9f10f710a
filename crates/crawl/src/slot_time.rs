//! Slot time: how much of it is used, and how much passes although a host could be asked.
//!
//! The conductor works in rounds: it waits for word, takes it in, commits, leases. A slot that is free at the end of
//! a round and a host that is ready were both so since some moment after the round before; all the time since then
//! counts as lost, which is more than was, never less.

use std::time::Duration;

/// Slot time of a run. Moments are those of the process's clock.
#[derive(Debug, Default)]
pub(crate) struct SlotTime {
    used: Duration,
    lost: Duration,
    /// From here on, what is leased in this round may have waited.
    since: Duration,
    /// The beginning of this round, and the end of the one before.
    began: Duration,
    rested: Duration,
    /// Slots that were free at the end of the round before although a host was ready.
    waiting: u32,
}

impl SlotTime {
    /// A round begins; `waited` when there was no word before `now`, so that nothing could be leased either.
    pub(crate) fn begin(&mut self, waited: bool, now: Duration) {
        if waited {
            self.lost += now.saturating_sub(self.rested) * self.waiting;
            self.since = now;
        } else {
            self.since = self.began;
        }
        self.began = now;
    }

    /// A slot gets a lease.
    pub(crate) fn granted(&mut self, now: Duration) {
        self.lost += now.saturating_sub(self.since);
    }

    /// The round ends with so many slots at work, and so many free for which a host is ready all the same.
    pub(crate) fn end(&mut self, busy: usize, waiting: usize, now: Duration) {
        let count = |slots: usize| u32::try_from(slots).unwrap_or(u32::MAX);
        self.used += now.saturating_sub(self.rested) * count(busy);
        self.waiting = count(waiting);
        if waiting > 0 {
            self.lost += now.saturating_sub(self.since) * self.waiting;
            self.began = now;
        }
        self.rested = now;
    }

    /// Time that slots had a lease, all together.
    pub(crate) fn used(&self) -> Duration {
        self.used
    }

    /// Time that slots had none although a host was ready, all together.
    pub(crate) fn lost(&self) -> Duration {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_lease_granted_at_once_loses_only_the_work_before_it() {
        let mut time = SlotTime::default();
        time.begin(true, at(100));
        time.granted(at(103));
        time.end(1, 0, at(104));
        assert_eq!(time.lost(), at(3));
        // Slots at work while the conductor waits are used.
        time.begin(true, at(204));
        time.end(1, 0, at(204));
        assert_eq!((time.lost(), time.used()), (at(3), at(204)));
    }

    #[test]
    fn word_that_came_during_a_round_has_waited_since_its_beginning() {
        let mut time = SlotTime::default();
        time.begin(true, at(100));
        // A commit takes its time.
        time.end(0, 0, at(140));
        time.begin(false, at(141));
        time.granted(at(142));
        assert_eq!(time.lost(), at(42));
    }

    #[test]
    fn slots_held_back_from_ready_hosts_are_lost() {
        let mut time = SlotTime::default();
        time.begin(true, at(100));
        time.end(0, 2, at(101));
        time.begin(true, at(201));
        time.end(0, 0, at(201));
        assert_eq!(time.lost(), at(2 + 200));
    }
}
