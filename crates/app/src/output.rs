//! Standard output, line by line, with its errors kept apart from all others.

use std::fmt::Display;
use std::io::{self, BufWriter, StdoutLock, Write};

use crate::Failure;

/// Standard output. Call `done` at the end: what is still held back then can fail, too.
pub(crate) struct Output(BufWriter<StdoutLock<'static>>);

impl Output {
    pub(crate) fn new() -> Output {
        Output(BufWriter::new(io::stdout().lock()))
    }

    /// Prints a line.
    pub(crate) fn line(&mut self, line: impl Display) -> Result<(), Failure> {
        writeln!(self.0, "{line}").map_err(Failure::output)
    }

    /// Writes bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.0.write_all(bytes).map_err(Failure::output)
    }

    /// Prints a text as it is.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.0.write_all(text.as_bytes()).map_err(Failure::output)
    }

    /// Makes sure that what came so far is printed.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.0.flush().map_err(Failure::output)
    }

    /// Makes sure that all is printed.
    pub(crate) fn done(mut self) -> Result<(), Failure> {
        self.0.flush().map_err(Failure::output)
    }
}
