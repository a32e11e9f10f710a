//! `gannet hosts`: the politeness ledger.

use clap::{Arg, ArgAction, ArgMatches, Command};
use service::{HostRow, HostsRequest, Request};

use super::asking::{ask_for, limit_arg, print_json, project, project_arg};
use super::table::{Table, moment, number, or_dash, text, words};
use crate::{Context, Exit, Failure};

/// Hosts in a table unless said otherwise.
const MOST: u64 = 1_000;

pub(super) fn command() -> Command {
    Command::new("hosts")
        .about("Show how each host was treated: requests, shortest gap, robots.txt obeyed, waits asked for, proxy")
        .after_help("Example:\n  gannet hosts shop.test --json")
        .arg(Arg::new("host").value_name("HOST").action(ArgAction::Append).help("Only these hosts"))
        .arg(limit_arg("At most so many, those with most requests first [default: 1000, with --json all]"))
        .arg(project_arg().help("Only hosts of this project; all that were ever asked unless said"))
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let limit = flags.get_one::<u64>("limit").copied().or((!context.json).then_some(MOST));
    let hosts: Vec<String> = flags.get_many::<String>("host").into_iter().flatten().cloned().collect();
    let request = Request::Hosts(HostsRequest { project: project(flags), hosts, limit });
    if context.json {
        return print_json(context, &request);
    }
    let columns = [
        text("HOST"),
        number("REQUESTS"),
        number("FAILED"),
        number("PAGES"),
        number("WAITING"),
        number("MEAN MS"),
        number("GAP KEPT MS"),
        number("PAUSE MS"),
        number("DELAY ASKED MS"),
        number("WAITS ASKED"),
        number("LONGEST S"),
        words("NOT BEFORE"),
        text("ROBOTS.TXT"),
        text("CRAWL HINTS"),
        text("PROXY"),
    ];
    let mut table = Table::new(&columns);
    ask_for(context, &request, |row: HostRow| {
        let robots: Vec<String> = row
            .robots
            .iter()
            .map(|robots| match &robots.version {
                Some(version) => format!("{version} read {}", moment(robots.read_at)),
                None => robots.words.clone(),
            })
            .collect();
        let hints: Vec<String> = row.hints.iter().map(|hints| hints.words.clone()).collect();
        table.row(vec![
            row.host,
            row.requests.to_string(),
            row.failed.to_string(),
            row.pages.to_string(),
            (row.waiting + row.retrying).to_string(),
            or_dash(row.mean_ms.map(|mean| format!("{mean:.0}"))),
            or_dash(row.shortest_gap_ms),
            row.pause_ms.to_string(),
            or_dash(row.crawl_delay_ms),
            row.waits_asked.to_string(),
            or_dash((row.waits_asked > 0).then(|| row.longest_wait_ms.div_ceil(1_000))),
            moment(row.next_allowed),
            if robots.is_empty() { "-".to_owned() } else { robots.join(", ") },
            if hints.is_empty() { "-".to_owned() } else { hints.join("; ") },
            or_dash(row.proxy),
        ])
    })?;
    if table.end()? == 0 && !context.quiet {
        eprintln!("no host was asked yet");
    }
    Ok(Exit::Done)
}
