//! `changes`: what differs between the versions of pages; `version`: a page as it was.

use std::cmp::Reverse;
use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use catalog::ProjectEntry;
use frontier::kept_as;
use frontier::tables::URLS;
use html::select::{Fuel, Selected, Selector};
use judge::change::image::Side;
use judge::change::noise::{LeftOut, Marked, Noise, Quiet};
use judge::change::text::{Severity, severity};
use judge::change::{Level, Verdict, Version, compare, level};
use kv::{Reader, Snapshot};
use model::{CrawlId, Fetched, HostKey, Outcome, Page, PageUrl, Timestamp, UrlKey};

use crate::accept::accepted;
use crate::change_rows::{
    ChangeCounts, ChangeDetails, ChangedLevel, ChangedWords, ChangesRow, NoisePlace, PageChange, PageVersion,
};
use crate::change_steps::{ChangeStep, image_steps, steps};
use crate::changed_images::{ChangedImage, Images, is_image};
use crate::sink::Sink;
use crate::versions::{KeptPages, Source, Visited, decoded, versions, visits};
use crate::walk::Walk;
use crate::{ChangesRequest, Data, Moment, ServiceError, VersionRequest};

/// Versions that noise is learned from, the latest.
const LEARNED_FROM: usize = 6;

/// Words and elements of a change that are shown.
const MOST_SHOWN: usize = 500;

/// Rows beyond those asked for that are held before the least of them are dropped.
const SPARE_ROWS: usize = 1_000;

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
    if request.from.is_some() || request.to.is_some() {
        let words = "from and to are versions of one page: name it, or ask for changes since a moment";
        return Err(ServiceError::Question(words.to_owned()));
    }
    let images = match entry.project.crawl.images_per_page {
        0 => HashSet::new(),
        _ => look.other_images()?,
    };
    let mut counts = ChangeCounts::default();
    let mut listed = Listed { rows: Vec::new(), most: request.limit };
    let is_meant = |at: Moment| request.since.is_none_or(|since| at >= since);
    for row in look.snapshot.prefix(&URLS, &entry.crawl.0) {
        let ((_, host, page), record) = row?;
        let key = UrlKey { host: HostKey(host), page };
        let url = record.url.to_string();
        if let Outcome::Gone { status, first, last } = record.outcome {
            let (first, last) = (first.into(), last.into());
            if is_meant(last) {
                counts.gone += 1;
                let words = record.outcome.to_string();
                listed.add(GONE, last, ChangesRow::Gone { url, status, first, last, words });
            }
            continue;
        }
        let kept = versions(&look.snapshot, look.crawl, key)?;
        let Some(latest) = kept.last() else { continue };
        if let Outcome::Redirected { to } = &record.outcome {
            let at = moved_at(&visits(&look.snapshot, look.crawl, key)?).unwrap_or(latest.at).into();
            if is_meant(at) {
                counts.moved += 1;
                listed.add(MOVED, at, ChangesRow::Moved { url, to: to.to_string(), at });
            }
            continue;
        }
        let is_picture = is_image(latest);
        let is_kept = kept_as(&look.snapshot, look.crawl, key, &record.outcome)?.is_some();
        counts.pages += u64::from((record.outcome.is_page() || is_kept) && !is_picture);
        let told = if request.noise { Told::Noise } else { Told::Verdict };
        // What cannot be read any more is not worth the whole list.
        let change = match &kept[..] {
            [.., before, after] if is_meant(after.at.into()) => {
                look.change(&record.url, &kept, before, after, told).ok()
            }
            _ if images.is_empty() || is_picture => None,
            _ => look.images_of(&record.url, latest, Some(&images), told).ok().flatten(),
        };
        let Some(change) = change.filter(|change| is_meant(change.after)) else { continue };
        counts.images += u64::from(is_picture);
        counts.changed += u64::from(!is_picture);
        counts.noise += u64::from(change.noise && !is_picture);
        if !change.noise || request.noise {
            let (rank, after) = (rank(&change), change.after);
            listed.add(rank, after, ChangesRow::Change(Box::new(change)));
        }
    }
    listed.in_order().into_iter().try_for_each(|row| out.send(&row))?;
    out.send(&ChangesRow::Counts(counts))
}

/// Pages that are gone or lead elsewhere come before all that changed.
const GONE: u8 = u8::MAX;
const MOVED: u8 = GONE - 1;

/// When a page led elsewhere first, after it was last found; what failed since says nothing.
fn moved_at(visits: &[Visited]) -> Option<Timestamp> {
    let is_found = |visited: &&Visited| matches!(visited.visit.status, Some(200..=299 | 304));
    let since = visits.iter().rev().take_while(|visited| !is_found(visited));
    since.filter(|visited| matches!(visited.visit.status, Some(300..=399))).last().map(|visited| visited.at)
}

/// How much a change matters: noise least, then what leaves the text as it was.
fn rank(change: &PageChange) -> u8 {
    let by_text = SEVERITIES.iter().position(|severity| severity_name(*severity) == change.severity);
    if change.noise { 0 } else { 1 + by_text.unwrap_or_default() as u8 }
}

/// Rows of a list, most severe first, then latest.
struct Listed {
    rows: Vec<(Reverse<(u8, Moment)>, ChangesRow)>,
    most: Option<u64>,
}

impl Listed {
    fn add(&mut self, rank: u8, at: Moment, row: ChangesRow) {
        self.rows.push((Reverse((rank, at)), row));
        if self.rows.len() >= self.most().saturating_mul(2).saturating_add(SPARE_ROWS) {
            self.sort();
        }
    }

    fn most(&self) -> usize {
        self.most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX))
    }

    /// Equals stay in the order of the store, so that pages of a list fit together.
    fn sort(&mut self) {
        self.rows.sort_by_key(|(place, _)| *place);
        self.rows.truncate(self.most());
    }

    fn in_order(mut self) -> Vec<ChangesRow> {
        self.sort();
        self.rows.into_iter().map(|(_, row)| row).collect()
    }
}

pub(crate) fn version(data: &Data, request: &VersionRequest, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let entry = data.project(request.project.as_ref())?;
    let url = parse(&entry, &request.url)?;
    let snapshot = data.store().snapshot();
    let kept = versions(&snapshot, entry.crawl, UrlKey::of(&url))?;
    let accepted = accepted(&snapshot, entry.crawl, UrlKey::of(&url), &kept)?.map(|visited| visited.at);
    let view = |visited: &Visited| PageVersion {
        url: url.to_string(),
        at: visited.at.into(),
        title: visited.visit.title.clone(),
        content_type: visited.visit.content_type.clone(),
        bytes: visited.visit.content_bytes,
        accepted: accepted == Some(visited.at),
        text: None,
        content: None,
        raw: None,
    };
    if request.list {
        return kept.iter().try_for_each(|visited| out.send(&view(visited)));
    }
    let found = stood_at(&url, &kept, request.at)?;
    let pages = KeptPages::of(data, &entry)?;
    let answer = pages.answer(&url, found)?;
    let content = (is_text(&answer) && !request.raw).then(|| decoded(&answer, &url));
    let raw = content.is_none().then(|| STANDARD.encode(&answer.content));
    let text = Some(main(pages.read(&answer)));
    out.send(&PageVersion { text, content, raw, ..view(found) })
}

/// The version that stood at a moment, of a date alone at its end; the last unless one is named.
pub(crate) fn stood_at<'a>(
    url: &PageUrl,
    kept: &'a [Visited],
    at: Option<Moment>,
) -> Result<&'a Visited, ServiceError> {
    let found = match at {
        None => kept.last(),
        Some(at) => standing(kept, at.end_of_day()).map(|place| &kept[place]),
    };
    found.ok_or_else(|| match kept.first() {
        Some(first) => ServiceError::NotYet { url: url.to_string(), first: first.at.into() },
        None => ServiceError::NotKept(url.to_string()),
    })
}

/// True of what can be shown as text.
fn is_text(answer: &Fetched) -> bool {
    let kinds = ["text/", "html", "xml", "json", "javascript"];
    answer.content_type().is_none_or(|kind| kinds.iter().any(|text| kind.contains(text)))
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
    let noise = if change.noise { ", by noise only" } else { "" };
    let accepted = match (&change.severity_since_accepted, change.accepted) {
        (Some(severity), Some(at)) => format!("; since the accepted version of {at}: {severity}"),
        _ => String::new(),
    };
    let words = format!(
        "{} versions; at {} {} differed first, text: {} ({} words came, {} went){noise}{accepted}",
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
        _ => Err(match kept {
            [] => ServiceError::NotKept(url.to_string()),
            [_] if request.from.is_none() && request.to.is_none() => {
                ServiceError::OneVersion(url.to_string())
            }
            [first, ..] => ServiceError::NotYet { url: url.to_string(), first: first.at.into() },
        }),
    }
}

/// The place of the version that was fetched at a moment, or else stood then.
fn standing(kept: &[Visited], moment: Moment) -> Option<usize> {
    let fetched = kept.iter().position(|visited| visited.at == moment.0);
    fetched.or_else(|| kept.iter().rposition(|visited| visited.at <= moment.0))
}

pub(crate) fn parse(entry: &ProjectEntry, text: &str) -> Result<PageUrl, ServiceError> {
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
    /// Also what is noise.
    Noise,
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

impl NoisePlace {
    fn of(left_out: LeftOut) -> NoisePlace {
        let LeftOut { place, before, after } = left_out;
        NoisePlace { place, before, after }
    }
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
        let noise = self.learned(url, kept, after);
        let quiet = self.quiet(&before_it, &it, &noise);
        let [old, new] = self.texts(&before_it, &it, quiet.as_ref());
        let (old_html, new_html) = (&before_it.html, &it.html);
        let verdict = compare(Version { html: old_html, text: &old }, Version { html: new_html, text: &new });
        let since = |version: &Visited| -> Result<Severity, ServiceError> {
            if version.at == before.at {
                return Ok(verdict.severity);
            }
            let earlier = self.pages.source(url, version)?;
            let [old, new] = self.texts(&earlier, &it, self.quiet(&earlier, &it, &noise).as_ref());
            Ok(severity(&old, &new))
        };
        let since_first = kept.first().map_or(Ok(verdict.severity), since)?;
        let accepted = accepted(&self.snapshot, self.crawl, UrlKey::of(url), kept)?;
        let since_accepted = accepted.map(since).transpose()?;
        let count = |added: bool| {
            let words = verdict.words.iter().filter(|change| change.added == added);
            words.map(|change| change.words.split(' ').count() as u64).sum()
        };
        let (words_added, words_removed) = (count(true), count(false));
        let left = match &quiet {
            Some(quiet) => level(&quiet.html[0], &quiet.html[1]),
            None => verdict.level,
        };
        // A document of which the text is the same has other bytes that nobody reads; one without a text may have any.
        let is_unread = it.html.is_empty() && old.is_empty() && new.is_empty();
        let is_noise = matches!(left, Level::Source | Level::Same) && !is_unread;
        let differs = match if is_noise { verdict.level } else { left } {
            Level::Same if before.visit.content_hash != after.visit.content_hash => Level::Source,
            level => level,
        };
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
            level: if by_image { IMAGE } else { level_name(differs) }.to_owned(),
            severity: severity_name(verdict.severity).to_owned(),
            severity_since_first: severity_name(since_first).to_owned(),
            accepted: accepted.map(|visited| visited.at.into()),
            severity_since_accepted: since_accepted.map(|severity| severity_name(severity).to_owned()),
            noise: is_noise && !by_image,
            words_added,
            words_removed,
            noise_places: match told {
                Told::Verdict => Vec::new(),
                _ => quiet.into_iter().flat_map(|quiet| quiet.left_out).map(NoisePlace::of).collect(),
            },
            steps,
            details: (told == Told::Whole).then(|| ChangeDetails { images, ..detailed(verdict, old, new) }),
        })
    }

    /// Two versions without what is noise, learned or named; none where nothing is.
    fn quiet(&self, old: &Source, new: &Source, noise: &Noise) -> Option<Quiet> {
        let is_document = old.html.is_empty() && new.html.is_empty();
        if is_document || self.ignored.is_empty() && noise.places().next().is_none() {
            return None;
        }
        noise.quiet(&self.marked(&old.html), &self.marked(&new.html))
    }

    /// The main texts of two versions, without their noise.
    fn texts(&self, old: &Source, new: &Source, quiet: Option<&Quiet>) -> [String; 2] {
        match quiet {
            Some(Quiet { html: [before, after], .. }) => [
                main(self.pages.read_as(&old.fetched, before.clone())),
                main(self.pages.read_as(&new.fetched, after.clone())),
            ],
            None => [main(old.page.clone()), main(new.page.clone())],
        }
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
        let side = Side::of(self.pages.settings().image_side);
        Images { snapshot: &self.snapshot, crawl: self.crawl, pages: &self.pages, shown, side }
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
        let accepted = accepted(&self.snapshot, self.crawl, UrlKey::of(url), kept).ok().flatten();
        let accepted = accepted.map(|visited| visited.at.into());
        let text = PageChange { accepted, ..unchanged_text(url, kept.len(), before.at, after.at) };
        of_images(vec![image], told, text)
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
        let seen = visits(&self.snapshot, self.crawl, UrlKey::of(url))?;
        let last = seen.last().map_or(only.at, |last| last.at);
        let versions = seen.iter().filter(|visited| visited.is_version()).count();
        let images = self.images(told).of_page((&page, only.at), (&page, last))?;
        if images.is_empty() {
            return Ok(None);
        }
        // The page was the same at every visit; its change is as old as the latest of its images.
        let since = images.iter().filter_map(|image| image.at[1]).max();
        let since = since.map_or(last, |since| since.0);
        Ok(Some(of_images(images, told, unchanged_text(url, versions, only.at, since))))
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

    /// A version with what the asker knows to be noise.
    fn marked(&self, html: &str) -> Marked {
        let mut marked = Marked::new(html);
        for selector in &self.ignored {
            let root = marked.tree().root();
            if let Ok(Selected::Nodes(found)) = selector.select(marked.tree(), root, &mut Fuel::new(FUEL)) {
                found.iter().for_each(|found| marked.mark(found));
            }
        }
        marked
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
        accepted: None,
        severity_since_accepted: None,
        noise: false,
        words_added: 0,
        words_removed: 0,
        noise_places: Vec::new(),
        steps: Vec::new(),
        details: None,
    }
}

fn detailed(verdict: Verdict, before: String, after: String) -> ChangeDetails {
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
        text_before: before,
        text_after: after,
    }
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Same => "same",
        Level::Tags => "tags",
        Level::Tree => "tree",
        Level::Text => "text",
        Level::Attributes => "attributes",
        Level::Source => "source",
    }
}

/// From the least to the most.
const SEVERITIES: [Severity; 6] = [
    Severity::None,
    Severity::NoText,
    Severity::Small,
    Severity::Medium,
    Severity::Large,
    Severity::Complete,
];

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
