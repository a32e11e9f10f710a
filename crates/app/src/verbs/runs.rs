//! `gannet runs`: the runs of a project, with the numbers by which other commands know them.

use clap::{ArgMatches, Command};
use service::{Drift, ProjectChoice, Request};

use super::asking::{ask_for, print_json, project, project_arg};
use super::table::{Table, moment, number, or_dash, plain, text, words};
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("runs")
        .about("List the runs of a project, latest first")
        .after_help("Example:\n  gannet runs --project shop")
        .arg(project_arg())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let request = Request::Runs(ProjectChoice { project: project(flags) });
    if context.json {
        return print_json(context, &request);
    }
    let columns = [
        number("RUN"),
        words("STATE"),
        words("STARTED"),
        words("ENDED"),
        number("PAGES"),
        number("ROWS"),
        text("REASON"),
    ];
    let mut table = Table::new(&columns);
    let mut drifted: Vec<(i64, Drift)> = Vec::new();
    ask_for(context, &request, |run: service::Run| {
        let drift = run.summary.as_ref().map(|summary| summary["drift"].clone());
        let drift: Vec<Drift> =
            drift.and_then(|drift| serde_json::from_value(drift).ok()).unwrap_or_default();
        drifted.extend(drift.into_iter().map(|drift| (run.id.0, drift)));
        let figure = |name: &str| run.summary.as_ref().and_then(|summary| summary[name].as_u64());
        table.row(vec![
            run.id.0.to_string(),
            run.state.to_string(),
            moment(run.started_at.into()),
            or_dash(run.ended_at.map(|at| moment(at.into()))),
            or_dash(figure("pages_fetched")),
            or_dash(figure("rows")),
            run.reason.clone().unwrap_or_default(),
        ])
    })?;
    if table.end()? == 0 && !context.quiet {
        eprintln!("the project has not run yet");
    }
    let mut out = Output::new();
    for (place, (run, drift)) in drifted.iter().enumerate() {
        let gap = if place == 0 { "\n" } else { "" };
        out.line(format_args!("{gap}drift in run {run}: {}", plain(&drift.to_string())))?;
    }
    out.done()?;
    Ok(Exit::Done)
}
