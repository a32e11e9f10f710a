//! `cargo xtask ci fuzz` and `cargo xtask soak fuzz`: builds the fuzzer and lets it try each target for a time.
//!
//! libFuzzer on the stable toolchain: the compiler's own coverage pass is switched on by its flags, in a target folder
//! of its own so that nothing else is built twice. CI draws the same inputs each time, so that a change is judged by
//! what it changed; a soak draws new ones and keeps what it learned for the next. What fails is kept beside it and
//! named. The checks themselves, and the seeds, stand in `fuzz/`.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::report::{Counts, Outcome, Part, timed};
use crate::workspace::{Workspace, cargo, is_ci, locked};

/// What makes the compiler tell libFuzzer which ways a run takes.
const COVERAGE: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// Longest input, seconds for one, MiB in all and at once: more is a failure.
const LIMITS: &[&str] = &["-max_len=8192", "-timeout=10", "-rss_limit_mb=1024", "-malloc_limit_mb=256"];

/// The last lines of a failed run that are shown.
const SHOWN: usize = 40;

/// What CI draws its inputs from.
pub(crate) const CI_SEED: u32 = 20_261_115;

/// Parsers that meet the Web's bytes first: CI tries them for longest.
const FIRST: [&str; 8] = ["url", "robots", "page", "response", "decode", "warc", "project", "pattern"];

/// How long CI tries a target; two at a time on two cores. `cargo xtask soak fuzz` is the long form.
pub(crate) fn ci_time(target: &str) -> Duration {
    Duration::from_secs(if FIRST.contains(&target) { 60 } else { 20 })
}

/// Lets the fuzzer try each target, or the one named, for its `time`. With a seed it starts from the corpus alone and draws
/// the same inputs each time.
pub(crate) fn run(
    workspace: &Workspace,
    only: Option<&str>,
    time: &(dyn Fn(&str) -> Duration + Sync),
    seed: Option<u32>,
) -> Result<Outcome> {
    if !has_compiler() {
        let reason = "no C++ compiler, which libFuzzer needs: install g++ or clang++, or name one in CXX";
        return Ok(if is_ci() { Outcome::failed(reason) } else { Outcome::skipped(reason) });
    }
    let mut targets = targets(&workspace.root)?;
    if let Some(only) = only {
        if !targets.iter().any(|target| target == only) {
            bail!("no fuzz target {only:?}; there are {}", targets.join(", "));
        }
        targets.retain(|target| target == only);
    }
    let (root, home) = (workspace.root.as_path(), home(workspace));
    let fuzzer = Fuzzer { program: build(workspace)?, root, home, time, seed };
    if let Some(seed) = seed {
        println!("seed {seed}");
    }
    // The machine is the fuzzer's while it runs, but each target has one process: finds are comparable.
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(targets.len());
    let waiting = Mutex::new(targets.into_iter().collect::<VecDeque<_>>());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(target) = next() {
                    let tried = fuzzer.try_target(&target);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((target, tried));
                }
            });
        }
    });
    Ok(outcome(results.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// The folders of seeds, one per target.
fn targets(root: &Path) -> Result<Vec<String>> {
    let corpus = root.join("fuzz/corpus");
    let entries = std::fs::read_dir(&corpus).with_context(|| format!("cannot list {}", corpus.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn home(workspace: &Workspace) -> PathBuf {
    workspace.target.join("fuzz")
}

/// Builds the fuzzer; the path of the program.
fn build(workspace: &Workspace) -> Result<PathBuf> {
    let host = host()?;
    let mut command = cargo();
    command.args([
        "build",
        "--profile",
        "fuzz",
        "--package",
        "fuzz",
        "--features",
        "libfuzzer",
        "--bin",
        "fuzz",
    ]);
    // With a target named, even if it is our own, the flags are not those of build scripts and macros.
    command.args(["--target", &host]).args(locked());
    command.env("CARGO_TARGET_DIR", home(workspace)).env("RUSTFLAGS", COVERAGE.join(" "));
    let status = command.env_remove("CARGO_ENCODED_RUSTFLAGS").stdin(Stdio::null()).status()?;
    if !status.success() {
        bail!("the fuzzer was not built");
    }
    Ok(home(workspace).join(host).join("fuzz/fuzz"))
}

/// The name of this machine's kind, as the compiler says it.
fn host() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().context("cannot run rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say which machine it is on")?.to_owned())
}

fn has_compiler() -> bool {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let quiet = Command::new(compiler).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

struct Fuzzer<'a> {
    program: PathBuf,
    root: &'a Path,
    home: PathBuf,
    time: &'a (dyn Fn(&str) -> Duration + Sync),
    seed: Option<u32>,
}

/// What one target's run said.
struct Tried {
    seconds: f64,
    /// Inputs tried, and edges of the program met by them.
    inputs: u64,
    edges: u64,
    /// Why it failed, if it did.
    failure: Option<String>,
}

impl Fuzzer<'_> {
    fn try_target(&self, target: &str) -> Result<Tried> {
        let learned = self.home.join(if self.seed.is_some() { "fresh" } else { "learned" }).join(target);
        if self.seed.is_some() && learned.exists() {
            std::fs::remove_dir_all(&learned)
                .with_context(|| format!("cannot empty {}", learned.display()))?;
        }
        let failures = self.home.join("failures");
        for folder in [&learned, &failures] {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let mut command = Command::new(&self.program);
        command.env("GANNET_FUZZ", target).args(LIMITS).arg("-print_final_stats=1");
        command.arg(format!("-max_total_time={}", (self.time)(target).as_secs()));
        if let Some(seed) = self.seed {
            command.arg(format!("-seed={seed}"));
        }
        command.arg(format!("-artifact_prefix={}/{target}-", failures.display()));
        command.arg(&learned).arg(self.root.join("fuzz/corpus").join(target));
        let (output, seconds) = timed(|| command.stdin(Stdio::null()).output());
        let output = output.with_context(|| format!("cannot run {}", self.program.display()))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let failure = (!output.status.success()).then(|| {
            let lines: Vec<&str> = said.lines().collect();
            lines[lines.len().saturating_sub(SHOWN)..].iter().for_each(|line| println!("{target}: {line}"));
            let repeat = format!("GANNET_FUZZ={target} {}", self.program.display());
            match failed_input(&said) {
                Some(input) => format!("{target} fails; repeat it with: {repeat} {input}"),
                None => format!("{target} ended with {}", output.status),
            }
        });
        let tried = Tried { seconds, inputs: inputs(&said), edges: edges(&said), failure };
        println!("{target:<12}{:>12} inputs{:>9} edges{:>8.0} s", tried.inputs, tried.edges, tried.seconds);
        Ok(tried)
    }
}

fn outcome(mut results: Vec<(String, Result<Tried>)>) -> Outcome {
    results.sort_by(|one, other| one.0.cmp(&other.0));
    let mut outcome = Outcome::default();
    for (target, tried) in results {
        let (seconds, failure) = match tried {
            Ok(tried) if tried.failure.is_none() && tried.inputs == 0 => {
                (tried.seconds, Some(format!("{target} tried no input")))
            }
            Ok(tried) => (tried.seconds, tried.failure),
            Err(error) => (0.0, Some(format!("{error:#}"))),
        };
        let failed = usize::from(failure.is_some());
        let counts = Counts { passed: 1 - failed, failed, skipped: 0 };
        outcome.counts.passed += counts.passed;
        outcome.counts.failed += counts.failed;
        outcome.failures.extend(failure);
        outcome.parts.push(Part { name: target, counts, seconds, ..Part::default() });
    }
    outcome
}

/// Where libFuzzer wrote the input that failed.
fn failed_input(said: &str) -> Option<&str> {
    said.lines().find_map(|line| line.split_once("Test unit written to ")).map(|(_, path)| path.trim())
}

fn inputs(said: &str) -> u64 {
    let figure = said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    figure.and_then(|figure| figure.trim().parse().ok()).unwrap_or(0)
}

/// The last `cov: N`.
fn edges(said: &str) -> u64 {
    let figures = said.lines().filter_map(|line| line.split_once(" cov: "));
    figures.filter_map(|(_, rest)| rest.split(' ').next()?.parse().ok()).next_back().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
#2\tINITED cov: 700 ft: 900 corp: 3/30b exec/s: 0 rss: 40Mb
#4096\tpulse  cov: 812 ft: 1200 corp: 9/90b lim: 21 exec/s: 2048 rss: 44Mb
artifact_prefix='f/url-'; Test unit written to f/url-crash-1234
stat::number_of_executed_units: 5120
stat::peak_rss_mb:              45
";

    #[test]
    fn the_figures_are_read_from_what_the_fuzzer_says() {
        assert_eq!((inputs(SAID), edges(SAID)), (5_120, 812));
        assert_eq!(failed_input(SAID), Some("f/url-crash-1234"));
        assert_eq!((inputs(""), edges(""), failed_input("")), (0, 0, None));
    }

    #[test]
    fn a_target_that_failed_or_tried_nothing_fails_the_suite() {
        let tried = |inputs, failure: Option<&str>| {
            Ok(Tried { seconds: 1.0, inputs, edges: 9, failure: failure.map(str::to_owned) })
        };
        let results = vec![
            ("warc".to_owned(), tried(0, None)),
            ("url".to_owned(), tried(5, None)),
            ("page".to_owned(), tried(5, Some("page fails"))),
            ("robots".to_owned(), Err(anyhow::anyhow!("cannot run it"))),
        ];
        let outcome = outcome(results);
        assert_eq!(outcome.counts, Counts { passed: 1, failed: 3, skipped: 0 });
        assert_eq!(outcome.failures, ["page fails", "cannot run it", "warc tried no input"]);
    }

    #[test]
    fn the_targets_are_the_folders_of_seeds() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        assert!(targets(root).unwrap().contains(&"url".to_owned()));
    }
}
