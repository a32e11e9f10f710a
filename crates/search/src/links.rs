//! What links say of pages. It stands outside the index, is computed anew without touching it, and is joined to a segment
//! once: a formula reads it for every match.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use index::{IndexError, Segment, SegmentName};

use crate::document::built_in;

/// What links say of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageLinks {
    /// Its rank, scaled so that the mean is 1.
    pub pagerank: f32,
    /// The pages that link to it.
    pub inlinks: u32,
}

/// What links say of all pages.
pub struct Links {
    of_url: Box<OfUrl>,
    joined: Mutex<HashMap<SegmentName, Arc<Joined>>>,
}

/// The links of a URL, where they are known.
type OfUrl = dyn Fn(&str) -> Option<PageLinks> + Send + Sync;

/// Segments that are remembered; those that were merged are forgotten with the others.
const MOST_SEGMENTS: usize = 100;

/// The links of a segment's entries.
pub(crate) struct Joined {
    /// Of an entry: its number among `links`.
    entries: Vec<u32>,
    links: Vec<PageLinks>,
}

/// An entry of whose page nothing is known.
const UNKNOWN: u32 = u32::MAX;

impl Links {
    /// Those of a function from a URL.
    pub fn new(of_url: impl Fn(&str) -> Option<PageLinks> + Send + Sync + 'static) -> Links {
        Links { of_url: Box::new(of_url), joined: Mutex::default() }
    }

    /// What they say of one page.
    pub fn of_url(&self, url: &str) -> Option<PageLinks> {
        (self.of_url)(url)
    }

    pub(crate) fn of_segment(&self, segment: &Segment<'_>) -> Result<Arc<Joined>, IndexError> {
        let mut joined = self.joined.lock().unwrap_or_else(PoisonError::into_inner);
        let name = segment.name();
        if let Some(known) = joined.get(&name) {
            return Ok(Arc::clone(known));
        }
        if joined.len() >= MOST_SEGMENTS {
            joined.clear();
        }
        let made = Arc::new(self.join(segment)?);
        joined.insert(name, Arc::clone(&made));
        Ok(made)
    }

    fn join(&self, segment: &Segment<'_>) -> Result<Joined, IndexError> {
        let urls = segment.keywords(built_in::ADDRESS)?;
        let mut links = Vec::new();
        let mut numbers = vec![UNKNOWN; urls.values()];
        urls.each_text(&mut |number, url| {
            if let (Some(known), Some(place)) = (self.of_url(url), numbers.get_mut(number as usize)) {
                *place = links.len() as u32;
                links.push(known);
            }
        })?;
        let of_entry = |doc| urls.first(doc).and_then(|number| numbers.get(number as usize)).copied();
        let entries = (0..segment.entries()).map(|doc| of_entry(doc).unwrap_or(UNKNOWN)).collect();
        Ok(Joined { entries, links })
    }
}

impl Joined {
    pub(crate) fn of(&self, doc: u32) -> Option<PageLinks> {
        self.links.get(*self.entries.get(doc as usize)? as usize).copied()
    }
}
