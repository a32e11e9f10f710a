//! The project's own commands: `cargo xtask <command>`. What `ci` says here it says everywhere.
//!
//! Each command is a module; this file is their table of contents.

mod bench;
mod ci;
mod counts;
mod deny;
mod dist;
mod documents;
mod floors;
mod fuzz;
mod licence;
mod machine;
mod peers;
mod prose;
mod python;
mod report;
mod runner;
mod soak;
mod ui;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

use workspace::Workspace;

/// One command of `cargo xtask`. `run` says whether everything it checked holds.
struct Command {
    name: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<bool>,
}

const COMMANDS: &[Command] = &[
    Command { name: "ci", about: "every suite, or only those named; --list names them", run: ci::run },
    Command { name: "floors", about: "a crate uses only crates on lower floors", run: check_floors },
    Command {
        name: "prose",
        about: "links in prose lead somewhere; no machine's name in it",
        run: check_prose,
    },
    Command { name: "deny", about: "licences, banned crates and sources of dependencies", run: check_deny },
    Command { name: "bench", about: "one benchmark, with ratios; --list names them", run: bench::run },
    Command {
        name: "dist",
        about: "the program, optimised as far as it goes here; the last line says where it is",
        run: dist::run,
    },
    Command {
        name: "fill",
        about: "a data directory with a million rows, pages and a long log: fill DIR [ROWS] [LINES]",
        run: bench::fill,
    },
    Command { name: "soak", about: "the long form of a suite; --list names them", run: soak::run },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<bool> {
    let Some((name, rest)) = arguments.split_first() else {
        print!("{}", usage());
        return Ok(true);
    };
    if ["help", "--help", "-h"].contains(&name.as_str()) {
        print!("{}", usage());
        return Ok(true);
    }
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(rest),
        None => bail!("no command {name:?}\n{}", usage()),
    }
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask <command>\n\n");
    for Command { name, about, .. } in COMMANDS {
        text.push_str(&format!("  {name:<8} {about}\n"));
    }
    text
}

fn check_floors(_: &[String]) -> Result<bool> {
    let workspace = Workspace::load()?;
    Ok(tell("floors", &floors::check(&workspace)?))
}

fn check_prose(_: &[String]) -> Result<bool> {
    let workspace = Workspace::load()?;
    Ok(tell("prose", &prose::check(&workspace.root)?))
}

fn check_deny(_: &[String]) -> Result<bool> {
    let workspace = Workspace::load()?;
    Ok(tell("deny", &deny::check(&workspace)?))
}

/// Prints what a check found, a line each, and says whether it found nothing.
fn tell(check: &str, problems: &[String]) -> bool {
    for problem in problems {
        eprintln!("{check}: {problem}");
    }
    if problems.is_empty() {
        println!("{check}: ok");
    }
    problems.is_empty()
}
