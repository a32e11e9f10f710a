//! A columnar index over a crawl's rows: answers filters and sorts of many rows without reading them all.
//!
//! Each column that was ever asked for is a file below `<data>/rows/`, made when it is first needed: the numbers,
//! the texts, the texts in small letters, and the order of the rows. A query reads the parts it needs, a few
//! bytes per row. An index is made of the records up to one number and is good as long as there are no more; it
//! can be thrown away at any time. Making one holds one column in memory.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use model::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::compare::Place;
use super::filter::{Condition, SortKey, Test, number_in};
use super::layout::{Shown, Source};
use super::listing::Listing;
use crate::ServiceError;

/// Fewer rows are read one by one.
pub(crate) const MANY: u64 = 20_000;

/// More rows than this are better read in one sweep.
pub(crate) const MOST_WANTED: u64 = 10_000;

/// More rows have no index.
const MOST_ROWS: usize = 1 << 31;

const MAGIC: &[u8; 8] = b"gannet-1";

/// Kinds of values.
const EMPTY: u8 = 0;
const NUMBER: u8 = 1;
const NUMERIC_TEXT: u8 = 2;
const TEXT: u8 = 3;
const LIST: u8 = 4;

/// In the order of rows: the value is the same as that of the row before.
const SAME: u32 = 1 << 31;

/// The sections of a column's file.
#[derive(Clone, Copy)]
enum Section {
    Kinds,
    Numbers,
    Order,
    TextEnds,
    Texts,
    FoldedEnds,
    Folded,
}

const SECTIONS: usize = 7;

/// The index of a crawl up to a record.
pub(crate) struct Index {
    dir: PathBuf,
    next: u64,
}

impl Index {
    /// The index in this folder, as far as record `next`.
    pub(crate) fn new(dir: PathBuf, next: u64) -> Index {
        Index { dir, next }
    }

    /// The places of the rows that meet all conditions, in order: `limit` at most, after the first `skip`. Also how many
    /// there are, where conditions were asked for.
    pub(crate) fn select<'a>(
        &self,
        rows: &dyn Fn() -> Result<Listing<'a>, ServiceError>,
        conditions: &[(Shown, &Condition)],
        sort: &[(Shown, bool)],
        skip: usize,
        limit: usize,
    ) -> Result<(Vec<Place>, Option<u64>), ServiceError> {
        let limit = limit.saturating_add(skip);
        let mut hits: Option<Vec<bool>> = None;
        for (column, condition) in conditions {
            let column = self.column(rows, column)?;
            match &mut hits {
                None => hits = Some(column.holds(condition, None)?),
                Some(hits) => *hits = column.holds(condition, Some(hits))?,
            }
        }
        let columns = sort.iter().map(|(column, _)| self.column(rows, column));
        let columns: Vec<ColumnFile> = columns.collect::<Result<_, _>>()?;
        let is_hit = |row: u32| hits.as_ref().is_none_or(|hits| hits[row as usize]);
        let mut chosen: Vec<u32> = Vec::new();
        match columns.split_first() {
            None => {
                let all = hits.iter().flat_map(|hits| hits.iter().enumerate());
                chosen.extend(all.filter(|(_, hit)| **hit).map(|(row, _)| row as u32).take(limit));
            }
            Some((first, rest)) => {
                let mut ties = Vec::with_capacity(rest.len());
                for (column, (_, descending)) in rest.iter().zip(&sort[1..]) {
                    ties.push((column.ranks()?, *descending));
                }
                first.in_order(sort[0].1, &mut |group: &[u32]| {
                    let start = chosen.len();
                    let room = limit - start;
                    let found = group.iter().map(|row| row & !SAME).filter(|row| is_hit(*row));
                    if ties.is_empty() {
                        chosen.extend(found.take(room));
                        return chosen.len() < limit;
                    }
                    chosen.extend(found);
                    let order = |a: &u32, b: &u32| {
                        let each = ties.iter().map(|(ranks, descending)| {
                            compare_ranks(ranks[*a as usize], ranks[*b as usize], *descending)
                        });
                        // Equals in the order of the crawl.
                        each.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then).then(a.cmp(b))
                    };
                    // Of many equals only those that are wanted are sorted.
                    if chosen.len() - start > room {
                        chosen[start..].select_nth_unstable_by(room, order);
                        chosen.truncate(limit);
                    }
                    chosen[start..].sort_unstable_by(order);
                    chosen.len() < limit
                })?;
                chosen.truncate(limit);
            }
        }
        let total = hits.map(|hits| hits.iter().filter(|hit| **hit).count() as u64);
        Ok((self.places(rows, chosen.get(skip..).unwrap_or_default())?, total))
    }

    /// A column's file, made if need be.
    fn column<'a>(
        &self,
        rows: &dyn Fn() -> Result<Listing<'a>, ServiceError>,
        column: &Shown,
    ) -> Result<ColumnFile, ServiceError> {
        // By the name's hash: names are written by people, in any alphabet.
        let tag = if matches!(column.source, Source::Field(_)) { 'f' } else { 'x' };
        let path = self.dir.join(format!("{tag}{:016x}", xxh3_64(column.name.as_bytes())));
        if let Some(file) = ColumnFile::open(&path, self.next)? {
            return Ok(file);
        }
        let mut building = Building::default();
        rows()?.walk(0, &mut |row| {
            building.push(&column.value(&row));
            Ok(true)
        })?;
        let sections = building.sections();
        write(&path, self.next, &sections)?;
        ColumnFile::open(&path, self.next)?.ok_or_else(|| unusable(&path))
    }

    /// Where rows are, by their numbers in the index.
    fn places<'a>(
        &self,
        rows: &dyn Fn() -> Result<Listing<'a>, ServiceError>,
        chosen: &[u32],
    ) -> Result<Vec<Place>, ServiceError> {
        let path = self.dir.join("places");
        if ColumnFile::open(&path, self.next)?.is_none() {
            let mut places = Vec::new();
            rows()?.walk(0, &mut |row| {
                places.extend_from_slice(&row.number.to_le_bytes());
                places.extend_from_slice(&row.position.to_le_bytes());
                Ok(true)
            })?;
            write(&path, self.next, &[places])?;
        }
        let mut file = ColumnFile::open(&path, self.next)?.ok_or_else(|| unusable(&path))?;
        let begin = file.sections[0].0;
        let mut places = Vec::with_capacity(chosen.len());
        for row in chosen {
            let mut place = [0; 12];
            let at = SeekFrom::Start(begin + 12 * u64::from(*row));
            let read = file.file.seek(at).and_then(|_| file.file.read_exact(&mut place));
            read.map_err(ServiceError::io("read", &path))?;
            let (number, position) = place.split_at(8);
            places.push(Place {
                number: u64::from_le_bytes(number.try_into().unwrap_or_default()),
                position: u32::from_le_bytes(position.try_into().unwrap_or_default()),
            });
        }
        Ok(places)
    }
}

fn unusable(path: &Path) -> ServiceError {
    ServiceError::io("use", path)(std::io::ErrorKind::InvalidData.into())
}

/// Empty values have the largest rank and come last in either direction.
fn compare_ranks(a: u32, b: u32, descending: bool) -> std::cmp::Ordering {
    match descending && a != u32::MAX && b != u32::MAX {
        true => b.cmp(&a),
        false => a.cmp(&b),
    }
}

/// A column in the making.
#[derive(Default)]
struct Building {
    kinds: Vec<u8>,
    numbers: Vec<u8>,
    text_ends: Vec<u8>,
    texts: Vec<u8>,
    folded_ends: Vec<u8>,
    folded: Vec<u8>,
    keys: Vec<SortKey<'static>>,
}

impl Building {
    fn push(&mut self, value: &Value) {
        let text = value.to_string();
        let number = value.number().or_else(|| number_in(&text));
        let kind = match value {
            Value::Empty => EMPTY,
            Value::List(_) => LIST,
            value if value.number().is_some() => NUMBER,
            _ if number.is_some() => NUMERIC_TEXT,
            _ => TEXT,
        };
        self.kinds.push(kind);
        self.numbers.extend_from_slice(&number.unwrap_or(f64::NAN).to_le_bytes());
        match value {
            Value::List(values) => {
                let json = serde_json::to_vec(values).expect("values have only text keys");
                self.texts.extend_from_slice(&json);
                // Nothing that is searched for goes from one value to the next.
                let each: Vec<String> = values.iter().map(|value| value.to_string().to_lowercase()).collect();
                self.folded.extend_from_slice(each.join("\0").as_bytes());
            }
            _ => {
                self.texts.extend_from_slice(text.as_bytes());
                self.folded.extend_from_slice(text.to_lowercase().as_bytes());
            }
        }
        self.text_ends.extend_from_slice(&(self.texts.len() as u64).to_le_bytes());
        self.folded_ends.extend_from_slice(&(self.folded.len() as u64).to_le_bytes());
        self.keys.push(SortKey::of(value));
    }

    fn sections(self) -> [Vec<u8>; SECTIONS] {
        let rows = self.keys.len().min(MOST_ROWS);
        let mut order: Vec<u32> = (0..rows as u32).collect();
        let key = |row: u32| &self.keys[row as usize];
        order.sort_by(|a, b| key(*a).compare(key(*b), false));
        let mut bytes = Vec::with_capacity(4 * order.len());
        for (at, row) in order.iter().enumerate() {
            let same = at > 0 && key(order[at - 1]).compare(key(*row), false).is_eq();
            bytes.extend_from_slice(&(row | if same { SAME } else { 0 }).to_le_bytes());
        }
        let Building { kinds, numbers, text_ends, texts, folded_ends, folded, .. } = self;
        [kinds, numbers, bytes, text_ends, texts, folded_ends, folded]
    }
}

/// Writes sections: magic, record, number of sections, then for each its length and checksum, then all bytes.
fn write(path: &Path, next: u64, sections: &[Vec<u8>]) -> Result<(), ServiceError> {
    let dir = path.parent().unwrap_or(path);
    fs::create_dir_all(dir).map_err(ServiceError::io("create", dir))?;
    let part = path.with_extension(format!("part-{}", std::process::id()));
    let mut head = MAGIC.to_vec();
    head.extend_from_slice(&next.to_le_bytes());
    head.extend_from_slice(&(sections.len() as u64).to_le_bytes());
    for section in sections {
        head.extend_from_slice(&(section.len() as u64).to_le_bytes());
        head.extend_from_slice(&xxh3_64(section).to_le_bytes());
    }
    // Not synced: a file that a power cut spoils fails its checksums and is made again.
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(&head)?;
        sections.iter().try_for_each(|section| file.write_all(section))
    });
    written.and_then(|()| fs::rename(&part, path)).map_err(ServiceError::io("write", path))
}

/// A column's file, its sections read as they are needed.
struct ColumnFile {
    path: PathBuf,
    file: File,
    /// Where each begins, its length, its checksum.
    sections: Vec<(u64, u64, u64)>,
}

impl ColumnFile {
    /// None when there is none, or when it is of another moment or another program.
    fn open(path: &Path, next: u64) -> Result<Option<ColumnFile>, ServiceError> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ServiceError::io("open", path)(error)),
        };
        let length = file.metadata().map_err(ServiceError::io("inspect", path))?.len();
        let mut head = [0; 24];
        if file.read_exact(&mut head).is_err() || head[..8] != *MAGIC || number_at(&head, 8) != next {
            return Ok(None);
        }
        let count = number_at(&head, 16).min(SECTIONS as u64);
        let mut table = vec![0; 16 * count as usize];
        if file.read_exact(&mut table).is_err() {
            return Ok(None);
        }
        let mut begin = 24 + 16 * count;
        let mut sections = Vec::new();
        for at in 0..count as usize {
            let bytes = number_at(&table, 16 * at);
            sections.push((begin, bytes, number_at(&table, 16 * at + 8)));
            begin = begin.saturating_add(bytes);
        }
        let whole = begin == length;
        Ok(whole.then(|| ColumnFile { path: path.to_owned(), file, sections }))
    }

    fn section(&self, section: Section) -> Result<Vec<u8>, ServiceError> {
        let (begin, length, checksum) =
            *self.sections.get(section as usize).ok_or_else(|| unusable(&self.path))?;
        let mut bytes = vec![0; length as usize];
        let mut file = &self.file;
        let read = file.seek(SeekFrom::Start(begin)).and_then(|_| file.read_exact(&mut bytes));
        read.map_err(ServiceError::io("read", &self.path))?;
        if xxh3_64(&bytes) != checksum {
            // Made anew the next time.
            let _ = fs::remove_file(&self.path);
            return Err(unusable(&self.path));
        }
        Ok(bytes)
    }

    /// Which rows meet a condition, of those that did so far.
    fn holds(&self, condition: &Condition, so_far: Option<&Vec<bool>>) -> Result<Vec<bool>, ServiceError> {
        let kinds = self.section(Section::Kinds)?;
        let mut hits = match so_far {
            Some(hits) => hits.clone(),
            None => vec![true; kinds.len()],
        };
        let rows = || kinds.iter().copied().enumerate();
        match condition.test {
            Test::Empty | Test::NotEmpty => {
                for (row, kind) in rows() {
                    hits[row] &= (kind == EMPTY) == (condition.test == Test::Empty);
                }
            }
            Test::Contains | Test::ContainsNot => {
                let (ends, texts) = (self.section(Section::FoldedEnds)?, self.section(Section::Folded)?);
                let contains = containing(condition, &ends, &texts, kinds.len());
                for (row, kind) in rows() {
                    let holds = kind != EMPTY && contains[row];
                    hits[row] &= holds == (condition.test == Test::Contains);
                }
            }
            _ => {
                let numbers = self.section(Section::Numbers)?;
                // A number is compared with numbers only; texts are needed for texts and lists.
                let needs_texts = !condition.is_number() || kinds.contains(&LIST);
                let (ends, texts) = match needs_texts {
                    true => (self.section(Section::TextEnds)?, self.section(Section::Texts)?),
                    false => (Vec::new(), Vec::new()),
                };
                for (row, kind) in rows().filter(|(row, _)| so_far.is_none_or(|hits| hits[*row])) {
                    let text = || std::str::from_utf8(cut(&ends, &texts, row)).unwrap_or_default();
                    let number = matches!(kind, NUMBER | NUMERIC_TEXT)
                        .then(|| f64::from_bits(number_at(&numbers, 8 * row)));
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
    fn in_order(&self, descending: bool, take: &mut dyn FnMut(&[u32]) -> bool) -> Result<(), ServiceError> {
        let order: Vec<u32> = numbers_of(&self.section(Section::Order)?);
        let kinds = self.section(Section::Kinds)?;
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
    fn ranks(&self) -> Result<Vec<u32>, ServiceError> {
        let order: Vec<u32> = numbers_of(&self.section(Section::Order)?);
        let kinds = self.section(Section::Kinds)?;
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
}

fn list(json: &[u8]) -> Value {
    Value::List(serde_json::from_slice(json).unwrap_or_default())
}

fn number_at(bytes: &[u8], at: usize) -> u64 {
    let number = bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
    u64::from_le_bytes(number.unwrap_or_default())
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
