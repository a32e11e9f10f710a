//! Words and phrases of a query, put into fields: cut as each field cuts its text, with synonyms and near spellings.

use index::{Form, Query as Ask, Term};

use super::{Planner, Row, one_or, term};
use crate::SearchError;
use crate::query::{self, Query};

/// Words that `word*` stands for, at most.
const MOST_BEGINNING: usize = 1_000;

/// Near words that a word is spread to, at most.
const MOST_NEAR: usize = 12;

/// Words of a synonym that is looked for among words side by side, at most.
const LONGEST_RUN: usize = 8;

/// A word in so many entries or fewer is spread to near ones; those of a word that something has stand in more.
const FEW: u64 = 2;

/// What each edit takes from a near word's score.
const PER_EDIT: f64 = 0.5;

/// What is left of that where some entries have the word itself: near ones only fill up.
const BESIDE_KNOWN: f64 = 0.1;

/// What a synonym counts.
const SYNONYM: f64 = 0.8;

impl Planner<'_> {
    /// A word in fields: the scores of the fields are added.
    pub(super) fn word_in(
        &mut self,
        fields: &[usize],
        text: &str,
        form: query::Form,
    ) -> Result<Option<Ask>, SearchError> {
        let mut by_field = Vec::new();
        let mut terms = Vec::new();
        let mut ignored = true;
        // A stop word of one field is none to look for in the others either.
        let common = |field: &usize| {
            let analyzer = self.index.analyzer(*field)?;
            let cut = cut(analyzer, text);
            Some(cut.len() == 1 && cut[0].2.is_none())
        };
        if !self.stop_words
            && form != query::Form::Prefix
            && fields.iter().filter_map(common).any(|common| common)
        {
            self.ignore(text);
            return Ok(None);
        }
        let (near, known) = self.near_words(fields, text, form)?;
        let is_rare = known && form == query::Form::Exact;
        let mut aside = Vec::new();
        for field in fields {
            let Some(analyzer) = self.index.analyzer(*field).cloned() else { continue };
            if form == query::Form::Prefix {
                ignored = false;
                let prefix = analyzer.exact(text);
                let words = self.index.beginning(*field, &prefix, MOST_BEGINNING)?;
                let words = words.into_iter().map(|word| term(*field, Form::Exact, word, 1.0));
                by_field.push(Ask::Best(words.map(Ask::Term).collect()));
                self.plan.marks.prefixes.push(prefix);
                continue;
            }
            let mut cut = cut(&analyzer, text);
            if cut.is_empty() {
                continue;
            }
            if cut.len() > 1 {
                // One word for the person, several for the analysis: they stand in a row.
                ignored = false;
                by_field.extend(self.row(*field, &cut, true));
                continue;
            }
            let Some((_, exact, stem)) = cut.pop() else { continue };
            let mut choices = Vec::new();
            match stem {
                Some(stem) => {
                    self.plan.marks.terms.insert(stem.clone());
                    choices.push(term(*field, Form::Term, stem, 1.0));
                }
                None if self.stop_words => {
                    self.plan.marks.exact.insert(exact.clone());
                    choices.push(term(*field, Form::Exact, exact.clone(), 1.0));
                }
                None => continue,
            }
            ignored = false;
            let typed = choices[0].clone();
            let mut rows = Vec::new();
            for synonym in analyzer.synonyms(&exact) {
                match self.synonym(&typed, &analyzer, synonym, SYNONYM)? {
                    Some(Ask::Term(other)) => choices.push(other),
                    row => rows.extend(row),
                }
            }
            if let Some((run, words)) = self.run.clone() {
                // In place of several words, for each of them a share of what it counts.
                for synonym in analyzer.synonyms(&run) {
                    rows.extend(self.synonym(&typed, &analyzer, synonym, SYNONYM / words as f64)?);
                }
            }
            let mut spread = Vec::new();
            for (word, edits) in &near {
                let mut boost = PER_EDIT.powi(i32::try_from(*edits).unwrap_or(i32::MAX));
                if let Some(stem) = analyzer.term(word).filter(|stem| *stem != typed.text) {
                    boost *= self.held_below(&typed, &stem)?;
                    if is_rare {
                        boost *= BESIDE_KNOWN;
                    }
                    self.plan.marks.terms.insert(stem.clone());
                    spread.push(term(*field, Form::Term, stem, boost));
                }
            }
            if is_rare && self.aside.is_some() {
                aside.extend(spread.into_iter().map(Ask::Term));
            } else {
                choices.extend(spread);
            }
            choices.dedup_by(|one, other| one.text == other.text && one.form == other.form);
            terms.extend(choices.first().cloned());
            by_field.push(one_or(Ask::Best)(choices.into_iter().map(Ask::Term).chain(rows).collect()));
        }
        if ignored {
            self.ignore(text);
            return Ok(None);
        }
        if let Some(beside) = self.aside.as_mut().filter(|_| !aside.is_empty()) {
            beside.push(one_or(Ask::Best)(aside));
        }
        let mut asked = one_or(Ask::Any)(by_field);
        if let Some(weight) = self.weight(text, &terms) {
            asked = Ask::Plus(Box::new(asked), weight);
        }
        self.plan.words.push(terms);
        Ok(Some(asked))
    }

    /// A synonym of a word: a word, or words in a row that are together worth no more than it.
    fn synonym(
        &mut self,
        typed: &Term,
        analyzer: &text::Analyzer,
        synonym: &str,
        counts: f64,
    ) -> Result<Option<Ask>, SearchError> {
        let cut = cut(analyzer, synonym);
        if let [(_, _, stem)] = cut.as_slice() {
            let Some(stem) = stem.clone() else { return Ok(None) };
            self.plan.marks.terms.insert(stem.clone());
            return Ok(Some(Ask::Term(term(typed.field, Form::Term, stem, counts))));
        }
        let mut asked = self.row(typed.field, &cut, true);
        if let Some(Ask::Phrase { words }) = &mut asked {
            let idf = |term: &Term| {
                let with = self.index.with(term.field, term.form, &term.text)?;
                Ok::<_, SearchError>((self.ranking.idf.of(self.index.entries(), with), with))
            };
            let (own, known) = idf(typed)?;
            let mut together = 0.0;
            for (_, word) in words.iter() {
                together += idf(word)?.0;
            }
            let held = if known > 0 && together > own { own / together } else { 1.0 };
            words.iter_mut().for_each(|(_, word)| word.boost = counts * held);
        }
        Ok(asked)
    }

    /// Words side by side that are a synonym together: the run that each of them belongs to.
    pub(super) fn runs(&self, words: &[Option<&str>]) -> Vec<Option<(String, usize)>> {
        let mut runs = vec![None; words.len()];
        let analyzers: Vec<&text::Analyzer> =
            self.searched.iter().filter_map(|field| self.index.analyzer(*field)).collect();
        let mut from = 0;
        while from < words.len() {
            let plain = words[from..].iter().map_while(|word| *word).take(LONGEST_RUN).collect::<Vec<_>>();
            let length = (2..=plain.len()).rev().find(|length| {
                let run = plain[..*length].join(" ");
                analyzers.iter().any(|analyzer| !analyzer.synonyms(&run).is_empty())
            });
            if let Some(length) = length {
                let run = plain[..length].join(" ");
                runs[from..from + length].fill(Some((run, length)));
            }
            from += length.unwrap_or(1);
        }
        runs
    }

    /// What keeps a near word from being worth more than the typed one only because it is rarer.
    fn held_below(&self, typed: &Term, near: &str) -> Result<f64, SearchError> {
        let with = |form, text: &str| self.index.with(typed.field, form, text);
        let known = with(typed.form, &typed.text)?;
        if known == 0 {
            return Ok(1.0);
        }
        let idf = |with| self.ranking.idf.of(self.index.entries(), with);
        let (own, other) = (idf(known), idf(with(Form::Term, near)?));
        Ok(if other > own { own / other } else { 1.0 })
    }

    /// The words near one that is asked for fuzzily, or that few or no entries have; and whether any has it.
    fn near_words(
        &mut self,
        fields: &[usize],
        text: &str,
        form: query::Form,
    ) -> Result<(Vec<(String, usize)>, bool), SearchError> {
        let none = (Vec::new(), false);
        let Some(analyzer) = fields.iter().find_map(|field| self.index.analyzer(*field)) else {
            return Ok(none);
        };
        let word = analyzer.exact(text);
        let letters = word.chars().count();
        let edits = match form {
            query::Form::Prefix => return Ok(none),
            query::Form::Fuzzy(edits) => edits.map_or(by_length(letters), usize::from),
            query::Form::Exact
                if !self.ranking.fuzzy || self.unwanted || word.chars().any(|c| !c.is_alphabetic()) =>
            {
                return Ok(none);
            }
            query::Form::Exact if letters < 4 => 0,
            query::Form::Exact => by_length(letters),
        };
        if edits == 0 {
            return Ok(none);
        }
        // A word that stands in any searched field is no misspelling in one of them.
        let everywhere = self.fields.searched(self.ranking);
        let mut with = 0;
        for field in fields.iter().chain(&everywhere) {
            let Some(analyzer) = self.index.analyzer(*field) else { continue };
            let Some(stem) = analyzer.term(&word) else { return Ok(none) };
            with = with.max(self.index.with(*field, Form::Term, &stem)?);
        }
        if form == query::Form::Exact && with > FEW {
            return Ok(none);
        }
        let mut near = self.index.near(&word, edits)?;
        near.retain(|(other, ..)| *other != word);
        if form == query::Form::Exact {
            // What nobody asked for is kept small: only the nearest, and no rare words for one that is there.
            near.retain(|(_, _, known)| with == 0 || *known > FEW);
            if let Some(least) = near.iter().map(|(_, edits, _)| *edits).min() {
                near.retain(|(_, edits, _)| *edits == least);
            }
        }
        near.truncate(MOST_NEAR);
        if !near.is_empty() {
            let words = near.iter().map(|(word, ..)| word.clone()).collect();
            self.plan.spread.insert(text.to_owned(), words);
            if with == 0 {
                self.plan.unknown.insert(text.to_owned());
            }
        }
        Ok((near.into_iter().map(|(word, edits, _)| (word, edits)).collect(), with > 0))
    }

    fn weight(&self, text: &str, terms: &[Term]) -> Option<f64> {
        let words = &self.ranking.words;
        if words.is_empty() {
            return None;
        }
        let asked = text.to_lowercase();
        let known = words.get(&asked).copied();
        known.or_else(|| {
            let analyzer = terms.first().and_then(|term| self.index.analyzer(term.field))?;
            let same = |word: &String| {
                analyzer.term(word).is_some_and(|stem| terms.iter().any(|term| term.text == stem))
            };
            words.iter().find(|(word, _)| same(word)).map(|(_, weight)| *weight)
        })
    }

    pub(super) fn phrase(
        &mut self,
        query: &Query,
        field: Option<&str>,
        text: &str,
    ) -> Result<Option<Ask>, SearchError> {
        let fields = match field {
            None => self.searched.clone(),
            Some(name) => match (self.fields.texts.get(name), self.fields.columns.get(name)) {
                (Some(number), _) => vec![*number],
                (None, Some(column)) => return Ok(Some(self.value(*column, text).unwrap_or(Ask::Nothing))),
                (None, None) => return Err(self.no_field(query, name)),
            },
        };
        let mut by_field = Vec::new();
        for field in fields {
            let Some(analyzer) = self.index.analyzer(field).cloned() else { continue };
            let cut = cut(&analyzer, text);
            let Some(asked) = self.row(field, &cut, self.ranking.stemmed_phrases) else { continue };
            let mut choices = vec![asked];
            if let Some((_, exact, stem)) = cut.first().filter(|_| cut.len() > 1) {
                let form = if stem.is_some() { Form::Term } else { Form::Exact };
                let first = term(field, form, stem.clone().unwrap_or_else(|| exact.clone()), 1.0);
                for synonym in analyzer.synonyms(text) {
                    choices.extend(self.synonym(&first, &analyzer, synonym, SYNONYM)?);
                }
            }
            by_field.push(one_or(Ask::Best)(choices));
        }
        Ok((!by_field.is_empty()).then(|| one_or(Ask::Any)(by_field)))
    }

    /// Words in a row: as they stand, or their stems.
    fn row(&mut self, field: usize, cut: &[Cut], stemmed: bool) -> Option<Ask> {
        let first = cut.first()?.0;
        let mut words: Vec<(u32, Term)> = Vec::with_capacity(cut.len());
        for (position, exact, stem) in cut {
            let place = position - first;
            match stem {
                Some(stem) if stemmed => words.push((place, term(field, Form::Term, stem.clone(), 1.0))),
                None if stemmed && cut.len() > 1 => {}
                _ => words.push((place, term(field, Form::Exact, exact.clone(), 1.0))),
            }
        }
        let mixed = words.iter().any(|(_, word)| word.form == Form::Exact)
            && words.iter().any(|(_, word)| word.form == Form::Term);
        if mixed || words.is_empty() {
            words = cut
                .iter()
                .map(|(position, exact, _)| (position - first, term(field, Form::Exact, exact.clone(), 1.0)))
                .collect();
        }
        let stemmed = words.iter().any(|(_, word)| word.form == Form::Term);
        let mut marked = vec![None; cut.last().map_or(0, |(position, ..)| (position - first + 1) as usize)];
        for (place, word) in &words {
            marked[*place as usize] = Some(word.text.clone());
        }
        let row = Row { words: marked, stemmed };
        if !self.plan.marks.phrases.contains(&row) {
            self.plan.marks.phrases.push(row);
        }
        Some(match words.as_slice() {
            [(_, word)] => Ask::Term(word.clone()),
            _ => Ask::Phrase { words },
        })
    }
}

/// A word of a query: position, as it stands, stem.
type Cut = (u32, String, Option<String>);

fn cut(analyzer: &text::Analyzer, text: &str) -> Vec<Cut> {
    let mut words = Vec::new();
    analyzer.each(text, &mut |word| {
        words.push((word.position, word.exact.to_owned(), word.term.map(str::to_owned)));
    });
    words
}

/// Edits that are still the same word to most people.
fn by_length(letters: usize) -> usize {
    match letters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}
