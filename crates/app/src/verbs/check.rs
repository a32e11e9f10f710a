//! `gannet check`: is the data whole?

use clap::{ArgMatches, Command};

use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("check")
        .about("Verify the data directory: store and archive, each by itself and against the other")
}

pub(super) fn run(_: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    super::not_built_yet(flags)
}
