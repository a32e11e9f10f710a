//! `gannet repair`: rebuilds what can be rebuilt.

use clap::{ArgMatches, Command};
use service::{RepairRow, Request};

use super::asking::{ask, runtime};
use super::table::plain;
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("repair")
        .about("Rebuild from the archive what is damaged and can be rebuilt; tells what cannot")
        .after_help("Nothing is deleted: what cannot be used is set aside under another name. Not while a crawl runs.\n\nExample:\n  gannet repair && gannet check")
}

pub(super) fn run(context: &Context, _: &ArgMatches) -> Result<Exit, Failure> {
    let mut out = Output::new();
    let mut tell = |row: RepairRow| {
        match (context.json, &row) {
        (true, row) => out.line(serde_json::to_string(row)?),
        (false, RepairRow::Note { crawl, words }) => {
            let of = crawl.map(|crawl| format!("crawl {crawl}: ")).unwrap_or_default();
            out.line(plain(&format!("{of}{words}")))
        }
        (false, RepairRow::Repaired(done)) => out.line(format_args!(
            "{} crawls: {} unreadable rows dropped, {} visits, {} pages' links, {} URLs and {} pages' rows restored, \
             {} pages to fetch again, {} lines of index written",
            done.crawls,
            done.rows_dropped,
            done.visits_restored,
            done.links_restored,
            done.urls_restored,
            done.rows_restored,
            done.to_fetch_again,
            done.index_lines
        )),
    }
    };
    if context.server.is_none() {
        let opening = runtime()?;
        match opening.block_on(service::repair_unopened(&context.data)) {
            Ok(notes) => {
                notes.into_iter().try_for_each(|words| tell(RepairRow::Note { crawl: None, words }))?;
            }
            // Its owner says whether that can be done beside what it does.
            Err(service::ServiceError::Busy(_)) => {}
            Err(error) => return Err(Failure::from_service(error)),
        }
    }
    ask(context, &Request::Repair, |row| tell(serde_json::from_value(row)?))?;
    out.done()?;
    Ok(Exit::Done)
}
