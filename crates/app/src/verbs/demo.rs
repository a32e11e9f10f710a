//! `gannet demo`: crawls the bundled demo site and shows what came of it.

use clap::{ArgMatches, Command};

use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("demo").about("Crawl the bundled demo site on this machine and show the result")
}

pub(super) fn run(_: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    super::not_built_yet(flags)
}
