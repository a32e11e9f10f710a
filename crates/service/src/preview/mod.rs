//! One page looked at before any crawl: its lists, its rows, a picture of it to point at, and what a crawl would do.
//!
//! Everything is read by the code that the crawl runs, so what is shown is what a run brings. Pages are kept in memory,
//! a few and not for long; trees are built anew for each question, which is cheaper than keeping them.

mod assets;
mod pick;
mod reading;
mod scope;
mod snapshot;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crawl::{Network, SinglePage, SinglePageError, WallClock, look_at};
use html::Tree;
use model::{CrawlSettings, Fetched, PageUrl, Project, ProjectName, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use template::detect::{Detection, detect};
use utoipa::ToSchema;

use crate::ServiceError;

pub use assets::{Asset, picture};
pub use pick::{Generalise, PathStep, PickedNodes, SelectRequest, Selection};
pub use reading::{FieldCoverage, LinkVerdict, LinkVerdicts, PageColumn, PageReading};
pub use scope::Scope;
pub(crate) use scope::{lasting, pace};

/// Previews kept; the one not used for longest goes first.
const KEPT: usize = 20;

/// How long a preview is kept after it was last used.
const AGE: Duration = Duration::from_secs(30 * 60);

/// Pages longer than this are cut: a person points at the beginning of a page.
const LONGEST: u64 = 8 << 20;

/// Less text than this on a page with scripts: they probably draw it.
const THIN: usize = 200;

/// Which page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PreviewRequest {
    /// Where it stands; without a scheme https is meant.
    pub url: String,
    /// The page itself; asked for if missing.
    pub html: Option<String>,
    /// As this project asks and reads; a new one unless said.
    pub project: Option<String>,
}

/// A page looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PreviewAnswer {
    /// To ask more about it; none when it could not be had.
    pub id: Option<String>,
    /// Where it stands, after redirects.
    pub url: String,
    /// What the server said.
    pub status: Option<u16>,
    /// How long that took.
    pub fetched_ms: Option<u64>,
    /// The page's length.
    pub bytes: Option<u64>,
    /// What robots.txt says.
    pub robots: Option<RobotsSays>,
    /// What was asked for first, and each hop but the last.
    pub redirects: Vec<String>,
    /// True when there is hardly any text: scripts probably draw the page.
    pub thin: bool,
    /// The lists found, the most telling first.
    pub lists: Vec<PageList>,
    /// The project that reads the first list, as its file; the project asked for if one was.
    pub project: Option<Value>,
    /// What it reads from this page.
    pub reading: Option<PageReading>,
    /// Why the page could not be had.
    pub failure: Option<PreviewFailure>,
}

/// The word of robots.txt on the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RobotsSays {
    /// `allows`, `forbids`, `not-asked` or `unknown`.
    pub verdict: String,
    /// The deciding line, from 1.
    pub line: Option<u32>,
    /// In words.
    pub sentence: String,
}

/// Why a page could not be had, and what to try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PreviewFailure {
    /// One sentence.
    pub what: String,
    /// What robots.txt says, where it was asked.
    pub robots: Option<RobotsSays>,
    /// What may help.
    pub advice: Vec<String>,
}

/// A list on the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PageList {
    /// From 0.
    pub index: usize,
    /// Its selector, for people.
    pub name: String,
    /// How many rows.
    pub rows: usize,
    /// Selects the rows.
    pub row: Value,
    /// What stands in them.
    pub fields: Vec<ListField>,
    /// Selects the link to the next page.
    pub next: Option<Value>,
    /// The field whose links lead to a page for each row.
    pub detail_field: Option<String>,
    /// The rows' elements.
    pub nodes: Vec<u32>,
    /// The page types that read it, as in a project file.
    pub template: Value,
}

/// A field of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ListField {
    /// From the page's own words where it has some.
    pub name: String,
    /// What it holds.
    pub kind: String,
    /// Selects it inside a row.
    pub selector: Value,
    /// The attribute that holds the value.
    pub attribute: Option<String>,
    /// Rows that have it.
    pub found: usize,
    /// The first few values.
    pub examples: Vec<String>,
}

/// The pages being looked at.
#[derive(Default)]
pub struct Previews {
    kept: Mutex<VecDeque<Arc<Preview>>>,
}

/// A page kept for questions.
pub struct Preview {
    id: String,
    used: Mutex<Timestamp>,
    fetched: Fetched,
    html: String,
    network: Option<Network>,
    project: Project,
    says: Option<RobotsSays>,
    pause: Option<Duration>,
}

impl Previews {
    /// Looks at a page. `project` is the project asked for, `allow` names the private addresses that may be asked all the
    /// same, the bundled demo site's among them; what the project's settings allow is for its runs.
    pub async fn open(
        &self,
        request: &PreviewRequest,
        project: Option<Project>,
        allow: &[SocketAddr],
        clock: &WallClock,
    ) -> Result<PreviewAnswer, ServiceError> {
        let url = parse(&request.url)?;
        let known = project.is_some();
        let project = project.unwrap_or_else(|| proposed(&url));
        let (page, network) = match &request.html {
            Some(html) => (given(url.clone(), html), None),
            None => {
                // A page looked at may name any address: only whoever started the server opens private ones.
                let mut asking = project.clone();
                asking.crawl.allow_private = false;
                asking.crawl.allow_addresses.clear();
                let network = Network::new(&asking, allow, 2, *clock)?;
                let mut settings = asking.crawl;
                let limit = settings.max_body.limit().unwrap_or(LONGEST).min(LONGEST);
                settings.max_body = model::Size::from_bytes(limit);
                match look_at(&network, &settings, &url, clock).await {
                    Ok(page) => (page, Some(network)),
                    Err(error) => {
                        return Ok(failed(&url, &error, settings.robots == model::RobotsMode::Obey));
                    }
                }
            }
        };
        let says = page.robots.map(|verdict| RobotsSays::of(verdict.allowed, verdict.line));
        let fetched = page.fetched;
        let (html, _) = extract::decode(
            &fetched.content,
            fetched.headers.get("content-type"),
            extract::Kind::Html,
            &fetched.url,
        );
        let preview = Arc::new(Preview {
            id: id_of(&fetched, clock.now()),
            used: Mutex::new(clock.now()),
            html: html.into_owned(),
            network,
            project,
            says,
            pause: page.pause,
            fetched,
        });
        let redirects = page.redirects.iter().map(ToString::to_string).collect();
        let looked = preview.clone();
        let answer = tokio::task::spawn_blocking(move || looked.answer(known, redirects));
        let answer = answer.await.map_err(|_| ServiceError::Lost)??;
        self.keep(preview, clock.now());
        Ok(answer)
    }

    /// The preview of this name.
    pub fn get(&self, id: &str, now: Timestamp) -> Result<Arc<Preview>, ServiceError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        drop_old(&mut kept, now);
        let at = kept.iter().position(|preview| preview.id == id).ok_or(ServiceError::NoPreview)?;
        let preview = kept.remove(at).ok_or(ServiceError::NoPreview)?;
        *preview.used.lock().unwrap_or_else(PoisonError::into_inner) = now;
        kept.push_back(preview.clone());
        Ok(preview)
    }

    fn keep(&self, preview: Arc<Preview>, now: Timestamp) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        drop_old(&mut kept, now);
        while kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(preview);
    }
}

fn drop_old(kept: &mut VecDeque<Arc<Preview>>, now: Timestamp) {
    kept.retain(|preview| {
        let used = *preview.used.lock().unwrap_or_else(PoisonError::into_inner);
        now.since(used) < AGE
    });
}

impl Preview {
    fn tree(&self) -> Tree {
        html::parse(&self.html, &mut ())
    }

    fn answer(&self, known: bool, redirects: Vec<String>) -> Result<PreviewAnswer, ServiceError> {
        let tree = self.tree();
        let found = detect(&tree);
        let mut project = self.project.clone();
        if !known {
            project.fields = found.template(0);
        }
        let words = tree.text_content(tree.root()).split_whitespace().map(str::len).sum::<usize>();
        let scripts = tree.descendants(tree.root()).any(|node| tree.name(node) == Some("script"));
        Ok(PreviewAnswer {
            id: Some(self.id.clone()),
            url: self.fetched.url.to_string(),
            status: Some(self.fetched.status),
            fetched_ms: Some(self.fetched.timings.total.as_millis() as u64),
            bytes: Some(self.fetched.content.len() as u64),
            robots: Some(self.says.clone().unwrap_or_else(RobotsSays::not_asked)),
            redirects,
            thin: scripts && words < THIN,
            lists: (0..found.lists.len()).map(|at| page_list(&found, at)).collect(),
            reading: Some(self.read(&project)?),
            project: Some(project.to_json()),
            failure: None,
        })
    }
}

impl RobotsSays {
    fn of(allowed: bool, line: Option<u32>) -> RobotsSays {
        let (verdict, sentence) = match (allowed, line) {
            (true, None) => ("allows", "robots.txt has no rule against it".to_owned()),
            (true, Some(line)) => ("allows", format!("robots.txt allows it in line {line}")),
            (false, Some(line)) => ("forbids", format!("robots.txt forbids it in line {line}")),
            (false, None) => ("forbids", "robots.txt forbids it".to_owned()),
        };
        RobotsSays { verdict: verdict.to_owned(), line, sentence }
    }

    /// What it says of a page that could not be had.
    fn after(error: &SinglePageError, obeys: bool) -> RobotsSays {
        let sentence = match error {
            SinglePageError::Disallowed { line, .. } => return RobotsSays::of(false, *line),
            SinglePageError::Status { robots: Some(verdict), .. }
            | SinglePageError::Allowed { robots: verdict, .. } => {
                return RobotsSays::of(verdict.allowed, verdict.line);
            }
            SinglePageError::Redirects(_) if obeys => "robots.txt allows each hop",
            SinglePageError::NoRobots { .. } => "robots.txt could not be read, so nothing else is asked for",
            SinglePageError::Address { .. } if obeys => "robots.txt could not be read either",
            _ => return RobotsSays::not_asked(),
        };
        RobotsSays { verdict: "unknown".to_owned(), line: None, sentence: sentence.to_owned() }
    }

    fn not_asked() -> RobotsSays {
        let sentence = "robots.txt was not asked".to_owned();
        RobotsSays { verdict: "not-asked".to_owned(), line: None, sentence }
    }
}

/// What people paste: often without a scheme.
fn parse(text: &str) -> Result<PageUrl, ServiceError> {
    let text = text.trim();
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    PageUrl::parse(&whole).map_err(|source| ServiceError::Url { text: text.to_owned(), source })
}

/// A project for a page nobody has crawled yet: the list and its further pages, not whatever else the site names.
fn proposed(url: &PageUrl) -> Project {
    Project {
        name: ProjectName::of(url),
        start: vec![url.clone()],
        crawl: CrawlSettings { crawl_hints: false, ..CrawlSettings::default() },
        fields: None,
        index: None,
    }
}

/// A page that came with the question.
fn given(url: PageUrl, html: &str) -> SinglePage {
    let content = bytes::Bytes::copy_from_slice(&html.as_bytes()[..html.len().min(LONGEST as usize)]);
    let html_type = bytes::Bytes::from_static(b"text/html; charset=utf-8");
    let fetched = Fetched {
        url,
        address: None,
        started: Timestamp::ZERO,
        timings: model::Timings::default(),
        request: bytes::Bytes::new(),
        version: model::HttpVersion::Http1,
        status: 200,
        head: bytes::Bytes::new(),
        headers: model::Headers(vec![("content-type".to_owned(), html_type)]),
        body: content.clone(),
        content,
        cut: None,
    };
    SinglePage { fetched, redirects: Vec::new(), robots: None, pause: None }
}

/// What cannot be guessed by looking at other previews.
fn id_of(fetched: &Fetched, now: Timestamp) -> String {
    let seed = format!("{} {} {}", fetched.url, now.0, fetched.content.len());
    format!(
        "{:016x}",
        xxhash_rust::xxh3::xxh3_64_with_seed(&fetched.content, xxhash_rust::xxh3::xxh3_64(seed.as_bytes()))
    )
}

fn page_list(found: &Detection, at: usize) -> PageList {
    let list = &found.lists[at];
    let template = found.template(at);
    let page = template.as_ref().and_then(|template| template.pages.first());
    let field = |(field, read): (&template::detect::Field, &model::Field)| ListField {
        name: field.name.clone(),
        kind: field.kind.as_str().to_owned(),
        selector: selector(field.selector.as_str(), field.selector.as_css().is_some()),
        attribute: read.attribute.clone(),
        found: field.values.iter().filter(|values| !values.is_empty()).count(),
        examples: field
            .values
            .iter()
            .filter_map(|values| values.first())
            .take(3)
            .map(|text| cut(text))
            .collect(),
    };
    let read = page.map(|page| page.read.as_slice()).unwrap_or_default();
    PageList {
        index: at,
        name: list.row.as_str().to_owned(),
        rows: list.rows.len(),
        row: selector(list.row.as_str(), list.row.as_css().is_some()),
        fields: list.fields.iter().zip(read).map(field).collect(),
        next: found
            .next
            .as_ref()
            .map(|next| selector(next.selector.as_str(), next.selector.as_css().is_some())),
        detail_field: list.detail.map(|at| list.fields[at].name.clone()),
        nodes: list.rows.iter().map(|node| node.index()).collect(),
        template: serde_json::to_value(&template).unwrap_or_default(),
    }
}

/// `{"css": …}` or `{"xpath": …}`.
fn selector(text: &str, is_css: bool) -> Value {
    if is_css { serde_json::json!({ "css": text }) } else { serde_json::json!({ "xpath": text }) }
}

/// Text short enough to be shown.
fn cut(text: &str) -> String {
    let mut short: String = text.chars().take(200).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn failed(url: &PageUrl, error: &SinglePageError, obeys: bool) -> PreviewAnswer {
    let advice: &[&str] = match error {
        SinglePageError::Disallowed { .. } => &[
            "Try another page of the site.",
            "On a site of your own, set robots to ignore in the crawl settings.",
        ],
        SinglePageError::NoRobots { .. } => &[
            "Open the address in a browser: is the site up?",
            "Try again later: while robots.txt cannot be read, nothing may be asked for.",
        ],
        SinglePageError::Address { .. } => {
            &["Check the spelling of the host.", "Check this machine's network."]
        }
        SinglePageError::Private(_) => &[
            "Addresses of this machine and its network are not asked: a page could make the crawler reach what it should not.",
            "For a site of your own, start the server with --allow-addresses ADDRESS:PORT. What a project's crawl settings allow counts for its runs only.",
        ],
        SinglePageError::Status { status: 401 | 403, .. } => &[
            "The site wants a sign-in or refuses crawlers.",
            "Set cookies or headers in the crawl settings.",
        ],
        SinglePageError::Status { status: 404 | 410, .. } => &["There is no such page: check the address."],
        SinglePageError::Status { status: 429 | 503, .. } => {
            &["The site asks for patience: try again later."]
        }
        SinglePageError::Status { .. } => &["The site has trouble: try again later."],
        SinglePageError::Redirects(_) => &["The site sends every visitor on: it may want cookies."],
        SinglePageError::Fetch(_) | SinglePageError::Allowed { .. } => &[
            "Open the address in a browser: is the site up?",
            "Try http:// instead of https://, or the other way round.",
        ],
    };
    let status = match error {
        SinglePageError::Status { status, .. } => Some(*status),
        _ => None,
    };
    let robots = Some(RobotsSays::after(error, obeys));
    let what = match error {
        // The error itself speaks of options of the command line.
        SinglePageError::Private(host) => format!("{host} is at a private address"),
        _ => sentence(error),
    };
    PreviewAnswer {
        id: None,
        url: url.to_string(),
        status,
        fetched_ms: None,
        bytes: None,
        robots: robots.clone(),
        redirects: Vec::new(),
        thin: false,
        lists: Vec::new(),
        project: None,
        reading: None,
        failure: Some(PreviewFailure {
            what,
            robots,
            advice: advice.iter().map(ToString::to_string).collect(),
        }),
    }
}

/// The error with what caused it.
fn sentence(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        words.push_str(": ");
        words.push_str(&next.to_string());
        cause = next.source();
    }
    words
}
