//! `gannet pages`: every URL with its outcome.

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("pages")
        .about("List every known URL with its outcome")
        .after_help("Example:\n  gannet pages --outcome failed --from 2026-11-01")
        .arg(
            Arg::new("from")
                .long("from")
                .value_name("WHEN")
                .help("Only outcomes since then: 2026-11-15 or 2026-11-15T08:00:00Z"),
        )
        .arg(Arg::new("to").long("to").value_name("WHEN").help("Only outcomes before then"))
        .arg(
            Arg::new("outcome")
                .long("outcome")
                .value_name("OUTCOME")
                .action(ArgAction::Append)
                .value_parser(model::Outcome::NAMES)
                .help("Only URLs with this outcome; give it again for more"),
        )
}

pub(super) fn run(_: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    super::not_built_yet(flags)
}
