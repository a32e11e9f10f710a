//! A page that a person names on the command line: a file, standard input, or a URL that is asked for once.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use clap::{Arg, ArgMatches};
use crawl::{Network, WallClock, single_page};
use fetch::{DecodeLimits, decode};
use model::{Cut, PageUrl};

use crate::{Failure, settings};

/// Longest page that is read from a file.
const MAX_PAGE: u64 = 64 << 20;

/// Settings that say how a single page is asked for.
const SETTINGS: [&str; 9] = [
    "allow_private",
    "robots",
    "user_agent",
    "contact",
    "headers",
    "cookies",
    "hosts",
    "ca",
    "accept_invalid_tls",
];

/// The flags for asking.
pub(crate) fn args() -> impl Iterator<Item = Arg> {
    settings::args().filter(|arg| SETTINGS.contains(&arg.get_id().as_str()))
}

/// A page as it came.
pub(crate) struct RawPage {
    pub(crate) body: Vec<u8>,
    pub(crate) headers: model::Headers,
    /// Where it is from, after redirects; a file is from nowhere.
    pub(crate) url: Option<PageUrl>,
}

/// The bytes of the page that `name` names.
pub(crate) fn read_raw(name: &str, flags: &ArgMatches) -> Result<RawPage, Failure> {
    if !name.starts_with("http://") && !name.starts_with("https://") {
        let body = read_body(Path::new(name));
        let body = body.map_err(|error| unreadable(name, &error))?;
        return Ok(RawPage { body, headers: model::Headers::default(), url: None });
    }
    let fetched = fetch(name, flags)?;
    Ok(RawPage { body: fetched.content.to_vec(), headers: fetched.headers.clone(), url: Some(fetched.url) })
}

/// The text of the page that `name` names, and where it is from, after redirects; a file is from nowhere.
pub(crate) fn read(name: &str, flags: &ArgMatches) -> Result<(String, Option<PageUrl>), Failure> {
    if !name.starts_with("http://") && !name.starts_with("https://") {
        let html = read_file(Path::new(name));
        let html = html.map_err(|error| unreadable(name, &error))?;
        return Ok((html, None));
    }
    let fetched = fetch(name, flags)?;
    let content_type = fetched.headers.get("content-type");
    let kind = extract::Kind::Html;
    let (html, _) = extract::decode(&fetched.content, content_type, kind, &fetched.url);
    Ok((html.into_owned(), Some(fetched.url.clone())))
}

/// Why a file cannot be read, with what to do.
pub(crate) fn unreadable(name: &str, error: &io::Error) -> Failure {
    let advice = match error.kind() {
        io::ErrorKind::NotFound => "; the address of a page begins with http:// or https://",
        io::ErrorKind::IsADirectory => "; name a file in it",
        _ => "",
    };
    Failure::usage(anyhow::anyhow!("cannot read {name}: {error}{advice}"))
}

fn fetch(name: &str, flags: &ArgMatches) -> Result<model::Fetched, Failure> {
    let start = [name.to_owned()];
    let project =
        settings::layered(None, &start, |name| std::env::var(name).ok(), flags).map_err(Failure::usage)?;
    let url = project.start.first().ok_or_else(|| anyhow::anyhow!("no URL"))?;
    let clock = WallClock::start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let fetched = runtime.block_on(async {
        let network = Network::new(&project, &[], 1, clock)?;
        anyhow::Ok(single_page(&network, &project.crawl, url, &clock).await?)
    })?;
    Ok(fetched)
}

/// A page from a file or, for `-`, standard input, in the encoding that it says or seems to be in.
pub(crate) fn read_file(path: &Path) -> io::Result<String> {
    let body = read_body(path)?;
    let nowhere = PageUrl::parse("http://localhost/").expect("a URL");
    Ok(extract::decode(&body, None, extract::Kind::Html, &nowhere).0.into_owned())
}

/// The first bytes of a file, and whether it has more: of a sitemap no more is read.
pub(crate) fn read_start(path: &Path, most: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut body = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut body)?;
    let has_more = body.len() as u64 > most;
    body.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok((body, has_more))
}

fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    Ok(match path.to_str() {
        Some("-") => Box::new(io::stdin()),
        _ => Box::new(File::open(path)?),
    })
}

/// The bytes of a file or, for `-`, of standard input; what gzip has packed is unpacked.
pub(crate) fn read_body(path: &Path) -> io::Result<Vec<u8>> {
    let too_long = || io::Error::other(format!("longer than {} MiB", MAX_PAGE >> 20));
    let mut body = Vec::new();
    if open(path)?.take(MAX_PAGE + 1).read_to_end(&mut body)? as u64 > MAX_PAGE {
        return Err(too_long());
    }
    if !body.starts_with(&[0x1f, 0x8b]) {
        return Ok(body);
    }
    let limits = DecodeLimits { length: MAX_PAGE, ratio: 1_000 };
    let decoded = decode(&body.into(), "gzip", limits);
    let decoded = decoded.ok_or_else(|| io::Error::other("cannot be unpacked"))?;
    if decoded.cut == Some(Cut::Length) { Err(too_long()) } else { Ok(decoded.content.to_vec()) }
}
