//! The Web as a crawl has met it, from its tables: all of it, or a sample where that is too much.

use std::collections::{HashMap, HashSet};

use archive::tables::{LINKS, VISITS, VisitRecord};
use frontier::Unfollowed;
use frontier::tables::{HOSTS, RELEVANCE, URLS, UrlRecord, relevance_of};
use judge::topic::Topic;
use kv::Reader;
use model::{CrawlId, ErrorKind, HostKey, LinkKind, Outcome, PageUrl, UrlKey};

use crate::replay::{History, Named};
use crate::sources::numbered_hosts;
use crate::web::{Look, ON_TOPIC, Says};
use crate::{SimWeb, SimulateError};

/// Pages looked at, one before the other, for one of the sample that led to a URL.
const LONGEST_WAY: usize = 64;

/// Pages outside a sample of which it is remembered what led to them.
const MOST_REMEMBERED: usize = 1 << 18;

/// The Web as a crawl has met it: what it fetched, and what it knows besides.
pub fn of_crawl(
    reader: &impl Reader,
    crawl: CrawlId,
    start: &[PageUrl],
    topic: Option<&Topic>,
) -> Result<SimWeb, SimulateError> {
    of_sample(reader, crawl, start, topic, 1)
}

/// How relevant the page of a URL is, from 0 to 1, by what is kept of it; none where nothing is.
pub type Judge<'a> = &'a mut dyn FnMut(&PageUrl) -> Option<f32>;

/// The same by another topic than that of the crawl: its pages are judged anew.
pub fn of_crawl_judged(
    reader: &impl Reader,
    crawl: CrawlId,
    start: &[PageUrl],
    topic: &Topic,
    judge: Judge<'_>,
) -> Result<SimWeb, SimulateError> {
    met(reader, crawl, start, Some(topic), (1, Some(judge)))
}

/// The same of one URL in so many, chosen by its key, and of where crawls begin. A URL whose page before it is not among
/// them is linked to by the nearest one before that; without any, crawls begin there, too. On every host and for every
/// connection there is that much less to do: what it takes, times so many, is what all take.
pub fn of_sample(
    reader: &impl Reader,
    crawl: CrawlId,
    start: &[PageUrl],
    topic: Option<&Topic>,
    every: u64,
) -> Result<SimWeb, SimulateError> {
    met(reader, crawl, start, topic, (every, None))
}

fn met(
    reader: &impl Reader,
    crawl: CrawlId,
    start: &[PageUrl],
    topic: Option<&Topic>,
    (every, judge): (u64, Option<Judge<'_>>),
) -> Result<SimWeb, SimulateError> {
    let starts: HashSet<UrlKey> = start.iter().map(UrlKey::of).collect();
    let (mut keys, mut urls, mut outcomes, mut before) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut named = Vec::new();
    let mut meet = |key: UrlKey, record: UrlRecord| {
        if record.via.is_none() && !starts.contains(&key) {
            let number = keys.len() as u32;
            named.push(Named { found: record.found, arrival: record.arrival, number, depth: record.depth });
        }
        keys.push(key);
        urls.push(record.url);
        outcomes.push(record.outcome);
        before.push(record.via);
    };
    if every <= 1 {
        for row in reader.prefix(&URLS, &crawl.0) {
            let ((_, host, page), record) = row?;
            meet(UrlKey { host: HostKey(host), page }, record);
        }
    } else {
        for row in reader.prefix(&URLS, &crawl.0).keys() {
            let row = row?;
            let key = UrlKey { host: HostKey(row.1), page: row.2 };
            if (key.page as u64).is_multiple_of(every) || starts.contains(&key) {
                reader.get(&URLS, &row)?.into_iter().for_each(|record| meet(key, record));
            }
        }
    }
    let hosts = numbered_hosts(&urls);
    let mut pauses = Vec::new();
    for (host, url) in hosts.iter().zip(&urls) {
        // Hosts are numbered as they come: each is looked up with its first URL.
        if *host as usize == pauses.len() {
            let record = reader.get(&HOSTS, &HostKey::of(&url.host()).0)?;
            let asked = record.and_then(|record| record.crawl_delay).unwrap_or(0);
            pauses.push(asked.min(u64::from(u32::MAX)) as u32);
        }
    }
    let mut web = SimWeb::of_hosts(hosts);
    web.pauses = pauses;
    web.name(urls);
    web.says = outcomes.iter().map(|outcome| says(&web, outcome, every)).collect();
    if every <= 1 {
        web.history = History::read(reader, crawl, &keys, &outcomes, named)?;
    }
    let crawl = Met { reader, crawl, topic, keys, every };
    crawl.visits(&mut web)?;
    let relevance = match judge {
        None => crawl.relevance(&web)?,
        Some(judge) => judged(&web, judge),
    };
    web.seeds = start.iter().filter_map(|url| web.numbers.get(&UrlKey::of(url)).copied()).collect();
    let adopted = crawl.adopted(&mut web, &before)?;
    crawl.links(&mut web, !relevance.is_empty(), &adopted)?;
    web.relevance = relevance;
    Ok(web)
}

/// What a crawl has met, or a part of it.
struct Met<'a, R> {
    reader: &'a R,
    crawl: CrawlId,
    topic: Option<&'a Topic>,
    /// By number.
    keys: Vec<UrlKey>,
    every: u64,
}

impl<R: Reader> Met<'_, R> {
    /// How long each answer took, and how large it was.
    fn visits(&self, web: &mut SimWeb) -> Result<(), SimulateError> {
        (web.millis, web.bytes) = (vec![0; self.keys.len()], vec![0; self.keys.len()]);
        let mut see = |number: usize, visit: &VisitRecord| {
            web.millis[number] = visit.millis.min(u64::from(u32::MAX)) as u32;
            web.bytes[number] = visit.bytes.min(u64::from(u32::MAX)) as u32;
        };
        if self.every > 1 {
            for (number, key) in self.keys.iter().enumerate() {
                let last = self.reader.prefix(&VISITS, &(self.crawl.0, key.host.0, key.page)).next_back();
                last.transpose()?.iter().for_each(|(_, visit)| see(number, visit));
            }
            return Ok(());
        }
        for row in self.reader.prefix(&VISITS, &self.crawl.0) {
            let ((_, host, page, _), visit) = row?;
            if let Some(number) = web.numbers.get(&UrlKey { host: HostKey(host), page }) {
                see(*number as usize, &visit);
            }
        }
        Ok(())
    }

    /// The relevance of each page; nothing when none has any.
    fn relevance(&self, web: &SimWeb) -> Result<Vec<f32>, SimulateError> {
        let (mut relevance, mut any) = (vec![0.0; self.keys.len()], false);
        for row in self.reader.prefix(&RELEVANCE, &self.crawl.0) {
            let ((_, host, page), mark) = row?;
            if let Some(number) = web.numbers.get(&UrlKey { host: HostKey(host), page }) {
                let (value, on_topic) = relevance_of(mark);
                // What was on topic by the threshold of its time is.
                let share = self.topic.map_or(value / (value + 1.0), |topic| topic.share(value)) as f32;
                relevance[*number as usize] =
                    if on_topic { share.max(ON_TOPIC) } else { share.min(0.499_999) };
                any = true;
            }
        }
        Ok(if any { relevance } else { Vec::new() })
    }

    /// Of a sample, the pages that stand for others: each with the URLs that lie behind it.
    fn adopted(
        &self,
        web: &mut SimWeb,
        before: &[Option<UrlKey>],
    ) -> Result<HashMap<u32, Vec<u32>>, SimulateError> {
        let mut adopted: HashMap<u32, Vec<u32>> = HashMap::new();
        if self.every <= 1 {
            return Ok(adopted);
        }
        let mut remembered: HashMap<UrlKey, Option<u32>> = HashMap::new();
        let seeds: HashSet<u32> = web.seeds.iter().copied().collect();
        for (number, before) in (0..).zip(before).filter(|(number, _)| !seeds.contains(number)) {
            let (mut way, mut next) = (Vec::new(), *before);
            let found = loop {
                let Some(key) = next.filter(|_| way.len() < LONGEST_WAY) else { break None };
                let page = web.numbers.get(&key).filter(|page| web.says[**page as usize] == Says::Page);
                if let Some(page) = page {
                    break Some(*page);
                }
                if let Some(found) = remembered.get(&key) {
                    break *found;
                }
                way.push(key);
                let record = self.reader.get(&URLS, &frontier::page_key(self.crawl, key))?;
                next = record.and_then(|record| record.via);
            };
            if remembered.len() < MOST_REMEMBERED {
                remembered.extend(way.into_iter().map(|key| (key, found)));
            }
            match found {
                Some(page) => adopted.entry(page).or_default().push(number),
                None => web.seeds.push(number),
            }
        }
        Ok(adopted)
    }

    fn links(
        &self,
        web: &mut SimWeb,
        has_topic: bool,
        adopted: &HashMap<u32, Vec<u32>>,
    ) -> Result<(), SimulateError> {
        for (number, key) in (0..).zip(&self.keys) {
            let found = self.reader.get(&LINKS, &(self.crawl.0, key.host.0, key.page))?.unwrap_or_default();
            let mut targets = Vec::with_capacity(found.edges.len());
            let mut link = |target: u32, look: Look, anchor: &str| {
                targets.push(target);
                web.looks.push(look);
                if let Some(topic) = self.topic.filter(|_| has_topic) {
                    web.promises.push(topic.link_promise(anchor, &web.urls[target as usize]));
                }
            };
            for edge in &found.edges {
                let Some(target) = web.numbers.get(&edge.target).copied() else { continue };
                let unfollowed = (!edge.followed).then_some(match edge.kind {
                    LinkKind::Canonical => Unfollowed::Canonical,
                    _ => Unfollowed::Nofollow,
                });
                let further = edge.kind == LinkKind::Further;
                link(target, Look { weight: edge.look.weight(), unfollowed, further }, &edge.anchor);
            }
            for target in adopted.get(&number).into_iter().flatten() {
                link(*target, Look::default(), "");
            }
            web.add_links(targets);
        }
        Ok(())
    }
}

/// The relevance of each page, judged anew.
fn judged(web: &SimWeb, judge: Judge<'_>) -> Vec<f32> {
    let pages = web.urls.iter().zip(&web.says);
    pages.map(|(url, says)| if *says == Says::Page { judge(url).unwrap_or(0.0) } else { 0.0 }).collect()
}

fn says(web: &SimWeb, outcome: &Outcome, every: u64) -> Says {
    match outcome {
        Outcome::Fetched | Outcome::NotModified => Says::Page,
        Outcome::Redirected { to } => match web.page(to) {
            Some(to) => Says::Redirect(to),
            None if every > 1 => Says::Unwanted("redirect".to_owned()),
            None => Says::Unknown,
        },
        Outcome::Failed { error, .. } => Says::Failed(error.clone()),
        Outcome::Disallowed { .. } => Says::Disallowed,
        Outcome::Unwanted { what } => Says::Unwanted(what.clone()),
        Outcome::Gone { .. } => Says::Failed(ErrorKind::Status(404)),
        // What rules and guards refused is not asked for.
        Outcome::Excluded { .. } | Outcome::OffSite | Outcome::OverLimit { .. } | Outcome::Trap { .. } => {
            Says::Disallowed
        }
        Outcome::Waiting | Outcome::Retrying { .. } => Says::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use archive::tables::{Edge, Links};
    use kv::{Durability, Store};
    use model::{CrawlSettings, LinkLook, Rel, Timestamp};

    use super::*;
    use crate::{Expand, Plan, PowerLaw, curve, ranks, run};

    const CRAWL: CrawlId = CrawlId(7);

    /// The tables of a crawl that has met all of a Web and fetched its first pages.
    fn tables(web: &SimWeb, fetched: u32) -> Store {
        let store = Store::memory();
        let mut batch = store.batch();
        let urls: Vec<PageUrl> = (0..web.pages()).map(|page| web.url(page).unwrap()).collect();
        let keys: Vec<UrlKey> = urls.iter().map(UrlKey::of).collect();
        let mut via = vec![None; keys.len()];
        for page in 0..fetched {
            for target in web.links(page) {
                // The tree leads from a page to later ones.
                if *target > page && via[*target as usize].is_none() {
                    via[*target as usize] = Some(keys[page as usize]);
                }
            }
        }
        for (page, key) in (0..).zip(&keys) {
            if page > 0 && via[page as usize].is_none() {
                continue;
            }
            let row = frontier::page_key(CRAWL, *key);
            let is_fetched = page < fetched;
            let record = UrlRecord {
                url: urls[page as usize].clone(),
                depth: u32::from(page > 0),
                via: via[page as usize],
                found: Timestamp(0),
                outcome: if is_fetched { Outcome::Fetched } else { Outcome::Waiting },
                arrival: u64::from(page),
                priority: 0,
                tries: 0,
                busy: 0,
                hops: 0,
            };
            batch.put(&URLS, &row, &record);
            if is_fetched {
                let edge = |target: &u32| Edge {
                    target: keys[*target as usize],
                    anchor: Default::default(),
                    look: LinkLook::plain(1),
                    rel: Rel::default(),
                    kind: LinkKind::Anchor,
                    followed: true,
                };
                let links = Links { edges: web.links(page).iter().map(edge).collect() };
                batch.put(&LINKS, &row, &links);
            }
        }
        store.commit(batch, Durability::Synced).unwrap();
        store
    }

    /// Pages, seconds, and seconds until nine tenths of the link mass are there, by one URL in so many.
    fn told(store: &Store, start: &PageUrl, every: u64, rate: &str, workers: usize) -> [f64; 3] {
        let mut web = of_sample(store, CRAWL, std::slice::from_ref(start), None, every).unwrap();
        web.take_unknown_for_pages();
        let settings = CrawlSettings {
            order: "pagerank".parse().unwrap(),
            rate: Some(rate.parse().unwrap()),
            max_depth: 0,
            max_pages: 20_000,
            ..CrawlSettings::default()
        };
        let plan = Plan {
            seeds: web.seeds().to_vec(),
            settings,
            by_rules: false,
            workers,
            latency: Duration::from_millis(100),
            queue: 0,
            expand: Expand::All,
            time: None,
            replay: false,
        };
        web.millis.clear();
        let done = run(&web, &plan.for_sample(every)).unwrap();
        let way = curve(&web, &done, &ranks(&web).unwrap());
        let end = way.last().unwrap();
        let most = way.iter().find(|point| point.mass >= 0.9 * end.mass).unwrap();
        [end.pages as f64, end.seconds, most.seconds].map(|figure| figure * every as f64)
    }

    #[test]
    fn a_sample_takes_its_share_of_the_time_whatever_the_limit_is() {
        let shape = PowerLaw { pages: 24_000, hosts: 12, ..PowerLaw::default() };
        let whole = shape.web();
        let store = tables(&whole, 12_000);
        let start = whole.url(0).unwrap();
        // What limits: the pause of each host, the number of connections.
        for (rate, workers) in [("2/s", 64), ("unlimited", 4)] {
            let all = told(&store, &start, 1, rate, workers);
            let part = told(&store, &start, 4, rate, workers);
            println!("{shape:?}, {rate}, {workers} workers: {all:?}, by one in four {part:?}");
            let ratios: Vec<f64> = part.iter().zip(all).map(|(part, all)| part / all).collect();
            assert!((0.98..1.02).contains(&ratios[0]), "pages: {ratios:?}");
            assert!((0.9..1.15).contains(&ratios[1]), "time: {ratios:?}");
            assert!((0.6..1.4).contains(&ratios[2]), "time until most of it is there: {ratios:?}");
        }
    }

    #[test]
    fn every_url_of_a_sample_is_reached() {
        let whole = PowerLaw { pages: 3_000, hosts: 3, ..PowerLaw::default() }.web();
        let store = tables(&whole, 1_500);
        let known = store.prefix(&URLS, &CRAWL.0).count();
        for every in [1, 2, 5, 40] {
            let web = of_sample(&store, CRAWL, &[whole.url(0).unwrap()], None, every).unwrap();
            let reached = web.reachable(web.seeds());
            let count = web.pages() as usize;
            assert_eq!(reached.iter().filter(|reached| **reached).count(), count, "one in {every}");
            let expected = known / every as usize;
            assert!(
                count.abs_diff(expected) <= 2 + 4 * expected.isqrt(),
                "{count} of {known}, one in {every}"
            );
        }
    }
}
