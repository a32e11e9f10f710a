//! The forgetful disk against real programs.

#![expect(clippy::unwrap_used, reason = "tests")]

mod forgetful;
mod sqlite_after_power_cuts;
mod store_after_power_cuts;
