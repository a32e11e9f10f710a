//! Why the socket cannot be served.

use std::io;
use std::path::PathBuf;

/// Why the socket cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The file system or the network refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}
