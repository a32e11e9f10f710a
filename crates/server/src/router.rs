//! Every path that is answered.

use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use service::{Class, Data, Request};

use crate::problem::Problem;
use crate::state::App;
use crate::wire::{Line, Trouble};
use crate::{Now, SignInLinks, api, guard, plain, signin, stream};

/// What browsers and programs can ask.
pub(crate) fn site(app: App) -> Router {
    let (api, description) = api::router().split_for_parts();
    let api = api
        .method_not_allowed_fallback(wrong_method)
        .fallback(nothing_there)
        .layer(from_fn_with_state(app.clone(), guard::signed_in));
    let asked = Router::new()
        .route("/s/{index}", get(plain::search))
        .layer(from_fn_with_state(app.clone(), guard::signed_in));
    Router::new()
        .nest("/api/v1", api)
        .route("/api/v1/openapi.json", get(async move || Json(description)))
        .route("/signin", get(signin::sign_in))
        .route("/signin/state", get(signin::state))
        .route("/healthz", get(async || "ok\n"))
        .route("/api", get(plain::api_page))
        .route("/plain.css", get(plain::style))
        .merge(asked)
        .fallback(files)
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(from_fn_with_state(app.clone(), guard::outer))
        .with_state(app)
}

/// What other commands can ask of the owner of a data directory.
pub(crate) fn socket(data: Arc<Data>, now: Now, links: Option<SignInLinks>) -> Router {
    Router::new()
        .route("/api/v1/ask", post(ask))
        .route("/api/v1/status", get(status))
        .route("/api/v1/signin", post(link))
        .with_state(Owner { data, now, links })
}

/// Longest body of a request, unless its path takes more.
const LONGEST_BODY: usize = 2 << 20;

async fn files(State(app): State<App>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    match method {
        Method::GET | Method::HEAD => app.assets.respond(uri.path(), &headers),
        _ => wrong_method().await.into_response(),
    }
}

async fn wrong_method() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "this path does not take that method")
}

async fn nothing_there(uri: Uri) -> Problem {
    Problem::missing(format!("there is nothing at {}", uri.path())).advise("GET /api shows what there is")
}

#[derive(Clone)]
struct Owner {
    data: Arc<Data>,
    now: Now,
    links: Option<SignInLinks>,
}

async fn link(State(owner): State<Owner>) -> Response {
    match owner.links {
        Some(links) => Json(json!({ "link": links.link() })).into_response(),
        None => {
            let message = "this process serves no browsers; \"gannet serve\" does".to_owned();
            let trouble = Trouble { class: Class::Request, message };
            (StatusCode::BAD_REQUEST, Json(Line::Error(trouble))).into_response()
        }
    }
}

async fn ask(State(owner): State<Owner>, request: Result<Json<Request>, JsonRejection>) -> Response {
    match request {
        Ok(Json(request)) => stream::respond(owner.data, owner.now, request).await,
        Err(rejection) => {
            let trouble = Trouble { class: Class::Request, message: rejection.body_text() };
            (StatusCode::BAD_REQUEST, Json(Line::Error(trouble))).into_response()
        }
    }
}

async fn status(State(owner): State<Owner>) -> Json<Value> {
    let progress = owner.data.live_runs().first().map(|run| run.progress.borrow().clone());
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "process": std::process::id(),
        "running": progress.is_some(),
        "progress": progress,
        "now": service::Moment((owner.now)()),
    }))
}
