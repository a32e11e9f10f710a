//! `gannet sitemap`: the URLs that a sitemap or feed names.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use extract::Listed;
use model::{MAX_LIST, PageUrl};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use service::tools::{sitemap, sitemap_json};

use super::table::plain;
use crate::output::Output;
use crate::{Context, Exit, Failure, batch, page};

/// Where a file is taken to stand when nothing says so.
const NOWHERE: &str = "http://localhost/";

pub(super) fn command() -> Command {
    Command::new("sitemap")
        .about("List the URLs of a sitemap or feed: XML, compressed or not, plain lists, RSS, Atom, JSON")
        .after_help(
            "Examples:\n  \
             gannet sitemap https://shop.test/sitemap.xml\n  \
             gannet sitemap sitemap.xml.gz --base https://shop.test/sitemap.xml.gz\n  \
             echo '{\"file\": \"feed.xml\", \"url\": \"https://shop.test/feed.xml\"}' | gannet sitemap --batch",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE|URL")
                .required_unless_present("batch")
                .help("A file, a URL that is fetched, or - for standard input"),
        )
        .arg(Arg::new("base").long("base").value_name("URL").help(
            "The file's own URL, to which those in it are relative (a file without: http://localhost/)",
        ))
        .arg(
            Arg::new("batch")
                .long("batch")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["file", "base"])
                .help(
                    "Read JSON lines {file, url?} from standard input; write for each {urls, sitemaps, …} or {error}; \
                     nothing is fetched",
                ),
        )
        .args(page::args())
}

#[derive(Deserialize)]
struct Question {
    file: PathBuf,
    #[serde(default)]
    url: Option<String>,
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    if flags.get_flag("batch") {
        let answer = |question: Question| question.answer().unwrap_or_else(|error| json!({ "error": error }));
        batch::run(io::stdin().lock(), io::stdout().lock(), answer).map_err(Failure::output)?;
        return Ok(Exit::Done);
    }
    let name = flags.get_one::<String>("file").map(String::as_str).unwrap_or_default();
    let is_url = name.starts_with("http://") || name.starts_with("https://");
    let (body, at, has_more) = if is_url {
        let raw = page::read_raw(name, flags)?;
        (raw.body, raw.url, false)
    } else {
        let (body, has_more) =
            page::read_start(Path::new(name), MAX_LIST).map_err(|error| page::unreadable(name, &error))?;
        (body, None, has_more)
    };
    let base = flags.get_one::<String>("base").map(String::as_str);
    let url = match (base, at) {
        (None, Some(url)) => Ok(url),
        (base, _) => PageUrl::parse(base.unwrap_or(NOWHERE)),
    };
    let url = url.map_err(|error| Failure::usage(anyhow::anyhow!("--base: {error}")))?;
    let mut found =
        sitemap(&body, &url).map_err(|error| Failure::usage(anyhow::anyhow!("{name}: {error}")))?;
    found.cut |= has_more;
    let mut out = Output::new();
    if context.json {
        out.line(sitemap_json(&found))?;
    } else {
        for (word, list) in [("sitemap", &found.sitemaps), ("page", &found.urls)] {
            for Listed { url, modified } in list {
                let modified = modified.as_deref().unwrap_or("-");
                out.line(format_args!("{word:<7}  {modified:<20}  {}", plain(url.as_str())))?;
            }
        }
        if found.cut {
            out.line("the file has more: of one file the first 50,000 URLs and 50 MiB are read")?;
        }
    }
    out.done()?;
    Ok(Exit::Done)
}

impl Question {
    fn answer(self) -> Result<Json, String> {
        let url = PageUrl::parse(self.url.as_deref().unwrap_or(NOWHERE))
            .map_err(|error| format!("url: {error}"))?;
        let name = |error: io::Error| format!("{}: {error}", self.file.display());
        let (body, has_more) = page::read_start(batch::file(&self.file)?, MAX_LIST).map_err(name)?;
        let mut found = sitemap(&body, &url).map_err(|error| error.to_string())?;
        found.cut |= has_more;
        Ok(sitemap_json(&found))
    }
}
