//! Revisits in a crawl: which pages are due, what they were, and what stands when they have not changed.

use std::collections::VecDeque;

use archive::rows::{self, PageRows, Stand};
use archive::tables::{VISITS, VisitRecord};
use frontier::tables::URLS;
use judge::revisit::{Estimator, History, Intervals, Planned, adapted, schedule};
use kv::{Batch, KvError, Reader, Store};
use model::{
    CrawlId, EarlierVersion, HostKey, LeasedUrl, Revisit, RevisitSettings, Timestamp, UrlKey, Validators,
};

use crate::CrawlError;
use crate::replace::Importance;

/// Milliseconds of a day.
const DAY: f64 = 86_400_000.0;

/// Pages that are due, in the order of their keys.
#[derive(Default)]
pub(crate) struct Revisits(VecDeque<UrlKey>);

/// What the visits of a page have told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageHistory {
    /// When it was last found, changed or not.
    pub last: Timestamp,
    /// How often it changes.
    pub history: History,
    /// The interval that the rule of thumb has come to, in days.
    pub adapted: f64,
}

impl PageHistory {
    /// From the visits of a page, oldest first; none when it was never found.
    pub fn of<'a>(
        visits: impl Iterator<Item = (Timestamp, &'a VisitRecord)>,
        settings: &RevisitSettings,
    ) -> Option<PageHistory> {
        let bounds = Intervals { least: settings.least, most: settings.most };
        let mut found: Option<(PageHistory, Timestamp, u64)> = None;
        for (at, visit) in visits {
            let content = match visit.status {
                Some(200..=299) => Some(visit.content_hash),
                Some(304) => None,
                // An outage is no comparison.
                _ => continue,
            };
            let Some((page, first, known)) = &mut found else {
                let adapted = settings.every.clamp(bounds.least, bounds.most);
                let says = visit.last_modified.as_deref().and_then(fetch::http_date).is_some();
                let history = History { unmodified_days: says.then_some(0.0), ..History::default() };
                let page = PageHistory { last: at, history, adapted };
                found = content.map(|content| (page, at, content));
                continue;
            };
            let changed = content.is_some_and(|content| content != *known);
            *known = content.unwrap_or(*known);
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
            page.adapted = adapted(page.adapted, changed, bounds);
            page.last = at;
        }
        found.map(|(page, ..)| page)
    }

    /// Changes a day. Where nothing was seen yet it is as if half a change had been: nothing seen is not nothing.
    pub fn rate(&self, settings: &RevisitSettings) -> f64 {
        match self.history.rate(Estimator::Best) {
            0.0 => 0.5 / self.history.days.max(settings.every),
            rate => rate,
        }
    }
}

/// The days after which each page is asked for again, by the policy; beside each history stands how important the page is.
pub fn intervals(pages: &[(PageHistory, f64)], settings: &RevisitSettings) -> Vec<f64> {
    let bounds = Intervals { least: settings.least, most: settings.most };
    match settings.policy {
        Revisit::Off => vec![f64::INFINITY; pages.len()],
        Revisit::All => vec![0.0; pages.len()],
        Revisit::Fixed => vec![settings.every.clamp(bounds.least, bounds.most); pages.len()],
        Revisit::Adaptive => pages.iter().map(|(page, _)| page.adapted).collect(),
        Revisit::Optimal => {
            let planned: Vec<Planned> = pages
                .iter()
                .map(|(page, importance)| Planned { rate: page.rate(settings), importance: *importance })
                .collect();
            schedule(&planned, settings.budget, bounds)
        }
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
        let (mut keys, mut pages) = (Vec::new(), Vec::new());
        for row in snapshot.prefix(&URLS, &crawl.0) {
            let ((_, host, page), record) = row?;
            if !record.outcome.is_page() {
                continue;
            }
            let visits: Vec<_> =
                snapshot.prefix(&VISITS, &(crawl.0, host, page)).collect::<Result<_, _>>()?;
            let visits = visits.iter().map(|((.., at), visit)| (Timestamp(*at), visit));
            if let Some(history) = PageHistory::of(visits, settings) {
                let key = UrlKey { host: HostKey(host), page };
                keys.push(key);
                pages.push((history, importance.as_ref().and_then(|all| all.of(key)).unwrap_or(1.0)));
            }
        }
        let intervals = intervals(&pages, settings);
        let is_due = |(page, interval): (&(PageHistory, f64), f64)| {
            now.since(page.0.last).as_millis() as f64 >= interval * DAY
        };
        let due = pages.iter().zip(intervals).map(is_due);
        Ok(Revisits(keys.into_iter().zip(due).filter(|(_, due)| *due).map(|(key, _)| key).collect()))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Some of them, which are no longer here.
    pub(crate) fn take(&mut self, most: usize) -> Vec<UrlKey> {
        self.0.drain(..most.min(self.0.len())).collect()
    }
}

/// Tells a leased URL which version of it is kept.
pub(crate) fn name_earlier(reader: &impl Reader, crawl: CrawlId, url: &mut LeasedUrl) -> Result<(), KvError> {
    for row in reader.prefix(&VISITS, &(crawl.0, url.key.host.0, url.key.page)).rev() {
        let ((.., started), visit) = row?;
        let Some(place) = visit.location.filter(|_| matches!(visit.status, Some(200..=299))) else {
            continue;
        };
        if visit.cut.is_none() {
            url.validators = Validators { etag: visit.etag, last_modified: visit.last_modified };
        }
        url.earlier = Some(EarlierVersion {
            started: Timestamp(started),
            content_hash: visit.content_hash,
            record: (place.file, place.offset, place.length),
        });
        break;
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
        let found = PageHistory::of(visits.iter().map(|(at, visit)| (*at, visit)), &settings).unwrap();
        assert_eq!((found.history.comparisons, found.history.changes), (3, 1));
        assert_eq!((found.history.days, found.last), (5.0, days(6)));
        assert!((found.adapted - 7.0 * 1.4 * 1.4 * 0.8).abs() < 1e-9);
        assert_eq!(PageHistory::of(visits[..1].iter().map(|(at, visit)| (*at, visit)), &settings), None);
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
        let found = PageHistory::of(visits.iter().map(|(at, visit)| (*at, visit)), &settings).unwrap();
        assert_eq!(found.history.unmodified_days, Some(2.0 + 1.0 + 1.0));
        assert_eq!((found.history.comparisons, found.history.changes), (3, 1));
    }

    #[test]
    fn every_policy_keeps_its_bounds() {
        for policy in [Revisit::Fixed, Revisit::Adaptive, Revisit::Optimal] {
            let crawl = CrawlSettings { revisit: policy, revisit_budget: 3, ..CrawlSettings::default() };
            let settings = crawl.revisit_settings();
            let pages: Vec<(PageHistory, f64)> = (0..20)
                .map(|n| {
                    let history = History { comparisons: 20, changes: n, days: 40.0, unmodified_days: None };
                    (PageHistory { last: Timestamp(0), history, adapted: settings.every }, f64::from(n % 3))
                })
                .collect();
            let found = intervals(&pages, &settings);
            let bounds = settings.least..=settings.most;
            assert!(found.iter().all(|days| bounds.contains(days)), "{policy}: {found:?}");
        }
    }
}
