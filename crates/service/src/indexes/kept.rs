//! What is made from a whole index and dear to make, its words and its suggestions: kept in memory, and in a file for
//! the next process. When the index has changed much it is made again; where an older one serves meanwhile, behind the
//! back of whoever asks. A file that cannot be read is made again, too.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use text::TextError;
use text::spell::Vocabulary;
use text::suggest::Suggestions;

use crate::ServiceError;

/// What can be kept in a file.
pub(super) trait Keep: Sized + Send + Sync + 'static {
    fn write(&self, out: &mut dyn io::Write) -> io::Result<()>;
    fn read(bytes: &[u8]) -> Result<Self, TextError>;
}

impl Keep for Vocabulary {
    fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        Vocabulary::write(self, out)
    }

    fn read(bytes: &[u8]) -> Result<Vocabulary, TextError> {
        Vocabulary::read(bytes)
    }
}

impl Keep for Suggestions {
    fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        Suggestions::write(self, out)
    }

    fn read(bytes: &[u8]) -> Result<Suggestions, TextError> {
        Suggestions::read(bytes)
    }
}

/// What something was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// A number for the settings that it depends on.
    pub(super) settings: u64,
    /// Entries of the index.
    pub(super) entries: u64,
    /// Changes to the index until then.
    pub(super) changes: u64,
}

/// How well something made earlier does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Serves {
    Well,
    /// Until the new one is made.
    Meanwhile,
    No,
}

/// An index with fewer entries is read while one waits.
const SMALL: u64 = 20_000;

impl Origin {
    fn serves(self, now: Origin) -> Serves {
        let Some(changed) = now.changes.checked_sub(self.changes).filter(|_| now.settings == self.settings)
        else {
            return Serves::No;
        };
        // A page that is replaced counts as two or three changes.
        if changed <= self.entries / 10 {
            Serves::Well
        } else if self.entries >= SMALL && changed / 3 <= self.entries {
            Serves::Meanwhile
        } else {
            Serves::No
        }
    }
}

/// Something made from an index.
pub(super) struct Kept<T> {
    place: Arc<Place<T>>,
    work: Mutex<Option<JoinHandle<()>>>,
}

struct Place<T> {
    file: PathBuf,
    made: Mutex<Option<(Origin, Arc<T>)>>,
}

impl<T: Keep> Kept<T> {
    pub(super) fn new(file: PathBuf) -> Kept<T> {
        Kept { place: Arc::new(Place { file, made: Mutex::new(None) }), work: Mutex::new(None) }
    }

    /// What was made from about the same; otherwise what `make` makes now.
    pub(super) fn get(
        &self,
        now: Origin,
        make: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<Arc<T>, ServiceError> {
        let mut made = locked(&self.place.made);
        if made.is_none() {
            *made = self.place.read();
        }
        if let Some((origin, known)) = &*made {
            let known = Arc::clone(known);
            match origin.serves(now) {
                Serves::Well => return Ok(known),
                Serves::Meanwhile => {
                    drop(made);
                    self.make_later(now, make);
                    return Ok(known);
                }
                Serves::No => {}
            }
        }
        let fresh = Arc::new(make()?);
        self.place.write(now, &fresh);
        *made = Some((now, Arc::clone(&fresh)));
        Ok(fresh)
    }

    /// Waits for work under way, so that nobody writes to a folder that is about to go.
    pub(super) fn end(&self) {
        if let Some(work) = locked(&self.work).take() {
            let _ = work.join();
        }
    }

    fn make_later(&self, now: Origin, make: impl FnOnce() -> Result<T, ServiceError> + Send + 'static) {
        let mut work = locked(&self.work);
        if work.as_ref().is_some_and(|work| !work.is_finished()) {
            return;
        }
        let place = Arc::clone(&self.place);
        let made = move || match make() {
            Ok(fresh) => {
                place.write(now, &fresh);
                *locked(&place.made) = Some((now, Arc::new(fresh)));
            }
            Err(error) => {
                tracing::warn!(file = %place.file.display(), %error, "not made again, the older one serves");
            }
        };
        // Without a thread the older one serves on.
        *work = std::thread::Builder::new().name("words".to_owned()).spawn(made).ok();
    }
}

impl<T> Drop for Kept<T> {
    fn drop(&mut self) {
        if let Some(work) = locked(&self.work).take() {
            let _ = work.join();
        }
    }
}

impl<T: Keep> Place<T> {
    fn read(&self) -> Option<(Origin, Arc<T>)> {
        let bytes = std::fs::read(&self.file).ok()?;
        let (head, content) = bytes.split_first_chunk::<32>()?;
        let (numbers, _) = head.as_chunks::<8>();
        let [settings, entries, changes, sum] = numbers else { return None };
        let [settings, entries, changes, sum] =
            [settings, entries, changes, sum].map(|number| u64::from_le_bytes(*number));
        let origin = Origin { settings, entries, changes };
        if sum != check_sum(origin) {
            return None;
        }
        match T::read(content) {
            Ok(read) => Some((origin, Arc::new(read))),
            Err(error) => {
                tracing::warn!(file = %self.file.display(), %error, "made again");
                None
            }
        }
    }

    /// Not kept is made again: no reason to fail.
    fn write(&self, origin: Origin, made: &T) {
        let Origin { settings, entries, changes } = origin;
        let mut bytes = Vec::new();
        for number in [settings, entries, changes, check_sum(origin)] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        // Beside it first: a process that is killed here leaves the old file.
        let beside = self.file.with_extension("new");
        let written = made
            .write(&mut bytes)
            .and_then(|()| std::fs::write(&beside, &bytes))
            .and_then(|()| std::fs::rename(&beside, &self.file));
        if let Err(error) = written {
            tracing::debug!(file = %self.file.display(), %error, "not kept");
        }
    }
}

fn check_sum(origin: Origin) -> u64 {
    let mix = |sum: u64, number: u64| (sum ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    [origin.settings, origin.entries, origin.changes].into_iter().fold(0x6b65_7074, mix)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    fn origin(settings: u64, entries: u64, changes: u64) -> Origin {
        Origin { settings, entries, changes }
    }

    #[test]
    fn what_was_made_serves_until_much_has_changed() {
        let check = |of: Origin, now: Origin, expected: Serves| {
            assert_eq!(of.serves(now), expected, "{of:?} {now:?}")
        };
        check(origin(1, 100, 200), origin(1, 100, 200), Serves::Well);
        check(origin(1, 100, 200), origin(1, 103, 210), Serves::Well);
        check(origin(1, 100, 200), origin(1, 104, 211), Serves::No);
        check(origin(1, 0, 0), origin(1, 1, 2), Serves::No);
        check(origin(1, 100_000, 200), origin(1, 104_000, 11_000), Serves::Meanwhile);
        check(origin(1, 100_000, 200), origin(1, 500_000, 900_000), Serves::No);
        // Other settings, and an index that was made anew.
        check(origin(1, 100, 200), origin(2, 100, 200), Serves::No);
        check(origin(1, 100, 200), origin(1, 100, 199), Serves::No);
    }

    fn words(count: usize) -> Vocabulary {
        Vocabulary::new((0..count).map(|number| (format!("word{number}"), 1)))
    }

    #[test]
    fn another_process_finds_it_made_and_damage_makes_it_anew() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("words");
        let made = Arc::new(AtomicU64::new(0));
        let get = |now: Origin| {
            let made = Arc::clone(&made);
            let make = move || {
                made.fetch_add(1, Ordering::Relaxed);
                Ok(words(3))
            };
            assert_eq!(Kept::<Vocabulary>::new(file.clone()).get(now, make).unwrap().len(), 3);
        };
        get(origin(1, 100, 200));
        get(origin(1, 101, 202));
        assert_eq!(made.load(Ordering::Relaxed), 1);
        let whole = std::fs::read(&file).unwrap();
        for at in [0, 8, 16, 24, 32, 40, whole.len() - 1] {
            let mut broken = whole.clone();
            broken[at] ^= 1;
            std::fs::write(&file, broken).unwrap();
            let before = made.load(Ordering::Relaxed);
            get(origin(1, 100, 200));
            assert_eq!(made.load(Ordering::Relaxed), before + 1, "byte {at}");
        }
        for length in [0, 10, 31, 32, whole.len() - 1] {
            std::fs::write(&file, &whole[..length]).unwrap();
            let before = made.load(Ordering::Relaxed);
            get(origin(1, 100, 200));
            assert_eq!(made.load(Ordering::Relaxed), before + 1, "{length} bytes");
        }
    }

    #[test]
    fn the_older_one_answers_while_the_new_one_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let kept = Kept::<Vocabulary>::new(dir.path().join("words"));
        assert_eq!(kept.get(origin(1, 100_000, 0), || Ok(words(1))).unwrap().len(), 1);
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let make = move || {
            let _ = wait.recv();
            Ok(words(2))
        };
        let now = origin(1, 120_000, 20_000);
        assert_eq!(kept.get(now, make).unwrap().len(), 1);
        // One at a time.
        assert_eq!(kept.get(now, || panic!("made twice")).unwrap().len(), 1);
        go.send(()).unwrap();
        kept.end();
        assert_eq!(kept.get(now, || panic!("made twice")).unwrap().len(), 2);
    }
}
