//! A table: its name, its types, and how it is mostly read.

use std::marker::PhantomData;

/// A named set of rows, ordered by key. Declared as a constant by the stage that owns it; created
/// in the store by the first row put into it.
pub struct Table<K, V> {
    pub(crate) layout: Layout,
    types: PhantomData<fn() -> (K, V)>,
}

/// What the engine has to know of a table. The hints take effect when the table is created.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    pub(crate) reads: Reads,
}

/// How a table is mostly read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// No hint: small blocks, filters on all levels but the last.
    Mixed,
    /// By single keys, many of them absent.
    Points,
    /// The same, of short rows, tens of them for every page.
    ManyPoints,
    /// By single keys that are hardly ever there.
    Absent,
    /// By ranges; a filter would never be asked.
    Scans,
    /// By ranges of hashes with few rows or none.
    ShortScans,
}

impl<K, V> Table<K, V> {
    /// A table of this name; one to 255 bytes, unique in the store and kept for ever.
    pub const fn new(name: &'static str) -> Self {
        assert!(!name.is_empty() && name.len() <= 255, "a table's name has 1 to 255 bytes");
        Self { layout: Layout { name, reads: Reads::Mixed }, types: PhantomData }
    }

    /// Hint: mostly read by single keys that may well be absent, so filters are kept throughout.
    pub const fn point_reads(mut self) -> Self {
        self.layout.reads = Reads::Points;
        self
    }

    /// Hint: the same, of a table that may have tens of short rows for every page: its filters take a byte for each.
    pub const fn many_point_reads(mut self) -> Self {
        self.layout.reads = Reads::ManyPoints;
        self
    }

    /// Hint: read by single keys that are hardly ever there, so filters are kept throughout; rows may be long.
    pub const fn absent_reads(mut self) -> Self {
        self.layout.reads = Reads::Absent;
        self
    }

    /// Hint: mostly read by ranges and prefixes, so no filters, and larger blocks.
    pub const fn scans(mut self) -> Self {
        self.layout.reads = Reads::Scans;
        self
    }

    /// Hint: read by ranges that have few rows or none, of hashes, which do not get shorter by compression.
    pub const fn short_scans(mut self) -> Self {
        self.layout.reads = Reads::ShortScans;
        self
    }

    /// The same table, with values of another type that has the same bytes.
    pub const fn with_values<W>(&self) -> Table<K, W> {
        Table { layout: self.layout, types: PhantomData }
    }

    /// The table's name.
    pub const fn name(&self) -> &'static str {
        self.layout.name
    }
}
