//! Servers that do not speak HTTP well.

use fetch::NextStep;
use model::{Cut, ErrorKind};

use crate::server::{Act, Server, fetcher, get};

/// What a fetch makes of these bytes, after which the server hangs up: status, body and cut, or the error.
async fn outcome(bytes: impl Into<Vec<u8>>) -> Result<(u16, String, Option<Cut>), ErrorKind> {
    let bytes = bytes.into();
    let server = Server::start(move |_, _| Act::SendAndClose(bytes.clone())).await;
    match get(&fetcher(), &server, "/").await {
        Ok(page) => Ok((page.status, String::from_utf8_lossy(&page.content).into_owned(), page.cut)),
        Err(error) => {
            let step = if error.kind() == ErrorKind::Broken { NextStep::RetrySoft } else { NextStep::Drop };
            assert_eq!(error.next_step(), step);
            Err(error.kind())
        }
    }
}

async fn check(bytes: &str, expected: Result<(u16, &str, Option<Cut>), ErrorKind>) {
    let expected = expected.map(|(status, body, cut)| (status, body.to_owned(), cut));
    assert_eq!(outcome(bytes).await, expected, "for {bytes:?}");
}

const HTML: &str = "HTTP/1.1 200 OK\r\n";

#[tokio::test]
async fn what_is_not_http_is_an_error() {
    let malformed = || Err(ErrorKind::Malformed);
    check("<html>no status line</html>\r\n\r\n", malformed()).await;
    check("HTTP/1.1 abc OK\r\n\r\n", malformed()).await;
    check("HTTP/1.1 20 OK\r\n\r\n", malformed()).await;
    check("HTTP/9.9 200 OK\r\n\r\n", malformed()).await;
    check("SSH-2.0-OpenSSH_9.2\r\n", malformed()).await;
    check("\0\0\0\0\0\0\0\0\r\n\r\n", malformed()).await;
    check(&format!("{HTML}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"), malformed()).await;
    check(&format!("{HTML}Content-Length: five\r\n\r\nhello"), malformed()).await;
    check(&format!("{HTML}Content-Length: -5\r\n\r\nhello"), malformed()).await;
    check(&format!("{HTML}Content-Length: 99999999999999999999\r\n\r\nhello"), malformed()).await;
}

#[tokio::test]
async fn a_connection_that_ends_before_the_head_does_is_broken() {
    check("", Err(ErrorKind::Broken)).await;
    check("HTTP/1.1 200", Err(ErrorKind::Broken)).await;
    check("HTTP/1.1 200 OK\r\nContent-Type: te", Err(ErrorKind::Broken)).await;
}

#[tokio::test]
async fn what_browsers_forgive_is_forgiven() {
    check("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", Ok((200, "ok", None))).await;
    check("HTTP/1.0 200 OK\r\n\r\nuntil the end", Ok((200, "until the end", None))).await;
    check("HTTP/1.1 200 OK\nContent-Length: 2\n\nok", Ok((200, "ok", None))).await;
    check(&format!("{HTML}Content-Length : 2\r\n\r\nok"), Ok((200, "ok", None))).await;
    check(&format!("{HTML}Bad Header: x\r\nContent-Length: 2\r\n\r\nok"), Ok((200, "ok", None))).await;
    check(&format!("{HTML}X-Folded: a\r\n b\r\nContent-Length: 2\r\n\r\nok"), Ok((200, "ok", None))).await;
    check(&format!("{HTML}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok"), Ok((200, "ok", None))).await;
    check("HTTP/1.1 200 \u{e4}\u{f6}\r\nContent-Length: 2\r\n\r\nok", Ok((200, "ok", None))).await;
    check("HTTP/1.1 999 Denied\r\nContent-Length: 2\r\n\r\nno", Ok((999, "no", None))).await;
}

#[tokio::test]
async fn a_body_that_breaks_off_is_kept_and_marked() {
    let cut = Some(Cut::Disconnect);
    check(&format!("{HTML}Content-Length: 10\r\n\r\nhalf"), Ok((200, "half", cut))).await;
    check(&format!("{HTML}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n5\r\nmo"), Ok((200, "halfmo", cut)))
        .await;
    check(&format!("{HTML}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"), Ok((200, "half", cut))).await;
    check(&format!("{HTML}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nxyz\r\n"), Ok((200, "half", cut)))
        .await;
    check(&format!("{HTML}Transfer-Encoding: chunked\r\n\r\nzzz"), Ok((200, "", cut))).await;
    check(&format!("{HTML}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"), Ok((200, "", cut)))
        .await;
}

#[tokio::test]
async fn a_truncated_gzip_keeps_its_beginning() {
    use std::io::Write;
    let text: String = (0..3000).map(|n| format!("line {n} {}\n", n * 7919 % 1009)).collect();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    let coded = encoder.finish().unwrap();
    let half = &coded[..coded.len() / 2];
    let head = format!("{HTML}Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", half.len());
    let (status, content, cut) = outcome([head.as_bytes(), half].concat()).await.unwrap();
    assert_eq!((status, cut), (200, Some(Cut::Disconnect)));
    assert!(content.len() > 1000 && text.starts_with(&content), "{} bytes", content.len());
}

#[tokio::test]
async fn endless_headers_are_refused() {
    let many = "X-Line: value\r\n".repeat(300);
    check(&format!("{HTML}{many}\r\n"), Err(ErrorKind::Malformed)).await;
    let some = "X-Line: value\r\n".repeat(190);
    check(&format!("{HTML}{some}Content-Length: 2\r\n\r\nok"), Ok((200, "ok", None))).await;
    let long = format!("{HTML}X-Long: {}\r\n\r\n", "v".repeat(70_000));
    let error = outcome(long).await.unwrap_err();
    assert_eq!(error, ErrorKind::Malformed);
    let endless = vec![b'a'; 200_000];
    assert!(outcome(endless).await.is_err());
}
