//! What to simulate, as a file says: a Web, orders, and the pace.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use model::{CrawlSettings, Order, Rate, Span};
use serde::{Deserialize, Serialize};

use crate::{Plan, PowerLaw, Run, SimWeb, SimulateError, best_possible, mass, ranks, run};

/// A simulation, as its file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scenario {
    /// Where the pages come from.
    pub web: WebSource,
    /// The orders to compare.
    pub orders: Vec<Order>,
    /// Seeds of generated Webs: each is crawled by each order.
    pub seeds: Vec<u64>,
    /// Pages to fetch; 0 = all that can be reached.
    pub pages: u64,
    /// Requests per host.
    pub rate: Rate,
    /// Fetches at once.
    pub workers: usize,
    /// How long a fetch takes.
    pub latency: Span,
}

/// Where the pages of a simulation come from.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum WebSource {
    /// Made up by these numbers.
    Generated(Shape),
    /// A list of edges; the first page named is where crawls begin, and all are on one host.
    Edges(PathBuf),
}

/// A generated Web, but for its seed.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shape {
    /// How many pages.
    pub pages: u32,
    /// On how many hosts.
    pub hosts: u32,
    /// Links on a page, besides the tree that leads to each.
    pub links: f64,
    /// How unevenly pages are linked to: 1 not at all.
    pub skew: f64,
}

/// What came of one order on one Web.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The order; `best possible` for that of who knows all ranks.
    pub order: String,
    /// The Web's seed, if it was generated.
    pub seed: Option<u64>,
    /// Pages fetched.
    pub pages: u64,
    /// Of all PageRank, what the first tenth, quarter and half of the pages of the Web hold, and all that were fetched.
    pub mass: [f64; 4],
    /// How long it took, in simulated seconds.
    pub seconds: f64,
}

impl Default for Scenario {
    fn default() -> Scenario {
        Scenario {
            web: WebSource::Generated(Shape::default()),
            orders: vec![Order::BREADTH_FIRST, Order::only(model::Policy::PageRank)],
            seeds: vec![1],
            pages: 0,
            rate: Rate::Unlimited,
            workers: 1,
            latency: Span::from_millis(100),
        }
    }
}

impl Default for Shape {
    fn default() -> Shape {
        let PowerLaw { pages, hosts, links, skew, .. } = PowerLaw::default();
        Shape { pages, hosts, links, skew }
    }
}

/// The largest Web that is made up.
const MOST_PAGES: u32 = 20_000_000;

impl Scenario {
    /// Reads a file's text.
    pub fn parse(text: &str) -> Result<Scenario, SimulateError> {
        let scenario: Scenario =
            serde_saphyr::from_str(text).map_err(|error| SimulateError::Scenario(error.to_string()))?;
        let wrong = |what: &str| Err(SimulateError::Scenario(what.to_owned()));
        if scenario.orders.is_empty() || scenario.seeds.is_empty() {
            return wrong("orders and seeds name at least one each");
        }
        if let WebSource::Generated(Shape { pages, hosts, links, skew }) = scenario.web {
            if pages == 0 || pages > MOST_PAGES || hosts == 0 || hosts > pages {
                return wrong("web: pages are 1 to 20000000, hosts 1 to as many as pages");
            }
            if !(0.0..=100.0).contains(&links) || !(1.0..=10.0).contains(&skew) {
                return wrong("web: links are 0 to 100, skew is 1 to 10");
            }
        }
        Ok(scenario)
    }

    /// Runs every order on every Web; `each` is told as they end.
    pub fn run(
        &self,
        each: &mut dyn FnMut(Outcome) -> Result<(), SimulateError>,
    ) -> Result<(), SimulateError> {
        match &self.web {
            WebSource::Edges(path) => self.on(&of_edges(path)?, None, each),
            WebSource::Generated(Shape { pages, hosts, links, skew }) => {
                self.seeds.iter().try_for_each(|seed| {
                    let (pages, hosts, links, skew) = (*pages, *hosts, *links, *skew);
                    self.on(&PowerLaw { seed: *seed, pages, hosts, links, skew }.web(), Some(*seed), each)
                })
            }
        }
    }

    fn on(
        &self,
        web: &SimWeb,
        seed: Option<u64>,
        each: &mut dyn FnMut(Outcome) -> Result<(), SimulateError>,
    ) -> Result<(), SimulateError> {
        let ranks = ranks(web)?;
        let most = if self.pages == 0 { usize::MAX } else { self.pages as usize };
        let best = best_possible(web, &[0], &ranks, most);
        each(outcome("best possible".to_owned(), seed, &best, &ranks, 0.0))?;
        for order in &self.orders {
            let settings = CrawlSettings {
                order: *order,
                rate: Some(self.rate),
                max_pages: self.pages,
                max_depth: 0,
                ..CrawlSettings::default()
            };
            let plan =
                Plan { seeds: vec![0], settings, workers: self.workers, latency: self.latency.duration() };
            let done: Run = run(web, &plan)?;
            let seconds = done.fetched.last().map_or(0.0, |(_, millis)| *millis as f64 / 1e3);
            each(outcome(order.to_string(), seed, &done.order(), &ranks, seconds))?;
        }
        Ok(())
    }
}

fn outcome(order: String, seed: Option<u64>, pages: &[u32], ranks: &[f64], seconds: f64) -> Outcome {
    let all = ranks.len();
    let mass = [all / 10, all / 4, all / 2, all].map(|count| mass(pages, ranks, count));
    Outcome { order, seed, pages: pages.len() as u64, mass, seconds }
}

fn of_edges(path: &Path) -> Result<SimWeb, SimulateError> {
    let file =
        std::fs::File::open(path).map_err(|source| SimulateError::Open { path: path.to_owned(), source })?;
    let list = graph::read_edge_list(BufReader::new(file), 256 << 20)?;
    let mut links = vec![Vec::new(); list.names.len()];
    for target in 0..list.graph.pages() {
        for (source, _) in list.graph.in_links(target) {
            links[source as usize].push(target);
        }
    }
    let hosts = vec![0; links.len()];
    Ok(SimWeb::new(&links, hosts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_read_and_run() {
        let text = "web: {generated: {pages: 300, hosts: 3}}\norders: [random, 0.5 pagerank + 0.5 location]\n\
                    seeds: [4, 5]\npages: 100\nrate: 2/s\nworkers: 4\nlatency: 50ms\n";
        let scenario = Scenario::parse(text).unwrap();
        let mut outcomes = Vec::new();
        scenario
            .run(&mut |outcome| {
                outcomes.push(outcome);
                Ok(())
            })
            .unwrap();
        let told: Vec<(&str, Option<u64>, u64)> =
            outcomes.iter().map(|outcome| (outcome.order.as_str(), outcome.seed, outcome.pages)).collect();
        let mixed = "0.5 pagerank + 0.5 location";
        assert_eq!(
            told,
            [4, 5]
                .map(|seed| ["best possible", "random", mixed].map(|order| (order, Some(seed), 100)))
                .concat()
        );
        let best: f64 = outcomes[0].mass[3];
        assert!(outcomes.iter().take(3).all(|outcome| outcome.mass[3] <= best + 1e-9));
        // Three hosts, two requests a second each.
        assert!(outcomes[1].seconds > 15.0, "{}", outcomes[1].seconds);
    }

    #[test]
    fn a_wrong_scenario_is_refused() {
        for text in
            ["orders: []", "orders: [bfs]", "pace: 1", "web: {generated: {pages: 0}}", "seeds: []", "["]
        {
            assert!(Scenario::parse(text).is_err(), "{text}");
        }
    }
}
