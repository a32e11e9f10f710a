//! What a search returned for one query, best first.

use std::collections::HashSet;

/// Document ids, best first, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ranking {
    documents: Vec<String>,
}

impl Ranking {
    /// The best document, the second best, and so on.
    pub fn documents(&self) -> &[String] {
        &self.documents
    }
}

impl<T: Into<String>> FromIterator<T> for Ranking {
    /// A document that comes again lower down is passed over: it cannot be found twice.
    fn from_iter<I: IntoIterator<Item = T>>(documents: I) -> Ranking {
        let mut seen = HashSet::new();
        let documents = documents.into_iter().map(Into::into).filter(|id: &String| seen.insert(id.clone()));
        Ranking { documents: documents.collect() }
    }
}
