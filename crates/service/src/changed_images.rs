//! Images of a page that came, went, or are others than before: also those replaced under the same URL.
//!
//! Images are fetched as pages are (`images_per_page`), so each has versions of its own. A page is compared with the
//! versions that were fetched nearest to it.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use judge::change::image::{Grey, Side, compare};
use kv::Snapshot;
use model::{CrawlId, Page, PageUrl, Timestamp, UrlKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::versions::{KeptPages, Visited, visits};
use crate::{Moment, ServiceError};

/// Images of a page that are compared, and that are shown.
const MOST_COMPARED: usize = 100;
const MOST_SHOWN: usize = 8;

/// Bytes of an image that is shown.
const LARGEST_SHOWN: usize = 512 << 10;

/// An image that came, went, or is another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangedImage {
    /// Where it is.
    pub url: String,
    /// What became of it: `added`, `removed`, `replaced`, or `saved-again`: other bytes that look the same.
    pub became: String,
    /// When each of both was fetched, where it was.
    #[schema(value_type = [Option<String>; 2])]
    pub at: [Option<Moment>; 2],
    /// The exact number of each (ival), at `image_side` points a side.
    pub numbers: [Option<String>; 2],
    /// The perceptual hash of each, in hexadecimal digits: it decides whether they look the same.
    pub hashes: [Option<String>; 2],
    /// Bits in which the hashes differ, of 64.
    pub distance: Option<u32>,
    /// Both as data URLs, where they are small enough and were asked for.
    pub pictures: [Option<String>; 2],
}

impl ChangedImage {
    /// True where the image looks the same as before.
    pub(crate) fn looks_the_same(&self) -> bool {
        self.became == SAVED_AGAIN
    }

    /// True where another image stands at its address.
    pub(crate) fn is_replaced(&self) -> bool {
        self.became == REPLACED
    }
}

const SAVED_AGAIN: &str = "saved-again";
const REPLACED: &str = "replaced";

/// True of a visit that brought an image.
pub(crate) fn is_image(visited: &Visited) -> bool {
    visited.visit.content_type.as_deref().is_some_and(extract::is_picture)
}

/// Compares images.
pub(crate) struct Images<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) crawl: CrawlId,
    pub(crate) pages: &'a KeptPages,
    /// Pictures are wanted too.
    pub(crate) shown: bool,
    /// The side to which they are scaled for their number.
    pub(crate) side: Side,
}

impl Images<'_> {
    /// Images that differ between two versions of a page.
    pub(crate) fn of_page(
        &self,
        (old, before): (&Page, Timestamp),
        (new, after): (&Page, Timestamp),
    ) -> Result<Vec<ChangedImage>, ServiceError> {
        let urls = |page: &Page| page.images.iter().map(|image| image.url.clone()).collect::<HashSet<_>>();
        let (had, has) = (urls(old), urls(new));
        let mut met = HashSet::new();
        let all = old.images.iter().chain(&new.images).map(|image| &image.url);
        let mut changed = Vec::new();
        for url in all.filter(|url| met.insert(*url)).take(MOST_COMPARED) {
            let became = match (had.contains(url), has.contains(url)) {
                (true, false) => Some("removed"),
                (false, true) => Some("added"),
                _ => None,
            };
            let seen = visits(self.snapshot, self.crawl, UrlKey::of(url))?;
            let old = nearest(&seen, before).filter(|_| had.contains(url));
            let new = nearest(&seen, after).filter(|_| has.contains(url));
            let shown = changed.len() < MOST_SHOWN;
            if became.is_some() || differ(old, new) {
                changed.push(self.pair(url, became, old, new, shown));
            }
        }
        Ok(changed)
    }

    /// What differs between two versions of an image.
    pub(crate) fn pair(
        &self,
        url: &PageUrl,
        became: Option<&str>,
        old: Option<&Visited>,
        new: Option<&Visited>,
        shown: bool,
    ) -> ChangedImage {
        let bytes = [old, new].map(|visited| {
            let answer = visited.and_then(|visited| self.pages.answer(url, visited).ok());
            answer.map(|answer| (answer.content_type().unwrap_or_default(), answer.content))
        });
        let greys = bytes.each_ref().map(|bytes| grey(&bytes.as_ref()?.1));
        let compared = match &greys {
            [Some(old), Some(new)] => Some(compare(old, new)),
            _ => None,
        };
        let alike = compared.is_some_and(|compared| compared.alike);
        let number = |grey: &Option<Grey>| Some(grey.as_ref()?.number(self.side).to_string());
        let hash = |grey: &Option<Grey>| Some(format!("{:016x}", grey.as_ref()?.perceptual()));
        ChangedImage {
            url: url.to_string(),
            became: became.unwrap_or(if alike { SAVED_AGAIN } else { REPLACED }).to_owned(),
            at: [old, new].map(|visited| visited.map(|visited| visited.at.into())),
            numbers: greys.each_ref().map(number),
            hashes: greys.each_ref().map(hash),
            distance: compared.map(|compared| compared.distance),
            pictures: bytes.map(|bytes| {
                let fits = bytes.filter(|(kind, bytes)| {
                    self.shown && shown && bytes.len() <= LARGEST_SHOWN && extract::is_picture(kind)
                });
                let essence =
                    |kind: &str| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
                fits.map(|(kind, bytes)| {
                    format!("data:{};base64,{}", essence(&kind), STANDARD.encode(&bytes))
                })
            }),
        }
    }
}

/// The version of an image that was met nearest to a moment: what stood at the visit that was.
fn nearest(visits: &[Visited], at: Timestamp) -> Option<&Visited> {
    let answered = visits
        .iter()
        .enumerate()
        .filter(|(_, visited)| matches!(visited.visit.status, Some(200..=299 | 304)));
    let (met, _) = answered.min_by_key(|(_, visited)| visited.at.0.abs_diff(at.0))?;
    visits[..=met].iter().rfind(|visited| visited.is_version())
}

fn differ(old: Option<&Visited>, new: Option<&Visited>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => old.visit.content_hash != new.visit.content_hash,
        _ => false,
    }
}

fn grey(bytes: &[u8]) -> Option<Grey> {
    let picture = extract::picture(bytes)?;
    Grey::of_rgb(picture.width, picture.height, &picture.rgb)
}
