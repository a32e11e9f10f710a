//! Commits numbered batches to a store and says each number once it is promised.
//!
//! ```text
//! numbered_batches DIR FIRST COUNT BLOB SEED
//! ```
//!
//! Batch `n` puts row `n`, several rows of random size and one of `BLOB` bytes into three tables, and
//! removes what batch `n - 5` put, so that files are written, merged and deleted. `said n` follows a synced
//! commit, which promises all batches up to `n`; some commits are only buffered.

use kv::{Durability, Options, Store, Table};
use std::{io::Write, path::Path};
use testkit::Seed;

const BATCHES: Table<u64, u64> = Table::new("batches").point_reads();
const ROWS: Table<(u64, u32), Vec<u8>> = Table::new("rows").scans();
const BLOBS: Table<u64, Vec<u8>> = Table::new("blobs");

fn main() -> Result<(), kv::KvError> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |at: usize| arguments[at].parse::<u64>().expect("a number");
    let (first, count, blob) = (number(2), number(3), number(4) as usize);
    // Buffers so small that a few hundred batches, or a few large ones, see every kind of file work.
    let table_buffer_bytes = if blob > 1 << 20 { 512 } else { 32 << 10 };
    let options = Options { cache_bytes: 1 << 20, table_buffer_bytes, buffer_bytes: 64 << 10 };
    let store = Store::open(Path::new(&arguments[1]), options)?;
    let mut seed = Seed::new(number(5));
    let mut said = std::io::stdout();
    for n in first..first + count {
        let mut batch = store.batch();
        let rows = 1 + seed.below(8) as u32;
        batch.put(&BATCHES, &n, &u64::from(rows));
        for row in 0..rows {
            let length = seed.below(1_500);
            batch.put(&ROWS, &(n, row), &seed.bytes(length));
        }
        batch.put(&BLOBS, &n, &Seed::new(n).bytes(blob));
        if n >= 5 {
            for row in 0..8 {
                batch.remove(&ROWS, &(n - 5, row));
            }
            batch.remove(&BLOBS, &(n - 5));
        }
        let synced = seed.chance(3, 4);
        store.commit(batch, if synced { Durability::Synced } else { Durability::Buffered })?;
        if synced {
            writeln!(said, "said {n}").expect("standard output");
        }
    }
    Ok(())
}
