//! Tests of the program as people meet it: arguments in, text and exit code out.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_input;
mod changes;
mod drift;
mod duplicates;
mod errors;
mod full_disk;
mod gannet;
mod help;
mod kept;
mod kill;
mod limits;
mod lists;
mod one_shot;
mod order;
mod politeness;
mod power_cut;
mod process;
mod rank;
mod readme;
mod refresh;
mod rows;
mod search;
mod search_kill;
mod search_text;
mod serve;
mod served;
mod simulate;
mod stop;
mod suspend;
mod torture;
mod try_page;
mod warc;
