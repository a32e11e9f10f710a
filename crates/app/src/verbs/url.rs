//! `gannet url`: the canonical form of URLs, as the crawl sees them.

use std::io;

use clap::{Arg, ArgAction, ArgMatches, Command};
use model::{Normalise, PageUrl};
use serde::{Deserialize, Serialize};
use serde_json::json;
use service::tools::canonical;

use crate::output::Output;
use crate::{Context, Exit, Failure, batch};

pub(super) fn command() -> Command {
    let switch = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("url")
        .about("Show the canonical form of URLs, or why they are invalid")
        .after_help(
            "Examples:\n  \
             gannet url 'HTTP://Shop.test:80/a/../b?utm_source=x#top'\n  \
             gannet url --base https://shop.test/list/ ../item\n  \
             echo '{\"url\": \"../item\", \"base\": \"https://shop.test/list/\"}' | gannet url --batch",
        )
        .arg(
            Arg::new("url")
                .value_name("URL")
                .num_args(1..)
                .required_unless_present("batch")
                .help("URLs; relative ones with --base"),
        )
        .arg(
            Arg::new("base")
                .long("base")
                .value_name("URL")
                .help("URL of the page that relative ones stand on"),
        )
        .arg(
            switch("batch", "Read JSON lines {url, base?}; write {canonical} or {error} for each")
                .conflicts_with("url"),
        )
        .arg(switch("drop-query", "Drop the query"))
        .arg(switch("drop-trailing-slash", "Drop the trailing slash of the path"))
        .arg(switch("drop-www", "Drop a leading www. of the host"))
}

/// A URL as found, and where.
#[derive(Deserialize)]
struct Question {
    url: String,
    #[serde(default)]
    base: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Canonical(PageUrl),
    Error(String),
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let normalise = Normalise {
        drop_query: flags.get_flag("drop-query"),
        drop_trailing_slash: flags.get_flag("drop-trailing-slash"),
        drop_www: flags.get_flag("drop-www"),
    };
    let base = flags.get_one::<String>("base").map(String::as_str);
    if flags.get_flag("batch") {
        let answer =
            |question: Question| match canonical(normalise, &question.url, question.base.as_deref().or(base))
            {
                Ok(url) => Answer::Canonical(url),
                Err(problem) => Answer::Error(problem),
            };
        batch::run(io::stdin().lock(), io::stdout().lock(), answer).map_err(Failure::output)?;
        return Ok(Exit::Done);
    }
    let mut out = Output::new();
    let mut exit = Exit::Done;
    for text in flags.get_many::<String>("url").into_iter().flatten() {
        match canonical(normalise, text, base) {
            Ok(url) if context.json => out.line(json!({ "url": text, "canonical": url }))?,
            Ok(url) => out.line(url)?,
            Err(problem) => {
                exit = Exit::Failed;
                match context.json {
                    true => out.line(json!({ "url": text, "error": problem }))?,
                    false => eprintln!("gannet: {text:?}: {problem}"),
                }
            }
        }
    }
    out.done()?;
    Ok(exit)
}
