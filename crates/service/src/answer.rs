//! From a request to its answer: the one door for command line and API.

use std::ops::ControlFlow;
use std::sync::Arc;

use model::Timestamp;
use serde_json::{Value, json};

use crate::sink::Sink;
use crate::{
    Data, Live, Request, ServiceError, check, exports, hosts, indexes, link_index, links, pages, ranks,
    repair, rows, summary, why,
};

/// Answers a request, value by value; `out` breaks when no more is wanted, which is no error.
pub fn answer(
    data: &Data,
    request: &Request,
    now: Timestamp,
    out: &mut dyn FnMut(Value) -> ControlFlow<()>,
) -> Result<(), ServiceError> {
    let out = &mut Sink(out);
    let result = match request {
        Request::Pages(request) => pages::pages(data, request, out),
        Request::Why(request) => why::why(data, request, now).and_then(|why| out.send(&why)),
        Request::Links(request) => links::links(data, request, out),
        Request::Rank(request) => ranks::rank(data, request, now, out),
        Request::Graph(request) => link_index::graph(data, request, out),
        Request::Hosts(request) => hosts::hosts(data, request, out),
        Request::Summary(choice) => {
            data.project(choice.project.as_ref()).and_then(|entry| out.send(&summary(data, &entry)?))
        }
        Request::Runs(choice) => runs(data, choice.project.as_ref(), out),
        Request::Rows(request) => rows::rows(data, request, out),
        Request::Diff(request) => rows::diff(data, request, out),
        Request::Export(request) => exports::export(data, request, out),
        Request::Index(request) => indexes::index(data, request, now, out),
        Request::Search(request) => indexes::search(data, request, now, out),
        Request::Suggest(request) => indexes::suggest(data, request, now, out),
        Request::Cached(request) => indexes::cached(data, request, now, out),
        Request::Evaluate(request) => indexes::evaluate(data, request, now, out),
        Request::WhyNot(request) => indexes::why_not(data, request, now, out),
        Request::Check => check::check(data, out),
        Request::Repair => repair::repair(data, now, out),
        Request::Progress => live(data).and_then(|live| out.send(&live.progress())),
        Request::Pause => steer(data, out, |live| live.pause()),
        Request::Resume => steer(data, out, |live| live.resume()),
        Request::Stop => steer(data, out, |live| live.stop()),
        Request::Cancel => steer(data, out, |live| live.cancel()),
    };
    match result {
        Err(ServiceError::Closed) => Ok(()),
        result => result,
    }
}

fn runs(data: &Data, project: Option<&model::ProjectName>, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let entry = data.project(project)?;
    let runs = data.wait(data.catalog().runs_of(entry.id))?;
    runs.iter().try_for_each(|run| out.send(run))
}

fn live(data: &Data) -> Result<Arc<dyn Live>, ServiceError> {
    data.live().ok_or_else(|| ServiceError::NotRunning(data.dir().to_owned()))
}

fn steer(data: &Data, out: &mut Sink<'_>, wish: impl FnOnce(&dyn Live)) -> Result<(), ServiceError> {
    wish(&*live(data)?);
    out.send(&json!({ "done": true }))
}
