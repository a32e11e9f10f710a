//! `gannet pages`: every URL with its outcome.

use clap::{Arg, ArgMatches, Command};
use service::{Moment, PageRow, PagesRequest, Request};

use super::asking::{ask_for, limit_arg, outcome_arg, outcomes, print_json, project, project_arg};
use super::table::{Table, moment, number, or_dash, text, words};
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    let when = |text: &str| text.parse::<Moment>();
    Command::new("pages")
        .about("List every known URL with its outcome")
        .after_help("Example:\n  gannet pages --outcome failed --from 2026-11-01")
        .arg(
            Arg::new("from")
                .long("from")
                .value_name("WHEN")
                .value_parser(when)
                .help("Only URLs fetched since then (UTC): 2026-11-15 or 2026-11-15T08:00:00Z"),
        )
        .arg(
            Arg::new("to")
                .long("to")
                .value_name("WHEN")
                .value_parser(when)
                .help("Only URLs fetched before then"),
        )
        .arg(outcome_arg())
        .arg(Arg::new("host").long("host").value_name("HOST").help("Only URLs of this host, or host:port"))
        .arg(Arg::new("prefix").long("prefix").value_name("URL").help("Only URLs that begin like this"))
        .arg(limit_arg("At most so many"))
        .arg(project_arg())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let text_of = |name: &str| flags.get_one::<String>(name).cloned();
    let request = Request::Pages(PagesRequest {
        project: project(flags),
        outcomes: outcomes(flags),
        from: flags.get_one::<Moment>("from").copied(),
        to: flags.get_one::<Moment>("to").copied(),
        host: text_of("host"),
        prefix: text_of("prefix"),
        limit: flags.get_one::<u64>("limit").copied(),
    });
    if context.json {
        return print_json(context, &request);
    }
    let columns = [
        words("STATUS"),
        number("DEPTH"),
        number("MS"),
        number("BYTES"),
        words("FETCHED"),
        text("OUTCOME"),
        text("URL"),
        text("TITLE"),
    ];
    let mut table = Table::new(&columns);
    ask_for(context, &request, |row: PageRow| {
        table.row(vec![
            or_dash(row.status),
            row.depth.to_string(),
            or_dash(row.millis),
            or_dash(row.bytes),
            or_dash(row.fetched_at.map(moment)),
            row.words,
            row.url.to_string(),
            row.title.unwrap_or_default(),
        ])
    })?;
    if table.end()? == 0 && !context.quiet {
        eprintln!("no URL is like that");
    }
    Ok(Exit::Done)
}
