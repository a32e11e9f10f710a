//! A small name server on loopback (UDP), for crawlers that can be pointed at one.
//!
//! It answers A and AAAA questions from a fixed table; what changes, changes by the time since the
//! server's start. Questions are foreign bytes: anything but one plain question is dropped.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::log::RequestLog;

/// What the server says of a name.
#[derive(Clone, Debug)]
pub(super) enum Say {
    /// These addresses; an empty answer for the other kind.
    Addresses { addresses: Vec<IpAddr>, ttl: u32 },
    /// One address, and after some time another.
    Rebinding { first: IpAddr, then: IpAddr, after: Duration },
    /// The name is another one, and so on; at the end an address, or a circle.
    Aliases { chain: Vec<String>, end: Option<IpAddr> },
    /// The address, late.
    Slow { address: IpAddr, by: Duration },
    /// There is no such name.
    NoSuchName,
    /// The server is broken.
    Broken,
    /// The server does not want to.
    Refused,
    /// Nothing.
    Silence,
    /// Bytes that are no answer.
    Garbage,
}

/// One question, as the name server saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Milliseconds since the server's start.
    pub ms: u64,
    /// The name in lower case.
    pub name: String,
    /// 1 for A, 28 for AAAA.
    pub kind: u16,
}

const A: u16 = 1;
const CNAME: u16 = 5;
const AAAA: u16 = 28;
const KEPT_QUESTIONS: usize = 100_000;
/// Late answers that wait at once.
const MOST_WAITING: usize = 256;
const HEAD: usize = 12;

/// The name server of one torture web.
pub(super) struct NameServer {
    pub(super) names: HashMap<String, Say>,
    pub(super) log: Arc<RequestLog>,
    pub(super) questions: Arc<Questions>,
}

/// The last questions.
#[derive(Default)]
pub(super) struct Questions(Mutex<VecDeque<Question>>);

impl Questions {
    pub(super) fn all(&self) -> Vec<Question> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn note(&self, question: Question) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_QUESTIONS {
            kept.pop_front();
        }
        kept.push_back(question);
    }
}

impl NameServer {
    /// Answers until the task is aborted.
    pub(super) async fn serve(self, socket: UdpSocket) {
        let socket = Arc::new(socket);
        let slots = Arc::new(Semaphore::new(MOST_WAITING));
        let mut late = JoinSet::new();
        let mut packet = [0; 512];
        loop {
            let received = tokio::select! {
                received = socket.recv_from(&mut packet) => received,
                Some(_) = late.join_next() => continue,
            };
            // An error here is a client's closed port, told to us by the system.
            let Ok((length, client)) = received else { continue };
            let Some(asked) = Asked::read(&packet[..length]) else { continue };
            let since_start = self.log.since_start();
            let ms = since_start.as_millis() as u64;
            self.questions.note(Question { ms, name: asked.name.clone(), kind: asked.kind });
            let say = self.names.get(&asked.name).unwrap_or(&Say::NoSuchName);
            let Some((answer, delay)) = asked.answer(say, since_start) else { continue };
            if delay.is_zero() {
                let _ = socket.send_to(&answer, client).await;
            } else if let Ok(slot) = Arc::clone(&slots).try_acquire_owned() {
                let socket = Arc::clone(&socket);
                late.spawn(async move {
                    tokio::time::sleep(delay).await;
                    let _ = socket.send_to(&answer, client).await;
                    drop(slot);
                });
            }
        }
    }
}

struct Asked {
    name: String,
    kind: u16,
    /// Head and question as they came.
    bytes: Vec<u8>,
}

impl Asked {
    fn read(packet: &[u8]) -> Option<Self> {
        // A query of one question; what follows it (EDNS) does not matter.
        if packet.get(2)? & 0xf8 != 0 || packet.get(4..6)? != [0, 1] {
            return None;
        }
        let mut labels = Vec::new();
        let mut at = HEAD;
        loop {
            let length = usize::from(*packet.get(at)?);
            if length == 0 {
                break;
            }
            if length > 63 {
                return None;
            }
            labels.push(String::from_utf8_lossy(packet.get(at + 1..at + 1 + length)?).to_ascii_lowercase());
            at += 1 + length;
        }
        let kind = u16::from_be_bytes([*packet.get(at + 1)?, *packet.get(at + 2)?]);
        let bytes = packet.get(..at + 5)?.to_vec();
        Some(Self { name: labels.join("."), kind, bytes })
    }

    fn answer(&self, say: &Say, since_start: Duration) -> Option<(Vec<u8>, Duration)> {
        let at_once = |bytes| Some((bytes, Duration::ZERO));
        match say {
            Say::Addresses { addresses, ttl } => at_once(self.addresses(addresses, *ttl)),
            Say::Rebinding { first, then, after } => {
                let address = if since_start < *after { first } else { then };
                at_once(self.addresses(&[*address], 0))
            }
            Say::Aliases { chain, end } => at_once(self.aliases(chain, *end)),
            Say::Slow { address, by } => Some((self.addresses(&[*address], 60), *by)),
            Say::NoSuchName => at_once(self.packet(3, 0, &[])),
            Say::Broken => at_once(self.packet(2, 0, &[])),
            Say::Refused => at_once(self.packet(5, 0, &[])),
            Say::Silence => None,
            // The right number, then a head that promises what never comes.
            Say::Garbage => at_once(
                [&self.bytes[..2], &[0x81, 0x80, 0, 1, 255, 255, 9, 9, 9, 9, 0xc0, 12, 0xc0]].concat(),
            ),
        }
    }

    fn addresses(&self, addresses: &[IpAddr], ttl: u32) -> Vec<u8> {
        let wanted: Vec<IpAddr> = addresses.iter().copied().filter(|ip| kind(*ip) == self.kind).collect();
        let records: Vec<u8> = wanted.iter().flat_map(|ip| record(&[0xc0, HEAD as u8], *ip, ttl)).collect();
        self.packet(0, wanted.len() as u16, &records)
    }

    fn aliases(&self, chain: &[String], end: Option<IpAddr>) -> Vec<u8> {
        let mut records = Vec::new();
        let mut count = 0;
        let mut owner = encoded(&self.name);
        for name in chain {
            let target = encoded(name);
            records.extend(&owner);
            records.extend(fields(CNAME, 60, &target));
            owner = target;
            count += 1;
        }
        if let Some(ip) = end.filter(|ip| kind(*ip) == self.kind) {
            records.extend(record(&owner, ip, 60));
            count += 1;
        }
        self.packet(0, count, &records)
    }

    /// An answer: the question again, then the records.
    fn packet(&self, code: u8, records: u16, bytes: &[u8]) -> Vec<u8> {
        let mut packet = self.bytes.clone();
        let [high, low] = records.to_be_bytes();
        packet[2..HEAD].copy_from_slice(&[0x81, 0x80 | code, 0, 1, high, low, 0, 0, 0, 0]);
        packet.extend(bytes);
        packet
    }
}

fn kind(ip: IpAddr) -> u16 {
    if ip.is_ipv4() { A } else { AAAA }
}

fn record(owner: &[u8], ip: IpAddr, ttl: u32) -> Vec<u8> {
    let data = match ip {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    [owner, &fields(kind(ip), ttl, &data)].concat()
}

fn fields(kind: u16, ttl: u32, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u16).to_be_bytes();
    [&kind.to_be_bytes()[..], &[0, 1], &ttl.to_be_bytes(), &length, data].concat()
}

fn encoded(name: &str) -> Vec<u8> {
    let labels = name.split('.').flat_map(|label| [&[label.len() as u8][..], label.as_bytes()].concat());
    labels.chain([0]).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_packet_is_too_odd_to_be_read(packet in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Some(asked) = Asked::read(&packet) {
                prop_assert!(asked.answer(&Say::Broken, Duration::ZERO).is_some());
            }
        }

        #[test]
        fn a_plain_question_is_understood(name in "[a-z0-9-]{1,20}(\\.[a-z0-9-]{1,20}){0,4}", kind: u16) {
            let head = [7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
            let question = [&head[..], &encoded(&name), &kind.to_be_bytes(), &[0, 1]].concat();
            let asked = Asked::read(&question).expect("plain");
            prop_assert_eq!((asked.name, asked.kind, asked.bytes), (name, kind, question));
        }
    }
}
