//! `cargo xtask bench crawl`: pages per second and client CPU per page, everything on, on a generated web that
//! another process serves.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crawl::{Run, Setup, WallClock};
use model::{CrawlId, CrawlSettings, PageUrl, Project, Rate};
use webs::generated::Generated;
use webs::program::{Choice, Options};

const PAGES: u64 = 20_000;
const HOSTS: u32 = 50;

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        let web = Generated { seed: 1, pages: PAGES, hosts: HOSTS, ..Generated::default() };
        let options = Options { web: Choice::Generated(web), ..Options::default() };
        return Ok(webs::program::run(options, &mut std::io::stdout(), std::future::pending()).await?);
    }
    let mut server = Served::start()?;
    let (start, hosts) = server.address()?;
    let dir = tempfile::tempdir()?;
    let hosts_file = dir.path().join("hosts");
    let names: String = (1..=HOSTS).map(|n| format!("{hosts} h{n:03}.test\n")).collect();
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
    };
    let store = kv::Store::open(&dir.path().join("crawl"), kv::Options::default())?;
    let clock = WallClock::start();
    let (began, cpu) = (clock.now(), cpu_seconds()?);
    let archive = dir.path().join("archive");
    let run = Run::start(Setup { store, archive, crawl: CrawlId(1), project, allow: Vec::new() })?;
    let ended = run.wait().await?;
    let pages = ended.progress.pages as f64;
    let seconds = clock.now().since(began).as_secs_f64();
    println!("{} pages, {} links, {}", ended.progress.pages, ended.stats.links_found, ended.reason);
    println!("measure: speed = {:.0} pages/s", pages / seconds);
    println!("measure: client = {:.4} ms/page", (cpu_seconds()? - cpu) * 1_000.0 / pages);
    println!("measure: memory = {:.0} MiB", peak_memory()?);
    Ok(())
}

/// The web, in a process of its own so that its CPU time is not counted; it ends with us.
struct Served(Child);

impl Served {
    fn start() -> Result<Served, Failure> {
        let child = Command::new(std::env::current_exe()?).arg("serve").stdout(Stdio::piped()).spawn()?;
        Ok(Served(child))
    }

    /// Its start page and its address, from what it says first.
    fn address(&mut self) -> Result<(String, String), Failure> {
        let said = self.0.stdout.take().ok_or("the server says nothing")?;
        let mut text = String::new();
        for line in BufReader::new(said).lines().take(2) {
            text.push_str(&line?);
            text.push(' ');
        }
        let start =
            text.split(' ').find(|word| word.contains(".test:")).ok_or("the server names no start page")?;
        Ok((start.to_owned(), "127.0.0.1".to_owned()))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// CPU time of this process so far: clock ticks of 10 ms, as Linux counts them.
fn cpu_seconds() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(ticks / 100.0)
}

/// Anonymous memory now; it only grows in so short a run.
fn peak_memory() -> Result<f64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("RssAnon")).ok_or("no RssAnon")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
    Ok(kib / 1024.0)
}
