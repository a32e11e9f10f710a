//! What the suites found, as a table: counts and seconds each, what failed, and last what was skipped.

use std::fmt;
use std::time::Instant;

/// Tests or checks of one suite.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

/// One test program within a suite.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) counts: Counts,
    pub(crate) seconds: f64,
    /// Names of the tests that failed, where the runner tells them.
    pub(crate) failed: Vec<String>,
}

/// What one suite says at its end.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) counts: Counts,
    pub(crate) parts: Vec<Part>,
    /// A sentence for each failure.
    pub(crate) failures: Vec<String>,
    /// `suite (reason)` for each thing left out.
    pub(crate) skips: Vec<String>,
}

impl Outcome {
    /// One check that held.
    pub(crate) fn passed() -> Outcome {
        Outcome { counts: Counts { passed: 1, ..Counts::default() }, ..Outcome::default() }
    }

    /// One check that did not hold.
    pub(crate) fn failed(reason: impl Into<String>) -> Outcome {
        Outcome {
            counts: Counts { failed: 1, ..Counts::default() },
            failures: vec![reason.into()],
            ..Outcome::default()
        }
    }

    /// One check that could not be made here.
    pub(crate) fn skipped(reason: impl Into<String>) -> Outcome {
        Outcome {
            counts: Counts { skipped: 1, ..Counts::default() },
            skips: vec![reason.into()],
            ..Outcome::default()
        }
    }
}

/// All suites of a run, in the order they ran.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<(String, Outcome, f64)>,
}

impl Report {
    pub(crate) fn add(&mut self, suite: &str, outcome: Outcome, seconds: f64) {
        self.rows.push((suite.to_owned(), outcome, seconds));
    }

    /// Whether nothing failed.
    pub(crate) fn is_good(&self) -> bool {
        self.total().failed == 0
    }

    fn total(&self) -> Counts {
        let outcomes = self.rows.iter().map(|(_, outcome, _)| &outcome.counts);
        outcomes.fold(Counts::default(), |sum, counts| Counts {
            passed: sum.passed + counts.passed,
            failed: sum.failed + counts.failed,
            skipped: sum.skipped + counts.skipped,
        })
    }

    fn list(&self, f: &mut fmt::Formatter<'_>, title: &str, of: fn(&Outcome) -> &[String]) -> fmt::Result {
        let entries =
            self.rows.iter().flat_map(|(suite, outcome, _)| of(outcome).iter().map(move |e| (suite, e)));
        for (suite, entry) in entries {
            writeln!(f, "{title}: {suite}: {entry}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<34}{:>8}{:>8}{:>9}{:>10}", "suite", "passed", "failed", "skipped", "seconds")?;
        let mut line = |name: &str, counts: &Counts, seconds: f64| {
            let Counts { passed, failed, skipped } = counts;
            writeln!(f, "{name:<34}{passed:>8}{failed:>8}{skipped:>9}{seconds:>10.1}")
        };
        for (suite, outcome, seconds) in &self.rows {
            line(suite, &outcome.counts, *seconds)?;
            for part in &outcome.parts {
                line(&format!("  {}", part.name), &part.counts, part.seconds)?;
            }
        }
        let total = self.total();
        line("all", &total, self.rows.iter().map(|(.., seconds)| seconds).sum())?;
        writeln!(f)?;
        self.list(f, "failed", |outcome| &outcome.failures)?;
        self.list(f, "skipped", |outcome| &outcome.skips)?;
        writeln!(f, "{} passed, {} failed, {} skipped", total.passed, total.failed, total.skipped)
    }
}

/// Does the work and says how many seconds it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    #[expect(clippy::disallowed_methods, reason = "a person waits for these seconds")]
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_ends_with_failures_then_skips_then_the_plain_line() {
        let mut report = Report::default();
        let counts = Counts { passed: 7, failed: 0, skipped: 0 };
        let part = Part { name: "kv".into(), counts: counts.clone(), seconds: 1.25, ..Part::default() };
        report.add("tests", Outcome { counts, parts: vec![part], ..Outcome::default() }, 3.0);
        assert!(report.is_good());
        report.add("python", Outcome::skipped("warcio suite (pip missing)"), 0.1);
        report.add("format", Outcome::failed("see above"), 0.5);
        assert!(!report.is_good());
        let expected = "\
suite                               passed  failed  skipped   seconds
tests                                    7       0        0       3.0
  kv                                     7       0        0       1.2
python                                   0       0        1       0.1
format                                   0       1        0       0.5
all                                      7       1        1       3.6

failed: format: see above
skipped: python: warcio suite (pip missing)
7 passed, 1 failed, 1 skipped
";
        assert_eq!(report.to_string(), expected);
    }
}
