//! A query at work in one segment: cursors over postings that fill one window after the other.

use tantivy::columnar::Column;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED};

use crate::bm25::Curve;
use crate::lengths::Lengths;
use crate::schema::{Columns, value_column};
use crate::view::View;
use crate::window::{WINDOW, Window, each};
use crate::{Demand, IndexError, Query, Scoring, Statistics, Term};

/// A node of a query at work. Windows are asked for in rising order.
pub(crate) enum Cursor {
    Everything,
    Nothing,
    Word(Box<Word>),
    Phrase(Box<Phrase>),
    Near(Box<Near>),
    All(Vec<Cursor>),
    Any(Vec<Cursor>),
    Best(Vec<Cursor>),
    Odd(Vec<Cursor>),
    Not(Box<Cursor>),
    Loose(Vec<(Demand, Cursor)>),
    Silent(Box<Cursor>),
    Plus(Box<Cursor>, f64),
    Postings(Box<SegmentPostings>),
    Numbers { column: Column<f64>, from: f64, to: f64 },
    Dates { column: Column<i64>, from: i64, to: i64 },
}

pub(crate) struct Word {
    pub(crate) postings: SegmentPostings,
    pub(crate) curve: Curve,
    pub(crate) lengths: Lengths,
}

pub(crate) struct Phrase {
    words: Vec<(u32, SegmentPostings)>,
    curve: Curve,
    lengths: Lengths,
    places: [Vec<u32>; 2],
}

pub(crate) struct Near {
    left: Cursor,
    right: Cursor,
    /// The same again, to look places up.
    left_places: Places,
    right_places: Places,
    distance: u32,
}

/// Where the words of one side of a NEAR stand.
pub(crate) enum Places {
    Word(Box<SegmentPostings>),
    Phrase(Vec<(u32, SegmentPostings)>),
    Union(Vec<Places>),
    Near { left: Box<Places>, right: Box<Places>, distance: u32 },
}

/// What a query's scores rest on.
#[derive(Clone, Copy)]
pub(crate) struct Basis<'a> {
    pub(crate) view: &'a View,
    pub(crate) segment: usize,
    pub(crate) statistics: &'a Statistics,
    pub(crate) scoring: &'a Scoring,
}

impl<'a> Basis<'a> {
    /// A query as a cursor.
    pub(crate) fn cursor(&self, query: &Query) -> Result<Cursor, IndexError> {
        let all = |parts: &[Query]| parts.iter().map(|part| self.cursor(part)).collect::<Result<Vec<_>, _>>();
        Ok(match query {
            Query::Everything => Cursor::Everything,
            Query::Nothing => Cursor::Nothing,
            Query::Term(term) => match self.postings(term, IndexRecordOption::WithFreqs)? {
                None => Cursor::Nothing,
                Some(postings) => Cursor::Word(Box::new(Word {
                    postings,
                    curve: self.curve(std::iter::once(term)),
                    lengths: self.lengths(term.field)?,
                })),
            },
            Query::Phrase { words } => match (words.first(), self.places_of(words)?) {
                (Some((_, first)), Some(cursors)) => Cursor::Phrase(Box::new(Phrase {
                    words: cursors,
                    curve: self.curve(words.iter().map(|(_, term)| term)),
                    lengths: self.lengths(first.field)?,
                    places: Default::default(),
                })),
                _ => Cursor::Nothing,
            },
            Query::Near { left, right, distance } => Cursor::Near(Box::new(Near {
                left: self.cursor(left)?,
                right: self.cursor(right)?,
                left_places: self.places(left)?,
                right_places: self.places(right)?,
                distance: *distance,
            })),
            Query::All(parts) => Cursor::All(all(parts)?),
            Query::Any(parts) => Cursor::Any(all(parts)?),
            Query::Best(parts) => Cursor::Best(all(parts)?),
            Query::Odd(parts) => Cursor::Odd(all(parts)?),
            Query::Not(part) => Cursor::Not(Box::new(self.cursor(part)?)),
            Query::Loose(parts) => {
                let parts = parts.iter().map(|(demand, part)| Ok((*demand, self.cursor(part)?)));
                Cursor::Loose(parts.collect::<Result<_, IndexError>>()?)
            }
            Query::Silent(part) => Cursor::Silent(Box::new(self.cursor(part)?)),
            Query::Plus(part, more) => Cursor::Plus(Box::new(self.cursor(part)?), *more),
            Query::Keyword { field, value } => {
                let Some(Columns::Keyword(below)) = self.view.layout().fields.get(*field) else {
                    return Ok(Cursor::Nothing);
                };
                let term = tantivy::Term::from_field_text(*below, value);
                let inverted = self.view.segment(self.segment).inverted_index(*below)?;
                match inverted.read_postings(&term, IndexRecordOption::Basic)? {
                    None => Cursor::Nothing,
                    Some(postings) => Cursor::Postings(Box::new(postings)),
                }
            }
            Query::Between { field, from, to } => self.between(*field, *from, *to)?,
        })
    }

    fn between(&self, field: usize, from: Option<f64>, to: Option<f64>) -> Result<Cursor, IndexError> {
        let columns = self.view.segment(self.segment).fast_fields();
        let name = value_column(field);
        let (low, high) = (from.unwrap_or(f64::NEG_INFINITY), to.unwrap_or(f64::INFINITY));
        Ok(match self.view.layout().fields.get(field) {
            Some(Columns::Number(_)) => match columns.column_opt::<f64>(&name)? {
                Some(column) => Cursor::Numbers { column, from: low, to: high },
                None => Cursor::Nothing,
            },
            Some(Columns::Date(_)) => match columns.column_opt::<i64>(&name)? {
                Some(column) => Cursor::Dates { column, from: low.ceil() as i64, to: high.floor() as i64 },
                None => Cursor::Nothing,
            },
            _ => Cursor::Nothing,
        })
    }

    fn postings(
        &self,
        term: &Term,
        option: IndexRecordOption,
    ) -> Result<Option<SegmentPostings>, IndexError> {
        let Some(field) = self.view.layout().words(term.field, term.form) else { return Ok(None) };
        let inverted = self.view.segment(self.segment).inverted_index(field)?;
        let below = tantivy::Term::from_field_text(field, &term.text);
        Ok(inverted.read_postings(&below, option)?)
    }

    fn places_of(&self, words: &[(u32, Term)]) -> Result<Option<Vec<(u32, SegmentPostings)>>, IndexError> {
        let mut cursors = Vec::with_capacity(words.len());
        for (place, term) in words {
            match self.postings(term, IndexRecordOption::WithFreqsAndPositions)? {
                None => return Ok(None),
                Some(postings) => cursors.push((*place, postings)),
            }
        }
        Ok(Some(cursors))
    }

    fn places(&self, query: &Query) -> Result<Places, IndexError> {
        Ok(match query {
            Query::Term(term) => {
                let postings = self.postings(term, IndexRecordOption::WithFreqsAndPositions)?;
                postings.map_or(Places::Union(Vec::new()), |postings| Places::Word(Box::new(postings)))
            }
            Query::Phrase { words } => {
                self.places_of(words)?.map_or(Places::Union(Vec::new()), Places::Phrase)
            }
            Query::Any(parts) | Query::Best(parts) | Query::All(parts) | Query::Odd(parts) => {
                let parts = parts.iter().map(|part| self.places(part));
                Places::Union(parts.collect::<Result<_, _>>()?)
            }
            Query::Loose(parts) => {
                let wanted = parts.iter().filter(|(demand, _)| *demand != Demand::MustNot);
                Places::Union(wanted.map(|(_, part)| self.places(part)).collect::<Result<_, _>>()?)
            }
            Query::Silent(part) | Query::Plus(part, _) => self.places(part)?,
            Query::Near { left, right, distance } => Places::Near {
                left: Box::new(self.places(left)?),
                right: Box::new(self.places(right)?),
                distance: *distance,
            },
            Query::Everything
            | Query::Nothing
            | Query::Not(_)
            | Query::Keyword { .. }
            | Query::Between { .. } => Places::Union(Vec::new()),
        })
    }

    /// The curve of words that count as one.
    pub(crate) fn curve<'t>(&self, terms: impl Iterator<Item = &'t Term>) -> Curve {
        let mut worth = 0.0;
        let mut field = 0;
        for term in terms {
            field = term.field;
            worth += self.worth(term);
        }
        let of = |values: &[f64], other: f64| values.get(field).copied().unwrap_or(other);
        let scoring = self.scoring;
        let average = self.statistics.average_length(field);
        Curve::new(worth * of(&scoring.weight, 1.0), of(&scoring.k, 1.2), of(&scoring.b, 0.75), average)
    }

    /// A word's idf, times its boost.
    pub(crate) fn worth(&self, term: &Term) -> f64 {
        let with = self.statistics.with(term.field, term.form, &term.text);
        self.scoring.idf.of(self.statistics.entries, with) * term.boost
    }

    pub(crate) fn lengths(&self, field: usize) -> Result<Lengths, IndexError> {
        self.view.lengths(self.segment, field)
    }
}

impl Cursor {
    /// No entry before this one matches.
    pub(crate) fn next(&self) -> u32 {
        let least = |parts: &[Cursor]| parts.iter().map(Cursor::next).min().unwrap_or(TERMINATED);
        match self {
            Cursor::Everything | Cursor::Not(_) | Cursor::Numbers { .. } | Cursor::Dates { .. } => 0,
            Cursor::Nothing => TERMINATED,
            Cursor::Word(word) => word.postings.doc(),
            Cursor::Phrase(phrase) => {
                phrase.words.iter().map(|(_, word)| word.doc()).max().unwrap_or(TERMINATED)
            }
            Cursor::Near(near) => near.left.next().max(near.right.next()),
            Cursor::All(parts) => parts.iter().map(Cursor::next).max().unwrap_or(TERMINATED),
            Cursor::Any(parts) | Cursor::Best(parts) | Cursor::Odd(parts) => least(parts),
            Cursor::Loose(parts) => {
                let of = |wanted| parts.iter().filter(move |(d, _)| *d == wanted).map(|(_, c)| c.next());
                match of(Demand::Must).max() {
                    Some(first) => first,
                    None => of(Demand::May).chain(of(Demand::Also)).min().unwrap_or(0),
                }
            }
            Cursor::Silent(part) | Cursor::Plus(part, _) => part.next(),
            Cursor::Postings(postings) => postings.doc(),
        }
    }

    /// Adds the matches from `base` on, among `entries` at most, to a window.
    pub(crate) fn fill(&mut self, base: u32, entries: u32, out: &mut Window) {
        match self {
            Cursor::Nothing => {}
            Cursor::Everything => (0..entries as usize).for_each(|place| out.add(place, 0.0)),
            Cursor::Word(word) => word.fill(base, entries, out),
            Cursor::Phrase(phrase) => phrase.fill(base, entries, out),
            Cursor::Near(near) => near.fill(base, entries, out),
            Cursor::Postings(postings) => {
                let mut doc = seek(postings, base);
                while doc < base + entries {
                    out.add((doc - base) as usize, 0.0);
                    doc = postings.advance();
                }
            }
            Cursor::Any(parts) => parts.iter_mut().for_each(|part| {
                if part.next() < base + entries {
                    part.fill(base, entries, out);
                }
            }),
            Cursor::All(parts) => {
                let mut common = Window::new();
                let mut one = Window::new();
                for (number, part) in parts.iter_mut().enumerate() {
                    if number == 0 {
                        part.fill(base, entries, &mut common);
                    } else {
                        one.clear();
                        part.fill(base, entries, &mut one);
                        common.keep_common(&one);
                    }
                    if common.is_empty() {
                        return;
                    }
                }
                out.add_all(&common);
            }
            Cursor::Best(parts) => {
                let mut best = Window::new();
                let mut one = Window::new();
                for part in parts {
                    one.clear();
                    part.fill(base, entries, &mut one);
                    each(&one.bits, |place| {
                        let score = best.scores[place].max(one.scores[place]);
                        best.add(place, 0.0);
                        best.scores[place] = score;
                    });
                }
                out.add_all(&best);
            }
            Cursor::Odd(parts) => {
                let mut odd = Window::new();
                let mut one = Window::new();
                for part in parts {
                    one.clear();
                    part.fill(base, entries, &mut one);
                    for (mine, theirs) in odd.bits.iter_mut().zip(one.bits) {
                        *mine ^= theirs;
                    }
                    each(&one.bits, |place| odd.scores[place] += one.scores[place]);
                }
                out.add_all(&odd);
            }
            Cursor::Not(part) => {
                let mut others = Window::new();
                part.fill(base, entries, &mut others);
                others.invert(entries);
                out.add_all(&others);
            }
            Cursor::Loose(parts) => {
                let (window, _) = loose(parts, base, entries);
                out.add_all(&window);
            }
            Cursor::Silent(part) => {
                let mut one = Window::new();
                part.fill(base, entries, &mut one);
                each(&one.bits, |place| out.add(place, 0.0));
            }
            Cursor::Plus(part, more) => {
                let mut one = Window::new();
                part.fill(base, entries, &mut one);
                each(&one.bits, |place| out.add(place, one.scores[place] + *more));
            }
            Cursor::Numbers { column, from, to } => {
                for place in 0..entries {
                    if column.values_for_doc(base + place).any(|value| (*from..=*to).contains(&value)) {
                        out.add(place as usize, 0.0);
                    }
                }
            }
            Cursor::Dates { column, from, to } => {
                for place in 0..entries {
                    if column.values_for_doc(base + place).any(|value| (*from..=*to).contains(&value)) {
                        out.add(place as usize, 0.0);
                    }
                }
            }
        }
    }
}

/// Fills a window by parts side by side; also says how many parts that may or must match do, per entry.
pub(crate) fn loose(
    parts: &mut [(Demand, Cursor)],
    base: u32,
    entries: u32,
) -> (Window, Box<[u16; WINDOW as usize]>) {
    let mut matched = Box::new([0_u16; WINDOW as usize]);
    let mut result = Window::new();
    let mut one = Window::new();
    let mut any_must = false;
    for (_, part) in parts.iter_mut().filter(|(demand, _)| *demand == Demand::Must) {
        one.clear();
        part.fill(base, entries, &mut one);
        each(&one.bits, |place| matched[place] += 1);
        if any_must {
            result.keep_common(&one);
        } else {
            result.add_all(&one);
        }
        any_must = true;
        if result.is_empty() {
            return (result, matched);
        }
    }
    let mut any_may = false;
    for (demand, part) in parts.iter_mut() {
        if !matches!(demand, Demand::May | Demand::Also) {
            continue;
        }
        let counted = u16::from(*demand == Demand::May);
        any_may = true;
        if part.next() >= base + entries {
            continue;
        }
        one.clear();
        part.fill(base, entries, &mut one);
        each(&one.bits, |place| {
            matched[place] += counted;
            if !any_must || result.contains(place) {
                result.add(place, one.scores[place]);
            }
        });
    }
    if !any_must && !any_may {
        // Only what must not be: everything else.
        (0..entries as usize).for_each(|place| result.add(place, 0.0));
    }
    for (_, part) in parts.iter_mut().filter(|(demand, _)| *demand == Demand::MustNot) {
        one.clear();
        part.fill(base, entries, &mut one);
        for (mine, theirs) in result.bits.iter_mut().zip(one.bits) {
            *mine &= !theirs;
        }
    }
    (result, matched)
}

impl Word {
    /// What it is worth at most.
    pub(crate) fn ceiling(&self) -> f64 {
        self.curve.height()
    }

    /// No entry before this one has it.
    pub(crate) fn next(&self) -> u32 {
        self.postings.doc()
    }

    /// Whether it was moved to an entry that has it.
    pub(crate) fn stands_at(&self, doc: u32) -> bool {
        self.postings.doc() == doc
    }

    pub(crate) fn fill(&mut self, base: u32, entries: u32, out: &mut Window) {
        let mut doc = seek(&mut self.postings, base);
        while doc < base + entries {
            let times = f64::from(self.postings.term_freq());
            out.add((doc - base) as usize, self.curve.score(times, f64::from(self.lengths.of(doc))));
            doc = self.postings.advance();
        }
    }
}

impl Phrase {
    fn fill(&mut self, base: u32, entries: u32, out: &mut Window) {
        let mut doc = align(&mut self.words, base);
        while doc < base + entries {
            let times = self.times();
            if times > 0 {
                let length = f64::from(self.lengths.of(doc));
                out.add((doc - base) as usize, self.curve.score(f64::from(times), length));
            }
            doc = align(&mut self.words, doc + 1);
        }
    }

    /// How often the words follow each other in the entry at which all stand.
    fn times(&mut self) -> u32 {
        let [starts, one] = &mut self.places;
        phrase_starts(&mut self.words, starts, one);
        starts.len() as u32
    }
}

/// Moves all words to the first entry from `target` on that has all of them.
fn align(words: &mut [(u32, SegmentPostings)], target: u32) -> u32 {
    let mut target = target;
    'again: loop {
        if target == TERMINATED {
            return TERMINATED;
        }
        for (_, word) in words.iter_mut() {
            let doc = seek(word, target);
            if doc > target {
                target = doc;
                continue 'again;
            }
        }
        return target;
    }
}

/// Where, in the entry at which all words stand, the phrase begins.
fn phrase_starts(words: &mut [(u32, SegmentPostings)], starts: &mut Vec<u32>, one: &mut Vec<u32>) {
    starts.clear();
    for (number, (place, word)) in words.iter_mut().enumerate() {
        one.clear();
        word.append_positions_with_offset(0, one);
        if number == 0 {
            starts.extend(one.iter().filter_map(|position| position.checked_sub(*place)));
        } else {
            let mut at = 0;
            starts.retain(|start| {
                while at < one.len() && one[at] < start + *place {
                    at += 1;
                }
                at < one.len() && one[at] == start + *place
            });
        }
        if starts.is_empty() {
            return;
        }
    }
}

impl Near {
    fn fill(&mut self, base: u32, entries: u32, out: &mut Window) {
        let mut both = Window::new();
        let mut right = Window::new();
        self.left.fill(base, entries, &mut both);
        if both.is_empty() {
            return;
        }
        self.right.fill(base, entries, &mut right);
        both.keep_common(&right);
        let bits = both.bits;
        each(&bits, |place| {
            let doc = base + place as u32;
            let (left, right) = (self.left_places.spans(doc), self.right_places.spans(doc));
            if !pairs(&left, &right, self.distance).is_empty() {
                out.add(place, both.scores[place]);
            }
        });
    }
}

impl Places {
    /// First and last positions in an entry, in order. Entries are asked for in rising order.
    fn spans(&mut self, doc: u32) -> Vec<(u32, u32)> {
        match self {
            Places::Word(postings) => {
                let mut positions = Vec::new();
                if seek(postings, doc) == doc {
                    postings.append_positions_with_offset(0, &mut positions);
                }
                positions.into_iter().map(|position| (position, position)).collect()
            }
            Places::Phrase(words) => {
                if align(words, doc) != doc {
                    return Vec::new();
                }
                let (mut starts, mut one) = (Vec::new(), Vec::new());
                phrase_starts(words, &mut starts, &mut one);
                let last = words.iter().map(|(place, _)| *place).max().unwrap_or_default();
                starts.into_iter().map(|start| (start, start + last)).collect()
            }
            Places::Union(parts) => {
                let mut spans: Vec<_> = parts.iter_mut().flat_map(|part| part.spans(doc)).collect();
                spans.sort_unstable();
                spans.dedup();
                spans
            }
            Places::Near { left, right, distance } => pairs(&left.spans(doc), &right.spans(doc), *distance),
        }
    }
}

/// The stretches from one to the other where two are near each other, without touching.
fn pairs(left: &[(u32, u32)], right: &[(u32, u32)], distance: u32) -> Vec<(u32, u32)> {
    let mut near = Vec::new();
    let mut from = 0;
    for &(start, end) in left {
        while from < right.len() && right[from].1.saturating_add(distance) < start {
            from += 1;
        }
        for &(other_start, other_end) in &right[from..] {
            if other_start > end.saturating_add(distance) {
                break;
            }
            let apart = other_start > end || start > other_end;
            if apart && other_end.saturating_add(distance) >= start {
                near.push((start.min(other_start), end.max(other_end)));
            }
        }
    }
    near.sort_unstable();
    near.dedup();
    near
}

/// Moves to the first entry from `target` on; a cursor never goes back.
pub(crate) fn seek(postings: &mut SegmentPostings, target: u32) -> u32 {
    let doc = postings.doc();
    if doc >= target { doc } else { postings.seek(target) }
}

/// Words of entries that are asked for in rising order: for proximity.
pub(crate) struct Standing(Vec<Option<SegmentPostings>>);

impl Standing {
    pub(crate) fn new(basis: &Basis<'_>, terms: &[Term]) -> Result<Standing, IndexError> {
        let postings = |term| basis.postings(term, IndexRecordOption::WithFreqsAndPositions);
        Ok(Standing(terms.iter().map(postings).collect::<Result<_, _>>()?))
    }

    /// Where the words stand in an entry, word by word; false, and nothing, if it has fewer than two of them.
    pub(crate) fn places(&mut self, doc: u32, places: &mut Vec<Vec<u32>>) -> bool {
        let stand =
            self.0.iter_mut().flatten().filter_map(|word| (seek(word, doc) == doc).then_some(())).count();
        if stand < 2 {
            return false;
        }
        places.resize_with(self.0.len(), Vec::new);
        for (word, places) in self.0.iter_mut().zip(places) {
            places.clear();
            if let Some(word) = word.as_mut().filter(|word| word.doc() == doc) {
                word.append_positions_with_offset(0, places);
            }
        }
        true
    }
}
