//! The command tree: names, flags and help. What the commands do stands in `verbs`.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command, value_parser};

use crate::Exit;
use crate::verbs::VERBS;

/// The data directory unless said otherwise.
pub(crate) const DATA: &str = "./gannet-data";

/// The whole command tree.
pub fn command() -> Command {
    Command::new("gannet")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Crawls the part of the Web you choose and keeps it: pages, links, outcomes, archive.")
        .after_help(exit_codes())
        .subcommand_required(true)
        .arg_required_else_help(true)
        .max_term_width(110)
        .args(global_args())
        .subcommands(VERBS.iter().map(|verb| (verb.command)()))
}

/// Prints help, or what is wrong with the arguments.
pub(crate) fn explain(error: &clap::Error) -> Exit {
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            Exit::Done
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            Exit::Usage
        }
        _ => {
            eprint!("gannet: {}", text.strip_prefix("error: ").unwrap_or(&text));
            Exit::Usage
        }
    }
}

fn global_args() -> [Arg; 6] {
    let heading = "Everywhere";
    [
        Arg::new("data")
            .long("data")
            .value_name("DIR")
            .value_parser(value_parser!(PathBuf))
            .global(true)
            .help_heading(heading)
            .help(format!("Directory that holds all data [default: {DATA}] [env: GANNET_DATA]")),
        Arg::new("server")
            .long("server")
            .value_name("URL")
            .global(true)
            .help_heading(heading)
            .help("Ask the server at this address instead of the data directory [env: GANNET_SERVER]"),
        Arg::new("token")
            .long("token")
            .value_name("TOKEN")
            .global(true)
            .help_heading(heading)
            .help("The server's token; the variable shows it to fewer [env: GANNET_TOKEN]"),
        Arg::new("json")
            .long("json")
            .action(ArgAction::SetTrue)
            .global(true)
            .help_heading(heading)
            .help("Print JSON instead of tables and prose"),
        Arg::new("quiet")
            .long("quiet")
            .short('q')
            .action(ArgAction::SetTrue)
            .global(true)
            .help_heading(heading)
            .help("No progress; log errors only"),
        Arg::new("verbose")
            .long("verbose")
            .short('v')
            .action(ArgAction::Count)
            .global(true)
            .conflicts_with("quiet")
            .help_heading(heading)
            .help("Log more: -v the life of a run, -vv of each URL, -vvv everything [env: GANNET_LOG]"),
    ]
}

fn exit_codes() -> String {
    let lines = Exit::ALL.map(|(exit, meaning)| format!("  {:>3}  {meaning}\n", exit.code()));
    format!("Exit codes:\n{}", lines.concat())
}
