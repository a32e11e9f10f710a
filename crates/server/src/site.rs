//! The server for browsers and programs: a loopback address, the API and the web UI.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use crawl::WallClock;
use service::Data;
use service::preview::Previews;
use tokio::net::TcpListener;

use crate::access::Access;
use crate::assets::Assets;
use crate::state::{App, Shared};
use crate::{Now, ServerError, SiteOptions, router};

/// A server that listens; it is answered once [`Site::run`] is awaited.
pub struct Site {
    listener: TcpListener,
    app: App,
}

impl Site {
    /// Listens on a loopback address. Another one is refused: there are no accounts yet.
    pub async fn bind(
        data: Arc<Data>,
        now: Now,
        bind: SocketAddr,
        options: SiteOptions,
    ) -> Result<Site, ServerError> {
        if !bind.ip().is_loopback() {
            return Err(ServerError::NotLoopback(bind));
        }
        let listen = async {
            let listener = TcpListener::bind(bind).await?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) =
            listen.await.map_err(|source| ServerError::Bind { address: bind, source })?;
        let access = Access::new(data.catalog().clone());
        let assets = Assets::new(options.ui);
        let demo = options.demo;
        let allow = demo.into_iter().chain(options.allow).collect();
        let app = App::new(Shared {
            data,
            now,
            address,
            demo,
            allow,
            clock: WallClock::start(),
            previews: Previews::default(),
            access,
            assets,
        });
        Ok(Site { listener, app })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.app.address
    }

    /// Whether it has the web UI.
    pub fn has_ui(&self) -> bool {
        self.app.assets.has_ui()
    }

    /// A link that signs one browser in, once.
    pub fn sign_in_link(&self) -> String {
        self.app.sign_in_link()
    }

    /// Makes sign-in links later on, as when somebody asks through the socket.
    pub fn links(&self) -> SignInLinks {
        SignInLinks(self.app.clone())
    }

    /// Answers until `shutdown`; answers under way are finished first.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), ServerError> {
        let address = self.app.address;
        let router = router::site(self.app);
        let served = axum::serve(self.listener, router).with_graceful_shutdown(shutdown).await;
        served.map_err(|source| ServerError::Bind { address, source })
    }
}

/// Makes sign-in links for a site.
#[derive(Clone)]
pub struct SignInLinks(App);

impl SignInLinks {
    /// A link that signs one browser in, once.
    pub fn link(&self) -> String {
        self.0.sign_in_link()
    }
}

impl App {
    fn sign_in_link(&self) -> String {
        let key = self.access.new_key((self.now)());
        format!("http://{}/signin?key={}", self.address, key.0)
    }
}
