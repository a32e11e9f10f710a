//! `changes`: what differs between the versions of pages; `version`: a page as it was.

use std::collections::HashSet;

use catalog::ProjectEntry;
use frontier::kept_as;
use frontier::tables::URLS;
use html::select::{Fuel, Selected, Selector};
use judge::change::noise::Noise;
use judge::change::text::{Severity, severity};
use judge::change::{Level, Verdict, Version, compare};
use kv::{Reader, Snapshot};
use model::{CrawlId, HostKey, Outcome, Page, PageUrl, Timestamp, UrlKey};

use crate::change_rows::{
    ChangeCounts, ChangeDetails, ChangedLevel, ChangedWords, ChangesRow, PageChange, PageVersion,
};
use crate::change_steps::{ChangeStep, image_steps, steps};
use crate::changed_images::{ChangedImage, Images, is_image};
use crate::sink::Sink;
use crate::versions::{KeptPages, Source, Visited, versions, visits};
use crate::walk::Walk;
use crate::{ChangesRequest, Data, Moment, ServiceError, VersionRequest};

/// Versions that noise is learned from, the latest.
const LEARNED_FROM: usize = 6;

/// Words and elements of a change that are shown.
const MOST_SHOWN: usize = 500;

/// The level at which only images differ.
const IMAGE: &str = "image";

/// Steps that a selector of noise may take on a page.
const FUEL: u64 = 1_000_000;

pub(crate) fn changes(data: &Data, request: &ChangesRequest, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let entry = data.project(request.project.as_ref())?;
    let settled = entry.project.crawl.ignore_changes.iter().map(ToString::to_string);
    let selectors = request.ignore.iter().cloned().chain(settled).map(|text| {
        Selector::guess(&text).map_err(|error| ServiceError::Question(format!("{text}: {error}")))
    });
    let look = Look {
        snapshot: data.store().snapshot(),
        crawl: entry.crawl,
        pages: KeptPages::of(data, &entry)?,
        ignored: selectors.collect::<Result<_, _>>()?,
    };
    if let Some(text) = &request.url {
        let url = parse(&entry, text)?;
        let kept = versions(&look.snapshot, look.crawl, UrlKey::of(&url))?;
        let change = match (chosen(&url, &kept, request), &kept[..]) {
            (Ok((before, after)), _) => look.change(&url, &kept, before, after, Told::Whole)?,
            // The same page may show other images.
            (Err(error), [only]) => look.images_of(&url, only, None, Told::Whole)?.ok_or(error)?,
            (Err(error), _) => return Err(error),
        };
        return out.send(&ChangesRow::Change(Box::new(change)));
    }
    let images = match entry.project.crawl.images_per_page {
        0 => HashSet::new(),
        _ => look.other_images()?,
    };
    let mut counts = ChangeCounts::default();
    let mut left = request.limit.unwrap_or(u64::MAX);
    for row in look.snapshot.prefix(&URLS, &entry.crawl.0) {
        let ((_, host, page), record) = row?;
        if let Outcome::Gone { status, first, last } = record.outcome {
            if request.since.is_none_or(|since| last >= since.0) {
                counts.gone += 1;
                if left > 0 {
                    left -= 1;
                    let (url, words) = (record.url.to_string(), record.outcome.to_string());
                    let (first, last) = (first.into(), last.into());
                    out.send(&ChangesRow::Gone { url, status, first, last, words })?;
                }
            }
            continue;
        }
        let key = UrlKey { host: HostKey(host), page };
        let is_kept = kept_as(&look.snapshot, look.crawl, key, &record.outcome)?.is_some();
        counts.pages += u64::from(record.outcome.is_page() || is_kept);
        let kept = versions(&look.snapshot, look.crawl, key)?;
        // What cannot be read any more is not worth the whole list.
        let change = match &kept[..] {
            [] => continue,
            [only] if images.is_empty() || is_image(only) => continue,
            [only] => match look.images_of(&record.url, only, Some(&images), Told::Verdict) {
                Ok(Some(change)) if request.since.is_none_or(|since| change.after >= since) => {
                    counts.changed += 1;
                    change
                }
                _ => continue,
            },
            [.., before, after] => {
                if request.since.is_some_and(|since| after.at < since.0) {
                    continue;
                }
                counts.changed += 1;
                let Ok(change) = look.change(&record.url, &kept, before, after, Told::Verdict) else {
                    continue;
                };
                change
            }
        };
        counts.noise += u64::from(change.noise);
        if left > 0 && (!change.noise || request.noise) {
            left -= 1;
            out.send(&ChangesRow::Change(Box::new(change)))?;
        }
    }
    out.send(&ChangesRow::Counts(counts))
}

pub(crate) fn version(data: &Data, request: &VersionRequest, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let entry = data.project(request.project.as_ref())?;
    let url = parse(&entry, &request.url)?;
    let snapshot = data.store().snapshot();
    let kept = versions(&snapshot, entry.crawl, UrlKey::of(&url))?;
    let view = |visited: &Visited| PageVersion {
        url: url.to_string(),
        at: visited.at.into(),
        title: visited.visit.title.clone(),
        content_type: visited.visit.content_type.clone(),
        bytes: visited.visit.content_bytes,
        text: None,
        content: None,
    };
    if request.list {
        return kept.iter().try_for_each(|visited| out.send(&view(visited)));
    }
    let found = match request.at {
        None => kept.last(),
        Some(at) => standing(&kept, at.end_of_day()).map(|place| &kept[place]),
    };
    let found = found.ok_or_else(|| match kept.first() {
        Some(first) => ServiceError::NotYet { url: url.to_string(), first: first.at.into() },
        None => ServiceError::NotKept(url.to_string()),
    })?;
    let Source { html, page, .. } = KeptPages::of(data, &entry)?.source(&url, found)?;
    out.send(&PageVersion { text: Some(main(page)), content: Some(html), ..view(found) })
}

/// The latest change of a page in words, and step by step; none where nothing of it differs or it cannot be read.
pub(crate) fn latest(data: &Data, entry: &ProjectEntry, url: &PageUrl) -> Option<(String, Vec<ChangeStep>)> {
    let settled = entry.project.crawl.ignore_changes.iter();
    let look = Look {
        snapshot: data.store().snapshot(),
        crawl: entry.crawl,
        pages: KeptPages::of(data, entry).ok()?,
        ignored: settled.filter_map(|text| Selector::guess(&text.to_string()).ok()).collect(),
    };
    let kept = versions(&look.snapshot, look.crawl, UrlKey::of(url)).ok()?;
    let change = match &kept[..] {
        [only] => look.images_of(url, only, None, Told::Steps).ok()??,
        [.., before, after] => look.change(url, &kept, before, after, Told::Steps).ok()?,
        [] => return None,
    };
    let noise = if change.noise { ", only where it changes every time" } else { "" };
    let words = format!(
        "{} versions; at {} {} differed first, text: {} ({} words came, {} went){noise}",
        change.versions,
        change.after,
        change.level,
        change.severity,
        change.words_added,
        change.words_removed
    );
    Some((words, change.steps))
}

/// The two versions that are meant: the one that stood at `from`, or the one before the later; and the one that stood at
/// `to`, or the last. What is given as a date is meant from its beginning to its end.
fn chosen<'a>(
    url: &PageUrl,
    kept: &'a [Visited],
    request: &ChangesRequest,
) -> Result<(&'a Visited, &'a Visited), ServiceError> {
    let after = request.to.map_or(kept.len().checked_sub(1), |to| standing(kept, to.end_of_day()));
    let before = match request.from {
        Some(from) => standing(kept, from).or_else(|| {
            let day = from.0..=from.end_of_day().0;
            kept.iter().position(|visited| day.contains(&visited.at))
        }),
        None => after.and_then(|after| after.checked_sub(1)),
    };
    match (before, after) {
        (Some(before), Some(after)) => Ok((&kept[before], &kept[after])),
        _ if kept.is_empty() => Err(ServiceError::NotKept(url.to_string())),
        _ => Err(ServiceError::OneVersion(url.to_string())),
    }
}

/// The place of the version that was fetched at a moment, or else stood then.
fn standing(kept: &[Visited], moment: Moment) -> Option<usize> {
    let fetched = kept.iter().position(|visited| visited.at == moment.0);
    fetched.or_else(|| kept.iter().rposition(|visited| visited.at <= moment.0))
}

fn parse(entry: &ProjectEntry, text: &str) -> Result<PageUrl, ServiceError> {
    let parsed = entry.project.crawl.normalise().parse(text);
    parsed.map_err(|source| ServiceError::Url { text: text.to_owned(), source })
}

fn main(page: Page) -> String {
    if page.main.is_empty() { page.text } else { page.main }
}

/// How much of a change is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Told {
    /// What differs first, and how much.
    Verdict,
    /// Also the cascade step by step.
    Steps,
    /// Also words, elements and pictures.
    Whole,
}

/// Compares versions.
struct Look {
    snapshot: Snapshot,
    crawl: CrawlId,
    pages: KeptPages,
    ignored: Vec<Selector>,
}

impl Look {
    fn change(
        &self,
        url: &PageUrl,
        kept: &[Visited],
        before: &Visited,
        after: &Visited,
        told: Told,
    ) -> Result<PageChange, ServiceError> {
        if is_image(before) && is_image(after) {
            return Ok(self.image(url, kept, before, after, told));
        }
        let (before_it, it) = (self.pages.source(url, before)?, self.pages.source(url, after)?);
        let mut noise = self.learned(url, kept, after);
        self.named(&before_it.html, &mut noise);
        self.named(&it.html, &mut noise);
        let (old, new) = (self.quiet(&before_it, &it, &noise), self.quiet(&it, &before_it, &noise));
        let (old_html, new_html) = (&before_it.html, &it.html);
        let verdict = compare(Version { html: old_html, text: &old }, Version { html: new_html, text: &new });
        let since_first = match kept.first().filter(|first| first.at != before.at) {
            Some(first) => {
                let first = self.pages.source(url, first)?;
                severity(&self.quiet(&first, &it, &noise), &self.quiet(&it, &first, &noise))
            }
            None => severity(&old, &new),
        };
        let count = |added: bool| {
            let words = verdict.words.iter().filter(|change| change.added == added);
            words.map(|change| change.words.split(' ').count() as u64).sum()
        };
        let (words_added, words_removed) = (count(true), count(false));
        let is_noise = noise.explains(&verdict.levels, &verdict.attributes) || verdict.level == Level::Source;
        let images = match told >= Told::Steps || is_noise {
            true => self.images(told).of_page((&before_it.page, before.at), (&it.page, after.at))?,
            false => Vec::new(),
        };
        // One that has another address each time is noise like its address.
        let by_image = is_noise && images.iter().any(ChangedImage::is_replaced);
        let hashes = [before, after].map(|visited| visited.visit.content_hash);
        let steps = match told >= Told::Steps {
            true => [steps(hashes, &verdict, [words_removed, words_added]), image_steps(&images)].concat(),
            false => Vec::new(),
        };
        Ok(PageChange {
            url: url.to_string(),
            before: before.at.into(),
            after: after.at.into(),
            versions: kept.len() as u64,
            level: if by_image { IMAGE } else { level_name(verdict.level) }.to_owned(),
            severity: severity_name(verdict.severity).to_owned(),
            severity_since_first: severity_name(since_first).to_owned(),
            noise: is_noise && !by_image,
            words_added,
            words_removed,
            steps,
            details: (told == Told::Whole)
                .then(|| ChangeDetails { images, ..detailed(verdict, &noise, old, new) }),
        })
    }

    /// The main text of a version without what is noise beside another.
    fn quiet(&self, of: &Source, other: &Source, noise: &Noise) -> String {
        let is_html = of.fetched.content_type().is_none_or(|kind| kind.contains("html"));
        if !is_html || noise.places().next().is_none() {
            return main(of.page.clone());
        }
        main(self.pages.read_as(&of.fetched, noise.without(&of.html, &other.html)))
    }

    /// Images of which more than one version is kept.
    fn other_images(&self) -> Result<HashSet<UrlKey>, ServiceError> {
        let mut found = HashSet::new();
        for met in Walk::all(&self.snapshot, self.crawl) {
            let met = met?;
            let is_image = met.content_type.as_deref().is_some_and(extract::is_picture);
            if is_image
                && met.record.outcome.is_page()
                && versions(&self.snapshot, self.crawl, met.key)?.len() > 1
            {
                found.insert(met.key);
            }
        }
        Ok(found)
    }

    fn images(&self, told: Told) -> Images<'_> {
        let shown = told == Told::Whole;
        Images { snapshot: &self.snapshot, crawl: self.crawl, pages: &self.pages, shown }
    }

    /// The change of an image.
    fn image(
        &self,
        url: &PageUrl,
        kept: &[Visited],
        before: &Visited,
        after: &Visited,
        told: Told,
    ) -> PageChange {
        let image = self.images(told).pair(url, None, Some(before), Some(after), true);
        of_images(vec![image], told, unchanged_text(url, kept.len(), before.at, after.at))
    }

    /// The change of a page of which nothing but images is another, of these images if any are named; none where they are
    /// the same.
    fn images_of(
        &self,
        url: &PageUrl,
        only: &Visited,
        among: Option<&HashSet<UrlKey>>,
        told: Told,
    ) -> Result<Option<PageChange>, ServiceError> {
        let page = self.pages.page(url, only)?;
        let is_meant =
            |among: &HashSet<UrlKey>| page.images.iter().any(|image| among.contains(&UrlKey::of(&image.url)));
        if !among.is_none_or(is_meant) {
            return Ok(None);
        }
        let last =
            visits(&self.snapshot, self.crawl, UrlKey::of(url))?.last().map_or(only.at, |last| last.at);
        let images = self.images(told).of_page((&page, only.at), (&page, last))?;
        if images.is_empty() {
            return Ok(None);
        }
        Ok(Some(of_images(images, told, unchanged_text(url, 1, only.at, last))))
    }

    /// What earlier versions teach.
    fn learned(&self, url: &PageUrl, kept: &[Visited], until: &Visited) -> Noise {
        let end = kept.iter().position(|visited| visited.at == until.at).map_or(0, |at| at + 1);
        if end < 3 {
            return Noise::default();
        }
        let latest = &kept[end.saturating_sub(LEARNED_FROM)..end];
        let sources: Vec<String> =
            latest.iter().filter_map(|visited| self.pages.markup(url, visited).ok()).collect();
        Noise::learned(&sources.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// What the asker knows.
    fn named(&self, html: &str, noise: &mut Noise) {
        if self.ignored.is_empty() {
            return;
        }
        let tree = html::parse(html, &mut ());
        for selector in &self.ignored {
            if let Ok(Selected::Nodes(found)) = selector.select(&tree, tree.root(), &mut Fuel::new(FUEL)) {
                found.iter().for_each(|found| noise.add(&tree, found.node()));
            }
        }
    }
}

/// What images make of a change in which nothing else differs.
fn of_images(images: Vec<ChangedImage>, told: Told, text: PageChange) -> PageChange {
    let noise = images.iter().all(ChangedImage::looks_the_same);
    let steps = if told >= Told::Steps { image_steps(&images) } else { Vec::new() };
    let details = (told == Told::Whole).then(|| ChangeDetails { images, ..ChangeDetails::default() });
    PageChange { noise, steps, details, ..text }
}

/// A change of images alone.
fn unchanged_text(url: &PageUrl, versions: usize, before: Timestamp, after: Timestamp) -> PageChange {
    PageChange {
        url: url.to_string(),
        before: before.into(),
        after: after.into(),
        versions: versions as u64,
        level: IMAGE.to_owned(),
        severity: severity_name(Severity::None).to_owned(),
        severity_since_first: severity_name(Severity::None).to_owned(),
        noise: false,
        words_added: 0,
        words_removed: 0,
        steps: Vec::new(),
        details: None,
    }
}

fn detailed(verdict: Verdict, noise: &Noise, before: String, after: String) -> ChangeDetails {
    let cut = |mut list: Vec<String>| {
        list.truncate(MOST_SHOWN);
        list
    };
    ChangeDetails {
        words: verdict
            .words
            .into_iter()
            .take(MOST_SHOWN)
            .map(|change| ChangedWords { added: change.added, words: change.words, at: change.at as u64 })
            .collect(),
        levels: verdict
            .levels
            .into_iter()
            .take(MOST_SHOWN)
            .map(|level| ChangedLevel {
                level: level.level as u64,
                elements: [level.count.0 as u64, level.count.1 as u64],
                edited: cut(level.edited),
                added: cut(level.added),
                removed: cut(level.removed),
            })
            .collect(),
        attributes: cut(verdict.attributes),
        images: Vec::new(),
        text_one: [verdict.text_one.0, verdict.text_one.1],
        text_two: [verdict.text_two.0, verdict.text_two.1],
        noise_places: noise.places().take(MOST_SHOWN).map(str::to_owned).collect(),
        text_before: before,
        text_after: after,
    }
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Same => "same",
        Level::Tags => "tags",
        Level::Tree => "tree",
        Level::Attributes => "attributes",
        Level::Source => "source",
    }
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::None => "none",
        Severity::NoText => "no-text",
        Severity::Small => "small",
        Severity::Medium => "medium",
        Severity::Large => "large",
        Severity::Complete => "complete",
    }
}
