//! What can go wrong with a request, in one sentence each.

use std::io;
use std::path::PathBuf;

use archive::ArchiveError;
use catalog::CatalogError;
use crawl::CrawlError;
use export::ExportError;
use frontier::FrontierError;
use kv::KvError;
use model::UrlError;
use serde::{Deserialize, Serialize};

use crate::{Mistake, Moment};

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Nothing there.
    #[error("there is no data directory {}; \"gannet crawl URL\" makes one", .0.display())]
    NoDirectory(PathBuf),
    /// Something else is there.
    #[error("{} is not a data directory: it has no VERSION file; name another or an empty one", .0.display())]
    NotADirectory(PathBuf),
    /// Written by another version of this program.
    #[error("{} has format {found}, this program reads format {known}; {}", dir.display(), version_advice(*found, *known))]
    Version {
        /// The data directory.
        dir: PathBuf,
        /// Its format.
        found: u64,
        /// The one that is known.
        known: u64,
    },
    /// The VERSION file says nothing.
    #[error("{} cannot be read as a version number", .0.display())]
    BadVersion(PathBuf),
    /// Another process owns the directory.
    #[error("{} is in use by another process", .0.display())]
    Busy(PathBuf),
    /// No crawl runs that could be steered.
    #[error("no crawl is running in {}", .0.display())]
    NotRunning(PathBuf),
    /// More than one crawl runs.
    #[error("several crawls are running ({0}); say which with --run or --project")]
    SeveralRuns(String),
    /// A run that cannot be steered any more.
    #[error("run {0} is not running; \"gannet runs\" tells how it ended")]
    RunEnded(i64),
    /// A project that has a run already.
    #[error("a run of {0:?} is under way; stop it first, or wait for its end")]
    Occupied(String),
    /// A name that is taken.
    #[error("there is a project {0:?} already; choose another name")]
    ProjectExists(String),
    /// Somebody else has changed it.
    #[error(
        "project {name:?} has been changed meanwhile (now version {version}); look at it again, then repeat the change"
    )]
    Stale {
        /// The project.
        name: String,
        /// Its version now.
        version: String,
    },
    /// A project that cannot be used.
    #[error("{}", mistakes(.0))]
    BadProject(Vec<Mistake>),
    /// Not a cursor of ours.
    #[error("{0:?} is no cursor; take it from \"next\" of an earlier answer")]
    Cursor(String),
    /// Nothing was ever crawled.
    #[error("there is no project yet in {}; \"gannet crawl URL\" makes one", .0.display())]
    NoProject(PathBuf),
    /// The catalog is empty, the archive is not.
    #[error("{} has archived crawls but no project; \"gannet repair\" gives them one", .0.display())]
    ProjectsLost(PathBuf),
    /// No project of that name.
    #[error("there is no project {name:?}; {hint}")]
    UnknownProject {
        /// As asked.
        name: String,
        /// What there is.
        hint: String,
    },
    /// No outcome of that name.
    #[error("there is no outcome {name:?}; {hint}")]
    UnknownOutcome {
        /// As asked.
        name: String,
        /// What there is.
        hint: String,
    },
    /// No column of that name.
    #[error("there is no column {name:?}; {hint}")]
    UnknownColumn {
        /// As asked.
        name: String,
        /// What there is.
        hint: String,
    },
    /// No index of that name.
    #[error("there is no index {name:?}; {hint}")]
    UnknownIndex {
        /// As asked.
        name: String,
        /// What there is.
        hint: String,
    },
    /// A name that cannot be a folder's.
    #[error("{0:?} cannot be an index's name: use letters, digits, - _ and . (64 at most)")]
    IndexName(String),
    /// Settings that cannot be kept or read.
    #[error("settings: {0}")]
    Settings(String),
    /// The search.
    #[error(transparent)]
    Search(#[from] search::SearchError),
    /// The index.
    #[error(transparent)]
    Index(#[from] index::IndexError),
    /// No run of that number.
    #[error("there is no run {0}; \"gannet runs\" lists them")]
    UnknownRun(i64),
    /// No row of that key.
    #[error("there is no row with the key {0:?}; the column _key has them")]
    UnknownRow(String),
    /// Many rows without an index.
    #[error(
        "the rows of this crawl are being put in order, which takes some seconds per million; ask again then"
    )]
    RowsUnsorted,
    /// A run whose rows are gone.
    #[error("the rows of run {0} are not kept any more; those of the latest runs are")]
    RowsDropped(i64),
    /// Neither a project nor a run.
    #[error("{0:?} is neither a project's name nor a run's number")]
    NoSuchRows(String),
    /// Runs that have nothing to do with each other.
    #[error("{before} and {after} are of two projects; name two runs of one")]
    OtherProject {
        /// The one.
        before: String,
        /// The other.
        after: String,
    },
    /// A format that rows cannot have.
    #[error("{0} is no format of rows; there is csv, json, jsonl and sqlite")]
    NoRowFormat(String),
    /// A format that only rows can have.
    #[error("{0} is a format of rows only: \"gannet export rows {0}\"")]
    RowsOnly(String),
    /// A question that cannot be answered.
    #[error("{0}")]
    Question(String),
    /// Nothing was found.
    #[error("{0}")]
    NothingThere(String),
    /// A page could not be had.
    #[error(transparent)]
    Page(#[from] crawl::SinglePageError),
    /// A preview that is gone.
    #[error("this preview is not kept any more; open the page again")]
    NoPreview,
    /// Not a URL.
    #[error("{text:?} names no page")]
    Url {
        /// As asked.
        text: String,
        /// Why.
        source: UrlError,
    },
    /// No version of a page can be read.
    #[error("no version of {0} is kept; \"gannet why URL\" tells what became of it")]
    NotKept(String),
    /// A page that was first kept later.
    #[error(
        "no version of {url} is that old; the first is of {first}, and \"gannet version URL --list\" shows all"
    )]
    NotYet {
        /// The page.
        url: String,
        /// When it was first kept.
        first: Moment,
    },
    /// A page that has not changed since it was first kept.
    #[error("{0} has one version, or none at that time; \"gannet version URL --list\" shows them")]
    OneVersion(String),
    /// A page like no other.
    #[error("{0} has no duplicates")]
    NoDuplicates(String),
    /// A page whose text was not judged.
    #[error("the text of {0} was not judged: it is no page, says too little, or \"duplicates\" is off")]
    NotJudged(String),
    /// Not a host.
    #[error("{0:?} is no host")]
    Host(String),
    /// A file cannot be used.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] KvError),
    /// The frontier failed.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The archive failed.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The catalog failed.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A run failed.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// The export failed.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The links do not make a graph.
    #[error(transparent)]
    Graph(#[from] graph::GraphError),
    /// A path that only the asking process could follow.
    #[error("{} is no absolute path", .0.display())]
    RelativePath(PathBuf),
    /// Cannot go to standard output.
    #[error("{0} needs a file: name one with --output")]
    NeedsFile(&'static str),
    /// Work in the background did not come to its end.
    #[error("the answer was lost half-way")]
    Lost,
    /// Whoever asked has gone. Never leaves this crate.
    #[error("nobody listens any more")]
    Closed,
}

/// What a failure means to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The request is wrong.
    Request,
    /// Someone else has the directory, or a run is in the way.
    Busy,
    /// The data is damaged.
    Damaged,
    /// Anything else.
    Failed,
}

impl ServiceError {
    /// What it means to the caller.
    pub fn class(&self) -> Class {
        use ServiceError as E;
        match self {
            E::NoDirectory(_) | E::NotADirectory(_) | E::Version { .. } | E::NoProject(_) => Class::Request,
            E::UnknownProject { .. } | E::UnknownOutcome { .. } | E::Url { .. } | E::Host(_) => {
                Class::Request
            }
            E::NotKept(_) | E::OneVersion(_) | E::NoDuplicates(_) | E::NotJudged(_) => Class::Request,
            E::NotYet { .. } => Class::Request,
            E::RelativePath(_) | E::NeedsFile(_) | E::Question(_) => Class::Request,
            E::UnknownIndex { .. } | E::IndexName(_) | E::Settings(_) => Class::Request,
            E::Search(error) if error.is_the_askers() => Class::Request,
            E::UnknownColumn { .. } | E::UnknownRun(_) | E::RowsDropped(_) | E::NoSuchRows(_) => {
                Class::Request
            }
            E::OtherProject { .. } | E::NoRowFormat(_) | E::RowsOnly(_) => Class::Request,
            E::Export(
                ExportError::Exists(_)
                | ExportError::IsDirectory(_)
                | ExportError::NoDirectory { .. }
                | ExportError::UnknownFormat(_),
            ) => Class::Request,
            E::Export(ExportError::Busy(_)) => Class::Busy,
            E::NotRunning(_) | E::SeveralRuns(_) | E::Cursor(_) | E::UnknownRow(_) => Class::Request,
            E::Store(KvError::Format { .. }) => Class::Request,
            E::BadProject(_) => Class::Request,
            E::RowsUnsorted => Class::Busy,
            E::RunEnded(_) | E::Occupied(_) | E::ProjectExists(_) | E::Stale { .. } => Class::Busy,
            E::Catalog(CatalogError::Newer { .. }) => Class::Request,
            E::Busy(_) | E::Store(KvError::Busy { .. }) => Class::Busy,
            E::Catalog(CatalogError::Locked { .. }) => Class::Busy,
            E::BadVersion(_) | E::ProjectsLost(_) => Class::Damaged,
            E::Store(KvError::Engine { .. } | KvError::Decode { .. } | KvError::NotAStore { .. }) => {
                Class::Damaged
            }
            E::Frontier(FrontierError::Damaged(_) | FrontierError::Store(KvError::Decode { .. })) => {
                Class::Damaged
            }
            E::Archive(ArchiveError::Damaged { .. }) => Class::Damaged,
            E::Crawl(CrawlError::UnknownArchive(_)) => Class::Damaged,
            E::Crawl(CrawlError::Topic(_) | CrawlError::NoTopic(_) | CrawlError::NoWalltime(_)) => {
                Class::Request
            }
            E::Catalog(error) if error.is_beyond_use() => Class::Damaged,
            _ => Class::Failed,
        }
    }

    /// The error and its causes on one line.
    pub fn sentence(&self) -> String {
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

    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> ServiceError {
        let path = path.into();
        move |source| ServiceError::Io { action, path, source }
    }
}

fn mistakes(mistakes: &[Mistake]) -> String {
    let place = |mistake: &Mistake| match mistake.line {
        0 => String::new(),
        line => format!("line {line}, column {}: ", mistake.column),
    };
    let lines: Vec<String> =
        mistakes.iter().map(|mistake| format!("{}{}", place(mistake), mistake.message)).collect();
    lines.join("; ")
}

fn version_advice(found: u64, known: u64) -> &'static str {
    if found > known {
        "a newer version of it wrote this: update it"
    } else {
        "an older version of it wrote this"
    }
}
