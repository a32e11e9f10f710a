//! Visits as they were just read, for whoever follows the crawl: kept in memory for a while, so that a page need not be
//! taken from the archive and read again. Bounded: who comes too late finds it there.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use archive::Position;
use archive::tables::VisitRecord;
use model::{Page, PageUrl, Timestamp, UrlKey};

/// A visit whose records are in the archive.
#[derive(Debug)]
pub struct FreshVisit {
    /// Where the archive ended behind its records.
    pub end: Position,
    /// What was visited.
    pub url: PageUrl,
    /// Its key.
    pub key: UrlKey,
    /// When.
    pub started: Timestamp,
    /// What is kept of the visit.
    pub visit: VisitRecord,
    /// It led elsewhere.
    pub redirected: bool,
    /// The page without its links and tables, with its first image and heading, and with its main text alone where it has
    /// one; none for an answer without content, or one that is no page.
    pub page: Option<Page>,
}

/// The latest visits of a run, in the order of the archive.
#[derive(Debug, Default)]
pub struct Fresh {
    wanted: AtomicBool,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// Where the archive ended before the first of them.
    start: Option<Position>,
    visits: VecDeque<Arc<FreshVisit>>,
    bytes: usize,
}

/// Text that is kept, in bytes.
const MOST_BYTES: usize = 32 << 20;

/// What a visit takes beside its text, about.
const BESIDE: usize = 1 << 10;

impl Fresh {
    /// From here on visits are kept, or no more.
    pub fn want(&self, wanted: bool) {
        self.wanted.store(wanted, Ordering::Release);
        if !wanted {
            *self.kept() = Kept::default();
        }
    }

    /// Where they begin in the archive, and those whose records lie before `committed`: from the beginning to there
    /// nothing is missing.
    pub fn until(&self, committed: Position) -> Option<(Position, Vec<Arc<FreshVisit>>)> {
        let kept = self.kept();
        let visits = kept.visits.iter().take_while(|visit| visit.end <= committed).cloned().collect();
        Some((kept.start?, visits))
    }

    /// Forgets those whose records lie before `position`.
    pub fn forget(&self, position: Position) {
        let mut kept = self.kept();
        while kept.visits.front().is_some_and(|visit| visit.end <= position) {
            kept.drop_first();
        }
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Acquire)
    }

    /// Keeps a visit whose records were appended where the archive ended at `start`.
    pub(crate) fn keep(&self, start: Position, visit: FreshVisit) {
        let mut kept = self.kept();
        kept.start.get_or_insert(start);
        kept.bytes += weight(&visit);
        kept.visits.push_back(Arc::new(visit));
        while kept.bytes > MOST_BYTES && !kept.visits.is_empty() {
            kept.drop_first();
        }
    }

    /// A visit was appended that is not kept: what was kept before it has a gap behind it, and is left to the archive.
    pub(crate) fn skip(&self) {
        if self.is_wanted() {
            *self.kept() = Kept::default();
        }
    }

    /// Forgets those behind `committed`: their records are gone.
    pub(crate) fn lose(&self, committed: Position) {
        let mut kept = self.kept();
        while let Some(last) = kept.visits.pop_back_if(|visit| visit.end > committed) {
            kept.bytes -= weight(&last);
        }
        if kept.visits.is_empty() {
            kept.start = None;
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn drop_first(&mut self) {
        if let Some(first) = self.visits.pop_front() {
            self.bytes -= weight(&first);
            self.start = Some(first.end);
        }
    }
}

fn weight(visit: &FreshVisit) -> usize {
    let Some(page) = &visit.page else { return BESIDE };
    let meta: usize = page.meta.iter().map(|(name, value)| name.len() + value.len()).sum();
    let headings: usize = page.headings.iter().map(|heading| heading.text.len()).sum();
    let small = 256 * (page.images.len() + page.headings.len() + page.meta.len());
    BESIDE + page.text.len() + page.main.len() + meta + headings + small
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(length: u64) -> Position {
        Position { file: 1, length }
    }

    fn keep(fresh: &Fresh, start: u64, end: u64, text: usize) {
        let url: PageUrl = PageUrl::parse(&format!("http://a.test/{end}")).unwrap();
        let page = Some(Page { text: "x".repeat(text), ..Page::default() });
        let sent = frontier::Sent { start: Timestamp(0), end: Timestamp(0) };
        let (key, visit) = (UrlKey::of(&url), crate::read::failed_visit(model::ErrorKind::Body, sent));
        fresh.keep(
            at(start),
            FreshVisit { end: at(end), url, key, started: Timestamp(0), visit, redirected: false, page },
        );
    }

    fn check(fresh: &Fresh, committed: u64, expected: Option<(u64, &[u64])>) {
        let found = fresh.until(at(committed));
        let found = found.map(|(start, visits)| {
            (start.length, visits.iter().map(|visit| visit.end.length).collect::<Vec<_>>())
        });
        assert_eq!(found, expected.map(|(start, ends)| (start, ends.to_vec())), "up to {committed}");
    }

    #[test]
    fn visits_are_given_once_they_are_committed_and_forgotten_when_told() {
        let fresh = Fresh::default();
        check(&fresh, 100, None);
        keep(&fresh, 10, 20, 5);
        // Something else was appended from 20 to 25.
        keep(&fresh, 25, 40, 5);
        keep(&fresh, 40, 60, 5);
        check(&fresh, 15, Some((10, &[])));
        check(&fresh, 59, Some((10, &[20, 40])));
        fresh.forget(at(20));
        check(&fresh, 60, Some((20, &[40, 60])));
        fresh.lose(at(45));
        check(&fresh, 60, Some((20, &[40])));
        fresh.lose(at(30));
        check(&fresh, 60, None);
        keep(&fresh, 30, 50, 5);
        check(&fresh, 60, Some((30, &[50])));
    }

    #[test]
    fn too_much_text_is_left_to_the_archive() {
        let fresh = Fresh::default();
        for number in 0..100 {
            keep(&fresh, number * 10, number * 10 + 10, 1 << 20);
        }
        let (start, visits) = fresh.until(at(u64::MAX)).unwrap();
        assert!((20..=32).contains(&visits.len()), "{}", visits.len());
        assert_eq!(start.length, 1_000 - 10 * visits.len() as u64);
    }
}
