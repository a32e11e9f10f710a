//! Searches over small corpora in memory: what is found, in which order, why, and what is shown.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod any_query;
mod asked;
mod collections;
mod corpus;
mod documented;
mod language;
mod links;
mod near_words;
mod order;
mod ranked;
mod scores;
mod shards;
mod shown;
