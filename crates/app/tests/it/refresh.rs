//! A second crawl of a site that was crawled before: what has not changed costs little and stores nothing.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use archive::tables::VISITS;
use frontier::tables::{MISSING, URLS};
use kv::{Reader, Store};
use model::Outcome;
use serde_json::Value;
use webs::demo::Demo;

use crate::gannet::{Said, gannet};
use crate::process::Running;
use crate::served::Served;

/// Carries connections to a port, and counts all bytes that pass, both ways: heads and bodies.
struct Wire {
    port: u16,
    passed: Arc<AtomicU64>,
}

impl Wire {
    #[expect(clippy::disallowed_methods, reason = "the demo site of this test, on loopback")]
    fn to(port: u16) -> Wire {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let wire = Wire { port: listener.local_addr().unwrap().port(), passed: Arc::default() };
        let passed = wire.passed.clone();
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let Ok(far) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { continue };
                let (near_too, far_too) = (near.try_clone().unwrap(), far.try_clone().unwrap());
                for (from, to) in [(near, far), (far_too, near_too)] {
                    let passed = passed.clone();
                    thread::spawn(move || carry(from, to, &passed));
                }
            }
        });
        wire
    }

    fn passed(&self) -> u64 {
        self.passed.load(Ordering::Relaxed)
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, passed: &AtomicU64) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(amount @ 1..) = from.read(&mut buffer) {
        passed.fetch_add(amount as u64, Ordering::Relaxed);
        if to.write_all(&buffer[..amount]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

struct Shop {
    demo: Arc<Demo>,
    site: Served,
    wire: Wire,
    folder: tempfile::TempDir,
}

impl Shop {
    /// The demo shop, crawled once.
    fn crawled() -> (Shop, Value) {
        let demo = Arc::new(Demo::new(1, 1));
        let site = Served::start(demo.clone());
        let wire = Wire::to(site.port());
        let shop = Shop { site, wire, demo, folder: tempfile::tempdir().unwrap() };
        let example = include_str!("../../../../docs/examples/demo-shop.yaml");
        let project = shop.folder.path().join("project.yaml");
        let start = format!("http://127.0.0.1:{}/", shop.wire.port);
        std::fs::write(&project, example.replace("http://127.0.0.1:8080/", &start)).unwrap();
        let project = project.to_str().unwrap().to_owned();
        let args = ["crawl", "-q", "--allow-private", "--rate=unlimited", "--json", "-p", &project];
        let summary = shop.json(&args).remove(0);
        (shop, summary)
    }

    #[track_caller]
    fn ask(&self, args: &[&str]) -> Said {
        let data = self.folder.path().join("data");
        let said = gannet(&[args, &["--data", data.to_str().unwrap()]].concat());
        assert_eq!(said.code, Some(0), "{args:?}: {}{}", said.out, said.err);
        said
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Vec<Value> {
        self.ask(args).out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Where its WARC files are.
    fn archive(&self) -> std::path::PathBuf {
        crate::kept::archive_folder(&self.folder.path().join("data"))
    }

    /// Versions kept of each page, by its key.
    fn versions(&self) -> BTreeMap<u128, usize> {
        versions(&self.folder.path().join("data"))
    }

    fn outcomes(&self) -> BTreeMap<&'static str, u64> {
        let store = Store::open(&self.folder.path().join("data/crawl"), kv::Options::default()).unwrap();
        let mut outcomes = BTreeMap::new();
        for row in store.iter(&URLS) {
            let outcome: Outcome = row.unwrap().1.outcome;
            *outcomes.entry(outcome.name()).or_default() += 1;
        }
        outcomes
    }
}

fn versions(data: &Path) -> BTreeMap<u128, usize> {
    let store = Store::open(&data.join("crawl"), kv::Options::default()).unwrap();
    let mut versions = BTreeMap::new();
    for row in store.iter(&VISITS) {
        let ((_, _, page, _), visit) = row.unwrap();
        if visit.location.is_some() && matches!(visit.status, Some(200..=299)) {
            *versions.entry(page).or_default() += 1;
        }
    }
    versions
}

/// The same crawl, refreshed once as a whole and once killed in the middle, and then gone on with.
#[test]
fn a_refresh_that_is_killed_ends_as_one_that_is_not() {
    let (shop, _) = Shop::crawled();
    let [data, copy, project] = ["data", "copy", "project.yaml"].map(|name| shop.folder.path().join(name));
    let copied = std::process::Command::new("cp").arg("-r").args([&data, &copy]).status().unwrap();
    assert!(copied.success());
    shop.demo.set_epoch(2);
    shop.json(&["refresh", "-q", "--json"]);
    let before = shop.site.now();
    let mut run = Running::start(&["refresh", "-q", "--data", copy.to_str().unwrap()]);
    shop.site.wait_for(20, before, || run.is_alive());
    assert!(run.is_alive(), "killed in the middle of its work: {}", run.errors());
    run.kill();
    let [there, project] = [&copy, &project].map(|path| path.to_str().unwrap());
    let usual = ["crawl", "-q", "--allow-private", "--rate=unlimited"];
    Running::start(&[&usual[..], &["-p", project, "--data", there]].concat()).finish();
    let outcomes = |data: &Path| {
        let said = gannet(&["pages", "--json", "--data", data.to_str().unwrap()]);
        let rows = said.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let outcome = |row: Value| [&row["url"], &row["outcome"], &row["depth"]].map(Value::to_string);
        rows.map(outcome).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(outcomes(&data), outcomes(&copy));
    assert_eq!(versions(&data), versions(&copy));
    assert_eq!(gannet(&["check", "--data", there]).code, Some(0));
}

#[test]
fn a_second_crawl_of_an_unchanged_site_stores_no_version_and_costs_little() {
    let (shop, first) = Shop::crawled();
    let archived = || std::fs::metadata(shop.archive().join(archive::file_name(1))).unwrap().len();
    let (first_bytes, first_archived) = (shop.wire.passed(), archived());
    let (versions, before) = (shop.versions(), shop.site.now());
    let second = shop.json(&["refresh", "-q", "--json"]).remove(0);
    assert_eq!(shop.versions(), versions, "no version is new");
    // Requests and answers with their heads, as they passed.
    let cost = shop.wire.passed() - first_bytes;
    let pages = first["pages_fetched"].as_u64().unwrap();
    let grown = archived() - first_archived;
    println!("on the wire: first {first_bytes} bytes, second {cost}, {} %", cost * 100 / first_bytes);
    println!("archive: first {first_archived} bytes, second {grown}, {} a page", grown / pages);
    assert!(cost > 0 && cost * 5 < first_bytes, "{cost} of {first_bytes}");
    assert!(grown < pages * 700, "{grown} bytes for {pages} pages");
    let changes = &second["row_changes"];
    assert!(changes["unchanged"].as_u64().unwrap() > 20, "{changes}");
    for other in ["new", "changed", "gone", "unseen"] {
        assert_eq!(changes[other].as_u64(), Some(0), "{other}: {changes}");
    }
    assert_eq!(first["pages_fetched"], second["pages_fetched"]);
    let asked = shop.site.since(before).len();
    assert!(asked as u64 >= first["pages_fetched"].as_u64().unwrap(), "every page was asked for: {asked}");
    let checked = shop.ask(&["check"]);
    assert_eq!(checked.code, Some(0), "{}", checked.out);
    // Revisit records stand for what was not sent again.
    let warc = archive::ArchiveReader::new(shop.archive());
    let end = archive::Position { file: 1, length: archived() };
    let mut reader = warc.file(1, end).unwrap();
    let (mut revisits, mut others) = (0, 0);
    while let Some(head) = reader.next_record().unwrap() {
        revisits += u64::from(head.kind() == Some(archive::RecordKind::Revisit));
        others +=
            u64::from(head.offset >= first_archived && head.kind() != Some(archive::RecordKind::Revisit));
    }
    assert_eq!((revisits, others), (pages, 0), "one record for each page, and nothing else");
    // What they say is read back when the tables are lost.
    std::fs::remove_dir_all(shop.folder.path().join("data/crawl")).unwrap();
    shop.ask(&["repair"]);
    let why = shop.ask(&["why", &format!("http://127.0.0.1:{}/shop/tents/", shop.wire.port)]).out;
    assert!(why.contains("304") && why.contains("changed at 0 of 1 later visits"), "{why}");
}

#[test]
fn a_second_crawl_of_a_changed_site_keeps_both_versions() {
    let (shop, _) = Shop::crawled();
    let versions = shop.versions();
    shop.demo.set_epoch(2);
    let second = shop.json(&["refresh", "-q", "--json"]).remove(0);
    let now = shop.versions();
    assert!(versions.iter().all(|(page, count)| now[page] >= *count), "old versions are kept");
    let changed = now.values().filter(|count| **count > 1).count();
    assert!(changed > 0 && changed < now.len(), "{changed} of {} pages have a new version", now.len());
    assert!(second["row_changes"]["changed"].as_u64().unwrap() > 0, "{}", second["row_changes"]);
    assert!(shop.outcomes().contains_key("not-modified"));
    let rows = shop.json(&["changes", "--json", "--noise"]);
    let (counts, changes) = rows.split_last().unwrap();
    assert_eq!(counts["changed"].as_u64(), Some(changed as u64), "{counts}");
    let change = changes.iter().find(|change| change["words_added"].as_u64() > Some(0)).expect("words came");
    let url = change["url"].as_str().unwrap();
    let detail = shop.json(&["changes", url, "--json"]).remove(0);
    assert!(!detail["details"]["words"].as_array().unwrap().is_empty(), "{detail}");
    assert!(!detail["details"]["levels"].as_array().unwrap().is_empty(), "{detail}");
    let versions = shop.json(&["version", url, "--list", "--json"]);
    assert_eq!(versions.len(), 2);
    let first = versions[0]["at"].as_str().unwrap();
    let old = shop.ask(&["version", url, "--at", first]).out;
    let new = shop.ask(&["version", url]).out;
    assert!(old.contains("<html") && new.contains("<html") && old != new);
    // A date is meant from its beginning to its end.
    let [from, to] = [0, 1].map(|place| &versions[place]["at"].as_str().unwrap()[..10]);
    let days = shop.json(&["changes", url, "--from", from, "--to", to, "--json"]).remove(0);
    assert_eq!((&days["before"], &days["after"]), (&versions[0]["at"], &versions[1]["at"]), "{days}");
    let why = shop.ask(&["why", url]).out;
    assert!(why.contains("2 versions") && why.contains("changed at 1 of 1"), "{why}");
    // Seconds apart, which says little of how often it changes.
    let rate = why.split("about ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!((0.01..1.0).contains(&rate.parse::<f64>().unwrap()), "{why}");
    let shown = shop.ask(&["changes", url]).out;
    for step in ["hash ", "tags ", "levels ", "tree diff ", "text codes ", "word diff "] {
        assert!(why.contains(step) && shown.contains(step), "{step}: {why}{shown}");
    }
    let before = shop.ask(&["changes", "--since", "2100-01-01"]).out;
    assert!(before.starts_with("0 of "), "{before}");
}

#[test]
fn pages_are_asked_for_again_when_they_are_due() {
    let (shop, first) = Shop::crawled();
    let before = shop.site.now();
    let project = shop.folder.path().join("project.yaml");
    let again = |more: &[&str]| {
        let project = project.to_str().unwrap();
        let args = ["crawl", "-q", "--allow-private", "--rate=unlimited", "--json", "-p", project];
        shop.json(&[&args, more].concat()).remove(0)
    };
    again(&["--incremental", "--revisit=fixed", "--revisit-every=1d"]);
    again(&["--incremental", "--revisit=adaptive"]);
    again(&["--incremental", "--revisit=optimal"]);
    again(&["--incremental", "--revisit=off"]);
    let told = shop.ask(&["refresh"]).err;
    assert!(told.contains("\n0 pages are due to be asked for again\n"), "{told}");
    assert!(shop.site.since(before).len() <= 10, "nothing is due yet, but robots.txt and what failed");
    // All are due, and the budget of a day is spent once.
    let before = shop.site.now();
    let at_once = ["--revisit-every=1ms", "--revisit-min=1ms", "--revisit-max=1ms"];
    let optimal = ["--incremental", "--revisit=optimal", "--revisit-budget=15"];
    for _ in 0..3 {
        again(&[&optimal[..], &at_once].concat());
    }
    let asked = shop.site.since(before).len();
    assert!((15..40).contains(&asked), "{asked} requests");
    let before = shop.site.now();
    again(&["--incremental", "--revisit=fixed", "--revisit-every=1ms", "--revisit-min=1ms"]);
    let asked = shop.site.since(before).len() as u64;
    let kept = first["pages_fetched"].as_u64().unwrap();
    assert!(asked >= kept, "{asked}");
    let told = shop.ask(&["refresh"]).err;
    assert!(told.contains(&format!("\n{kept} pages are due to be asked for again\n")), "{told}");
}

/// A site whose pages begin to link to one that was not worth fetching.
#[test]
fn a_full_collection_gives_up_what_matters_least_for_what_matters_more() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let grown = Arc::new(AtomicBool::new(false));
    let seen = grown.clone();
    let web = crate::served::small(&["club.test"], move |request| {
        let grown = seen.load(Ordering::Relaxed);
        let page = match request.path.as_str() {
            "/" => "<a href=/p1>1</a><a href=/p2>2</a><a href=/p3>3</a><a href=/p4>4</a>",
            "/p1" | "/p2" | "/p3" if grown => "<a href=/star>star</a>",
            "/p1" | "/p2" | "/p3" | "/p4" | "/star" => "<a href=/>home</a>",
            _ => return crate::served::missing(),
        };
        let path = &request.path;
        webs::Answer::new(200, "text/html", format!("<title>{path}</title><p>The page at {path}.</p>{page}"))
    });
    let desk = crate::duplicates::Desk::new(web);
    let fetched = || {
        let rows = desk.json(&["pages", "--limit", "100"]);
        let is_kept = |row: &&Value| matches!(row["outcome"].as_str(), Some("fetched" | "not-modified"));
        let path = |row: &Value| row["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        rows.iter().filter(is_kept).map(path).collect::<std::collections::BTreeSet<_>>()
    };
    let start = desk.site.start_url();
    desk.crawl(&start, &["--max-pages=5", "--order=breadth-first"]);
    let first = fetched();
    assert!(first.len() == 5 && !first.contains("star"), "{first:?}");
    grown.store(true, Ordering::Relaxed);
    // The first reads the new links, the second knows what they are worth. That a setting is another puts nothing back.
    let said = desk.say(&["refresh", "-q"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(fetched(), first, "unasked nothing is given up");
    desk.crawl(&start, &["--incremental", "--max-pages=5", "--replace-pages", "--order=breadth-first"]);
    let second = fetched();
    assert!(second.len() == 5 && second.contains("star"), "{second:?}");
    let given_up = first.difference(&second).next().unwrap();
    let why = desk.say(&["why", &format!("{start}{given_up}")]).out;
    assert!(why.contains("given up for a more important page"), "{why}");
    let found = desk.json(&["search", given_up]).remove(0);
    assert_eq!(
        found["hits"].as_array().unwrap().len(),
        0,
        "what was given up is not found any more: {found}"
    );
    // Room for it brings it back.
    desk.crawl(&start, &["--max-pages=9", "--order=breadth-first"]);
    assert!(fetched().is_superset(&first), "{:?}", fetched());
}

/// One page is missing once, then the host does not answer at all: nobody knows more than that they were there.
#[test]
fn pages_stay_pages_through_an_outage() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let round = Arc::new(AtomicU32::new(0));
    let seen = round.clone();
    let web = crate::served::small(&["pier.test"], move |request| {
        let path = request.path.as_str();
        match (path, seen.load(Ordering::Relaxed)) {
            (_, 2) => webs::Answer::new(503, "text/html", "").with("Retry-After", "7200"),
            ("/harbour", 1) => crate::served::missing(),
            ("/", _) => webs::Answer::new(
                200,
                "text/html",
                "<a href=/harbour>harbour</a><a href=/lighthouse>light</a>",
            ),
            ("/harbour" | "/lighthouse", _) => {
                let page = format!("<title>{path}</title><p>Ships pass {} at night.</p>", &path[1..]);
                webs::Answer::new(200, "text/html", page)
            }
            _ => crate::served::missing(),
        }
    });
    let desk = crate::duplicates::Desk::new(web);
    let start = desk.site.start_url();
    desk.crawl(&start, &[]);
    let refresh = |to: u32| {
        round.store(to, Ordering::Relaxed);
        desk.json(&["refresh", "-q"]).remove(0)
    };
    let check = |words: [&str; 2]| {
        let rows = desk.json(&["pages", "--outcome", "fetched", "--outcome", "not-modified"]);
        assert_eq!(rows.len(), 3, "{rows:?}");
        let harbour = rows.iter().find(|row| row["url"].as_str().unwrap().ends_with("/harbour")).unwrap();
        let told = harbour["words"].as_str().unwrap();
        assert!(
            told.starts_with("fetched, kept; ") && words.iter().all(|word| told.contains(word)),
            "{told}"
        );
        for format in ["jsonl", "csv"] {
            let out = desk.say(&["export", format, "--outcome", "fetched", "--outcome", "not-modified"]).out;
            assert_eq!(out.lines().count(), 3 + usize::from(format == "csv"), "{out}");
        }
        let sitemap = desk.say(&["export", "sitemap"]).out;
        assert_eq!(sitemap.matches("<loc>").count(), 3, "{sitemap}");
        let changes = desk.say(&["changes"]).out;
        assert!(changes.contains("0 of 3 pages have changed"), "{changes}");
        desk.json(&["search", "ships"]);
        let index = desk.json(&["index", "list"]).remove(0)["name"].as_str().unwrap().to_owned();
        let rebuilt = desk.say(&["index", "rebuild", &index]);
        assert_eq!(rebuilt.code, Some(0), "{}", rebuilt.err);
        let hits = desk.json(&["search", "ships night"]).remove(0);
        assert_eq!(hits["hits"].as_array().unwrap().len(), 2, "{hits}");
        assert_eq!(desk.say(&["check"]).code, Some(0));
    };
    assert_eq!(refresh(1)["pages_fetched"], 3);
    check(["last asked", "404"]);
    let summary = refresh(2);
    assert_eq!((&summary["pages_fetched"], &summary["to_ask_again"]), (&3.into(), &3.into()), "{summary}");
    assert_eq!(summary["waiting"], 0, "{summary}");
    check(["asked for again", ": "]);
    let text = desk.say(&["refresh", "-q"]).out;
    assert!(text.contains("3 fetched (3 still to be asked for again), 0 URLs wait"), "{text}");
}

/// While it is mended, a site leads all its pages to one that says so: they are kept, and there again when it is done. When
/// that is said days later still, it is believed.
#[test]
fn pages_that_lead_elsewhere_for_now_are_kept() {
    use std::sync::atomic::{AtomicBool, Ordering};
    const DAYS: u64 = 3 * 86_400_000;
    let mended = Arc::new(AtomicBool::new(false));
    let seen = mended.clone();
    let web = crate::served::small(&["pier.test"], move |request| {
        let page = |text: &str| webs::Answer::new(200, "text/html", format!("<title>Pier</title>{text}"));
        match request.path.as_str() {
            "/robots.txt" => crate::served::missing(),
            "/soon" => page("<p>We are back soon.</p>"),
            _ if seen.load(Ordering::Relaxed) => webs::Answer::redirect(302, "/soon"),
            "/" => page("<a href=/harbour>harbour</a><a href=/lighthouse>light</a>"),
            path => page(&format!("<p>Ships pass {} at night.</p>", &path[1..])),
        }
    });
    let desk = crate::duplicates::Desk::new(web);
    let start = desk.site.start_url();
    desk.crawl(&start, &[]);
    let refresh = |is_mended: bool| {
        mended.store(is_mended, Ordering::Relaxed);
        let said = desk.say(&["refresh", "-q"]);
        assert_eq!(said.code, Some(0), "{}", said.err);
    };
    let kept = || desk.json(&["pages", "--outcome", "fetched", "--outcome", "not-modified"]);
    let check = |pages: usize, hits: usize| {
        assert_eq!(kept().len(), pages, "{:?}", kept());
        let found = desk.json(&["search", "ships night"]).remove(0);
        assert_eq!(found["hits"].as_array().unwrap().len(), hits, "{found}");
        assert_eq!(desk.say(&["check"]).code, Some(0));
    };
    check(3, 2);
    refresh(true);
    check(4, 2);
    let rows = kept();
    let harbour = rows.iter().find(|row| row["url"].as_str().unwrap().ends_with("/harbour")).unwrap();
    assert_eq!(harbour["words"], "fetched, kept; last asked: 302", "{harbour}");
    assert_eq!(desk.json(&["changes"]).last().unwrap()["moved"], 0);
    refresh(false);
    check(4, 2);
    refresh(true);
    {
        let store = Store::open(&Path::new(&desk.data()).join("crawl"), kv::Options::default()).unwrap();
        let waiting: Vec<_> = store.iter(&MISSING).map(Result::unwrap).collect();
        assert_eq!(waiting.len(), 3, "said once since they were there again");
        let mut batch = store.batch();
        waiting.iter().for_each(|(page, since)| batch.put(&MISSING, page, &(since - DAYS)));
        store.commit(batch, kv::Durability::Synced).unwrap();
    }
    refresh(true);
    check(1, 0);
    assert_eq!(desk.json(&["changes"]).last().unwrap()["moved"], 3);
}

/// What is read back from the archive says no more of a page than its visits did.
#[test]
fn a_page_that_was_missing_once_stays_a_page_in_tables_made_anew() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let mended = Arc::new(AtomicBool::new(false));
    let seen = mended.clone();
    let web = crate::served::small(&["pier.test"], move |request| {
        let page = |text: &str| webs::Answer::new(200, "text/html", format!("<title>Pier</title>{text}"));
        match (request.path.as_str(), seen.load(Ordering::Relaxed)) {
            ("/robots.txt", _) | ("/harbour", true) => crate::served::missing(),
            ("/lighthouse", true) => webs::Answer::redirect(302, "/"),
            ("/", _) => page("<a href=/harbour>harbour</a><a href=/lighthouse>light</a>"),
            (path, _) => page(&format!("<p>Ships pass {} at night.</p>", &path[1..])),
        }
    });
    let desk = crate::duplicates::Desk::new(web);
    desk.crawl(&desk.site.start_url(), &[]);
    mended.store(true, Ordering::Relaxed);
    assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
    let kept = || desk.json(&["pages", "--outcome", "fetched", "--outcome", "not-modified"]).len();
    let missing = || {
        let store = Store::open(&Path::new(&desk.data()).join("crawl"), kv::Options::default()).unwrap();
        store.iter(&MISSING).map(Result::unwrap).count()
    };
    assert_eq!((kept(), missing()), (3, 2));
    std::fs::remove_dir_all(Path::new(&desk.data()).join("crawl")).unwrap();
    desk.say(&["repair"]);
    assert_eq!((kept(), missing()), (3, 2));
    mended.store(false, Ordering::Relaxed);
    assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
    assert_eq!((kept(), missing()), (3, 0), "they were never given up");
}
