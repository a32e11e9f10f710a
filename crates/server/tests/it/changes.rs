//! What has changed and what says the same, asked of a site that was crawled twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use webs::{Answer, Request, Server, Web};

use crate::browser::{Asker, Served};
use crate::events::until;

/// Three articles, each under a second address with a word edited; the first one is written anew.
struct Magazine {
    edited: AtomicBool,
}

impl Web for Magazine {
    fn answer(&self, request: &Request) -> Answer {
        let edited = self.edited.load(Ordering::Relaxed);
        let main = match request.path.as_str() {
            "/" => {
                (1..=3).map(|n| format!("<a href=/read/{n}>{n}</a> <a href=/print/{n}>print</a> ")).collect()
            }
            "/read/1" if edited => article(1).replace("word1x50", "herring"),
            path => match (path.strip_prefix("/read/"), path.strip_prefix("/print/")) {
                (Some(number), _) => article(number.parse().unwrap()),
                (_, Some(number)) => article(number.parse().unwrap()).replacen("x7 ", "x7 printed ", 1),
                _ => return Answer::new(404, "text/html", "<p>Nothing here.</p>"),
            },
        };
        Answer::new(200, "text/html", format!("<!doctype html><title>A page</title><main>{main}</main>"))
    }

    fn hosts(&self) -> Vec<String> {
        Vec::new()
    }
}

fn article(number: u64) -> String {
    (0..5)
        .map(|paragraph| {
            let words = (0..40).map(|word| format!("word{number}x{} ", paragraph * 40 + word));
            format!("<p>{}</p>", words.collect::<String>())
        })
        .collect()
}

/// A server whose project `magazine` was crawled, and once more after an edit.
struct Crawled {
    asker: Asker,
    base: String,
    _served: Served,
    _site: Server,
    _dir: tempfile::TempDir,
}

impl Crawled {
    async fn twice() -> Crawled {
        let dir = tempfile::tempdir().unwrap();
        let web = Arc::new(Magazine { edited: AtomicBool::new(false) });
        let site = Server::start(web.clone(), ([127, 0, 0, 1], 0).into()).await.unwrap();
        let served = Served::start(dir.path()).await;
        let asker = served.signed_in().await;
        let base = site.base();
        let yaml = format!(
            "version: 1\nproject: magazine\nstart: [{base}/]\ncrawl: {{allow_private: true, rate: unlimited, \
             duplicates: winnowing}}\n"
        );
        asker.post("/api/v1/projects", &json!({ "yaml": yaml })).await.expect(201);
        for refresh in [false, true] {
            web.edited.store(refresh, Ordering::Relaxed);
            let wanted = json!({ "refresh": refresh });
            let run = asker.post("/api/v1/projects/magazine/runs", &wanted).await.expect(201).json();
            let path = format!("/api/v1/runs/{}", run["id"]);
            until(&asker, &path, |run| run["state"] == "completed").await;
        }
        Crawled { asker, base, _served: served, _site: site, _dir: dir }
    }

    /// What is answered at a path of the project; `{}` in it is the site.
    async fn ask(&self, path: &str, status: u16) -> Value {
        let site: String = url::form_urlencoded::byte_serialize(self.base.as_bytes()).collect();
        let path = format!("/api/v1/projects/magazine/{}", path.replace("{}", &site));
        self.asker.get(&path).await.expect(status).json()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_and_versions_are_told_page_by_page() {
    let crawled = Crawled::twice().await;
    let read = format!("{}/read/1", crawled.base);
    let changes = crawled.ask("changes", 200).await;
    let [change] = &changes["items"].as_array().unwrap()[..] else { panic!("one page changed: {changes}") };
    assert_eq!(
        (&change["url"], &change["level"], &change["versions"]),
        (&json!(read), &json!("text"), &json!(2))
    );
    assert_eq!((&change["words_added"], &change["words_removed"]), (&json!(1), &json!(1)));
    assert_eq!(change["details"], Value::Null, "only of a page that is asked for");
    assert_eq!(crawled.ask("changes?ignore=main", 200).await["items"], json!([]), "named as noise");
    let noise = crawled.ask("changes?ignore=main&noise=true", 200).await;
    assert_eq!(noise["items"][0]["noise"], true);

    let detailed = crawled.ask("change?url={}/read/1", 200).await;
    let words = detailed["details"]["words"].to_string();
    assert!(words.contains("herring") && words.contains("word1x50"), "{words}");

    let versions = crawled.ask("versions?url={}/read/1", 200).await;
    let [first, second] = &versions["items"].as_array().unwrap()[..] else { panic!("two: {versions}") };
    let moment = |version: &Value| version["at"].as_str().unwrap().to_owned();
    let at = |moment: String| format!("version?url={{}}/read/1&at={moment}");
    let text = |version: Value| version["text"].as_str().unwrap().to_owned();
    assert!(text(crawled.ask(&at(moment(first)), 200).await).contains("word1x50"));
    assert!(text(crawled.ask(&at(moment(second)), 200).await).contains("herring"));
    assert!(text(crawled.ask("version?url={}/read/1", 200).await).contains("herring"));
    let raw = crawled.ask("version?url={}/read/1&raw=true", 200).await;
    assert!(raw["content"].is_null() && raw["raw"].as_str().unwrap().starts_with("PCFkb2N0eXBl"), "{raw}");
    assert_eq!(crawled.ask("versions?url={}/read/2", 200).await["items"].as_array().unwrap().len(), 1);

    for (path, status) in [
        ("change", 400),
        ("version", 400),
        ("versions", 400),
        ("changes?since=soon", 400),
        ("changes?ignore=%3A%3A%3A", 400),
        ("version?url={}/read/1&at=then", 400),
        ("change?url=%00", 400),
        ("change?url={}/nowhere", 404),
        ("version?url={}/nowhere", 404),
        ("version?url={}/read/1&at=1999-12-31", 404),
        ("change?url={}/read/2", 404),
    ] {
        let refused = crawled.ask(path, status).await;
        assert!(refused["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{path}: {refused}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn duplicates_are_listed_and_compared() {
    let crawled = Crawled::twice().await;
    let groups = crawled.ask("duplicates", 200).await;
    assert_eq!(groups["items"].as_array().unwrap().len(), 3, "{groups}");
    let group = crawled.ask("duplicates?url={}/print/2", 200).await["items"][0].clone();
    let read = format!("{}/read/2", crawled.base);
    assert_eq!(
        (&group["chosen"], &group["pages"], &group["exact"]),
        (&json!(read), &json!(2), &json!(false))
    );
    assert!(group["members"][1]["similarity"].as_f64().unwrap() > 0.9, "{group}");

    let pair = crawled.ask("shared?first={}/read/2&second={}/print/2", 200).await;
    assert!(pair["share"].as_f64().unwrap() > 0.9 && pair["share"].as_f64().unwrap() < 1.0, "{pair}");
    let passages = pair["passages"].as_array().unwrap();
    assert!(passages.iter().any(|passage| passage["first"].as_str().unwrap().contains("word2x90")), "{pair}");
    let mirrors = crawled.ask("mirrors", 200).await;
    assert!(mirrors.to_string().contains("/print/*"), "{mirrors}");

    for (path, status) in [
        ("shared?first={}/read/2", 400),
        ("shared?first={}/read/2&second=%00", 400),
        ("shared?first={}/read/2&second={}/nowhere", 404),
        ("duplicates?url={}/nowhere", 404),
        ("duplicates?url=%00", 400),
        ("duplicates?limit=x", 400),
    ] {
        crawled.ask(path, status).await;
    }
}
