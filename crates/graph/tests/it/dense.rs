//! Random graphs beside a dense reference that is solved, not iterated.

use std::collections::BTreeMap;

use graph::{Builder, Fold, Graph, PageRank, Preference};
use proptest::prelude::*;

type Arcs = Vec<(u32, u32, f32)>;

fn graph(pages: u32, arcs: &Arcs) -> Graph {
    let mut builder = Builder::new(Fold::Max, 500);
    builder.page(pages - 1);
    for &(source, target, weight) in arcs {
        builder.arc(source, target, weight).unwrap();
    }
    builder.finish().unwrap()
}

/// Solves x = d·(Pᵀ + p·danglingᵀ)·x + (1−d)·p by elimination, with the largest pivot.
fn solved(pages: u32, arcs: &Arcs, damping: f64, preference: &[f64]) -> Vec<f64> {
    let n = pages as usize;
    let mut weights = vec![vec![0.0f64; n]; n];
    for &(source, target, weight) in arcs.iter().filter(|(source, target, _)| source != target) {
        let weight_of = &mut weights[source as usize][target as usize];
        *weight_of = weight_of.max(f64::from(weight));
    }
    let mut rows = vec![vec![0.0; n + 1]; n];
    for source in 0..n {
        let all: f64 = weights[source].iter().sum();
        for target in 0..n {
            let goes = if all > 0.0 { weights[source][target] / all } else { preference[target] };
            rows[target][source] = f64::from(u8::from(source == target)) - damping * goes;
        }
    }
    for target in 0..n {
        rows[target][n] = (1.0 - damping) * preference[target];
    }
    for at in 0..n {
        let pivot = (at..n).max_by(|a, b| rows[*a][at].abs().total_cmp(&rows[*b][at].abs())).unwrap();
        rows.swap(at, pivot);
        let head = rows[at].clone();
        for (number, row) in rows.iter_mut().enumerate().filter(|(number, _)| *number != at) {
            let factor = row[at] / head[at];
            assert!(factor.is_finite(), "row {number}");
            row.iter_mut().zip(&head).for_each(|(cell, above)| *cell -= factor * above);
        }
    }
    (0..n).map(|at| rows[at][n] / rows[at][at]).collect()
}

fn web() -> impl Strategy<Value = (u32, Arcs)> {
    (1u32..25).prop_flat_map(|pages| {
        let weight = prop_oneof![(1u8..=45).prop_map(f32::from), 0.001f32..1000.0];
        (Just(pages), prop::collection::vec((0..pages, 0..pages, weight), 0..120))
    })
}

proptest! {
    #[test]
    fn weighted_pagerank_is_what_solving_gives(
        (pages, arcs) in web(),
        damping in 0.0f64..0.95,
        trusted in prop::collection::vec(0u32..25, 0..4),
    ) {
        let trusted: Vec<u32> = trusted.into_iter().filter(|page| *page < pages).collect();
        let mut preference = vec![0.0; pages as usize];
        trusted.iter().for_each(|page| preference[*page as usize] = 1.0);
        if trusted.is_empty() {
            preference.fill(1.0);
        }
        let all: f64 = preference.iter().sum();
        preference.iter_mut().for_each(|share| *share /= all);
        let solve = PageRank { damping, ..PageRank::default() };
        let ranks = solve.of(&graph(pages, &arcs), Preference::Only(&trusted));
        let expected = solved(pages, &arcs, damping, &preference);
        let off: f64 = ranks.values.iter().zip(&expected).map(|(a, b)| (a - b).abs()).sum();
        prop_assert!(off <= 1e-9, "off by {off}, said {}", ranks.error);
        prop_assert!(ranks.values.iter().all(|rank| *rank >= 0.0));
    }

    #[test]
    fn links_page_by_page_give_what_solving_gives(
        (pages, arcs) in web(),
        damping in 0.0f64..0.95,
        near in prop::collection::vec(0.0f64..1.0, 25),
    ) {
        let mut lists: BTreeMap<u32, BTreeMap<u32, u8>> = BTreeMap::new();
        for (source, target, weight) in arcs.iter().filter(|(source, target, _)| source != target) {
            let known = lists.entry(*source).or_default().entry(*target).or_default();
            *known = (*known).max(*weight as u8);
        }
        lists.values_mut().for_each(|links| links.retain(|_, weight| *weight > 0));
        let lists: Vec<(u32, f32, Vec<u32>, Vec<u8>)> = lists
            .into_iter()
            .map(|(source, links)| {
                let weight = links.values().copied().map(f32::from).sum();
                (source, weight, links.keys().copied().collect(), links.values().copied().collect())
            })
            .collect();
        let whole: Arcs = lists
            .iter()
            .flat_map(|(source, _, targets, weights)| {
                targets.iter().zip(weights).map(|(target, weight)| (*source, *target, f32::from(*weight)))
            })
            .collect();
        let solve = PageRank { damping, ..PageRank::default() };
        let near = near[..pages as usize].to_vec();
        let ranks = solve.forward(near, || {
            lists.iter().map(|(source, weight, targets, weights)| (*source, *weight, &targets[..], &weights[..]))
        });
        let expected = solved(pages, &whole, damping, &vec![1.0 / f64::from(pages); pages as usize]);
        let off: f64 = ranks.values.iter().zip(&expected).map(|(a, b)| (a - b).abs()).sum();
        prop_assert!(off <= 1e-9, "off by {off}, said {}", ranks.error);
        let by_graph = solve.of(&graph(pages, &whole), Preference::Even).multiples();
        for (one, other) in ranks.multiples().iter().zip(by_graph) {
            prop_assert!((one - other).abs() <= 1e-4 * other, "{one} {other}");
        }
    }

    /// Yesterday's ranks shorten the way and lead to the same place; threads do not show at all.
    #[test]
    fn the_way_does_not_show((pages, arcs) in web(), near in prop::collection::vec(0.0f64..1.0, 25)) {
        let graph = graph(pages, &arcs);
        let solve = PageRank::default();
        let ranks = solve.of(&graph, Preference::Even);
        let again = solve.from(&graph, Preference::Even, Some(&near[..pages as usize]));
        let off: f64 = ranks.values.iter().zip(&again.values).map(|(a, b)| (a - b).abs()).sum();
        prop_assert!(off <= 1e-9, "off by {off}");
        let alone = PageRank { threads: 1, ..solve }.of(&graph, Preference::Even);
        prop_assert_eq!(ranks.values, alone.values);
    }
}

#[test]
fn a_page_that_nobody_trusted_reaches_has_no_trust() {
    let arcs = vec![(0, 1, 1.0), (1, 0, 1.0), (2, 1, 1.0), (3, 2, 1.0)];
    let trust = PageRank::default().of(&graph(5, &arcs), Preference::Only(&[0]));
    assert_eq!(trust.values[2..], [0.0; 3]);
    assert!(trust.values[0] > trust.values[1]);
}

#[test]
fn one_page_has_all_and_no_page_nothing() {
    let one = graph(1, &vec![(0, 0, 3.0)]);
    assert_eq!(PageRank::default().of(&one, Preference::Even).values, [1.0]);
    let none = Builder::new(Fold::Max, 100).finish().unwrap();
    assert!(PageRank::default().of(&none, Preference::Even).values.is_empty());
    assert!(graph::harmonic(&none, 2).values.is_empty());
}
