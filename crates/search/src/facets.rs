//! Counts by column: the values of keywords, ranges of numbers and dates.

use index::{Counts, Facet};

use crate::answer::FacetCounts;
use crate::{SearchError, Searcher, dates};

/// Values of a facet that are given.
const MOST_VALUES: usize = 100;

/// In seconds.
const YEAR: i64 = 31_556_952;

/// Ranges that a facet of numbers is cut into.
const RANGES: usize = 10;

impl Searcher<'_> {
    pub(crate) fn facets(&self, names: &[String]) -> Result<Vec<Facet>, SearchError> {
        let facet = |name: &String| {
            let Some(column) = self.fields.columns.get(name).copied() else {
                return Err(SearchError::Setting(format!(
                    "cannot count {name}: the index has no such column"
                )));
            };
            Ok(match self.fields.schema.fields[column].kind {
                index::Kind::Keyword => Facet::Keywords(column),
                _ => Facet::Ranges(column, self.bounds(column)),
            })
        };
        names.iter().map(facet).collect()
    }

    /// Bounds for a column of numbers: even steps are made by the caller from the ends, so powers of ten serve here.
    fn bounds(&self, column: usize) -> Vec<f64> {
        match self.fields.schema.fields[column].kind {
            index::Kind::Date => {
                let mut bounds = vec![f64::MIN];
                bounds.extend((0..=RANGES as i64).rev().map(|years| (self.now - years * YEAR) as f64));
                bounds.push(f64::MAX);
                bounds
            }
            _ => {
                let mut bounds = vec![f64::MIN, 0.0];
                bounds.extend((0..RANGES as i32).map(|power| 10_f64.powi(power)));
                bounds.push(f64::MAX);
                bounds
            }
        }
    }

    pub(crate) fn counts(&self, names: &[String], counts: Vec<Counts>) -> Vec<FacetCounts> {
        let counted = names.iter().zip(counts).map(|(name, counts)| match counts {
            Counts::Keywords(values) => {
                let mut values: Vec<(String, u64)> = values.into_iter().collect();
                values.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
                values.truncate(MOST_VALUES);
                FacetCounts { column: name.clone(), values, ends: None }
            }
            Counts::Ranges(counts, ends) => {
                let column = self.fields.columns.get(name).copied().unwrap_or_default();
                let bounds = self.bounds(column);
                let is_date = self.fields.schema.fields[column].kind == index::Kind::Date;
                let name_of = |pair: &[f64]| if is_date { days(pair) } else { range_name(pair) };
                let range = |(pair, count): (&[f64], u64)| (count > 0).then(|| (name_of(pair), count));
                let values = bounds.windows(2).zip(counts).filter_map(range).collect();
                FacetCounts { column: name.clone(), values, ends }
            }
        });
        counted.collect()
    }
}

fn range_name(pair: &[f64]) -> String {
    match pair {
        [low, high] if *low == f64::MIN => format!("..{high}"),
        [low, high] if *high == f64::MAX => format!("{low}.."),
        [low, high] => format!("{low}..{high}"),
        _ => String::new(),
    }
}

/// A range of dates, as days.
fn days(pair: &[f64]) -> String {
    let day = |seconds: f64| dates::day(seconds as i64).unwrap_or_default();
    let is_end = |bound: f64| bound == f64::MIN || bound == f64::MAX;
    let day = |bound: f64| if is_end(bound) { String::new() } else { day(bound) };
    pair.iter().map(|bound| day(*bound)).collect::<Vec<_>>().join("..")
}
