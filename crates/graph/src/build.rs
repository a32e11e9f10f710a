//! From arcs in any order to a graph by targets: sorted in pieces that fit into the memory given, the pieces merged
//! from disk.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::graph::Filling;
use crate::{Graph, GraphError};

/// What several arcs between the same two pages weigh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// As much as the heaviest.
    Max,
    /// As much as all together.
    Sum,
}

/// Takes arcs in any order. What links to itself is dropped.
pub struct Builder {
    fold: Fold,
    pages: u32,
    /// Arcs that fit into memory.
    room: usize,
    held: Vec<Arc>,
    runs: Option<Runs>,
    /// Where runs are written; the system's directory for temporary files unless said.
    dir: Option<std::path::PathBuf>,
}

/// An arc as it is sorted: target, source, bits of the weight. Weights are positive, so their bits have their order.
type Arc = (u32, u32, u32);

/// Bytes of an arc, in memory and on disk.
const ARC: usize = 12;

/// Arcs read at once of each run.
const READ_AHEAD: usize = 8 << 10;

impl Builder {
    /// Sorts in that many bytes of memory.
    pub fn new(fold: Fold, memory: usize) -> Builder {
        let room = (memory / ARC).max(1);
        Builder { fold, pages: 0, room, held: Vec::new(), runs: None, dir: None }
    }

    /// Puts what does not fit into memory into this directory.
    #[must_use]
    pub fn in_dir(mut self, dir: &Path) -> Builder {
        self.dir = Some(dir.to_owned());
        self
    }

    /// There is a page of this number, and all before it.
    pub fn page(&mut self, page: u32) {
        self.pages = self.pages.max(page.saturating_add(1));
    }

    /// A link. Weights that are not positive numbers count as no link.
    pub fn arc(&mut self, source: u32, target: u32, weight: f32) -> Result<(), GraphError> {
        self.page(source);
        self.page(target);
        if source == target || !(weight > 0.0 && weight.is_finite()) {
            return Ok(());
        }
        self.held.push((target, source, weight.to_bits()));
        if self.held.len() >= self.room {
            // Doubles may be all there is: then nothing needs to go to disk yet.
            self.sort_held();
            if self.held.len() > self.room / 2 {
                self.spill().map_err(GraphError::Sort)?;
            }
        }
        Ok(())
    }

    /// The graph of all arcs.
    pub fn finish(mut self) -> Result<Graph, GraphError> {
        self.sort_held();
        let Some(mut runs) = self.runs.take() else {
            let mut filling = Filling::new(self.pages, self.held.len());
            for (target, source, weight) in self.held {
                filling.add(target, source, f32::from_bits(weight));
            }
            return Ok(filling.done());
        };
        if !self.held.is_empty() {
            runs.write(&self.held).map_err(GraphError::Sort)?;
        }
        // Room for the graph.
        drop(std::mem::take(&mut self.held));
        runs.merge(self.fold, self.pages).map_err(GraphError::Sort)
    }

    /// Sorts and folds what is in memory.
    fn sort_held(&mut self) {
        // One wide number is compared without branches.
        self.held.sort_unstable_by_key(|(target, source, weight)| {
            (u128::from(*target) << 64) | (u128::from(*source) << 32) | u128::from(*weight)
        });
        let fold = self.fold;
        self.held.dedup_by(|next, first| folded(fold, first, *next));
    }

    fn spill(&mut self) -> std::io::Result<()> {
        let runs = match &mut self.runs {
            Some(runs) => runs,
            none => none.insert(Runs::new(self.dir.as_deref())?),
        };
        runs.write(&self.held)?;
        self.held.clear();
        Ok(())
    }
}

/// Takes an arc into the one before where both join the same pages; says whether it did.
fn folded(fold: Fold, first: &mut Arc, next: Arc) -> bool {
    if (first.0, first.1) != (next.0, next.1) {
        return false;
    }
    first.2 = match fold {
        Fold::Max => first.2.max(next.2),
        Fold::Sum => {
            let sum = f32::from_bits(first.2) + f32::from_bits(next.2);
            sum.min(f32::MAX).to_bits()
        }
    };
    true
}

/// Sorted arcs on disk.
struct Runs {
    file: File,
    /// Where each ends, in arcs.
    ends: Vec<u64>,
}

impl Runs {
    fn new(dir: Option<&Path>) -> std::io::Result<Runs> {
        let file = match dir {
            Some(dir) => tempfile::tempfile_in(dir)?,
            None => tempfile::tempfile()?,
        };
        Ok(Runs { file, ends: Vec::new() })
    }

    fn write(&mut self, arcs: &[Arc]) -> std::io::Result<()> {
        let begin = self.ends.last().copied().unwrap_or(0);
        self.file.seek(SeekFrom::Start(begin * ARC as u64))?;
        let mut out = BufWriter::with_capacity(1 << 16, &self.file);
        for (target, source, weight) in arcs {
            let mut bytes = [0; ARC];
            bytes[..4].copy_from_slice(&target.to_le_bytes());
            bytes[4..8].copy_from_slice(&source.to_le_bytes());
            bytes[8..].copy_from_slice(&weight.to_le_bytes());
            out.write_all(&bytes)?;
        }
        out.flush()?;
        self.ends.push(begin + arcs.len() as u64);
        Ok(())
    }

    fn merge(&mut self, fold: Fold, pages: u32) -> std::io::Result<Graph> {
        let most = self.ends.last().copied().unwrap_or(0) as usize;
        let mut filling = Filling::new(pages, most);
        let mut begin = 0;
        let mut runs: Vec<Run> = Vec::with_capacity(self.ends.len());
        for &end in &self.ends {
            runs.push(Run { next: begin, end, read: Vec::new(), at: 0 });
            begin = end;
        }
        let mut heads = BinaryHeap::with_capacity(runs.len());
        for (number, run) in runs.iter_mut().enumerate() {
            if let Some(arc) = run.next(&mut self.file)? {
                heads.push(Reverse((arc, number)));
            }
        }
        let mut pending: Option<Arc> = None;
        while let Some(mut head) = heads.peek_mut() {
            let Reverse((arc, number)) = *head;
            match runs[number].next(&mut self.file)? {
                Some(next) => *head = Reverse((next, number)),
                None => drop(std::collections::binary_heap::PeekMut::pop(head)),
            }
            if pending.as_mut().is_some_and(|first| folded(fold, first, arc)) {
                continue;
            }
            if let Some((target, source, weight)) = pending.replace(arc) {
                filling.add(target, source, f32::from_bits(weight));
            }
        }
        if let Some((target, source, weight)) = pending {
            filling.add(target, source, f32::from_bits(weight));
        }
        Ok(filling.done())
    }
}

/// One run while it is merged.
struct Run {
    /// The next arc to read from disk.
    next: u64,
    end: u64,
    read: Vec<u8>,
    /// Bytes of `read` that were taken.
    at: usize,
}

impl Run {
    fn next(&mut self, file: &mut File) -> std::io::Result<Option<Arc>> {
        if self.at == self.read.len() {
            let count = (self.end - self.next).min(READ_AHEAD as u64);
            if count == 0 {
                return Ok(None);
            }
            self.read.resize(count as usize * ARC, 0);
            file.seek(SeekFrom::Start(self.next * ARC as u64))?;
            file.read_exact(&mut self.read)?;
            self.next += count;
            self.at = 0;
        }
        let word = |from: usize| {
            let bytes = self.read[from..from + 4].try_into().expect("four bytes");
            u32::from_le_bytes(bytes)
        };
        let arc = (word(self.at), word(self.at + 4), word(self.at + 8));
        self.at += ARC;
        Ok(Some(arc))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn arcs_of(graph: &Graph) -> Vec<(u32, u32, f32)> {
        let to = |target| graph.in_links(target).map(move |(source, weight)| (source, target, weight));
        (0..graph.pages()).flat_map(to).collect()
    }

    proptest! {
        /// Memory for few arcs at once, or for all: the same graph, which is what a map makes of them.
        #[test]
        fn the_memory_given_does_not_show(
            arcs in prop::collection::vec((0u32..12, 0u32..12, 1u8..9), 0..200),
            room in 1usize..40,
            sum in any::<bool>(),
        ) {
            let fold = if sum { Fold::Sum } else { Fold::Max };
            let mut builder = Builder::new(fold, room * ARC);
            let mut map: BTreeMap<(u32, u32), f32> = BTreeMap::new();
            for &(source, target, weight) in &arcs {
                let weight = f32::from(weight);
                builder.arc(source, target, weight).unwrap();
                if source != target {
                    let known = map.entry((target, source)).or_default();
                    *known = if sum { *known + weight } else { known.max(weight) };
                }
            }
            let graph = builder.finish().unwrap();
            let expected: Vec<_> =
                map.into_iter().map(|((target, source), weight)| (source, target, weight)).collect();
            prop_assert_eq!(arcs_of(&graph), expected);
        }
    }

    #[test]
    fn links_to_oneself_and_links_without_weight_are_none() {
        let mut builder = Builder::new(Fold::Max, 1 << 10);
        for (source, target, weight) in
            [(0, 0, 1.0), (0, 1, 0.0), (0, 1, -1.0), (1, 2, f32::NAN), (1, 2, f32::INFINITY), (3, 2, 0.5)]
        {
            builder.arc(source, target, weight).unwrap();
        }
        let graph = builder.finish().unwrap();
        assert_eq!(arcs_of(&graph), [(3, 2, 0.5)]);
        assert_eq!(graph.pages(), 4);
        assert_eq!([0, 1, 2, 3].map(|page| graph.out_weight(page)), [0.0, 0.0, 0.0, 0.5]);
    }
}
