//! A small site, crawled by hand: frontier, archive and tables as a run writes them, without a network.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use archive::tables::{Committed, Edge, LINKS, Links, POSITIONS, VISITS, VisitRecord};
use archive::{ArchiveSettings, ArchiveWriter, Kept, Opened, Purpose, RecordWriter, Visit};
use bytes::Bytes;
use frontier::tables::{ROBOTS, RobotsAnswer, RobotsRecord, SITES};
use frontier::{Asked, End, Frontier, Next, Offer, Patience, Sent, Settled};
use kv::{Durability, Reader};
use model::{
    CrawlId, ErrorKind, Fetched, Headers, LeasedUrl, Link, LinkKind, LinkLook, Outcome, Page, PageUrl,
    Project, Rel, Timestamp, Timings, UrlKey,
};
use serde_json::Value;
use service::{Access, Data, Request, ServiceError};
use tokio::runtime::Runtime;

pub(crate) const NOW: Timestamp = Timestamp(1_763_196_319_123);

pub(crate) fn url(text: &str) -> PageUrl {
    PageUrl::parse(text).unwrap()
}

/// What the site's server says.
#[derive(Clone)]
pub(crate) enum Says {
    Page {
        title: &'static str,
        links: Vec<(&'static str, &'static str)>,
        millis: u64,
    },
    /// A page with this HTML.
    Html {
        html: &'static str,
        links: Vec<(&'static str, &'static str)>,
        noindex: bool,
    },
    Moved(&'static str),
    Status(u16),
    Busy,
    Denied(u32),
}

/// A data directory with one crawled project.
pub(crate) struct Site {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) runtime: Runtime,
    pub(crate) data: Option<Arc<Data>>,
    pub(crate) crawl: CrawlId,
}

pub(crate) fn project() -> Project {
    let mut project = Project {
        name: "shop".parse().unwrap(),
        start: vec![url("http://shop.test/"), url("http://shop.test/island")],
        crawl: model::CrawlSettings::default(),
        fields: None,
        index: None,
    };
    project.crawl.exclude = vec!["/private/*".parse().unwrap()];
    project.crawl.max_depth = 5;
    // Tries again what is busy as often as its tests expect.
    project.crawl.order = model::Order::BREADTH_FIRST;
    project
}

pub(crate) fn pages() -> BTreeMap<&'static str, Says> {
    let page = |title, links: &[(&'static str, &'static str)], millis| Says::Page {
        title,
        links: links.to_vec(),
        millis,
    };
    BTreeMap::from([
        (
            "http://shop.test/",
            page(
                "Home",
                &[
                    ("http://shop.test/a", "First"),
                    ("http://shop.test/b", "Second"),
                    ("http://shop.test/gone", "Lost"),
                    ("http://shop.test/old", "Old"),
                    ("http://shop.test/private/x", "Secret"),
                    ("http://other.test/", "Elsewhere"),
                    ("http://shop.test/denied", "Denied"),
                ],
                20,
            ),
        ),
        (
            "http://shop.test/a",
            page("A", &[("http://shop.test/", "Home"), ("http://shop.test/a", "Myself")], 900),
        ),
        ("http://shop.test/b", page("B", &[("http://shop.test/gone", "Lost again")], 30)),
        ("http://shop.test/gone", Says::Status(404)),
        ("http://shop.test/old", Says::Moved("http://shop.test/older")),
        ("http://shop.test/older", Says::Moved("http://shop.test/new")),
        ("http://shop.test/new", page("New", &[("http://shop.test/flaky", "Flaky")], 10)),
        ("http://shop.test/denied", Says::Denied(2)),
        ("http://shop.test/flaky", Says::Busy),
        ("http://shop.test/island", page("Island", &[], 15)),
    ])
}

impl Site {
    pub(crate) fn empty() -> Site {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let mut site = Site { dir, runtime, data: None, crawl: CrawlId(0) };
        site.open(Access::Create).unwrap();
        site
    }

    /// The whole site, crawled.
    pub(crate) fn crawled() -> Site {
        let mut site = Site::empty();
        let entry = site.runtime.block_on(site.data().catalog().upsert_project(&project(), NOW)).unwrap();
        site.crawl = entry.crawl;
        site.run(&pages());
        site
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn data(&self) -> &Arc<Data> {
        self.data.as_ref().expect("open")
    }

    pub(crate) fn open(&mut self, access: Access) -> Result<(), ServiceError> {
        self.data = Some(self.runtime.block_on(Data::open(self.dir.path(), access))?);
        Ok(())
    }

    /// Closes everything, and waits until the catalog is: its connection writes once more when it ends.
    pub(crate) fn close(&mut self) {
        if let Some(data) = self.data.take() {
            self.runtime.block_on(data.catalog().close());
        }
    }

    pub(crate) fn ask(&self, request: &Request) -> Result<Vec<Value>, ServiceError> {
        let mut rows = Vec::new();
        service::answer(self.data(), request, NOW, &mut |row| {
            rows.push(row);
            ControlFlow::Continue(())
        })?;
        Ok(rows)
    }

    /// Crawls what the pages say until all that is left waits for a retry.
    pub(crate) fn run(&self, pages: &BTreeMap<&'static str, Says>) {
        let store = self.data().store().clone();
        let id = self.crawl;
        let project = project();
        let committed = store.get(&POSITIONS, &id.0).unwrap().unwrap_or_default();
        let settings = ArchiveSettings {
            info: vec![("isPartOf".into(), project.name.to_string())],
            ..ArchiveSettings::default()
        };
        let dir = self.data().archive_dir(id);
        let Opened { writer: mut archive, .. } =
            ArchiveWriter::open(&dir, committed.position, settings).unwrap();
        let mut now = NOW;
        let mut frontier = Frontier::open(store.clone(), now).unwrap();
        frontier.begin(id, &project).unwrap();
        let mut batch = store.batch();
        let text = b"User-agent: *\nDisallow: /denied\n".to_vec();
        let robots = RobotsRecord {
            fetched: now,
            expires: now + Duration::from_secs(86_400),
            answer: RobotsAnswer::Rules { text, version: 7 },
        };
        batch.put(&ROBOTS, &"http://shop.test".to_owned(), &robots);
        for start in &project.start {
            let key = UrlKey::of(start);
            let offer = Offer {
                url: start.clone(),
                key,
                depth: 0,
                via: None,
                unfollowed: None,
                start: true,
                hops: 0,
                further: false,
                weight: 1,
                links: 1,
            };
            frontier.offer(&mut batch, id, offer, now).unwrap();
        }
        loop {
            frontier.settle_refusals(&mut batch).unwrap();
            frontier.reconsider(&mut batch, id, 1_000).unwrap();
            frontier.seal(&mut batch, now).unwrap();
            let position = archive.sync().unwrap();
            batch.put(&POSITIONS, &id.0, &Committed { position, at: now });
            store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Synced).unwrap();
            frontier.committed(now).unwrap();
            match frontier.next(id, now).unwrap() {
                Next::Resolve(host) => {
                    let address = ("192.0.2.1".parse().unwrap(), now + Duration::from_secs(86_400));
                    frontier.resolved(&host, Ok(address), now).unwrap();
                }
                Next::Lease(lease) => {
                    for leased in &lease.urls {
                        let sent_at = now;
                        let (end, visit, links, records) =
                            visit(id, leased, &pages[leased.url.as_str()], now);
                        now = now + Duration::from_millis(visit.as_ref().map_or(0, |visit| visit.millis));
                        let key = leased.key;
                        if let (Some(mut visit), Some(records)) = (visit, records) {
                            let at = archive.append(&records.bytes, now).unwrap();
                            visit.location = Some(at.of(records.members[0]));
                            batch.put(&VISITS, &(id.0, key.host.0, key.page, sent_at.0), &visit);
                            let stats = frontier.crawl_mut(id).stats_mut();
                            *stats.statuses.entry(visit.status.unwrap()).or_default() += 1;
                            stats.fetch_millis.add(visit.millis);
                        }
                        if let Some(links) = links {
                            batch.put(&LINKS, &(id.0, key.host.0, key.page), &links);
                        }
                        let denied = matches!(end, End::Disallowed { .. });
                        let sent = (!denied).then_some(Sent { start: sent_at, end: now });
                        let settled = Settled { lease: lease.id, key, sent, asked: Asked::default(), end };
                        frontier.settle(&mut batch, settled, now).unwrap();
                    }
                    frontier.release(lease.id, now).unwrap();
                }
                Next::Wait { until: Some(until), .. } if waiting(&store, id) > 0 => now = until,
                Next::Wait { .. } | Next::Done | Next::Reached(_) => break,
            }
        }
        frontier.close(&mut batch, now);
        store.commit(batch, Durability::Synced).unwrap();
    }
}

fn waiting(store: &kv::Store, crawl: CrawlId) -> u64 {
    store.prefix(&SITES, &crawl.0).map(|site| site.unwrap().1.waiting).sum()
}

type Visited = (End, Option<VisitRecord>, Option<Links>, Option<archive::Records>);

fn visit(crawl: CrawlId, leased: &LeasedUrl, says: &Says, now: Timestamp) -> Visited {
    let (status, millis, head) = match says {
        Says::Denied(line) => return (End::Disallowed { line: Some(*line) }, None, None, None),
        Says::Page { millis, .. } => {
            (200, *millis, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n".to_owned())
        }
        Says::Html { .. } => (200, 5, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n".to_owned()),
        Says::Moved(to) => (301, 5, format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\n\r\n")),
        Says::Status(status) => (*status, 5, format!("HTTP/1.1 {status} No\r\n\r\n")),
        Says::Busy => (503, 5, "HTTP/1.1 503 Busy\r\n\r\n".to_owned()),
    };
    let body = match says {
        Says::Html { html, .. } => Bytes::from(*html),
        _ => Bytes::from(format!("<p>{}", leased.url)),
    };
    let headers = match says {
        Says::Page { .. } | Says::Html { .. } => vec![("Content-Type".to_owned(), Bytes::from("text/html"))],
        _ => vec![],
    };
    let fetched = Fetched {
        url: leased.url.clone(),
        address: Some("192.0.2.1:80".parse().unwrap()),
        version: model::HttpVersion::Http1,
        started: now,
        timings: Timings { total: Duration::from_millis(millis), ..Timings::default() },
        request: Bytes::from("GET / HTTP/1.1\r\n\r\n"),
        status,
        head: head.into(),
        headers: Headers(headers),
        body: body.clone(),
        content: body,
        cut: None,
    };
    let titled = match says {
        Says::Page { title, links, .. } => Some((*title, links)),
        Says::Html { links, .. } => Some(("", links)),
        _ => None,
    };
    let hidden = matches!(says, Says::Html { noindex: true, .. });
    let page = match titled {
        Some((title, links)) => Some(Page {
            title: title.to_owned(),
            directives: model::PageDirectives { noindex: hidden, ..model::PageDirectives::default() },
            charset: "UTF-8".into(),
            links: links
                .iter()
                .map(|(to, anchor)| Link {
                    url: url(to),
                    anchor: (*anchor).into(),
                    look: LinkLook::plain(1),
                    rel: Rel::default(),
                    kind: LinkKind::Anchor,
                })
                .collect(),
            ..Page::default()
        }),
        _ => None,
    };
    let outcome = page.is_some().then_some(Outcome::Fetched);
    let records = RecordWriter::default().records(&Visit {
        crawl,
        fetched: &fetched,
        purpose: Purpose::Page,
        via: leased.via.as_ref(),
        depth: leased.depth,
        outcome: outcome.as_ref(),
        page: page.as_ref(),
        kept: Kept::Whole,
    });
    let error = (status >= 400).then_some(ErrorKind::Status(status));
    let end = match says {
        Says::Page { .. } | Says::Html { .. } => End::Page {
            bytes: fetched.body.len() as u64,
            links: page
                .iter()
                .flat_map(|page| &page.links)
                .map(|link| Offer {
                    url: link.url.clone(),
                    key: UrlKey::of(&link.url),
                    depth: leased.depth + 1,
                    via: Some(leased.key),
                    unfollowed: None,
                    start: false,
                    hops: 0,
                    further: false,
                    weight: 1,
                    links: 1,
                })
                .collect(),
            text: None,
            topic: None,
        },
        Says::Moved(to) => End::Redirect { to: url(to), passing: false },
        Says::Busy => End::Busy { status, wait: Some(Duration::from_secs(3_600)) },
        _ => End::Failed { error: ErrorKind::Status(status), patience: Patience::Drop },
    };
    let links = page.as_ref().map(|page| Links {
        edges: page.links.iter().map(|link| Edge::of(link, UrlKey::of(&link.url), true)).collect(),
    });
    let visit = VisitRecord {
        status: Some(status),
        error,
        millis,
        bytes: fetched.body.len() as u64,
        content_bytes: fetched.content.len() as u64,
        content_type: fetched.content_type(),
        cut: None,
        title: page.map(|page| page.title),
        content_hash: xxhash_rust::xxh3::xxh3_64(&fetched.content),
        location: None,
        etag: None,
        last_modified: None,
        noindex: hidden,
        canonical: None,
        text_hash: 0,
    };
    (end, Some(visit), links, Some(records))
}
