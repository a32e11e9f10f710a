//! The pages of a crawl by number: small numbers for whoever counts links, in 16 bytes a page.

use model::{HostKey, UrlKey};

/// Pages, numbered in the order of their keys.
#[derive(Default)]
pub struct PageNumbers {
    /// Each host with its first page.
    hosts: Vec<(HostKey, u32)>,
    pages: Vec<u128>,
}

impl PageNumbers {
    /// Adds the next page; keys come in order, each once.
    pub(crate) fn push(&mut self, key: UrlKey) {
        if self.hosts.last().is_none_or(|(host, _)| *host != key.host) {
            self.hosts.push((key.host, self.pages.len() as u32));
        }
        self.pages.push(key.page);
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The key of a page.
    pub fn key(&self, number: u32) -> UrlKey {
        let after = self.hosts.partition_point(|(_, first)| *first <= number);
        UrlKey { host: self.hosts[after - 1].0, page: self.pages[number as usize] }
    }

    /// All keys, by number.
    pub fn keys(&self) -> impl Iterator<Item = UrlKey> {
        (0..self.hosts.len()).flat_map(move |host| {
            let pages = &self.pages[self.pages_of(host)];
            pages.iter().map(move |page| UrlKey { host: self.hosts[host].0, page: *page })
        })
    }

    /// The number of a page.
    pub fn number(&self, key: UrlKey) -> Option<u32> {
        let host = self.hosts.binary_search_by_key(&key.host, |(host, _)| *host).ok()?;
        let of_host = self.pages_of(host);
        let first = of_host.start;
        find(&self.pages[of_host], key.page).map(|at| (first + at) as u32)
    }

    /// The host of each page, by number, and the first page of each host.
    pub fn hosts(&self) -> (Vec<u32>, Vec<u32>) {
        let host_of = (0..self.hosts.len()).flat_map(|host| self.pages_of(host).map(move |_| host as u32));
        (host_of.collect(), self.hosts.iter().map(|(_, first)| *first).collect())
    }

    /// The numbers of a host's pages.
    fn pages_of(&self, host: usize) -> std::ops::Range<usize> {
        let end = self.hosts.get(host + 1).map_or(self.pages.len(), |(_, first)| *first as usize);
        self.hosts[host].1 as usize..end
    }
}

/// Where a page stands among those of its host. Keys are hashes, so it stands about as far in as its key among all
/// keys: from there on it is looked for in steps that double.
fn find(pages: &[u128], page: u128) -> Option<usize> {
    let guess = (((page >> 64) * pages.len() as u128) >> 64) as usize;
    let mut step = 2;
    let (mut from, mut to) = (guess, guess);
    while from > 0 && pages[from] > page {
        from = from.saturating_sub(step);
        step *= 2;
    }
    while to < pages.len() && pages[to] < page {
        to += step;
        step *= 2;
    }
    let to = pages.len().min(to + 1);
    pages.get(from..to)?.binary_search(&page).ok().map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_and_keys_belong_together(
            keys in prop::collection::btree_set((0..4u64, 0..9u128), 0..30),
            spread in prop::sample::select(vec![1, u128::MAX / 9, 1 << 64]),
        ) {
            let keys: BTreeSet<(u64, u128)> =
                keys.into_iter().map(|(host, page)| (host, page * spread)).collect();
            let keys: BTreeSet<UrlKey> =
                keys.into_iter().map(|(host, page)| UrlKey { host: HostKey(host), page }).collect();
            let mut numbers = PageNumbers::default();
            keys.iter().for_each(|key| numbers.push(*key));
            prop_assert_eq!(numbers.len(), keys.len());
            prop_assert!(numbers.keys().eq(keys.iter().copied()));
            let (host_of, first_pages) = numbers.hosts();
            for (key, number) in keys.iter().zip(0..) {
                prop_assert_eq!(numbers.key(number), *key);
                prop_assert_eq!(numbers.number(*key), Some(number));
                let first = first_pages[host_of[number as usize] as usize];
                prop_assert_eq!(numbers.key(first).host, key.host);
            }
            for (host, page) in (0..5).flat_map(|host| (0..9).map(move |page| (host, page * spread))) {
                let key = UrlKey { host: HostKey(host), page };
                prop_assert_eq!(numbers.number(key).is_some(), keys.contains(&key));
            }
        }
    }
}
