//! What can go wrong while a made-up Web is served.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a web could not be served.
#[derive(Debug, thiserror::Error)]
pub enum WebsError {
    /// Somebody else listens there.
    #[error("port {} of {} is in use by another program", addr.port(), addr.ip())]
    PortInUse {
        /// The wanted address.
        addr: SocketAddr,
    },
    /// The system refused the address for another reason.
    #[error("cannot listen on {addr}")]
    Listen {
        /// The wanted address.
        addr: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// Made-up Webs are for loopback only: they have control URLs and no accounts.
    #[error("{addr} is not a loopback address; a made-up web is served on loopback only")]
    NotLoopback {
        /// The wanted address.
        addr: SocketAddr,
    },
    /// No address at all was given.
    #[error("no address to listen on was given")]
    NoAddress,
    /// The request log cannot be written.
    #[error("cannot write the request log {path}")]
    Log {
        /// The log file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The address line cannot be printed.
    #[error("cannot print the address of the web")]
    Print(#[source] io::Error),
    /// The certificates of the TLS hosts cannot be made.
    #[error("cannot make the certificates of the torture web: {reason}")]
    Certificates {
        /// What the library said.
        reason: String,
    },
    /// The options do not describe a web.
    #[error(
        "a generated web needs at least one host, and at least one page for each host: {hosts} hosts, {pages} pages"
    )]
    TooSmall {
        /// Wanted hosts.
        hosts: u32,
        /// Wanted pages.
        pages: u64,
    },
}
