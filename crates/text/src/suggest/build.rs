//! Phrases brought together, most popular first, and every beginning of every word of them in order.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::strings::Strings;

use super::mistyped::Words;
use super::{Entry, Suggestions, key, line};

/// A phrase is found by so many of its words; nobody types more.
const MOST_WORDS: usize = 16;

impl Suggestions {
    /// Phrases that are kept, the most popular.
    pub const MOST: usize = 500_000;

    /// Sorts phrases for [`Suggestions::find`]. The same phrase from several places is one, with the sum of their
    /// weights; weights that are no numbers count nothing.
    pub fn build(entries: impl IntoIterator<Item = Entry>) -> Suggestions {
        let mut built = Suggestions::default();
        let mut beginnings: Vec<Beginning> = Vec::new();
        'entries: for (phrase, Entry { text, weight, source, synonyms }) in merged(entries) {
            let entry = built.weights.len() as u32;
            let synonyms = synonyms.iter().map(|synonym| (key(synonym), synonym));
            for (mut key, shown) in std::iter::once((phrase, &text)).chain(synonyms) {
                let mut at = built.keys.text().len();
                let words = key.split(' ').take(MOST_WORDS).map(str::len).collect::<Vec<_>>();
                key.push('\n');
                if !(built.keys.push(&key) && built.shown.push(shown)) {
                    break 'entries;
                }
                built.owners.push(entry);
                for length in words {
                    beginnings.push(Beginning { first: [0; 2], start: at as u32, entry });
                    at += length + 1;
                }
            }
            built.weights.push(weight);
            built.sources.push(source);
        }
        // A phrase that did not fit any more leaves nothing behind.
        let whole = built.weights.len() as u32;
        beginnings.retain(|beginning| beginning.entry < whole);
        let keys = &built.keys;
        built.words = Words::new(beginnings.iter().map(|beginning| {
            let line = line(keys.text(), beginning.start as usize);
            line.split(' ').next().unwrap_or(line)
        }));
        sort(&mut beginnings, keys);
        built.beginnings = beginnings.iter().map(|beginning| beginning.start).collect();
        built.entries = beginnings.iter().map(|beginning| beginning.entry).collect();
        built
    }
}

/// Where a word of a key begins.
struct Beginning {
    /// Its first 16 bytes as numbers that compare as they do: most others differ here.
    first: [u64; 2],
    start: u32,
    entry: u32,
}

fn sort(beginnings: &mut [Beginning], keys: &Strings) {
    const FIRST: usize = 16;
    let text = keys.text();
    for beginning in beginnings.iter_mut() {
        let line = line(text, beginning.start as usize).as_bytes();
        let mut first = [0; FIRST];
        let length = line.len().min(FIRST);
        first[..length].copy_from_slice(&line[..length]);
        let (numbers, _) = first.as_chunks::<8>();
        beginning.first = [u64::from_be_bytes(numbers[0]), u64::from_be_bytes(numbers[1])];
    }
    let rest = |beginning: &Beginning| {
        let line = line(text, beginning.start as usize).as_bytes();
        &line[line.len().min(FIRST)..]
    };
    beginnings.sort_unstable_by(|a, b| {
        let by_text = match a.first.cmp(&b.first) {
            // The end of a key is a zero here, which no key has.
            Ordering::Equal if a.first[1] & 0xff != 0 => rest(a).cmp(rest(b)),
            other => other,
        };
        by_text.then(a.entry.cmp(&b.entry)).then(a.start.cmp(&b.start))
    });
}

/// Phrases with their keys, each once, the most popular first.
fn merged(entries: impl IntoIterator<Item = Entry>) -> Vec<(String, Entry)> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut merged: Vec<Entry> = Vec::new();
    // The heaviest part of a sum gives the phrase its form and its source.
    let mut heaviest: Vec<f64> = Vec::new();
    for mut entry in entries {
        if !entry.weight.is_finite() {
            entry.weight = 0.0;
        }
        let key = key(&entry.text);
        if key.is_empty() {
            continue;
        }
        entry.synonyms.retain(|synonym| !super::key(synonym).is_empty());
        let Some(&place) = places.get(&key) else {
            places.insert(key, merged.len());
            heaviest.push(entry.weight);
            merged.push(entry);
            continue;
        };
        let kept = &mut merged[place];
        // Two numbers may add up to more than a number holds.
        kept.weight = (kept.weight + entry.weight).clamp(f64::MIN, f64::MAX);
        for synonym in entry.synonyms {
            if !kept.synonyms.contains(&synonym) {
                kept.synonyms.push(synonym);
            }
        }
        if entry.weight > heaviest[place] {
            heaviest[place] = entry.weight;
            (kept.text, kept.source) = (entry.text, entry.source);
        }
    }
    let mut keys = vec![String::new(); merged.len()];
    places.into_iter().for_each(|(key, place)| keys[place] = key);
    let mut merged: Vec<(String, Entry)> = keys.into_iter().zip(merged).collect();
    merged.sort_by(|(_, a), (_, b)| b.weight.total_cmp(&a.weight).then_with(|| a.text.cmp(&b.text)));
    merged.truncate(Suggestions::MOST);
    merged
}
