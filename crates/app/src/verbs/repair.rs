//! `gannet repair`: rebuilds what can be rebuilt.

use clap::{ArgMatches, Command};

use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("repair")
        .about("Rebuild from the archive what is damaged and can be rebuilt; tells what cannot")
}

pub(super) fn run(_: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    super::not_built_yet(flags)
}
