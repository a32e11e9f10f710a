//! What can go wrong with a graph.

use std::io;

use thiserror::Error;

/// Why a graph could not be made.
#[derive(Debug, Error)]
pub enum GraphError {
    /// Arcs wait on disk while they are sorted.
    #[error("cannot sort the links on disk; is there room for temporary files?")]
    Sort(#[source] io::Error),
    /// The list of edges cannot be read.
    #[error("cannot read the edge list")]
    Read(#[source] io::Error),
    /// A line of the edge list says something else.
    #[error("edge list, line {line}: {problem}; a line is: source target [weight]")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// More pages than numbers.
    #[error("the graph has more than {} pages", u32::MAX)]
    TooLarge,
}
