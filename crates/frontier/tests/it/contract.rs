//! What every frontier promises its callers, one promise to a test.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use frontier::tables::{
    ADDRESSES, FACTS, HOSTS, HostRecord, LATER, QUEUE, ROBOTS, SCHEDULE, SHALLOWER, SITES, STATS, URLS,
};
use frontier::{Asked, End, Frontier, LimitReached, Next, Offer, Patience, Sent, Settled, audit, page_key};
use kv::{Batch, Durability, Reader, Store};
use model::{
    CrawlId, CrawlSettings, ErrorKind, HostKey, Lease, Outcome, PageUrl, Project, Timestamp, UrlKey,
};

use crate::server::link;
use crate::web::{project, url};

const ONE: CrawlId = CrawlId(1);
const TWO: CrawlId = CrawlId(2);
const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

/// A frontier and its caller, step by step.
struct Desk {
    store: Store,
    frontier: Frontier,
    now: Timestamp,
    crawl: CrawlId,
    /// What looking up a name gives.
    answer: Result<IpAddr, ErrorKind>,
}

impl Desk {
    fn new(starts: &[PageUrl]) -> Desk {
        Desk::with(starts, |_| ())
    }

    fn with(starts: &[PageUrl], edit: impl FnOnce(&mut CrawlSettings)) -> Desk {
        let mut desk = Desk::over(Store::memory(), desk_time());
        desk.begin(ONE, &project(starts, edit));
        desk
    }

    fn over(store: Store, now: Timestamp) -> Desk {
        let frontier = Frontier::open(store.clone(), now).unwrap();
        Desk { store, frontier, now, crawl: ONE, answer: Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)) }
    }

    fn begin(&mut self, crawl: CrawlId, project: &Project) {
        self.frontier.begin(crawl, project).unwrap();
        self.crawl = crawl;
        let starts = project.start.clone();
        self.commit(|frontier, batch, now| {
            for start in starts {
                let offer = Offer { start: true, via: None, ..link(&start, UrlKey::of(&start), true) };
                frontier.offer(batch, crawl, offer, now).unwrap();
            }
        });
    }

    fn commit(&mut self, work: impl FnOnce(&mut Frontier, &mut Batch, Timestamp)) {
        let mut batch = self.store.batch();
        work(&mut self.frontier, &mut batch, self.now);
        self.frontier.settle_refusals(&mut batch).unwrap();
        self.frontier.reconsider(&mut batch, self.crawl, 100).unwrap();
        self.frontier.seal(&mut batch, self.now).unwrap();
        self.store.commit(batch, Durability::Synced).unwrap();
        self.frontier.committed(self.now).unwrap();
        assert_eq!(audit(&self.store, self.crawl).unwrap(), []);
    }

    /// What comes next, names being looked up on the way.
    fn next(&mut self) -> Next {
        loop {
            match self.frontier.next(self.crawl, self.now).unwrap() {
                Next::Resolve(host) => {
                    let answer = self.answer.clone().map(|address| (address, self.now + HOUR));
                    self.frontier.resolved(&host, answer, self.now).unwrap();
                }
                next => return next,
            }
        }
    }

    fn lease(&mut self) -> Lease {
        match self.next() {
            Next::Lease(lease) => *lease,
            other => panic!("no lease, but {other:?}"),
        }
    }

    /// Waits as the frontier asks, commits where it waits for that, and takes the next lease.
    fn lease_in_time(&mut self) -> Option<Lease> {
        for _ in 0..100 {
            match self.next() {
                Next::Lease(lease) => return Some(*lease),
                Next::Done => return None,
                Next::Wait { until: Some(until), busy: false, .. } => self.now = until,
                _ => self.commit(|_, _, _| ()),
            }
        }
        panic!("waiting does not end");
    }

    /// The moment the frontier waits for.
    fn wait(&mut self) -> Duration {
        match self.next() {
            Next::Wait { until: Some(until), .. } => until.since(self.now),
            other => panic!("no wait, but {other:?}"),
        }
    }

    /// Settles the first URL of a lease after a request of 10 ms, ends the lease, commits.
    fn settle(&mut self, lease: &Lease, end: End) {
        let start = self.now;
        self.now = self.now + Duration::from_millis(10);
        let sent = Some(Sent { start, end: self.now });
        let settled = Settled { lease: lease.id, key: lease.urls[0].key, sent, asked: Asked::default(), end };
        self.commit(|frontier, batch, now| frontier.settle(batch, settled, now).unwrap());
        self.frontier.release(lease.id, self.now).unwrap();
    }

    /// Asks for a page again, and for as long as it is retried; the server says the same each time.
    fn revisit(&mut self, url: &PageUrl, says: impl Fn() -> End) -> Outcome {
        let (crawl, key) = (self.crawl, UrlKey::of(url));
        self.commit(|frontier, batch, _| assert!(frontier.revisit(batch, crawl, key).unwrap()));
        while let Some(lease) = self.lease_in_time() {
            self.settle(&lease, says());
        }
        self.outcome(url)
    }

    fn outcome(&self, url: &PageUrl) -> Outcome {
        self.store.get(&URLS, &page_key(self.crawl, UrlKey::of(url))).unwrap().expect("known").outcome
    }

    fn host(&self, url: &PageUrl) -> HostRecord {
        self.store.get(&HOSTS, &HostKey::of(&url.host()).0).unwrap().expect("known")
    }

    fn close(mut self) -> Store {
        self.commit(|frontier, batch, now| frontier.close(batch, now));
        self.store
    }
}

/// A start long after 1970, so that a clock never set is in the past.
fn desk_time() -> Timestamp {
    Timestamp(1_000_000_000)
}

fn page(links: Vec<Offer>) -> End {
    End::Page { bytes: 1, links, text: None, topic: None }
}

fn waits(next: &Next) -> bool {
    matches!(next, Next::Wait { .. })
}

#[test]
fn a_lost_lease_comes_back() {
    let mut desk = Desk::new(&[url("a.web", "")]);
    let lost = desk.lease();
    desk.now = lost.deadline;
    assert!(waits(&desk.next()), "it is valid until its deadline");
    desk.now = lost.deadline + HOUR + SECOND;
    let found = desk.lease();
    assert_eq!(found.urls[0].key, lost.urls[0].key);
    assert_ne!(found.id, lost.id);
    // What the lost worker says after all changes nothing.
    desk.settle(&lost, End::NotModified);
    assert_eq!(desk.outcome(&url("a.web", "")), Outcome::Waiting);
    assert!(waits(&desk.next()), "the host is still leased");
}

#[test]
fn a_host_is_leased_to_one_worker() {
    let mut desk = Desk::with(&[url("a.web", "1"), url("a.web", "2"), url("a.web", "3")], |settings| {
        settings.delay = "0s".parse().unwrap();
        settings.address_delay = "0s".parse().unwrap();
        settings.max_pages_per_host = 1;
    });
    let lease = desk.lease();
    assert_eq!(lease.urls.len(), 1, "no more than the host may still bring");
    assert!(waits(&desk.next()));
    desk.frontier.release(lease.id, desk.now).unwrap();
    desk.lease();
}

#[test]
fn a_url_handed_back_is_leased_again() {
    let mut desk = Desk::with(&[url("a.web", "1"), url("a.web", "2")], |settings| {
        settings.rate = Some("unlimited".parse().unwrap());
        settings.order = model::Order::BREADTH_FIRST;
    });
    let lease = desk.lease();
    let keys = |lease: &Lease| lease.urls.iter().map(|url| url.key).collect::<Vec<_>>();
    assert_eq!(lease.urls.len(), 2);
    desk.frontier.hand_back(lease.id, lease.urls[0].key).unwrap();
    assert!(waits(&desk.next()), "the lease goes on");
    desk.frontier.release(lease.id, desk.now).unwrap();
    assert_eq!(keys(&desk.lease()), keys(&lease), "in the same order");
}

#[test]
fn a_settled_url_is_not_leased_before_or_after_its_commit() {
    let mut desk = Desk::new(&[url("a.web", "1")]);
    let lease = desk.lease();
    let settled = Settled {
        lease: lease.id,
        key: lease.urls[0].key,
        sent: None,
        asked: Asked::default(),
        end: page(vec![]),
    };
    let mut batch = desk.store.batch();
    desk.frontier.settle(&mut batch, settled, desk.now).unwrap();
    desk.frontier.release(lease.id, desk.now).unwrap();
    assert!(waits(&desk.next()), "it waits for the commit");
    desk.frontier.seal(&mut batch, desk.now).unwrap();
    assert!(waits(&desk.next()));
    desk.store.commit(batch, Durability::Synced).unwrap();
    assert!(waits(&desk.next()));
    desk.frontier.committed(desk.now).unwrap();
    assert!(matches!(desk.next(), Next::Done));
}

#[test]
fn a_url_opened_again_is_leased_once() {
    let (start, other) = (url("a.web", "1"), url("a.web", "2"));
    let settings = |settings: &mut CrawlSettings| settings.rate = Some("unlimited".parse().unwrap());
    let mut desk = Desk::with(std::slice::from_ref(&start), |all| {
        settings(all);
        all.exclude = vec!["/2".parse().unwrap()];
    });
    let offer = Offer { depth: 1, ..link(&other, UrlKey::of(&start), true) };
    desk.commit(|frontier, batch, now| frontier.offer(batch, ONE, offer, now).unwrap());
    assert!(matches!(desk.outcome(&other), Outcome::Excluded { .. }));
    let mut desk = Desk::over(desk.close(), desk_time());
    desk.frontier.begin(ONE, &project(&[start], settings)).unwrap();
    // The lease falls between the store's commit and the frontier's knowing of it.
    let mut batch = desk.store.batch();
    desk.frontier.reconsider(&mut batch, ONE, 100).unwrap();
    desk.frontier.seal(&mut batch, desk.now).unwrap();
    desk.store.commit(batch, Durability::Synced).unwrap();
    let first = desk.next();
    desk.frontier.committed(desk.now).unwrap();
    let lease = match first {
        Next::Lease(lease) => *lease,
        _ => desk.lease(),
    };
    let mut batch = desk.store.batch();
    for leased in &lease.urls {
        let end = page(vec![]);
        let settled = Settled { lease: lease.id, key: leased.key, sent: None, asked: Asked::default(), end };
        desk.frontier.settle(&mut batch, settled, desk.now).unwrap();
    }
    desk.frontier.release(lease.id, desk.now).unwrap();
    if let Next::Lease(again) = desk.next() {
        assert!(
            again.urls.iter().all(|url| lease.urls.iter().all(|first| first.key != url.key)),
            "leased again"
        );
    }
}

#[test]
fn retries_back_off_and_end_as_failed() {
    let start = url("a.web", "");
    let mut desk = Desk::new(std::slice::from_ref(&start));
    let mut waits = Vec::new();
    for tries in 1..=3 {
        let lease = desk.lease();
        assert_eq!(lease.urls[0].tries, tries - 1);
        desk.settle(&lease, End::Failed { error: ErrorKind::Timeout, patience: Patience::Soft });
        assert!(matches!(desk.outcome(&start), Outcome::Retrying { tries: told, .. } if told == tries));
        let wait = desk.wait();
        let longest = Duration::from_secs(60 << (tries - 1));
        assert!(wait <= longest && wait >= longest / 2, "{wait:?}");
        waits.push(wait);
        desk.now = desk.now + wait;
    }
    let lease = desk.lease();
    desk.settle(&lease, End::Failed { error: ErrorKind::Timeout, patience: Patience::Soft });
    assert_eq!(desk.outcome(&start), Outcome::Failed { error: ErrorKind::Timeout, tries: 4 });
    assert!(matches!(desk.next(), Next::Done));
    assert_eq!(desk.frontier.crawl(ONE).stats().errors["timeout"], 4);
}

#[test]
fn a_retry_that_is_due_does_not_wait_for_all_that_is_new() {
    let mut desk = Desk::new(&[url("a.web", "")]);
    let lease = desk.lease();
    desk.settle(&lease, End::Failed { error: ErrorKind::Timeout, patience: Patience::Soft });
    let starts: Vec<PageUrl> = (0..9).map(|n| url(&format!("h{n}.web"), "")).collect();
    desk.commit(|frontier, batch, now| {
        for start in &starts {
            frontier
                .offer(batch, ONE, Offer { start: true, ..link(start, UrlKey::of(start), true) }, now)
                .unwrap();
        }
    });
    desk.now = desk.now + HOUR;
    assert_eq!(desk.lease().host.name(), "a.web");
}

#[test]
fn a_host_that_says_busy_costs_no_retry_but_ends_after_its_limit() {
    let start = url("a.web", "");
    let mut desk = Desk::new(&[start.clone(), url("a.web", "other")]);
    for times in 1..=9u32 {
        let lease = desk.lease_in_time().unwrap();
        assert_eq!((&lease.urls[0].url, lease.urls[0].tries), (&start, 0), "the retry comes first");
        let asked = (times == 2).then_some(HOUR);
        desk.settle(&lease, End::Busy { status: 503, wait: asked });
        let least = asked.unwrap_or(Duration::from_secs(1 << (times - 1)));
        let rest = desk.host(&start).next.since(desk.now);
        assert_eq!(rest, least, "the whole host rests");
    }
    assert_eq!(desk.outcome(&start), Outcome::Failed { error: ErrorKind::Status(503), tries: 9 });
    assert_eq!(desk.host(&start).waits_asked, 9);
    assert_eq!(desk.host(&start).longest_wait, 3_600_000);
    assert_eq!(desk.lease_in_time().unwrap().urls[0].url, url("a.web", "other"));
}

#[test]
fn a_name_that_never_resolves_fails_all_its_urls() {
    let starts: Vec<PageUrl> = (0..5).map(|n| url("a.web", &n.to_string())).collect();
    let mut desk = Desk::new(&starts);
    desk.answer = Err(ErrorKind::Dns);
    let begin = desk.now;
    assert!(waits(&desk.next()));
    desk.commit(|_, _, _| ());
    assert!(matches!(desk.outcome(&starts[0]), Outcome::Retrying { error: ErrorKind::Dns, tries: 1, .. }));
    assert!(desk.wait() >= HOUR / 2, "the host rests");
    assert!(desk.lease_in_time().is_none());
    for start in &starts {
        assert_eq!(desk.outcome(start), Outcome::Failed { error: ErrorKind::Dns, tries: 4 });
    }
    assert!(desk.now.since(begin) > 3 * HOUR, "it had time to come back");
}

#[test]
fn a_forbidden_address_fails_at_once() {
    let starts = [url("a.web", "1"), url("a.web", "2")];
    let mut desk = Desk::new(&starts);
    desk.answer = Err(ErrorKind::ForbiddenAddress);
    assert!(waits(&desk.next()));
    desk.commit(|_, _, _| ());
    assert!(matches!(desk.next(), Next::Done));
    for start in &starts {
        assert!(matches!(desk.outcome(start), Outcome::Failed { error: ErrorKind::ForbiddenAddress, .. }));
    }
}

#[test]
fn one_url_out_of_reach_does_not_condemn_a_host_that_answers() {
    let bad = url("a.web", "bad");
    let mut desk = Desk::with(std::slice::from_ref(&bad), |settings| settings.connections_per_host = 2);
    let fine = |times: u32| link(&url("a.web", &format!("fine{times}")), UrlKey::of(&bad), true);
    for times in 1..=4 {
        desk.commit(|frontier, batch, now| frontier.offer(batch, ONE, fine(times), now).unwrap());
        let lease = desk.lease_in_time().unwrap();
        assert_eq!((lease.urls.len(), &lease.urls[0].url), (2, &bad));
        let answers = Settled {
            lease: lease.id,
            key: lease.urls[1].key,
            sent: Some(Sent { start: desk.now, end: desk.now }),
            asked: Asked::default(),
            end: page(vec![]),
        };
        desk.commit(|frontier, batch, now| frontier.settle(batch, answers, now).unwrap());
        desk.settle(&lease, End::Failed { error: ErrorKind::Connect, patience: Patience::Hard });
    }
    assert_eq!(desk.outcome(&bad), Outcome::Failed { error: ErrorKind::Connect, tries: 4 });
    desk.commit(|frontier, batch, now| frontier.offer(batch, ONE, fine(5), now).unwrap());
    assert_eq!(desk.lease_in_time().unwrap().urls[0].url, fine(5).url);
}

#[test]
fn a_host_out_of_reach_fails_all_its_urls() {
    let starts: Vec<PageUrl> = (0..3).map(|n| url("a.web", &n.to_string())).collect();
    let mut desk = Desk::new(&starts);
    let mut tries = 0;
    while let Some(lease) = desk.lease_in_time() {
        tries += 1;
        desk.settle(&lease, End::Failed { error: ErrorKind::Connect, patience: Patience::Hard });
    }
    assert_eq!(tries, 4, "the others are spared");
    for start in &starts {
        assert_eq!(desk.outcome(start), Outcome::Failed { error: ErrorKind::Connect, tries: 4 });
    }
}

#[test]
fn a_page_that_comes_closer_has_its_links_offered_again() {
    let at = |name: &str| url("a.web", name);
    let mut desk = Desk::new(&[at("start")]);
    let lease = desk.lease();
    desk.settle(&lease, page(vec![link(&at("mid"), lease.urls[0].key, true)]));
    let lease = desk.lease_in_time().unwrap();
    desk.settle(&lease, page(vec![link(&at("deep"), lease.urls[0].key, true)]));
    let lease = desk.lease_in_time().unwrap();
    desk.settle(&lease, page(vec![]));
    assert!(matches!(desk.next(), Next::Done) && !desk.frontier.has_shallower(ONE));
    // Somebody types it: a start URL now.
    let offer = Offer { start: true, ..link(&at("mid"), UrlKey::of(&at("mid")), true) };
    desk.commit(|frontier, batch, now| frontier.offer(batch, ONE, offer, now).unwrap());
    assert!(desk.frontier.has_shallower(ONE) && waits(&desk.next()), "not done before that");
    // It survives a crash.
    let mut desk = Desk::over(desk.store.crash(1), desk.now);
    desk.frontier.begin(ONE, &project(&[at("start"), at("mid")], |_| ())).unwrap();
    let mut pages = Vec::new();
    desk.commit(|frontier, batch, _| pages = frontier.take_shallower(batch, ONE, 10).unwrap());
    assert_eq!(pages.len(), 1);
    assert_eq!((&pages[0].1.url, pages[0].1.depth), (&at("mid"), 0));
    assert!(!desk.frontier.has_shallower(ONE));
}

#[test]
fn a_clean_stop_keeps_the_clocks_and_needs_no_full_wait() {
    let (asked, unasked) = (url("a.web", ""), url("b.web", ""));
    let begin = |clean: bool| {
        let mut desk = Desk::new(&[asked.clone(), url("a.web", "next"), unasked.clone()]);
        let lease = desk.lease();
        assert_eq!(lease.host.name(), "a.web");
        desk.settle(&lease, page(vec![]));
        let (now, owed) = (desk.now, desk.host(&asked).next);
        assert_eq!(owed.since(now), SECOND);
        let store = if clean { desk.close() } else { desk.store };
        let mut desk = Desk::over(store.crash(0), now + Duration::from_millis(300));
        desk.frontier.begin(ONE, &project(std::slice::from_ref(&asked), |_| ())).unwrap();
        (desk, owed)
    };
    let (mut desk, owed) = begin(true);
    assert_eq!(desk.lease().host.name(), "b.web", "at once");
    desk.now = owed - Duration::from_millis(1);
    assert!(waits(&desk.next()));
    desk.now = owed;
    assert_eq!(desk.lease().host.name(), "a.web");

    let (mut desk, _) = begin(false);
    let full = desk.now + SECOND;
    while desk.now < full {
        assert!(waits(&desk.next()), "even a host of which we know no request waits");
        desk.now = desk.now + Duration::from_millis(1);
    }
    desk.lease();
}

#[test]
fn a_clean_stop_soon_after_an_unclean_start_leaves_the_full_wait_in_force() {
    let start = url("a.web", "");
    let mut desk = Desk::new(std::slice::from_ref(&start));
    // A request is sent, and the process dies before it can say so.
    desk.lease();
    let died = desk.now;
    let mut store = desk.store.crash(0);
    for millis in [100, 200] {
        let mut desk = Desk::over(store.crash(0), died + Duration::from_millis(millis));
        desk.begin(ONE, &project(std::slice::from_ref(&start), |_| ()));
        assert!(waits(&desk.next()));
        store = desk.close();
    }
    let mut desk = Desk::over(store, died + Duration::from_millis(300));
    desk.begin(ONE, &project(&[start], |_| ()));
    assert_eq!(desk.wait(), Duration::from_millis(800), "a second from the unclean start");
}

#[test]
fn a_stored_due_time_beyond_a_day_is_pulled_back() {
    let start = url("a.web", "");
    let mut desk = Desk::new(&[start.clone(), url("a.web", "other")]);
    let lease = desk.lease();
    desk.settle(&lease, End::Failed { error: ErrorKind::Timeout, patience: Patience::Soft });
    // The clock ran ten years ahead for one request.
    let right = desk.now;
    desk.now = right + 87_600 * HOUR;
    for _ in 0..2 {
        let lease = desk.lease_in_time().unwrap();
        desk.settle(&lease, End::Failed { error: ErrorKind::Timeout, patience: Patience::Soft });
    }
    let mut desk = Desk::over(desk.close(), right);
    desk.frontier.begin(ONE, &project(&[start], |_| ())).unwrap();
    for _ in 0..2 {
        let lease = desk.lease_in_time().expect("not forgotten");
        desk.settle(&lease, page(vec![]));
    }
    let took = desk.now.since(right);
    assert!(took < 25 * HOUR, "{took:?}");
    assert!(desk.lease_in_time().is_none());
}

#[test]
fn two_crawls_share_a_hosts_clock() {
    let (one, two) = (url("a.web", "1"), url("a.web", "2"));
    let mut desk = Desk::new(&[one]);
    desk.begin(TWO, &project(std::slice::from_ref(&two), |_| ()));
    desk.crawl = ONE;
    let lease = desk.lease();
    desk.crawl = TWO;
    // Its address would be free again.
    desk.now = desk.now + SECOND;
    assert!(waits(&desk.next()), "the host is leased");
    desk.crawl = ONE;
    desk.settle(&lease, page(vec![]));
    desk.crawl = TWO;
    assert_eq!(desk.wait(), SECOND, "the host rests for all");
    desk.now = desk.now + SECOND;
    assert_eq!(desk.lease().urls[0].url, two);
}

#[test]
fn a_dropped_crawl_leaves_nothing() {
    let mut desk = Desk::new(&[url("a.web", "1"), url("b.web", "2"), url("c.web", "3")]);
    for _ in 0..2 {
        let lease = desk.lease_in_time().unwrap();
        let links = vec![
            link(&url("d.web", "4"), lease.urls[0].key, true),
            link(&url("d.web", "5"), lease.urls[0].key, false),
        ];
        desk.settle(&lease, page(links));
    }
    let lease = desk.lease_in_time().unwrap();
    desk.settle(&lease, End::Failed { error: ErrorKind::Timeout, patience: Patience::Soft });
    let again = Offer { start: true, ..link(&url("a.web", "1"), lease.urls[0].key, true) };
    desk.commit(|frontier, batch, now| frontier.offer(batch, ONE, again, now).unwrap());
    desk.begin(TWO, &project(&[url("a.web", "1")], |_| ()));
    let rows = |store: &Store, crawl: CrawlId| {
        let keys = [
            store.prefix(&URLS, &crawl.0).keys().count(),
            store.prefix(&QUEUE, &crawl.0).keys().count(),
            store.prefix(&LATER, &crawl.0).keys().count(),
            store.prefix(&SCHEDULE, &crawl.0).keys().count(),
            store.prefix(&SITES, &crawl.0).keys().count(),
            store.prefix(&SHALLOWER, &crawl.0).keys().count(),
            usize::from(store.contains(&STATS, &crawl.0).unwrap()),
            store
                .iter(&FACTS)
                .filter(|row| row.as_ref().unwrap().0.ends_with(&format!(" {}", crawl.0)))
                .count(),
        ];
        keys.iter().sum::<usize>()
    };
    let (other, store) = (rows(&desk.store, TWO), desk.store.clone());
    assert!(rows(&store, ONE) > 10);
    let mut parts = 0;
    loop {
        let mut batch = store.batch();
        let whole = Frontier::drop_crawl(&mut batch, ONE, 4).unwrap();
        assert!(batch.len() <= 4 + 5, "a part at a time, and five single rows");
        store.commit(batch, Durability::Synced).unwrap();
        parts += 1;
        if whole {
            break;
        }
    }
    assert!(parts > 2);
    assert_eq!((rows(&store, ONE), rows(&store, TWO)), (0, other));
    assert!(
        store.first(&HOSTS).unwrap().is_some() && store.first(&ADDRESSES).unwrap().is_some(),
        "clocks stay"
    );
    // Its number may serve again, in the same process.
    desk.begin(ONE, &project(&[url("a.web", "1")], |_| ()));
    assert_eq!(desk.frontier.crawl(ONE).stats().distinct, 1);
}

#[test]
fn what_robots_asks_for_is_kept_even_when_it_came_from_elsewhere() {
    let start = url("a.web", "");
    let mut desk = Desk::new(std::slice::from_ref(&start));
    let lease = desk.lease();
    let answer = frontier::tables::RobotsAnswer::None { status: 404 };
    let robots = frontier::tables::RobotsRecord { fetched: desk.now, expires: desk.now, answer };
    let delay = Some(Duration::from_secs(7));
    desk.commit(|frontier, batch, _| {
        frontier.robots(batch, ONE, &start.origin(), &robots, None, delay).unwrap();
    });
    assert_eq!(desk.host(&start).crawl_delay, Some(7000));
    assert!(desk.store.contains(&ROBOTS, &start.origin().as_str().to_owned()).unwrap());
    desk.frontier.release(lease.id, desk.now).unwrap();
    desk.now = desk.now + SECOND;
    assert_eq!(desk.lease().gap, Duration::from_secs(7));
}

fn missing() -> End {
    End::Failed { error: ErrorKind::Status(404), patience: Patience::Drop }
}

fn removed() -> End {
    End::Failed { error: ErrorKind::Status(410), patience: Patience::Drop }
}

#[test]
fn an_outage_deletes_nothing() {
    let start = url("a.web", "");
    let mut desk = Desk::with(std::slice::from_ref(&start), |settings| settings.retry = 1);
    let lease = desk.lease();
    desk.settle(&lease, page(vec![]));
    let fails = [
        (ErrorKind::Timeout, Patience::Soft),
        (ErrorKind::Connect, Patience::Hard),
        (ErrorKind::Status(500), Patience::Soft),
        (ErrorKind::Tls, Patience::Drop),
    ];
    for (error, patience) in fails {
        let end = || End::Failed { error: error.clone(), patience };
        assert_eq!(desk.revisit(&start, end), Outcome::Fetched, "{error}");
        desk.now = desk.now + 24 * HOUR;
        desk.frontier.begin(ONE, &project(std::slice::from_ref(&start), |_| ())).unwrap();
    }
    desk.answer = Err(ErrorKind::Dns);
    desk.now = desk.now + 24 * HOUR;
    assert_eq!(desk.revisit(&start, || unreachable!("nobody answers")), Outcome::Fetched);
}

#[test]
fn a_page_is_gone_when_its_server_says_so_twice_and_days_apart() {
    let start = url("a.web", "");
    let mut desk = Desk::new(std::slice::from_ref(&start));
    let lease = desk.lease();
    desk.settle(&lease, page(vec![]));
    let check = |desk: &mut Desk, hours: u32, says: fn() -> End, expected: &str| {
        desk.now = desk.now + hours * HOUR;
        assert_eq!(desk.revisit(&start, says).name(), expected, "after {hours} hours more");
    };
    check(&mut desk, 24, missing, "fetched");
    check(&mut desk, 24, missing, "fetched");
    // It was there in between: what was said before counts no more.
    check(&mut desk, 1, || End::NotModified, "not-modified");
    check(&mut desk, 48, missing, "not-modified");
    check(&mut desk, 47, missing, "not-modified");
    check(&mut desk, 2, missing, "gone");
    let Outcome::Gone { status: 404, first, last } = desk.outcome(&start) else { panic!("not gone") };
    assert!(last.since(first) >= 48 * HOUR);
    assert_eq!(desk.frontier.crawl(ONE).pages(), 0);
}

/// Not found and removed are the same evidence, of which the last word is told; a page that answers in between begins anew.
#[test]
fn a_page_is_gone_by_410_as_by_404() {
    type Says = fn() -> End;
    let says: [(Says, Says, Option<u16>); 5] = [
        (removed, removed, Some(410)),
        (missing, removed, Some(410)),
        (removed, missing, Some(404)),
        (missing, || page(vec![]), None),
        (removed, || page(vec![]), None),
    ];
    for (number, (first, second, gone)) in says.into_iter().enumerate() {
        let start = url("a.web", "");
        let mut desk = Desk::new(std::slice::from_ref(&start));
        let lease = desk.lease();
        desk.settle(&lease, page(vec![]));
        desk.now = desk.now + 72 * HOUR;
        assert_eq!(desk.revisit(&start, first), Outcome::Fetched, "case {number}: once is not enough");
        desk.now = desk.now + 72 * HOUR;
        let now = desk.now;
        let outcome = desk.revisit(&start, second);
        if let Some(expected) = gone {
            let Outcome::Gone { status, first, last } = outcome else { panic!("case {number}: {outcome}") };
            assert_eq!((status, desk.frontier.crawl(ONE).pages()), (expected, 0), "case {number}");
            assert!(last >= now && last.since(first) >= 48 * HOUR, "case {number}: {outcome}");
            continue;
        }
        desk.now = desk.now + 72 * HOUR;
        assert_eq!(desk.revisit(&start, missing), Outcome::Fetched, "case {number}: it was there in between");
        desk.now = desk.now + 72 * HOUR;
        assert_eq!(desk.revisit(&start, removed).name(), "gone", "case {number}: twice since then");
    }
}

/// A site that is being mended may forbid all its pages, or send something else in their place.
#[test]
fn a_page_that_is_forbidden_or_unwanted_is_kept_until_that_is_said_days_later() {
    type Says = fn() -> End;
    let says: [(Says, Option<&str>); 3] = [
        (|| End::Disallowed { line: Some(2) }, Some("disallowed")),
        (|| End::Unwanted { what: "application/zip".into() }, Some("unwanted")),
        // No robots.txt could be had.
        (|| End::Disallowed { line: None }, None),
    ];
    for (says, in_the_end) in says {
        let start = url("a.web", "");
        let mut desk = Desk::new(std::slice::from_ref(&start));
        let lease = desk.lease();
        desk.settle(&lease, page(vec![]));
        for hours in [24, 47] {
            desk.now = desk.now + hours * HOUR;
            assert_eq!(desk.revisit(&start, says), Outcome::Fetched, "{in_the_end:?}");
        }
        desk.now = desk.now + HOUR;
        assert_eq!(
            desk.revisit(&start, || End::NotModified),
            Outcome::NotModified,
            "it was there in between"
        );
        for hours in [47, 47] {
            desk.now = desk.now + hours * HOUR;
            assert_eq!(desk.revisit(&start, says), Outcome::NotModified, "{in_the_end:?}");
        }
        assert_eq!(desk.frontier.crawl(ONE).pages(), 1);
        desk.now = desk.now + 2 * HOUR;
        assert_eq!(desk.revisit(&start, says).name(), in_the_end.unwrap_or("not-modified"));
        assert_eq!(desk.frontier.crawl(ONE).pages(), u64::from(in_the_end.is_none()));
    }
}

/// A site that is being mended leads all its pages to one that says so.
#[test]
fn a_page_that_leads_elsewhere_for_now_is_kept_until_that_is_said_days_later() {
    let start = url("a.web", "");
    let mut desk = Desk::new(std::slice::from_ref(&start));
    let lease = desk.lease();
    desk.settle(&lease, page(vec![]));
    let leads = |passing: bool| move || End::Redirect { to: url("a.web", "soon"), passing };
    desk.now = desk.now + 24 * HOUR;
    assert_eq!(desk.revisit(&start, leads(true)), Outcome::Fetched);
    assert_eq!(desk.outcome(&url("a.web", "soon")).name(), "redirected", "where it leads is asked for");
    desk.now = desk.now + 24 * HOUR;
    assert_eq!(desk.revisit(&start, leads(true)), Outcome::Fetched);
    desk.now = desk.now + HOUR;
    assert_eq!(desk.revisit(&start, || End::NotModified), Outcome::NotModified, "what was said is no more");
    desk.now = desk.now + 47 * HOUR;
    assert_eq!(desk.revisit(&start, leads(true)), Outcome::NotModified);
    assert_eq!(desk.frontier.crawl(ONE).pages(), 1);
    desk.now = desk.now + 49 * HOUR;
    assert_eq!(desk.revisit(&start, leads(true)).name(), "redirected");
    assert_eq!(desk.frontier.crawl(ONE).pages(), 0);

    let other = url("b.web", "");
    let mut desk = Desk::new(std::slice::from_ref(&other));
    let lease = desk.lease();
    desk.settle(&lease, page(vec![]));
    desk.now = desk.now + 24 * HOUR;
    assert_eq!(desk.revisit(&other, leads(false)).name(), "redirected", "for good is believed at once");
}

/// A first answer of when the clock was ahead counts from when that is found out, and no later.
#[test]
fn a_clock_that_was_ahead_does_not_keep_a_page_that_is_gone() {
    let start = url("a.web", "");
    let mut desk = Desk::new(std::slice::from_ref(&start));
    let lease = desk.lease();
    desk.settle(&lease, page(vec![]));
    let right = desk.now;
    desk.now = right + 10_000 * HOUR;
    assert_eq!(desk.revisit(&start, missing), Outcome::Fetched);
    desk.now = right + HOUR;
    desk.frontier.begin(ONE, &project(std::slice::from_ref(&start), |_| ())).unwrap();
    assert_eq!(desk.revisit(&start, missing), Outcome::Fetched);
    desk.now = desk.now + 49 * HOUR;
    assert_eq!(desk.revisit(&start, missing).name(), "gone");
}

#[test]
fn a_page_that_was_put_back_survives_a_crash() {
    let start = url("a.web", "");
    let mut desk = Desk::new(std::slice::from_ref(&start));
    let lease = desk.lease();
    desk.settle(&lease, page(vec![]));
    desk.commit(|frontier, batch, _| assert!(frontier.revisit(batch, ONE, UrlKey::of(&start)).unwrap()));
    let mut again = Desk::over(desk.store.clone(), desk.now + HOUR);
    again.begin(ONE, &project(std::slice::from_ref(&start), |_| ()));
    assert_eq!(again.outcome(&start), Outcome::Waiting);
    while let Some(lease) = again.lease_in_time() {
        again.settle(&lease, missing());
    }
    assert_eq!(again.outcome(&start), Outcome::Fetched);
    assert!(!again.frontier.has_revisits(ONE));
}

#[test]
fn room_in_a_full_collection_goes_to_whom_it_was_promised_on_whatever_host() {
    let (first, second, third) = (url("a.web", ""), url("b.web", ""), url("c.web", ""));
    let starts = [first.clone(), second.clone(), third.clone()];
    let mut desk = Desk::with(&starts, |settings| settings.max_pages = 3);
    let found = |host: &str, path: &str| link(&url(host, path), UrlKey::of(&url(host, "")), true);
    for _ in 0..3 {
        let lease = desk.lease_in_time().expect("three pages fit");
        let key = lease.urls[0].key;
        let links = match key == UrlKey::of(&first) {
            true => vec![found("a.web", "star"), found("a.web", "other")],
            false => vec![found("b.web", "new")],
        };
        desk.settle(&lease, page(links));
    }
    assert!(matches!(desk.next(), Next::Reached(LimitReached::Pages)));
    // a.web rests for an hour, b.web could be asked at once.
    let star = UrlKey::of(&url("a.web", "star"));
    desk.commit(|frontier, batch, now| {
        frontier.rest(ONE, HostKey::of(&first.host()), now + HOUR);
        assert!(frontier.replace(batch, ONE, UrlKey::of(&third), star).unwrap());
    });
    // Also after a kill.
    let now = desk.now;
    let mut desk = Desk::over(desk.store.clone(), now);
    desk.begin(ONE, &project(&starts, |settings| settings.max_pages = 3));
    let lease = desk.lease_in_time().expect("the room is promised");
    assert!(desk.now.since(now) > HOUR / 2, "b.web was ready long before");
    assert_eq!(lease.urls.iter().map(|leased| leased.key).collect::<Vec<_>>(), [star]);
    // What it was promised to is no page: the room is free.
    desk.settle(&lease, missing());
    let lease = desk.lease_in_time().expect("others may have it");
    desk.settle(&lease, page(vec![]));
    assert!(matches!(desk.next(), Next::Reached(LimitReached::Pages)));
    assert!(!desk.frontier.has_revisits(ONE));
}

#[test]
fn what_was_given_up_comes_back_when_there_is_more_room_and_not_by_other_rules() {
    let (first, second) = (url("a.web", ""), url("b.web", ""));
    let starts = [first.clone(), second.clone()];
    let mut desk = Desk::with(&starts, |settings| settings.max_pages = 2);
    for _ in 0..2 {
        let lease = desk.lease_in_time().expect("two pages fit");
        desk.settle(&lease, page(vec![link(&url("a.web", "star"), lease.urls[0].key, true)]));
    }
    let given_up = Outcome::OverLimit { limit: model::Limit::Pages };
    // Each commit judges anew what was refused, once, after the rules have changed.
    let begun = |store: Store, now: Timestamp, pages: u64, links: u32| {
        let mut desk = Desk::over(store, now);
        let project = project(&starts, |settings| (settings.max_pages, settings.max_links) = (pages, links));
        desk.frontier.begin(ONE, &project).unwrap();
        desk.crawl = ONE;
        assert!(desk.frontier.has_to_reconsider(ONE), "the rules are others");
        desk
    };
    // It was given up for a page that is to come, and there is no room for both.
    let mut desk = begun(desk.store.clone(), desk.now, 2, 7);
    desk.commit(|frontier, batch, _| {
        let star = UrlKey::of(&url("a.web", "star"));
        assert!(frontier.replace(batch, ONE, UrlKey::of(&second), star).unwrap());
    });
    assert!(!desk.frontier.has_to_reconsider(ONE));
    assert_eq!(desk.outcome(&second), given_up);
    let lease = desk.lease_in_time().expect("the room is promised");
    desk.settle(&lease, page(vec![]));
    assert_eq!(desk.outcome(&second), given_up);
    let mut desk = begun(desk.store.clone(), desk.now, 2, 8);
    desk.commit(|_, _, _| ());
    assert_eq!(desk.outcome(&second), given_up, "in another run");
    let mut desk = begun(desk.store.clone(), desk.now, 3, 8);
    desk.commit(|_, _, _| ());
    assert_eq!(desk.outcome(&second), Outcome::Waiting, "now there is room for three");
}

#[test]
fn a_page_of_a_full_collection_keeps_its_room_while_it_is_asked_for_again() {
    let (first, second) = (url("a.web", ""), url("b.web", ""));
    let mut desk = Desk::with(&[first.clone(), second.clone()], |settings| settings.max_pages = 2);
    for _ in 0..2 {
        let lease = desk.lease_in_time().expect("two pages fit");
        desk.settle(&lease, page(vec![link(&url("b.web", "new"), lease.urls[0].key, true)]));
    }
    desk.commit(|frontier, batch, now| {
        frontier.rest(ONE, HostKey::of(&first.host()), now + HOUR);
        assert!(frontier.revisit(batch, ONE, UrlKey::of(&first)).unwrap());
    });
    let lease = desk.lease_in_time().expect("it is asked for again");
    assert_eq!(
        lease.urls[0].key,
        UrlKey::of(&first),
        "not the new one of a host that could be asked at once"
    );
    desk.settle(&lease, page(vec![]));
    assert!(matches!(desk.next(), Next::Reached(LimitReached::Pages)));
}
