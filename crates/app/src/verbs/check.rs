//! `gannet check`: is the data whole?

use clap::{ArgMatches, Command};
use service::{CheckRow, Request};

use super::asking::ask;
use super::table::plain;
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("check")
        .about("Verify the data directory: store and archive, each by itself and against the other")
        .after_help("Ends with 4 when something is damaged.\n\nExample:\n  gannet check --json")
}

pub(super) fn run(context: &Context, _: &ArgMatches) -> Result<Exit, Failure> {
    let mut out = Output::new();
    let mut sound = false;
    ask(context, &Request::Check, |row| {
        let read: CheckRow = serde_json::from_value(row.clone())?;
        if let CheckRow::Checked(checked) = &read {
            sound = checked.sound;
        }
        if context.json {
            return out.line(row);
        }
        match read {
            CheckRow::Finding { part, crawl, words, damage } => {
                let of = crawl.map(|crawl| format!(" of crawl {crawl}")).unwrap_or_default();
                let kind = if damage { "damaged" } else { "left over" };
                out.line(plain(&format!("{kind}: {part}{of}: {words}")))
            }
            CheckRow::Checked(checked) => {
                out.line(format_args!(
                    "{} crawls: {} URLs, {} visits, {} links in {} rows; {} archive files, {} records, {} bytes",
                    checked.crawls,
                    checked.urls,
                    checked.visits,
                    checked.links,
                    checked.rows,
                    checked.archive_files,
                    checked.archive_records,
                    checked.archive_bytes
                ))?;
                out.line(match checked.damaged {
                    0 => "sound".to_owned(),
                    damaged => format!(
                        "{damaged} places are damaged; \"gannet repair\" rebuilds what can be rebuilt"
                    ),
                })
            }
        }
    })?;
    out.done()?;
    Ok(if sound { Exit::Done } else { Exit::Damaged })
}
