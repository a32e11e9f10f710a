//! What an order was worth: the PageRank and the relevant pages that it gathers, beside what could be gathered.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use graph::{Builder, Fold, PageRank, Preference};
use serde::{Deserialize, Serialize};

use crate::{Run, SimWeb, SimulateError};

const HOUR: u64 = 3_600_000;

/// Points of a curve.
const POINTS: usize = 100;

/// How far a crawl had come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Pages fetched.
    pub pages: u64,
    /// Simulated seconds since the begin.
    pub seconds: f64,
    /// Share of all PageRank that they hold.
    pub mass: f64,
    /// Those on topic.
    pub relevant: u64,
}

/// The PageRank of every page of a Web, together 1.
pub fn ranks(web: &SimWeb) -> Result<Vec<f64>, SimulateError> {
    let mut builder = Builder::new(Fold::Max, 256 << 20);
    for page in 0..web.pages() {
        builder.page(page);
        for (at, target) in web.places(page).zip(web.links(page)) {
            let look = web.looks.get(at).copied().unwrap_or_default();
            if look.unfollowed.is_none() {
                builder.arc(page, *target, web.weight(at))?;
            }
        }
    }
    Ok(PageRank::default().of(&builder.finish()?, Preference::Even).values)
}

/// What the first so many pages of an order gather of all rank.
pub fn mass(order: &[u32], ranks: &[f64], pages: usize) -> f64 {
    // The sum of nothing is -0.
    0.0 + order.iter().take(pages).filter_map(|page| ranks.get(*page as usize)).sum::<f64>()
}

/// How many of the first so many pages of an order are on topic.
pub fn harvest(web: &SimWeb, order: &[u32], pages: usize) -> u64 {
    order.iter().take(pages).filter(|page| web.is_on_topic(**page)).count() as u64
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
        match web.says(page) {
            crate::web::Says::Page => {
                order.push(page);
                web.links(page).iter().for_each(|target| meet(*target, &mut waiting));
            }
            crate::web::Says::Redirect(to) => meet(to, &mut waiting),
            _ => {}
        }
    }
    order
}

/// Pages and their mean rank, that of all pages being 1, for each simulated hour.
pub fn hourly(run: &Run, ranks: &[f64]) -> Vec<(u64, f64)> {
    let mut hours: Vec<(u64, f64)> = Vec::new();
    for done in &run.fetched {
        let hour = (done.millis / HOUR) as usize;
        if hours.len() <= hour {
            hours.resize(hour + 1, (0, 0.0));
        }
        hours[hour].0 += 1;
        hours[hour].1 += ranks.get(done.page as usize).copied().unwrap_or(0.0) * ranks.len() as f64;
    }
    hours.iter_mut().for_each(|(pages, sum)| *sum /= (*pages).max(1) as f64);
    hours
}

/// Share of the fetched pages that are expected to be, at the end of the run, as they were fetched; none where no
/// page changes.
pub fn fresh(web: &SimWeb, run: &Run) -> Option<f64> {
    let end = run.fetched.last().filter(|_| !web.changes.is_empty())?.millis;
    let stands = |done: &crate::Download| {
        let days = (end - done.millis) as f64 / (24 * HOUR) as f64;
        (-f64::from(web.changes[done.page as usize]) * days).exp()
    };
    Some(run.fetched.iter().map(stands).sum::<f64>() / run.fetched.len() as f64)
}

/// A run's way, in about a hundred points.
pub fn curve(web: &SimWeb, run: &Run, ranks: &[f64]) -> Vec<Point> {
    let step = run.fetched.len().div_ceil(POINTS).max(1);
    let mut point = Point { pages: 0, seconds: 0.0, mass: 0.0, relevant: 0 };
    let mut points = vec![point];
    for (at, done) in run.fetched.iter().enumerate() {
        point.pages += 1;
        point.seconds = done.millis as f64 / 1e3;
        point.mass += ranks.get(done.page as usize).copied().unwrap_or(0.0);
        point.relevant += u64::from(web.is_on_topic(done.page));
        if (at + 1) % step == 0 || at + 1 == run.fetched.len() {
            points.push(point);
        }
    }
    points
}

/// Pages that each worker fetched.
pub fn load(run: &Run, workers: usize) -> Vec<u64> {
    let mut load = vec![0; workers.max(1)];
    for done in &run.fetched {
        if let Some(pages) = load.get_mut(done.worker as usize) {
            *pages += 1;
        }
    }
    load
}
