//! What can go wrong with a simulation.

use std::io;
use std::path::PathBuf;

use frontier::FrontierError;
use graph::GraphError;
use kv::KvError;
use thiserror::Error;

/// Why a simulation did not come to its end.
#[derive(Debug, Error)]
pub enum SimulateError {
    /// Nothing to crawl.
    #[error("the web to simulate has no pages")]
    Empty,
    /// The file says something else.
    #[error("the simulation's file: {0}")]
    Scenario(String),
    /// The edges cannot be read.
    #[error("cannot open {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A WARC file cannot be read.
    #[error("cannot read {}", path.display())]
    Warc {
        /// The file.
        path: PathBuf,
        /// Why.
        source: archive::ArchiveError,
    },
    /// A start that the Web does not have.
    #[error("the web to simulate has no page {0}; name one of its pages as start")]
    UnknownStart(String),
    /// Something goes by a topic, and there is none.
    #[error("{what} goes by a topic, and the web to simulate has none: {give}")]
    NoTopic {
        /// What.
        what: String,
        /// What to do about it.
        give: &'static str,
    },
    /// A page that is none.
    #[error("page {0} is no page of the web")]
    NoPage(u32),
    /// The frontier failed.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] KvError),
    /// The links do not make a graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The frontier waits for something that never comes.
    #[error("the simulated crawl stands still after {0} pages")]
    StandsStill(u64),
    /// Who watched has seen enough.
    #[error("the simulation was ended before its end")]
    Stopped,
}
