//! Indexes: made, followed, searched and dropped without touching the crawl.
//!
//! Their settings are in the catalog, their segments under `<data>/index/NAME`. Each follows the archive and the rows
//! of its projects by a cursor that is part of its own commits, so it can lag, be killed, and be made again. Pages that
//! others stand for are left out (`left_out`).

mod dictionary;
mod feed;
mod follow;
mod judged;
mod kept;
mod left_out;
mod open;
mod page_feed;
mod phrases;
mod request;
mod row_feed;
mod why_not;

use std::sync::Arc;

use model::Timestamp;
use search::{Answer, Search, Searcher};
use serde::Serialize;
use serde_json::json;

pub(crate) use follow::{Follower, follow};
pub use judged::EvaluateRequest;
pub(crate) use judged::evaluate;
pub use open::index_settings;
pub(crate) use open::{Indexes, OpenIndex, ensure, is_over, project_deleted, project_renamed};
pub use request::{
    CachedRequest, IndexColumn, IndexRequest, IndexStatus, SearchRequest, SuggestRequest, WhyNotRequest,
};
pub use why_not::WhyNot;

use crate::sink::Sink;
use crate::{Data, ServiceError};

/// Suggestions given, unless said.
const SUGGESTIONS: usize = 10;

/// Makes, lists, rebuilds and drops indexes.
pub(crate) fn index(
    data: &Data,
    request: &IndexRequest,
    now: Timestamp,
    out: &mut Sink<'_>,
) -> Result<(), ServiceError> {
    match request {
        IndexRequest::Create { name, settings, projects } => {
            let made = open::create(data, name, settings, projects, now)?;
            feed::catch_up(data, &made, None)?;
            out.send(&status(data, &made)?)
        }
        IndexRequest::List => {
            for entry in data.wait(data.catalog().indexes())? {
                let index = open::open(data, &entry)?;
                out.send(&status(data, &index)?)?;
            }
            Ok(())
        }
        IndexRequest::Status { name } => {
            let index = open::named(data, name)?;
            out.send(&status(data, &index)?)
        }
        IndexRequest::Ranking { name } => {
            out.send(&open::chosen(data, name.as_deref(), now)?.settings.ranking)
        }
        IndexRequest::Rebuild { name } => {
            let index = open::rebuild(data, name)?;
            feed::catch_up(data, &index, None)?;
            out.send(&status(data, &index)?)
        }
        IndexRequest::Drop { name } => {
            open::drop_index(data, name)?;
            out.send(&json!({ "dropped": name }))
        }
    }
}

fn status(data: &Data, index: &OpenIndex) -> Result<IndexStatus, ServiceError> {
    let view = index.index()?.map(|index| index.view()).transpose()?;
    Ok(IndexStatus {
        name: index.name.clone(),
        projects: index.settings.projects.clone(),
        documents: view.as_ref().map_or(0, |view| view.entries()),
        segments: view.as_ref().map_or(0, |view| view.segments() as u64),
        bytes: index.index()?.map_or(0, |index| index.bytes()),
        language: index.language(),
        behind: feed::behind(data, index)?,
        columns: index.fields()?.columns().map(column).collect(),
        settings: json!(index.settings),
    })
}

fn column((name, kind): (&str, &index::Kind)) -> IndexColumn {
    let kind = match kind {
        index::Kind::Number => "number",
        index::Kind::Date => "date",
        _ => "facet",
    };
    IndexColumn { name: name.to_owned(), kind: kind.to_owned() }
}

/// Reads what was committed since, unless a running crawl's follower does so all the time.
fn bring_up_to_date(data: &Data, index: &Arc<OpenIndex>) -> Result<(), ServiceError> {
    if index.is_followed() { Ok(()) } else { feed::catch_up(data, index, None) }
}

/// An answer, and where it comes from.
#[derive(Serialize)]
struct Found<'a> {
    index: &'a str,
    /// The project that has no index of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    instead_of: Option<String>,
    #[serde(flatten)]
    answer: Answer,
}

/// Searches.
pub(crate) fn search(
    data: &Data,
    request: &SearchRequest,
    now: Timestamp,
    out: &mut Sink<'_>,
) -> Result<(), ServiceError> {
    let (index, instead_of) = open::chosen_instead(data, request.index.as_deref(), now)?;
    bring_up_to_date(data, &index)?;
    index.renew_groups(data);
    let answer = with_searcher(&index, now, |searcher| searcher.search(&request.search))?;
    let Search { query, cursor, explain, .. } = &request.search;
    // What was misspelled, or meant for the language alone, helps nobody.
    let found = answer.with_all_words > 0 && answer.also.is_empty() && answer.did_you_mean.is_none();
    if found && phrases::is_plain(query) && cursor.is_none() && !explain {
        index.remember_query(query);
    }
    out.send(&Found { index: &index.name, instead_of, answer })
}

/// Suggests.
pub(crate) fn suggest(
    data: &Data,
    request: &SuggestRequest,
    now: Timestamp,
    out: &mut Sink<'_>,
) -> Result<(), ServiceError> {
    let index = open::chosen(data, request.index.as_deref(), now)?;
    bring_up_to_date(data, &index)?;
    let suggestions = index.suggestions(data)?;
    let most = request.limit.unwrap_or(SUGGESTIONS);
    suggestions.find(&request.typed, most).iter().try_for_each(|suggestion| out.send(suggestion))
}

/// A page as the index has it, with a query's words marked.
pub(crate) fn cached(
    data: &Data,
    request: &CachedRequest,
    now: Timestamp,
    out: &mut Sink<'_>,
) -> Result<(), ServiceError> {
    let index = open::chosen(data, request.index.as_deref(), now)?;
    bring_up_to_date(data, &index)?;
    let copy = with_searcher(&index, now, |searcher| searcher.cached(&request.url, &request.query))?;
    out.send(&copy)
}

/// Why a page is missing or low for a query.
pub(crate) fn why_not(
    data: &Data,
    request: &WhyNotRequest,
    now: Timestamp,
    out: &mut Sink<'_>,
) -> Result<(), ServiceError> {
    let index = open::chosen(data, request.index.as_deref(), now)?;
    bring_up_to_date(data, &index)?;
    index.renew_groups(data);
    out.send(&why_not::why_not(data, &index, request, now)?)
}

/// Runs `f` with something to search.
pub(crate) fn with_searcher<T>(
    index: &Arc<OpenIndex>,
    now: Timestamp,
    f: impl FnOnce(&Searcher<'_>) -> Result<T, search::SearchError>,
) -> Result<T, ServiceError> {
    let Some(shard) = index.shard()? else {
        // Nothing was indexed yet: an empty index answers.
        let empty = search::Collection::new(index.settings.clone(), &[])?;
        return Ok(empty.with(f)?);
    };
    let fields = index.fields()?;
    let seconds = i64::try_from(now.0 / 1_000).unwrap_or(i64::MAX);
    let searcher = Searcher { fields: &fields, settings: &index.settings, shards: &[&shard], now: seconds };
    Ok(f(&searcher)?)
}
