//! A write that fails: the store says so, takes no more, and is whole when opened again.

use kv::{Durability, KvError, Options, Reader, Store, Table};
use std::{path::Path, process::Command};

const BLOBS: Table<u64, Vec<u8>> = Table::new("blobs");
const DIR_VARIABLE: &str = "FAILED_WRITE_DIR";

/// Runs the test below where no file may grow beyond about 70 MB, so that the journal, which
/// begins with 64 MiB of room, fills up.
#[test]
fn a_failed_write_is_told_and_reopening_heals_it() {
    let folder = tempfile::tempdir().unwrap();
    let limited = "trap '' XFSZ; ulimit -f 140000; exec \"$0\" --ignored --exact \"$1\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", limited]).arg(std::env::current_exe().unwrap()).arg("failed_write::until_it_fails");
    let output = shell.env(DIR_VARIABLE, folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "run by the test above, with a limit on the size of files"]
fn until_it_fails() {
    let dir = std::env::var(DIR_VARIABLE).unwrap();
    // Nothing leaves memory, so that the journal is not exchanged for a new one.
    let options = Options { table_buffer_bytes: 1 << 40, buffer_bytes: 1 << 40, ..Options::default() };
    let store = Store::open(Path::new(&dir), options.clone()).unwrap();
    let committed = (0..500).take_while(|&n| match put(&store, n) {
        Ok(()) => true,
        Err(KvError::Poisoned { source, .. }) => {
            assert!(source.is_some(), "the first failure says why");
            false
        }
        Err(error) => panic!("{error:?}"),
    });
    let committed = committed.count() as u64;
    assert!((30..500).contains(&committed), "{committed}");
    assert!(matches!(put(&store, 1_000), Err(KvError::Poisoned { source: None, .. })));
    assert_eq!(store.iter(&BLOBS).count() as u64, committed, "reading goes on");
    drop(store);
    let store = Store::open(Path::new(&dir), options).unwrap();
    let keys: Vec<u64> = store.iter(&BLOBS).keys().map(Result::unwrap).collect();
    assert!(keys.iter().copied().eq(0..committed), "{keys:?}");
}

fn put(store: &Store, n: u64) -> Result<(), KvError> {
    let mut batch = store.batch();
    batch.put(&BLOBS, &n, &testkit::Seed::new(n).bytes(1 << 20));
    store.commit(batch, Durability::Buffered)
}
