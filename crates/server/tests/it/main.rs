//! The server, by its behaviour: the socket of a data directory, and HTTP for browsers and programs.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod api;
mod browser;
mod changes;
mod events;
mod previews;
mod security;
mod socket;
