//! Judged queries on an index: its documents go by their URLs.

use std::collections::BTreeMap;

use measure::{Comparison, Evaluation, Judgments, Measure};
use model::Timestamp;
use search::Ranking;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{feed, open, with_searcher};
use crate::sink::Sink;
use crate::{Data, ServiceError};

/// What to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluateRequest {
    /// In this index; that of the project that ran last unless said.
    pub index: Option<String>,
    /// Queries by their ids.
    pub queries: BTreeMap<String, String>,
    /// TREC qrels, or query, document and grade; documents go by their URLs.
    pub judgments: String,
    /// The ranking that is measured.
    #[schema(value_type = Object)]
    pub ranking: Ranking,
    /// One that it is compared with.
    #[schema(value_type = Option<Object>)]
    pub against: Option<Ranking>,
    /// The measures; the usual ones if empty.
    pub measures: Vec<String>,
}

#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    evaluation: Evaluation,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<Evaluation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Vec<Comparison>>,
}

pub(crate) fn evaluate(
    data: &Data,
    request: &EvaluateRequest,
    now: Timestamp,
    out: &mut Sink<'_>,
) -> Result<(), ServiceError> {
    let index = open::chosen(data, request.index.as_deref(), now)?;
    feed::catch_up(data, &index, None)?;
    let settings = |error: measure::MeasureError| ServiceError::Settings(error.to_string());
    let judgments = Judgments::parse(&request.judgments).map_err(settings)?;
    let mut measures = request
        .measures
        .iter()
        .map(|name| name.parse())
        .collect::<Result<Vec<Measure>, _>>()
        .map_err(settings)?;
    if measures.is_empty() {
        measures = Measure::USUAL.to_vec();
    }
    let run = |ranking: &Ranking| {
        with_searcher(&index, now, |searcher| {
            search::evaluate(searcher, ranking, &request.queries, &judgments, &measures, |document| {
                document.url
            })
        })
    };
    let evaluation = run(&request.ranking)?;
    let against = request.against.as_ref().map(run).transpose()?;
    let compare = |against: &Evaluation| {
        let one = |measure: &Measure| measure::compare(&measure.to_string(), against, &evaluation);
        measures.iter().map(one).collect::<Result<Vec<_>, _>>().map_err(settings)
    };
    let comparison = against.as_ref().map(compare).transpose()?;
    out.send(&Answer { evaluation, against, comparison })
}
