//! The disk that forgets: what it records, what it keeps, what it may lose.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};
use testkit::{
    Seed,
    forgetful::{Event, Forget, Recorder, Recording},
};

/// Runs a shell script in an empty directory under the recorder.
fn record(script: &str) -> (Recording, BTreeMap<String, String>) {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::build();
    let session = recorder.session(folder.path());
    let mut command = session.command("sh");
    let status = command.args(["-ec", script]).current_dir(folder.path()).status().unwrap();
    assert!(status.success());
    (session.finish(), tree(folder.path()))
}

/// Files by path with their content; directories end with a slash.
fn tree(dir: &Path) -> BTreeMap<String, String> {
    fn walk(dir: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                found.insert(format!("{path}/"), String::new());
                walk(&entry.path(), &format!("{path}/"), found);
            } else {
                let bytes = fs::read(entry.path()).unwrap();
                found.insert(path, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(dir, "", &mut found);
    found
}

fn left_after(recording: &Recording, cut: usize, forget: Forget) -> BTreeMap<String, String> {
    let mut disk = recording.replay();
    disk.advance_to(cut);
    let image = tempfile::tempdir().unwrap();
    disk.image(forget, image.path());
    tree(image.path())
}

fn files(expected: &[(&str, &str)]) -> BTreeMap<String, String> {
    expected.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect()
}

/// What a script leaves if the power goes at its end and all that was not synced is lost.
#[track_caller]
fn check_strict(script: &str, expected: &[(&str, &str)]) {
    let (recording, _) = record(script);
    let all = recording.events().len();
    assert_eq!(left_after(&recording, all, Forget::AllUnsynced), files(expected));
}

#[test]
fn nothing_forgotten_gives_the_directory_itself() {
    let (recording, real) = record(
        "echo one > a; echo two >> a; mkdir -p d/e; cp a d/e/b; mv d/e/b d/c; ln a l; rm a; \
         truncate -s 2 l; truncate -s 20 l; dd if=/dev/zero of=big bs=1000 count=3 seek=5; \
         rmdir d/e; mkdir f; mv d f/g; printf x | dd of=big bs=1 seek=5500 conv=notrunc; echo end > a",
    );
    let all = recording.events().len();
    assert_eq!(left_after(&recording, all, Forget::Nothing), real);
    assert!(real.contains_key("f/g/c") && real["big"].len() == 8000);
}

#[test]
fn unsynced_files_are_gone_and_half_synced_ones_too() {
    check_strict("echo x > a", &[]);
    check_strict("echo x > a; sync a", &[]);
    check_strict("echo x > a; sync .", &[("a", "")]);
    check_strict("echo x > a; sync a; sync .", &[("a", "x\n")]);
    check_strict("echo x > a; sync a; sync .; echo y >> a", &[("a", "x\n")]);
    check_strict("echo x > a; sync -d a; sync .; echo y >> a; sync -d a", &[("a", "x\ny\n")]);
    check_strict("mkdir d; echo x > d/a; sync d/a; sync d", &[]);
    check_strict("mkdir d; echo x > d/a; sync d/a; sync d; sync .", &[("d/", ""), ("d/a", "x\n")]);
}

#[test]
fn names_are_those_of_the_last_sync_of_their_directory() {
    let begin = "echo x > a; sync a; sync .";
    check_strict(&format!("{begin}; mv a b"), &[("a", "x\n")]);
    check_strict(&format!("{begin}; mv a b; sync ."), &[("b", "x\n")]);
    check_strict(&format!("{begin}; rm a"), &[("a", "x\n")]);
    check_strict(&format!("{begin}; rm a; sync ."), &[]);
    let two = format!("{begin}; mkdir d; sync .");
    check_strict(&format!("{two}; mv a d/b"), &[("a", "x\n"), ("d/", "")]);
    // A renaming is in both directories or in none, whichever was synced.
    check_strict(&format!("{two}; mv a d/b; sync d"), &[("d/", ""), ("d/b", "x\n")]);
    check_strict(&format!("{two}; mv a d/b; sync ."), &[("d/", ""), ("d/b", "x\n")]);
}

#[test]
fn chance_keeps_any_part_but_never_less_than_was_synced() {
    let (recording, _) = record("printf old > a; sync a; sync .; printf NEW > b; mv b a; printf z > c");
    let all = recording.events().len();
    let seen: BTreeSet<_> =
        (0..200).map(|seed| left_after(&recording, all, Forget::Some(Seed::new(seed)))).collect();
    for left in &seen {
        assert!(["old", "NEW", "", "\0\0\0"].contains(&left["a"].as_str()), "{left:?}");
        assert!(!left.contains_key("c") || !left.contains_key("b"), "names come in order");
    }
    assert!(seen.contains(&files(&[("a", "old")])));
    assert!(seen.contains(&files(&[("a", "NEW"), ("c", "z")])));
    assert!(seen.contains(&files(&[("a", "old"), ("b", "NEW")])));
    assert!(seen.contains(&files(&[("a", "\0\0\0")])), "a name without its bytes");
}

#[test]
fn bytes_are_torn_at_sectors_only() {
    let (recording, _) = record("touch a; sync a; sync .; head -c 2000 /dev/zero | tr '\\0' x > a");
    let all = recording.events().len();
    let mut torn = 0;
    for seed in 0..100 {
        let left = left_after(&recording, all, Forget::Some(Seed::new(seed)));
        let sectors = left["a"].as_bytes().chunks(512);
        assert!(sectors.clone().all(|sector| sector.iter().all(|&byte| byte == sector[0])));
        let kinds: BTreeSet<u8> = sectors.map(|sector| sector[0]).collect();
        torn += usize::from(kinds.len() == 2);
    }
    assert!(torn > 10, "{torn} of 100");
}

#[test]
fn what_the_program_said_is_known_at_every_moment() {
    let (recording, _) = record("echo one; echo x > a; echo two");
    let write = |event: &Event| matches!(event, Event::Write { .. });
    let at = recording.events().iter().position(write).unwrap();
    let mut disk = recording.replay();
    disk.advance_to(at);
    assert_eq!(disk.said(), "one\n");
    disk.advance_to(recording.events().len());
    assert_eq!(disk.said(), "one\ntwo\n");
}

#[test]
fn a_second_recording_starts_from_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::build();
    fs::create_dir(folder.path().join("d")).unwrap();
    fs::write(folder.path().join("d/a"), "before").unwrap();
    let session = recorder.session(folder.path());
    let script = "mv d/a d/b; echo more >> d/b; echo new > d/c";
    session.command("sh").args(["-ec", script]).current_dir(folder.path()).status().unwrap();
    let recording = session.finish();
    let all = recording.events().len();
    assert_eq!(left_after(&recording, all, Forget::Nothing), tree(folder.path()));
    let kept = files(&[("d/", ""), ("d/a", "before")]);
    assert_eq!(left_after(&recording, all, Forget::AllUnsynced), kept);
}

#[test]
fn cuts_are_different_moments_in_order_and_near_syncs() {
    let (recording, _) = record("for i in 1 2 3 4 5 6 7 8 9; do echo $i > a; done; sync a; echo x > b");
    let cuts = recording.cuts(6, &mut Seed::from_env());
    assert!(cuts.is_sorted() && BTreeSet::from_iter(&cuts).len() == 6, "{cuts:?}");
    let sync = recording.events().iter().position(Event::is_sync).unwrap();
    assert!(cuts.contains(&sync) && cuts.contains(&(sync + 1)), "{cuts:?}");
    assert_eq!(recording.cuts(1_000, &mut Seed::new(1)).len(), recording.events().len() + 1);
}
