//! Ranking settings on the command line, for every verb that searches.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use search::{IndexSettings, Ranking, SearchError};

use super::evaluate::settings_of;
use crate::Failure;

/// `--set`, and the two that everybody changes.
pub(super) fn ranking_args() -> [Arg; 3] {
    let number = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("NUMBER").value_parser(value_parser!(f64)).help(help)
    };
    [
        number("k", "BM25's k, at query time"),
        number("b", "BM25's b, at query time"),
        Arg::new("set")
            .long("set")
            .value_name("NAME=VALUE")
            .action(ArgAction::Append)
            .help("Any ranking setting, at query time: proximity=0, weights.title=2, 'formula=log(1+stars)'"),
    ]
}

/// The settings of the file that `--settings` names.
pub(super) fn index_settings(flags: &ArgMatches) -> Result<IndexSettings, Failure> {
    settings_of(flags.get_one::<PathBuf>("settings"))
}

/// A ranking with what the flags change.
pub(super) fn changed(ranking: &Ranking, flags: &ArgMatches) -> Result<Ranking, Failure> {
    let changes = flags.get_many::<String>("set").into_iter().flatten();
    let mut ranking = set(ranking, changes.map(String::as_str))?;
    if let Some(k) = flags.get_one::<f64>("k") {
        ranking.k = *k;
    }
    if let Some(b) = flags.get_one::<f64>("b") {
        ranking.b = *b;
    }
    ranking.check().map_err(failure)?;
    Ok(ranking)
}

/// True when the flags change anything.
pub(super) fn changes(flags: &ArgMatches) -> bool {
    flags.contains_id("set") || flags.contains_id("k") || flags.contains_id("b")
}

/// A ranking with settings changed, each `name=value`.
pub(super) fn set<'a>(ranking: &Ranking, changes: impl Iterator<Item = &'a str>) -> Result<Ranking, Failure> {
    ranking.with(changes).map_err(failure)
}

/// A search that could not be done: what was typed is the reason.
pub(super) fn failure(error: SearchError) -> Failure {
    if error.is_the_askers() { Failure::usage(error) } else { anyhow::Error::from(error).into() }
}
