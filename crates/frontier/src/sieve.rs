//! The sieve's fast half: which URLs were met lately, and at what depth.
//!
//! Most links repeat: navigation on every page of a host. A fixed table of recent fingerprints answers those
//! without a look into the store. It only ever says "known at this depth or less"; everything else is asked
//! of the store, so the sieve stays exact.

use model::UrlKey;

/// Recent URLs, in constant memory.
pub struct RecentUrls {
    slots: Vec<Slot>,
}

/// The fingerprint less the bits that its place implies would do; all of it is simpler and still 24 bytes.
#[derive(Clone, Copy)]
struct Slot {
    page: u128,
    crawl: u32,
    depth: u32,
}

const EMPTY: Slot = Slot { page: 0, crawl: u32::MAX, depth: u32::MAX };

impl RecentUrls {
    /// A table for `capacity` URLs, rounded up to a power of two.
    pub fn new(capacity: usize) -> RecentUrls {
        RecentUrls { slots: vec![EMPTY; capacity.next_power_of_two()] }
    }

    /// True when the URL is known at this depth or a smaller one.
    pub fn covers(&self, crawl: u32, key: UrlKey, depth: u32) -> bool {
        let slot = &self.slots[self.place(key)];
        slot.page == key.page && slot.crawl == crawl && slot.depth <= depth
    }

    /// Remembers a URL with its depth, in place of an older one.
    pub fn remember(&mut self, crawl: u32, key: UrlKey, depth: u32) {
        let place = self.place(key);
        self.slots[place] = Slot { page: key.page, crawl, depth };
    }

    /// Forgets everything, as after a commit that failed.
    pub fn clear(&mut self) {
        self.slots.fill(EMPTY);
    }

    fn place(&self, key: UrlKey) -> usize {
        (key.page as usize) & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::PageUrl;

    #[test]
    fn a_smaller_depth_is_news() {
        let mut recent = RecentUrls::new(16);
        let key = UrlKey::of(&PageUrl::parse("http://e.com/").unwrap());
        assert!(!recent.covers(1, key, 3));
        recent.remember(1, key, 3);
        assert!(recent.covers(1, key, 3) && recent.covers(1, key, 4));
        assert!(!recent.covers(1, key, 2));
        assert!(!recent.covers(2, key, 3), "another crawl has its own sieve");
        recent.clear();
        assert!(!recent.covers(1, key, 3));
    }
}
