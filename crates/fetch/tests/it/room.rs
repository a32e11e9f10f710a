//! Bodies share their room, and requests wait for their turn to be sent.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fetch::{Fetcher, Room, SendTurn};
use tokio::task::JoinSet;

use crate::server::{Act, Server, fetcher, fetcher_with, ok, request};

const MIB: u64 = 1 << 20;

/// Many long bodies at once, in less room than half of them need.
async fn all_come_whole(server: Server, length: usize, total: u64, guest: u64) {
    let fetcher = Arc::new(fetcher_with(|settings| settings.idle_per_host = 0));
    let room = Room::new(total, guest);
    let server = Arc::new(server);
    let mut tasks = JoinSet::new();
    for number in 0..24 {
        let (fetcher, room, server) = (fetcher.clone(), room.clone(), server.clone());
        tasks.spawn(async move {
            let mut asked = request(&server, &format!("/{number}"));
            let share = room.share();
            asked.room = Some(share.clone());
            let page = fetcher.fetch(asked).await.unwrap().fetched().clone();
            assert_eq!((page.content.len(), page.cut), (length, None));
            // As long as the page is kept, so is its room.
            assert!(room.used() >= page.content.len() as u64);
            drop((page, share));
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    assert!(room.most_used() <= total, "{} bytes at once", room.most_used());
    assert!(room.most_used() > total / 2, "the test must fill the room: {}", room.most_used());
    assert_eq!(room.used(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_long_bodies_come_whole_in_little_room() {
    let server = Server::with(ok(&"x".repeat(2_000_000))).await;
    tokio::time::timeout(Duration::from_secs(60), all_come_whole(server, 2_000_000, 8 * MIB, 2 * MIB))
        .await
        .expect("nobody waits for ever");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn decoded_bodies_count_too() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    // Not so regular that it would be a bomb.
    for number in 0..200_000u32 {
        writeln!(gzip, "{}", number.wrapping_mul(2_654_435_761)).unwrap();
    }
    let coded = gzip.finish().unwrap();
    let length = {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&coded[..]), &mut text).unwrap();
        text.len()
    };
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", coded.len());
    let server = Server::with([head.into_bytes(), coded].concat()).await;
    // Before it is decoded, a body takes as much as it could become.
    tokio::time::timeout(Duration::from_secs(60), all_come_whole(server, length, 16 * MIB, 6 * MIB))
        .await
        .expect("nobody waits for ever");
}

#[tokio::test]
async fn waiting_for_room_does_not_cut_a_body_for_its_time() {
    let server = Server::with(ok(&"x".repeat(1_500_000))).await;
    let fetcher = fetcher_with(|settings| {
        settings.limits.total = Duration::from_millis(600);
        settings.limits.rate_window = Duration::from_millis(300);
    });
    let room = Room::new(2 * MIB, MIB);
    let (first, guest) = (room.share(), room.share());
    let fill = async |share: &fetch::Share| {
        let mut asked = request(&server, "/");
        (asked.room, asked.body_limit) = (Some(share.clone()), MIB);
        fetcher.fetch(asked).await.unwrap();
    };
    fill(&first).await;
    fill(&guest).await;
    let late = room.share();
    let mut asked = request(&server, "/");
    asked.room = Some(late.clone());
    let free = async {
        // Longer than the whole request may take by its own fault.
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop((first, guest));
    };
    let (answer, ()) = tokio::join!(fetcher.fetch(asked), free);
    let page = answer.unwrap().fetched().clone();
    assert_eq!((page.body.len(), page.cut), (1_500_000, None));
}

#[tokio::test]
async fn a_turn_is_waited_for_when_the_connection_stands() {
    let server = Server::start(|_, _| Act::Send(ok("x"))).await;
    let (fetcher, gate) = (fetcher(), Arc::new(tokio::sync::Notify::new()));
    let waited = Arc::new(AtomicBool::new(false));
    let mut asked = request(&server, "/");
    let (turn, flag) = (gate.clone(), waited.clone());
    asked.turn = Some(SendTurn::new(move || {
        let (turn, flag) = (turn.clone(), flag.clone());
        async move {
            flag.store(true, Ordering::SeqCst);
            turn.notified().await;
        }
    }));
    let open = async {
        // The connection is there, and nothing has been said on it.
        server.has_connections(1).await;
        while !waited.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
        assert!(server.seen().is_empty());
        gate.notify_one();
    };
    let (answer, ()) = tokio::join!(fetcher.fetch(asked), open);
    assert_eq!(answer.unwrap().fetched().body, "x");
}
