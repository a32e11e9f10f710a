//! What comes back is kept and settled: visits with their rows and texts, robots.txt, crawl hints.

use archive::rows::{self, PageRows, Stand};
use archive::tables::VISITS;
use archive::{ArchiveWriter, PACKED_LINKS, RecordKind, Records};
use frontier::tables::{HintsAnswer, RobotsAnswer, URLS};
use frontier::{Asked, End, Offer, Settled, page_key};
use kv::Reader;
use model::{ErrorKind, HostKey, LeaseId, Outcome, Timestamp, UrlKey};

use super::{Conductor, State};
use crate::CrawlError;
use crate::fresh::FreshVisit;
use crate::hints::AskedHints;
use crate::read::{self, FreshPage, Read};
use crate::revisits;
use crate::robots::{AskedRobots, RobotsBook};
use crate::watcher::{Event, Visited};

impl Conductor {
    /// Keeps a visit and settles its URL.
    pub(super) fn settle_read(
        &mut self,
        state: &mut State,
        read: Read,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        state.last_answer = now;
        state.touch(now);
        let Read {
            lease,
            key,
            started,
            sent,
            asked,
            mut end,
            mut visit,
            mut links,
            rows,
            records,
            fingerprint,
            slot,
            micros,
            fresh,
            ..
        } = read;
        self.tell(|| Event::Visited { lease, key, visited: Visited::of(&end, Some(&visit), rows.as_ref()) });
        // Pages that have, or had, its text; and whether anything was told of its rows.
        let (mut copies, mut told) = (Vec::new(), false);
        if !matches!(end, End::NoRoom) {
            if let Some(records) = &records {
                let start = self.archive.as_ref().map(ArchiveWriter::position);
                visit.location = self.append(state, records, now)?;
                if records.members.first().is_some_and(|member| member.kind == RecordKind::Revisit) {
                    // The version before stands for it.
                    visit.location = None;
                }
                match (fresh, start, self.archive.as_ref().map(ArchiveWriter::position)) {
                    (Some(fresh), Some(start), Some(reached)) => {
                        let FreshPage { url, page } = *fresh;
                        let redirected = matches!(end, End::Redirect { .. });
                        let visit = visit.clone();
                        let visit = FreshVisit { end: reached, url, key, started, visit, redirected, page };
                        self.fresh.keep(start, visit);
                    }
                    _ => self.fresh.skip(),
                }
            }
            let row = (self.id.0, key.host.0, key.page);
            state.batch.put(&VISITS, &(row.0, row.1, row.2, started.0), &visit);
            if let (End::Page { links: offers, text, .. }, Some(links)) = (&mut end, &mut links) {
                let verdict =
                    self.duplicates.judge(&mut state.batch, self.id, key, fingerprint.as_deref())?;
                verdict.apply(offers, links, text.as_mut());
                copies = verdict.left_behind;
            }
            if let Some(links) = &links {
                state.batch.put(&PACKED_LINKS, &row, links);
            }
            if let Some(rows) = rows {
                told = true;
                self.keep_rows(state, rows)?;
            }
            if matches!(end, End::NotModified) {
                revisits::repeat_rows(&mut state.batch, self.id, key, started, None)?;
            }
            let stats = self.frontier.crawl_mut(self.id).stats_mut();
            if let Some(status) = visit.status {
                *stats.statuses.entry(status).or_default() += 1;
            }
            stats.fetch_millis.add(visit.millis);
            if matches!(end, End::Page { .. }) {
                stats.processing_micros.add(micros);
                stats.page_bytes.add(visit.content_bytes);
                *stats.slots.entry(slot).or_default() += 1;
            } else {
                // A page's bytes are counted where it is settled; those of other answers count as well.
                stats.bytes += visit.bytes;
            }
            state.visits += 1;
        }
        let missing = matches!(&end, End::Failed { error: ErrorKind::Status(404 | 410), .. });
        let elsewhere = match &end {
            End::Redirect { to, passing: true } => Some(to.clone()),
            _ => None,
        };
        if missing || elsewhere.is_some() {
            copies = self.duplicates.copies(&mut state.batch, self.id, key)?;
        } else if matches!(&end, End::Redirect { .. } | End::Unwanted { .. }) {
            copies = self.duplicates.forget(&mut state.batch, self.id, key)?;
        }
        let settled = Settled { lease, key, sent: Some(sent), asked, end };
        let moment = self.moment(state);
        self.frontier.settle(&mut state.batch, settled, moment)?;
        let stand = match elsewhere {
            Some(to) if self.leads_elsewhere(state, key)? => Some(Stand::Moved { to }),
            None if missing && self.is_gone(state, key)? => Some(Stand::Gone),
            _ => None,
        };
        if let Some(stand) = stand {
            if !told {
                revisits::repeat_rows(&mut state.batch, self.id, key, started, Some(stand))?;
            }
            self.duplicates.forget(&mut state.batch, self.id, key)?;
        }
        let nofollow = self.project.crawl.follow_nofollow;
        self.duplicates.follow_one(&mut self.frontier, &mut state.batch, self.id, &copies, nofollow)?;
        drop(read.room);
        self.release_if_done(state, lease)
    }

    fn leads_elsewhere(&self, state: &State, key: UrlKey) -> Result<bool, CrawlError> {
        let record = state.batch.get(&URLS, &page_key(self.id, key))?;
        Ok(record.is_some_and(|record| matches!(record.outcome, Outcome::Redirected { .. })))
    }

    fn is_gone(&self, state: &State, key: UrlKey) -> Result<bool, CrawlError> {
        let record = state.batch.get(&URLS, &page_key(self.id, key))?;
        Ok(record.is_some_and(|record| matches!(record.outcome, Outcome::Gone { .. })))
    }

    /// Keeps a page's rows, as many as `max_rows` has room for. A page that has none and had none says nothing.
    fn keep_rows(&mut self, state: &mut State, page: PageRows) -> Result<(), CrawlError> {
        let speaks = !page.rows.is_empty() || matches!(page.stand, Stand::Moved { .. });
        if !speaks && rows::latest(&state.batch, self.id, UrlKey::of(&page.url))?.is_none() {
            return Ok(());
        }
        let most = Some(self.project.crawl.max_rows).filter(|most| *most > 0).unwrap_or(u64::MAX);
        rows::put(&mut state.batch, self.id, page, most)?;
        state.rows_full = self.rows_left(&state.batch)? == Some(0);
        Ok(())
    }

    /// Rows that `max_rows` has room for; none without such a limit.
    pub(super) fn rows_left(&self, reader: &impl Reader) -> Result<Option<u64>, CrawlError> {
        let most = self.project.crawl.max_rows;
        if most == 0 || self.project.fields.is_none() {
            return Ok(None);
        }
        Ok(Some(most.saturating_sub(rows::counts(reader, self.id)?.rows)))
    }

    pub(super) fn settle_robots(
        &mut self,
        state: &mut State,
        lease: LeaseId,
        mut asked: AskedRobots,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        state.last_answer = now;
        state.touch(now);
        // Pages of the host may only be asked for once this is durable.
        state.commit_first = true;
        let Some(live) = state.leases.get(&lease) else { return Ok(()) };
        let host = live.host.clone();
        let first = live.firsts.iter().find(|(origin, _)| *origin == asked.origin).map(|(_, first)| *first);
        let Some(first) = first else { return Ok(()) };
        if let Some((error, sent)) = asked.out_of_reach.clone().zip(asked.sent) {
            // Not a matter of robots.txt: the host fails, and its best URL says why.
            let visit = read::failed_visit(error.clone(), sent);
            state.batch.put(&VISITS, &(self.id.0, first.host.0, first.page, sent.start.0), &visit);
            if error == ErrorKind::Tls {
                self.robots.unproven(&asked.origin, now);
            }
            let end = read::failed(error);
            let settled = Settled { lease, key: first, sent: Some(sent), asked: Asked::default(), end };
            let moment = self.moment(state);
            return Ok(self.frontier.settle(&mut state.batch, settled, moment)?);
        }
        RobotsBook::or_stale(&self.store, &mut asked, now)?;
        for records in &asked.records {
            self.append(state, records, now)?;
        }
        let leash = self.robots.learn(&asked.origin, &asked.record);
        self.offer_sitemaps(state)?;
        let delay = leash.crawl_delay();
        self.frontier.robots(&mut state.batch, self.id, &asked.origin, &asked.record, asked.sent, delay)?;
        let own = u64::from(asked.sent.is_some());
        self.frontier.crawl_mut(self.id).stats_mut().requests += asked.requests.saturating_sub(own);
        if let RobotsAnswer::Unreachable { reason } = &asked.record.answer {
            tracing::warn!(%host, reason, "robots.txt could not be had, host rests");
            let text = format!("robots.txt of {host} could not be had ({reason}), host rests");
            self.tell(|| Event::Note { warn: true, text: text.clone() });
            self.frontier.rest(self.id, HostKey::of(&host), asked.record.expires);
        }
        Ok(())
    }

    /// Sitemaps that a robots.txt names are pages like others: in scope or not, asked for in their turn.
    pub(super) fn offer_sitemaps(&mut self, state: &mut State) -> Result<(), CrawlError> {
        let now = self.moment(state);
        let named = self.robots.take_sitemaps();
        if !self.project.crawl.robots_sitemaps {
            return Ok(());
        }
        let normalise = self.project.crawl.normalise();
        for (origin, text) in named {
            let Ok(url) = normalise.join(&origin.robots_url(), &text) else { continue };
            self.slots.named.add(&url);
            self.frontier.offer(&mut state.batch, self.id, Offer::of(url), now)?;
        }
        Ok(())
    }

    /// Takes in a site's hints; what they name is offered like links of a start page.
    pub(super) fn settle_hints(
        &mut self,
        state: &mut State,
        lease: LeaseId,
        asked: AskedHints,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        state.last_answer = now;
        state.touch(now);
        // As after robots.txt: what slows us must be durable before a page is asked for.
        state.commit_first = true;
        let Some(live) = state.leases.get(&lease) else { return Ok(()) };
        let host = live.host.clone();
        let hints = asked.record.as_ref().and_then(|record| self.hints.learn(&asked.origin, record));
        let pause = hints.as_ref().and_then(|hints| hints.pause);
        for (sent, mut told, busy) in asked.sent {
            told.crawl_delay = told.crawl_delay.max(pause);
            self.frontier.asked_hints(self.id, HostKey::of(&host), sent, told, busy);
        }
        for records in &asked.records {
            self.append(state, records, now)?;
        }
        let Some(record) = asked.record else { return Ok(()) };
        self.frontier.hints(&mut state.batch, &asked.origin, &record, pause)?;
        if let HintsAnswer::Hints { .. } = &record.answer {
            tracing::info!(%host, named = record.named, "crawl hints read");
        }
        let (normalise, moment) = (self.project.crawl.normalise(), self.moment(state));
        for named in asked.named {
            let Ok(url) = normalise.parse(named.as_str()) else { continue };
            let offer = Offer { depth: 1, ..Offer::of(url) };
            self.frontier.offer(&mut state.batch, self.id, offer, moment)?;
        }
        Ok(())
    }

    pub(super) fn append(
        &mut self,
        state: &mut State,
        records: &Records,
        now: Timestamp,
    ) -> Result<Option<archive::Location>, CrawlError> {
        let archive = self.archive.as_mut().ok_or(CrawlError::Lost("the archive"))?;
        let at = archive.append(&records.bytes, now)?;
        state.bytes += records.bytes.len() as u64;
        Ok(records.members.first().map(|member| at.of(*member)))
    }

    /// A lease ends when its slot is done and all it sent to be read is settled.
    pub(super) fn release_if_done(&mut self, state: &mut State, lease: LeaseId) -> Result<(), CrawlError> {
        // What came early is settled before: given back, its URLs would be asked for again, and their host's clock would
        // not know of the first time.
        let done = state.leases.get(&lease).is_some_and(|live| live.slot_done && live.early.is_empty());
        if done && !self.slots.unread.has(lease) {
            state.leases.remove(&lease);
            self.tell(|| Event::Released { lease });
            let moment = self.moment(state);
            self.frontier.release(lease, moment)?;
        }
        Ok(())
    }
}
