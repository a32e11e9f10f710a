//! `cargo xtask bench read`: what reading a page costs, stage by stage, on real documentation pages and one thread.

use std::path::{Path, PathBuf};

use extract::Input;
use html::{ElementName, Listener, Tag};
use model::{Headers, Normalise, PageUrl};

/// Hears everything, does nothing.
struct Deaf;

impl Listener for Deaf {
    fn start(&mut self, _: &Tag<'_>) {}
    fn end(&mut self, _: &str, _: ElementName) {}
    fn text(&mut self, _: &str) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::var_os("GANNET_BENCH_DOCUMENTS")
        .ok_or("GANNET_BENCH_DOCUMENTS must name a folder of sites; run cargo xtask bench")?;
    let mut pages = Vec::new();
    collect(Path::new(&folder), &mut pages)?;
    let bytes: usize = pages.iter().map(|(_, body)| body.len()).sum();
    println!("{} pages of {} bytes", pages.len(), bytes / pages.len().max(1));
    let headers = Headers(vec![("Content-Type".to_owned(), "text/html; charset=utf-8".into())]);
    measure("tags and text alone", &pages, |_, body| {
        html::read(&String::from_utf8_lossy(body), &mut Deaf);
    });
    measure("links alone", &pages, |url, body| drop(extract::page_links(&input(url, &headers, body))));
    measure("pages", &pages, |url, body| drop(extract::page(&input(url, &headers, body))));
    Ok(())
}

fn input<'a>(url: &'a PageUrl, headers: &'a Headers, body: &'a [u8]) -> Input<'a> {
    let (normalise, max_links) = (Normalise::default(), extract::MAX_LINKS);
    Input { url, headers, body, normalise, max_links, agent: "gannet" }
}

fn measure(name: &str, pages: &[(PageUrl, Vec<u8>)], read: impl Fn(&PageUrl, &[u8])) {
    let mut best = u64::MAX;
    for _ in 0..3 {
        let began = processor_time();
        pages.iter().for_each(|(url, body)| read(url, body));
        best = best.min(processor_time() - began);
    }
    println!("measure: {name} = {:.1} us/page", best as f64 / 1e3 / pages.len() as f64);
}

/// Nanoseconds that this thread was on a processor, as Linux counts them: others may be at work, too.
fn processor_time() -> u64 {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    line.split(' ').next().and_then(|time| time.parse().ok()).unwrap_or(0)
}

/// The pages of all sites, each below a host of its own.
fn collect(folder: &Path, pages: &mut Vec<(PageUrl, Vec<u8>)>) -> Result<(), Box<dyn std::error::Error>> {
    let mut open: Vec<(PathBuf, String)> = vec![(folder.to_owned(), "http://".to_owned())];
    while let Some((folder, url)) = open.pop() {
        for entry in std::fs::read_dir(folder)? {
            // A link may lead nowhere.
            let Ok(path) = std::fs::canonicalize(entry?.path()) else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                open.push((path, format!("{url}{name}/")));
            } else if name.ends_with(".html")
                && let Ok(url) = PageUrl::parse(&format!("{url}{name}"))
            {
                pages.push((url, std::fs::read(path)?));
            }
        }
    }
    Ok(())
}
