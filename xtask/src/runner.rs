//! Runs tests with nextest, or with `cargo test` where that is missing, and counts them.
//!
//! The output goes to the reader as it comes; the counts are taken from it on the way.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result};

use crate::counts;
use crate::report::{Counts, Outcome, Part};
use crate::workspace::{cargo, locked};

/// Which tests to run, and with what in their environment.
#[derive(Default)]
pub(crate) struct TestRun<'a> {
    /// All of the workspace when empty.
    pub(crate) packages: &'a [&'a str],
    /// Parts of test names, one of which must match; all tests when empty.
    pub(crate) filters: &'a [&'a str],
    /// Of `.config/nextest.toml`.
    pub(crate) profile: &'a str,
    pub(crate) environment: Vec<(&'a str, OsString)>,
}

/// Where proptest and our own tests take their seeds from, and what CI says there.
const SEEDS: [&str; 2] = ["PROPTEST_RNG_SEED", "GANNET_SEED"];
const CI_DRAWS: &str = "20261115";

impl TestRun<'_> {
    /// Runs the tests. No test run, or a runner that fails without a failed test, is a failure too.
    pub(crate) fn run(&self, root: &Path) -> Result<Outcome> {
        if has_nextest() { self.with_nextest(root) } else { self.with_cargo_test() }
    }

    fn with_nextest(&self, root: &Path) -> Result<Outcome> {
        // nextest keeps its results in the checkout wherever the build lies.
        let junit = root.join("target/nextest").join(self.profile).join("junit.xml");
        // A file of an earlier run must not speak for this one; it may well not be there.
        let _ = std::fs::remove_file(&junit);
        let mut command = cargo();
        command.args(["nextest", "run", "--cargo-profile", "ci", "--profile", self.profile]);
        let (status, lines) = relay(self.select(&mut command))?;
        let mut parts = counts::from_junit(&std::fs::read_to_string(&junit).unwrap_or_default());
        let skipped = counts::skipped_by_nextest(&lines);
        // Tests left out by a filter are no news: the reader asked for it.
        if skipped > 0 && self.filters.is_empty() {
            let counts = Counts { skipped, ..Counts::default() };
            parts.push(Part { name: "tests marked ignore".to_owned(), counts, ..Part::default() });
        }
        Ok(outcome(parts, status))
    }

    fn with_cargo_test(&self) -> Result<Outcome> {
        let mut command = cargo();
        command.args(["test", "--profile", "ci", "--no-fail-fast", "--lib", "--bins", "--tests"]);
        let (status, lines) = relay(self.select(&mut command))?;
        Ok(outcome(counts::from_cargo_test(&lines), status))
    }

    /// Packages, filters and environment mean the same to both runners.
    fn select<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.args(locked());
        match self.packages {
            [] => command.arg("--workspace"),
            packages => command.args(packages.iter().flat_map(|package| ["--package", package])),
        };
        command.arg("--").args(self.filters);
        // CI judges a change by the same drawn inputs each time; a soak, and whoever sets the variable, draws others.
        for seed in SEEDS.iter().filter(|seed| self.profile == "ci" && std::env::var_os(seed).is_none()) {
            println!("{seed}={CI_DRAWS}");
            command.env(seed, CI_DRAWS);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)))
    }
}

/// Runs the examples in doc comments of all crates, which nextest does not know.
pub(crate) fn doc_tests() -> Result<Outcome> {
    let mut command = cargo();
    command.args(["test", "--doc", "--workspace", "--profile", "ci", "--no-fail-fast"]).args(locked());
    let (status, lines) = relay(&mut command)?;
    let parts = counts::from_cargo_test(&lines);
    if parts.is_empty() && status.success() {
        return Ok(Outcome::default());
    }
    Ok(outcome(parts, status))
}

/// Runs a command without input, passes its output on line by line, and keeps it.
pub(crate) fn relay(command: &mut Command) -> Result<(ExitStatus, Vec<String>)> {
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let program = command.get_program().to_owned();
    let mut child = command.spawn().with_context(|| format!("cannot run {}", program.display()))?;
    // The command holds the writing ends; while it lives the reader would wait for us.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut lines = Vec::new();
    for line in BufReader::new(reader).split(b'\n') {
        let line = String::from_utf8_lossy(&line.context("cannot read the output")?).into_owned();
        println!("{line}");
        lines.push(line);
    }
    Ok((child.wait()?, lines))
}

/// Whether the better runner is here: each test in a process of its own, with a time limit.
fn has_nextest() -> bool {
    let quiet = cargo().args(["nextest", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

fn outcome(parts: Vec<Part>, status: ExitStatus) -> Outcome {
    let mut outcome = Outcome::default();
    for part in &parts {
        outcome.counts.passed += part.counts.passed;
        outcome.counts.failed += part.counts.failed;
        outcome.counts.skipped += part.counts.skipped;
        if part.counts.failed > 0 {
            let names = part.failed.join(", ");
            outcome.failures.push(format!("{} of {}: {names}", part.counts.failed, part.name));
        }
        if part.counts.skipped > 0 {
            outcome.skips.push(format!("{} of {}", part.counts.skipped, part.name));
        }
    }
    let ran = outcome.counts.passed + outcome.counts.failed;
    if outcome.counts.failed == 0 && (!status.success() || ran == 0) {
        outcome.counts.failed = 1;
        outcome.failures.push(match ran {
            0 => "no test ran: it did not build, or no name matched".to_owned(),
            _ => format!("the test runner ended with {status} but names no failed test"),
        });
    }
    outcome.parts = parts;
    outcome
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    /// The outcome of one program's passed and failed tests when the runner ends with `code`.
    fn check(passed: usize, failed: usize, code: i32, failures: &[&str]) {
        let names = ["a", "b"].iter().take(failed).map(|name| (*name).to_owned()).collect();
        let counts = Counts { passed, failed, skipped: 0 };
        let part = Part { name: "kv".into(), counts, failed: names, ..Part::default() };
        let outcome = outcome(vec![part], ExitStatus::from_raw(code << 8));
        assert_eq!(outcome.failures, failures);
        assert_eq!(outcome.counts.failed > 0, !failures.is_empty());
    }

    #[test]
    fn a_run_is_good_only_if_tests_ran_and_the_runner_agrees() {
        check(3, 0, 0, &[]);
        check(3, 2, 100, &["2 of kv: a, b"]);
        check(0, 0, 0, &["no test ran: it did not build, or no name matched"]);
        check(0, 0, 101, &["no test ran: it did not build, or no name matched"]);
        check(3, 0, 101, &["the test runner ended with exit status: 101 but names no failed test"]);
    }

    #[test]
    fn the_output_of_a_command_is_kept_with_both_its_streams() {
        let (status, lines) =
            relay(Command::new("sh").args(["-c", "echo one; echo two >&2; exit 3"])).unwrap();
        assert_eq!(status.code(), Some(3));
        assert_eq!(lines, ["one", "two"]);
    }
}
