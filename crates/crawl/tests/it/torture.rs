//! The torture web: a crawl of it ends by itself, with every legitimate page and without an offence.

use webs::torture::{Torture, TortureOptions};

use crate::bench_site::{Bench, CRAWL, project};

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_of_the_torture_web_ends_with_every_legitimate_page() {
    let mut seed = testkit::Seed::from_env();
    let web = Torture::start(seed.number(), TortureOptions::default()).await.unwrap();
    let bench = Bench::new();
    let mut torture = project(&web.start_urls()[0], |crawl| {
        crawl.allow_private = false;
        crawl.allow_addresses = vec![web.truth().allowed.parse().unwrap()];
        crawl.scope = model::Scope::Any;
        crawl.dns = Some(model::NameServer(web.dns_addr()));
        crawl.timeout = model::Span::from_secs(5);
        crawl.connect_timeout = model::Span::from_secs(4);
        crawl.retry = 1;
        crawl.linger = model::Span::from_secs(8);
    });
    torture.start = web.start_urls().iter().map(|url| model::PageUrl::parse(url).unwrap()).collect();
    let ended = bench.crawl(torture).await;
    println!("{}: {:?} in {:?}", ended.reason, ended.stats.outcomes, ended.progress.running);

    let log = web.log().entries();
    let missing = web.truth().missing(&log);
    assert!(missing.is_empty(), "{} legitimate pages were not asked for: {missing:?}", missing.len());
    let urls = bench.urls();
    let mut wrong = Vec::new();
    for url in web.truth().legitimate() {
        let outcome = urls.get(&url.url).map(|record| &record.outcome);
        if outcome != Some(&model::Outcome::Fetched) {
            wrong.push(format!("{}: {outcome:?}", url.url));
        }
    }
    assert!(wrong.is_empty(), "{} legitimate pages were not kept:\n{}", wrong.len(), wrong.join("\n"));
    let offences: Vec<String> = web.truth().offences(&log).iter().map(ToString::to_string).collect();
    assert!(offences.is_empty(), "{}", offences.join("\n"));
    assert_eq!(frontier::audit(&bench.store, CRAWL).unwrap(), []);
}
