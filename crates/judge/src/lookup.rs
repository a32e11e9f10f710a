//! Which documents may share text with a new one: an index of few hashes of each.
//!
//! Of every document the sixteen least hashes are kept, which are the same for texts that are nearly the same, however
//! long. What is found are candidates; the full fingerprints decide ([`compare`](crate::compare)).

use std::collections::HashMap;
use std::hash::Hash;

use model::UrlKey;

use crate::fingerprint::Fingerprint;
use crate::tables::Twin;

/// Hashes of a document that are looked up.
pub const KEPT: usize = 16;

/// Documents kept for one hash: what more of them share is boilerplate.
pub const MOST_HOLDERS: usize = 64;

/// Candidates of one look-up.
const MOST_CANDIDATES: usize = 64;

/// The least hashes of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch(Vec<u64>);

/// A document that may be a near duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate<D> {
    /// The document.
    pub id: D,
    /// Kept hashes that it shares.
    pub shared: u32,
}

/// Has anyone seen this text? In a cluster the answer comes from where each hash is kept.
pub trait Fingerprints {
    /// How documents are named.
    type Document;

    /// What may go wrong.
    type Error;

    /// Documents that share hashes with the sketch, most shared first, then by name.
    fn candidates(&self, sketch: &Sketch) -> Result<Vec<Candidate<Self::Document>>, Self::Error>;

    /// Notes a document. One that is noted already takes its new sketch besides the old one.
    fn add(&mut self, id: Self::Document, sketch: &Sketch) -> Result<(), Self::Error>;

    /// Forgets that a document has this sketch. False where none of its hashes was noted for it.
    fn remove(&mut self, id: Self::Document, sketch: &Sketch) -> Result<bool, Self::Error>;

    /// Candidates, and then the document is noted: for those who can do both at once.
    fn meet(
        &mut self,
        id: Self::Document,
        sketch: &Sketch,
    ) -> Result<Vec<Candidate<Self::Document>>, Self::Error> {
        let candidates = self.candidates(sketch)?;
        self.add(id, sketch)?;
        Ok(candidates)
    }
}

/// What a page is judged against: the texts of all pages that were read before it, and where each stands.
pub trait Texts: Fingerprints {
    /// How a page is named in look-ups.
    fn name(&self, page: UrlKey) -> Self::Document;

    /// The pages that a name of a look-up may mean, with the fingerprint of each: of nearly all names one.
    fn named(&self, id: Self::Document) -> impl Iterator<Item = Result<(UrlKey, Fingerprint), Self::Error>>;

    /// The fingerprint of a page as last read.
    fn text_of(&self, page: UrlKey) -> Result<Option<Fingerprint>, Self::Error>;

    /// Pages with exactly this main text, and the hash of all that is visible on each.
    fn copies(&self, exact: u64) -> impl Iterator<Item = Result<(UrlKey, u64), Self::Error>>;

    /// Near duplicates of a page, as they were noted.
    fn twins(&self, page: UrlKey) -> Result<Vec<Twin>, Self::Error>;

    /// Notes a page's text and its near duplicates.
    fn put(&mut self, page: UrlKey, fingerprint: &Fingerprint, twins: &[Twin]) -> Result<(), Self::Error>;

    /// Forgets a page's text and its near duplicates; look-ups are told by [`Fingerprints::remove`].
    fn take(&mut self, page: UrlKey, former: &Fingerprint) -> Result<(), Self::Error>;
}

impl Sketch {
    /// The least of these hashes; any order, any repeats.
    pub fn of(hashes: &[u64]) -> Sketch {
        let mut least = hashes.to_vec();
        least.sort_unstable();
        least.dedup();
        least.truncate(KEPT);
        Sketch(least)
    }

    /// The sketch of these hashes, least first, each once.
    pub fn of_least(mut hashes: Vec<u64>) -> Sketch {
        hashes.truncate(KEPT);
        Sketch(hashes)
    }

    /// The hashes, least first.
    pub fn hashes(&self) -> &[u64] {
        &self.0
    }
}

/// An index in memory.
pub struct MemoryIndex<D = u64> {
    holders: HashMap<u64, Vec<D>>,
}

impl<D> Default for MemoryIndex<D> {
    fn default() -> MemoryIndex<D> {
        MemoryIndex { holders: HashMap::new() }
    }
}

impl<D: Copy + Eq + Ord + Hash> Fingerprints for MemoryIndex<D> {
    type Document = D;
    type Error = std::convert::Infallible;

    fn candidates(&self, sketch: &Sketch) -> Result<Vec<Candidate<D>>, Self::Error> {
        Ok(ranked(sketch.0.iter().filter_map(|hash| self.holders.get(hash)).flatten().copied()))
    }

    fn add(&mut self, id: D, sketch: &Sketch) -> Result<(), Self::Error> {
        for hash in &sketch.0 {
            let holders = self.holders.entry(*hash).or_default();
            if holders.len() < MOST_HOLDERS && !holders.contains(&id) {
                holders.push(id);
            }
        }
        Ok(())
    }

    fn remove(&mut self, id: D, sketch: &Sketch) -> Result<bool, Self::Error> {
        let mut was_noted = false;
        for hash in &sketch.0 {
            if let Some(holders) = self.holders.get_mut(hash) {
                let before = holders.len();
                holders.retain(|holder| *holder != id);
                was_noted |= holders.len() < before;
            }
        }
        Ok(was_noted)
    }
}

/// Candidates from all holders of a sketch's hashes: those that share most, bounded.
pub fn ranked<D: Copy + Eq + Ord + Hash>(holders: impl Iterator<Item = D>) -> Vec<Candidate<D>> {
    let mut counts: HashMap<D, u32> = HashMap::new();
    for id in holders {
        *counts.entry(id).or_default() += 1;
    }
    let mut found: Vec<Candidate<D>> =
        counts.into_iter().map(|(id, shared)| Candidate { id, shared }).collect();
    found.sort_unstable_by_key(|candidate| (std::cmp::Reverse(candidate.shared), candidate.id));
    found.truncate(MOST_CANDIDATES);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::winnow::Winnowing;

    fn sketch(text: &str) -> Sketch {
        let hashes: Vec<u64> =
            Winnowing::default().fingerprint(text).iter().map(|minutia| minutia.hash).collect();
        Sketch::of(&hashes)
    }

    fn words(seed: u64, count: u64) -> Vec<String> {
        (0..count)
            .map(|n| format!("w{:x}", (seed * 1_000 + n).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44))
            .collect()
    }

    #[test]
    fn near_duplicates_are_candidates_and_others_are_not() {
        let mut index = MemoryIndex::<u64>::default();
        for id in 0..200 {
            index.add(id, &sketch(&words(id, 300).join(" "))).unwrap_or_default();
        }
        for id in 0..200 {
            let mut edited = words(id, 300);
            edited[7] = "another".into();
            edited.rotate_left(150);
            let found = index.candidates(&sketch(&edited.join(" "))).unwrap_or_default();
            assert_eq!(found.first().map(|candidate| candidate.id), Some(id));
        }
        assert_eq!(index.candidates(&sketch(&words(999, 300).join(" "))), Ok(vec![]));
    }

    #[test]
    fn what_all_share_stays_bounded() {
        let mut index = MemoryIndex::<u64>::default();
        let sketch = sketch(&words(1, 300).join(" "));
        for id in 0..10_000 {
            index.add(id, &sketch).unwrap_or_default();
        }
        assert_eq!(index.candidates(&sketch).map(|found| found.len()), Ok(MOST_CANDIDATES));
        assert!(index.holders.values().all(|holders| holders.len() <= MOST_HOLDERS));
    }

    #[test]
    fn what_is_forgotten_is_no_candidate() {
        let mut index = MemoryIndex::<u64>::default();
        let sketch = sketch(&words(1, 300).join(" "));
        index.add(1, &sketch).unwrap_or_default();
        index.add(2, &sketch).unwrap_or_default();
        index.remove(1, &sketch).unwrap_or_default();
        let found = index.candidates(&sketch).unwrap_or_default();
        assert_eq!(found.iter().map(|candidate| candidate.id).collect::<Vec<_>>(), [2]);
    }
}
