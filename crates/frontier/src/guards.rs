//! Guards against endless spaces: what a host's URL templates may cost, by what they have brought.
//!
//! A URL is **invited** when a page of another template family, or of another host, links to it; the pages of a
//! trap invite only each other. Invited URLs pass. Of each template some URLs may be fetched uninvited, and every
//! page with [news](crate::novelty) earns more, so that a wiki whose articles only link to each other is read to
//! its end while a calendar, a tarpit of near-copies or a session id in each link is given up after some dozen
//! pages. The less a host's uninvited pages bring, the fewer each further template may try. Whatever they bring, a
//! chain of uninvited pages ends at `max_chain`, counted from the deepest invited page of its template: no chain is
//! taken for longer than it is.
//!
//! Trade-offs: a large set of pages with next to no text of their own, reached only through each other in many
//! ways, is taken for a trap (a chain of them is followed much longer: it grows by one URL a page). Text made up
//! without end counts as news; such a space ends at `max_chain` if it is narrow, at `max_pages_per_template` if it
//! branches, or early when each page is slow (`slow_page`). Guards are asked for new URLs, leased ones and settled pages only, never for known links.
//!
//! What is counted is durable with the pages it was counted on; what is under way is known in memory only, so
//! a crash costs nothing but a repeated look.

use std::collections::hash_map::Entry;
use std::time::Duration;

use kv::{Batch, Reader, Store};
use model::{CrawlId, CrawlSettings, Guard, HostKey, Outcome, PageUrl, UrlKey};

use crate::FrontierError;
use crate::key_hash::{KeyMap, KeySet};
use crate::novelty::{self, Blocks, HOST_PAGES, Samples, TEMPLATE_PAGES, TextMark};
use crate::tables::{GUARDS, GuardRecord, STOCKS, StockRecord, TEXTS, TemplateRecord, URL_TEMPLATES};
use crate::template::Template;

/// Uninvited pages that a page with news earns its template: one page in four is enough to go on for ever.
const EARNS: u64 = 4;

/// Uninvited pages that all templates of a host together may try, in shares of one template's.
const HOST_SHARES: u64 = 2;

/// Uninvited pages that a template may try on a host that has brought next to nothing.
const LEAST: u64 = 2;

/// A template with no more open URLs is a chain, and may be followed this many times longer.
const CHAIN_OPEN: u64 = 8;
const CHAIN_TIMES: u64 = 25;

/// What lies longer back than this many pages counts half.
const WINDOW: u64 = 512;

/// Templates counted per host; the others share one count.
const MOST_TEMPLATES: u64 = 1_024;
const OTHERS: u64 = 1;

/// Pages after which a host's memory of texts is written again. Losing it makes a few pages look new.
const STOCK_PAGES: u32 = 8;

/// Hosts kept in memory, and templates of all of them: 4.5 KiB each at most.
const MOST_HOSTS: usize = 4_096;
const MOST_IN_MEMORY: usize = 8_192;

/// The guards of one crawl.
pub(crate) struct Guards {
    limits: Limits,
    hosts: KeyMap<HostKey, HostGuards>,
    changed: KeySet<HostKey>,
}

/// The settings that guard.
#[derive(Clone, Copy)]
struct Limits {
    combinations: usize,
    stale_per_template: u64,
    stale_per_host: u64,
    pages_per_template: u64,
    chain: u32,
    slow_page: Option<Duration>,
}

/// What a guard says of a URL whose turn has come.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    Take,
    /// Not before what is under way has come back.
    Later,
    Refuse(Outcome),
}

/// Where a link stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inviter {
    host: HostKey,
    /// None when its own template is given up: it invites nobody on its host.
    family: Option<u64>,
}

impl Inviter {
    /// True when its link to a URL of this host and family is an invitation.
    pub(crate) fn invites(self, host: HostKey, family: u64) -> bool {
        host != self.host || self.family.is_some_and(|own| own != family)
    }
}

/// A host in memory.
#[derive(Default)]
struct HostGuards {
    record: GuardRecord,
    record_changed: bool,
    samples: Samples,
    blocks: Blocks,
    stock_age: u32,
    templates: KeyMap<u64, TemplateGuards>,
    under_way: KeyMap<u128, UnderWay>,
    uninvited_under_way: u64,
}

#[derive(Default)]
struct TemplateGuards {
    record: TemplateRecord,
    changed: bool,
    samples: Samples,
    samples_changed: bool,
    under_way: u64,
    uninvited_under_way: u64,
}

/// A URL that is being fetched.
#[derive(Clone, Copy)]
struct UnderWay {
    template: Option<u64>,
    how: Came,
}

#[derive(Clone, Copy, PartialEq)]
enum Came {
    Invited,
    Uninvited,
    /// Uninvited, but one of few: its host's share is not touched.
    InChain,
}

impl Guards {
    pub(crate) fn new(settings: &CrawlSettings) -> Guards {
        let limits = Limits {
            combinations: settings.max_combinations as usize,
            stale_per_template: settings.max_stale_per_template,
            stale_per_host: settings.max_stale_per_host,
            pages_per_template: settings.max_pages_per_template,
            chain: settings.max_chain,
            slow_page: settings.slow_page.limit(),
        };
        Guards { limits, hosts: KeyMap::default(), changed: KeySet::default() }
    }

    /// A URL is met for the first time and would be queued: the outcome that refuses it, if any.
    pub(crate) fn meet(
        &mut self,
        store: &Store,
        id: CrawlId,
        key: HostKey,
        url: &PageUrl,
    ) -> Result<Option<Outcome>, FrontierError> {
        let limits = self.limits;
        self.changed.insert(key);
        let host = self.host(store, id, key)?;
        if !host.record.places.combination(url, limits.combinations, &mut host.record_changed) {
            return Ok(Some(Outcome::Trap { guard: Guard::Combinations }));
        }
        host.record_changed |= host.record.places.learn(url);
        let template = host.record.places.template(url);
        if let Some(guards) = host.template(store, (id, key), &template)? {
            guards.record.met += 1;
            guards.changed = true;
        }
        Ok(None)
    }

    /// Where the links of a page stand.
    pub(crate) fn inviter(
        &mut self,
        store: &Store,
        id: CrawlId,
        key: HostKey,
        url: &PageUrl,
    ) -> Result<Inviter, FrontierError> {
        let limits = self.limits;
        let host = self.host(store, id, key)?;
        let template = host.record.places.template(url);
        let given_up = host.given_up(store, (id, key), &template, &limits)?;
        Ok(Inviter { host: key, family: (!given_up).then_some(template.family.max(1)) })
    }

    /// The family of a URL's template; 1 on a host of which nothing is known in memory.
    pub(crate) fn family(&self, key: HostKey, url: &PageUrl) -> u64 {
        self.hosts.get(&key).map_or(1, |host| host.record.places.template(url).family.max(1))
    }

    /// Whether a URL may be fetched now. `taken` by its answer, it is under way until it has [ended](Self::ended).
    pub(crate) fn verdict(
        &mut self,
        store: &Store,
        id: CrawlId,
        key: UrlKey,
        (url, depth): (&PageUrl, u32),
        invited: bool,
    ) -> Result<Verdict, FrontierError> {
        let limits = self.limits;
        let host = self.host(store, id, key.host)?;
        let template = host.record.places.template(url);
        let exhausted = host.exhausted(&limits);
        let share = host.share(&limits);
        let guards = host.template(store, (id, key.host), &template)?;
        let (answer, how) = match &guards {
            // Names one page: nothing to count but the host.
            None if invited || !exhausted => (Verdict::Take, Came::Invited),
            None => (refuse(Guard::StaleHost), Came::Uninvited),
            Some(guards) => guards.verdict(&limits, share, depth, invited, exhausted),
        };
        if answer == Verdict::Take {
            let known = host.key_of(&template);
            if let Some(guards) = known.and_then(|known| host.templates.get_mut(&known)) {
                guards.under_way += 1;
                guards.uninvited_under_way += u64::from(how != Came::Invited);
                if invited {
                    guards.record.invited_depth = guards.record.invited_depth.max(depth);
                }
            }
            host.uninvited_under_way += u64::from(how == Came::Uninvited);
            host.under_way.insert(key.page, UnderWay { template: known, how });
        }
        Ok(answer)
    }

    /// A URL is no longer under way: given back unasked, or settled.
    pub(crate) fn ended(&mut self, key: UrlKey, settled: bool) {
        let Some(host) = self.hosts.get_mut(&key.host) else { return };
        let Some(was) = host.under_way.remove(&key.page) else { return };
        host.uninvited_under_way -= u64::from(was.how == Came::Uninvited);
        let Some(guards) = was.template.and_then(|template| host.templates.get_mut(&template)) else {
            return;
        };
        guards.under_way -= 1;
        guards.uninvited_under_way -= u64::from(was.how != Came::Invited);
        if settled {
            guards.record.ended += 1;
            guards.changed = true;
            self.changed.insert(key.host);
        }
    }

    /// A page was fetched: counts it, before it has [ended](Self::ended), and says whether it has news.
    pub(crate) fn page(
        &mut self,
        batch: &mut Batch,
        id: CrawlId,
        key: UrlKey,
        text: Option<&TextMark>,
        took: Duration,
    ) -> Result<bool, FrontierError> {
        let slow = self.limits.slow_page.is_some_and(|limit| took >= limit);
        self.changed.insert(key.host);
        let Some(host) = self.hosts.get_mut(&key.host) else { return Ok(true) };
        let was = host.under_way.get(&key.page).copied();
        let mut template = was.and_then(|was| was.template).and_then(|key| host.templates.get_mut(&key));
        let mut copy = false;
        let mut news = true;
        if let Some(mark) = text {
            let row = (id.0, key.host.0, mark.hash);
            copy = batch.contains(&TEXTS, &row)?;
            if !copy {
                batch.put(&TEXTS, &row, &());
            }
            let nothing = Samples::default();
            let own = template.as_ref().map_or(&nothing, |template| &template.samples);
            let sample = novelty::news(mark, &mut host.blocks, &[&host.samples, own]);
            news = sample.is_some() && !copy && !mark.known;
            if let Some(sample) = sample.filter(|_| news) {
                if let Some(template) = &mut template {
                    template.samples.remember(sample.clone(), TEMPLATE_PAGES);
                    template.samples_changed = true;
                }
                host.samples.remember(sample, HOST_PAGES);
            }
        }
        let came = was.map_or(Came::Invited, |was| was.how);
        // A slow page may well be news, but it earns nothing: time is what a tarpit is after.
        let earns = news && !slow;
        host.stock_age += 1;
        host.record_changed = true;
        host.record.count(came == Came::Uninvited, news, earns);
        if let Some(template) = template {
            template.changed = true;
            template.record.count(came != Came::Invited, copy, news, earns);
        }
        Ok(news)
    }

    /// Writes what has changed.
    pub(crate) fn seal(&mut self, batch: &mut Batch, id: CrawlId) {
        for key in self.changed.drain() {
            let Some(host) = self.hosts.get_mut(&key) else { continue };
            if std::mem::take(&mut host.record_changed) {
                batch.put(&GUARDS, &(id.0, key.0), &host.record);
            }
            let stock_due = host.stock_age >= STOCK_PAGES;
            for (template, guards) in &mut host.templates {
                if std::mem::take(&mut guards.changed) {
                    batch.put(&URL_TEMPLATES, &(id.0, key.0, *template), &guards.record);
                }
                if stock_due && std::mem::take(&mut guards.samples_changed) {
                    let stock = StockRecord { samples: guards.samples.clone(), blocks: Vec::new() };
                    batch.put(&STOCKS, &(id.0, key.0, *template), &stock);
                }
            }
            if stock_due {
                host.stock_age = 0;
                let stock = StockRecord { samples: host.samples.clone(), blocks: Vec::from(&host.blocks) };
                batch.put(&STOCKS, &(id.0, key.0, 0), &stock);
            }
        }
    }

    /// Keeps memory flat, after a commit: hosts with nothing under way are read again when they are wanted.
    pub(crate) fn make_room(&mut self) {
        let templates: usize = self.hosts.values().map(|host| host.templates.len()).sum();
        if self.hosts.len() > MOST_HOSTS || templates > MOST_IN_MEMORY {
            let changed = &self.changed;
            self.hosts.retain(|key, host| !host.under_way.is_empty() || changed.contains(key));
        }
    }

    fn host(&mut self, store: &Store, id: CrawlId, key: HostKey) -> Result<&mut HostGuards, FrontierError> {
        let place = match self.hosts.entry(key) {
            Entry::Occupied(known) => return Ok(known.into_mut()),
            Entry::Vacant(place) => place,
        };
        let mut host = HostGuards::default();
        if let Some(record) = store.get(&GUARDS, &(id.0, key.0))? {
            host.record = record;
            let stock = store.get(&STOCKS, &(id.0, key.0, 0))?.unwrap_or_default();
            host.samples = stock.samples;
            host.blocks = stock.blocks.into();
        }
        Ok(place.insert(host))
    }
}

impl HostGuards {
    /// The counts of a template; none of one that names a single page.
    fn template(
        &mut self,
        store: &Store,
        (id, host): (CrawlId, HostKey),
        template: &Template,
    ) -> Result<Option<&mut TemplateGuards>, FrontierError> {
        if template.names_one_page() {
            return Ok(None);
        }
        let row = |key| (id.0, host.0, key);
        let mut key = template.key;
        if self.templates.contains_key(&key) {
            return Ok(self.templates.get_mut(&key));
        }
        let mut stored = store.get(&URL_TEMPLATES, &row(key))?;
        if stored.is_none() && self.record.templates >= MOST_TEMPLATES {
            key = OTHERS;
            if self.templates.contains_key(&key) {
                return Ok(self.templates.get_mut(&key));
            }
            stored = store.get(&URL_TEMPLATES, &row(key))?;
        } else if stored.is_none() {
            self.record.templates += 1;
            self.record_changed = true;
        }
        let samples = match &stored {
            Some(_) => store.get(&STOCKS, &row(key))?.unwrap_or_default().samples,
            None => Samples::default(),
        };
        let text = if key == OTHERS { "any other" } else { &template.text };
        let record = stored.unwrap_or_else(|| TemplateRecord::new(text));
        let guards = TemplateGuards { record, samples, ..TemplateGuards::default() };
        Ok(Some(self.templates.entry(key).or_insert(guards)))
    }

    /// The key under which a template is counted here.
    fn key_of(&self, template: &Template) -> Option<u64> {
        if template.names_one_page() {
            return None;
        }
        Some(if self.templates.contains_key(&template.key) { template.key } else { OTHERS })
    }

    fn given_up(
        &mut self,
        store: &Store,
        at: (CrawlId, HostKey),
        template: &Template,
        limits: &Limits,
    ) -> Result<bool, FrontierError> {
        let share = self.share(limits);
        let guards = self.template(store, at, template)?;
        Ok(guards.is_some_and(|guards| guards.record.uninvited >= guards.record.allowed(limits, share)))
    }

    /// Uninvited pages without news that a template may try on this host.
    fn share(&self, limits: &Limits) -> u64 {
        let most = limits.stale_per_template;
        let all = most.saturating_mul(HOST_SHARES).saturating_add(EARNS * self.record.earning);
        let left = all.saturating_sub(self.record.uninvited + self.uninvited_under_way);
        left.clamp(LEAST.min(most), most)
    }

    fn exhausted(&self, limits: &Limits) -> bool {
        let earned = EARNS.saturating_mul(self.record.news);
        limits.stale_per_host > 0 && self.record.stale >= limits.stale_per_host.saturating_add(earned)
    }
}

impl TemplateGuards {
    fn verdict(
        &self,
        limits: &Limits,
        share: u64,
        depth: u32,
        invited: bool,
        exhausted: bool,
    ) -> (Verdict, Came) {
        let record = &self.record;
        let most = limits.pages_per_template;
        if most > 0 && record.pages + self.under_way >= most {
            let full = record.pages >= most;
            let answer = if full { refuse(Guard::TemplatePages) } else { Verdict::Later };
            return (answer, Came::Invited);
        }
        let end = record.invited_depth.saturating_add(limits.chain);
        if limits.chain > 0 && !invited && depth > end {
            return (refuse(Guard::Chain), Came::InChain);
        }
        if invited && !exhausted || limits.stale_per_template == 0 {
            return (Verdict::Take, Came::Invited);
        }
        let how = if record.is_chain() { Came::InChain } else { Came::Uninvited };
        let allowed = record.allowed(limits, share);
        let answer = if record.uninvited >= allowed {
            refuse(if invited { Guard::StaleHost } else { Guard::Template })
        } else if record.uninvited + self.uninvited_under_way >= allowed {
            Verdict::Later
        } else {
            Verdict::Take
        };
        (answer, how)
    }
}

impl GuardRecord {
    fn count(&mut self, uninvited: bool, news: bool, earns: bool) {
        self.news += u64::from(news);
        self.stale += u64::from(!news);
        self.uninvited += u64::from(uninvited);
        self.earning += u64::from(earns);
        if self.uninvited > WINDOW {
            self.uninvited /= 2;
            self.earning /= 2;
        }
    }
}

impl TemplateRecord {
    fn new(text: &str) -> TemplateRecord {
        TemplateRecord { text: text.chars().take(256).collect(), ..TemplateRecord::default() }
    }

    fn count(&mut self, uninvited: bool, copy: bool, news: bool, earns: bool) {
        self.pages += 1;
        self.copies += u64::from(copy);
        self.news += u64::from(news);
        self.uninvited += u64::from(uninvited);
        self.earning += u64::from(earns);
        if self.uninvited > WINDOW && !self.is_chain() {
            self.uninvited /= 2;
            self.earning /= 2;
        }
    }

    /// Few URLs are open, and its pages are not all the same.
    fn is_chain(&self) -> bool {
        self.met.saturating_sub(self.ended) <= CHAIN_OPEN && self.copies * 4 <= self.pages * 3
    }

    /// Pages that may be fetched uninvited.
    fn allowed(&self, limits: &Limits, share: u64) -> u64 {
        let free = match self.is_chain() {
            _ if limits.stale_per_template == 0 => u64::MAX,
            true => limits.stale_per_template.saturating_mul(CHAIN_TIMES),
            false => share,
        };
        free.saturating_add(EARNS * self.earning)
    }
}

fn refuse(guard: Guard) -> Verdict {
    Verdict::Refuse(Outcome::Trap { guard })
}
