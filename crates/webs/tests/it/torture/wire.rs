//! What the raw listener does to a connection, byte by byte; its bounds; its log.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use webs::torture::{TortureOptions, TortureServer};

use super::{authority, quick, start};

/// How a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The server closed the connection.
    Closed,
    /// The server reset it.
    Reset,
    /// Nothing more came for a while, or enough had come.
    Open,
}

#[expect(clippy::disallowed_methods, reason = "the webs are judged without the crawler's network code")]
async fn connect(addr: SocketAddr) -> io::Result<TcpStream> {
    TcpStream::connect(addr).await
}

/// Asks the raw listener and reads until it ends, `enough` bytes are there, or `quiet` passes without any.
async fn ask(
    server: &TortureServer,
    label: &str,
    path: &str,
    enough: usize,
    quiet: Duration,
) -> (Vec<u8>, End) {
    let mut stream = connect(raw_addr(server)).await.expect("connects");
    send(&mut stream, &authority(server, label), path).await;
    let mut read = Vec::new();
    loop {
        if read.len() >= enough {
            return (read, End::Open);
        }
        match timeout(quiet, stream.read_buf(&mut read)).await {
            Err(_) => return (read, End::Open),
            Ok(Ok(0)) => return (read, End::Closed),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                assert_eq!(error.kind(), io::ErrorKind::ConnectionReset, "{label}");
                return (read, End::Reset);
            }
        }
    }
}

async fn send(stream: &mut TcpStream, host: &str, path: &str) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: test\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sends");
}

fn raw_addr(server: &TortureServer) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 7], server.addr().port()))
}

#[tokio::test]
async fn each_broken_answer_is_what_its_name_says() {
    let server = start(11, quick()).await;
    let check = async |label: &str, end: End, holds: fn(&str) -> bool| {
        let (bytes, ended) = ask(&server, label, "/", 3 << 20, Duration::from_secs(1)).await;
        let text = String::from_utf8_lossy(&bytes);
        let shown: String = text.chars().take(300).collect();
        assert!(holds(&text), "{label}: {shown}");
        assert_eq!(ended, end, "{label}: {shown}");
    };
    let body = |text: &str| text.split_once("\r\n\r\n").map_or(0, |(_, body)| body.len());
    assert_eq!(body("a\r\n\r\nbc"), 2);
    check("length-long", End::Closed, |text| text.contains("Content-Length: 5000\r\n") && text.len() < 1_000)
        .await;
    check("length-short", End::Closed, |text| {
        text.contains("Content-Length: 40\r\n") && text.ends_with("end.</p>\n")
    })
    .await;
    check("length-two", End::Closed, |text| text.matches("Content-Length: ").count() == 2).await;
    check("length-chunked", End::Closed, |text| {
        text.contains("Length: 10\r\nTransfer-Encoding: chunked\r\n")
    })
    .await;
    check("length-negative", End::Closed, |text| text.contains("Content-Length: -1\r\n")).await;
    check("length-overflow", End::Closed, |text| {
        text.contains("Content-Length: 99999999999999999999999\r\n")
    })
    .await;
    check("chunk-letters", End::Closed, |text| text.contains("\r\nzz\r\n")).await;
    check("chunk-overflow", End::Closed, |text| text.contains("\r\n\r\nfffffffffffffffffffff\r\n")).await;
    check("chunk-cut", End::Closed, |text| text.contains("\r\n\r\n1000\r\n") && text.len() < 1_000).await;
    check("no-status", End::Closed, |text| text.starts_with("Content-Type: ")).await;
    check("status-letters", End::Closed, |text| text.starts_with("HTTP/1.1 2oo ")).await;
    check("status-999", End::Closed, |text| text.starts_with("HTTP/1.1 999 ")).await;
    check("version-9", End::Closed, |text| text.starts_with("HTTP/9.9 200 ")).await;
    check("http-0-9", End::Closed, |text| text.starts_with("<!doctype html>")).await;
    check("continue-flood", End::Closed, |text| {
        text.matches("100 Continue").count() == 4_000 && text.ends_with("end.</p>\n")
    })
    .await;
    check("huge-header", End::Closed, |text| text.len() > 1 << 20 && text.matches('\n').count() < 8).await;
    check("many-headers", End::Closed, |text| text.contains("\r\nX-9999: 9999\r\n")).await;
    check("bare-return", End::Closed, |text| text.contains("a\rSet-Cookie: injected=1\nX-Bare")).await;
    check("nul-header", End::Closed, |text| text.contains("X-Odd: a\0b\r\n")).await;
    check("folded-header", End::Closed, |text| text.contains("\r\n  Content-Length: 1\r\n\t")).await;
    check("blank-in-name", End::Closed, |text| text.contains("X Odd : a\r\n: nameless\r\n")).await;
    check("reset-at-once", End::Reset, str::is_empty).await;
    check("reset-head", End::Reset, |text| text == "HTTP/1.1 200 OK\r\nContent-Ty").await;
    check("reset-body", End::Reset, |text| {
        text.contains("Content-Length: 5000\r\n") && text.ends_with("end.</p>\n")
    })
    .await;
    check("closed", End::Closed, str::is_empty).await;
    check("smuggling", End::Closed, |text| text.contains("\r\nLocation: /hit%0d%0aX-Smuggled:%20yes%0d%0a"))
        .await;
    server.stop().await;
}

#[tokio::test]
async fn slow_and_endless_answers_are_slow_and_endless() {
    let server = start(12, quick()).await;
    let check = async |label: &str, enough: usize, expected: std::ops::Range<usize>| {
        let (bytes, end) = ask(&server, label, "/", enough, Duration::from_millis(700)).await;
        assert_eq!(end, End::Open, "{label}");
        assert!(expected.contains(&bytes.len()), "{label}: {} bytes", bytes.len());
    };
    // Head and three drops; a drop each 100 ms.
    check("drip", 85, 85..90).await;
    check("drip-head", 30, 30..35).await;
    check("silent", 1, 0..1).await;
    check("endless", 2 << 20, 2 << 20..3 << 20).await;
    check("endless-chunks", 2 << 20, 2 << 20..3 << 20).await;
    check("endless-head", 2 << 20, 2 << 20..3 << 20).await;
    let (bytes, end) = ask(&server, "robots-silent", "/robots.txt", 1, Duration::from_millis(300)).await;
    assert_eq!((bytes.len(), end), (0, End::Open));
    let (_, end) = ask(&server, "robots-reset", "/robots.txt", 1, Duration::from_secs(1)).await;
    assert_eq!(end, End::Reset);
}

#[tokio::test]
async fn a_second_answer_follows_the_first_unasked() {
    let server = start(13, quick()).await;
    let (bytes, _) = ask(&server, "two-answers", "/", 1 << 20, Duration::from_millis(200)).await;
    let text = String::from_utf8(bytes).expect("plain");
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 2, "{text}");
    assert!(text.ends_with("poison"));
}

#[tokio::test]
async fn a_smuggled_header_is_noticed() {
    let server = start(14, quick()).await;
    let mut stream = connect(raw_addr(&server)).await.expect("connects");
    let host = authority(&server, "smuggling");
    send(&mut stream, &host, "/hit HTTP/1.1\r\nX-Smuggled: yes\r\nX-Rest:").await;
    let mut line = [0; 12];
    stream.read_exact(&mut line).await.expect("an answer");
    assert_eq!(&line, b"HTTP/1.1 400");
}

#[tokio::test]
async fn connections_to_the_refusing_address_are_refused() {
    let server = start(15, quick()).await;
    let addr = SocketAddr::from(([127, 0, 0, 8], server.addr().port()));
    let error = connect(addr).await.expect_err("refused");
    assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn the_raw_listener_holds_few_connections_and_none_for_long() {
    let options =
        TortureOptions { connections: 3, patience: Duration::from_millis(400), ..TortureOptions::default() };
    let server = start(16, options).await;
    let mut streams = Vec::new();
    for _ in 0..9 {
        let mut stream = connect(raw_addr(&server)).await.expect("the system's queue takes it");
        send(&mut stream, &authority(&server, "silent"), "/").await;
        streams.push(stream);
    }
    for stream in &mut streams {
        // Closed by the server, the last ones after three rounds of patience.
        let end = timeout(Duration::from_secs(5), stream.read_u8()).await.expect("in time");
        assert!(end.is_err());
    }
    let times: Vec<u64> = server.log().entries().iter().map(|entry| entry.ms).collect();
    assert_eq!(times.len(), 9);
    // Each heard of when a slot became free: the fourth no sooner than the patience with the first.
    for (first, fourth) in times.iter().zip(&times[3..]) {
        assert!(fourth - first >= 390, "{times:?}");
    }
}

#[tokio::test]
async fn both_listeners_write_one_log() {
    let server = start(17, quick()).await;
    ask(&server, "closed", "/", 1, Duration::from_secs(1)).await;
    ask(&server, "drip", "/?x=1", 1, Duration::from_secs(1)).await;
    crate::client::Connection::open(server.addr()).await.get(&authority(&server, "alpha"), "/", &[]).await;
    let log = server.log().entries();
    let row = |entry: &webs::log::LogEntry| {
        (entry.host.clone(), entry.target.clone(), entry.status, entry.address.clone(), entry.connection)
    };
    let (closed, drip, alpha) =
        (authority(&server, "closed"), authority(&server, "drip"), authority(&server, "alpha"));
    assert_eq!(
        log.iter().map(row).collect::<Vec<_>>(),
        [
            (closed, "/".to_owned(), 0, "127.0.0.7".to_owned(), 1),
            (drip, "/?x=1".to_owned(), 200, "127.0.0.7".to_owned(), 2),
            (alpha, "/".to_owned(), 200, "127.0.0.1".to_owned(), 3),
        ]
    );
    assert!(log.iter().all(|entry| entry.agent == "test" && entry.method == "GET"));
}

#[tokio::test]
async fn after_the_stop_nobody_listens() {
    let server = start(18, quick()).await;
    let (first, raw) = (server.addr(), raw_addr(&server));
    let mut held = connect(raw).await.expect("connects");
    server.stop().await;
    assert!(matches!(timeout(Duration::from_secs(5), held.read_u8()).await, Ok(Err(_))));
    for addr in [first, raw] {
        assert_eq!(connect(addr).await.expect_err("refused").kind(), io::ErrorKind::ConnectionRefused);
    }
}
