//! A small web of the test's own: a function from request to answer, and what it was asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use archive::tables::{VISITS, VisitRecord};
use kv::Reader;
use model::{CrawlSettings, PageUrl, Project, UrlKey};
use tokio::sync::watch;
use webs::serve::ServeOptions;
use webs::{Answer, Request, Server, Web};

use crate::bench_site::{Bench, CRAWL, project};

type Answers = Box<dyn Fn(&Request) -> Answer + Send + Sync>;

/// A web that is served.
pub(crate) struct Site {
    pub(crate) server: Server,
    drawn: Arc<Drawn>,
}

struct Drawn {
    answers: Answers,
    hosts: Vec<String>,
    seen: Mutex<Vec<Request>>,
    count: watch::Sender<usize>,
}

impl Web for Drawn {
    fn answer(&self, request: &Request) -> Answer {
        self.seen.lock().unwrap().push(request.clone());
        self.count.send_modify(|count| *count += 1);
        (self.answers)(request)
    }

    fn hosts(&self) -> Vec<String> {
        self.hosts.clone()
    }
}

impl Site {
    /// Serves on 127.0.0.1.
    pub(crate) async fn serve(answers: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Site {
        Site::serve_hosts(&[], answers).await
    }

    /// Serves under these names, each at an address of its own.
    pub(crate) async fn serve_hosts(
        hosts: &[&str],
        answers: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Site {
        Site::serve_hosts_at(u8::try_from(hosts.len().max(1)).unwrap(), hosts, answers).await
    }

    /// Serves under these names, which share so many addresses.
    pub(crate) async fn serve_hosts_at(
        addresses: u8,
        hosts: &[&str],
        answers: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Site {
        let drawn = Arc::new(Drawn {
            answers: Box::new(answers),
            hosts: hosts.iter().map(ToString::to_string).collect(),
            seen: Mutex::default(),
            count: watch::Sender::new(0),
        });
        let server =
            Server::start_with(drawn.clone(), &ServeOptions::on_loopbacks(addresses, 0)).await.unwrap();
        Site { server, drawn }
    }

    /// A page of the site.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.server.base())
    }

    /// A page of one of its hosts.
    pub(crate) fn url_at(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.server.addr().port())
    }

    /// A project that begins at these pages of the site.
    pub(crate) fn project(
        &self,
        bench: &Bench,
        start: &[String],
        edit: impl FnOnce(&mut CrawlSettings),
    ) -> Project {
        let hosts = bench.dir.path().join("hosts");
        std::fs::write(&hosts, self.server.hosts_file()).unwrap();
        let mut project = project(&start[0], |crawl| {
            crawl.hosts = Some(hosts);
            edit(crawl);
        });
        project.start = start.iter().map(|url| PageUrl::parse(url).unwrap()).collect();
        project.normalised()
    }

    /// What was asked for so far, in order.
    pub(crate) fn asked(&self) -> Vec<Request> {
        self.drawn.seen.lock().unwrap().clone()
    }

    /// Paths and queries asked for so far, robots.txt left out.
    pub(crate) fn asked_paths(&self) -> Vec<String> {
        self.asked().iter().map(Request::target).filter(|target| target != "/robots.txt").collect()
    }

    /// Waits until this many requests have come.
    pub(crate) async fn has_been_asked(&self, times: usize) {
        self.drawn.count.subscribe().wait_for(|count| *count >= times).await.unwrap();
    }

    /// The shortest time between two request starts at a host, robots.txt included.
    pub(crate) fn shortest_gap(&self, host: &str) -> Duration {
        let log = self.server.log().entries();
        let starts: Vec<u64> =
            log.iter().filter(|entry| entry.host.starts_with(host)).map(|entry| entry.us).collect();
        let gap = starts.windows(2).map(|pair| pair[1] - pair[0]).min();
        Duration::from_micros(gap.unwrap_or(u64::MAX))
    }
}

impl Bench {
    /// What became of each URL, as people read it; URLs of the site without their base.
    pub(crate) fn outcomes(&self, site: &Site) -> BTreeMap<String, String> {
        let short = |text: &str| text.replace(&site.server.base(), "");
        self.urls()
            .into_iter()
            .map(|(url, record)| (short(&url), short(&record.outcome.to_string())))
            .collect()
    }

    /// The visits of a URL, oldest first.
    pub(crate) fn visits(&self, url: &str) -> Vec<VisitRecord> {
        let key = UrlKey::of(&PageUrl::parse(url).unwrap());
        let rows = self.store.prefix(&VISITS, &(CRAWL.0, key.host.0, key.page));
        rows.map(|row| row.unwrap().1).collect()
    }
}

/// A page with a title and links.
pub(crate) fn page(title: &str, links: &[&str]) -> Answer {
    let links: String = links.iter().map(|link| format!("<p><a href=\"{link}\">{link}</a></p>\n")).collect();
    html(&format!("<!doctype html><title>{title}</title><body>{links}"))
}

pub(crate) fn html(text: &str) -> Answer {
    Answer::new(200, "text/html; charset=utf-8", text.to_owned())
}

pub(crate) fn not_found() -> Answer {
    Answer::new(404, "text/html", "<title>Not here</title>")
}

/// The same answer, some time later.
pub(crate) fn after(millis: u64, answer: Answer) -> Answer {
    Answer { delay: Duration::from_millis(millis), ..answer }
}
