//! The session of a browser.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::guard;
use crate::problem::{Problem, Problems};
use crate::signin::cookie;
use crate::state::App;

/// Who asks, and whom.
#[derive(Serialize, ToSchema)]
pub(crate) struct Session {
    /// Who is signed in.
    user: &'static str,
    /// To be sent as `x-gannet-csrf` with requests that change something; none for tokens, which need none.
    csrf: Option<String>,
    /// Version of the program.
    version: &'static str,
    /// Address of the bundled demo site.
    demo: Option<String>,
    /// The data directory.
    data_dir: String,
    /// Whether the program has its web UI.
    ui: bool,
}

/// Who is signed in.
#[utoipa::path(get, path = "/session", tag = "session", responses((status = 200, body = Session), Problems))]
pub(crate) async fn show(State(app): State<App>, headers: HeaderMap) -> Json<Session> {
    let dir = app.data.dir();
    Json(Session {
        user: "local",
        csrf: guard::session(&app, &headers).map(|session| session.csrf()),
        version: env!("CARGO_PKG_VERSION"),
        demo: app.demo.map(|address| format!("http://{address}/")),
        data_dir: std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned()).display().to_string(),
        ui: app.assets.has_ui(),
    })
}

/// Signs out.
#[utoipa::path(delete, path = "/session", tag = "session", responses((status = 204), Problems))]
pub(crate) async fn sign_out(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    if let Some(session) = guard::session(&app, &headers) {
        app.access.sign_out(&session).await?;
    }
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie(&app, "", 0))]).into_response())
}
