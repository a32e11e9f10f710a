//! A crawler written in Rust to compare with: a small program around the crate `spider`, in a folder of its own.
//!
//! It is no part of the workspace, so nothing of what it needs can come into the product.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Pinned: a new release must not change what is found out. Without its default features it is at its leanest; `sync`
/// hands over pages, `warc` writes them. It is optimised as far as we are.
const MANIFEST: &str = r#"[package]
name = "bench-spider"
version = "0.1.0"
edition = "2021"

[workspace]

[dependencies]
spider = { version = "=2.53.9", default-features = false, features = ["sync", "warc"] }
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }

[profile.release]
lto = "thin"
codegen-units = 1
"#;

const PROGRAM: &str = r#"//! Crawls the sites of the given start pages side by side. `--append FOLDER` appends every page to a file of its site,
//! `--files FOLDER` makes a file of each, `--warc FOLDER` lets spider write a WARC file of each site.
use std::fs::File;
use std::io::{BufWriter, Write};

use spider::tokio::sync::broadcast::error::RecvError;
use spider::utils::warc::WarcConfig;
use spider::website::Website;

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Not,
    Append,
    Files,
    Warc,
}

#[tokio::main]
async fn main() {
    let mut starts: Vec<String> = std::env::args().skip(1).collect();
    let way = match starts.first().map(String::as_str) {
        Some("--append") => Way::Append,
        Some("--files") => Way::Files,
        Some("--warc") => Way::Warc,
        _ => Way::Not,
    };
    let mut folder = String::new();
    if way != Way::Not {
        folder = starts.remove(1);
        starts.remove(0);
    }
    let mut sites = Vec::new();
    for (number, start) in starts.into_iter().enumerate() {
        sites.push(tokio::spawn(crawl(start, way, format!("{folder}/{number}"))));
    }
    let (mut pages, mut bytes, mut lost) = (0, 0, 0);
    for site in sites {
        let site = site.await.expect("a crawl that ends");
        pages += site.0;
        bytes += site.1;
        lost += site.2;
    }
    println!("{pages} pages, {bytes} bytes, {lost} lost");
}

async fn crawl(start: String, way: Way, place: String) -> (usize, usize, u64) {
    let mut site = Website::new(&start);
    site.with_delay(0).with_respect_robots_txt(false);
    if way == Way::Warc {
        site.configuration.with_warc(WarcConfig { path: place.clone(), ..Default::default() });
    }
    if matches!(way, Way::Not | Way::Warc) {
        site.crawl().await;
        return (site.get_links().len(), site.warc_record_count() as usize, 0);
    }
    // Room for many, as those that come too fast are lost.
    let mut found = site.subscribe(8_192);
    let kept = tokio::spawn(async move {
        let mut file = match way {
            Way::Append => Some(BufWriter::with_capacity(1 << 18, File::create(&place).expect("a file"))),
            _ => None,
        };
        if file.is_none() {
            std::fs::create_dir(&place).expect("a folder");
        }
        let (mut pages, mut bytes, mut lost) = (0, 0, 0);
        loop {
            match found.recv().await {
                Ok(page) => {
                    let body = page.get_html_bytes_u8();
                    if let Some(file) = &mut file {
                        writeln!(file, "{} {}", page.get_url(), body.len()).expect("room");
                        file.write_all(body).expect("room");
                    } else {
                        std::fs::write(format!("{place}/{pages}"), body).expect("room");
                    }
                    pages += 1;
                    bytes += body.len();
                }
                Err(RecvError::Lagged(count)) => lost += count,
                Err(RecvError::Closed) => break,
            }
        }
        if let Some(file) = &mut file {
            file.flush().expect("room");
        }
        (pages, bytes, lost)
    });
    site.crawl().await;
    site.unsubscribe();
    drop(site);
    kept.await.expect("pages")
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
