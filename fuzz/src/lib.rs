//! What must hold for any bytes from outside: one check per parser, for the fuzzer and for ordinary tests.
//!
//! A check panics where its property does not hold. A new one is a file with a function and a line in [`TARGETS`];
//! its seeds stand in `corpus/<name>/`, readable where the format is. Input that made a check fail once stands there
//! too, beside the regression test in the crate concerned. How the fuzzer is built and run is left to `xtask`.

mod decode;
mod document;
mod formula;
mod hints;
mod page;
mod pattern;
mod project;
mod query;
mod response;
mod robots;
mod select;
mod sitemap;
mod suggestions;
mod template;
mod url;
mod vocabulary;
mod warc;

/// Longest input that is tried.
pub const LONGEST: usize = 8_192;

/// One check.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// What it is called, and the folder of its seeds.
    pub name: &'static str,
    /// Panics where a property does not hold.
    pub check: fn(&[u8]),
}

/// Every check. `cargo xtask` reads the names from the folders in `corpus`.
pub const TARGETS: &[Target] = &[
    Target { name: "url", check: url::check },
    Target { name: "robots", check: robots::check },
    Target { name: "page", check: page::check },
    Target { name: "response", check: response::check },
    Target { name: "decode", check: decode::check },
    Target { name: "warc", check: warc::check },
    Target { name: "project", check: project::check },
    Target { name: "pattern", check: pattern::check },
    Target { name: "select", check: select::check },
    Target { name: "hints", check: hints::check },
    Target { name: "template", check: template::check },
    Target { name: "query", check: query::check },
    Target { name: "formula", check: formula::check },
    Target { name: "suggestions", check: suggestions::check },
    Target { name: "vocabulary", check: vocabulary::check },
    Target { name: "sitemap", check: sitemap::check },
    Target { name: "document", check: document::check },
];

impl Target {
    /// The check of this name.
    pub fn named(name: &str) -> Option<Target> {
        TARGETS.iter().copied().find(|target| target.name == name)
    }
}

/// The first line, and what follows it.
fn first_line(input: &[u8]) -> (&[u8], &[u8]) {
    match input.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (input, &[]),
    }
}
