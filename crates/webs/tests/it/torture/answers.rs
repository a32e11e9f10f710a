//! Single answers, drawn in-process: pace by the time since the start, robots files, texts, redirects.

use std::time::Duration;

use webs::torture::{Torture, TortureOptions};
use webs::{Answer, Request, Web as _};

fn web(seed: u64) -> Torture {
    println!("seed {seed}");
    Torture::new(seed, 8080, TortureOptions::default())
}

fn ask(web: &Torture, label: &str, path: &str, ms: u64) -> Answer {
    let mut request = Request::get(&format!("{label}.torture.test:8080"), path);
    request.since_start = Duration::from_millis(ms);
    web.answer(&request)
}

#[test]
fn busy_hosts_recover_by_time_and_not_by_visits() {
    let web = web(31);
    let check = |label: &str, status: u16, retry_after: Option<&str>| {
        for _ in 0..20 {
            let answer = ask(&web, label, "/one.html", 4_999);
            assert_eq!((answer.status, answer.header("retry-after")), (status, retry_after), "{label}");
        }
        assert_ne!(ask(&web, label, "/robots.txt", 0).status, status, "{label}");
    };
    check("pace-seconds", 429, Some("1"));
    check("pace-seconds-503", 503, Some("2"));
    check("pace-fraction", 429, Some("1.5"));
    check("pace-negative", 429, Some("-7"));
    check("pace-garbage", 503, Some("soon; very\tsoon, 12 o'clock"));
    check("pace-empty", 429, Some(""));
    check("pace-none", 503, None);
    check("pace-years", 503, Some("94608000"));
    check("pace-overflow", 429, Some("99999999999999999999999999"));
    check("pace-far-date", 503, Some("Fri, 31 Dec 9999 06:00:00 GMT"));
    for label in ["pace-seconds", "pace-seconds-503", "pace-garbage", "pace-none"] {
        assert_eq!(ask(&web, label, "/one.html", 5_000).status, 200, "{label}");
    }
    assert_eq!(ask(&web, "pace-years", "/", 5_000).status, 503);
}

#[test]
fn a_date_lies_two_seconds_behind_the_answers_own() {
    let answer = ask(&web(32), "pace-date", "/", 0);
    let (date, after) =
        (answer.header("date").expect("a date"), answer.header("retry-after").expect("a date"));
    assert_eq!(date.replace(":00 GMT", ":02 GMT"), after);
}

#[test]
fn robots_files_are_as_odd_as_described() {
    let web = web(33);
    let check = |label: &str, status: u16, holds: fn(&[u8]) -> bool| {
        let answer = ask(&web, label, "/robots.txt", 0);
        assert_eq!(answer.status, status, "{label}");
        assert!(
            holds(&answer.body),
            "{label}: {}",
            String::from_utf8_lossy(&answer.body[..answer.body.len().min(200)])
        );
    };
    check("robots-500", 500, |_| true);
    check("robots-503", 503, |_| true);
    check("robots-599", 599, |_| true);
    check("robots-large", 200, |body| body.len() > 550 * 1024);
    check("robots-mark", 200, |body| body.starts_with(b"\xef\xbb\xbfUser-agent"));
    check("robots-crlf", 200, |body| body.ends_with(b"*\r\nDisallow: /denied/\r\n"));
    check("robots-cr", 200, |body| !body.contains(&b'\n') && body.ends_with(b"*\rDisallow: /denied/\r"));
    check("robots-html", 200, |body| body.starts_with(b"<!doctype html>"));
    check("robots-utf-16", 200, |body| body.starts_with(b"\xff\xfeU\0s\0e\0"));
}

#[test]
fn chains_are_as_long_as_they_say() {
    let web = web(34);
    let check = |label: &str, start: &str, expected: usize| {
        let mut path = start.to_owned();
        let mut hops = 0;
        while let Some(location) = ask(&web, label, &path, 0).header("location") {
            assert!(location.starts_with('/') && hops < 100, "{location}");
            path = location.to_owned();
            hops += 1;
        }
        assert_eq!(hops, expected, "{label}{start}");
        path
    };
    for length in [5, 10, 11, 50] {
        check("redirects", &format!("/chain/{length}/0.html"), length);
    }
    for length in [5, 6] {
        let end = check(&format!("robots-chain-{length}"), "/robots.txt", length);
        let rules = ask(&web, &format!("robots-chain-{length}"), &end, 0);
        assert_eq!(&rules.body[..], b"User-agent: *\nDisallow: /denied/\n");
    }
    for length in [1, 2, 3] {
        let mut path = format!("/loop/{length}/0.html");
        for _ in 0..length {
            path = ask(&web, "redirects", &path, 0).header("location").expect("a redirect").to_owned();
        }
        assert_eq!(path, format!("/loop/{length}/0.html"));
    }
}

#[test]
fn redirects_lead_where_nobody_should_go() {
    let web = web(35);
    let check = |name: &str, expected: Option<&str>| {
        let answer = ask(&web, "redirects", &format!("/to/{name}"), 0);
        assert!((300..400).contains(&answer.status), "{name}");
        assert_eq!(answer.header("location"), expected, "{name}");
        // What the truth says of it is what a URL parser makes of it.
        let here = url::Url::parse(&format!("http://redirects.torture.test:8080/to/{name}")).expect("a URL");
        let truth = web.truth().url(here.as_str()).unwrap_or_else(|| panic!("{name} is in the truth"));
        let target =
            expected.and_then(|location| here.join(location).ok()).filter(|to| to.scheme() == "http");
        let redirected = truth.endings.iter().find_map(|ending| match ending {
            webs::torture::truth::Ending::Redirected { to } => Some(to.as_str()),
            _ => None,
        });
        if name != "empty" {
            assert_eq!(target.as_ref().map(url::Url::as_str), redirected, "{name}");
        }
    };
    check("dotted", Some("http://127.66.0.1:8080/secret/dotted"));
    check("decimal", Some("http://2135031809:8080/secret/decimal"));
    check("octal", Some("http://0177.0102.0.1:8080/secret/octal"));
    check("hexadecimal", Some("http://0x7f420001:8080/secret/hexadecimal"));
    check("short", Some("http://127.66.1:8080/secret/short"));
    check("zero", Some("http://0.0.0.0:8080/secret/zero"));
    check("mapped", Some("http://[::ffff:127.66.0.1]:8080/secret/mapped"));
    check("nat64", Some("http://[64:ff9b::7f42:1]:8080/secret/nat64"));
    check("loopback6", Some("http://[::1]:8080/secret/loopback6"));
    check("metadata", Some("http://169.254.169.254:8080/secret/metadata"));
    check("file", Some("file:///etc/passwd"));
    check("data", Some("data:text/html,<p>no"));
    check("no-host", Some("http://"));
    check("half-address", Some("http://[::1"));
    check("blank-in-host", Some("http://a b/"));
    check("bad-escape", Some("http://%zz/"));
    check("no-name", Some("http://:80/"));
    check("empty", Some(""));
    check("missing", None);
}

#[test]
fn hard_pages_are_as_hard_as_described() {
    let web = web(36);
    let check = |name: &str, content_type: &str, holds: fn(&[u8]) -> bool| {
        let answer = ask(&web, "text", &format!("/hard/{name}"), 0);
        assert_eq!(
            (answer.status, answer.header("content-type").unwrap_or("")),
            (200, content_type),
            "{name}"
        );
        assert!(holds(&answer.body), "{name}");
    };
    let html = "text/html; charset=utf-8";
    check("lying-header", "text/html; charset=iso-8859-1", |body| std::str::from_utf8(body).is_ok());
    check("lying-meta", "text/html", |body| std::str::from_utf8(body).is_err());
    check("quarrel", html, |body| std::str::from_utf8(body).is_err());
    check("missing", "text/html", |body| std::str::from_utf8(body).is_err());
    check("unknown", "text/html; charset=x-martian", |_| true);
    check("utf-16", "text/html; charset=utf-16le", |body| body.starts_with(b"<\0!\0"));
    check("utf-16-mark", "text/html; charset=iso-8859-1", |body| body.starts_with(b"\xff\xfe<\0"));
    check("no-type", "", |_| true);
    check("nul", html, |body| body.iter().filter(|byte| **byte == 0).count() > 5);
    check("deep", html, |body| count(body, b"<div>") == 100_000 && count(body, b"</div>") == 100_000);
    check("long-attribute", html, |body| body.len() > 1 << 20 && count(body, b"<") < 10);
    check("many-attributes", html, |body| count(body, b" a") >= 1_000_000);
    check("many-links", html, |body| count(body, b"<a href") > 20_000);
}

#[test]
fn a_storm_of_cookies_comes_with_each_page() {
    let web = web(37);
    let cookies = |path: &str| {
        let storm = ask(&web, "cookies", path, 0);
        storm.headers.iter().filter(|(name, _)| name == "set-cookie").count()
    };
    assert_eq!((cookies("/one.html"), cookies("/flood.html")), (157, 2_007));
    let mut request = Request::get("cookies.torture.test:8080", "/two.html");
    request.headers.push(("cookie".to_owned(), "x".repeat(20_000)));
    assert_eq!(web.answer(&request).status, 431);
}

#[test]
fn a_seed_is_one_web_and_another_seed_another() {
    let (one, same, other) = (web(38), web(38), web(39));
    assert_eq!(one.truth(), same.truth());
    assert_ne!(one.truth(), other.truth());
    let mut different = 0;
    for page in
        one.truth().urls.iter().map(|page| &page.url).chain(one.truth().traps.iter().map(|trap| &trap.root))
    {
        let url = url::Url::parse(page).expect("a URL");
        let label = url.host_str().and_then(|host| host.strip_suffix(".torture.test"));
        let Some(label) = label else { continue };
        let path = &url[url::Position::BeforePath..];
        let drawn = [&one, &same, &other].map(|web| {
            let answer = ask(web, label, path, 5_000);
            (answer.status, answer.headers, answer.body, answer.delay)
        });
        assert!(drawn[0] == drawn[1], "{page}");
        different += usize::from(drawn[0] != drawn[2]);
    }
    assert!(different > 50, "{different} pages differ");
}

fn count(body: &[u8], what: &[u8]) -> usize {
    body.windows(what.len()).filter(|part| part == &what).count()
}
