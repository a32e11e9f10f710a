//! The tracer's log as events.

use std::path::PathBuf;

/// One thing that happened; paths are relative to the recorded directory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are what the sentence says")]
pub enum Event {
    /// An empty file came into being.
    Create { inode: u64, path: PathBuf },
    /// A directory came into being.
    MakeDir { inode: u64, path: PathBuf },
    /// A file got another name.
    Link { inode: u64, path: PathBuf },
    /// A name of a file, or an empty directory, went.
    Remove { path: PathBuf },
    /// A name was moved, over another one if there was one.
    Rename { from: PathBuf, to: PathBuf },
    /// Bytes were written.
    Write { inode: u64, offset: u64, bytes: Vec<u8> },
    /// A file was cut or extended.
    SetLength { inode: u64, length: u64 },
    /// A file's bytes and length were synced.
    SyncFile { inode: u64 },
    /// A directory's names were synced.
    SyncDir { inode: u64 },
    /// Everything was synced.
    SyncAll,
    /// A file was mapped into memory to be written; what was written is not known.
    Map { inode: u64 },
    /// The program wrote to its standard output.
    Say { bytes: Vec<u8> },
    /// A call failed, as if the disk were full.
    Full { path: PathBuf },
    /// So many calls needed room on the disk, where these were counted: the last event.
    NeededRoom { calls: u64 },
    /// The program did something that is not known here.
    Unsupported { what: String, path: String },
}

impl Event {
    /// Whether something became durable.
    pub fn is_sync(&self) -> bool {
        matches!(self, Event::SyncFile { .. } | Event::SyncDir { .. } | Event::SyncAll)
    }
}

/// Reads a log. The last record may be cut short, if the tracer was killed.
pub(super) fn parse(log: &[u8]) -> Vec<Event> {
    let mut rest = log;
    std::iter::from_fn(|| parse_one(&mut rest)).collect()
}

fn parse_one(rest: &mut &[u8]) -> Option<Event> {
    let [kind] = take(rest)?;
    let inode = u64::from_ne_bytes(take(rest)?);
    let number = u64::from_ne_bytes(take(rest)?);
    let first = string(rest)?;
    let second = string(rest)?;
    let path = |bytes: &[u8]| PathBuf::from(text(bytes));
    Some(match kind {
        b'c' => Event::Create { inode, path: path(first) },
        b'd' => Event::MakeDir { inode, path: path(first) },
        b'l' => Event::Link { inode, path: path(first) },
        b'u' => Event::Remove { path: path(first) },
        b'r' => Event::Rename { from: path(first), to: path(second) },
        b'w' => Event::Write { inode, offset: number, bytes: second.to_vec() },
        b't' => Event::SetLength { inode, length: number },
        b'f' => Event::SyncFile { inode },
        b'F' => Event::SyncDir { inode },
        b'S' => Event::SyncAll,
        b'm' => Event::Map { inode },
        b'o' => Event::Say { bytes: second.to_vec() },
        b'e' => Event::Full { path: path(first) },
        b'n' => Event::NeededRoom { calls: number },
        b'x' => Event::Unsupported { what: text(first), path: text(second) },
        other => panic!("unknown record {other} in the log"),
    })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("names in the recorded directory are UTF-8")
}

fn string<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = u32::from_ne_bytes(take(rest)?) as usize;
    let (bytes, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some(bytes)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (front, behind) = rest.split_first_chunk::<N>()?;
    *rest = behind;
    Some(*front)
}
