//! Live events: the state at once, lines from where a reader left, several runs, runs that are steered.

use std::time::Duration;

use serde_json::{Value, json};
use server::SiteOptions;
use webs::program::{Options, start};

use crate::browser::{Asker, Served};

pub(crate) async fn until(asker: &Asker, path: &str, is: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..3_000 {
        let now = asker.get(path).await.expect(200).json();
        if is(&now) {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{path} did not come to it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_begun_watched_steered_and_told_of() {
    let dir = tempfile::tempdir().unwrap();
    let demo = start(&Options::default()).await.unwrap();
    let options = SiteOptions { demo: Some(demo.addr()), ..SiteOptions::default() };
    let served = Served::with(dir.path(), options).await;
    let asker = served.signed_in().await;
    let samples = asker.get("/api/v1/samples").await.expect(200).json();
    assert_eq!(samples["items"].as_array().unwrap().len(), 3);
    let mut project =
        asker.post("/api/v1/samples/blog", &json!({})).await.expect(201).json()["project"].clone();
    asker.post("/api/v1/samples/blog", &json!({})).await.expect(200);
    project["crawl"]["rate"] = json!("5/s");
    let edited =
        asker.with("if-match", "*").put("/api/v1/projects/demo-blog", &json!({ "project": project })).await;
    edited.expect(200);
    asker.post("/api/v1/samples/manual", &json!({})).await.expect(201);
    let run = asker.post("/api/v1/projects/demo-blog/runs", &json!({})).await.expect(201).json();
    asker.post("/api/v1/projects/demo-blog/runs", &json!({})).await.expect(409);
    // Another project beside it.
    let other = asker.post("/api/v1/projects/demo-manual/runs", &json!({})).await.expect(201).json();
    let path = format!("/api/v1/runs/{}", run["id"]);
    until(&asker, &path, |run| run["progress"]["pages"].as_u64() >= Some(2)).await;
    let paused = asker.post(&format!("{path}/pause"), &json!({})).await.expect(200).json();
    assert_eq!(paused["state"], "paused");
    let first = asker.get(&format!("{path}/events")).await.text();
    assert!(first.contains("event: run\n") || first.contains("event: rows\n"), "{first}");
    // From the first line on, for one who has heard none.
    let again = asker.with("last-event-id", "0").get(&format!("{path}/events")).await.text();
    assert!(again.starts_with("event: log\nid: ") && again.contains("\"seq\":1,"), "{again}");
    let all = asker.get("/api/v1/events").await.text();
    assert!(all.starts_with("event: runs\n") && all.contains("demo-blog"), "{all}");
    let dry = json!({ "patterns": ["/blog/*"], "dry_run": true });
    let gone = asker.post(&format!("{path}/exclude"), &dry).await.expect(200).json();
    assert!(gone["waiting"].as_u64() > Some(0), "{gone}");
    let speed = json!({ "rate": "unlimited", "order": "pagerank" });
    let patched = asker.with("content-type", "application/json");
    patched.send("PATCH", &path, speed.to_string().into()).await.expect(200);
    let by_topic = json!({ "order": "0.5 topic + 0.5 pagerank" });
    patched.send("PATCH", &path, by_topic.to_string().into()).await.expect(400);
    let topic = json!({ "order": "0.5 topic + 0.5 pagerank", "topic": ["blog"], "keep": true });
    let given = patched.send("PATCH", &path, topic.to_string().into()).await.expect(200).json();
    let settings = &given["settings"];
    assert_eq!((&settings["order"], &settings["topic"]), (&topic["order"], &topic["topic"]));
    let kept = asker.get("/api/v1/projects/demo-blog").await.expect(200).json();
    assert_eq!(kept["project"]["crawl"]["topic"], topic["topic"]);
    let without = json!({ "topic": [] });
    patched.send("PATCH", &path, without.to_string().into()).await.expect(400);
    patched.send("PATCH", &path, json!({ "order": "pagerank" }).to_string().into()).await.expect(200);
    asker.get(&format!("{path}/series")).await.expect(200);
    asker.get(&format!("{path}/live")).await.expect(200);
    let told = asker.get(&format!("{path}/forecast")).await.expect(200).json();
    assert!(told["words"].as_str().unwrap().contains("without pauses, "), "{told}");
    let worth = asker.get(&format!("{path}/outlook")).await.expect(200).json();
    // Its pages have the time of the machine, and the run that of this test.
    assert!(worth["hours"].is_array() && worth["quarters"].is_array(), "{worth}");
    let log = asker.get(&format!("{path}/log?limit=5")).await.expect(200).json();
    assert!(!log["items"].as_array().unwrap().is_empty());
    assert_eq!(asker.get(&format!("{path}/log/download")).await.expect(200).status, 200);
    asker.post(&format!("{path}/resume"), &json!({})).await.expect(200);
    until(&asker, &path, |run| run["state"] == "completed").await;
    until(&asker, &format!("/api/v1/runs/{}", other["id"]), |run| run["state"] == "completed").await;
    asker.post(&format!("{path}/stop"), &json!({})).await.expect(409);
    let rows = asker.get("/api/v1/projects/demo-blog/rows?limit=3").await.expect(200).json();
    assert_eq!(rows["items"].as_array().unwrap().len(), 3);
    let csv = asker.get("/api/v1/projects/demo-blog/export/rows.csv").await.expect(200);
    assert!(csv.header("content-disposition").contains("demo-blog-rows.csv") && csv.text().contains("title"));
    let sqlite = asker.get("/api/v1/projects/demo-blog/export/rows.sqlite").await.expect(200);
    assert!(sqlite.body.starts_with(b"SQLite format 3"));
    let asked = json!({ "verb": "export", "project": "demo-blog", "format": "sqlite", "path": null, "force": false, "outcomes": [] });
    let lines = asker.post("/api/v1/ask", &asked).await;
    // "SQLite format 3" in base 64.
    assert!(lines.text().contains("\"U1FMaXRlIGZvcm1hdCAz"), "{:.200}", lines.text());
    assert!(lines.text().contains("{\"end\":"), "it is whole");
    let coverage = asker.get("/api/v1/projects/demo-blog/coverage").await.expect(200).json();
    assert!(coverage["items"][0]["found"]["title"].as_u64() > Some(0), "{coverage}");
    let left =
        std::fs::read_dir(dir.path()).unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    assert!(!left.into_iter().any(|name| name.starts_with("export-")), "nothing is left behind");
    let found =
        asker.get("/api/v1/indexes/demo-blog/search?q=the&facet=site&limit=2").await.expect(200).json();
    assert!(found["total"].as_u64() > Some(0), "{found}");
    let plain = asker.get("/s/demo-blog?q=the").await;
    assert!(plain.text().contains("rel=\"next\"") && !plain.text().contains("<script"));
    let as_json = asker.with("accept", "application/json").get("/s/demo-blog?q=the").await.json();
    assert_eq!(as_json["total"], asker.get("/s/demo-blog.json?q=the").await.json()["total"]);
    // What was typed is text.
    let typed = asker.get("/s/demo-blog?q=%3Cscript%3Ealert(1)%3C/script%3E%22onfocus=x").await.text();
    assert!(!typed.contains("<script>") && !typed.contains("\"onfocus"), "{typed}");
    asker
        .with("if-match", "\"stale\"")
        .send("DELETE", "/api/v1/projects/demo-blog", "".into())
        .await
        .expect(412);
    asker.with("if-match", "*").send("DELETE", "/api/v1/projects/demo-blog", "".into()).await.expect(204);
    asker.get("/api/v1/projects/demo-blog").await.expect(404);
}
