//! HTTP: the API and the web UI on a loopback address, and the data directory's own socket, where the owner answers
//! other commands.
//!
//! Only transport: what can be asked, and what is answered, stands in `service`.

mod access;
mod api;
mod asking;
mod assets;
pub mod client;
mod error;
mod extract;
mod guard;
mod plain;
mod problem;
mod router;
mod signin;
mod site;
mod socket;
mod state;
mod stream;
mod wire;

use std::future::Future;
use std::sync::Arc;

use model::Timestamp;
use service::Data;

pub use api::openapi;
pub use error::ServerError;
pub use hyper::Method;
pub use site::{SignInLinks, Site};
pub use state::SiteOptions;

/// Tells the time.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// A socket that listens; it is answered once [`Server::run`] is awaited.
pub struct Server {
    data: Arc<Data>,
    now: Now,
    socket: socket::Socket,
    links: Option<SignInLinks>,
}

impl Server {
    /// Listens on the socket of a data directory, whose owner this process is. A socket that a dead owner left
    /// is replaced. Must be called within a tokio runtime.
    pub fn bind(data: Arc<Data>, now: Now) -> Result<Server, ServerError> {
        let socket = socket::Socket::bind(data.dir())?;
        Ok(Server { data, now, socket, links: None })
    }

    /// Gives out sign-in links of a site to whoever may use the socket.
    pub fn with_links(mut self, links: SignInLinks) -> Server {
        self.links = Some(links);
        self
    }

    /// Answers until `shutdown`; answers under way are finished first.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), ServerError> {
        let Server { data, now, socket, links } = self;
        let dir = data.dir().to_owned();
        let router = router::socket(data, now, links);
        let (listener, _guard) = socket.listen();
        let served = axum::serve(listener, router).with_graceful_shutdown(shutdown).await;
        served.map_err(|source| ServerError::Io { action: "answer on the socket in", path: dir, source })
    }
}

/// Listens and answers until `shutdown`.
pub async fn serve(
    data: Arc<Data>,
    now: Now,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServerError> {
    Server::bind(data, now)?.run(shutdown).await
}
