//! `cargo xtask bench search`, its second part: real documentation pages on loopback, from an empty data directory to all
//! of them searchable, crawl included. Beside us wget2 and a script that indexes with tantivy-py what it fetched.
//!
//! Pages are HTML files below the folder that `GANNET_BENCH_DOCUMENTS` names, which `cargo xtask bench` fills with those of
//! Debian packages; else those of installed packages (`/usr/share/doc`). What is missing is said, and left out.

#![expect(clippy::disallowed_methods, reason = "a benchmark measures time, and looks again and again")]

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use webs::serve::ServeOptions;
use webs::{Answer, Request, Server, Web};

/// Fewer pages say little; more than so many take long.
const FEWEST: usize = 1_500;
const MOST: usize = 4_000;

/// The pages that are used: about as long as those of the Web.
const LENGTHS: std::ops::Range<u64> = 14_000..60_000;

/// Links on one page of the list of all pages.
const LISTED: usize = 400;

const PATIENCE: Duration = Duration::from_secs(600);

fn main() -> Result<()> {
    let folder = std::env::var_os("GANNET_BENCH_DOCUMENTS").map_or("/usr/share/doc".into(), PathBuf::from);
    let documents = Documents::read(&folder)?;
    let pages = documents.pages.len();
    if pages < FEWEST {
        println!(
            "no pages searched: {pages} HTML files of {} to {} bytes below {}, {FEWEST} are needed; \
             install packages such as python3-doc, git-doc, postgresql-doc",
            LENGTHS.start,
            LENGTHS.end,
            folder.display()
        );
        return Ok(());
    }
    println!("{pages} pages of {} bytes on average", documents.bytes() / pages);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let server = runtime
        .block_on(Server::start_with(Arc::new(documents), &ServeOptions::on_loopbacks(1, 0)))
        .context("the pages cannot be served")?;
    let start = format!("{}/", server.base());
    let dir = tempfile::tempdir()?;
    let theirs = theirs(&start, dir.path(), pages)?;
    let ours = ours(&start, dir.path(), pages)?;
    if let Some(theirs) = theirs {
        println!("CPU per page: {:.2} of wget2 and tantivy-py, bound 0.5", ours / theirs);
    }
    Ok(())
}

/// Documentation pages, and lists of them all: `/` leads to those.
struct Documents {
    pages: HashMap<String, Bytes>,
    lists: HashMap<String, Bytes>,
}

impl Documents {
    fn read(folder: &Path) -> Result<Documents> {
        let mut paths = Vec::new();
        let mut folders = VecDeque::from([folder.to_owned()]);
        while let Some(next) = folders.pop_front() {
            for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
                let (path, kind) = (entry.path(), entry.file_type()?);
                // No links but those to whole sites: they would show the same page twice.
                let is_site = next == folder && kind.is_symlink() && path.is_dir();
                if kind.is_dir() || is_site {
                    folders.push_back(path);
                } else if kind.is_file()
                    && path.extension().is_some_and(|ending| ending == "html")
                    && entry.metadata().is_ok_and(|file| LENGTHS.contains(&file.len()))
                {
                    paths.push(path);
                }
            }
        }
        paths.sort();
        // Some of every package.
        let step = paths.len().div_ceil(MOST).max(1);
        let mut pages: HashMap<String, Bytes> = HashMap::new();
        for path in paths.iter().step_by(step) {
            let name = format!("/{}", path.strip_prefix(folder)?.to_string_lossy());
            if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte)) {
                pages.insert(name, std::fs::read(path)?.into());
            }
        }
        let names: HashSet<String> = pages.keys().cloned().collect();
        for (name, page) in &mut pages {
            *page = without_dead_links(name, page, &names);
        }
        let mut names: Vec<&String> = pages.keys().collect();
        names.sort();
        let mut lists = HashMap::new();
        let mut first = String::from("<!doctype html><title>All pages</title>\n");
        for (number, part) in names.chunks(LISTED).enumerate() {
            let mut list = format!("<!doctype html><title>Pages, part {number}</title>\n");
            for name in part {
                writeln!(list, "<p><a href=\"{name}\">{name}</a>")?;
            }
            lists.insert(format!("/all-{number}.html"), list.into());
            writeln!(first, "<p><a href=\"/all-{number}.html\">Part {number}</a>")?;
        }
        lists.insert("/".to_owned(), first.into());
        Ok(Documents { pages, lists })
    }

    fn bytes(&self) -> usize {
        self.pages.values().map(Bytes::len).sum()
    }
}

/// The same page, its links to pages that are not served led to itself: else most requests would be for nothing.
fn without_dead_links(name: &str, page: &[u8], names: &HashSet<String>) -> Bytes {
    const LINK: &[u8] = b"href=\"";
    let mut kept = Vec::with_capacity(page.len());
    let mut rest = page;
    while let Some(at) = rest.windows(LINK.len()).position(|window| window == LINK) {
        let (before, behind) = rest.split_at(at + LINK.len());
        kept.extend_from_slice(before);
        let length = behind.iter().position(|byte| *byte == b'"').unwrap_or(behind.len());
        let link = std::str::from_utf8(&behind[..length]).unwrap_or_default();
        let is_served = link.contains("://") || names.contains(&resolved(name, link));
        kept.extend_from_slice(if is_served { &behind[..length] } else { b"#" });
        rest = &behind[length..];
    }
    kept.extend_from_slice(rest);
    kept.into()
}

/// The path that a link leads to.
fn resolved(from: &str, link: &str) -> String {
    let link = link.split(['#', '?']).next().unwrap_or_default();
    let mut parts: Vec<&str> = Vec::new();
    let folder =
        if link.starts_with('/') { "" } else { from.rsplit_once('/').map_or("", |(folder, _)| folder) };
    for part in folder.split('/').chain(link.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

impl Web for Documents {
    fn answer(&self, request: &Request) -> Answer {
        match self.pages.get(&request.path).or_else(|| self.lists.get(&request.path)) {
            Some(page) => Answer::new(200, "text/html", page.clone()),
            None => Answer::new(404, "text/plain", Bytes::new()),
        }
    }

    fn hosts(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Our CPU per page in milliseconds.
fn ours(start: &str, dir: &Path, pages: usize) -> Result<f64> {
    let program = std::env::current_exe()?;
    let program = program.ancestors().nth(2).context("no folder of programs")?.join("gannet");
    ensure!(program.is_file(), "{} is not built: cargo build --release -p app", program.display());
    let project = dir.join("project.yaml");
    let settings = "{scope: host, rate: unlimited, allow_private: true}";
    std::fs::write(
        &project,
        format!("version: 1\nproject: docs\nstart: [{start}]\ncrawl: {settings}\nindex: {{of: pages}}\n"),
    )?;
    let data = dir.join("data");
    let gannet = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.args(arguments).arg("--data").arg(&data).env("GANNET_CRAWL_HINTS", "false");
        command
    };
    let project = project.to_str().context("a path that is no text")?;
    let taken = watch(&mut gannet(&["crawl", "-q", "-p", project]))?;
    let found = gannet(&["search", "", "--json"]).output()?;
    let found: serde_json::Value = serde_json::from_slice(&found.stdout).context("the search failed")?;
    let total = found["total"].as_u64().unwrap_or(0) as usize;
    ensure!(total >= pages, "{total} of {pages} pages are found");
    let ours = taken.cpu * 1e3 / total as f64;
    println!("gannet: {:.2} s of CPU, {:.2} s", taken.cpu, taken.time);
    println!("measure: CPU, gannet = {ours:.3} ms/page");
    Ok(ours)
}

/// CPU per page of wget2 and tantivy-py in milliseconds; none where they are missing.
fn theirs(start: &str, dir: &Path, pages: usize) -> Result<Option<f64>> {
    if Command::new("wget2").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("no comparison with wget2: it is not installed");
        return Ok(None);
    }
    let Some(python) = std::env::var_os("GANNET_BENCH_PYTHON") else {
        println!("no comparison with tantivy-py: there is no Python with it (GANNET_BENCH_PYTHON)");
        return Ok(None);
    };
    let fetched = dir.join("fetched");
    let mut wget2 = Command::new("wget2");
    wget2.args(["--quiet", "--recursive", "--level=inf", "--tries=1", "--no-robots", "--max-threads=4"]);
    // What a crawler of texts leaves out, too.
    wget2.args(["--reject=css,js,png,gif,svg,jpg,jpeg,ico", "--directory-prefix"]).arg(&fetched).arg(start);
    let crawl = watch(&mut wget2)?;
    println!("wget2: {:.2} s of CPU, {:.2} s", crawl.cpu, crawl.time);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/bench_pages.py");
    let both = |parser: &str| {
        let said = dir.join(format!("said-{parser}"));
        let mut indexing = Command::new(&python);
        indexing.arg(script).arg(&fetched).arg(dir.join(format!("index-{parser}"))).arg(parser);
        let index = watch(indexing.stdout(std::fs::File::create(&said)?))?;
        let indexed: usize = std::fs::read_to_string(said)?.trim().parse().unwrap_or(0);
        ensure!(indexed >= pages, "wget2 and tantivy-py have {indexed} of {pages} pages");
        let both = (crawl.cpu + index.cpu) * 1e3 / indexed as f64;
        println!("measure: CPU, wget2 and tantivy-py, {parser} = {both:.3} ms/page");
        Ok(both)
    };
    // With lxml nearly all of it is C and Rust; whoever writes such a script may take either, so the better one counts.
    let (plain, quick) = (both("html.parser")?, both("lxml")?);
    Ok(Some(f64::min(plain, quick)))
}

/// What a program took.
struct Taken {
    /// CPU seconds, of the program and of the system for it.
    cpu: f64,
    time: f64,
}

/// Runs a program to its end.
fn watch(command: &mut Command) -> Result<Taken> {
    let began = Instant::now();
    let mut child = command.stdin(Stdio::null()).spawn()?;
    let stat = format!("/proc/{}/stat", child.id());
    loop {
        // Ended, it stays there until it is waited for: so its last figures are whole.
        let line = std::fs::read_to_string(&stat)?;
        let fields: Vec<&str> = line.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        if fields.first() == Some(&"Z") {
            // User and system time, its own and that of its ended children, in ticks of 10 ms.
            let ticks: u64 = fields[11..15].iter().map(|ticks| ticks.parse::<u64>().unwrap_or(0)).sum();
            let time = began.elapsed().as_secs_f64();
            let status = child.wait()?;
            // wget2 ends with 8 when some link led nowhere.
            ensure!(status.success() || status.code() == Some(8), "{command:?} ended with {status}");
            return Ok(Taken { cpu: ticks as f64 / 100.0, time });
        }
        if began.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            bail!("{command:?} took longer than {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
