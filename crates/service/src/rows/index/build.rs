//! Making an index: one walk over the rows, the bytes of all columns written as they come, then one column after
//! the other sorted. Holds one column in memory, and what a walk needs.

use std::cmp::Ordering;
use std::fs;
use std::path::Path;

use archive::rows::{self, ROWS};
use kv::{Reader, Snapshot};
use model::Value;

use super::column::{Bytes, column_name, number_at, number_from};
use super::{EMPTY, Head, KEYS, LIST, MARKS, MOST_ROWS, NUMBER, NUMERIC_TEXT, PLACES, SAME, TEXT};
use crate::ServiceError;
use crate::rows::compare::{Mark, Side};
use crate::rows::filter::{SortKey, number_in};
use crate::rows::layout::Shown;
use crate::rows::listing::{Listed, Listing, State};
use crate::rows::marks::{Former, Marks};
use crate::sections::{SectionWriter, read, spoilt, write};

/// Former places that are kept for each row, on average. Those of longer ago are forgotten, so that pages which are read
/// again for years do not fill the memory.
const FORMER: usize = 4;

/// Makes the index of a state in a folder that is new and empty. With the state before, rows have their marks, and
/// those that are lost stand behind the others.
pub(super) fn build(
    dir: &Path,
    snapshot: &Snapshot,
    now: &Side,
    base: Option<&Side>,
) -> Result<Head, ServiceError> {
    let marks = base.map(|base| Marks::between(snapshot, base, now)).transpose()?;
    let marks = marks.unwrap_or_default();
    let columns = now.layout.every();
    let mut building = Building::new(dir, &columns);
    let mut listing = Listing::new(snapshot, &now.state, &now.layout)?;
    listing.walk(0, &mut |mut row| {
        row.mark = Some(marks.of(&row));
        building.push(&row)?;
        building.keys.push((row.key.0, row.number, row.position));
        Ok(building.rows < MOST_ROWS)
    })?;
    drop(listing);
    building.replaced(snapshot, &now.state)?;
    let live = building.rows;
    if let Some(base) = base {
        let mut former = Former::new(snapshot, base, &now.layout)?;
        for (place, mark) in &marks.lost {
            if let Some(row) = former.row(*place, *mark)?.filter(|_| building.rows < MOST_ROWS) {
                building.push(&row)?;
            }
        }
    }
    drop(marks);
    let rows = building.rows;
    building.finish(dir)?;
    let base = base.map(|base| (base.state.crawl.0, base.state.end));
    Ok(Head { version: super::VERSION, end: now.state.end, base, rows, live })
}

struct Building<'a> {
    columns: Vec<(&'a Shown, Column)>,
    places: SectionWriter,
    marks: SectionWriter,
    keys: Vec<(u128, u64, u32)>,
    rows: u64,
}

impl<'a> Building<'a> {
    fn new(dir: &Path, columns: &'a [Shown]) -> Building<'a> {
        Building {
            columns: columns.iter().map(|shown| (shown, Column::new(dir, shown))).collect(),
            places: SectionWriter::new(dir, PLACES),
            marks: SectionWriter::new(dir, MARKS),
            keys: Vec::new(),
            rows: 0,
        }
    }

    fn push(&mut self, row: &Listed) -> Result<(), ServiceError> {
        for (shown, column) in &mut self.columns {
            column.push(&shown.value(row))?;
        }
        self.places.add(&row.number.to_le_bytes())?;
        self.places.add(&row.position.to_le_bytes())?;
        self.marks.add(&[row.mark.unwrap_or(Mark::New) as u8])?;
        self.rows += 1;
        Ok(())
    }

    /// The keys of rows whose pages were read again: the latest, up to some for each row that is there.
    fn replaced(&mut self, snapshot: &Snapshot, state: &State) -> Result<(), ServiceError> {
        let most = self.keys.len().saturating_mul(1 + FORMER);
        for number in rows::superseded(snapshot, state.crawl, state.end)?.into_iter().rev() {
            let record = snapshot.get(&ROWS, &(state.crawl.0, number))?;
            let Some(page) = record.filter(|page| !page.detail) else { continue };
            self.keys.extend(page.rows.iter().map(|row| (row.key.0, number, row.position)));
            if self.keys.len() > most {
                break;
            }
        }
        Ok(())
    }

    fn finish(self, dir: &Path) -> Result<(), ServiceError> {
        let Building { columns, places, marks, mut keys, .. } = self;
        places.finish()?;
        marks.finish()?;
        keys.sort_unstable();
        let mut section = SectionWriter::new(dir, KEYS);
        for (key, number, position) in &keys {
            section.add(&key.to_le_bytes())?;
            section.add(&number.to_le_bytes())?;
            section.add(&position.to_le_bytes())?;
        }
        section.finish()?;
        drop(keys);
        columns.into_iter().try_for_each(|(_, column)| column.finish(dir))
    }
}

/// A column in the making.
struct Column {
    name: String,
    kinds: SectionWriter,
    numbers: SectionWriter,
    text_ends: SectionWriter,
    texts: SectionWriter,
    folded_ends: SectionWriter,
    folded: SectionWriter,
    /// Some values are numbers; else that section is left out.
    has_numbers: bool,
    /// Some texts differ from what they are in small letters; else that section is left out.
    has_folded: bool,
}

impl Column {
    fn new(dir: &Path, shown: &Shown) -> Column {
        let name = column_name(shown);
        let section = |bytes: Bytes| SectionWriter::new(dir, &bytes.file(&name));
        Column {
            kinds: section(Bytes::Kinds),
            numbers: section(Bytes::Numbers),
            text_ends: section(Bytes::TextEnds),
            texts: section(Bytes::Texts),
            folded_ends: section(Bytes::FoldedEnds),
            folded: section(Bytes::Folded),
            has_numbers: false,
            has_folded: false,
            name,
        }
    }

    fn push(&mut self, value: &Value) -> Result<(), ServiceError> {
        let text = value.to_string();
        let mut number = value.number().or_else(|| number_in(&text));
        let kind = match value {
            Value::Empty => EMPTY,
            Value::List(values) if values.is_empty() => EMPTY,
            Value::List(_) => LIST,
            value if value.number().is_some() => NUMBER,
            _ if number.is_some() => NUMERIC_TEXT,
            _ => TEXT,
        };
        if let Value::List(values) = value {
            let json = serde_json::to_vec(values).expect("values have only text keys");
            self.texts.add(&json)?;
            // Nothing that is searched for goes from one value to the next.
            let each: Vec<String> = values.iter().map(|value| value.to_string().to_lowercase()).collect();
            self.folded.add(each.join("\0").as_bytes())?;
            self.has_folded = true;
            // A list is sorted by its first value.
            number = match SortKey::of(value) {
                SortKey::Number(number) => Some(number),
                _ => None,
            };
        } else {
            let folded = text.to_lowercase();
            self.has_folded |= folded != text;
            self.texts.add(text.as_bytes())?;
            self.folded.add(folded.as_bytes())?;
        }
        self.has_numbers |= number.is_some();
        self.kinds.add(&[kind])?;
        self.numbers.add(&number.unwrap_or(f64::NAN).to_le_bytes())?;
        self.text_ends.add(&self.texts.length.to_le_bytes())?;
        self.folded_ends.add(&self.folded.length.to_le_bytes())
    }

    fn finish(self, dir: &Path) -> Result<(), ServiceError> {
        self.kinds.finish()?;
        self.texts.finish()?;
        self.text_ends.finish()?;
        match self.has_numbers {
            true => self.numbers.finish()?,
            false => self.numbers.discard()?,
        }
        match self.has_folded {
            true => {
                self.folded.finish()?;
                self.folded_ends.finish()?;
            }
            false => {
                self.folded.discard()?;
                self.folded_ends.discard()?;
            }
        }
        let section = |bytes: Bytes| read(dir, &bytes.file(&self.name));
        let whole = |bytes: Bytes| section(bytes)?.ok_or_else(|| spoilt(dir));
        let kinds = whole(Bytes::Kinds)?;
        let numbers = section(Bytes::Numbers)?.unwrap_or_default();
        let (ends, texts) = match self.has_folded {
            true => (whole(Bytes::FoldedEnds)?, whole(Bytes::Folded)?),
            false => (whole(Bytes::TextEnds)?, whole(Bytes::Texts)?),
        };
        write(dir, &Bytes::Order.file(&self.name), &order(&kinds, &numbers, &ends, &texts))
    }
}

/// What a row is sorted by first, cheap to compare: its class, then its number or the first bytes of its text.
#[derive(Clone, Copy)]
struct Sorted {
    class: u8,
    first: u64,
    row: u32,
}

/// The rows in the order of their values, equals in the order of the crawl and marked.
fn order(kinds: &[u8], numbers: &[u8], ends: &[u8], texts: &[u8]) -> Vec<u8> {
    let text_of = |row: u32| {
        let row = row as usize;
        let begin = if row == 0 { 0 } else { number_at(ends, 8 * (row - 1)) };
        let text = texts.get(begin as usize..number_at(ends, 8 * row) as usize).unwrap_or_default();
        match kinds[row] {
            LIST => text.split(|byte| *byte == 0).next().unwrap_or_default(),
            _ => text,
        }
    };
    let sorted = |(row, kind): (usize, &u8)| {
        let number = number_from(numbers, row);
        let row = row as u32;
        match *kind {
            EMPTY => Sorted { class: 2, first: 0, row },
            NUMBER => Sorted { class: 0, first: in_order(number), row },
            LIST if !number.is_nan() => Sorted { class: 0, first: in_order(number), row },
            _ => {
                let mut first = [0; 8];
                let text = text_of(row);
                let length = text.len().min(8);
                first[..length].copy_from_slice(&text[..length]);
                Sorted { class: 1, first: u64::from_be_bytes(first), row }
            }
        }
    };
    let mut rows: Vec<Sorted> = kinds.iter().enumerate().map(sorted).collect();
    let compare = |a: &Sorted, b: &Sorted| {
        (a.class, a.first).cmp(&(b.class, b.first)).then_with(|| match a.class {
            1 => text_of(a.row).cmp(text_of(b.row)),
            _ => Ordering::Equal,
        })
    };
    rows.sort_unstable_by(|a, b| compare(a, b).then(a.row.cmp(&b.row)));
    let mut bytes = Vec::with_capacity(4 * rows.len());
    for (at, row) in rows.iter().enumerate() {
        let same = at > 0 && compare(&rows[at - 1], row).is_eq();
        bytes.extend_from_slice(&(row.row | if same { SAME } else { 0 }).to_le_bytes());
    }
    bytes
}

/// A number whose order as an integer is that of the numbers.
fn in_order(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// Removes a folder that may be there.
pub(super) fn remove(dir: &Path) -> Result<(), ServiceError> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ServiceError::io("remove", dir)(error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_keep_their_order_as_integers(a: f64, b: f64) {
            prop_assert_eq!(in_order(a).cmp(&in_order(b)), a.total_cmp(&b));
        }
    }
}
