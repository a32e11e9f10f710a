//! The API: projects, edits, lists and refusals that say what to do.

use serde_json::{Value, json};
use server::SiteOptions;
use webs::program::{Options, start};

use crate::browser::{Asker, Served};
use crate::events::until;

const YAML: &str = "version: 1\nproject: shop\nstart: [http://shop.test/]\ncrawl: {max_pages: 7}\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_editors_of_one_project_do_not_overwrite_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(dir.path()).await;
    let asker = served.signed_in().await;
    asker.post("/api/v1/projects", &json!({ "yaml": YAML })).await.expect(201);
    asker.post("/api/v1/projects", &json!({ "yaml": YAML })).await.expect(409);
    let shown = asker.get("/api/v1/projects/shop").await.expect(200);
    let tag = shown.header("etag").to_owned();
    assert_eq!(tag, format!("\"{}\"", shown.json()["version"].as_str().unwrap()));
    assert_eq!(shown.json()["project"]["crawl"], json!({ "max_pages": 7 }));
    let mut project = shown.json()["project"].clone();
    project["crawl"]["max_pages"] = json!(8);
    let edit = json!({ "project": project });
    asker.put("/api/v1/projects/shop", &edit).await.expect(428);
    let first = asker.with("if-match", &tag).put("/api/v1/projects/shop", &edit).await.expect(200);
    let second = asker.with("if-match", &tag).put("/api/v1/projects/shop", &edit).await.expect(412);
    assert_eq!(second.json()["version"], first.json()["version"], "the current one is told");
    assert_eq!(asker.get("/api/v1/projects/shop").await.json()["project"]["crawl"]["max_pages"], 8);
    let file = asker.get("/api/v1/projects/shop/file").await.expect(200);
    assert!(file.header("content-disposition").contains("shop.yaml") && file.text().contains("max_pages: 8"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mistake_in_a_project_has_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(dir.path()).await;
    let asker = served.signed_in().await;
    let wrong = json!({ "yaml": YAML.replace("max_pages", "max_page") });
    let refused = asker.post("/api/v1/projects", &wrong).await.expect(422).json();
    assert_eq!(refused["errors"][0]["line"], 4);
    assert!(refused["detail"].as_str().unwrap().contains("max_pages"), "{refused}");
    let checked = asker.post("/api/v1/projects/check", &wrong).await.expect(200).json();
    assert_eq!((checked["project"].clone(), checked["errors"][0]["line"].clone()), (json!(null), json!(4)));
    let right = asker.post("/api/v1/projects/check", &json!({ "yaml": YAML })).await.expect(200).json();
    let again =
        asker.post("/api/v1/projects/check", &json!({ "project": right["project"] })).await.expect(200);
    let yaml = &again.json()["yaml"];
    let third = asker.post("/api/v1/projects/check", &json!({ "yaml": yaml })).await.expect(200);
    assert_eq!(third.json()["project"], right["project"], "YAML to JSON to YAML loses nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_there_is_said_to_be_missing() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(dir.path()).await;
    let asker = served.signed_in().await;
    for path in [
        "projects/none",
        "projects/none/pages",
        "projects/none/rows",
        "projects/none/export/rows.csv",
        "runs/7",
        "runs/x",
        "indexes/none",
        "indexes/none/search?q=x",
        "nothing",
        "projects/%00",
        "projects/a%2Fb/pages",
        "indexes/..%2F..%2Fetc/search?q=x",
        "runs/7/events",
        "projects/none/export/rows.exe",
    ] {
        asker.get(&format!("/api/v1/{path}")).await.expect(404);
    }
    asker.post("/api/v1/projects", &json!({ "yaml": YAML })).await.expect(201);
    for path in
        ["pages?limit=0", "pages?limit=x", "pages?cursor=x", "pages?outcome=faild", "rows?filter=x", "why"]
    {
        asker.get(&format!("/api/v1/projects/shop/{path}")).await.expect(400);
    }
    asker.send("PATCH", "/api/v1/projects", bytes::Bytes::new()).await.expect(405);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_simulation_is_told_while_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(dir.path()).await;
    let asker = served.signed_in().await;
    let scenario =
        json!({ "web": { "generated": { "pages": 400 } }, "orders": ["breadth-first", "pagerank"] });
    let told = asker.post("/api/v1/simulations/live", &scenario).await.expect(200);
    assert_eq!(told.header("content-type"), "application/x-ndjson");
    let lines: Vec<Value> = told.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, way) = lines.split_last().unwrap();
    assert_eq!(way.len(), 2 * 20);
    assert_eq!((&way[0]["outcome"]["pages"], &way[39]["outcome"]["order"]), (&json!(20), &json!("pagerank")));
    let whole = asker.post("/api/v1/simulations", &scenario).await.expect(200).json();
    assert_eq!(last["simulated"], whole);
    let many = json!({ "web": { "generated": { "pages": 9_000_000 } } });
    asker.post("/api/v1/simulations/live", &many).await.expect(400);
    let nobody = json!({ "web": { "crawl": "nobody" } });
    let told = asker.post("/api/v1/simulations/live", &nobody).await.expect(200).text();
    assert!(told.starts_with("{\"error\":"), "{told}");
}

/// The demo blog, crawled.
async fn crawled_blog(asker: &Asker) {
    let mut project =
        asker.post("/api/v1/samples/blog", &json!({})).await.expect(201).json()["project"].clone();
    project["crawl"]["rate"] = json!("unlimited");
    let edited = json!({ "project": project });
    asker.with("if-match", "*").put("/api/v1/projects/demo-blog", &edited).await.expect(200);
    let run = asker.post("/api/v1/projects/demo-blog/runs", &json!({})).await.expect(201).json();
    until(asker, &format!("/api/v1/runs/{}", run["id"]), |run| run["state"] == "completed").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ranks_by_other_weights_and_a_what_if_by_another_topic() {
    let dir = tempfile::tempdir().unwrap();
    let demo = start(&Options::default()).await.unwrap();
    let options = SiteOptions { demo: Some(demo.addr()), ..SiteOptions::default() };
    let served = Served::with(dir.path(), options).await;
    let asker = served.signed_in().await;
    crawled_blog(&asker).await;
    let rank = |query: &str| format!("/api/v1/projects/demo-blog/rank?{query}");
    let usual = asker.get(&rank("limit=500")).await.expect(200).json();
    let items = usual["items"].as_array().unwrap();
    assert!(items.len() > 5 && items.iter().all(|item| item.get("rank_before").is_none()), "{usual}");
    // Only where a link stands counts, and the last third of a page most.
    let other = rank("limit=500&position=9,1,1&visibility=1,1,1");
    let other = asker.get(&other).await.expect(200).json();
    let moved = other["items"].as_array().unwrap();
    assert_eq!(moved.len(), items.len());
    let by = |item: &Value| (item["rank"].as_f64().unwrap() - item["rank_before"].as_f64().unwrap()).abs();
    assert!(by(&moved[0]) > 1e-6 && moved.is_sorted_by(|one, next| by(one) >= by(next)), "{other}");
    for item in moved {
        let before = items.iter().find(|before| before["id"] == item["id"]).unwrap();
        let (was, told) = (before["rank"].as_f64().unwrap(), item["rank_before"].as_f64().unwrap());
        assert!((was - told).abs() < 1e-9 && before["place"] == item["place_before"], "{before} {item}");
    }
    // What moves is listed page by page, too.
    let first = asker.get(&rank("limit=2&position=9,1,1&visibility=1,1,1")).await.expect(200).json();
    let next =
        rank(&format!("limit=2&position=9,1,1&visibility=1,1,1&cursor={}", first["next"].as_str().unwrap()));
    let second = asker.get(&next).await.expect(200).json();
    assert_eq!([&first["items"][1], &second["items"][0]], [&moved[1], &moved[2]]);
    for wrong in ["position=1,2", "visibility=a,b,c", "nofollow=1,2", "distance=-1,0,0", "distance=nan,1,1"] {
        let refused = asker.get(&rank(wrong)).await.expect(400).text();
        assert!(refused.contains(wrong.split_once('=').unwrap().0), "{refused}");
    }
    let path = "/api/v1/projects/demo-blog/what-if";
    let plain = asker.post(path, &json!({ "order": "topic" })).await.expect(400).text();
    assert!(plain.contains("topic"), "{plain}");
    let asked = json!({ "order": "topic", "rate": "2/s", "topic": ["tent", "harbour"] });
    let told = asker.post(path, &asked).await.expect(200).json();
    assert_eq!((&told["order"], &told["topic"]), (&json!("topic"), &asked["topic"]));
    assert!(told["on_topic"].is_u64() && told["basis"].as_str().unwrap().contains("judged anew"), "{told}");
}
