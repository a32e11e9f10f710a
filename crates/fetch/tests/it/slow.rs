//! Servers that take their time.

use std::time::Duration;

use fetch::NextStep;
use model::{Cut, ErrorKind};

use crate::server::{Act, Server, get, hasty};

const SOON: Duration = Duration::from_millis(20);

#[tokio::test]
async fn a_silent_server_is_given_up() {
    let server = Server::start(|_, _| Act::SendAndHang(Vec::new())).await;
    let error = get(&hasty(300, 10_000), &server, "/").await.unwrap_err();
    assert_eq!((error.kind(), error.next_step()), (ErrorKind::Timeout, NextStep::RetrySoft));
    assert!(error.to_string().ends_with("did not answer within 300ms"), "{error}");
}

#[tokio::test]
async fn a_dripping_head_is_given_up() {
    let server =
        Server::start(|_, _| Act::Drip(b"HTTP/1.1 200 OK\r\n".to_vec(), b"X: y\r\n".to_vec(), SOON)).await;
    let error = get(&hasty(300, 10_000), &server, "/").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
}

#[tokio::test]
async fn a_dripping_body_is_cut_for_its_rate() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
    let server = Server::start(|_, _| Act::Drip(head.to_vec(), b"x".to_vec(), SOON)).await;
    let page = get(&hasty(60_000, 200), &server, "/").await.unwrap();
    assert_eq!(page.cut, Some(Cut::Time));
    assert!(!page.body.is_empty() && page.body.len() < 100, "{} bytes", page.body.len());
}

#[tokio::test]
async fn a_body_that_is_fast_enough_is_cut_only_by_the_total() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n";
    let server = Server::start(|_, _| Act::Drip(head.to_vec(), vec![b'x'; 500], SOON)).await;
    let page = get(&hasty(2000, 500), &server, "/").await.unwrap();
    assert_eq!(page.cut, Some(Cut::Time));
    // Several windows of time have passed.
    assert!(page.timings.total >= Duration::from_millis(1900), "{:?}", page.timings);
}

#[tokio::test]
async fn an_endless_body_is_cut_at_the_limit() {
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunk = [b"10000\r\n".to_vec(), vec![b'x'; 0x10000], b"\r\n".to_vec()].concat();
    let server = Server::start(move |_, _| Act::Drip(head.to_vec(), chunk.clone(), Duration::ZERO)).await;
    let page = get(&hasty(60_000, 10_000), &server, "/").await.unwrap();
    assert_eq!((page.body.len(), page.cut), (4 << 20, Some(Cut::Length)));
}
