//! The program as a process that can be waited for, stopped and killed; it never outlives its test.

use std::io::Read;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::gannet::{Said, start};

/// No run of a test takes longer.
pub(crate) const LONGEST: Duration = Duration::from_secs(50);

/// The program at work.
pub(crate) struct Running {
    child: Child,
    out: Heard,
    err: Heard,
}

impl Running {
    /// Starts it.
    pub(crate) fn start(args: &[&str]) -> Running {
        let mut child = start(args, &[]);
        drop(child.stdin.take());
        Running::watch(child)
    }

    /// Takes over a process whose output is piped.
    pub(crate) fn watch(mut child: Child) -> Running {
        let out = Heard::from(child.stdout.take().expect("its output is ours"));
        let err = Heard::from(child.stderr.take().expect("its errors are ours"));
        Running { child, out, err }
    }

    /// What it has said on standard error so far.
    pub(crate) fn errors(&self) -> String {
        self.err.so_far()
    }

    /// What it has said on standard output so far.
    pub(crate) fn output(&self) -> String {
        self.out.so_far()
    }

    /// True while it has not ended.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("the process is ours").is_none()
    }

    /// Kills it as a power cut would: no warning, no chance to tidy up.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("the process is ours");
        self.child.wait().expect("a killed process ends");
    }

    /// Sends a signal by its name, such as `INT`.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(status.expect("kill is there").success());
    }

    /// Waits for the end.
    #[track_caller]
    pub(crate) fn wait(mut self) -> Said {
        let code =
            eventually("the program ends", LONGEST, || self.child.try_wait().expect("the process is ours"));
        Said { out: self.out.whole(), err: self.err.whole(), code: code.code() }
    }

    /// Waits for the end, which must be a good one.
    #[track_caller]
    pub(crate) fn finish(self) -> Said {
        let said = self.wait();
        assert_eq!(said.code, Some(0), "{}", said.err);
        said
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What comes out of a pipe, read as it comes.
struct Heard {
    text: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Heard {
    fn from(mut pipe: impl Read + Send + 'static) -> Heard {
        let text = Arc::new(Mutex::new(Vec::new()));
        let heard = text.clone();
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                heard.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        Heard { text, reader: Some(reader) }
    }

    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.text.lock().unwrap()).into_owned()
    }

    fn whole(&mut self) -> String {
        let _ = self.reader.take().map(JoinHandle::join);
        self.so_far()
    }
}

/// Asks again and again until there is an answer; fails when that takes longer than `limit`.
#[track_caller]
#[expect(
    clippy::disallowed_methods,
    reason = "a process and a server's log ring no bell: they are looked at again"
)]
pub(crate) fn eventually<T>(what: &str, limit: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(began.elapsed() < limit, "{what}: not within {limit:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
