//! The end of the engine's journal after a power cut.
//!
//! A batch that was being written when the power went may be on disk in pieces: sectors of it
//! present, others still zero. fjall drops a batch that is cut short, but takes one with a hole in
//! it for corruption and refuses to open the store. A write that failed for want of space leaves the
//! same, and the engine may have begun another journal since. So the journals are read here first, and
//! cut after their last whole batch. Nothing that was synced is lost by this: a sync covers all batches
//! before it.
//!
//! Format of fjall 3: `1 count:u32 seqno:u64`, then per item
//! `2 kind:u8 compression:u8 table:u64 key_len:u16 value_len:u32 stored_len:u32 key value` or
//! `4 table:u64`, then `3 xxh3-of-items:u64 "FJL" 3`; integers little-endian. Behind the last
//! batch there are zeros.

use crate::{KvError, disk::io_error};
use std::{
    fs::{self, File},
    io::Read,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};
use tracing::warn;
use xxhash_rust::xxh3::xxh3_64;

const TRAILER: &[u8] = b"FJL\x03";

/// Cuts each journal in `data` after its last whole batch, if anything but zeros follows.
///
/// Whole batches found behind a broken one cannot have been synced, unless the disk itself went
/// bad; to be able to tell, such a tail is kept in an `.orphan` file beside the journal.
pub(crate) fn cut_torn_tails(data: &Path) -> Result<(), KvError> {
    journals(data)?.iter().try_for_each(|journal| cut_torn_tail(journal))
}

fn cut_torn_tail(journal: &Path) -> Result<(), KvError> {
    // One without a block on disk has nothing in it, however long it is.
    if fs::metadata(journal).map_err(io_error("inspect", journal))?.blocks() == 0 {
        return Ok(());
    }
    let bytes = File::open(journal).and_then(without_last_zeros).map_err(io_error("read", journal))?;
    let whole = whole_batches(&bytes);
    let tail = &bytes[whole..];
    let Some(last) = tail.iter().rposition(|&byte| byte != 0) else { return Ok(()) };
    let tail = &tail[..=last];
    if has_whole_batch(tail) {
        let orphan = journal.with_extension(format!("{whole}.orphan"));
        fs::write(&orphan, tail).map_err(io_error("write", &orphan))?;
        warn!(journal = %journal.display(), orphan = %orphan.display(), bytes = tail.len(),
            "journal is broken before its end, the rest was set aside");
    }
    let cut = |file: File| {
        file.set_len(whole as u64)?;
        file.sync_all()
    };
    File::options().write(true).open(journal).and_then(cut).map_err(io_error("cut", journal))
}

/// What a file holds up to its last byte that is not zero. The engine makes journals 64 MiB long at once, and most of
/// that is empty: it is not worth the memory.
fn without_last_zeros(mut file: File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut part, mut zeros) = (vec![0; 1 << 20], 0);
    loop {
        let amount = file.read(&mut part)?;
        if amount == 0 {
            return Ok(bytes);
        }
        // Without an early end, so that it is done many bytes at a time.
        if part[..amount].iter().fold(0, |any, byte| any | byte) == 0 {
            zeros += amount;
        } else {
            bytes.resize(bytes.len() + std::mem::take(&mut zeros), 0);
            bytes.extend_from_slice(&part[..amount]);
        }
    }
}

fn journals(data: &Path) -> Result<Vec<PathBuf>, KvError> {
    let entries = fs::read_dir(data).map_err(io_error("read", data))?;
    let is_journal =
        |name: &str| name.strip_suffix(".jnl").is_some_and(|number| number.parse::<u64>().is_ok());
    let journals = entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_journal));
    Ok(journals.map(|entry| entry.path()).collect())
}

/// Where the last of the whole batches at the front ends.
fn whole_batches(journal: &[u8]) -> usize {
    let mut end = 0;
    while let Some(length) = batch_length(&journal[end..]) {
        end += length;
    }
    end
}

/// Whether a whole batch begins behind any end of a batch.
fn has_whole_batch(tail: &[u8]) -> bool {
    let ends = tail.windows(TRAILER.len()).enumerate().filter(|(_, bytes)| *bytes == TRAILER);
    ends.map(|(at, _)| at + TRAILER.len()).any(|start| batch_length(&tail[start..]).is_some())
}

/// Length of the batch at the front, if it is whole.
fn batch_length(journal: &[u8]) -> Option<usize> {
    let mut rest = journal;
    (take(&mut rest)? == [1]).then_some(())?;
    let count = u32::from_le_bytes(take(&mut rest)?);
    let _seqno = u64::from_le_bytes(take(&mut rest)?);
    let items = rest;
    for _ in 0..count {
        match take(&mut rest)? {
            [2] => {
                let [_kind, compression] = take(&mut rest)?;
                let _table: [u8; 8] = take(&mut rest)?;
                let key_len = u16::from_le_bytes(take(&mut rest)?);
                let value_len = u32::from_le_bytes(take(&mut rest)?);
                let stored_len = u32::from_le_bytes(take(&mut rest)?);
                (compression != 0 || value_len == stored_len).then_some(())?;
                rest = rest.get(usize::from(key_len) + stored_len as usize..)?;
            }
            [4] => _ = take::<8>(&mut rest)?,
            _ => return None,
        }
    }
    let checksum = xxh3_64(&items[..items.len() - rest.len()]);
    (take(&mut rest)? == [3]).then_some(())?;
    (u64::from_le_bytes(take(&mut rest)?) == checksum).then_some(())?;
    (take::<4>(&mut rest)? == TRAILER).then_some(())?;
    Some(journal.len() - rest.len())
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (front, behind) = rest.split_first_chunk::<N>()?;
    *rest = behind;
    Some(*front)
}
