//! Suites that cannot run where they are: skipped by name, and noted.

use std::io::Write;

/// Says that a suite is skipped, and notes it in the file that `GANNET_TEST_SKIPS` names.
pub(crate) fn note(message: &str) {
    eprintln!("skipped, {message}");
    if let Some(skips) = std::env::var_os("GANNET_TEST_SKIPS") {
        let mut file = std::fs::File::options()
            .append(true)
            .create(true)
            .open(skips)
            .expect("the file of skips can be written");
        writeln!(file, "{message}").expect("the file of skips can be written");
    }
}
