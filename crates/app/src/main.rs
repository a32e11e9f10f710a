//! The program `gannet`. Everything is in the library beside it, so that tests can walk the command tree.

use std::ffi::{c_int, c_long};
use std::path::PathBuf;
use std::process::ExitCode;

use crawl::{ARGUMENT, read_documents_by, serve_document};

/// Gives freed memory back to the system: a crawl of days must not grow by what it once needed.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[expect(unsafe_code, reason = "an option of the allocator is set through its C interface")]
// SAFETY: it takes any number at any time.
unsafe extern "C" {
    safe fn mi_option_set(option: c_int, value: c_long);
}

/// The allocator's number for how many milliseconds it waits before it gives memory back. By itself that is a second, and a
/// crawl holds a tenth more than it uses.
const PURGE_DELAY: c_int = 15;

fn main() -> ExitCode {
    mi_option_set(PURGE_DELAY, 100);
    let mut args = std::env::args_os();
    if args.len() == 2 && args.nth(1).is_some_and(|first| first == ARGUMENT) {
        return if serve_document().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    // By this name it is found even when a newer one has taken its place on the disk.
    let running = PathBuf::from("/proc/self/exe");
    if let Some(program) = running.exists().then_some(running).or_else(|| std::env::current_exe().ok()) {
        read_documents_by(program);
    }
    app::run(std::env::args_os()).into()
}
