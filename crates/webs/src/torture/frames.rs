//! HTTP/2 as no library would speak it: resets, farewells, floods and stalls.
//!
//! Each way has a host `h2-…` with the mischief at `/` and an ordinary `/plain.html`. A client that
//! speaks HTTP/1.1 only gets 426 for the mischief and the page as ever. Requests are read by a library;
//! once the mischief is asked for, the answer's frames are written by hand past it.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use h2::server::{Connection, SendResponse};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::Torture;
use super::book::{Book, HTML, Spot};
use super::raw::Act;
use super::tls::play;
use super::truth::{Ending, Why};
use crate::log::{Arrival, RequestLog};
use crate::serve::{Answer, Place, Request, Web as _, is_of, misdirected};

const BODY: &str = "<!doctype html><title>Odd</title><p>An odd page, to its end.</p>\n";
/// Frames of a flood.
const FLOOD: u64 = 200_000;

// Kinds of frames, and their flags.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PROMISE: u8 = 5;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW: u8 = 8;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// Label, what may be made of it.
fn hosts() -> Vec<(&'static str, Vec<Ending>)> {
    let fetched = Ending::Fetched;
    let [timeout, broken, malformed] = [Why::Timeout, Why::Broken, Why::Malformed].map(Ending::from);
    let bad = vec![broken.clone(), malformed.clone()];
    let stuck = vec![timeout.clone(), broken.clone(), malformed.clone()];
    let cut = vec![fetched.clone(), timeout.clone(), broken.clone(), malformed.clone()];
    vec![
        ("h2-reset", cut.clone()),
        ("h2-reset-at-once", bad.clone()),
        ("h2-refused", bad.clone()),
        ("h2-reset-flood", stuck.clone()),
        ("h2-goaway", stuck.clone()),
        ("h2-goaway-late", vec![fetched.clone()]),
        ("h2-goaway-cut", cut.clone()),
        ("h2-settings-flood", stuck.clone()),
        ("h2-ping-flood", stuck.clone()),
        ("h2-window-flood", stuck.clone()),
        ("h2-empty-flood", cut.clone()),
        ("h2-endless-head", stuck.clone()),
        ("h2-huge-header", bad.clone()),
        ("h2-header-bomb", bad.clone()),
        ("h2-endless", cut.clone()),
        ("h2-overrun", cut.clone()),
        ("h2-stall", vec![fetched.clone(), timeout.clone()]),
        ("h2-silent", vec![timeout.clone()]),
        ("h2-push", cut.clone()),
        ("h2-garbage", stuck),
        ("h2-length", cut.clone()),
        ("h2-no-status", bad.clone()),
        ("h2-upper-case", cut.clone()),
        ("h2-bad-settings", bad),
        ("h2-closed", vec![broken]),
    ]
}

pub(super) fn write(book: &mut Book) {
    book.chapter("frames");
    for (label, mut endings) in hosts() {
        book.host(label, Spot::Tls);
        book.lead(book.url(label, "/"));
        // For those who speak HTTP/1.1 only.
        endings.push(Why::Status(426).into());
        // A stream that the server says it has not looked at may be asked for once more.
        book.expect(label, "/", endings, 2 * book.tries());
        book.lead(book.url(label, "/plain.html"));
        let first = book.truth.urls.len();
        book.page(label, "/plain.html", Vec::new());
        book.allow_requests(first, book.tries());
    }
}

/// The answer of these hosts in HTTP/1.1.
pub(super) fn answer(label: &str, request: &Request) -> Option<Answer> {
    let mischief = is_odd(label) && request.path == "/";
    mischief.then(|| Answer::new(426, HTML, "<p>In HTTP/2 only.</p>\n").with("upgrade", "h2"))
}

/// Whether HTTP/2 is misspoken at this host.
pub(super) fn is_odd(label: &str) -> bool {
    label.starts_with("h2-")
}

/// Answers on one connection until it ends.
pub(super) async fn converse(
    stream: TlsStream<TcpStream>,
    label: &str,
    place: &Place,
    web: &Torture,
    log: &RequestLog,
) {
    let wire = Wire(Arc::new(Mutex::new(stream)));
    let Ok(mut connection) = h2::server::handshake(wire.clone()).await else { return };
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        let text = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
        let host = request.uri().authority().map_or(text("host"), |authority| authority.as_str());
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let sequence = log.arrived(Arrival {
            host: host.to_owned(),
            address: place.address.to_string(),
            connection: place.number,
            tls: true,
            method: request.method().to_string(),
            target: target.to_owned(),
            agent: text("user-agent").to_owned(),
        });
        let mut asked = Request::get(&host.to_ascii_lowercase(), target);
        asked.since_start = log.since_start();
        let mine = place.secure.as_ref().is_some_and(|secure| is_of(&secure.name, host));
        if mine && asked.path == "/" {
            log.answered(sequence, 200);
            return misbehave(label, connection, respond, wire, web.book.options.endless_bytes).await;
        }
        let answer = if mine { web.answer(&asked) } else { misdirected() };
        log.answered(sequence, answer.status);
        if send(&mut respond, answer).is_none() {
            return;
        }
    }
}

/// A proper answer.
fn send(respond: &mut SendResponse<Bytes>, answer: Answer) -> Option<()> {
    let mut response = http::Response::builder().status(answer.status);
    for (name, value) in &answer.headers {
        response = response.header(name.as_str(), value.as_bytes());
    }
    let mut stream = respond.send_response(response.body(()).ok()?, false).ok()?;
    stream.send_data(answer.body, true).ok()
}

async fn misbehave(
    label: &str,
    connection: Connection<Wire, Bytes>,
    respond: SendResponse<Bytes>,
    mut wire: Wire,
    most: u64,
) {
    if label == "h2-endless" {
        return feed(connection, respond, most).await;
    }
    let mut listening = wire.clone();
    let acts = acts(label, u32::from(respond.stream_id()), most);
    let speak = async {
        for act in acts {
            if !play(&mut wire, act).await {
                return;
            }
        }
    };
    let hang_up = async {
        // What the client says is not answered, but taken, so that it never waits for us to listen.
        let mut heard = [0; 4096];
        while matches!(listening.read(&mut heard).await, Ok(1..)) {}
    };
    tokio::select! {
        () = speak => {}
        () = hang_up => {}
    }
    drop(connection);
}

/// A body without end, within the client's windows.
async fn feed(mut connection: Connection<Wire, Bytes>, mut respond: SendResponse<Bytes>, most: u64) {
    let head = http::Response::builder().header("content-type", HTML).body(());
    let Ok(Ok(mut stream)) = head.map(|head| respond.send_response(head, false)) else { return };
    let feeding = async {
        let text = Bytes::from(BODY.repeat(100));
        let mut sent = 0;
        while sent < most {
            stream.reserve_capacity(text.len());
            let Some(Ok(room)) = poll_fn(|cx| stream.poll_capacity(cx)).await else { return };
            let piece = text.slice(..room.min(text.len()));
            sent += piece.len() as u64;
            if stream.send_data(piece, false).is_err() {
                return;
            }
        }
    };
    let listening = async { while let Some(Ok(_)) = connection.accept().await {} };
    tokio::select! {
        () = feeding => {}
        () = listening => {}
    }
}

/// What is said on the stream of the request.
fn acts(label: &str, stream: u32, most: u64) -> Vec<Act> {
    let begin = || frame(HEADERS, END_HEADERS, stream, &head(&[]));
    let data = |flags: u8| frame(DATA, flags, stream, BODY.as_bytes());
    let page = || [begin(), data(END_STREAM)].concat();
    let reset = |code: u32| frame(RESET, 0, stream, &code.to_be_bytes());
    let farewell = |last: u32, code: u32| {
        let words = [last.to_be_bytes(), code.to_be_bytes()].concat();
        frame(GOAWAY, 0, 0, &words)
    };
    let say = |frames: Vec<Vec<u8>>| Act::Send(frames.concat().into());
    let repeat = |piece: Vec<u8>, times: u64| {
        // Many frames a write: one write each would be slower than any flood.
        let many = piece.repeat(100);
        let bytes = (times * piece.len() as u64).min(most);
        Act::Repeat { piece: many.into(), pause: Duration::ZERO, bytes }
    };
    match label {
        "h2-reset" => vec![say(vec![begin(), data(0), reset(2)]), Act::Silence],
        "h2-reset-at-once" => vec![say(vec![reset(2)]), Act::Silence],
        "h2-refused" => vec![say(vec![reset(7)]), Act::Silence],
        "h2-reset-flood" => vec![repeat(reset(8), FLOOD), Act::Silence],
        "h2-goaway" => vec![say(vec![farewell(0, 0)])],
        "h2-goaway-late" => vec![say(vec![begin(), farewell(stream, 0), data(END_STREAM)]), Act::Silence],
        "h2-goaway-cut" => vec![say(vec![begin(), data(0), farewell(stream, 2)])],
        "h2-settings-flood" => {
            vec![repeat(frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 100]), FLOOD), Act::Silence]
        }
        "h2-ping-flood" => vec![repeat(frame(PING, 0, 0, b"are you?"), FLOOD), Act::Silence],
        "h2-window-flood" => {
            // By one each time, so that no window overflows.
            vec![repeat(frame(WINDOW, 0, 0, &1u32.to_be_bytes()), FLOOD), Act::Silence]
        }
        "h2-empty-flood" => {
            vec![say(vec![begin()]), repeat(frame(DATA, 0, stream, &[]), FLOOD), Act::Silence]
        }
        "h2-endless-head" => {
            let more = field("x-more", &"and more ".repeat(100));
            let start = frame(HEADERS, 0, stream, &head(&[]));
            vec![say(vec![start]), repeat(frame(CONTINUATION, 0, stream, &more), u64::MAX >> 20)]
        }
        "h2-huge-header" => {
            let block = head(&[("x-huge", &"h".repeat(1 << 20))]);
            let mut pieces = block.chunks(16_000);
            let mut frames = vec![frame(HEADERS, 0, stream, pieces.next().unwrap_or_default())];
            frames.extend(pieces.map(|piece| frame(CONTINUATION, 0, stream, piece)));
            frames.push(frame(CONTINUATION, END_HEADERS, stream, &[]));
            vec![say(frames), say(vec![data(END_STREAM)]), Act::Silence]
        }
        "h2-header-bomb" => {
            // One entry in the client's table, named ten thousand times by one byte each.
            let entry = [&[0x40][..], &literal("x-bomb"), &literal(&"b".repeat(3_900))].concat();
            let block = [&head(&[])[..], &entry, &[0x80 | 62; 10_000]].concat();
            vec![say(vec![frame(HEADERS, END_HEADERS, stream, &block), data(END_STREAM)]), Act::Silence]
        }
        "h2-overrun" => {
            let piece = frame(DATA, 0, stream, &[b' '; 16_000]);
            vec![say(vec![begin()]), repeat(piece, u64::MAX >> 20)]
        }
        "h2-stall" => vec![say(vec![begin(), data(0)]), Act::Silence],
        "h2-push" => {
            let request = [
                // GET, https, an authority and a path of its own.
                &[0x82, 0x87][..],
                &[0x01],
                &literal("h2-push.torture.test"),
                &[0x04],
                &literal("/pushed.html"),
            ]
            .concat();
            let promise = [&2u32.to_be_bytes()[..], &request].concat();
            vec![say(vec![frame(PROMISE, END_HEADERS, stream, &promise), page()]), Act::Silence]
        }
        "h2-garbage" => vec![say(vec![b"HTTP/1.1 200 OK\r\n\r\nThis is no frame at all.".repeat(50)])],
        "h2-length" => {
            let begin = frame(HEADERS, END_HEADERS, stream, &head(&[("content-length", "5000")]));
            vec![say(vec![begin, data(END_STREAM)]), Act::Silence]
        }
        "h2-no-status" => {
            let block = field("content-type", HTML);
            vec![say(vec![frame(HEADERS, END_HEADERS, stream, &block), data(END_STREAM)]), Act::Silence]
        }
        "h2-upper-case" => {
            let block = head(&[("X-Upper", "yes"), ("connection", "close")]);
            vec![say(vec![frame(HEADERS, END_HEADERS, stream, &block), data(END_STREAM)]), Act::Silence]
        }
        "h2-bad-settings" => {
            // A window of 2³¹ octets is one too large.
            let words = [&[0, 4][..], &(1u32 << 31).to_be_bytes()].concat();
            vec![say(vec![frame(SETTINGS, 0, 0, &words)]), Act::Silence]
        }
        "h2-closed" => Vec::new(),
        _ => vec![Act::Silence],
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = &(payload.len() as u32).to_be_bytes()[1..];
    [length, &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A header block: status 200, a type, and more.
fn head(more: &[(&str, &str)]) -> Vec<u8> {
    let mut block = vec![0x88];
    block.extend(field("content-type", HTML));
    more.iter().for_each(|(name, value)| block.extend(field(name, value)));
    block
}

/// A field written out in full and kept in no table.
fn field(name: &str, value: &str) -> Vec<u8> {
    [&[0][..], &literal(name), &literal(value)].concat()
}

/// A text with its length: seven bits, and more where it needs them.
fn literal(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    if text.len() < 127 {
        bytes.push(text.len() as u8);
    } else {
        bytes.push(127);
        let mut rest = text.len() - 127;
        while rest >= 128 {
            bytes.push(rest as u8 | 128);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes.extend(text.bytes());
    bytes
}

/// A connection that the library reads and we write past it.
#[derive(Clone)]
struct Wire(Arc<Mutex<TlsStream<TcpStream>>>);

impl Wire {
    fn with<T>(&self, act: impl FnOnce(Pin<&mut TlsStream<TcpStream>>) -> T) -> T {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        act(Pin::new(&mut *stream))
    }
}

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_read(cx, into))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.with(|stream| stream.poll_write(cx, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_shutdown(cx))
    }
}
