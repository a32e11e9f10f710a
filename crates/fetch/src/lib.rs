//! Asking Web servers for pages: robots rules, HTTP within limits, cookies.
//!
//! One request gives one answer: redirects are answers, and whether and when to ask is decided elsewhere.
//! What a server sends is never trusted: every byte, second and header is counted.

mod agent;
mod ask;
mod body;
mod cookies;
mod decode;
mod error;
pub mod hints;
mod http;
mod http1;
mod http2;
mod lines;
mod pool;
mod proxies;
mod request;
mod retry_after;
pub mod robots;
mod room;
mod spoken;
mod wire;

pub use agent::{Agent, AgentError};
pub use cookies::{CookieJar, StartCookie};
pub use decode::{DecodeLimits, Decoded, decode};
pub use error::{FetchError, NextStep};
pub use http::{HttpFetcher, HttpSettings};
pub use proxies::{Proxies, ProxyChoice, ProxyState};
pub use request::{Answer, Fetcher, Limits, Longer, Request, SendTurn, Unwanted, Wanted};
pub use retry_after::{MAX_RETRY_AFTER, http_date, parse_retry_after, retry_after};
pub use room::{Room, Share};
