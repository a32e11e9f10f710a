//! Runs other people's tools by the Python that `GANNET_TEST_PYTHON` names.

use std::path::PathBuf;

/// The Python to use; none when there is none and that is no failure. A skipped suite is noted in the file
/// that `GANNET_TEST_SKIPS` names.
pub fn python(suite: &str) -> Option<PathBuf> {
    if let Some(python) = std::env::var_os("GANNET_TEST_PYTHON") {
        return Some(python.into());
    }
    let message = format!("{suite}: GANNET_TEST_PYTHON not set");
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{message}");
    crate::skip::note(&message);
    None
}
