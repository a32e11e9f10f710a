//! Asking a data directory: through its owner's socket while a process works there, else by opening it here.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use ::crawl::{Pause, WallClock};
use clap::{Arg, ArgAction, ArgMatches};
use model::{Outcome, ProjectName};
use serde::de::DeserializeOwned;
use serde_json::Value;
use server::client::{self, ClientError};
use service::{Access, Class, Data, Request, RunChoice, ServiceError};
use tokio::runtime::Runtime;

use crate::output::Output;
use crate::{Context, Exit, Failure};

/// A process that begins owns the directory a moment before it answers.
const TRIES: u32 = 30;
const BETWEEN: Duration = Duration::from_millis(100);

/// Asks, and hands over the values of the answer as they come.
pub(super) fn ask(
    context: &Context,
    request: &Request,
    mut each: impl FnMut(Value) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let runtime = runtime()?;
    let mut failure = None;
    let mut rows = 0_u64;
    let mut out = |row| {
        rows += 1;
        match each(row) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    if let Some(server) = &context.server {
        let asked = runtime.block_on(server.ask(request, &mut out));
        return match failure {
            Some(failure) => Err(failure),
            None => asked.map_err(refused),
        };
    }
    let asked = match find(&runtime, &context.data, request, &mut out)? {
        Found::Answered => {
            tell_of_pause(&runtime, context);
            Ok(())
        }
        Found::Opened(data) => service::answer(&data, request, WallClock::start().now(), &mut out),
    };
    match failure {
        Some(failure) => Err(failure),
        None => asked.map_err(Failure::from_service),
    }
}

/// Says when the crawl that answered is held by its disk: what was shown will not grow before there is room.
fn tell_of_pause(runtime: &Runtime, context: &Context) {
    let mut paused = None;
    let mut note = |progress: Value| {
        paused = serde_json::from_value(progress["paused"].clone()).ok();
        // Of several crawls one that is held is enough.
        if paused.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let asked =
        runtime.block_on(client::ask(&context.data, &Request::Progress(RunChoice::default()), &mut note));
    if let (Ok(true), Some(pause @ (Pause::Disk { .. } | Pause::Write { .. })), false) =
        (asked, paused, context.quiet)
    {
        eprintln!("gannet: the crawl is paused: {pause}");
    }
}

/// The same, with rows of one type.
pub(super) fn ask_for<T: DeserializeOwned>(
    context: &Context,
    request: &Request,
    mut each: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    ask(context, request, |row| each(serde_json::from_value(row)?))
}

/// Asks, and prints the answer as JSON, one value a line.
pub(super) fn print_json(context: &Context, request: &Request) -> Result<Exit, Failure> {
    let mut out = Output::new();
    ask(context, request, |row| out.line(row))?;
    out.done()?;
    Ok(Exit::Done)
}

/// `--outcome` of the verbs that look at some URLs only.
pub(super) fn outcome_arg() -> Arg {
    Arg::new("outcome")
        .long("outcome")
        .value_name("OUTCOME")
        .action(ArgAction::Append)
        .value_parser(Outcome::NAMES)
        .help("Only URLs with this outcome; give it again for more")
}

/// What `outcome_arg` was given.
pub(super) fn outcomes(flags: &ArgMatches) -> Vec<String> {
    flags.get_many::<String>("outcome").into_iter().flatten().cloned().collect()
}

/// `--project` of the verbs that look at one project.
pub(super) fn project_arg() -> Arg {
    Arg::new("project")
        .long("project")
        .value_name("NAME")
        .value_parser(|text: &str| text.parse::<ProjectName>().map_err(|error| error.to_string()))
        .help("Of this project; the one that ran last unless said")
}

/// What `project_arg` was given.
pub(super) fn project(flags: &ArgMatches) -> Option<ProjectName> {
    flags.get_one::<ProjectName>("project").cloned()
}

/// `--limit`.
pub(super) fn limit_arg(help: &'static str) -> Arg {
    Arg::new("limit").long("limit").value_name("N").value_parser(clap::value_parser!(u64)).help(help)
}

/// A runtime for one question.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}

enum Found {
    /// The owner has answered.
    Answered,
    /// Nobody owns it but us.
    Opened(std::sync::Arc<Data>),
}

fn find(
    runtime: &Runtime,
    dir: &Path,
    request: &Request,
    out: &mut dyn FnMut(Value) -> ControlFlow<()>,
) -> Result<Found, Failure> {
    for attempt in 1.. {
        let mut has_rows = false;
        let mut out = |row| {
            has_rows = true;
            out(row)
        };
        match runtime.block_on(client::ask(dir, request, &mut out)) {
            Ok(true) => return Ok(Found::Answered),
            Ok(false) => {}
            // Whatever it was asked to do it does no more, and what it was to tell can be read.
            Err(ClientError::Ended { .. }) if !has_rows => {}
            Err(error) => return Err(refused(error)),
        }
        match runtime.block_on(Data::open(dir, Access::Existing)) {
            Ok(data) => return Ok(Found::Opened(data)),
            Err(ServiceError::Busy(_)) if attempt < TRIES => {}
            Err(ServiceError::Busy(dir)) => {
                let words = "is in use by another process, which does not answer on its socket; \
                             wait until it has ended";
                return Err(Failure::new(Exit::Busy, anyhow::anyhow!("{} {words}", dir.display())));
            }
            Err(error) => return Err(Failure::from_service(error)),
        }
        runtime.block_on(async { tokio::time::sleep(BETWEEN).await });
    }
    unreachable!("the loop ends by its last attempt")
}

pub(super) fn refused(error: ClientError) -> Failure {
    let exit = match &error {
        ClientError::Refused { class: Class::Request, .. } => Exit::Usage,
        ClientError::Refused { class: Class::Busy, .. } => Exit::Busy,
        ClientError::Refused { class: Class::Damaged, .. } => Exit::Damaged,
        ClientError::Refused { class: Class::Failed, .. } => Exit::Failed,
        ClientError::Broken { .. } | ClientError::Ended { .. } | ClientError::Remote { .. } => Exit::Failed,
    };
    Failure::new(exit, error)
}
