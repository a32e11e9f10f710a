//! What the name server says.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::timeout;
use webs::torture::{TortureOptions, TortureServer};

use super::{quick, start};

const A: u16 = 1;
const AAAA: u16 = 28;

/// What the server said: the code, the number of aliases, and addresses with lifetimes.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    code: u8,
    aliases: usize,
    addresses: Vec<(IpAddr, u32)>,
}

/// Asks the name server; `None` when nothing comes, or nothing that is an answer.
async fn ask(server: &TortureServer, name: &str, kind: u16) -> Option<Said> {
    let socket = UdpSocket::bind(("127.0.0.1", 0)).await.expect("a socket");
    let labels: Vec<u8> =
        name.split('.').flat_map(|label| [&[label.len() as u8], label.as_bytes()].concat()).collect();
    let question =
        [&[4, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0][..], &labels, &[0], &kind.to_be_bytes(), &[0, 1]].concat();
    socket.send_to(&question, server.dns_addr()).await.expect("sent");
    let mut packet = [0; 4096];
    let read = timeout(Duration::from_millis(400), socket.recv_from(&mut packet)).await.ok()?;
    let (length, from): (usize, SocketAddr) = read.expect("received");
    assert_eq!(from, server.dns_addr());
    read_answer(&packet[..length], question.len())
}

fn read_answer(packet: &[u8], question: usize) -> Option<Said> {
    assert_eq!(packet[..2], [4, 2]);
    let mut at = question;
    let mut said = Said { code: packet[3] & 15, aliases: 0, addresses: Vec::new() };
    for _ in 0..u16::from_be_bytes([packet[6], packet[7]]) {
        // The owner: a pointer, or labels.
        while *packet.get(at)? != 0 && packet[at] < 0xc0 {
            at += 1 + usize::from(packet[at]);
        }
        at += if packet[at] == 0 { 1 } else { 2 };
        let fields = packet.get(at..at + 10)?;
        let ttl = u32::from_be_bytes([fields[4], fields[5], fields[6], fields[7]]);
        let data = packet.get(at + 10..at + 10 + usize::from(fields[9]))?;
        at += 10 + data.len();
        match fields[1] {
            1 => said.addresses.push((IpAddr::from(<[u8; 4]>::try_from(data).ok()?), ttl)),
            28 => said.addresses.push((IpAddr::from(<[u8; 16]>::try_from(data).ok()?), ttl)),
            5 => said.aliases += 1,
            kind => panic!("record of kind {kind}"),
        }
    }
    assert_eq!(at, packet.len(), "no bytes are left");
    Some(said)
}

/// The first address of a host, as the name server has it.
pub(super) async fn address(server: &TortureServer, host: &str) -> IpAddr {
    let name = host.split(':').next().expect("a name");
    let said = ask(server, name, A).await.expect("an answer");
    said.addresses.first().unwrap_or_else(|| panic!("{name} has an address")).0
}

#[tokio::test]
async fn names_are_answered_as_described() {
    let server = start(21, quick()).await;
    let check = async |label: &str, kind: u16, code: u8, aliases: usize, addresses: &[(&str, u32)]| {
        let said = ask(&server, &format!("{label}.torture.test"), kind).await;
        let addresses = addresses.iter().map(|(ip, ttl)| (ip.parse().expect("an address"), *ttl)).collect();
        assert_eq!(said, Some(Said { code, aliases, addresses }), "{label}");
    };
    check("alpha", A, 0, 0, &[("127.0.0.1", 300)]).await;
    check("ALPHA", A, 0, 0, &[("127.0.0.1", 300)]).await;
    check("alpha", AAAA, 0, 0, &[]).await;
    check("beta", A, 0, 0, &[("127.0.0.1", 300)]).await;
    check("no-such-name", A, 3, 0, &[]).await;
    check("never-heard-of", A, 3, 0, &[]).await;
    check("broken-name", A, 2, 0, &[]).await;
    check("refused-name", A, 5, 0, &[]).await;
    check("empty-name", A, 0, 0, &[]).await;
    check("slow-name", A, 0, 0, &[("127.0.0.2", 60)]).await;
    check("ttl-0", A, 0, 0, &[("127.0.0.2", 0)]).await;
    check("ttl-absurd", A, 0, 0, &[("127.0.0.2", u32::MAX)]).await;
    check("alias-3", A, 0, 3, &[("127.0.0.2", 60)]).await;
    check("alias-30", A, 0, 30, &[("127.0.0.2", 60)]).await;
    check("alias-loop", A, 0, 2, &[]).await;
    check("many-addresses", A, 0, 0, &[("127.0.0.2", 60); 20]).await;
    check("many-7", A, 0, 0, &[("127.0.0.2", 300)]).await;
    check("inside", A, 0, 0, &[("127.66.0.1", 60)]).await;
    check("inside-alias", A, 0, 1, &[("127.66.0.1", 60)]).await;
    check("inside-mapped", AAAA, 0, 0, &[("::ffff:127.66.0.1", 60)]).await;
    check("inside-nat64", AAAA, 0, 0, &[("64:ff9b::7f42:1", 60)]).await;
    check("inside-6to4", AAAA, 0, 0, &[("2002:7f42:1::1", 60)]).await;
    check("inside-private", A, 0, 0, &[("10.0.0.1", 60)]).await;
    check("inside-metadata", A, 0, 0, &[("169.254.169.254", 60)]).await;
    check("inside-zero", A, 0, 0, &[("0.0.0.0", 60)]).await;
    check("inside-mixed", A, 0, 0, &[("127.66.0.1", 60), ("127.0.0.2", 60)]).await;
    check("refused", A, 0, 0, &[("127.0.0.8", 300)]).await;
    assert_eq!(ask(&server, "silent-name.torture.test", A).await, None);
    assert_eq!(ask(&server, "garbage-name.torture.test", A).await, None);
    let asked = server.questions();
    assert_eq!((asked[1].name.as_str(), asked[1].kind), ("alpha.torture.test", A));
    assert!(asked.iter().any(|question| question.name == "silent-name.torture.test"));
}

#[tokio::test]
async fn a_name_changes_its_address_with_the_time_alone() {
    for (rebinds_after, expected) in [(Duration::from_secs(600), "127.0.0.2"), (Duration::ZERO, "127.66.0.1")]
    {
        let server = start(22, TortureOptions { rebinds_after, ..quick() }).await;
        for _ in 0..5 {
            let said = ask(&server, "rebinding.torture.test", A).await.expect("an answer");
            assert_eq!(said.addresses, [(expected.parse().expect("an address"), 0)]);
        }
    }
}

#[tokio::test]
async fn the_hosts_file_has_the_plain_names_only() {
    let server = start(23, quick()).await;
    let text = server.hosts_file();
    assert!(
        text.contains("127.0.0.1 alpha.torture.test\n") && text.contains("127.0.0.7 drip.torture.test\n")
    );
    assert!(!text.contains("inside") && !text.contains("rebinding") && !text.contains("127.66"));
}
