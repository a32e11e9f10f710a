//! `gannet crawl --server URL` and `gannet refresh --server URL`: the project is kept on the server, the run works there
//! and is watched from here.

use std::time::Duration;

use model::Project;
use serde_json::{Value, json};
use server::Method;
use server::client::{ClientError, Remote};
use service::Summary;

use super::asking::{refused, runtime};
use super::crawl::Which;
use crate::output::Output;
use crate::signals::Signals;
use crate::{Context, Exit, Failure};

/// Between two looks at the run.
const LOOK: Duration = Duration::from_millis(500);

/// Crawls on a server and waits for the end. Ctrl-C only ends the waiting.
pub(super) fn crawl_there(
    context: &Context,
    server: &Remote,
    project: &Which,
    begin: &Value,
) -> Result<Exit, Failure> {
    let runtime = runtime()?;
    let name = runtime.block_on(async {
        match project {
            Which::Given(project) => keep(server, project).await.map(Some),
            Which::Kept(Some(name)) => Ok(Some(name.to_string())),
            Which::Kept(None) => ran_last(server).await,
        }
    });
    let Some(name) = name.map_err(refused)? else {
        let words = "no project of the server has run yet; \"gannet crawl URL --server\" makes one";
        return Err(Failure::usage(anyhow::anyhow!(words)));
    };
    let run = runtime.block_on(watch(context, server, &name, begin)).map_err(refused)?;
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

/// Keeps a project there; its name.
async fn keep(server: &Remote, project: &Project) -> Result<String, ClientError> {
    let name = project.name.as_str();
    let path = format!("/api/v1/projects/{name}");
    let body = json!({ "project": project.to_json() });
    let listed = server.call(Method::GET, "/api/v1/projects", None).await?;
    let known = listed["items"].as_array().is_some_and(|all| all.iter().any(|one| one["name"] == name));
    match known {
        true => server.call(Method::PUT, &path, Some(&body)).await?,
        false => server.call(Method::POST, "/api/v1/projects", Some(&body)).await?,
    };
    Ok(name.to_owned())
}

/// The project that ran last there.
async fn ran_last(server: &Remote) -> Result<Option<String>, ClientError> {
    let listed = server.call(Method::GET, "/api/v1/projects", None).await?;
    let all = listed["items"].as_array().into_iter().flatten();
    let ran = all.filter_map(|one| Some((one["last_run"]["id"].as_i64()?, one["name"].as_str()?)));
    Ok(ran.max().map(|(_, name)| name.to_owned()))
}

async fn watch(
    context: &Context,
    server: &Remote,
    name: &str,
    begin: &Value,
) -> Result<Option<Value>, ClientError> {
    let path = format!("/api/v1/projects/{name}");
    let begun = server.call(Method::POST, &format!("{path}/runs"), Some(begin)).await?;
    let id = begun["id"].as_i64().unwrap_or_default();
    let mut signals = Signals::listen();
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
            () = signals.next() => return Ok(None),
        }
    }
}
