//! A foreign page, a foreign name and a stranger get nowhere.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use model::Timestamp;
use serde_json::json;
use server::{ServerError, Site, SiteOptions};
use service::{Access, Data};

use crate::browser::Served;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_gets_pages_but_no_data() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(dir.path()).await;
    let stranger = served.stranger();
    assert_eq!(stranger.get("/").await.status, 200);
    assert_eq!(stranger.get("/healthz").await.status, 200);
    for path in ["/api/v1/session", "/api/v1/projects", "/api/v1/runs", "/api/v1/events", "/api/v1/nothing"] {
        let answer = stranger.get(path).await.expect(401);
        assert!(answer.json()["do"].as_str().unwrap().contains("gannet signin"), "{path}");
    }
    let page = stranger.with("accept", "text/html").get("/s/shop?q=x").await;
    assert!(page.status == 401 && page.text().contains("gannet signin"));
    for token in ["Bearer gannet_wrong", "Bearer ", "Basic YTpi", "gannet_x"] {
        stranger.with("authorization", token).get("/api/v1/projects").await.expect(401);
    }
    let cookie = format!("gannet_session_{}=wrong", served.address.port());
    stranger.with("cookie", &cookie).get("/api/v1/projects").await.expect(401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_signs_in_once_with_a_cookie_that_scripts_and_other_sites_cannot_use() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(dir.path()).await;
    let (stranger, link) = (served.stranger(), served.link());
    let path = link.split_once(&served.address.to_string()).unwrap().1;
    let answer = stranger.get(path).await;
    assert_eq!((answer.status, answer.header("location")), (303, "/"));
    let cookie = answer.header("set-cookie");
    let name = format!("gannet_session_{}=", served.address.port());
    for flag in [name.as_str(), "HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(flag), "{cookie}");
    }
    let again = stranger.get(path).await;
    assert_eq!(again.status, 403);
    assert!(again.text().contains("gannet signin") && again.header("set-cookie").is_empty());
    assert_eq!(stranger.get("/signin").await.status, 403);
    // Nor after a day.
    let late = served.link();
    served.clock.fetch_add(25 * 3_600_000, Ordering::Relaxed);
    assert_eq!(stranger.get(late.split_once(&served.address.to_string()).unwrap().1).await.status, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_survives_a_restart_and_ends_when_it_should() {
    let dir = tempfile::tempdir().unwrap();
    let asker = {
        let served = Served::start(dir.path()).await;
        served.signed_in().await
    };
    let served = loop {
        // The directory is free when the last answer of the former server is done.
        match Data::open(dir.path(), Access::Existing).await {
            Ok(data) => {
                drop(data);
                break Served::start(dir.path()).await;
            }
            Err(_) => tokio::task::yield_now().await,
        }
    };
    // On the port it had before, as a browser would say.
    let former = asker.address.port().to_string();
    let mut asker = crate::browser::Asker { address: served.address, ..asker };
    asker.get("/api/v1/session").await.expect(401);
    for (_, value) in asker.headers.iter_mut().filter(|(name, _)| name == "cookie") {
        *value = value.replacen(&former, &served.address.port().to_string(), 1);
    }
    asker.get("/api/v1/session").await.expect(200);
    let gone = asker.send("DELETE", "/api/v1/session", Bytes::new()).await.expect(204);
    assert!(gone.header("set-cookie").contains("Max-Age=0"));
    asker.get("/api/v1/session").await.expect(401);
    let other = served.signed_in().await;
    served.clock.fetch_add(31 * 86_400_000, Ordering::Relaxed);
    other.get("/api/v1/session").await.expect(401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_name_for_this_address_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(dir.path()).await;
    let asker = served.signed_in().await;
    let port = served.address.port();
    for host in [
        "evil.test".to_owned(),
        format!("evil.test:{port}"),
        format!("127.0.0.1:{}", port ^ 1),
        "".into(),
        format!("localhost.evil.test:{port}"),
        format!("127.0.0.1.evil.test:{port}"),
        "127.0.0.1".into(),
    ] {
        let asker = asker.with("host", &host);
        asker.get("/api/v1/session").await.expect(421);
        asker.get("/").await.expect(421);
    }
    for host in [format!("localhost:{port}"), format!("LOCALHOST:{port}"), format!("127.0.0.1:{port}")] {
        asker.with("host", &host).get("/api/v1/session").await.expect(200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_foreign_page_cannot_drive_the_api() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(dir.path()).await;
    let asker = served.signed_in().await;
    let (port, body) = (served.address.port(), json!({ "name": "x" }));
    // Whatever it sends: its origin gives it away, even where a cookie went along.
    for origin in ["http://evil.test", "null", "https://127.0.0.1", "http://127.0.0.1:1", "http://localhost"]
    {
        asker.with("origin", origin).post("/api/v1/tokens", &body).await.expect(403);
        asker.with("origin", origin).get("/api/v1/session").await.expect(403);
    }
    for from in ["cross-site", "same-site"] {
        asker.with("sec-fetch-site", from).get("/api/v1/session").await.expect(403);
    }
    // Without the word of the session nothing changes.
    asker.without("x-gannet-csrf").post("/api/v1/tokens", &body).await.expect(403);
    asker.with("x-gannet-csrf", "guess").post("/api/v1/tokens", &body).await.expect(403);
    // A form has no JSON.
    let form = asker.with("content-type", "text/plain");
    form.send("POST", "/api/v1/tokens", body.to_string().into()).await.expect(415);
    assert_eq!(asker.get("/api/v1/tokens").await.expect(200).json()["items"], json!([]));
    // Ours may.
    let own = format!("http://127.0.0.1:{port}");
    asker.with("origin", &own).post("/api/v1/tokens", &body).await.expect(201);
    // And no answer invites other origins.
    let answer = asker.get("/api/v1/session").await;
    assert!(answer.headers.keys().all(|name| !name.as_str().starts_with("access-control")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_keeps_a_page_to_itself() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(dir.path()).await;
    let asker = served.signed_in().await;
    for path in ["/", "/new", "/nothing.js", "/api/v1/session", "/api/v1/nothing", "/signin", "/s/none"] {
        let answer = asker.get(path).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{path}");
        assert!(!policy.contains("unsafe-inline") && !policy.contains("unsafe-eval"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin", "{path}");
    }
    assert_eq!(asker.get("/api/v1/session").await.header("cache-control"), "no-store");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_are_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(dir.path()).await;
    let asker = served.signed_in().await;
    let long = json!({ "yaml": "x".repeat((2 << 20) + 100) });
    asker.post("/api/v1/projects", &long).await.expect(413);
    asker.post("/api/v1/tokens", &json!({ "name": "x".repeat(101) })).await.expect(422);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_others_can_reach_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let data = Data::open(dir.path(), Access::Create).await.unwrap();
    for bind in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "10.0.0.1:80"] {
        let bind: SocketAddr = bind.parse().unwrap();
        let site = Site::bind(data.clone(), Arc::new(|| Timestamp(0)), bind, SiteOptions::default()).await;
        match site.map(|_| ()) {
            Err(error @ ServerError::NotLoopback(_)) => {
                assert!(error.to_string().contains("no accounts yet"))
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_works_without_a_browser_until_it_is_taken_back() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(dir.path()).await;
    let asker = served.signed_in().await;
    let made = asker.post("/api/v1/tokens", &json!({ "name": "cron", "days": 2 })).await.expect(201).json();
    let secret = made["token"].as_str().unwrap();
    let program = served.stranger().with("authorization", &format!("Bearer {secret}"));
    program.post("/api/v1/projects/check", &json!({ "yaml": "" })).await.expect(200);
    let listed = program.get("/api/v1/tokens").await.expect(200);
    assert!(!listed.text().contains(secret), "told once");
    assert_eq!(listed.json()["items"][0]["name"], "cron");
    // Nothing in the data directory holds it.
    for file in ["gannet.db", "gannet.db-wal"] {
        let bytes = std::fs::read(dir.path().join(file)).unwrap_or_default();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{file}");
    }
    let id = &made["id"];
    asker.send("DELETE", &format!("/api/v1/tokens/{id}"), Bytes::new()).await.expect(204);
    program.get("/api/v1/tokens").await.expect(401);
    let late = asker.post("/api/v1/tokens", &json!({ "name": "late", "days": 1 })).await.expect(201).json();
    let late =
        served.stranger().with("authorization", &format!("Bearer {}", late["token"].as_str().unwrap()));
    late.get("/api/v1/tokens").await.expect(200);
    served.clock.fetch_add(25 * 3_600_000, Ordering::Relaxed);
    late.get("/api/v1/tokens").await.expect(401);
}
