//! Made-up Webs, served on loopback: the bundled demo site, generated webs of any size, and the
//! torture web.
//!
//! Everything a web shows is a function of its seed and its epoch (faults that pass: of the time since
//! its start), never of a clock or of how often it was asked, and every web can say what a crawler
//! ought to find in it ([`truth`], [`torture::truth`]). One module per web; [`serve`] carries any of
//! them over HTTP and keeps the log from which tests read politeness. Nothing here knows how Gannet
//! reads pages: the truth is written down while a page is drawn ([`page`]), so that it can contradict
//! the crawler.

mod chance;
mod dates;
pub mod demo;
mod encode;
mod error;
pub mod generated;
pub mod lists;
pub mod log;
pub mod page;
mod picture;
pub mod program;
pub mod robots;
pub mod serve;
pub mod torture;
pub mod truth;

pub use error::WebsError;
pub use serve::{Answer, Request, Server, Web};
