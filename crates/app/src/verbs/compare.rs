//! `gannet fingerprint` and `gannet compare`: what texts outside a crawl have in common.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use anyhow::Context as _;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use judge::compare::{Prepared, THRESHOLD};
use judge::winnow::{Hash, Winnowing};
use serde_json::Value as Json;
use service::tools::{self, Document, SharedPassage};

use super::read::main_text;
use super::table::{Table, number, or_dash, plain, text};
use crate::output::Output;
use crate::{Context, Exit, Failure, page};

/// Longest line of a file of documents.
const MAX_LINE: u64 = 64 << 20;
/// Characters of a shared passage that are shown.
const SHOWN: usize = 300;

pub(super) fn fingerprint_command() -> Command {
    Command::new("fingerprint")
        .about("Show the fingerprint of texts: the hashes that winnowing keeps, with their places")
        .after_help(
            "Examples:\n  \
             gannet fingerprint page.html\n  \
             gannet fingerprint a.txt b.txt --hash md5 -k 5 -w 4 --json\n\n\
             Of a page its main text counts, of that letters and digits, in lower case.",
        )
        .arg(
            Arg::new("texts")
                .value_name("FILE|URL")
                .num_args(1..)
                .required(true)
                .help("The texts: HTML, plain text or any document that is read; - for standard input"),
        )
        .args(winnowing_args())
        .args(page::args())
}

pub(super) fn command() -> Command {
    Command::new("compare")
        .about("Compare texts: how much two of them share and where, or which of many are near duplicates")
        .after_help(
            "Examples:\n  \
             gannet compare old.html new.html\n  \
             gannet compare https://shop.test/a https://shop.test/b --json\n  \
             gannet compare --all documents.jsonl --threshold 0.8 --json\n\n\
             Similarity is the part of kept hashes that both have, of the text that has more; share is the part of the \
             text that stands in common passages. Near duplicates are those of which either is at the threshold; with \
             --all it is told as their similarity. Two texts that are none by a given --threshold end with 1.",
        )
        .arg(Arg::new("first").value_name("A").required_unless_present("all").help("A file or URL"))
        .arg(
            Arg::new("second")
                .value_name("B")
                .required_unless_present("all")
                .help("Another; - for standard input"),
        )
        .arg(
            Arg::new("all")
                .long("all")
                .value_name("FILE")
                .conflicts_with_all(["first", "second"])
                .help("Compare all texts of a file of JSON lines {id, text}; - for standard input"),
        )
        .arg(
            Arg::new("threshold")
                .long("threshold")
                .value_name("NUMBER")
                .value_parser(threshold)
                .help(format!("Near duplicates from here on, 0 to 1 [default: {THRESHOLD}]")),
        )
        .args(winnowing_args())
        .args(page::args())
}

fn winnowing_args() -> [Arg; 3] {
    let usual = Winnowing::default();
    let number = |name: &'static str, what: &str, usual: usize| {
        Arg::new(name)
            .short(name.chars().next())
            .long(name)
            .value_name("NUMBER")
            .value_parser(value_parser!(u16).range(1..))
            .help(format!("{what} [default: {usual}]"))
    };
    [
        number("k", "Characters that are hashed together", usual.gram),
        number("w", "Hashes of which one is kept", usual.window),
        Arg::new("hash")
            .long("hash")
            .value_name("NAME")
            .value_parser(["rolling", "md5"])
            .action(ArgAction::Set)
            .help("How they are hashed: rolling, which is faster, or md5, as in the literature [default: rolling]"),
    ]
}

fn winnowing(flags: &ArgMatches) -> Winnowing {
    let usual = Winnowing::default();
    let number = |name: &str, usual| flags.get_one::<u16>(name).map_or(usual, |number| usize::from(*number));
    let is_md5 = flags.get_one::<String>("hash").is_some_and(|name| name == "md5");
    Winnowing {
        gram: number("k", usual.gram),
        window: number("w", usual.window),
        hash: if is_md5 { Hash::Md5 } else { Hash::Rolling },
    }
}

fn threshold(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "write a number from 0 to 1".to_owned())?;
    if (0.0..=1.0).contains(&number) { Ok(number) } else { Err("write a number from 0 to 1".to_owned()) }
}

pub(super) fn fingerprint(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let settings = winnowing(flags);
    let mut out = Output::new();
    for name in flags.get_many::<String>("texts").into_iter().flatten() {
        let text = main_text(name, flags)?;
        let prepared = Prepared::new(&text, settings);
        if context.json {
            let mut told = serde_json::to_value(tools::fingerprint(&text, settings))?;
            told["name"] = name.as_str().into();
            out.line(told)?;
            continue;
        }
        out.line(format_args!("{}: {} hashes", plain(name), prepared.minutiae().len()))?;
        for kept in prepared.minutiae() {
            let part = plain(&text[kept.start..kept.end]);
            out.line(format_args!("{:016x}  {:>8}  {part}", kept.hash, kept.at))?;
        }
    }
    out.done()?;
    Ok(Exit::Done)
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let settings = winnowing(flags);
    if let Some(file) = flags.get_one::<String>("all") {
        return all(context, flags, file, settings);
    }
    let text =
        |name: &str| main_text(flags.get_one::<String>(name).map(String::as_str).unwrap_or_default(), flags);
    let (first, second) = (text("first")?, text("second")?);
    let compared = tools::compare(&first, &second, settings);
    let threshold = flags.get_one::<f64>("threshold");
    let is_near = threshold.map(|threshold| compared.similarity.max(compared.share) >= *threshold);
    let mut out = Output::new();
    if context.json {
        let mut told = serde_json::to_value(&compared)?;
        if let Some(is_near) = is_near {
            told["near_duplicates"] = is_near.into();
        }
        out.line(told)?;
    } else {
        if let Some((is_near, threshold)) = is_near.zip(threshold) {
            let verdict = if is_near { "near duplicates" } else { "no near duplicates" };
            out.line(format_args!("{verdict} at {:.1} %", 100.0 * threshold))?;
        }
        out.line(format_args!("similarity {:>6.1} %", 100.0 * compared.similarity))?;
        out.line(format_args!("share      {:>6.1} %", 100.0 * compared.share))?;
        out.line(format_args!("A in B     {:>6.1} %", 100.0 * compared.a_in_b))?;
        out.line(format_args!("B in A     {:>6.1} %", 100.0 * compared.b_in_a))?;
        for SharedPassage { length, a, b } in &compared.passages {
            out.line(format_args!("\n{length} characters, at {} and {}", a.start, b.start))?;
            out.line(format_args!("A: {}", shown(&a.text)))?;
            out.line(format_args!("B: {}", shown(&b.text)))?;
        }
    }
    out.done()?;
    Ok(if is_near == Some(false) { Exit::Failed } else { Exit::Done })
}

/// The start of a passage, on one line.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = line.char_indices().nth(SHOWN).map_or(line.len(), |(at, _)| at);
    let end = if cut < line.len() { " …" } else { "" };
    format!("{}{end}", plain(&line[..cut]))
}

fn all(context: &Context, flags: &ArgMatches, file: &str, settings: Winnowing) -> Result<Exit, Failure> {
    let bad = |problem: String| Failure::usage(anyhow::anyhow!("{file}: {problem}"));
    let input: Box<dyn Read> = match file {
        "-" => Box::new(io::stdin()),
        _ => {
            let opened = File::open(file).with_context(|| format!("cannot read {file}"));
            Box::new(opened.map_err(Failure::usage)?)
        }
    };
    let mut input = BufReader::new(input);
    let mut documents: Vec<Document> = Vec::new();
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        if read.map_err(|error| bad(error.to_string()))? == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let document = serde_json::from_slice(&line);
        documents.push(document.map_err(|error| bad(format!("line {number} is not {{id, text}}: {error}")))?);
    }
    let pairs = tools::near_pairs(documents, flags.get_one::<f64>("threshold").copied(), settings);
    if context.json {
        let mut out = Output::new();
        for pair in &pairs {
            out.line(serde_json::to_value(pair)?)?;
        }
        out.done()?;
        return Ok(Exit::Done);
    }
    if pairs.is_empty() && !context.quiet {
        eprintln!("no near duplicates were found");
    }
    let mut table = Table::new(&[number("SIMILARITY"), number("SHARE"), text("A"), text("B")]);
    for pair in pairs {
        let percent = |part: f64| format!("{:.1} %", 100.0 * part);
        let name = |id: Json| id.as_str().map_or_else(|| id.to_string(), ToOwned::to_owned);
        table.row(vec![
            percent(pair.similarity),
            or_dash(pair.share.map(percent)),
            name(pair.a),
            name(pair.b),
        ])?;
    }
    table.end()?;
    Ok(Exit::Done)
}
