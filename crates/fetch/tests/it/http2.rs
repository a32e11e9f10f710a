//! HTTP/2 with servers that mean well.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use fetch::{Fetcher, Wanted};
use model::{Cut, HttpVersion};
use tokio::sync::Barrier;

use crate::http2_site::{Site, fetcher, fetcher_with, get, request, say};

#[tokio::test]
async fn pages_come_over_http2_on_one_connection() {
    let site = Site::well(|_, path, respond| async move { say(respond, &path).await }).await;
    let fetcher = fetcher(&site);
    for path in ["/", "/two?x=1"] {
        let page = get(&fetcher, &site, path).await.unwrap();
        assert_eq!((page.version, page.status, page.cut), (HttpVersion::Http2, 200, None));
        assert_eq!(page.headers.get("X-From"), Some("h2"));
        let head = String::from_utf8(page.head.to_vec()).unwrap();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(head.contains("\r\nx-from: h2\r\n") && head.ends_with("\r\n\r\n"), "{head}");
        let asked = String::from_utf8(page.request.to_vec()).unwrap();
        let host = format!("a.test:{}", site.address.port());
        assert!(asked.starts_with(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n")), "{asked}");
        assert!(asked.contains("\r\nuser-agent: gannet\r\n") && asked.ends_with("\r\n\r\n"), "{asked}");
    }
    assert_eq!(site.seen(), [(0, "/".to_owned()), (0, "/two".to_owned())]);
    assert_eq!(fetcher.idle_connections(), 1);
}

#[tokio::test]
async fn the_server_and_the_setting_may_both_choose_http1() {
    let check = async |protocols: &[&str], http2: bool| {
        let site = Site::start(protocols, |_, _, _| async {}).await;
        let fetcher = fetcher_with(&site, |settings| settings.http2 = http2);
        for _ in 0..2 {
            let page = get(&fetcher, &site, "/").await.unwrap();
            assert_eq!((&page.body[..], page.version), (&b"old"[..], HttpVersion::Http1));
        }
        assert_eq!(site.seen(), vec![(0, "HTTP/1.1 /".to_owned()); 2], "one kept connection");
    };
    check(&["http/1.1"], true).await;
    check(&[], true).await;
    check(&["h2", "http/1.1"], false).await;
}

#[tokio::test]
async fn hosts_share_no_connection_even_where_the_certificate_covers_both() {
    let site = Site::well(|_, path, respond| async move { say(respond, &path).await }).await;
    let fetcher = fetcher(&site);
    for (name, path) in [("a.test", "/1"), ("b.test", "/2"), ("a.test", "/3")] {
        fetcher.fetch(request(&site, name, path)).await.unwrap();
    }
    let seen: Vec<usize> = site.seen().iter().map(|(connection, _)| *connection).collect();
    assert_eq!(seen, [0, 1, 0]);
}

#[tokio::test]
async fn one_stream_at_a_time_unless_more_are_allowed() {
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (now, highest) = (open.clone(), most.clone());
    let site = Site::well(move |_, _, respond| {
        let (now, highest) = (now.clone(), highest.clone());
        async move {
            highest.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            // A server that takes its time.
            tokio::time::sleep(Duration::from_millis(20)).await;
            now.fetch_sub(1, Ordering::SeqCst);
            say(respond, "x").await;
        }
    })
    .await;
    let single = fetcher(&site);
    let three = || async {
        tokio::join!(get(&single, &site, "/"), get(&single, &site, "/"), get(&single, &site, "/"))
    };
    let (a, b, c) = three().await;
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert_eq!(most.load(Ordering::SeqCst), 1);
    assert!(site.seen().iter().all(|(connection, _)| *connection == 0), "{:?}", site.seen());

    // Nobody is answered before all three have asked.
    let all = Arc::new(Barrier::new(3));
    let site = Site::well(move |_, _, respond| {
        let all = all.clone();
        async move {
            all.wait().await;
            say(respond, "x").await;
        }
    })
    .await;
    let wide = fetcher_with(&site, |settings| settings.streams_per_host = 3);
    let (a, b, c) = tokio::join!(get(&wide, &site, "/"), get(&wide, &site, "/"), get(&wide, &site, "/"));
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert!(site.seen().iter().all(|(connection, _)| *connection == 0), "{:?}", site.seen());
    assert_eq!(wide.idle_connections(), 1);
}

#[tokio::test]
async fn a_body_that_is_cut_or_unwanted_leaves_the_connection_usable() {
    let site = Site::well(|_, path, respond| async move {
        say(respond, if path == "/" { "short" } else { "long long long long" }).await;
    })
    .await;
    let fetcher = fetcher(&site);
    let mut cut = request(&site, "a.test", "/long");
    cut.body_limit = 4;
    let page = fetcher.fetch(cut).await.unwrap().fetched().clone();
    assert_eq!((&page.body[..], page.cut), (&b"long"[..], Some(Cut::Length)));
    let mut unwanted = request(&site, "a.test", "/long");
    unwanted.wanted = Wanted { types: Vec::new(), longest: Some(0) };
    fetcher.fetch(unwanted).await.unwrap();
    assert_eq!(get(&fetcher, &site, "/").await.unwrap().body, "short");
    assert_eq!(site.seen().iter().map(|(connection, _)| *connection).collect::<Vec<_>>(), [0, 0, 0]);
}

#[tokio::test]
async fn a_long_body_comes_whole_through_small_windows() {
    let site = Site::well(|_, _, mut respond| async move {
        let mut stream = respond.send_response(http::Response::new(()), false).unwrap();
        for number in 0..40u8 {
            stream.reserve_capacity(50_000);
            let mut left = Bytes::from(vec![number; 50_000]);
            while !left.is_empty() {
                let room = std::future::poll_fn(|context| stream.poll_capacity(context)).await;
                let room = room.unwrap().unwrap().min(left.len());
                stream.send_data(left.split_to(room), false).unwrap();
                stream.reserve_capacity(left.len());
            }
        }
        stream.send_data(Bytes::new(), true).unwrap();
    })
    .await;
    let page = get(&fetcher(&site), &site, "/").await.unwrap();
    assert_eq!((page.body.len(), page.cut), (2_000_000, None));
    assert!(
        page.body
            .chunks(50_000)
            .enumerate()
            .all(|(number, chunk)| chunk.iter().all(|byte| *byte == number as u8))
    );
}

#[tokio::test]
async fn a_server_that_says_good_bye_between_requests_is_asked_on_a_new_connection() {
    let site = Site::start(&["h2"], |connection, stream, log| async move {
        let Ok(mut accepted) = h2::server::handshake(stream).await else { return };
        while let Some(Ok((_, respond))) = accepted.accept().await {
            log.lock().unwrap().push((connection, "asked".to_owned()));
            accepted.graceful_shutdown();
            say(respond, "x").await;
        }
    })
    .await;
    let fetcher = fetcher(&site);
    for _ in 0..3 {
        assert_eq!(get(&fetcher, &site, "/").await.unwrap().body, "x");
    }
    assert_eq!(site.seen().iter().map(|(connection, _)| *connection).collect::<Vec<_>>(), [0, 1, 2]);
}
