//! A run under way, as far as others may steer it.

use serde_json::Value;

/// The run that works in this process, if one does.
pub trait Live: Send + Sync {
    /// Nothing more is asked for until it is resumed.
    fn pause(&self);
    /// Goes on after a pause.
    fn resume(&self);
    /// Ends, and keeps what it has.
    fn stop(&self);
    /// Ends at once, and what the crawl has is dropped.
    fn cancel(&self);
    /// How it stands.
    fn progress(&self) -> Value;
}
