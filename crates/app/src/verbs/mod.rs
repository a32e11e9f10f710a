//! The verbs: one module each, with its part of the command tree and what it does.

mod asking;
mod changes;
mod check;
mod compare;
mod crawl;
mod crawl_there;
mod demo;
mod demo_site;
mod detect;
mod diff;
mod duplicates;
mod evaluate;
mod export;
mod graph;
mod hosts;
mod index;
mod links;
mod log;
mod pages;
mod rank;
mod rank_edges;
mod ranking;
mod read;
mod reference;
mod refresh;
mod repair;
mod robots;
mod rows;
mod runs;
mod search;
mod select;
mod serve;
mod signin;
mod simulate;
mod simulate_revisits;
mod sitemap;
mod steer;
mod table;
mod try_page;
mod url;
mod why;

use clap::{ArgMatches, Command};

use crate::{Context, Exit, Failure};

/// One verb.
pub(crate) struct Verb {
    /// Its name, flags and help.
    pub(crate) command: fn() -> Command,
    /// What it does.
    run: fn(&Context, &ArgMatches) -> Result<Exit, Failure>,
}

/// Every verb, in the order of the help.
pub(crate) const VERBS: &[Verb] = &[
    Verb { command: serve::command, run: serve::run },
    Verb { command: signin::command, run: signin::run },
    Verb { command: crawl::command, run: crawl::run },
    Verb { command: refresh::command, run: refresh::run },
    Verb { command: try_page::command, run: try_page::run },
    steer::PAUSE,
    steer::RESUME,
    steer::STOP,
    steer::CANCEL,
    steer::EXCLUDE,
    steer::SPEED,
    steer::ORDER,
    Verb { command: pages::command, run: pages::run },
    Verb { command: why::command, run: why::run },
    Verb { command: links::command, run: links::run },
    Verb { command: changes::command, run: changes::run },
    Verb { command: changes::version_command, run: changes::version },
    Verb { command: duplicates::command, run: duplicates::run },
    Verb { command: duplicates::mirrors_command, run: duplicates::mirrors },
    Verb { command: hosts::command, run: hosts::run },
    Verb { command: rank::command, run: rank::run },
    Verb { command: graph::command, run: graph::run },
    Verb { command: simulate::command, run: simulate::run },
    Verb { command: rows::command, run: rows::run },
    Verb { command: runs::command, run: runs::run },
    Verb { command: log::command, run: log::run },
    Verb { command: diff::command, run: diff::run },
    Verb { command: export::command, run: export::run },
    Verb { command: search::command, run: search::run },
    Verb { command: search::suggest_command, run: search::suggest },
    Verb { command: search::cached_command, run: search::cached },
    Verb { command: search::why_not_command, run: search::why_not },
    Verb { command: index::command, run: index::run },
    Verb { command: evaluate::command, run: evaluate::run },
    Verb { command: check::command, run: check::run },
    Verb { command: repair::command, run: repair::run },
    Verb { command: url::command, run: url::run },
    Verb { command: robots::command, run: robots::run },
    Verb { command: select::command, run: select::run },
    Verb { command: detect::command, run: detect::run },
    Verb { command: read::command, run: read::run },
    Verb { command: sitemap::command, run: sitemap::run },
    Verb { command: compare::fingerprint_command, run: compare::fingerprint },
    Verb { command: compare::command, run: compare::run },
    Verb { command: reference::command, run: reference::run },
    Verb { command: demo_site::command, run: demo_site::run },
    Verb { command: demo::command, run: demo::run },
];

/// Does what the verb of this name does.
pub(crate) fn run(name: &str, context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    match VERBS.iter().find(|verb| (verb.command)().get_name() == name) {
        Some(verb) => (verb.run)(context, flags),
        None => Err(Failure::usage(anyhow::anyhow!("no command {name:?}"))),
    }
}
