//! `changes`: what differs between the versions of pages; `version`: a page as it was.

use std::collections::HashSet;

use catalog::ProjectEntry;
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
            (Ok((before, after)), _) => look.change(&url, &kept, before, after, true)?,
            // The same page may show other images.
            (Err(error), [only]) => look.images_of(&url, only, None)?.ok_or(error)?,
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
        if let Outcome::Gone { last, .. } = &record.outcome {
            if request.since.is_none_or(|since| *last >= since.0) {
                counts.gone += 1;
                let (url, words) = (record.url.to_string(), record.outcome.to_string());
                out.send(&ChangesRow::Gone { url, words })?;
            }
            continue;
        }
        counts.pages += u64::from(record.outcome.is_page());
        let kept = versions(&look.snapshot, look.crawl, UrlKey { host: HostKey(host), page })?;
        // What cannot be read any more is not worth the whole list.
        let change = match &kept[..] {
            [] => continue,
            [only] if images.is_empty() || is_image(only) => continue,
            [only] => match look.images_of(&record.url, only, Some(&images)) {
                Ok(Some(change)) if request.since.is_none_or(|since| change.after >= since) => {
                    counts.changed += 1;
                    PageChange { details: None, ..change }
                }
                _ => continue,
            },
            [.., before, after] => {
                if request.since.is_some_and(|since| after.at < since.0) {
                    continue;
                }
                counts.changed += 1;
                let Ok(change) = look.change(&record.url, &kept, before, after, false) else { continue };
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
        Some(at) => kept.iter().rfind(|visited| visited.at <= at.end_of_day().0),
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
        [only] => look.images_of(url, only, None).ok()??,
        [.., before, after] => look.change(url, &kept, before, after, true).ok()?,
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
/// `to`, or the last.
fn chosen<'a>(
    url: &PageUrl,
    kept: &'a [Visited],
    request: &ChangesRequest,
) -> Result<(&'a Visited, &'a Visited), ServiceError> {
    let at = |moment: Moment| kept.iter().rposition(|visited| visited.at <= moment.0);
    let after = request.to.map_or(kept.len().checked_sub(1), at);
    let before = match request.from {
        Some(from) => at(from),
        None => after.and_then(|after| after.checked_sub(1)),
    };
    match (before, after) {
        (Some(before), Some(after)) => Ok((&kept[before], &kept[after])),
        _ if kept.is_empty() => Err(ServiceError::NotKept(url.to_string())),
        _ => Err(ServiceError::OneVersion(url.to_string())),
    }
}

fn parse(entry: &ProjectEntry, text: &str) -> Result<PageUrl, ServiceError> {
    let parsed = entry.project.crawl.normalise().parse(text);
    parsed.map_err(|source| ServiceError::Url { text: text.to_owned(), source })
}

fn main(page: Page) -> String {
    if page.main.is_empty() { page.text } else { page.main }
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
        details: bool,
    ) -> Result<PageChange, ServiceError> {
        if is_image(before) && is_image(after) {
            return Ok(self.image(url, kept, before, after, details));
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
        let images = match details || is_noise {
            true => self.images(details).of_page((&before_it.page, before.at), (&it.page, after.at))?,
            false => Vec::new(),
        };
        // One that has another address each time is noise like its address.
        let by_image = is_noise && images.iter().any(ChangedImage::is_replaced);
        let hashes = [before, after].map(|visited| visited.visit.content_hash);
        let steps = match details {
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
            details: details.then(|| ChangeDetails { images, ..detailed(verdict, &noise, old, new) }),
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
        for row in self.snapshot.prefix(&URLS, &self.crawl.0) {
            let ((_, host, page), record) = row?;
            let key = UrlKey { host: HostKey(host), page };
            if !record.outcome.is_page() {
                continue;
            }
            let kept = versions(&self.snapshot, self.crawl, key)?;
            if kept.len() > 1 && kept.last().is_some_and(is_image) {
                found.insert(key);
            }
        }
        Ok(found)
    }

    fn images(&self, shown: bool) -> Images<'_> {
        Images { snapshot: &self.snapshot, crawl: self.crawl, pages: &self.pages, shown }
    }

    /// The change of an image.
    fn image(
        &self,
        url: &PageUrl,
        kept: &[Visited],
        before: &Visited,
        after: &Visited,
        details: bool,
    ) -> PageChange {
        let image = self.images(details).pair(url, None, Some(before), Some(after), true);
        let noise = image.looks_the_same();
        let steps = if details { image_steps(std::slice::from_ref(&image)) } else { Vec::new() };
        let details = details.then(|| ChangeDetails { images: vec![image], ..ChangeDetails::default() });
        PageChange { noise, steps, details, ..unchanged_text(url, kept.len(), before.at, after.at) }
    }

    /// The change of a page of which nothing but images is another, of these images if any are named; none where they are
    /// the same.
    fn images_of(
        &self,
        url: &PageUrl,
        only: &Visited,
        among: Option<&HashSet<UrlKey>>,
    ) -> Result<Option<PageChange>, ServiceError> {
        let page = self.pages.page(url, only)?;
        let is_meant =
            |among: &HashSet<UrlKey>| page.images.iter().any(|image| among.contains(&UrlKey::of(&image.url)));
        if !among.is_none_or(is_meant) {
            return Ok(None);
        }
        let last =
            visits(&self.snapshot, self.crawl, UrlKey::of(url))?.last().map_or(only.at, |last| last.at);
        let images = self.images(among.is_none()).of_page((&page, only.at), (&page, last))?;
        if images.is_empty() {
            return Ok(None);
        }
        let noise = images.iter().all(ChangedImage::looks_the_same);
        let steps = if among.is_none() { image_steps(&images) } else { Vec::new() };
        let details = Some(ChangeDetails { images, ..ChangeDetails::default() });
        Ok(Some(PageChange { noise, steps, details, ..unchanged_text(url, 1, only.at, last) }))
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
