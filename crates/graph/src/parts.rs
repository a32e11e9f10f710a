//! Work shared out over threads: the pages in parts of about equal work. The parts do not depend on the number of
//! threads, so that sums over parts come out the same, to the last bit, on any machine.

use std::ops::Range;
use std::sync::Mutex;

use crate::Graph;

/// Arcs and pages in one part.
const PART: u64 = 256 << 10;

/// The pages of a graph in parts of about equal work.
pub(crate) fn parts(graph: &Graph) -> Vec<Range<u32>> {
    let mut parts = Vec::new();
    let mut begin = 0;
    let mut work = 0;
    for page in 0..graph.pages() {
        work += graph.arcs_to(page).len() as u64 + 1;
        if work >= PART {
            parts.push(begin..page + 1);
            (begin, work) = (page + 1, 0);
        }
    }
    if begin < graph.pages() {
        parts.push(begin..graph.pages());
    }
    parts
}

/// Cuts a vector with `per_page` values a page at the borders of parts.
pub(crate) fn cut<'a, T>(parts: &[Range<u32>], mut values: &'a mut [T], per_page: usize) -> Vec<&'a mut [T]> {
    let mut cut = Vec::with_capacity(parts.len());
    for part in parts {
        let (piece, rest) = values.split_at_mut(part.len() * per_page);
        cut.push(piece);
        values = rest;
    }
    cut
}

/// Does the same with each piece of work, on that many threads at most; the results in the order of the pieces.
pub(crate) fn each<W: Send, R: Send>(threads: usize, work: Vec<W>, act: impl Fn(W) -> R + Sync) -> Vec<R> {
    if threads <= 1 || work.len() <= 1 {
        return work.into_iter().map(act).collect();
    }
    let threads = threads.min(work.len());
    let pieces = Mutex::new(work.into_iter().enumerate());
    let take = || pieces.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let worker = || {
            let mut done = Vec::new();
            while let Some((number, piece)) = take() {
                done.push((number, act(piece)));
            }
            done
        };
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mut all = worker();
        for other in workers {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Fold, PageRank, Preference};

    /// Several parts, also with one page that has more arcs than a part should have.
    #[test]
    fn threads_do_not_show_in_a_graph_of_several_parts() {
        let mut builder = Builder::new(Fold::Max, 64 << 20);
        let pages = 400_000u32;
        for page in 0..pages {
            builder.arc(page, page.wrapping_mul(2_654_435_761) % pages, 1.0 + (page % 7) as f32).unwrap();
            builder.arc(page, 7, 2.0).unwrap();
        }
        let graph = builder.finish().unwrap();
        let parts = parts(&graph);
        assert!(parts.len() > 3, "{parts:?}");
        assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start && !pair[0].is_empty()));
        assert_eq!((parts[0].start, parts[parts.len() - 1].end), (0, pages));
        let solve = |threads| {
            let solve = PageRank { threads, most_passes: 5, ..PageRank::default() };
            solve.of(&graph, Preference::Even).values
        };
        assert_eq!(solve(1), solve(3));
    }

    #[test]
    fn results_come_in_the_order_of_the_work() {
        let work: Vec<u32> = (0..100).collect();
        assert_eq!(
            each(4, work.clone(), |number| number * 2),
            work.iter().map(|n| n * 2).collect::<Vec<_>>()
        );
    }
}
