//! What goes out: leases for free slots, and names to look up.

use std::collections::VecDeque;

use frontier::{Lane, LimitReached, Next};
use model::{Host, HostKey, Origin, Timestamp, UrlKey};
use net::Clock as _;

use super::{Conductor, GRACE, LeaseState, MOST_LOOKUPS, State};
use crate::CrawlError;
use crate::progress::EndReason;
use crate::revisits;
use crate::robots::Leash;
use crate::run::Wish;
use crate::visit::{Message, Order, Pace};
use crate::watcher::Event;

impl Conductor {
    /// Grants leases while slots are free. The reason to end, when there is one.
    pub(super) fn lease_out(&mut self, state: &mut State) -> Result<Option<EndReason>, CrawlError> {
        state.next_due = None;
        state.held_back = false;
        let wish = *self.wish.borrow_and_update();
        self.note_ending(state, wish);
        let nothing_open = state.leases.is_empty() && state.opened.is_none() && !state.untold;
        if let Some((reason, since)) = &state.ending {
            if nothing_open {
                return Ok(Some(reason.clone()));
            }
            let patient = *reason == EndReason::Stopped && self.clock.now().since(*since) <= GRACE;
            self.set_pace(if patient { Pace::Hold } else { Pace::GiveUp });
            return Ok(None);
        }
        let held = wish == Wish::Pause || self.space.look(&self.store, self.clock.now()).is_some();
        self.set_pace(if held { Pace::Hold } else { Pace::Go });
        if held || state.commit_first {
            return Ok(None);
        }
        if self.is_serial() && (!nothing_open || state.lookups > 0 || self.has_side_work()) {
            return Ok(None);
        }
        let connections = self.project.crawl.connections as usize;
        let may_lease = |state: &State| !state.free_slots.is_empty() && state.connections_used < connections;
        while may_lease(state) {
            let now = self.clock.now();
            let moment = self.moment(state);
            let lane = state.lane(connections);
            match self.frontier.next_in(self.id, lane, moment)? {
                Next::Lease(mut lease) => {
                    lease.deadline = lease.deadline + now.since(moment);
                    self.grant(state, *lease, now)?;
                }
                // A slow name server holds up the hosts it is asked for, and no other.
                Next::Resolve(host) if state.lookups >= MOST_LOOKUPS => state.to_look_up.push_back(host),
                Next::Resolve(host) => {
                    state.lookups += 1;
                    self.resolve(host);
                    if self.is_serial() {
                        break;
                    }
                }
                Next::Reached(limit) if nothing_open => {
                    return Ok(Some(match limit {
                        LimitReached::Pages => EndReason::MaxPages,
                        LimitReached::Bytes => EndReason::MaxBytes,
                        LimitReached::Time => EndReason::Walltime,
                    }));
                }
                Next::Reached(_) => break,
                Next::Done if nothing_open => return Ok(Some(EndReason::Complete)),
                Next::Done => break,
                // What was refused on the way is recorded first.
                Next::Wait { .. } if self.is_serial() && self.has_side_work() => break,
                Next::Wait { until: Some(until), .. }
                    if self.is_serial() && moment < until && until <= now =>
                {
                    state.moment = until;
                }
                Next::Wait { until, host, busy } => {
                    let linger = self.project.crawl.linger.duration();
                    if let Some(next) =
                        until.filter(|until| !busy && nothing_open && until.since(now) > linger)
                    {
                        return Ok(Some(EndReason::NothingDue { next }));
                    }
                    state.next_due = until.map(|until| (until, host));
                    state.held_back = lane != Lane::Any;
                    break;
                }
            }
        }
        Ok(None)
    }

    fn grant(
        &mut self,
        state: &mut State,
        mut lease: model::Lease,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        let leashes = self.robots.leashes(&self.store, &lease, now)?;
        self.offer_sitemaps(state)?;
        let (hints, ask_hints) = match self.hints.of(&self.store, &leashes, now)? {
            Ok(hints) => (hints, None),
            Err(origin) => (Vec::new(), Some(origin)),
        };
        let hinted_hours = hints.iter().map(|hints| hints.next_visit(now)).filter(|opens| *opens > now);
        let opens = leashes.iter().filter_map(|(_, leash)| leash.opens_at(now)).chain(hinted_hours).max();
        if let Some(opens) = opens {
            // robots.txt or a hint names hours, and these are not they.
            self.frontier.rest(self.id, HostKey::of(&lease.host), opens);
            state.touch(now);
            let moment = self.moment(state);
            self.frontier.release(lease.id, moment)?;
            return Ok(());
        }
        if self.frontier.has_revisits(self.id) {
            for url in &mut lease.urls {
                revisits::name_earlier(&self.store, self.id, url)?;
            }
        }
        if let Some(deadline) = self.deadline(state) {
            lease.deadline = lease.deadline.min(deadline);
        }
        let delay = leashes.iter().filter_map(|(_, leash)| leash.crawl_delay()).max();
        let hinted = hints.iter().filter_map(|hints| hints.pause).max();
        let delay = delay.max(hinted).unwrap_or_default();
        if delay > lease.gap {
            // The frontier knows a host's own robots.txt, as it was read for whoever read it last.
            lease.gap = delay;
            lease.urls.truncate(lease.connections.max(1));
        }
        let free = (self.project.crawl.connections as usize).saturating_sub(state.connections_used);
        lease.connections = lease.connections.min(free).max(1);
        let slot = state.free_slots.pop().expect("a lease is granted to a free slot");
        let asks_robots = leashes.iter().any(|(_, leash)| matches!(leash, Leash::Unknown));
        let width = if asks_robots || ask_hints.is_some() {
            1
        } else {
            lease.connections.min(lease.urls.len()).max(1)
        };
        state.connections_used += width;
        let in_turn =
            if self.is_serial() { lease.urls.iter().map(|url| url.key).collect() } else { VecDeque::new() };
        let mut firsts: Vec<(Origin, UrlKey)> = Vec::new();
        for url in &lease.urls {
            let origin = url.url.origin();
            if !firsts.iter().any(|(known, _)| *known == origin) {
                firsts.push((origin, url.key));
            }
        }
        let unsure = !self.frontier.is_quick(HostKey::of(&lease.host));
        state.slots_unsure += usize::from(unsure);
        state.slot_time.granted(self.clock.process().elapsed());
        state.leases.insert(
            lease.id,
            LeaseState {
                host: lease.host.clone(),
                firsts,
                width,
                unsure,
                many: lease.urls.len() > 1,
                slot_done: false,
                in_turn,
                early: Vec::new(),
            },
        );
        self.tell(|| Event::Leased { lease: lease.id, host: &lease.host, urls: &lease.urls });
        let order = Order { lease, leashes, hinted, ask_hints };
        self.runtime.spawn(self.slots.clone().visit(order, slot));
        Ok(())
    }

    pub(super) fn resolve(&self, host: Host) {
        let slots = self.slots.clone();
        self.runtime.spawn(async move {
            let answer = slots.network.address(&host).await;
            let _ = slots.inbox.send(Message::Resolved(host, answer)).await;
        });
    }
}
