//! Every path that is answered.

use std::sync::Arc;

use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use service::{Class, Data, Request};

use crate::wire::{Line, Trouble};
use crate::{Now, stream};

/// The table of contents.
pub(crate) fn router(data: Arc<Data>, now: Now) -> Router {
    Router::new()
        .route("/api/v1/ask", post(ask))
        .route("/api/v1/status", get(status))
        .with_state(Owner { data, now })
}

#[derive(Clone)]
struct Owner {
    data: Arc<Data>,
    now: Now,
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
