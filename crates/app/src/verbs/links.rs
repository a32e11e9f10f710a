//! `gannet links`: what is wrong with a site's links.

use clap::{Arg, ArgMatches, Command};
use service::{LinkList, LinkRow, LinksRequest, Request};

use super::asking::{ask, ask_for, limit_arg, project, project_arg};
use super::table::{Table, number, text};
use crate::output::Output;
use crate::{Context, Exit, Failure};

const KINDS: [(&str, LinkList); 4] = [
    ("broken", LinkList::Broken),
    ("redirects", LinkList::Redirects),
    ("orphans", LinkList::Orphans),
    ("slow", LinkList::Slow),
];

pub(super) fn command() -> Command {
    Command::new("links")
        .about("Report broken links, redirect chains, orphans and slow pages")
        .after_help("Ends with 1 when broken links are asked for by name and there are some.\n\nExample:\n  gannet links broken --json")
        .arg(
            Arg::new("kind")
                .value_name("KIND")
                .num_args(0..)
                .value_parser(KINDS.map(|(name, _)| name))
                .help("What to report; all kinds unless said"),
        )
        .arg(limit_arg("At most so many of each kind; the counts are whole"))
        .arg(project_arg())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let named: Vec<&String> = flags.get_many::<String>("kind").into_iter().flatten().collect();
    let lists: Vec<LinkList> = named
        .iter()
        .filter_map(|name| KINDS.iter().find(|(known, _)| known == name))
        .map(|(_, list)| *list)
        .collect();
    let limit = flags.get_one::<u64>("limit").copied();
    let request = Request::Links(LinksRequest { project: project(flags), lists: lists.clone(), limit });
    let mut broken = 0;
    if context.json {
        let mut out = Output::new();
        ask(context, &request, |row| {
            broken += row["broken_links"].as_u64().unwrap_or(0);
            out.line(row)
        })?;
        out.done()?;
    } else {
        broken = show(context, &request)?;
    }
    let asked_by_name = lists.contains(&LinkList::Broken);
    Ok(if asked_by_name && broken > 0 { Exit::Failed } else { Exit::Done })
}

/// Each kind as a table of its own, then the counts.
fn show(context: &Context, request: &Request) -> Result<u64, Failure> {
    let mut table: Option<(&'static str, Table)> = None;
    let mut last = None;
    ask_for(context, request, |row: LinkRow| {
        let (kind, columns, cells) = match row {
            LinkRow::Broken { target, outcome, source, anchor } => {
                let source = source.map_or_else(|| "(no page)".to_owned(), |url| url.to_string());
                let columns = vec![text("BROKEN LINK"), text("OUTCOME"), text("ON PAGE"), text("WORDS")];
                ("broken", columns, vec![target.to_string(), outcome, source, anchor])
            }
            LinkRow::Redirects { chain, end, .. } => {
                let chain: Vec<&str> = chain.iter().map(model::PageUrl::as_str).collect();
                let columns = vec![number("HOPS"), text("REDIRECTS"), text("END")];
                ("redirects", columns, vec![(chain.len() - 1).to_string(), chain.join(" → "), end])
            }
            LinkRow::Orphans { url, known } => {
                ("orphans", vec![text("ORPHAN"), text("KNOWN FROM")], vec![url.to_string(), known])
            }
            LinkRow::Slow { url, millis, bytes } => {
                let columns = vec![number("MS"), number("BYTES"), text("SLOW PAGE")];
                ("slow", columns, vec![millis.to_string(), bytes.to_string(), url.to_string()])
            }
            LinkRow::Counts(counts) => {
                last = Some(counts);
                return Ok(());
            }
        };
        if table.as_ref().is_none_or(|(known, _)| *known != kind) {
            if let Some((_, full)) = table.take() {
                full.end_with_gap()?;
            }
            table = Some((kind, Table::new(&columns)));
        }
        match &mut table {
            Some((_, table)) => table.row(cells),
            None => Ok(()),
        }
    })?;
    if let Some((_, full)) = table.take() {
        full.end_with_gap()?;
    }
    let counts = last.unwrap_or_default();
    let mut out = Output::new();
    if let (Some(targets), Some(links)) = (counts.broken_targets, counts.broken_links) {
        out.line(format_args!("{links} broken links to {targets} URLs"))?;
    }
    for (count, what) in
        [(counts.redirect_chains, "redirect chains"), (counts.orphans, "pages without a link to them")]
    {
        if let Some(count) = count {
            out.line(format_args!("{count} {what}"))?;
        }
    }
    if let Some(pages) = counts.timed_pages {
        out.line(format_args!("slowest of {pages} pages"))?;
    }
    out.done()?;
    Ok(counts.broken_links.unwrap_or(0))
}
