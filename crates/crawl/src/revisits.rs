//! Revisits in a crawl: which pages are due, what they were, and what stands when they have not changed.

use std::collections::VecDeque;

use archive::Location;
use archive::rows::{self, PageRows, Stand};
use archive::tables::{VISITS, VisitRecord};
use frontier::refresh_fact;
use frontier::tables::{FACTS, REVISITS, URLS};
use judge::revisit::{Candidate, Choice, History, Intervals, Room, adapted, choose, pages_of};
use kv::{Batch, KvError, Reader, Store};
use model::{
    CrawlId, EarlierVersion, HostKey, LeasedUrl, Revisit, RevisitSettings, Timestamp, UrlKey, Validators,
};

use crate::CrawlError;
use crate::replace::Importance;

/// Milliseconds of a day.
const DAY: f64 = 86_400_000.0;

/// Pages that are due, first those that matter most.
#[derive(Debug, Default)]
pub(crate) struct Revisits {
    pages: VecDeque<UrlKey>,
    /// Pages that are due too, and that the budget leaves to the next time.
    left: usize,
}

/// What the visits of a page have told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageHistory {
    /// When it was last found, changed or not; the beginning of time where no clock that can be believed says.
    pub last: Timestamp,
    /// How often it changes.
    pub history: History,
    /// The interval that the rule of thumb has come to, in days.
    pub adapted: f64,
}

impl PageHistory {
    /// From the visits of a page, oldest first; none when it was never found. Visits after `now` were made while the
    /// clock was wrong: they tell that there is a page, and nothing of when.
    pub fn of<'a>(
        visits: impl Iterator<Item = (Timestamp, &'a VisitRecord)>,
        settings: &RevisitSettings,
        now: Timestamp,
    ) -> Option<PageHistory> {
        let bounds = Intervals { least: settings.least, most: settings.most };
        let usual = settings.every.clamp(bounds.least, bounds.most);
        let mut found: Option<(PageHistory, Timestamp, &VisitRecord)> = None;
        let mut found_later = false;
        for (at, visit) in visits {
            let content = match visit.status {
                Some(200..=299) => Some(visit),
                Some(304) => None,
                // An outage is no comparison.
                _ => continue,
            };
            if at > now {
                found_later = true;
                break;
            }
            let Some((page, first, known)) = &mut found else {
                let says = visit.last_modified.as_deref().and_then(fetch::http_date).is_some();
                let history = History { unmodified_days: says.then_some(0.0), ..History::default() };
                let page = PageHistory { last: at, history, adapted: usual };
                found = content.map(|content| (page, at, content));
                continue;
            };
            let changed = content.is_some_and(|content| has_changed(known, content));
            // A body that is the same was not read again.
            let says_less = |found: &VisitRecord| found.text_hash == 0 && !changed;
            *known = content.filter(|found| !says_less(found)).unwrap_or(*known);
            // How long it is known to have stood: since the visit before, or since it was changed, if it says when.
            let stood = match changed {
                false => Some(at.since(page.last)),
                true => {
                    let modified = visit.last_modified.as_deref().and_then(fetch::http_date);
                    modified
                        .filter(|modified| *modified <= at)
                        .map(|modified| at.since(modified.max(page.last)))
                }
            };
            let stood = stood.map(|stood| stood.as_secs_f64() / 86_400.0);
            page.history.unmodified_days =
                page.history.unmodified_days.zip(stood).map(|(days, stood)| days + stood);
            page.history.comparisons += 1;
            page.history.changes += u32::from(changed);
            page.history.days = at.since(*first).as_secs_f64() / 86_400.0;
            if at.since(page.last).as_millis() as f64 >= bounds.least * DAY {
                page.adapted = adapted(page.adapted, changed, bounds);
            }
            page.last = at;
        }
        let unknown = PageHistory { adapted: usual, ..PageHistory::default() };
        found.map(|(page, ..)| page).or(found_later.then_some(unknown))
    }

    /// Changes a day, as far as they can be known.
    pub fn rate(&self, settings: &RevisitSettings) -> f64 {
        self.history.likely_rate(settings.every, settings.least)
    }

    /// Days since it was last found.
    fn age(&self, now: Timestamp) -> f64 {
        now.since(self.last).as_millis() as f64 / DAY
    }
}

/// True when a later visit found another page: by its text where that is known, so that clocks and scripts do not count.
fn has_changed(known: &VisitRecord, found: &VisitRecord) -> bool {
    match (known.text_hash, found.text_hash) {
        (0, _) | (_, 0) => known.content_hash != found.content_hash,
        (known, found) => known != found,
    }
}

/// What a refresh may fetch again.
#[derive(Clone, Copy, Debug, Default)]
struct Budget {
    /// When the refresh before it began.
    refreshed: Option<Timestamp>,
    /// Pages that were asked for again within the last day, or wait to be.
    spent: usize,
}

impl Budget {
    /// The room of a refresh with so many fetches a day.
    fn room(self, a_day: f64, now: Timestamp) -> Room {
        let since = self.refreshed.map(|last| now.since(last).as_millis() as f64 / DAY);
        Room { pages: pages_of(a_day, since.unwrap_or(1.0), self.spent), since: since.unwrap_or(0.0) }
    }
}

/// A page that a crawl keeps.
#[derive(Clone, Copy, Debug)]
struct Kept {
    key: UrlKey,
    history: PageHistory,
    importance: f64,
}

impl Kept {
    fn candidate(&self, settings: &RevisitSettings, now: Timestamp) -> Candidate {
        let PageHistory { adapted, .. } = self.history;
        let (rate, age) = (self.history.rate(settings), self.history.age(now));
        Candidate { rate, importance: self.importance, adapted, age }
    }
}

impl Revisits {
    /// The pages of a crawl that are due at `now`.
    pub(crate) fn due(
        store: &Store,
        crawl: CrawlId,
        settings: &RevisitSettings,
        now: Timestamp,
    ) -> Result<Revisits, CrawlError> {
        if settings.policy == Revisit::Off {
            return Ok(Revisits::default());
        }
        let snapshot = store.snapshot();
        // Only this one asks for it.
        let importance = match settings.policy {
            Revisit::Optimal => Some(Importance::read(&snapshot, crawl)?),
            _ => None,
        };
        let mut pages = Vec::new();
        let refreshed = snapshot.get(&FACTS, &refresh_fact(crawl))?.map(Timestamp);
        let mut budget = Budget { refreshed, spent: 0 };
        for row in snapshot.prefix(&REVISITS, &crawl.0) {
            // The others wait for the room of pages that were given up.
            budget.spent += usize::from(row?.1.was.is_page());
        }
        let a_day_ago = Timestamp(now.0.saturating_sub(DAY as u64));
        for row in snapshot.prefix(&URLS, &crawl.0) {
            let ((_, host, page), record) = row?;
            if !record.outcome.is_page() {
                continue;
            }
            let visits: Vec<_> =
                snapshot.prefix(&VISITS, &(crawl.0, host, page)).collect::<Result<_, _>>()?;
            // From the one on that found it first.
            let found = visits.iter().skip_while(|(_, visit)| !matches!(visit.status, Some(200..=299)));
            let times = found.skip(1).map(|((.., at), _)| Timestamp(*at));
            budget.spent += times.filter(|at| *at > a_day_ago && *at <= now).count();
            let visits = visits.iter().map(|((.., at), visit)| (Timestamp(*at), visit));
            if let Some(history) = PageHistory::of(visits, settings, now) {
                let key = UrlKey { host: HostKey(host), page };
                let importance = importance.as_ref().and_then(|all| all.of(key)).unwrap_or(1.0);
                pages.push(Kept { key, history, importance });
            }
        }
        Ok(Revisits::chosen(&pages, settings, budget, now))
    }

    /// Of these pages those that are due, as the judge chooses.
    fn chosen(pages: &[Kept], settings: &RevisitSettings, budget: Budget, now: Timestamp) -> Revisits {
        let candidates: Vec<Candidate> = pages.iter().map(|page| page.candidate(settings, now)).collect();
        let Choice { pages: chosen, left } = choose(&candidates, settings, budget.room(settings.budget, now));
        Revisits { pages: chosen.into_iter().map(|place| pages[place].key).collect(), left }
    }

    /// What is done, in words.
    pub(crate) fn words(&self) -> String {
        let left = match self.left {
            0 => String::new(),
            left => format!("; {left} more are due and wait for the next refresh (revisit_budget)"),
        };
        format!("{} pages are due to be asked for again{left}", self.len())
    }

    pub(crate) fn len(&self) -> usize {
        self.pages.len()
    }

    /// Some of them, which are no longer here.
    pub(crate) fn take(&mut self, most: usize) -> Vec<UrlKey> {
        self.pages.drain(..most.min(self.pages.len())).collect()
    }
}

/// Tells a leased URL which version of it is kept.
pub(crate) fn name_earlier(reader: &impl Reader, crawl: CrawlId, url: &mut LeasedUrl) -> Result<(), KvError> {
    // The archive knows what came last, whatever the clock said then.
    let mut latest: Option<(Location, u64, VisitRecord)> = None;
    for row in reader.prefix(&VISITS, &(crawl.0, url.key.host.0, url.key.page)) {
        let ((.., started), visit) = row?;
        let Some(place) = visit.location.filter(|_| matches!(visit.status, Some(200..=299))) else {
            continue;
        };
        if latest.as_ref().is_none_or(|(known, ..)| *known < place) {
            latest = Some((place, started, visit));
        }
    }
    if let Some((place, started, visit)) = latest {
        if visit.cut.is_none() {
            url.validators = Validators { etag: visit.etag, last_modified: visit.last_modified };
        }
        url.earlier = Some(EarlierVersion {
            started: Timestamp(started),
            content_hash: visit.content_hash,
            record: (place.file, place.offset, place.length),
        });
    }
    Ok(())
}

/// Says again what was last said of a page's rows, for a page that has not changed; or that the page is no more.
pub(crate) fn repeat_rows(
    batch: &mut Batch,
    crawl: CrawlId,
    page: UrlKey,
    visited: Timestamp,
    stand: Option<Stand>,
) -> Result<(), KvError> {
    let Some((_, former)) = rows::latest(batch, crawl, page)? else { return Ok(()) };
    let again = match stand {
        None => PageRows { visited, ..former },
        Some(stand) => PageRows { visited, stand, whole: true, rows: Vec::new(), ..former },
    };
    rows::put(batch, crawl, again, u64::MAX).map(drop)
}

#[cfg(test)]
mod tests {
    use model::{CrawlSettings, ErrorKind};

    use super::*;

    fn visit(status: Option<u16>, content: u64) -> VisitRecord {
        let sent = frontier::Sent { start: Timestamp(0), end: Timestamp(0) };
        VisitRecord { status, content_hash: content, ..crate::read::failed_visit(ErrorKind::Connect, sent) }
    }

    #[test]
    fn a_history_counts_answers_and_no_outages() {
        let settings = CrawlSettings::default().revisit_settings();
        let days = |days: u64| Timestamp(days * 86_400_000);
        let visits = [
            (days(0), visit(None, 0)),
            (days(1), visit(Some(200), 1)),
            (days(2), visit(Some(304), 0)),
            (days(3), visit(Some(503), 9)),
            (days(4), visit(None, 0)),
            (days(5), visit(Some(200), 1)),
            (days(6), visit(Some(200), 2)),
            (days(7), visit(Some(404), 3)),
        ];
        let found =
            PageHistory::of(visits.iter().map(|(at, visit)| (*at, visit)), &settings, days(8)).unwrap();
        assert_eq!((found.history.comparisons, found.history.changes), (3, 1));
        assert_eq!((found.history.days, found.last), (5.0, days(6)));
        assert!((found.adapted - 7.0 * 1.4 * 1.4 * 0.8).abs() < 1e-9);
        assert_eq!(
            PageHistory::of(visits[..1].iter().map(|(at, visit)| (*at, visit)), &settings, days(8)),
            None
        );
    }

    #[test]
    fn a_history_counts_changes_of_the_text_where_it_is_known() {
        let settings = CrawlSettings::default().revisit_settings();
        let visits = [(1, 1), (2, 1), (2, 0), (3, 1), (4, 2), (5, 0), (5, 2)];
        let visits: Vec<_> = visits
            .iter()
            .zip(0..)
            .map(|((content, text_hash), day)| {
                let visit = VisitRecord { text_hash: *text_hash, ..visit(Some(200), *content) };
                (Timestamp(day * 86_400_000), visit)
            })
            .collect();
        let now = Timestamp(10 * 86_400_000);
        let found = PageHistory::of(visits.iter().map(|(at, visit)| (*at, visit)), &settings, now).unwrap();
        // Noise, nothing, noise; another text; other content of an unknown text; nothing.
        assert_eq!((found.history.comparisons, found.history.changes), (6, 2));
    }

    /// A page that says when it was changed tells more than one that only differs.
    #[test]
    fn last_modified_tells_how_long_a_page_stood() {
        let settings = CrawlSettings::default().revisit_settings();
        let says = |day: &str, content: u64| {
            let modified = format!("{day} Nov 1994 00:00:00 GMT");
            VisitRecord { last_modified: Some(modified), ..visit(Some(200), content) }
        };
        // The first of November 1994.
        let day = |day: u64| Timestamp(783_648_000_000 + (day - 1) * 86_400_000);
        let visits = [
            (day(1), says("Tue, 01", 1)),
            (day(3), says("Tue, 01", 1)),
            (day(5), says("Fri, 04", 2)),
            (day(6), visit(Some(304), 0)),
        ];
        let found =
            PageHistory::of(visits.iter().map(|(at, visit)| (*at, visit)), &settings, day(7)).unwrap();
        assert_eq!(found.history.unmodified_days, Some(2.0 + 1.0 + 1.0));
        assert_eq!((found.history.comparisons, found.history.changes), (3, 1));
    }

    /// A visit of when the clock was wrong neither keeps a page from being due nor says how often it changes.
    #[test]
    fn visits_from_the_future_tell_nothing_of_when() {
        let crawl = CrawlSettings { revisit: Revisit::Fixed, ..CrawlSettings::default() };
        let settings = crawl.revisit_settings();
        let days = |days: u64| Timestamp(days * 86_400_000);
        let visits = [(days(10), visit(Some(200), 1)), (days(9_000), visit(Some(200), 2))];
        let of = |visits: &[(Timestamp, VisitRecord)], now| {
            PageHistory::of(visits.iter().map(|(at, visit)| (*at, visit)), &settings, now)
        };
        let is_due = |history, now| {
            let page = Kept { key: key(1), history, importance: 1.0 };
            Revisits::chosen(&[page], &settings, Budget::default(), now).len() == 1
        };
        let both = of(&visits, days(16)).unwrap();
        assert_eq!((both.last, both.history.comparisons), (days(10), 0));
        assert!(!is_due(both, days(16)) && is_due(of(&visits, days(17)).unwrap(), days(17)));
        let only = of(&visits[1..], days(16)).unwrap();
        assert!(is_due(only, days(16)), "{only:?}");
        assert_eq!(of(&visits, days(9_001)).unwrap().history.comparisons, 1);
    }

    fn key(page: u128) -> UrlKey {
        UrlKey { host: HostKey(1), page }
    }

    /// What came last is compared with, whatever the clock said when another version came.
    #[test]
    fn the_latest_version_is_the_last_of_the_archive() {
        let store = Store::memory();
        let mut batch = store.batch();
        let address = model::PageUrl::parse("http://e.test/").unwrap();
        let page = UrlKey::of(&address);
        for (at, offset, content) in [(10, 0, 1), (9_000, 100, 2), (20, 200, 3)] {
            let location = Some(Location { file: 0, offset, length: 10 });
            let version =
                VisitRecord { location, etag: Some(content.to_string()), ..visit(Some(200), content) };
            batch.put(&VISITS, &(1, page.host.0, page.page, at), &version);
        }
        batch.put(&VISITS, &(1, page.host.0, page.page, 30), &visit(Some(304), 0));
        store.commit(batch, kv::Durability::Buffered).unwrap();
        let mut url = LeasedUrl {
            key: page,
            url: address,
            depth: 0,
            via: None,
            tries: 0,
            validators: Validators::default(),
            earlier: None,
            body_limit: 0,
        };
        name_earlier(&store, CrawlId(1), &mut url).unwrap();
        assert_eq!(url.validators.etag.as_deref(), Some("3"));
        assert_eq!(
            url.earlier.map(|earlier| (earlier.started, earlier.record)),
            Some((Timestamp(20), (0, 200, 10)))
        );
    }

    /// Equal pages fall due together; each day takes its budget, and in the end all have had their turn.
    #[test]
    fn a_refresh_keeps_to_the_budget_and_the_rest_comes_next_time() {
        let crawl =
            CrawlSettings { revisit: Revisit::Optimal, revisit_budget: 3, ..CrawlSettings::default() };
        let settings = crawl.revisit_settings();
        let mut pages: Vec<Kept> = (0..300)
            .map(|page| Kept { key: key(page), history: PageHistory::default(), importance: 1.0 })
            .collect();
        let days = |days: u64| Timestamp(days * 86_400_000);
        let mut asked = vec![0; pages.len()];
        let mut day = 0;
        while day < 250 {
            // Now and then nobody refreshes for five days.
            let since = if day % 20 == 0 { 5 } else { 1 };
            day += since;
            let now = days(day);
            let budget = Budget { refreshed: Some(days(day - since)), spent: 0 };
            let due = Revisits::chosen(&pages, &settings, budget, now);
            assert!(due.len() as u64 <= 3 * since, "day {day}: {}", due.len());
            assert!(due.left == 0 || due.words().contains("more are due and wait"), "{}", due.words());
            for key in due.pages {
                let page = &mut pages[key.page as usize];
                page.history.last = now;
                page.history.history.comparisons += 1;
                page.history.history.days = day as f64;
                asked[key.page as usize] += 1;
            }
            // A second refresh on the same day has only what the first has left.
            let budget = Budget { refreshed: Some(now), spent: 2 };
            assert!(Revisits::chosen(&pages, &settings, budget, now).len() <= 1);
        }
        assert!(asked.iter().all(|times| *times > 0), "{asked:?}");
        let never = Budget { refreshed: None, spent: 0 };
        assert!(Revisits::chosen(&pages, &settings, never, days(1_000)).len() == 3, "a day's, at first");
    }

    #[test]
    fn what_gains_most_comes_first_and_else_what_is_overdue_most() {
        let days = |days: u64| Timestamp(days * 86_400_000);
        let page = |number: u128, changes: u32, last: u64, importance: f64, adapted: f64| {
            let history = History { comparisons: 40, changes, days: 400.0, unmodified_days: None };
            let history = PageHistory { last: days(last), history, adapted };
            Kept { key: key(number), history, importance }
        };
        let pages = [
            page(1, 4, 500, 1.0, 10.0),
            page(2, 12, 500, 1.0, 50.0),
            page(3, 12, 500, 5.0, 60.0),
            page(4, 4, 450, 1.0, 40.0),
        ];
        let order = |policy| {
            let crawl = CrawlSettings { revisit: policy, revisit_budget: 1, ..CrawlSettings::default() };
            let budget = Budget { refreshed: Some(days(500)), spent: 0 };
            let due = Revisits::chosen(&pages, &crawl.revisit_settings(), budget, days(600));
            due.pages.into_iter().map(|key| key.page).collect::<Vec<_>>()
        };
        // The more important one of two that change alike; the one that was left for longer; the one that stays fresh for
        // longer.
        assert_eq!(order(Revisit::Optimal), [3, 4, 1, 2]);
        // Ten times its interval, then 3.75, 2 and less than twice.
        assert_eq!(order(Revisit::Adaptive), [1, 4, 2, 3]);
        assert_eq!(order(Revisit::Fixed), [4, 1, 2, 3]);
        assert_eq!(order(Revisit::All), [4, 1, 2, 3]);
    }
}
