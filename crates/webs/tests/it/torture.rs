//! The torture web as a client on the network sees it, against what it says about itself.

mod answers;
mod names;
mod tls;
mod walk;
mod wire;

use std::time::Duration;

use webs::torture::{Torture, TortureOptions, TortureServer};

/// A web whose busy hosts have recovered and whose raw listener soon loses patience.
fn quick() -> TortureOptions {
    TortureOptions {
        recovers_after: Duration::ZERO,
        crawl_delay: Duration::ZERO,
        slow_dns: Duration::from_millis(50),
        patience: Duration::from_secs(2),
        endless_bytes: 4 << 20,
        ..TortureOptions::default()
    }
}

async fn start(seed: u64, options: TortureOptions) -> TortureServer {
    println!("seed {seed}");
    Torture::start(seed, options).await.expect("starts")
}

/// `label.torture.test:port`
fn authority(server: &TortureServer, label: &str) -> String {
    format!("{label}.torture.test:{}", server.addr().port())
}

/// The absolute URL of a path.
fn url(server: &TortureServer, label: &str, path: &str) -> String {
    format!("http://{}{path}", authority(server, label))
}
