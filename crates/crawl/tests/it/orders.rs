//! Orders of a crawl: by a topic, and changed while it runs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use frontier::tables::{RELEVANCE, relevance_of};
use kv::Reader;
use model::{CrawlSettings, KeepPages, OffTopic, UrlKey};
use webs::Answer;

use crate::bench_site::{Bench, CRAWL};
use crate::site::{Site, html, not_found, page};

/// A page with a title, words and links, each with its text.
fn worded(title: &str, words: &str, links: &[(&str, &str)]) -> Answer {
    let links: String =
        links.iter().map(|(to, text)| format!("<p><a href=\"{to}\">{text}</a></p>")).collect();
    html(&format!("<!doctype html><title>{title}</title><body><p>{words}</p>{links}"))
}

/// A start page that leads to the weather and to the harbour; boats lie behind the harbour.
async fn harbour() -> Site {
    Site::serve(|request| match request.path.as_str() {
        "/robots.txt" => not_found(),
        "/" => worded("News", "All the news", &[("/weather", "Weather"), ("/harbour", "Harbour")]),
        "/weather" => worded("Weather", "Rain", &[("/rain", "Rain"), ("/snow", "Snow")]),
        "/rain" => worded("Rain", "More rain", &[("/mud", "Mud")]),
        "/harbour" => worded(
            "Boats in the harbour",
            "A boat and another boat",
            &[("/a", "Old"), ("/b", "Wooden boats")],
        ),
        "/a" | "/b" => worded("A boat", "Boats, boats", &[]),
        path => worded(path, "Nothing", &[]),
    })
    .await
}

async fn check(edit: impl FnOnce(&mut CrawlSettings), expected: &[&str]) -> (Site, Bench) {
    let site = harbour().await;
    let bench = Bench::new();
    let project = site.project(&bench, &[site.url("/")], |crawl| {
        crawl.topic = vec!["boat".to_owned()];
        edit(crawl);
    });
    bench.crawl(project).await;
    let asked: Vec<String> = site.asked_paths().into_iter().filter(|path| path != "/robots.txt").collect();
    assert_eq!(asked, expected);
    (site, bench)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_topic_order_goes_where_the_topic_is_and_relevance_is_kept() {
    let order = |crawl: &mut CrawlSettings| crawl.order = "topic".parse().unwrap();
    let expected = ["/", "/weather", "/harbour", "/b", "/a", "/rain", "/snow", "/mud"];
    let (site, bench) = check(order, &expected).await;
    let relevance = |path: &str| {
        let key = UrlKey::of(&model::PageUrl::parse(&site.url(path)).unwrap());
        relevance_of(bench.store.get(&RELEVANCE, &frontier::page_key(CRAWL, key)).unwrap().unwrap())
    };
    // Three in the text, its links included, and one in the title, of a topic of one word.
    assert_eq!(relevance("/harbour"), (5.0, true));
    assert_eq!(relevance("/rain"), (0.0, false));
    // What is not kept is judged all the same.
    let lean =
        |crawl: &mut CrawlSettings| (crawl.order, crawl.keep) = ("topic".parse().unwrap(), KeepPages::None);
    check(lean, &expected).await;
}

/// `/x` is promising by a link on the start page; after the restart a page off topic links to it, too.
#[tokio::test(flavor = "multi_thread")]
async fn what_links_promised_before_a_restart_counts_after_it() {
    let orders = async |restarted: bool| {
        let site = Site::serve(|request| match request.path.as_str() {
            "/robots.txt" => not_found(),
            "/" => worded("A boat", "boats", &[("/b", "Boats, boats"), ("/x", "A boat"), ("/y", "Y")]),
            "/b" => worded("B", "Nothing", &[("/x", "Plain")]),
            path => worded(path, "Nothing", &[]),
        })
        .await;
        let bench = Bench::new();
        for pages in if restarted { vec![1, 0] } else { vec![0] } {
            let project = site.project(&bench, &[site.url("/")], |crawl| {
                crawl.topic = vec!["boat".to_owned()];
                crawl.order = "topic".parse().unwrap();
                crawl.rate = Some("5/s".parse().unwrap());
                crawl.max_pages = pages;
            });
            bench.crawl(project).await;
        }
        site.asked_paths().into_iter().filter(|path| path != "/robots.txt").collect::<Vec<_>>()
    };
    assert_eq!(orders(false).await, ["/", "/b", "/x", "/y"]);
    assert_eq!(orders(true).await, ["/", "/b", "/x", "/y"]);
}

/// Cash, in-links and ranks are of pages that were read before; killed after so many pages, and begun again.
#[tokio::test(flavor = "multi_thread")]
async fn orders_by_links_go_on_after_a_kill_as_if_there_had_been_none() {
    let orders = async |order: &str, killed_after: Option<usize>| {
        let asked = AtomicUsize::new(0);
        let site = Site::serve(move |request| {
            let mut answer = match request.path.as_str() {
                "/robots.txt" => not_found(),
                "/" => page("Start", &["/a", "/b", "/c", "/x", "/y"]),
                "/a" => page("A", &["/x", "/hub", "/p"]),
                "/b" => page("B", &["/y", "/q"]),
                "/c" => page("C", &["/hub", "/x", "/r"]),
                "/hub" => page("Hub", &["/q", "/s", "/y"]),
                path => page(path, &["/t", "/hub"]),
            };
            // The last answer before the kill does not come in time.
            if Some(asked.fetch_add(1, Ordering::Relaxed)) == killed_after {
                answer.delay = Duration::from_secs(2);
            }
            answer
        })
        .await;
        let project = |bench: &Bench| {
            site.project(bench, &[site.url("/")], |crawl| {
                crawl.order = order.parse().unwrap();
                crawl.rate = Some("20/s".parse().unwrap());
            })
        };
        let mut bench = Bench::new();
        if let Some(pages) = killed_after {
            let run = bench.start(project(&bench));
            site.has_been_asked(pages + 1).await;
            // What a kill would leave behind.
            let left = tempfile::TempDir::new().unwrap();
            copy(bench.dir.path(), left.path());
            run.controls().stop();
            run.wait().await.unwrap();
            bench = Bench::over(left);
        }
        let before = site.asked_paths().len();
        bench.crawl(project(&bench)).await;
        let asked = site.asked_paths().split_off(before);
        asked.into_iter().filter(|path| path != "/robots.txt").collect::<Vec<_>>()
    };
    for order in ["opic", "backlink", "0.5 opic + 0.5 pagerank"] {
        let whole = orders(order, None).await;
        assert_eq!(whole.len(), 12, "{order}: {whole:?}");
        let rest = orders(order, Some(4)).await;
        assert!(rest.len() > 5 && whole.ends_with(&rest), "{order}: {whole:?}, after the kill {rest:?}");
    }
}

/// Copies a directory as it is.
fn copy(from: &std::path::Path, to: &std::path::Path) {
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_off_topic_are_marked_and_their_links_let_be() {
    let edit = |crawl: &mut CrawlSettings| {
        (crawl.off_topic, crawl.off_topic_distance) = (OffTopic::Mark, Some(1));
        crawl.order = "breadth-first".parse().unwrap();
    };
    let (site, bench) = check(edit, &["/", "/weather", "/harbour", "/a", "/b"]).await;
    let hidden = |path: &str| bench.visits(&site.url(path)).iter().all(|visit| visit.noindex);
    assert!(hidden("/weather") && !hidden("/harbour"));
    assert_eq!(bench.urls()[&site.url("/rain")].outcome.to_string(), "excluded by off_topic_distance");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_without_what_it_needs_is_refused() {
    let site = harbour().await;
    for (order, words) in [
        (
            "0.5 topic + 0.5 random",
            "the order 0.5 topic + 0.5 random needs a topic; set topic or topic_examples",
        ),
        ("timed-breadth-first", "the order timed-breadth-first needs a walltime; set walltime"),
    ] {
        let mut crawl = site.project(&Bench::new(), &[site.url("/")], |_| ()).crawl;
        crawl.order = order.parse().unwrap();
        assert_eq!(crawl::topic_of(&crawl).err().map(|error| error.to_string()).as_deref(), Some(words));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_order_takes_hold_while_the_crawl_runs() {
    let site = Site::serve(|request| {
        let links: Vec<String> = (0..30).map(|n| format!("/w{n}")).collect();
        match request.path.as_str() {
            "/robots.txt" => not_found(),
            "/" => page("Start", &links.iter().map(String::as_str).collect::<Vec<_>>()),
            path if path.len() > 5 => page(path, &[]),
            path => page(path, &[&format!("/deep{path}")]),
        }
    })
    .await;
    let bench = Bench::new();
    let project = site.project(&bench, &[site.url("/")], |crawl| {
        crawl.order = "breadth-first".parse().unwrap();
        crawl.rate = Some("8/s".parse().unwrap());
        crawl.max_pages = 20;
    });
    let run = bench.start(project);
    site.has_been_asked(6).await;
    run.controls().set_order("depth-first".parse().unwrap());
    run.wait().await.unwrap();
    let asked: Vec<String> = site.asked_paths().into_iter().filter(|path| path != "/robots.txt").collect();
    let first_deep = asked.iter().position(|path| path.starts_with("/deep")).unwrap();
    assert!((5..=8).contains(&first_deep), "{asked:?}");
    // From there, every page with what lies behind it.
    let deep = asked[first_deep..].iter().filter(|path| path.starts_with("/deep")).count();
    assert!(deep * 2 >= asked.len() - first_deep, "{asked:?}");
}

/// Boats and rain side by side, each leading to more of its kind.
async fn boats_and_rain() -> Site {
    Site::serve(|request| {
        let kinds = ["boat", "rain"];
        let path = request.path.as_str();
        match path {
            "/robots.txt" => not_found(),
            "/" => {
                let links: Vec<(String, &str)> = (0..24)
                    .map(|n| (format!("/{}{n}", kinds[n % 2]), kinds[n % 2]))
                    .chain([("/start".to_owned(), "More")])
                    .collect();
                let links: Vec<(&str, &str)> = links.iter().map(|(to, text)| (to.as_str(), *text)).collect();
                worded("News", "All the news", &links)
            }
            _ => {
                let kind = if path.contains("boat") { "boat" } else { "rain" };
                let further = format!("{path}x");
                let further: &[(&str, &str)] =
                    if path.contains('x') { &[] } else { &[(&further, "Further")] };
                worded(kind, &format!("A {kind} and a {kind}"), further)
            }
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn another_topic_takes_hold_while_the_crawl_runs() {
    let site = boats_and_rain().await;
    let bench = Bench::new();
    let project = site.project(&bench, &[site.url("/")], |crawl| {
        crawl.order = "topic".parse().unwrap();
        crawl.topic = vec!["boat".to_owned()];
        crawl.rate = Some("8/s".parse().unwrap());
        // Not all that rain is linked to from the start.
        crawl.max_pages = 17;
    });
    let run = bench.start(project);
    site.has_been_asked(7).await;
    run.controls().set_topic(vec!["rain".to_owned()], Vec::new());
    run.wait().await.unwrap();
    let asked: Vec<String> = site.asked_paths().into_iter().filter(|path| path != "/robots.txt").collect();
    let first_rain = asked.iter().position(|path| path.starts_with("/rain")).unwrap();
    assert!((5..=9).contains(&first_rain), "{asked:?}");
    assert!(asked[1..first_rain].iter().all(|path| path.starts_with("/boat")), "{asked:?}");
    // What was promised by the topic before counts no more: links found then count by their words.
    assert!(asked[first_rain..].iter().all(|path| path.starts_with("/rain")), "{asked:?}");
    // Each page was judged by the topic of its time.
    let on_topic = |path: &String| {
        let key = UrlKey::of(&model::PageUrl::parse(&site.url(path)).unwrap());
        let mark = bench.store.get(&RELEVANCE, &frontier::page_key(CRAWL, key)).unwrap().unwrap();
        relevance_of(mark).1
    };
    assert!(on_topic(&asked[1]) && asked[first_rain..].iter().all(on_topic), "{asked:?}");
}

/// A topic that cannot be had, for the order needs one, changes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_topic_that_the_order_needs_is_not_taken_away() {
    let site = boats_and_rain().await;
    let bench = Bench::new();
    let project = site.project(&bench, &[site.url("/")], |crawl| {
        crawl.order = "topic".parse().unwrap();
        crawl.topic = vec!["boat".to_owned()];
        crawl.rate = Some("8/s".parse().unwrap());
        crawl.max_pages = 10;
    });
    let run = bench.start(project);
    site.has_been_asked(3).await;
    run.controls().set_topic(Vec::new(), Vec::new());
    run.wait().await.unwrap();
    let asked: Vec<String> = site.asked_paths().into_iter().filter(|path| path != "/robots.txt").collect();
    assert!(asked[1..].iter().all(|path| path.starts_with("/boat")), "{asked:?}");
}
