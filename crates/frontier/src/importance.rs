//! What is known of URLs from the pages that link to them: in-links, an estimate of PageRank, cash.
//!
//! It is held in memory and kept nowhere: links are rows of the archive, from which it can be gathered again page by
//! page, as a [`Recollection`]. Known URLs and remembered links are bounded; of more, the most important stay.

use model::{HostKey, UrlKey};

use crate::Offer;
use crate::key_hash::KeyMap;
use crate::known_links::{KnownLinks, LinkLog, MOST_LINKS};
use crate::numbers::Numbers;
use crate::order::{Priority, Worth};
use crate::promise::{PageTopic, PromisedUrl, handed_on, hope};

/// URLs known at most: of further ones nothing is known until the least important make room. An order must not need
/// more memory than a crawl.
const MOST: usize = 7 << 16;

/// Who knows so many will know far more.
const MANY: usize = 7 << 13;

/// How often a link is followed.
const DAMPING: f32 = 0.85;

/// The rank of a page that nothing links to.
const LEAST_RANK: f32 = 1.0 - DAMPING;

/// Pages up to which every page makes an epoch; later ones come with every fiftieth part more.
const EVERY_PAGE: u64 = 512;

/// Pages before ranks are first wanted; then with every third part more.
const FIRST_RANKS: u64 = 1_000;

/// By what part of itself a rank has to differ to count as another.
const NOTABLE: f32 = 1.0 / 16.0;

/// By what part of itself the worth of a URL has to differ to be worth another place, when pages are many. Each move is
/// two rows written.
const WORTH_A_MOVE: f32 = 1.0 / 16.0;

/// And by how much more: what one link from a page like most others brings is less.
const LITTLE: f32 = 0.01;

/// URLs that are worth less than this part of the best of their host keep their places until their turn is near.
const FAR: f32 = 0.4;

/// The turn of URLs that are worth this part of the best is near.
const NEAR: f32 = 0.6;

/// How much room is left. It is made in steps, each with a commit of its own, so that none lasts long.
#[derive(Debug, Default)]
enum Room {
    #[default]
    Enough,
    /// Ranks tell what may go.
    Little,
    /// Which of the first so many URLs stay; later ones do.
    Chosen(Vec<bool>),
}

/// What links say of the URLs of a crawl.
#[derive(Debug, Default)]
pub(crate) struct Importance {
    numbers: Numbers,
    /// URLs by number.
    known: Vec<Known>,
    /// The same, where there is a topic.
    promised: Vec<Promised>,
    links: LinkLog,
    /// Links are remembered, for ranks.
    keeps_links: bool,
    /// What the order goes by.
    worth: Worth,
    /// Pages and links on them, by host, for orders that ask.
    links_on: KeyMap<HostKey, (u64, u64)>,
    /// Hosts by number, and their numbers.
    hosts: Vec<HostUrls>,
    host_numbers: KeyMap<HostKey, u32>,
    pages: u64,
    epoch: u64,
    next_epoch: u64,
    /// Pages at which ranks are wanted again.
    next_ranks: u64,
    room: Room,
    /// Not all URLs and links had room.
    is_partial: bool,
    /// Pages were read before, and what they say of links is not known.
    forgot: bool,
    forgot_promises: bool,
    /// Grows when URLs get other numbers.
    age: u64,
}

/// A URL by its number.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Parts of the key: a wide number would take more room.
    page: [u32; 4],
    /// The host by its number.
    host: u32,
    in_links: u32,
    rank: f32,
    cash: f32,
    /// Its place in the queue, as it was last given; 0 when that is not known.
    placed: u32,
    /// It was fetched.
    read: bool,
    stands: Stands,
    /// Links on it as it was last read, as far as they can be counted here.
    links: u16,
}

/// How a waiting URL stands beside its place in the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stands {
    /// Nothing has changed since it was given.
    #[default]
    There,
    /// More is known: it is among the changed ones of its host.
    Changed,
    /// The same, and its turn is far: it is among those put off.
    PutOff,
}

/// The URLs of a host of which more is known than when they were put into their queue.
#[derive(Debug)]
struct HostUrls {
    key: HostKey,
    /// To be looked at.
    changed: Vec<u32>,
    /// Worth too little to be moved now; some that are not any more.
    put_off: Vec<u32>,
    /// From here on they are worth it.
    worth: f32,
}

/// What pages promise of a URL.
#[derive(Clone, Copy, Debug, Default)]
struct Promised {
    parent_relevance: f32,
    inherited: f32,
    promise: f32,
}

/// What links say of a URL.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    /// Links on it as it was last read.
    pub(crate) links: Option<u16>,
    /// Pages that link to it.
    pub(crate) in_links: u32,
    /// Its rank, where a page that nothing links to has 0.15.
    pub(crate) rank: f32,
    /// What they hand on of their cash.
    pub(crate) cash: f32,
    /// Relevance of the most relevant of them.
    pub(crate) parent_relevance: f32,
    /// What they hand on of their relevance, or of what they inherited.
    pub(crate) inherited: f32,
    /// That and what the links to it promise.
    pub(crate) promise: f32,
}

/// What was known of links before, gathered again page by page in the order in which they were fetched.
#[derive(Debug)]
pub struct Recollection(Importance);

impl Default for Recollection {
    fn default() -> Recollection {
        Recollection(Importance { keeps_links: true, ..Importance::default() })
    }
}

impl Recollection {
    /// The next page, and what it links to with what weight: followed links only.
    pub fn page(&mut self, key: UrlKey, links: impl IntoIterator<Item = (UrlKey, u8)>) {
        let targets = links.into_iter().map(|(target, weight)| (target, weight, 0.0)).collect();
        self.0.read(key, targets, None);
    }

    /// True when further pages would not be remembered.
    pub fn is_full(&self) -> bool {
        self.0.links.len() >= MOST_LINKS
    }
}

impl Importance {
    /// Of a crawl that has read so many pages.
    pub(crate) fn new(pages: u64, keeps_links: bool, worth: Worth) -> Importance {
        let forgot = pages > 0;
        Importance { pages, keeps_links, worth, forgot, forgot_promises: forgot, ..Importance::default() }
    }

    /// Begins anew with a crawl that has read so many pages.
    pub(crate) fn begin_anew(&mut self, pages: u64, keeps_links: bool, worth: Worth) {
        let (age, epoch) = (self.age + 1, self.epoch + 1);
        *self = Importance { age, epoch, ..Importance::new(pages, keeps_links, worth) };
    }

    /// The order goes by something else.
    pub(crate) fn set_worth(&mut self, worth: Worth) {
        self.worth = worth;
    }

    /// A page was read: it hands on its rank and its cash over its links, by their weights.
    pub(crate) fn page(&mut self, key: UrlKey, depth: u32, links: &[Offer], topic: Option<&PageTopic>) {
        // A start URL is taken for relevant until it is known better.
        let inherited = if depth == 0 { 1.0 } else { self.of(key).inherited };
        let topic_of_page =
            topic.map(|topic| (topic.relevance, handed_on(topic.on_topic, topic.relevance, inherited)));
        let promise = |at: usize| topic.and_then(|topic| topic.promises.get(at)).copied().unwrap_or(0.0);
        let targets = links
            .iter()
            .enumerate()
            .filter(|(_, link)| link.unfollowed.is_none())
            .map(|(at, link)| (link.key, link.weight, promise(at)))
            .collect();
        self.read(key, targets, topic_of_page);
        self.pages += 1;
        if self.pages >= self.next_epoch {
            self.epoch += 1;
            self.next_epoch =
                if self.pages < EVERY_PAGE { self.pages + 1 } else { self.pages + self.pages / 50 };
        }
    }

    /// A page hands on what it has to the targets of its links, each with its weight and what it promises.
    fn read(&mut self, key: UrlKey, mut targets: Vec<(UrlKey, u8, f32)>, topic: Option<(f32, f32)>) {
        targets.retain(|(target, _, _)| *target != key);
        targets.iter_mut().for_each(|(_, weight, _)| *weight = (*weight).max(1));
        targets.sort_unstable_by_key(|(key, weight, _)| (key.page, u8::MAX - weight));
        // Of several links to one page the weightiest counts, and the most promising.
        targets.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.2 = kept.2.max(next.2);
            }
            same
        });
        let all: f32 = targets.iter().map(|(_, weight, _)| f32::from(*weight)).sum();
        let count = u16::try_from(targets.len()).unwrap_or(u16::MAX);
        let source = self.number(key);
        if self.worth == Worth::Other {
            let known = source.map(|source| &self.known[source as usize]).filter(|known| known.read);
            let (pages, links) = self.links_on.entry(key.host).or_default();
            match known {
                // The links of its latest version count.
                Some(known) => *links = (*links + u64::from(count)).saturating_sub(u64::from(known.links)),
                None => (*pages, *links) = (*pages + 1, *links + u64::from(count)),
            }
        }
        let own = source.map(|source| &mut self.known[source as usize]);
        let (rank, in_links, cash, again) = match own {
            Some(own) => {
                let was_read = std::mem::replace(&mut own.read, true);
                own.links = count;
                (own.rank, own.in_links, std::mem::take(&mut own.cash), was_read)
            }
            None => (LEAST_RANK, 0, 0.0, false),
        };
        // A start URL begins with something to hand on.
        let cash = if in_links == 0 { 1.0 } else { cash };
        let mut links: Vec<(u32, u8)> = Vec::with_capacity(targets.len());
        // Known ones are found all at once: they lie apart, and one after the other each would be waited for.
        let found: Vec<Option<u32>> = targets.iter().map(|(target, _, _)| self.find(*target)).collect();
        for ((target, weight, promise), found) in targets.into_iter().zip(found) {
            let Some(number) = found.or_else(|| self.number(target)) else { continue };
            links.push((number, weight));
            let share = f32::from(weight) / all;
            let known = &mut self.known[number as usize];
            // The links of a page that is read again count once.
            if !again || known.in_links == 0 {
                known.in_links = known.in_links.saturating_add(1);
                known.rank += DAMPING * rank * share;
                known.cash += cash * share;
            }
            if let Some((relevance, handed_on)) = topic {
                let promised = self.promised_of(number);
                promised.parent_relevance = promised.parent_relevance.max(relevance);
                promised.inherited = promised.inherited.max(handed_on);
                promised.promise = promised.promise.max(hope(handed_on, promise));
            }
            self.mark_changed(number);
        }
        if let Some(source) = source.filter(|_| self.keeps_links && !again) {
            self.is_partial |= !self.links.push(source, all, links.into_iter());
        }
    }

    /// True when what pages say that were read before is to be gathered again.
    pub(crate) fn wants_links(&self) -> bool {
        self.forgot
    }

    /// Takes what was known before; what was read since comes after it.
    pub(crate) fn recollect(&mut self, before: Recollection) {
        let now = std::mem::replace(self, before.0);
        for page in now.links.pages() {
            let links = page.targets.iter().zip(page.weights);
            let links = links.map(|(target, weight)| (now.key(*target), *weight, 0.0));
            self.read(now.key(page.source), links.collect(), None);
        }
        for (number, promised) in (0..).zip(&now.promised) {
            if let Some(number) = self.number(now.key(number)) {
                *self.promised_of(number) = *promised;
            }
        }
        (self.keeps_links, self.worth) = (now.keeps_links, now.worth);
        (self.pages, self.next_epoch, self.next_ranks) = (now.pages, now.next_epoch, now.next_ranks);
        self.forgot_promises = now.forgot_promises;
        (self.epoch, self.age) = (now.epoch + 1, now.age + 1);
        (0..self.known.len() as u32).for_each(|number| self.mark_changed(number));
    }

    /// True when so much was read since that ranks computed of all known links would tell more than the estimate.
    pub(crate) fn wants_ranks(&self) -> bool {
        let early = self.next_ranks - self.next_ranks / 5;
        let wanted = if self.is_crowded() { early } else { self.next_ranks };
        !self.forgot && self.pages >= wanted.max(FIRST_RANKS)
    }

    /// The links to compute ranks of.
    pub(crate) fn known_links(&self) -> KnownLinks {
        let estimates = self.known.iter().map(|known| known.rank).collect();
        KnownLinks { age: self.age, log: self.links.clone(), estimates }
    }

    /// Takes ranks that were computed of all known links in place of the estimate, each as a multiple of that of a
    /// page that nothing links to.
    pub(crate) fn set_ranks(&mut self, of: &KnownLinks, ranks: &[f32]) {
        self.next_ranks = self.pages + self.pages / 3;
        if of.age != self.age {
            return;
        }
        self.epoch += 1;
        for (number, rank) in (0..self.known.len() as u32).zip(ranks) {
            let known = &mut self.known[number as usize];
            let mut rank = LEAST_RANK * rank.max(1.0);
            if self.is_partial {
                // What was estimated is of all links.
                rank = rank.max(known.rank);
            }
            let notable = (rank - known.rank).abs() > NOTABLE * known.rank;
            known.rank = rank;
            if notable {
                self.mark_changed(number);
            }
        }
        self.room = if self.is_crowded() { Room::Little } else { Room::Enough };
    }

    /// A step towards more room, if there is little; whether there was any.
    pub(crate) fn make_room(&mut self) -> bool {
        match std::mem::take(&mut self.room) {
            Room::Enough => return false,
            Room::Little => self.room = Room::Chosen(self.most_important()),
            Room::Chosen(stays) => self.keep(&stays),
        }
        true
    }

    /// True when what waits of pages promised before the process began is not known.
    pub(crate) fn wants_promises(&self) -> bool {
        self.forgot_promises
    }

    /// What pages and links promise is to be gathered anew: the topic is another.
    pub(crate) fn forget_promises(&mut self) {
        self.promised.clear();
        self.forgot_promises = true;
    }

    /// Takes what all fetched pages promise, beside what was gathered since.
    pub(crate) fn set_promises(&mut self, promised: impl IntoIterator<Item = PromisedUrl>) {
        self.forgot_promises = false;
        self.epoch += 1;
        for PromisedUrl { key, parent_relevance, inherited, promise } in promised {
            let Some(number) = self.number(key) else { continue };
            let known = self.promised_of(number);
            known.parent_relevance = known.parent_relevance.max(parent_relevance);
            known.inherited = known.inherited.max(inherited);
            known.promise = known.promise.max(promise);
            self.mark_changed(number);
        }
    }

    /// Hosts with URLs that wait for their new place.
    pub(crate) fn changed_hosts(&self) -> impl Iterator<Item = HostKey> {
        self.hosts.iter().filter(|host| !host.changed.is_empty()).map(|host| host.key)
    }

    /// How many of a host's URLs wait for their new place.
    pub(crate) fn changes_of(&self, host: HostKey) -> usize {
        self.host_numbers.get(&host).map_or(0, |host| self.hosts[*host as usize].changed.len())
    }

    /// What is known of a URL.
    pub(crate) fn of(&self, key: UrlKey) -> Facts {
        match self.find(key) {
            Some(number) => self.of_number(number),
            None => Facts { rank: LEAST_RANK, ..Facts::default() },
        }
    }

    /// The same of a number.
    pub(crate) fn of_number(&self, number: u32) -> Facts {
        let Known { in_links, rank, cash, read, links, .. } = self.known[number as usize];
        let links = read.then_some(links);
        let Promised { parent_relevance, inherited, promise } =
            self.promised.get(number as usize).copied().unwrap_or_default();
        Facts { links, in_links, rank, cash, parent_relevance, inherited, promise }
    }

    /// The URL of a number, and the place in the queue that it was last given.
    pub(crate) fn place_of(&self, number: u32) -> (UrlKey, u32) {
        (self.key(number), self.known[number as usize].placed)
    }

    /// A URL was given a place in its queue.
    pub(crate) fn placed(&mut self, key: UrlKey, place: u32) {
        if let Some(number) = self.find(key) {
            self.known[number as usize].placed = place;
        }
    }

    /// Links on a page of a host, on the average.
    pub(crate) fn links_on(&self, host: HostKey) -> f64 {
        match self.links_on.get(&host) {
            Some((pages, links)) if *pages > 0 => *links as f64 / *pages as f64,
            _ => 0.0,
        }
    }

    /// Grows when waiting URLs are to be looked at again.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Small crawls take one URL at a time, so that each page counts for the next choice.
    pub(crate) fn is_young(&self) -> bool {
        self.pages < EVERY_PAGE
    }

    /// Takes some of a host's URLs of which more is known.
    pub(crate) fn take_changed(&mut self, host: HostKey, most: usize) -> Vec<u32> {
        let Some(host) = self.host_numbers.get(&host) else { return Vec::new() };
        let host = &mut self.hosts[*host as usize];
        let taken = match host.changed.len() <= most {
            true => std::mem::take(&mut host.changed),
            false => host.changed.drain(..most).collect(),
        };
        taken.iter().for_each(|number| self.known[*number as usize].stands = Stands::There);
        taken
    }

    /// Takes those of a host's URLs that belong to another place, where what the order goes by decides that, and the best
    /// waiting one has this place. What is far behind that one is put off until it is not.
    pub(crate) fn take_misplaced(&mut self, host: HostKey, best: u32, most: usize) -> Vec<u32> {
        let Some(host) = self.host_numbers.get(&host) else { return Vec::new() };
        let HostUrls { changed, put_off, worth, .. } = &mut self.hosts[*host as usize];
        let best = worth_at(best);
        let mut looked_at = std::mem::take(changed);
        if NEAR * best < *worth {
            let known = &self.known;
            looked_at
                .extend(put_off.drain(..).filter(|number| known[*number as usize].stands == Stands::PutOff));
            looked_at.sort_unstable();
            looked_at.dedup();
        }
        *worth = FAR * best;
        let mut misplaced = Vec::new();
        for (at, number) in looked_at.iter().enumerate() {
            if misplaced.len() == most {
                changed.extend_from_slice(&looked_at[at..]);
                looked_at[at..]
                    .iter()
                    .for_each(|number| self.known[*number as usize].stands = Stands::Changed);
                break;
            }
            let known = &mut self.known[*number as usize];
            known.stands = Stands::There;
            let (now, before) = (known.worth(self.worth), worth_at(known.placed));
            if known.read || (now - before).abs() <= WORTH_A_MOVE * before + LITTLE {
                continue;
            }
            if known.placed > 0 && now < *worth && before < *worth {
                known.stands = Stands::PutOff;
                put_off.push(*number);
            } else {
                misplaced.push(*number);
            }
        }
        misplaced
    }

    /// The number of a URL that is known.
    fn find(&self, key: UrlKey) -> Option<u32> {
        self.numbers.get(key.page, |number| self.known[number as usize].page())
    }

    /// The number of a URL, a new one if there is room.
    fn number(&mut self, key: UrlKey) -> Option<u32> {
        if let Some(number) = self.find(key) {
            return Some(number);
        }
        if self.known.len() >= MOST {
            self.is_partial = true;
            return None;
        }
        let number = self.known.len() as u32;
        if self.known.len() == MANY {
            // The room for all: growing by copies would take more than that on the way.
            self.known.reserve_exact(MOST - MANY);
        }
        let host = self.host_number(key.host);
        self.known.push(Known {
            page: [96, 64, 32, 0].map(|shift| (key.page >> shift) as u32),
            host,
            in_links: 0,
            rank: LEAST_RANK,
            cash: 0.0,
            placed: 0,
            read: false,
            stands: Stands::There,
            links: 0,
        });
        let known = &self.known;
        self.numbers.insert(key.page, number, |number| known[number as usize].page());
        Some(number)
    }

    fn host_number(&mut self, key: HostKey) -> u32 {
        let hosts = &mut self.hosts;
        *self.host_numbers.entry(key).or_insert_with(|| {
            hosts.push(HostUrls { key, changed: Vec::new(), put_off: Vec::new(), worth: 0.0 });
            hosts.len() as u32 - 1
        })
    }

    fn key(&self, number: u32) -> UrlKey {
        let known = &self.known[number as usize];
        UrlKey { host: self.hosts[known.host as usize].key, page: known.page() }
    }

    fn promised_of(&mut self, number: u32) -> &mut Promised {
        let number = number as usize;
        if self.promised.len() <= number {
            self.promised.resize(number + 1, Promised::default());
        }
        &mut self.promised[number]
    }

    fn mark_changed(&mut self, number: u32) {
        let known = &mut self.known[number as usize];
        let host = &mut self.hosts[known.host as usize];
        let is_far = known.stands == Stands::PutOff && known.worth(self.worth) < host.worth;
        if !known.read && known.stands != Stands::Changed && !is_far {
            known.stands = Stands::Changed;
            host.changed.push(number);
        }
    }

    fn is_crowded(&self) -> bool {
        self.known.len() > MOST / 4 * 3 || self.links.is_crowded()
    }

    /// Which URLs to keep so that half of the room is free: of pages those that are important, with their links, and of
    /// waiting URLs likewise.
    fn most_important(&self) -> Vec<bool> {
        let rank = |number: u32| self.known[number as usize].rank;
        let mut pages: Vec<(u32, usize)> =
            self.links.pages().map(|page| (page.source, page.targets.len())).collect();
        pages.sort_unstable_by(|a, b| rank(b.0).total_cmp(&rank(a.0)).then(a.0.cmp(&b.0)));
        let mut stays = vec![false; self.known.len()];
        let (mut links, mut urls) = (0, 0);
        for (source, count) in pages {
            links += count;
            urls += 1;
            if links > MOST_LINKS / 2 || urls > MOST / 4 {
                break;
            }
            stays[source as usize] = true;
        }
        let mut waiting: Vec<u32> =
            (0..self.known.len() as u32).filter(|number| !self.known[*number as usize].read).collect();
        let room = (MOST / 2).saturating_sub(urls);
        if waiting.len() > room {
            waiting.select_nth_unstable_by(room, |a, b| rank(*b).total_cmp(&rank(*a)).then(a.cmp(b)));
            waiting.truncate(room);
        }
        waiting.into_iter().for_each(|number| stays[number as usize] = true);
        stays
    }

    /// Forgets all URLs but these and later ones; they get other numbers.
    fn keep(&mut self, stays: &[bool]) {
        (self.is_partial, self.age) = (true, self.age + 1);
        let stays = |number: usize| stays.get(number).is_none_or(|stays| *stays);
        self.host_numbers.clear();
        let hosts = std::mem::take(&mut self.hosts);
        let mut new_hosts = vec![None; hosts.len()];
        let mut new_number = vec![None; self.known.len()];
        let mut kept = 0;
        // In place: there is no room for both.
        for old in (0..self.known.len()).filter(|old| stays(*old)) {
            let mut url = self.known[old];
            let (before, new_host) = (&hosts[url.host as usize], &mut new_hosts[url.host as usize]);
            url.host = *new_host.get_or_insert_with(|| self.host_number(before.key));
            let host = &mut self.hosts[url.host as usize];
            host.worth = before.worth;
            match url.stands {
                Stands::There => {}
                Stands::Changed => host.changed.push(kept as u32),
                Stands::PutOff => host.put_off.push(kept as u32),
            }
            self.known[kept] = url;
            let promised = self.promised.get(old).copied().unwrap_or_default();
            if let Some(place) = self.promised.get_mut(kept) {
                *place = promised;
            }
            new_number[old] = Some(kept as u32);
            kept += 1;
        }
        self.known.truncate(kept);
        self.promised.truncate(kept);
        self.numbers.renumber(&new_number);
        std::mem::take(&mut self.links).take_pages(|page| {
            if let Some(source) = new_number[page.source as usize] {
                let links = page.targets.iter().zip(page.weights);
                let links =
                    links.filter_map(|(target, weight)| Some((new_number[*target as usize]?, *weight)));
                let links: Vec<(u32, u8)> = links.collect();
                self.links.push(source, page.weight, links.into_iter());
            }
        });
    }
}

impl Known {
    fn page(&self) -> u128 {
        self.page.iter().fold(0, |page, part| (page << 32) | u128::from(*part))
    }

    /// What it is worth to an order that goes by this.
    fn worth(&self, worth: Worth) -> f32 {
        match worth {
            Worth::Rank => self.rank,
            Worth::InLinks => self.in_links as f32 / 10.0,
            Worth::Cash => self.cash / 0.01,
            Worth::Other => f32::INFINITY,
        }
    }
}

/// What a URL at this place of a queue was worth: the odds of its score.
pub(crate) fn worth_at(place: u32) -> f32 {
    let score = Priority(u32::MAX - place).score();
    score / (1.0 - score)
}

/// The place of a queue where URLs are worth so much.
pub(crate) fn place_of(worth: f32) -> u32 {
    u32::MAX - Priority::of_score(f64::from(worth / (1.0 + worth))).0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(number: u64) -> UrlKey {
        UrlKey {
            host: HostKey(number % 7),
            page: u128::from(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)) << 7,
        }
    }

    /// A page that links to these.
    fn read(importance: &mut Importance, page: u64, links: &[u64]) {
        importance.read(url(page), links.iter().map(|link| (url(*link), 1, 0.0)).collect(), None);
        importance.pages += 1;
    }

    /// What was read before a restart and what was read after it, together as if there had been none.
    #[test]
    fn what_is_gathered_again_is_what_was_known() {
        let pages: [(u64, &[u64]); 5] =
            [(0, &[1, 2, 3]), (2, &[3, 4, 0]), (3, &[5]), (4, &[5, 6, 1]), (5, &[6])];
        let mut whole = Importance::new(0, true, Worth::Other);
        pages.iter().for_each(|(page, links)| read(&mut whole, *page, links));
        for restart in 0..=pages.len() {
            let mut before = Recollection::default();
            for (page, links) in &pages[..restart] {
                before.page(url(*page), links.iter().map(|link| (url(*link), 1)));
            }
            let mut after = Importance::new(restart as u64, true, Worth::Other);
            pages[restart..].iter().for_each(|(page, links)| read(&mut after, *page, links));
            assert_eq!(after.wants_links(), restart > 0);
            after.recollect(before);
            assert!(!after.wants_links());
            for number in 0..7 {
                assert_eq!(after.of(url(number)), whole.of(url(number)), "{number}, restart after {restart}");
            }
            assert_eq!(after.links_on(HostKey(0)), whole.links_on(HostKey(0)));
        }
    }

    #[test]
    fn the_cash_of_a_start_url_reaches_what_is_linked_to() {
        let mut importance = Importance::new(0, true, Worth::Rank);
        read(&mut importance, 0, &[1, 2]);
        read(&mut importance, 1, &[2]);
        assert_eq!(importance.of(url(2)).cash, 1.0);
        // Read again, it hands nothing on twice.
        read(&mut importance, 1, &[2, 3]);
        assert_eq!((importance.of(url(2)).cash, importance.of(url(2)).in_links), (1.0, 2));
        assert_eq!(importance.of(url(3)).in_links, 1);
    }

    #[test]
    fn of_a_page_that_is_read_again_the_links_of_its_latest_version_count() {
        let mut importance = Importance::new(0, true, Worth::Other);
        read(&mut importance, 0, &[1, 2, 3, 4]);
        read(&mut importance, 7, &[1, 2]);
        assert_eq!((importance.links_on(HostKey(0)), importance.of(url(7)).links), (3.0, Some(2)));
        read(&mut importance, 7, &(8..18).collect::<Vec<_>>());
        assert_eq!((importance.links_on(HostKey(0)), importance.of(url(7)).links), (7.0, Some(10)));
        // Of what waits its host tells.
        assert_eq!(importance.of(url(14)).links, None);
    }

    /// Far more URLs than there is room for: what many link to is known whenever it is met.
    #[test]
    fn the_least_important_make_room_for_what_is_met_later() {
        let mut importance = Importance::new(0, true, Worth::Rank);
        let mut next = 1_000;
        for round in 0..9u64 {
            for page in 0..1_500 {
                let mut links: Vec<u64> = (next..next + 50).collect();
                // One that each page of the round links to.
                links.push(round + 1);
                read(&mut importance, next - 50, &links);
                next += 50;
                assert!(importance.known.len() <= MOST && importance.links.len() <= MOST_LINKS, "{page}");
            }
            let known = importance.known_links();
            let ranks: Vec<f32> = known.estimates.iter().map(|rank| rank / LEAST_RANK).collect();
            importance.set_ranks(&known, &ranks);
            let (age, room) = (importance.age, importance.make_room());
            // Read between the steps: it stays.
            read(&mut importance, next - 50, &[next]);
            assert_eq!((importance.age, importance.make_room()), (age, room));
            assert_eq!(importance.of(url(next)).in_links, 1);
            next += 50;
        }
        assert!(importance.is_partial);
        for popular in 1..=9 {
            assert_eq!(importance.of(url(popular)).in_links, 1_500, "{popular}");
        }
        // Numbers agree with each other everywhere.
        for number in 0..importance.known.len() as u32 {
            assert_eq!(importance.find(importance.key(number)), Some(number));
        }
        for page in importance.links.pages() {
            assert!(importance.known[page.source as usize].read);
            assert!(page.targets.iter().all(|target| (*target as usize) < importance.known.len()));
        }
        let changed: usize = importance.hosts.iter().map(|host| host.changed.len()).sum();
        let stand = importance.known.iter().filter(|known| known.stands == Stands::Changed);
        assert_eq!(changed, stand.count());
    }

    #[test]
    fn ranks_of_other_numbers_are_not_taken() {
        let mut importance = Importance::new(0, true, Worth::Rank);
        read(&mut importance, 0, &[1, 2]);
        let known = importance.known_links();
        importance.begin_anew(1, true, Worth::Rank);
        read(&mut importance, 3, &[4]);
        let before = importance.of(url(3));
        importance.set_ranks(&known, &[9.0, 9.0, 9.0]);
        assert_eq!(importance.of(url(3)), before);
        importance.set_ranks(&importance.known_links(), &[9.0, 9.0]);
        assert_eq!(importance.of(url(3)).rank, 9.0 * LEAST_RANK);
    }
}
