//! Room for bodies: how many bytes may be in memory at once, from the first byte of a body until it is kept.
//!
//! Bodies take their room as they grow, so many half-read ones could wait for each other for ever. They do not: when
//! the common room is full, one body at a time, the guest, grows without asking, in room set aside for it. It needs
//! nothing more from anyone, so it ends within the limits of a fetch, and then the next one may be the guest.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Room is taken in steps of this many bytes.
const STEP: u64 = 16 * 1024;

/// The bytes that may be in memory at once.
pub struct Room {
    common: Arc<Semaphore>,
    guest: Arc<Semaphore>,
    used: AtomicU64,
    most_used: AtomicU64,
}

/// The room of one body; given back when the last copy of this is dropped.
#[derive(Clone)]
pub struct Share(Arc<Held>);

struct Held {
    room: Arc<Room>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Steps held.
    steps: u64,
    common: Option<OwnedSemaphorePermit>,
    guest: Option<OwnedSemaphorePermit>,
}

impl Room {
    /// Room for `total` bytes, of which `guest` are set aside: the most that one body needs. A body that needs more
    /// can go beyond the total, alone.
    pub fn new(total: u64, guest: u64) -> Arc<Room> {
        let steps = total.saturating_sub(guest) / STEP;
        Arc::new(Room {
            common: Arc::new(Semaphore::new(
                usize::try_from(steps).unwrap_or(0).clamp(1, Semaphore::MAX_PERMITS),
            )),
            guest: Arc::new(Semaphore::new(1)),
            used: AtomicU64::new(0),
            most_used: AtomicU64::new(0),
        })
    }

    /// No room taken yet.
    pub fn share(self: &Arc<Room>) -> Share {
        Share(Arc::new(Held { room: self.clone(), state: Mutex::default() }))
    }

    /// Bytes taken now.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Most bytes taken at once so far.
    pub fn most_used(&self) -> u64 {
        self.most_used.load(Ordering::Relaxed)
    }

    fn took(&self, steps: u64) {
        let now = self.used.fetch_add(steps * STEP, Ordering::Relaxed) + steps * STEP;
        self.most_used.fetch_max(now, Ordering::Relaxed);
    }
}

impl Share {
    /// Waits until there is room for so many bytes in all. True if it had to wait.
    pub(crate) async fn grow_to(&self, bytes: u64) -> bool {
        let Held { room, .. } = &*self.0;
        let wanted = bytes.div_ceil(STEP);
        let more = {
            let mut state = self.state();
            let more = wanted.saturating_sub(state.steps);
            if state.guest.is_some() {
                state.steps += more;
                room.took(more);
                return false;
            }
            more
        };
        if more == 0 {
            return false;
        }
        let permits = u32::try_from(more).unwrap_or(u32::MAX);
        let free = room.common.clone().try_acquire_many_owned(permits).ok();
        let waits = free.is_none();
        let (common, guest) = match free {
            Some(free) => (Some(free), None),
            None => tokio::select! {
                biased;
                permit = room.common.clone().acquire_many_owned(permits) => (permit.ok(), None),
                permit = room.guest.clone().acquire_owned() => (None, permit.ok()),
            },
        };
        let mut state = self.state();
        match (&mut state.common, common) {
            (Some(held), Some(new)) => held.merge(new),
            (held, Some(new)) => *held = Some(new),
            (_, None) => {}
        }
        state.guest = guest;
        state.steps += more;
        room.took(more);
        waits
    }

    /// Gives back what is beyond so many bytes.
    pub(crate) fn shrink_to(&self, bytes: u64) {
        let mut state = self.state();
        let less = state.steps.saturating_sub(bytes.div_ceil(STEP));
        state.steps -= less;
        self.0.room.used.fetch_sub(less * STEP, Ordering::Relaxed);
        if state.guest.is_none()
            && let Some(held) = &mut state.common
        {
            drop(held.split(usize::try_from(less).unwrap_or(usize::MAX)));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let steps = self.state.get_mut().unwrap_or_else(PoisonError::into_inner).steps;
        self.room.used.fetch_sub(steps * STEP, Ordering::Relaxed);
    }
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Share({} bytes)", self.state().steps * STEP)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use proptest::prelude::*;

    const MIB: u64 = 1 << 20;

    /// Bodies of these sizes, all growing at once.
    fn most_used(total: u64, guest: u64, bodies: Vec<u64>, step: u64) -> u64 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let room = Room::new(total, guest);
            let mut tasks = tokio::task::JoinSet::new();
            for size in bodies {
                let share = room.share();
                tasks.spawn(async move {
                    let mut bytes = 0;
                    while bytes < size {
                        bytes = (bytes + step).min(size);
                        share.grow_to(bytes).await;
                        tokio::task::yield_now().await;
                    }
                    share.shrink_to(bytes / 2);
                });
            }
            let all = async { while tasks.join_next().await.is_some() {} };
            tokio::time::timeout(Duration::from_secs(30), all).await.expect("nobody waits for ever");
            assert_eq!(room.used(), 0);
            room.most_used()
        })
    }

    #[test]
    fn many_bodies_end_within_the_room() {
        let most = most_used(16 * MIB, 4 * MIB, vec![4 * MIB; 100], 50_000);
        assert!((12 * MIB..=16 * MIB).contains(&most), "{most}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        /// Whatever the sizes and the order of growth, all end, and the bound holds.
        #[test]
        fn no_sizes_lead_to_a_deadlock(bodies in prop::collection::vec(0..2 * MIB, 0..40), step in 1_000..500_000u64) {
            prop_assert!(most_used(6 * MIB, 2 * MIB, bodies, step) <= 6 * MIB);
        }

        /// A body larger than all the room goes beyond it alone.
        #[test]
        fn a_body_larger_than_the_room_ends(bodies in prop::collection::vec(0..9 * MIB, 0..10)) {
            prop_assert!(most_used(4 * MIB, MIB, bodies, 400_000) <= 3 * MIB + 9 * MIB);
        }
    }

    #[test]
    fn what_is_cancelled_gives_its_room_back() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let room = Room::new(2 * MIB, MIB);
            let (first, guest) = (room.share(), room.share());
            first.grow_to(MIB).await;
            guest.grow_to(MIB).await;
            let late = room.share();
            let waiting = tokio::time::timeout(Duration::from_millis(10), late.grow_to(STEP)).await;
            assert!(waiting.is_err(), "no room");
            drop((late, guest));
            assert_eq!(room.used(), MIB);
            room.share().grow_to(MIB).await;
            first.shrink_to(0);
            room.share().grow_to(MIB).await;
        });
    }
}
