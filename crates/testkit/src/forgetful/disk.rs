//! What a disk holds, what it promises to keep, and what it may keep by chance.
//!
//! Promised is what was synced: a file's bytes and length as of its last `fsync` or `fdatasync`, a
//! directory's names as of its own last `fsync`; a file or directory whose name was never synced
//! is gone, whatever was synced inside. Each change of names happens wholly or not at all, a
//! renaming across two directories too, and those of one directory in order.
//!
//! Of the rest any part may have reached the disk. Bytes do so in sectors of 512, each on its own;
//! a file may have grown without them and then has zeros there. After half of the cuts (by the
//! seed) the file system is one that keeps a journal of names, as ext4 and xfs do, so that syncing
//! any file made all earlier changes of names durable.

use super::{log::Event, sparse::Sparse};
use crate::Seed;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

const SECTOR: u64 = 512;
const ROOT: usize = 0;

/// What a power cut takes away.
#[derive(Debug, Clone)]
pub enum Forget {
    /// Nothing: the directory as the program saw it.
    Nothing,
    /// All that was not synced.
    AllUnsynced,
    /// Any part of what was not synced, chosen by the seed.
    Some(Seed),
}

/// A recorded disk at one moment.
pub struct Replay<'a> {
    disk: Disk,
    events: &'a [Event],
    at: usize,
    said: Vec<u8>,
}

impl<'a> Replay<'a> {
    pub(super) fn new(before: &Disk, events: &'a [Event]) -> Self {
        Self { disk: before.clone(), events, at: 0, said: Vec::new() }
    }

    /// Lets events happen until `cut` of them have.
    ///
    /// # Panics
    ///
    /// If that moment has passed already.
    pub fn advance_to(&mut self, cut: usize) {
        assert!(self.at <= cut, "a disk does not go back from {} to {cut}", self.at);
        for event in &self.events[self.at..cut] {
            match event {
                Event::Say { bytes } => self.said.extend_from_slice(bytes),
                event => self.disk.apply(event),
            }
        }
        self.at = cut;
    }

    /// What the program had said on its standard output so far.
    pub fn said(&self) -> String {
        String::from_utf8_lossy(&self.said).into_owned()
    }

    /// The names of files that were mapped into memory for writing: their content is not known.
    pub fn mapped(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        self.disk.walk(&self.disk.names(&Forget::Nothing), ROOT, Path::new(""), &mut |path, node| {
            if let Node::File(file) = node
                && self.disk.files[file].mapped
            {
                found.push(path.to_path_buf());
            }
        });
        found
    }

    /// Writes into the empty directory `into` what is left after a power cut now.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn image(&self, forget: Forget, into: &Path) {
        self.disk.image(forget, into).expect("the image is written");
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    File(usize),
    Dir(usize),
}

type Names = BTreeMap<String, Node>;

#[derive(Clone, Default)]
struct FileState {
    synced: Sparse,
    unsynced: Vec<Change>,
    mapped: bool,
}

#[derive(Clone)]
enum Change {
    Write { offset: u64, bytes: Vec<u8> },
    SetLength(u64),
}

#[derive(Clone, Default)]
struct DirState {
    /// As the program sees them.
    now: Names,
    synced: Names,
}

/// One change of names: what each of these names shall mean, all at once.
#[derive(Clone)]
struct Naming {
    names: Vec<(usize, String, Option<Node>)>,
    /// A file was synced after this, which a journal of names takes as a sync of all before.
    journaled: bool,
}

/// Files and directories, and what is not yet promised of them.
#[derive(Clone)]
pub(super) struct Disk {
    files: Vec<FileState>,
    dirs: Vec<DirState>,
    unsynced: Vec<Naming>,
    /// Which of them an inode is now; inodes are used again, these numbers are not.
    nodes: HashMap<u64, Node>,
}

impl Disk {
    /// The directory as it is, all of it synced.
    pub(super) fn read(dir: &Path) -> Disk {
        let mut disk = Disk {
            files: Vec::new(),
            dirs: vec![DirState::default()],
            unsynced: Vec::new(),
            nodes: HashMap::new(),
        };
        disk.read_dir(dir, ROOT).expect("the directory can be read");
        disk
    }

    fn read_dir(&mut self, dir: &Path, id: usize) -> io::Result<()> {
        self.nodes.insert(fs::metadata(dir)?.ino(), Node::Dir(id));
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            let node = if metadata.is_dir() {
                let child = self.new_dir();
                self.read_dir(&entry.path(), child)?;
                Node::Dir(child)
            } else if metadata.is_file() {
                match self.nodes.get(&metadata.ino()) {
                    Some(&known) => known,
                    None => {
                        let synced = Sparse::read(&entry.path())?;
                        self.files.push(FileState { synced, ..FileState::default() });
                        Node::File(self.files.len() - 1)
                    }
                }
            } else {
                continue; // A socket or the like: not what is tested here.
            };
            self.nodes.insert(metadata.ino(), node);
            let name = entry.file_name().into_string().expect("names are UTF-8");
            self.dirs[id].now.insert(name.clone(), node);
            self.dirs[id].synced.insert(name, node);
        }
        Ok(())
    }

    fn apply(&mut self, event: &Event) {
        match event {
            Event::Create { inode, path } => {
                self.files.push(FileState::default());
                let node = Node::File(self.files.len() - 1);
                self.nodes.insert(*inode, node);
                self.rename(&[(path, Some(node))]);
            }
            Event::MakeDir { inode, path } => {
                let node = Node::Dir(self.new_dir());
                self.nodes.insert(*inode, node);
                self.rename(&[(path, Some(node))]);
            }
            Event::Link { inode, path } => self.rename(&[(path, Some(self.nodes[inode]))]),
            Event::Remove { path } => self.rename(&[(path, None)]),
            Event::Rename { from, to } => {
                let node = self.find(from);
                // Renaming one name of a file over another name of it does nothing.
                let existing = self.place(to);
                if self.dirs[existing.0].now.get(&existing.1) != Some(&node) {
                    self.rename(&[(from, None), (to, Some(node))]);
                }
            }
            Event::Write { inode, offset, bytes } => {
                let change = Change::Write { offset: *offset, bytes: bytes.clone() };
                self.file(*inode).unsynced.push(change);
            }
            Event::SetLength { inode, length } => {
                self.file(*inode).unsynced.push(Change::SetLength(*length));
            }
            Event::SyncFile { inode } => {
                self.file(*inode).sync();
                self.unsynced.iter_mut().for_each(|naming| naming.journaled = true);
            }
            Event::SyncDir { inode } => {
                let Node::Dir(dir) = self.nodes[inode] else { panic!("inode {inode} is a file") };
                self.sync_dir(dir);
            }
            Event::SyncAll => {
                self.files.iter_mut().for_each(FileState::sync);
                (0..self.dirs.len()).for_each(|dir| self.sync_dir(dir));
            }
            Event::Map { inode } => self.file(*inode).mapped = true,
            Event::Say { .. } | Event::Unsupported { .. } | Event::Full { .. } | Event::NeededRoom { .. } => {
            }
        }
    }

    fn new_dir(&mut self) -> usize {
        self.dirs.push(DirState::default());
        self.dirs.len() - 1
    }

    fn file(&mut self, inode: u64) -> &mut FileState {
        match self.nodes.get(&inode) {
            Some(Node::File(file)) => &mut self.files[*file],
            _ => panic!("inode {inode} was never created as a file"),
        }
    }

    /// The directory and the name in it that a path means.
    fn place(&self, path: &Path) -> (usize, String) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let parent = path.parent().expect("a path below the root");
        let Node::Dir(dir) = self.find(parent) else { panic!("{} is a file", parent.display()) };
        (dir, name.to_owned())
    }

    fn find(&self, path: &Path) -> Node {
        path.iter().fold(Node::Dir(ROOT), |node, name| {
            let name = name.to_str().expect("names are UTF-8");
            let Node::Dir(dir) = node else { panic!("{} is below a file", path.display()) };
            *self.dirs[dir].now.get(name).unwrap_or_else(|| panic!("no {}", path.display()))
        })
    }

    fn rename(&mut self, changes: &[(&PathBuf, Option<Node>)]) {
        let names = changes.iter().map(|(path, node)| {
            let (dir, name) = self.place(path);
            (dir, name, *node)
        });
        let naming = Naming { names: names.collect(), journaled: false };
        for (dir, name, node) in &naming.names {
            set(&mut self.dirs[*dir].now, name, *node);
        }
        self.unsynced.push(naming);
    }

    /// Promises the names of a directory, and with them what they hang on: a renaming from another
    /// directory, and what happened there before it.
    fn sync_dir(&mut self, dir: usize) {
        let mut involved = HashSet::from([dir]);
        let mut kept: Vec<bool> = vec![false; self.unsynced.len()];
        for (at, naming) in self.unsynced.iter().enumerate().rev() {
            if naming.names.iter().any(|(dir, ..)| involved.contains(dir)) {
                involved.extend(naming.names.iter().map(|(dir, ..)| *dir));
                kept[at] = true;
            }
        }
        let mut synced: Vec<Names> = self.dirs.iter_mut().map(|d| std::mem::take(&mut d.synced)).collect();
        let mut kept = kept.into_iter();
        self.unsynced.retain(|naming| {
            let keep = kept.next() == Some(true);
            if keep {
                apply_naming(&mut synced, naming);
            }
            !keep
        });
        for (dir, names) in self.dirs.iter_mut().zip(synced) {
            dir.synced = names;
        }
    }

    /// The names in each directory after a cut.
    fn names(&self, forget: &Forget) -> Vec<Names> {
        let mut seed = match forget {
            Forget::Nothing => return self.dirs.iter().map(|dir| dir.now.clone()).collect(),
            Forget::AllUnsynced => return self.dirs.iter().map(|dir| dir.synced.clone()).collect(),
            Forget::Some(seed) => seed.clone(),
        };
        let mut names: Vec<Names> = self.dirs.iter().map(|dir| dir.synced.clone()).collect();
        if seed.chance(1, 2) {
            let promised = self.unsynced.iter().take_while(|naming| naming.journaled).count();
            let kept = promised + seed.below(self.unsynced.len() - promised + 1);
            self.unsynced[..kept].iter().for_each(|naming| apply_naming(&mut names, naming));
            return names;
        }
        // Each directory got some way on its own; none gets past a change that another one lacks.
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for (dir, ..) in self.unsynced.iter().flat_map(|naming| &naming.names) {
            *counts.entry(*dir).or_default() += 1;
        }
        let mut dirs: Vec<_> = counts.into_iter().collect();
        dirs.sort_unstable();
        let mut left: HashMap<usize, usize> =
            dirs.into_iter().map(|(dir, count)| (dir, seed.below(count + 1))).collect();
        for naming in &self.unsynced {
            let reached = naming.names.iter().all(|(dir, ..)| left[dir] > 0);
            for (dir, ..) in &naming.names {
                left.entry(*dir).and_modify(|left| *left = if reached { left.saturating_sub(1) } else { 0 });
            }
            if reached {
                apply_naming(&mut names, naming);
            }
        }
        names
    }

    fn image(&self, mut forget: Forget, into: &Path) -> io::Result<()> {
        let names = self.names(&forget);
        let seeds = match &mut forget {
            Forget::Some(seed) => Some(seed.fork().number()),
            _ => None,
        };
        let mut paths: HashMap<usize, PathBuf> = HashMap::new();
        let mut result = Ok(());
        self.walk(&names, ROOT, into, &mut |path, node| {
            if result.is_err() {
                return;
            }
            result = match node {
                Node::Dir(_) => fs::create_dir(path),
                Node::File(file) => match paths.insert(file, path.to_path_buf()) {
                    Some(first) => fs::hard_link(first, path),
                    None => {
                        let state = &self.files[file];
                        let content = match (&forget, seeds) {
                            (Forget::Some(_), Some(seed)) => state.partly(&mut Seed::new(seed ^ file as u64)),
                            (Forget::AllUnsynced, _) => state.synced.clone(),
                            _ => state.now(),
                        };
                        content.write_to(path)
                    }
                },
            };
        });
        result
    }

    /// Visits all names below a directory, directories before what is in them.
    fn walk(&self, names: &[Names], dir: usize, path: &Path, visit: &mut dyn FnMut(&Path, Node)) {
        for (name, node) in &names[dir] {
            let path = path.join(name);
            visit(&path, *node);
            if let Node::Dir(dir) = node {
                self.walk(names, *dir, &path, visit);
            }
        }
    }
}

impl FileState {
    fn sync(&mut self) {
        self.synced = self.now();
        self.unsynced.clear();
    }

    fn now(&self) -> Sparse {
        let mut content = self.synced.clone();
        self.unsynced.iter().for_each(|change| change.apply(&mut content));
        content
    }

    /// The synced content with some of the changes since. The length is that of some moment since;
    /// of the bytes written before it each sector may be there, of those after it the ones that
    /// fell into the file as it was.
    fn partly(&self, seed: &mut Seed) -> Sparse {
        let mut content = self.synced.clone();
        let moment = seed.below(self.unsynced.len() + 1);
        let luck = [0, 1, 5, 9, 10][seed.below(5)];
        let (before, after) = self.unsynced.split_at(moment);
        for change in before {
            match change {
                Change::SetLength(_) => change.apply(&mut content),
                Change::Write { offset, bytes } => {
                    let length = content.length().max(offset + bytes.len() as u64);
                    content.set_length(length);
                    write_some(&mut content, *offset, bytes, luck, seed);
                }
            }
        }
        for change in after {
            match change {
                // Its space may be another file's by now.
                Change::SetLength(_) => break,
                Change::Write { offset, bytes } => {
                    let room = content.length().saturating_sub(*offset).min(bytes.len() as u64);
                    write_some(&mut content, *offset, &bytes[..room as usize], luck, seed);
                }
            }
        }
        content
    }
}

impl Change {
    fn apply(&self, content: &mut Sparse) {
        match self {
            Change::Write { offset, bytes } => content.write(*offset, bytes),
            Change::SetLength(length) => content.set_length(*length),
        }
    }
}

/// Writes those sectors that are lucky, `luck` of ten.
fn write_some(content: &mut Sparse, mut offset: u64, mut bytes: &[u8], luck: usize, seed: &mut Seed) {
    while !bytes.is_empty() {
        let step = (SECTOR - offset % SECTOR).min(bytes.len() as u64) as usize;
        if seed.chance(luck, 10) {
            content.write(offset, &bytes[..step]);
        }
        bytes = &bytes[step..];
        offset += step as u64;
    }
}

fn apply_naming(dirs: &mut [Names], naming: &Naming) {
    for (dir, name, node) in &naming.names {
        set(&mut dirs[*dir], name, *node);
    }
}

fn set(names: &mut Names, name: &str, node: Option<Node>) {
    match node {
        Some(node) => names.insert(name.to_owned(), node),
        None => names.remove(name),
    };
}
