//! A crawl as the system's scheduler sees it: steady work for which nobody waits.

use std::ffi::c_int;

/// Linux' number for work of this kind.
const BATCH: c_int = 3;

/// How urgent it is, which must be zero for this kind.
#[repr(C)]
struct Urgency(c_int);

#[expect(unsafe_code, reason = "the scheduler is told through the C interface")]
// SAFETY: it reads the number behind the reference; 0 is the thread that calls.
unsafe extern "C" {
    #[link_name = "sched_setscheduler"]
    safe fn set_scheduler(thread: c_int, policy: c_int, urgency: &Urgency) -> c_int;
}

/// The threads that this one starts from now on, and itself, wait for their turn when they wake up. Otherwise each page would
/// stop a thread that reads another one half-way, to be settled at once: half as many changes of threads again.
pub(crate) fn announce() {
    // Where the system does not want to know, nothing is lost.
    if cfg!(target_os = "linux") {
        set_scheduler(0, BATCH, &Urgency(0));
    }
}
