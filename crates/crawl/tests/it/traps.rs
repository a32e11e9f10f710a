//! Traps that a real site has without meaning to: the demo site's calendar.

use std::net::SocketAddr;
use std::sync::Arc;

use model::{Guard, Outcome};
use webs::truth::{self, TruthOptions};
use webs::{Server, demo::Demo};

use crate::bench_site::{Bench, CRAWL, project};

/// Months that may be asked for, of a calendar that has one for each month of ten million years.
const MOST_MONTHS: usize = 3_000;

#[tokio::test(flavor = "multi_thread")]
async fn the_calendar_of_the_demo_site_ends_by_itself_at_full_speed() {
    let demo = Arc::new(Demo::new(testkit::Seed::from_env().number(), 0));
    let server = Server::start(demo.clone(), SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let truth = demo.truth(&server.base(), TruthOptions::default());
    let bench = Bench::new();
    let ended = bench
        .crawl(project(&truth.start, |crawl| {
            crawl.linger = model::Span::from_millis(3_000);
            crawl.retry = 1;
            // Ends the test if nothing else does.
            crawl.max_pages = 4 * MOST_MONTHS as u64;
        }))
        .await;
    println!("{:?}: {:?}", ended.reason, ended.stats.outcomes);
    let urls = bench.urls();
    let months = |outcome: &Outcome| {
        let found = urls.values().filter(|record| record.url.path().starts_with("/calendar/"));
        found.filter(|record| record.outcome == *outcome).count()
    };
    let fetched = months(&Outcome::Fetched);
    assert!(fetched < MOST_MONTHS, "{fetched} months");
    assert!(months(&Outcome::Trap { guard: Guard::Template }) > 0, "{:?}", ended.stats.outcomes);
    for page in truth.pages.iter().filter(|page| page.trap.is_none()) {
        if page.outcome == truth::Outcome::Fetched {
            assert_eq!(urls.get(&page.url).map(|url| &url.outcome), Some(&Outcome::Fetched), "{}", page.url);
        }
    }
    assert_eq!(frontier::audit(&bench.store, CRAWL).unwrap(), []);
}
