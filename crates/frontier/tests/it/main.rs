//! The frontier against made-up Webs, under a simulated clock.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clocks;
mod contract;
mod crash;
mod driver;
mod guards;
mod limits;
mod order;
mod rules_change;
mod scale;
mod server;
mod simulation;
mod web;
