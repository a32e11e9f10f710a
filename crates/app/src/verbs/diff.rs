//! `gannet diff`: what became of rows between two runs, field by field.

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};
use service::{DiffPart, DiffRequest, Mark, MarkCounts, Request};

use super::asking::{ask_for, limit_arg, print_json};
use super::rows::{cell, marks};
use super::table::{Table, plain, text, words};
use crate::output::Output;
use crate::{Context, Exit, Failure};

/// Cells shown of a row that came or went, and characters of a cell; `--json` has all.
const SHOWN: usize = 5;
const LONGEST: usize = 60;

pub(super) fn command() -> Command {
    let run =
        |name: &'static str, help: &'static str| Arg::new(name).value_name("RUN").required(true).help(help);
    Command::new("diff")
        .about("Show which rows are new, changed or gone between two runs, and which fields changed")
        .after_help("Example:\n  gannet diff 3 5 --status changed")
        .arg(run("before", "Number of the earlier run (\"gannet runs\" lists them)"))
        .arg(run("after", "Number of the later run, or the project's name for its rows as they stand"))
        .arg(
            Arg::new("status")
                .long("status")
                .value_name("STATUS")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(Mark::ALL.map(Mark::name))
                .help("Only rows of which this became; all but the unchanged unless said"),
        )
        .arg(limit_arg("At most so many rows"))
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let side = |name: &str| flags.get_one::<String>(name).cloned().unwrap_or_default();
    let request = Request::Diff(DiffRequest {
        before: side("before"),
        after: side("after"),
        status: marks(flags),
        limit: flags.get_one::<u64>("limit").copied(),
    });
    if context.json {
        return print_json(context, &request);
    }
    let mut table = Table::new(&[words("STATUS"), text("WHAT"), text("PAGE")]);
    let mut counts = MarkCounts::default();
    ask_for(context, &request, |part: DiffPart| match part {
        DiffPart::Row { status, page, changes, cells, .. } => {
            let own = name(&cells);
            let what: Vec<String> = match changes.is_empty() {
                true => cells.values().map(cell).filter(|text| *text != own).take(SHOWN).map(cut).collect(),
                false => changes
                    .iter()
                    .map(|change| {
                        let (before, after) = (cut(cell(&change.before)), cut(cell(&change.after)));
                        format!("{}: {before} → {after}", change.field)
                    })
                    .collect(),
            };
            let what = [vec![own], what].concat();
            table.row(vec![status.name().to_owned(), plain(&what.join(" · ")), page])
        }
        DiffPart::Counts(found) => {
            counts = found;
            Ok(())
        }
    })?;
    table.end_with_gap()?;
    let MarkCounts { new, unchanged, changed, gone, unseen } = counts;
    let mut out = Output::new();
    out.line(format_args!(
        "{new} new, {changed} changed, {gone} gone, {unchanged} unchanged, {unseen} not read again"
    ))?;
    out.done()?;
    Ok(Exit::Done)
}

/// What people would call the row: its first words that are no address, else its first cell.
fn name(cells: &Map<String, Value>) -> String {
    let texts = || cells.values().map(cell).filter(|text| !text.is_empty());
    let is_name = |text: &String| !text.contains("://") && text.chars().any(char::is_alphabetic);
    texts().find(is_name).or_else(|| texts().next()).map(cut).unwrap_or_default()
}

fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
