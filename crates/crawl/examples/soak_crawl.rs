//! `cargo xtask soak crawl`: a crawl of a large generated web for the minutes given, crawls of torture webs, seed
//! after seed, beside it; every second what the process holds is noted. Ends with a failure if memory grows over the
//! last three quarters, or if anything is still held at the end.

mod process;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crawl::{Ended, Run, Setup};
use model::{CrawlId, CrawlSettings, NameServer, PageUrl, Project, Rate, Scope};
use process::{Failure, Held, Served, serve};
use webs::generated::Generated;
use webs::program::Choice;
use webs::torture::{Torture, TortureOptions};

/// That of the program, whose memory is the question.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const HOSTS: u32 = 100;
/// More than a crawl at this pace reads in hours.
const PAGES: u64 = 20_000_000;

/// Growth of memory that is allowed, in percent of the first of three quarters of the time.
const MOST_GROWTH: f64 = 5.0;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve"] => {
            let page_bytes = (1_000, 8_000);
            let web = Generated { seed: 1, pages: PAGES, hosts: HOSTS, page_bytes, ..Generated::default() };
            serve(Choice::Generated(web)).await
        }
        ["torture", seed, ca] => serve_torture(seed.parse()?, Path::new(ca)).await,
        [minutes] => soak(minutes.parse()?).await,
        _ => Err("usage: soak_crawl MINUTES".into()),
    }
}

async fn soak(minutes: u64) -> Result<(), Failure> {
    let dir = tempfile::tempdir()?;
    // What the runtime itself and the tools around it hold.
    let before = Held::now()?;
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let beside = tokio::spawn(torture_webs(stopped));

    let server = Served::start(&["serve"])?;
    let run = start(dir.path(), generated(&server, dir.path())?)?;
    let progress = run.progress();
    let controls = run.controls();
    let file = std::env::temp_dir().join(format!("gannet-soak-{}.csv", std::process::id()));
    println!("every second is written to {}", file.display());
    let mut csv = std::io::BufWriter::new(std::fs::File::create(&file)?);
    writeln!(csv, "second,rss_anon_kib,descriptors,deleted,threads,tasks,pages,known,requests")?;
    let mut seconds = Vec::new();
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    for second in 0..minutes * 60 {
        tick.tick().await;
        let (held, now) = (Held::now()?, progress.borrow().clone());
        let Held { memory, descriptors, deleted, threads, tasks } = held;
        let (pages, known, requests) = (now.pages, now.known, now.requests_now);
        writeln!(
            csv,
            "{second},{memory},{descriptors},{deleted},{threads},{tasks},{pages},{known},{requests}"
        )?;
        if second % 60 == 0 {
            csv.flush()?;
            println!(
                "{:>4} min {:>6} MiB {descriptors:>5} descriptors {threads:>3} threads {tasks:>4} tasks {pages:>8} pages {known:>9} known",
                second / 60,
                memory / 1024
            );
        }
        seconds.push(held);
    }
    csv.flush()?;
    drop(csv);
    controls.stop();
    stop.send_replace(true);
    let ended = run.wait().await?;
    println!(
        "generated: {} pages, {} requests, {}",
        ended.progress.pages, ended.progress.requests_now, ended.reason
    );
    let tortured = beside.await??;
    println!("torture webs: {tortured} crawled to their end");
    drop((server, progress, controls));
    let strays = strays(dir.path())?;
    let after = settled(before).await?;
    judge(&seconds, before, after, &strays)
}

/// Crawls torture webs one after the other, each in a directory of its own; how many.
async fn torture_webs(stopped: tokio::sync::watch::Receiver<bool>) -> Result<u64, Failure> {
    for seed in 1.. {
        if *stopped.borrow() {
            return Ok(seed - 1);
        }
        let dir = tempfile::tempdir()?;
        let ca = dir.path().join("ca.pem");
        let server = Served::start(&["torture", &seed.to_string(), &ca.to_string_lossy()])?;
        let run = start(dir.path(), torture(&server, ca)?)?;
        let controls = run.controls();
        let mut stopped = stopped.clone();
        let ended: Ended = {
            let mut wait = std::pin::pin!(run.wait());
            tokio::select! {
                ended = &mut wait => ended?,
                () = asked(&mut stopped) => {
                    controls.stop();
                    wait.await?
                }
            }
        };
        println!(
            "torture {seed}: {} pages, {} requests, {:.0} s, {}",
            ended.progress.pages,
            ended.progress.requests_now,
            ended.progress.running.as_secs_f64(),
            ended.reason
        );
        let strays = strays(dir.path())?;
        if !strays.is_empty() {
            return Err(format!("torture {seed} left {}", strays.join(", ")).into());
        }
    }
    Ok(0)
}

/// Serves a torture web until this process ends; `ca` gets the certificate of its authority before it says where.
async fn serve_torture(seed: u64, ca: &Path) -> Result<(), Failure> {
    let web = Torture::start(seed, TortureOptions::default()).await?;
    std::fs::write(ca, web.ca())?;
    println!("serving torture\nstart {} dns {}", web.start_urls().join(" "), web.dns_addr());
    std::future::pending().await
}

/// Waits for the wish to stop.
async fn asked(stopped: &mut tokio::sync::watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

fn start(dir: &Path, project: Project) -> Result<Run, Failure> {
    let store = kv::Store::open(&dir.join("crawl"), kv::Options::default())?;
    let archive = dir.join("archive");
    let dir = dir.to_owned();
    Ok(Run::start(Setup {
        store,
        dir,
        archive,
        crawl: CrawlId(1),
        project,
        allow: Vec::new(),
        retry_failed: false,
        watcher: None,
        paused: false,
        neighbours: crawl::Neighbours::default(),
        refresh: false,
    })?)
}

/// Two hundred pages a second, over hosts that share one address.
fn generated(server: &Served, dir: &Path) -> Result<Project, Failure> {
    let hosts = dir.join("hosts");
    std::fs::write(&hosts, (1..=HOSTS).map(|n| format!("127.0.0.1 h{n:03}.test\n")).collect::<String>())?;
    let start = server.told("start").first().ok_or("no start page")?.to_string();
    let crawl = CrawlSettings {
        scope: "suffix:test".parse()?,
        rate: Some("2/s".parse()?),
        address_delay: model::Span::from_millis(0),
        allow_private: true,
        hosts: Some(hosts),
        ..CrawlSettings::default()
    };
    Ok(Project {
        name: "soak".parse()?,
        start: vec![PageUrl::parse(&start)?],
        crawl,
        fields: None,
        index: None,
    })
}

fn torture(server: &Served, ca: PathBuf) -> Result<Project, Failure> {
    let starts = server.told("start").into_iter().map(PageUrl::parse).collect::<Result<Vec<_>, _>>()?;
    let dns = server.told("dns").first().ok_or("no name server")?.parse()?;
    let crawl = CrawlSettings {
        scope: Scope::Any,
        rate: Some(Rate::Unlimited),
        allow_addresses: vec!["127.0.0.0/24".parse()?],
        dns: Some(NameServer(dns)),
        ca: Some(ca),
        max_pages_per_host: 100,
        timeout: model::Span::from_secs(5),
        connect_timeout: model::Span::from_secs(4),
        retry: 1,
        retry_wait: model::Span::from_millis(200),
        linger: model::Span::from_secs(8),
        ..CrawlSettings::default()
    };
    Ok(Project { name: "torture".parse()?, start: starts, crawl, fields: None, index: None })
}

/// Files of a data directory that no part of the program owns: left over by a step that did not clean up.
fn strays(dir: &Path) -> Result<Vec<String>, Failure> {
    let mut strays = Vec::new();
    for entry in std::fs::read_dir(dir.join("archive"))? {
        let name = entry?.file_name();
        if archive::file_number(&name).is_none() {
            strays.push(name.to_string_lossy().into_owned());
        }
    }
    for entry in std::fs::read_dir(dir)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !["archive", "crawl", "hosts", "ca.pem"].contains(&name.as_str()) {
            strays.push(name);
        }
    }
    Ok(strays)
}

/// What is held when everything has ended, once threads have had a moment to go.
async fn settled(before: Held) -> Result<Held, Failure> {
    let mut held = Held::now()?;
    for _ in 0..100 {
        if held.descriptors <= before.descriptors && held.tasks <= before.tasks {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        held = Held::now()?;
    }
    Ok(held)
}

fn judge(seconds: &[Held], before: Held, after: Held, strays: &[String]) -> Result<(), Failure> {
    let watched = &seconds[seconds.len() / 4..];
    let part = (watched.len() / 10).max(1);
    let middle = |part: &[Held]| {
        let mut memory: Vec<u64> = part.iter().map(|held| held.memory).collect();
        memory.sort_unstable();
        memory.get(memory.len() / 2).copied().unwrap_or(0) as f64 / 1024.0
    };
    let (first, last) = (middle(&watched[..part]), middle(&watched[watched.len() - part..]));
    let growth = (last / first - 1.0) * 100.0;
    let most = |of: fn(&Held) -> u64| seconds.iter().map(of).max().unwrap_or(0);
    println!("measure: memory, first tenth of the last three quarters = {first:.1} MiB");
    println!("measure: memory, last tenth = {last:.1} MiB");
    println!("measure: growth of memory = {growth:.1} %");
    println!("measure: most memory = {:.1} MiB", most(|held| held.memory) as f64 / 1024.0);
    println!("measure: most descriptors = {} descriptors", most(|held| held.descriptors));
    println!("measure: most threads = {} threads", most(|held| held.threads));
    println!("measure: most tasks = {} tasks", most(|held| held.tasks));
    println!("held before {before:?}, after {after:?}");
    let mut wrong = Vec::new();
    if growth >= MOST_GROWTH {
        wrong.push(format!("memory grew by {growth:.1} %"));
    }
    for (what, before, after) in [
        ("descriptors", before.descriptors, after.descriptors),
        ("descriptors of deleted files", before.deleted, after.deleted),
        ("tasks", before.tasks, after.tasks),
    ] {
        if after > before {
            wrong.push(format!("{} {what} are left", after - before));
        }
    }
    if !strays.is_empty() {
        wrong.push(format!("files are left: {}", strays.join(", ")));
    }
    if wrong.is_empty() {
        println!("nothing grows, nothing is left");
        return Ok(());
    }
    Err(wrong.join("; ").into())
}
