//! Duplicates in a crawl: the judge's verdict on each page as it is kept, and what the settings make of it.

use archive::PackedLinks;
use archive::tables::{LINKS, VISITS};
use frontier::tables::{FACTS, URLS};
use frontier::{Frontier, Offer, TextMark, Unfollowed, page_key, texts_fact};
use judge::book::{self, MOST_SAME, StoredTexts, Verdict};
use judge::fingerprint::{Fingerprint, Threshold, made_by};
use judge::tables::FINGERPRINTS;
use kv::{Batch, KvError, Reader};
use model::{CrawlId, CrawlSettings, DuplicateSettings, Duplicates, UrlKey};

/// Judges pages by a project's settings.
pub(crate) struct DuplicateBook {
    settings: DuplicateSettings,
    /// No page that comes can have a text in the book: the run began with none, and visits each page once.
    all_new: bool,
}

/// What becomes of a page for the sake of others with its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Treatment {
    /// Its text is known from another page.
    known: bool,
    /// Its links are not followed.
    skip_links: bool,
    /// Pages that were its copies before its text changed.
    pub(crate) left_behind: Vec<UrlKey>,
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

    /// Notes by which settings texts are judged. True where those that are kept were judged by others.
    pub(crate) fn note_settings(&self, batch: &mut Batch, crawl: CrawlId) -> Result<bool, KvError> {
        if self.settings.method == Duplicates::Off {
            return Ok(false);
        }
        if !self.all_new && judged_otherwise(batch, crawl, &self.settings)? {
            return Ok(true);
        }
        batch.put(&FACTS, &texts_fact(crawl), &made_by(&self.settings));
        Ok(false)
    }

    /// Judges a page and notes its text in the batch; a page without a fingerprint has none any more.
    pub(crate) fn judge(
        &self,
        batch: &mut Batch,
        crawl: CrawlId,
        page: UrlKey,
        fingerprint: Option<&Fingerprint>,
    ) -> Result<Treatment, KvError> {
        let threshold = Threshold::of(&self.settings);
        let texts = &mut StoredTexts { batch, crawl };
        let verdict = match fingerprint {
            _ if self.settings.method == Duplicates::Off => Verdict::default(),
            Some(text) if self.all_new => book::judge_new(texts, page, text, threshold)?,
            Some(text) => book::judge(texts, page, text, threshold)?,
            None if self.all_new => Verdict::default(),
            None => Verdict { left_behind: book::forget(texts, page)?, ..Verdict::default() },
        };
        let known = verdict.is_duplicate();
        let (others, acts) = match verdict.copy_of {
            // The same text may stand between other links: a list and its second page.
            Some(_) => (verdict.same_in_all, self.settings.exact),
            None => (verdict.twins.iter().map(|twin| twin.page).collect(), self.settings.near),
        };
        let skip_links = acts.skips_links() && self.lead(batch, crawl, &others)?;
        Ok(Treatment { known, skip_links, left_behind: verdict.left_behind })
    }

    /// Pages that are the same in all as one that is missing.
    pub(crate) fn copies(
        &self,
        batch: &mut Batch,
        crawl: CrawlId,
        page: UrlKey,
    ) -> Result<Vec<UrlKey>, KvError> {
        self.of_known(batch, crawl, |texts| book::same_in_all(texts, page))
    }

    /// Forgets the text of a page that is none any more; returns the pages that are the same in all as it was.
    pub(crate) fn forget(
        &self,
        batch: &mut Batch,
        crawl: CrawlId,
        page: UrlKey,
    ) -> Result<Vec<UrlKey>, KvError> {
        self.of_known(batch, crawl, |texts| book::forget(texts, page))
    }

    /// What the book has of a page that was met before; nothing in a run that began without texts.
    fn of_known(
        &self,
        batch: &mut Batch,
        crawl: CrawlId,
        ask: impl FnOnce(&mut StoredTexts<'_>) -> Result<Vec<UrlKey>, KvError>,
    ) -> Result<Vec<UrlKey>, KvError> {
        if self.all_new { Ok(Vec::new()) } else { ask(&mut StoredTexts { batch, crawl }) }
    }

    /// Lets the links of one of these copies be offered, now that the page is missing or changed whose links were
    /// followed for all of them.
    pub(crate) fn follow_one(
        &self,
        frontier: &mut Frontier,
        batch: &mut Batch,
        crawl: CrawlId,
        copies: &[UrlKey],
        follow_nofollow: bool,
    ) -> Result<(), KvError> {
        for copy in copies {
            if is_followed(batch, crawl, *copy)? {
                return Ok(());
            }
        }
        for copy in copies {
            let row = page_key(crawl, *copy);
            let Some(mut links) = batch.get(&LINKS, &row)? else { continue };
            let mut any = false;
            for edge in links.edges.iter_mut().filter(|edge| follow_nofollow || !edge.rel.nofollow) {
                let target = batch.get(&URLS, &page_key(crawl, edge.target))?;
                let left = target.and_then(|target| Unfollowed::of(&target.outcome));
                if !edge.followed && left == Some(Unfollowed::Duplicate) {
                    (edge.followed, any) = (true, true);
                }
            }
            if any && answers(batch, crawl, *copy)? {
                batch.put(&LINKS, &row, &links);
                return frontier.offer_links_again(batch, crawl, *copy);
            }
        }
        Ok(())
    }

    /// True where the links of one of these pages are followed, so that those of their copies need not be.
    fn lead(&self, reader: &impl Reader, crawl: CrawlId, pages: &[UrlKey]) -> Result<bool, KvError> {
        // In a first crawl the page that was read first is there. Of so many copies not all are named: a space without
        // end must not open again because the one that is followed is not among those looked at.
        if self.all_new || pages.len() >= MOST_SAME {
            return Ok(!pages.is_empty());
        }
        for page in pages {
            if is_followed(reader, crawl, *page)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// True where the texts of a crawl were judged by other settings than these.
pub fn judged_otherwise(
    reader: &impl Reader,
    crawl: CrawlId,
    settings: &DuplicateSettings,
) -> Result<bool, KvError> {
    let Some(first) = reader.prefix(&FINGERPRINTS, &crawl.0).next().transpose()? else { return Ok(false) };
    Ok(match reader.get(&FACTS, &texts_fact(crawl))? {
        Some(made) => made != made_by(settings),
        // From before that was noted: the method shows.
        None => first.1.method() != settings.method,
    })
}

/// True of a page that was there when it was last asked for, and whose links are followed.
fn is_followed(reader: &impl Reader, crawl: CrawlId, page: UrlKey) -> Result<bool, KvError> {
    let links = reader.get(&LINKS, &page_key(crawl, page))?.unwrap_or_default();
    Ok(links.edges.iter().any(|edge| edge.followed) && answers(reader, crawl, page)?)
}

/// True of a page that was there when it was last asked for.
fn answers(reader: &impl Reader, crawl: CrawlId, page: UrlKey) -> Result<bool, KvError> {
    let last = reader.prefix(&VISITS, &(crawl.0, page.host.0, page.page)).next_back().transpose()?;
    Ok(last.is_some_and(|(_, visit)| matches!(visit.status, Some(200..=299 | 304))))
}

impl Treatment {
    /// Marks the page's text as known and its links as not followed, as far as they are.
    pub(crate) fn apply(&self, offers: &mut [Offer], links: &mut PackedLinks, text: Option<&mut TextMark>) {
        if self.known {
            text.into_iter().for_each(TextMark::is_known);
        }
        if self.skip_links {
            for offer in offers {
                offer.unfollowed.get_or_insert(Unfollowed::Duplicate);
            }
            links.unfollow();
        }
    }
}
