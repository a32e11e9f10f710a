//! What an order was worth: the PageRank that its pages gather, beside what could be gathered.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use graph::{Builder, Fold, PageRank, Preference};

use crate::{Run, SimWeb, SimulateError};

const HOUR: u64 = 3_600_000;

/// The PageRank of every page of a Web, together 1.
pub fn ranks(web: &SimWeb) -> Result<Vec<f64>, SimulateError> {
    let mut builder = Builder::new(Fold::Max, 256 << 20);
    for page in 0..web.pages() {
        builder.page(page);
        for target in web.links(page) {
            builder.arc(page, *target, 1.0)?;
        }
    }
    Ok(PageRank::default().of(&builder.finish()?, Preference::Even).values)
}

/// What the first so many pages of an order gather of all rank.
pub fn mass(order: &[u32], ranks: &[f64], pages: usize) -> f64 {
    order.iter().take(pages).filter_map(|page| ranks.get(*page as usize)).sum()
}

/// The order of who knows all ranks in advance: of what is discovered, the best first.
pub fn best_possible(web: &SimWeb, seeds: &[u32], ranks: &[f64], pages: usize) -> Vec<u32> {
    let mut known = vec![false; web.pages() as usize];
    let mut waiting = BinaryHeap::new();
    let mut meet = |page: u32, waiting: &mut BinaryHeap<_>| {
        let at = page as usize;
        if at < known.len() && !std::mem::replace(&mut known[at], true) {
            // The bits of floats that are not negative have their order.
            waiting.push((ranks[at].to_bits(), Reverse(page)));
        }
    };
    seeds.iter().for_each(|seed| meet(*seed, &mut waiting));
    let mut order = Vec::new();
    while order.len() < pages
        && let Some((_, Reverse(page))) = waiting.pop()
    {
        order.push(page);
        web.links(page).iter().for_each(|target| meet(*target, &mut waiting));
    }
    order
}

/// Pages and their mean rank, that of all pages being 1, for each simulated hour.
pub fn hourly(run: &Run, ranks: &[f64]) -> Vec<(u64, f64)> {
    let mut hours: Vec<(u64, f64)> = Vec::new();
    for (page, millis) in &run.fetched {
        let hour = (millis / HOUR) as usize;
        if hours.len() <= hour {
            hours.resize(hour + 1, (0, 0.0));
        }
        hours[hour].0 += 1;
        hours[hour].1 += ranks.get(*page as usize).copied().unwrap_or(0.0) * ranks.len() as f64;
    }
    hours.iter_mut().for_each(|(pages, sum)| *sum /= (*pages).max(1) as f64);
    hours
}
