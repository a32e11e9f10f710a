//! Connections, log, addresses.

use std::net::SocketAddr;
use std::sync::Arc;

use webs::demo::Demo;
use webs::log::LogEntry;
use webs::program::{self, Options};
use webs::serve::ServeOptions;
use webs::{Server, WebsError};

use crate::client::{Connection, get};

pub(crate) async fn demo() -> Server {
    let addr = SocketAddr::from(([127, 0, 0, 1], 0));
    Server::start(Arc::new(Demo::new(1, 0)), addr).await.expect("starts")
}

#[tokio::test]
async fn the_log_tells_order_host_connection_and_status() {
    let server = demo().await;
    let mut first = Connection::open(server.addr()).await;
    first.get("demo.test", "/", &[]).await;
    first.get("other.test:81", "/nowhere?x=1", &[]).await;
    let mut second = Connection::open(server.addr()).await;
    second.get("demo.test", "/about", &[]).await;
    let entries = server.log().entries();
    let told: Vec<_> = entries
        .iter()
        .map(|e| (e.sequence, e.connection, e.host.as_str(), e.target.as_str(), e.status, e.agent.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (1, 1, "demo.test", "/", 200, "test"),
            (2, 1, "other.test:81", "/nowhere?x=1", 404, "test"),
            (3, 2, "demo.test", "/about", 200, "test"),
        ]
    );
    assert!(entries.windows(2).all(|pair| pair[0].us <= pair[1].us));

    let served = get(server.addr(), "/_control/log?from=2", &[]).await.text();
    let lines: Vec<LogEntry> = served.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[..2], entries[1..]);
    server.stop().await;
}

#[tokio::test]
async fn many_requests_at_once_get_numbers_and_times_in_one_order() {
    let server = demo().await;
    let addr = server.addr();
    let clients = (0..20).map(|_| {
        tokio::spawn(async move {
            let mut connection = Connection::open(addr).await;
            for _ in 0..10 {
                assert_eq!(connection.get("demo.test", "/team", &[]).await.status, 200);
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.expect("no panic");
    }
    let entries = server.log().entries();
    assert_eq!(entries.len(), 200);
    assert!(entries.iter().enumerate().all(|(place, entry)| entry.sequence == place as u64 + 1));
    assert!(entries.windows(2).all(|pair| pair[0].us <= pair[1].us));
}

#[tokio::test]
async fn a_taken_port_and_a_public_address_are_refused_with_words() {
    let server = demo().await;
    let again = Options { addr: server.addr(), ..Options::default() };
    let error = program::start(&again).await.err().expect("the port is taken");
    assert!(matches!(error, WebsError::PortInUse { .. }));
    let port = server.addr().port();
    assert_eq!(error.to_string(), format!("port {port} of 127.0.0.1 is in use by another program"));

    let public = Options { addr: SocketAddr::from(([0, 0, 0, 0], 0)), ..Options::default() };
    assert!(matches!(program::start(&public).await.err(), Some(WebsError::NotLoopback { .. })));
}

#[tokio::test]
async fn several_addresses_share_one_port() {
    let server = Server::start_with(Arc::new(Demo::new(1, 0)), &ServeOptions::on_loopbacks(3, 0))
        .await
        .expect("starts");
    for &addr in server.addresses() {
        assert_eq!(get(addr, "/about", &[]).await.status, 200);
    }
    let asked: Vec<_> = server.log().entries().into_iter().map(|entry| entry.address).collect();
    assert_eq!(asked, ["127.0.0.1", "127.0.0.2", "127.0.0.3"]);
}

#[tokio::test]
async fn the_program_prints_its_address_and_writes_its_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("requests.jsonl");
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel::<String>();
    struct Lines(tokio::sync::mpsc::UnboundedSender<String>);
    impl std::io::Write for Lines {
        fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
            let _ = self.0.send(String::from_utf8_lossy(text).into_owned());
            Ok(text.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let options = Options { log: Some(log.clone()), ..Options::default() };
    let running = tokio::spawn(async move {
        let stop = async {
            let _ = stopped.await;
        };
        program::run(options, &mut Lines(tell), stop).await
    });
    let line = told.recv().await.expect("an address line");
    let address = line.strip_prefix("serving demo at http://").and_then(|rest| rest.split('/').next());
    let addr: SocketAddr = address.and_then(|address| address.parse().ok()).expect("an address");
    assert_eq!(get(addr, "/contact", &[]).await.status, 200);
    stop.send(()).expect("still running");
    running.await.expect("no panic").expect("a clean end");
    let text = std::fs::read_to_string(&log).expect("a log");
    let entry: LogEntry = serde_json::from_str(text.trim_end()).expect("one line");
    assert_eq!((entry.target.as_str(), entry.status), ("/contact", 200));
}
