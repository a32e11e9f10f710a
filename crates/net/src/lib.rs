//! The way out: names to addresses, the guard that refuses private ones, and connections to a pinned address.
//!
//! Every connection of the program starts here, so that the guard cannot be walked around. What is said over a
//! connection, and when, is left to others.

mod clock;
mod connect;
mod guard;
mod hosts;
mod proxy;
mod resolver;

pub use clock::{Clock, ProcessClock};
pub use connect::{ConnectError, Connector, Stream, Tls, TlsError, TlsSettings};
pub use guard::{AddressGuard, Allowed, AllowedError, Forbidden, Reach};
pub use hosts::{Hosts, HostsError};
pub use proxy::{Login, Proxy, ProxyKind, Target, literal_address};
pub use resolver::{ResolveError, Resolved, Resolver, ResolverSettings};
