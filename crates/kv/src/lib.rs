//! Typed tables, atomic batches and snapshots over one embedded key-value engine.
//!
//! A stage declares its tables as constants ([`Table`]), reads them through [`Reader`]
//! (implemented by [`Store`], [`Snapshot`] and [`Batch`]) and changes them in a [`Batch`].
//! This is the only crate that names the engine; it knows no table of its own and does not
//! grow with the product. [`Store::memory`] is a twin without files, for tests.
//!
//! ```
//! use kv::{Durability, Reader, Store, Table};
//!
//! /// (host, order of arrival) -> path
//! const QUEUE: Table<(u64, u32), Vec<u8>> = Table::new("queue").scans();
//!
//! let store = Store::memory();
//! let mut batch = store.batch();
//! batch.put(&QUEUE, &(7, 1), &b"/".to_vec());
//! batch.put(&QUEUE, &(7, 2), &b"/about".to_vec());
//! store.commit(batch, Durability::Synced)?;
//!
//! let (key, path) = store.prefix(&QUEUE, &7u64).next_back().expect("two rows")?;
//! assert_eq!((key, path.as_slice()), ((7, 2), b"/about".as_slice()));
//! # Ok::<(), kv::KvError>(())
//! ```
//!
//! **Everything here blocks.** A read may go to the disk, a commit waits for `fdatasync`, and
//! the engine puts a writer to sleep while its background work catches up. Call it from
//! blocking threads only, never from an async task.

mod batch;
mod disk;
mod engine;
mod error;
mod journal;
mod key;
mod key_bytes;
mod memory;
mod read;
mod store;
mod table;
mod value;

pub use batch::Batch;
pub use error::{DecodeError, KvError};
pub use key::{FixedKey, Key, Prefix};
pub use key_bytes::KeyBytes;
pub use read::{Entries, Keys, Reader};
pub use store::{Durability, FORMAT, Options, Snapshot, Store};
pub use table::Table;
pub use value::{Record, Value, read_fields};
