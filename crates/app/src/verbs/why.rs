//! `gannet why`: the whole story of one URL.

use clap::{Arg, ArgMatches, Command};

use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("why")
        .about("Explain a URL: where it was found, what each rule says, when it is due, its fetches")
        .after_help("Example:\n  gannet why https://shop.test/calendar/2031")
        .arg(Arg::new("url").value_name("URL").required(true).help("The URL, in any spelling"))
}

pub(super) fn run(_: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    super::not_built_yet(flags)
}
