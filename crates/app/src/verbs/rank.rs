//! `gannet rank`: what links make of pages and hosts, of a crawl or of any list of edges.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command, value_parser};
use service::{LinkWeights, RankBy, RankRequest, RankRow, Request, UnknownTrusted};

use super::asking::{ask_for, limit_arg, print_json, project, project_arg};
use super::rank_edges;
use super::table::{Table, number, or_dash, text};
use crate::output::Output;
use crate::{Context, Exit, Failure};

/// Characters of the longest bar of the plot.
const BAR: f64 = 40.0;

pub(super) fn command() -> Command {
    Command::new("rank")
        .about("Rank pages or hosts by the links between them")
        .after_help(
            "Ranks add up to 1; --by harmonic gives sums of 1/distance over all pages that lead there. What was \
             ranked with the usual weights is kept, as pagerank for the formulas of searches.\n\n\
             Examples:\n  \
             gannet rank --limit 50\n  \
             gannet rank --by hosts --trusted good-sites.txt\n  \
             gannet rank --weights 'visibility=1,1,1 distance=1,3,9'\n  \
             gannet rank --by-hour 3\n  \
             gannet rank --edges links.tsv --json",
        )
        .arg(
            Arg::new("edges")
                .long("edges")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with_all(["project", "weights", "by-hour"])
                .help("A list of edges instead of a crawl, a line each: source target [weight]; - for standard input"),
        )
        .arg(
            Arg::new("by")
                .long("by")
                .value_name("WHAT")
                .value_parser(["pages", "hosts", "harmonic"])
                .default_value("pages")
                .help("PageRank of pages or of their hosts, or harmonic centrality"),
        )
        .arg(
            Arg::new("trusted")
                .long("trusted")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Pages or hosts to trust, a line each: rank spreads from those that are known, and from them alone"),
        )
        .arg(
            Arg::new("weights")
                .long("weights")
                .value_name("NAME=NUMBERS …")
                .value_parser(value_parser!(LinkWeights))
                .help("What links weigh, with a list of what moves: visibility=plain,bold,both position=last,middle,first distance=host,domain,other nofollow=0"),
        )
        .arg(
            Arg::new("by-hour")
                .long("by-hour")
                .value_name("RUN")
                .value_parser(value_parser!(i64))
                .help("Mean rank of the pages that this run fetched, hour by hour; 1 is the mean of all known pages"),
        )
        .arg(
            Arg::new("damping")
                .long("damping")
                .value_name("NUMBER")
                .value_parser(damping)
                .default_value("0.85")
                .requires("edges")
                .help("How often a link of --edges is followed rather than begun anew"),
        )
        .arg(limit_arg("The best so many; 20 of a crawl, all of --edges unless said"))
        .arg(project_arg())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let trusted = flags.get_one::<PathBuf>("trusted").map(|path| lines(path)).transpose()?;
    if let Some(edges) = flags.get_one::<PathBuf>("edges") {
        return rank_edges::run(context, flags, edges, trusted.as_deref());
    }
    let by = match flags.get_one::<String>("by").map(String::as_str) {
        Some("hosts") => RankBy::Hosts,
        Some("harmonic") => RankBy::Harmonic,
        _ => RankBy::Pages,
    };
    let request = Request::Rank(RankRequest {
        project: project(flags),
        by,
        trusted: trusted.unwrap_or_default(),
        weights: flags.get_one::<LinkWeights>("weights").copied(),
        limit: flags.get_one::<u64>("limit").copied(),
        by_hour: flags.get_one::<i64>("by-hour").copied(),
    });
    if context.json {
        return print_json(context, &request);
    }
    let mut table = None;
    let mut hours = Vec::new();
    let (mut last, mut unknown) = (None, None);
    ask_for(context, &request, |row: RankRow| match row {
        RankRow::Ranked { id, rank, place, outcome, rank_before, place_before, best } => {
            let moves = rank_before.is_some();
            let table = table.get_or_insert_with(|| {
                let mut columns = vec![number("PLACE")];
                columns.extend(moves.then(|| number("WAS")));
                columns.push(number("RANK"));
                columns.extend(moves.then(|| number("WAS")));
                columns.extend([text("WHAT"), text("OUTCOME"), text("BEST LINKS FROM")]);
                Table::new(&columns)
            });
            let best: Vec<String> =
                best.iter().map(|link| format!("{} ({:.0} %)", link.source, link.brings * 100.0)).collect();
            let mut cells = vec![place.to_string()];
            cells.extend(moves.then(|| or_dash(place_before)));
            cells.push(format!("{rank:.3e}"));
            cells.extend(rank_before.map(|rank| format!("{rank:.3e}")));
            cells.extend([id, outcome.unwrap_or_default(), best.join(", ")]);
            table.row(cells)
        }
        RankRow::Hour { hour, pages, mean } => {
            hours.push((hour, pages, mean));
            Ok(())
        }
        RankRow::Graph { pages, links, unknown: missing, .. } => {
            (last, unknown) = (Some((pages, links)), missing);
            Ok(())
        }
    })?;
    if let Some(table) = table {
        table.end_with_gap()?;
    }
    let mut out = Output::new();
    if flags.contains_id("by-hour") {
        plot(&mut out, &hours)?;
    }
    if let Some((pages, links)) = last {
        let by_hour = flags.contains_id("by-hour");
        let what = if by == RankBy::Hosts && !by_hour { "hosts" } else { "URLs" };
        out.line(format_args!("{pages} {what}, {links} links between them"))?;
    }
    out.done()?;
    if let Some(UnknownTrusted { count, of, first }) = unknown.filter(|_| !context.quiet) {
        tell_of_unknown(count, of, &first);
    }
    Ok(Exit::Done)
}

/// Says what of a list of trusted pages and hosts is not there.
pub(super) fn tell_of_unknown(count: u64, of: u64, first: &[String]) {
    let more = if count > first.len() as u64 { ", …" } else { "" };
    eprintln!("gannet: {count} of {of} pages and hosts to trust are not known: {}{more}", first.join(", "));
}

/// Hours as a table with bars.
fn plot(out: &mut Output, hours: &[(u64, u64, f64)]) -> Result<(), Failure> {
    let highest = hours.iter().map(|(_, _, mean)| *mean).fold(0.0, f64::max);
    out.line("HOUR   PAGES  MEAN RANK")?;
    for (hour, pages, mean) in hours {
        let bar = if highest > 0.0 { (mean / highest * BAR).round() as usize } else { 0 };
        out.line(format_args!("{hour:>4}  {pages:>6}  {mean:>9.3}  {}", "█".repeat(bar)))?;
    }
    Ok(())
}

/// The lines of a file that say something.
fn lines(path: &Path) -> Result<Vec<String>, Failure> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()));
    let mut lines = Vec::new();
    for line in BufReader::new(file.map_err(Failure::usage)?).lines() {
        let line = line.with_context(|| format!("cannot read {}", path.display()))?;
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            lines.push(line.to_owned());
        }
    }
    if lines.is_empty() {
        let words = "names nothing to trust; a line is a page or a host";
        return Err(Failure::usage(anyhow::anyhow!("{} {words}", path.display())));
    }
    Ok(lines)
}

fn damping(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..1.0).contains(&number) => Ok(number),
        _ => Err("damping is a number from 0 to below 1".to_owned()),
    }
}
