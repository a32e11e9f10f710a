//! Searching while entries are put, replaced, removed, committed and merged: every view is one commit, whole.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use index::{Idf, Index, Query, Scoring};
use testkit::Seed;

use crate::corpus::{Dice, Named, Plain, Plains, assert_same, entry, expected, plain, schema, writer};
use crate::matching::leaf;

/// Commits, in the short form and in the long one for each of `GANNET_SOAK`.
const COMMITS: u64 = 60;

/// An entry that says which commit it belongs to.
const VERSION: &str = "version";

#[test]
fn searches_equal_brute_force_while_the_index_is_written_and_merged() {
    let seed = Seed::from_env().number();
    println!("seed {seed}");
    let rounds: u64 = std::env::var("GANNET_SOAK").map_or(1, |rounds| rounds.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let index = Index::create(&dir.path().join("i"), schema()).unwrap();
    // What each commit holds, known before it is made.
    let history: Mutex<Vec<Arc<Plains>>> = Mutex::new(vec![Arc::default()]);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            write(&index, &history, seed, COMMITS * rounds);
            done.store(true, Ordering::Release);
        });
        for reader in 1..=2 {
            let (index, history, done) = (&index, &history, &done);
            scope.spawn(move || {
                let mut dice = Dice(seed ^ reader);
                let (mut looks, mut versions, mut last) = (0, 0, 0);
                while !done.load(Ordering::Acquire) {
                    let version = look(index, history, &mut dice);
                    assert!(version >= last, "commit {version} after {last}");
                    (looks, versions) = (looks + 1, versions + usize::from(version > last));
                    last = version;
                }
                println!("reader {reader}: {looks} looks, {versions} different commits");
                assert!(versions > 3, "{versions} commits in {looks} looks");
            });
        }
    });
    let end = look(&index, &history, &mut Dice(seed));
    assert_eq!(end as u64, COMMITS * rounds);
}

fn write(index: &Index, history: &Mutex<Vec<Arc<Plains>>>, seed: u64, commits: u64) {
    let mut dice = Dice(seed);
    let mut plains = Plains::new();
    let mut writer = writer(index);
    for commit in 1..=commits {
        for _ in 0..1 + dice.roll(40) {
            let id = format!("e{}", dice.roll(1_500));
            if dice.roll(4) == 0 {
                writer.remove(&id);
                plains.remove(&id);
            } else {
                let plain = plain(&mut dice);
                writer.put(&entry(&id, &plain)).unwrap();
                plains.insert(id, plain);
            }
        }
        let version = Plain { size: commit as f64, ..Plain::default() };
        writer.put(&entry(VERSION, &version)).unwrap();
        plains.insert(VERSION.to_owned(), version);
        history.lock().unwrap().push(Arc::new(plains.clone()));
        writer.commit(&commit.to_string()).unwrap();
    }
    writer.close().unwrap();
}

/// Compares one view with the commit it shows, and says which that is.
fn look(index: &Index, history: &Mutex<Vec<Arc<Plains>>>, dice: &mut Dice) -> usize {
    let view = index.view().unwrap();
    let Some(address) = view.find(VERSION).unwrap() else {
        assert_eq!(view.entries(), 0);
        return 0;
    };
    let sizes = view.columns(address).numbers(3).unwrap();
    let version = sizes.first(address.doc()).unwrap() as usize;
    let plains = Arc::clone(&history.lock().unwrap()[version]);
    let named = Named::of(view, &plains);
    let scoring = Scoring::even(4, dice.share() * 3.0, dice.share(), Idf::Standard);
    for _ in 0..3 {
        let parts: Vec<Query> = (0..1 + dice.roll(3)).map(|_| leaf(dice)).collect();
        let query = if dice.roll(3) == 0 { Query::All(parts) } else { Query::Any(parts) };
        let from = dice.roll(200) as f64;
        let filters = match dice.roll(4) {
            0 => vec![Query::Keyword { field: 2, value: format!("g{}", dice.roll(4)) }],
            1 => vec![Query::Between { field: 3, from: Some(from), to: Some(from + 60.0) }],
            2 => vec![Query::Not(Box::new(leaf(dice)))],
            _ => Vec::new(),
        };
        let what = format!("commit {version}, {query:?}, {filters:?}");
        let mut known = expected(&plains, &query, &scoring);
        for filter in &filters {
            let kept = expected(&plains, filter, &scoring);
            known.retain(|id, _| kept.contains_key(id));
        }
        assert_same(&named.filtered(&query, &filters, &scoring), &known, &what);
    }
    version
}
