//! Runs the built program, without the variables of whoever runs the tests.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What the program said and how it ended.
pub(crate) struct Said {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: Option<i32>,
}

/// Runs `gannet` with these arguments.
pub(crate) fn gannet(args: &[&str]) -> Said {
    gannet_with(args, b"", &[])
}

/// Runs `gannet` with this on its standard input and these variables.
pub(crate) fn gannet_with(args: &[&str], input: &[u8], variables: &[(&str, &str)]) -> Said {
    let mut child = start(args, variables);
    let mut stdin = child.stdin.take().expect("its input is ours");
    let output = std::thread::scope(|scope| {
        // From another thread: the program may answer before it has read everything.
        scope.spawn(move || {
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().expect("the program ends")
    });
    Said {
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code(),
    }
}

/// Starts `gannet` for a conversation over its standard input and output.
pub(crate) fn start(args: &[&str], variables: &[(&str, &str)]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gannet"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GANNET_")) {
        command.env_remove(name);
    }
    command
        .args(args)
        // One request less at each host, for tests that count them.
        .env("GANNET_CRAWL_HINTS", "false")
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// The program's next line, or a failure when none comes: it must not wait for more input first.
pub(crate) fn next_line(child: &mut Child) -> String {
    let mut stdout = child.stdout.take().expect("its output is ours");
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut line = Vec::new();
        let mut byte = [0];
        while stdout.read_exact(&mut byte).is_ok() && byte != *b"\n" {
            line.push(byte[0]);
        }
        let _ = sender.send((line, stdout));
    });
    let (line, stdout) = receiver.recv_timeout(Duration::from_secs(20)).unwrap_or_else(|_| {
        let _ = child.kill();
        panic!("no line within 20 s");
    });
    child.stdout = Some(stdout);
    String::from_utf8(line).expect("it prints text")
}
