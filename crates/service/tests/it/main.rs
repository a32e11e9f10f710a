//! Every verb over a small data directory that was made through the frontier, the archive and the store.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod check;
mod directory;
mod export;
mod indexes;
mod links;
mod pages;
mod preview;
mod projects;
mod ranks;
mod repair;
mod repeated;
mod rows;
mod running;
mod served;
mod simulations;
mod site;
mod summary;
mod watching;
mod why;
mod why_not;
