//! A crawler written in Rust to compare with: a small program around the crate `spider`, in a folder of its own.
//!
//! It is no part of the workspace, so nothing of what it needs can come into the product.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Pinned: a new release must not change what is found out. Without its default features it is at its leanest; `sync`
/// hands over pages.
const MANIFEST: &str = r#"[package]
name = "bench-spider"
version = "0.1.0"
edition = "2021"

[workspace]

[dependencies]
spider = { version = "=2.53.9", default-features = false, features = ["sync"] }
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
"#;

const PROGRAM: &str = r#"//! Crawls the sites of the given start pages side by side; `--store` keeps every page in memory.
use spider::website::Website;

#[tokio::main]
async fn main() {
    let mut starts: Vec<String> = std::env::args().skip(1).collect();
    let store = starts.first().is_some_and(|first| first == "--store");
    if store {
        starts.remove(0);
    }
    let crawl = |start: String| async move {
        let mut site = Website::new(&start);
        site.with_delay(0).with_respect_robots_txt(false);
        if store {
            site.scrape().await;
            site.get_pages().map_or(0, |pages| pages.len())
        } else {
            site.crawl().await;
            site.get_links().len()
        }
    };
    let sites: Vec<_> = starts.into_iter().map(|start| tokio::spawn(crawl(start))).collect();
    let mut pages = 0;
    for site in sites {
        pages += site.await.unwrap_or(0);
    }
    println!("{pages} pages");
}
"#;

/// The program, built; otherwise what is missing.
pub(crate) fn spider(target: &Path) -> Result<PathBuf, String> {
    let folder = target.join("bench-spider");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        // Left alone when it is the same, so that nothing is built again.
        match fs::read_to_string(&path) {
            Ok(known) if known == text => Ok(()),
            _ => fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display())),
        }
    };
    fs::create_dir_all(folder.join("src"))
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    write("Cargo.toml", MANIFEST)?;
    write("src/main.rs", PROGRAM)?;
    let mut build = Command::new("cargo");
    build.args(["build", "--release"]).current_dir(&folder).env("CARGO_TARGET_DIR", folder.join("target"));
    let built = build.stdin(Stdio::null()).status();
    match built {
        Ok(status) if status.success() => Ok(folder.join("target/release/bench-spider")),
        _ => Err("spider 2.53.9 does not build here".to_owned()),
    }
}
