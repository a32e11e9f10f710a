//! A DNS server on loopback that says what the test wants, and counts.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::net::UdpSocket;

/// What the server says to a question.
#[derive(Clone, Debug)]
pub(crate) enum Say {
    /// These addresses, valid for so many seconds; none of the asked kind is an empty answer.
    Addresses(Vec<IpAddr>, u32),
    /// There is no such name.
    NoSuchName,
    /// I am broken.
    Broken,
    /// Nothing.
    Silence,
}

/// A running server.
pub(crate) struct Dns {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

const A: u16 = 1;
const AAAA: u16 = 28;

impl Dns {
    /// Starts a server; `script` gets the name and how often it was asked for before, whatever the kind.
    pub(crate) async fn start(script: impl Fn(&str, usize) -> Say + Send + Sync + 'static) -> Dns {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = socket.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = asked.clone();
        tokio::spawn(async move {
            let mut packet = [0; 1500];
            loop {
                let Ok((length, client)) = socket.recv_from(&mut packet).await else { continue };
                let (name, kind, question_end) = question(&packet[..length]);
                let before = {
                    let mut log: std::sync::MutexGuard<'_, Vec<String>> = log.lock().unwrap();
                    let before = log.iter().filter(|asked| **asked == name).count();
                    log.push(name.clone());
                    before
                };
                if let Some(answer) = answer(&packet[..question_end], kind, script(&name, before)) {
                    socket.send_to(&answer, client).await.unwrap();
                }
            }
        });
        Dns { address, asked }
    }

    /// How often it was asked anything.
    pub(crate) fn questions(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

fn question(packet: &[u8]) -> (String, u16, usize) {
    let mut labels = Vec::new();
    let mut at = 12;
    while packet[at] != 0 {
        let end = at + 1 + usize::from(packet[at]);
        labels.push(String::from_utf8(packet[at + 1..end].to_ascii_lowercase()).unwrap());
        at = end;
    }
    (labels.join("."), u16::from_be_bytes([packet[at + 1], packet[at + 2]]), at + 5)
}

fn answer(question: &[u8], kind: u16, say: Say) -> Option<Vec<u8>> {
    let (code, records, ttl) = match say {
        Say::Addresses(addresses, ttl) => (0, addresses, ttl),
        Say::NoSuchName => (3, Vec::new(), 0),
        Say::Broken => (2, Vec::new(), 0),
        Say::Silence => return None,
    };
    let records: Vec<IpAddr> =
        records.into_iter().filter(|ip| kind == if ip.is_ipv4() { A } else { AAAA }).collect();
    let mut packet = question.to_vec();
    // A response, recursion desired and available; one question, so many answers, nothing more.
    packet[2..12].copy_from_slice(&[0x81, 0x80 | code, 0, 1, 0, records.len() as u8, 0, 0, 0, 0]);
    for record in records {
        let bytes = match record {
            IpAddr::V4(ip) => ip.octets().to_vec(),
            IpAddr::V6(ip) => ip.octets().to_vec(),
        };
        // The name stands at offset 12.
        packet.extend([0xc0, 12, 0, kind as u8, 0, 1]);
        packet.extend(ttl.to_be_bytes());
        packet.extend([0, bytes.len() as u8]);
        packet.extend(bytes);
    }
    Some(packet)
}
