//! PageRank: where a reader is who follows links, by their weights, and now and then begins anew.
//!
//! The vector is improved pass by pass until what is still missing, summed over all pages, is below a bound. Pages
//! without links hand on what they have by the preference, as if they linked to where one begins anew.

use std::ops::Range;

use crate::Graph;
use crate::graph::Weights;
use crate::parts::{cut, each, parts};

/// How to compute.
#[derive(Clone, Copy, Debug)]
pub struct PageRank {
    /// How often a link is followed rather than begun anew: 0 to below 1.
    pub damping: f64,
    /// The sum of all errors to end at.
    pub tolerance: f64,
    /// No more passes than this.
    pub most_passes: u32,
    /// Threads to work on.
    pub threads: usize,
}

/// Where one begins anew.
#[derive(Clone, Copy, Debug)]
pub enum Preference<'a> {
    /// Anywhere.
    Even,
    /// On one of these pages, each as likely as the others; anywhere if none is named.
    Only(&'a [u32]),
}

/// The links of a page: its number, what they weigh together, where they lead and what each weighs. What they weigh
/// together beyond what each does leads nowhere.
pub type OutLinks<'a> = (u32, f32, &'a [u32], &'a [u8]);

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Ranks {
    /// The rank of each page; together 1.
    pub values: Vec<f64>,
    /// Passes it took.
    pub passes: u32,
    /// No more than this is missing, summed over all pages.
    pub error: f64,
    /// What comes to all pages together from beginning anew, also from pages without links.
    pub anew: f64,
}

impl Default for PageRank {
    fn default() -> PageRank {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        PageRank { damping: 0.85, tolerance: 1e-10, most_passes: 1_000, threads }
    }
}

impl PageRank {
    /// The rank of each page.
    pub fn of(&self, graph: &Graph, preference: Preference<'_>) -> Ranks {
        self.from(graph, preference, None)
    }

    /// The same, beginning with ranks that may be near: those of yesterday.
    pub fn from(&self, graph: &Graph, preference: Preference<'_>, near: Option<&[f64]>) -> Ranks {
        let pages = graph.pages() as usize;
        if pages == 0 {
            return Ranks::default();
        }
        let damping = self.damping();
        let likely = Likely::new(preference, pages);
        let parts = parts(graph);
        let mut ranks = match near {
            Some(near) if near.len() == pages && near.iter().all(|rank| *rank >= 0.0 && rank.is_finite()) => {
                near.to_vec()
            }
            _ => (0..pages as u32).map(|page| likely.of(page)).collect(),
        };
        scale_to_one(&mut ranks);
        // What a page hands on by a link of weight 1.
        let mut shares: Vec<f64> =
            ranks.iter().zip(graph.out_weights()).map(|(rank, out)| share(damping, *rank, *out)).collect();
        let mut next_shares = vec![0.0; pages];
        let mut lost: f64 =
            ranks.iter().zip(graph.out_weights()).filter(|(_, out)| **out == 0.0).map(|(rank, _)| rank).sum();
        let mut result = Ranks { values: Vec::new(), passes: 0, error: f64::INFINITY, anew: 1.0 };
        while result.error > self.tolerance && result.passes < self.most_passes {
            let anew = 1.0 - damping + damping * lost;
            let work: Vec<_> = parts
                .iter()
                .cloned()
                .zip(cut(&parts, &mut ranks, 1))
                .zip(cut(&parts, &mut next_shares, 1))
                .map(|((part, ranks), next)| Piece { part, ranks, next })
                .collect();
            let pass = Pass { graph, shares: &shares, likely: &likely, anew, damping };
            let done = each(self.threads, work, |piece| pass.over(piece));
            let (moved, now_lost) =
                done.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
            lost = now_lost;
            std::mem::swap(&mut shares, &mut next_shares);
            result.passes += 1;
            // Each pass brings the vector nearer by the damping, so what is missing is a geometric series.
            result.error = moved * damping / (1.0 - damping);
        }
        let sum: f64 = ranks.iter().sum();
        result.anew = (1.0 - damping + damping * lost) / if sum > 0.0 { sum } else { 1.0 };
        scale_to_one(&mut ranks);
        result.values = ranks;
        result
    }

    /// Ranks by an even preference of links that lie page by page, each page once, beginning with ranks that may be near,
    /// one for each page. On one thread and without a graph: for few passes over links that change all the time.
    pub fn forward<'a, I>(&self, near: Vec<f64>, links: impl Fn() -> I) -> Ranks
    where
        I: Iterator<Item = OutLinks<'a>>,
    {
        let (mut ranks, damping) = (near, self.damping());
        let each = 1.0 / ranks.len().max(1) as f64;
        scale_to_one(&mut ranks);
        let mut next = vec![0.0; ranks.len()];
        let mut result = Ranks { values: Vec::new(), passes: 0, error: f64::INFINITY, anew: 1.0 };
        while result.error > self.tolerance && result.passes < self.most_passes {
            let mut kept: f64 = ranks.iter().sum();
            next.fill(0.0);
            for (source, weight, targets, weights) in links().filter(|(_, weight, ..)| *weight > 0.0) {
                let rank = ranks[source as usize];
                kept -= rank;
                let share = share(damping, rank, f64::from(weight));
                for (target, weight) in targets.iter().zip(weights) {
                    next[*target as usize] += share * f64::from(*weight);
                }
            }
            result.anew = 1.0 - damping + damping * kept.max(0.0);
            let mut moved = 0.0;
            for (rank, next) in ranks.iter_mut().zip(&next) {
                let new = result.anew * each + next;
                moved += (new - *rank).abs();
                *rank = new;
            }
            result.passes += 1;
            result.error = moved * damping / (1.0 - damping);
        }
        let sum: f64 = ranks.iter().sum();
        result.anew /= if sum > 0.0 { sum } else { 1.0 };
        scale_to_one(&mut ranks);
        result.values = ranks;
        result
    }

    fn damping(&self) -> f64 {
        if self.damping.is_nan() { 0.0 } else { self.damping.clamp(0.0, 0.9999) }
    }
}

impl Ranks {
    /// Ranks by an even preference, each as a multiple of what a page has that nothing links to. Such ranks of a part
    /// of a graph can be set beside those of all of it: it does not matter to them how many pages there are.
    pub fn multiples(&self) -> Vec<f32> {
        let least = self.anew / self.values.len() as f64;
        self.values.iter().map(|rank| (rank / least) as f32).collect()
    }
}

/// The pages by rank, the best first; among equals the lower number.
pub fn best_first(ranks: &[f64]) -> Vec<u32> {
    let mut pages: Vec<u32> = (0..ranks.len() as u32).collect();
    pages.sort_unstable_by(|a, b| ranks[*b as usize].total_cmp(&ranks[*a as usize]).then(a.cmp(b)));
    pages
}

/// One pass over all pages.
struct Pass<'a> {
    graph: &'a Graph,
    shares: &'a [f64],
    likely: &'a Likely,
    anew: f64,
    damping: f64,
}

/// What of it one thread does at a time.
struct Piece<'a> {
    part: Range<u32>,
    ranks: &'a mut [f64],
    next: &'a mut [f64],
}

impl Pass<'_> {
    /// By how much the ranks of a part moved, and what its pages without links hold.
    fn over(&self, piece: Piece<'_>) -> (f64, f64) {
        let shares = self.shares;
        match self.graph.weights() {
            // A graph without weights, and without arcs.
            Weights::Coded { values, .. } if values.len() <= 1 => {
                let weight = f64::from(values.first().copied().unwrap_or(1.0));
                self.over_with(piece, |sources, _| {
                    sources.iter().map(|source| shares[*source as usize]).sum::<f64>() * weight
                })
            }
            Weights::Coded { values, codes } => {
                let mut table = [0.0; 256];
                table.iter_mut().zip(values).for_each(|(entry, value)| *entry = f64::from(*value));
                self.over_with(piece, |sources, arcs| {
                    let arcs = sources.iter().zip(&codes[arcs]);
                    arcs.map(|(source, code)| shares[*source as usize] * table[usize::from(*code)]).sum()
                })
            }
            Weights::Plain(weights) => self.over_with(piece, |sources, arcs| {
                let arcs = sources.iter().zip(&weights[arcs]);
                arcs.map(|(source, weight)| shares[*source as usize] * f64::from(*weight)).sum()
            }),
        }
    }

    fn over_with(&self, piece: Piece<'_>, incoming: impl Fn(&[u32], Range<usize>) -> f64) -> (f64, f64) {
        let (starts, sources) = (self.graph.starts(), self.graph.sources());
        let out_weights = self.graph.out_weights();
        let (mut moved, mut lost) = (0.0, 0.0);
        for ((page, rank), next) in piece.part.zip(piece.ranks).zip(piece.next) {
            let at = page as usize;
            let arcs = starts[at] as usize..starts[at + 1] as usize;
            let new = self.anew * self.likely.of(page) + incoming(&sources[arcs.clone()], arcs);
            moved += (new - *rank).abs();
            let out = out_weights[at];
            if out == 0.0 {
                lost += new;
            }
            *next = share(self.damping, new, out);
            *rank = new;
        }
        (moved, lost)
    }
}

fn share(damping: f64, rank: f64, out_weight: f64) -> f64 {
    if out_weight == 0.0 { 0.0 } else { damping * rank / out_weight }
}

fn scale_to_one(ranks: &mut [f64]) {
    let sum: f64 = ranks.iter().sum();
    if sum > 0.0 {
        ranks.iter_mut().for_each(|rank| *rank /= sum);
    } else {
        let even = 1.0 / ranks.len() as f64;
        ranks.fill(even);
    }
}

/// How likely one begins anew at a page.
enum Likely {
    Even(f64),
    Each(Vec<f64>),
}

impl Likely {
    fn new(preference: Preference<'_>, pages: usize) -> Likely {
        let mut named = match preference {
            Preference::Even => Vec::new(),
            Preference::Only(named) => named.to_vec(),
        };
        named.retain(|page| (*page as usize) < pages);
        named.sort_unstable();
        named.dedup();
        if named.is_empty() {
            return Likely::Even(1.0 / pages as f64);
        }
        let mut each = vec![0.0; pages];
        named.iter().for_each(|page| each[*page as usize] = 1.0 / named.len() as f64);
        Likely::Each(each)
    }

    fn of(&self, page: u32) -> f64 {
        match self {
            Likely::Even(even) => *even,
            Likely::Each(each) => each[page as usize],
        }
    }
}
