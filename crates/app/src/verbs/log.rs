//! `gannet log`: what a run has told, line by line.

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use service::{LogLevel, LogPage, LogRequest, Request, RunLogRequest};

use super::asking::{ask_for, project, project_arg};
use super::table::plain;
use crate::output::Output;
use crate::{Context, Exit, Failure};

/// How often a run at work is asked for more.
const FOLLOW_EVERY: std::time::Duration = std::time::Duration::from_millis(500);

pub(super) fn command() -> Command {
    Command::new("log")
        .about("Show the log of a run: every visit, and what was worth a word")
        .after_help(
            "Examples:\n  gannet log --limit 20\n  gannet log --level error --project shop\n  gannet log --follow",
        )
        .arg(project_arg().help("Of this project's latest run; of the project that ran last unless said"))
        .arg(
            Arg::new("run")
                .long("run")
                .value_name("NUMBER")
                .value_parser(value_parser!(i64))
                .help("Of the run of this number"),
        )
        .arg(
            Arg::new("level")
                .long("level")
                .value_name("LEVEL")
                .value_parser(["info", "warn", "error"])
                .help("Only lines of at least this level"),
        )
        .arg(Arg::new("url").long("url").value_name("TEXT").help("Only lines whose URL has this in it"))
        .arg(Arg::new("text").long("text").value_name("TEXT").help("Only lines with this in them, in any case"))
        .arg(
            Arg::new("limit")
                .long("limit")
                .value_name("N")
                .value_parser(value_parser!(usize))
                .help("The last N lines, 1000 at most [default: 100]"),
        )
        .arg(
            Arg::new("follow")
                .long("follow")
                .short('f')
                .action(ArgAction::SetTrue)
                .help("Go on while the run works"),
        )
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let text = |name: &str| flags.get_one::<String>(name).cloned();
    let level = text("level").map(|level| match level.as_str() {
        "error" => LogLevel::Error,
        "warn" => LogLevel::Warn,
        _ => LogLevel::Info,
    });
    let lines = LogRequest {
        level,
        url: text("url"),
        text: text("text"),
        limit: flags.get_one("limit").copied(),
        cursor: None,
    };
    let mut request = RunLogRequest { run: flags.get_one("run").copied(), project: project(flags), lines };
    loop {
        let mut next = None;
        let mut output = Output::new();
        ask_for(context, &Request::Log(request.clone()), |page: LogPage| {
            for line in &page.items {
                if context.json {
                    output.line(serde_json::to_value(line)?)?;
                    continue;
                }
                let level = match line.level {
                    LogLevel::Info => "info",
                    LogLevel::Warn => "warn",
                    LogLevel::Error => "error",
                };
                let url = line.url.as_deref().map(|url| format!("{url} ")).unwrap_or_default();
                // What a page says of itself must not steer a terminal.
                output.line(format_args!(
                    "{} {level:<5} {}",
                    line.time,
                    plain(&format!("{url}{}", line.message))
                ))?;
            }
            next = page.next;
            Ok(())
        })?;
        output.done()?;
        let Some(next) = next.filter(|_| flags.get_flag("follow")) else { return Ok(Exit::Done) };
        request.lines.cursor = Some(next);
        #[expect(
            clippy::disallowed_methods,
            reason = "nothing tells a command when a line comes; it looks again"
        )]
        std::thread::sleep(FOLLOW_EVERY);
    }
}
