//! The link graph of a crawl, out of its tables: which pages, which links, and what each weighs.

use std::str::FromStr;

use archive::tables::{Edge, LINKS};
use frontier::tables::URLS;
use graph::{Builder, Fold, Graph, GraphError};
use kv::{Reader, Snapshot};
use model::{CrawlId, HostKey, UrlKey};
use serde::{Deserialize, Serialize};

use crate::{CrawlError, PageNumbers};

/// What sorting links may take in memory; more of them are sorted on disk.
pub const SORTING_MEMORY: usize = 32 << 20;

/// What a link weighs: the product of these by how it looks. A weight of 0 makes it no link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinkWeights {
    /// Plain; bold or italic; both.
    pub visibility: [f32; 3],
    /// In the last, middle and first third of its page's words.
    pub position: [f32; 3],
    /// To the same host, the same registered domain, elsewhere.
    pub distance: [f32; 3],
    /// One whose author does not vouch for it.
    pub nofollow: f32,
}

impl Default for LinkWeights {
    fn default() -> LinkWeights {
        LinkWeights {
            visibility: [1.0, 2.0, 3.0],
            position: [1.0, 2.0, 3.0],
            distance: [1.0, 3.0, 5.0],
            nofollow: 0.0,
        }
    }
}

impl FromStr for LinkWeights {
    type Err = String;

    /// Reads `visibility=1,2,3 nofollow=0`; what is not named is as usual.
    fn from_str(text: &str) -> Result<LinkWeights, String> {
        let mut weights = LinkWeights::default();
        for part in text.split_whitespace() {
            let (name, numbers) = part
                .split_once('=')
                .ok_or_else(|| format!("{part:?}: write visibility=1,2,3 and the like"))?;
            weights.set(name, numbers).map_err(|error| format!("{part:?}: {error}"))?;
        }
        Ok(weights)
    }
}

impl LinkWeights {
    /// What weighs: each by three numbers, nofollow by one.
    pub const NAMES: [&str; 4] = ["visibility", "position", "distance", "nofollow"];

    /// Sets the numbers of a name, with commas between them.
    pub fn set(&mut self, name: &str, numbers: &str) -> Result<(), String> {
        let number = |text: &str| match text.trim().parse::<f32>() {
            Ok(number) if (0.0..=1e6).contains(&number) => Ok(number),
            _ => Err(format!("{text:?} is not a number from 0 to 1000000")),
        };
        let numbers: Vec<f32> = numbers.split(',').map(number).collect::<Result<_, _>>()?;
        let three = || <[f32; 3]>::try_from(&numbers[..]).map_err(|_| "three numbers, please".to_owned());
        match (name, &numbers[..]) {
            ("visibility", _) => self.visibility = three()?,
            ("position", _) => self.position = three()?,
            ("distance", _) => self.distance = three()?,
            ("nofollow", [number]) => self.nofollow = *number,
            ("nofollow", _) => return Err("one number, please".to_owned()),
            _ => return Err(format!("{name:?} is no weight; there is {}", LinkWeights::NAMES.join(", "))),
        }
        Ok(())
    }

    /// The weight of a link.
    pub fn of(&self, edge: &Edge) -> f32 {
        let third = |step: u8| usize::from(step.clamp(1, 3)) - 1;
        let distance = match edge.look.distance {
            0..=1 => 0,
            2..=4 => 1,
            _ => 2,
        };
        let look = self.visibility[third(edge.look.visibility)]
            * self.position[third(edge.look.position)]
            * self.distance[distance];
        if edge.rel.nofollow { look * self.nofollow } else { look }
    }
}

/// The pages that a crawl knows, numbered in the order of their keys, and the links between them.
pub struct LinkGraph {
    /// The pages.
    pub pages: PageNumbers,
    /// The links.
    pub links: Graph,
}

impl LinkGraph {
    /// Reads the links of a crawl, twice over the keys of its tables and once over its links.
    pub fn read(snapshot: &Snapshot, crawl: CrawlId, weights: &LinkWeights) -> Result<LinkGraph, CrawlError> {
        let mut pages = PageNumbers::default();
        for row in snapshot.prefix(&URLS, &crawl.0).keys() {
            let (_, host, page) = row?;
            pages.push(UrlKey { host: HostKey(host), page });
        }
        if pages.len() >= u32::MAX as usize {
            return Err(GraphError::TooLarge.into());
        }
        let mut builder = Builder::new(Fold::Max, SORTING_MEMORY);
        if let Some(last) = pages.len().checked_sub(1) {
            builder.page(last as u32);
        }
        for row in snapshot.prefix(&LINKS, &crawl.0) {
            let ((_, host, page), found) = row?;
            let Some(source) = pages.number(UrlKey { host: HostKey(host), page }) else { continue };
            for edge in &found.edges {
                if let Some(target) = pages.number(edge.target) {
                    builder.arc(source, target, weights.of(edge))?;
                }
            }
        }
        Ok(LinkGraph { pages, links: builder.finish()? })
    }

    /// The number of a page.
    pub fn number(&self, key: UrlKey) -> Option<u32> {
        self.pages.number(key)
    }

    /// The key of a page.
    pub fn key(&self, number: u32) -> UrlKey {
        self.pages.key(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_by_name() {
        let read: LinkWeights = "visibility=1,1,1 nofollow=0.5".parse().unwrap();
        assert_eq!(read, LinkWeights { visibility: [1.0; 3], nofollow: 0.5, ..LinkWeights::default() });
        for wrong in
            ["bold=1", "position=1,2", "position=1,2,x", "nofollow=1,2", "visibility", "position=1,2,-3"]
        {
            assert!(wrong.parse::<LinkWeights>().is_err(), "{wrong}");
        }
    }
}
