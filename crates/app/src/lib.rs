//! The program: command line, settings in their layers, exit codes.
//!
//! What a verb does stands in `service` and below; here it is asked for and its answer printed.

mod batch;
pub mod cli;
mod exit;
mod log;
mod output;
mod page;
mod progress;
mod settings;
mod verbs;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ArgMatches;

pub use exit::{Exit, Failure};
pub use settings::{SettingsError, layered, read_project};

/// What every verb is told.
pub(crate) struct Context {
    /// The data directory.
    pub(crate) data: PathBuf,
    /// JSON instead of tables.
    pub(crate) json: bool,
    /// No progress, no hints.
    pub(crate) quiet: bool,
}

/// Runs the program with these arguments, the first being its own name. Errors are printed, in one sentence.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Exit {
    let matches = match cli::command().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) => return cli::explain(&error),
    };
    log::start(&matches);
    let Some((name, flags)) = matches.subcommand() else { return Exit::Usage };
    match verbs::run(name, &Context::new(flags), flags) {
        Ok(exit) => exit,
        Err(failure) => failure.print(),
    }
}

impl Context {
    fn new(flags: &ArgMatches) -> Context {
        let data = flags.get_one::<PathBuf>("data").cloned();
        let data = data.or_else(|| std::env::var_os("GANNET_DATA").map(PathBuf::from));
        Context {
            data: data.unwrap_or_else(|| PathBuf::from(cli::DATA)),
            json: flags.get_flag("json"),
            quiet: flags.get_flag("quiet"),
        }
    }
}
