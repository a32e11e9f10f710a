//! Questions that need no data directory: about a URL, a robots.txt, a page. Each is answered here once, for command
//! line and API; files are read and flags understood by whoever asks.

mod detect;
mod given;
mod read;
mod robots;
mod select;
mod sitemap;
mod texts;
mod trial;
mod url;

pub use detect::{Detected, detect};
pub use given::{Given, RawPage, bytes_of, html_unless_known};
pub use read::{read_json, read_page};
pub use robots::{RobotsQuestion, RobotsVerdict};
pub use select::{Found, SelectQuestion, select};
pub use sitemap::{sitemap, sitemap_json};
pub use texts::{
    Compared, Cut, Document, Fingerprint, HashName, KeptHash, NearPair, PassagePlace, SharedPassage, compare,
    fingerprint, near_pairs,
};
pub use trial::{LinkWord, Trial};
pub use url::{UrlQuestion, canonical};
