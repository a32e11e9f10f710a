//! Answers on their way to the readers: many slots put in, several threads take out.
//!
//! A job wakes one reader. A channel behind a lock would wake two: the one that waits for the job and the one that waits
//! for the lock. Where many jobs wait, a reader takes its share of them, so that slots that wait for room, and whoever waits
//! for what was read, are woken once for all of these.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::read::Job;

/// Where slots leave jobs; when it is dropped, the readers end after those that are left.
pub(crate) struct Jobs(Arc<Queue>);

/// Where readers find them; when the last is dropped, jobs are left nowhere.
pub(crate) struct JobList(Arc<Queue>);

struct Queue {
    state: Mutex<State>,
    has_more: Condvar,
    room: Arc<Semaphore>,
}

/// Jobs that a reader takes at once.
const MOST_AT_ONCE: usize = 8;

/// Bytes of an answer that is read so soon that others may wait for it.
const SOON_READ: usize = 128 << 10;

#[derive(Default)]
struct State {
    waiting: VecDeque<(Job, OwnedSemaphorePermit)>,
    is_closed: bool,
    readers: usize,
}

/// A queue with room for so many jobs, and an end of it for each reader.
pub(crate) fn jobs(room: usize, readers: usize) -> (Jobs, Vec<JobList>) {
    let state = Mutex::new(State { readers, ..State::default() });
    let queue = Arc::new(Queue { state, has_more: Condvar::new(), room: Arc::new(Semaphore::new(room)) });
    let lists = (0..readers).map(|_| JobList(queue.clone())).collect();
    (Jobs(queue), lists)
}

impl Jobs {
    /// Leaves a job, when there is room for it. Without readers it is dropped.
    pub(crate) async fn put(&self, job: Job) {
        let Ok(room) = self.0.room.clone().acquire_owned().await else { return };
        self.0.state().waiting.push_back((job, room));
        self.0.has_more.notify_one();
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.0.state().is_closed = true;
        self.0.has_more.notify_all();
    }
}

impl Drop for JobList {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.readers -= 1;
        if state.readers == 0 {
            self.0.room.close();
            state.waiting.clear();
        }
    }
}

impl JobList {
    /// Puts the next jobs into `taken`, which is empty, and waits for them; false when there will be no more. Their room is
    /// free again.
    pub(crate) fn take(&self, taken: &mut Vec<Job>) -> bool {
        let queue = &self.0;
        let is_idle = |state: &mut State| state.waiting.is_empty() && !state.is_closed;
        let mut state =
            queue.has_more.wait_while(queue.state(), is_idle).unwrap_or_else(PoisonError::into_inner);
        let share = state.waiting.len().div_ceil(state.readers).min(MOST_AT_ONCE);
        let Some((first, mut room)) = state.waiting.pop_front() else { return false };
        let others_may_wait = is_soon_read(&first);
        taken.push(first);
        while others_may_wait
            && taken.len() < share
            && let Some((job, own)) = state.waiting.pop_front_if(|(job, _)| is_soon_read(job))
        {
            taken.push(job);
            room.merge(own);
        }
        drop(state);
        true
    }
}

/// Whether other jobs may wait for this one: it is neither long nor a document, which can take seconds.
fn is_soon_read(job: &Job) -> bool {
    let fetched = job.answer.fetched();
    fetched.content.len() <= SOON_READ
        && fetched.content_type().is_some_and(|content_type| content_type.starts_with("text/"))
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
