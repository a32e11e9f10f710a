//! What handlers share.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use crawl::WallClock;
use service::Data;
use service::preview::Previews;

use crate::Now;
use crate::access::Access;
use crate::assets::Assets;

/// What handlers share; cheap to clone.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

/// The parts.
pub(crate) struct Shared {
    pub(crate) data: Arc<Data>,
    pub(crate) now: Now,
    /// Where browsers reach us.
    pub(crate) address: SocketAddr,
    /// The bundled demo site.
    pub(crate) demo: Option<SocketAddr>,
    /// Private addresses that may be asked all the same, the demo site's among them.
    pub(crate) allow: Vec<SocketAddr>,
    /// For pages that are asked for outside any run.
    pub(crate) clock: WallClock,
    pub(crate) previews: Previews,
    pub(crate) access: Access,
    pub(crate) assets: Assets,
}

/// How to serve browsers.
#[derive(Clone, Debug, Default)]
pub struct SiteOptions {
    /// The bundled demo site, which may be asked although its address is private.
    pub demo: Option<SocketAddr>,
    /// Other private addresses that may be asked: the administrator's word.
    pub allow: Vec<SocketAddr>,
    /// The web UI from this folder instead of the built-in one.
    pub ui: Option<PathBuf>,
}

impl App {
    pub(crate) fn new(shared: Shared) -> App {
        App(Arc::new(shared))
    }
}

impl std::ops::Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}
