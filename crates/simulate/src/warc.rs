//! A Web from WARC files.

use std::collections::HashMap;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use archive::{HttpHead, Metadata, Purpose, RecordHead, RecordKind, WarcReader};
use bytes::Bytes;
use fetch::{DecodeLimits, decode};
use judge::topic::Topic;
use model::{ErrorKind, Normalise, PageUrl, UrlKey};

use crate::sources::{numbered_hosts, open};
use crate::web::{Look, Says};
use crate::{SimWeb, SimulateError};

/// Bytes of one record that are read.
const LONGEST: u64 = 64 << 20;

/// The Web of WARC files: the last answer of each URL, and the URLs that its pages link to. Crawls begin at these URLs;
/// unless said where the files' own crawl began, or at their first HTML page where they do not tell.
pub fn of_warc(paths: &[PathBuf], start: &[String], topic: Option<&Topic>) -> Result<SimWeb, SimulateError> {
    let mut answers = Answers::default();
    for path in paths {
        read_warc(path, topic, &mut answers)?;
    }
    let found = answers.found;
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
    let (mut bytes, mut looks) = (Vec::new(), Vec::new());
    for (_, answer) in &found {
        says.push(match &answer.end {
            FoundEnd::Page => Says::Page,
            FoundEnd::Redirect(to) => Says::Redirect(number(to, &mut urls)),
            FoundEnd::Failed(status) => Says::Failed(ErrorKind::Status(*status)),
        });
        links.push(answer.links.iter().map(|(to, ..)| number(to, &mut urls)).collect::<Vec<u32>>());
        promises.extend(answer.links.iter().map(|(_, promise, _)| *promise));
        looks.extend(answer.links.iter().map(|(.., weight)| Look { weight: *weight, ..Look::default() }));
        relevance.push(answer.relevance);
        bytes.push(answer.bytes);
    }
    says.resize(urls.len(), Says::Unknown);
    links.resize(urls.len(), Vec::new());
    relevance.resize(urls.len(), 0.0);
    bytes.resize(urls.len(), 0);
    let mut web = SimWeb::new(&links, numbered_hosts(&urls));
    (web.says, web.bytes, web.looks) = (says, bytes, looks);
    if topic.is_some() {
        (web.relevance, web.promises) = (relevance, promises);
    }
    web.name(urls);
    web.seeds = begins(&found);
    web.begin_at(start)?;
    Ok(web)
}

/// Where the crawl of the files began, as they tell; else their first HTML page, else their first page.
fn begins(found: &[(PageUrl, Found)]) -> Vec<u32> {
    let those = |is: fn(&Found) -> bool| {
        (0..).zip(found).filter(move |(_, (_, answer))| is(answer)).map(|(number, _)| number)
    };
    let told: Vec<u32> =
        those(|answer| answer.is_start && !matches!(answer.end, FoundEnd::Failed(_))).collect();
    if !told.is_empty() {
        return told;
    }
    let is_page = |answer: &Found| matches!(answer.end, FoundEnd::Page);
    let html = those(|answer| answer.is_html && matches!(answer.end, FoundEnd::Page)).next();
    vec![html.or_else(|| those(is_page).next()).unwrap_or(0)]
}

/// An answer in a WARC file.
#[derive(Clone)]
struct Found {
    end: FoundEnd,
    /// Where they lead, what they promise and weigh.
    links: Vec<(PageUrl, f32, u8)>,
    relevance: f32,
    bytes: u32,
    is_html: bool,
    /// A crawl began here.
    is_start: bool,
}

#[derive(Clone)]
enum FoundEnd {
    Page,
    Redirect(PageUrl),
    Failed(u16),
}

/// An answer whose metadata may follow.
struct Visit {
    id: Option<String>,
    url: PageUrl,
    answer: Found,
    /// Of an answer without its body: that of this URL.
    same_as: Option<PageUrl>,
    /// It is no page of a crawl.
    is_beside: bool,
}

impl Visit {
    fn told(&mut self, metadata: &Metadata<'_>) {
        self.is_beside = metadata.purpose != Purpose::Page;
        self.answer.is_start = metadata.depth == 0 && metadata.via.is_none();
    }
}

/// The last answer of each URL, in the order of their first.
#[derive(Default)]
struct Answers {
    found: Vec<(PageUrl, Found)>,
    places: HashMap<UrlKey, usize>,
}

impl Answers {
    fn take(&mut self, visit: Visit) {
        let Visit { url, mut answer, same_as, is_beside, .. } = visit;
        if is_beside {
            return;
        }
        if let Some(original) = same_as.as_ref().and_then(|url| self.places.get(&UrlKey::of(url))) {
            let is_start = answer.is_start;
            let original = self.found[*original].1.clone();
            match answer.end {
                FoundEnd::Page | FoundEnd::Failed(304) => answer = Found { is_start, ..original },
                _ => {}
            }
        } else if matches!(answer.end, FoundEnd::Failed(304)) {
            return;
        }
        match self.places.get(&UrlKey::of(&url)) {
            Some(place) => {
                let before = &mut self.found[*place].1;
                answer.is_start |= before.is_start;
                *before = answer;
            }
            None => {
                self.places.insert(UrlKey::of(&url), self.found.len());
                self.found.push((url, answer));
            }
        }
    }
}

fn read_warc(path: &Path, topic: Option<&Topic>, answers: &mut Answers) -> Result<(), SimulateError> {
    let failed = |source| SimulateError::Warc { path: path.to_owned(), source };
    let mut reader = WarcReader::new(BufReader::new(open(path)?));
    let mut last: Option<Visit> = None;
    while let Some(head) = reader.next_record().map_err(failed)? {
        match head.kind() {
            Some(RecordKind::Response | RecordKind::Revisit) => {
                last.take().into_iter().for_each(|visit| answers.take(visit));
                if let Some(url) = page_url(head.target()) {
                    let block = reader.read_block(LONGEST).map_err(failed)?;
                    let mut found = visit(&head, url, &block, topic);
                    Metadata::of_head(&head).into_iter().for_each(|metadata| found.told(&metadata));
                    last = Some(found);
                }
            }
            Some(RecordKind::Metadata) => {
                let of = head.get("WARC-Concurrent-To");
                let told = last.as_mut().filter(|visit| of.is_some() && of == visit.id.as_deref());
                if let Some(visit) = told {
                    let block = reader.read_block(LONGEST).map_err(failed)?;
                    Metadata::parse(&block).into_iter().for_each(|metadata| visit.told(&metadata));
                }
            }
            _ => {}
        }
        reader.end_record().map_err(failed)?;
    }
    last.into_iter().for_each(|visit| answers.take(visit));
    Ok(())
}

fn page_url(target: Option<&str>) -> Option<PageUrl> {
    target.filter(|target| target.starts_with("http")).and_then(|target| PageUrl::parse(target).ok())
}

fn visit(head: &RecordHead, url: PageUrl, block: &[u8], topic: Option<&Topic>) -> Visit {
    let is_revisit = head.kind() == Some(RecordKind::Revisit);
    let original = || page_url(head.get("WARC-Refers-To-Target-URI")).unwrap_or_else(|| url.clone());
    Visit {
        id: head.get("WARC-Record-ID").map(str::to_owned),
        answer: found(&url, block, topic),
        same_as: is_revisit.then(original),
        // Who does not tell has no page at such an address.
        is_beside: url.path() == "/robots.txt",
        url,
    }
}

fn found(url: &PageUrl, block: &[u8], topic: Option<&Topic>) -> Found {
    let (http, body) = HttpHead::split(block);
    let status = http.status.unwrap_or(200);
    let mut found = Found {
        end: FoundEnd::Failed(status),
        links: Vec::new(),
        relevance: 0.0,
        bytes: body.len().min(u32::MAX as usize) as u32,
        is_html: is_html(http.headers.get("content-type").unwrap_or_default()),
        is_start: false,
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
        found.links.push((link.url.clone(), promise, link.look.weight()));
    }
    found
}

fn is_html(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    ["text/html", "application/xhtml+xml"].iter().any(|html| kind.eq_ignore_ascii_case(html))
}
