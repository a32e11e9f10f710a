//! Webs that are not made up: from a list of edges, from WARC files.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use archive::{HttpHead, RecordKind, WarcReader};
use bytes::Bytes;
use fetch::{DecodeLimits, decode};
use judge::topic::Topic;
use model::{ErrorKind, HostKey, Normalise, PageUrl, UrlKey};

use crate::web::Says;
use crate::{SimWeb, SimulateError};

/// Bytes of one record that are read.
const LONGEST: u64 = 64 << 20;

/// A Web of a list of edges; crawls begin at these names, or at the first. Where all names are URLs the pages have
/// them, else all are on one host.
pub fn of_edges(path: &Path, start: &[String]) -> Result<SimWeb, SimulateError> {
    let list = graph::read_edge_list(BufReader::new(open(path)?), 256 << 20)?;
    let mut links = vec![Vec::new(); list.names.len()];
    for target in 0..list.graph.pages() {
        for (source, _) in list.graph.in_links(target) {
            links[source as usize].push(target);
        }
    }
    let urls: Option<Vec<PageUrl>> = list.names.iter().map(|name| PageUrl::parse(name).ok()).collect();
    let hosts = urls.as_ref().map_or_else(|| vec![0; links.len()], |urls| numbered_hosts(urls));
    let mut web = SimWeb::new(&links, hosts);
    if let Some(urls) = urls {
        web.name(urls);
    }
    let number = |name: &String| {
        let at = list.names.iter().position(|other| other == name);
        at.map(|at| at as u32).ok_or_else(|| SimulateError::UnknownStart(name.clone()))
    };
    if !start.is_empty() {
        web.seeds = start.iter().map(number).collect::<Result<_, _>>()?;
    }
    Ok(web)
}

/// The Web of WARC files: the last answer of each URL, and the URLs that its pages link to. Crawls begin at these URLs,
/// or at the first page of the files.
pub fn of_warc(paths: &[PathBuf], start: &[String], topic: Option<&Topic>) -> Result<SimWeb, SimulateError> {
    let mut found: Vec<(PageUrl, Found)> = Vec::new();
    let mut places: HashMap<UrlKey, usize> = HashMap::new();
    for path in paths {
        read_warc(path, topic, &mut |url, answer| match places.get(&UrlKey::of(&url)) {
            Some(place) => found[*place].1 = answer,
            None => {
                places.insert(UrlKey::of(&url), found.len());
                found.push((url, answer));
            }
        })?;
    }
    let mut urls: Vec<PageUrl> = found.iter().map(|(url, _)| url.clone()).collect();
    let mut numbers: HashMap<UrlKey, u32> =
        urls.iter().zip(0..).map(|(url, number)| (UrlKey::of(url), number)).collect();
    let mut number = |url: &PageUrl, urls: &mut Vec<PageUrl>| {
        *numbers.entry(UrlKey::of(url)).or_insert_with(|| {
            urls.push(url.clone());
            urls.len() as u32 - 1
        })
    };
    let (mut says, mut links, mut promises, mut relevance) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut bytes = Vec::new();
    for (_, answer) in &found {
        says.push(match &answer.end {
            FoundEnd::Page => Says::Page,
            FoundEnd::Redirect(to) => Says::Redirect(number(to, &mut urls)),
            FoundEnd::Failed(status) => Says::Failed(ErrorKind::Status(*status)),
        });
        links.push(answer.links.iter().map(|(to, _)| number(to, &mut urls)).collect::<Vec<u32>>());
        promises.extend(answer.links.iter().map(|(_, promise)| *promise));
        relevance.push(answer.relevance);
        bytes.push(answer.bytes);
    }
    says.resize(urls.len(), Says::Unknown);
    links.resize(urls.len(), Vec::new());
    relevance.resize(urls.len(), 0.0);
    bytes.resize(urls.len(), 0);
    let mut web = SimWeb::new(&links, numbered_hosts(&urls));
    (web.says, web.bytes) = (says, bytes);
    if topic.is_some() {
        (web.relevance, web.promises) = (relevance, promises);
    }
    web.name(urls);
    let first = found.iter().position(|(_, answer)| matches!(answer.end, FoundEnd::Page)).unwrap_or(0);
    web.seeds = vec![first as u32];
    if !start.is_empty() {
        let number = |text: &String| {
            let url = PageUrl::parse(text).ok();
            let number = url.and_then(|url| web.numbers.get(&UrlKey::of(&url)).copied());
            number.ok_or_else(|| SimulateError::UnknownStart(text.clone()))
        };
        web.seeds = start.iter().map(number).collect::<Result<_, _>>()?;
    }
    Ok(web)
}

/// An answer in a WARC file.
struct Found {
    end: FoundEnd,
    links: Vec<(PageUrl, f32)>,
    relevance: f32,
    bytes: u32,
}

enum FoundEnd {
    Page,
    Redirect(PageUrl),
    Failed(u16),
}

fn read_warc(
    path: &Path,
    topic: Option<&Topic>,
    each: &mut dyn FnMut(PageUrl, Found),
) -> Result<(), SimulateError> {
    let failed = |source| SimulateError::Warc { path: path.to_owned(), source };
    let mut reader = WarcReader::new(BufReader::new(open(path)?));
    while let Some(head) = reader.next_record().map_err(failed)? {
        let url = head.target().and_then(|target| PageUrl::parse(target).ok());
        let is_http = head.target().is_some_and(|target| target.starts_with("http"));
        let Some(url) = url.filter(|_| is_http && head.kind() == Some(RecordKind::Response)) else {
            reader.end_record().map_err(failed)?;
            continue;
        };
        let block = reader.read_block(LONGEST).map_err(failed)?;
        reader.end_record().map_err(failed)?;
        // robots.txt and its kind are no pages of a crawl.
        if url.path() != "/robots.txt" {
            let answer = found(&url, &block, topic);
            each(url, answer);
        }
    }
    Ok(())
}

fn found(url: &PageUrl, block: &[u8], topic: Option<&Topic>) -> Found {
    let (http, body) = HttpHead::split(block);
    let status = http.status.unwrap_or(200);
    let mut found = Found {
        end: FoundEnd::Failed(status),
        links: Vec::new(),
        relevance: 0.0,
        bytes: body.len().min(u32::MAX as usize) as u32,
    };
    let normalise = Normalise::default();
    if (300..400).contains(&status) {
        if let Some(to) = http.headers.get("location").and_then(|to| normalise.join(url, to).ok()) {
            found.end = FoundEnd::Redirect(to);
        }
        return found;
    }
    if !(200..300).contains(&status) {
        return found;
    }
    found.end = FoundEnd::Page;
    let body = Bytes::from(body.to_vec());
    let coding = http.headers.get("content-encoding").unwrap_or_default();
    let limits = DecodeLimits { length: LONGEST, ratio: 1_000 };
    let content = decode(&body, coding, limits).map(|decoded| decoded.content).unwrap_or_default();
    let input = extract::Input {
        url,
        headers: &http.headers,
        body: &content,
        normalise,
        max_links: extract::MAX_LINKS,
        agent: "gannet",
    };
    let page = if topic.is_some() { extract::page(&input) } else { extract::page_links(&input) };
    if let Some(topic) = topic {
        let judged = topic.relevance(&page.title, &page.text);
        found.relevance = judged.share as f32;
    }
    for link in page.links.iter().filter(|link| !link.rel.nofollow && !page.directives.nofollow) {
        let promise = topic.map_or(0.0, |topic| topic.link_promise(&link.anchor, &link.url));
        found.links.push((link.url.clone(), promise));
    }
    found
}

/// The hosts of URLs, by number.
pub(crate) fn numbered_hosts(urls: &[PageUrl]) -> Vec<u32> {
    let mut numbers: HashMap<HostKey, u32> = HashMap::new();
    urls.iter()
        .map(|url| {
            let next = numbers.len() as u32;
            *numbers.entry(HostKey::of(&url.host())).or_insert(next)
        })
        .collect()
}

fn open(path: &Path) -> Result<File, SimulateError> {
    File::open(path).map_err(|source| SimulateError::Open { path: path.to_owned(), source })
}
