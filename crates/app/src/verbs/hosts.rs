//! `gannet hosts`: the politeness ledger.

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("hosts")
        .about("Show how each host was treated: requests, shortest gap, robots.txt obeyed, waits asked for")
        .arg(Arg::new("host").value_name("HOST").action(ArgAction::Append).help("Only these hosts"))
}

pub(super) fn run(_: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    super::not_built_yet(flags)
}
