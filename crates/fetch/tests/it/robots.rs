//! Getting a robots.txt.

use std::sync::Arc;

use fetch::robots::{Access, RobotsFile};
use model::ErrorKind;
use net::{AddressGuard, Hosts, ProcessClock, Resolver, ResolverSettings};

use crate::server::{Act, NOW, Server, fetcher, hasty, ok};

/// Names that the tests use: `other.test` is this machine, `inside.test` may not be asked.
fn resolver() -> Resolver {
    let hosts = Hosts::parse("127.0.0.1 other.test\n169.254.169.254 inside.test").unwrap();
    let guard = AddressGuard { allow_private: true, allow: Vec::new() };
    let settings =
        ResolverSettings { hosts, dns: vec!["127.0.0.1:9".parse().unwrap()], ..ResolverSettings::default() };
    Resolver::new(settings, Arc::new(guard), Arc::new(ProcessClock::start()))
}

/// What came of it in a word, and how many answers there were.
async fn get(server: &Server) -> (String, usize) {
    let url = server.url("/robots.txt");
    let file = RobotsFile::get(&hasty(2000, 10_000), &resolver(), url, server.address.ip(), NOW).await;
    let word = match file.access {
        Access::Rules(robots) if robots.rules("gannet").verdict("/x").allowed => "x is allowed".to_owned(),
        Access::Rules(_) => "x is denied".to_owned(),
        Access::AllowAll => "allow all".to_owned(),
        Access::DenyAll(kind) => format!("deny all: {}", kind.name()),
    };
    (word, file.answers.len())
}

async fn check(answer: impl Into<Vec<u8>>, expected: &str) {
    let answer = answer.into();
    let server = Server::start(move |_, _| Act::SendAndClose(answer.clone())).await;
    assert_eq!(get(&server).await, (expected.to_owned(), 1));
}

#[tokio::test]
async fn the_status_decides() {
    check(ok("user-agent: *\ndisallow: /x"), "x is denied").await;
    check(ok(""), "x is allowed").await;
    check(ok("<html>not found</html>"), "x is allowed").await;
    check("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", "allow all").await;
    check("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", "allow all").await;
    check("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", "deny all: status-500").await;
    check("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", "deny all: status-503").await;
    check("HTTP/1.1 302 No\r\nContent-Length: 0\r\n\r\n", "deny all: bad-redirect").await;
    check(
        "HTTP/1.1 302 No\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
        "deny all: bad-redirect",
    )
    .await;
}

#[tokio::test]
async fn half_a_file_is_not_trusted() {
    check("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nuser-agent: *\ndisallow: /y\n", "deny all: broken")
        .await;
    let server =
        Server::start(|_, _| Act::SendAndHang(b"HTTP/1.1 200 OK\r\n\r\nuser-agent: *\n".to_vec())).await;
    assert_eq!(get(&server).await, ("deny all: timeout".into(), 1));
}

#[tokio::test]
async fn a_server_that_does_not_answer_denies_all() {
    let server = Server::start(|_, _| Act::Reset).await;
    assert_eq!(get(&server).await, ("deny all: broken".into(), 0));
    let server = Server::start(|_, _| Act::SendAndHang(Vec::new())).await;
    assert_eq!(get(&server).await, ("deny all: timeout".into(), 0));
}

#[tokio::test]
async fn too_long_a_file_is_read_as_far_as_it_goes() {
    let long = format!("user-agent: *\ndisallow: /x\n{}allow: /x\n", "# padding\n".repeat(60_000));
    check(ok(&long), "x is denied").await;
}

fn redirect(to: &str) -> Act {
    Act::Send(format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n").into_bytes())
}

#[tokio::test]
async fn five_redirects_are_followed_and_no_more() {
    for (redirects, expected) in [(5, ("x is denied", 6)), (6, ("deny all: redirect-loop", 6))] {
        let server = Server::start(move |number, _| match number {
            number if number < redirects => redirect(&format!("/hop{number}")),
            _ => Act::Send(ok("user-agent: *\ndisallow: /x")),
        })
        .await;
        assert_eq!(get(&server).await, (expected.0.to_owned(), expected.1), "{redirects} redirects");
        assert_eq!(server.seen().len(), 6);
    }
}

#[tokio::test]
async fn a_redirect_to_another_host_is_followed_through_the_guard() {
    let other = Server::with(ok("user-agent: gannet\ndisallow: /x")).await;
    let port = other.address.port();
    let server = Server::start(move |_, _| redirect(&format!("http://other.test:{port}/r.txt"))).await;
    assert_eq!(get(&server).await, ("x is denied".into(), 2));
    assert!(
        other.seen()[0].head.starts_with("GET /r.txt HTTP/1.1\r\nHost: other.test:"),
        "{}",
        other.seen()[0].head
    );

    let server = Server::start(move |_, _| redirect("http://inside.test/latest/meta-data/")).await;
    assert_eq!(get(&server).await, ("deny all: forbidden-address".into(), 1));
    assert_eq!(ErrorKind::ForbiddenAddress.name(), "forbidden-address");
}

#[tokio::test]
async fn the_answers_are_kept_for_the_archive() {
    let server = Server::with(ok("user-agent: *\ndisallow: /x")).await;
    let file =
        RobotsFile::get(&fetcher(), &resolver(), server.url("/robots.txt"), server.address.ip(), NOW).await;
    assert_eq!((file.answers[0].status, file.answers[0].started), (200, NOW));
    assert_eq!(file.answers[0].content, "user-agent: *\ndisallow: /x");
}
