//! How the program ends: exit codes, and failures that carry theirs.

use std::fmt;
use std::process::ExitCode;

/// How the program ended. The numbers are a promise to scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done, and nothing to report.
    Done = 0,
    /// It failed, or what was asked about is not in order.
    Failed = 1,
    /// Wrong usage or bad input; nothing was done.
    Usage = 2,
    /// Another process works on the data directory.
    Busy = 3,
    /// The data is damaged.
    Damaged = 4,
    /// Stopped by the user; what was done is kept.
    Interrupted = 130,
}

impl Exit {
    /// Every exit and its meaning, as the help shows it.
    pub const ALL: [(Exit, &'static str); 6] = [
        (Exit::Done, "done"),
        (Exit::Failed, "failed, or something asked about is not in order (an invalid URL, a broken link)"),
        (Exit::Usage, "wrong usage or bad input: a flag, a project file, a pattern; nothing was done"),
        (Exit::Busy, "the data directory is in use by another process"),
        (Exit::Damaged, "the data is damaged; gannet repair may help"),
        (Exit::Interrupted, "stopped by Ctrl-C; what was fetched is kept, the same command goes on"),
    ];

    /// Its number.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// Why a verb ended early, and how the program ends for it.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    error: anyhow::Error,
}

impl Failure {
    /// A failure with its exit.
    pub fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Failure {
        Failure { exit, error: error.into() }
    }

    /// Bad input.
    pub fn usage(error: impl Into<anyhow::Error>) -> Failure {
        Failure::new(Exit::Usage, error)
    }

    /// Standard output took no more. Who closes it early, as `head` does, has what they wanted.
    pub fn output(error: std::io::Error) -> Failure {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure { exit: Exit::Done, error: error.into() },
            _ => Failure::new(
                Exit::Failed,
                anyhow::Error::new(error).context("cannot write to standard output"),
            ),
        }
    }

    /// What a verb's failure means to the caller.
    pub fn from_service(error: service::ServiceError) -> Failure {
        let exit = match error.class() {
            service::Class::Request => Exit::Usage,
            service::Class::Busy => Exit::Busy,
            service::Class::Damaged => Exit::Damaged,
            service::Class::Failed => Exit::Failed,
        };
        Failure::new(exit, anyhow::anyhow!(error.sentence()))
    }

    /// Tells the user, in one sentence, and gives the exit.
    pub fn print(&self) -> Exit {
        if self.exit != Exit::Done {
            eprintln!("gannet: {self}");
        }
        self.exit
    }
}

/// Any error is a failure; only some have an exit of their own.
impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::new(Exit::Failed, error)
    }
}

/// The error and its causes on one line.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.error)
    }
}
