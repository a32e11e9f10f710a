//! A file's content, holes for free: an engine's journal may be 64 MiB of mostly nothing.

use std::{collections::BTreeMap, fs::File, io, os::unix::fs::FileExt, path::Path, sync::Arc};

const PAGE: u64 = 4096;

/// Bytes in pages; a page that is not there is zero. Cloning shares the pages.
#[derive(Debug, Clone, Default)]
pub(super) struct Sparse {
    length: u64,
    pages: BTreeMap<u64, Arc<Vec<u8>>>,
}

impl Sparse {
    pub(super) fn read(path: &Path) -> io::Result<Sparse> {
        let bytes = std::fs::read(path)?;
        let mut content = Sparse::default();
        for (at, page) in bytes.chunks(PAGE as usize).enumerate() {
            if page.iter().any(|&byte| byte != 0) {
                content.write(at as u64 * PAGE, page);
            }
        }
        content.set_length(bytes.len() as u64);
        Ok(content)
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn write(&mut self, mut offset: u64, mut bytes: &[u8]) {
        self.length = self.length.max(offset + bytes.len() as u64);
        while !bytes.is_empty() {
            let within = (offset % PAGE) as usize;
            let (now, later) = bytes.split_at(bytes.len().min(PAGE as usize - within));
            let page = self.pages.entry(offset / PAGE).or_insert_with(|| Arc::new(vec![0; PAGE as usize]));
            Arc::make_mut(page)[within..within + now.len()].copy_from_slice(now);
            offset += now.len() as u64;
            bytes = later;
        }
    }

    pub(super) fn set_length(&mut self, length: u64) {
        if length < self.length {
            self.pages.split_off(&length.div_ceil(PAGE));
            // What is cut must not come back when the file grows again.
            if !length.is_multiple_of(PAGE)
                && let Some(page) = self.pages.get_mut(&(length / PAGE))
            {
                Arc::make_mut(page)[(length % PAGE) as usize..].fill(0);
            }
        }
        self.length = length;
    }

    pub(super) fn write_to(&self, path: &Path) -> io::Result<()> {
        let file = File::create(path)?;
        file.set_len(self.length)?;
        for (at, page) in &self.pages {
            let offset = at * PAGE;
            let length = (self.length - offset).min(PAGE) as usize;
            file.write_all_at(&page[..length], offset)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn it_holds_what_a_plain_vector_holds() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("file");
        let mut seed = Seed::from_env();
        let (mut plain, mut sparse) = (Vec::new(), Sparse::default());
        for _ in 0..300 {
            let at = seed.below(20_000);
            if seed.chance(1, 4) {
                plain.resize(at, 0);
                sparse.set_length(at as u64);
            } else {
                let length = 1 + seed.below(6_000);
                let bytes = seed.bytes(length);
                plain.resize(plain.len().max(at + length), 0);
                plain[at..at + length].copy_from_slice(&bytes);
                sparse.write(at as u64, &bytes);
            }
            assert_eq!(sparse.length(), plain.len() as u64);
        }
        sparse.write_to(&path).expect("written");
        assert_eq!(std::fs::read(&path).expect("read"), plain);
        let again = Sparse::read(&path).expect("read");
        again.write_to(&path).expect("written");
        assert_eq!(std::fs::read(&path).expect("read"), plain);
    }
}
