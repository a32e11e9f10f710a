//! What benchmarks and soaks share: a web in a process of its own, and the figures of this one.

#![allow(dead_code, reason = "each example uses a part")]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use webs::program::{Choice, Options};

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A web that this program serves in another process, so that its CPU time and memory are not counted; it ends with us.
pub(crate) struct Served {
    child: Child,
    greeting: String,
}

impl Served {
    /// Starts this program with these arguments, which must make it call [`serve`], and waits until it serves.
    pub(crate) fn start(arguments: &[&str]) -> Result<Served, Failure> {
        let program = std::env::current_exe()?;
        let mut child = Command::new(program).args(arguments).stdout(Stdio::piped()).spawn()?;
        let said = child.stdout.take().ok_or("the server says nothing")?;
        let mut served = Served { child, greeting: String::new() };
        for line in BufReader::new(said).lines().take(2) {
            served.greeting.push_str(&line?);
            served.greeting.push(' ');
        }
        Ok(served)
    }

    /// The words that follow `word` in its greeting, up to another such word.
    pub(crate) fn told(&self, word: &str) -> Vec<&str> {
        let words = self.greeting.split_whitespace().skip_while(|told| *told != word).skip(1);
        words.take_while(|told| !["start", "hosts", "dns"].contains(told)).collect()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves a web until this process ends.
pub(crate) async fn serve(web: Choice) -> Result<(), Failure> {
    let options = Options { web, ..Options::default() };
    Ok(webs::program::run(options, &mut std::io::stdout(), std::future::pending()).await?)
}

/// CPU time of this process so far: clock ticks of 10 ms, as Linux counts them.
pub(crate) fn cpu_seconds() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(ticks / 100.0)
}

/// What the process holds at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Held {
    /// Anonymous memory, in KiB.
    pub(crate) memory: u64,
    /// Open descriptors, and those of files that are deleted.
    pub(crate) descriptors: u64,
    pub(crate) deleted: u64,
    pub(crate) threads: u64,
    /// Tasks of the runtime that have not ended.
    pub(crate) tasks: u64,
}

impl Held {
    /// What this process holds now. Must be called within a tokio runtime.
    pub(crate) fn now() -> Result<Held, Failure> {
        let mut held = Held { memory: memory()?, ..Held::default() };
        for entry in std::fs::read_dir("/proc/self/fd")? {
            held.descriptors += 1;
            let target = std::fs::read_link(entry?.path()).unwrap_or_default();
            held.deleted += u64::from(target.to_string_lossy().ends_with(" (deleted)"));
        }
        // The one that lists them is open only while it does.
        held.descriptors -= 1;
        held.threads = std::fs::read_dir("/proc/self/task")?.count() as u64;
        held.tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks() as u64;
        Ok(held)
    }
}

/// Anonymous memory now, in KiB.
pub(crate) fn memory() -> Result<u64, Failure> {
    Ok(testkit::process_kib("RssAnon").ok_or("no RssAnon")?)
}
