//! The made-up Webs as a client on the network sees them, against what they say about themselves.

mod client;
mod demo;
mod generated;
mod served;
mod torture;
mod truth;
