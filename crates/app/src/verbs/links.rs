//! `gannet links`: what is wrong with a site's links.

use clap::{Arg, ArgMatches, Command};

use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("links")
        .about("Report broken links, redirect chains, orphans and slow pages")
        .after_help("Example:\n  gannet links broken --json")
        .arg(
            Arg::new("kind")
                .value_name("KIND")
                .num_args(0..)
                .value_parser(["broken", "redirects", "orphans", "slow"])
                .help("What to report; all kinds unless said"),
        )
}

pub(super) fn run(_: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    super::not_built_yet(flags)
}
