//! Host queues: which hosts of a crawl are in memory, ready or asleep, and the best open URLs of each.

use std::time::Duration;

use kv::Reader;
use model::{CrawlId, ErrorKind, HostKey, Outcome, Timestamp, UrlKey};

use crate::crawl::{BEGIN, END, Place};
use crate::tables::{LATER, QUEUE, SCHEDULE, URLS, UrlRecord};
use crate::{FARTHEST, Frontier, FrontierError, HostState, page_key};

/// URLs whose refusal is found out in one go.
const REFUSALS: usize = 256;

/// URLs of a host that are worth a lease even if another host has better ones.
const FEW: usize = 2;

/// Hosts read from the schedule at once.
const LOAD: usize = 1_024;

/// When all hosts in memory are wanted soon, the schedule is read again after this.
const CROWDED: Duration = Duration::from_secs(1);

impl Frontier {
    /// Puts a host where it belongs by its clock; forgets it when it has nothing left.
    pub(crate) fn place(&mut self, id: CrawlId, host: HostKey, now: Timestamp) -> Result<(), FrontierError> {
        let state = self.hosts.get(&host);
        let (taken, next) = match state {
            Some(state) => (state.lease.is_some() || state.resolving, state.record.next),
            None => (false, Timestamp::ZERO),
        };
        let quick = state.is_some_and(HostState::is_quick);
        let crawl = self.crawl_mut(id);
        let Some(site) = crawl.sites.get(&host) else { return Ok(()) };
        let retry = site.first_retry.map(|due| if far_off(due, now) { now } else { due });
        let due = if site.record.waiting > 0 { next } else { next.max(retry.unwrap_or_default()) };
        // A retry that is due has waited long enough: it comes before all that wait for the first time.
        let head = if retry.is_some_and(|due| due <= now) { BEGIN } else { site.head };
        if taken {
            crawl.put(host, Place::Aside);
        } else if site.record.waiting + site.record.later == 0 {
            crawl.put(host, Place::Aside);
            if !crawl.touched.contains(&host) {
                crawl.let_go(host);
            }
        } else if due > now {
            crawl.put(host, Place::Sleeping(due));
        } else {
            crawl.put(host, Place::Ready(head, quick));
        }
        Ok(())
    }

    /// Wakes hosts that are due, and reads more of them from the schedule when few are ready.
    pub(crate) fn wake(&mut self, id: CrawlId, now: Timestamp) -> Result<(), FrontierError> {
        while let Some(&(due, host)) = self.crawl(id).sleeping.first()
            && due <= now
        {
            self.crawl_mut(id).put(host, Place::Aside);
            self.place(id, host, now)?;
        }
        let crawl = self.crawl(id);
        if crawl.ready.len() < LOAD / 8 && crawl.look_again.is_some_and(|moment| moment <= now) {
            self.load(id, now)?;
        }
        Ok(())
    }

    pub(crate) fn load(&mut self, id: CrawlId, now: Timestamp) -> Result<(), FrontierError> {
        let store = self.store.clone();
        let mut loaded = 0;
        for row in store.prefix(&SCHEDULE, &id.0).keys() {
            let (_, due, host) = row?;
            let (due, host) = (Timestamp(due), HostKey(host));
            let crawl = self.crawl_mut(id);
            if crawl.sites.contains_key(&host) {
                continue;
            }
            let rests = due > now && !far_off(due, now);
            if rests || loaded == LOAD || !crawl.has_room(now) {
                crawl.look_again = Some(if rests {
                    due
                } else if loaded == LOAD {
                    now
                } else {
                    now + CROWDED
                });
                return Ok(());
            }
            crawl.site(&store, host)?;
            self.place(id, host, now)?;
            loaded += 1;
        }
        self.crawl_mut(id).look_again = None;
        Ok(())
    }

    /// A host's best open URLs that are not in hand: retries that are due, then the queue in order. Beyond a place only
    /// a few.
    pub(crate) fn first_rows(
        &mut self,
        id: CrawlId,
        host: HostKey,
        count: usize,
        beyond: (u32, u64),
        now: Timestamp,
    ) -> Result<Vec<(UrlKey, UrlRecord)>, FrontierError> {
        let store = self.store.clone();
        let crawl = self.crawls.get_mut(&id).expect("begun");
        let mut keys = Vec::with_capacity(count);
        if crawl.sites.get(&host).is_some_and(|site| site.record.later > 0) {
            for row in store.prefix(&LATER, &(id.0, host.0)).keys() {
                let (_, _, (due, page)) = row?;
                if Timestamp(due) > now || keys.len() == count {
                    break;
                }
                let key = UrlKey { host, page };
                if !crawl.in_hand.contains(&key) {
                    keys.push(key);
                }
            }
        }
        // Rows before the head are gone; without it each scan would pass over the traces of all that were.
        let head = crawl.sites.get(&host).map_or((0, 0), |site| site.head);
        let mut new_head = END;
        {
            for row in store.range(&QUEUE, (id.0, host.0, head)..=(id.0, host.0, (u32::MAX, u64::MAX))) {
                let ((_, _, place), waiting) = row?;
                let key = UrlKey { host, page: waiting.page };
                if crawl.in_hand.contains(&key) {
                    continue;
                }
                if keys.len() >= count || place > beyond && keys.len() >= FEW {
                    new_head = place;
                    break;
                }
                keys.push(key);
            }
        }
        if let Some(site) = crawl.sites.get_mut(&host) {
            site.head = new_head;
        }
        let mut rows = Vec::with_capacity(keys.len());
        for key in keys {
            let record = store.get(&URLS, &page_key(id, key))?;
            let record =
                record.ok_or_else(|| FrontierError::Damaged(format!("queued URL {key} is unknown")))?;
            rows.push((key, record));
        }
        Ok(rows)
    }

    /// Gives a condemned host's URLs their outcome, some at a time.
    pub(crate) fn condemn(
        &mut self,
        id: CrawlId,
        host: HostKey,
        error: &ErrorKind,
        tries: u32,
    ) -> Result<(), FrontierError> {
        self.refuse_rows(id, host, &Outcome::Failed { error: error.clone(), tries })
    }

    pub(crate) fn refuse_rows(
        &mut self,
        id: CrawlId,
        host: HostKey,
        outcome: &Outcome,
    ) -> Result<(), FrontierError> {
        // Retries too, due or not.
        let rows = self.first_rows(id, host, REFUSALS, END, Timestamp(u64::MAX))?;
        let crawl = self.crawl_mut(id);
        crawl.touched.insert(host);
        for (key, _) in rows {
            crawl.in_hand.insert(key);
            crawl.refused.push((key, outcome.clone()));
        }
        Ok(())
    }

    /// Nothing can be leased of this host now: it sleeps until its first retry is due.
    pub(crate) fn put_by_retries(
        &mut self,
        id: CrawlId,
        host: HostKey,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let crawl = self.crawls.get_mut(&id).expect("begun");
        for row in self.store.prefix(&LATER, &(id.0, host.0)).keys() {
            let (_, _, (due, page)) = row?;
            let (due, key) = (Timestamp(due), UrlKey { host, page });
            if crawl.in_hand.contains(&key) {
                continue;
            }
            if far_off(due, now) {
                // Back into the queue.
                crawl.refused.push((key, Outcome::Waiting));
                crawl.in_hand.insert(key);
                crawl.touched.insert(host);
            } else {
                crawl.put(host, Place::Sleeping(due));
            }
            break;
        }
        Ok(())
    }
}

/// True of a due time from a clock that was wrong: we set none so far ahead.
pub(crate) fn far_off(due: Timestamp, now: Timestamp) -> bool {
    due > now + FARTHEST
}
