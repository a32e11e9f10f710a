//! The archive's files: `00001.warc.gz`, `00002.warc.gz`, … in one directory, appended by one writer.
//!
//! A commit has two ordered steps. `sync` makes everything appended so far durable and says how far that
//! reaches; the caller then stores that `Position`. At opening, bytes past the stored position are cut from
//! its file, and nowhere else; what does not fit is set aside and reported, never deleted.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use model::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{ArchiveError, Finding, Member, Problem, RecordWriter};

/// How far an archive reaches: all of the files before `file`, and `length` bytes of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Number of the last file, from 1; 0 while there is none.
    pub file: u32,
    /// Its length.
    pub length: u64,
}

/// Where the records of a visit, or one of them, lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location {
    /// Number of the file.
    pub file: u32,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
}

/// How files are written.
#[derive(Clone, Debug)]
pub struct ArchiveSettings {
    /// A file that would grow longer than this is closed and the next one begun.
    pub roll_at: u64,
    /// What each file says of its writer: `software`, `operator`, `http-header-user-agent`, `robots`, …
    pub info: Vec<(String, String)>,
}

/// Appends to an archive.
pub struct ArchiveWriter {
    dir: PathBuf,
    settings: ArchiveSettings,
    records: RecordWriter,
    /// None until the first append after opening an archive that has no file to go on with.
    current: Option<Current>,
    /// Number for the next new file.
    next_file: u32,
    /// The first number that was free at opening: from there on all files are this writer's.
    first_own: u32,
    /// How far the last sync reached.
    synced: Position,
    /// A file was created since the directory was last synced.
    dir_changed: bool,
    poisoned: bool,
}

/// An opened archive and what was found on the way.
pub struct Opened {
    /// The writer, at the end of the committed data.
    pub writer: ArchiveWriter,
    /// What had to be cut or set aside, and what is missing.
    pub findings: Vec<Finding>,
}

struct Current {
    number: u32,
    path: PathBuf,
    file: File,
    /// Appended and not yet handed to the system.
    pending: Vec<u8>,
    /// Bytes of the file, `pending` included.
    length: u64,
}

/// Bytes gathered before they are handed to the system.
const WRITE_AT: usize = 256 * 1024;

/// The name of a file by its number.
pub fn file_name(number: u32) -> String {
    format!("{number:05}.warc.gz")
}

/// The number of an archive file by its name; none for any other file.
pub fn file_number(name: &OsStr) -> Option<u32> {
    let number = name.to_str()?.strip_suffix(".warc.gz")?.parse().ok()?;
    // Only the name that we would give: `1.warc.gz` and `+0001.warc.gz` are somebody else's.
    (number > 0 && name == file_name(number).as_str()).then_some(number)
}

impl Location {
    /// The place of one record, when this is the place of its visit.
    pub fn of(self, member: Member) -> Location {
        Location { offset: self.offset + u64::from(member.offset), length: member.length, ..self }
    }
}

impl Default for ArchiveSettings {
    fn default() -> ArchiveSettings {
        ArchiveSettings { roll_at: 1_000_000_000, info: Vec::new() }
    }
}

impl ArchiveWriter {
    /// Opens the archive in `dir`, which is created if need be, at the position that was committed last.
    pub fn open(dir: &Path, committed: Position, settings: ArchiveSettings) -> Result<Opened, ArchiveError> {
        create_dir(dir)?;
        let mut findings = Vec::new();
        let mut present = BTreeSet::new();
        for number in files(dir)? {
            if number > committed.file {
                let set_aside = Some(set_aside(dir, number)?);
                findings.push(Finding {
                    file: file_name(number),
                    offset: 0,
                    problem: Problem::Unknown { set_aside },
                });
            } else {
                present.insert(number);
            }
        }
        for number in (1..committed.file).filter(|number| !present.contains(number)) {
            findings.push(Finding { file: file_name(number), offset: 0, problem: Problem::Missing });
        }
        let current = match committed.file {
            0 => None,
            number => go_on(dir, committed, present.contains(&number), &mut findings)?,
        };
        // After setting aside: a later crash must not bring the old names back beside new files of that name.
        sync_dir(dir)?;
        let writer = ArchiveWriter {
            dir: dir.to_owned(),
            settings,
            records: RecordWriter::default(),
            current,
            next_file: committed.file.saturating_add(1),
            first_own: committed.file.saturating_add(1),
            synced: committed,
            dir_changed: false,
            poisoned: false,
        };
        Ok(Opened { writer, findings })
    }

    /// Appends the records of one visit, which stay in one file. Durable only after `sync`.
    pub fn append(&mut self, records: &[u8], now: Timestamp) -> Result<Location, ArchiveError> {
        let length = u32::try_from(records.len()).map_err(|_| ArchiveError::TooLong(records.len()))?;
        self.guarded(|writer| {
            let roll_at = writer.settings.roll_at;
            let fits = |current: &Current| current.length.saturating_add(u64::from(length)) <= roll_at;
            if !writer.current.as_ref().is_some_and(fits) {
                writer.roll(now)?;
            }
            let current = writer.current.as_mut().expect("roll leaves a file");
            let offset = current.length;
            current.push(records)?;
            Ok(Location { file: current.number, offset, length })
        })
    }

    /// Makes everything appended so far durable and says how far it reaches.
    pub fn sync(&mut self) -> Result<Position, ArchiveError> {
        self.guarded(|writer| {
            if let Some(current) = &mut writer.current {
                current.sync()?;
            }
            if writer.dir_changed {
                sync_dir(&writer.dir)?;
                writer.dir_changed = false;
            }
            writer.synced = writer.position();
            Ok(writer.synced)
        })
    }

    /// Ends writing after a failure, here or in the store, and removes the files that were begun after the last
    /// commit: nothing names them, and the disk may be full. Open the archive again to go on.
    pub fn give_up(self, committed: Position) {
        for number in self.first_own.max(committed.file.saturating_add(1))..self.next_file {
            // What cannot be removed is set aside at opening.
            let _ = fs::remove_file(self.dir.join(file_name(number)));
        }
    }

    /// How far the archive reaches, synced or not.
    pub fn position(&self) -> Position {
        match &self.current {
            Some(current) => Position { file: current.number, length: current.length },
            None => Position { file: self.next_file - 1, length: 0 },
        }
    }

    /// Closes the current file for good and begins the next.
    fn roll(&mut self, now: Timestamp) -> Result<(), ArchiveError> {
        if let Some(current) = &mut self.current {
            current.sync()?;
        }
        let number = self.next_file;
        let name = file_name(number);
        let path = self.dir.join(&name);
        let file = File::create_new(&path).map_err(ArchiveError::io("create", &path))?;
        self.dir_changed = true;
        self.next_file += 1;
        let info = self.records.warcinfo(&name, &self.settings.info, now);
        let mut current = Current { number, path, file, pending: Vec::new(), length: 0 };
        current.push(&info)?;
        self.current = Some(current);
        Ok(())
    }

    /// After a failed write or sync nobody knows what is on the disk, and asking again may wrongly succeed.
    fn guarded<T>(
        &mut self,
        work: impl FnOnce(&mut ArchiveWriter) -> Result<T, ArchiveError>,
    ) -> Result<T, ArchiveError> {
        if self.poisoned {
            return Err(ArchiveError::Poisoned(self.dir.clone()));
        }
        let result = work(self);
        if result.is_err() {
            self.poisoned = true;
            self.cut_back();
        }
        result
    }

    /// After a failed write: whatever of it reached the file is cut off, so that the archive can be read to its
    /// end, whoever reads it before it is opened again.
    fn cut_back(&mut self) {
        let Some(current) = &self.current else { return };
        let cut = if current.number == self.synced.file {
            current.file.set_len(self.synced.length)
        } else {
            fs::remove_file(&current.path)
        };
        if let Err(error) = cut {
            tracing::warn!(file = %current.path.display(), %error, "cannot cut off what a failed write left");
        }
    }
}

impl Current {
    fn push(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.pending.extend_from_slice(bytes);
        self.length += bytes.len() as u64;
        if self.pending.len() >= WRITE_AT { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), ArchiveError> {
        self.file.write_all(&self.pending).map_err(ArchiveError::io("write to", &self.path))?;
        self.pending.clear();
        Ok(())
    }

    fn sync(&mut self) -> Result<(), ArchiveError> {
        self.write()?;
        self.file.sync_data().map_err(ArchiveError::io("sync", &self.path))
    }
}

/// The numbers of the archive files in `dir`, in order.
pub(crate) fn files(dir: &Path) -> Result<BTreeSet<u32>, ArchiveError> {
    let mut numbers = BTreeSet::new();
    for entry in fs::read_dir(dir).map_err(ArchiveError::io("list", dir))? {
        let entry = entry.map_err(ArchiveError::io("list", dir))?;
        numbers.extend(file_number(&entry.file_name()));
    }
    Ok(numbers)
}

/// Opens the last committed file at its committed length; none when it cannot be gone on with.
fn go_on(
    dir: &Path,
    committed: Position,
    present: bool,
    findings: &mut Vec<Finding>,
) -> Result<Option<Current>, ArchiveError> {
    let Position { file: number, length } = committed;
    let name = file_name(number);
    let path = dir.join(&name);
    if !present {
        // Zero bytes may be committed of a file that was never begun, after damage to the one before.
        if length > 0 {
            findings.push(Finding { file: name, offset: 0, problem: Problem::Missing });
        }
        return Ok(None);
    }
    let mut file = OpenOptions::new().write(true).open(&path).map_err(ArchiveError::io("open", &path))?;
    let found = file.metadata().map_err(ArchiveError::io("inspect", &path))?.len();
    if found < length {
        // The next file gets a new number, so that locations in this one never name other bytes.
        let set_aside = Some(set_aside(dir, number)?);
        let problem = Problem::Short { committed: length, set_aside };
        findings.push(Finding { file: name, offset: found, problem });
        return Ok(None);
    }
    if found > length {
        file.set_len(length).map_err(ArchiveError::io("cut the tail of", &path))?;
        file.sync_all().map_err(ArchiveError::io("sync", &path))?;
        findings.push(Finding {
            file: name,
            offset: length,
            problem: Problem::Tail { bytes: found - length },
        });
    }
    file.seek(SeekFrom::Start(length)).map_err(ArchiveError::io("seek in", &path))?;
    Ok(Some(Current { number, path, file, pending: Vec::new(), length }))
}

/// Renames a file to the first free `….orphan` name, and returns that.
fn set_aside(dir: &Path, number: u32) -> Result<String, ArchiveError> {
    let name = file_name(number);
    let mut free = format!("{name}.orphan");
    for attempt in 2.. {
        if fs::symlink_metadata(dir.join(&free)).is_err() {
            break;
        }
        free = format!("{name}.{attempt}.orphan");
    }
    let path = dir.join(&name);
    fs::rename(&path, dir.join(&free)).map_err(ArchiveError::io("set aside", &path))?;
    Ok(free)
}

/// Creates the directory and its missing parents, and makes their names durable.
fn create_dir(dir: &Path) -> Result<(), ArchiveError> {
    let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !dir.is_dir() {
        if !parent.is_dir() {
            create_dir(parent)?;
        }
        fs::create_dir(dir).map_err(ArchiveError::io("create", dir))?;
    }
    // Also where it was there: whoever made it may not have come to this.
    sync_dir(parent)
}

pub(crate) fn sync_dir(dir: &Path) -> Result<(), ArchiveError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(ArchiveError::io("sync", dir))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::SmallDisk;

    const NOW: Timestamp = Timestamp(1_763_196_319_123);

    fn open(dir: &Path, committed: Position) -> Opened {
        let settings = ArchiveSettings { roll_at: 1_000, ..ArchiveSettings::default() };
        ArchiveWriter::open(dir, committed, settings).unwrap()
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn only_our_own_names_are_archive_files() {
        for (name, number) in [
            ("00001.warc.gz", Some(1)),
            ("123456.warc.gz", Some(123_456)),
            ("1.warc.gz", None),
            ("00000.warc.gz", None),
            ("+0001.warc.gz", None),
            ("00001.warc.gz.orphan", None),
            ("99999999999.warc.gz", None),
            ("index.cdxj", None),
        ] {
            assert_eq!(file_number(OsStr::new(name)), number, "{name}");
        }
    }

    #[test]
    fn a_file_that_would_grow_too_long_is_rolled_and_a_visit_is_never_split() {
        let dir = tempfile::tempdir().unwrap();
        let Opened { mut writer, findings } = open(dir.path(), Position::default());
        assert_eq!(findings, []);
        assert_eq!(writer.sync().unwrap(), Position::default());
        let first = writer.append(&[1; 400], NOW).unwrap();
        let second = writer.append(&[2; 700], NOW).unwrap();
        let huge = writer.append(&[3; 5_000], NOW).unwrap();
        assert_eq!([first.file, second.file, huge.file], [1, 2, 3]);
        let end = writer.sync().unwrap();
        assert_eq!(end, Position { file: 3, length: huge.offset + 5_000 });
        assert_eq!(names(dir.path()), ["00001.warc.gz", "00002.warc.gz", "00003.warc.gz"]);
        for (location, byte) in [(first, 1), (second, 2), (huge, 3)] {
            let bytes = fs::read(dir.path().join(file_name(location.file))).unwrap();
            let start = location.offset as usize;
            assert!(start > 0, "each file starts with its warcinfo record");
            assert_eq!(bytes[..2], [0x1f, 0x8b]);
            assert!(bytes[start..start + location.length as usize].iter().all(|&found| found == byte));
        }
    }

    #[test]
    fn the_uncommitted_tail_is_cut_and_writing_goes_on_there() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = open(dir.path(), Position::default()).writer;
        writer.append(&[1; 100], NOW).unwrap();
        let committed = writer.sync().unwrap();
        writer.append(&[2; 50], NOW).unwrap();
        writer.append(&[2; 2_000], NOW).unwrap();
        writer.sync().unwrap();
        drop(writer);

        let Opened { mut writer, findings } = open(dir.path(), committed);
        let found: Vec<_> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "00002.warc.gz: not named by any commit, set aside as 00002.warc.gz.orphan",
                &format!("00001.warc.gz: 50 uncommitted bytes from byte {}", committed.length),
            ]
        );
        assert!(!findings.iter().any(Finding::is_damage));
        assert_eq!(writer.position(), committed);
        let next = writer.append(&[4; 10], NOW).unwrap();
        assert_eq!((next.file, next.offset), (1, committed.length));
        assert_eq!(writer.append(&[5; 2_000], NOW).unwrap().file, 2);
        drop(writer);

        // A second orphan of the same number does not replace the first.
        assert_eq!(open(dir.path(), committed).findings.len(), 2);
        assert_eq!(names(dir.path()), ["00001.warc.gz", "00002.warc.gz.2.orphan", "00002.warc.gz.orphan"]);
    }

    #[test]
    fn lost_committed_bytes_are_damage_and_their_locations_are_never_reused() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = open(dir.path(), Position::default()).writer;
        writer.append(&[1; 800], NOW).unwrap();
        writer.append(&[2; 800], NOW).unwrap();
        let committed = writer.sync().unwrap();
        drop(writer);
        let last = dir.path().join(file_name(2));
        File::options().write(true).open(&last).unwrap().set_len(committed.length - 1).unwrap();
        fs::remove_file(dir.path().join(file_name(1))).unwrap();

        let Opened { mut writer, findings } = open(dir.path(), committed);
        assert!(findings.iter().all(Finding::is_damage));
        assert_eq!(findings[0].to_string(), "00001.warc.gz: missing");
        assert_eq!(
            findings[1].to_string(),
            format!(
                "00002.warc.gz: ends at byte {}, {} bytes were committed, set aside as 00002.warc.gz.orphan",
                committed.length - 1,
                committed.length
            )
        );
        // Nothing was appended, yet the position is a valid one to commit and to open again.
        let empty = writer.sync().unwrap();
        assert_eq!(writer.append(&[3; 10], NOW).unwrap().file, 3);
        drop(writer);
        assert_eq!(open(dir.path(), empty).writer.append(&[3; 10], NOW).unwrap().file, 3);
    }

    #[test]
    fn what_a_full_disk_cut_short_is_cut_off_and_writing_goes_on_at_the_last_commit() {
        let Some(disk) = SmallDisk::mount("an archive on a full disk", 8 << 20) else { return };
        let dir = disk.path().join("archive");
        let settings = ArchiveSettings { roll_at: 3 << 20, ..ArchiveSettings::default() };
        let mut committed = Position::default();
        for leave in [1 << 20, 700_000, 300_000, 90_000, 5_000, 0] {
            let Opened { mut writer, findings } =
                ArchiveWriter::open(&dir, committed, settings.clone()).unwrap();
            assert_eq!(findings, [], "with {leave} bytes left");
            writer.append(&[1; 20_000], NOW).unwrap();
            committed = writer.sync().unwrap();
            disk.fill(leave);
            let error = (0..500)
                .find_map(|_| writer.append(&[2; 20_000], NOW).and_then(|_| writer.sync()).err())
                .unwrap();
            assert!(error.is_no_space(), "{error:?}");
            // Readable at once: whole records, and nothing behind them.
            let length = fs::metadata(dir.join(file_name(writer.synced.file))).unwrap().len();
            assert_eq!(length, writer.synced.length);
            assert!(matches!(writer.append(b"x", NOW), Err(ArchiveError::Poisoned(_))));
            writer.give_up(committed);
            // As the commit that names the last sync has not come about.
            let last = dir.join(file_name(committed.file));
            File::options().write(true).open(last).unwrap().set_len(committed.length).unwrap();
            disk.clear();
        }
    }

    #[test]
    fn after_a_failed_write_nothing_more_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = open(dir.path(), Position::default()).writer;
        fs::remove_dir_all(dir.path()).unwrap();
        assert!(matches!(writer.append(b"x", NOW), Err(ArchiveError::Io { action: "create", .. })));
        fs::create_dir(dir.path()).unwrap();
        assert!(matches!(writer.append(b"x", NOW), Err(ArchiveError::Poisoned(_))));
        assert!(matches!(writer.sync(), Err(ArchiveError::Poisoned(_))));
    }
}
