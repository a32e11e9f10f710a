//! Sorts lines of any amount in bounded memory: sorted runs on disk, merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::PathBuf;

/// Runs merged at once; each is an open file.
const MAX_RUNS: usize = 64;

/// Takes lines in any order and gives them back sorted by their bytes.
pub(crate) struct LineSorter {
    /// Where runs are kept: beside the result, so that the space needed is that of one file system.
    dir: PathBuf,
    memory: usize,
    lines: Vec<Box<[u8]>>,
    held: usize,
    runs: Vec<File>,
}

impl LineSorter {
    pub(crate) fn new(dir: impl Into<PathBuf>, memory: usize) -> LineSorter {
        LineSorter { dir: dir.into(), memory, lines: Vec::new(), held: 0, runs: Vec::new() }
    }

    /// Takes a line, without its end.
    pub(crate) fn push(&mut self, line: &[u8]) -> io::Result<()> {
        self.held += line.len() + size_of::<Box<[u8]>>();
        self.lines.push(line.into());
        if self.held >= self.memory { self.spill() } else { Ok(()) }
    }

    /// Writes all lines in order.
    pub(crate) fn finish(mut self, out: &mut impl Write) -> io::Result<()> {
        if self.runs.is_empty() {
            return write_sorted(&mut self.lines, out);
        }
        self.spill()?;
        merge(self.runs, out)
    }

    fn spill(&mut self) -> io::Result<()> {
        let mut lines = std::mem::take(&mut self.lines);
        self.held = 0;
        if lines.is_empty() {
            return Ok(());
        }
        let run = self.run(|out| write_sorted(&mut lines, out))?;
        self.runs.push(run);
        if self.runs.len() >= MAX_RUNS {
            let runs = std::mem::take(&mut self.runs);
            let merged = self.run(|out| merge(runs, out))?;
            self.runs.push(merged);
        }
        Ok(())
    }

    fn run(&self, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<File> {
        // Has no name, so that nothing is left behind after a crash.
        let mut out = BufWriter::new(tempfile::tempfile_in(&self.dir)?);
        write(&mut out)?;
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
    }
}

fn write_sorted(lines: &mut [Box<[u8]>], out: &mut impl Write) -> io::Result<()> {
    lines.sort_unstable();
    lines.iter().try_for_each(|line| write_line(line, out))
}

fn merge(runs: Vec<File>, out: &mut impl Write) -> io::Result<()> {
    let mut runs: Vec<_> = runs.into_iter().map(BufReader::new).collect();
    let mut heads = BinaryHeap::new();
    for (number, run) in runs.iter_mut().enumerate() {
        heads.extend(next_line(run)?.map(|line| Reverse((line, number))));
    }
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((line, number)) = &mut *head;
        write_line(line, out)?;
        match next_line(&mut runs[*number])? {
            Some(next) => *line = next,
            None => drop(PeekMut::pop(head)),
        }
    }
    Ok(())
}

fn next_line(run: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    run.read_until(b'\n', &mut line)?;
    Ok((line.pop() == Some(b'\n')).then_some(line))
}

fn write_line(line: &[u8], out: &mut impl Write) -> io::Result<()> {
    out.write_all(line)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn lines_come_out_sorted_whatever_the_memory(lines in prop::collection::vec("[a-c]{0,6}", 0..400), memory in 1usize..2_000) {
            let dir = tempfile::tempdir().unwrap();
            let mut sorter = LineSorter::new(dir.path(), memory);
            for line in &lines {
                sorter.push(line.as_bytes()).unwrap();
            }
            let mut out = Vec::new();
            sorter.finish(&mut out).unwrap();
            let mut expected = lines;
            expected.sort();
            let expected: String = expected.iter().map(|line| format!("{line}\n")).collect();
            prop_assert_eq!(String::from_utf8(out).unwrap(), expected);
            prop_assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        }
    }
}
