//! HTTP/2 with servers that refuse, hang up, break the rules or flood.

use std::time::Duration;

use bytes::Bytes;
use fetch::{HttpSettings, Limits, NextStep};
use h2::Reason;
use model::{Cut, ErrorKind, HttpVersion};

use crate::http2_site::{Site, fetcher, fetcher_with, frame, get, say};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// `:status: 200` in the static table.
const OK: &[u8] = &[0x88];

fn quick(settings: &mut HttpSettings) {
    settings.limits = Limits {
        total: Duration::from_secs(5),
        rate_window: Duration::from_millis(1_500),
        ..Limits::default()
    };
}

fn soft() -> (ErrorKind, NextStep) {
    (ErrorKind::Broken, NextStep::RetrySoft)
}

fn paths(site: &Site) -> Vec<String> {
    site.seen().into_iter().map(|(_, path)| path).collect()
}

#[tokio::test]
async fn a_refused_request_is_said_once_more_on_a_new_connection() {
    let site = Site::well(|connection, _, mut respond| async move {
        match connection {
            0 => respond.send_reset(Reason::REFUSED_STREAM),
            _ => say(respond, "second").await,
        }
    })
    .await;
    assert_eq!(get(&fetcher(&site), &site, "/").await.unwrap().body, "second");
    assert_eq!(site.seen(), [(0, "/".to_owned()), (1, "/".to_owned())]);
}

#[tokio::test]
async fn a_good_bye_before_the_request_was_looked_at_is_no_answer() {
    // The first connection is told that nothing was processed; so is the second, and no third is tried.
    let good_bye = frame(GOAWAY, 0, 0, &[0, 0, 0, 0, 0, 0, 0, 0]);
    let (site, _) = Site::raw(vec![good_bye], false).await;
    let error = get(&fetcher(&site), &site, "/").await.unwrap_err();
    assert_eq!((error.kind(), error.next_step()), soft());
    assert_eq!(paths(&site), ["raw", "raw"]);
}

#[tokio::test]
async fn a_good_bye_after_the_request_was_looked_at_lets_it_be_answered() {
    let frames = vec![
        frame(GOAWAY, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0]),
        frame(HEADERS, END_HEADERS, 1, OK),
        frame(DATA, END_STREAM, 1, b"last words"),
    ];
    let (site, _) = Site::raw(frames, false).await;
    assert_eq!(get(&fetcher(&site), &site, "/").await.unwrap().body, "last words");
    assert_eq!(paths(&site), ["raw"]);
}

#[tokio::test]
async fn a_host_that_always_refuses_is_asked_in_http1_in_the_end() {
    let site =
        Site::well(|_, _, mut respond| async move { respond.send_reset(Reason::REFUSED_STREAM) }).await;
    let fetcher = fetcher(&site);
    for _ in 0..3 {
        let error = get(&fetcher, &site, "/").await.unwrap_err();
        assert_eq!((error.kind(), error.next_step()), soft());
    }
    let page = get(&fetcher, &site, "/").await.unwrap();
    assert_eq!((&page.body[..], page.version), (&b"old"[..], HttpVersion::Http1));
    assert_eq!(paths(&site), ["/", "/", "/", "/", "/", "/", "HTTP/1.1 /"]);
}

#[tokio::test]
async fn a_host_that_wants_http1_gets_it_at_once() {
    let site =
        Site::well(|_, _, mut respond| async move { respond.send_reset(Reason::HTTP_1_1_REQUIRED) }).await;
    let fetcher = fetcher(&site);
    for _ in 0..2 {
        assert_eq!(get(&fetcher, &site, "/").await.unwrap().body, "old");
    }
    assert_eq!(paths(&site), ["/", "HTTP/1.1 /", "HTTP/1.1 /"]);
}

#[tokio::test]
async fn a_reset_within_a_body_keeps_what_came() {
    let site = Site::well(|_, _, mut respond| async move {
        let mut stream = respond.send_response(http::Response::new(()), false).unwrap();
        stream.send_data(Bytes::from_static(b"the beginning"), false).unwrap();
        // Resetting at once would throw the data away unsent.
        tokio::time::sleep(Duration::from_millis(50)).await;
        stream.send_reset(Reason::INTERNAL_ERROR);
    })
    .await;
    let page = get(&fetcher(&site), &site, "/").await.unwrap();
    assert_eq!((&page.body[..], page.cut), (&b"the beginning"[..], Some(Cut::Disconnect)));
    assert_eq!(paths(&site), ["/"]);
}

/// The request fails without being repeated, and the next is made in HTTP/1.1.
async fn falls_back(what: &str, frames: Vec<Vec<u8>>) {
    let (site, _) = Site::raw(frames, false).await;
    let fetcher = fetcher_with(&site, quick);
    let error = get(&fetcher, &site, "/").await.expect_err(what);
    assert_eq!((error.kind(), error.next_step()), soft(), "{what}: {error:?}");
    assert_eq!(get(&fetcher, &site, "/").await.expect(what).body, "old", "{what}");
    assert_eq!(paths(&site), ["raw", "HTTP/1.1 /"], "{what}");
}

#[tokio::test]
async fn a_server_that_breaks_the_rules_is_asked_in_http1() {
    falls_back("data without an answer", vec![frame(DATA, 0, 1, b"x")]).await;
    falls_back("data on no stream", vec![frame(DATA, 0, 0, b"x")]).await;
    falls_back("a frame longer than allowed", vec![frame(DATA, 0, 1, &[0; 20_000])]).await;
    falls_back("headers that cannot be decoded", vec![frame(HEADERS, END_HEADERS, 1, &[0xff; 40])]).await;
    falls_back("a pushed stream", vec![frame(5, END_HEADERS, 1, &[0, 0, 0, 2, 0x88])]).await;
    let length = vec![
        // content-length: 3, a literal with a name from the static table
        frame(HEADERS, END_HEADERS, 1, &[0x88, 0x0f, 0x0d, 0x01, b'3']),
    ];
    let mut unfinished = length.clone();
    unfinished.push(frame(CONTINUATION, END_HEADERS, 1, OK));
    let (site, _) = Site::raw(unfinished, false).await;
    let page = get(&fetcher_with(&site, quick), &site, "/").await;
    assert!(
        page.is_err() || page.is_ok_and(|page| page.cut == Some(Cut::Disconnect)),
        "a stray continuation"
    );
    let mut lying = length;
    lying.push(frame(DATA, END_STREAM, 1, b"more than three"));
    let (site, _) = Site::raw(lying, false).await;
    let page = get(&fetcher_with(&site, quick), &site, "/").await;
    assert!(page.is_err() || page.is_ok_and(|page| page.cut == Some(Cut::Disconnect)), "a lying length");
}

#[tokio::test]
async fn a_head_beyond_the_limits_is_refused() {
    let many = Site::well(|_, _, mut respond| async move {
        let mut response = http::Response::new(());
        for number in 0..300 {
            let name = http::HeaderName::try_from(format!("x-{number}")).unwrap();
            response.headers_mut().insert(name, "1".parse().unwrap());
        }
        drop(respond.send_response(response, true));
    })
    .await;
    let error = get(&fetcher(&many), &many, "/").await.unwrap_err();
    assert_eq!((error.kind(), error.next_step()), (ErrorKind::Malformed, NextStep::Drop));
    let long = Site::well(|_, _, mut respond| async move {
        let response = http::Response::builder().header("x-long", "x".repeat(100_000)).body(()).unwrap();
        drop(respond.send_response(response, true));
    })
    .await;
    let fetcher = fetcher(&long);
    assert_eq!(get(&fetcher, &long, "/").await.unwrap_err().kind(), ErrorKind::Broken);
    assert_eq!(get(&fetcher, &long, "/").await.unwrap().body, "old");
}

/// A flood ends the exchange within its time, and the line is closed after a bounded number of bytes.
async fn is_stopped(what: &str, frames: Vec<Vec<u8>>) {
    const MOST: usize = 64 << 20;
    let (site, written) = Site::raw(frames, true).await;
    let fetcher = fetcher_with(&site, quick);
    let answer = get(&fetcher, &site, "/").await;
    let harmless = match &answer {
        Ok(page) => page.cut.is_some() && page.body.len() <= 4 << 20,
        Err(_) => true,
    };
    assert!(harmless, "{what}: {answer:?}");
    // A second exchange in HTTP/2 would start a second flood.
    drop(fetcher);
    let mut watch = written.subscribe();
    let closed = watch.wait_for(|written| written.closed >= 1);
    tokio::time::timeout(Duration::from_secs(20), closed).await.expect(what).unwrap();
    let bytes = written.borrow().bytes;
    assert!(bytes < MOST, "{what}: {bytes} bytes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn floods_are_stopped() {
    let begun = frame(HEADERS, END_HEADERS, 1, OK);
    let many = |frame: Vec<u8>| frame.repeat(500);
    is_stopped("pings", vec![many(frame(PING, 0, 0, &[0; 8]))]).await;
    is_stopped("settings", vec![many(frame(SETTINGS, 0, 0, &[]))]).await;
    is_stopped("window updates", vec![many(frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1]))]).await;
    is_stopped("unknown frames", vec![many(frame(0xbe, 0, 0, &[0; 100]))]).await;
    is_stopped("empty data", vec![begun.clone(), many(frame(DATA, 0, 1, &[]))]).await;
    is_stopped("padding", vec![begun.clone(), many(frame(DATA, 8, 1, &[9; 10]))]).await;
    is_stopped("resets of no stream", vec![begun.clone(), many(frame(RST_STREAM, 0, 1, &[0, 0, 0, 8]))])
        .await;
    let endless_head =
        vec![frame(HEADERS, 0, 1, OK), many(frame(CONTINUATION, 0, 1, &[0x40, 1, b'x', 1, b'y']))];
    is_stopped("continuations", endless_head).await;
    is_stopped("empty continuations", vec![frame(HEADERS, 0, 1, OK), many(frame(CONTINUATION, 0, 1, &[]))])
        .await;
    let early = frame(HEADERS, END_HEADERS, 1, &[0x08, 0x03, b'1', b'0', b'3']);
    is_stopped("early hints", vec![many(early)]).await;
    is_stopped("an endless body", vec![begun, frame(DATA, 0, 1, &[b'x'; 16_000])]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_on_an_idle_connection_ends_it() {
    let frames = vec![
        frame(HEADERS, END_HEADERS, 1, OK),
        frame(DATA, END_STREAM, 1, b"harmless"),
        frame(PING, 0, 0, &[0; 8]).repeat(500),
    ];
    let (site, written) = Site::raw(frames, true).await;
    let fetcher = fetcher(&site);
    assert_eq!(get(&fetcher, &site, "/").await.unwrap().body, "harmless");
    let mut watch = written.subscribe();
    let closed = watch.wait_for(|written| written.closed >= 1);
    tokio::time::timeout(Duration::from_secs(20), closed).await.expect("closed").unwrap();
}

#[tokio::test]
async fn silence_and_dripping_are_cut_by_time() {
    let silent = Site::well(|_, _, respond| async move {
        let _respond = respond;
        std::future::pending::<()>().await;
    })
    .await;
    let hasty = |settings: &mut HttpSettings| {
        settings.limits.total = Duration::from_millis(400);
        settings.limits.rate_window = Duration::from_millis(200);
    };
    let error = get(&fetcher_with(&silent, hasty), &silent, "/").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    let stuck = Site::well(|_, _, mut respond| async move {
        let mut stream = respond.send_response(http::Response::new(()), false).unwrap();
        stream.send_data(Bytes::from_static(b"a little"), false).unwrap();
        std::future::pending::<()>().await;
    })
    .await;
    let page = get(&fetcher_with(&stuck, hasty), &stuck, "/").await.unwrap();
    assert_eq!((&page.body[..], page.cut), (&b"a little"[..], Some(Cut::Time)));
}
