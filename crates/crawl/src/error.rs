//! Why a run cannot begin or go on.

use std::path::PathBuf;

use archive::ArchiveError;
use fetch::AgentError;
use frontier::FrontierError;
use kv::KvError;
use net::{AllowedError, HostsError, TlsError};

/// Why a run cannot begin or go on. What is committed stays.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] KvError),
    /// The frontier's tables are not as they must be.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The archive failed.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The links do not make a graph.
    #[error(transparent)]
    Graph(#[from] graph::GraphError),
    /// The topic cannot be made ready.
    #[error("the topic cannot be used: {0}")]
    Topic(#[from] text::TextError),
    /// An order by relevance of a crawl without topic.
    #[error("the order {0} needs a topic; set topic or topic_examples")]
    NoTopic(model::Order),
    /// The timed order of a crawl without end.
    #[error("the order {0} needs a walltime; set walltime")]
    NoWalltime(model::Order),
    /// A header cannot be sent.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A range of addresses that is none.
    #[error(transparent)]
    Address(#[from] AllowedError),
    /// No TLS.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The hosts file cannot be read.
    #[error("cannot read the hosts file {}", path.display())]
    ReadHosts {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The hosts file says something unusable.
    #[error("{}: {source}", path.display())]
    Hosts {
        /// The file.
        path: PathBuf,
        /// Where and what.
        source: HostsError,
    },
    /// robots.txt of `robots_url` cannot be had.
    #[error("cannot read robots_url {url}: {reason}; nothing was crawled")]
    RobotsUrl {
        /// The URL.
        url: String,
        /// Why.
        reason: String,
    },
    /// WARC files that no table knows: going on would set them aside.
    #[error("{} has WARC files that the store knows nothing of; run `gannet repair` first", .0.display())]
    UnknownArchive(PathBuf),
    /// The project's template does not hold.
    #[error("{0}; the project cannot be crawled so")]
    Template(#[from] model::TemplateError),
    /// Bytes that were committed are gone from the archive.
    #[error("the archive has lost committed data ({0}); run `gannet repair`")]
    ArchiveDamaged(String),
    /// A part of the run ended unexpectedly.
    #[error("{0} ended unexpectedly; what was committed is kept, the same command resumes")]
    Lost(&'static str),
    /// Too few file descriptors.
    #[error(
        "this process may open {limit} files, and a crawl needs {needed}; raise the limit with `ulimit -n`"
    )]
    Descriptors {
        /// How many there are.
        limit: u64,
        /// How many it takes.
        needed: u64,
    },
    /// A thread could not be started.
    #[error("cannot start a thread")]
    Thread(#[source] std::io::Error),
}

impl CrawlError {
    /// True when there was no space left on the disk.
    pub fn is_no_space(&self) -> bool {
        match self {
            CrawlError::Store(error) | CrawlError::Frontier(FrontierError::Store(error)) => {
                error.is_no_space()
            }
            CrawlError::Archive(error) => error.is_no_space(),
            _ => false,
        }
    }

    /// True when store and archive can be opened again, with all that was committed, to go on.
    pub(crate) fn can_be_mended(&self) -> bool {
        let refused = |error: &KvError| matches!(error, KvError::Poisoned { .. } | KvError::BeingRead { .. });
        match self {
            CrawlError::Store(error) | CrawlError::Frontier(FrontierError::Store(error)) => {
                refused(error) || error.is_no_space()
            }
            error => error.is_no_space(),
        }
    }

    /// What lies at the bottom of it.
    pub(crate) fn cause(&self) -> String {
        let mut error: &dyn std::error::Error = self;
        while let Some(cause) = error.source() {
            error = cause;
        }
        error.to_string()
    }

    /// The error and its causes on one line.
    pub(crate) fn sentence(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let words = error.to_string();
            // A transparent error says its cause's words already.
            if !text.ends_with(&words) {
                text = format!("{text}: {words}");
            }
            cause = error.source();
        }
        text
    }
}
