//! `gannet pause`, `resume`, `stop`, `cancel`: steer the crawl that works in a data directory.

use clap::{ArgMatches, Command};
use service::Request;

use super::Verb;
use super::asking::ask;
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) const PAUSE: Verb = Verb {
    command: || {
        Command::new("pause")
            .about("Pause the running crawl: visits under way end, nothing more is asked for")
    },
    run: |context, _: &ArgMatches| steer(context, &Request::Pause, "paused; \"gannet resume\" goes on"),
};

pub(super) const RESUME: Verb = Verb {
    command: || Command::new("resume").about("Let a paused crawl go on"),
    run: |context, _: &ArgMatches| steer(context, &Request::Resume, "resumed"),
};

pub(super) const STOP: Verb = Verb {
    command: || Command::new("stop").about("Stop the running crawl and keep everything, as Ctrl-C does"),
    run: |context, _: &ArgMatches| steer(context, &Request::Stop, "stopping; the same crawl command resumes"),
};

pub(super) const CANCEL: Verb = Verb {
    command: || {
        Command::new("cancel")
            .about("Stop the running crawl and drop everything that its project has crawled")
    },
    run: |context, _: &ArgMatches| {
        steer(context, &Request::Cancel, "cancelled; what it had crawled is dropped")
    },
};

fn steer(context: &Context, request: &Request, done: &str) -> Result<Exit, Failure> {
    let mut output = Output::new();
    ask(context, request, |answer| match context.json {
        true => output.line(answer),
        false => output.line(done),
    })?;
    output.done()?;
    Ok(Exit::Done)
}
