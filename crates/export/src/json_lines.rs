//! JSON lines: one object per line, in UTF-8.

use std::io::Write;

use serde::Serialize;

use crate::ExportError;

/// Writes rows as JSON lines.
pub struct JsonLines<W> {
    out: W,
}

impl<W: Write> JsonLines<W> {
    /// Writes to `out`, which should be buffered.
    pub fn new(out: W) -> JsonLines<W> {
        JsonLines { out }
    }

    /// Writes one row.
    pub fn push(&mut self, row: &impl Serialize) -> Result<(), ExportError> {
        // JSON has no raw line breaks, so that a row is always one line.
        serde_json::to_writer(&mut self.out, row).map_err(|error| match error.io_error_kind() {
            Some(kind) => ExportError::Write(kind.into()),
            None => ExportError::Json(error),
        })?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    /// Writes what stands between rows.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        Ok(self.out.write_all(bytes)?)
    }

    /// Flushes and gives the output back.
    pub fn finish(mut self) -> Result<W, ExportError> {
        self.out.flush()?;
        Ok(self.out)
    }
}
