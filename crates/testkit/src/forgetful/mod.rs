//! A disk that forgets what was not synced, under the real program.
//!
//! A program is run once under a small tracer (`record.c`), which logs every change it makes below
//! one directory, every sync, and everything it says on standard output, in the order in which it
//! happened. From the log the directory can then be rebuilt as a power cut after any of these
//! events may have left it, as often as wanted:
//!
//! ```no_run
//! use testkit::{Seed, forgetful::{Forget, Recorder}};
//!
//! let recorder = Recorder::build();
//! let data = tempfile::tempdir().expect("a place for the data");
//! let session = recorder.session(data.path());
//! session.command("target/ci/gannet").args(["crawl", "--data"]).arg(data.path()).status()?;
//! let recording = session.finish();
//!
//! let mut seed = Seed::from_env();
//! let mut disk = recording.replay();
//! for cut in recording.cuts(200, &mut seed) {
//!     disk.advance_to(cut);
//!     let image = tempfile::tempdir().expect("a place for the image");
//!     disk.image(Forget::Some(seed.fork()), image.path());
//!     // Run the program on the image: all that `disk.said()` promised must be there.
//! }
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! What a disk promises is in `disk.rs`. The tracer needs Linux and a C compiler; it knows files,
//! directories and hard links, and says so when the program uses anything else. Changes through a
//! shared memory map are not seen: the files are noted ([`Replay::mapped`]).

mod disk;
mod log;
mod sparse;

pub use disk::{Forget, Replay};
pub use log::Event;

use crate::Seed;
use disk::Disk;
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// The tracer, compiled.
pub struct Recorder {
    folder: TempDir,
}

impl Recorder {
    /// Compiles the tracer with `cc`.
    ///
    /// # Panics
    ///
    /// If there is no C compiler, or it cannot compile it.
    pub fn build() -> Recorder {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let source = folder.path().join("record.c");
        std::fs::write(&source, include_str!("record.c")).expect("the tracer's source is written");
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-o"]).arg(folder.path().join("record")).arg(&source);
        let status = compiler.status().expect("cc compiles the tracer");
        assert!(status.success(), "cc compiles the tracer");
        Recorder { folder }
    }

    /// Prepares to record a program that works in `dir`. What is there now counts as synced.
    pub fn session(&self, dir: &Path) -> Session<'_> {
        let log = self.folder.path().join(format!("{}.log", Seed::fresh().number()));
        Session { recorder: self, dir: dir.to_path_buf(), before: Disk::read(dir), log }
    }
}

/// One run to be recorded.
pub struct Session<'a> {
    recorder: &'a Recorder,
    dir: PathBuf,
    before: Disk,
    log: PathBuf,
}

impl Session<'_> {
    /// The program under the tracer: add arguments, then run it, once. Its exit status is passed
    /// on (128 + signal if it was killed); killing the tracer kills the program.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(self.recorder.folder.path().join("record"));
        command.arg(&self.log).arg(&self.dir).arg(program);
        command
    }

    /// The program under the tracer, on a disk that is full for a while: of the calls that need room on it, on
    /// paths that begin with `part`, `count` fail from number `first` on, counted from 0. Such calls are
    /// counted; the last event says how many there were.
    pub fn command_on_full_disk(
        &self,
        program: impl AsRef<OsStr>,
        first: u64,
        count: u64,
        part: &str,
    ) -> Command {
        let mut command = self.command(program);
        command.env("RECORD_FULL", format!("{first} {count} {part}"));
        command
    }

    /// Reads what was recorded, after the program has ended.
    ///
    /// # Panics
    ///
    /// If it never ran, or did something to the directory that the tracer does not know.
    pub fn finish(self) -> Recording {
        let bytes = std::fs::read(&self.log).expect("the program was run under the tracer");
        let _ = std::fs::remove_file(&self.log);
        let events = log::parse(&bytes);
        for event in &events {
            if let Event::Unsupported { what, path } = event {
                panic!("the program did what the recorder does not know: {what} ({path})");
            }
        }
        Recording { before: self.before, events }
    }
}

/// What a program did to a directory.
pub struct Recording {
    before: Disk,
    events: Vec<Event>,
}

impl Recording {
    /// Everything that happened, in order. A cut at `n` means: the first `n` of them had happened.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The disk before the first event, ready to be advanced.
    pub fn replay(&self) -> Replay<'_> {
        Replay::new(&self.before, &self.events)
    }

    /// Moments for a power cut, in order and all different: half of them just before or after a
    /// sync, where mistakes live, the others anywhere. Fewer if there are not so many.
    pub fn cuts(&self, count: usize, seed: &mut Seed) -> Vec<usize> {
        let syncs = self.events.iter().enumerate().filter(|(_, event)| event.is_sync());
        let mut near: Vec<usize> = syncs.flat_map(|(at, _)| [at, at + 1]).collect();
        near.dedup();
        let mut cuts = draw(&mut near, count / 2, seed);
        let mut others: Vec<usize> = (0..=self.events.len()).filter(|at| !cuts.contains(at)).collect();
        cuts.extend(draw(&mut others, count - cuts.len(), seed));
        cuts.sort_unstable();
        cuts
    }
}

/// Takes `count` of `items` by chance, or all.
fn draw(items: &mut Vec<usize>, count: usize, seed: &mut Seed) -> Vec<usize> {
    (0..count.min(items.len())).map(|_| items.swap_remove(seed.below(items.len()))).collect()
}
