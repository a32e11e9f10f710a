//! Signing a browser in: a one-time link becomes a session.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::access::SESSION;
use crate::extract::Pairs;
use crate::guard::{self, cookie_name};
use crate::problem::Problem;
use crate::state::App;

/// Trades the key of a link for a session's cookie.
pub(crate) async fn sign_in(State(app): State<App>, query: Pairs) -> Result<Response, Problem> {
    let key = query.one("key").unwrap_or_default();
    let Some(session) = app.access.sign_in(key, (app.now)()).await? else {
        let page = (StatusCode::FORBIDDEN, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], REFUSED);
        return Ok(page.into_response());
    };
    let cookie = cookie(&app, &session.0, SESSION.as_secs());
    let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, "/".to_owned())];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

/// Whether the browser that asks is signed in: no error either way, so that a page can find out quietly.
pub(crate) async fn state(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    let known = match guard::session(&app, &headers) {
        Some(session) => app.access.knows(&session, (app.now)()).await?,
        None => false,
    };
    let caching = [(header::CACHE_CONTROL, "no-store")];
    Ok((caching, Json(json!({ "signed_in": known }))).into_response())
}

/// What a person sees who is not signed in.
pub(crate) fn sign_in_first(status: StatusCode) -> Response {
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], NOT_SIGNED_IN).into_response()
}

/// The cookie of a session. Not `Secure`: loopback is spoken to without TLS.
pub(crate) fn cookie(app: &App, session: &str, seconds: u64) -> String {
    format!("{}={session}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}", cookie_name(app))
}

const REFUSED: &str = "<!doctype html><html lang=en><meta charset=utf-8>\
    <meta name=viewport content=\"width=device-width\"><title>Sign in to Gannet</title>\
    <link rel=icon href=/icon.svg><link rel=stylesheet href=/plain.css><body class=lone><main>\
    <p class=soft>Gannet<h1>This link does not sign in</h1><p>A sign-in link works once, for a day. Look for the latest \
    one in the terminal where <code>gannet serve</code> runs, or run this for another:<pre>gannet signin</pre>\
    <p>Signed in already? <a href=/>Go on</a>.</main>";

const NOT_SIGNED_IN: &str = "<!doctype html><html lang=en><meta charset=utf-8>\
    <meta name=viewport content=\"width=device-width\"><title>Sign in to Gannet</title>\
    <link rel=icon href=/icon.svg><link rel=stylesheet href=/plain.css><body class=lone><main>\
    <p class=soft>Gannet<h1>Sign in first</h1><p>Open the link that <code>gannet serve</code> printed at its start, or \
    run this for another:<pre>gannet signin</pre></main>";
