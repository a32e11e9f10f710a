//! Kept-alive connections.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use fetch::{Agent, Fetcher, HttpFetcher, HttpSettings, NextStep, Request};
use model::{ErrorKind, PageUrl};
use net::{AddressGuard, Connector, ProcessClock, TlsSettings};
use tokio::net::TcpListener;

use crate::server::{Act, NOW, Server, fetcher, fetcher_with, get, hasty, ok};

fn connections(server: &Server) -> Vec<usize> {
    server.seen().iter().map(|seen| seen.connection).collect()
}

#[tokio::test]
async fn a_connection_serves_many_requests() {
    let server = Server::with(ok("x")).await;
    let fetcher = fetcher();
    for _ in 0..5 {
        get(&fetcher, &server, "/").await.unwrap();
    }
    assert_eq!(connections(&server), [0; 5]);
    assert_eq!(fetcher.idle_connections(), 1);
}

#[tokio::test]
async fn only_a_new_connection_costs_connecting_time() {
    let server = Server::with(ok("x")).await;
    let fetcher = fetcher();
    assert!(get(&fetcher, &server, "/").await.unwrap().timings.connect > Duration::ZERO);
    assert_eq!(get(&fetcher, &server, "/").await.unwrap().timings.connect, Duration::ZERO);
}

#[tokio::test]
async fn requests_at_once_have_connections_of_their_own() {
    let server = Server::with(ok("x")).await;
    let fetcher = fetcher();
    let (a, b) = tokio::join!(get(&fetcher, &server, "/"), get(&fetcher, &server, "/"));
    a.unwrap();
    b.unwrap();
    let mut used = connections(&server);
    used.sort_unstable();
    assert_eq!(used, [0, 1]);
    assert_eq!(fetcher.idle_connections(), 2);
}

#[tokio::test]
async fn a_server_that_hangs_up_between_requests_is_asked_again_at_once() {
    // It says keep-alive and closes.
    let server = Server::start(|_, _| Act::SendAndClose(ok("x"))).await;
    let fetcher = fetcher();
    for _ in 0..4 {
        assert_eq!(get(&fetcher, &server, "/").await.unwrap().body, "x");
    }
    assert_eq!(connections(&server), [0, 1, 2, 3]);
}

#[tokio::test]
async fn a_request_unanswered_on_a_kept_connection_is_said_once_more() {
    let server = Server::start(|number, _| match number {
        0 => Act::Send(ok("first")),
        1 => Act::Reset,
        _ => Act::Send(ok("second")),
    })
    .await;
    let fetcher = fetcher();
    get(&fetcher, &server, "/").await.unwrap();
    assert_eq!(get(&fetcher, &server, "/").await.unwrap().body, "second");
    assert_eq!(connections(&server), [0, 0, 1]);
}

#[tokio::test]
async fn a_request_unanswered_on_a_new_connection_is_not_repeated() {
    let server = Server::start(|_, _| Act::Reset).await;
    let error = get(&fetcher(), &server, "/").await.unwrap_err();
    assert_eq!((error.kind(), error.next_step()), (ErrorKind::Broken, NextStep::RetrySoft));
    assert_eq!(connections(&server), [0]);
}

#[tokio::test]
async fn half_an_answer_on_a_kept_connection_is_not_repeated() {
    let server = Server::start(|number, _| match number {
        0 => Act::Send(ok("first")),
        _ => Act::SendAndClose(b"HTTP/1.1 200 OK\r\nConte".to_vec()),
    })
    .await;
    let fetcher = fetcher();
    get(&fetcher, &server, "/").await.unwrap();
    assert_eq!(get(&fetcher, &server, "/").await.unwrap_err().kind(), ErrorKind::Broken);
    assert_eq!(connections(&server), [0, 0]);
}

#[tokio::test]
async fn a_connection_with_an_unread_rest_is_not_used_again() {
    let server = Server::with(ok(&"x".repeat(100_000))).await;
    let fetcher = fetcher();
    for _ in 0..2 {
        let mut asked = Request::new(server.url("/"), server.address.ip(), NOW);
        asked.body_limit = 10;
        fetcher.fetch(asked).await.unwrap();
    }
    assert_eq!(connections(&server), [0, 1]);
}

#[tokio::test]
async fn a_connection_given_up_is_closed() {
    let patience = Duration::from_secs(10);
    let drip = || Act::Drip(b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b'x'; 1000], Duration::from_millis(1));
    let endless = Server::start(move |_, _| drip()).await;
    let silent = Server::start(|_, _| Act::SendAndHang(Vec::new())).await;
    let fetcher = hasty(1000, 10_000);
    get(&fetcher, &endless, "/").await.unwrap();
    tokio::time::timeout(patience, endless.is_left_alone()).await.expect("cut for time");
    get(&fetcher, &silent, "/").await.unwrap_err();
    tokio::time::timeout(patience, silent.is_left_alone()).await.expect("no answer");
    let mut asked = Request::new(endless.url("/"), endless.address.ip(), NOW);
    asked.body_limit = 10;
    fetcher.fetch(asked.clone()).await.unwrap();
    tokio::time::timeout(patience, endless.is_left_alone()).await.expect("cut for length");
    // A caller that loses interest.
    drop(tokio::time::timeout(Duration::from_millis(50), fetcher.fetch(asked)).await);
    tokio::time::timeout(patience, endless.is_left_alone()).await.expect("dropped");
    // The fetcher goes, and its idle connections with it.
    let server = Server::with(ok("x")).await;
    get(&fetcher, &server, "/").await.unwrap();
    drop(fetcher);
    tokio::time::timeout(patience, server.is_left_alone()).await.expect("idle");
}

#[tokio::test]
async fn an_answer_nobody_asked_for_is_not_taken_for_the_next() {
    let server = Server::start(|number, _| match number {
        0 => Act::Send([ok("asked for"), ok("forged")].concat()),
        _ => Act::Send(ok("true")),
    })
    .await;
    let fetcher = fetcher();
    assert_eq!(get(&fetcher, &server, "/").await.unwrap().body, "asked for");
    assert_eq!(get(&fetcher, &server, "/").await.unwrap().body, "true");
}

#[tokio::test]
async fn no_more_idle_connections_are_kept_than_allowed() {
    let server = Server::with(ok("x")).await;
    let fetcher = fetcher_with(|settings| settings.idle_per_host = 0);
    for _ in 0..2 {
        get(&fetcher, &server, "/").await.unwrap();
    }
    assert_eq!((connections(&server), fetcher.idle_connections()), (vec![0, 1], 0));
}

#[tokio::test]
async fn a_closed_port_is_a_failure_to_connect() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let url = PageUrl::parse(&format!("http://{address}/")).unwrap();
    let error = fetcher().fetch(Request::new(url, address.ip(), NOW)).await.unwrap_err();
    assert_eq!((error.kind(), error.next_step()), (ErrorKind::Connect, NextStep::RetryHard));
}

#[tokio::test]
async fn the_guard_stands_before_every_connection() {
    let server = Server::with(ok("secret")).await;
    let check = async |guard: AddressGuard, address: IpAddr| {
        let connector = Connector::new(Arc::new(guard), &TlsSettings::default()).unwrap();
        let settings = HttpSettings::new(Agent::new("gannet", &[]).unwrap());
        let fetcher = HttpFetcher::new(connector, Arc::new(ProcessClock::start()), settings);
        let url = PageUrl::parse(&format!("http://public.example:{}/", server.address.port())).unwrap();
        fetcher
            .fetch(Request::new(url, address, NOW))
            .await
            .map_err(|error| (error.kind(), error.next_step()))
    };
    let forbidden = (ErrorKind::ForbiddenAddress, NextStep::Drop);
    for address in ["127.0.0.1", "::ffff:127.0.0.1", "0.0.0.0", "169.254.169.254"] {
        let refused = check(AddressGuard::default(), address.parse().unwrap()).await.unwrap_err();
        assert_eq!(refused, forbidden, "for {address}");
    }
    let elsewhere = format!("127.0.0.1:{}", server.address.port() ^ 1);
    let other_port = AddressGuard { allow_private: false, allow: vec![elsewhere.parse().unwrap()] };
    assert_eq!(check(other_port, server.address.ip()).await.unwrap_err(), forbidden);
    assert!(server.seen().is_empty());
    let this_port =
        AddressGuard { allow_private: false, allow: vec![server.address.to_string().parse().unwrap()] };
    assert_eq!(check(this_port, server.address.ip()).await.unwrap().fetched().body, "secret");
}
