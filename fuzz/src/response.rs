//! HTTP answers: the input is what a server sends over a connection before it hangs up.
//!
//! A real server on loopback sends it twice, in one piece and in many, to the real fetcher.

use std::cell::OnceCell;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use archive::{Purpose, RecordWriter, Visit, WarcReader};
use bytes::Bytes;
use fetch::{Agent, Answer, FetchError, Fetcher, HttpFetcher, HttpSettings, Limits, Request};
use model::{CrawlId, ErrorKind, Fetched, PageUrl, Timestamp};
use net::{AddressGuard, Connector, ProcessClock, TlsSettings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

const BODY_LIMIT: u64 = 4_096;
const NOW: Timestamp = Timestamp(1_763_196_319_123);

pub(crate) fn check(input: &[u8]) {
    thread_local!(static BENCH: OnceCell<Bench> = const { OnceCell::new() });
    BENCH.with(|bench| bench.get_or_init(Bench::new).check(input));
}

/// A server that sends what it is told, and what is needed to ask it.
struct Bench {
    runtime: Runtime,
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
    connector: Connector,
}

#[derive(Clone, Default)]
struct Script {
    answer: Bytes,
    pieces: usize,
}

impl Bench {
    fn new() -> Bench {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).expect("a free port");
        let address = listener.local_addr().expect("a bound address");
        let script = Arc::new(Mutex::new(Script::default()));
        let told = script.clone();
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let script = told.lock().unwrap_or_else(PoisonError::into_inner).clone();
                tokio::spawn(serve(stream, script));
            }
        });
        let guard = AddressGuard { allow_private: true, allow: Vec::new() };
        let connector = Connector::new(Arc::new(guard), &TlsSettings::default()).expect("usual TLS settings");
        Bench { runtime, address, script, connector }
    }

    fn check(&self, input: &[u8]) {
        let agent = Agent::new("gannet/0 (+http://e.com/)", &[]).expect("a good name");
        let settings = HttpSettings { limits: limits(), ..HttpSettings::new(agent) };
        let fetcher = HttpFetcher::new(self.connector.clone(), Arc::new(ProcessClock::start()), settings);
        let at_once = self.ask(&fetcher, input, 1);
        let in_pieces = self.ask(&fetcher, input, 5);
        match (&at_once, &in_pieces) {
            (Ok(one), Ok(other)) => check_same(one.fetched(), other.fetched()),
            // A head that ends too early may be found wrong before; both are told.
            (Err(_), Err(_)) => {}
            (one, other) => panic!("at once {one:?}, in pieces {other:?}"),
        }
        for answer in [&at_once, &in_pieces] {
            match answer {
                Ok(answer) => check_answer(answer),
                Err(error) => check_error(error),
            }
        }
    }

    fn ask(&self, fetcher: &HttpFetcher, answer: &[u8], pieces: usize) -> Result<Answer, FetchError> {
        *self.script.lock().unwrap_or_else(PoisonError::into_inner) =
            Script { answer: Bytes::copy_from_slice(answer), pieces };
        let url = PageUrl::parse(&format!("http://{}/page", self.address)).expect("a URL");
        let mut request = Request::new(url, IpAddr::V4(Ipv4Addr::LOCALHOST), NOW);
        request.body_limit = BODY_LIMIT;
        self.runtime.block_on(fetcher.fetch(request))
    }
}

fn limits() -> Limits {
    Limits { total: Duration::from_secs(5), head_bytes: 8_192, head_lines: 50, ..Limits::default() }
}

/// Reads a request, sends the answer in pieces, hangs up.
async fn serve(mut stream: TcpStream, script: Script) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        match stream.read_buf(&mut request).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
    // Otherwise the kernel waits for more and makes one piece of them.
    let _ = stream.set_nodelay(true);
    for piece in script.answer.chunks((script.answer.len() / script.pieces).max(1)) {
        if stream.write_all(piece).await.is_err() {
            return;
        }
        tokio::task::yield_now().await;
    }
    let _ = stream.shutdown().await;
    // Closing with something unread would tell the other side to forget what it has not read yet.
    let _ = stream.read_to_end(&mut request).await;
}

/// The pieces in which an answer comes, and what a connection carried before, do not matter.
fn check_same(one: &Fetched, other: &Fetched) {
    assert_eq!((one.status, &one.head, &one.headers), (other.status, &other.head, &other.headers));
    assert_eq!((&one.body, &one.content, one.cut), (&other.body, &other.content, other.cut));
}

fn check_answer(answer: &Answer) {
    let fetched = answer.fetched();
    assert!((100..1000).contains(&fetched.status));
    assert!(fetched.body.len() as u64 <= BODY_LIMIT && fetched.content.len() as u64 <= BODY_LIMIT);
    assert!(!fetched.head.is_empty() && fetched.head.len() <= limits().head_bytes);
    assert!(fetched.headers.0.len() <= limits().head_bytes / 2);
    let _ = (fetched.content_type(), fetched.validators(), fetch::retry_after(&fetched.headers, NOW));
    let visit = Visit {
        crawl: CrawlId(1),
        fetched,
        purpose: Purpose::Page,
        via: None,
        depth: 0,
        outcome: None,
        page: None,
        kept: archive::Kept::Whole,
    };
    let records = RecordWriter::default().records(&visit);
    let mut reader = WarcReader::new(&records.bytes[..]);
    let head = reader.next_record().expect("our own records are readable").expect("a first record");
    assert_eq!(head.target(), Some(fetched.url.as_str()));
    let block = reader.read_block(1 << 20).expect("a whole block");
    assert!(block.ends_with(&fetched.body), "the body is archived as it came");
    let mut count = 1;
    while reader.next_record().expect("our own records are readable").is_some() {
        count += 1;
    }
    assert_eq!(count, records.members.len(), "what a server says does not become a record");
}

fn check_error(error: &FetchError) {
    let kinds = [ErrorKind::Broken, ErrorKind::Malformed, ErrorKind::Body];
    assert!(kinds.contains(&error.kind()), "{error}");
}
