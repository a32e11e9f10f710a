//! `cargo xtask bench <name>`: runs a benchmark several times and shows medians and ratios.
//!
//! A benchmark is an example of a crate (`crates/<package>/examples/<example>.rs`), built for release,
//! that prints lines such as `measure: crawl = 1840 pages/s` among whatever else it likes to say.
//! Machines differ and are busy, so each figure is also given as a ratio to the first one of its unit:
//! let that be a yardstick, the same work without the part in question.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use crate::dist;
use crate::documents;
use crate::machine;
use crate::peers;
use crate::python;
use crate::runner::relay;
use crate::ui;
use crate::workspace::{Workspace, cargo, locked};

struct Bench {
    name: &'static str,
    about: &'static str,
    package: &'static str,
    example: &'static str,
    /// What it compares with.
    beside: Beside,
}

/// What a benchmark needs besides itself, named to it in its environment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nothing,
    /// Pages: `GANNET_BENCH_DOCUMENTS`.
    Pages,
    /// Libraries for Python: `GANNET_BENCH_PYTHON`.
    Python,
    /// Libraries for Python and pages: `GANNET_BENCH_PYTHON`, `GANNET_BENCH_DOCUMENTS`.
    PythonAndPages,
    /// The program, other crawlers and pages to crawl: `GANNET_BENCH_BINARY`, `GANNET_BENCH_PYTHON`,
    /// `GANNET_BENCH_SPIDER`, `GANNET_BENCH_DOCUMENTS`; `GANNET_BENCH_FOLDER` is there for whoever wants it.
    Crawlers,
}

/// A new benchmark is a line here.
const BENCHES: &[Bench] = &[
    Bench {
        name: "crawl",
        about: "client CPU per page, pages per second and memory beside other crawlers; settings; connections; TLS",
        package: "webs",
        example: "bench_crawl",
        beside: Beside::Crawlers,
    },
    Bench {
        name: "read",
        about: "processor time of reading a page: tags and text, links, everything",
        package: "extract",
        example: "bench_read",
        beside: Beside::Pages,
    },
    Bench {
        name: "frontier",
        about: "20 million known URLs on a million hosts: the sieve, memory, time to the first lease after a kill; pauses of an order",
        package: "frontier",
        example: "bench_frontier",
        beside: Beside::Nothing,
    },
    Bench {
        name: "load",
        about: "2,000 hosts, half of them slow or failing: slot time lost, descriptors, connections, memory",
        package: "crawl",
        example: "bench_load",
        beside: Beside::Nothing,
    },
    Bench {
        name: "extract",
        about: "pages per CPU second with a template of ten fields on pages of fifty rows, beside parsel; detection",
        package: "template",
        example: "bench_extract",
        beside: Beside::Python,
    },
    Bench {
        name: "search",
        about: "indexing and searching made-up rows, beside the plain index library; suggestions; a crawl until all is searchable",
        package: "index",
        example: "bench_search",
        beside: Beside::PythonAndPages,
    },
    Bench {
        name: "judge",
        about: "5 million fingerprints: look-up of near duplicates, memory; what a fingerprint costs by each method",
        package: "judge",
        example: "bench_judge",
        beside: Beside::Nothing,
    },
    Bench {
        name: "rank",
        about: "PageRank, trust, host rank and centrality on a made-up power-law graph: arcs per second, bytes per arc, time and memory of the transpose; simulated crawls",
        package: "graph",
        example: "bench_rank",
        beside: Beside::Nothing,
    },
    Bench {
        name: "simulate",
        about: "simulated crawls of a made-up web of 100,000 pages: fetches per second",
        package: "simulate",
        example: "bench_simulate",
        beside: Beside::Nothing,
    },
    Bench {
        name: "serve",
        about: "memory and processor time of an idle server",
        package: "app",
        example: "bench_serve",
        beside: Beside::Nothing,
    },
];

/// Benchmarks with further examples: the benchmark, the package and the example. Those of `app` run the program itself.
/// One that is a benchmark of its own does not take the arguments of the other.
const FURTHER: &[(&str, &str, &str)] = &[
    ("rank", "simulate", "bench_simulate"),
    ("search", "search", "bench_answers"),
    ("search", "app", "bench_pages"),
    ("frontier", "simulate", "bench_order"),
];

/// The benchmark that asks a server and looks at it in a browser.
const TABLE: &str = "table";
const TABLE_ABOUT: &str = "a million rows and pages, 100,000 log lines: the first 50 of each filter and sort, the tables in Chromium";

/// Runs the benchmark named; `--runs N` times, and with what follows `--` as its arguments.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let (own, passed_on) = match arguments.iter().position(|argument| argument == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[][..]),
    };
    let (name, runs) = match own {
        [] => ("--list", 0),
        [name] => (name.as_str(), 3),
        [name, flag, runs] if flag == "--runs" => {
            (name.as_str(), runs.parse().context("--runs takes a number")?)
        }
        _ => bail!("usage: cargo xtask bench <name> [--runs N] [-- arguments of the benchmark]"),
    };
    if name == "--list" {
        BENCHES.iter().for_each(|bench| println!("{:<12} {}", bench.name, bench.about));
        println!("{TABLE:<12} {TABLE_ABOUT}");
        return Ok(true);
    }
    if name == TABLE {
        return table();
    }
    let Some(bench) = BENCHES.iter().find(|bench| bench.name == name) else {
        bail!("no benchmark {name:?}; cargo xtask bench --list names them");
    };
    let mut named = named(bench.beside)?;
    // Removed when all runs have ended: files take longer to make for minutes after many were removed.
    let folder = Workspace::load()?.target.join("bench-folder");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    named.push(("GANNET_BENCH_FOLDER", folder.clone()));
    let mut figures = Figures::default();
    for run in 1..=runs {
        println!("== {name}, run {run} of {runs}; {}", machine::facts());
        let more =
            FURTHER.iter().filter(|(of, ..)| *of == name).map(|(_, package, example)| (*package, *example));
        for (package, example) in std::iter::once((bench.package, bench.example)).chain(more) {
            if package == "app" {
                let (status, _) =
                    relay(cargo().args(["build", "--release", "--package", "app"]).args(locked()))?;
                ensure!(status.success(), "the program is not built");
            }
            let mut command = cargo();
            command.args(["run", "--release", "--package", package, "--example", example]);
            command.envs(named.iter().map(|(name, path)| (name, path)));
            let is_of_another = BENCHES.iter().any(|other| other.name != name && other.example == example);
            let passed_on = if is_of_another { &[] } else { passed_on };
            let (status, lines) = relay(command.args(locked()).arg("--").args(passed_on))?;
            if !status.success() {
                bail!("{name} ended with {status}");
            }
            lines.iter().for_each(|line| figures.add(line));
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!("\n{}", machine::facts());
    print!("{}", figures.table());
    Ok(true)
}

/// A server on a filled data directory, asked through its API and looked at in Chromium. The directory is made once.
fn table() -> Result<bool> {
    let workspace = Workspace::load()?;
    if let Err(missing) = ui::node() {
        bail!(missing);
    }
    let chromium = ui::chromium().map_err(anyhow::Error::msg)?;
    let dist = ui::dist(&workspace)?;
    let data = workspace.target.join("table-data");
    if !data.exists() {
        let part = workspace.target.join("table-data.part");
        let _ = std::fs::remove_dir_all(&part);
        ensure!(fill(&[part.display().to_string()])?, "the data directory is not filled");
        std::fs::rename(&part, &data)?;
    }
    let (status, _) = relay(cargo().args(["build", "--release", "--package", "app"]).args(locked()))?;
    ensure!(status.success(), "the program is not built");
    let mut command = std::process::Command::new("node");
    command.arg(workspace.root.join("ui/scripts/table.mjs"));
    command.arg(workspace.target.join("release").join("gannet")).arg(&data).arg(dist);
    let (status, lines) = relay(command.env("CHROMIUM", chromium))?;
    let mut figures = Figures::default();
    lines.iter().for_each(|line| figures.add(line));
    println!("\n{}", machine::facts());
    print!("{}", figures.table());
    Ok(status.success())
}

/// Fills a data directory, for looking at pages with much in them, and tells how soon the first rows come.
pub(crate) fn fill(arguments: &[String]) -> Result<bool> {
    if arguments.is_empty() {
        bail!("usage: cargo xtask fill DIR [ROWS] [LINES]");
    }
    let mut command = cargo();
    command.args(["run", "--release", "--package", "service", "--example", "fill"]);
    let (status, lines) = relay(command.args(locked()).arg("--").args(arguments))?;
    let mut figures = Figures::default();
    lines.iter().for_each(|line| figures.add(line));
    println!("\n{}", machine::facts());
    print!("{}", figures.table());
    Ok(status.success())
}

/// What stands beside a benchmark, made ready; what cannot be had is said and left out.
fn named(beside: Beside) -> Result<Vec<(&'static str, PathBuf)>> {
    let mut named = Vec::new();
    if beside == Beside::Nothing {
        return Ok(named);
    }
    let workspace = Workspace::load()?;
    let target = workspace.target.clone();
    // What the environment names already is not made again.
    let mut add =
        |name: &'static str, what: &str, find: &dyn Fn() -> Result<PathBuf, String>| match std::env::var_os(
            name,
        )
        .map_or_else(find, |known| Ok(known.into()))
        {
            Ok(path) => named.push((name, path)),
            Err(missing) => println!("no {what}: {missing}"),
        };
    if beside == Beside::Crawlers {
        // As `make dist` builds it.
        add("GANNET_BENCH_BINARY", "program", &|| {
            dist::program(&workspace).map_err(|error| format!("{error:#}"))
        });
    }
    if beside == Beside::Crawlers {
        add("GANNET_BENCH_PYTHON", "comparison with Scrapy", &|| python::prepare(&target, &python::CRAWLERS));
        add("GANNET_BENCH_SPIDER", "comparison with spider", &|| peers::spider(&target));
    } else if beside != Beside::Pages {
        let prepare = || python::prepare(&target, &python::BENCHES);
        add("GANNET_BENCH_PYTHON", "comparison with libraries for Python", &prepare);
    }
    if matches!(beside, Beside::Crawlers | Beside::Pages | Beside::PythonAndPages) {
        add("GANNET_BENCH_DOCUMENTS", "pages to crawl", &|| documents::prepare(&target));
    }
    Ok(named)
}

/// Measures in the order they first came, each with a value per run.
#[derive(Default)]
struct Figures {
    measures: Vec<Measure>,
}

struct Measure {
    name: String,
    unit: String,
    values: Vec<f64>,
}

impl Figures {
    /// Takes a line `measure: name = value unit`; other lines are not meant for us.
    fn add(&mut self, line: &str) {
        let Some((name, value, unit)) = measure(line) else { return };
        match self.measures.iter_mut().find(|measure| measure.name == name && measure.unit == unit) {
            Some(measure) => measure.values.push(value),
            None => self.measures.push(Measure { name: name.into(), unit: unit.into(), values: vec![value] }),
        }
    }

    fn table(&self) -> String {
        let mut text = format!(
            "{:<34}{:>12}{:>12}{:>12}  {:<14}{:>7}\n",
            "measure", "median", "lowest", "highest", "unit", "ratio"
        );
        for Measure { name, unit, values } in &self.measures {
            let (low, middle, high) = spread(values);
            let yardstick = self.measures.iter().find(|other| other.unit == *unit);
            let base = yardstick.map_or(middle, |yardstick| spread(&yardstick.values).1);
            let ratio = middle / base;
            text.push_str(&format!(
                "{name:<34}{middle:>12.2}{low:>12.2}{high:>12.2}  {unit:<14}{ratio:>7.2}\n"
            ));
        }
        text
    }
}

fn measure(line: &str) -> Option<(&str, f64, &str)> {
    let (name, rest) = line.strip_prefix("measure: ")?.split_once(" = ")?;
    let (value, unit) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
    Some((name, value.parse().ok()?, unit))
}

/// Lowest, median and highest.
fn spread(values: &[f64]) -> (f64, f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
    (at(0), at(sorted.len() / 2), at(sorted.len().saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_medians_with_ratios_to_the_first_of_their_unit() {
        let mut figures = Figures::default();
        for run in ["10", "30", "20"] {
            figures.add("opening the store");
            figures.add(&format!("measure: fetch only = {run} pages/s"));
            figures.add(&format!("measure: crawl = {run}.5 pages/s"));
            figures.add("measure: memory = 64 MiB");
        }
        let table = figures.table();
        let rows: Vec<Vec<&str>> =
            table.lines().skip(1).map(|row| row.split_whitespace().collect()).collect();
        assert_eq!(rows[0], ["fetch", "only", "20.00", "10.00", "30.00", "pages/s", "1.00"]);
        assert_eq!(rows[1], ["crawl", "20.50", "10.50", "30.50", "pages/s", "1.02"]);
        assert_eq!(rows[2], ["memory", "64.00", "64.00", "64.00", "MiB", "1.00"]);
    }

    #[test]
    fn every_benchmark_is_there() {
        for bench in BENCHES {
            let root = env!("CARGO_MANIFEST_DIR");
            let file = format!("{root}/../crates/{}/examples/{}", bench.package, bench.example);
            let forms = [format!("{file}.rs"), format!("{file}/main.rs")];
            assert!(
                forms.iter().any(|file| std::path::Path::new(file).exists()),
                "{}: no {file}",
                bench.name
            );
        }
    }
}
