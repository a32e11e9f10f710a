//! The best entries of a plain search for words, without looking at every match.
//!
//! A word is worth at most its ceiling. Once the worst of the best so far is better than the ceilings of some words
//! together, an entry that has only those cannot be among the best: these words are looked up for entries that the
//! others found, and never walked. Nothing is counted. Scores and order are those of the full search.

use tantivy::TERMINATED;
use tantivy::postings::Postings;

use crate::collect::{Best, Ranked};
use crate::eval::{Basis, Cursor, Word, seek};
use crate::view::{DocAddress, View};
use crate::window::{WINDOW, Window, each};
use crate::{Candidate, Demand, IndexError, Query, Request, Segment, Term};

/// Sums in another order differ in their last digits; what is this close is looked at.
const CLOSE: f64 = 1.0 - 1e-9;

/// The words of a query that asks for nothing else, each any of them.
pub(crate) fn words(query: &Query) -> Option<Vec<&Term>> {
    fn collect<'q>(query: &'q Query, found: &mut Vec<&'q Term>) -> Option<()> {
        match query {
            Query::Term(term) => found.push(term),
            Query::Any(parts) => parts.iter().try_for_each(|part| collect(part, found))?,
            Query::Loose(parts) => parts.iter().try_for_each(|(demand, part)| match demand {
                Demand::May => collect(part, found),
                Demand::Also | Demand::Must | Demand::MustNot => None,
            })?,
            _ => return None,
        }
        Some(())
    }
    let mut found = Vec::new();
    collect(query, &mut found)?;
    Some(found)
}

/// One word of the query in one segment.
struct Listed {
    word: Box<Word>,
    ceiling: f64,
}

impl View {
    /// The best entries of these words in a segment.
    pub(crate) fn prune_segment(
        &self,
        number: usize,
        request: &Request<'_>,
        terms: &[&Term],
        best: &mut Best,
    ) -> Result<(), IndexError> {
        let basis =
            Basis { view: self, segment: number, statistics: request.statistics, scoring: request.scoring };
        let mut lists = Vec::with_capacity(terms.len());
        for term in terms {
            if let Cursor::Word(word) = basis.cursor(&Query::Term((*term).clone()))? {
                let ceiling = word.ceiling();
                lists.push(Listed { word, ceiling });
            }
        }
        lists.sort_by(|one, other| one.ceiling.total_cmp(&other.ceiling));
        // What the first n words together are worth at most.
        let mut together = vec![0.0];
        for list in &lists {
            together.push(together[together.len() - 1] + list.ceiling);
        }
        let reader = self.segment(number);
        let alive = reader.alive_bitset();
        let keys = Segment::new(self, number).keys()?;
        let end = reader.max_doc();
        let mut window = Window::new();
        let mut base = 0;
        while base < end {
            let worst = best.worst_score() * CLOSE;
            // The words that are only looked up: together they would not be enough.
            let looked_up = together.iter().skip(1).take_while(|sum| **sum < worst).count();
            let (few, walked) = lists.split_at_mut(looked_up);
            let next = walked.iter().map(|list| list.word.next()).min().unwrap_or(TERMINATED);
            if next >= end {
                break;
            }
            base = base.max(next / WINDOW * WINDOW);
            let entries = WINDOW.min(end - base);
            window.clear();
            walked.iter_mut().for_each(|list| list.word.fill(base, entries, &mut window));
            each(&window.bits, |place| {
                let doc = base + place as u32;
                let worst = best.worst_score() * CLOSE;
                let mut score = window.scores[place];
                if score + together[looked_up] < worst || alive.is_some_and(|alive| alive.is_deleted(doc)) {
                    return;
                }
                for (left, list) in few.iter_mut().enumerate().rev() {
                    score += list.word.score_of(doc);
                    if score + together[left] < worst {
                        return;
                    }
                }
                if best.wants(false, score, false) {
                    let address = DocAddress { segment: number as u32, doc };
                    let key = keys.get_val(doc);
                    let candidate = Candidate { address, words: score, score, all: false, value: None, key };
                    best.offer(Ranked { candidate, first: false, by_value: None });
                }
            });
            base += WINDOW;
        }
        Ok(())
    }

    /// The scores of candidates as the full search adds them up, and whether they have every part.
    pub(crate) fn settle_scores(
        &self,
        request: &Request<'_>,
        candidates: &mut [Candidate],
    ) -> Result<(), IndexError> {
        if words(request.query).is_some_and(|words| words.len() == 1) {
            candidates.iter_mut().for_each(|candidate| candidate.all = true);
            return Ok(());
        }
        candidates.sort_unstable_by_key(|candidate| candidate.address);
        let parts: Vec<&Query> = match request.query {
            Query::Loose(parts) => parts.iter().map(|(_, part)| part).collect(),
            query => vec![query],
        };
        let mut cursors: Option<(u32, Vec<Vec<Box<Word>>>)> = None;
        for candidate in candidates {
            let segment = candidate.address.segment;
            if cursors.as_ref().is_none_or(|(of, _)| *of != segment) {
                let basis = Basis {
                    view: self,
                    segment: segment as usize,
                    statistics: request.statistics,
                    scoring: request.scoring,
                };
                let mut of_parts = Vec::with_capacity(parts.len());
                for part in &parts {
                    let mut of_part = Vec::new();
                    for term in words(part).unwrap_or_default() {
                        if let Cursor::Word(word) = basis.cursor(&Query::Term(term.clone()))? {
                            of_part.push(word);
                        }
                    }
                    of_parts.push(of_part);
                }
                cursors = Some((segment, of_parts));
            }
            let Some((_, of_parts)) = &mut cursors else { continue };
            let (mut score, mut matched) = (0.0, 0);
            for of_part in of_parts.iter_mut() {
                let mut of_this = 0.0;
                let mut any = false;
                for word in of_part {
                    let worth = word.score_of(candidate.address.doc);
                    any |= word.stands_at(candidate.address.doc);
                    of_this += worth;
                }
                score += of_this;
                matched += usize::from(any);
            }
            candidate.words = score;
            candidate.score = score;
            candidate.all = matched == parts.len();
        }
        Ok(())
    }
}

impl Word {
    /// What it is worth in an entry; entries are asked for in rising order.
    fn score_of(&mut self, doc: u32) -> f64 {
        if seek(&mut self.postings, doc) != doc {
            return 0.0;
        }
        let freq = self.postings.term_freq();
        self.curve.score(f64::from(freq), f64::from(self.lengths.of(doc)))
    }
}
