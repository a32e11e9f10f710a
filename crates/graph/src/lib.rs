//! The link graph: arcs held compactly by their targets, and what they make of each page: [`PageRank`] (weighted,
//! host by host, trust-seeded) and [`harmonic`] centrality.
//!
//! Pages are numbers from 0 on; which URL or host a number stands for is left to others. So is what a link weighs:
//! a [`Builder`] is given arcs with their weights.

mod build;
mod edge_list;
mod error;
mod graph;
mod harmonic;
mod hosts;
mod pagerank;
mod parts;

pub use build::{Builder, Fold};
pub use edge_list::{EdgeList, read_edge_list};
pub use error::GraphError;
pub use graph::Graph;
pub use harmonic::{Harmonic, harmonic};
pub use hosts::group;
pub use pagerank::{OutLinks, PageRank, Preference, Ranks, best_first};
