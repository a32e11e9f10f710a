//! The sieve's fast half: which URLs were met lately, and at what depth; and which ones never.
//!
//! Most links repeat: navigation on every page of a host. A fixed table of recent fingerprints answers those
//! without a look into the store. It only ever says "known at this depth or less"; everything else is asked
//! of the store, or told by a filter that only ever says "never met" of what was not. So the sieve stays exact.

use std::hint::black_box;

use model::UrlKey;

/// Recent URLs, in constant memory.
pub struct RecentUrls {
    slots: Vec<Slot>,
}

/// The fingerprint less the bits that its place implies would do; all of it is simpler and still 32 bytes.
#[derive(Clone, Copy)]
struct Slot {
    page: u128,
    crawl: u32,
    depth: u32,
    /// Its family of templates while nobody outside has invited it; 0 when somebody has.
    family: u64,
}

/// Places that a URL may have, side by side.
const PLACES: usize = 2;

const EMPTY: Slot = Slot { page: 0, crawl: u32::MAX, depth: u32::MAX, family: 0 };

impl Slot {
    fn is(&self, crawl: u32, key: UrlKey) -> bool {
        self.page == key.page && self.crawl == crawl
    }
}

/// What is known of a recent URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recent {
    /// Nothing, or not at this depth: the store must be asked.
    News,
    /// Known at this depth or a smaller one; an invitation from outside this family would be news.
    Uninvited(u64),
    /// Known at this depth or a smaller one, and invited.
    Known,
}

impl RecentUrls {
    /// A table for `capacity` URLs, rounded up to a power of two.
    pub fn new(capacity: usize) -> RecentUrls {
        RecentUrls { slots: vec![EMPTY; capacity.next_power_of_two().max(PLACES)] }
    }

    /// What is known of a URL at this depth.
    pub fn recent(&self, crawl: u32, key: UrlKey, depth: u32) -> Recent {
        let place = self.place(key);
        let known = self.slots[place..place + PLACES].iter().find(|slot| slot.is(crawl, key));
        match known.filter(|slot| slot.depth <= depth) {
            None => Recent::News,
            Some(Slot { family: 0, .. }) => Recent::Known,
            Some(slot) => Recent::Uninvited(slot.family),
        }
    }

    /// Has the places of these URLs read, all of them at once: one after the other, each would be waited for.
    pub fn touch(&self, keys: impl Iterator<Item = UrlKey>) {
        black_box(keys.fold(0, |sum, key| sum ^ self.slots[self.place(key)].depth));
    }

    /// Remembers a URL with its depth, in place of an older one; 0 for its family says that it is invited.
    pub fn remember(&mut self, crawl: u32, key: UrlKey, depth: u32, family: u64) {
        let place = self.place(key);
        let places = &mut self.slots[place..place + PLACES];
        // The one that came last stands first.
        let own = places.iter().position(|slot| slot.is(crawl, key)).unwrap_or(PLACES - 1);
        places[..=own].rotate_right(1);
        places[0] = Slot { page: key.page, crawl, depth, family };
    }

    /// Forgets a URL: the next link to it may change what became of it.
    pub fn forget(&mut self, key: UrlKey) {
        let place = self.place(key);
        let places = self.slots[place..place + PLACES].iter_mut();
        places.filter(|slot| slot.page == key.page).for_each(|slot| *slot = EMPTY);
    }

    /// Forgets everything, as after a commit that failed.
    pub fn clear(&mut self) {
        self.slots.fill(EMPTY);
    }

    fn place(&self, key: UrlKey) -> usize {
        PLACES * ((key.page as usize) & (self.slots.len() / PLACES - 1))
    }
}

/// Tells URLs that a crawl has never met: all but one in thirty-five when it has met a million, all but two in three at five
/// million. It has to hear of each that is met, from the first one on.
pub(crate) struct NeverMet {
    /// Four bits for each URL, all in one word.
    words: Vec<u64>,
}

/// Words of [`NeverMet`]: 1 MiB.
const WORDS: usize = 1 << 17;

impl NeverMet {
    /// For a crawl that has met none yet.
    pub(crate) fn new() -> NeverMet {
        NeverMet { words: vec![0; WORDS] }
    }

    /// Whether this URL was surely never met.
    pub(crate) fn is_new(&self, key: UrlKey) -> bool {
        let (word, bits) = place_of(key);
        self.words[word] & bits != bits
    }

    /// It was met.
    pub(crate) fn meet(&mut self, key: UrlKey) {
        let (word, bits) = place_of(key);
        self.words[word] |= bits;
    }
}

/// By other bits of the hash than the places of [`RecentUrls`].
fn place_of(key: UrlKey) -> (usize, u64) {
    let hash = (key.page >> 64) as u64;
    let bits = [0, 6, 12, 18].map(|shift| 1 << ((hash >> shift) & 63));
    ((hash >> 40) as usize & (WORDS - 1), bits.iter().fold(0, |all, bit| all | bit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::PageUrl;

    #[test]
    fn what_was_met_is_never_new_and_nearly_all_else_is() {
        let key = |number: u32| UrlKey::of(&PageUrl::parse(&format!("http://e.com/{number}")).unwrap());
        let mut never = NeverMet::new();
        assert!((0..1_000).all(|number| never.is_new(key(number))));
        (0..100_000).for_each(|number| never.meet(key(number)));
        assert!(!(0..100_000).any(|number| never.is_new(key(number))));
        let new = (100_000..200_000).filter(|number| never.is_new(key(*number))).count();
        assert!(new > 99_900, "{new}");
    }

    #[test]
    fn a_smaller_depth_is_news() {
        let mut recent = RecentUrls::new(16);
        let key = UrlKey::of(&PageUrl::parse("http://e.com/").unwrap());
        assert_eq!(recent.recent(1, key, 3), Recent::News);
        recent.remember(1, key, 3, 0);
        assert_eq!(
            [3, 4, 2].map(|depth| recent.recent(1, key, depth)),
            [Recent::Known, Recent::Known, Recent::News]
        );
        assert_eq!(recent.recent(2, key, 3), Recent::News, "another crawl has its own sieve");
        recent.remember(1, key, 2, 9);
        assert_eq!(recent.recent(1, key, 2), Recent::Uninvited(9));
        recent.forget(key);
        assert_eq!(recent.recent(1, key, 3), Recent::News);
        recent.remember(1, key, 2, 9);
        recent.clear();
        assert_eq!(recent.recent(1, key, 3), Recent::News);
    }

    #[test]
    fn two_that_fall_together_are_both_known_and_the_older_makes_room_for_a_third() {
        let mut recent = RecentUrls::new(2);
        let key = |page| UrlKey { host: model::HostKey(1), page };
        let known =
            |recent: &RecentUrls| [1, 2, 3].map(|page| recent.recent(7, key(page), 5) == Recent::Known);
        recent.remember(7, key(1), 5, 0);
        recent.remember(7, key(2), 5, 0);
        assert_eq!(known(&recent), [true, true, false]);
        // Met again, it is the younger.
        recent.remember(7, key(1), 4, 0);
        recent.remember(7, key(3), 5, 0);
        assert_eq!(known(&recent), [true, false, true]);
        assert_eq!(recent.recent(7, key(1), 4), Recent::Known);
    }
}
