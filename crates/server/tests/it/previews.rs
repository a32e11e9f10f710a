//! Pages looked at through the server: shown without scripts, and never asked for where the guard says no.

use serde_json::json;
use server::SiteOptions;
use webs::program::{Options, start};

use crate::browser::{Asker, Served};

/// Opens a preview and gives its name.
async fn open(asker: &Asker, body: serde_json::Value) -> String {
    let opened = asker.post("/api/v1/previews", &body).await.expect(201).json();
    opened["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn private_addresses_are_asked_for_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let (demo, other) =
        (start(&Options::default()).await.unwrap(), start(&Options::default()).await.unwrap());
    let options = SiteOptions { demo: Some(demo.addr()), ..SiteOptions::default() };
    let served = Served::with(dir.path(), options).await;
    let asker = served.signed_in().await;
    let own = served.address;
    for url in [
        format!("http://{}/", other.addr()),
        format!("http://localhost:{}/", other.addr().port()),
        format!("http://{own}/api/v1/session"),
        "http://[::1]/".to_owned(),
        "http://0x7f.1/".to_owned(),
        "http://2130706433/".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://10.0.0.1/".to_owned(),
        "http://[::ffff:127.0.0.1]/".to_owned(),
    ] {
        let answer = asker.post("/api/v1/previews", &json!({ "url": url })).await.expect(200).json();
        assert!(answer["failure"]["what"].is_string() && answer["id"].is_null(), "{url}: {answer}");
    }
    for url in ["file:///etc/passwd", "ftp://127.0.0.1/", "javascript:alert(1)", "http://", ""] {
        asker.post("/api/v1/previews", &json!({ "url": url })).await.expect(400);
    }
    // The own demo site is allowed by its exact address.
    let id = open(&asker, json!({ "url": format!("{}/shop/tents/", demo.base()) })).await;
    let asset = |url: String| {
        let pairs = url::form_urlencoded::Serializer::new(String::new()).append_pair("u", &url).finish();
        format!("/api/v1/previews/{id}/asset?{pairs}")
    };
    let picture = |url: &str| {
        let pairs = url::form_urlencoded::Serializer::new(String::new()).append_pair("u", url).finish();
        format!("/api/v1/pictures?{pairs}")
    };
    for refused in [format!("http://{}/style.css", other.addr()), format!("http://{own}/plain.css")] {
        asker.get(&picture(&refused)).await.expect(404);
        asker.get(&asset(refused)).await.expect(404);
    }
    asker.get(&picture("file:///etc/passwd")).await.expect(400);
    asker.get(&picture(&(demo.base() + "/shop/tents/"))).await.expect(404);
    asker.get(&asset("file:///etc/passwd".to_owned())).await.expect(400);
    // Pages are no pictures.
    asker.get(&asset(demo.base() + "/shop/tents/")).await.expect(404);
    assert!(other.log().entries().is_empty(), "nobody came");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_is_shown_without_anything_that_runs() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(dir.path()).await;
    let asker = served.signed_in().await;
    let html = "<ul><li><a href='javascript:alert(1)' onclick=alert(1)>one</a><li>two<li>three</ul>\
                <script>alert(1)</script><img src=x onerror=alert(1)><iframe src=//evil.test></iframe>\
                <svg onload=alert(1)></svg><meta http-equiv=refresh content='0;url=//evil.test'><base href=//evil.test>\
                <form action=//evil.test><button formaction=javascript:alert(1)>x</button></form>";
    let id = open(&asker, json!({ "url": "http://shop.test/", "html": html })).await;
    let page = asker.get(&format!("/api/v1/previews/{id}/page")).await.expect(200);
    let policy = page.header("content-security-policy");
    for rule in
        ["sandbox allow-same-origin", "default-src 'none'", "script-src 'none'", "frame-ancestors 'self'"]
    {
        assert!(policy.contains(rule), "{policy}");
    }
    assert!(!policy.contains("allow-scripts"));
    let text = page.text().to_lowercase();
    for dangerous in
        ["<script", "onerror", "onclick", "onload", "javascript:", "<iframe", "http-equiv", "<base"]
    {
        assert!(!text.contains(dangerous), "{dangerous}: {text}");
    }
    // Only those who are signed in may look.
    served.stranger().get(&format!("/api/v1/previews/{id}/page")).await.expect(401);
    asker.get("/api/v1/previews/none/page").await.expect(404);
    let body = json!({ "css": "li" });
    let found = asker.post(&format!("/api/v1/previews/{id}/select"), &body).await.expect(200).json();
    assert_eq!(found["count"], 3);
}
