//! `gannet changes` and `gannet version`: what differs between the versions of pages, and pages as they were.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Arg, ArgAction, ArgMatches, Command};
use service::{
    AcceptRequest, AcceptedVersion, ChangesRequest, ChangesRow, Moment, NoisePlace, PageChange, PageVersion,
    Request, VersionRequest,
};

use super::asking::{ask_for, limit_arg, print_json, project, project_arg};
use super::table::{Table, moment, number, or_dash, plain, text, words};
use super::why::step_words;
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("changes")
        .about("List pages that have changed, or show what has changed on one")
        .after_help(
            "Examples:\n  \
             gannet changes --since 2026-11-01\n  \
             gannet changes https://shop.test/a --ignore .clock\n  \
             gannet changes https://shop.test/a --from 2026-11-01 --to 2026-11-10 --json\n  \
             gannet changes https://shop.test/a --accept\n\n\
             Most severe changes come first, then latest ones; pages that are gone or lead elsewhere come before all.\n\n\
             Clocks, counters, tokens and advertisements that come back are noise: learned from three versions on, by \
             what changes at the same place, or named by --ignore or the setting ignore_changes. \
             Images are compared where they are fetched (images_per_page).",
        )
        .arg(Arg::new("url").value_name("URL").help("A page, with the words and elements that differ"))
        .arg(
            when("from", "From the version that stood then; the one before the later unless said").requires("url"),
        )
        .arg(when("to", "To the version that stood then; the last unless said").requires("url"))
        .arg(
            Arg::new("accept").long("accept").action(ArgAction::SetTrue).requires("url").help(
                "Accept the later version: from now on changes are also told against it, until another is accepted",
            ),
        )
        .arg(when("since", "Only pages that changed then or later"))
        .arg(
            Arg::new("ignore")
                .long("ignore")
                .value_name("SELECTOR")
                .action(ArgAction::Append)
                .help("What this CSS selector or XPath finds is noise; give it again for more"),
        )
        .arg(
            Arg::new("noise")
                .long("noise")
                .action(ArgAction::SetTrue)
                .help("Also list pages of which only noise differs, with where and what it is"),
        )
        .arg(limit_arg("At most so many pages, the most severe; the counts are whole"))
        .arg(project_arg())
}

pub(super) fn version_command() -> Command {
    Command::new("version")
        .about("Show a page as it was, or list its versions")
        .after_help(
            "Examples:\n  \
             gannet version https://shop.test/a --list\n  \
             gannet version https://shop.test/a --at 2026-11-01 > page.html\n  \
             gannet version https://shop.test/a --text\n\n\
             Bytes are written as they were fetched, also of images and PDFs.",
        )
        .arg(Arg::new("url").value_name("URL").required(true).help("The page"))
        .arg(when("at", "The version that stood then, of a date alone at its end; the last unless said"))
        .arg(Arg::new("list").long("list").action(ArgAction::SetTrue).help("List its versions"))
        .arg(
            Arg::new("text")
                .long("text")
                .action(ArgAction::SetTrue)
                .help("Its main text instead of its content"),
        )
        .arg(project_arg())
}

fn when(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("TIME").value_parser(|text: &str| text.parse::<Moment>()).help(help)
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let when = |name: &str| flags.get_one::<Moment>(name).copied();
    if flags.get_flag("accept") {
        return accept(context, flags, when("to"));
    }
    let request = Request::Changes(ChangesRequest {
        project: project(flags),
        url: flags.get_one::<String>("url").cloned(),
        from: when("from"),
        to: when("to"),
        since: when("since"),
        ignore: flags.get_many::<String>("ignore").into_iter().flatten().cloned().collect(),
        noise: flags.get_flag("noise"),
        limit: flags.get_one::<u64>("limit").copied(),
    });
    if context.json {
        return print_json(context, &request);
    }
    if flags.contains_id("url") {
        let mut out = Output::new();
        ask_for(context, &request, |row: ChangesRow| match row {
            ChangesRow::Change(change) => show(&mut out, &change),
            _ => Ok(()),
        })?;
        out.done()?;
        return Ok(Exit::Done);
    }
    let mut columns =
        vec![words("SEVERITY"), words("LEVEL"), number("CAME"), number("WENT"), words("SINCE"), text("PAGE")];
    let noise = flags.get_flag("noise");
    if noise {
        columns.push(text("NOISE"));
    }
    let mut table = Table::new(&columns);
    let mut add = |mut cells: Vec<String>, heard: String| {
        cells.extend(noise.then_some(heard));
        table.row(cells)
    };
    let (mut last, mut any) = (None, false);
    ask_for(context, &request, |row: ChangesRow| match row {
        ChangesRow::Change(change) => {
            any = true;
            let heard = heard(&change);
            let severity = if change.noise { "noise".to_owned() } else { change.severity };
            let (came, went) = (change.words_added.to_string(), change.words_removed.to_string());
            add(vec![severity, change.level, came, went, moment(change.after), change.url], heard)
        }
        ChangesRow::Gone { url, status, last, .. } => {
            any = true;
            let level = format!("status {status}");
            let cells = vec!["gone".into(), level, String::new(), String::new(), moment(last), url];
            add(cells, String::new())
        }
        ChangesRow::Moved { url, to, at } => {
            any = true;
            let page = format!("{url} → {to}");
            let cells =
                vec!["moved".into(), "redirect".into(), String::new(), String::new(), moment(at), page];
            add(cells, String::new())
        }
        ChangesRow::Counts(counts) => {
            last = Some(counts);
            Ok(())
        }
    })?;
    if any {
        table.end_with_gap()?;
    } else {
        drop(table);
    }
    let mut out = Output::new();
    if let Some(counts) = last {
        let some = |count: u64, words: &str| match count {
            0 => String::new(),
            count => format!("{count} {words}"),
        };
        let noise = match counts.noise {
            0 => String::new(),
            noise => format!(" ({noise} by noise only)"),
        };
        let others = [some(counts.images, "images are others"), some(counts.moved, "lead elsewhere")];
        let others: String =
            others.iter().filter(|words| !words.is_empty()).map(|words| format!(", {words}")).collect();
        out.line(format_args!(
            "{} of {} pages have changed{noise}{others}, {} are gone",
            counts.changed, counts.pages, counts.gone
        ))?;
    }
    out.done()?;
    Ok(Exit::Done)
}

/// Accepts the version that stood at a moment, or the last.
fn accept(context: &Context, flags: &ArgMatches, at: Option<Moment>) -> Result<Exit, Failure> {
    let url = flags.get_one::<String>("url").cloned().unwrap_or_default();
    let request = Request::Accept(AcceptRequest { project: project(flags), url, at });
    if context.json {
        return print_json(context, &request);
    }
    let mut out = Output::new();
    ask_for(context, &request, |accepted: AcceptedVersion| {
        let (version, url) = (moment(accepted.version), plain(&accepted.url));
        out.line(format_args!("accepted the version of {version} of {url}"))
    })?;
    out.done()?;
    Ok(Exit::Done)
}

/// The noise of a change: where, and what.
fn heard(change: &PageChange) -> String {
    let places = &change.noise_places;
    let more = match places.len() {
        0 | 1 => String::new(),
        count => format!(", and {} more", count - 1),
    };
    match places.first() {
        Some(place) => format!("{}{more}", noise_words(place)),
        None if change.noise => {
            "what nobody reads: scripts, comments, white space, dates of documents".to_owned()
        }
        None => String::new(),
    }
}

fn noise_words(place: &NoisePlace) -> String {
    let or_nothing = |text: &str| if text.is_empty() { "nothing".to_owned() } else { text.to_owned() };
    format!("{}: {} → {}", place.place, or_nothing(&place.before), or_nothing(&place.after))
}

/// A change with its words and elements.
fn show(out: &mut Output, change: &PageChange) -> Result<(), Failure> {
    out.line(plain(&change.url))?;
    out.line(format_args!(
        "  from {} to {}, {} versions",
        moment(change.before),
        moment(change.after),
        change.versions
    ))?;
    let noise = if change.noise { ", by noise only" } else { "" };
    out.line(format_args!(
        "  differs first in: {}; text: {}, since the first version: {}{}{noise}",
        change.level,
        change.severity,
        change.severity_since_first,
        since_accepted(change)
    ))?;
    for step in &change.steps {
        out.line(format_args!("  {}", plain(&step_words(step))))?;
    }
    for place in &change.noise_places {
        out.line(format_args!("  noise: {}", plain(&noise_words(place))))?;
    }
    let Some(details) = &change.details else { return Ok(()) };
    for level in &details.levels {
        out.line(format_args!(
            "  level {}: {} elements, then {}",
            level.level, level.elements[0], level.elements[1]
        ))?;
        for (sign, list) in [("~", &level.edited), ("+", &level.added), ("-", &level.removed)] {
            for path in list {
                out.line(format_args!("    {sign} {}", plain(path)))?;
            }
        }
    }
    for attribute in &details.attributes {
        out.line(format_args!("  ~ {}", plain(attribute)))?;
    }
    for image in &details.images {
        out.line(format_args!("  image {}: {}", image.became, plain(&image.url)))?;
        for (at, (number, hash)) in image.at.iter().zip(image.numbers.iter().zip(&image.hashes)) {
            let (Some(at), Some(number), Some(hash)) = (at, number, hash) else { continue };
            out.line(format_args!("    at {} ival {number}, hash {hash}", moment(*at)))?;
        }
        if let Some(distance) = image.distance {
            out.line(format_args!("    {distance} of 64 bits differ"))?;
        }
    }
    for words in &details.words {
        let sign = if words.added { "+" } else { "-" };
        out.line(format_args!("  {sign} {}", plain(&words.words)))?;
    }
    Ok(())
}

/// How much is another than in the accepted version.
fn since_accepted(change: &PageChange) -> String {
    match (&change.severity_since_accepted, change.accepted) {
        (_, Some(at)) if at == change.after => ", which is the accepted version".to_owned(),
        (Some(severity), Some(at)) => format!(", since the accepted version of {}: {severity}", moment(at)),
        _ => String::new(),
    }
}

pub(super) fn version(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let list = flags.get_flag("list");
    let request = Request::Version(VersionRequest {
        project: project(flags),
        url: flags.get_one::<String>("url").cloned().unwrap_or_default(),
        at: flags.get_one::<Moment>("at").copied(),
        list,
        raw: !context.json && !flags.get_flag("text"),
    });
    if context.json {
        return print_json(context, &request);
    }
    if !list {
        let mut out = Output::new();
        ask_for(context, &request, |version: PageVersion| match version.raw {
            Some(raw) if !flags.get_flag("text") => out.bytes(&STANDARD.decode(raw)?),
            _ => out.text(&version.text.unwrap_or_default()),
        })?;
        out.done()?;
        return Ok(Exit::Done);
    }
    let mut table =
        Table::new(&[words("FETCHED"), number("BYTES"), words("TYPE"), words("ACCEPTED"), text("TITLE")]);
    ask_for(context, &request, |version: PageVersion| {
        let title = version.title.unwrap_or_default();
        let accepted = if version.accepted { "accepted" } else { "" }.to_owned();
        let (at, bytes) = (moment(version.at), version.bytes.to_string());
        table.row(vec![at, bytes, or_dash(version.content_type), accepted, title])
    })?;
    table.end()?;
    Ok(Exit::Done)
}
