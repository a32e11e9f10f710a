//! Crawls that fetch nothing: the frontier and its orders as they are, under a simulated clock, over a Web of numbers.
//!
//! A [`SimWeb`] is generated or comes from a list of edges, [`run`] crawls it by a [`Plan`], and [`Run`] tells in which
//! order and when. What that order was worth, [`mass`] and [`best_possible`] say. The same plan gives the same run.

mod error;
mod figures;
mod run;
mod scenario;
mod web;

pub use error::SimulateError;
pub use figures::{best_possible, hourly, mass, ranks};
pub use run::{Plan, Run, run};
pub use scenario::{Outcome, Scenario, Shape, WebSource};
pub use web::{PowerLaw, SimWeb};
