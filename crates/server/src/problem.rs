//! What went wrong, as HTTP says it: `application/problem+json` with what to do about it.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use catalog::CatalogError;
use crawl::SinglePageError;
use serde::Serialize;
use service::{Class, Mistake, ServiceError};
use utoipa::{IntoResponses, ToSchema};

/// A refusal or failure (RFC 9457).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// Names the kind of problem.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The status in words.
    title: &'static str,
    /// The status.
    #[schema(value_type = u16)]
    #[serde(serialize_with = "number")]
    pub(crate) status: StatusCode,
    /// What is wrong, in one sentence.
    pub(crate) detail: String,
    /// What it means to the caller.
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<Class>,
    /// Where the mistake is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) position: Option<Box<Position>>,
    /// What to do.
    #[serde(rename = "do", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    advice: Option<Box<str>>,
    /// The version that is current, when an edit was based on an older one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    version: Option<Box<str>>,
    /// Every mistake of a project.
    #[schema(value_type = Vec<Mistake>)]
    #[serde(skip_serializing_if = "is_empty")]
    errors: Box<[Mistake]>,
}

/// A place in a text.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Position {
    /// From 1.
    pub(crate) line: u64,
    /// From 1, in characters.
    pub(crate) column: u64,
    /// From 0, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<u64>,
}

/// The refusals that any path may answer with.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes answers, none is made of it")]
pub(crate) enum Problems {
    /// The request is wrong.
    #[response(status = 400, content_type = "application/problem+json")]
    BadRequest(Problem),
    /// Not signed in.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthorized(Problem),
    /// Signed in, but the request comes from elsewhere or lacks the CSRF header.
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(Problem),
    /// There is no such thing.
    #[response(status = 404, content_type = "application/problem+json")]
    NotFound(Problem),
    /// It is in use, or in the way of something else.
    #[response(status = 409, content_type = "application/problem+json")]
    Conflict(Problem),
    /// The body is too long.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(Problem),
    /// The body is of another type.
    #[response(status = 415, content_type = "application/problem+json")]
    UnsupportedMediaType(Problem),
    /// The body is well-formed, but cannot be taken.
    #[response(status = 422, content_type = "application/problem+json")]
    Unprocessable(Problem),
    /// The server failed.
    #[response(status = 500, content_type = "application/problem+json")]
    Failed(Problem),
}

fn is_empty(errors: &[Mistake]) -> bool {
    errors.is_empty()
}

fn number<S: serde::Serializer>(status: &StatusCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u16(status.as_u16())
}

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Problem {
        Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("problem"),
            status,
            detail: detail.into(),
            class: None,
            position: None,
            advice: None,
            version: None,
            errors: Box::default(),
        }
    }

    /// The request is wrong.
    pub(crate) fn request(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, detail)
    }

    /// There is no such thing.
    pub(crate) fn missing(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, detail)
    }

    /// Something else is in the way.
    pub(crate) fn conflict(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::CONFLICT, detail)
    }

    /// The same, with what to do.
    pub(crate) fn advise(mut self, advice: impl Into<Box<str>>) -> Problem {
        self.advice = Some(advice.into());
        self
    }

    /// The same, with every mistake; the first one's place is the problem's.
    pub(crate) fn with_errors(mut self, errors: Vec<Mistake>) -> Problem {
        if let Some(Mistake { line: line @ 1.., column, .. }) = errors.first() {
            self.position = Some(Box::new(Position { line: *line, column: *column, offset: None }));
        }
        self.errors = errors.into();
        self
    }

    /// The same, with the version that is current.
    pub(crate) fn with_version(mut self, version: impl Into<Box<str>>) -> Problem {
        self.version = Some(version.into());
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        if self.status.is_server_error() {
            tracing::error!(status = self.status.as_u16(), detail = %self.detail, "request failed");
        }
        let mut response = (self.status, Json(self)).into_response();
        let problem = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, problem);
        response
    }
}

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Problem {
        use ServiceError as E;
        let class = error.class();
        let status = match &error {
            E::UnknownProject { .. } | E::UnknownIndex { .. } | E::UnknownRun(_) => StatusCode::NOT_FOUND,
            E::NotKept(_) | E::NotYet { .. } | E::OneVersion(_) => StatusCode::NOT_FOUND,
            E::NoDuplicates(_) | E::NotJudged(_) => StatusCode::NOT_FOUND,
            E::NoProject(_) | E::NoSuchRows(_) | E::RowsDropped(_) | E::NoPreview | E::UnknownRow(_) => {
                StatusCode::NOT_FOUND
            }
            E::NotRunning(_) => StatusCode::CONFLICT,
            E::Page(_) | E::NothingThere(_) => StatusCode::UNPROCESSABLE_ENTITY,
            E::Stale { .. } => StatusCode::PRECONDITION_FAILED,
            E::BadProject(_) => StatusCode::UNPROCESSABLE_ENTITY,
            _ => match class {
                Class::Request => StatusCode::BAD_REQUEST,
                Class::Busy => StatusCode::CONFLICT,
                Class::Damaged | Class::Failed => StatusCode::INTERNAL_SERVER_ERROR,
            },
        };
        let mut problem = match &error {
            // The error itself speaks of options of the command line.
            E::Page(SinglePageError::Private(host)) => {
                Problem::new(status, format!("{host} is at a private address"))
                    .advise("start the server with --allow-addresses ADDRESS:PORT to ask it all the same")
            }
            error => Problem::new(status, error.sentence()),
        };
        problem.class = Some(class);
        match error {
            E::Stale { version, .. } => problem.version = Some(version.into()),
            E::BadProject(mistakes) => problem = problem.with_errors(mistakes),
            _ => {}
        }
        if class == Class::Damaged {
            problem.advice = Some("stop the server and run \"gannet check\", then \"gannet repair\"".into());
        }
        problem
    }
}

impl From<CatalogError> for Problem {
    fn from(error: CatalogError) -> Problem {
        ServiceError::from(error).into()
    }
}
