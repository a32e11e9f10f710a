//! `cargo xtask soak <name>`: the long form of a suite of which CI runs a short slice.
//!
//! A seeded suite of tests reads the number of its repetitions from `GANNET_SOAK`, takes a small default without it,
//! and prints the seed of each. A program runs for the minutes it is given and ends with a failure if what it
//! watched did not hold. The fuzzer gets the minutes for each target.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::report::{Outcome, Report, timed};
use crate::runner::{TestRun, relay};
use crate::workspace::{Workspace, cargo, locked};
use crate::{fuzz, machine, python};

struct Soak {
    name: &'static str,
    about: &'static str,
    kind: Kind,
}

enum Kind {
    /// Seeded tests, by parts of their names; `seeds` repetitions unless `--seeds` says otherwise.
    Tests { packages: &'static [&'static str], filters: &'static [&'static str], seeds: u64 },
    /// Every fuzz target, for `minutes` each unless `--minutes` says otherwise.
    Fuzz { minutes: u64 },
    /// An example of a crate, which takes its minutes as its argument.
    Program { package: &'static str, example: &'static str, minutes: u64 },
}

/// A new long suite is an entry here.
const SOAKS: &[Soak] = &[
    Soak {
        name: "crash",
        about: "kill and resume crawls at random moments, on a real and on a forgetful disk",
        kind: Kind::Tests { packages: &["app", "crawl"], filters: &["crash", "kill"], seeds: 100 },
    },
    Soak {
        name: "fuzz",
        about: "hostile bytes for every parser; --target NAME for one of them",
        kind: Kind::Fuzz { minutes: 60 },
    },
    Soak {
        name: "crawl",
        about: "a long crawl of a generated web, torture webs crawled beside it: memory, descriptors, tasks, files",
        kind: Kind::Program { package: "crawl", example: "soak_crawl", minutes: 60 },
    },
    Soak {
        name: "disk",
        about: "crawl on a disk that fills up at random moments",
        kind: Kind::Tests { packages: &["app", "kv"], filters: &["full_disk"], seeds: 200 },
    },
    Soak {
        name: "index",
        about: "kill and cut off while an index is made, search while it is written: it agrees with what was crawled",
        kind: Kind::Tests {
            packages: &["app", "index"],
            filters: &["search_kill", "while_writing"],
            seeds: 20,
        },
    },
    Soak {
        name: "clocks",
        about: "crawl with a date that is set back and forward",
        kind: Kind::Tests { packages: &["frontier"], filters: &["clocks"], seeds: 5_000 },
    },
    Soak {
        name: "orders",
        about: "orders against each other on generated webs of 60,000 pages, of one host and of many: PageRank gathered, pages on topic",
        kind: Kind::Tests { packages: &["simulate"], filters: &["order_"], seeds: 6 },
    },
    Soak {
        name: "torture",
        about: "crawl the torture web: every legitimate page, true outcomes, no offence",
        kind: Kind::Tests { packages: &["crawl"], filters: &["torture"], seeds: 20 },
    },
];

const USAGE: &str = "usage: cargo xtask soak <name> [--seeds N | --minutes N] [--target NAME]";

/// Runs the suite named, as long as asked.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let Some((name, options)) = arguments.split_first() else { return list() };
    if name == "--list" {
        return list();
    }
    let Some(soak) = SOAKS.iter().find(|soak| soak.name == name) else {
        bail!("no long suite {name:?}; cargo xtask soak --list names them");
    };
    let options = Options::read(options)?;
    println!("== {name}; {}", machine::facts());
    let (outcome, seconds) = timed(|| soak.run(&options));
    let mut report = Report::default();
    report.add(name, outcome?, seconds);
    print!("\n{report}");
    Ok(report.is_good())
}

fn list() -> Result<bool> {
    for Soak { name, about, kind } in SOAKS {
        let length = match kind {
            Kind::Tests { seeds, .. } => format!("{seeds} seeds"),
            Kind::Fuzz { minutes } => format!("{minutes} minutes each"),
            Kind::Program { minutes, .. } => format!("{minutes} minutes"),
        };
        println!("{name:<12} {about} ({length})");
    }
    Ok(true)
}

#[derive(Debug, Default, PartialEq)]
struct Options {
    seeds: Option<u64>,
    minutes: Option<u64>,
    target: Option<String>,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Options> {
        let mut options = Options::default();
        for pair in arguments.chunks(2) {
            let [flag, value] = pair else { bail!(USAGE) };
            let number = || value.parse().with_context(|| format!("{flag} takes a number"));
            match flag.as_str() {
                "--seeds" => options.seeds = Some(number()?),
                "--minutes" => options.minutes = Some(number()?),
                "--target" => options.target = Some(value.clone()),
                _ => bail!(USAGE),
            }
        }
        Ok(options)
    }
}

impl Soak {
    fn run(&self, options: &Options) -> Result<Outcome> {
        let fits = match self.kind {
            Kind::Tests { .. } => options.minutes.is_none() && options.target.is_none(),
            Kind::Fuzz { .. } => options.seeds.is_none(),
            Kind::Program { .. } => options.seeds.is_none() && options.target.is_none(),
        };
        if !fits {
            bail!("{} does not take these options; {USAGE}", self.name);
        }
        let workspace = Workspace::load()?;
        match self.kind {
            Kind::Tests { packages, filters, seeds } => {
                let seeds = options.seeds.unwrap_or(seeds);
                println!("{seeds} seeds");
                let mut environment = vec![("GANNET_SOAK", seeds.to_string().into())];
                if let Ok(python) = python::prepare(&workspace.target, &python::TESTS) {
                    environment.push(("GANNET_TEST_PYTHON", python.into_os_string()));
                }
                TestRun { packages, filters, profile: "soak", environment }.run(&workspace.root)
            }
            Kind::Fuzz { minutes } => {
                let time = Duration::from_secs(60 * options.minutes.unwrap_or(minutes).max(1));
                fuzz::run(&workspace, options.target.as_deref(), &|_| time, None)
            }
            Kind::Program { package, example, minutes } => {
                let minutes = options.minutes.unwrap_or(minutes).to_string();
                let mut command = cargo();
                command.args(["run", "--profile", "ci", "--package", package, "--example", example]);
                let (status, lines) = relay(command.args(locked()).args(["--", &minutes]))?;
                Ok(match lines.last() {
                    _ if status.success() => Outcome::passed(),
                    Some(last) => Outcome::failed(last.clone()),
                    None => Outcome::failed(format!("{example} ended with {status}")),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Options> {
        Options::read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read_and_others_refused() {
        assert_eq!(read("").unwrap(), Options::default());
        assert_eq!(read("--seeds 5").unwrap(), Options { seeds: Some(5), ..Options::default() });
        let target = Some("url".to_owned());
        assert_eq!(
            read("--minutes 2 --target url").unwrap(),
            Options { minutes: Some(2), target, seeds: None }
        );
        for wrong in ["--seeds", "--seeds many", "--hours 1"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_program_is_there() {
        for soak in SOAKS {
            if let Kind::Program { package, example, .. } = soak.kind {
                let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
                let file = format!("{root}/crates/{package}/examples/{example}.rs");
                assert!(std::path::Path::new(&file).exists(), "{}: no file {file}", soak.name);
            }
        }
    }
}
