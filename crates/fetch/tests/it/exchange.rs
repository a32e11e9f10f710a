//! What is sent and what is kept of the answer.

use std::sync::Arc;
use std::time::Duration;

use fetch::{Answer, CookieJar, Fetcher, Unwanted, Wanted};
use model::{Cut, ErrorKind, Validators};

use crate::server::{Act, Server, fetcher, fetcher_with, get, ok, request};

#[tokio::test]
async fn a_page_comes_back_whole() {
    let server = Server::with(ok("<p>hello</p>")).await;
    let page = get(&fetcher(), &server, "/a?b=c").await.unwrap();
    assert_eq!((page.status, &page.body[..], page.cut), (200, &b"<p>hello</p>"[..], None));
    assert_eq!(page.content, page.body);
    assert_eq!(page.content_type().as_deref(), Some("text/html"));
    assert_eq!(page.address, Some(server.address));
    assert!(page.timings.total >= page.timings.first_byte);
}

#[tokio::test]
async fn the_request_is_kept_as_the_server_saw_it() {
    let server = Server::with(ok("")).await;
    let mut asked = request(&server, "/caf%C3%A9?q=1&r={x}|y");
    asked.validators = Validators {
        etag: Some("\"v1\"".into()),
        last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT".into()),
    };
    asked.headers = vec![("X-Extra".into(), "yes".into())];
    let answer = fetcher().fetch(asked).await.unwrap();
    let seen = server.seen()[0].head.clone();
    assert_eq!(answer.fetched().request, seen);
    let expected = format!(
        "GET /caf%C3%A9?q=1&r={{x}}|y HTTP/1.1\r\nHost: {}\r\nUser-Agent: gannet/0.1 (+http://example.org/)\r\n",
        server.address
    );
    assert!(seen.starts_with(&expected), "{seen}");
    for line in [
        "\r\nAccept: text/html,",
        "\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n",
        "\r\nAccept-Language: en",
        "\r\nX-Extra: yes\r\n",
        "\r\nIf-None-Match: \"v1\"\r\n",
        "\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
    ] {
        assert!(seen.contains(line), "{line:?} is missing in {seen}");
    }
}

#[tokio::test]
async fn the_head_is_kept_byte_for_byte() {
    let head =
        "HTTP/1.1 404 Nobody Home\r\nX-oDD: 1\r\nSET-cookie: a=b\r\nx-odd:  2 \r\nContent-Length: 2\r\n\r\n";
    let server = Server::with(format!("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n{head}no")).await;
    let page = get(&fetcher(), &server, "/").await.unwrap();
    assert_eq!((page.status, &page.head[..]), (404, head.as_bytes()));
    let names: Vec<&str> = page.headers.0.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["X-oDD", "SET-cookie", "x-odd", "Content-Length"]);
    assert_eq!(page.headers.all("X-Odd").collect::<Vec<_>>(), ["1", "2"]);
    assert_eq!(page.body, "no");
}

#[tokio::test]
async fn a_redirect_is_an_answer() {
    let server = Server::with("HTTP/1.1 301 Moved\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n").await;
    let page = get(&fetcher(), &server, "/").await.unwrap();
    assert_eq!((page.status, page.headers.get("location")), (301, Some("/there")));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn nothing_new_has_no_body() {
    let server =
        Server::with("HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nContent-Length: 900\r\n\r\n").await;
    let page = get(&fetcher(), &server, "/").await.unwrap();
    assert_eq!((page.status, page.body.len(), page.cut), (304, 0, None));
}

#[tokio::test]
async fn coded_bodies_are_kept_coded_and_given_decoded() {
    let body = zstd::stream::encode_all(&b"<p>small</p>"[..], 1).unwrap();
    let mut answer =
        format!("HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: {}\r\n\r\n", body.len())
            .into_bytes();
    answer.extend(&body);
    let server = Server::with(answer).await;
    let page = get(&fetcher(), &server, "/").await.unwrap();
    assert_eq!((&page.body[..], &page.content[..], page.cut), (&body[..], &b"<p>small</p>"[..], None));
}

#[tokio::test]
async fn chunks_are_put_together() {
    let server = Server::with(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nA: b\r\n\r\n",
    )
    .await;
    let page = get(&fetcher(), &server, "/").await.unwrap();
    assert_eq!((&page.body[..], page.cut), (&b"abcde"[..], None));
}

#[tokio::test]
async fn a_long_body_is_cut_at_the_limit_and_marked() {
    let server = Server::with(ok(&"x".repeat(1000))).await;
    for (limit, length, cut) in [(999, 999, Some(Cut::Length)), (1000, 1000, None), (0, 0, Some(Cut::Length))]
    {
        let mut asked = request(&server, "/");
        asked.body_limit = limit;
        let answer = fetcher().fetch(asked).await.unwrap();
        assert_eq!((answer.fetched().body.len(), answer.fetched().cut), (length, cut), "limit {limit}");
    }
}

#[tokio::test]
async fn a_bomb_is_cut_and_marked() {
    let body = zstd::stream::encode_all(&vec![0; 64 << 20][..], 1).unwrap();
    let mut answer =
        format!("HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: {}\r\n\r\n", body.len())
            .into_bytes();
    answer.extend(&body);
    let server = Server::with(answer).await;
    let page = get(&fetcher(), &server, "/").await.unwrap();
    assert_eq!((page.body.len(), page.cut), (body.len(), Some(Cut::Length)));
    assert!(page.content.len() <= 4 << 20, "{} bytes came out", page.content.len());
}

#[tokio::test]
async fn too_many_codings_are_an_error_of_the_body() {
    let server = Server::with("HTTP/1.1 200 OK\r\nContent-Encoding: gzip, br\r\nContent-Encoding: gzip, br\r\nContent-Length: 1\r\n\r\nx").await;
    let error = get(&fetcher(), &server, "/").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Body);
}

#[tokio::test]
async fn an_unwanted_body_is_not_read() {
    // The body never comes: a fetch that waits for it does not end.
    let server = Server::start(|_, _| {
        Act::SendAndHang(
            b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 4000000000\r\n\r\n".to_vec(),
        )
    })
    .await;
    for (wanted, expected) in [
        (Wanted { types: vec!["text/*".into()], longest: None }, Unwanted::Type("video/mp4".into())),
        (Wanted { types: vec![], longest: Some(1 << 20) }, Unwanted::Length(4_000_000_000)),
    ] {
        let mut asked = request(&server, "/");
        asked.wanted = wanted;
        let answer =
            tokio::time::timeout(Duration::from_secs(10), fetcher().fetch(asked)).await.unwrap().unwrap();
        let Answer::Unwanted { fetched, what } = answer else { panic!("{answer:?}") };
        assert_eq!((fetched.status, fetched.body.len(), what), (200, 0, expected));
        assert!(fetched.head.ends_with(b"4000000000\r\n\r\n"));
    }
}

#[tokio::test]
async fn cookies_come_back_on_the_next_request() {
    let server = Server::with("HTTP/1.1 200 OK\r\nSet-Cookie: sid=1; Path=/\r\nSet-Cookie: far=1; Domain=other.test\r\nContent-Length: 0\r\n\r\n").await;
    let jar = Arc::new(CookieJar::default());
    let fetcher = fetcher_with(|settings| settings.cookies = Some(jar));
    for path in ["/a", "/b"] {
        get(&fetcher, &server, path).await.unwrap();
    }
    let seen = server.seen();
    assert!(!seen[0].head.contains("Cookie:"), "{}", seen[0].head);
    assert!(seen[1].head.contains("\r\nCookie: sid=1\r\n"), "{}", seen[1].head);
}

#[tokio::test]
async fn headers_cannot_be_injected_through_a_request() {
    let server = Server::with(ok("")).await;
    let mut asked = request(&server, "/");
    asked.headers = vec![("X-A".into(), "1\r\nX-B: 2".into())];
    assert_eq!(fetcher().fetch(asked).await.unwrap_err().kind(), ErrorKind::Malformed);
    let mut asked = request(&server, "/");
    asked.validators.etag = Some("\"a\"\r\nX-B: 2".into());
    fetcher().fetch(asked).await.unwrap();
    assert_eq!(server.seen().len(), 1);
    assert!(!server.seen()[0].head.contains("X-B"), "{}", server.seen()[0].head);
}
