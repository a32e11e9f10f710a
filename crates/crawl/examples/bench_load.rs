//! `cargo xtask bench load`: 2,000 hosts, half of them slow or failing in every way, crawled within usual limits.
//!
//! The quick half is crawled alone first: the yardstick. Then all of them: how much slot time passes unused although a
//! host is ready, how much later the quick half is done, and what the process holds meanwhile.

mod process;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use archive::tables::VISITS;
use crawl::{Run, Setup};
use kv::Reader as _;
use model::{CrawlId, CrawlSettings, HostKey, NameServer, PageUrl, Project, Span};
use process::{Failure, Held, Served};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};
use webs::serve::ServeOptions;
use webs::{Answer, Request, Server, Web};

const HOSTS: u32 = 2_000;
const PAGES: u32 = 10;
const TIMEOUT: Duration = Duration::from_secs(10);

/// How a host behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Quick,
    /// Answers after 2 to 5 seconds.
    Slow,
    /// A byte every 100 ms.
    Drip,
    /// 500 or 503.
    Broken,
    Refused,
    Reset,
    /// Accepts and says nothing.
    Silent,
    /// The name server says that there is no such name, or nothing.
    Nameless,
}

impl Manner {
    fn of(host: u32) -> Manner {
        match host % 20 {
            even if even % 2 == 0 => Manner::Quick,
            1 | 3 | 5 => Manner::Slow,
            7 => Manner::Drip,
            9 | 11 => Manner::Broken,
            13 => Manner::Refused,
            15 => Manner::Reset,
            17 => Manner::Silent,
            _ => Manner::Nameless,
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return serve().await;
    }
    let server = Served::start(&["serve"])?;
    let ports = Ports::told(&server)?;
    let alone = crawl(&ports, |manner| manner == Manner::Quick).await?;
    let all = crawl(&ports, |_| true).await?;
    let seconds = |load: &Load| load.quick_done.as_secs_f64();
    println!("measure: quick hosts alone, done after = {:.1} s", seconds(&alone));
    println!("measure: among slow and failing, done after = {:.1} s", seconds(&all));
    println!("measure: slot time lost while a host was ready = {:.2} %", all.lost_percent);
    println!("measure: requests = {} requests", all.requests);
    println!("measure: whole crawl = {:.1} s", all.took.as_secs_f64());
    println!("measure: most descriptors = {} descriptors", all.descriptors);
    println!("measure: most idle connections = {} connections", all.idle);
    println!("measure: most bytes in flight = {:.2} MiB", all.in_flight as f64 / f64::from(1 << 20));
    println!("measure: most memory = {:.0} MiB", all.memory as f64 / 1024.0);
    Ok(())
}

/// What one crawl cost.
#[derive(Default)]
struct Load {
    lost_percent: f64,
    quick_done: Duration,
    took: Duration,
    requests: u64,
    descriptors: u64,
    idle: usize,
    in_flight: u64,
    memory: u64,
}

async fn crawl(ports: &Ports, of: impl Fn(Manner) -> bool) -> Result<Load, Failure> {
    let dir = tempfile::tempdir()?;
    let chosen: Vec<u32> = (0..HOSTS).filter(|host| of(Manner::of(*host))).collect();
    let project = project(ports, &chosen, dir.path())?;
    let store = kv::Store::open(&dir.path().join("crawl"), kv::Options::default())?;
    let setup = Setup {
        store: store.clone(),
        dir: dir.path().to_owned(),
        archive: dir.path().join("archive"),
        crawl: CrawlId(1),
        project,
        allow: Vec::new(),
        retry_failed: false,
        watcher: None,
        paused: false,
        neighbours: crawl::Neighbours::default(),
        refresh: false,
    };
    let run = Run::start(setup)?;
    let progress = run.progress();
    let mut load = Load::default();
    let mut tick = tokio::time::interval(Duration::from_millis(100));
    let mut ended = std::pin::pin!(run.wait());
    let ended = loop {
        tokio::select! {
            ended = &mut ended => break ended?,
            _ = tick.tick() => {
                let (held, now) = (Held::now()?, progress.borrow().clone());
                load.descriptors = load.descriptors.max(held.descriptors);
                load.memory = load.memory.max(held.memory);
                load.idle = load.idle.max(now.connections_idle);
                load.in_flight = load.in_flight.max(now.most_in_flight);
            }
        }
    };
    println!("{} hosts: {}, {:?}", chosen.len(), ended.reason, ended.stats.outcomes);
    let (used, lost) = (ended.progress.slot_time_used, ended.progress.slot_time_lost);
    load.lost_percent = 100.0 * lost.as_secs_f64() / (used + lost).as_secs_f64();
    load.took = ended.progress.running;
    load.requests = ended.progress.requests_now;
    let (mut first, mut last) = (u64::MAX, 0);
    for host in chosen.iter().filter(|host| Manner::of(**host) == Manner::Quick) {
        let key = HostKey::of(&ports.url(*host)?.host());
        for row in store.prefix(&VISITS, &(1, key.0)).keys() {
            let started = row?.3;
            (first, last) = (first.min(started), last.max(started));
        }
    }
    load.quick_done = Duration::from_millis(last.saturating_sub(first));
    Ok(load)
}

fn project(ports: &Ports, chosen: &[u32], dir: &Path) -> Result<Project, Failure> {
    let hosts = dir.join("hosts");
    let named = chosen.iter().filter(|host| Manner::of(**host) != Manner::Nameless);
    std::fs::write(&hosts, named.map(|host| format!("127.0.0.1 h{host:04}.test\n")).collect::<String>())?;
    let crawl = CrawlSettings {
        hosts: Some(hosts),
        dns: Some(NameServer(ports.names)),
        allow_private: true,
        rate: Some("1/s".parse()?),
        // They share one here, as hosts elsewhere do not.
        address_delay: Span::from_millis(0),
        timeout: Span::from_secs(TIMEOUT.as_secs()),
        connect_timeout: Span::from_secs(5),
        retry: 1,
        retry_wait: Span::from_secs(1),
        linger: Span::from_secs(15),
        connections: 256,
        ..CrawlSettings::default()
    };
    let start = chosen.iter().map(|host| ports.url(*host)).collect::<Result<_, _>>()?;
    Ok(Project { name: "load".parse()?, start, crawl, fields: None, index: None })
}

/// Where each manner is served; all hosts of one have its port.
struct Ports {
    web: u16,
    drip: u16,
    reset: u16,
    silent: u16,
    refused: u16,
    names: SocketAddr,
}

impl Ports {
    fn told(server: &Served) -> Result<Ports, Failure> {
        let told = server.told("start");
        let [web, drip, reset, silent, refused, names] = told[..] else { return Err("no ports".into()) };
        Ok(Ports {
            web: web.parse()?,
            drip: drip.parse()?,
            reset: reset.parse()?,
            silent: silent.parse()?,
            refused: refused.parse()?,
            names: SocketAddr::from((Ipv4Addr::LOCALHOST, names.parse()?)),
        })
    }

    fn url(&self, host: u32) -> Result<PageUrl, Failure> {
        let port = match Manner::of(host) {
            Manner::Drip => self.drip,
            Manner::Reset => self.reset,
            Manner::Silent => self.silent,
            Manner::Refused => self.refused,
            Manner::Quick | Manner::Slow | Manner::Broken | Manner::Nameless => self.web,
        };
        Ok(PageUrl::parse(&format!("http://h{host:04}.test:{port}/"))?)
    }
}

/// Every host that answers in HTTP.
struct Hosts;

impl Web for Hosts {
    fn answer(&self, request: &Request) -> Answer {
        let number: u32 = request.host.get(1..5).and_then(|digits| digits.parse().ok()).unwrap_or(0);
        if request.path == "/robots.txt" && Manner::of(number) != Manner::Slow {
            return Answer::new(404, "text/plain", "");
        }
        let links: String = (1..PAGES).map(|page| format!("<p><a href=/{page}>page {page}</a>")).collect();
        let text = format!("<title>{number} {}</title>{links}{}", request.path, "<p>words ".repeat(2_000));
        let page = Answer::new(200, "text/html", text);
        match Manner::of(number) {
            Manner::Slow => {
                Answer { delay: Duration::from_millis(2_000 + u64::from(number * 7919 % 3_000)), ..page }
            }
            Manner::Broken => Answer::new(if number % 20 == 9 { 500 } else { 503 }, "text/html", "broken"),
            _ => page,
        }
    }

    fn hosts(&self) -> Vec<String> {
        Vec::new()
    }
}

async fn serve() -> Result<(), Failure> {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let options = ServeOptions { kept_entries: 0, ..ServeOptions::on(any) };
    let server = Server::start_with(Arc::new(Hosts), &options).await?;
    let drip = rude(any, |mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n").await;
        while stream.write_all(b".").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
    .await?;
    let reset = rude(any, |stream| async move { drop(stream.set_zero_linger()) }).await?;
    let silent = rude(any, |mut stream| async move { while stream.read_u8().await.is_ok() {} }).await?;
    let refused = TcpSocket::new_v4()?;
    // Bound, but not listening.
    refused.bind(any)?;
    let names = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("serving load");
    println!(
        "start {} {drip} {reset} {silent} {} {}",
        server.addr().port(),
        refused.local_addr()?.port(),
        names.local_addr()?.port()
    );
    no_such_names(names).await
}

/// Listens and lets `act` have each connection; the port.
async fn rude<F, A>(address: SocketAddr, act: F) -> Result<u16, Failure>
where
    F: Fn(TcpStream) -> A + Send + 'static,
    A: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind(address).await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(act(stream));
        }
    });
    Ok(port)
}

/// A name server that knows no name, and says so to every second host.
async fn no_such_names(socket: UdpSocket) -> Result<(), Failure> {
    let mut packet = [0; 512];
    loop {
        let Ok((length, client)) = socket.recv_from(&mut packet).await else { continue };
        // Twelve bytes of head, then the first label: its length, `h`, four digits.
        if length < 18 || packet[16].is_multiple_of(4) {
            continue;
        }
        // An answer, recursion available, no such name; no records besides the question.
        packet[2] |= 0x80;
        packet[3] = 0x83;
        packet[6..12].fill(0);
        let question =
            packet[12..length].iter().position(|byte| *byte == 0).map_or(length, |end| 12 + end + 5);
        let _ = socket.send_to(&packet[..question.min(length)], client).await;
    }
}
