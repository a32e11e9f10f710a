//! `cargo xtask bench rank [-- ARCS PAGES]`: a made-up power-law graph, transposed within 256 MiB and ranked.
//!
//! Fifty million arcs between five million pages unless said; each is given in the order in which a crawl finds it. Then
//! trust by a thousand pages, ranks of hosts of a hundred pages each, and harmonic centrality.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark ends where it fails, and measures time"
)]

use std::time::Instant;

use graph::{Builder, Fold, Graph, PageRank, Preference, group, harmonic};
use testkit::process_kib;

const MEMORY: usize = 256 << 20;

fn main() {
    let argument = |at: usize, unless: u64| {
        std::env::args().nth(at).and_then(|text| text.parse().ok()).unwrap_or(unless)
    };
    let (arcs, pages) = (argument(1, 50_000_000), argument(2, 5_000_000));
    let seed = 20_261_115;
    println!("{arcs} arcs, {pages} pages, seed {seed}");
    let mut dice = Dice(seed);
    let begin = Instant::now();
    let mut builder = Builder::new(Fold::Max, MEMORY);
    for arc in 0..arcs {
        let source = arc * pages / arcs;
        // The n-th most linked page has a share of about n^-0.75 of the links; which one that is, is shuffled.
        let share = dice.share().powi(4) * pages as f64;
        let target = (share as u64).wrapping_mul(0x9e37_79b1) % pages;
        let weight = [1.0, 2.0, 3.0, 6.0, 5.0, 10.0, 15.0, 45.0][dice.roll(8) as usize];
        builder.arc(source as u32, target as u32, weight).unwrap();
    }
    let graph = builder.finish().unwrap();
    let built = begin.elapsed().as_secs_f64();
    println!("{} arcs after folding", graph.arcs());
    println!("measure: transpose = {:.2} M arcs/s", arcs as f64 / built / 1e6);
    let bytes = graph.bytes() as f64 / graph.arcs() as f64;
    println!("measure: memory of an arc, pages included = {bytes:.2} B");
    for (name, threads) in [("weighted PageRank, 1 thread", 1), ("weighted PageRank, 2 threads", 2)] {
        let begin = Instant::now();
        let solve = PageRank { threads, most_passes: 20, ..PageRank::default() };
        let ranks = solve.of(&graph, Preference::Even);
        let took = begin.elapsed().as_secs_f64();
        let speed = graph.arcs() as f64 * f64::from(ranks.passes) / took / 1e6;
        println!("measure: {name} = {speed:.1} M arcs/s");
    }
    println!("measure: peak of memory = {} MiB", process_kib("VmHWM").unwrap_or_default() / 1_024);
    further(&graph, pages);
    let peak = process_kib("VmHWM").unwrap_or_default() / 1_024;
    println!("measure: peak of memory, all ranks = {peak} MiB");
}

/// Ranks besides PageRank, on two threads.
fn further(graph: &Graph, pages: u64) {
    let solve = PageRank { threads: 2, most_passes: 20, ..PageRank::default() };
    let told = |name: &str, arcs: u64, passes: u32, begin: Instant| {
        let speed = arcs as f64 * f64::from(passes) / begin.elapsed().as_secs_f64() / 1e6;
        println!("measure: {name} = {speed:.1} M arcs/s");
    };
    let trusted: Vec<u32> = (0..pages as u32).step_by(5_000).collect();
    let begin = Instant::now();
    let ranks = solve.of(graph, Preference::Only(&trusted));
    told("trust, 2 threads", graph.arcs(), ranks.passes, begin);
    let host_of: Vec<u32> = (0..pages as u32).map(|page| page / 100).collect();
    let begin = Instant::now();
    let hosts = group(graph, &host_of, MEMORY).unwrap();
    told("graph of hosts", graph.arcs(), 1, begin);
    let begin = Instant::now();
    let ranks = solve.of(&hosts, Preference::Even);
    told("host rank, 2 threads", hosts.arcs(), ranks.passes, begin);
    drop(hosts);
    let begin = Instant::now();
    let centrality = harmonic(graph, 2);
    told("harmonic centrality, 2 threads", graph.arcs(), centrality.passes.max(1), begin);
}

/// A small generator of numbers, the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below.max(1)
    }

    fn share(&mut self) -> f64 {
        self.roll(1 << 31) as f64 / (1u64 << 31) as f64
    }
}
