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
mod signals;
mod steady_work;
mod verbs;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ArgMatches;
use server::client::Remote;

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
    /// Ask this server instead of the data directory.
    pub(crate) server: Option<Remote>,
}

/// Runs the program with these arguments, the first being its own name. Errors are printed, in one sentence.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Exit {
    let matches = match cli::command().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) => return cli::explain(&error),
    };
    log::start(&matches);
    // Huge pages keep 2 MiB for what needs a few KiB: a crawl held 204 MiB, not 118, and was no faster for it; a server that
    // had been idle since three small crawls 117, not 61.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    let Some((name, flags)) = matches.subcommand() else { return Exit::Usage };
    let context = match Context::new(flags) {
        Ok(context) => context,
        Err(failure) => return failure.print(),
    };
    match verbs::run(name, &context, flags) {
        Ok(exit) => exit,
        Err(failure) => failure.print(),
    }
}

impl Context {
    fn new(flags: &ArgMatches) -> Result<Context, Failure> {
        let word = |name: &str, variable: &str| {
            let flag = flags.get_one::<String>(name).cloned();
            flag.or_else(|| std::env::var(variable).ok()).filter(|text| !text.is_empty())
        };
        let token = word("token", "GANNET_TOKEN");
        let server = word("server", "GANNET_SERVER").map(|address| Remote::new(&address, token));
        let data = flags.get_one::<PathBuf>("data").cloned();
        let data = data.or_else(|| std::env::var_os("GANNET_DATA").map(PathBuf::from));
        Ok(Context {
            server: server.transpose().map_err(Failure::usage)?,
            data: data.unwrap_or_else(|| PathBuf::from(cli::DATA)),
            json: flags.get_flag("json"),
            quiet: flags.get_flag("quiet"),
        })
    }
}
