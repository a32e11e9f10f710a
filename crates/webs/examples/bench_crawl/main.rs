//! `cargo xtask bench crawl`: what a page costs the client, beside other crawlers, on real documentation pages.
//!
//! Parts, all unless some are named: `peers` (CPU per page, pages per second, memory, one crawler after the other),
//! `settings` (what single settings of ours cost), `connections` (pages per second with 1 to 64), `tls` (handshakes, and what a page costs with few and with many on a
//! connection). Every crawler is a program of its own, and so is the server.

mod child;
mod documents;
mod peers;

use std::path::{Path, PathBuf};
use std::time::Duration;

use child::{Served, Taken, watch};
use documents::Serving;
use peers::{Peer, Programs};

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [verb, folder, options @ ..] = &arguments[..]
        && verb == "serve"
    {
        let mut serving = Serving::default();
        for option in options {
            match option.split_once('=') {
                Some(("tls", file)) => serving.certificate = Some(file.into()),
                Some(("each", count)) => serving.per_connection = count.parse()?,
                Some(("sites", count)) => serving.sites = count.parse()?,
                _ => return Err(format!("{option:?} is no way to serve").into()),
            }
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        return runtime.block_on(documents::serve(Path::new(folder), serving));
    }
    let documents = std::env::var_os("GANNET_BENCH_DOCUMENTS").map(PathBuf::from);
    let documents =
        documents.ok_or("GANNET_BENCH_DOCUMENTS must name a folder of sites; run cargo xtask bench")?;
    let bench = Bench { programs: Programs::find()?, documents };
    let wants = |part: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == part);
    if wants("peers") {
        bench.peers()?;
    }
    if wants("settings") {
        bench.settings()?;
    }
    if wants("connections") {
        bench.connections()?;
    }
    if wants("tls") {
        bench.tls()?;
    }
    Ok(())
}

struct Bench {
    programs: Programs,
    documents: PathBuf,
}

impl Bench {
    fn peers(&self) -> Result<(), Failure> {
        let mut served = Served::start(&self.documents, &[])?;
        let (pages, sites) = (served.pages, served.starts.len());
        println!("{pages} pages of {} bytes on {sites} hosts", served.bytes / pages.max(1));
        for peer in Peer::ALL {
            let taken = self.programs.crawl(peer, &served, &fresh_folder()?)?;
            let Some(taken) = taken else {
                println!("no {}: it is not installed", peer.name());
                continue;
            };
            let asked = served.asked()?;
            let (name, count) = (peer.name(), asked.pages as f64);
            println!(
                "{name}: {} pages, {} other answers, {} connections",
                asked.pages, asked.others, asked.connections
            );
            if asked.pages < pages {
                println!("{name}: not all pages{}", if taken.good { "" } else { ", and it ended badly" });
            }
            println!("measure: {name} = {:.3} ms/page", taken.cpu * 1_000.0 / count);
            println!("measure: {name} = {:.0} pages/s", count / taken.time);
            println!("measure: {name} = {:.0} MiB", taken.memory as f64 / 1_024.0);
        }
        Ok(())
    }

    /// A crawl that does no more than those of others, and single settings changed; in turn, as machines have good and bad
    /// minutes.
    fn settings(&self) -> Result<(), Failure> {
        const ROUNDS: usize = 5;
        let settings = [
            ("breadth-first, duplicates off", "off", "breadth-first", "fast"),
            ("duplicates exact", "exact", "breadth-first", "fast"),
            ("duplicates winnowing", "winnowing", "breadth-first", "fast"),
            ("order pagerank", "off", "pagerank", "fast"),
            ("compression none", "off", "breadth-first", "none"),
            ("compression small", "off", "breadth-first", "small"),
        ];
        let mut served = Served::start(&self.documents, &[])?;
        let mut costs = vec![Vec::new(); settings.len()];
        for _ in 0..ROUNDS {
            for ((name, duplicates, order, compression), costs) in settings.iter().zip(&mut costs) {
                let data = fresh_folder()?;
                let further = ["--duplicates", duplicates, "--order", order, "--compression", compression];
                let taken = quiet(&mut self.programs.gannet(&data, &served.starts, &further))?;
                if !taken.good {
                    return Err(format!("{name}: the crawl ended badly").into());
                }
                costs.push(taken.cpu * 1_000.0 / served.asked()?.pages as f64);
            }
        }
        let medians = costs.iter_mut().map(|costs| {
            costs.sort_by(f64::total_cmp);
            costs[ROUNDS / 2]
        });
        let medians: Vec<f64> = medians.collect();
        for ((name, ..), median) in settings.iter().zip(&medians) {
            println!("measure: {name} = {median:.3} ms/page");
            println!("measure: {name}, more = {:+.1} %", (median / medians[0] - 1.0) * 100.0);
        }
        Ok(())
    }

    /// One host for each connection, as one host has one connection.
    fn connections(&self) -> Result<(), Failure> {
        let folder = tempfile::tempdir()?;
        let sites = folder.path().join("sites");
        std::fs::create_dir(&sites)?;
        let mut originals: Vec<PathBuf> =
            std::fs::read_dir(&self.documents)?.flatten().map(|entry| entry.path()).collect();
        originals.sort();
        for (number, original) in (0..64).zip(originals.iter().cycle()) {
            std::os::unix::fs::symlink(std::fs::canonicalize(original)?, sites.join(format!("{number:02}")))?;
        }
        let mut served = Served::start(&sites, &[])?;
        for connections in [1, 2, 4, 8, 16, 32, 64] {
            let data = fresh_folder()?;
            let most = connections.to_string();
            let limits = ["--connections", &most, "--max-pages", "8000"];
            let mut command = self.programs.gannet(&data, &served.starts, &limits);
            let taken = quiet(&mut command)?;
            let pages = served.asked()?.pages as f64;
            let speed = pages / taken.time;
            println!("measure: {connections} connections = {speed:.0} pages/s");
            println!("measure: each of {connections} = {:.1} pages/s", speed / f64::from(connections));
        }
        Ok(())
    }

    fn tls(&self) -> Result<(), Failure> {
        let folder = tempfile::tempdir()?;
        let certificate = folder.path().join("ca.pem");
        let tls = format!("tls={}", certificate.display());
        let trust = certificate.display().to_string();
        for (name, options) in [
            ("plain, 100 pages a connection", vec!["each=100"]),
            ("tls, 100 pages a connection", vec![tls.as_str(), "each=100"]),
            ("plain, 1 page a connection", vec!["each=1"]),
            ("tls, 1 page a connection", vec![tls.as_str(), "each=1"]),
        ] {
            let mut served = Served::start(&self.documents, &options)?;
            let data = fresh_folder()?;
            let further = ["--ca", trust.as_str()];
            let further = if name.starts_with("tls") { &further[..] } else { &[] };
            let taken = quiet(&mut self.programs.gannet(&data, &served.starts, further))?;
            let asked = served.asked()?;
            let cost = taken.cpu * 1_000.0 / asked.pages as f64;
            println!(
                "{name}: {} pages, {} connections, {} of them resumed",
                asked.pages, asked.connections, asked.resumed
            );
            println!("measure: {name} = {cost:.3} ms/page");
        }
        Ok(())
    }
}

/// A new folder, which stays until whoever named its parent removes it: files take longer to make where many have just
/// been removed.
fn fresh_folder() -> Result<PathBuf, Failure> {
    let parent = std::env::var_os("GANNET_BENCH_FOLDER").map_or_else(std::env::temp_dir, PathBuf::from);
    Ok(tempfile::tempdir_in(parent)?.keep())
}

fn quiet(command: &mut std::process::Command) -> Result<Taken, Failure> {
    let none = std::process::Stdio::null;
    watch(command.stdout(none()).stderr(none()), Duration::from_secs(600))
}
