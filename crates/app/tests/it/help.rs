//! Every command's help, found by walking the tree, so that a new command is covered by itself.

use clap::Command;

use crate::gannet::gannet;

/// Calls `check` for each command, with the arguments that lead to it.
fn walk(command: &Command, path: &mut Vec<String>, check: &mut dyn FnMut(&Command, &[String])) {
    check(command, path);
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        path.push(inner.get_name().to_owned());
        walk(inner, path, check);
        path.pop();
    }
}

fn for_each_command(mut check: impl FnMut(&Command, &[String])) {
    let mut tree = app::cli::command();
    tree.build();
    walk(&tree, &mut Vec::new(), &mut check);
}

/// Columns of help that is not read at a terminal.
const WIDTH: usize = 100;

#[test]
fn every_commands_help_works_and_names_its_flags() {
    let mut commands = 0;
    for_each_command(|command, path| {
        commands += 1;
        for help in ["--help", "-h"] {
            let args: Vec<&str> = path.iter().map(String::as_str).chain([help]).collect();
            let said = gannet(&args);
            assert_eq!(said.code, Some(0), "{args:?}: {}", said.err);
            assert!(said.err.is_empty(), "{args:?}: {}", said.err);
            // One long word cannot be broken.
            let is_wide =
                |line: &&str| line.chars().count() > WIDTH && line.split_whitespace().nth(1).is_some();
            let wide = said.out.lines().find(is_wide);
            assert_eq!(wide, None, "{args:?}: no line is wider than a page");
            for flag in command.get_arguments().filter_map(|arg| arg.get_long()) {
                assert!(said.out.contains(&format!("--{flag}")), "{args:?} does not mention --{flag}");
            }
            for inner in command.get_subcommands() {
                assert!(
                    said.out.contains(inner.get_name()),
                    "{args:?} does not mention {}",
                    inner.get_name()
                );
            }
        }
    });
    assert!(commands >= 14, "the walk found {commands} commands only");
}

#[test]
fn every_command_and_flag_says_what_it_is_for() {
    for_each_command(|command, path| {
        assert!(command.get_about().is_some(), "{path:?} has no description");
        for arg in command.get_arguments() {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(!help.is_empty(), "{path:?} {} has no help", arg.get_id());
            assert!(!help.ends_with('.'), "{path:?} {}: help is no full sentence: {help}", arg.get_id());
        }
    });
}

#[test]
fn the_help_lists_the_exit_codes() {
    let help = gannet(&["--help"]).out;
    for (exit, meaning) in app::Exit::ALL {
        assert!(help.contains(&format!("{}  {meaning}", exit.code())), "{exit:?} is missing in\n{help}");
    }
}

#[test]
fn the_version_is_printed() {
    let said = gannet(&["--version"]);
    assert_eq!(
        (said.out.as_str(), said.code),
        (concat!("gannet ", env!("CARGO_PKG_VERSION"), "\n"), Some(0))
    );
}
