//! The links of fetched pages as an order remembers them: by number, five bytes each, no more than a bound.
//!
//! They are written page by page and read by another thread meanwhile: blocks that are full are shared, not copied.
//! What they make of URLs is left to `importance`.

use std::sync::Arc;

/// How exact ranks have to be for an order; the same in a crawl and in its simulation.
pub const RANK_TOLERANCE: f64 = 1e-3;

/// Links remembered at most: of more, those of the most important pages.
pub(crate) const MOST_LINKS: usize = 1 << 21;

/// Links in a block.
const BLOCK: usize = 1 << 16;

/// The links of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageLinks<'a> {
    /// The page.
    pub(crate) source: u32,
    /// What all its links weigh, also those that are not remembered.
    pub(crate) weight: f32,
    /// Where they lead.
    pub(crate) targets: &'a [u32],
    /// What each weighs.
    pub(crate) weights: &'a [u8],
}

/// Links by page, in the order in which pages were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkLog {
    full: Vec<Arc<Block>>,
    open: Block,
    count: usize,
}

#[derive(Clone, Debug, Default)]
struct Block {
    pages: Vec<Page>,
    targets: Vec<u32>,
    weights: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Page {
    source: u32,
    /// Where its links end in the block.
    end: u32,
    weight: f32,
}

impl LinkLog {
    /// How many links.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// True when it should become smaller.
    pub(crate) fn is_crowded(&self) -> bool {
        self.count > MOST_LINKS / 4 * 3
    }

    /// Adds the links of a page, which weigh so much together with those that are not given; false when there is no
    /// room.
    pub(crate) fn push(
        &mut self,
        source: u32,
        weight: f32,
        links: impl ExactSizeIterator<Item = (u32, u8)>,
    ) -> bool {
        if self.count + links.len() > MOST_LINKS {
            return false;
        }
        self.count += links.len();
        for (target, weight) in links {
            self.open.targets.push(target);
            self.open.weights.push(weight);
        }
        let end = self.open.targets.len() as u32;
        self.open.pages.push(Page { source, end, weight });
        if self.open.targets.len() >= BLOCK {
            self.full.push(Arc::new(std::mem::take(&mut self.open)));
        }
        true
    }

    /// The links of each page.
    pub(crate) fn pages(&self) -> impl Iterator<Item = PageLinks<'_>> {
        let blocks = self.full.iter().map(AsRef::as_ref).chain(std::iter::once(&self.open));
        blocks.flat_map(Block::links)
    }

    /// The same; what was given is forgotten block by block.
    pub(crate) fn take_pages(self, mut each: impl FnMut(PageLinks<'_>)) {
        self.full.into_iter().for_each(|block| block.links().for_each(&mut each));
        self.open.links().for_each(each);
    }
}

impl Block {
    fn links(&self) -> impl Iterator<Item = PageLinks<'_>> {
        let mut begin = 0;
        self.pages.iter().map(move |page| {
            let links = begin as usize..page.end as usize;
            begin = page.end;
            let (targets, weights) = (&self.targets[links.clone()], &self.weights[links]);
            PageLinks { source: page.source, weight: page.weight, targets, weights }
        })
    }
}

/// All that an order remembers of links, to compute ranks of on another thread.
#[derive(Clone, Debug)]
pub struct KnownLinks {
    /// To whom the numbers belong.
    pub(crate) age: u64,
    pub(crate) log: LinkLog,
    /// The rank of each URL as it is estimated.
    pub(crate) estimates: Vec<f32>,
}

impl KnownLinks {
    /// Known URLs: each has a number below.
    pub fn urls(&self) -> u32 {
        self.estimates.len() as u32
    }

    /// The links of each page: its number, what they weigh together, where they lead and what each weighs.
    pub fn pages(&self) -> impl Iterator<Item = (u32, f32, &[u32], &[u8])> {
        self.log.pages().map(|page| (page.source, page.weight, page.targets, page.weights))
    }

    /// An estimate of each URL's rank, by number, from which to begin.
    pub fn estimates(&self) -> Vec<f64> {
        self.estimates.iter().copied().map(f64::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages of so many links each → the log gives them back, and counts them.
    fn check(counts: &[usize]) {
        let mut log = LinkLog::default();
        for (source, count) in counts.iter().enumerate() {
            assert!(log.push(source as u32, 7.0, (0..*count).map(|at| (at as u32, at as u8))));
        }
        let found: Vec<(u32, Vec<u32>)> =
            log.pages().map(|page| (page.source, page.targets.to_vec())).collect();
        let expected: Vec<(u32, Vec<u32>)> =
            (0..).zip(counts).map(|(source, count)| (source, (0..*count as u32).collect())).collect();
        assert_eq!(found, expected);
        assert_eq!(log.len(), counts.iter().sum::<usize>());
    }

    #[test]
    fn pages_have_their_links_whatever_block_they_are_in() {
        check(&[]);
        check(&[0, 3, 0, 5]);
        check(&[BLOCK - 1, 1, 0, 2, BLOCK, BLOCK + 7, 1]);
    }

    #[test]
    fn a_full_log_takes_no_more() {
        let mut log = LinkLog::default();
        assert!(log.push(0, 1.0, (0..MOST_LINKS).map(|_| (1, 1))));
        assert!(!log.push(1, 1.0, std::iter::once((1, 1))));
        assert!(log.push(2, 1.0, std::iter::empty()));
        assert_eq!(log.len(), MOST_LINKS);
    }
}
