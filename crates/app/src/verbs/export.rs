//! `gannet export`: what was crawled, in a form that other tools read.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("export")
        .about("Write what was crawled as WARC, JSON lines, CSV, SQLite or a sitemap")
        .after_help("Examples:\n  gannet export csv > pages.csv\n  gannet export sqlite --output shop.db")
        .arg(
            Arg::new("format")
                .value_name("FORMAT")
                .required(true)
                .value_parser(["warc", "jsonl", "csv", "sqlite", "sitemap"])
                .help("What to write"),
        )
        .arg(
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Where to; standard output unless said, which sqlite cannot use"),
        )
}

pub(super) fn run(_: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    super::not_built_yet(flags)
}
