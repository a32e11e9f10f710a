//! `gannet pause`, `resume`, `stop`, `cancel`: steer the crawl that works in a data directory.

use clap::{Arg, ArgMatches, Command, value_parser};
use service::{Request, RunChoice};

use super::Verb;
use super::asking::{ask, project, project_arg};
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) const PAUSE: Verb = Verb {
    command: || {
        choosing(
            Command::new("pause")
                .about("Pause the running crawl: visits under way end, nothing more is asked for"),
        )
    },
    run: |context, flags: &ArgMatches| {
        steer(context, flags, Request::Pause, "paused; \"gannet resume\" goes on")
    },
};

pub(super) const RESUME: Verb = Verb {
    command: || choosing(Command::new("resume").about("Let a paused crawl go on")),
    run: |context, flags: &ArgMatches| steer(context, flags, Request::Resume, "resumed"),
};

pub(super) const STOP: Verb = Verb {
    command: || {
        choosing(Command::new("stop").about("Stop the running crawl and keep everything, as Ctrl-C does"))
    },
    run: |context, flags: &ArgMatches| {
        steer(context, flags, Request::Stop, "stopping; the same crawl command resumes")
    },
};

pub(super) const CANCEL: Verb = Verb {
    command: || {
        choosing(
            Command::new("cancel")
                .about("Stop the running crawl and drop everything that its project has crawled"),
        )
    },
    run: |context, flags: &ArgMatches| {
        steer(context, flags, Request::Cancel, "cancelled; what it had crawled is dropped")
    },
};

fn choosing(command: Command) -> Command {
    command
        .arg(
            Arg::new("run")
                .long("run")
                .value_name("NUMBER")
                .value_parser(value_parser!(i64))
                .help("The run of this number; needed only when several run"),
        )
        .arg(project_arg().help("The run of this project"))
}

fn steer(
    context: &Context,
    flags: &ArgMatches,
    request: fn(RunChoice) -> Request,
    done: &str,
) -> Result<Exit, Failure> {
    let choice = RunChoice { run: flags.get_one("run").copied(), project: project(flags) };
    let request = &request(choice);
    let mut output = Output::new();
    ask(context, request, |answer| match context.json {
        true => output.line(answer),
        false => output.line(done),
    })?;
    output.done()?;
    Ok(Exit::Done)
}
