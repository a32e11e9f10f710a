//! Harmonic centrality: how near a page is to all that can reach it, the sum of 1/distance over them.
//!
//! Small graphs are searched from every page. In large ones the pages within each distance are counted by sketches
//! of 64 bytes (HyperLogLog counters, united over in-links once per step of distance, after Boldi and Vigna), which
//! err by about an eighth.

use crate::Graph;
use crate::parts::{cut, each, parts};

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Harmonic {
    /// Of each page, the sum of 1/distance over the pages that reach it.
    pub values: Vec<f64>,
    /// Counted one by one, not by sketches.
    pub exact: bool,
    /// Passes over all arcs by sketches.
    pub passes: u32,
}

/// Steps of a search from every page that are worth being exact.
const EXACT_WORK: u64 = 2_000_000_000;

/// Counters of a sketch.
const REGISTERS: usize = 64;

/// No path on the Web is longer; a chain of pages that is ends here.
const LONGEST: u32 = 10_000;

/// The harmonic centrality of each page, on that many threads.
pub fn harmonic(graph: &Graph, threads: usize) -> Harmonic {
    let work = u64::from(graph.pages()) * (graph.arcs() + u64::from(graph.pages()));
    match work <= EXACT_WORK {
        true => Harmonic { values: exact(graph, threads), exact: true, passes: 0 },
        false => sketched(graph, threads),
    }
}

/// Searches backwards from every page.
fn exact(graph: &Graph, threads: usize) -> Vec<f64> {
    let pages = graph.pages();
    let per_thread = (pages / (4 * threads.max(1)) as u32).max(64) as usize;
    let work: Vec<_> =
        (0..pages).step_by(per_thread).map(|from| from..pages.min(from + per_thread as u32)).collect();
    let done = each(threads, work, |part| {
        let mut seen = vec![u32::MAX; pages as usize];
        let (mut level, mut next) = (Vec::new(), Vec::new());
        let mut values = Vec::with_capacity(part.len());
        for page in part {
            seen[page as usize] = page;
            level.push(page);
            let (mut sum, mut distance) = (0.0, 1.0);
            while !level.is_empty() {
                for reached in level.drain(..) {
                    for &source in &graph.sources()[graph.arcs_to(reached)] {
                        if seen[source as usize] != page {
                            seen[source as usize] = page;
                            next.push(source);
                        }
                    }
                }
                sum += next.len() as f64 / distance;
                distance += 1.0;
                std::mem::swap(&mut level, &mut next);
            }
            values.push(sum);
        }
        values
    });
    done.concat()
}

/// Counts the pages within each distance by sketches.
fn sketched(graph: &Graph, threads: usize) -> Harmonic {
    let pages = graph.pages() as usize;
    let parts = parts(graph);
    let mut sketches = vec![0u8; pages * REGISTERS];
    for (page, sketch) in sketches.chunks_exact_mut(REGISTERS).enumerate() {
        let hash = scatter(page as u64);
        sketch[(hash as usize) % REGISTERS] = (hash >> 6).trailing_zeros().min(57) as u8 + 1;
    }
    let mut wider = vec![0u8; pages * REGISTERS];
    let mut sums = vec![0.0; pages];
    let mut within: Vec<f32> = vec![1.0; pages];
    let mut passes = 0;
    for distance in 1..=LONGEST {
        passes = distance;
        let old = &sketches;
        let work: Vec<_> = parts
            .iter()
            .cloned()
            .zip(cut(&parts, &mut wider, REGISTERS))
            .zip(cut(&parts, &mut sums, 1))
            .zip(cut(&parts, &mut within, 1))
            .collect();
        let grew = each(threads, work, |(((part, wider), sums), within)| {
            let mut grew = false;
            let of_pages = wider.chunks_exact_mut(REGISTERS).zip(sums).zip(within);
            for (page, ((sketch, sum), within)) in part.zip(of_pages) {
                let own = &old[page as usize * REGISTERS..][..REGISTERS];
                sketch.copy_from_slice(own);
                for &source in &graph.sources()[graph.arcs_to(page)] {
                    let other = &old[source as usize * REGISTERS..][..REGISTERS];
                    sketch.iter_mut().zip(other).for_each(|(mine, other)| *mine = (*mine).max(*other));
                }
                if *sketch != *own {
                    grew = true;
                    let now = count(sketch).max(*within);
                    *sum += f64::from(now - *within) / f64::from(distance);
                    *within = now;
                }
            }
            grew
        });
        if !grew.contains(&true) {
            break;
        }
        std::mem::swap(&mut sketches, &mut wider);
    }
    Harmonic { values: sums, exact: false, passes }
}

/// How many different pages a sketch has seen.
fn count(sketch: &[u8]) -> f32 {
    let registers = REGISTERS as f32;
    let sum: f32 = sketch.iter().map(|rank| (-f32::from(*rank)).exp2()).sum();
    let estimate = 0.709 * registers * registers / sum;
    let empty = sketch.iter().filter(|rank| **rank == 0).count();
    match empty {
        // Few pages: the empty counters tell more.
        1.. if estimate <= 2.5 * registers => registers * (registers / empty as f32).ln(),
        _ => estimate,
    }
}

/// A number without pattern from each number (the finaliser of splitmix64).
fn scatter(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Fold};

    #[test]
    fn sketches_are_near_what_counting_gives() {
        let mut builder = Builder::new(Fold::Max, 1 << 20);
        for page in 0u64..4_000 {
            for link in 0..5 {
                // A third of the links lead to few pages.
                let hash = scatter(page * 5 + link);
                let target = if hash.is_multiple_of(3) { (hash >> 8) % 40 } else { (hash >> 8) % 4_000 };
                builder.arc(page as u32, target as u32, 1.0).unwrap();
            }
        }
        let graph = builder.finish().unwrap();
        let (exact, sketched) = (exact(&graph, 2), sketched(&graph, 2).values);
        let off: f64 = exact.iter().zip(&sketched).map(|(a, b)| (a - b).abs() / a.max(1.0)).sum();
        let mean = off / exact.len() as f64;
        assert!(mean < 0.13, "off by {mean}");
        assert_eq!(sketched, super::sketched(&graph, 1).values);
    }
}
