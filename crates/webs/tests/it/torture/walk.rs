//! A model crawler of a few lines: it knows the truth and keeps to it, so everything legitimate must
//! be within its reach and nothing in the log may speak against it.

use std::collections::{HashSet, VecDeque};
use std::net::SocketAddr;

use webs::program::{self, Choice, Options};
use webs::torture::truth::Ending;
use webs::torture::{TortureOptions, TortureServer};

use super::{authority, names, quick, start, tls, url};
use crate::client::{Connection, Got};

async fn get(server: &TortureServer, page: &str) -> Got {
    let page = url::Url::parse(page).expect("a URL");
    let secure = page.scheme() == "https";
    let host = format!("{}:{}", page.host_str().expect("a host"), server.addr().port());
    let addr = SocketAddr::new(names::address(server, &host).await, server.addr().port());
    let target = &page[url::Position::BeforePath..url::Position::AfterQuery];
    let mut connection = match secure {
        true => tls::open(server, addr, page.host_str().expect("a host"), b"http/1.1").await,
        false => Connection::open(addr).await,
    };
    connection.get(&host, target, &[]).await
}

/// Where the links and the Location of an answer lead.
fn links(page: &str, got: &Got) -> Vec<String> {
    let base = url::Url::parse(page).expect("a URL");
    // What is no UTF-16 has no NUL in its second place.
    let start = if got.body.starts_with(b"\xff\xfe") { 2 } else { 0 };
    let wide = got.body.get(start + 1) == Some(&0);
    let text = match wide {
        true => encoding(&got.body[start..]),
        false => String::from_utf8_lossy(&got.body).into_owned(),
    };
    let written = text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let written: Vec<String> = written.map(|href| href.replace("&amp;", "&")).collect();
    let location = got.headers.get("location").cloned();
    let absolute = written.into_iter().chain(location).filter_map(|link| base.join(&link).ok());
    absolute.map(canonical).collect()
}

fn encoding(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

fn canonical(mut url: url::Url) -> String {
    url.set_fragment(None);
    if url.query() == Some("") {
        url.set_query(None);
    }
    url.to_string()
}

/// Fetches the legitimate pages, the plain redirects, and the entrance of each trap.
async fn crawl(server: &TortureServer) -> HashSet<String> {
    let truth = server.truth();
    let mut met: HashSet<String> = truth.starts.iter().cloned().collect();
    let mut waiting: VecDeque<String> = met.iter().cloned().collect();
    while let Some(page) = waiting.pop_front() {
        let wanted = match (truth.url(&page), truth.trap(&page)) {
            (Some(known), None) => {
                known.legitimate || matches!(known.endings[..], [Ending::Redirected { .. }])
            }
            (None, Some(trap)) => trap.root == page,
            (None, None) => panic!("{page} is in neither the truth nor a trap"),
            (Some(_), Some(trap)) => panic!("{page} is in the truth and in the trap {}", trap.name),
        };
        if !wanted {
            continue;
        }
        let got = get(server, &page).await;
        for link in links(&page, &got) {
            // The odd markup of the hard pages holds odd links, too.
            let known = truth.url(&link).is_some() || truth.trap(&link).is_some();
            if (known || !page.contains("/hard/")) && met.insert(link.clone()) {
                waiting.push_back(link);
            }
        }
    }
    met
}

#[tokio::test]
async fn every_legitimate_page_is_reached_and_nothing_speaks_against_the_crawler() {
    for seed in [41, 42] {
        let server = start(seed, quick()).await;
        let met = crawl(&server).await;
        let truth = server.truth();
        let log = server.log().entries();
        assert_eq!(truth.missing(&log), [""; 0]);
        assert_eq!(truth.offences(&log), []);
        assert!((150..300).contains(&truth.legitimate().count()), "{}", truth.legitimate().count());
        // Whatever the truth speaks of is led to, except what only a misled crawler meets.
        for known in truth.urls.iter().filter(|known| !known.endings.contains(&Ending::Unmet)) {
            assert!(met.contains(&known.url), "{} is not linked", known.url);
        }
        for trap in &truth.traps {
            assert!(met.contains(&trap.root), "{} is not linked", trap.root);
        }
        server.stop().await;
    }
}

#[tokio::test]
async fn traps_are_deeper_than_their_budgets() {
    let server = start(43, TortureOptions { connections: 4, ..quick() }).await;
    for trap in server.truth().traps.iter().filter(|trap| !trap.name.starts_with("loop of")) {
        let pattern = regex::Regex::new(&trap.pattern).expect("a pattern");
        let mut met = HashSet::from([trap.root.clone()]);
        let mut waiting = VecDeque::from([trap.root.clone()]);
        let mut asked = 0;
        // The tarpit is slow, so that met pages are enough to see that it goes on.
        while met.len() as u64 <= trap.at_most {
            let page =
                waiting.pop_front().unwrap_or_else(|| panic!("{} ends after {asked} pages", trap.name));
            assert!(pattern.is_match(&page), "{page} by {pattern}");
            asked += 1;
            let got = get(&server, &page).await;
            assert!(got.status < 400, "{page} answers {}", got.status);
            for link in links(&page, &got).into_iter().filter(|link| pattern.is_match(link)) {
                if met.insert(link.clone()) {
                    waiting.push_back(link);
                }
            }
        }
    }
}

#[tokio::test]
async fn tarpit_pages_are_late_near_copies() {
    let server = start(44, quick()).await;
    let root = &server.truth().traps.iter().find(|trap| trap.name == "tarpit").expect("a tarpit").root;
    let before = server.log().since_start();
    let first = get(&server, root).await;
    assert!(server.log().since_start() - before >= std::time::Duration::from_millis(50));
    let second = get(&server, &links(root, &first)[0]).await;
    let words = |got: &Got| got.text().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (first, second) = (words(&first), words(&second));
    let same = first.iter().filter(|word| second.contains(word)).count();
    assert!(first != second && same * 10 > first.len() * 8, "{same} of {} words", first.len());
}

#[tokio::test]
async fn a_crawler_that_goes_inside_is_seen() {
    let server = start(45, quick()).await;
    let inside = SocketAddr::from(([127, 66, 0, 1], server.addr().port()));
    Connection::open(inside).await.get(&authority(&server, "inside"), "/", &[]).await;
    let offences: Vec<String> =
        server.truth().offences(&server.log().entries()).iter().map(ToString::to_string).collect();
    let page = url(&server, "inside", "/");
    assert_eq!(
        offences,
        [
            format!("{page} was asked of a forbidden address"),
            format!("{page} was asked 1 times, at most 0 are right")
        ]
    );
}

#[tokio::test]
async fn the_truth_can_be_asked_of_the_web_itself() {
    let server = start(46, quick()).await;
    let got = get(&server, &url(&server, "www", "/_control/truth.json")).await;
    let read: webs::torture::truth::TortureTruth = serde_json::from_slice(&got.body).expect("a truth");
    assert_eq!(&read, server.truth());
    let hosts = get(&server, &url(&server, "www", "/_control/hosts")).await;
    assert_eq!(hosts.text(), server.hosts_file());
}

#[tokio::test]
async fn the_program_says_where_to_start_and_whom_to_ask_for_names() {
    let options = Options { web: Choice::Torture { seed: 47 }, ..Options::default() };
    let mut out = Vec::new();
    program::run(options, &mut out, async {}).await.expect("a clean end");
    let text = String::from_utf8(out).expect("plain");
    let base =
        text.strip_prefix("serving torture at ").and_then(|rest| rest.split('\n').next()).expect("a base");
    let port = base.trim_end_matches('/').rsplit(':').next().expect("a port");
    let expected =
        format!("\nstart http://www.torture.test:{port}/ hosts {base}_control/hosts dns 127.0.0.1:");
    assert!(text.contains(&expected), "{text}");
    assert!(text.ends_with(&format!("\nca {base}_control/ca.pem\n")), "{text}");
}
