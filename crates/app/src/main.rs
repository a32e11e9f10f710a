//! The program `gannet`. Everything is in the library beside it, so that tests can walk the command tree.

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
    if let Ok(program) = std::env::current_exe() {
        read_documents_by(program);
    }
    app::run(std::env::args_os()).into()
}
