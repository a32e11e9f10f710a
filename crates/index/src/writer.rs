//! An index on disk, and the one that writes to it.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tantivy::directory::MmapDirectory;
use tantivy::index::{SegmentComponent, SegmentId};
use tantivy::indexer::IndexWriterOptions;
use tantivy::merge_policy::LogMergePolicy;
use tantivy::store::{Compressor, ZstdCompressor};
use tantivy::{IndexReader, IndexSettings, IndexWriter, ReloadPolicy, TantivyDocument, Term};
use text::Analyzer;

use crate::entry::Preparer;
use crate::schema::{Columns, Kind, Layout};
use crate::tokens::{CUT, Cut};
use crate::view::{Memory, View};
use crate::{Entry, IndexError, Schema};

/// The version of what we write beside the library's files.
const VERSION: u32 = 1;
const ABOUT: &str = "gannet.json";
const SEGMENTS: &str = "segments";

/// Segments beyond which a commit first merges the smallest: the library lets them pile up.
const MOST_SEGMENTS: usize = 24;
const MERGED_AT_ONCE: usize = 12;

/// Dead entries in a segment above which it is written anew.
const DEAD_SHARE: f32 = 0.25;

/// An index.
#[derive(Clone)]
pub struct Index {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) schema: Schema,
    pub(crate) layout: Layout,
    pub(crate) analyzers: Vec<Option<Analyzer>>,
    pub(crate) memory: Memory,
    dir: PathBuf,
    index: tantivy::Index,
    reader: IndexReader,
}

/// How a writer works.
#[derive(Clone, Copy, Debug)]
pub struct WriterSettings {
    /// Threads; each makes segments of its own.
    pub threads: usize,
    /// Bytes that each may fill before it writes a segment.
    pub bytes_per_thread: usize,
}

impl Default for WriterSettings {
    fn default() -> WriterSettings {
        WriterSettings { threads: 1, bytes_per_thread: 64 << 20 }
    }
}

/// Puts and removes entries. There is one per index, in one process.
pub struct Writer {
    index: Index,
    below: IndexWriter,
    preparer: Preparer,
}

/// What we note beside the library's files.
#[derive(Serialize, Deserialize)]
struct About {
    version: u32,
    schema: Schema,
}

impl Index {
    /// Makes an empty index in a folder; what another index left there goes.
    pub fn create(dir: &Path, schema: Schema) -> Result<Index, IndexError> {
        let io = |source| IndexError::Io { dir: dir.to_owned(), source };
        if dir.exists() {
            std::fs::remove_dir_all(dir).map_err(io)?;
        }
        let segments = dir.join(SEGMENTS);
        std::fs::create_dir_all(&segments).map_err(io)?;
        let layout = Layout::of(&schema);
        let settings = IndexSettings {
            docstore_compression: Compressor::Zstd(ZstdCompressor { compression_level: Some(1) }),
            ..IndexSettings::default()
        };
        let directory = MmapDirectory::open(&segments).map_err(tantivy::TantivyError::from)?;
        let index = tantivy::Index::create(directory, layout.schema.clone(), settings)?;
        // Last: a folder without it is no index.
        let about = serde_json::to_vec(&About { version: VERSION, schema: schema.clone() })
            .map_err(|error| io(error.into()))?;
        write_synced(&dir.join(ABOUT), &about).map_err(io)?;
        Index::over(index, dir, schema, layout)
    }

    /// Makes an empty index that is gone with its last handle.
    pub fn in_memory(schema: Schema) -> Result<Index, IndexError> {
        let layout = Layout::of(&schema);
        let index = tantivy::Index::create_in_ram(layout.schema.clone());
        Index::over(index, Path::new("memory"), schema, layout)
    }

    /// Opens the index in a folder.
    pub fn open(dir: &Path) -> Result<Index, IndexError> {
        let about = match std::fs::read(dir.join(ABOUT)) {
            Ok(about) => about,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(IndexError::Missing(dir.to_owned()));
            }
            Err(source) => return Err(IndexError::Io { dir: dir.to_owned(), source }),
        };
        let damaged = |reason: String| IndexError::Damaged { dir: dir.to_owned(), reason };
        let about: About = serde_json::from_slice(&about).map_err(|error| damaged(error.to_string()))?;
        if about.version != VERSION {
            return Err(IndexError::Version { dir: dir.to_owned(), found: about.version.to_string() });
        }
        let layout = Layout::of(&about.schema);
        let index =
            tantivy::Index::open_in_dir(dir.join(SEGMENTS)).map_err(|error| damaged(error.to_string()))?;
        if index.schema() != layout.schema {
            return Err(damaged("its fields are not those of its description".to_owned()));
        }
        Index::over(index, dir, about.schema, layout).map_err(|error| match error {
            IndexError::Engine(error) => damaged(error.to_string()),
            other => other,
        })
    }

    fn over(index: tantivy::Index, dir: &Path, schema: Schema, layout: Layout) -> Result<Index, IndexError> {
        index.tokenizers().register(CUT, Cut::default());
        let mut analyzers = Vec::with_capacity(schema.fields.len());
        for field in &schema.fields {
            analyzers.push(match &field.kind {
                Kind::Text(analysis) => Some(
                    Analyzer::new(analysis)
                        .map_err(|source| IndexError::Analysis { field: field.name.clone(), source })?,
                ),
                _ => None,
            });
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let memory = Memory::default();
        let dir = dir.to_owned();
        Ok(Index { shared: Arc::new(Shared { schema, layout, analyzers, memory, dir, index, reader }) })
    }

    /// Its fields.
    pub fn schema(&self) -> &Schema {
        &self.shared.schema
    }

    /// How a field's text is cut, if it is a text field.
    pub fn analyzer(&self, field: usize) -> Option<&Analyzer> {
        self.shared.analyzers.get(field)?.as_ref()
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.shared.dir
    }

    /// What the last commit noted of how far it had come.
    pub fn cursor(&self) -> Result<Option<String>, IndexError> {
        Ok(self.shared.index.load_metas()?.payload)
    }

    /// How many times anything was put or removed, up to the last commit. Whoever made something from the index knows by
    /// this how old it is.
    pub fn changes(&self) -> Result<u64, IndexError> {
        Ok(self.shared.index.load_metas()?.opstamp)
    }

    /// Bytes on disk.
    pub fn bytes(&self) -> u64 {
        let files = std::fs::read_dir(self.shared.dir.join(SEGMENTS)).into_iter().flatten().flatten();
        files.filter_map(|file| Some(file.metadata().ok()?.len())).sum()
    }

    /// A still picture of the last commit.
    pub fn view(&self) -> Result<View, IndexError> {
        self.shared.reader.reload()?;
        Ok(View::new(Arc::clone(&self.shared), self.shared.reader.searcher()))
    }

    /// The writer. An error when somebody else has it.
    pub fn writer(&self, settings: WriterSettings) -> Result<Writer, IndexError> {
        let options = IndexWriterOptions::builder()
            .num_worker_threads(settings.threads.max(1))
            .memory_budget_per_thread(settings.bytes_per_thread.max(15_000_000))
            .num_merge_threads(1)
            .build();
        let below: IndexWriter = self.shared.index.writer_with_options(options)?;
        let mut policy = LogMergePolicy::default();
        policy.set_del_docs_ratio_before_merge(DEAD_SHARE);
        below.set_merge_policy(Box::new(policy));
        self.forget_unfinished()?;
        Ok(Writer { index: self.clone(), below, preparer: Preparer::new(self.shared.analyzers.clone()) })
    }

    /// Removes the lists of dead entries that no commit names. A writer that was killed in a commit leaves them, and the
    /// next would not replace them: a list is named after the number of changes, which both count from the same commit.
    fn forget_unfinished(&self) -> Result<(), IndexError> {
        let segments = self.shared.index.load_metas()?.segments;
        let named: HashSet<PathBuf> =
            segments.iter().map(|meta| meta.relative_path(SegmentComponent::Delete)).collect();
        // An index in memory has no folder.
        let files = std::fs::read_dir(self.shared.dir.join(SEGMENTS)).into_iter().flatten().flatten();
        for path in files.map(|file| file.path()) {
            let dead = path.extension().is_some_and(|extension| extension == "del");
            let named = path.file_name().is_some_and(|name| named.contains(Path::new(name)));
            if dead && !named {
                // The last writer of this process may still be tidying up.
                std::fs::remove_file(&path).or_else(|error| match error.kind() {
                    ErrorKind::NotFound => Ok(()),
                    _ => Err(error),
                })?;
            }
        }
        Ok(())
    }
}

impl Writer {
    /// Puts an entry in place of the one of the same name. Seen after the next commit.
    pub fn put(&mut self, entry: &Entry) -> Result<(), IndexError> {
        self.remove(&entry.id);
        self.add(entry)
    }

    /// Adds an entry whose name is new: spares the search for an old one.
    pub fn add(&mut self, entry: &Entry) -> Result<(), IndexError> {
        let document: TantivyDocument = self.preparer.document(&self.index.shared.layout, entry);
        self.below.add_document(document)?;
        Ok(())
    }

    /// Removes the entry of this name, if there is one. Seen after the next commit.
    pub fn remove(&mut self, id: &str) {
        self.below.delete_term(Term::from_field_text(self.index.shared.layout.id, id));
    }

    /// Removes all entries with a value in a keyword field. Seen after the next commit.
    pub fn remove_all(&mut self, field: usize, value: &str) {
        if let Some(Columns::Keyword(below)) = self.index.shared.layout.fields.get(field) {
            self.below.delete_term(Term::from_field_text(*below, value));
        }
    }

    /// Makes what was put and removed durable, and notes how far the caller has come.
    pub fn commit(&mut self, cursor: &str) -> Result<(), IndexError> {
        let mut prepared = self.below.prepare_commit()?;
        prepared.set_payload(cursor);
        prepared.commit()?;
        self.hold_back()
    }

    /// Merges everything into one segment, without dead entries.
    pub fn settle(&mut self) -> Result<(), IndexError> {
        let segments = self.index.shared.index.searchable_segment_ids()?;
        let dead = self.index.shared.index.searchable_segment_metas()?.iter().any(|meta| meta.has_deletes());
        if segments.len() > 1 || dead {
            self.below.merge(&segments).wait()?;
        }
        Ok(())
    }

    /// Waits for merges under way and gives the index free.
    pub fn close(self) -> Result<(), IndexError> {
        Ok(self.below.wait_merging_threads()?)
    }

    /// Merges small segments before more are made, so that their number stays bounded.
    fn hold_back(&mut self) -> Result<(), IndexError> {
        let mut segments = self.index.shared.index.searchable_segment_metas()?;
        if segments.len() <= MOST_SEGMENTS {
            return Ok(());
        }
        segments.sort_by_key(|meta| meta.num_docs());
        let smallest: Vec<SegmentId> = segments.iter().take(MERGED_AT_ONCE).map(|meta| meta.id()).collect();
        // A merge of the library's own may have taken some of them: then there is nothing to do.
        let _ = self.below.merge(&smallest).wait();
        Ok(())
    }
}

fn write_synced(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    let mut file = std::fs::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    if let Some(dir) = path.parent() {
        std::fs::File::open(dir)?.sync_all()?;
    }
    Ok(())
}
