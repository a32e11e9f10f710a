//! Room on the disk: how much is free, how much a run needs, and a reserve that is given up first.
//!
//! A run stops asking while there is still room for all that is under way. Should others fill the disk, or should
//! the watch come too late, the reserve makes room to commit and close.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kv::Store;
use model::Timestamp;
use rustix::fs::{FallocateFlags, fallocate, statvfs};

use crate::Pause;

/// The reserve's name in the data directory.
const NAME: &str = "reserve";

/// Its size: a commit, the journal's end and the catalog need less.
const RESERVE: u64 = 32 << 20;

/// A merge of the store's files needs as much room again as they take, and no more than this.
const LARGEST_MERGE: u64 = 1 << 30;

const LOOK_EVERY: Duration = Duration::from_millis(500);
const MEASURE_EVERY: Duration = Duration::from_secs(10);

/// Watches the room on the disk for one run. The reserve goes with it.
pub(crate) struct Space {
    /// Where the run writes; these may be different disks.
    places: Vec<PathBuf>,
    reserve: PathBuf,
    has_reserve: bool,
    /// `min_free_space`; 0 when no watch is kept.
    least: u64,
    needed: u64,
    measured: Option<Timestamp>,
    looked: Option<Timestamp>,
    short: Option<Shortage>,
}

/// Too little room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shortage {
    pub(crate) free: u64,
    pub(crate) needed: u64,
}

impl Space {
    /// Watches the disks of a data directory and of a crawl's archive.
    pub(crate) fn watch(data: &Path, archive: &Path, least: u64) -> Space {
        Space {
            places: vec![data.to_owned(), archive.to_owned()],
            reserve: data.join(NAME),
            has_reserve: false,
            least,
            needed: least,
            measured: None,
            looked: None,
            short: None,
        }
    }

    /// Whether there is too little room now.
    pub(crate) fn look(&mut self, store: &Store, now: Timestamp) -> Option<Shortage> {
        if self.least == 0 || self.looked.is_some_and(|looked| now.since(looked) < LOOK_EVERY) {
            return self.short;
        }
        self.looked = Some(now);
        if self.measured.is_none_or(|measured| now.since(measured) >= MEASURE_EVERY) {
            self.measured = Some(now);
            let merge = store.disk_bytes().unwrap_or(LARGEST_MERGE).min(LARGEST_MERGE);
            self.needed = self.least.saturating_add(merge);
        }
        let Some(free) = self.free() else { return self.short };
        let mut needed = self.needed;
        if self.short.is_some() && !self.has_reserve {
            // Room for the reserve too, or the end of one pause would be the start of the next.
            needed += RESERVE;
        }
        let short = (free < needed).then_some(Shortage { free, needed });
        match (self.short, short) {
            (None, Some(short)) => tracing::warn!(reason = %Pause::from(short), "run pauses"),
            (Some(_), None) => tracing::info!(free, "room on the disk again, run goes on"),
            _ => {}
        }
        self.short = short;
        if short.is_none() && !self.has_reserve && free >= self.needed + RESERVE {
            self.set_aside();
        } else if short.is_some() && free < RESERVE {
            self.release();
        }
        short
    }

    /// Too little room, when last looked at.
    pub(crate) fn short(&self) -> Option<Shortage> {
        self.short
    }

    /// Whether the disk is as good as full, watched or not: a thread of the store that fails does not say why.
    pub(crate) fn is_full(&self) -> bool {
        self.free().is_some_and(|free| free < RESERVE)
    }

    /// Gives up the reserve; what it took is free at once.
    pub(crate) fn release(&mut self) {
        self.looked = None;
        if std::mem::take(&mut self.has_reserve)
            && let Err(error) = std::fs::remove_file(&self.reserve)
        {
            tracing::warn!(file = %self.reserve.display(), %error, "cannot remove the reserve");
        }
    }

    /// Bytes free where there are fewest; none where the system does not tell.
    fn free(&self) -> Option<u64> {
        let free =
            |place: &PathBuf| statvfs(place).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
        self.places.iter().filter_map(free).min()
    }

    fn set_aside(&mut self) {
        let made = File::create(&self.reserve).and_then(|mut file| {
            if fallocate(&file, FallocateFlags::empty(), 0, RESERVE).is_ok() {
                return Ok(());
            }
            // Not every file system can set room aside, but all of them store bytes.
            let zeros = vec![0; 1 << 20];
            (0..RESERVE >> 20).try_for_each(|_| file.write_all(&zeros))
        });
        self.has_reserve = true;
        if let Err(error) = made {
            tracing::debug!(%error, "no reserve could be set aside");
            self.release();
        }
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        self.release();
    }
}

impl From<Shortage> for Pause {
    fn from(Shortage { free, needed }: Shortage) -> Pause {
        Pause::Disk { free, needed }
    }
}
