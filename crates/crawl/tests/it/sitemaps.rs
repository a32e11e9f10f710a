//! Sitemaps and feeds as sources of URLs: named by the project, named by robots.txt.

use model::{CrawlSettings, PageUrl};
use webs::Answer;

use crate::bench_site::Bench;
use crate::site::{Site, not_found, page};

async fn listed() -> Site {
    Site::serve(|request| match request.path.as_str() {
        "/" => page("Start", &[]),
        "/robots.txt" => {
            Answer::new(200, "text/plain", "User-agent: *\nDisallow: /no\nSitemap: /index.xml\n")
        }
        "/index.xml" => Answer::new(
            200,
            "application/xml",
            "<sitemapindex><sitemap><loc>/pages.xml</loc></sitemap></sitemapindex>",
        ),
        "/pages.xml" => Answer::new(
            200,
            "text/xml",
            "<urlset><url><loc>/a</loc></url><url><loc>/b</loc><lastmod>2026-01-01</lastmod></url>\
             <url><loc>/no</loc></url><url><loc>http://elsewhere.test/</loc></url></urlset>",
        ),
        "/feed" => Answer::new(
            200,
            "application/rss+xml",
            "<rss><channel><link>/</link><item><link>/c</link></item></channel></rss>",
        ),
        "/lines.txt" => {
            let host = request.header("host").unwrap_or_default();
            Answer::new(200, "text/plain", format!("http://{host}/a\nhttp://{host}/c\n"))
        }
        "/a" | "/b" | "/c" => page("Page", &[]),
        _ => not_found(),
    })
    .await
}

async fn check(edit: impl Fn(&Site, &mut CrawlSettings), fetched: &[&str]) {
    let site = listed().await;
    let bench = Bench::new();
    bench.crawl(site.project(&bench, &[site.url("/")], |crawl| edit(&site, crawl))).await;
    let outcomes = bench.outcomes(&site);
    let found: Vec<_> =
        outcomes.iter().filter(|(_, outcome)| *outcome == "fetched").map(|(url, _)| url.as_str()).collect();
    assert_eq!(found, fetched);
}

/// A sitemap has a limit of its own: here it is some fifty times as long as a page may be.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_sitemap_is_read_whole() {
    let site = Site::serve(|request| match request.path.as_str() {
        "/" | "/last" => page("Page", &[]),
        "/sitemap.xml" => {
            let comment = "<!-- nothing -->".repeat(6_000);
            let text = format!("<urlset>{comment}<url><loc>/last</loc></url></urlset>");
            Answer::new(200, "application/xml", text)
        }
        _ => not_found(),
    })
    .await;
    let outcome = async |max_bytes: u64| {
        let bench = Bench::new();
        let edit = |crawl: &mut CrawlSettings| {
            crawl.sitemaps = vec![parse(site.url("/sitemap.xml").as_ref())];
            crawl.max_body = model::Size::from_bytes(2_000);
            crawl.max_bytes = model::Size::from_bytes(max_bytes);
        };
        bench.crawl(site.project(&bench, &[site.url("/")], edit)).await;
        bench.outcomes(&site).get("/last").map(ToString::to_string)
    };
    assert_eq!(outcome(0).await.as_deref(), Some("fetched"));
    assert_eq!(outcome(1_000_000).await, None, "every page is counted as one of full size");
}

fn parse(url: &str) -> PageUrl {
    PageUrl::parse(url).expect("a URL")
}

#[tokio::test(flavor = "multi_thread")]
async fn without_being_asked_for_no_list_is_read() {
    check(|_, _| {}, &["/"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sitemap_leads_to_its_pages_as_far_as_they_are_in_scope() {
    let edit = |site: &Site, crawl: &mut CrawlSettings| {
        crawl.sitemaps = vec![parse(site.url("/pages.xml").as_ref())]
    };
    check(edit, &["/", "/a", "/b", "/pages.xml"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_lines_leads_to_its_pages() {
    let edit = |site: &Site, crawl: &mut CrawlSettings| {
        crawl.sitemaps = vec![parse(site.url("/lines.txt").as_ref())]
    };
    check(edit, &["/", "/a", "/c", "/lines.txt"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_leads_to_its_pages() {
    let edit = |site: &Site, crawl: &mut CrawlSettings| crawl.feeds = vec![parse(site.url("/feed").as_ref())];
    check(edit, &["/", "/c", "/feed"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_txt_names_sitemaps_that_name_others() {
    let edit = |_: &Site, crawl: &mut CrawlSettings| crawl.robots_sitemaps = true;
    check(edit, &["/", "/a", "/b", "/index.xml", "/pages.xml"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_named_as_a_list_is_read_whatever_its_server_calls_it() {
    let site = Site::serve(|request| match request.path.as_str() {
        "/" => page("Start", &["/paper.pdf", "/program.exe"]),
        "/robots.txt" => Answer::new(200, "text/plain", "Sitemap: /named\n"),
        "/named" => Answer::new(200, "binary/octet-stream", "<urlset><url><loc>/a</loc></url></urlset>"),
        "/map" => Answer::redirect(301, "/moved"),
        "/moved" => Answer::new(
            200,
            "image/png",
            "<sitemapindex><sitemap><loc>/part.xml</loc></sitemap></sitemapindex>",
        ),
        "/part.xml" => {
            Answer::new(200, "application/octet-stream", "<urlset><url><loc>/b</loc></url></urlset>")
        }
        "/feed" => {
            Answer::new(200, "text/html", "<rss><channel><item><link>/c</link></item></channel></rss>")
        }
        "/paper.pdf" => Answer::new(200, "application/octet-stream", "%PDF-1.7 no more"),
        "/program.exe" => Answer::new(200, "application/octet-stream", "MZ"),
        "/a" | "/b" | "/c" => page("Page", &[]),
        _ => not_found(),
    })
    .await;
    let bench = Bench::new();
    let edit = |crawl: &mut CrawlSettings| {
        crawl.robots_sitemaps = true;
        crawl.sitemaps = vec![parse(&site.url("/map"))];
        crawl.feeds = vec![parse(&site.url("/feed"))];
    };
    bench.crawl(site.project(&bench, &[site.url("/")], edit)).await;
    let outcomes = bench.outcomes(&site);
    for path in ["/named", "/a", "/moved", "/part.xml", "/b", "/feed", "/c", "/paper.pdf"] {
        assert_eq!(outcomes.get(path).map(String::as_str), Some("fetched"), "{path} of {outcomes:?}");
    }
    assert_eq!(outcomes["/program.exe"], "unwanted: application/octet-stream");
    let visit = bench.visits(&site.url("/paper.pdf")).remove(0);
    assert_eq!(visit.error.map(|error| error.to_string()).as_deref(), Some("not read: broken or locked"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_a_sitemap_come_newest_first() {
    let site = Site::serve(|request| match request.path.as_str() {
        "/map.xml" => {
            let url = |path: &str, day: &str| format!("<url><loc>{path}</loc><lastmod>{day}</lastmod></url>");
            let urls = [
                url("/old", "2019-01-01"),
                url("/mid", "2022-01-01"),
                url("/none", ""),
                url("/new", "2025-06-01"),
            ];
            Answer::new(200, "text/xml", format!("<urlset>{}</urlset>", urls.concat()))
        }
        "/robots.txt" => not_found(),
        _ => page("Page", &[]),
    })
    .await;
    let bench = Bench::new();
    let edit = |crawl: &mut CrawlSettings| crawl.sitemaps = vec![parse(&site.url("/map.xml"))];
    bench.crawl(site.project(&bench, &[site.url("/map.xml")], edit)).await;
    assert_eq!(site.asked_paths(), ["/map.xml", "/new", "/mid", "/old", "/none"]);
}
