//! Offers: URLs found. New ones pass the sieve, the rules and into the queue; known ones may come closer.

use kv::{Batch, KvError, Reader};
use model::{CrawlId, ErrorKind, Guard, HostKey, Limit, Outcome, PageUrl, Project, Rate, Timestamp, UrlKey};

use crate::crawl::rules_fact;
use crate::guards::Inviter;
use crate::sieve::Recent;
use crate::tables::{FACTS, INVITED, PageKey, SHALLOWER, URLS, UrlRecord};
use crate::{Frontier, FrontierError, Politeness, page_key};

/// Why a link is not followed. A URL that only such links lead to is known, and left out by this rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfollowed {
    /// Its page, or the link itself, asks for that.
    Nofollow,
    /// It stands outside the parts of its page where links are followed.
    OutsideLinks,
    /// It is the address that its page calls its own, and such are not honoured.
    Canonical,
    /// Too many pages off topic lie between it and the topic.
    OffTopic,
    /// Its page is a duplicate of another.
    Duplicate,
}

impl Unfollowed {
    /// Every reason.
    pub const ALL: [Unfollowed; 5] = [
        Unfollowed::Nofollow,
        Unfollowed::OutsideLinks,
        Unfollowed::Canonical,
        Unfollowed::OffTopic,
        Unfollowed::Duplicate,
    ];

    /// The rule of the outcome.
    pub fn rule(self) -> &'static str {
        match self {
            Unfollowed::Nofollow => "nofollow",
            Unfollowed::OutsideLinks => "links_in",
            Unfollowed::Canonical => "honour_canonical",
            Unfollowed::OffTopic => "off_topic_distance",
            Unfollowed::Duplicate => "duplicates",
        }
    }

    /// The reason of an outcome, if it is one of these.
    pub fn of(outcome: &Outcome) -> Option<Unfollowed> {
        let Outcome::Excluded { rule } = outcome else { return None };
        Unfollowed::ALL.into_iter().find(|reason| reason.rule() == rule)
    }
}

/// A URL found.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The URL.
    pub url: PageUrl,
    /// Its key.
    pub key: UrlKey,
    /// Links from a start URL on this path.
    pub depth: u32,
    /// The page it was found on.
    pub via: Option<UrlKey>,
    /// Known from now on, but not to be fetched because of this link: why.
    pub unfollowed: Option<Unfollowed>,
    /// It widens the scope: a start URL, or where one redirects to.
    pub start: bool,
    /// Redirects in a row that led here.
    pub hops: u32,
    /// A further page of the list on which it was found: as deep as that one.
    pub further: bool,
    /// What the link weighs, by its looks; of several the most that one of them does.
    pub weight: u8,
    /// Links in a row that it stands for.
    pub links: u32,
}

impl Offer {
    /// A URL that no page led to: as near as a start URL, without being one.
    pub fn of(url: PageUrl) -> Offer {
        Offer {
            key: UrlKey::of(&url),
            url,
            depth: 0,
            via: None,
            unfollowed: None,
            start: false,
            hops: 0,
            further: false,
            weight: 1,
            links: 1,
        }
    }

    /// A redirect is no click: its target is as deep as its source, and a start URL's target is a start URL.
    pub fn redirect(record: &UrlRecord, from: UrlKey, to: &PageUrl) -> Offer {
        Offer {
            depth: record.depth,
            via: Some(from),
            start: record.depth == 0,
            hops: record.hops + 1,
            ..Offer::of(to.clone())
        }
    }
}

impl Frontier {
    /// Offers a URL: new ones are judged by the rules and queued, known ones may come closer.
    pub fn offer(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        offer: Offer,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        self.offer_from(batch, id, offer, None, now)
    }

    /// Offers a URL found on a page, which may invite it.
    pub(crate) fn offer_from(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        offer: Offer,
        inviter: Option<Inviter>,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let mut offer = offer;
        offer.start = offer.start && self.leads_from_start(batch, id, offer.via)?;
        let follow = offer.unfollowed.is_none();
        // A link that is not followed tells nothing of a URL that was found as near by one that is.
        let recent = match offer.start {
            true => Recent::News,
            false => self.recent.recent(id.0, offer.key, offer.depth),
        };
        let guards = &self.crawl(id).guards;
        let (family, invited) = match (recent, inviter) {
            (Recent::Known, _) => return Ok(()),
            (Recent::Uninvited(family), Some(inviter))
                if follow && inviter.invites(offer.key.host, family) =>
            {
                (family, true)
            }
            (Recent::Uninvited(_), _) => return Ok(()),
            (Recent::News, _) => {
                let family = guards.family(offer.key.host, &offer.url);
                let invites = |inviter: Inviter| follow && inviter.invites(offer.key.host, family);
                (family, inviter.map_or(offer.start, invites))
            }
        };
        if offer.start && self.crawl_mut(id).rules.add_start(&offer.url) {
            self.crawl_mut(id).reconsider = Some(None);
        }
        let row = page_key(id, offer.key);
        let is_new = self.crawl(id).never_met.as_ref().is_some_and(|never| never.is_new(offer.key));
        let known = if is_new { None } else { batch.get(&URLS, &row)? };
        let given_up = match known {
            None => {
                self.meet(batch, id, &offer, now)?;
                false
            }
            Some(mut record) => {
                if invited {
                    record = self.invite(batch, id, offer.key, record)?;
                } else if offer.depth < record.depth && record.outcome.is_open() {
                    // It takes this page for the one before it, which was perhaps the one that invited it.
                    if self.was_invited(batch, id, offer.key, &record)? {
                        batch.put(&INVITED, &row, &());
                    }
                }
                let given_up = waits_for_invitation(&record.outcome);
                self.meet_again(batch, id, &offer, record)?;
                given_up
            }
        };
        // What was given up for lack of an invitation is looked at with every link: one may invite it.
        if follow && !given_up {
            self.recent.remember(id.0, offer.key, offer.depth, if invited { 0 } else { family });
        }
        Ok(())
    }

    /// True of a start URL's own offer, and of a redirect from one: the further pages of a list keep its depth, 0 at
    /// a start URL, and may not widen the scope.
    fn leads_from_start(
        &self,
        reader: &impl Reader,
        id: CrawlId,
        via: Option<UrlKey>,
    ) -> Result<bool, FrontierError> {
        let Some(via) = via else { return Ok(true) };
        let source = reader.get(&URLS, &page_key(id, via))?;
        Ok(source.is_some_and(|source| self.crawl(id).rules.is_start(&source.url)))
    }

    /// A page outside its template links to a known URL: notes it, or takes the URL up again.
    fn invite(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        key: UrlKey,
        record: UrlRecord,
    ) -> Result<UrlRecord, FrontierError> {
        let row = page_key(id, key);
        let given_up = waits_for_invitation(&record.outcome);
        let needs_none = match given_up {
            true => batch.contains(&INVITED, &row)?,
            false => !record.outcome.is_open() || self.was_invited(batch, id, key, &record)?,
        };
        if needs_none {
            return Ok(record);
        }
        batch.put(&INVITED, &row, &());
        if !given_up {
            return Ok(record);
        }
        let refusal = self.crawl(id).rules.refusal(&record.url, record.depth);
        self.record(batch, id, key, record, refusal.unwrap_or(Outcome::Waiting))?;
        batch.get(&URLS, &row)?.ok_or_else(|| FrontierError::Damaged(format!("URL {key} is unknown")))
    }

    /// True when the page that led to a URL invites it, or another one did later.
    pub(crate) fn was_invited(
        &mut self,
        reader: &impl Reader,
        id: CrawlId,
        key: UrlKey,
        record: &UrlRecord,
    ) -> Result<bool, FrontierError> {
        // Start URLs, and where they redirect to; further pages of a list that is a start URL are no such.
        let is_start = record.depth == 0 && record.hops > 0;
        let Some(via) = record.via.filter(|via| via.host == key.host && !is_start) else {
            return Ok(true);
        };
        let Some(parent) = self.url_of(reader, id, via)? else { return Ok(true) };
        let store = self.store.clone();
        let guards = &mut self.crawl_mut(id).guards;
        let inviter = guards.inviter(&store, id, via.host, &parent)?;
        let family = guards.family(key.host, &record.url);
        Ok(inviter.invites(key.host, family) || reader.contains(&INVITED, &page_key(id, key))?)
    }

    /// The URL of a page that leads to others, many of which are asked about in a row. That of the last one is kept, whatever
    /// has become of its row since.
    pub(crate) fn url_of(
        &mut self,
        reader: &impl Reader,
        id: CrawlId,
        via: UrlKey,
    ) -> Result<Option<PageUrl>, FrontierError> {
        if let Some((crawl, key, url)) = &self.last_via
            && (*crawl, *key) == (id, via)
        {
            return Ok(Some(url.clone()));
        }
        let Some(record) = reader.get(&URLS, &page_key(id, via))? else { return Ok(None) };
        self.last_via = Some((id, via, record.url.clone()));
        Ok(Some(record.url))
    }

    /// Pages whose depth has shrunk since they were read, to have their links offered again by the caller.
    pub fn take_shallower(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        at_most: usize,
    ) -> Result<Vec<(UrlKey, UrlRecord)>, FrontierError> {
        if self.crawl(id).shallower == 0 {
            return Ok(Vec::new());
        }
        let rows: Vec<PageKey> =
            batch.prefix(&SHALLOWER, &id.0).keys().take(at_most).collect::<Result<_, _>>()?;
        let mut pages = Vec::with_capacity(rows.len());
        for row in rows {
            batch.remove(&SHALLOWER, &row);
            let crawl = self.crawl_mut(id);
            crawl.shallower = crawl.shallower.saturating_sub(1);
            if let Some(record) = batch.get(&URLS, &row)? {
                pages.push((UrlKey { host: HostKey(row.1), page: row.2 }, record));
            }
        }
        Ok(pages)
    }

    /// Has the links of a page that was read offered again, as they are kept, by the caller.
    pub fn offer_links_again(&mut self, batch: &mut Batch, id: CrawlId, page: UrlKey) -> Result<(), KvError> {
        let row = page_key(id, page);
        if !batch.contains(&SHALLOWER, &row)? {
            batch.put(&SHALLOWER, &row, &());
            self.crawl_mut(id).shallower += 1;
        }
        Ok(())
    }

    /// True while pages wait to have their links offered again.
    pub fn has_shallower(&self, id: CrawlId) -> bool {
        self.crawl(id).shallower > 0
    }

    /// After the rules have changed: URLs refused before and URLs that wait are judged anew, `at_most` at a time.
    pub fn reconsider(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        at_most: usize,
    ) -> Result<(), FrontierError> {
        let Some(from) = self.crawl(id).reconsider else { return Ok(()) };
        let store = self.store.clone();
        let first = from.unwrap_or((id.0, 0, 0));
        let rows = batch.range(&URLS, first..=(id.0, u64::MAX, u128::MAX)).take(at_most + 1);
        let rows: Vec<(PageKey, UrlRecord)> = rows.collect::<Result<_, _>>()?;
        let next = (rows.len() > at_most).then(|| rows[at_most].0);
        for (row, mut record) in rows.into_iter().take(at_most) {
            let was_refused = match &record.outcome {
                outcome @ Outcome::Excluded { .. } => match Unfollowed::of(outcome) {
                    None => true,
                    Some(Unfollowed::Nofollow) => self.crawl(id).settings.follow_nofollow,
                    Some(Unfollowed::Canonical) => self.crawl(id).settings.honour_canonical,
                    Some(Unfollowed::Duplicate) => {
                        let acts = self.crawl(id).settings.duplicate_settings();
                        !acts.exact.skips_links() && !acts.near.skips_links()
                    }
                    // Only its pages can tell, when they are read again.
                    Some(Unfollowed::OutsideLinks | Unfollowed::OffTopic) => false,
                },
                // Given up for a more important page: there is no more room than there was.
                Outcome::OverLimit { limit: Limit::Pages } => !self.crawl(id).began_full,
                Outcome::OffSite | Outcome::OverLimit { .. } | Outcome::Trap { .. } => true,
                Outcome::Failed { error: ErrorKind::ForbiddenAddress, .. } => true,
                // Another robots mode or file may allow it; the queue's turn will tell.
                Outcome::Disallowed { .. } => true,
                Outcome::Failed { .. } if self.crawl(id).retry_failed => {
                    (record.tries, record.busy) = (0, 0);
                    true
                }
                _ => false,
            };
            let key = UrlKey { host: HostKey(row.1), page: row.2 };
            let crawl = self.crawl(id);
            // What is leased is judged by what it brings.
            let waits = record.outcome.is_open() && !crawl.in_hand.contains(&key);
            if !was_refused && !waits {
                continue;
            }
            let open = if waits { record.outcome.clone() } else { Outcome::Waiting };
            let outcome = match &record.outcome {
                // Refused when it was met, so it is met again.
                Outcome::Trap { guard: Guard::Combinations } => {
                    self.crawl_mut(id).admit(&store, key, &record.url, record.depth)?
                }
                _ => crawl.rules.refusal(&record.url, record.depth).unwrap_or(open),
            };
            let crawl = self.crawl(id);
            let reordered = waits && record.priority != crawl.priority(key, &record.url, record.depth);
            if outcome != record.outcome || reordered {
                self.record(batch, id, key, record, outcome)?;
            }
        }
        self.recent.clear();
        let crawl = self.crawl_mut(id);
        crawl.reconsider = next.map(Some);
        if crawl.reconsider.is_none() {
            crawl.retry_failed = false;
            batch.put(&FACTS, &rules_fact(id), &crawl.rules.fingerprint());
        }
        Ok(())
    }

    /// The project has other rules from now on: what waits and what was refused is judged anew, little by little.
    pub fn change_rules(&mut self, id: CrawlId, project: &Project) -> Result<(), FrontierError> {
        let store = self.store.clone();
        self.crawl_mut(id).change_rules(&store, project)
    }

    /// URLs that failed are put back into the queue, little by little; hosts that were given up get another chance.
    pub fn retry_failed(&mut self, id: CrawlId) {
        for host in self.hosts.values_mut() {
            host.condemned = None;
            host.record.failures = 0;
        }
        let crawl = self.crawl_mut(id);
        crawl.retry_failed = true;
        crawl.reconsider = Some(None);
    }

    /// Another rate for a crawl's hosts from now on; what it comes to.
    pub fn set_rate(&mut self, id: CrawlId, rate: Option<Rate>) -> Politeness {
        let crawl = self.crawl_mut(id);
        crawl.settings.rate = rate;
        crawl.politeness = Politeness::of(&crawl.settings);
        crawl.politeness.clone()
    }

    /// True while URLs wait to be judged by changed rules.
    pub fn has_to_reconsider(&self, id: CrawlId) -> bool {
        self.crawl(id).reconsider.is_some()
    }

    fn meet(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        offer: &Offer,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let store = self.store.clone();
        let crawl = self.crawl_mut(id);
        let outcome = match offer.unfollowed {
            None => crawl.admit(&store, offer.key, &offer.url, offer.depth)?,
            Some(reason) => Outcome::Excluded { rule: reason.rule().to_owned() },
        };
        if let Some(never_met) = &mut crawl.never_met {
            never_met.meet(offer.key);
        }
        let stats = crawl.stats_mut();
        stats.distinct += 1;
        let arrival = stats.next_arrival;
        stats.next_arrival += 1;
        let record = UrlRecord {
            url: offer.url.clone(),
            depth: offer.depth,
            via: offer.via,
            found: now,
            priority: crawl.priority(offer.key, &offer.url, offer.depth),
            outcome,
            arrival,
            tries: 0,
            busy: 0,
            hops: offer.hops,
        };
        crawl.recount(None, &record.outcome);
        if record.outcome.is_open() {
            crawl.enqueue(&store, batch, offer.key, &record)?;
        }
        batch.put(&URLS, &page_key(id, offer.key), &record);
        Ok(())
    }

    fn meet_again(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        offer: &Offer,
        mut record: UrlRecord,
    ) -> Result<(), FrontierError> {
        let was_unfollowed = Unfollowed::of(&record.outcome).is_some();
        if offer.unfollowed.is_some() {
            // As long as nothing else leads there, the shortest of these ways counts.
            if was_unfollowed && offer.depth < record.depth {
                (record.depth, record.via) = (offer.depth, offer.via);
                batch.put(&URLS, &page_key(id, offer.key), &record);
            }
            return Ok(());
        }
        let widened = offer.start && record.outcome == Outcome::OffSite;
        if offer.depth >= record.depth && !was_unfollowed && !widened {
            return Ok(());
        }
        let store = self.store.clone();
        let crawl = self.crawl_mut(id);
        // Where links alone decide, it moves when its turn is near.
        let stays =
            record.outcome == Outcome::Waiting && crawl.needs.links_alone && !crawl.importance.is_young();
        if !stays {
            crawl.dequeue(&store, batch, offer.key, &record)?;
        }
        if was_unfollowed || offer.depth < record.depth {
            record.depth = offer.depth;
            record.via = offer.via;
            record.hops = record.hops.min(offer.hops);
        }
        if !stays {
            record.priority = crawl.priority(offer.key, &record.url, record.depth);
        }
        match &record.outcome {
            Outcome::Fetched | Outcome::NotModified | Outcome::Redirected { .. } => {
                let row = page_key(id, offer.key);
                if !batch.contains(&SHALLOWER, &row)? {
                    batch.put(&SHALLOWER, &row, &());
                    crawl.shallower += 1;
                }
            }
            _ => {}
        }
        let depth_decides = matches!(&record.outcome, Outcome::OverLimit { limit: Limit::Depth });
        let closer_on_its_chain = matches!(&record.outcome, Outcome::Trap { guard: Guard::Chain });
        if was_unfollowed || widened || depth_decides || closer_on_its_chain {
            let outcome = match closer_on_its_chain {
                // Met before: its turn will tell.
                true => crawl.rules.refusal(&record.url, record.depth).unwrap_or(Outcome::Waiting),
                false => crawl.admit(&store, offer.key, &record.url, record.depth)?,
            };
            crawl.recount(Some(&record.outcome), &outcome);
            record.outcome = outcome;
        }
        if record.outcome.is_open() && !stays {
            crawl.enqueue(&store, batch, offer.key, &record)?;
        }
        batch.put(&URLS, &page_key(id, offer.key), &record);
        Ok(())
    }
}

/// True of what was refused because nothing outside its template leads there.
pub(crate) fn waits_for_invitation(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Trap { guard: Guard::Template | Guard::Chain })
}
