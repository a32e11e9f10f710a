//! `cargo xtask bench crawl`: pages per second and client CPU per page, everything on, on a generated web that
//! another process serves.

mod process;

use crawl::{Run, Setup, WallClock};
use model::{CrawlId, CrawlSettings, PageUrl, Project, Rate};
use process::{Failure, Served, cpu_seconds, memory, serve};
use webs::generated::Generated;
use webs::program::Choice;

const PAGES: u64 = 20_000;
const HOSTS: u32 = 50;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        let web = Generated { seed: 1, pages: PAGES, hosts: HOSTS, ..Generated::default() };
        return serve(Choice::Generated(web)).await;
    }
    let server = Served::start(&["serve"])?;
    let start = server.told("start").first().ok_or("the server names no start page")?.to_string();
    let dir = tempfile::tempdir()?;
    let hosts_file = dir.path().join("hosts");
    let names: String = (1..=HOSTS).map(|n| format!("127.0.0.1 h{n:03}.test\n")).collect();
    std::fs::write(&hosts_file, names)?;
    let settings = CrawlSettings {
        scope: "suffix:test".parse()?,
        rate: Some(Rate::Unlimited),
        allow_private: true,
        hosts: Some(hosts_file),
        linger: "3s".parse()?,
        retry_wait: "200ms".parse()?,
        ..CrawlSettings::default()
    };
    let project = Project {
        name: "bench".parse()?,
        start: vec![PageUrl::parse(&start)?],
        crawl: settings,
        fields: None,
        index: None,
    };
    let store = kv::Store::open(&dir.path().join("crawl"), kv::Options::default())?;
    let clock = WallClock::start();
    let (began, cpu) = (clock.now(), cpu_seconds()?);
    let archive = dir.path().join("archive");
    let run = Run::start(Setup {
        store,
        dir: dir.path().to_owned(),
        archive,
        crawl: CrawlId(1),
        project,
        allow: Vec::new(),
        retry_failed: false,
        watcher: None,
        paused: false,
        neighbours: crawl::Neighbours::default(),
    })?;
    let ended = run.wait().await?;
    let pages = ended.progress.pages as f64;
    let seconds = clock.now().since(began).as_secs_f64();
    println!("{} pages, {} links, {}", ended.progress.pages, ended.stats.links_found, ended.reason);
    println!("measure: speed = {:.0} pages/s", pages / seconds);
    println!("measure: client = {:.4} ms/page", (cpu_seconds()? - cpu) * 1_000.0 / pages);
    // It only grows in so short a run.
    println!("measure: memory = {:.0} MiB", memory()? as f64 / 1024.0);
    Ok(())
}
