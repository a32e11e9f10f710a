//! What we keep of every visit: request, response and metadata as WARC 1.1 records in rolling files.
//!
//! Workers build the bytes of a visit's records (`RecordWriter`), one committer appends them
//! (`ArchiveWriter`) and syncs before the key-value batch that names the new `Position`. Everything
//! committed can be read back by `Location`, walked (`WarcReader`), indexed (`cdxj`) and checked (`verify`).
//! When to sync and what a visit means is decided elsewhere.

mod cdxj;
mod copy;
mod deflate;
mod digest;
mod error;
mod gzip;
mod heads;
mod http;
mod metadata;
mod packed_links;
mod reader;
mod row_audit;
pub mod rows;
mod sort;
mod surt;
pub mod tables;
mod verify;
mod warc;
mod writer;

pub use cdxj::{CdxEntry, INDEX, index, index_covers, write_index};
pub use copy::{committed_files, copy_all, copy_file, index_of_copy};
pub use digest::Digest;
pub use error::{ArchiveError, Finding, Problem};
pub use gzip::MEMBER_START;
pub use http::HttpHead;
pub use metadata::{Metadata, PageFacts, Purpose};
pub use packed_links::{PACKED_LINKS, PackedLinks};
pub use reader::{ArchiveReader, Block, FilePart, Record, RecordHead, WarcReader};
pub use surt::surt;
pub use verify::{Verified, verify};
pub use warc::{Kept, Member, Original, RecordKind, RecordWriter, Records, Visit, record_id};
pub use writer::{ArchiveSettings, ArchiveWriter, Location, Opened, Position, file_name, file_number};
