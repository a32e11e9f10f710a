//! `gannet pause`, `resume`, `stop`, `cancel`, `exclude`, `speed`, `order`: steer the crawl that works in a data directory.

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use service::{ExcludeRequest, Excluded, OrderRequest, Request, RunChoice, SpeedRequest};

use super::Verb;
use super::asking::{ask, ask_for, project, project_arg};
use super::table::plain;
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
                .about("Stop the running crawl and drop everything that its project has crawled, but for rows of earlier runs"),
        )
    },
    run: |context, flags: &ArgMatches| {
        steer(context, flags, Request::Cancel, "cancelled; what it had crawled is dropped")
    },
};

pub(super) const EXCLUDE: Verb = Verb {
    command: || {
        choosing(
            Command::new("exclude")
                .about("Leave out what a running crawl has waiting, and whatever it meets; the project keeps the patterns")
                .after_help("Example:\n  gannet exclude '/calendar/*' --dry-run"),
        )
        .arg(
            Arg::new("pattern")
                .value_name("PATTERN")
                .num_args(1..)
                .required(true)
                .help("What to leave out: /path/*, https://host/*, host:NAME or regex:RE"),
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Only tell what would go"),
        )
    },
    run: |context, flags: &ArgMatches| {
        let patterns = flags.get_many::<String>("pattern").into_iter().flatten().cloned().collect();
        let dry_run = flags.get_flag("dry-run");
        let request = Request::Exclude(ExcludeRequest { of: choice(flags), patterns, dry_run });
        let mut output = Output::new();
        ask_for(context, &request, |gone: Excluded| {
            if context.json {
                return output.line(serde_json::to_value(&gone)?);
            }
            let words = if dry_run { "would go" } else { "will not be asked for" };
            output.line(format_args!("{} waiting URLs {words}", gone.waiting))?;
            gone.examples.iter().try_for_each(|url| output.line(plain(url)))
        })?;
        output.done()?;
        Ok(Exit::Done)
    },
};

pub(super) const SPEED: Verb = Verb {
    command: || {
        choosing(
            Command::new("speed")
                .about("Change how fast a running crawl asks each host")
                .after_help("Example:\n  gannet speed 30/m --keep"),
        )
        .arg(
            Arg::new("rate")
                .value_name("RATE")
                .required(true)
                .help("Requests per time: 1/s, 50/s, 30/m, unlimited"),
        )
        .arg(Arg::new("keep").long("keep").action(ArgAction::SetTrue).help("Write it to the project as well"))
    },
    run: |context, flags: &ArgMatches| {
        let rate = flags.get_one::<String>("rate").cloned().unwrap_or_default();
        let request = Request::Speed(SpeedRequest {
            of: choice(flags),
            rate: rate.clone(),
            keep: flags.get_flag("keep"),
        });
        let mut output = Output::new();
        ask(context, &request, |answer| match context.json {
            true => output.line(answer),
            false => output.line(format_args!(
                "at most {rate} at each host from now on; what a host asks for still counts"
            )),
        })?;
        output.done()?;
        Ok(Exit::Done)
    },
};

pub(super) const ORDER: Verb = Verb {
    command: || {
        choosing(
            Command::new("order")
                .about("Change which URLs a running crawl takes first, or what it is about")
                .after_help(
                    "Examples:\n  gannet order '0.7 pagerank + 0.3 topic' --keep\n  \
                     gannet order topic --topic boat --topic 'wooden ship'",
                ),
        )
        .arg(
            Arg::new("order")
                .value_name("ORDER")
                .required_unless_present_any(["topic", "topic-examples"])
                .help("As the setting order: breadth-first, pagerank, topic, or shares of several"),
        )
        .arg(
            Arg::new("topic")
                .long("topic")
                .value_name("WORDS")
                .action(ArgAction::Append)
                .help("What the crawl is about from now on; several in place of those before"),
        )
        .arg(
            Arg::new("topic-examples")
                .long("topic-examples")
                .value_name("TEXT")
                .action(ArgAction::Append)
                .help("Texts on the topic, in place of those before"),
        )
        .arg(Arg::new("keep").long("keep").action(ArgAction::SetTrue).help("Write it to the project as well"))
    },
    run: |context, flags: &ArgMatches| {
        let order = flags.get_one::<String>("order").cloned();
        let texts = |name| flags.get_many::<String>(name).map(|texts| texts.cloned().collect::<Vec<_>>());
        let topic = texts("topic");
        let request = Request::Order(OrderRequest {
            of: choice(flags),
            order: order.clone(),
            topic: topic.clone(),
            topic_examples: texts("topic-examples"),
            keep: flags.get_flag("keep"),
        });
        let what = match (order, topic) {
            (Some(order), None) => order,
            (None, Some(words)) => format!("the topic {}", words.join(", ")),
            (Some(order), Some(words)) => format!("{order} and the topic {}", words.join(", ")),
            (None, None) => "the topic of these texts".to_owned(),
        };
        let mut output = Output::new();
        ask(context, &request, |answer| match context.json {
            true => output.line(answer),
            false => output
                .line(format_args!("{what} from now on; what waits moves to its place little by little")),
        })?;
        output.done()?;
        Ok(Exit::Done)
    },
};

fn choice(flags: &ArgMatches) -> RunChoice {
    RunChoice { run: flags.get_one("run").copied(), project: project(flags) }
}

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
    let request = &request(choice(flags));
    let mut output = Output::new();
    ask(context, request, |answer| match context.json {
        true => output.line(answer),
        false => output.line(done),
    })?;
    output.done()?;
    Ok(Exit::Done)
}
