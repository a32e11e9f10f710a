//! The program `gannet`. Everything is in the library beside it, so that tests can walk the command tree.

use std::process::ExitCode;

/// Gives freed memory back to the system: a crawl of days must not grow by what it once needed.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    app::run(std::env::args_os()).into()
}
