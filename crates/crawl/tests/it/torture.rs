//! The torture web: a crawl of it ends by itself, with every legitimate page, a true outcome for each URL and
//! without an offence.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::Outcome;
use webs::torture::truth::TortureUrl;
use webs::torture::{Torture, TortureOptions, TortureServer};

use crate::bench_site::{Bench, CRAWL, project};

/// Most memory that crawl and web together may take, whatever the web does.
const MOST_MIB: u64 = 700;

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_of_the_torture_web_ends_with_every_legitimate_page() {
    let mut seed = testkit::Seed::from_env();
    let repetitions = std::env::var("GANNET_SOAK").map_or(1, |count| count.parse::<u32>().unwrap());
    for _ in 0..repetitions {
        let number = seed.number();
        let web = Torture::start(number, TortureOptions::default()).await.unwrap();
        check(number, &web).await;
        web.stop().await;
    }
}

async fn check(seed: u64, web: &TortureServer) {
    let bench = Bench::new();
    let peak = Peak::watch();
    let ended = bench.crawl(tortured(web, &bench)).await;
    let peak = peak.mib();
    let log = web.log().entries();
    println!(
        "seed {seed}: {} pages, {} requests, {:.1} s, peak RssAnon {peak} MiB with the web; {}: {:?}",
        ended.progress.pages,
        log.len(),
        ended.progress.running.as_secs_f64(),
        ended.reason,
        ended.stats.outcomes
    );

    let missing = web.truth().missing(&log);
    assert!(missing.is_empty(), "{} legitimate pages were not asked for: {missing:?}", missing.len());
    let urls = bench.urls();
    let mut wrong = Vec::new();
    for url in &web.truth().urls {
        let outcome = urls.get(&url.url).map(|record| &record.outcome);
        if !is_right(url, outcome) {
            let right: Vec<String> = url.endings.iter().map(|ending| ending.name()).collect();
            wrong.push(format!("{}: {outcome:?}, right is {}", url.url, right.join(" or ")));
        }
    }
    assert!(wrong.is_empty(), "{} outcomes are wrong:\n{}", wrong.len(), wrong.join("\n"));
    let upgrade = Outcome::Failed { error: model::ErrorKind::Status(426), tries: 1 };
    assert!(urls.values().all(|record| record.outcome != upgrade), "HTTP/2 is spoken where it is offered");
    let offences: Vec<String> = web.truth().offences(&log).iter().map(ToString::to_string).collect();
    assert!(offences.is_empty(), "{}", offences.join("\n"));
    assert!(peak < MOST_MIB, "{peak} MiB");
    assert_eq!(frontier::audit(&bench.store, CRAWL).unwrap(), []);
}

/// The project that crawls the torture web.
fn tortured(web: &TortureServer, bench: &Bench) -> model::Project {
    let ca = bench.dir.path().join("ca.pem");
    std::fs::write(&ca, web.ca()).unwrap();
    let mut torture = project(&web.start_urls()[0], |crawl| {
        crawl.allow_private = false;
        crawl.allow_addresses = vec![web.truth().allowed.parse().unwrap()];
        crawl.scope = model::Scope::Any;
        crawl.dns = Some(model::NameServer(web.dns_addr()));
        crawl.ca = Some(ca);
        crawl.crawl_hints = true;
        crawl.timeout = model::Span::from_secs(5);
        crawl.connect_timeout = model::Span::from_secs(4);
        crawl.retry = 1;
        crawl.linger = model::Span::from_secs(8);
    });
    torture.start = web.start_urls().iter().map(|url| model::PageUrl::parse(url).unwrap()).collect();
    torture
}

/// Whether the truth allows this outcome. What is to be tried again has failed so far.
fn is_right(url: &TortureUrl, outcome: Option<&Outcome>) -> bool {
    match outcome {
        None => url.allows("unmet", None),
        Some(Outcome::Redirected { to }) => url.allows("redirected", Some(to.as_str())),
        Some(Outcome::Failed { error, .. } | Outcome::Retrying { error, .. }) => {
            url.allows(&format!("failed {}", error.name()), None)
        }
        Some(other) => url.allows(other.name(), None),
    }
}

/// The highest `RssAnon` of this process while it lives; the web is in the same process.
struct Peak {
    highest: Arc<AtomicU64>,
    task: tokio::task::JoinHandle<()>,
}

impl Peak {
    fn watch() -> Peak {
        let highest = Arc::<AtomicU64>::default();
        let noted = highest.clone();
        let task = tokio::spawn(async move {
            loop {
                let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
                let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
                let kib =
                    line.and_then(|line| line.split_whitespace().next()).and_then(|kib| kib.parse().ok());
                noted.fetch_max(kib.unwrap_or(0), Ordering::Relaxed);
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        });
        Peak { highest, task }
    }

    fn mib(self) -> u64 {
        self.task.abort();
        self.highest.load(Ordering::Relaxed) / 1024
    }
}
