//! What `gannet demo-site` does: binds, says where, serves until told to stop.

use std::future::Future;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use crate::demo::Demo;
use crate::generated::{Generated, GeneratedWeb};
use crate::log::KEPT_ENTRIES;
use crate::serve::{ServeOptions, Server, Web};
use crate::torture::{Torture, TortureOptions};
use crate::{WebsError, demo};

/// What to serve and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen; port 0 takes a free one.
    pub addr: SocketAddr,
    /// How many loopback addresses to listen on, `addr` and the following ones.
    pub addresses: u8,
    /// Which web.
    pub web: Choice,
    /// A file that gets the request log.
    pub log: Option<PathBuf>,
}

/// The webs that can be served as a program.
#[derive(Clone, Debug)]
pub enum Choice {
    /// The demo site.
    Demo {
        /// Its seed.
        seed: u64,
        /// The epoch it starts with.
        epoch: u64,
    },
    /// A generated web.
    Generated(Generated),
    /// The torture web. Its addresses are fixed: of the wanted one only the port counts.
    Torture {
        /// Its seed.
        seed: u64,
    },
}

impl Default for Options {
    fn default() -> Self {
        Self {
            addr: SocketAddr::from(([127, 0, 0, 1], 0)),
            addresses: 1,
            web: Choice::Demo { seed: 1, epoch: 0 },
            log: None,
        }
    }
}

/// Serves until `stop` is ready. When the web can be asked, one line goes to `out`:
/// `serving demo at http://127.0.0.1:8080/`, and for webs of many hosts a second one with the
/// start page and the address of the hosts file, and of the name server where there is one;
/// the torture web has a third, with the address of its certificate authority.
pub async fn run(
    options: Options,
    out: &mut (dyn Write + Send),
    stop: impl Future<Output = ()>,
) -> Result<(), WebsError> {
    let (server, greeting) = start_greeting(&options).await?;
    out.write_all(greeting.as_bytes()).and_then(|()| out.flush()).map_err(WebsError::Print)?;
    stop.await;
    server.stop().await;
    Ok(())
}

/// Starts what the options describe and returns at once.
pub async fn start(options: &Options) -> Result<Server, WebsError> {
    Ok(start_greeting(options).await?.0)
}

/// Starts, and says where.
async fn start_greeting(options: &Options) -> Result<(Server, String), WebsError> {
    match &options.web {
        Choice::Demo { seed, epoch } => {
            let server = serve(Arc::new(Demo::new(*seed, *epoch)), options).await?;
            let (base, port) = (server.base(), server.addr().port());
            let greeting = format!("serving demo at {base}/ (also as http://{}:{port}/)\n", demo::HOST);
            Ok((server, greeting))
        }
        Choice::Generated(generated) => {
            let server = serve(Arc::new(GeneratedWeb::new(generated.clone())?), options).await?;
            let (base, start) = (server.base(), generated.start_url(server.addr().port()));
            let greeting =
                format!("serving generated at {base}/\nstart {start} hosts {base}/_control/hosts\n");
            Ok((server, greeting))
        }
        Choice::Torture { seed } => start_torture(*seed, options).await,
    }
}

async fn serve(web: Arc<dyn Web>, options: &Options) -> Result<Server, WebsError> {
    let serve = ServeOptions {
        addresses: addresses(options.addr, options.addresses),
        kept_entries: KEPT_ENTRIES,
        log_file: options.log.clone(),
    };
    Server::start_with(web, &serve).await
}

async fn start_torture(seed: u64, options: &Options) -> Result<(Server, String), WebsError> {
    if !options.addr.ip().is_loopback() {
        return Err(WebsError::NotLoopback { addr: options.addr });
    }
    let (port, log_file) = (options.addr.port(), options.log.clone());
    let served = Torture::start(seed, TortureOptions { port, log_file, ..TortureOptions::default() }).await?;
    let (starts, dns) = (served.start_urls().join(" "), served.dns_addr());
    let server = served.into_server();
    let base = server.base();
    let greeting = format!(
        "serving torture at {base}/\nstart {starts} hosts {base}/_control/hosts dns {dns}\nca {base}/_control/ca.pem\n"
    );
    Ok((server, greeting))
}

fn addresses(first: SocketAddr, count: u8) -> Vec<SocketAddr> {
    let SocketAddr::V4(v4) = first else { return vec![first] };
    let start = u32::from(*v4.ip());
    let following = (0..u32::from(count.max(1))).map(|step| start.saturating_add(step));
    following.map(|ip| SocketAddr::from((std::net::Ipv4Addr::from(ip), first.port()))).collect()
}
