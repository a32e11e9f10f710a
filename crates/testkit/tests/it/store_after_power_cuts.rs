//! `kv::Store` on the forgetful disk: what was promised is there, batches are whole, none is
//! missing before one that is there.

use kv::{Options, Reader, Store, Table};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};
use testkit::{
    Seed,
    forgetful::{Event, Forget, Recorder, Recording},
};

const BATCHES: Table<u64, u64> = Table::new("batches").point_reads();
const ROWS: Table<(u64, u32), Vec<u8>> = Table::new("rows").scans();
const BLOBS: Table<u64, Vec<u8>> = Table::new("blobs");

/// Records batches `first..first + count`, written to the store in `dir`.
fn record(recorder: &Recorder, dir: &Path, [first, count, blob, seed]: [u64; 4]) -> Recording {
    let session = recorder.session(dir);
    let mut program = session.command(env!("CARGO_BIN_EXE_numbered_batches"));
    let output = program
        .arg(dir.join("store"))
        .args([first, count, blob, seed].map(|n| n.to_string()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    session.finish()
}

/// Opens what a cut left and checks it; returns how many batches are there.
fn check(image: &Path, said: &str, blob: usize, what: &str) -> u64 {
    let store = Store::open(&image.join("store"), Options::default())
        .unwrap_or_else(|error| panic!("{what}: {error}: {error:?}"));
    let sizes: BTreeMap<u64, u64> = store.iter(&BATCHES).map(Result::unwrap).collect();
    let batches = sizes.len() as u64;
    assert!(sizes.keys().copied().eq(0..batches), "{what}: a batch is missing: {:?}", sizes.keys());
    let promised = said.lines().last().map_or(0, |line| line["said ".len()..].parse::<u64>().unwrap() + 1);
    assert!(promised <= batches, "{what}: {promised} batches were promised, {batches} are there");
    let living = batches.saturating_sub(5)..batches;
    let expected: Vec<(u64, u32)> =
        living.clone().flat_map(|n| (0..sizes[&n] as u32).map(move |row| (n, row))).collect();
    let rows: Vec<(u64, u32)> = store.iter(&ROWS).keys().map(Result::unwrap).collect();
    assert_eq!(rows, expected, "{what}: batches are not whole");
    let blobs: Vec<(u64, Vec<u8>)> = store.iter(&BLOBS).map(Result::unwrap).collect();
    assert!(
        blobs.into_iter().eq(living.map(|n| (n, Seed::new(n).bytes(blob)))),
        "{what}: batches are not whole"
    );
    batches
}

/// Cuts per recording; `GANNET_CUTS` asks for more.
fn cuts() -> usize {
    std::env::var("GANNET_CUTS").map_or(110, |count| count.parse().unwrap())
}

fn same_files(real: &Path, image: &Path) {
    let entries = |dir: &Path| -> BTreeMap<_, _> {
        let entries = fs::read_dir(dir).unwrap().map(Result::unwrap);
        entries.map(|entry| (entry.file_name(), entry.path())).collect()
    };
    let (real, image) = (entries(real), entries(image));
    assert!(real.keys().eq(image.keys()), "{:?} {:?}", real.keys(), image.keys());
    for (name, path) in real {
        if path.is_dir() {
            same_files(&path, &image[&name]);
        } else {
            assert!(fs::read(&path).unwrap() == fs::read(&image[&name]).unwrap(), "{}", path.display());
        }
    }
}

#[test]
fn the_whole_log_of_a_store_gives_its_files_byte_by_byte() {
    let (folder, image) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let recording = record(&Recorder::build(), folder.path(), [0, 300, 3_000, 7]);
    let mut disk = recording.replay();
    disk.advance_to(recording.events().len());
    disk.image(Forget::Nothing, image.path());
    same_files(folder.path(), image.path());
    assert!(disk.mapped().is_empty());
    assert!(disk.said().lines().count() > 100);
}

/// The promise on which everything stands; the second recording begins with what a cut left.
#[test]
fn nothing_promised_is_lost_and_no_batch_is_torn() {
    let recorder = Recorder::build();
    let mut seed = Seed::from_env();
    let folder = tempfile::tempdir().unwrap();
    let mut first = 0;
    for round in 0..2 {
        let recording = record(&recorder, folder.path(), [first, 120, 3_000, seed.number()]);
        let mut disk = recording.replay();
        let mut last_image = None;
        for cut in recording.cuts(cuts(), &mut seed) {
            disk.advance_to(cut);
            for forget in [Forget::AllUnsynced, Forget::Some(seed.fork())] {
                let what = format!("round {round}, cut {cut}, {forget:?}");
                let image = tempfile::tempdir().unwrap();
                disk.image(forget, image.path());
                let said = if disk.said().is_empty() && first > 0 {
                    format!("said {}", first - 1)
                } else {
                    disk.said()
                };
                let batches = check(image.path(), &said, 3_000, &what);
                last_image = Some((image, batches));
            }
        }
        let (image, batches) = last_image.unwrap();
        fs::remove_dir_all(folder.path().join("store")).unwrap();
        fs::rename(image.path().join("store"), folder.path().join("store")).unwrap();
        first = batches;
    }
}

/// After 64 MB the engine begins a new journal, and removes the old one when all is in files.
#[test]
fn a_change_of_journals_loses_nothing() {
    const BLOB: u64 = 2 << 20;
    let folder = tempfile::tempdir().unwrap();
    let mut seed = Seed::from_env();
    let recording = record(&Recorder::build(), folder.path(), [0, 45, BLOB, seed.number()]);
    let about_journals = |event: &Event| match event {
        Event::Create { path, .. } => path.ends_with("1.jnl"),
        Event::Remove { path } => path.ends_with("0.jnl"),
        _ => false,
    };
    let changes: Vec<usize> =
        (0..recording.events().len()).filter(|&at| about_journals(&recording.events()[at])).collect();
    assert!(!changes.is_empty(), "there was no new journal");
    let mut disk = recording.replay();
    let cuts = changes.iter().flat_map(|at| at - 1..at + 6).collect::<BTreeSet<usize>>();
    for cut in cuts {
        disk.advance_to(cut);
        for forget in [Forget::AllUnsynced, Forget::Some(seed.fork())] {
            let what = format!("cut {cut}, {forget:?}");
            let image = tempfile::tempdir().unwrap();
            disk.image(forget, image.path());
            check(image.path(), &disk.said(), BLOB as usize, &what);
        }
    }
}
