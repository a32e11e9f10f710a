//! `cargo xtask soak <name>`: the long form of a suite of which CI runs a short seeded slice.
//!
//! Such a test reads the number of its repetitions from `GANNET_SOAK`, takes a small default without it,
//! and prints the seed of each.

use anyhow::{Context, Result, bail};

use crate::report::{Report, timed};
use crate::runner::TestRun;
use crate::workspace::Workspace;
use crate::{machine, python};

struct Soak {
    name: &'static str,
    about: &'static str,
    packages: &'static [&'static str],
    /// Parts of the tests' names.
    filters: &'static [&'static str],
    /// Repetitions unless `--seeds` says otherwise.
    seeds: u32,
}

/// A new long suite is an entry here.
const SOAKS: &[Soak] = &[Soak {
    name: "crash",
    about: "kill and resume crawls at random moments, on a real and on a forgetful disk",
    packages: &["app", "crawl"],
    filters: &["crash", "kill"],
    seeds: 100,
}];

/// Runs the suite named, `--seeds N` repetitions.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let (name, seeds) = match arguments {
        [] => ("--list", None),
        [name] => (name.as_str(), None),
        [name, flag, seeds] if flag == "--seeds" => {
            (name.as_str(), Some(seeds.parse::<u32>().context("--seeds takes a number")?))
        }
        _ => bail!("usage: cargo xtask soak <name> [--seeds N]"),
    };
    if name == "--list" {
        SOAKS.iter().for_each(|soak| println!("{:<12} {} ({} seeds)", soak.name, soak.about, soak.seeds));
        return Ok(true);
    }
    let Some(soak) = SOAKS.iter().find(|soak| soak.name == name) else {
        bail!("no long suite {name:?}; cargo xtask soak --list names them");
    };
    let workspace = Workspace::load()?;
    let seeds = seeds.unwrap_or(soak.seeds);
    println!("== {name}, {seeds} seeds; {}", machine::facts());
    let mut environment = vec![("GANNET_SOAK", seeds.to_string().into())];
    if let Ok(python) = python::prepare(&workspace.target) {
        environment.push(("GANNET_TEST_PYTHON", python.into_os_string()));
    }
    let run = TestRun { packages: soak.packages, filters: soak.filters, profile: "soak", environment };
    let (outcome, seconds) = timed(|| run.run(&workspace.root));
    let mut report = Report::default();
    report.add(name, outcome?, seconds);
    print!("\n{report}");
    Ok(report.is_good())
}
