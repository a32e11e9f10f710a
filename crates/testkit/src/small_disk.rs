//! A disk that is full when a test says so: a small file system in memory, mounted for the test.

use std::{fs::File, path::Path, process::Command};

use rustix::fs::{FallocateFlags, fallocate, statvfs};
use tempfile::TempDir;

/// A small file system, unmounted when dropped.
pub struct SmallDisk {
    folder: TempDir,
}

impl SmallDisk {
    /// Mounts one of this size; none where that is not permitted, and then the suite is noted as skipped.
    pub fn mount(suite: &str, bytes: u64) -> Option<SmallDisk> {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let size = format!("size={bytes}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path());
        match mount.output() {
            Ok(output) if output.status.success() => Some(SmallDisk { folder }),
            Ok(output) => {
                let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                crate::skip::note(&format!("{suite}: no small disk: {reason}"));
                None
            }
            Err(error) => {
                crate::skip::note(&format!("{suite}: no small disk: {error}"));
                None
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Bytes free.
    pub fn free(&self) -> u64 {
        let disk = statvfs(self.path()).expect("the disk is mounted");
        disk.f_bavail * disk.f_frsize
    }

    /// Takes away all room but this.
    pub fn fill(&self, leave: u64) {
        let ballast =
            File::options().append(true).create(true).open(self.ballast()).expect("a file of ballast");
        // Again and again: others may write meanwhile.
        for _ in 0..1_000 {
            let room = self.free().saturating_sub(leave);
            let length = ballast.metadata().expect("the ballast's length").len();
            if room == 0 || fallocate(&ballast, FallocateFlags::empty(), length, room).is_ok() {
                return;
            }
        }
        panic!("the disk cannot be filled");
    }

    /// Gives back what was taken away.
    pub fn clear(&self) {
        let _ = std::fs::remove_file(self.ballast());
    }

    fn ballast(&self) -> std::path::PathBuf {
        self.path().join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a process of the test may still be about to close its last file.
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}
