//! Why a fetch brought no answer, and what to do next.

use std::time::Duration;

use model::{ErrorKind, Host};
use net::{ConnectError, ResolveError};

/// Why a fetch ended without an answer. `next_step` tells the frontier what to do.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The name has no address.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// No connection, or none that is allowed.
    #[error("cannot connect to {host}")]
    Connect {
        /// Whom we asked.
        host: Host,
        /// Why.
        source: ConnectError,
    },
    /// No proxy works; the site was not asked.
    #[error("cannot ask {host}: {reason}")]
    NoProxy {
        /// Whom we wanted to ask.
        host: Host,
        /// What is wrong with the last one.
        reason: String,
    },
    /// No answer in time.
    #[error("{host} did not answer within {limit:?}")]
    TimedOut {
        /// Whom we asked.
        host: Host,
        /// How long we waited.
        limit: Duration,
    },
    /// The connection broke before the answer's head was whole.
    #[error("the connection to {host} broke")]
    Broken {
        /// Whom we asked.
        host: Host,
        /// Why.
        source: hyper::Error,
    },
    /// What came is not HTTP.
    #[error("{host} did not answer in HTTP")]
    Malformed {
        /// Whom we asked.
        host: Host,
        /// What is wrong with it.
        source: hyper::Error,
    },
    /// A head that does not end.
    #[error("{host} sent more than {bytes} bytes or {lines} lines of headers")]
    HeadTooLarge {
        /// Whom we asked.
        host: Host,
        /// The limit on bytes.
        bytes: usize,
        /// The limit on lines.
        lines: usize,
    },
    /// The body's coding is one that we do not undo.
    #[error("{host} sent a body in the coding {coding:?}")]
    Coding {
        /// Whom we asked.
        host: Host,
        /// The `Content-Encoding`.
        coding: String,
    },
    /// A mistake of ours met this answer.
    #[error("reading what {host} sent failed here; please report it")]
    Ours {
        /// Whom we asked.
        host: Host,
    },
    /// The request cannot be put into HTTP.
    #[error("cannot ask {host}: {what} is not allowed in a request")]
    Request {
        /// Whom we wanted to ask.
        host: Host,
        /// The offending part.
        what: String,
    },
}

/// What the frontier does with the URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NextStep {
    /// Trying again would give the same.
    Drop,
    /// Try again, first after a minute or so.
    RetrySoft,
    /// Try again, first after an hour or so.
    RetryHard,
}

impl FetchError {
    /// The kind that is recorded as the URL's outcome.
    pub fn kind(&self) -> ErrorKind {
        match self {
            FetchError::Resolve(ResolveError::Forbidden { .. })
            | FetchError::Connect { source: ConnectError::Forbidden(_), .. } => ErrorKind::ForbiddenAddress,
            FetchError::NoProxy { .. } | FetchError::Connect { source: ConnectError::Proxy { .. }, .. } => {
                ErrorKind::Proxy
            }
            FetchError::Resolve(_) => ErrorKind::Dns,
            FetchError::Connect { source: ConnectError::Tls { .. }, .. } => ErrorKind::Tls,
            FetchError::Connect { .. } => ErrorKind::Connect,
            FetchError::TimedOut { .. } => ErrorKind::Timeout,
            FetchError::Broken { .. } => ErrorKind::Broken,
            FetchError::Malformed { .. } | FetchError::HeadTooLarge { .. } | FetchError::Request { .. } => {
                ErrorKind::Malformed
            }
            FetchError::Coding { .. } | FetchError::Ours { .. } => ErrorKind::Body,
        }
    }

    /// What to do with the URL.
    pub fn next_step(&self) -> NextStep {
        NextStep::after(&self.kind())
    }
}

impl NextStep {
    /// What to do after a failure of this kind.
    pub fn after(kind: &ErrorKind) -> NextStep {
        match kind {
            ErrorKind::Dns | ErrorKind::Connect | ErrorKind::RobotsUnreachable => NextStep::RetryHard,
            ErrorKind::Timeout
            | ErrorKind::Broken
            | ErrorKind::Proxy
            | ErrorKind::Status(408 | 425 | 429 | 500..) => NextStep::RetrySoft,
            ErrorKind::ForbiddenAddress
            | ErrorKind::Tls
            | ErrorKind::Malformed
            | ErrorKind::Status(_)
            | ErrorKind::RedirectLoop
            | ErrorKind::BadRedirect
            | ErrorKind::Body
            | ErrorKind::Unread(_) => NextStep::Drop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_tried_again() {
        let check = |kind, expected| assert_eq!(NextStep::after(&kind), expected, "for {kind}");
        check(ErrorKind::Dns, NextStep::RetryHard);
        check(ErrorKind::Connect, NextStep::RetryHard);
        check(ErrorKind::RobotsUnreachable, NextStep::RetryHard);
        check(ErrorKind::Timeout, NextStep::RetrySoft);
        check(ErrorKind::Broken, NextStep::RetrySoft);
        check(ErrorKind::Status(503), NextStep::RetrySoft);
        check(ErrorKind::Status(429), NextStep::RetrySoft);
        check(ErrorKind::Status(404), NextStep::Drop);
        check(ErrorKind::ForbiddenAddress, NextStep::Drop);
        check(ErrorKind::Tls, NextStep::Drop);
        check(ErrorKind::Malformed, NextStep::Drop);
    }
}
