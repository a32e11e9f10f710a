//! The program `gannet`. Everything is in the library beside it, so that tests can walk the command tree.

use std::path::PathBuf;
use std::process::ExitCode;

use crawl::{ARGUMENT, read_documents_by, serve_document};

/// Gives freed memory back to the system: a crawl of days must not grow by what it once needed.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
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
