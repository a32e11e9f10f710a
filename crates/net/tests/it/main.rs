//! Names and connections against real servers on loopback.

mod connecting;
mod dns;
mod names;
