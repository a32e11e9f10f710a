//! `gannet crawl --server URL`: the project is kept on the server, the run works there and is watched from here.

use std::time::Duration;

use model::Project;
use serde_json::{Value, json};
use server::Method;
use server::client::{ClientError, Remote};
use service::Summary;

use super::asking::{refused, runtime};
use crate::output::Output;
use crate::{Context, Exit, Failure};

/// Between two looks at the run.
const LOOK: Duration = Duration::from_millis(500);

/// Crawls on a server and waits for the end. Ctrl-C only ends the waiting.
pub(super) fn crawl_there(
    context: &Context,
    server: &Remote,
    project: &Project,
    begin: &Value,
) -> Result<Exit, Failure> {
    let run = runtime()?.block_on(watch(context, server, project, begin)).map_err(refused)?;
    let Some(run) = run else { return Ok(Exit::Interrupted) };
    let summary: Option<Summary> = serde_json::from_value(run["summary"].clone()).ok();
    let mut out = Output::new();
    let reason = run["reason"].as_str().unwrap_or_default();
    match (&summary, context.json) {
        (_, true) => {
            let mut summary = run["summary"].clone();
            summary["reason"] = reason.into();
            out.line(summary)?;
        }
        (Some(summary), false) => out.line(format_args!("{reason}\n\n{summary}"))?,
        (None, false) => out.line(reason)?,
    }
    out.done()?;
    Ok(match run["state"].as_str() {
        Some("stopped" | "cancelled") => Exit::Interrupted,
        Some("completed") if summary.is_some_and(|summary| summary.pages_fetched > 0) => Exit::Done,
        _ => Exit::Failed,
    })
}

async fn watch(
    context: &Context,
    server: &Remote,
    project: &Project,
    begin: &Value,
) -> Result<Option<Value>, ClientError> {
    let name = project.name.as_str();
    let path = format!("/api/v1/projects/{name}");
    let body = json!({ "project": project.to_json() });
    let listed = server.call(Method::GET, "/api/v1/projects", None).await?;
    let known = listed["items"].as_array().is_some_and(|all| all.iter().any(|one| one["name"] == name));
    match known {
        true => server.call(Method::PUT, &path, Some(&body)).await?,
        false => server.call(Method::POST, "/api/v1/projects", Some(&body)).await?,
    };
    let begun = server.call(Method::POST, &format!("{path}/runs"), Some(begin)).await?;
    let id = begun["id"].as_i64().unwrap_or_default();
    if !context.quiet {
        eprintln!("crawling {name} on the server, run {id}; Ctrl-C ends the waiting, not the run");
    }
    loop {
        let run = server.call(Method::GET, &format!("/api/v1/runs/{id}"), None).await?;
        if !matches!(run["state"].as_str(), Some("running" | "paused" | "stopping")) {
            return Ok(Some(run));
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = super::crawl::wait_for_signal() => return Ok(None),
        }
    }
}
