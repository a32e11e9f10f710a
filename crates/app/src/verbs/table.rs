//! Tables for people: aligned, cut to the terminal's width, and deaf to what hostile pages put into titles.

use std::borrow::Cow;
use std::io::IsTerminal;

use crate::Failure;
use crate::output::Output;

/// Rows that decide the widths of the columns; later ones are cut or stick out.
const SAMPLE: usize = 200;

/// No column is cut to less.
const NARROWEST: usize = 8;

/// A column.
#[derive(Clone)]
pub(super) struct Column {
    name: Cow<'static, str>,
    right: bool,
    may_be_cut: bool,
}

/// A table on standard output.
pub(super) struct Table {
    columns: Vec<Column>,
    /// Width of the terminal; none where nobody looks.
    terminal: Option<usize>,
    held: Vec<Vec<String>>,
    widths: Option<Vec<usize>>,
    out: Output,
    rows: u64,
}

/// A column of short words.
pub(super) const fn words(name: &'static str) -> Column {
    Column { name: Cow::Borrowed(name), right: false, may_be_cut: false }
}

/// A column of numbers.
pub(super) const fn number(name: &'static str) -> Column {
    Column { name: Cow::Borrowed(name), right: true, may_be_cut: false }
}

/// A column of texts of any length.
pub(super) const fn text(name: &'static str) -> Column {
    Column { name: Cow::Borrowed(name), right: false, may_be_cut: true }
}

/// A column that the user named.
pub(super) fn named(name: &str) -> Column {
    Column { name: plain(name).into(), right: false, may_be_cut: true }
}

impl Table {
    pub(super) fn new(columns: &[Column]) -> Table {
        Table {
            columns: columns.to_vec(),
            terminal: terminal_width(),
            held: Vec::new(),
            widths: None,
            out: Output::new(),
            rows: 0,
        }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: Vec<String>) -> Result<(), Failure> {
        self.rows += 1;
        let cells: Vec<String> = cells.iter().map(|cell| plain(cell)).collect();
        match &self.widths {
            Some(widths) => {
                let line = line(&self.columns, widths, &cells, self.terminal.is_some());
                self.out.line(line)
            }
            None => {
                self.held.push(cells);
                if self.held.len() >= SAMPLE { self.settle() } else { Ok(()) }
            }
        }
    }

    /// Prints what came so far; its widths hold for what follows.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        if self.rows > 0 && self.widths.is_none() {
            self.settle()?;
        }
        self.out.flush()
    }

    /// Prints what is left. Returns the number of rows.
    pub(super) fn end(mut self) -> Result<u64, Failure> {
        if self.rows > 0 && self.widths.is_none() {
            self.settle()?;
        }
        self.out.done()?;
        Ok(self.rows)
    }

    /// Prints what is left, and an empty line before what comes next.
    pub(super) fn end_with_gap(mut self) -> Result<u64, Failure> {
        if self.rows > 0 && self.widths.is_none() {
            self.settle()?;
        }
        self.out.line("")?;
        self.end()
    }

    fn settle(&mut self) -> Result<(), Failure> {
        let widths = widths(&self.columns, &self.held, self.terminal);
        let names: Vec<String> = self.columns.iter().map(|column| column.name.clone().into_owned()).collect();
        let cut = self.terminal.is_some();
        self.out.line(line(&self.columns, &widths, &names, cut))?;
        for cells in std::mem::take(&mut self.held) {
            self.out.line(line(&self.columns, &widths, &cells, cut))?;
        }
        self.widths = Some(widths);
        Ok(())
    }
}

/// A text on one line, without characters that steer a terminal or turn the direction of writing.
pub(super) fn plain(text: &str) -> String {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if steers(c) { ' ' } else { c }).collect()
}

/// A moment without its fractions: `2026-11-15 08:45:19`.
pub(super) fn moment(moment: service::Moment) -> String {
    moment.to_string().chars().take(19).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

/// A value, or a dash.
pub(super) fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn widths(columns: &[Column], rows: &[Vec<String>], terminal: Option<usize>) -> Vec<usize> {
    let widest =
        |at: usize| rows.iter().filter_map(|cells| cells.get(at)).map(|cell| cell.chars().count()).max();
    let mut widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| widest(at).unwrap_or(0).max(column.name.chars().count()))
        .collect();
    let Some(terminal) = terminal else { return widths };
    let gaps = 2 * columns.len().saturating_sub(1);
    loop {
        let total = widths.iter().sum::<usize>() + gaps;
        let widest = (0..columns.len())
            .filter(|at| columns[*at].may_be_cut && widths[*at] > NARROWEST)
            .max_by_key(|at| widths[*at]);
        match widest {
            Some(at) if total > terminal => widths[at] -= 1,
            _ => return widths,
        }
    }
}

/// The beginning of a line, where it is too long.
pub(super) fn cut(line: &str, width: Option<usize>) -> String {
    match width {
        Some(width) if line.chars().count() > width => {
            line.chars().take(width.saturating_sub(1)).chain(['…']).collect()
        }
        _ => line.to_owned(),
    }
}

fn line(columns: &[Column], widths: &[usize], cells: &[String], cut: bool) -> String {
    let mut line = String::new();
    for ((column, width), cell) in columns.iter().zip(widths).zip(cells) {
        if !line.is_empty() {
            line.push_str("  ");
        }
        let length = cell.chars().count();
        let shown = match cut && column.may_be_cut && length > *width {
            true => cell.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
            false => cell.clone(),
        };
        let padding = " ".repeat(width.saturating_sub(shown.chars().count()));
        let (before, after) = if column.right { (padding.as_str(), "") } else { ("", padding.as_str()) };
        line.push_str(before);
        line.push_str(&shown);
        line.push_str(after);
    }
    line.truncate(line.trim_end().len());
    line
}

/// Width of the terminal; none where nobody looks.
pub(super) fn terminal_width() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let set = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    Some(set.unwrap_or_else(|| {
        terminal_size::terminal_size_of(std::io::stdout()).map_or(80, |(width, _)| usize::from(width.0))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(terminal: Option<usize>, rows: &[[&str; 3]], expected: &[&str]) {
        let columns = [words("OUTCOME"), number("MS"), text("URL")];
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(plain).to_vec()).collect();
        let widths = widths(&columns, &rows, terminal);
        let lines: Vec<String> =
            rows.iter().map(|cells| line(&columns, &widths, cells, terminal.is_some())).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn columns_are_aligned_and_cut_only_for_a_terminal() {
        let rows = [["fetched", "5", "http://shop.test/a/long/way"], ["failed", "1200", "http://e.com/"]];
        check(None, &rows, &["fetched     5  http://shop.test/a/long/way", "failed   1200  http://e.com/"]);
        check(Some(30), &rows, &["fetched     5  http://shop.te…", "failed   1200  http://e.com/"]);
        check(Some(1), &rows, &["fetched     5  http://…", "failed   1200  http://…"]);
    }

    #[test]
    fn a_title_cannot_steer_the_terminal() {
        assert_eq!(plain("a\x1b[2Jb\nc\u{202e}d"), "a [2Jb c d");
    }
}
