//! CSV as RFC 4180 has it: commas, CRLF, quotes doubled, a header line, UTF-8.
//!
//! Pages are written by strangers and CSV is opened in spreadsheets, which take a cell such as
//! `=HYPERLINK(…)` for a formula. A text that could be one gets an apostrophe in front; `unguard_formula`
//! takes it away again, and only there.

use std::borrow::Cow;
use std::io::Write;

use crate::{Cell, ExportError};

/// Writes rows as CSV.
pub struct Csv<W> {
    out: W,
    columns: usize,
    line: Vec<u8>,
}

impl<W: Write> Csv<W> {
    /// Writes to `out`, which should be buffered; the header first.
    pub fn new(out: W, columns: &[&str]) -> Result<Csv<W>, ExportError> {
        let mut csv = Csv { out, columns: columns.len(), line: Vec::new() };
        let header: Vec<Cell<'_>> = columns.iter().map(|&name| name.into()).collect();
        csv.push(&header)?;
        Ok(csv)
    }

    /// Writes one row; cells that are missing are empty, cells without a column are left out.
    pub fn push(&mut self, cells: &[Cell<'_>]) -> Result<(), ExportError> {
        self.line.clear();
        for at in 0..self.columns {
            if at > 0 {
                self.line.push(b',');
            }
            match cells.get(at).unwrap_or(&Cell::Empty) {
                Cell::Empty => {}
                Cell::Text(text) => push_text(&mut self.line, &guard_formula(text)),
                Cell::Integer(number) => self.line.extend_from_slice(number.to_string().as_bytes()),
                Cell::Number(number) => self.line.extend_from_slice(number.to_string().as_bytes()),
                Cell::Flag(flag) => self.line.extend_from_slice(if *flag { b"true" } else { b"false" }),
                many @ (Cell::List(_) | Cell::Json(_)) => {
                    push_text(&mut self.line, &guard_formula(&many.text().unwrap_or_default()));
                }
            }
        }
        if self.line.is_empty() {
            // A line without anything is no row to most readers.
            self.line.extend_from_slice(b"\"\"");
        }
        self.line.extend_from_slice(b"\r\n");
        self.out.write_all(&self.line)?;
        Ok(())
    }

    /// Flushes and gives the output back.
    pub fn finish(mut self) -> Result<W, ExportError> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// The text with an apostrophe in front if a spreadsheet could take it for a formula.
pub fn guard_formula(text: &str) -> Cow<'_, str> {
    if needs_guard(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// The text that `guard_formula` was given.
pub fn unguard_formula(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| needs_guard(rest)).unwrap_or(text)
}

/// Apostrophes that stand in front already count as text, so that guarding can be undone.
fn needs_guard(text: &str) -> bool {
    let inner = text.trim_start_matches('\'');
    let dangerous = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    inner.starts_with(dangerous) && !is_number(inner)
}

/// `-5`, `+1.5e-3`: nothing but a number, which a spreadsheet may well take for one.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) && text.parse::<f64>().is_ok()
}

fn push_text(line: &mut Vec<u8>, text: &str) {
    let special = |byte: u8| matches!(byte, b',' | b'"' | b'\r' | b'\n' | 0);
    if !text.bytes().any(special) && !text.starts_with(' ') && !text.ends_with(' ') {
        return line.extend_from_slice(text.as_bytes());
    }
    line.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            line.push(b'"');
        }
        line.push(byte);
    }
    line.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(cells: &[Cell<'_>], expected: &str) {
        let columns = vec!["c"; cells.len()];
        let mut csv = Csv::new(Vec::new(), &columns).unwrap();
        csv.push(cells).unwrap();
        let text = String::from_utf8(csv.finish().unwrap()).unwrap();
        assert_eq!(text.split_once("\r\n").unwrap().1, expected);
    }

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        check(&["a".into(), Cell::Empty, 5u32.into(), Cell::Flag(true)], "a,,5,true\r\n");
        check(&["a,b".into(), "a\"b".into(), "a\r\nb".into()], "\"a,b\",\"a\"\"b\",\"a\r\nb\"\r\n");
        check(&[" a".into(), "\u{1f980}".into(), "a\0b".into()], "\" a\",\u{1f980},\"a\0b\"\r\n");
        check(&[Cell::Empty], "\"\"\r\n");
        check(&[Cell::List(vec!["=a".into(), Cell::Number(1.5)])], "'=a; 1.5\r\n");
    }

    #[test]
    fn a_text_never_becomes_a_formula_and_a_number_stays_one() {
        check(
            &["=1+1".into(), "@SUM(A1)".into(), "-x".into(), "+49 30".into()],
            "'=1+1,'@SUM(A1),'-x,'+49 30\r\n",
        );
        check(&["\t=1".into(), "＝1".into(), "\r=1".into()], "'\t=1,'＝1,\"'\r=1\"\r\n");
        check(
            &["-5".into(), "+1.5e-3".into(), Cell::Integer(-5), Cell::Number(-0.5)],
            "-5,+1.5e-3,-5,-0.5\r\n",
        );
        check(
            &["-5+cmd|' /C calc'!A0".into(), "-".into(), "-inf".into()],
            "'-5+cmd|' /C calc'!A0,'-,'-inf\r\n",
        );
        check(&["it's".into(), "'quoted'".into(), "'=1".into()], "it's,'quoted',''=1\r\n");
    }

    proptest! {
        #[test]
        fn the_apostrophe_can_be_taken_away_again(text in "['=+@\t1-]{0,4}.{0,5}") {
            let guarded = guard_formula(&text);
            prop_assert_eq!(unguard_formula(&guarded), &text);
            prop_assert!(!guarded.starts_with(['=', '@', '\t', '\r', '\n']));
        }
    }
}
