//! Why nothing can be served.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why nothing can be served.
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
    /// The address is not to be had.
    #[error("cannot listen on {address}; another program may: name a free port with --bind")]
    Bind {
        /// Which.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// Others could reach it.
    #[error(
        "{0} can be reached from other machines, and there are no accounts yet: bind to 127.0.0.1, and use a tunnel \
         such as ssh -L to reach it from elsewhere"
    )]
    NotLoopback(SocketAddr),
}
