//! A column of an index, its sections read as they are needed.

use std::cmp::Ordering;
use std::path::Path;

use model::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::{EMPTY, LIST, NUMBER, NUMERIC_TEXT, SAME};
use crate::ServiceError;
use crate::rows::filter::{Condition, Test};
use crate::rows::layout::{Shown, Source};
use crate::sections::{read, spoilt};

/// The sections of a column.
#[derive(Clone, Copy)]
pub(super) enum Bytes {
    Kinds,
    Numbers,
    Order,
    TextEnds,
    Texts,
    FoldedEnds,
    Folded,
}

impl Bytes {
    /// The file of this section of a column.
    pub(super) fn file(self, column: &str) -> String {
        let section = match self {
            Bytes::Kinds => "kinds",
            Bytes::Numbers => "numbers",
            Bytes::Order => "order",
            Bytes::TextEnds => "text-ends",
            Bytes::Texts => "texts",
            Bytes::FoldedEnds => "small-ends",
            Bytes::Folded => "small",
        };
        format!("{column}.{section}")
    }
}

/// What the files of a column begin with: the hash of its name, because names are written by people, in any alphabet.
pub(super) fn column_name(shown: &Shown) -> String {
    let tag = if matches!(shown.source, Source::Field(_)) { 'f' } else { 'x' };
    format!("{tag}{:016x}", xxh3_64(shown.name.as_bytes()))
}

/// A column.
pub(super) struct Column<'a> {
    dir: &'a Path,
    name: String,
}

impl<'a> Column<'a> {
    /// None if the index does not have it.
    pub(super) fn open(dir: &'a Path, shown: &Shown) -> Option<Column<'a>> {
        let name = column_name(shown);
        dir.join(Bytes::Order.file(&name)).exists().then_some(Column { dir, name })
    }

    fn section(&self, bytes: Bytes) -> Result<Vec<u8>, ServiceError> {
        self.some(bytes)?.ok_or_else(|| spoilt(&self.dir.join(bytes.file(&self.name))))
    }

    fn some(&self, bytes: Bytes) -> Result<Option<Vec<u8>>, ServiceError> {
        read(self.dir, &bytes.file(&self.name))
    }

    /// Which rows meet a condition, of those that did so far.
    pub(super) fn holds(
        &self,
        condition: &Condition,
        so_far: Option<&[bool]>,
    ) -> Result<Vec<bool>, ServiceError> {
        let kinds = self.section(Bytes::Kinds)?;
        let mut hits = match so_far {
            Some(hits) => hits.to_vec(),
            None => vec![true; kinds.len()],
        };
        if hits.len() != kinds.len() {
            return Err(spoilt(self.dir));
        }
        let rows = || kinds.iter().copied().enumerate();
        match condition.test {
            Test::Empty | Test::NotEmpty => {
                for (row, kind) in rows() {
                    hits[row] &= (kind == EMPTY) == (condition.test == Test::Empty);
                }
            }
            Test::Contains | Test::ContainsNot => {
                let (ends, texts) = match self.some(Bytes::FoldedEnds)? {
                    Some(ends) => (ends, self.section(Bytes::Folded)?),
                    None => (self.section(Bytes::TextEnds)?, self.section(Bytes::Texts)?),
                };
                let contains = containing(condition, &ends, &texts, kinds.len());
                for (row, kind) in rows() {
                    let holds = kind != EMPTY && contains[row];
                    hits[row] &= holds == (condition.test == Test::Contains);
                }
            }
            _ => {
                let numbers = self.some(Bytes::Numbers)?.unwrap_or_default();
                // A number is compared with numbers only; texts are needed for texts and lists.
                let needs_texts = !condition.is_number() || kinds.contains(&LIST);
                let (ends, texts) = match needs_texts {
                    true => (self.section(Bytes::TextEnds)?, self.section(Bytes::Texts)?),
                    false => (Vec::new(), Vec::new()),
                };
                for (row, kind) in rows().filter(|(row, _)| so_far.is_none_or(|hits| hits[*row])) {
                    let text = || std::str::from_utf8(cut(&ends, &texts, row)).unwrap_or_default();
                    let number = matches!(kind, NUMBER | NUMERIC_TEXT).then(|| number_from(&numbers, row));
                    hits[row] = match kind {
                        EMPTY => condition.holds(&Value::Empty),
                        LIST => condition.holds(&list(cut(&ends, &texts, row))),
                        _ => condition.holds_for(number, if needs_texts { text() } else { "" }),
                    };
                }
            }
        }
        Ok(hits)
    }

    /// Hands over the rows in order, those of equal value together and with their mark, until no more are wanted.
    pub(super) fn in_order(
        &self,
        descending: bool,
        take: &mut dyn FnMut(&[u32]) -> bool,
    ) -> Result<(), ServiceError> {
        let (order, kinds) = self.order()?;
        let filled = order.partition_point(|row| kinds[(row & !SAME) as usize] != EMPTY);
        let (filled, empty) = order.split_at(filled);
        let mut rest = filled;
        while !rest.is_empty() {
            let group = match descending {
                false => {
                    let end =
                        rest[1..].iter().position(|row| row & SAME == 0).map_or(rest.len(), |at| at + 1);
                    let (group, more) = rest.split_at(end);
                    rest = more;
                    group
                }
                true => {
                    let begin = rest.iter().rposition(|row| row & SAME == 0).unwrap_or(0);
                    let (more, group) = rest.split_at(begin);
                    rest = more;
                    group
                }
            };
            if !take(group) {
                return Ok(());
            }
        }
        if !empty.is_empty() {
            take(empty);
        }
        Ok(())
    }

    /// For each row, how many different values are smaller; the largest number for none.
    pub(super) fn ranks(&self) -> Result<Vec<u32>, ServiceError> {
        let (order, kinds) = self.order()?;
        let mut ranks = vec![u32::MAX; kinds.len()];
        let mut rank = 0;
        for row in order {
            rank += u32::from(row & SAME == 0);
            let row = (row & !SAME) as usize;
            if kinds[row] != EMPTY {
                ranks[row] = rank;
            }
        }
        Ok(ranks)
    }

    fn order(&self) -> Result<(Vec<u32>, Vec<u8>), ServiceError> {
        let order = numbers_of(&self.section(Bytes::Order)?);
        let kinds = self.section(Bytes::Kinds)?;
        match order.len() == kinds.len() && order.iter().all(|row| ((row & !SAME) as usize) < kinds.len()) {
            true => Ok((order, kinds)),
            false => Err(spoilt(self.dir)),
        }
    }
}

/// Empty values have the largest rank and come last in either direction.
pub(super) fn compare_ranks(a: u32, b: u32, descending: bool) -> Ordering {
    match descending && a != u32::MAX && b != u32::MAX {
        true => b.cmp(&a),
        false => a.cmp(&b),
    }
}

pub(super) fn number_at(bytes: &[u8], at: usize) -> u64 {
    let number = bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
    u64::from_le_bytes(number.unwrap_or_default())
}

/// The number of a row; not a number where the section was left out.
pub(super) fn number_from(numbers: &[u8], row: usize) -> f64 {
    if numbers.is_empty() { f64::NAN } else { f64::from_bits(number_at(numbers, 8 * row)) }
}

fn list(json: &[u8]) -> Value {
    Value::List(serde_json::from_slice(json).unwrap_or_default())
}

fn numbers_of(bytes: &[u8]) -> Vec<u32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|number| u32::from_le_bytes(*number)).collect()
}

/// Which rows contain the condition's words: all texts are searched in one sweep, as they stand one behind the other.
fn containing(condition: &Condition, ends: &[u8], texts: &[u8], rows: usize) -> Vec<bool> {
    let length = condition.folded_len();
    let mut contains = vec![length == 0; rows];
    let find = condition.finder();
    let (mut from, mut row) = (0, 0);
    while length > 0 && row < rows {
        let Some(at) = texts.get(from..).and_then(&find) else { break };
        let at = from + at;
        while row < rows && number_at(ends, 8 * row) as usize <= at {
            row += 1;
        }
        let end = number_at(ends, 8 * row) as usize;
        let within = row < rows && at + length <= end;
        if within {
            contains[row] = true;
        }
        // Found in this row, go on with the next; found across the border of two, go on behind its beginning.
        from = if within { end } else { at + 1 };
    }
    contains
}

/// The bytes of one row.
fn cut<'a>(ends: &[u8], texts: &'a [u8], row: usize) -> &'a [u8] {
    let begin = if row == 0 { 0 } else { number_at(ends, 8 * (row - 1)) };
    let end = number_at(ends, 8 * row);
    texts.get(begin as usize..end as usize).unwrap_or_default()
}
