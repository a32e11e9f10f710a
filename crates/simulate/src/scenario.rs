//! What to simulate, as a file says: a Web, orders, and the pace.

use std::collections::HashSet;
use std::path::PathBuf;

use judge::topic::{Method, Topic, TopicChoice, Weights};
use model::{CrawlSettings, Order, Policy, Rate, Span};
use serde::{Deserialize, Serialize};

use crate::figures::{Point, curve, fresh, harvest, load};
use crate::sources::of_edges;
use crate::warc::of_warc;
use crate::{
    Download, Expand, Plan, PowerLaw, Run, SimWeb, SimulateError, best_possible, hourly, mass, ranks,
    run_watched,
};

/// A simulation, as its file describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scenario {
    /// Where the pages come from.
    pub web: WebSource,
    /// The orders to compare.
    pub orders: Vec<Order>,
    /// Seeds of generated Webs: each is crawled by each order.
    pub seeds: Vec<u64>,
    /// Where crawls begin: names of the list, or URLs; the Web's own begin unless said. Not for generated Webs.
    pub start: Vec<String>,
    /// Words of a topic, for WARC files, or for a crawl in place of its own.
    pub topic: Vec<String>,
    /// Several topics instead: each is a set of pages to begin at, and each is crawled by each order. Not for generated
    /// Webs, which have seeds.
    pub topics: Vec<SeedSet>,
    /// Pages to fetch; 0 = all that can be reached.
    pub pages: u64,
    /// Simulated time to crawl; 0 = until the end.
    pub time: Span,
    /// Requests per host; without, hosts get the pauses of a crawl.
    pub rate: Option<Rate>,
    /// Fetches at once.
    pub workers: usize,
    /// How long a fetch takes where the Web does not say.
    pub latency: Span,
    /// URLs chosen at once, the next when all are fetched; 0 = as in a real crawl.
    pub queue: usize,
    /// Which pages' links are followed.
    pub expand: Expand,
}

/// A topic as paper S2 has it: where crawls begin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SeedSet {
    /// Names of the list, or URLs.
    pub start: Vec<String>,
    /// Its words, as in a simulation of one topic.
    pub topic: Vec<String>,
}

/// Where the pages of a simulation come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum WebSource {
    /// Made up by these numbers.
    Generated(Shape),
    /// A list of edges.
    Edges(PathBuf),
    /// WARC files.
    Warc(Vec<PathBuf>),
    /// What the project of this name has crawled.
    Crawl(String),
}

/// A generated Web, but for its seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Share of pages on topic.
    pub topic: f64,
    /// How often pages on topic stand together.
    pub together: f64,
    /// How often a link to a page on topic says so.
    pub telling: f64,
    /// Share of pages that fail.
    pub failures: f64,
    /// How often a page changes in a simulated day, on the average.
    pub changes: f64,
    /// How long the slowest host takes; 0 = all take `latency`.
    pub slowest: Span,
}

/// What came of one order on one Web.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The order; `best possible` for that of who knows all ranks.
    pub order: String,
    /// The Web's seed, if it was generated; of several topics the number, from 1.
    pub seed: Option<u64>,
    /// Pages fetched.
    pub pages: u64,
    /// Pages of the Web, fetched or not.
    #[serde(default)]
    pub known: u64,
    /// Of all PageRank, what the first tenth, quarter and half of the pages of the Web hold, and all that were fetched.
    pub mass: [f64; 4],
    /// Pages on topic among the same; none where there is no topic.
    pub relevant: Option<[u64; 4]>,
    /// How long it took, in simulated seconds.
    pub seconds: f64,
    /// Pages in a simulated second; none where it took no time.
    pub pages_per_second: Option<f64>,
    /// Share of the pages that are at the end as they were fetched; none where no page changes.
    #[serde(default)]
    pub fresh: Option<f64>,
    /// Pages and their mean PageRank, that of all being 1, in each hour.
    pub hourly: Vec<(u64, f64)>,
    /// Pages that each worker fetched.
    pub load: Vec<u64>,
    /// The way there.
    pub curve: Vec<Point>,
}

/// What a Web is made of.
#[derive(Clone, Copy, Debug)]
pub enum Of<'a> {
    /// Of a seed; or begun at the pages of the topic of this number.
    Seed(u64),
    /// Of files.
    Files,
    /// Of a crawl with these settings: where a simulation has the same, it begins requests when the crawl did.
    Crawl(&'a CrawlSettings),
}

/// Told how far an order is, about twenty times; ends the simulation by saying false.
pub type Watch<'a> = &'a mut dyn FnMut(&Outcome) -> bool;

/// How often a simulation at work is told of.
const TOLD: u64 = 20;

/// What an order fetched: page, URL, when, by which worker, and its PageRank.
pub type Downloads<'a> = &'a mut dyn FnMut(&Outcome, &SimWeb, &[Download], &[f64]);

impl Default for Scenario {
    fn default() -> Scenario {
        Scenario {
            web: WebSource::Generated(Shape::default()),
            orders: vec![Order::BREADTH_FIRST, Order::BEST_FIRST],
            seeds: vec![1],
            start: Vec::new(),
            topic: Vec::new(),
            topics: Vec::new(),
            pages: 0,
            time: Span::default(),
            rate: None,
            workers: 1,
            latency: Span::from_millis(100),
            queue: 0,
            expand: Expand::All,
        }
    }
}

impl Default for Shape {
    fn default() -> Shape {
        let usual = PowerLaw::default();
        Shape {
            pages: usual.pages,
            hosts: usual.hosts,
            links: usual.links,
            skew: usual.skew,
            topic: usual.topic,
            together: usual.together,
            telling: usual.telling,
            failures: usual.failures,
            changes: usual.changes,
            slowest: Span::default(),
        }
    }
}

impl Shape {
    fn web(&self, seed: u64) -> SimWeb {
        PowerLaw {
            seed,
            pages: self.pages,
            hosts: self.hosts,
            links: self.links,
            skew: self.skew,
            topic: self.topic,
            together: self.together,
            telling: self.telling,
            failures: self.failures,
            changes: self.changes,
            slowest: self.slowest.duration().as_millis() as u32,
        }
        .web()
    }
}

/// The largest Web that is made up.
const MOST_PAGES: u32 = 20_000_000;

/// Topics at most: for each the Web is read again.
const MOST_TOPICS: usize = 100;

/// Workers at most.
const MOST_WORKERS: usize = 10_000;

impl Scenario {
    /// Reads a file's text.
    pub fn parse(text: &str) -> Result<Scenario, SimulateError> {
        let scenario: Scenario =
            serde_saphyr::from_str(text).map_err(|error| SimulateError::Scenario(error.to_string()))?;
        scenario.check()?;
        Ok(scenario)
    }

    /// Refuses what cannot be simulated.
    pub fn check(&self) -> Result<(), SimulateError> {
        let wrong = |what: &str| Err(SimulateError::Scenario(what.to_owned()));
        let is_timed = |order: &&Order| order.has(Policy::TimedBreadthFirst);
        if let Some(order) = self.orders.iter().find(is_timed).filter(|_| self.time.limit().is_none()) {
            return wrong(&format!("order {order} goes by the time that is left; say how much, time: 1h"));
        }
        if self.orders.is_empty() || self.seeds.is_empty() {
            return wrong("orders and seeds name at least one each");
        }
        if self.workers == 0 || self.workers > MOST_WORKERS {
            return wrong("workers are 1 to 10000");
        }
        if let WebSource::Generated(shape) = &self.web {
            if shape.pages == 0 || shape.pages > MOST_PAGES || shape.hosts == 0 || shape.hosts > shape.pages {
                return wrong("web: pages are 1 to 20000000, hosts 1 to as many as pages");
            }
            if !(0.0..=100.0).contains(&shape.links) || !(1.0..=10.0).contains(&shape.skew) {
                return wrong("web: links are 0 to 100, skew is 1 to 10");
            }
            let shares = [shape.topic, shape.together, shape.telling, shape.failures];
            if shares.iter().any(|share| !(0.0..=1.0).contains(share)) {
                return wrong("web: topic, together, telling and failures are 0 to 1");
            }
            if !(0.0..=1e6).contains(&shape.changes) {
                return wrong("web: changes are 0 to 1000000 a day");
            }
        }
        if matches!(self.web, WebSource::Generated(_)) && !self.start.is_empty() {
            return wrong("start: a generated web begins at its first page; leave it out");
        }
        if !self.topics.is_empty() {
            if matches!(self.web, WebSource::Generated(_)) {
                return wrong(
                    "topics: a generated web begins at its first page; several seeds make several webs",
                );
            }
            if !self.start.is_empty() || !self.topic.is_empty() {
                return wrong("topics: each has its own start and topic; leave those of all out");
            }
            if self.topics.len() > MOST_TOPICS {
                return wrong("topics: a hundred at most");
            }
            if self.topics.iter().any(|topic| topic.start.is_empty()) {
                return wrong("topics: each names the pages where it begins, {start: [a page]}");
            }
            return self.by_topic().iter().try_for_each(|(_, scenario)| scenario.check());
        }
        let wrong_topic = match &self.web {
            WebSource::Generated(_) => {
                Some("the topic of a generated web is a share, web: {generated: {topic: 0.1}}")
            }
            WebSource::Edges(_) => Some("a list of edges has no texts"),
            WebSource::Crawl(_) | WebSource::Warc(_) => None,
        };
        if let Some(why) = wrong_topic.filter(|_| !self.topic.is_empty()) {
            return wrong(&format!("topic: {why}; leave it out, it is for WARC files and crawls"));
        }
        self.check_topic(match &self.web {
            WebSource::Generated(shape) => shape.topic > 0.0,
            WebSource::Warc(_) => !self.topic.is_empty(),
            WebSource::Edges(_) => false,
            // Its own pages tell.
            WebSource::Crawl(_) => true,
        })
    }

    /// Refuses what goes by a topic where there is none.
    fn check_topic(&self, has_topic: bool) -> Result<(), SimulateError> {
        let order =
            self.orders.iter().find(|order| order.needs_topic()).map(|order| format!("order {order}"));
        let expand = (self.expand == Expand::Relevant).then(|| "expand: relevant".to_owned());
        match order.or(expand).filter(|_| !has_topic) {
            None => Ok(()),
            Some(what) => Err(SimulateError::NoTopic {
                what,
                give: match &self.web {
                    WebSource::Generated(_) => "give it a share of pages, web: {generated: {topic: 0.1}}",
                    WebSource::Edges(_) => "a list of edges has no texts; simulate WARC files or a crawl",
                    WebSource::Warc(_) | WebSource::Crawl(_) => "give its words, topic: [words]",
                },
            }),
        }
    }

    /// Runs every order on every Web that the scenario can make itself; `each` is told as they end.
    pub fn run(&self, each: Downloads<'_>) -> Result<(), SimulateError> {
        self.run_watched(each, &mut |_| true)
    }

    /// The same; `watch` is told of orders at work.
    pub fn run_watched(&self, each: Downloads<'_>, watch: Watch<'_>) -> Result<(), SimulateError> {
        let by_topic = self.by_topic();
        match &self.web {
            WebSource::Edges(path) => by_topic.iter().try_for_each(|(number, one)| {
                one.on(&of_edges(path, &one.start)?, number.map_or(Of::Files, Of::Seed), each, watch)
            }),
            WebSource::Warc(paths) => by_topic.iter().try_for_each(|(number, one)| {
                let topic = one.made_topic()?;
                let web = of_warc(paths, &one.start, topic.as_ref())?;
                one.on(&web, number.map_or(Of::Files, Of::Seed), each, watch)
            }),
            WebSource::Generated(shape) => self
                .seeds
                .iter()
                .try_for_each(|seed| self.on(&shape.web(*seed), Of::Seed(*seed), each, watch)),
            WebSource::Crawl(name) => Err(SimulateError::Scenario(format!("no crawl of {name} is at hand"))),
        }
    }

    /// The simulation of each topic, with its number where there are several.
    pub fn by_topic(&self) -> Vec<(Option<u64>, Scenario)> {
        if self.topics.is_empty() {
            return vec![(None, self.clone())];
        }
        let one = |of: &SeedSet| {
            let SeedSet { start, topic } = of.clone();
            Scenario { start, topic, topics: Vec::new(), ..self.clone() }
        };
        (1..).map(Some).zip(self.topics.iter().map(one)).collect()
    }

    /// Runs every order on a Web.
    pub fn on(
        &self,
        web: &SimWeb,
        of: Of<'_>,
        each: Downloads<'_>,
        watch: Watch<'_>,
    ) -> Result<(), SimulateError> {
        let seed = match of {
            Of::Seed(seed) => Some(seed),
            Of::Files | Of::Crawl(_) => None,
        };
        self.check_topic(web.has_topic())?;
        let ranks = ranks(web)?;
        let most = if self.pages == 0 { usize::MAX } else { self.pages as usize };
        let best = best_possible(web, web.seeds(), &ranks, most);
        let best: Vec<Download> =
            best.into_iter().map(|page| Download { page, millis: 0, worker: 0 }).collect();
        let best = Run { fetched: best, ..Run::default() };
        each(&outcome("best possible".to_owned(), seed, web, &best, &ranks, 1), web, &best.fetched, &ranks);
        let step = (best.fetched.len() as u64).div_ceil(TOLD).max(1);
        let mut orders = self.orders.clone();
        let mut seen = HashSet::new();
        orders.retain(|order| seen.insert(order.to_string()));
        for order in &orders {
            let outcome_of = |run: &Run| outcome(order.to_string(), seed, web, run, &ranks, self.workers);
            let mut so_far = Run::default();
            let mut stopped = false;
            let done = run_watched(web, &self.plan(web, of, *order), &mut |download| {
                so_far.fetched.push(*download);
                stopped = (so_far.fetched.len() as u64).is_multiple_of(step) && !watch(&outcome_of(&so_far));
                !stopped
            })?;
            if stopped {
                return Err(SimulateError::Stopped);
            }
            each(&outcome_of(&done), web, &done.fetched, &ranks);
        }
        Ok(())
    }

    /// The crawl's own settings, if they are what is to be simulated.
    fn own<'a>(&self, of: Of<'a>, order: Order) -> Option<&'a CrawlSettings> {
        let Of::Crawl(own) = of else { return None };
        let is_own = (order, self.rate, self.workers) == (own.order, own.rate, own.connections as usize);
        let as_crawled =
            self.queue == 0 && self.expand == Expand::All && self.start.is_empty() && self.topic.is_empty();
        let pages = self.pages == 0 || self.pages == own.max_pages;
        let time = self.time.limit().is_none() || self.time.limit() == own.walltime.limit();
        (is_own && as_crawled && pages && time).then_some(own)
    }

    fn plan(&self, web: &SimWeb, of: Of<'_>, order: Order) -> Plan {
        if let Some(own) = self.own(of, order) {
            return Plan {
                seeds: web.seeds().to_vec(),
                settings: own.clone(),
                by_rules: true,
                workers: self.workers,
                latency: self.latency.duration(),
                queue: 0,
                expand: Expand::All,
                time: own.walltime.limit(),
                replay: true,
            };
        }
        let settings = CrawlSettings {
            order,
            rate: self.rate,
            max_pages: self.pages,
            max_depth: 0,
            ..CrawlSettings::default()
        };
        Plan {
            seeds: web.seeds().to_vec(),
            settings,
            by_rules: false,
            workers: self.workers,
            latency: self.latency.duration(),
            queue: self.queue,
            expand: self.expand,
            time: self.time.limit(),
            replay: false,
        }
    }

    fn made_topic(&self) -> Result<Option<Topic>, SimulateError> {
        let choice = TopicChoice {
            words: self.topic.clone(),
            examples: Vec::new(),
            language: None,
            method: Method::Auto,
            threshold: None,
            weights: Weights::default(),
        };
        Topic::new(&choice).map_err(|error| SimulateError::Scenario(error.to_string()))
    }
}

/// What came of a run.
pub fn outcome(
    order: String,
    seed: Option<u64>,
    web: &SimWeb,
    run: &Run,
    ranks: &[f64],
    workers: usize,
) -> Outcome {
    let all = ranks.len();
    let pages = run.order();
    let parts = [all / 10, all / 4, all / 2, all];
    let seconds = run.fetched.last().map_or(0.0, |done| done.millis as f64 / 1e3);
    Outcome {
        order,
        seed,
        pages: pages.len() as u64,
        known: all as u64,
        mass: parts.map(|count| mass(&pages, ranks, count)),
        relevant: web.has_topic().then(|| parts.map(|count| harvest(web, &pages, count))),
        seconds,
        pages_per_second: (seconds > 0.0).then(|| pages.len() as f64 / seconds),
        fresh: fresh(web, run),
        hourly: hourly(run, ranks),
        load: load(run, workers),
        curve: curve(web, run, ranks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(text: &str) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        let scenario = Scenario::parse(text).unwrap();
        scenario.run(&mut |outcome, _, _, _| outcomes.push(outcome.clone())).unwrap();
        outcomes
    }

    #[test]
    fn a_scenario_is_read_and_run() {
        let text = "web: {generated: {pages: 300, hosts: 3}}\norders: [random, 0.5 pagerank + 0.5 location]\n\
                    seeds: [4, 5]\npages: 100\nrate: 2/s\nworkers: 4\nlatency: 50ms\n";
        let outcomes = outcomes(text);
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
        assert_eq!(outcomes[1].load.iter().sum::<u64>(), 100);
        assert!(outcomes[1].pages_per_second.is_some_and(|speed| speed <= 6.1));
        let end = outcomes[1].curve.last().unwrap();
        assert_eq!((end.pages, end.mass), (100, outcomes[1].mass[3]));
    }

    #[test]
    fn failures_slow_hosts_and_a_budget_of_time_count() {
        let shape =
            "web: {generated: {pages: 300, hosts: 3, failures: 0.2, slowest: 2s}}\norders: [breadth-first]\n";
        let all = outcomes(shape);
        assert!((180..300).contains(&all[1].pages), "{}", all[1].pages);
        let soon = outcomes(&format!("{shape}time: 60s\n"));
        assert!(soon[1].seconds <= 60.0 && soon[1].pages < all[1].pages, "{}", soon[1].seconds);
    }

    #[test]
    fn without_a_rate_hosts_get_the_pauses_of_a_crawl() {
        // Answers of 100 ms, and the usual second after each.
        for (rate, seconds) in [("", 21.0), ("rate: unlimited\n", 2.0), ("rate: 2/s\n", 9.6)] {
            let text = format!("web: {{generated: {{pages: 20}}}}\norders: [breadth-first]\n{rate}");
            assert_eq!(outcomes(&text)[1].seconds, seconds, "{rate}");
        }
    }

    /// Two chains apart from each other, of three and of five pages.
    #[test]
    fn several_topics_are_each_crawled_from_where_they_begin_and_averaged() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("edges.tsv");
        std::fs::write(&path, "a1 a2\na2 a3\nb1 b2\nb2 b3\nb3 b4\nb4 b5\n").unwrap();
        let text = format!(
            "web: {{edges: {}}}\norders: [breadth-first]\ntopics: [{{start: [a1]}}, {{start: [b1, a3]}}]\n",
            path.display()
        );
        let outcomes = outcomes(&text);
        let told: Vec<(&str, Option<u64>, u64, u64)> =
            outcomes.iter().map(|one| (one.order.as_str(), one.seed, one.pages, one.known)).collect();
        let (best, broad) = ("best possible", "breadth-first");
        assert_eq!(
            told,
            [(best, Some(1), 3, 8), (broad, Some(1), 3, 8), (best, Some(2), 6, 8), (broad, Some(2), 6, 8)]
        );
        let means = crate::report::means(&outcomes);
        assert_eq!((means[1].webs, means[1].pages), (2, (4.5, 4.5f64.sqrt())));
    }

    #[test]
    fn the_same_order_twice_is_one() {
        let text = "web: {generated: {pages: 30}}\norders: [pagerank, random, best-first]\n";
        let orders: Vec<String> = outcomes(text).into_iter().map(|outcome| outcome.order).collect();
        assert_eq!(orders, ["best possible", "pagerank", "random"]);
    }

    #[test]
    fn a_simulation_at_work_is_watched_and_ended() {
        let text = "web: {generated: {pages: 400}}\norders: [breadth-first, random]\n";
        let scenario = Scenario::parse(text).unwrap();
        let mut told = Vec::new();
        let watch = &mut |outcome: &Outcome| {
            told.push((outcome.order.clone(), outcome.pages));
            told.len() < 30
        };
        let ended = scenario.run_watched(&mut |_, _, _, _| (), watch);
        assert!(matches!(ended, Err(SimulateError::Stopped)));
        assert_eq!(told[0], ("breadth-first".to_owned(), 20));
        assert_eq!((told[19].1, told[20].1, told.len()), (400, 20, 30));
    }

    #[test]
    fn a_slow_crawl_of_a_changing_web_is_less_fresh() {
        let text = "web: {generated: {pages: 300, hosts: 3, changes: 1}}\norders: [breadth-first]\n";
        let (slow, quick) =
            (outcomes(&format!("{text}rate: 1/h\n")), outcomes(&format!("{text}rate: 1/s\n")));
        let (slow, quick) = (slow[1].fresh.unwrap(), quick[1].fresh.unwrap());
        assert!((0.2..0.7).contains(&slow) && (0.99..1.0).contains(&quick), "{slow} {quick}");
        assert_eq!(outcomes("web: {generated: {pages: 30}}\n")[1].fresh, None);
    }

    #[test]
    fn a_queue_is_filled_when_it_is_empty() {
        let text = "web: {generated: {pages: 400}}\norders: [backlink]\nrate: unlimited\n";
        let (one, many) = (outcomes(&format!("{text}queue: 1\n")), outcomes(&format!("{text}queue: 50\n")));
        assert_eq!((one[1].pages, many[1].pages), (400, 400));
        // Chosen fifty at a time, pages are chosen by older knowledge.
        assert!(one[1].mass[0] > many[1].mass[0], "{:?} {:?}", one[1].mass, many[1].mass);
    }

    #[test]
    fn only_relevant_pages_may_be_expanded() {
        let text = "web: {generated: {pages: 2000, topic: 0.1}}\norders: [breadth-first]\n";
        let (all, relevant) = (outcomes(text), outcomes(&format!("{text}expand: relevant\n")));
        assert_eq!(all[1].pages, 2_000);
        assert!(relevant[1].pages < 2_000);
        let share = |outcome: &Outcome| outcome.relevant.unwrap()[3] as f64 / outcome.pages as f64;
        assert!(share(&relevant[1]) > 2.0 * share(&all[1]));
    }

    #[test]
    fn what_goes_by_a_topic_is_refused_where_there_is_none() {
        for (text, named, advice) in [
            ("orders: [breadth-first, topic]", "order topic ", "web: {generated: {topic: 0.1}}"),
            ("orders: [0.5 relevance + 0.5 opic]", "relevance", "web: {generated: {topic: 0.1}}"),
            ("expand: relevant", "expand: relevant ", "web: {generated: {topic: 0.1}}"),
            ("web: {warc: [a.warc]}\norders: [topic]", "order topic ", "topic: [words]"),
            ("web: {edges: links.tsv}\norders: [relevance]", "order relevance ", "no texts"),
        ] {
            let error = Scenario::parse(text).unwrap_err().to_string();
            assert!(error.contains(named) && error.contains(advice), "{text}: {error}");
        }
        // Of a crawl only its pages tell.
        let scenario = Scenario::parse("web: {crawl: shop}\norders: [topic]").unwrap();
        let web = PowerLaw { pages: 10, ..PowerLaw::default() }.web();
        let mut told = 0;
        let refused = scenario.on(&web, Of::Files, &mut |_, _, _, _| told += 1, &mut |_| true);
        assert!(matches!(refused, Err(SimulateError::NoTopic { .. })) && told == 0);
    }

    #[test]
    fn a_wrong_scenario_is_refused() {
        for text in [
            "orders: []",
            "orders: [bfs]",
            "pace: 1",
            "web: {generated: {pages: 0}}",
            "web: {generated: {topic: 2}}",
            "web: {generated: {changes: -1}}",
            "seeds: []",
            "workers: 0",
            "orders: [timed-breadth-first]",
            "expand: some",
            "start: [a]",
            "topic: [boat]",
            "web: {edges: links.tsv}\ntopic: [boat]",
            "topics: [{start: [a]}]",
            "web: {edges: links.tsv}\ntopics: [{start: []}]",
            "web: {edges: links.tsv}\ntopics: [{start: [a], topic: [boat]}]",
            "web: {edges: links.tsv}\ntopics: [{start: [a]}]\nstart: [b]",
            "web: {warc: [a.warc]}\norders: [topic]\ntopics: [{start: [a], topic: [boat]}, {start: [b]}]",
            "[",
        ] {
            assert!(Scenario::parse(text).is_err(), "{text}");
        }
    }
}
