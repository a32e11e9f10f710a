//! From a request to its answer: the one door for command line and API.

use std::ops::ControlFlow;

use model::Timestamp;
use serde_json::{Value, json};

use crate::sink::Sink;
use crate::{
    Data, Request, RunChoice, RunId, RunLogRequest, ServiceError, Steer, accept, change_order, change_speed,
    changes, check, duplicates, exclude, exports, forecast, hosts, indexes, link_index, links, log, mirrors,
    pages, ranks, repair, rows, simulations, steer, summary, why,
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
        Request::Changes(request) => changes::changes(data, request, out),
        Request::Version(request) => changes::version(data, request, out),
        Request::Accept(request) => accept::accept(data, request, now).and_then(|done| out.send(&done)),
        Request::Duplicates(request) => duplicates::duplicates(data, request, out),
        Request::Mirrors(request) => mirrors::mirrors(data, request, out),
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
        Request::Log(request) => log_lines(data, request, out),
        Request::Exclude(request) => data
            .chosen_run(&request.of)
            .and_then(|run| exclude(data, run.id, &request.patterns, request.dry_run))
            .and_then(|excluded| out.send(&excluded)),
        Request::Speed(request) => data
            .chosen_run(&request.of)
            .and_then(|run| change_speed(data, run.id, &request.rate, request.keep))
            .and_then(|view| out.send(&view)),
        Request::Order(request) => data
            .chosen_run(&request.of)
            .and_then(|run| change_order(data, run.id, request))
            .and_then(|view| out.send(&view)),
        Request::Simulate(scenario) => {
            simulations::simulate(data, scenario).and_then(|simulated| out.send(&simulated))
        }
        Request::SimulateListed(scenario) => simulations::simulate_listed(data, scenario, out),
        Request::WhatIf(request) => simulations::what_if(data, request).and_then(|told| out.send(&told)),
        Request::Progress(choice) => progress(data, choice, out),
        Request::Forecast(choice) => data
            .chosen_run(choice)
            .and_then(|run| forecast(data, run.id))
            .and_then(|forecast| out.send(&forecast)),
        Request::Pause(choice) => steered(data, choice, Steer::Pause, out),
        Request::Resume(choice) => steered(data, choice, Steer::Resume, out),
        Request::Stop(choice) => steered(data, choice, Steer::Stop, out),
        Request::Cancel(choice) => steered(data, choice, Steer::Cancel, out),
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

/// Of the run of a number, else of the latest run of a project.
fn log_lines(data: &Data, request: &RunLogRequest, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let run = match request.run {
        Some(run) => RunId(run),
        None => {
            let entry = data.project(request.project.as_ref())?;
            let run = data.wait(data.catalog().last_run(entry.id))?;
            run.ok_or_else(|| ServiceError::NotRunning(data.dir().to_owned()))?.id
        }
    };
    out.send(&log(data, run, &request.lines)?)
}

/// Of the run that is meant, else of every run at work.
fn progress(data: &Data, choice: &RunChoice, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let runs = match data.chosen_run(choice) {
        Err(ServiceError::SeveralRuns(_)) => data.live_runs(),
        chosen => vec![chosen?],
    };
    runs.iter().try_for_each(|run| out.send(&*run.progress.borrow()))
}

fn steered(data: &Data, choice: &RunChoice, wish: Steer, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let run = data.chosen_run(choice)?.id;
    steer(data, run, wish)?;
    out.send(&json!({ "done": true, "run": run.0 }))
}
