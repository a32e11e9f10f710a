//! Why a page is missing or low for a query: the chain from crawl to rank, up to where it breaks.
//!
//! What the crawl did is told by `why`, what the search does by searches: with all that is asked for, then without what
//! may leave a hit out.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::{Timestamp, UrlKey};
use search::settings::{Act, Source};
use search::{DocumentKind, Hit, Located, Ranking, Search, SearchError, Searcher, Unmet};
use serde::{Deserialize, Serialize};

use super::{OpenIndex, WhyNotRequest, feed, with_searcher};
use crate::versions::{Visited, visits};
use crate::{Data, ServiceError, Why, WhyRequest, why};

/// The chain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WhyNot {
    /// The page.
    pub url: String,
    /// The query.
    pub query: String,
    /// What holds, in order; the last one is the answer.
    pub chain: Vec<String>,
    /// The place at which it is found, from 1.
    pub place: Option<usize>,
    /// What would lift it.
    pub advice: Option<String>,
}

/// Rows of a page that are looked at.
const MOST_ROWS: usize = 100;

/// Parts of two scores that are told.
const MOST_PARTS: usize = 3;

/// What to do about a page that another stands for.
const DUPLICATES: &str =
    "exact_duplicates and near_duplicates of the project say what is done with such pages";

/// A page so many times as long as others is long.
const LONG: f64 = 1.5;

pub(super) fn why_not(
    data: &Data,
    index: &Arc<OpenIndex>,
    request: &WhyNotRequest,
    now: Timestamp,
) -> Result<WhyNot, ServiceError> {
    let mut answer = WhyNot { query: request.query.clone(), url: request.url.clone(), ..WhyNot::default() };
    let mut stories: Vec<(&str, Why)> = Vec::new();
    for project in &index.settings.projects {
        let asked = WhyRequest { url: request.url.clone(), project: project.parse().ok() };
        stories.push((project, why::why(data, &asked, now)?));
    }
    let known = stories.iter().any(|(_, story)| story.known);
    stories.retain(|(_, story)| story.known || !known);
    for (project, story) in &stories {
        answer.url = story.url.to_string();
        answer.chain.push(format!("crawl {project}: {}", story.words));
    }
    let found = with_searcher(index, now, |searcher| {
        let mut found = Vec::new();
        for (project, story) in &stories {
            found.extend(searcher.documents_of(project, story.url.as_str(), MOST_ROWS)?);
        }
        if found.iter().any(|located| located.document.kind == DocumentKind::Page) {
            found.retain(|located| located.document.kind == DocumentKind::Page);
        }
        if found.is_empty() {
            return Ok(None);
        }
        let told = Told { index, searcher, query: &request.query, found: &found };
        told.tell(&mut answer)?;
        Ok(Some(()))
    })?;
    if found.is_none() {
        let (reason, advice) = not_indexed(data, index, &stories)?;
        answer.chain.push(format!("index {}: the page is not in it: {reason}", index.name));
        answer.advice = advice.map(str::to_owned);
    }
    Ok(answer)
}

/// Why nothing of a page is in the index, and what to do.
fn not_indexed(
    data: &Data,
    index: &Arc<OpenIndex>,
    stories: &[(&str, Why)],
) -> Result<(String, Option<&'static str>), ServiceError> {
    let Some((project, story)) = stories.iter().find(|(_, story)| story.known) else {
        let advice = "let a page that is crawled link to it, or name it under start; \"gannet why URL\" tells which rules speak of it";
        return Ok(("the crawl has not found it".to_owned(), Some(advice)));
    };
    if index.settings.of == Source::Rows {
        let advice = "\"gannet try URL\" shows what is read from a page; an index of pages has \"of: pages\" or \"of: both\"";
        return Ok((
            "it holds rows, and none was read from this page or leads to it".to_owned(),
            Some(advice),
        ));
    }
    let entry = project.parse().ok().map(|name| data.project(Some(&name))).transpose()?;
    let key = UrlKey::of(&story.url);
    let snapshot = data.store().snapshot();
    let last = match entry {
        None => None,
        Some(entry) => visits(&snapshot, entry.crawl, key)?.pop(),
    };
    let Some(Visited { visit, .. }) = last else {
        return Ok((
            "it was not fetched".to_owned(),
            Some("\"gannet why URL\" tells which rules speak of it"),
        ));
    };
    let kind = visit.content_type.as_deref().unwrap_or("unknown");
    let reason = match visit.status {
        None => (format!("the last fetch failed: {}", story.words), None),
        Some(status) if !(200..=299).contains(&status) => {
            (format!("its last answer had status {status}"), Some("pages are indexed whose status is 200"))
        }
        Some(_) if visit.noindex => (
            "it says noindex, or is off topic and marked so".to_owned(),
            Some("its owner must take noindex away; off_topic: keep lets pages off topic in"),
        ),
        Some(_) if index.leaves_out(story.url.as_str()) => match index.stands_for(story.url.as_str()) {
            Some(other) => (format!("it says the same as {other}, which stands for it"), Some(DUPLICATES)),
            None => {
                let advice = "replace_pages gives up pages where max_pages leaves no room";
                ("it was given up for a more important page".to_owned(), Some(advice))
            }
        },
        Some(_) if visit.content_bytes == 0 => ("its answer was empty".to_owned(), None),
        Some(_) if feed::behind(data, index)? > 0 => (
            "the index has not come to it yet".to_owned(),
            Some("\"gannet index status\" tells how far it is"),
        ),
        Some(_) => (format!("nothing could be read from it; its type is {kind}"), None),
    };
    Ok(reason)
}

/// What the index and its searches say of a page's documents.
struct Told<'a, 's> {
    index: &'a OpenIndex,
    searcher: &'a Searcher<'s>,
    query: &'a str,
    /// The page, or rows.
    found: &'a [Located],
}

impl Told<'_, '_> {
    fn tell(&self, answer: &mut WhyNot) -> Result<(), SearchError> {
        let is_row = self.found[0].document.kind == DocumentKind::Row;
        let noun = if is_row { "row" } else { "page" };
        answer.chain.push(match (is_row, self.found.len()) {
            (false, _) => format!("index {}: the page is in it", self.index.name),
            (true, 1) => format!("index {}: a row of the page is in it", self.index.name),
            (true, rows) => format!("index {}: {rows} rows of the page are in it", self.index.name),
        });
        let search = Search { query: self.query.to_owned(), ..Search::default() };
        let ranking = self.searcher.ranking(&search)?;
        let plan = self.searcher.plan(self.query, &ranking)?;
        for word in &plan.ignored {
            answer.chain.push(format!("“{word}” is too common or too short to be looked for"));
        }
        for (word, others) in &plan.spread {
            answer.chain.push(format!("also looked for, near “{word}”: {}", others.join(", ")));
        }
        let names: BTreeSet<&str> = self.found.iter().map(|located| located.document.id.as_str()).collect();
        let hit = self.searcher.hit_where(&search, |hit| names.contains(hit.id.as_str()))?;
        let (located, unmet) = self.nearest(&ranking, hit.as_ref())?;
        answer.chain.extend(unmet.reasons.iter().cloned());
        let matched = if unmet.matches { "matches" } else { "does not match" };
        answer.chain.push(format!("the query {matched} the {noun}"));
        for (number, rule) in search::in_force(&ranking, self.query, &located.document.url) {
            let only =
                rule.query.as_ref().map(|query| format!(", for the query “{query}”")).unwrap_or_default();
            let does = match rule.act {
                Act::Pin => "pins it".to_owned(),
                Act::Block => "blocks it".to_owned(),
                Act::Demote(by) => format!("multiplies its score by {by}"),
            };
            answer.chain.push(format!("rule {number} ({}{only}) {does}", rule.url));
        }
        match hit {
            Some(hit) => self.placed(answer, &search, &ranking, &hit, located, &unmet),
            None if !unmet.matches => {
                answer.advice = advice_for_unmet(&unmet, noun);
                Ok(())
            }
            None => self.left_out(answer, &search, &ranking, &names, located),
        }
    }

    /// The document that is the hit, or that comes nearest to being one, and what it lacks.
    fn nearest(&self, ranking: &Ranking, hit: Option<&Hit>) -> Result<(&Located, Unmet), SearchError> {
        let mut best: Option<(&Located, Unmet)> = None;
        for located in self.found {
            if hit.is_some_and(|hit| hit.id != located.document.id) {
                continue;
            }
            let unmet = self.searcher.unmet(self.query, ranking, located)?;
            let rank = |unmet: &Unmet| (!unmet.matches, unmet.reasons.len());
            if best.as_ref().is_none_or(|(_, known)| rank(&unmet) < rank(known)) {
                best = Some((located, unmet));
            }
        }
        match best {
            Some(best) => Ok(best),
            None => Ok((&self.found[0], Unmet::default())),
        }
    }

    /// It is a hit: its place, and what the one above it has.
    fn placed(
        &self,
        answer: &mut WhyNot,
        search: &Search,
        ranking: &Ranking,
        hit: &Hit,
        located: &Located,
        unmet: &Unmet,
    ) -> Result<(), SearchError> {
        let place = hit.place;
        answer.place = Some(place);
        let about = self.searcher.hits_about(search, place)?;
        let score = if hit.pinned { String::new() } else { format!(", with a score of {:.3}", hit.score) };
        answer.chain.push(format!("it is number {place} of {} hits{score}", about.total));
        let at = |place: usize| about.hits.iter().find(|hit| hit.place == place);
        let (Some(above), Some(own)) = (place.checked_sub(1).and_then(at), at(place)) else {
            return Ok(());
        };
        let url = &above.url;
        if above.pinned {
            answer.chain.push(format!("above it is {url}, which is pinned"));
            return Ok(());
        }
        answer.chain.push(format!(
            "above it is {url} with {:.3}, {:.3} more",
            above.score,
            above.score - own.score
        ));
        if ranking.all_words_first && above.all_words && !own.all_words {
            answer.chain.push("hits with all words come first".to_owned());
        }
        for (part, theirs, mine) in search::differences(above, own, MOST_PARTS) {
            answer.chain.push(format!("{part}: {theirs:.3} there, {mine:.3} here"));
        }
        let lacking = !unmet.words.is_empty();
        let (words, usual) = self.searcher.length_of(self.query, ranking, located)?;
        answer.advice = Some(if lacking && ranking.all_words_first {
            format!(
                "it lacks “{}”; all_words_first=false orders by the score alone",
                unmet.words.join("”, “")
            )
        } else if words as f64 > LONG * usual && ranking.b > 0.0 {
            format!(
                "it has {words} words where {usual:.0} are usual: b below {} holds long texts back less",
                ranking.b
            )
        } else {
            "\"gannet search --explain\" shows each part of the scores".to_owned()
        });
        Ok(())
    }

    /// It matches and is no hit: what leaves it out.
    fn left_out(
        &self,
        answer: &mut WhyNot,
        search: &Search,
        ranking: &Ranking,
        names: &BTreeSet<&str>,
        located: &Located,
    ) -> Result<(), SearchError> {
        let url = located.document.url.as_str();
        let blocks = |(_, rule): &(usize, &search::settings::Rule)| rule.act == Act::Block;
        if let Some((number, _)) = search::in_force(ranking, self.query, url).find(blocks) {
            answer.advice = Some(format!("change rule {number} under ranking.rules"));
            return Ok(());
        }
        let group = |url: &str| self.searcher.shards[located.shard].group(url);
        if located.document.kind == DocumentKind::Page
            && let Some(own) = group(url)
        {
            let same = |hit: &Hit| group(&hit.url).is_some_and(|other| other.number == own.number);
            let shown = self.searcher.hit_where(search, same)?.map(|hit| hit.url);
            if own.hidden || shown.is_some() {
                let other = shown.or_else(|| self.index.stands_for(url));
                let other = other.unwrap_or_else(|| "another page".to_owned());
                answer.chain.push(format!("it says the same as {other}, which stands for it"));
                answer.advice = Some(DUPLICATES.to_owned());
                return Ok(());
            }
        }
        let without = |change: &dyn Fn(&mut Ranking)| {
            let mut ranking = ranking.clone();
            change(&mut ranking);
            let search = Search { ranking: Some(ranking), ..search.clone() };
            self.searcher.hit_where(&search, |hit| names.contains(hit.id.as_str()))
        };
        if ranking.cut > 0.0
            && let Some(hit) = without(&|ranking| ranking.cut = 0.0)?
        {
            answer.chain.push(format!(
                "cut leaves it out: its score of {:.3} is less than {} of the best",
                hit.score, ranking.cut
            ));
            answer.advice = Some(format!("cut=0 shows it as number {}", hit.place));
            return Ok(());
        }
        if ranking.per_site > 0
            && let Some(hit) = without(&|ranking| ranking.per_site = 0)?
        {
            answer.chain.push(format!(
                "per_site leaves it out: {} better hits of {} are shown",
                ranking.per_site,
                located.document.host()
            ));
            answer.advice = Some(format!("per_site=0 shows it as number {}", hit.place));
            return Ok(());
        }
        answer.chain.push(
            match without(&|ranking| {
                ranking.cut = 0.0;
                ranking.per_site = 0;
            })? {
                Some(hit) => {
                    format!("cut and per_site together leave it out; without them it is number {}", hit.place)
                }
                None => format!("it is not among the first {} hits", search::DEEPEST),
            },
        );
        Ok(())
    }
}

fn advice_for_unmet(unmet: &Unmet, noun: &str) -> Option<String> {
    if unmet.words.is_empty() {
        return (!unmet.reasons.is_empty()).then(|| "leave out what does not hold".to_owned());
    }
    Some(format!("search for words that the {noun} has, or give synonyms in the index's analysis"))
}
