//! Made-up entries, an index of them, and the same answers computed the plain way.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use index::{
    Demand, DocAddress, Entry, FieldSpec, Form, Idf, Index, Kind, Query, Schema, Scoring, Term, Value, View,
    Writer, WriterSettings,
};
use text::Analysis;

/// Two text fields, a keyword, a number.
pub(crate) fn schema() -> Schema {
    let plain = Analysis { stem: false, language: None, ..Analysis::default() };
    let field = |name: &str, kind| FieldSpec { name: name.to_owned(), kind };
    Schema {
        fields: vec![
            field("title", Kind::Text(plain.clone())),
            field("text", Kind::Text(plain)),
            field("group", Kind::Keyword),
            field("size", Kind::Number),
        ],
    }
}

/// An entry as plain data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plain {
    pub(crate) title: Vec<String>,
    pub(crate) text: Vec<String>,
    pub(crate) group: String,
    pub(crate) size: f64,
}

/// Entries by name.
pub(crate) type Plains = BTreeMap<String, Plain>;

/// A small generator of numbers: tests must not depend on a library's.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below.max(1)
    }

    pub(crate) fn share(&mut self) -> f64 {
        self.roll(1 << 20) as f64 / f64::from(1 << 20)
    }
}

/// A word, common ones more often.
pub(crate) fn word(dice: &mut Dice) -> String {
    let number = dice.roll(40) * dice.roll(40) / 40;
    format!("w{number}")
}

pub(crate) fn plain(dice: &mut Dice) -> Plain {
    let words = |dice: &mut Dice, most| (0..dice.roll(most)).map(|_| word(dice)).collect();
    Plain {
        title: words(dice, 6),
        text: words(dice, 80),
        group: format!("g{}", dice.roll(4)),
        size: dice.roll(1_000) as f64 / 4.0,
    }
}

pub(crate) fn entry(id: &str, plain: &Plain) -> Entry {
    Entry {
        id: id.to_owned(),
        values: vec![
            (0, Value::Text(plain.title.join(" "))),
            (1, Value::Text(plain.text.join(" "))),
            (2, Value::Keyword(plain.group.clone())),
            (3, Value::Number(plain.size)),
        ],
        stored: id.as_bytes().to_vec(),
    }
}

pub(crate) fn writer(index: &Index) -> Writer {
    index.writer(WriterSettings { threads: 1, bytes_per_thread: 15_000_000 }).unwrap()
}

/// An index of some entries, in several segments, with replaced and removed ones.
pub(crate) fn lively(dir: &std::path::Path, seed: u64, entries: usize) -> (Index, Plains) {
    let mut dice = Dice(seed);
    let index = Index::create(dir, schema()).unwrap();
    let mut plains = Plains::new();
    let mut writer = writer(&index);
    for round in 0..3 {
        for _ in 0..entries / 3 {
            let id = format!("e{}", dice.roll(entries as u64 * 2));
            let plain = plain(&mut dice);
            writer.put(&entry(&id, &plain)).unwrap();
            plains.insert(id, plain);
        }
        for _ in 0..entries / 20 {
            let id = format!("e{}", dice.roll(entries as u64 * 2));
            writer.remove(&id);
            plains.remove(&id);
        }
        writer.commit(&format!("round {round}")).unwrap();
    }
    writer.close().unwrap();
    (index, plains)
}

pub(crate) fn term(field: usize, text: &str) -> Term {
    Term { field, form: Form::Term, text: text.to_owned(), boost: 1.0 }
}

/// The same answers, computed from the plain data.
pub(crate) struct Oracle<'a> {
    plains: &'a Plains,
    scoring: &'a Scoring,
    /// Entries with a word, by field; and mean lengths.
    with: HashMap<(usize, &'a str), usize>,
    average: [f64; 2],
}

impl<'a> Oracle<'a> {
    fn new(plains: &'a Plains, scoring: &'a Scoring) -> Oracle<'a> {
        let (mut with, mut lengths) = (HashMap::new(), [0; 2]);
        for plain in plains.values() {
            for (field, words) in [&plain.title, &plain.text].into_iter().enumerate() {
                lengths[field] += words.len();
                let different: BTreeSet<&str> = words.iter().map(String::as_str).collect();
                different.into_iter().for_each(|word| *with.entry((field, word)).or_default() += 1);
            }
        }
        let average = lengths.map(|length| length as f64 / plains.len() as f64);
        Oracle { plains, scoring, with, average }
    }

    fn words<'p>(&self, plain: &'p Plain, field: usize) -> &'p [String] {
        if field == 0 { &plain.title } else { &plain.text }
    }

    fn idf(&self, term: &Term) -> f64 {
        let all = self.plains.len() as f64;
        let with = self.with.get(&(term.field, term.text.as_str())).copied().unwrap_or_default() as f64;
        match self.scoring.idf {
            Idf::Standard => (1.0 + (all - with + 0.5) / (with + 0.5)).ln(),
            Idf::Paper => (all / with).log2(),
        }
    }

    fn bm25(&self, idf: f64, field: usize, times: usize, plain: &Plain) -> f64 {
        let (k, b) = (self.scoring.k[field], self.scoring.b[field]);
        let alpha = 1.0 - b + b * self.words(plain, field).len() as f64 / self.average[field];
        let times = times as f64;
        self.scoring.weight[field] * idf * times * (k + 1.0) / (k * alpha + times)
    }

    /// Score of an entry that matches.
    pub(crate) fn score(&self, query: &Query, plain: &Plain) -> Option<f64> {
        let sum = |parts: &[Query]| parts.iter().filter_map(|part| self.score(part, plain)).sum::<f64>();
        let matching =
            |parts: &[Query]| parts.iter().filter(|part| self.score(part, plain).is_some()).count();
        match query {
            Query::Everything => Some(0.0),
            Query::Nothing => None,
            Query::Term(term) => {
                let times = self.words(plain, term.field).iter().filter(|word| **word == term.text).count();
                (times > 0).then(|| term.boost * self.bm25(self.idf(term), term.field, times, plain))
            }
            Query::Phrase { words } => {
                let field = words[0].1.field;
                let text = self.words(plain, field);
                let at = |start: usize| {
                    words.iter().all(|(place, term)| text.get(start + *place as usize) == Some(&term.text))
                };
                let times = (0..text.len()).filter(|start| at(*start)).count();
                let idf = words.iter().map(|(_, term)| self.idf(term)).sum();
                (times > 0).then(|| self.bm25(idf, field, times, plain))
            }
            Query::Near { left, right, distance } => {
                let scores = (self.score(left, plain)?, self.score(right, plain)?);
                let (left, right) = (self.places(left, plain), self.places(right, plain));
                let near = left.iter().any(|one| {
                    right.iter().any(|other| one != other && one.abs_diff(*other) <= *distance as usize)
                });
                near.then_some(scores.0 + scores.1)
            }
            Query::All(parts) => (matching(parts) == parts.len()).then(|| sum(parts)),
            Query::Any(parts) => (matching(parts) > 0).then(|| sum(parts)),
            Query::Odd(parts) => (matching(parts) % 2 == 1).then(|| sum(parts)),
            Query::Best(parts) => parts.iter().filter_map(|part| self.score(part, plain)).reduce(f64::max),
            Query::Not(part) => self.score(part, plain).is_none().then_some(0.0),
            Query::Silent(part) => self.score(part, plain).map(|_| 0.0),
            Query::Plus(part, more) => self.score(part, plain).map(|score| score + more),
            Query::Keyword { value, .. } => (plain.group == *value).then_some(0.0),
            Query::Between { from, to, .. } => {
                let inside =
                    from.is_none_or(|from| plain.size >= from) && to.is_none_or(|to| plain.size <= to);
                inside.then_some(0.0)
            }
            Query::Loose(parts) => {
                let of = |wanted: Demand| {
                    parts
                        .iter()
                        .filter(move |(demand, _)| *demand == wanted)
                        .map(|(_, part)| self.score(part, plain))
                };
                if of(Demand::MustNot).any(|score| score.is_some())
                    || of(Demand::Must).any(|score| score.is_none())
                {
                    return None;
                }
                let may = || of(Demand::May).chain(of(Demand::Also));
                if of(Demand::Must).count() == 0 && may().count() > 0 && may().all(|score| score.is_none()) {
                    return None;
                }
                Some(of(Demand::Must).chain(may()).flatten().sum())
            }
        }
    }

    fn places(&self, query: &Query, plain: &Plain) -> BTreeSet<usize> {
        match query {
            Query::Term(term) => {
                let words = self.words(plain, term.field).iter().enumerate();
                words.filter(|(_, word)| **word == term.text).map(|(place, _)| place).collect()
            }
            Query::Any(parts) => parts.iter().flat_map(|part| self.places(part, plain)).collect(),
            other => panic!("no places for {other:?}"),
        }
    }
}

/// A view whose entries are known by name: reading what is stored of thousands takes long.
pub(crate) struct Named {
    view: View,
    names: HashMap<DocAddress, String>,
}

impl Named {
    pub(crate) fn new(index: &Index, plains: &Plains) -> Named {
        Named::of(index.view().unwrap(), plains)
    }

    pub(crate) fn of(view: View, plains: &Plains) -> Named {
        assert_eq!(view.entries() as usize, plains.len());
        let names = plains.keys().map(|id| (view.find(id).unwrap().unwrap(), id.clone())).collect();
        Named { view, names }
    }

    /// Every match with its score, by name.
    pub(crate) fn matches(&self, query: &Query, scoring: &Scoring) -> BTreeMap<String, f64> {
        self.filtered(query, &[], scoring)
    }

    /// Those that match all filters too.
    pub(crate) fn filtered(
        &self,
        query: &Query,
        filters: &[Query],
        scoring: &Scoring,
    ) -> BTreeMap<String, f64> {
        let statistics = self.view.statistics(query).unwrap();
        let request = index::Request {
            query,
            filters,
            statistics: &statistics,
            scoring,
            most: 1_000_000,
            all_first: false,
            order: index::Order::Score,
            signals: None,
            facets: &[],
            count: true,
        };
        let found = self.view.search(&request).unwrap();
        assert_eq!(found.total as usize, found.candidates.len());
        assert!(found.candidates.windows(2).all(|pair| pair[0].score >= pair[1].score));
        for candidate in found.candidates.iter().take(5) {
            let explained =
                self.view.explain(query, &statistics, scoring, candidate.address).unwrap().unwrap();
            assert!((explained.value - candidate.score).abs() < 1e-9, "{explained:?}");
        }
        found.candidates.iter().map(|one| (self.names[&one.address].clone(), one.score)).collect()
    }
}

/// What the plain computation says.
pub(crate) fn expected(plains: &Plains, query: &Query, scoring: &Scoring) -> BTreeMap<String, f64> {
    let oracle = Oracle::new(plains, scoring);
    plains.iter().filter_map(|(id, plain)| Some((id.clone(), oracle.score(query, plain)?))).collect()
}

pub(crate) fn assert_same(found: &BTreeMap<String, f64>, expected: &BTreeMap<String, f64>, what: &str) {
    let names = |map: &BTreeMap<String, f64>| map.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(expected), "{what}");
    for (id, score) in found {
        let other = expected[id];
        assert!(
            (score - other).abs() <= 1e-9 * other.abs().max(1.0),
            "{what}: {id} has {score}, not {other}"
        );
    }
}
