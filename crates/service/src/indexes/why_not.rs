//! Why a page is missing or low for a query: the chain from crawl to rank, up to where it breaks.

use std::sync::Arc;

use model::Timestamp;
use search::{Search, Shard};
use serde::{Deserialize, Serialize};

use super::page_feed::page_id;
use super::{OpenIndex, WhyNotRequest, with_searcher};
use crate::{Data, ServiceError, WhyRequest, why};

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

/// Places looked at.
const LOOKED_AT: usize = 1_000;

pub(super) fn why_not(
    data: &Data,
    index: &Arc<OpenIndex>,
    request: &WhyNotRequest,
    now: Timestamp,
) -> Result<WhyNot, ServiceError> {
    let mut answer = WhyNot { query: request.query.clone(), url: request.url.clone(), ..WhyNot::default() };
    // Crawled?
    let mut found = None;
    for project in &index.settings.projects {
        let asked = WhyRequest { url: request.url.clone(), project: project.parse().ok() };
        let story = why::why(data, &asked, now)?;
        answer.url = story.url.to_string();
        answer.chain.push(format!("crawl {project}: {}", story.words));
        let id = page_id(project, &answer.url);
        if let Some(shard) = index.shard()?
            && let Some(address) = shard.find(&id)?
        {
            found = Some((shard, address, id));
            break;
        }
    }
    // Indexed?
    let Some((shard, address, id)) = found else {
        answer.chain.push(format!("index {}: the page is not in it", index.name));
        answer.advice = Some(
            "pages are indexed that were fetched with status 200, hold text and do not say noindex"
                .to_owned(),
        );
        return Ok(answer);
    };
    answer.chain.push(format!("index {}: the page is in it", index.name));
    // Matched?
    let document = shard.document(address)?;
    let outcome = with_searcher(index, now, |searcher| {
        let ranking = searcher.ranking(&Search::default())?;
        let plan = searcher.plan(&request.query, &ranking)?;
        let mut steps = Vec::new();
        for word in &plan.ignored {
            steps.push(format!("“{word}” is too common or too short to be looked for"));
        }
        for (word, others) in &plan.spread {
            steps.push(format!("nothing has “{word}”; looked for: {}", others.join(", ")));
        }
        let mut missing = Vec::new();
        for word in &plan.words {
            let asked = index::Query::Any(word.iter().cloned().map(index::Query::Term).collect());
            if !word.is_empty() && !shard.matches(&asked, address)? {
                missing.push(word[0].text.clone());
            }
        }
        if !missing.is_empty() {
            steps.push(format!("the page has not: {}", missing.join(", ")));
        }
        for filter in &plan.filters {
            if !shard.matches(filter, address)? {
                steps.push("a condition of the query does not hold for the page".to_owned());
            }
        }
        let matched = shard.matches(&plan.query, address)?;
        steps.push(
            if matched { "the query matches the page" } else { "the query does not match the page" }
                .to_owned(),
        );
        let names = searcher.ranking_of(&request.query, &ranking, LOOKED_AT, |document| document.id)?;
        Ok((steps, names.iter().position(|name| *name == id).map(|at| at + 1), missing, matched))
    })?;
    let (steps, place, missing, matched) = outcome;
    answer.chain.extend(steps);
    answer.place = place;
    match place {
        Some(place) => answer.chain.push(format!("it is number {place} of the hits")),
        None if matched => answer.chain.push(format!("it is not among the first {LOOKED_AT} hits")),
        None => {}
    }
    let rules = &index.settings.ranking.rules;
    if rules.iter().any(|rule| answer.url.contains(rule.url.trim_matches('*'))) {
        answer.chain.push("a rule of the index speaks of this page".to_owned());
    }
    answer.advice = match (place, missing.is_empty()) {
        (Some(1), _) => None,
        (Some(_), false) => Some("pages with all words come first: it lacks some".to_owned()),
        (Some(_), true) => {
            let words = document.text.split_whitespace().count();
            Some(format!(
                "it has {words} words; a lower b favours long pages, \"gannet search --explain\" shows each part of the scores"
            ))
        }
        (None, false) => {
            Some("search for words that the page has, or give synonyms in the index's analysis".to_owned())
        }
        (None, true) => None,
    };
    Ok(answer)
}
