//! Neighbours: frontiers of one store that are open in one process, and the hosts they share.
//!
//! Each run has a frontier of its own, but a host is owed its pause whoever asks. A host is claimed for as long
//! as it is leased, and its clock goes from hand to hand. Nothing here reads a clock or writes to the store.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::{HostKey, Timestamp};

use crate::key_hash::KeyMap;
use crate::tables::HostRecord;

/// Hosts and addresses remembered before those are forgotten that nobody holds and that have had their rest.
const PLENTY: usize = 65_536;

/// How long after its rest a host is remembered: runs may differ in the pause they keep.
const REMEMBERED: Duration = Duration::from_secs(60);

/// What the frontiers of one process share; cheap to clone.
#[derive(Clone, Default)]
pub struct Neighbours(Arc<Mutex<Shared>>);

#[derive(Default)]
struct Shared {
    last: u64,
    /// Who is there, and whether they are about to leave in order.
    open: BTreeMap<u64, bool>,
    /// A frontier was dropped without being closed: requests may have been sent that no clock knows of.
    unclean: bool,
    hosts: KeyMap<HostKey, SharedHost>,
    addresses: HashMap<IpAddr, Timestamp>,
}

#[derive(Default)]
struct SharedHost {
    holder: Option<u64>,
    /// Its clock as last released, and by whom.
    record: Option<(HostRecord, u64)>,
    /// Its last holder went without a word.
    lost: bool,
}

/// How a frontier begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Nobody else is there.
    Alone,
    /// Others are: their latest clocks may not be in the store yet.
    Beside,
    /// One of them ended without a word.
    AfterLoss,
}

/// The answer to a claim.
#[derive(Debug)]
pub(crate) enum Claim {
    /// It is ours, and our own clock of it is the latest.
    Ours,
    /// It is ours; somebody else had it last.
    From {
        /// Its clock as they left it, if they said so.
        record: Option<Box<HostRecord>>,
        /// They went without a word.
        lost: bool,
    },
    /// Somebody has it.
    Theirs,
}

/// One frontier's seat among its neighbours.
pub(crate) struct Seat {
    neighbours: Neighbours,
    me: u64,
    left: bool,
    /// It came while the last one was about to call the store clean.
    cautious: bool,
}

impl Neighbours {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a seat.
    pub(crate) fn enter(&self) -> (Seat, Entry) {
        let mut shared = self.shared();
        let entry = match (shared.open.is_empty(), shared.unclean) {
            (true, _) => Entry::Alone,
            (false, true) => Entry::AfterLoss,
            (false, false) => Entry::Beside,
        };
        // Who enters now is wary in its own right; so is whoever opens the store after all have gone.
        shared.unclean = false;
        if entry == Entry::Alone {
            shared.hosts.clear();
            shared.addresses.clear();
        }
        shared.last += 1;
        let me = shared.last;
        let cautious = shared.open.values().any(|leaving| *leaving);
        shared.open.insert(me, false);
        (Seat { neighbours: self.clone(), me, left: false, cautious }, entry)
    }
}

impl Seat {
    /// Claims a host, to lease it.
    pub(crate) fn claim(&self, host: HostKey) -> Claim {
        let mut shared = self.neighbours.shared();
        let entry = shared.hosts.entry(host).or_default();
        if entry.holder.is_some_and(|holder| holder != self.me) {
            return Claim::Theirs;
        }
        entry.holder = Some(self.me);
        let record = entry.record.as_ref().filter(|(_, by)| *by != self.me);
        let lost = std::mem::take(&mut entry.lost);
        match record {
            None if !lost => Claim::Ours,
            record => Claim::From { record: record.map(|(record, _)| Box::new(record.clone())), lost },
        }
    }

    /// Gives up a claim without having asked.
    pub(crate) fn unclaim(&self, host: HostKey) {
        let mut shared = self.neighbours.shared();
        let Some(entry) = shared.hosts.get_mut(&host) else { return };
        if entry.holder == Some(self.me) {
            entry.holder = None;
            if entry.record.is_none() {
                shared.hosts.remove(&host);
            }
        }
    }

    /// A lease has ended: whoever claims the host next goes on from this clock.
    pub(crate) fn release(&self, host: HostKey, record: &HostRecord, now: Timestamp) {
        let mut shared = self.neighbours.shared();
        if shared.open.len() < 2 && shared.hosts.get(&host).is_none_or(|entry| entry.record.is_none()) {
            // Nobody else is there; who comes later is wary of what is not in the store.
            shared.hosts.remove(&host);
            return;
        }
        if shared.hosts.len() > PLENTY {
            shared.hosts.retain(|_, entry| {
                entry.holder.is_some()
                    || entry.record.as_ref().is_some_and(|(record, _)| record.next + REMEMBERED > now)
            });
        }
        let entry = shared.hosts.entry(host).or_default();
        entry.holder = None;
        entry.record = Some((record.clone(), self.me));
    }

    /// A host's clock, where somebody else moved it last.
    pub(crate) fn latest(&self, host: HostKey) -> Option<HostRecord> {
        let shared = self.neighbours.shared();
        let (record, by) = shared.hosts.get(&host)?.record.as_ref()?;
        (*by != self.me).then(|| record.clone())
    }

    /// When an address may be asked, as far as others know.
    pub(crate) fn address_due(&self, address: IpAddr) -> Timestamp {
        self.neighbours.shared().addresses.get(&address).copied().unwrap_or(Timestamp::ZERO)
    }

    /// An address is asked, and not again before `due`.
    pub(crate) fn address_taken(&self, address: IpAddr, due: Timestamp, now: Timestamp) {
        let mut shared = self.neighbours.shared();
        if shared.addresses.len() > PLENTY {
            shared.addresses.retain(|_, due| *due > now);
        }
        let known = shared.addresses.entry(address).or_default();
        *known = (*known).max(due);
    }

    /// An address was not asked after all, and is due again when it was before.
    pub(crate) fn address_left(&self, address: IpAddr, taken: Timestamp, before: Timestamp) {
        if let Some(due) = self.neighbours.shared().addresses.get_mut(&address).filter(|due| **due == taken) {
            *due = before;
        }
    }

    /// True when a neighbour may call the store clean although we work on it.
    pub(crate) fn is_cautious(&self) -> bool {
        self.cautious
    }

    /// Is about to leave in order. The last one gets the clocks that went from hand to hand, to write them down;
    /// none when others stay, or when one went without a word, so that the store must not be called clean.
    pub(crate) fn close(&mut self) -> Option<Vec<(HostKey, HostRecord)>> {
        let mut shared = self.neighbours.shared();
        shared.open.insert(self.me, true);
        if shared.unclean || shared.open.values().any(|leaving| !leaving) {
            return None;
        }
        self.cautious = false;
        let hosts = shared.hosts.iter();
        Some(hosts.filter_map(|(key, host)| Some((*key, host.record.as_ref()?.0.clone()))).collect())
    }

    /// Leaves without a word: what it had leased may have been asked.
    pub(crate) fn abandon(&mut self) {
        let mut shared = self.neighbours.shared();
        shared.open.remove(&self.me);
        shared.unclean |= !shared.open.is_empty();
        for host in shared.hosts.values_mut().filter(|host| host.holder == Some(self.me)) {
            host.holder = None;
            host.lost = true;
        }
        self.left = true;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if self.left {
            return;
        }
        let leaves_in_order = self.neighbours.shared().open.get(&self.me).copied().unwrap_or(false);
        if leaves_in_order {
            self.neighbours.shared().open.remove(&self.me);
        } else {
            self.abandon();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(next: u64) -> HostRecord {
        let host = model::PageUrl::parse("http://shop.test/").unwrap().host();
        HostRecord { next: Timestamp(next), ..HostRecord::new(host) }
    }

    const HOST: HostKey = HostKey(7);

    #[test]
    fn a_host_goes_from_hand_to_hand_with_its_clock() {
        let neighbours = Neighbours::default();
        let (one, first) = neighbours.enter();
        let (other, second) = neighbours.enter();
        assert_eq!((first, second), (Entry::Alone, Entry::Beside));
        assert!(matches!(one.claim(HOST), Claim::Ours));
        assert!(matches!(other.claim(HOST), Claim::Theirs));
        one.release(HOST, &record(500), Timestamp(0));
        let Claim::From { record: Some(found), lost: false } = other.claim(HOST) else { panic!() };
        assert_eq!(found.next, Timestamp(500));
        other.release(HOST, &record(900), Timestamp(500));
        assert_eq!(one.latest(HOST).unwrap().next, Timestamp(900));
        assert!(other.latest(HOST).is_none(), "nobody else moved it since");
    }

    #[test]
    fn the_last_to_close_gets_the_clocks() {
        let neighbours = Neighbours::default();
        let (mut one, _) = neighbours.enter();
        let (mut other, _) = neighbours.enter();
        one.claim(HOST);
        one.release(HOST, &record(500), Timestamp(0));
        assert!(one.close().is_none());
        assert_eq!(other.close().unwrap().len(), 1);
    }

    #[test]
    fn who_goes_without_a_word_leaves_the_others_wary() {
        let neighbours = Neighbours::default();
        let (one, _) = neighbours.enter();
        let (mut other, _) = neighbours.enter();
        one.claim(HOST);
        drop(one);
        assert!(matches!(other.claim(HOST), Claim::From { record: None, lost: true }));
        assert!(matches!(other.claim(HOST), Claim::Ours), "told once");
        assert!(other.close().is_none(), "not clean");
        let (third, entry) = neighbours.enter();
        assert_eq!((entry, third.is_cautious()), (Entry::AfterLoss, true));
        drop((other, third));
        assert_eq!(neighbours.enter().1, Entry::Alone);
    }
}
