//! Fills a data directory with a project of many pages, rows and log lines, and measures how long it takes to make the
//! indexes that a server makes when a run ends: `cargo xtask fill DIR [ROWS] [LINES]`. `cargo xtask bench table` asks a
//! real server on it.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a tool for people: it ends where something is wrong"
)]

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use archive::rows::{self, PageRows, ROW_RUNS, Stand};
use archive::tables::{VISITS, VisitRecord};
use catalog::RunState;
use crawl::WallClock;
use frontier::tables::{HOSTS, HostRecord, SITES, STATS, SiteRecord, Stats, URLS, UrlRecord};
use kv::Durability;
use model::{CrawlId, ErrorKind, HostKey, Outcome, PageUrl, Row, RowKey, Timestamp, UrlKey, Value};
use service::{Access, Data, LogLevel, LogLine, Moment, ProjectText};

/// Rows of one page.
const PER_PAGE: u64 = 10;

const PROJECT: &str = "
version: 1
project: filled
start: [http://shop.test/]
fields:
  list:
    rows: li
    read:
      name: h2
      price: {css: .price, kind: price}
      rating: {css: .rating, kind: number}
      seen: {css: time, kind: date}
      page: {css: a, kind: link}
";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let dir = arguments.first().expect("usage: fill DIR [ROWS] [LINES]");
    let number = |at: usize, usual: u64| arguments.get(at).map_or(usual, |text| text.parse().unwrap());
    let (count, lines) = (number(1, 1_000_000), number(2, 100_000));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let clock = WallClock::start();
    let data = runtime.block_on(Data::open(Path::new(dir), Access::Create)).unwrap();
    let run = fill(&runtime, &data, count, clock.now());
    let run = visit_again(&runtime, &data, run, count, clock.now());
    log(Path::new(dir), run, lines, clock.now());
    let process = clock.process();
    let before = net::Clock::elapsed(&process);
    service::prepare_all(&data);
    let seconds = (net::Clock::elapsed(&process) - before).as_secs_f64();
    println!("measure: indexes of {count} rows and pages made = {seconds:.1} s");
}

fn fill(runtime: &tokio::runtime::Runtime, data: &Arc<Data>, count: u64, now: Timestamp) -> service::RunId {
    let project = ProjectText::Yaml(PROJECT.to_owned()).read().unwrap();
    let entry = runtime.block_on(data.catalog().upsert_project(&project, now)).unwrap();
    let run = runtime.block_on(data.catalog().begin_run(entry.id, &project.crawl, now)).unwrap();
    let (store, crawl) = (data.store(), entry.crawl);
    let mut batch = store.batch();
    batch.put(&ROW_RUNS, &(crawl.0, run.0.unsigned_abs()), &0);
    let template = project.fields.as_ref().unwrap();
    rows::put_template(&mut batch, crawl, template);
    let mut stats = Stats::default();
    // As many pages as rows; one in ten has rows.
    for page in 0..count {
        let url = address(page);
        let key = UrlKey::of(&url);
        let at = Timestamp(now.0 + page);
        let outcome = match page % 1_000 {
            7 => Outcome::Failed { error: ErrorKind::Timeout, tries: 4 },
            8 => Outcome::Disallowed { line: Some(3) },
            9 if page > count * 9 / 10 => Outcome::OffSite,
            _ => Outcome::Fetched,
        };
        *stats.outcomes.entry(outcome.name().to_owned()).or_default() += 1;
        stats.distinct += 1;
        let record = UrlRecord {
            url: url.clone(),
            depth: 1,
            via: None,
            found: at,
            outcome,
            arrival: page,
            priority: 0,
            tries: 0,
            busy: 0,
            hops: 0,
        };
        batch.put(&URLS, &(crawl.0, key.host.0, key.page), &record);
        batch.put(&VISITS, &(crawl.0, key.host.0, key.page, at.0), &visit(page));
        if page % PER_PAGE == 0 {
            let rows =
                (0..PER_PAGE.min(count - page)).map(|position| row(page + position, position)).collect();
            let version = template.version();
            let (stand, detail, whole) = (Stand::Read, false, true);
            let page = PageRows { url, visited: at, stand, template: version, detail, whole, rows };
            rows::put(&mut batch, crawl, page, u64::MAX).unwrap();
        }
        if page % 10_000 == 9_999 {
            store.commit(std::mem::replace(&mut batch, store.batch()), Durability::Buffered).unwrap();
        }
    }
    let host = PageUrl::parse("http://shop.test/").unwrap().host();
    let key = HostKey::of(&host);
    batch.put(&SITES, &(crawl.0, key.0), &SiteRecord { pages: count, ..SiteRecord::default() });
    batch.put(&HOSTS, &key.0, &HostRecord::new(host));
    batch.put(&STATS, &crawl.0, &stats);
    store.commit(batch, Durability::Synced).unwrap();
    let summary = serde_json::json!({ "pages_fetched": count });
    runtime.block_on(data.catalog().end_run(run, RunState::Completed, None, &summary, now)).unwrap();
    run
}

/// A second run reads one page in a hundred again: some rows are dearer, some gone, some new.
fn visit_again(
    runtime: &tokio::runtime::Runtime,
    data: &Arc<Data>,
    first: service::RunId,
    count: u64,
    now: Timestamp,
) -> service::RunId {
    let project = ProjectText::Yaml(PROJECT.to_owned()).read().unwrap();
    let entry = runtime.block_on(data.catalog().upsert_project(&project, now)).unwrap();
    let run = runtime.block_on(data.catalog().begin_run(entry.id, &project.crawl, now)).unwrap();
    assert!(run > first);
    let (store, crawl) = (data.store(), entry.crawl);
    let mut batch = store.batch();
    let next = rows::counts(store, crawl).unwrap().next;
    batch.put(&ROW_RUNS, &(crawl.0, run.0.unsigned_abs()), &next);
    for page in (0..count).step_by(100 * PER_PAGE as usize) {
        let url = address(page);
        let mut rows: Vec<Row> = (1..PER_PAGE).map(|position| row(page + position, position)).collect();
        rows[0].values[1] = Value::Price { amount: 1.0, currency: Some("EUR".to_owned()) };
        rows.push(row(10 * count + page, PER_PAGE));
        let (stand, template, visited) = (Stand::Read, project.fields.as_ref().unwrap().version(), now);
        let page = PageRows { url, visited, stand, template, detail: false, whole: true, rows };
        rows::put(&mut batch, crawl, page, u64::MAX).unwrap();
    }
    store.commit(batch, Durability::Synced).unwrap();
    let summary = serde_json::json!({ "pages_fetched": count / 100 });
    runtime.block_on(data.catalog().end_run(run, RunState::Completed, None, &summary, now)).unwrap();
    run
}

fn address(page: u64) -> PageUrl {
    PageUrl::parse(&format!("http://shop.test/{}/{page}", page % 97)).unwrap()
}

fn row(number: u64, position: u64) -> Row {
    // A mixture of many and few different values.
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    let values = vec![
        Value::Text(format!("Chair {} of kind {}", mixed % 500_000, number % 50)),
        Value::Price { amount: (mixed % 100_000) as f64 / 100.0, currency: Some("EUR".to_owned()) },
        Value::Number((mixed % 6) as f64),
        Value::Date(format!("20{:02}-{:02}-{:02}", mixed % 26, mixed % 12 + 1, mixed % 28 + 1)),
        Value::Link(format!("http://shop.test/item/{number}")),
    ];
    let key = RowKey::of("list", [&values[4]]);
    let (page_type, position) = ("list".to_owned(), position as u32);
    Row { page_type, position, key, parent: None, incomplete: false, values }
}

fn visit(page: u64) -> VisitRecord {
    VisitRecord {
        status: Some(200),
        error: None,
        millis: 20 + page % 300,
        bytes: 10_000,
        content_bytes: 30_000,
        content_type: Some("text/html".to_owned()),
        cut: None,
        title: Some(format!("Page {page}")),
        content_hash: page,
        location: None,
        etag: None,
        last_modified: None,
        noindex: false,
        canonical: None,
        text_hash: 0,
    }
}

fn log(dir: &Path, run: service::RunId, lines: u64, now: Timestamp) {
    let folder = dir.join("runs").join(format!("{:05}", CrawlId(1).0)).join(format!("{:06}", run.0));
    std::fs::create_dir_all(&folder).unwrap();
    let mut file = None;
    for seq in 1..=lines {
        if seq % 4_096 == 1 {
            let path = folder.join(format!("log-{seq:010}.jsonl"));
            file = Some(std::io::BufWriter::new(std::fs::File::create(path).unwrap()));
        }
        let line = LogLine {
            seq,
            time: Moment(Timestamp(now.0 + seq)),
            level: if seq % 500 == 0 { LogLevel::Error } else { LogLevel::Info },
            url: Some(format!("http://shop.test/{}/{seq}", seq % 97)),
            message: format!("200 fetched, 10000 bytes in {} ms", seq % 300),
        };
        let file = file.as_mut().unwrap();
        serde_json::to_writer(&mut *file, &line).unwrap();
        file.write_all(b"\n").unwrap();
    }
}
