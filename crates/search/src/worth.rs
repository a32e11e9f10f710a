//! What a document is worth beside its words: formula and freshness, times what rules take from it.
//!
//! Rules that demote are part of every score, so that a hit stands at the same place whatever page of hits is asked
//! for. Sites and URLs are looked up once per segment, as the numbers that its columns have for them.

use std::collections::HashSet;

use index::{DocAddress, IndexError, KeywordColumn, Segment, Signals, View};

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
        Ok(self.segment(&view.columns(address))?(address.doc(), words))
    }
}

impl Signals for Worth<'_> {
    fn segment<'s>(
        &'s self,
        segment: &Segment<'s>,
    ) -> Result<Box<dyn FnMut(u32, f64) -> f64 + 's>, IndexError> {
        let mut score: Box<dyn FnMut(u32, f64) -> f64 + 's> = match &self.signals {
            Some(signals) => signals.segment(segment)?,
            None => Box::new(|_, words| words),
        };
        if self.demoted.is_empty() {
            return Ok(score);
        }
        let factors = Factors::new(self.demoted, segment)?;
        Ok(Box::new(move |doc, words| {
            let score = score(doc, words);
            // A share of less than nothing would be more.
            if score > 0.0 { score * factors.of(doc) } else { score }
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
