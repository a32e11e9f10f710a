//! What stands between a browser and the API: the right host, the right origin, a session or token, headers that
//! keep a page to itself.
//!
//! A page of another site can send requests here. It must not get far: its name leads here only by DNS rebinding,
//! which the Host check refuses; its own requests carry its Origin; the session's cookie is not sent with them; and it
//! cannot know the CSRF word.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::Secret;
use crate::problem::Problem;
use crate::signin;
use crate::state::App;

/// What the name of a session's cookie begins with. The port follows: a browser sends cookies to every port of a host,
/// and several servers on one must not sign each other's people out.
pub(crate) const COOKIE: &str = "gannet_session_";

/// Header of unsafe requests that come with a session.
pub(crate) const CSRF: &str = "x-gannet-csrf";

/// For our own pages: our own files only, no inline script, framed by nobody.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'self'; frame-ancestors 'none'";

/// Refuses requests under a foreign name or from a foreign page, and adds the headers that every answer has.
pub(crate) async fn outer(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut response = match checked(&app, &request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    let fixed: [(HeaderName, &'static str); 6] = [
        (header::CONTENT_SECURITY_POLICY, CSP),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ];
    for (name, value) in fixed {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Lets only those through who may ask.
pub(crate) async fn signed_in(State(app): State<App>, request: Request, next: Next) -> Response {
    let (method, uri, headers) = (request.method().clone(), request.uri().clone(), request.headers().clone());
    match may_ask(&app, &method, &headers).await {
        Ok(()) => {
            let mut response = next.run(request).await;
            let caching = HeaderValue::from_static("no-store");
            response.headers_mut().entry(header::CACHE_CONTROL).or_insert(caching);
            response
        }
        Err(problem) if is_page(uri.path(), &headers) => signin::sign_in_first(problem.status),
        Err(problem) => problem.into_response(),
    }
}

/// Whether a person looks at the answer.
fn is_page(path: &str, headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    path.starts_with("/s/") && accept.contains("text/html")
}

/// The session that a request shows.
pub(crate) fn session(app: &App, headers: &HeaderMap) -> Option<Secret> {
    let own = cookie_name(app);
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut cookies =
        cookies.flat_map(|list| list.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    cookies.find(|(name, _)| *name == own).map(|(_, value)| Secret(value.to_owned()))
}

/// The name of this server's cookie.
pub(crate) fn cookie_name(app: &App) -> String {
    format!("{COOKIE}{}", app.address.port())
}

fn checked(app: &App, request: &Request) -> Result<(), Problem> {
    let text = |name: HeaderName| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
    let host = text(header::HOST).unwrap_or_default();
    if !is_ours(app, host) {
        let problem =
            Problem::new(StatusCode::MISDIRECTED_REQUEST, format!("{host:?} is not this server's name"));
        return Err(problem.advise(format!("open http://{}/", app.address)));
    }
    let foreign = || {
        Problem::new(StatusCode::FORBIDDEN, "the request comes from a page of another site")
            .advise("use the API with a token, from outside a browser")
    };
    if let Some(origin) = text(header::ORIGIN)
        && !origin.strip_prefix("http://").is_some_and(|host| is_ours(app, host))
    {
        return Err(foreign());
    }
    let from = text(HeaderName::from_static("sec-fetch-site")).unwrap_or("none");
    if request.uri().path().starts_with("/api/") && !matches!(from, "same-origin" | "none") {
        return Err(foreign());
    }
    Ok(())
}

/// Whether a host is one of our own names with our port.
fn is_ours(app: &App, host: &str) -> bool {
    let port = app.address.port();
    let (name, found) = match host.rsplit_once(':') {
        Some((name, number)) if !number.ends_with(']') => (name, number.parse().ok()),
        _ => (host, Some(80)),
    };
    let ours = ["127.0.0.1", "localhost", "[::1]"].iter().any(|known| name.eq_ignore_ascii_case(known));
    let own = app.address.ip().to_string();
    found == Some(port) && (ours || name == own || name.trim_matches(['[', ']']) == own)
}

async fn may_ask(app: &App, method: &Method, headers: &HeaderMap) -> Result<(), Problem> {
    let now = (app.now)();
    let bearer = headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap_or_default());
    if let Some(bearer) = bearer {
        let token = bearer.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        return match token {
            Some((_, token)) if app.access.takes(token.trim(), now).await? => Ok(()),
            _ => Err(not_signed_in("the token is not known or has ended")),
        };
    }
    let Some(session) = session(app, headers) else { return Err(not_signed_in("not signed in")) };
    if !app.access.knows(&session, now).await? {
        return Err(not_signed_in("the session has ended"));
    }
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    match headers.get(CSRF).and_then(|word| word.to_str().ok()) {
        Some(word) if session.has_csrf(word) => Ok(()),
        _ => Err(Problem::new(StatusCode::FORBIDDEN, format!("the header {CSRF} is missing or wrong"))
            .advise("send the csrf of GET /api/v1/session with it, or use a token")),
    }
}

fn not_signed_in(detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, detail)
        .advise("open the link that the server printed at its start, or run \"gannet signin\"")
}
