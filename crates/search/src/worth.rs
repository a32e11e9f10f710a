//! What a document is worth beside its words: formula, freshness and PageRank, times what rules take from it.
//!
//! Rules that demote are part of every score, so that a hit stands at the same place whatever page of hits is asked
//! for. Sites and URLs are looked up once per segment, as the numbers that its columns have for them.

use std::collections::HashSet;

use index::{Change, DocAddress, IndexError, KeywordColumn, Segment, Signals, View};

use crate::SearchError;
use crate::document::built_in;
use crate::rules::{fits, is_site};
use crate::signals::RankSignals;

/// All that changes a score beside words.
pub(crate) struct Worth<'a> {
    pub(crate) signals: Option<RankSignals>,
    /// Sites, URLs or patterns of them, and what their scores are multiplied by.
    pub(crate) demoted: &'a [(String, f64)],
}

impl Worth<'_> {
    /// None where scores are those of the words.
    pub(crate) fn new(signals: Option<RankSignals>, demoted: &[(String, f64)]) -> Option<Worth<'_>> {
        (signals.is_some() || !demoted.is_empty()).then_some(Worth { signals, demoted })
    }

    /// The score of a document whose words are worth `words`.
    pub(crate) fn score(&self, view: &View, address: DocAddress, words: f64) -> Result<f64, SearchError> {
        let mut score = [words];
        self.segment(&view.columns(address))?(&[address.doc()], &mut score);
        Ok(score[0])
    }
}

impl Signals for Worth<'_> {
    fn segment<'s>(&'s self, segment: &Segment<'s>) -> Result<Change<'s>, IndexError> {
        let mut change: Change<'s> = match &self.signals {
            Some(signals) => signals.segment(segment)?,
            None => Box::new(|_, _| {}),
        };
        if self.demoted.is_empty() {
            return Ok(change);
        }
        let factors = Factors::new(self.demoted, segment)?;
        Ok(Box::new(move |docs, scores| {
            change(docs, scores);
            // A share of less than nothing would be more.
            for (score, doc) in scores.iter_mut().zip(docs).filter(|(score, _)| **score > 0.0) {
                *score *= factors.of(*doc);
            }
        }))
    }
}

/// What the rules take from the entries of one segment.
struct Factors {
    sites: KeywordColumn,
    addresses: KeywordColumn,
    rules: Vec<(Which, f64)>,
}

/// The entries of a rule, by their numbers in a column.
enum Which {
    Site(u64),
    Address(u64),
    Addresses(HashSet<u64>),
}

impl Factors {
    fn new(demoted: &[(String, f64)], segment: &Segment<'_>) -> Result<Factors, IndexError> {
        let sites = segment.keywords(built_in::SITE)?;
        let addresses = segment.keywords(built_in::ADDRESS)?;
        let mut rules = Vec::with_capacity(demoted.len());
        for (pattern, by) in demoted {
            let which = match pattern.split_once('*') {
                Some((beginning, _)) => {
                    let mut found = HashSet::new();
                    addresses.each_beginning(beginning, &mut |url, number| {
                        if fits(pattern, url) {
                            found.insert(number);
                        }
                    })?;
                    Some(Which::Addresses(found))
                }
                None if is_site(pattern) => sites.number(&pattern.to_lowercase())?.map(Which::Site),
                None => addresses.number(pattern)?.map(Which::Address),
            };
            // What no entry of the segment has takes nothing.
            rules.extend(which.map(|which| (which, *by)));
        }
        Ok(Factors { sites, addresses, rules })
    }

    fn of(&self, doc: u32) -> f64 {
        let address = self.addresses.first(doc);
        let mut factor = 1.0;
        for (which, by) in &self.rules {
            let mut is_meant = match which {
                Which::Site(_) => false,
                Which::Address(number) => address == Some(*number),
                Which::Addresses(numbers) => address.is_some_and(|address| numbers.contains(&address)),
            };
            if let Which::Site(number) = which {
                self.sites.each(doc, &mut |site| is_meant |= site == *number);
            }
            if is_meant {
                factor *= by;
            }
        }
        factor
    }
}
