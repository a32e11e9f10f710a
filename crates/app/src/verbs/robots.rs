//! `gannet robots`: what a robots.txt says of URLs, and which line of it decides.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde::Serialize;
use serde_json::json;
use service::tools::{RobotsQuestion, RobotsVerdict};

use crate::output::Output;
use crate::{Context, Exit, Failure, batch};

pub(super) fn command() -> Command {
    Command::new("robots")
        .about("Show what a robots.txt says of URLs, and which line decides")
        .after_help(
            "Examples:\n  \
             gannet robots robots.txt --agent gannet https://shop.test/cart\n  \
             echo '{\"robots\": \"User-agent: *\\nDisallow: /cart\", \"agent\": \"gannet\", \
             \"url\": \"https://shop.test/cart\"}' | gannet robots --batch",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .required_unless_present("batch")
                .help("A robots.txt; - for standard input"),
        )
        .arg(Arg::new("url").value_name("URL").num_args(1..).required_unless_present("batch").help("URLs to ask for"))
        .arg(
            Arg::new("agent")
                .long("agent")
                .value_name("NAME")
                .default_value("gannet")
                .help("Name of the crawler that asks"),
        )
        .arg(
            Arg::new("batch")
                .long("batch")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["file", "url"])
                .help("Read JSON lines {robots | robots_base64, agent, url}; write {allowed, line, crawl_delay, sitemaps}"),
        )
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Verdict(RobotsVerdict),
    Error { error: String },
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let agent = flags.get_one::<String>("agent").map(String::as_str).unwrap_or_default();
    if flags.get_flag("batch") {
        let answer = |question: RobotsQuestion| match question.answer(agent) {
            Ok(verdict) => Answer::Verdict(verdict),
            Err(error) => Answer::Error { error },
        };
        batch::run(io::stdin().lock(), io::stdout().lock(), answer).map_err(Failure::output)?;
        return Ok(Exit::Done);
    }
    let file = flags.get_one::<PathBuf>("file").map(PathBuf::as_path).unwrap_or(Path::new("-"));
    let robots =
        read(file).with_context(|| format!("cannot read {}", file.display())).map_err(Failure::usage)?;
    let mut out = Output::new();
    let mut exit = Exit::Done;
    let mut said = None;
    for text in flags.get_many::<String>("url").into_iter().flatten() {
        match RobotsVerdict::of(&robots, agent, text) {
            Ok(verdict) => {
                out.line(if context.json {
                    in_json(&verdict, text)?
                } else {
                    words(&verdict, text, &robots)
                })?;
                said = Some(verdict);
            }
            Err(problem) => {
                exit = Exit::Failed;
                match context.json {
                    true => out.line(json!({ "url": text, "error": problem }))?,
                    false => eprintln!("gannet: {text:?}: {problem}"),
                }
            }
        }
    }
    if let Some(RobotsVerdict { crawl_delay, sitemaps, .. }) = said.filter(|_| !context.json) {
        if let Some(seconds) = crawl_delay {
            out.line(format_args!("crawl-delay: {seconds} s"))?;
        }
        for sitemap in sitemaps {
            out.line(format_args!("sitemap: {}", plain(&sitemap)))?;
        }
    }
    out.done()?;
    Ok(exit)
}

fn in_json(verdict: &RobotsVerdict, url: &str) -> Result<String, Failure> {
    let mut line = serde_json::to_value(verdict)?;
    line["url"] = url.into();
    Ok(line.to_string())
}

fn words(verdict: &RobotsVerdict, url: &str, robots: &[u8]) -> String {
    let word = if verdict.allowed { "allow" } else { "deny" };
    match verdict.line {
        Some(line) => format!("{word}  {url}  (line {line}: {})", source(robots, line)),
        None => format!("{word}  {url}  (no rule speaks of it)"),
    }
}

/// The file, as far as a crawl would read it and a little more.
fn read(file: &Path) -> io::Result<Vec<u8>> {
    const MAX_ROBOTS: u64 = 16 << 20;
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        io::stdin().take(MAX_ROBOTS).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(file)?.take(MAX_ROBOTS).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// A line of the file, counted as the parser counts: any of CR LF, LF and CR ends one.
fn source(robots: &[u8], line: u32) -> String {
    let text = String::from_utf8_lossy(robots).replace("\r\n", "\n").replace('\r', "\n");
    let at = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
    plain(text.split('\n').nth(at).unwrap_or_default())
}

/// Foreign text that can do nothing to a terminal.
fn plain(text: &str) -> String {
    const LONGEST: usize = 200;
    text.trim().chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_shown_is_the_line_that_decides() {
        let robots = b"User-agent: *\r\nDisallow: /a\rDisallow: /b\x1b[2J\n\nDisallow: /c";
        for (path, expected) in [("/a", "Disallow: /a"), ("/c", "Disallow: /c")] {
            let line = RobotsVerdict::of(robots, "gannet", path).unwrap().line.unwrap();
            assert_eq!(source(robots, line), expected);
        }
        assert_eq!(source(robots, 3), "Disallow: /b[2J");
        assert_eq!(source(robots, 99), "");
    }
}
