//! The graph in memory: for each page, who links to it and with what weight.
//!
//! An arc takes four bytes for its source and one for its weight (four where there are more than 256 different
//! weights); a page takes eight for the place of its first arc and eight for the weight of all its links.

use std::collections::HashMap;
use std::ops::Range;

/// Arcs by their targets; made by a [`Builder`](crate::Builder).
#[derive(Debug, Default)]
pub struct Graph {
    /// Where each page's arcs begin; one more for the end.
    starts: Vec<u64>,
    sources: Vec<u32>,
    weights: Weights,
    /// What the links of each page weigh together.
    out_weights: Vec<f64>,
}

/// The weight of each arc.
#[derive(Debug)]
pub(crate) enum Weights {
    /// By number in a list of those that occur.
    Coded { values: Vec<f32>, codes: Vec<u8> },
    /// As they are.
    Plain(Vec<f32>),
}

impl Graph {
    /// How many pages.
    pub fn pages(&self) -> u32 {
        // A builder counts them in 32 bits.
        self.out_weights.len() as u32
    }

    /// How many arcs; several links between two pages are one.
    pub fn arcs(&self) -> u64 {
        self.sources.len() as u64
    }

    /// Who links to a page, and with what weight, by rising number.
    pub fn in_links(&self, page: u32) -> impl Iterator<Item = (u32, f32)> + '_ {
        let arcs = self.arcs_to(page);
        self.sources[arcs.clone()].iter().zip(arcs).map(|(source, at)| (*source, self.weights.get(at)))
    }

    /// What a page's links weigh together; nothing for a page without any.
    pub fn out_weight(&self, page: u32) -> f64 {
        self.out_weights[page as usize]
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let weights = match &self.weights {
            Weights::Coded { codes, .. } => codes.len(),
            Weights::Plain(weights) => 4 * weights.len(),
        };
        (8 * self.starts.len() + 4 * self.sources.len() + weights + 8 * self.out_weights.len()) as u64
    }

    pub(crate) fn arcs_to(&self, page: u32) -> Range<usize> {
        let page = page as usize;
        self.starts[page] as usize..self.starts[page + 1] as usize
    }

    pub(crate) fn starts(&self) -> &[u64] {
        &self.starts
    }

    pub(crate) fn sources(&self) -> &[u32] {
        &self.sources
    }

    pub(crate) fn weights(&self) -> &Weights {
        &self.weights
    }

    pub(crate) fn out_weights(&self) -> &[f64] {
        &self.out_weights
    }
}

impl Weights {
    fn get(&self, at: usize) -> f32 {
        match self {
            Weights::Coded { values, codes } => values[usize::from(codes[at])],
            Weights::Plain(weights) => weights[at],
        }
    }
}

impl Default for Weights {
    fn default() -> Weights {
        Weights::Coded { values: Vec::new(), codes: Vec::new() }
    }
}

/// Takes sorted arcs, and is the graph in the end.
pub(crate) struct Filling {
    graph: Graph,
    codes: HashMap<u32, u8>,
    /// The weight before, and its number: most arcs weigh as much as the one before.
    last: (u32, u8),
}

impl Filling {
    /// For that many pages, and at most that many arcs.
    pub(crate) fn new(pages: u32, most_arcs: usize) -> Filling {
        let mut starts = Vec::with_capacity(pages as usize + 1);
        starts.push(0);
        let codes = Vec::with_capacity(most_arcs);
        let graph = Graph {
            starts,
            sources: Vec::with_capacity(most_arcs),
            weights: Weights::Coded { values: Vec::new(), codes },
            out_weights: vec![0.0; pages as usize],
        };
        // No weight is NaN, so nothing is taken for the one before at first.
        Filling { graph, codes: HashMap::new(), last: (f32::NAN.to_bits(), 0) }
    }

    /// The next arc, by target and source.
    pub(crate) fn add(&mut self, target: u32, source: u32, weight: f32) {
        self.fill_up_to(target);
        self.graph.sources.push(source);
        self.graph.out_weights[source as usize] += f64::from(weight);
        match &mut self.graph.weights {
            Weights::Plain(weights) => weights.push(weight),
            Weights::Coded { values, codes } => {
                let bits = weight.to_bits();
                if self.last.0 != bits {
                    let known = self.codes.get(&bits).copied();
                    let code = known.or_else(|| u8::try_from(values.len()).ok());
                    let Some(code) = code else {
                        let mut plain: Vec<f32> = Vec::with_capacity(codes.capacity());
                        plain.extend(codes.iter().map(|code| values[usize::from(*code)]));
                        plain.push(weight);
                        self.graph.weights = Weights::Plain(plain);
                        return;
                    };
                    if known.is_none() {
                        values.push(weight);
                        self.codes.insert(bits, code);
                    }
                    self.last = (bits, code);
                }
                codes.push(self.last.1);
            }
        }
    }

    pub(crate) fn done(mut self) -> Graph {
        self.fill_up_to(self.graph.pages());
        self.graph.sources.shrink_to_fit();
        match &mut self.graph.weights {
            Weights::Coded { codes, .. } => codes.shrink_to_fit(),
            Weights::Plain(weights) => weights.shrink_to_fit(),
        }
        self.graph
    }

    /// Ends the lists of all pages before this one.
    fn fill_up_to(&mut self, page: u32) {
        let end = self.graph.sources.len() as u64;
        while self.graph.starts.len() <= page as usize {
            self.graph.starts.push(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_256_weights_are_kept_as_they_are() {
        for count in [1, 255, 256, 257, 1_000] {
            let mut filling = Filling::new(count + 1, count as usize);
            for source in 0..count {
                filling.add(count, source, source as f32 / 8.0 + 1.0);
            }
            let graph = filling.done();
            let found: Vec<(u32, f32)> = graph.in_links(count).collect();
            let expected: Vec<(u32, f32)> =
                (0..count).map(|source| (source, source as f32 / 8.0 + 1.0)).collect();
            assert_eq!(found, expected);
            assert_eq!(matches!(graph.weights, Weights::Coded { .. }), count <= 256);
        }
    }
}
