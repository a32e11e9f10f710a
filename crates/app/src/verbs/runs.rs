//! `gannet runs`: the runs of a project, with the numbers by which other commands know them.

use clap::{ArgMatches, Command};
use service::{ProjectChoice, Request};

use super::asking::{ask_for, print_json, project, project_arg};
use super::table::{Table, moment, number, or_dash, text, words};
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
    ask_for(context, &request, |run: service::Run| {
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
    Ok(Exit::Done)
}
