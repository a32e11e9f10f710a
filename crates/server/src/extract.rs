//! What a request carries, taken apart: path, query and body, each refused with a problem.

use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::problem::{Position, Problem};

/// A JSON body.
pub(crate) struct Body<T>(pub(crate) T);

/// The variables of a path.
pub(crate) struct Path<T>(pub(crate) T);

/// What follows the question mark, name by name, each once.
pub(crate) struct Query<T>(pub(crate) T);

/// What follows the question mark, in order; names may come again.
pub(crate) struct Pairs(Vec<(String, String)>);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim).unwrap_or_default();
        if !kind.eq_ignore_ascii_case("application/json") {
            let problem = Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body is not said to be JSON");
            return Err(problem.advise("send the header \"content-type: application/json\""));
        }
        let body = Bytes::from_request(request, state).await.map_err(too_long)?;
        serde_json::from_slice(&body).map(Body).map_err(|error| {
            let status = match error.classify() {
                serde_json::error::Category::Data => StatusCode::UNPROCESSABLE_ENTITY,
                _ => StatusCode::BAD_REQUEST,
            };
            let mut problem = Problem::new(status, format!("the body cannot be read: {error}"));
            problem.position = Some(Box::new(Position {
                line: error.line() as u64,
                column: error.column() as u64,
                offset: None,
            }));
            problem
        })
    }
}

fn too_long(rejection: BytesRejection) -> Problem {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is longer than this path takes")
        }
        _ => Problem::request(rejection.body_text()),
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        path.map(|path| Path(path.0)).map_err(|rejection: PathRejection| match rejection.status() {
            StatusCode::INTERNAL_SERVER_ERROR => {
                Problem::new(StatusCode::INTERNAL_SERVER_ERROR, rejection.body_text())
            }
            _ => Problem::missing(format!("there is nothing at {}", parts.uri.path())),
        })
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        query.map(|query| Query(query.0)).map_err(|rejection| {
            let text = rejection.body_text();
            let words = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(&text);
            Problem::request(format!("the query string cannot be read: {words}"))
        })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Pairs {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        let pairs = url::form_urlencoded::parse(query.as_bytes());
        Ok(Pairs(pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect()))
    }
}

impl Pairs {
    /// The first value of a name; an empty one counts as none.
    pub(crate) fn one(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, value)| known == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// Every value of a name that is not empty.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.0.iter().filter(move |(known, value)| known == name && !value.is_empty());
        named.map(|(_, value)| value.as_str())
    }

    /// The same, as a number or whatever else can be read.
    pub(crate) fn read<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, Problem> {
        let read = |text: &str| {
            text.parse::<T>().map_err(|_| Problem::request(format!("{name}={text:?} cannot be read")))
        };
        self.one(name).map(read).transpose()
    }

    /// A switch: `1`, `true` or nothing.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        matches!(self.one(name), Some("1" | "true" | "on" | "yes"))
    }
}
