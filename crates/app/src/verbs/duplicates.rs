//! `gannet duplicates` and `gannet mirrors`: pages that say the same, and under which addresses.

use clap::{Arg, ArgMatches, Command};
use service::{
    DuplicateGroup, DuplicatePair, DuplicatesRequest, DuplicatesRow, Mirror, MirrorsRequest, Request,
};

use super::asking::{ask_for, limit_arg, print_json, project, project_arg};
use super::table::{Table, number, plain, text};
use crate::output::Output;
use crate::{Context, Exit, Failure};

/// Characters of a passage that are shown on each side.
const SIDE: usize = 300;

pub(super) fn command() -> Command {
    Command::new("duplicates")
        .about("List pages that say the same or nearly so, and what two of them share")
        .after_help(
            "Examples:\n  \
             gannet duplicates\n  \
             gannet duplicates https://shop.test/a\n  \
             gannet duplicates https://shop.test/a https://shop.test/b\n  \
             gannet duplicates --near\n\n\
             Pages are judged when they are crawled, by the setting \"duplicates\": exact, winnowing or keywords. \
             After a crawl by exact, --near looks for pages that are nearly the same among all that were read: those whose \
             words are most alike are compared as they are kept. A crawl by winnowing misses fewer. \
             The first page of a group stands for it: by rank, then the shorter URL, then its bytes.",
        )
        .arg(
            Arg::new("urls")
                .value_name("URL")
                .num_args(0..=2)
                .help("One for the pages like it, two for the passages that they share; nothing for all groups"),
        )
        .arg(
            Arg::new("near")
                .long("near")
                .action(clap::ArgAction::SetTrue)
                .help("Also texts that are nearly the same, where the crawl looked for exact duplicates only"),
        )
        .arg(limit_arg("At most so many groups, the largest first [default: 100]"))
        .arg(project_arg())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let request = Request::Duplicates(DuplicatesRequest {
        project: project(flags),
        urls: flags.get_many::<String>("urls").into_iter().flatten().cloned().collect(),
        limit: flags.get_one::<u64>("limit").copied(),
        near: flags.get_flag("near"),
    });
    if context.json {
        return print_json(context, &request);
    }
    let mut out = Output::new();
    ask_for(context, &request, |row: DuplicatesRow| match row {
        DuplicatesRow::Group(group) => show_group(&mut out, &group),
        DuplicatesRow::Pair(pair) => show_pair(&mut out, &pair),
        DuplicatesRow::Counts(counts) => out.line(format_args!(
            "{} {} with {} pages; {} pages were judged",
            counts.groups,
            if counts.groups == 1 { "group" } else { "groups" },
            counts.pages,
            counts.judged
        )),
    })?;
    out.done()?;
    Ok(Exit::Done)
}

fn show_group(out: &mut Output, group: &DuplicateGroup) -> Result<(), Failure> {
    let kind = if group.exact { "the same text" } else { "nearly the same text" };
    out.line(format_args!("{} pages with {kind}", group.pages))?;
    for member in &group.members {
        let alike = member.similarity.map_or("     ".to_owned(), |part| format!("{:4.0} %", part * 100.0));
        out.line(format_args!("  {alike:>6}  {}", plain(&member.url)))?;
    }
    let left_out = group.pages.saturating_sub(group.members.len() as u64);
    if left_out > 0 {
        out.line(format_args!("          … {left_out} more"))?;
    }
    out.line("")
}

fn show_pair(out: &mut Output, pair: &DuplicatePair) -> Result<(), Failure> {
    out.line(plain(&pair.first))?;
    out.line(plain(&pair.second))?;
    out.line(format_args!(
        "similarity {:.3} ({:.3} of the first, {:.3} of the second), {:.1} % of the text shared",
        pair.similarity,
        pair.of_first,
        pair.of_second,
        pair.share * 100.0
    ))?;
    for passage in &pair.passages {
        out.line(format_args!("\n  first  byte {}: {}", passage.first_at, shortened(&passage.first)))?;
        out.line(format_args!("  second byte {}: {}", passage.second_at, shortened(&passage.second)))?;
    }
    if pair.left_out > 0 {
        out.line(format_args!("\n  … {} more passages", pair.left_out))?;
    }
    Ok(())
}

fn shortened(text: &str) -> String {
    let line = plain(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    match line.char_indices().nth(SIDE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

pub(super) fn mirrors_command() -> Command {
    Command::new("mirrors")
        .about("List address patterns under which the same pages stand: other paths, other hosts")
        .after_help("Example:\n  gannet mirrors --json")
        .arg(limit_arg("At most so many, those with most pages first"))
        .arg(project_arg())
}

pub(super) fn mirrors(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let request = Request::Mirrors(MirrorsRequest {
        project: project(flags),
        limit: flags.get_one::<u64>("limit").copied(),
    });
    if context.json {
        return print_json(context, &request);
    }
    let mut table = Table::new(&[number("PAGES"), text("PATTERN"), text("COPY"), text("KIND")]);
    let mut any = false;
    ask_for(context, &request, |mirror: Mirror| {
        any = true;
        let kind = if mirror.other_host { "other host" } else { "other path" };
        table.row(vec![mirror.pages.to_string(), mirror.pattern, mirror.copy, kind.to_owned()])
    })?;
    if any {
        table.end()?;
    } else if !context.quiet {
        eprintln!("no mirrors were found");
    }
    Ok(Exit::Done)
}
