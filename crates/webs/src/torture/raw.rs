//! A TCP listener that says exactly the bytes it is told to, when it is told to, and hangs up as
//! rudely as it is told to: what an HTTP library refuses to do.
//!
//! What is said is [`super::wire`]'s affair. Every connection ends within the web's patience, and
//! only so many are open at once; the others wait unaccepted.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::log::{Arrival, RequestLog};
use crate::serve::Request;

/// One thing that is done to a connection.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// Sends bytes.
    Send(Bytes),
    /// Sends bytes again and again, with pauses, until so many have been sent.
    Repeat { piece: Bytes, pause: Duration, bytes: u64 },
    /// Says nothing until the client or the listener has had enough.
    Silence,
    /// Hangs up without a word, by a reset instead of an end.
    Reset,
}

/// How one request is answered.
#[derive(Clone, Debug)]
pub(super) struct Script {
    /// For the log; 0 when there is none.
    pub(super) status: u16,
    pub(super) acts: Vec<Act>,
    /// Whether the connection is good for another request.
    pub(super) keep: bool,
}

/// What the listener needs.
pub(super) struct Raw {
    /// What comes here came over TLS.
    pub(super) tls: bool,
    pub(super) log: Arc<RequestLog>,
    pub(super) numbers: Arc<AtomicU64>,
    pub(super) connections: usize,
    pub(super) patience: Duration,
    pub(super) script: Box<dyn Fn(&Request) -> Script + Send + Sync>,
}

const MOST_HEAD: usize = 64 * 1024;

impl Raw {
    /// Serves until the task is aborted; then every connection closes.
    pub(super) async fn serve(self, listener: TcpListener, address: IpAddr) {
        let raw = Arc::new(self);
        let (connections, patience, numbers) = (raw.connections, raw.patience, Arc::clone(&raw.numbers));
        attend(listener, connections, patience, &numbers, |stream, number| {
            let raw = Arc::clone(&raw);
            async move { raw.converse(stream, address, number).await }
        })
        .await;
    }

    pub(super) async fn converse(&self, mut stream: TcpStream, address: IpAddr, number: u64) {
        let _ = stream.set_nodelay(true);
        let mut read = Vec::new();
        while let Some(head) = read_head(&mut stream, &mut read).await {
            let script = self.answer(&head, address, number);
            for act in script.acts {
                if !play(&mut stream, act).await {
                    return;
                }
            }
            if !script.keep {
                return;
            }
        }
    }

    /// Notes a request and says how it is answered.
    pub(super) fn answer(&self, head: &str, address: IpAddr, connection: u64) -> Script {
        let mut lines = head.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let method = words.next().unwrap_or_default().to_owned();
        let target = words.next().unwrap_or("/").to_owned();
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut request = Request::get("", &target);
        request.since_start = self.log.since_start();
        request.headers = headers;
        request.method = method;
        request.host = request.header("host").unwrap_or_default().to_ascii_lowercase();
        let sequence = self.log.arrived(Arrival {
            host: request.header("host").unwrap_or_default().to_owned(),
            address: address.to_string(),
            connection,
            tls: self.tls,
            method: request.method.clone(),
            target,
            agent: request.header("user-agent").unwrap_or_default().to_owned(),
        });
        let script = (self.script)(&request);
        self.log.answered(sequence, script.status);
        script
    }
}

/// Accepts so many connections at once, numbers them, and holds none for longer than its patience.
pub(super) async fn attend<F>(
    listener: TcpListener,
    connections: usize,
    patience: Duration,
    numbers: &AtomicU64,
    converse: impl Fn(TcpStream, u64) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let slots = Arc::new(Semaphore::new(connections.max(1)));
    let mut talking = JoinSet::new();
    loop {
        let slot = tokio::select! {
            biased;
            Some(_) = talking.join_next() => continue,
            slot = Arc::clone(&slots).acquire_owned() => slot,
        };
        let Ok(slot) = slot else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors: give the open connections time to end.
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        let conversation = converse(stream, numbers.fetch_add(1, Ordering::Relaxed) + 1);
        talking.spawn(async move {
            // Whatever the script says, nobody holds a connection for longer.
            let _ = timeout(patience, conversation).await;
            drop(slot);
        });
    }
}

/// The next request head, without its end; `None` when the client has gone or talks too much.
pub(super) async fn read_head(stream: &mut (impl AsyncRead + Unpin), read: &mut Vec<u8>) -> Option<String> {
    loop {
        if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&read[..end]).into_owned();
            read.drain(..end + 4);
            return Some(head);
        }
        if read.len() > MOST_HEAD || stream.read_buf(read).await.ok()? == 0 {
            return None;
        }
    }
}

/// Does one thing; false when the connection is over.
async fn play(stream: &mut TcpStream, act: Act) -> bool {
    match act {
        Act::Send(bytes) => stream.write_all(&bytes).await.is_ok(),
        Act::Repeat { piece, pause, bytes } => {
            let mut sent = 0;
            while sent < bytes && !piece.is_empty() {
                if stream.write_all(&piece).await.is_err() {
                    return false;
                }
                sent += piece.len() as u64;
                if !pause.is_zero() && gone_within(stream, pause).await {
                    return false;
                }
            }
            true
        }
        Act::Silence => {
            while !gone_within(stream, Duration::from_secs(1)).await {}
            false
        }
        Act::Reset => {
            let _ = stream.set_zero_linger();
            false
        }
    }
}

/// Waits, and says whether the client hung up meanwhile.
async fn gone_within(stream: &TcpStream, pause: Duration) -> bool {
    let mut byte = [0];
    match timeout(pause, stream.peek(&mut byte)).await {
        Ok(Ok(0) | Err(_)) => true,
        // It asks for more: let it wait.
        Ok(Ok(_)) => {
            sleep(pause).await;
            false
        }
        Err(_) => false,
    }
}
