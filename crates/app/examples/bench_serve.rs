//! A server with nobody asking: memory of its own (`RssAnon`) and processor time, on an empty directory and after the
//! three sample crawls. The argument is how many seconds are watched each time; 60 unless said.

use std::fs::read_to_string;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Clock ticks of a second, as the kernel tells them to everybody.
const TICKS: f64 = 100.0;

/// What a start or a crawl leaves behind is given back by then.
const SETTLED: u64 = 15;

fn main() {
    let seconds: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(60);
    let dir = tempfile::tempdir().expect("a folder for the data");
    let data = dir.path().join("data");
    let args = ["gannet", "serve", "--quiet", "--bind", "127.0.0.1:0", "--data"];
    let args: Vec<_> = args.iter().map(Into::into).chain([data.clone().into_os_string()]).collect();
    std::thread::spawn(move || app::run(args));
    while !data.join("gannet.sock").exists() {
        wait(Duration::from_millis(20));
    }
    watch("an idle server", seconds);
    let browser = Browser::sign_in(&data);
    for sample in ["shop", "blog", "manual"] {
        browser.ask("POST", &format!("/api/v1/samples/{sample}"));
        browser.ask("POST", &format!("/api/v1/projects/demo-{sample}/runs"));
    }
    let ended = |runs: &Value| {
        runs["items"].as_array().is_some_and(|runs| runs.iter().all(|run| run["state"] == "completed"))
    };
    while !ended(&browser.ask("GET", "/api/v1/runs")) {
        wait(Duration::from_millis(200));
    }
    watch("an idle server after three crawls", seconds);
}

/// Prints what the process needs while nobody asks.
fn watch(what: &str, seconds: u64) {
    wait(Duration::from_secs(SETTLED));
    let before = ticks();
    wait(Duration::from_secs(seconds));
    let used = (ticks() - before) / TICKS / seconds as f64 * 100.0;
    println!("measure: memory of {what} = {:.1} MiB", rss_anon() / 1024.0);
    println!("measure: processor of {what} = {used:.3} %");
}

#[expect(clippy::disallowed_methods, reason = "a benchmark of doing nothing waits")]
fn wait(span: Duration) {
    std::thread::sleep(span);
}

/// As much of a browser as asking takes.
struct Browser {
    address: String,
    cookie: String,
    csrf: String,
}

impl Browser {
    fn sign_in(data: &Path) -> Browser {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let link = runtime.block_on(server::client::sign_in_link(data)).expect("the server answers");
        let link = link.expect("the server is there");
        let (address, path) =
            link.strip_prefix("http://").and_then(|link| link.split_once('/')).expect("a link has a path");
        let mut browser = Browser { address: address.to_owned(), cookie: String::new(), csrf: String::new() };
        let (head, _) = browser.send("GET", &format!("/{path}"));
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap_or_default();
        browser.cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        browser.csrf = browser.ask("GET", "/api/v1/session")["csrf"].as_str().unwrap_or_default().to_owned();
        browser
    }

    fn ask(&self, method: &str, path: &str) -> Value {
        let (head, body) = self.send(method, path);
        assert!(head.starts_with("HTTP/1.1 2"), "{method} {path}: {head} {body}");
        serde_json::from_str(&body).unwrap_or_default()
    }

    /// Head and body of an answer.
    #[expect(clippy::disallowed_methods, reason = "a benchmark asks its own server")]
    fn send(&self, method: &str, path: &str) -> (String, String) {
        let Browser { address, cookie, csrf } = self;
        let mut stream = TcpStream::connect(address).expect("the server listens");
        let body = if method == "POST" { "{}" } else { "" };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\nx-gannet-csrf: {csrf}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .expect("the server listens");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        (head.to_owned(), body.to_owned())
    }
}

/// KiB of memory that no file backs.
fn rss_anon() -> f64 {
    let status = read_to_string("/proc/self/status").expect("the kernel tells");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse().ok()).unwrap_or(f64::NAN)
}

/// Processor time so far, in ticks.
fn ticks() -> f64 {
    let stat = read_to_string("/proc/self/stat").expect("the kernel tells");
    // The name may hold anything, up to the last bracket.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let field = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(f64::NAN);
    field(11) + field(12)
}
