//! The log of a run: numbered lines in small files, the oldest of which are dropped.
//!
//! A line is a JSON object. Each file is named after the first line it has, so any line is found by one look at the
//! folder and one file read.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use memchr::memmem::Finder;
use model::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Moment, ServiceError};

/// Lines of one file.
const LINES: u64 = 4_096;

/// Files kept; some 260,000 lines.
const FILES: usize = 64;

/// A line's words are cut here.
const LONGEST: usize = 2_000;

/// Lines in one answer, unless said and at most.
const USUAL: usize = 100;
const MOST: usize = 1_000;

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// The life of a URL.
    Info,
    /// Someone may want to look.
    Warn,
    /// Something failed.
    Error,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogLine {
    /// Its number, from 1.
    pub seq: u64,
    /// When.
    #[schema(value_type = String)]
    pub time: Moment,
    /// How much it matters.
    pub level: LogLevel,
    /// About this URL.
    pub url: Option<String>,
    /// In words.
    pub message: String,
}

/// Which lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LogRequest {
    /// At least so important.
    pub level: Option<LogLevel>,
    /// Whose URL has this in it.
    pub url: Option<String>,
    /// Whose words, or URL, have this in them, in any case.
    pub text: Option<String>,
    /// `N`: after line N; `<N`: the last ones before line N. Without it the last ones.
    pub cursor: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// Some lines, the newest last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogPage {
    /// The lines.
    pub items: Vec<LogLine>,
    /// The cursor of what comes after them, now or later; none when the run is over and these were the last.
    pub next: Option<String>,
    /// The cursor of what comes before them; none when nothing does.
    pub previous: Option<String>,
}

/// Writes a run's log.
pub(crate) struct LogWriter {
    dir: PathBuf,
    file: Option<BufWriter<File>>,
    next: u64,
    /// First line of each file.
    files: VecDeque<u64>,
    flushed: Timestamp,
}

impl LogWriter {
    /// Goes on with what is there.
    pub(crate) fn open(dir: &Path) -> Result<LogWriter, ServiceError> {
        fs::create_dir_all(dir).map_err(ServiceError::io("create", dir))?;
        let files: VecDeque<u64> = firsts(dir).into();
        let next = match files.back() {
            None => 1,
            Some(first) => last_number(&path(dir, *first)).map_or(*first, |last| last + 1),
        };
        Ok(LogWriter { dir: dir.to_owned(), file: None, next, files, flushed: Timestamp::ZERO })
    }

    /// Adds a line. What cannot be written is lost: a log is no reason to stop a run.
    pub(crate) fn add(&mut self, now: Timestamp, level: LogLevel, url: Option<&str>, message: &str) {
        let cut = |text: &str| match text.len() {
            0..=LONGEST => text.to_owned(),
            _ => text.chars().take(LONGEST).collect(),
        };
        let (url, message) = (url.map(cut), cut(message));
        let line = LogLine { seq: self.next, time: Moment(now), level, url, message };
        if self.write(&line).is_err() {
            self.file = None;
            return;
        }
        self.next += 1;
        if now.0.abs_diff(self.flushed.0) > 500 || level > LogLevel::Info {
            self.flushed = now;
            self.flush();
        }
    }

    /// Lets readers see all that was written.
    pub(crate) fn flush(&mut self) {
        if let Some(file) = &mut self.file
            && file.flush().is_err()
        {
            self.file = None;
        }
    }

    fn write(&mut self, line: &LogLine) -> std::io::Result<()> {
        if self.file.is_none() || self.files.back().is_none_or(|first| line.seq - first >= LINES) {
            self.flush();
            // A new file for each start: what a dead process left half-written stays the end of its file.
            let mut file = OpenOptions::new().create(true).append(true).open(path(&self.dir, line.seq))?;
            if file.metadata()?.len() > 0 {
                // Half a line and nothing more.
                file.write_all(b"\n")?;
            }
            self.file = Some(BufWriter::new(file));
            if self.files.back() != Some(&line.seq) {
                self.files.push_back(line.seq);
            }
            while self.files.len() > FILES {
                if let Some(first) = self.files.pop_front() {
                    let _ = fs::remove_file(path(&self.dir, first));
                }
            }
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        serde_json::to_writer(&mut *file, line)?;
        file.write_all(b"\n")
    }
}

/// Reads some lines; `live` when more may come.
pub(crate) fn read(dir: &Path, request: &LogRequest, live: bool) -> Result<LogPage, ServiceError> {
    let limit = request.limit.unwrap_or(USUAL).clamp(1, MOST);
    let bad = |cursor: &str| ServiceError::Cursor(cursor.to_owned());
    let wanted = Wanted::of(request);
    match request.cursor.as_deref() {
        Some(cursor) if !cursor.starts_with('<') => {
            let after: u64 = cursor.parse().map_err(|_| bad(cursor))?;
            after_line(dir, after, limit, &wanted, live)
        }
        Some(cursor) => {
            let before: u64 = cursor[1..].parse().map_err(|_| bad(cursor))?;
            before_line(dir, before, limit, &wanted, live)
        }
        None => before_line(dir, u64::MAX, limit, &wanted, live),
    }
}

/// The whole log as text, a line each: time, level, URL, words.
pub(crate) fn text(dir: &Path) -> impl Iterator<Item = String> + use<> {
    let dir = dir.to_owned();
    let lines = firsts(&dir).into_iter().flat_map(move |first| lines(&path(&dir, first)));
    lines.map(|line| {
        let level = match line.level {
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        };
        let url = line.url.map(|url| format!(" {url}")).unwrap_or_default();
        format!("{} {level}{url} {}\n", line.time, line.message)
    })
}

fn after_line(
    dir: &Path,
    after: u64,
    limit: usize,
    wanted: &Wanted,
    live: bool,
) -> Result<LogPage, ServiceError> {
    let firsts = firsts(dir);
    // The file that has the next line, or the oldest that is left.
    let begin = firsts.partition_point(|first| *first <= after.saturating_add(1)).saturating_sub(1);
    let (mut items, mut more) = (Vec::new(), false);
    'files: for first in firsts.iter().skip(begin) {
        let bytes = read_bounded(&path(dir, *first));
        for line in wanted.perhaps(&bytes) {
            let Ok(line) = serde_json::from_slice::<LogLine>(line) else { continue };
            if line.seq <= after || !wanted.takes(&line) {
                continue;
            }
            if items.len() == limit {
                more = true;
                break 'files;
            }
            items.push(line);
        }
    }
    let last = match items.last().filter(|_| more) {
        Some(line) => line.seq,
        None => firsts.last().and_then(|first| last_number(&path(dir, *first))).unwrap_or(0).max(after),
    };
    let previous = items.first().map(|line: &LogLine| format!("<{}", line.seq));
    Ok(LogPage { items, next: (more || live).then(|| last.to_string()), previous })
}

fn before_line(
    dir: &Path,
    before: u64,
    limit: usize,
    wanted: &Wanted,
    live: bool,
) -> Result<LogPage, ServiceError> {
    let mut items = VecDeque::new();
    let mut more = false;
    let firsts = firsts(dir);
    'files: for first in firsts.iter().rev().filter(|first| **first < before) {
        let bytes = read_bounded(&path(dir, *first));
        for line in wanted.perhaps(&bytes).into_iter().rev() {
            let Ok(line) = serde_json::from_slice::<LogLine>(line) else { continue };
            if line.seq >= before || !wanted.takes(&line) {
                continue;
            }
            if items.len() == limit {
                more = true;
                break 'files;
            }
            items.push_front(line);
        }
    }
    let items: Vec<LogLine> = items.into();
    let previous = items.first().filter(|_| more).map(|line| format!("<{}", line.seq));
    let newest = firsts.last().and_then(|first| last_number(&path(dir, *first))).unwrap_or(0);
    let newest = newest.min(before.saturating_sub(1));
    let next = (live || before != u64::MAX).then(|| newest.to_string());
    Ok(LogPage { items, next, previous })
}

/// What lines are wanted.
struct Wanted {
    level: LogLevel,
    url: Option<String>,
    text: Option<String>,
}

impl Wanted {
    fn of(request: &LogRequest) -> Wanted {
        let some = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        Wanted {
            level: request.level.unwrap_or(LogLevel::Info),
            url: some(&request.url),
            text: some(&request.text).map(|text| text.to_lowercase()),
        }
    }

    /// The lines of a file, as they are written, without those that are surely not wanted: taking a line apart costs
    /// far more than looking for a few bytes in it.
    fn perhaps<'a>(&self, bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let info = Finder::new("\"level\":\"info\"");
        // Texts that look the same as they are written. What a letter beyond ASCII becomes is left to others.
        let plain = |text: &&String| {
            text.bytes().all(|byte| (b' '..0x7f).contains(&byte) && !b"\"\\".contains(&byte))
        };
        let text = self.text.as_ref().filter(plain).map(|text| Finder::new(text.as_bytes()));
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let lines = lines.filter(|line| self.level == LogLevel::Info || info.find(line).is_none());
        let lines = lines.filter(|line| {
            text.as_ref()
                .is_none_or(|text| !line.is_ascii() || text.find(&line.to_ascii_lowercase()).is_some())
        });
        lines.collect()
    }

    fn takes(&self, line: &LogLine) -> bool {
        let in_url = |part: &String| line.url.as_ref().is_some_and(|url| url.contains(part));
        let said = |text: &String| {
            line.message.to_lowercase().contains(text)
                || line.url.as_ref().is_some_and(|url| url.to_lowercase().contains(text))
        };
        line.level >= self.level
            && self.url.as_ref().is_none_or(in_url)
            && self.text.as_ref().is_none_or(said)
    }
}

fn path(dir: &Path, first: u64) -> PathBuf {
    dir.join(format!("log-{first:010}.jsonl"))
}

/// First lines of the files, in order.
fn firsts(dir: &Path) -> Vec<u64> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let number = |name: &str| name.strip_prefix("log-")?.strip_suffix(".jsonl")?.parse().ok();
    let mut firsts: Vec<u64> = entries.filter_map(|entry| number(entry.file_name().to_str()?)).collect();
    firsts.sort_unstable();
    firsts
}

/// The lines of a file; those that cannot be read are passed over.
fn lines(file: &Path) -> Vec<LogLine> {
    let bytes = read_bounded(file);
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

fn last_number(file: &Path) -> Option<u64> {
    let bytes = read_bounded(file);
    let lines = bytes.rsplit(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice::<LogLine>(line).ok()).map(|line| line.seq).next()
}

fn read_bounded(file: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let most = LINES * 3 * LONGEST as u64;
    let _ = File::open(file).and_then(|file| file.take(most).read_to_end(&mut bytes));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(lines: u64) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let mut log = LogWriter::open(dir.path()).unwrap();
        for number in 1..=lines {
            let level = if number % 100 == 0 { LogLevel::Warn } else { LogLevel::Info };
            let url = format!("http://shop.test/{}", number % 7);
            log.add(Timestamp(number), level, Some(&url), &format!("Line {number}"));
        }
        log.flush();
        dir
    }

    fn numbers(page: &LogPage) -> Vec<u64> {
        page.items.iter().map(|line| line.seq).collect()
    }

    fn ask(dir: &tempfile::TempDir, request: LogRequest) -> LogPage {
        read(dir.path(), &request, true).unwrap()
    }

    #[test]
    fn the_end_comes_first_and_both_ways_are_open() {
        let dir = filled(10_000);
        let limit = Some(3);
        let tail = ask(&dir, LogRequest { limit, ..LogRequest::default() });
        assert_eq!(numbers(&tail), [9_998, 9_999, 10_000]);
        let back = ask(&dir, LogRequest { cursor: tail.previous, limit, ..LogRequest::default() });
        assert_eq!(numbers(&back), [9_995, 9_996, 9_997]);
        let on = ask(&dir, LogRequest { cursor: back.next, limit, ..LogRequest::default() });
        assert_eq!(numbers(&on), [9_998, 9_999, 10_000]);
        let nothing = ask(&dir, LogRequest { cursor: tail.next.clone(), limit, ..LogRequest::default() });
        assert_eq!((nothing.items.len(), nothing.next), (0, tail.next));
        let begin = ask(&dir, LogRequest { cursor: Some("0".into()), limit, ..LogRequest::default() });
        assert_eq!(numbers(&begin), [1, 2, 3]);
        assert!(
            read(dir.path(), &LogRequest { cursor: Some("x".into()), ..LogRequest::default() }, true)
                .is_err()
        );
    }

    #[test]
    fn lines_are_chosen_by_level_url_and_words() {
        let dir = filled(9_000);
        let warned =
            ask(&dir, LogRequest { level: Some(LogLevel::Warn), limit: Some(2), ..LogRequest::default() });
        assert_eq!(numbers(&warned), [8_900, 9_000]);
        let said = ask(
            &dir,
            LogRequest { text: Some("LINE 17".into()), cursor: Some("0".into()), ..LogRequest::default() },
        );
        assert_eq!(said.items[0].seq, 17);
        let url =
            ask(&dir, LogRequest { url: Some("test/3".into()), limit: Some(1), ..LogRequest::default() });
        assert_eq!(url.items[0].seq % 7, 3);
    }

    #[test]
    fn old_lines_are_dropped_and_a_new_start_goes_on_counting() {
        let dir = filled(LINES * FILES as u64 + 10);
        let begin =
            ask(&dir, LogRequest { cursor: Some("0".into()), limit: Some(1), ..LogRequest::default() });
        assert_eq!(begin.items[0].seq, LINES + 1);
        let mut log = LogWriter::open(dir.path()).unwrap();
        log.add(Timestamp(1), LogLevel::Error, None, &"x".repeat(10_000));
        let tail = ask(&dir, LogRequest { limit: Some(1), ..LogRequest::default() });
        assert_eq!((tail.items[0].seq, tail.items[0].message.len()), (LINES * FILES as u64 + 11, LONGEST));
    }

    #[test]
    fn half_a_line_is_passed_over() {
        let dir = filled(3);
        let file = path(dir.path(), 1);
        let mut bytes = fs::read(&file).unwrap();
        bytes.truncate(bytes.len() - 5);
        fs::write(&file, bytes).unwrap();
        let mut log = LogWriter::open(dir.path()).unwrap();
        log.add(Timestamp(9), LogLevel::Warn, None, "back");
        let all = ask(&dir, LogRequest::default());
        assert_eq!(numbers(&all), [1, 2, 3]);
        assert_eq!(all.items[2].message, "back");
        assert!(text(dir.path()).last().unwrap().ends_with("warn back\n"));
    }
}
