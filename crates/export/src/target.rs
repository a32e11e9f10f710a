//! A file that appears under its name only when it is complete.
//!
//! Written as `NAME.part` and renamed at the end, so that nobody reads half an export or loses the old one to
//! a new one that failed.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::ExportError;

/// A file in the making. Dropped without `commit`, it leaves nothing behind.
pub struct FileTarget {
    path: PathBuf,
    part: PathBuf,
    force: bool,
    /// None once closed.
    file: Option<BufWriter<File>>,
    committed: bool,
}

impl FileTarget {
    /// Begins the file `path`; one that exists is replaced, at the end, only with `force`.
    pub fn create(path: &Path, force: bool) -> Result<FileTarget, ExportError> {
        refuse_existing(path, force)?;
        let directory = directory(path);
        if !directory.is_dir() {
            return Err(ExportError::NoDirectory { path: path.to_owned(), directory: directory.to_owned() });
        }
        let mut name = path.as_os_str().to_owned();
        name.push(".part");
        let part = PathBuf::from(name);
        let options = File::options().write(true).create(true).truncate(false).clone();
        let file = options.open(&part).map_err(ExportError::io("create", &part))?;
        match file.try_lock() {
            // Gone by now: the export that held it has just ended, and what we opened is its result.
            Ok(()) if !part.exists() => return Err(ExportError::Busy(path.to_owned())),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ExportError::Busy(path.to_owned())),
            // A file system without locks.
            Err(TryLockError::Error(_)) => {}
        }
        // Whatever a crash left there.
        file.set_len(0).map_err(ExportError::io("empty", &part))?;
        let file = Some(BufWriter::with_capacity(64 * 1024, file));
        Ok(FileTarget { path: path.to_owned(), part, force, file, committed: false })
    }

    /// The file under its present name, for a library that writes by itself.
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// Makes the file durable and gives it its name.
    pub fn commit(self) -> Result<(), ExportError> {
        let path = self.path.clone();
        self.commit_as(&path)
    }

    /// As `commit`, under another name in the same directory.
    pub(crate) fn commit_as(mut self, path: &Path) -> Result<(), ExportError> {
        self.close()?;
        refuse_existing(path, self.force)?;
        fs::rename(&self.part, path).map_err(ExportError::io("rename", &self.part))?;
        self.committed = true;
        let directory = directory(path);
        File::open(directory).and_then(|dir| dir.sync_all()).map_err(ExportError::io("sync", directory))
    }

    /// Writes everything out and closes the file, which keeps its present name.
    pub(crate) fn close(&mut self) -> Result<(), ExportError> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        file.flush().map_err(ExportError::io("write to", &self.part))?;
        file.get_ref().sync_all().map_err(ExportError::io("sync", &self.part))
    }
}

impl Write for FileTarget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for FileTarget {
    fn drop(&mut self) {
        if !self.committed {
            // The error that brought us here is the one to tell.
            let _ = fs::remove_file(&self.part);
        }
    }
}

fn refuse_existing(path: &Path, force: bool) -> Result<(), ExportError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Err(ExportError::IsDirectory(path.to_owned())),
        Ok(_) if !force => Err(ExportError::Exists(path.to_owned())),
        _ => Ok(()),
    }
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn write(path: &Path, force: bool, text: &str) -> Result<(), ExportError> {
        let mut target = FileTarget::create(path, force)?;
        target.write_all(text.as_bytes())?;
        target.commit()
    }

    #[test]
    fn a_file_appears_only_when_complete_and_replaces_only_by_force() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.csv");
        fs::write(dir.path().join("out.csv.part"), "left by a crash, and longer than what comes").unwrap();
        let mut target = FileTarget::create(&path, false).unwrap();
        target.write_all(b"first").unwrap();
        assert_eq!(names(dir.path()), ["out.csv.part"]);
        target.commit().unwrap();
        assert_eq!(names(dir.path()), ["out.csv"]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");

        let refused = write(&path, false, "second").unwrap_err().to_string();
        assert_eq!(refused, format!("{} exists already; --force replaces it", path.display()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        write(&path, true, "third").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "third");
    }

    #[test]
    fn an_export_that_fails_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        write(&path, false, "old").unwrap();
        let mut target = FileTarget::create(&path, true).unwrap();
        target.write_all(b"half").unwrap();
        drop(target);
        assert_eq!(names(dir.path()), ["out"]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    }

    #[test]
    fn places_that_cannot_be_written_are_refused_with_the_reason() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("none/out");
        let expected = format!(
            "cannot write {}: there is no directory {}",
            path.display(),
            dir.path().join("none").display()
        );
        assert_eq!(write(&path, false, "").unwrap_err().to_string(), expected);
        assert!(matches!(write(dir.path(), true, ""), Err(ExportError::IsDirectory(_))));
        let path = dir.path().join("busy");
        let _first = FileTarget::create(&path, false).unwrap();
        assert!(matches!(FileTarget::create(&path, false), Err(ExportError::Busy(_))));
    }
}
