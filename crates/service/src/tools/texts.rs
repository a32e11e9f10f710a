//! What texts outside a crawl have in common: their fingerprints, and comparisons of two or many.

use judge::compare::{Prepared, THRESHOLD, pairs};
use judge::winnow::{Hash, Winnowing};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::ServiceError;

/// How texts are cut and hashed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Cut {
    /// Characters that are hashed together.
    #[schema(minimum = 1)]
    pub k: Option<u16>,
    /// Hashes of which one is kept.
    #[schema(minimum = 1)]
    pub w: Option<u16>,
    /// How they are hashed.
    pub hash: Option<HashName>,
}

/// A way to hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HashName {
    /// The faster one.
    Rolling,
    /// As in the literature.
    Md5,
}

/// The fingerprint of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Fingerprint {
    /// The hash of the whole.
    pub exact: String,
    /// How many hashes are kept.
    pub count: usize,
    /// They, in the order of the text.
    pub minutiae: Vec<KeptHash>,
}

/// A hash that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeptHash {
    /// The hash.
    pub hash: String,
    /// Its place among the letters and digits.
    pub at: usize,
    /// Its first byte in the text.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
}

/// What two texts have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Compared {
    /// Hashes in both, of those in the text that has more.
    pub similarity: f64,
    /// The part of the text that stands in common passages.
    pub share: f64,
    /// Hashes in both, of the first text's.
    pub a_in_b: f64,
    /// Hashes in both, of the second text's.
    pub b_in_a: f64,
    /// Letter for letter the same.
    pub same: bool,
    /// What both have.
    pub passages: Vec<SharedPassage>,
}

/// A passage that two texts have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SharedPassage {
    /// Its letters and digits.
    pub length: usize,
    /// In the first text.
    pub a: PassagePlace,
    /// In the second.
    pub b: PassagePlace,
}

/// Where a passage stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PassagePlace {
    /// Its first byte.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
    /// Its words.
    pub text: String,
}

/// One of many texts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Document {
    /// What it is called in the answer.
    pub id: Value,
    /// It.
    pub text: String,
}

/// Two of many that are nearly the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct NearPair {
    /// One.
    pub a: Value,
    /// The other.
    pub b: Value,
    /// How alike they are, which is held against the threshold: hashes in both, of those in the text that has more, or
    /// where that is too little the share.
    pub similarity: f64,
    /// The part of the text that stands in common passages, where that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}

impl Cut {
    /// As the fingerprints of crawls are made, where nothing is said.
    pub fn winnowing(self) -> Result<Winnowing, ServiceError> {
        let usual = Winnowing::default();
        if self.k == Some(0) || self.w == Some(0) {
            return Err(ServiceError::Question("k and w are at least 1".to_owned()));
        }
        Ok(Winnowing {
            gram: self.k.map_or(usual.gram, usize::from),
            window: self.w.map_or(usual.window, usize::from),
            hash: if self.hash == Some(HashName::Md5) { Hash::Md5 } else { Hash::Rolling },
        })
    }
}

/// The fingerprint of a text.
pub fn fingerprint(text: &str, cut: Winnowing) -> Fingerprint {
    let prepared = Prepared::new(text, cut);
    let kept = prepared.minutiae().iter().map(|kept| KeptHash {
        hash: format!("{:016x}", kept.hash),
        at: kept.at,
        start: kept.start,
        end: kept.end,
    });
    let minutiae: Vec<KeptHash> = kept.collect();
    Fingerprint { exact: format!("{:016x}", prepared.exact()), count: minutiae.len(), minutiae }
}

/// What two texts have in common.
pub fn compare(a: &str, b: &str, cut: Winnowing) -> Compared {
    let (first, second) = (Prepared::new(a, cut), Prepared::new(b, cut));
    let likeness = first.likeness(&second);
    let place = |text: &str, range: std::ops::Range<usize>| PassagePlace {
        start: range.start,
        end: range.end,
        text: text[range].to_owned(),
    };
    let passages = first.passages(&second).into_iter().map(|passage| SharedPassage {
        length: passage.length,
        a: place(a, passage.first),
        b: place(b, passage.second),
    });
    Compared {
        similarity: likeness.similarity,
        share: first.share(&second),
        a_in_b: likeness.of_first,
        b_in_a: likeness.of_second,
        same: first.is_same(&second),
        passages: passages.collect(),
    }
}

/// Which of many texts are near duplicates: from `threshold` on, 0.7 unless said.
pub fn near_pairs(documents: Vec<Document>, threshold: Option<f64>, cut: Winnowing) -> Vec<NearPair> {
    let (ids, texts): (Vec<Value>, Vec<String>) =
        documents.into_iter().map(|document| (document.id, document.text)).unzip();
    let found = pairs(&texts, cut, threshold.unwrap_or(THRESHOLD)).into_iter();
    let named = found.map(|pair| NearPair {
        a: ids[pair.first].clone(),
        b: ids[pair.second].clone(),
        similarity: pair.similarity,
        share: pair.share,
    });
    named.collect()
}
