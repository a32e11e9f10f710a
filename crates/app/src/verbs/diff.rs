//! `gannet diff`: what became of rows between two runs, field by field.

use clap::{Arg, ArgAction, ArgMatches, Command};
use service::{DiffPart, DiffRequest, Mark, MarkCounts, Request};

use super::asking::{ask_for, limit_arg, print_json};
use super::rows::{cell, marks};
use super::table::{Table, plain, text, words};
use crate::output::Output;
use crate::{Context, Exit, Failure};

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
            let what: Vec<String> = match changes.is_empty() {
                true => cells.values().map(cell).collect(),
                false => changes
                    .iter()
                    .map(|change| {
                        format!("{}: {} → {}", change.field, cell(&change.before), cell(&change.after))
                    })
                    .collect(),
            };
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
