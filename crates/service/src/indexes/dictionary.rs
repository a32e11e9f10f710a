//! The user's own dictionary of suggestions: a tab-separated file below the data directory.
//!
//! Its name comes with the settings of an index, which whoever may change indexes writes, also over the API; what it
//! holds is shown to whoever searches. So no other file may be named.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use search::SearchError;
use text::suggest::Entry;

use crate::ServiceError;

/// A larger file is none of words that people type.
const LARGEST: u64 = 64 << 20;

/// What a dictionary's name ends with: other files of the data directory are not for everyone's eyes.
const ENDINGS: [&str; 2] = ["tsv", "txt"];

/// Where the dictionary of this name lies, and what it is now.
pub(super) fn find(data: &Path, name: &str) -> Result<(PathBuf, Metadata), ServiceError> {
    let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if !plain || name.is_empty() {
        return Err(refused(name, "name a file in the data directory, without / before it and without .."));
    }
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
    if !ending.is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))) {
        return Err(refused(name, "its name must end with .tsv or .txt"));
    }
    let unreadable =
        |error: std::io::Error| refused(name, &format!("{error}; it belongs into the data directory"));
    let path = data.join(name).canonicalize().map_err(unreadable)?;
    if !path.starts_with(data.canonicalize().map_err(unreadable)?) {
        return Err(refused(name, "it leads out of the data directory"));
    }
    let file = path.metadata().map_err(unreadable)?;
    if !file.is_file() {
        return Err(refused(name, "it is no file"));
    }
    if file.len() > LARGEST {
        return Err(refused(name, &format!("it has {} bytes; at most {LARGEST} are allowed", file.len())));
    }
    Ok((path, file))
}

/// Its phrases.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>, ServiceError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut text = String::new();
    // It may have grown since it was looked at.
    let file = File::open(path).and_then(|file| file.take(LARGEST).read_to_string(&mut text));
    file.map_err(|error| refused(&name, &format!("{error}; it must be tab-separated text in UTF-8")))?;
    text::suggest::dictionary(&text).map_err(|error| refused(&name, &error.to_string()))
}

fn refused(name: &str, why: &str) -> ServiceError {
    SearchError::Setting(format!("suggestions.dictionary {name:?}: {why}")).into()
}
