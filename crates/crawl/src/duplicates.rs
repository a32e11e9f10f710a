//! Duplicates in a crawl: the judge's verdict on each page as it is kept, and what the settings make of it.

use archive::tables::Links;
use frontier::{Offer, TextMark, Unfollowed};
use judge::book::{self, StoredTexts, Verdict};
use judge::fingerprint::Fingerprint;
use kv::{Batch, KvError, Reader};
use model::{CrawlId, CrawlSettings, DuplicateSettings, Duplicates, UrlKey};

/// Judges pages by a project's settings.
pub(crate) struct DuplicateBook {
    settings: DuplicateSettings,
    /// No page that comes can have a text in the book: the run began with none, and visits each page once.
    all_new: bool,
}

/// What becomes of a page for the sake of others with its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Treatment {
    /// Its text is known from another page.
    known: bool,
    /// Its links are not followed.
    skip_links: bool,
}

impl DuplicateBook {
    pub(crate) fn open(
        reader: &impl Reader,
        crawl: CrawlId,
        settings: &CrawlSettings,
    ) -> Result<DuplicateBook, KvError> {
        let all_new = book::is_empty(reader, crawl)?;
        Ok(DuplicateBook { settings: settings.duplicate_settings(), all_new })
    }

    /// Judges a page and notes its text in the batch; a page without a fingerprint has none any more.
    pub(crate) fn judge(
        &self,
        batch: &mut Batch,
        crawl: CrawlId,
        page: UrlKey,
        fingerprint: Option<&Fingerprint>,
    ) -> Result<Treatment, KvError> {
        let threshold = self.settings.threshold;
        let texts = &mut StoredTexts { batch, crawl };
        let verdict = match fingerprint {
            _ if self.settings.method == Duplicates::Off => Verdict::default(),
            Some(text) if self.all_new => book::judge_new(texts, page, text, threshold)?,
            Some(text) => book::judge(texts, page, text, threshold)?,
            None if self.all_new => Verdict::default(),
            None => book::forget(texts, page).map(|()| Verdict::default())?,
        };
        Ok(self.treatment(&verdict))
    }

    fn treatment(&self, verdict: &Verdict) -> Treatment {
        let skip_links = match verdict.copy_of {
            // The same text may stand between other links: a list and its second page.
            Some(_) => verdict.same_in_all && self.settings.exact.skips_links(),
            None => !verdict.twins.is_empty() && self.settings.near.skips_links(),
        };
        Treatment { known: verdict.is_duplicate(), skip_links }
    }
}

impl Treatment {
    /// Marks the page's text as known and its links as not followed, as far as they are.
    pub(crate) fn apply(self, offers: &mut [Offer], links: &mut Links, text: Option<&mut TextMark>) {
        if self.known {
            text.into_iter().for_each(TextMark::is_known);
        }
        if self.skip_links {
            for offer in offers {
                offer.unfollowed.get_or_insert(Unfollowed::Duplicate);
            }
            links.edges.iter_mut().for_each(|edge| edge.followed = false);
        }
    }
}
