//! Exports: rows and pages as downloads, streamed.

use std::ops::ControlFlow;
use std::path::PathBuf;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Value, json};
use service::{ExportPart, ExportRequest, Request, ServiceError};
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;

use super::projects::{entry, parse_name};
use super::rows;
use crate::extract::{Pairs, Path};
use crate::problem::{Problem, Problems};
use crate::state::App;
use crate::wire::Line;
use crate::{asking, stream};

/// Pieces on their way; beyond that the export waits for its reader.
const PIECES: usize = 8;

/// Bytes of a file sent in one piece.
const PIECE: usize = 64 * 1024;

/// Downloads `rows.csv`, `rows.json`, `rows.jsonl`, `rows.sqlite`, `pages.csv`, `pages.jsonl`, `pages.sqlite`,
/// `pages.sitemap` or `pages.warc`.
#[utoipa::path(
    get, path = "/projects/{name}/export/{file}", tag = "exports",
    params(
        ("name" = String, Path),
        ("file" = String, Path, description = "rows.csv, rows.json, rows.jsonl, rows.sqlite, pages.csv, pages.jsonl, pages.sqlite, pages.sitemap or pages.warc"),
        ("filter" = Option<Vec<String>>, Query, description = "Of rows: conditions that must all hold", style = Form, explode),
        ("sort" = Option<Vec<String>>, Query, description = "Of rows: columns to sort by", style = Form, explode),
        ("columns" = Option<String>, Query, description = "Of rows: these columns, separated by commas"),
        ("page_type" = Option<String>, Query, description = "Of rows: only those read as this page type"),
        ("run" = Option<i64>, Query, description = "Of rows: as they stood after this run"),
        ("changes" = Option<String>, Query, description = "Of rows: only those of which this became"),
        ("outcome" = Option<Vec<String>>, Query, description = "Of pages: only with these outcomes", style = Form, explode)
    ),
    responses(
        (
            status = 200, description = "The file",
            content(
                (Vec<u8> = "text/csv"), (Vec<u8> = "application/x-ndjson"), (Vec<u8> = "application/json"),
                (Vec<u8> = "application/vnd.sqlite3"), (Vec<u8> = "application/xml"), (Vec<u8> = "application/warc")
            )
        ),
        Problems
    )
)]
pub(crate) async fn download(
    State(app): State<App>,
    Path((name, file)): Path<(String, String)>,
    query: Pairs,
) -> Result<Response, Problem> {
    let unknown =
        || Problem::missing(format!("there is no export {file:?}")).advise("ask for rows.csv or pages.csv");
    let (what, format) = file.split_once('.').ok_or_else(unknown)?;
    let (kind, ending) = match (what, format) {
        ("rows" | "pages", "csv") => ("text/csv; charset=utf-8", "csv"),
        ("rows" | "pages", "jsonl") => ("application/x-ndjson", "jsonl"),
        ("rows", "json") => ("application/json", "json"),
        ("rows" | "pages", "sqlite") => ("application/vnd.sqlite3", "sqlite"),
        ("pages", "sitemap") => ("application/xml", "xml"),
        ("pages", "warc") => ("application/warc", "warc.gz"),
        _ => return Err(unknown()),
    };
    entry(&app, &name).await?;
    let mut request = ExportRequest {
        project: Some(parse_name(&name)?),
        format: format.to_owned(),
        path: None,
        force: false,
        outcomes: query.all("outcome").map(str::to_owned).collect(),
        rows: None,
    };
    if what == "rows" {
        request.rows = Some(rows::request(&name, &query)?);
    }
    let pieces = match format {
        "sqlite" => through_file(&app, request).await?.1,
        _ => streamed(&app, request).await?,
    };
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}-{what}.{ending}\"")),
    ];
    Ok((headers, stream::body(pieces)).into_response())
}

/// A format that needs a file, as the lines that the command line takes.
pub(crate) async fn handed_over(app: &App, request: ExportRequest) -> Result<Response, Problem> {
    let (parts, mut pieces) = through_file(app, request).await?;
    let (sender, receiver) = mpsc::channel::<Bytes>(PIECES);
    tokio::spawn(async move {
        let mut rows = 0;
        while let Some(bytes) = pieces.recv().await {
            let piece = ExportPart::Piece { base64: STANDARD.encode(bytes) };
            rows += 1;
            if sender.send(line(&Line::Row(json!(piece)))).await.is_err() {
                return;
            }
        }
        // What was written, but not where: nobody else can go there.
        let told = parts.into_iter().filter_map(|part| serde_json::from_value(part).ok()).next_back();
        if let Some(ExportPart::Exported { rows: written, left_out, .. }) = told {
            let told = ExportPart::Exported { rows: written, files: Vec::new(), left_out };
            rows += 1;
            let _ = sender.send(line(&Line::Row(json!(told)))).await;
        }
        let _ = sender.send(line(&Line::End(rows))).await;
    });
    Ok(([(header::CONTENT_TYPE, stream::JSON_LINES)], stream::body(receiver)).into_response())
}

fn line(line: &Line) -> Bytes {
    let mut bytes = Vec::new();
    line.write(&mut bytes);
    bytes.into()
}

/// Pieces as they are made. What fails before the first is a problem; later the download breaks off.
async fn streamed(app: &App, request: ExportRequest) -> Result<mpsc::Receiver<Bytes>, Problem> {
    let (sender, receiver) = mpsc::channel(PIECES);
    let (begun, begins) = tokio::sync::oneshot::channel();
    let (data, now) = (app.data.clone(), (app.now)());
    tokio::task::spawn_blocking(move || {
        let mut begun = Some(begun);
        let mut say = |word: Result<(), ServiceError>| {
            if let Some(begun) = begun.take() {
                let _ = begun.send(word);
            }
        };
        let result = service::answer(&data, &Request::Export(request), now, &mut |part| {
            say(Ok(()));
            let Ok(ExportPart::Piece { base64 }) = serde_json::from_value(part) else {
                return ControlFlow::Continue(());
            };
            let bytes = STANDARD.decode(base64).unwrap_or_default();
            match sender.blocking_send(bytes.into()) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        if let Err(error) = &result {
            tracing::debug!(error = %error.sentence(), "export failed");
        }
        say(result);
    });
    begins.await.map_err(|_| ServiceError::Lost)??;
    Ok(receiver)
}

/// A format that needs a file: made beside the data, sent, and gone.
async fn through_file(
    app: &App,
    mut request: ExportRequest,
) -> Result<(Vec<Value>, mpsc::Receiver<Bytes>), Problem> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).expect("the system has random numbers");
    let name = format!("export-{:016x}.sqlite", u64::from_ne_bytes(random));
    let dir = std::path::absolute(app.data.dir()).map_err(|error| Problem::request(error.to_string()))?;
    let path: PathBuf = dir.join(name);
    request.path = Some(path.clone());
    let made = asking::all(app, Request::Export(request)).await;
    let (parts, opened) = match made {
        Ok(parts) => {
            let opened = tokio::fs::File::open(&path).await.map_err(|source| ServiceError::Io {
                action: "open",
                path: path.clone(),
                source,
            });
            (parts, opened)
        }
        Err(problem) => {
            let _ = std::fs::remove_file(&path);
            return Err(problem);
        }
    };
    // Open, it can be read without its name, and nothing is left behind whatever happens.
    let _ = std::fs::remove_file(&path);
    let mut file = opened?;
    let (sender, receiver) = mpsc::channel(PIECES);
    tokio::spawn(async move {
        loop {
            let mut piece = Vec::with_capacity(PIECE);
            match file.read_buf(&mut piece).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {
                    if sender.send(piece.into()).await.is_err() {
                        break;
                    }
                }
            }
        }
    });
    Ok((parts, receiver))
}
