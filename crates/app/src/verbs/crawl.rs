//! `gannet crawl`: crawls from the given URLs, or what a project file says.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::{Context, Exit, Failure, settings};

pub(super) fn command() -> Command {
    Command::new("crawl")
        .about("Crawl from URLs or by a project file; the same command resumes")
        .after_help(format!(
            "{}\n\
             Every setting is also a key of the project file (max_pages) and a variable of the environment\n\
             (GANNET_MAX_PAGES; lists one item a line). Later wins: default, file, environment, flag.\n\
             Ctrl-C stops cleanly and keeps everything; the same command resumes.\n\n\
             Examples:\n  \
             gannet crawl https://shop.test/ --max-pages 100\n  \
             gannet crawl -p shop.yaml --rate 2/s\n  \
             gannet crawl --seeds urls.txt --scope list",
            settings::forms()
        ))
        .arg(
            Arg::new("url")
                .value_name("URL")
                .num_args(0..)
                .help("URLs to start from; they replace the project file's"),
        )
        .arg(
            Arg::new("project")
                .long("project")
                .short('p')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Project file (YAML)"),
        )
        .arg(
            Arg::new("seeds")
                .long("seeds")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("File of start URLs, one a line; - for standard input"),
        )
        .arg(
            Arg::new("fresh")
                .long("fresh")
                .action(ArgAction::SetTrue)
                .help("Start over: earlier pages of this project are dropped first"),
        )
        .args(settings::args())
}

pub(super) fn run(_: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let project = project(flags).map_err(Failure::usage)?;
    tracing::info!(project = %project.name, start = project.start.len(), "crawl asked for");
    super::not_built_yet(flags)
}

/// The project that file, environment and flags describe.
fn project(flags: &ArgMatches) -> Result<model::Project, settings::SettingsError> {
    let file = flags.get_one::<PathBuf>("project").map(|file| settings::read_project(file)).transpose()?;
    let mut start: Vec<String> = flags.get_many::<String>("url").into_iter().flatten().cloned().collect();
    if let Some(seeds) = flags.get_one::<PathBuf>("seeds") {
        start.extend(settings::read_seeds(seeds)?);
    }
    settings::layered(file, &start, |name| std::env::var(name).ok(), flags)
}
