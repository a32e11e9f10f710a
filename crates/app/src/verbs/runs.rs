//! `gannet runs`: the runs of a project, with the numbers by which other commands know them, and how long one at work
//! takes.

use clap::{ArgMatches, Command};
use service::{Drift, Forecast, ProjectChoice, Request, RunChoice};

use super::asking::{ask_for, print_json, project, project_arg};
use super::table::{Table, moment, number, or_dash, plain, text, words};
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("runs")
        .about("List the runs of a project, latest first, and say how long one at work takes")
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
    let mut at_work = Vec::new();
    ask_for(context, &request, |run: service::Run| {
        let drift = run.summary.as_ref().map(|summary| summary["drift"].clone());
        let drift: Vec<Drift> =
            drift.and_then(|drift| serde_json::from_value(drift).ok()).unwrap_or_default();
        drifted.extend(drift.into_iter().map(|drift| (run.id.0, drift)));
        at_work.extend(run.ended_at.is_none().then_some(run.id.0));
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
    for run in at_work {
        let request = Request::Forecast(RunChoice { run: Some(run), project: None });
        let told = ask_for(context, &request, |Forecast { words, basis, .. }: Forecast| {
            let words = words.unwrap_or_else(|| "no forecast yet".to_owned());
            out.line(format_args!("\nrun {run}: {words}\nBasis: {basis}"))
        });
        // It may have ended since, or with the process that it was in.
        if let Err(error) = told {
            tracing::debug!(run, "no forecast: {error:?}");
        }
    }
    out.done()?;
    Ok(Exit::Done)
}
