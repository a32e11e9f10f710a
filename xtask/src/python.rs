//! The Python that tests ask for other people's tools, in an environment of its own beside the build.
//!
//! Tests find it as `GANNET_TEST_PYTHON`; what they do with it is theirs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An environment: its folder, its packages, pinned, since a new release must not change what is found out, and
/// the line that works once they are there.
pub(crate) struct Packages {
    folder: &'static str,
    names: &'static [&'static str],
    proof: &'static str,
}

/// What tests use.
pub(crate) const TESTS: Packages = Packages {
    folder: "test-python",
    names: &["warcio==1.8.1", "brotli==1.2.1", "schemathesis==4.32.5"],
    proof: "import warcio.archiveiterator, brotli, schemathesis",
};

/// What benchmarks compare with.
pub(crate) const BENCHES: Packages = Packages {
    folder: "bench-python",
    names: &["parsel==1.12.1", "lxml==6.1.3", "tantivy==0.27.0"],
    proof: "import parsel, lxml, tantivy",
};

/// Crawlers that benchmarks compare with.
pub(crate) const CRAWLERS: Packages = Packages {
    folder: "bench-crawlers-python",
    names: &["scrapy==2.19.0", "uvloop==0.23.0"],
    proof: "import scrapy, uvloop",
};

/// The interpreter of an environment under `target` that has the packages; otherwise what is missing.
pub(crate) fn prepare(target: &Path, packages: &Packages) -> Result<PathBuf, String> {
    let folder = target.join(packages.folder);
    let python = folder.join("bin").join("python");
    let works = |python: &Path| succeeds(Command::new(python).args(["-c", packages.proof]));
    if works(&python) {
        return Ok(python);
    }
    if !succeeds(Command::new("python3").arg("--version")) {
        return Err("python3 missing".to_owned());
    }
    make_environment(&folder)?;
    if !succeeds(Command::new(&python).args(["-m", "pip", "--version"])) {
        return Err("pip missing".to_owned());
    }
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let installed = Command::new(&python).args(install).args(packages.names).stdin(Stdio::null()).status();
    if !installed.is_ok_and(|status| status.success()) || !works(&python) {
        return Err(format!("pip cannot install {}", packages.names.join(", ")));
    }
    Ok(python)
}

fn make_environment(folder: &Path) -> Result<(), String> {
    let make = || succeeds(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder));
    if make() {
        return Ok(());
    }
    // Debian keeps this module in a package of its own; without the rights for it, apt-get says no at once.
    let apt = |arguments: &[&str]| succeeds(Command::new("apt-get").args(arguments));
    if apt(&["update"]) && apt(&["install", "--yes", "python3-venv"]) && make() {
        return Ok(());
    }
    Err("python3-venv missing".to_owned())
}

fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
