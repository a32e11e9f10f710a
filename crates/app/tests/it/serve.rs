//! `gannet serve` as a process: signing in, runs that survive its death, and `--server`.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::gannet::{Said, gannet, gannet_with};
use crate::process::{Running, eventually};

/// A server of its own for one test.
struct Served {
    running: Running,
    address: String,
    link: String,
}

/// Somebody who asks it.
struct Asker {
    address: String,
    headers: Vec<String>,
}

impl Served {
    fn start(data: &Path) -> Served {
        Served::start_with(data, &[])
    }

    fn start_with(data: &Path, more: &[&str]) -> Served {
        let args = ["serve", "--bind", "127.0.0.1:0", "--data", data.to_str().unwrap()];
        let running = Running::start(&[&args, more].concat());
        let link = eventually("the link is printed", Duration::from_secs(30), || {
            let said = running.output();
            let line = said.lines().find(|line| line.contains("/signin?key=") && said.ends_with('\n'))?;
            Some(line.to_owned())
        });
        let address = link["http://".len()..].split('/').next().unwrap().to_owned();
        Served { running, address, link }
    }

    /// Somebody with a token.
    fn asker(&self) -> Asker {
        let stranger = Asker { address: self.address.clone(), headers: Vec::new() };
        let path = self.link.split_once(&self.address).unwrap().1;
        let (_, head, _) = stranger.send("GET", path, None);
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        let cookie = format!("Cookie: {}", cookie.split(';').next().unwrap());
        let signed_in = Asker { address: self.address.clone(), headers: vec![cookie.clone()] };
        let csrf = signed_in.ok("GET", "/api/v1/session", None)["csrf"].as_str().unwrap().to_owned();
        let signed_in =
            Asker { address: self.address.clone(), headers: vec![cookie, format!("X-Gannet-Csrf: {csrf}")] };
        let token = signed_in.ok("POST", "/api/v1/tokens", Some(&json!({ "name": "test" })));
        Asker {
            address: self.address.clone(),
            headers: vec![format!("Authorization: Bearer {}", token["token"].as_str().unwrap())],
        }
    }
}

impl Asker {
    fn token(&self) -> &str {
        self.headers[0].rsplit(' ').next().unwrap()
    }

    #[track_caller]
    fn ok(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let (status, _, text) = self.send(method, path, body);
        assert!((200..300).contains(&status), "{method} {path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }

    #[expect(clippy::disallowed_methods, reason = "the server of this test, on loopback")]
    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let body = body.map(Value::to_string).unwrap_or_default();
        let headers: String = self.headers.iter().map(|header| format!("{header}\r\n")).collect();
        let request = format!(
            "{method} {path} HTTP/1.0\r\nHost: {}\r\nContent-Type: application/json\r\nIf-Match: *\r\n\
             Content-Length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_owned(), body.to_owned())
    }

    /// Waits until a run stands like that.
    #[track_caller]
    fn run_until(&self, id: &Value, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        eventually(what, Duration::from_secs(50), || {
            let run = self.ok("GET", &format!("/api/v1/runs/{id}"), None);
            is(&run).then_some(run)
        })
    }
}

#[test]
fn a_link_is_printed_at_the_start_and_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let alone = gannet(&["signin", "--data", data.to_str().unwrap()]);
    assert_eq!(alone.code, Some(2), "{}", alone.err);
    assert!(alone.err.contains("gannet serve"), "{}", alone.err);
    let served = Served::start(&data);
    let stranger = Asker { address: served.address.clone(), headers: Vec::new() };
    let Said { out, code, .. } = gannet(&["signin", "--data", data.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    for link in [served.link.trim(), out.trim()] {
        let path = link.split_once(&served.address).unwrap().1;
        assert_eq!(stranger.send("GET", path, None).0, 303);
        assert_eq!(stranger.send("GET", path, None).0, 403, "once");
    }
    served.running.signal("INT");
    let said = served.running.finish();
    assert!(said.err.contains("go on at the next start"), "{}", said.err);
    let public = gannet(&["serve", "--bind", "0.0.0.0:0", "--data", data.to_str().unwrap()]);
    assert_eq!(public.code, Some(2));
    assert!(public.err.contains("no accounts yet"), "{}", public.err);
}

#[test]
fn no_log_holds_a_secret() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start_with(dir.path(), &["-vvv"]);
    let asker = served.asker();
    asker.ok("GET", "/api/v1/projects", None);
    asker.ok("POST", "/api/v1/samples/manual", None);
    let id = asker.ok("POST", "/api/v1/projects/demo-manual/runs", Some(&json!({})))["id"].clone();
    asker.run_until(&id, "it completes", |run| run["state"] == "completed");
    let (_, head, _) = asker.send("GET", "/api/v1/session", None);
    assert!(head.starts_with("HTTP/1.1 200") || head.starts_with("HTTP/1.0 200"), "{head}");
    let log = served.running.errors();
    assert!(log.contains("TRACE") || log.contains("DEBUG"), "it logs all it can: {log}");
    let key = served.link.rsplit('=').next().unwrap();
    for secret in [key, asker.token()] {
        assert!(!log.contains(secret));
    }
    assert!(!log.contains("gannet_session_"));
}

#[test]
fn a_run_goes_on_by_itself_after_the_server_was_killed() {
    let dir = tempfile::tempdir().unwrap();
    let (data, whole) = (dir.path().join("data"), dir.path().join("whole"));
    let begin = |asker: &Asker, rate: &str| {
        let mut project = asker.ok("POST", "/api/v1/samples/blog", None)["project"].clone();
        project["crawl"]["rate"] = json!(rate);
        asker.ok("PUT", "/api/v1/projects/demo-blog", Some(&json!({ "project": project })));
        asker.ok("POST", "/api/v1/projects/demo-blog/runs", Some(&json!({})))["id"].clone()
    };
    let expected = {
        let served = Served::start(&whole);
        let asker = served.asker();
        let id = begin(&asker, "unlimited");
        asker.run_until(&id, "the whole run completes", |run| run["state"] == "completed");
        asker.ok("GET", "/api/v1/projects/demo-blog/summary", None)
    };
    let served = Served::start(&data);
    let asker = served.asker();
    let id = begin(&asker, "20/s");
    asker.run_until(&id, "some pages are there", |run| run["progress"]["pages"].as_u64() >= Some(5));
    let token = asker.headers;
    served.running.kill();
    let served = Served::start(&data);
    let asker = Asker { address: served.address.clone(), headers: token };
    let run = asker.run_until(&id, "it completes by itself", |run| run["state"] == "completed");
    assert_eq!(run["project"], "demo-blog");
    let found = asker.ok("GET", "/api/v1/projects/demo-blog/summary", None);
    assert!(expected["rows"].as_u64() > Some(10), "{expected}");
    for figure in ["pages_fetched", "rows", "urls_distinct", "outcomes"] {
        assert_eq!(found[figure], expected[figure], "{figure}");
    }
}

#[test]
fn a_run_that_was_held_is_held_after_a_kill_until_it_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(dir.path());
    let asker = served.asker();
    let mut project = asker.ok("POST", "/api/v1/samples/blog", None)["project"].clone();
    project["crawl"]["rate"] = json!("20/s");
    asker.ok("PUT", "/api/v1/projects/demo-blog", Some(&json!({ "project": project })));
    let id = asker.ok("POST", "/api/v1/projects/demo-blog/runs", Some(&json!({})))["id"].clone();
    asker.run_until(&id, "some pages are there", |run| run["progress"]["pages"].as_u64() >= Some(3));
    asker.ok("POST", &format!("/api/v1/runs/{id}/pause"), None);
    let token = asker.headers;
    served.running.kill();
    let served = Served::start(dir.path());
    let asker = Asker { address: served.address.clone(), headers: token };
    let run = asker.run_until(&id, "it is back", |run| run["progress"].is_object());
    assert_eq!(run["state"], "paused");
    asker.ok("POST", &format!("/api/v1/runs/{id}/resume"), None);
    asker.run_until(&id, "it completes", |run| run["state"] == "completed");
}

#[test]
fn the_command_line_asks_a_server_as_it_asks_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let served = Served::start(dir.path());
    let asker = served.asker();
    let url = format!("http://{}", served.address);
    let there = |args: &[&str]| {
        let args: Vec<&str> = args.iter().copied().chain(["--server", &url]).collect();
        gannet_with(&args, b"", &[("GANNET_TOKEN", asker.token())])
    };
    let yaml = asker.ok("POST", "/api/v1/samples/manual", None)["yaml"].as_str().unwrap().to_owned();
    let file = dir.path().join("manual.yaml");
    std::fs::write(&file, yaml).unwrap();
    let crawled = there(&["crawl", "-p", file.to_str().unwrap()]);
    assert_eq!(crawled.code, Some(0), "{}", crawled.err);
    for args in [
        &["pages", "--json"][..],
        &["search", "manual", "--json"],
        &["summary-of-nothing"],
        &["export", "csv"],
        &["rows", "--where", "price<<"],
    ] {
        let (remote, local) = (there(args), gannet(&[args, &["--data", data]].concat()));
        assert_eq!((&remote.out, remote.code), (&local.out, local.code), "{args:?}: {}", remote.err);
    }
    let nowhere = dir.path().join("nowhere");
    let refreshed = there(&["refresh", "--data", nowhere.to_str().unwrap(), "--json", "-q"]);
    assert_eq!(refreshed.code, Some(0), "{}{}", refreshed.out, refreshed.err);
    assert!(refreshed.out.contains("not-modified") && !nowhere.exists(), "{}", refreshed.out);
    let held = gannet(&["refresh", "--data", data]);
    assert!(held.code == Some(3) && held.err.contains("--server URL lets it do this"), "{}", held.err);
    let absent = gannet(&["refresh", "--data", nowhere.to_str().unwrap()]);
    assert!(absent.code == Some(2) && !nowhere.exists(), "{}", absent.err);
    let refused = gannet(&["pages", "--server", &url]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("GANNET_TOKEN"), "{}", refused.err);
    let nobody = gannet(&["pages", "--server", "https://127.0.0.1"]);
    assert!(nobody.err.contains("tunnel"), "{}", nobody.err);
    let copy = dir.path().join("copy.csv");
    let exported = there(&["export", "csv", "-o", copy.to_str().unwrap()]);
    assert_eq!(exported.code, Some(0), "{}", exported.err);
    assert_eq!(std::fs::read_to_string(copy).unwrap(), there(&["export", "csv"]).out);
    // A file that is no stream is made there and handed over whole.
    let [far, near] = ["far.sqlite", "near.sqlite"].map(|name| dir.path().join(name));
    let exported = there(&["export", "sqlite", "-o", far.to_str().unwrap()]);
    assert_eq!(exported.code, Some(0), "{}", exported.err);
    let exported = gannet(&["export", "sqlite", "-o", near.to_str().unwrap(), "--data", data]);
    assert_eq!(exported.code, Some(0), "{}", exported.err);
    let (far, near) = (std::fs::read(far).unwrap(), std::fs::read(near).unwrap());
    assert!(far.starts_with(b"SQLite format 3\0"));
    assert_eq!(far.len(), near.len());
}

#[test]
fn the_server_keeps_to_its_own_description() {
    let Some(python) = testkit::python("schemathesis") else { return };
    let dir = tempfile::tempdir().unwrap();
    let served = Served::start(&dir.path().join("data"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/api_schema.py");
    let folder = dir.path().to_str().unwrap();
    let output = Command::new(python).args([script, &served.link, folder, "8"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{errors}\n{}", served.running.errors());
}
