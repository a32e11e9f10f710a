//! Other programs, watched from their start to their end: CPU time, time, memory.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Failure;

/// What a program took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Taken {
    /// CPU seconds, of the program and of the system for it.
    pub(crate) cpu: f64,
    /// Seconds.
    pub(crate) time: f64,
    /// The most anonymous memory it held, in KiB.
    pub(crate) memory: u64,
    /// Whether it ended well.
    pub(crate) good: bool,
}

/// Runs a program to its end, or to the end of our patience.
#[expect(clippy::disallowed_methods, reason = "another process says nothing when it has grown")]
pub(crate) fn watch(command: &mut Command, patience: Duration) -> Result<Taken, Failure> {
    let began = now();
    let mut child = command.stdin(Stdio::null()).spawn()?;
    let proc = format!("/proc/{}", child.id());
    let mut taken = Taken::default();
    // It stays there, ended, until it is waited for: so its last figures are whole.
    loop {
        let stat = std::fs::read_to_string(format!("{proc}/stat"))?;
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        // User and system time, its own and that of its ended children, in ticks of 10 ms.
        let ticks: u64 = fields[11..15].iter().map(|ticks| ticks.parse().unwrap_or(0)).sum();
        taken.cpu = ticks as f64 / 100.0;
        taken.memory = taken.memory.max(memory(&format!("{proc}/status")));
        taken.time = began.elapsed().as_secs_f64();
        if fields[0] == "Z" {
            break;
        }
        if began.elapsed() > patience {
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    taken.good = child.wait()?.success();
    Ok(taken)
}

fn memory(status: &str) -> u64 {
    let status = std::fs::read_to_string(status).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("RssAnon"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn now() -> Instant {
    Instant::now()
}

/// Documents served by this program in another process; it ends with us.
pub(crate) struct Served {
    child: Child,
    said: BufReader<ChildStdout>,
    pub(crate) starts: Vec<String>,
    pub(crate) pages: u64,
    pub(crate) bytes: u64,
}

/// What a server was asked for since it last said.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) pages: u64,
    pub(crate) others: u64,
    pub(crate) connections: u64,
    pub(crate) resumed: u64,
}

impl Served {
    /// Starts a server and waits until it serves.
    pub(crate) fn start(folder: &Path, options: &[&str]) -> Result<Served, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("serve").arg(folder).args(options).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut said = BufReader::new(child.stdout.take().ok_or("the server says nothing")?);
        let mut line = || {
            let mut line = String::new();
            said.read_line(&mut line).map(|_| line)
        };
        let (size, starts) = (line()?, line()?);
        let number = |at: usize| size.split_whitespace().nth(at).and_then(|n| n.parse().ok()).unwrap_or(0);
        Ok(Served {
            pages: number(1),
            bytes: number(3),
            starts: starts.split_whitespace().skip(1).map(str::to_owned).collect(),
            child,
            said,
        })
    }

    /// What it was asked for since this was last asked.
    pub(crate) fn asked(&mut self) -> Result<Asked, Failure> {
        let pipe = self.child.stdin.as_mut().ok_or("the server does not listen")?;
        pipe.write_all(b"\n")?;
        pipe.flush()?;
        let mut line = String::new();
        self.said.read_line(&mut line)?;
        let counts: Vec<u64> = line.split_whitespace().flat_map(str::parse).collect();
        let [pages, others, connections, resumed] = counts[..] else {
            return Err("the server does not count".into());
        };
        Ok(Asked { pages, others, connections, resumed })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
