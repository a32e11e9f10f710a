//! A store's directory: what stays in it, and when it is refused.

use kv::{Durability, KvError, Options, Reader, Store, Table};
use std::{fs, path::Path};

const ROWS: Table<u64, Vec<u8>> = Table::new("rows");
const OTHER_ROWS: Table<u64, Vec<u8>> = Table::new("other_rows").scans();

fn open(dir: &Path) -> Result<Store, KvError> {
    Store::open(dir, Options::default())
}

fn put(store: &Store, key: u64, durability: Durability) {
    let mut batch = store.batch();
    batch.put(&ROWS, &key, &vec![key as u8; 100]);
    batch.put(&OTHER_ROWS, &key, &vec![]);
    store.commit(batch, durability).unwrap();
}

#[track_caller]
fn check_refused(dir: &Path, expected: &str) {
    let error = open(dir).err().expect("the store must not open");
    let message = error.to_string().replace(&dir.display().to_string(), "DIR");
    assert_eq!(message, expected);
}

#[test]
fn what_was_committed_is_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("deep/store");
    for round in 0..3 {
        let store = open(&dir).unwrap();
        assert_eq!(store.iter(&ROWS).count(), round * 2);
        assert_eq!(store.iter(&OTHER_ROWS).count(), round * 2);
        put(&store, round as u64 * 2, Durability::Synced);
        put(&store, round as u64 * 2 + 1, Durability::Buffered);
    }
}

#[test]
fn a_second_opening_is_refused_until_the_first_ends() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    let snapshot = store.snapshot();
    assert!(matches!(open(folder.path()), Err(KvError::Busy { .. })));
    check_refused(folder.path(), "the store at DIR is in use by another process");
    drop(store);
    assert!(matches!(open(folder.path()), Err(KvError::Busy { .. })), "a snapshot still reads");
    drop(snapshot);
    open(folder.path()).unwrap();
}

#[test]
fn another_format_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()).unwrap());
    let format = folder.path().join("data/FORMAT");
    assert_eq!(fs::read_to_string(&format).unwrap(), "1\n");
    fs::write(&format, "2\n").unwrap();
    let newer =
        "the store at DIR has format 2, this program reads format 1; it was written by a newer version";
    check_refused(folder.path(), newer);
    fs::write(&format, "0\n").unwrap();
    let older =
        "the store at DIR has format 0, this program reads format 1; it was written by an older version";
    check_refused(folder.path(), older);
    fs::write(&format, "").unwrap();
    check_refused(folder.path(), "DIR is not a store: its format file is not a number");
    fs::remove_file(&format).unwrap();
    check_refused(folder.path(), "DIR is not a store: its format file is missing");
    fs::write(&format, "1\n").unwrap();
    open(folder.path()).unwrap();
}

#[test]
fn a_directory_with_other_files_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.txt"), "years of work").unwrap();
    check_refused(folder.path(), "DIR is not a store: it holds other files, among them \"thesis.txt\"");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "the file and our lock");
}

#[test]
fn a_path_that_cannot_be_a_directory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    check_refused(&file, "cannot create DIR");
    check_refused(&file.join("below"), &format!("cannot create {}", file.display()));
}

#[test]
fn an_unfinished_creation_is_started_over() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("data.new/keyspaces")).unwrap();
    fs::write(folder.path().join("data.new/0.jnl"), "").unwrap();
    let store = open(folder.path()).unwrap();
    assert!(!folder.path().join("data.new").exists());
    put(&store, 1, Durability::Synced);
}

#[test]
fn small_buffers_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { cache_bytes: 1 << 20, table_buffer_bytes: 64 << 10, buffer_bytes: 128 << 10 };
    let store = Store::open(folder.path(), options.clone()).unwrap();
    for key in 0..5_000 {
        put(&store, key, Durability::Buffered);
    }
    let check = |store: &Store| {
        assert_eq!(store.iter(&ROWS).count(), 5_000);
        assert_eq!(store.get(&ROWS, &4_321).unwrap().unwrap(), vec![4_321u64 as u8; 100]);
        assert!(store.disk_bytes().unwrap() < 8 << 20, "room the journal does not use is no use");
    };
    check(&store);
    drop(store);
    check(&Store::open(folder.path(), options).unwrap());
}
