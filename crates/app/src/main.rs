//! The program `gannet`. Everything is in the library beside it, so that tests can walk the command tree.

use std::process::ExitCode;

fn main() -> ExitCode {
    app::run(std::env::args_os()).into()
}
