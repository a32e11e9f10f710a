//! When a page was published and changed: every hint is weighed, the surest one counts.

use std::collections::HashSet;

use memchr::memmem;
use model::{DateSource, PageDate};

use crate::date_labels::{ends_span, label, label_after, of_entry, of_people, term};
use crate::dates;
use crate::element::Element;
use crate::hints::{Fact, Part};
use crate::linked_data::{self, Facts};
use crate::main_text::Main;
use crate::marks::Mark;
use crate::outline::Outline;
use crate::script_dates;

/// What is known when a page has been read.
pub(crate) struct Known<'a> {
    pub(crate) outline: &'a Outline,
    pub(crate) main: &'a Main,
    pub(crate) text: &'a str,
    pub(crate) title: &'a str,
    pub(crate) marks: &'a [Mark],
    pub(crate) facts: &'a Facts,
    pub(crate) meta: &'a [(String, String)],
    /// Which of these are about some item of the page, which need not be the page.
    pub(crate) of_items: &'a [usize],
    pub(crate) path: &'a str,
    /// The path of the URL that the page says is its own.
    pub(crate) canonical: Option<&'a str>,
    /// The page says that it is one article.
    pub(crate) is_article: bool,
    /// The page as it was sent, for what its scripts say.
    pub(crate) body: &'a [u8],
    pub(crate) language: Option<&'a str>,
    /// The day on which the page was served, if known: nothing was published after it.
    pub(crate) served: Option<&'a str>,
}

/// Published and modified.
#[derive(Default)]
pub(crate) struct Dated {
    pub(crate) published: Option<PageDate>,
    pub(crate) modified: Option<PageDate>,
    /// Blocks of a few words around a date, near the headline: who wrote it and when, not what.
    pub(crate) bylines: Vec<usize>,
    /// The last day that may be meant.
    latest: Option<String>,
    /// Days of what the page is about; one of them is the page's own only where something says so.
    events: Vec<String>,
}

/// Names of `<meta>` that give the date of publication, surest first; all without dots, dashes and case.
const PUBLISHED: &[&str] = &[
    "article:published_time",
    "article:published",
    "og:article:published_time",
    "datepublished",
    "og:published_time",
    "publishedtime",
    "pubdate",
    "publishdate",
    "publicationdate",
    "publish_date",
    "publication_date",
    "parselypubdate",
    "sailthrudate",
    "citation_publication_date",
    "citation_online_date",
    "citation_date",
    "bepress_citation_date",
    "bepress_citation_online_date",
    "dctermsissued",
    "dcdateissued",
    "dctermscreated",
    "dcdatecreated",
    "datecreated",
    "articledateoriginal",
    "dcdate",
    "dctermsdate",
    "date",
    "created",
    "shareaholic:article_published_time",
    "bt:pubdate",
    "originalpublicationdate",
    "releasedate",
    "pub_date",
    "pdate",
    "ptime",
    "published",
    "articlepublished",
    "article_date_original",
    "articledate",
    "displaydate",
    "docdate",
    "post_date",
    "creation_date",
    "gentime",
    "apub:time",
    "og:time",
    "dccreated",
    "dctermsavailable",
    "dcdateavailable",
    "eprintsdatestamp",
];
/// Ends of such names, without any punctuation, whatever a site puts before them; [`MODIFIED_ENDS`] come first.
const PUBLISHED_ENDS: &[&str] = &[
    "publishtime",
    "publishedtime",
    "publishdate",
    "publisheddate",
    "publishedat",
    "datepublished",
    "pubdate",
    "publicationdate",
    "firstpublished",
    "releasedate",
    "createat",
    "pubtime",
    "dateposted",
    "uploaddate",
    "uploaded",
];
const MODIFIED: &[&str] = &[
    "article:modified_time",
    "article:modified",
    "og:article:modified_time",
    "datemodified",
    "og:updated_time",
    "og:modified_time",
    "modifiedtime",
    "lastmodified",
    "last_modified",
    "lastmod",
    "dctermsmodified",
    "dcdatemodified",
    "bt:moddate",
    "revised",
    "updated",
    "moddate",
    "lastupdated",
    "lastupdate",
    "dateupdate",
    "dateupdated",
    "updatedat",
    "modifieddate",
    "article:updated",
    "article:updated_time",
    "shareaholic:article_modified_time",
    "dcmodified",
    "revision_date",
    "last_updated",
];
/// Ends of such names.
const MODIFIED_ENDS: &[&str] = &[
    "modifiedtime",
    "modifieddate",
    "modifiedat",
    "datemodified",
    "datelastmodified",
    "lastmodified",
    "updatedtime",
    "updatetime",
    "updateddate",
    "updatedat",
    "lastupdated",
    "lastupdate",
    "lastpublishdate",
    "lastpublisheddate",
];

/// Blocks before and after the headline that are searched for a date without a label.
const BEFORE: usize = 8;
const AFTER: usize = 12;
/// Blocks right below it.
const BELOW: usize = 3;
/// Longest block in which dates are sought, and what may stand around a date without a label.
const MAX_BLOCK: usize = 240;
const MAX_AROUND: usize = 80;
/// Bytes of a line before its date.
const MAX_LEAD: usize = 48;
/// Bytes of what may stand before a date that begins a longer text.
const MAX_LABEL: usize = 24;
/// Bytes of a heading that the title may repeat, of another line, and how many are looked at.
const MIN_TITLE: usize = 8;
const MIN_LINE: usize = 16;
const MOST_HEADINGS: usize = 32;
/// Bytes of one part of a date in a box.
const MAX_PART: usize = 16;
/// Bytes before the date with which a text begins.
const MAX_DATELINE: usize = 24;
/// Bytes that make a page a text even where teasers stand below it.
const TEXT: u32 = 600;
/// Bytes of a block of text, and of such blocks below a headline with teasers after them.
const LONG_BLOCK: u32 = 80;
const OWN_TEXT: u32 = 250;
/// Blocks with a year in them that are looked at.
const MOST_BLOCKS: usize = 64;

/// Weighs all hints.
pub(crate) fn dated(known: &Known<'_>) -> Dated {
    let language = known.language;
    let marks = known.marks.iter().filter(|mark| mark.fact == Fact::Event);
    let marked_events = marks.filter_map(|mark| {
        let words = mark.value.as_deref().or_else(|| known.text.get(mark.start..mark.end));
        words.and_then(|words| dates::value(words, language))
    });
    let events = known.facts.events.iter().filter_map(|day| dates::value(day, language));
    let mut dated = Dated {
        // Where the sun rises first it is tomorrow already.
        latest: known.served.and_then(dates::next_day),
        events: events.chain(marked_events).map(|at| at[..10].to_owned()).collect(),
        ..Dated::default()
    };
    for (list, source, slot) in [
        (&known.facts.published, DateSource::LinkedData, Fact::Published),
        (&known.facts.modified, DateSource::LinkedData, Fact::Modified),
    ] {
        if let Some(at) = list.as_deref().and_then(|text| dates::value(text, language)) {
            dated.offer(slot, at, source, 95);
        }
    }
    for (names, fact) in [(PUBLISHED, Fact::Published), (MODIFIED, Fact::Modified)] {
        if let Some((at, nth)) = in_meta(known.meta, known.of_items, names, language) {
            dated.offer(fact, at, DateSource::Meta, if nth < 8 { 90 } else { 80 });
        }
    }
    // One `<meta>` with JSON in it, as a maker of statistics wants it.
    let parsely = known.meta.iter().find(|(name, _)| name == "parsely-page");
    let at = parsely.and_then(|(_, json)| linked_data::scan(json, "pub_date"));
    if let Some(at) = at.and_then(|at| dates::value(&at, language)) {
        dated.offer(Fact::Published, at, DateSource::Meta, 80);
    }
    let is_index = is_index(known);
    marked(known, is_index, &mut dated);
    if let Some(at) = dates::in_path(known.path) {
        // A page may be given a new day; its URL keeps the first one.
        let is_first = dated.published.as_ref().is_some_and(|other| {
            known.path.contains(&format!("/{}/", &at[..4]))
                && dates::next_day(&at).is_some_and(|next| other.day() > next.as_str())
        });
        dated.offer(Fact::Published, at, DateSource::Url, if is_first { 96 } else { 70 });
    }
    written(known, is_index, &mut dated);
    if let Some(at) = in_title(known.title, language).filter(|at| !dated.is_event(at)) {
        dated.offer(Fact::Published, at, DateSource::Text, 62);
    }
    if dated.published.is_none() {
        elsewhere(known, is_index, &mut dated);
    }
    // What was changed before it was published was changed by mistake.
    if let (Some(published), Some(modified)) = (&dated.published, &dated.modified)
        && modified.day() < published.day()
    {
        if modified.confidence > published.confidence {
            dated.published = None;
        } else {
            dated.modified = None;
        }
    }
    dated
}

impl Dated {
    fn is_event(&self, at: &str) -> bool {
        self.events.iter().any(|day| at.starts_with(day))
    }

    fn offer(&mut self, fact: Fact, at: String, source: DateSource, confidence: u8) {
        let slot = match fact {
            Fact::Modified => &mut self.modified,
            Fact::Published | Fact::Date => &mut self.published,
            Fact::Author | Fact::Event => return,
        };
        if self.latest.as_deref().is_some_and(|latest| at.as_str() > latest && !at.starts_with(latest)) {
            return;
        }
        match slot {
            // The same day to the minute, or a surer word.
            Some(date) if date.confidence >= confidence => {
                if date.at.len() == 10 && at.starts_with(&date.at) {
                    date.at = at;
                }
            }
            _ => *slot = Some(PageDate { at, source, confidence }),
        }
    }
}

/// Days that stand neither in the markup nor in the text: in other URLs of the page, and in its scripts.
fn elsewhere(known: &Known<'_>, is_index: bool, dated: &mut Dated) {
    let named = |name: &str| {
        known.meta.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    };
    let own = known.canonical.into_iter().chain(named("og:url")).find_map(dates::in_path);
    if let Some(at) = own {
        dated.offer(Fact::Published, at, DateSource::Url, 65);
    }
    if is_index || dated.published.is_some() {
        return;
    }
    let days = script_dates::days(known.body, known.language);
    if let Some(first) = days.first()
        // Of several the first is the page's, the others are of what else there is to read.
        && (known.is_article || days.iter().all(|day| day[..10] == first[..10]))
        && !dated.is_event(first)
    {
        dated.offer(Fact::Published, first.clone(), DateSource::Markup, 45);
    }
    if known.is_article
        && dated.published.is_none()
        && let Some(at) = named("og:image").and_then(dates::in_path)
    {
        dated.offer(Fact::Published, at, DateSource::Url, 35);
    }
}

fn in_meta(
    meta: &[(String, String)],
    of_items: &[usize],
    names: &[&str],
    language: Option<&str>,
) -> Option<(String, usize)> {
    let mut best: Option<(String, usize)> = None;
    for (at, (name, value)) in meta.iter().enumerate() {
        if of_items.contains(&at) {
            continue;
        }
        let plain: String =
            name.chars().filter(|c| !matches!(c, '.' | '-' | ' ')).map(|c| c.to_ascii_lowercase()).collect();
        let plain = plain.strip_prefix("schema:").unwrap_or(&plain);
        let dublin = plain.starts_with("dc").then(|| plain.replacen(':', "", 1));
        let plain = dublin.as_deref().unwrap_or(plain);
        let Some(nth) = names.iter().position(|known| *known == plain).or_else(|| ends_as(plain, names))
        else {
            continue;
        };
        if best.as_ref().is_none_or(|(_, known)| nth < *known)
            && let Some(at) = dates::value(value, language)
        {
            best = Some((at, nth));
        }
    }
    best
}

/// The place after all known names, for one that ends as such names may.
fn ends_as(name: &str, names: &[&str]) -> Option<usize> {
    let ends = |end: &&str| {
        let mut letters = name.bytes().rev().filter(|byte| !matches!(byte, b':' | b'_'));
        end.bytes().rev().all(|letter| letters.next() == Some(letter))
    };
    let is_modified = MODIFIED_ENDS.iter().any(ends);
    let is_known =
        if names == PUBLISHED { !is_modified && PUBLISHED_ENDS.iter().any(ends) } else { is_modified };
    is_known.then_some(names.len())
}

/// A page of teasers: their dates and authors are not its own.
pub(crate) fn is_index(known: &Known<'_>) -> bool {
    let mut headlines = HashSet::new();
    // Bytes of text before the first of them, and of all.
    let (mut before, mut all) = (0, 0);
    let kept = known.outline.blocks.iter().zip(&known.main.kept).filter(|(_, kept)| **kept);
    for (block, _) in kept {
        let element = known.outline.nodes[block.node as usize].element;
        let bytes = block.end - block.start;
        let is_link = block.link_bytes * 10 >= bytes * 7;
        if element.level().is_none() && block.link_bytes * 3 < bytes {
            all += bytes;
            before += if headlines.is_empty() { bytes } else { 0 };
        }
        if element.level().is_some() && is_link {
            let words = known.text.get(block.start as usize..block.end as usize).unwrap_or_default().trim();
            // The posts of a thread repeat its title.
            headlines.insert(words.trim_start_matches("Re: "));
        }
    }
    // Below a text there may be teasers as well.
    let is_text = before >= TEXT && before * 2 >= all;
    headlines.len() >= 3 && !is_text || known.main.is_list
}

/// Dates that markup points out.
fn marked(known: &Known<'_>, is_index: bool, dated: &mut Dated) {
    let (from, title, to) = near_title(known);
    let own = if is_index { own_place(known, title, to) } else { 0..0 };
    // Days of publication that stand beside the text, and days of whatever that stand far from the headline.
    let mut set_apart: Vec<String> = Vec::new();
    let mut far: Vec<String> = Vec::new();
    for mark in known.marks.iter().filter(|mark| mark.fact > Fact::Author) {
        let is_near = (from..=to).contains(&mark.start);
        // Names such as "signature" are used for the byline as well as for what stands below a post.
        let is_named = mark.fact >= Fact::Modified && is_near;
        if is_quoted(known, mark.node as usize) {
            continue;
        }
        if is_beside(known, mark.node as usize, is_named) {
            if mark.fact == Fact::Published && !in_comments(known, mark.node as usize) {
                // Reviews and teasers have days as well, but no list of terms.
                let is_term = known.outline.nodes[mark.node as usize].element == Element::Dd;
                let words = || known.text.get(mark.start..mark.end).filter(|_| is_term);
                let value = mark.value.as_deref().or_else(words);
                set_apart.extend(value.and_then(|value| dates::value(value, known.language)));
            }
            continue;
        }
        let words = known.text.get(mark.start..mark.end).unwrap_or_default();
        let value = mark.value.as_deref().and_then(|value| dates::value(value, known.language));
        let at = value.or_else(|| {
            (words.len() <= MAX_BLOCK && dates::has_year(words))
                .then(|| dates::value(words, known.language))
                .flatten()
        });
        let Some(mut at) = at else { continue };
        // What people read counts where it has a label and another day: the attribute is of something else.
        if words.len() <= MAX_BLOCK
            && mark.value.is_some()
            && dates::has_year(words)
            && label(words).is_some()
            && let Some(read) = dates::value(words, known.language)
            && !is_near_day(&read, &at)
        {
            at = read;
        }
        // A label before it says more than a name: "Last updated <time>"; what stands after a date is about another.
        let before = known.text.get(..mark.start).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let within = match dates::find(words.get(..MAX_BLOCK).unwrap_or(words), known.language).first() {
            Some(date) => words.get(..date.range.start).unwrap_or_default(),
            None => words,
        };
        let label = label(line).or_else(|| label(within));
        let fact = match (mark.fact, label) {
            (Fact::Published | Fact::Modified, _) => mark.fact,
            (_, Some(fact)) => fact,
            (fact, None) => fact,
        };
        let confidence = match fact {
            _ if is_index && !(fact == Fact::Modified && label.is_some()) && !own.contains(&mark.start) => {
                continue;
            }
            Fact::Published | Fact::Modified if is_near => 85,
            Fact::Published | Fact::Modified => 66,
            _ if dated.is_event(&at) => continue,
            // Above the headline it may be today's.
            _ if is_near && mark.start < title => 58,
            _ if is_near => 75,
            _ => {
                far.push(at);
                continue;
            }
        };
        dated.offer(fact, at, DateSource::Markup, confidence);
    }
    // Teasers have many; where there is one only, it is the page's.
    if let Some(day) = far.first()
        && far.iter().all(|other| other[..10] == day[..10])
    {
        dated.offer(Fact::Date, day.clone(), DateSource::Markup, 50);
    }
    if let Some(day) = set_apart.first().filter(|_| !is_index)
        && set_apart.iter().all(|other| other[..10] == day[..10])
    {
        dated.offer(Fact::Published, day.clone(), DateSource::Markup, 52);
    }
}

/// A part of the title that is nothing but a date: "Mill - 05.03.2024 - The News".
fn in_title(title: &str, language: Option<&str>) -> Option<String> {
    if !dates::has_year(title) {
        return None;
    }
    let mut parts = title.split(['|', '–', '—', '·', '•', '«', '»']).flat_map(|part| part.split(" - "));
    parts.find_map(|part| {
        let part = part.trim();
        let date = dates::find(part, language).into_iter().next()?;
        (date.range == (0..part.len())).then_some(date.at)
    })
}

/// Whether two days are the same or follow each other, as they do in two places at once.
fn is_near_day(one: &str, other: &str) -> bool {
    let follows = |one: &str, other: &str| dates::next_day(one).is_some_and(|next| other.starts_with(&next));
    one[..10] == other[..10] || follows(one, other) || follows(other, one)
}

/// Whether an element stands in a quotation, as posts from elsewhere do: their dates are their own.
fn is_quoted(known: &Known<'_>, node: usize) -> bool {
    let mut at = node;
    while at > 0 {
        if known.outline.nodes[at].element == Element::Blockquote {
            return true;
        }
        at = known.outline.nodes[at].parent as usize;
    }
    false
}

/// Dates that only people are told: with a label anywhere in the text, without one near the headline.
fn written(known: &Known<'_>, is_index: bool, dated: &mut Dated) {
    let (from, title, to) = near_title(known);
    let teasers = first_teaser(known, title);
    let own = if is_index { own_place(known, title, to) } else { 0..usize::MAX };
    let mut looked_at = 0;
    // Days that are named as those of publication beside the text.
    let mut set_apart: Vec<String> = Vec::new();
    let mut lone: Vec<(usize, String)> = Vec::new();
    for (nth_block, block) in known.outline.blocks.iter().enumerate() {
        let words = known.text.get(block.start as usize..block.end as usize).unwrap_or_default();
        let is_near = (from..=to).contains(&(block.start as usize));
        // A sentence on the entry itself goes on with where it is filed.
        let first = |bytes: usize| &words[..words.floor_char_boundary(bytes)];
        let is_long =
            words.len() > MAX_BLOCK && !(dates::has_year(first(MAX_AROUND)) && of_entry(first(MAX_LEAD)));
        if is_long && !is_near || !dates::has_year(words) || looked_at >= MOST_BLOCKS {
            continue;
        }
        looked_at += 1;
        if is_quoted(known, block.node as usize) {
            continue;
        }
        let beside = is_beside(known, block.node as usize, false);
        let mut before = 0;
        let found = dates::find(words, known.language);
        for (nth, date) in found.iter().enumerate() {
            let next = found.get(nth + 1).map_or(words.len(), |next| next.range.start);
            let after = &words[date.range.end
                ..words.floor_char_boundary((date.range.end + 16).min(next).max(date.range.end))];
            let lead = &words[before..date.range.start];
            // `<dt>Published</dt><dd>3 May 2026`, near the headline only: films have such tables as well.
            let term = || {
                let is_first = nth == 0 && is_near && lead.trim().is_empty();
                is_first.then(|| term_before(known, nth_block)).flatten().and_then(term)
            };
            let label = label(lead).or_else(|| label_after(after)).or_else(term);
            before = date.range.end;
            let around = words.len().saturating_sub(date.range.len());
            if of_people(lead) {
                continue;
            }
            let is_line = label.is_some() || !words.trim_end().ends_with(['.', '!', '?', '。']);
            let is_event = label.is_none()
                && (dated.is_event(&date.at) || ends_span(lead) || is_span(words, &found, nth));
            if is_near && !is_index && around <= MAX_AROUND && is_line && !is_event {
                dated.bylines.push(nth_block);
            }
            let first = known.outline.nodes[block.node as usize].element;
            match label {
                // At the foot of a page stands when it was changed.
                Some(Fact::Modified) if !in_comments(known, block.node as usize) => {
                    dated.offer(Fact::Modified, date.at.clone(), DateSource::Text, 75);
                }
                Some(Fact::Published) if !is_long && (!is_index || is_near && block.start < teasers) => {
                    // Below the headline it is the page's own, whatever the name of the line.
                    let is_own = is_near && block.start as usize > title && around <= MAX_AROUND;
                    let confidence = match () {
                        () if beside && !is_own => {
                            let is_line = around <= MAX_AROUND || nth == 0 && lead.len() <= MAX_LEAD;
                            if !is_index && is_line && may_be_own(known, nth_block) {
                                set_apart.push(date.at.clone());
                            }
                            continue;
                        }
                        () if beside => 57,
                        // A sentence may be about something else that was published.
                        () if is_near
                            && (lead.len() > MAX_LEAD || around > MAX_AROUND && lead.len() > MAX_LABEL) =>
                        {
                            59
                        }
                        () if is_near => 78,
                        () => 55,
                    };
                    dated.offer(Fact::Published, date.at.clone(), DateSource::Text, confidence);
                }
                None if !beside
                    && !is_event
                    && own.contains(&(block.start as usize))
                    && is_near
                    && first.level().is_none()
                    && (around <= MAX_AROUND
                        || date.range.start <= 3 && !is_long
                        || is_dateline(lead, after)) =>
                {
                    let confidence = if (block.start as usize) < title { 56 } else { 60 };
                    dated.offer(Fact::Published, date.at.clone(), DateSource::Text, confidence);
                }
                // A line right below the headline, whatever its name; others may be those of teasers.
                None if beside
                    && !is_event
                    && !is_index
                    && is_line
                    && title > 0
                    && around <= MAX_LEAD
                    && follows(known, nth_block, title)
                    && may_be_own(known, nth_block) =>
                {
                    dated.offer(Fact::Published, date.at.clone(), DateSource::Text, 44);
                }
                _ => {}
            }
            if label.is_none() && around <= MAX_AROUND && is_line && !is_event {
                lone.push((nth_block, date.at[..10].to_owned()));
            }
        }
    }
    if let Some(day) = set_apart.first()
        && set_apart.iter().all(|other| other[..10] == day[..10])
    {
        dated.offer(Fact::Published, day.clone(), DateSource::Text, 51);
    }
    // A box with the year above the day, or below it.
    if dated.published.is_none()
        && !is_index
        && let Some(day) = boxed(known, from, to)
    {
        dated.offer(Fact::Published, day, DateSource::Text, 50);
    }
    // Where nothing else tells, the only date that stands on a line of its own, as below a post.
    if dated.published.is_none()
        && dated.modified.is_none()
        && !is_index
        && let Some((_, day)) = lone.first()
        && lone.iter().all(|(_, other)| other == day)
        && lone.iter().any(|(block, _)| may_be_own(known, *block))
    {
        dated.offer(Fact::Published, day.clone(), DateSource::Text, 40);
    }
}

/// Whether a date begins or ends a time: "3 May 2026 – 5 May 2026".
fn is_span(words: &str, found: &[dates::Found], nth: usize) -> bool {
    let joins = |first: usize| {
        let (Some(one), Some(other)) = (found.get(first), found.get(first + 1)) else { return false };
        let between = words.get(one.range.end..other.range.start).unwrap_or_default().trim();
        ["-", "–", "—", "to", "bis", "bis zum", "until", "au", "al", "до", "～", "~"].contains(&between)
    };
    joins(nth) || nth > 0 && joins(nth - 1)
}

/// Whether a text begins with its date: "(3 May 2026) …", "Berlin, 3 May 2026 – …".
fn is_dateline(before: &str, after: &str) -> bool {
    before.len() <= MAX_DATELINE
        && !before.contains(['.', '!', '?', ';'])
        && (after.trim_start().starts_with([')', ']', '–', '—', '-', ':', '|'])
            || is_agency(after.trim_start()))
}

/// Whether the name of a news agency follows: "/PRNewswire/", "(GLOBE NEWSWIRE)".
fn is_agency(after: &str) -> bool {
    match after.as_bytes() {
        [b'/', first, ..] => first.is_ascii_uppercase(),
        [b'(', first, second, ..] => first.is_ascii_uppercase() && second.is_ascii_uppercase(),
        _ => false,
    }
}

/// Where a date is that of a page which was taken for a list: below the headline, when a text follows it there before
/// the first teaser.
fn own_place(known: &Known<'_>, title: usize, to: usize) -> std::ops::Range<usize> {
    let teasers = first_teaser(known, title).min(first_links(known, title));
    if title == 0 || teasers == u32::MAX {
        return 0..0;
    }
    let between = known.outline.blocks.iter().filter(|block| {
        (title..teasers as usize).contains(&(block.start as usize))
            && block.link_bytes * 3 < block.end - block.start
            && known.outline.nodes[block.node as usize].element.level().is_none()
    });
    let (first, bytes) = between.fold((usize::MAX, 0), |(first, bytes), block| {
        let size = block.end - block.start;
        if size < LONG_BLOCK { (first, bytes) } else { (first.min(block.start as usize), bytes + size) }
    });
    if bytes < OWN_TEXT { 0..0 } else { title..first.min(to + 1) }
}

/// The day whose parts stand each in a block of its own, near the headline.
fn boxed(known: &Known<'_>, from: usize, to: usize) -> Option<String> {
    let blocks = &known.outline.blocks;
    let words = |at: usize| {
        let block = blocks.get(at)?;
        let words = known.text.get(block.start as usize..block.end as usize)?.trim();
        (words.len() <= MAX_PART).then_some(words)
    };
    let is_year = |words: &str| words.len() == 4 && words.starts_with(['1', '2']) && dates::has_year(words);
    let years = (0..blocks.len()).filter(|at| {
        (from..=to).contains(&(blocks[*at].start as usize))
            && words(*at).is_some_and(is_year)
            && !is_beside(known, blocks[*at].node as usize, false)
    });
    years.take(4).find_map(|at| {
        let before = [at.checked_sub(2).and_then(words), at.checked_sub(1).and_then(words)];
        let after = [words(at + 1), words(at + 2)];
        let join = |parts: &[Option<&str>]| parts.iter().flatten().copied().collect::<Vec<_>>().join(" ");
        let year = words(at);
        [
            join(&[before[1], year]),
            join(&[before[0], before[1], year]),
            join(&[year, after[0]]),
            join(&[year, after[0], after[1]]),
        ]
        .iter()
        .find_map(|joined| dates::value(joined, known.language))
    })
}

/// Where the first heading stands that leads to another page; without a headline of its own a page begins with it.
fn first_teaser(known: &Known<'_>, title: usize) -> u32 {
    let blocks = known.outline.blocks.iter();
    let is_teaser = |block: &&crate::outline::Block| {
        known.outline.nodes[block.node as usize].element.level().is_some()
            && block.link_bytes * 10 >= (block.end - block.start) * 7
    };
    if title == 0 {
        return 0;
    }
    blocks
        .skip_while(|block| (block.start as usize) < title)
        .find(is_teaser)
        .map_or(u32::MAX, |block| block.start)
}

/// Where below the headline, and below a text, the first links stand that are lines of their own and follow each other.
fn first_links(known: &Known<'_>, title: usize) -> u32 {
    let mut has_text = false;
    let mut links = 0;
    for block in known.outline.blocks.iter().skip_while(|block| (block.start as usize) < title) {
        let bytes = block.end - block.start;
        has_text |= bytes >= LONG_BLOCK && block.link_bytes * 3 < bytes;
        links = if block.link_bytes * 10 >= bytes * 7 { links + 1 } else { 0 };
        if has_text && links == 3 {
            return block.start;
        }
    }
    u32::MAX
}

/// Whether a block is one of the first below the headline.
fn follows(known: &Known<'_>, block: usize, title: usize) -> bool {
    let before = known.outline.blocks[..block].iter().rev();
    before.take(BELOW).any(|block| block.start as usize == title)
}

/// Whether a line may be about the page: it is no entry of a table or a list, and no menu, teaser or comment.
fn may_be_own(known: &Known<'_>, block: usize) -> bool {
    let mut at = known.outline.blocks[block].node as usize;
    while at > 0 {
        let node = &known.outline.nodes[at];
        let is_elsewhere = matches!(
            node.element,
            Element::Nav | Element::Aside | Element::Dialog | Element::Form | Element::Td | Element::Li
        );
        if is_elsewhere || node.hint.part == Part::Comments || node.hint.part == Part::Hidden {
            return false;
        }
        at = node.parent as usize;
    }
    true
}

/// The few words of the block before, where it names what follows.
fn term_before<'a>(known: &Known<'a>, block: usize) -> Option<&'a str> {
    let before = known.outline.blocks.get(block.checked_sub(1)?)?;
    let is_term = matches!(known.outline.nodes[before.node as usize].element, Element::Dt | Element::Th);
    let words = known.text.get(before.start as usize..before.end as usize)?;
    (is_term && words.len() <= 32).then_some(words)
}

/// The part of the text around the headline: where it begins, where the headline stands, where it ends.
fn near_title(known: &Known<'_>) -> (usize, usize, usize) {
    let blocks = &known.outline.blocks;
    let kept = &known.main.kept;
    let is_title =
        |at: &usize| known.outline.nodes[blocks[*at].node as usize].element == Element::H1 && kept[*at];
    let title = (0..blocks.len()).find(is_title);
    let title = said_title(known, title).or(title);
    let first = title.or_else(|| kept.iter().position(|kept| *kept)).unwrap_or(0);
    let at = |at: usize| blocks.get(at).map_or(0, |block| block.start as usize);
    // Without a headline nothing stands before it.
    (
        at(first.saturating_sub(BEFORE)),
        title.map_or(0, at),
        at((first + AFTER).min(blocks.len().saturating_sub(1))),
    )
}

/// The heading that the page's title repeats, where the first headline is none or the name of the site; where nothing
/// is a headline, any line that it repeats.
fn said_title(known: &Known<'_>, headline: Option<usize>) -> Option<usize> {
    let blocks = &known.outline.blocks;
    let said = |at: usize| {
        let words =
            known.text.get(blocks[at].start as usize..blocks[at].end as usize).unwrap_or_default().trim();
        let is_said = (MIN_TITLE..=known.title.len()).contains(&words.len())
            && memmem::find(known.title.as_bytes(), words.as_bytes()).is_some();
        if is_said { words.len() } else { 0 }
    };
    let is_link = |at: usize| blocks[at].link_bytes * 10 >= (blocks[at].end - blocks[at].start) * 7;
    let own = match headline {
        // The name of the site leads to its first page.
        Some(at) if is_link(at) => said(at).min(1),
        Some(at) => said(at),
        None => 0,
    };
    let others = || (0..blocks.len()).filter(|at| known.main.kept[*at] && Some(*at) != headline);
    let is_heading = |at: &usize| known.outline.nodes[blocks[*at].node as usize].element.level().is_some();
    // Of equals the first.
    let longest = |length: usize, at: usize| (length, std::cmp::Reverse(at));
    let headings = others().filter(is_heading).take(MOST_HEADINGS);
    // Where the title does not repeat what the page calls its headline, only most of the title tells more.
    let least = if headline.is_some() && own == 0 { known.title.len() / 2 } else { own };
    let heading = headings.map(|at| longest(said(at), at)).max().filter(|(length, _)| *length > least);
    let line = || {
        let lines = others().take(MOST_HEADINGS).filter(|at| !is_link(*at));
        lines
            .map(|at| longest(said(at), at))
            .max()
            .filter(|(length, _)| headline.is_none() && *length >= MIN_LINE)
    };
    heading.or_else(line).map(|(_, at)| at.0)
}

/// Whether an element stands among menus, teasers or comments; what is named may stand in what only seems to be one.
fn is_beside(known: &Known<'_>, node: usize, is_named: bool) -> bool {
    let mut at = node;
    let mut in_text = false;
    while at > 0 {
        let node = &known.outline.nodes[at];
        in_text |= matches!(node.element, Element::Article | Element::Main);
        let by_element =
            matches!(node.element, Element::Nav | Element::Aside | Element::Dialog | Element::Form);
        let by_part =
            node.hint.part == Part::Weak && !is_named || node.hint.part >= Part::Comments && !in_text;
        if known.main.aside[at] && (by_element || by_part) {
            return true;
        }
        if node.hint.part == Part::Comments && known.main.aside[at] {
            return true;
        }
        at = node.parent as usize;
    }
    // The foot of a page is about the site.
    !in_text && has_footer(known, node)
}

fn has_footer(known: &Known<'_>, node: usize) -> bool {
    let mut at = node;
    while at > 0 {
        if known.outline.nodes[at].element == Element::Footer {
            return true;
        }
        at = known.outline.nodes[at].parent as usize;
    }
    false
}

fn in_comments(known: &Known<'_>, node: usize) -> bool {
    let mut at = node;
    while at > 0 {
        if known.outline.nodes[at].hint.part == Part::Comments && known.main.aside[at] {
            return true;
        }
        at = known.outline.nodes[at].parent as usize;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_meta_are_compared_without_punctuation() {
        let meta = [("DC.Date.Issued".to_owned(), "2026-01-02".to_owned())];
        assert_eq!(in_meta(&meta, &[], PUBLISHED, None).map(|(at, _)| at).as_deref(), Some("2026-01-02"));
        assert_eq!(in_meta(&meta, &[], MODIFIED, None), None);
        assert_eq!(in_meta(&meta, &[0], PUBLISHED, None), None);
    }
}
