//! Vectors that networkx made (`tests/reference/make.py`).

use graph::{Builder, Fold, Graph, PageRank, Preference, harmonic};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    name: String,
    pages: u32,
    edges: Vec<(u32, u32, f32)>,
    trusted: Vec<u32>,
    pagerank: Vec<f64>,
    weighted: Vec<f64>,
    trust: Vec<f64>,
    harmonic: Vec<f64>,
}

impl Case {
    fn graph(&self, weighted: bool) -> Graph {
        let mut builder = Builder::new(Fold::Max, 1 << 20);
        builder.page(self.pages - 1);
        for &(source, target, weight) in &self.edges {
            builder.arc(source, target, if weighted { weight } else { 1.0 }).unwrap();
        }
        builder.finish().unwrap()
    }
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../reference/vectors.json")).unwrap()
}

fn check(case: &Case, what: &str, found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len(), "{}: {what}", case.name);
    for (page, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            (found - expected).abs() <= within,
            "{}, page {page}: {what} {found}, not {expected}",
            case.name
        );
    }
}

#[test]
fn pagerank_is_that_of_networkx() {
    let solve = PageRank::default();
    for case in cases() {
        let (plain, weighted) = (case.graph(false), case.graph(true));
        let ranks = solve.of(&plain, Preference::Even);
        check(&case, "rank", &ranks.values, &case.pagerank, 1e-9);
        assert!(ranks.error <= solve.tolerance, "{}", case.name);
        assert!((ranks.values.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{}", case.name);
        let ranks = solve.of(&weighted, Preference::Even);
        check(&case, "weighted rank", &ranks.values, &case.weighted, 1e-9);
        let trust = solve.of(&weighted, Preference::Only(&case.trusted));
        check(&case, "trust", &trust.values, &case.trust, 1e-9);
    }
}

#[test]
fn harmonic_centrality_is_that_of_networkx() {
    for case in cases() {
        let found = harmonic(&case.graph(true), 2);
        assert!(found.exact);
        check(&case, "harmonic", &found.values, &case.harmonic, 1e-9);
    }
}
