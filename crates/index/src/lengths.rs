//! How long a field is in each entry of a segment, unpacked: it is read for every occurrence of a word.

use std::sync::Arc;

use tantivy::columnar::ColumnValues;

/// Lengths by entry, in as few bytes as the longest needs.
#[derive(Clone)]
pub(crate) enum Lengths {
    Short(Arc<[u16]>),
    Long(Arc<[u32]>),
}

/// Entries unpacked at a time.
const BATCH: usize = 1_024;

impl Lengths {
    pub(crate) fn read(column: &dyn ColumnValues<u64>) -> Lengths {
        if column.max_value() <= u64::from(u16::MAX) {
            Lengths::Short(unpacked(column, |length| length as u16))
        } else {
            Lengths::Long(unpacked(column, |length| u32::try_from(length).unwrap_or(u32::MAX)))
        }
    }

    #[inline]
    pub(crate) fn of(&self, doc: u32) -> u32 {
        match self {
            Lengths::Short(lengths) => lengths.get(doc as usize).copied().map_or(0, u32::from),
            Lengths::Long(lengths) => lengths.get(doc as usize).copied().unwrap_or_default(),
        }
    }
}

fn unpacked<T>(column: &dyn ColumnValues<u64>, narrow: impl Fn(u64) -> T) -> Arc<[T]> {
    let all = column.num_vals() as usize;
    let mut lengths = Vec::with_capacity(all);
    let mut batch = [0; BATCH];
    while lengths.len() < all {
        let batch = &mut batch[..BATCH.min(all - lengths.len())];
        column.get_range(lengths.len() as u64, batch);
        lengths.extend(batch.iter().map(|length| narrow(*length)));
    }
    lengths.into()
}
