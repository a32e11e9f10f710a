//! From a query to its best entries: every match is seen once, scored, counted and kept if it is among the best.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use crate::eval::{Basis, Cursor, loose};
use crate::prune::words;
use crate::view::{DocAddress, View};
use crate::window::{WINDOW, Window, each};
use crate::{Demand, IndexError, Query, Scoring, Segment, Statistics, Term};

/// What is asked.
pub struct Request<'a> {
    /// For these entries.
    pub query: &'a Query,
    /// That also match all of these, without score.
    pub filters: &'a [Query],
    /// With these counts.
    pub statistics: &'a Statistics,
    /// And these numbers.
    pub scoring: &'a Scoring,
    /// So many of them.
    pub most: usize,
    /// Entries that match every part of a loose query before the others.
    pub all_first: bool,
    /// What comes first.
    pub order: Order,
    /// What changes scores beside words.
    pub signals: Option<&'a dyn Signals>,
    /// What is counted over all matches.
    pub facets: &'a [Facet],
    /// All matches are counted; else a search for words alone may leave out those that cannot be among the best.
    pub count: bool,
}

/// What comes first. Equal entries are in an order of their own, the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The best.
    Score,
    /// By the first value of a number or date field; those without come last.
    Field {
        /// The field.
        field: usize,
        /// The largest first.
        descending: bool,
    },
}

/// Scores beside words.
pub trait Signals {
    /// Looks at a segment; what is given back turns the scores of entries into others, which must not be NaN.
    fn segment<'s>(&'s self, segment: &Segment<'s>) -> Result<Change<'s>, IndexError>;
}

/// Turns the scores of some entries of a segment into others.
pub type Change<'s> = Box<dyn FnMut(&[u32], &mut [f64]) + 's>;

/// What is counted over all matches.
#[derive(Clone, Debug, PartialEq)]
pub enum Facet {
    /// The values of a keyword field.
    Keywords(usize),
    /// The values of a number or date field between these bounds: n bounds make n − 1 counts.
    Ranges(usize, Vec<f64>),
}

/// Counts of a facet.
#[derive(Clone, Debug, PartialEq)]
pub enum Counts {
    /// By value.
    Keywords(BTreeMap<String, u64>),
    /// By range; and the smallest and largest value met.
    Ranges(Vec<u64>, Option<(f64, f64)>),
}

/// One of the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Where it is.
    pub address: DocAddress,
    /// What its words are worth.
    pub words: f64,
    /// What it is worth in all.
    pub score: f64,
    /// It matches every part.
    pub all: bool,
    /// The value it was ordered by, where that is a field's.
    pub value: Option<f64>,
    /// Orders equals.
    pub key: u64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The best, in order.
    pub candidates: Vec<Candidate>,
    /// All that match; of a search that does not count, those given.
    pub total: u64,
    /// Those that match every part.
    pub with_all: u64,
    /// Counts, in the order of the facets asked for.
    pub counts: Vec<Counts>,
}

impl View {
    /// The best entries of a query.
    pub fn search(&self, request: &Request<'_>) -> Result<Found, IndexError> {
        let alone = request.filters.is_empty() && request.signals.is_none() && request.facets.is_empty();
        if alone
            && !request.count
            && !request.all_first
            && request.order == Order::Score
            && let Some(terms) = words(request.query)
        {
            return self.search_words(request, &terms);
        }
        let mut best = Best { heap: BinaryHeap::new(), most: request.most };
        let mut found = Found { counts: request.facets.iter().map(Counts::of).collect(), ..Found::default() };
        for segment in 0..self.segments() {
            self.search_segment(segment, request, &mut best, &mut found)?;
        }
        found.candidates = best.heap.into_sorted_vec().into_iter().map(|ranked| ranked.candidate).collect();
        Ok(found)
    }

    fn search_words(&self, request: &Request<'_>, terms: &[&Term]) -> Result<Found, IndexError> {
        let mut best = Best { heap: BinaryHeap::new(), most: request.most };
        for segment in 0..self.segments() {
            self.prune_segment(segment, request, terms, &mut best)?;
        }
        let mut candidates: Vec<Candidate> = best.heap.into_iter().map(|ranked| ranked.candidate).collect();
        self.settle_scores(request, &mut candidates)?;
        let mut ranked: Vec<Ranked> = candidates
            .into_iter()
            .map(|candidate| Ranked { candidate, first: false, by_value: None })
            .collect();
        ranked.sort_unstable();
        let candidates: Vec<Candidate> = ranked.into_iter().map(|ranked| ranked.candidate).collect();
        let with_all = candidates.iter().filter(|candidate| candidate.all).count() as u64;
        Ok(Found { total: candidates.len() as u64, with_all, candidates, counts: Vec::new() })
    }

    fn search_segment(
        &self,
        number: usize,
        request: &Request<'_>,
        best: &mut Best,
        found: &mut Found,
    ) -> Result<(), IndexError> {
        let basis =
            Basis { view: self, segment: number, statistics: request.statistics, scoring: request.scoring };
        let mut root = Root::new(&basis, request)?;
        let reader = self.segment(number);
        let alive = reader.alive_bitset();
        let segment = Segment::new(self, number);
        let keys = segment.keys()?;
        let mut signals = request.signals.map(|signals| signals.segment(&segment)).transpose()?;
        let order = match request.order {
            Order::Score => None,
            Order::Field { field, descending } => Some((segment.numbers(field)?, descending)),
        };
        let mut tallies =
            request.facets.iter().map(|facet| Tally::new(facet, &segment)).collect::<Result<Vec<_>, _>>()?;
        let end = reader.max_doc();
        let (mut docs, mut scores) = (Vec::new(), Vec::new());
        let mut base = 0;
        while base < end {
            let next = root.next();
            if next >= end {
                break;
            }
            base = base.max(next / WINDOW * WINDOW);
            let entries = WINDOW.min(end - base);
            let (window, parts) = root.fill(base, entries);
            let is_dead = |doc: u32| alive.is_some_and(|alive| alive.is_deleted(doc));
            let mut meet = |doc: u32, score: f64| {
                let place = (doc - base) as usize;
                let words = window.scores[place];
                let all = parts.as_ref().is_none_or(|matched| usize::from(matched[place]) == root.parts);
                found.total += 1;
                found.with_all += u64::from(all);
                tallies.iter_mut().for_each(|tally| tally.count(doc));
                let value = order.as_ref().and_then(|(column, _)| column.first(doc));
                let tier = (all && request.all_first, order.as_ref().map(|(_, descending)| *descending));
                if best.wants(tier.0, score, order.is_some()) {
                    let address = DocAddress { segment: number as u32, doc };
                    let candidate = Candidate { address, words, score, all, value, key: keys.get_val(doc) };
                    best.offer(Ranked { candidate, first: tier.0, by_value: tier.1 });
                }
            };
            if let Some(signals) = &mut signals {
                docs.clear();
                scores.clear();
                each(&window.bits, |place| {
                    let doc = base + place as u32;
                    if !is_dead(doc) {
                        docs.push(doc);
                        scores.push(window.scores[place]);
                    }
                });
                signals(&docs, &mut scores);
                docs.iter().zip(&scores).for_each(|(doc, score)| meet(*doc, *score));
            } else {
                each(&window.bits, |place| {
                    let doc = base + place as u32;
                    if !is_dead(doc) {
                        meet(doc, window.scores[place]);
                    }
                });
            }
            base += WINDOW;
        }
        for (tally, counts) in tallies.into_iter().zip(&mut found.counts) {
            tally.add_to(counts);
        }
        Ok(())
    }
}

/// The root of a query at work.
struct Root {
    query: Cursor,
    filters: Vec<Cursor>,
    /// Parts that must or may match, of a loose root.
    parts: usize,
}

impl Root {
    fn new(basis: &Basis<'_>, request: &Request<'_>) -> Result<Root, IndexError> {
        let query = basis.cursor(request.query)?;
        let filters = request.filters.iter().map(|filter| basis.cursor(filter)).collect::<Result<_, _>>()?;
        let parts = match request.query {
            Query::Loose(parts) => {
                parts.iter().filter(|(demand, _)| matches!(demand, Demand::May | Demand::Must)).count()
            }
            _ => 0,
        };
        Ok(Root { query, filters, parts })
    }

    fn next(&self) -> u32 {
        self.filters.iter().map(Cursor::next).fold(self.query.next(), u32::max)
    }

    fn fill(&mut self, base: u32, entries: u32) -> (Window, Option<Box<[u16; WINDOW as usize]>>) {
        let mut kept: Option<Window> = None;
        let mut one = Window::new();
        for filter in &mut self.filters {
            one.clear();
            filter.fill(base, entries, &mut one);
            match &mut kept {
                None => kept = Some(std::mem::replace(&mut one, Window::new())),
                Some(kept) => kept.keep_common(&one),
            }
        }
        if kept.as_ref().is_some_and(Window::is_empty) {
            return (Window::new(), None);
        }
        let (mut window, parts) = match &mut self.query {
            Cursor::Loose(parts) => {
                let (window, matched) = loose(parts, base, entries);
                (window, Some(matched))
            }
            query => {
                let mut window = Window::new();
                query.fill(base, entries, &mut window);
                (window, None)
            }
        };
        if let Some(kept) = kept {
            for (mine, theirs) in window.bits.iter_mut().zip(kept.bits) {
                *mine &= theirs;
            }
        }
        (window, parts)
    }
}

/// The best so far; the worst of them on top.
pub(crate) struct Best {
    heap: BinaryHeap<Ranked>,
    most: usize,
}

pub(crate) struct Ranked {
    pub(crate) candidate: Candidate,
    pub(crate) first: bool,
    pub(crate) by_value: Option<bool>,
}

impl Best {
    /// The score that another one must reach.
    pub(crate) fn worst_score(&self) -> f64 {
        let full = self.heap.len() >= self.most;
        self.heap.peek().filter(|_| full).map_or(f64::NEG_INFINITY, |worst| worst.candidate.score)
    }

    /// A quick look before an entry's key is read.
    pub(crate) fn wants(&self, first: bool, score: f64, by_value: bool) -> bool {
        if self.heap.len() < self.most {
            return true;
        }
        match self.heap.peek() {
            Some(worst) => by_value || (first, score) >= (worst.first, worst.candidate.score),
            None => false,
        }
    }

    pub(crate) fn offer(&mut self, ranked: Ranked) {
        if self.heap.len() < self.most {
            self.heap.push(ranked);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && ranked < *worst
        {
            *worst = ranked;
        }
    }
}

/// Less is better.
impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> Ordering {
        let (mine, theirs) = (&self.candidate, &other.candidate);
        if let Some(descending) = self.by_value {
            let by_value = match (mine.value, theirs.value) {
                (Some(mine), Some(theirs)) if descending => theirs.total_cmp(&mine),
                (Some(mine), Some(theirs)) => mine.total_cmp(&theirs),
                (mine, theirs) => theirs.is_some().cmp(&mine.is_some()),
            };
            return by_value.then(mine.key.cmp(&theirs.key));
        }
        let by_score = other.first.cmp(&self.first).then(theirs.score.total_cmp(&mine.score));
        by_score.then(mine.key.cmp(&theirs.key))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Ranked) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

/// A facet being counted in one segment.
enum Tally {
    Keywords(crate::KeywordColumn, HashMap<u64, u64>),
    Ranges(crate::NumberColumn, Vec<f64>, Vec<u64>, Option<(f64, f64)>),
}

impl Tally {
    fn new(facet: &Facet, segment: &Segment<'_>) -> Result<Tally, IndexError> {
        Ok(match facet {
            Facet::Keywords(field) => Tally::Keywords(segment.keywords(*field)?, HashMap::new()),
            Facet::Ranges(field, bounds) => {
                let counts = vec![0; bounds.len().saturating_sub(1)];
                Tally::Ranges(segment.numbers(*field)?, bounds.clone(), counts, None)
            }
        })
    }

    fn count(&mut self, doc: u32) {
        match self {
            Tally::Keywords(column, counts) => {
                column.each(doc, &mut |number| *counts.entry(number).or_default() += 1);
            }
            Tally::Ranges(column, bounds, counts, ends) => {
                let Some(value) = column.first(doc) else { return };
                let (low, high) = ends.unwrap_or((value, value));
                *ends = Some((low.min(value), high.max(value)));
                let at = bounds.partition_point(|bound| *bound <= value);
                // The last range has its upper bound within.
                let at = if at == bounds.len() && bounds.last() == Some(&value) { at - 1 } else { at };
                if at > 0 && at <= counts.len() {
                    counts[at - 1] += 1;
                }
            }
        }
    }

    fn add_to(self, counts: &mut Counts) {
        match (self, counts) {
            (Tally::Keywords(column, tally), Counts::Keywords(counts)) => {
                for (number, count) in tally {
                    if let Some(text) = column.text(number) {
                        *counts.entry(text).or_default() += count;
                    }
                }
            }
            (Tally::Ranges(_, _, tally, ends), Counts::Ranges(counts, all)) => {
                counts.iter_mut().zip(tally).for_each(|(mine, theirs)| *mine += theirs);
                *all = widest(*all, ends);
            }
            _ => {}
        }
    }
}

impl Counts {
    /// Adds those of another view.
    pub fn add(&mut self, other: Counts) {
        match (self, other) {
            (Counts::Keywords(mine), Counts::Keywords(theirs)) => {
                theirs.into_iter().for_each(|(value, count)| *mine.entry(value).or_default() += count);
            }
            (Counts::Ranges(mine, ends), Counts::Ranges(theirs, other)) => {
                mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
                *ends = widest(*ends, other);
            }
            _ => {}
        }
    }

    fn of(facet: &Facet) -> Counts {
        match facet {
            Facet::Keywords(_) => Counts::Keywords(BTreeMap::new()),
            Facet::Ranges(_, bounds) => Counts::Ranges(vec![0; bounds.len().saturating_sub(1)], None),
        }
    }
}

fn widest(one: Option<(f64, f64)>, other: Option<(f64, f64)>) -> Option<(f64, f64)> {
    match (one, other) {
        (Some((low, high)), Some((l, h))) => Some((low.min(l), high.max(h))),
        (known, other) => known.or(other),
    }
}
