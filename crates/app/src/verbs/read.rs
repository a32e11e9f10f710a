//! `gannet read`: what is read from a page, as the crawl reads it: main text, author, dates, links.

use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use clap::{Arg, ArgAction, ArgMatches, Command};
use crawl::WallClock;
use model::{Headers, Page, PageDate, PageUrl};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use service::tools::{bytes_of, html_unless_known, read_json, read_page};

use super::table::plain;
use crate::output::Output;
use crate::page::{self, RawPage};
use crate::{Context, Exit, Failure, batch};

/// What text is read from.
const READABLE: &str = "HTML, XML, plain text, Markdown, PDF, DOCX or ODT";

/// Where a file is taken to stand when nothing says so.
const NOWHERE: &str = "http://localhost/";

pub(super) fn command() -> Command {
    Command::new("read")
        .about("Show what is read from a page: main text, author, dates, language, links")
        .after_help(
            "Examples:\n  \
             gannet read https://shop.test/about\n  \
             gannet read page.html --base https://shop.test/about --json\n  \
             echo '{\"file\": \"page.html\", \"url\": \"https://shop.test/about\"}' | gannet read --batch",
        )
        .arg(
            Arg::new("page")
                .value_name("FILE|URL")
                .required_unless_present("batch")
                .help(format!("A file, a URL that is fetched, or - for standard input: {READABLE}")),
        )
        .arg(Arg::new("base").long("base").value_name("URL").help(
            "The page's own URL, to which its links are relative (a file without: http://localhost/)",
        ))
        .arg(
            Arg::new("batch").long("batch").action(ArgAction::SetTrue).conflicts_with_all(["page", "base"]).help(
                "Read JSON lines {html | html_base64 | file, url?, content_type?} from standard input; write for each \
                 {title, text, author, published, modified, language, canonical, links, …} or {error}; nothing is fetched",
            ),
        )
        .args(page::args())
}

#[derive(Deserialize)]
struct Question {
    #[serde(default)]
    html: Option<String>,
    #[serde(default)]
    html_base64: Option<String>,
    #[serde(default)]
    file: Option<PathBuf>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    content_type: Option<String>,
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    if flags.get_flag("batch") {
        let clock = WallClock::start();
        let answer =
            |question: Question| question.answer(&clock).unwrap_or_else(|error| json!({ "error": error }));
        batch::run(io::stdin().lock(), io::stdout().lock(), answer).map_err(Failure::output)?;
        return Ok(Exit::Done);
    }
    let name = flags.get_one::<String>("page").map(String::as_str).unwrap_or_default();
    let RawPage { body, mut headers, url } = page::read_raw(name, flags)?;
    let base = flags.get_one::<String>("base").map(String::as_str);
    let url = match (base, url) {
        (Some(base), _) => parse(base).map_err(|error| Failure::usage(anyhow::anyhow!("--base: {error}")))?,
        (None, Some(url)) => url,
        (None, None) => parse(NOWHERE).map_err(|error| Failure::usage(anyhow::anyhow!(error)))?,
    };
    if headers.0.is_empty() {
        headers = typed(kind_of(Path::new(name), &body), &WallClock::start());
    }
    let mut out = Output::new();
    if context.json {
        out.line(read_json(&body, &headers, &url))?;
    } else {
        show(&mut out, &read_page(&body, &headers, &url))?;
    }
    out.done()?;
    Ok(Exit::Done)
}

impl Question {
    fn answer(self, clock: &WallClock) -> Result<Json, String> {
        let mut kind = self.content_type;
        let body = match (self.html, self.html_base64, self.file) {
            (Some(text), None, None) => {
                // The text is decoded already, whatever it says of itself.
                kind = Some(kind.unwrap_or_else(|| "text/html".to_owned()));
                kind =
                    kind.map(|kind| format!("{}; charset=utf-8", kind.split(';').next().unwrap_or_default()));
                text.into_bytes()
            }
            (None, Some(text), None) => {
                let body = bytes_of(&text).map_err(|error| format!("html_base64: {error}"))?;
                kind = kind.or_else(|| html_unless_known(&body).map(str::to_owned));
                body
            }
            (None, None, Some(file)) => {
                let body = page::read_body(batch::file(&file)?);
                let body = body.map_err(|error| format!("{}: {error}", file.display()))?;
                kind = kind.or_else(|| kind_of(&file, &body).map(str::to_owned));
                body
            }
            _ => return Err("give one of html, html_base64 and file; a batch fetches nothing".to_owned()),
        };
        let url = parse(self.url.as_deref().unwrap_or(NOWHERE)).map_err(|error| format!("url: {error}"))?;
        Ok(read_json(&body, &typed(kind.as_deref(), clock), &url))
    }
}

fn parse(text: &str) -> Result<PageUrl, String> {
    PageUrl::parse(text).map_err(|error| error.to_string())
}

/// What a server would say of a page that is given here: its type, and that it is of today at the latest.
fn typed(content_type: Option<&str>, clock: &WallClock) -> Headers {
    let header = |name: &str, value: &str| (name.to_owned(), Bytes::copy_from_slice(value.as_bytes()));
    let kind = content_type.map(|value| header("content-type", value));
    Headers(kind.into_iter().chain([header("date", &clock.now().to_string())]).collect())
}

/// The type of a file: none where its first bytes tell; else by its name; else HTML where it begins with a tag that no
/// other type has.
fn kind_of(file: &Path, body: &[u8]) -> Option<&'static str> {
    if matches!(extract::kind(None, body), extract::Kind::Pdf | extract::Kind::Document) {
        return None;
    }
    by_name(file).or_else(|| {
        let begins = body.trim_ascii_start().starts_with(b"<");
        html_unless_known(body).filter(|_| begins)
    })
}

/// The type of a file by the end of its name; none where the bytes must tell.
fn by_name(file: &Path) -> Option<&'static str> {
    let name = file.to_str()?.to_ascii_lowercase();
    // What was packed has been unpacked.
    let end = Path::new(name.strip_suffix(".gz").unwrap_or(&name)).extension()?.to_str()?.to_owned();
    Some(match end.as_str() {
        "html" | "htm" | "xhtml" | "php" | "asp" => "text/html",
        "txt" => "text/plain",
        "md" | "markdown" => "text/markdown",
        "xml" | "rss" | "atom" => "text/xml",
        "pdf" => "application/pdf",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "odt" => "application/vnd.oasis.opendocument.text",
        _ => return None,
    })
}

/// The main text of what `name` names: a file, a URL, or - for standard input.
pub(super) fn main_text(name: &str, flags: &ArgMatches) -> Result<String, Failure> {
    let RawPage { body, mut headers, url } = page::read_raw(name, flags)?;
    if headers.0.is_empty() {
        headers = typed(kind_of(Path::new(name), &body), &WallClock::start());
    }
    let kind = headers.get("content-type");
    if !body.is_empty() && extract::kind(kind, &body) == extract::Kind::Other {
        let kind = kind.unwrap_or("a file of this kind");
        let words = format!("{name}: no text is read from {kind}; give {READABLE}");
        return Err(Failure::usage(anyhow::anyhow!(words)));
    }
    let nowhere = || parse(NOWHERE).map_err(|error| Failure::usage(anyhow::anyhow!(error)));
    let url = url.map_or_else(nowhere, Ok)?;
    let page = read_page(&body, &headers, &url);
    match page.unread_why() {
        Some(why) => Err(Failure::usage(anyhow::anyhow!("{name}: {why}"))),
        None => Ok(page.main),
    }
}

fn show(out: &mut Output, page: &Page) -> Result<(), Failure> {
    let date = |date: &PageDate| {
        let source = serde_json::to_value(date.source).ok();
        let source = source.as_ref().and_then(Json::as_str).unwrap_or_default().to_owned();
        format!("{} ({source}, {} % sure)", date.at, date.confidence)
    };
    let facts = [
        ("title", Some(page.title.clone()).filter(|title| !title.is_empty())),
        ("author", page.author.clone()),
        ("published", page.published.as_ref().map(date)),
        ("modified", page.modified.as_ref().map(date)),
        ("language", page.language.clone()),
        ("canonical", page.canonical.as_ref().map(ToString::to_string)),
        ("unread", page.unread_why().map(str::to_owned)),
        (
            "links",
            Some(format!("{}{}", page.links.len(), if page.links_cut { ", the first of more" } else { "" })),
        ),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            out.line(format_args!("{name:<10} {}", plain(&value)))?;
        }
    }
    out.line("")?;
    for line in page.main.lines() {
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        out.line(line)?;
    }
    Ok(())
}
