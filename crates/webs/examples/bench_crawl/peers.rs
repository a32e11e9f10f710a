//! The crawlers that are compared, each as good at this as its settings make it: no pauses, no robots.txt, all sites
//! at once, everything from the start pages on.
//!
//! Those that are not installed are left out, and said to be.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::Failure;
use crate::child::{Served, Taken, watch};

/// What makes a crawl of ours do no more than those of others.
const LEAN: [&str; 4] = ["--order", "breadth-first", "--duplicates", "off"];

/// How long one crawl may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// Where the programs are; xtask says so.
pub(crate) struct Programs {
    pub(crate) gannet: PathBuf,
    spider: Option<PathBuf>,
    python: Option<PathBuf>,
}

/// A crawl by one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    /// As it comes: links with their attributes, main text and dates, sieve, WARC, durable frontier; and duplicates, and
    /// ranks for the order.
    Gannet,
    /// Without duplicates and ranks, which the others do not have either.
    GannetBreadthFirst,
    /// The same, pages stored as they are, as the others store them.
    GannetPlain,
    /// Links and outcomes alone, breadth-first.
    GannetLinks,
    /// Pages appended to a file of their site: the least that storing can cost.
    SpiderAppending,
    /// A file for each page.
    SpiderFiles,
    /// As its own WARC writer has them, not compressed.
    SpiderWarc,
    Spider,
    /// Pages appended to a file.
    Scrapy,
    /// Pages kept as files.
    Wget2Storing,
    Wget2,
}

impl Peer {
    pub(crate) const ALL: [Peer; 11] = [
        Peer::SpiderWarc,
        Peer::SpiderFiles,
        Peer::SpiderAppending,
        Peer::GannetPlain,
        Peer::GannetBreadthFirst,
        Peer::Gannet,
        Peer::Scrapy,
        Peer::Wget2Storing,
        Peer::Wget2,
        Peer::GannetLinks,
        Peer::Spider,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Peer::Gannet => "gannet",
            Peer::GannetBreadthFirst => "gannet, breadth-first, no judge",
            Peer::GannetPlain => "gannet, breadth-first, no judge, not compressed",
            Peer::GannetLinks => "gannet, links only",
            Peer::SpiderWarc => "spider, storing: WARC",
            Peer::SpiderFiles => "spider, storing: files",
            Peer::SpiderAppending => "spider, storing: appended",
            Peer::Spider => "spider",
            Peer::Scrapy => "scrapy, storing",
            Peer::Wget2Storing => "wget2, storing",
            Peer::Wget2 => "wget2",
        }
    }
}

impl Programs {
    pub(crate) fn find() -> Result<Programs, Failure> {
        let told = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.exists());
        let gannet = told("GANNET_BENCH_BINARY")
            .ok_or("GANNET_BENCH_BINARY must name the program; run cargo xtask bench")?;
        Ok(Programs { gannet, spider: told("GANNET_BENCH_SPIDER"), python: told("GANNET_BENCH_PYTHON") })
    }

    /// Crawls everything that is served, with a fresh folder to keep it in. None when the program is not there.
    pub(crate) fn crawl(&self, peer: Peer, served: &Served, folder: &Path) -> Result<Option<Taken>, Failure> {
        let starts = &served.starts;
        let commands = match peer {
            Peer::Gannet => vec![self.gannet(folder, starts, &[])],
            Peer::GannetBreadthFirst => vec![self.gannet(folder, starts, &LEAN)],
            Peer::GannetPlain => {
                vec![self.gannet(folder, starts, &[&LEAN[..], &["--compression", "none"]].concat())]
            }
            Peer::GannetLinks => {
                vec![self.gannet(folder, starts, &[&LEAN[..], &["--keep", "none"]].concat())]
            }
            Peer::SpiderWarc | Peer::SpiderFiles | Peer::SpiderAppending | Peer::Spider => {
                let Some(spider) = &self.spider else { return Ok(None) };
                let mut command = Command::new(spider);
                let way = match peer {
                    Peer::SpiderWarc => Some("--warc"),
                    Peer::SpiderFiles => Some("--files"),
                    Peer::SpiderAppending => Some("--append"),
                    _ => None,
                };
                if let Some(way) = way {
                    command.arg(way).arg(folder);
                }
                command.args(starts);
                vec![command]
            }
            Peer::Scrapy => {
                let Some(python) = &self.python else { return Ok(None) };
                let program = folder.join("pages.py");
                std::fs::write(&program, include_str!("scrapy_pages.py"))?;
                let mut command = Command::new(python);
                command.arg(program).arg(folder.join("pages")).args(starts);
                vec![command]
            }
            // With several start pages this one does not always end, so it gets them one by one.
            Peer::Wget2Storing | Peer::Wget2 => {
                if Command::new("wget2").arg("--version").output().is_err() {
                    return Ok(None);
                }
                let command = |start: &String| {
                    let mut command = Command::new("wget2");
                    command
                        .args(["--quiet", "--recursive", "--level=0", "--no-robots", "--max-threads=8"])
                        .arg(start);
                    match peer {
                        Peer::Wget2 => command.args(["-O", "/dev/null"]),
                        _ => command.arg("-P").arg(folder),
                    };
                    command
                };
                starts.iter().map(command).collect()
            }
        };
        let mut all = Taken { good: true, ..Taken::default() };
        for mut command in commands {
            let taken = watch(command.stdout(Stdio::null()).stderr(Stdio::null()), PATIENCE)?;
            all.cpu += taken.cpu;
            all.time += taken.time;
            all.memory = all.memory.max(taken.memory);
            all.good &= taken.good;
        }
        Ok(Some(all))
    }

    pub(crate) fn gannet(&self, folder: &Path, starts: &[String], further: &[&str]) -> Command {
        let mut command = Command::new(&self.gannet);
        command.arg("crawl").args(starts).arg("--data").arg(folder.join("data"));
        command.args(["--rate", "unlimited", "--robots", "ignore", "--crawl-hints=false", "--allow-private"]);
        command.args(["--linger", "1s", "--quiet"]).args(further);
        command
    }
}
