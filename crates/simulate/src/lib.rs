//! Crawls that fetch nothing: the frontier and its orders as they are, under a simulated clock, over a Web of numbers.
//!
//! A [`SimWeb`] is generated ([`PowerLaw`]) or comes from a list of edges, a crawl or WARC files; [`run`] crawls it by
//! a [`Plan`], and [`Run`] tells in which order and when. What that order was worth, [`mass`], [`harvest`] and
//! [`best_possible`] say; a [`Scenario`] compares several, [`report`] writes down what came of it. The same plan gives
//! the same run.

mod error;
mod figures;
mod generate;
mod glyphs;
mod met;
mod picture;
mod plot;
pub mod replay;
pub mod report;
mod revisits;
mod run;
mod scenario;
mod sources;
mod warc;
mod web;

pub use error::SimulateError;
pub use figures::{Point, best_possible, curve, fresh, harvest, hourly, load, mass, ranks};
pub use generate::PowerLaw;
pub use met::{Judge, of_crawl, of_crawl_judged, of_sample};
pub use picture::Picture;
pub use plot::{Line, plot};
pub use revisits::{RevisitMean, Revisited, Revisiting, revisit_means};
pub use run::{Download, Expand, Plan, Run, run, run_watched};
pub use scenario::{Downloads, Of, Outcome, Scenario, SeedSet, Shape, Watch, WebSource, outcome};
pub use sources::of_edges;
pub use warc::of_warc;
pub use web::{Look, Says, SimWeb};
