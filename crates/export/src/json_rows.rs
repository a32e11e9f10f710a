//! Rows as JSON objects, a column each: one per line, or all in one array.

use std::io::Write;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::{Cell, ExportError, JsonLines};

/// Writes rows as JSON.
pub struct JsonRows<W> {
    lines: JsonLines<W>,
    columns: Vec<String>,
    /// Rows of an array so far; none when each line stands for itself.
    array: Option<u64>,
}

impl<W: Write> JsonRows<W> {
    /// One object per line. `out` should be buffered.
    pub fn lines(out: W, columns: &[&str]) -> JsonRows<W> {
        let columns = columns.iter().map(|&name| name.to_owned()).collect();
        JsonRows { lines: JsonLines::new(out), columns, array: None }
    }

    /// One array, a row to a line. `out` should be buffered.
    pub fn array(out: W, columns: &[&str]) -> Result<JsonRows<W>, ExportError> {
        let mut rows = JsonRows { array: Some(0), ..JsonRows::lines(out, columns) };
        rows.lines.raw(b"[\n")?;
        Ok(rows)
    }

    /// Writes one row; a cell that is missing is null.
    pub fn push(&mut self, cells: &[Cell<'_>]) -> Result<(), ExportError> {
        if let Some(rows) = &mut self.array {
            if *rows > 0 {
                self.lines.raw(b",")?;
            }
            *rows += 1;
        }
        self.lines.push(&Object { columns: &self.columns, cells })
    }

    /// Flushes and gives the output back.
    pub fn finish(mut self) -> Result<W, ExportError> {
        if self.array.is_some() {
            self.lines.raw(b"]\n")?;
        }
        self.lines.finish()
    }
}

struct Object<'a> {
    columns: &'a [String],
    cells: &'a [Cell<'a>],
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.columns.len()))?;
        for (at, column) in self.columns.iter().enumerate() {
            map.serialize_entry(column, self.cells.get(at).unwrap_or(&Cell::Empty))?;
        }
        map.end()
    }
}
