//! A crawl of the demo site equals the site's own ground truth: pages, depths, outcomes, links.

use std::net::SocketAddr;
use std::sync::Arc;

use archive::tables::{Edge, LINKS, VISITS};
use frontier::page_key;
use frontier::tables::{URLS, UrlRecord};
use kv::Reader;
use model::{LinkKind, Outcome, UrlKey};
use webs::truth::{self, TruthOptions, TruthPage};
use webs::{Server, demo::Demo};

use crate::bench_site::{Bench, CRAWL, project};

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_of_the_demo_site_finds_what_the_site_says_of_itself() {
    let demo = Arc::new(Demo::new(1, 0));
    let server = Server::start(demo.clone(), SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let truth = demo.truth(&server.base(), TruthOptions::default());
    let bench = Bench::new();
    // The calendar is endless: the depth limit ends it, deeper than anything else lies.
    let deepest = truth.pages.iter().filter(|page| page.trap.is_none()).map(|page| page.depth).max().unwrap();
    let ended = bench
        .crawl(project(&truth.start, |crawl| {
            crawl.max_depth = u64::from(deepest) + 3;
            crawl.linger = model::Span::from_millis(3_000);
            // A page that always fails has failed often enough.
            crawl.retry = 1;
        }))
        .await;
    println!("{:?}: {:?}", ended.reason, ended.stats.outcomes);

    let urls = bench.urls();
    let mut wrong = Vec::new();
    let mut pages = 0;
    for page in truth.pages.iter().filter(|page| page.trap.is_none()) {
        pages += 1;
        let Some(record) = urls.get(&page.url) else {
            wrong.push(format!("{} was not met", page.url));
            continue;
        };
        if let Some(problem) = compare(page, record) {
            wrong.push(format!("{}: {problem}", page.url));
        }
        if page.outcome == truth::Outcome::Fetched {
            wrong.extend(
                compare_links(&bench, page).into_iter().map(|problem| format!("{}: {problem}", page.url)),
            );
        }
    }
    let unknown = urls.keys().filter(|url| truth.page(url).is_none() && !url.contains("/calendar/"));
    wrong.extend(unknown.map(|url| format!("{url} is not in the truth")));
    assert!(
        wrong.is_empty(),
        "{} of {pages} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
    assert!(pages >= 300, "{pages} pages");
    assert_eq!(frontier::audit(&bench.store, CRAWL).unwrap(), []);
    let refetched = bench.store.iter(&VISITS).keys().count();
    assert_eq!(refetched as u64, ended.stats.statuses.values().sum::<u64>(), "one row for each answer");
}

fn compare(page: &TruthPage, record: &UrlRecord) -> Option<String> {
    let fits = match (&page.outcome, &record.outcome) {
        (truth::Outcome::Fetched, Outcome::Fetched) => true,
        (truth::Outcome::Redirected { to }, Outcome::Redirected { to: found }) => to == found.as_str(),
        (truth::Outcome::Disallowed { line }, Outcome::Disallowed { line: found }) => Some(*line) == *found,
        (truth::Outcome::Failed, Outcome::Failed { error, .. }) => {
            Some(error) == page.status.map(model::ErrorKind::Status).as_ref()
        }
        // Busy until the site's next epoch: still to be tried when the run ends.
        (truth::Outcome::Failed, Outcome::Retrying { error, .. }) => {
            page.status == Some(503) && *error == model::ErrorKind::Status(503)
        }
        (truth::Outcome::UnwantedType, Outcome::Unwanted { what }) => {
            page.content_type.as_ref() == Some(what)
        }
        (truth::Outcome::OffSite, Outcome::OffSite) => true,
        (truth::Outcome::NotFollowed, Outcome::Excluded { rule }) => rule == "nofollow",
        _ => false,
    };
    if !fits {
        return Some(format!("{:?} expected, {:?} found", page.outcome, record.outcome));
    }
    (page.depth != record.depth).then(|| format!("depth {} expected, {} found", page.depth, record.depth))
}

fn compare_links(bench: &Bench, page: &TruthPage) -> Vec<String> {
    let key = UrlKey::of(&model::PageUrl::parse(&page.url).unwrap());
    let links = bench.store.get(&LINKS, &page_key(CRAWL, key)).unwrap().unwrap_or_default();
    let found: Vec<String> = links.edges.iter().map(|edge| found_link(bench, edge)).collect();
    let expected: Vec<String> = page.links.iter().map(expected_link).collect();
    if found == expected {
        return Vec::new();
    }
    let first = (0..found.len().max(expected.len())).find(|&n| found.get(n) != expected.get(n)).unwrap();
    vec![format!(
        "link {first}: {:?} expected, {:?} found ({} and {} links)",
        expected.get(first),
        found.get(first),
        expected.len(),
        found.len()
    )]
}

fn found_link(bench: &Bench, edge: &Edge) -> String {
    let target = bench.store.get(&URLS, &page_key(CRAWL, edge.target)).unwrap().unwrap();
    let kind = match edge.kind {
        LinkKind::Anchor => "a",
        LinkKind::Area => "area",
        LinkKind::Frame => "frame",
        LinkKind::Refresh => "refresh",
        LinkKind::Canonical => "canonical",
        LinkKind::Listed => "listed",
        other => panic!("{other:?} on a page"),
    };
    let look = edge.look;
    let nofollow = if edge.rel.nofollow { " nofollow" } else { "" };
    format!(
        "{kind} {} {:?} {}{}{}{nofollow}",
        target.url, edge.anchor, look.visibility, look.position, look.distance
    )
}

fn expected_link(link: &truth::Link) -> String {
    let kind = match link.kind {
        truth::LinkKind::Anchor => "a",
        truth::LinkKind::Area => "area",
        truth::LinkKind::Frame => "frame",
        truth::LinkKind::Refresh => "refresh",
        truth::LinkKind::Canonical => "canonical",
    };
    let anchor = if link.anchor.is_empty() { &link.alt } else { &link.anchor };
    let nofollow = if link.nofollow { " nofollow" } else { "" };
    // Only what a reader sees has a place among the words.
    let seen = matches!(link.kind, truth::LinkKind::Anchor | truth::LinkKind::Area);
    let (visibility, position) = if seen { (link.visibility, link.position) } else { (1, 1) };
    format!("{kind} {} {anchor:?} {visibility}{position}{}{nofollow}", link.url, link.distance)
}
