//! Commits, cursors, facets and orders.

use std::path::{Path, PathBuf};

use index::{Counts, Facet, Idf, Index, IndexError, Order, Query, Request, Scoring, Statistics};

use crate::corpus::{Plain, entry, lively, schema, term, writer};

#[test]
fn what_is_not_committed_is_not_seen_and_the_cursor_comes_with_the_commit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("i");
    let index = Index::create(&path, schema()).unwrap();
    let mut one = writer(&index);
    one.put(&entry("a", &Plain { text: vec!["x".into()], ..Plain::default() })).unwrap();
    assert_eq!(index.view().unwrap().entries(), 0);
    one.commit("first").unwrap();
    assert_eq!((index.view().unwrap().entries(), index.cursor().unwrap().as_deref()), (1, Some("first")));
    one.put(&entry("b", &Plain::default())).unwrap();
    drop(one);
    // As after a kill: the second entry was never committed.
    let index = Index::open(&path).unwrap();
    assert_eq!((index.view().unwrap().entries(), index.cursor().unwrap().as_deref()), (1, Some("first")));
    let view = index.view().unwrap();
    assert!(view.find("a").unwrap().is_some() && view.find("b").unwrap().is_none());
}

#[test]
fn a_writer_goes_on_after_one_that_was_killed_in_its_commit() {
    let dir = tempfile::tempdir().unwrap();
    let [path, ahead] = ["i", "ahead"].map(|name| dir.path().join(name));
    let replace = |path: &Path, cursor: &str| {
        let mut one = writer(&Index::open(path).unwrap());
        one.put(&entry("a", &Plain { text: vec![cursor.into()], ..Plain::default() })).unwrap();
        one.commit(cursor).unwrap();
        one.close().unwrap();
    };
    Index::create(&path, schema()).unwrap();
    let mut one = writer(&Index::open(&path).unwrap());
    "abcdefghij".chars().for_each(|id| one.put(&entry(&id.to_string(), &Plain::default())).unwrap());
    one.commit("first").unwrap();
    one.close().unwrap();
    // What a commit makes before it counts is left where it never counted.
    copy_all(&path, &ahead);
    replace(&ahead, "second");
    let lists = |path: &Path| -> Vec<PathBuf> {
        let files = std::fs::read_dir(path.join("segments")).unwrap().map(|file| file.unwrap().path());
        files.filter(|file| file.extension().is_some_and(|extension| extension == "del")).collect()
    };
    let left = lists(&ahead);
    assert_eq!((lists(&path).len(), left.len()), (0, 1));
    for list in &left {
        std::fs::copy(list, path.join("segments").join(list.file_name().unwrap())).unwrap();
    }
    replace(&path, "second");
    let index = Index::open(&path).unwrap();
    assert_eq!(index.cursor().unwrap().as_deref(), Some("second"));
    assert_eq!(index.view().unwrap().entries(), 10);
}

fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for file in std::fs::read_dir(from).unwrap().map(|file| file.unwrap().path()) {
        let target = to.join(file.file_name().unwrap());
        if file.is_dir() {
            copy_all(&file, &target);
        } else {
            std::fs::copy(&file, &target).unwrap();
        }
    }
}

#[test]
fn there_is_one_writer() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::create(&dir.path().join("i"), schema()).unwrap();
    let _held = writer(&index);
    assert!(index.writer(index::WriterSettings::default()).is_err());
}

#[test]
fn a_folder_that_is_no_index_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let open = |path: &std::path::Path| Index::open(path).err().unwrap();
    assert!(matches!(open(&dir.path().join("none")), IndexError::Missing(_)));
    let path = dir.path().join("i");
    Index::create(&path, schema()).unwrap();
    let about = std::fs::read_to_string(path.join("gannet.json")).unwrap();
    std::fs::write(path.join("gannet.json"), about.replace("\"version\":1", "\"version\":9")).unwrap();
    assert!(matches!(open(&path), IndexError::Version { .. }));
    std::fs::write(path.join("gannet.json"), "{").unwrap();
    assert!(matches!(open(&path), IndexError::Damaged { .. }));
    std::fs::write(path.join("gannet.json"), about).unwrap();
    std::fs::write(path.join("segments/meta.json"), "{}").unwrap();
    assert!(matches!(open(&path), IndexError::Damaged { .. }));
}

#[test]
fn values_are_counted_over_all_matches_and_orders_hold() {
    let dir = tempfile::tempdir().unwrap();
    let (index, plains) = lively(&dir.path().join("i"), 3, 500);
    let view = index.view().unwrap();
    let query = Query::Term(term(1, "w1"));
    let statistics = view.statistics(&query).unwrap();
    let scoring = Scoring::even(4, 1.2, 0.75, Idf::Standard);
    let facets = [Facet::Keywords(2), Facet::Ranges(3, vec![0.0, 100.0, 200.0, 250.0])];
    let mut request = Request {
        query: &query,
        filters: &[],
        statistics: &statistics,
        scoring: &scoring,
        most: 5,
        all_first: false,
        order: Order::Field { field: 3, descending: true },
        signals: None,
        facets: &facets,
        count: true,
    };
    let found = view.search(&request).unwrap();
    let matching: Vec<&Plain> =
        plains.values().filter(|plain| plain.text.contains(&"w1".to_owned())).collect();
    assert_eq!(found.total as usize, matching.len());
    let Counts::Keywords(groups) = &found.counts[0] else { panic!() };
    for (group, count) in groups {
        assert_eq!(*count as usize, matching.iter().filter(|plain| plain.group == *group).count(), "{group}");
    }
    let Counts::Ranges(ranges, ends) = &found.counts[1] else { panic!() };
    let between = |low: f64, high: f64| {
        matching.iter().filter(|plain| (low..high).contains(&plain.size)).count() as u64
    };
    assert_eq!(ranges, &[between(0.0, 100.0), between(100.0, 200.0), between(200.0, 250.0)]);
    let mut sizes: Vec<f64> = matching.iter().map(|plain| plain.size).collect();
    sizes.sort_by(f64::total_cmp);
    assert_eq!(*ends, Some((sizes[0], sizes[sizes.len() - 1])));
    let largest: Vec<f64> = found.candidates.iter().filter_map(|candidate| candidate.value).collect();
    assert_eq!(largest, sizes.iter().rev().take(5).copied().collect::<Vec<_>>());
    request.order = Order::Field { field: 3, descending: false };
    let smallest = view.search(&request).unwrap().candidates;
    assert_eq!(smallest.iter().filter_map(|one| one.value).collect::<Vec<_>>(), sizes[..5]);
}

#[test]
fn counts_of_two_views_add_up_to_those_of_one() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, plains) = lively(&dir.path().join("whole"), 5, 400);
    let query = Query::Any((0..30).map(|n| Query::Term(term((n % 2) as usize, &format!("w{n}")))).collect());
    let mut sum = Statistics::default();
    for half in 0..2 {
        let index = Index::create(&dir.path().join(format!("half{half}")), schema()).unwrap();
        let mut writer = writer(&index);
        for (id, plain) in plains.iter().skip(half).step_by(2) {
            writer.add(&entry(id, plain)).unwrap();
        }
        writer.commit("").unwrap();
        sum.add(&index.view().unwrap().statistics(&query).unwrap());
    }
    assert_eq!(sum, whole.view().unwrap().statistics(&query).unwrap());
}

#[test]
fn many_commits_leave_few_segments() {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::create(&dir.path().join("i"), schema()).unwrap();
    let mut writer = writer(&index);
    for number in 0..40 {
        writer
            .put(&entry(&number.to_string(), &Plain { text: vec!["x".into()], ..Plain::default() }))
            .unwrap();
        writer.commit("").unwrap();
        assert!(index.view().unwrap().segments() <= 30, "{}", index.view().unwrap().segments());
    }
    assert_eq!(index.view().unwrap().entries(), 40);
    writer.settle().unwrap();
    assert_eq!(index.view().unwrap().segments(), 1);
}
