//! Counts read from what a test runner leaves: the JUnit file of nextest, or the lines of `cargo test`.

use crate::report::{Counts, Part};

/// The test programs of a JUnit file, with the seconds their tests took together.
pub(crate) fn from_junit(xml: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut case = "";
    for tag in xml.split('<').skip(1) {
        let number = |name| attribute(tag, name).and_then(|value| value.parse::<f64>().ok()).unwrap_or(0.0);
        if tag.starts_with("testsuite ") {
            let failed = (number("failures") + number("errors")) as usize;
            // Older releases call them disabled.
            let skipped = (number("skipped") + number("disabled")) as usize;
            let passed = (number("tests") as usize).saturating_sub(failed + skipped);
            let name = attribute(tag, "name").unwrap_or_default().to_owned();
            parts.push(Part { name, counts: Counts { passed, failed, skipped }, ..Part::default() });
        }
        let Some(part) = parts.last_mut() else { continue };
        if tag.starts_with("testcase ") {
            case = attribute(tag, "name").unwrap_or_default();
            part.seconds += number("time");
        } else if tag.starts_with("failure") || tag.starts_with("error") {
            part.failed.push(case.to_owned());
        }
    }
    parts.sort_by(|a, b| a.name.cmp(&b.name));
    parts
}

/// The number of tests that nextest left out, from its last line:
/// `Summary [   0.005s] 3 tests run: 3 passed, 1 skipped`.
pub(crate) fn skipped_by_nextest(lines: &[String]) -> usize {
    let summary = lines.iter().rev().find(|line| line.trim_start().starts_with("Summary ["));
    let counts = summary.and_then(|line| line.split_once("run:")).map_or("", |(_, counts)| counts);
    number_before(counts, "skipped")
}

/// The test programs that `cargo test` ran, from its output.
pub(crate) fn from_cargo_test(lines: &[String]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut name = String::new();
    let mut failed = Vec::new();
    for line in lines {
        let line = line.trim();
        if let Some(running) = line.strip_prefix("Running ") {
            name = program_name(running);
        } else if let Some(library) = line.strip_prefix("Doc-tests ") {
            name = library.to_owned();
        } else if let Some((_, test)) = line.strip_suffix(" ... FAILED").and_then(|l| l.split_once("test ")) {
            failed.push(test.to_owned());
        } else if let Some(result) = line.strip_prefix("test result: ") {
            let counts = Counts {
                passed: number_before(result, "passed"),
                failed: number_before(result, "failed"),
                skipped: number_before(result, "ignored"),
            };
            let took = result
                .rsplit_once("finished in ")
                .and_then(|(_, took)| took.trim_end_matches('s').parse().ok());
            let seconds = took.unwrap_or(0.0);
            parts.push(Part { name: name.clone(), counts, seconds, failed: std::mem::take(&mut failed) });
        }
    }
    // A crate without doc tests or unit tests is no news.
    parts.retain(|part| part.counts != Counts::default());
    parts
}

/// `unittests src/lib.rs (target/ci/deps/model-0123456789abcdef)` is `model`.
fn program_name(running: &str) -> String {
    let path = running.rsplit_once('(').map_or(running, |(_, path)| path).trim_end_matches(')');
    let file = path.rsplit('/').next().unwrap_or(path);
    file.rsplit_once('-').map_or(file, |(name, _)| name).to_owned()
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

/// The number that stands before `word`: `3 passed; 0 failed`.
fn number_before(text: &str, word: &str) -> usize {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let pair = words.windows(2).find(|pair| pair[1] == word);
    pair.and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    fn part(name: &str, passed: usize, failed: usize, skipped: usize, seconds: f64) -> Part {
        Part { name: name.into(), counts: Counts { passed, failed, skipped }, seconds, failed: Vec::new() }
    }

    #[test]
    fn a_junit_file_tells_programs_counts_and_seconds() {
        let xml = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="nextest-run" tests="3" failures="1" errors="0" uuid="x" time="0.9">
    <testsuite name="model" tests="1" disabled="0" errors="0" failures="0">
        <testcase name="a" classname="model" timestamp="x" time="0.250"></testcase>
    </testsuite>
    <testsuite name="kv::it" tests="3" skipped="1" errors="0" failures="1">
        <testcase name="b" classname="kv::it" time="0.500"/>
        <testcase name="c" classname="kv::it" time="1.000"><failure type="test failure">x &lt;testsuite </failure></testcase>
    </testsuite>
</testsuites>"#;
        let failing = Part { failed: vec!["c".into()], ..part("kv::it", 1, 1, 1, 1.5) };
        assert_eq!(from_junit(xml), [failing, part("model", 1, 0, 0, 0.25)]);
        assert_eq!(from_junit("nothing"), []);
    }

    #[test]
    fn tests_left_out_are_read_from_the_summary() {
        let output = "  PASS x\n     Summary [   0.005s] 3/4 tests run: 2 passed (1 slow), 1 failed, 12 skipped\nerror: x";
        assert_eq!(skipped_by_nextest(&lines(output)), 12);
        assert_eq!(skipped_by_nextest(&lines("     Summary [   0.005s] 3 tests run: 3 passed")), 0);
        assert_eq!(skipped_by_nextest(&[]), 0);
    }

    #[test]
    fn the_lines_of_cargo_test_tell_programs_and_counts() {
        let output = "\
     Running unittests src/lib.rs (/t/ci/deps/host_queue-0123456789abcdef)
test order::a_is_b ... ok
test order::b_is_c ... FAILED
test result: FAILED. 4 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.25s
     Running tests/it/main.rs (/t/ci/deps/it-0123456789abcdef)
test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.00s
   Doc-tests model
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.50s";
        let failing = Part { failed: vec!["order::b_is_c".into()], ..part("host_queue", 4, 1, 2, 0.25) };
        assert_eq!(from_cargo_test(&lines(output)), [failing, part("model", 3, 0, 0, 1.5)]);
    }
}
