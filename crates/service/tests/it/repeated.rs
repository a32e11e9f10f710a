//! A crawl simulated by its own order fetches as it did.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawl::{Neighbours, Run, Setup};
use frontier::tables::{REQUESTS, RequestRecord, URLS};
use kv::{Reader, Store};
use model::{CrawlId, CrawlSettings, Order, Outcome, PageUrl, Project, UrlKey};
use simulate::{Expand, Plan, of_crawl};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use webs::generated::{Generated, GeneratedWeb};
use webs::serve::ServeOptions;
use webs::{Answer, Request, Server, Web};

const CRAWL: CrawlId = CrawlId(1);

/// A crawl of a generated web → what its server was asked for, and what a simulation of the same asks for.
async fn both(shape: Generated, edit: impl Fn(&mut CrawlSettings)) -> (Vec<PageUrl>, Vec<PageUrl>) {
    let web = Arc::new(GeneratedWeb::new(shape.clone()).unwrap());
    both_of(web, shape.hosts as u8, |port| shape.start_url(port), edit).await
}

/// The same of any web, on so many addresses.
async fn both_of(
    web: Arc<dyn Web>,
    addresses: u8,
    start: impl Fn(u16) -> String,
    edit: impl Fn(&mut CrawlSettings),
) -> (Vec<PageUrl>, Vec<PageUrl>) {
    let server = Server::start_with(web, &ServeOptions::on_loopbacks(addresses, 0)).await.unwrap();
    let start = start(server.addr().port());
    both_at(&server, &server.hosts_file(), &start, edit).await
}

/// The same of a server, where hosts are found by a file.
async fn both_at(
    server: &Server,
    hosts_file: &str,
    start: &str,
    edit: impl Fn(&mut CrawlSettings),
) -> (Vec<PageUrl>, Vec<PageUrl>) {
    let dir = tempfile::tempdir().unwrap();
    let hosts = dir.path().join("hosts");
    std::fs::write(&hosts, hosts_file).unwrap();
    let mut crawl = CrawlSettings {
        allow_private: true,
        crawl_hints: false,
        scope: "any".parse().unwrap(),
        rate: Some("9/s".parse().unwrap()),
        hosts: Some(hosts),
        retry: 0,
        ..CrawlSettings::default()
    };
    edit(&mut crawl);
    let start = vec![PageUrl::parse(start).unwrap()];
    let project = Project {
        name: "test".parse().unwrap(),
        start: start.clone(),
        crawl: crawl.clone(),
        fields: None,
        index: None,
    };
    let store = Store::open(&dir.path().join("crawl"), kv::Options::default()).unwrap();
    let setup = Setup {
        store: store.clone(),
        dir: dir.path().to_owned(),
        archive: dir.path().join("archive"),
        crawl: CRAWL,
        project,
        allow: Vec::new(),
        retry_failed: false,
        refresh: false,
        watcher: None,
        paused: false,
        neighbours: Neighbours::default(),
    };
    Run::start(setup).unwrap().wait().await.unwrap();
    let fetched = |url: &PageUrl| {
        let key = UrlKey::of(url);
        let record = store.get(&URLS, &frontier::page_key(CRAWL, key)).unwrap();
        record.is_some_and(|record| record.outcome == Outcome::Fetched)
    };
    let asked = server.log().entries().into_iter();
    let asked =
        asked.filter_map(|entry| PageUrl::parse(&format!("http://{}{}", entry.host, entry.target)).ok());
    let topic = crawl::topic_of(&crawl).unwrap();
    let web = of_crawl(&store, CRAWL, &start, topic.as_ref()).unwrap();
    let plan = Plan {
        seeds: web.seeds().to_vec(),
        workers: crawl.connections as usize,
        by_rules: true,
        latency: Duration::from_millis(5),
        queue: 0,
        expand: Expand::All,
        time: crawl.walltime.limit(),
        replay: true,
        settings: crawl,
    };
    let run = ::simulate::run(&web, &plan).unwrap();
    let simulated: Vec<PageUrl> = run.order().into_iter().map(|page| web.url(page).unwrap()).collect();
    let mut asked: Vec<PageUrl> = asked.filter(fetched).collect();
    // What is sent on a connection that its server has just ended is sent again, and so is what was busy: the last
    // request brought the page.
    let mut known = HashSet::new();
    asked.reverse();
    asked.retain(|url| known.insert(url.clone()));
    asked.reverse();
    if plan.workers == 1 {
        let kept = store.prefix(&REQUESTS, &CRAWL.0).map(|row| row.unwrap().1);
        let sent = kept.filter(RequestRecord::is_sent).count();
        // Those that brought nothing are repeated, too.
        assert_eq!(run.requests, sent as u64, "{}: requests", plan.settings.order);
    }
    (asked, simulated)
}

/// No late answers and no failures: what is left depends on the order alone.
fn calm(hosts: u32, pages: u64) -> Generated {
    Generated {
        hosts,
        pages,
        links_per_page: 8,
        across_percent: 0,
        page_bytes: (500, 2_000),
        slow_per_mille: 0,
        failing_per_mille: 0,
        ..Generated::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_of_one_connection_is_simulated_in_its_exact_order() {
    let mixed = "0.5 opic + 0.5 location".parse().unwrap();
    let orders = model::Policy::ALL.into_iter().map(Order::only).chain([mixed]);
    let crawl = |order: Order| {
        tokio::spawn(async move {
            let edit = |crawl: &mut CrawlSettings| {
                (crawl.connections, crawl.order) = (1, order);
                crawl.walltime = "10m".parse().unwrap();
                crawl.topic = ["boat", "harbour", "river", "lake"].map(str::to_owned).to_vec();
            };
            (order, both(calm(1, 30), edit).await)
        })
    };
    let crawls: Vec<_> = orders.map(crawl).collect();
    for crawl in crawls {
        let (order, (asked, simulated)) = crawl.await.unwrap();
        assert!(asked.len() >= 30, "{order}: {} pages", asked.len());
        assert_eq!(asked, simulated, "{order}");
    }
}

/// Every order, and a mixture.
fn orders() -> impl Iterator<Item = Order> {
    let mixed = "0.5 opic + 0.5 location".parse().unwrap();
    model::Policy::ALL.into_iter().map(Order::only).chain([mixed])
}

fn alone(crawl: &mut CrawlSettings, order: Order, rate: &str) {
    (crawl.connections, crawl.order, crawl.rate) = (1, order, Some(rate.parse().unwrap()));
    crawl.walltime = "10m".parse().unwrap();
    crawl.topic = ["boat", "harbour", "river", "lake"].map(str::to_owned).to_vec();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_of_one_connection_is_simulated_in_its_exact_order_without_pauses_and_on_several_hosts() {
    // Hosts, their addresses, the rate, pages at most.
    let cases =
        [(1, 1, "unlimited", 150), (4, 4, "unlimited", 100), (4, 1, "unlimited", 100), (4, 1, "20/s", 60)];
    for (hosts, addresses, rate, pages) in cases {
        let shape = Generated { across_percent: 20, ..calm(hosts, 160) };
        let crawl = |order: Order| {
            let shape = shape.clone();
            tokio::spawn(async move {
                let web = Arc::new(GeneratedWeb::new(shape.clone()).unwrap());
                let edit = |crawl: &mut CrawlSettings| {
                    alone(crawl, order, rate);
                    (crawl.crawl_hints, crawl.max_pages) = (true, pages);
                };
                (order, both_of(web, addresses, |port| shape.start_url(port), edit).await)
            })
        };
        let crawls: Vec<_> = orders().map(crawl).collect();
        for crawl in crawls {
            let (order, (asked, simulated)) = crawl.await.unwrap();
            assert!(asked.len() as u64 >= pages, "{order}, {hosts} hosts at {rate}: {} pages", asked.len());
            assert_eq!(asked, simulated, "{order}, {hosts} hosts on {addresses} addresses at {rate}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_of_the_demo_site_is_simulated_in_its_exact_order() {
    for order in ["breadth-first", "depth-first", "pagerank", "pvalue", "topic"] {
        let order: Order = order.parse().unwrap();
        let web = Arc::new(webs::demo::Demo::new(1, 0));
        let edit = |crawl: &mut CrawlSettings| {
            alone(crawl, order, "unlimited");
            (crawl.crawl_hints, crawl.max_pages) = (true, 300);
        };
        let start = |port| format!("http://{}:{port}/", webs::demo::HOST);
        let (asked, simulated) = both_of(web, 1, start, edit).await;
        assert!(asked.len() >= 100, "{order}: {} pages", asked.len());
        assert_eq!(asked, simulated, "{order}");
    }
}

/// A web that is moody: of its pages some say 429 or 503 at first, some fail, and of some the connection is reset.
struct Moody {
    web: GeneratedWeb,
    asked: Mutex<HashMap<String, u32>>,
}

/// How a page behaves when it is asked for the n-th time, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Well,
    /// With this status, and a Retry-After of so many seconds.
    Busy(u16, Option<u8>),
    /// 500.
    Fails,
    Reset,
}

impl Mood {
    fn of(host: &str, path: &str, asked: u32) -> Mood {
        // Of the name alone: the port is another each time.
        let name = host.split(':').next().unwrap_or_default();
        let draw =
            format!("{name}{path}").bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31) + u32::from(byte));
        match (draw % 20, asked) {
            _ if path == "/robots.txt" || path == "/" => Mood::Well,
            (0, 0) => Mood::Busy(429, Some(1)),
            (1, 0) => Mood::Busy(503, None),
            (2, 0..=1) => Mood::Busy(503, Some(1)),
            (3, 0) => Mood::Fails,
            (4, 0) => Mood::Reset,
            (5, 0..=1) => Mood::Reset,
            _ => Mood::Well,
        }
    }
}

impl Web for Moody {
    fn answer(&self, request: &Request) -> Answer {
        let key = format!("{}{}", request.host, request.path);
        let mut asked = self.asked.lock().unwrap();
        let count = asked.entry(key).or_default();
        *count += 1;
        let answer = match Mood::of(&request.host, &request.path, *count - 1) {
            Mood::Busy(status, wait) => {
                let answer = Answer::new(status, "text/plain", "busy");
                match wait {
                    Some(wait) => answer.with("retry-after", wait.to_string()),
                    None => answer,
                }
            }
            Mood::Fails => Answer::new(500, "text/plain", "fails"),
            Mood::Well | Mood::Reset => self.web.answer(request),
        };
        let mut answer = answer.with("connection", "close");
        // So that leases of many URLs last longer than the time between two commits, and than retries wait.
        answer.delay = Duration::from_millis(15);
        answer
    }

    fn hosts(&self) -> Vec<String> {
        self.web.hosts()
    }
}

/// Stands before a server that ends each connection after one answer, and resets those whose pages are in that mood.
async fn stand_before(moody: Arc<Moody>, server: std::net::SocketAddr) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let moody = moody.clone();
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let Ok(byte) = client.read_u8().await else { return };
                    head.push(byte);
                }
                let text = String::from_utf8_lossy(&head).to_lowercase();
                let path = text.split(' ').nth(1).unwrap_or_default().to_owned();
                let host = text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
                {
                    let mut asked = moody.asked.lock().unwrap();
                    let count = asked.entry(format!("{host}{path}")).or_default();
                    if Mood::of(host, &path, *count) == Mood::Reset {
                        *count += 1;
                        // Dropped with something unsaid, it is reset.
                        client.set_zero_linger().unwrap();
                        return;
                    }
                }
                #[expect(clippy::disallowed_methods, reason = "the server of this test, on loopback")]
                let mut to = TcpStream::connect(server).await.unwrap();
                to.write_all(&head).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut client, &mut to).await;
            });
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_of_one_connection_is_simulated_in_its_exact_order_where_pages_are_busy_and_fail() {
    let crawl = |(hosts, rate): (u32, &'static str), order: Order| {
        tokio::spawn(async move {
            let shape = Generated { across_percent: 20, ..calm(hosts, 60) };
            let web = GeneratedWeb::new(shape.clone()).unwrap();
            let moody = Arc::new(Moody { web, asked: Mutex::default() });
            let server = Server::start_with(moody.clone(), &ServeOptions::on_loopbacks(1, 0)).await.unwrap();
            let port = stand_before(moody, server.addr()).await;
            let edit = |crawl: &mut CrawlSettings| {
                alone(crawl, order, rate);
                (crawl.crawl_hints, crawl.retry) = (true, 3);
                crawl.retry_wait = "50ms".parse().unwrap();
            };
            let start = shape.start_url(port);
            let (asked, simulated) = both_at(&server, &server.hosts_file(), &start, edit).await;
            assert!(asked.len() >= 40, "{order}, {hosts} hosts at {rate}: {} pages", asked.len());
            assert_eq!(asked, simulated, "{order}, {hosts} hosts at {rate}");
        })
    };
    let cases = [(1, "unlimited"), (3, "unlimited"), (3, "30/s")];
    let crawls: Vec<_> =
        cases.into_iter().flat_map(|case| orders().map(move |order| crawl(case, order))).collect();
    for crawl in crawls {
        crawl.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_of_many_connections_is_simulated_in_the_order_of_each_host() {
    let by_host = |urls: Vec<PageUrl>| {
        let mut hosts: BTreeMap<String, Vec<PageUrl>> = BTreeMap::new();
        urls.into_iter().for_each(|url| hosts.entry(url.host().as_str().to_owned()).or_default().push(url));
        hosts
    };
    // Of a host's queue alone: not of what pages of other hosts say of it.
    let orders = ["breadth-first", "depth-first", "location", "random", "forward-link"];
    let crawls = orders.map(|order| {
        tokio::spawn(async move {
            let edit = |crawl: &mut CrawlSettings| {
                (crawl.connections, crawl.order) = (64, order.parse().unwrap());
            };
            (order, both(calm(4, 60), edit).await)
        })
    });
    for crawl in crawls {
        let (order, (asked, simulated)) = crawl.await.unwrap();
        assert!(asked.len() >= 60, "{order}: {} pages", asked.len());
        let (asked, simulated) = (by_host(asked), by_host(simulated));
        assert!(asked.len() == 4 && asked.values().all(|urls| urls.len() >= 10), "{order}: {asked:?}");
        assert_eq!(asked, simulated, "{order}");
    }
}
