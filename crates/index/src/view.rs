//! A still picture of an index: counts, columns and entries of its last commit.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::columnar::ColumnValues;
use tantivy::index::SegmentId;
use tantivy::schema::{IndexRecordOption, Value as _};
use tantivy::{DocSet, Searcher, SegmentReader, TERMINATED, TantivyDocument, Term};

use crate::eval::{Basis, Standing};
use crate::lengths::Lengths;
use crate::schema::{Columns, KEY, Layout, length_column};
use crate::writer::Shared;
use crate::{Form, IndexError, Query, Schema, Scoring, Segment, Statistics};

/// A still picture of an index.
#[derive(Clone)]
pub struct View {
    shared: Arc<Shared>,
    searcher: Searcher,
    /// The numbers that order equals, by segment: opening them takes longer than looking for a rare word. They go with
    /// the view, so that files of segments that were merged are not held.
    keys: Arc<Mutex<Keys>>,
}

/// Where an entry is in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocAddress {
    pub(crate) segment: u32,
    pub(crate) doc: u32,
}

impl DocAddress {
    /// Its number within its segment's columns.
    pub fn doc(self) -> u32 {
        self.doc
    }
}

/// What was counted before, by segment and the deletes it had.
#[derive(Default)]
pub(crate) struct Memory {
    lengths: Mutex<HashMap<(SegmentId, usize), Lengths>>,
    sums: Mutex<HashMap<SegmentKey, Arc<Vec<u64>>>>,
    living: Mutex<HashMap<(SegmentKey, Term), u64>>,
}

/// Numbers that order equals, by segment.
type Keys = HashMap<usize, Arc<dyn ColumnValues<u64>>>;

type SegmentKey = (SegmentId, Option<u64>);

/// Counts of words that are remembered.
const MOST_REMEMBERED: usize = 100_000;

impl View {
    pub(crate) fn new(shared: Arc<Shared>, searcher: Searcher) -> View {
        View { shared, searcher, keys: Arc::default() }
    }

    /// Its fields.
    pub fn schema(&self) -> &Schema {
        &self.shared.schema
    }

    /// How a field's text is cut, if it is a text field.
    pub fn analyzer(&self, field: usize) -> Option<&text::Analyzer> {
        self.shared.analyzers.get(field)?.as_ref()
    }

    /// Living entries.
    pub fn entries(&self) -> u64 {
        self.searcher.num_docs()
    }

    /// How many segments it lies in.
    pub fn segments(&self) -> usize {
        self.searcher.segment_readers().len()
    }

    /// Counts over living entries for a query.
    pub fn statistics(&self, query: &Query) -> Result<Statistics, IndexError> {
        let mut statistics = Statistics { entries: self.entries(), ..Statistics::default() };
        statistics.terms = vec![0; self.schema().fields.len()];
        for reader in self.searcher.segment_readers() {
            let sums = self.sums(reader)?;
            statistics.terms.iter_mut().zip(sums.iter()).for_each(|(all, one)| *all += one);
        }
        for (field, form, text) in Statistics::words(query) {
            let with = self.with(field, form, &text)?;
            statistics.with.insert((field, form == Form::Exact, text), with);
        }
        Ok(statistics)
    }

    /// Living entries with a word.
    pub fn with(&self, field: usize, form: Form, text: &str) -> Result<u64, IndexError> {
        let Some(below) = self.shared.layout.words(field, form) else { return Ok(0) };
        let term = Term::from_field_text(below, text);
        let mut with = 0;
        for reader in self.searcher.segment_readers() {
            let inverted = reader.inverted_index(below)?;
            let Some(alive) = reader.alive_bitset() else {
                with += u64::from(inverted.doc_freq(&term)?);
                continue;
            };
            let key = ((reader.segment_id(), reader.delete_opstamp()), term.clone());
            let known = self.living().get(&key).copied();
            with += match known {
                Some(known) => known,
                None => {
                    let postings = inverted.read_postings(&term, IndexRecordOption::Basic)?;
                    let counted =
                        postings.map_or(0, |postings| u64::from(postings.doc_freq_given_deletes(alive)));
                    let mut living = self.living();
                    if living.len() >= MOST_REMEMBERED {
                        living.clear();
                    }
                    living.insert(key, counted);
                    counted
                }
            };
        }
        Ok(with)
    }

    /// Words of a field with the number of entries that have them, dead ones included, in the order of the words: those
    /// that begin with `prefix`, `most` at most.
    pub fn words(
        &self,
        field: usize,
        form: Form,
        prefix: &str,
        most: usize,
    ) -> Result<BTreeMap<String, u64>, IndexError> {
        let mut words = BTreeMap::new();
        let Some(below) = self.shared.layout.words(field, form) else { return Ok(words) };
        for reader in self.searcher.segment_readers() {
            let inverted = reader.inverted_index(below)?;
            let mut stream = inverted.terms().range().ge(prefix.as_bytes()).into_stream()?;
            let mut taken = 0;
            while taken < most && stream.advance() {
                let Ok(word) = std::str::from_utf8(stream.key()) else { continue };
                if !word.starts_with(prefix) {
                    break;
                }
                *words.entry(word.to_owned()).or_default() += u64::from(stream.value().doc_freq);
                taken += 1;
            }
        }
        while words.len() > most {
            words.pop_last();
        }
        Ok(words)
    }

    /// The values of a keyword field that most entries have, dead ones included, with the number of these: `most` at
    /// most, in no order.
    pub fn frequent(&self, field: usize, most: usize) -> Result<Vec<(String, u64)>, IndexError> {
        match self.shared.layout.fields.get(field) {
            Some(Columns::Keyword(below)) => frequent(&self.searcher, *below, most, |_| true),
            _ => Ok(Vec::new()),
        }
    }

    /// The words of a text field that are in most entries, dead ones included, of those that `fits` says yes to.
    pub fn frequent_words(
        &self,
        field: usize,
        form: Form,
        most: usize,
        fits: impl Fn(&str) -> bool,
    ) -> Result<Vec<(String, u64)>, IndexError> {
        match self.shared.layout.words(field, form) {
            Some(below) => frequent(&self.searcher, below, most, fits),
            None => Ok(Vec::new()),
        }
    }

    /// The entry of a name.
    pub fn find(&self, id: &str) -> Result<Option<DocAddress>, IndexError> {
        let term = Term::from_field_text(self.shared.layout.id, id);
        for (segment, reader) in self.searcher.segment_readers().iter().enumerate() {
            let inverted = reader.inverted_index(self.shared.layout.id)?;
            let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::Basic)? else {
                continue;
            };
            let mut doc = postings.doc();
            while doc != TERMINATED {
                if !reader.is_deleted(doc) {
                    return Ok(Some(DocAddress { segment: segment as u32, doc }));
                }
                doc = postings.advance();
            }
        }
        Ok(None)
    }

    /// What was stored with an entry.
    pub fn stored(&self, address: DocAddress) -> Result<Vec<u8>, IndexError> {
        let below = tantivy::DocAddress::new(address.segment, address.doc);
        let document: TantivyDocument = self.searcher.doc(below)?;
        let stored = document.get_first(self.shared.layout.stored);
        Ok(stored.and_then(|value| value.as_bytes().map(<[u8]>::to_vec)).unwrap_or_default())
    }

    /// The columns around an entry.
    pub fn columns(&self, address: DocAddress) -> Segment<'_> {
        Segment::new(self, address.segment as usize)
    }

    /// Where words stand in entries: calls `f` with the number of each entry that has at least two of them, and the
    /// places word by word.
    pub fn places(
        &self,
        entries: &[DocAddress],
        terms: &[crate::Term],
        f: &mut dyn FnMut(usize, &[Vec<u32>]),
    ) -> Result<(), IndexError> {
        let (statistics, scoring) = (Statistics::default(), Scoring::even(0, 0.0, 0.0, crate::Idf::Standard));
        let mut places = Vec::new();
        // Postings are read in one direction, once per segment.
        for run in by_segment(entries) {
            let segment = entries[run[0]].segment as usize;
            let basis = Basis { view: self, segment, statistics: &statistics, scoring: &scoring };
            let mut standing = Standing::new(&basis, terms)?;
            for number in run {
                if standing.places(entries[number].doc, &mut places) {
                    f(number, &places);
                }
            }
        }
        Ok(())
    }

    /// Scores as signals have them, for entries whose words are worth so much; in the order of the entries.
    pub fn scores(
        &self,
        entries: &[(DocAddress, f64)],
        signals: &dyn crate::Signals,
    ) -> Result<Vec<f64>, IndexError> {
        let mut scores = vec![0.0; entries.len()];
        let addresses: Vec<DocAddress> = entries.iter().map(|(address, _)| *address).collect();
        for run in by_segment(&addresses) {
            let segment = Segment::new(self, addresses[run[0]].segment as usize);
            let docs: Vec<u32> = run.iter().map(|number| addresses[*number].doc).collect();
            let mut changed: Vec<f64> = run.iter().map(|number| entries[*number].1).collect();
            signals.segment(&segment)?(&docs, &mut changed);
            run.iter().zip(changed).for_each(|(number, score)| scores[*number] = score);
        }
        Ok(scores)
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.shared.layout
    }

    pub(crate) fn segment(&self, number: usize) -> &SegmentReader {
        &self.searcher.segment_readers()[number]
    }

    /// The numbers that order equals in a segment.
    pub(crate) fn keys(&self, segment: usize) -> Result<Arc<dyn ColumnValues<u64>>, IndexError> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = keys.get(&segment) {
            return Ok(Arc::clone(known));
        }
        let opened = self.segment(segment).fast_fields().column_first_or_default::<u64>(KEY)?;
        keys.insert(segment, Arc::clone(&opened));
        Ok(opened)
    }

    /// The lengths of a text field in a segment.
    pub(crate) fn lengths(&self, segment: usize, field: usize) -> Result<Lengths, IndexError> {
        let reader = self.segment(segment);
        let key = (reader.segment_id(), field);
        let mut remembered = self.shared.memory.lengths.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = remembered.get(&key) {
            return Ok(known.clone());
        }
        let column = reader.fast_fields().column_first_or_default::<u64>(&length_column(field))?;
        let lengths = Lengths::read(&*column);
        // Segments that are gone are forgotten.
        let readers = self.searcher.segment_readers();
        remembered.retain(|(id, _), _| readers.iter().any(|reader| reader.segment_id() == *id));
        remembered.insert(key, lengths.clone());
        Ok(lengths)
    }

    /// The terms of a segment's living entries, per field.
    fn sums(&self, reader: &SegmentReader) -> Result<Arc<Vec<u64>>, IndexError> {
        let key = (reader.segment_id(), reader.delete_opstamp());
        let remembered = &self.shared.memory.sums;
        if let Some(known) = remembered.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Arc::clone(known));
        }
        let mut sums = vec![0; self.schema().fields.len()];
        for field in self.schema().texts() {
            let lengths = reader.fast_fields().column_first_or_default::<u64>(&length_column(field))?;
            sums[field] = match reader.alive_bitset() {
                Some(alive) => alive.iter_alive().map(|doc| lengths.get_val(doc)).sum(),
                None => (0..reader.max_doc()).map(|doc| lengths.get_val(doc)).sum(),
            };
        }
        let sums = Arc::new(sums);
        let mut remembered = remembered.lock().unwrap_or_else(PoisonError::into_inner);
        // Segments that are gone are forgotten with the others.
        if remembered.len() > 1_000 {
            remembered.clear();
        }
        remembered.insert(key, Arc::clone(&sums));
        Ok(sums)
    }

    fn living(&self) -> std::sync::MutexGuard<'_, HashMap<(SegmentKey, Term), u64>> {
        self.shared.memory.living.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The numbers of entries in the order of their places, segment by segment.
fn by_segment(entries: &[DocAddress]) -> Vec<Vec<usize>> {
    let mut numbers: Vec<usize> = (0..entries.len()).collect();
    numbers.sort_unstable_by_key(|number| entries[*number]);
    let runs = numbers.chunk_by(|one, other| entries[*one].segment == entries[*other].segment);
    runs.map(<[usize]>::to_vec).collect()
}

/// Goes through the words of all segments at once, so that only the ones kept take memory.
fn frequent(
    searcher: &Searcher,
    below: tantivy::schema::Field,
    most: usize,
    fits: impl Fn(&str) -> bool,
) -> Result<Vec<(String, u64)>, IndexError> {
    let segments = searcher.segment_readers().iter().map(|reader| reader.inverted_index(below));
    let segments = segments.collect::<tantivy::Result<Vec<_>>>()?;
    let mut streams = Vec::with_capacity(segments.len());
    for segment in &segments {
        let mut stream = segment.terms().stream()?;
        if stream.advance() {
            streams.push(stream);
        }
    }
    let mut kept: BinaryHeap<Reverse<(u64, u64, String)>> = BinaryHeap::new();
    let mut least = Vec::new();
    while let Some(next) = streams.iter().map(|stream| stream.key()).min() {
        least.clear();
        least.extend_from_slice(next);
        let mut count = 0;
        streams.retain_mut(|stream| {
            if stream.key() != least {
                return true;
            }
            count += u64::from(stream.value().doc_freq);
            stream.advance()
        });
        let Ok(word) = std::str::from_utf8(&least) else { continue };
        let rank = (count, scattered(&least));
        let full = kept.len() >= most;
        if full && kept.peek().is_none_or(|Reverse((count, place, _))| (*count, *place) >= rank)
            || !fits(word)
        {
            continue;
        }
        if full {
            kept.pop();
        }
        kept.push(Reverse((rank.0, rank.1, word.to_owned())));
    }
    Ok(kept.into_iter().map(|Reverse((count, _, word))| (word, count)).collect())
}

/// Decides between words that are equally frequent, so that not the end of the alphabet is left out.
fn scattered(word: &[u8]) -> u64 {
    word.iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
