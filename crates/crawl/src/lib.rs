//! The write path: takes leases through the stages, run by run, and makes their results durable together.
//!
//! Each stage is a crate; nothing is decided here about pages. Four parts, joined by bounded channels:
//!
//! 1. the **conductor** (a thread of its own) owns frontier, archive and store: it grants leases, settles what
//!    comes back, and commits it in groups;
//! 2. **slots** (asynchronous tasks) take one lease each through robots and fetch;
//! 3. **readers** (threads) turn answers into pages and WARC records, off the asynchronous threads;
//! 4. the **run** is the caller's handle: progress, pause, resume, stop.
//!
//! Invariant: the store never names archive bytes that are not synced (see `Conductor::commit`).

mod apart;
mod clock;
mod conductor;
mod descriptors;
mod duplicates;
mod error;
mod fresh;
mod hints;
mod jobs;
mod link_graph;
mod mend;
mod named;
mod neighbours;
mod network;
mod page;
mod page_numbers;
mod progress;
mod promises;
mod rank_watch;
mod read;
mod replace;
mod revisits;
mod robots;
mod run;
mod single;
mod slot_time;
mod space;
mod topic;
mod visit;
mod waiting;
mod watcher;

pub use apart::{ARGUMENT, read_document, read_documents_by, serve_document};
pub use clock::WallClock;
pub use duplicates::judged_otherwise;
pub use error::CrawlError;
pub use fresh::{Fresh, FreshVisit};
pub use link_graph::{LinkGraph, LinkWeights, SORTING_MEMORY};
pub use neighbours::Neighbours;
pub use network::{Network, usual_proxy};
pub use page::{FoundLink, LinkRefusal, PageRead, PageReader};
pub use page_numbers::PageNumbers;
pub use progress::{EndReason, Ended, Pause, Progress};
pub use revisits::PageHistory;
pub use run::{Controls, Run, Setup};
pub use single::{SinglePage, SinglePageError, look_at, single_page};
pub use topic::topic_of;
pub use watcher::{Event, VisitEnd, Visited, Watcher};
