//! Simulations of what a project has crawled: orders compared, and what another order or pace would have brought.

use std::time::Duration;

use catalog::{ProjectEntry, RunId};
use crawl::CrawlError;
use frontier::tables::STATS;
use kv::Reader as _;
use model::{CrawlSettings, Order, PageUrl, ProjectName, Rate};
use serde::{Deserialize, Serialize};
use simulate::report::{self, Mean, Plot};
use simulate::{
    Download, Downloads, Expand, Of, Outcome, Plan, Scenario, SimWeb, SimulateError, Watch, WebSource,
};
use utoipa::ToSchema;

use crate::sink::Sink;
use crate::versions::KeptPages;
use crate::{Data, ServiceError};

/// What one's own crawl would have been, otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WhatIfRequest {
    /// Of this run's project.
    pub run: Option<i64>,
    /// Of this project; of the one that ran last unless said.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
    /// By this order; the one in force unless said.
    #[schema(value_type = Option<String>)]
    pub order: Option<Order>,
    /// At this rate; the one in force unless said.
    #[schema(value_type = Option<String>)]
    pub rate: Option<Rate>,
    /// On this topic, words and phrases: pages are judged by it anew, from what is kept of them. The one in force unless
    /// said.
    pub topic: Vec<String>,
}

/// Pages that are judged anew for one question: each is read from the archive, which takes about a millisecond.
const MOST_JUDGED: u64 = 200_000;

/// What a crawl would take and bring, by what is known of its sites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WhatIf {
    /// The order.
    pub order: String,
    /// Requests per host, where a rate is set.
    pub rate: Option<String>,
    /// The words of the topic that pages are judged by, where it has one.
    pub topic: Vec<String>,
    /// Pages that it fetches.
    pub pages: u64,
    /// URLs known to the crawl.
    pub known: u64,
    /// Seconds until it is done.
    pub seconds: f64,
    /// Requests that it sends.
    pub requests: u64,
    /// Bytes that it loads.
    pub bytes: u64,
    /// Of these pages, URLs that wait: taken for pages as large and slow as others of their host, without links.
    pub unknown: u64,
    /// Share of all PageRank that it gathers.
    pub mass: f64,
    /// Seconds until it has half, three quarters and nine tenths of that.
    pub mass_after: [f64; 3],
    /// Pages on topic that it fetches; none where there is no topic.
    pub on_topic: Option<u64>,
    /// Seconds until it has nine tenths of these.
    pub on_topic_after: Option<f64>,
    /// In plain words.
    pub words: String,
    /// What that is based on.
    pub basis: String,
}

/// Orders compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Simulated {
    /// Each order on each Web.
    pub outcomes: Vec<Outcome>,
    /// Each order over all Webs.
    pub means: Vec<Mean>,
    /// In plain words.
    pub verdict: String,
    /// Pictures.
    pub plots: Vec<Plot>,
    /// The table, for downloading.
    pub table_csv: String,
    /// The curves, for downloading.
    pub curves_csv: String,
}

/// A part of what is told of a simulation with its downloads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SimulatedRow {
    /// Lines of `downloads.csv`.
    Downloads(String),
    /// What came of all, in the end.
    Simulated(Box<Simulated>),
}

/// Simulates a scenario: over a generated Web, or over what a project has crawled. Files are for the command line.
pub fn simulate(data: &Data, scenario: &Scenario) -> Result<Simulated, ServiceError> {
    simulate_watched(data, scenario, &mut |_| true)
}

/// The same; `watch` is told of orders at work, and ends it by saying false.
pub fn simulate_watched(
    data: &Data,
    scenario: &Scenario,
    watch: Watch<'_>,
) -> Result<Simulated, ServiceError> {
    let mut outcomes = Vec::new();
    let mut each = |outcome: &Outcome, _: &SimWeb, _: &[Download], _: &[f64]| outcomes.push(outcome.clone());
    run(data, scenario, &mut each, watch)?;
    Ok(simulated(outcomes))
}

/// The same with the order of download: `downloads`, lines of CSV, and in the end `simulated`.
pub(crate) fn simulate_listed(
    data: &Data,
    scenario: &Scenario,
    out: &mut Sink<'_>,
) -> Result<(), ServiceError> {
    let mut outcomes = Vec::new();
    let mut sent = Ok(());
    let mut each = |outcome: &Outcome, web: &SimWeb, downloads: &[Download], ranks: &[f64]| {
        outcomes.push(outcome.clone());
        report::downloads_csv(outcome, web, downloads, ranks, &mut |part| {
            if sent.is_ok() {
                sent = out.send(&SimulatedRow::Downloads(part));
            }
        });
    };
    run(data, scenario, &mut each, &mut |_| true)?;
    sent?;
    out.send(&SimulatedRow::Simulated(Box::new(simulated(outcomes))))
}

fn run(data: &Data, scenario: &Scenario, each: Downloads<'_>, watch: Watch<'_>) -> Result<(), ServiceError> {
    scenario.check().map_err(wrong)?;
    match &scenario.web {
        WebSource::Crawl(name) => {
            let name: ProjectName = name
                .parse()
                .map_err(|_| ServiceError::Settings(format!("{name:?} is no name of a project")))?;
            let entry = data.project(Some(&name))?;
            let needs_topic = scenario.orders.iter().any(|order| order.needs_topic());
            let needs_topic = needs_topic || scenario.expand == Expand::Relevant;
            let own = &entry.project.crawl;
            scenario.by_topic().iter().try_for_each(|(number, one)| {
                let (mut web, _) = web_by(data, &entry, own, &one.topic, needs_topic)?;
                web.begin_at(&one.start).map_err(wrong)?;
                one.on(&web, number.map_or(Of::Crawl(own), Of::Seed), each, watch).map_err(wrong)
            })
        }
        WebSource::Generated(_) => scenario.run_watched(each, watch).map_err(wrong),
        WebSource::Edges(_) | WebSource::Warc(_) => Err(ServiceError::Settings(
            "lists of edges and WARC files are simulated by \"gannet simulate\"".to_owned(),
        )),
    }
}

/// What came of outcomes.
pub fn simulated(outcomes: Vec<Outcome>) -> Simulated {
    Simulated {
        means: report::means(&outcomes),
        verdict: report::verdict(&outcomes),
        plots: report::plots(&outcomes),
        table_csv: report::table_csv(&outcomes),
        curves_csv: report::curves_csv(&outcomes),
        outcomes,
    }
}

/// What a project's crawl would take by another order or at another rate. From a blocking thread.
pub fn what_if(data: &Data, request: &WhatIfRequest) -> Result<WhatIf, ServiceError> {
    let entry = match request.run {
        Some(run) => data.project_of_run(RunId(run))?,
        None => data.project(request.project.as_ref())?,
    };
    let mut settings = entry.project.crawl.clone();
    if let Some(live) = data.live_runs().into_iter().find(|live| live.crawl == entry.crawl) {
        live.given().apply(&mut settings);
    }
    settings.order = request.order.unwrap_or(settings.order);
    settings.rate = request.rate.or(settings.rate);
    let needs_topic = settings.order.needs_topic();
    let (web, judged) = web_by(data, &entry, &settings, &request.topic, needs_topic)?;
    if !request.topic.is_empty() {
        (settings.topic, settings.topic_examples) = (request.topic.clone(), Vec::new());
    }
    match crawl::topic_of(&settings) {
        Ok(_) => {}
        Err(CrawlError::NoTopic(order)) => {
            return Err(ServiceError::Settings(format!(
                "order {order} goes by a topic, and this crawl has none: name its words, --topic (in the API: topic)"
            )));
        }
        Err(error) => return Err(ServiceError::Settings(error.to_string())),
    }
    let is_own = settings == entry.project.crawl;
    predict(web, settings, is_own, judged)
}

/// The Web as a project has met it, with how many of its pages were judged anew: by these words where they are not those
/// of the settings in force, or by the topic of these where an order needs one and no page was judged.
fn web_by(
    data: &Data,
    entry: &ProjectEntry,
    settings: &CrawlSettings,
    words: &[String],
    needs_topic: bool,
) -> Result<(SimWeb, Option<u64>), ServiceError> {
    let mut settings = CrawlSettings { order: Order::BREADTH_FIRST, ..settings.clone() };
    let is_other = !words.is_empty() && (settings.topic != words || !settings.topic_examples.is_empty());
    if is_other {
        (settings.topic, settings.topic_examples) = (words.to_vec(), Vec::new());
    } else {
        let web = web_of(data, entry)?;
        if !needs_topic || web.has_topic() {
            return Ok((web, None));
        }
    }
    let topic = crawl::topic_of(&settings).map_err(|error| ServiceError::Settings(error.to_string()))?;
    let Some(topic) = topic else {
        return match is_other {
            true => {
                Err(ServiceError::Settings(format!("topic {:?} has no word to look for", words.join(", "))))
            }
            // Whoever needs one says so.
            false => Ok((web_of(data, entry)?, None)),
        };
    };
    let snapshot = data.store().snapshot();
    let kept = snapshot.get(&STATS, &entry.crawl.0)?.map_or(0, |stats| stats.pages());
    if kept > MOST_JUDGED {
        return Err(ServiceError::Settings(format!(
            "{kept} pages are too many to be judged by another topic for one question, {MOST_JUDGED} at most: give the \
             project this topic, and crawl on"
        )));
    }
    let pages = KeptPages::of(data, entry)?;
    let mut judged = 0;
    let mut judge = |url: &PageUrl| {
        // What cannot be read is on no topic; `gannet check` names it.
        let page = pages.latest(&snapshot, entry.crawl, url).ok()?;
        judged += 1;
        Some(topic.relevance(&page.title, &page.text).share as f32)
    };
    let web = simulate::of_crawl_judged(&snapshot, entry.crawl, &begins(entry), &topic, &mut judge);
    let web = web.map_err(wrong)?;
    if judged == 0 {
        let words = "no page of this crawl is kept that could be judged by the topic: crawl first";
        return Err(ServiceError::Settings(words.to_owned()));
    }
    Ok((web, Some(judged)))
}

/// How fast hosts are asked, in words.
pub(crate) fn pace(rate: Option<Rate>) -> String {
    match rate {
        None => "at the pace the sites ask for".to_owned(),
        Some(Rate::Unlimited) => "without pauses".to_owned(),
        Some(rate) => format!("at {rate} per host"),
    }
}

fn predict(
    mut web: SimWeb,
    settings: CrawlSettings,
    is_own: bool,
    judged: Option<u64>,
) -> Result<WhatIf, ServiceError> {
    let waiting = web.take_unknown_for_pages();
    let web = &web;
    let order = settings.order;
    let rate = settings.rate;
    let topic = settings.topic.clone();
    // A crawl that is done, as it was done, takes what it took.
    let plan = Plan { replay: is_own && waiting.is_empty(), ..plan_of(web, settings) };
    let run = simulate::run(web, &plan).map_err(wrong)?;
    let ranks = simulate::ranks(web).map_err(wrong)?;
    let outcome = simulate::outcome(order.to_string(), None, web, &run, &ranks, plan.workers);
    let mass = outcome.mass[3];
    let after = |share: f64| {
        let point = outcome.curve.iter().find(|point| point.mass >= share * mass);
        point.map_or(outcome.seconds, |point| point.seconds)
    };
    let mass_after = [0.5, 0.75, 0.9].map(after);
    let on_topic = outcome.relevant.map(|relevant| relevant[3]);
    let on_topic_after = on_topic.map(|all| {
        let point = outcome.curve.iter().find(|point| point.relevant as f64 >= 0.9 * all as f64);
        point.map_or(outcome.seconds, |point| point.seconds)
    });
    let pace = pace(rate);
    let mut words = format!(
        "{order} {pace}: {} of {} known pages, {:.0} % of link mass, in {}; nine tenths of that after {}; {}{} requests, \
         {:.1} MB.",
        outcome.pages,
        web.pages(),
        100.0 * mass,
        report::lasting(outcome.seconds),
        report::lasting(mass_after[2]),
        match (on_topic, on_topic_after) {
            (Some(0), _) => "none on topic; ".to_owned(),
            (Some(pages), Some(after)) => {
                format!("{pages} on topic, nine tenths of them after {}; ", report::lasting(after))
            }
            _ => String::new(),
        },
        run.requests,
        run.bytes as f64 / 1e6
    );
    let most = plan.settings.max_pages;
    if most > 0 && outcome.pages >= most && u64::from(web.pages()) > most {
        words.push_str(&format!(" It ends there by max_pages, {most}."));
    }
    let unknown = run.fetched.iter().filter(|done| waiting.binary_search(&done.page).is_ok()).count() as u64;
    let mut basis =
        format!("The {} URLs that this crawl has met, their links, and how long each answered.", web.pages());
    if unknown > 0 {
        basis.push_str(&format!(
            " {unknown} of the pages are URLs that wait: they are taken for pages like others of their host, and what \
             they lead to is not counted."
        ));
    }
    if let Some(judged) = judged {
        basis.push_str(&format!(" {judged} pages were judged anew, by what is kept of them."));
    }
    Ok(WhatIf {
        order: order.to_string(),
        rate: rate.map(|rate| rate.to_string()),
        topic,
        pages: outcome.pages,
        known: u64::from(web.pages()),
        seconds: outcome.seconds,
        requests: run.requests,
        bytes: run.bytes,
        unknown,
        mass,
        mass_after,
        on_topic,
        on_topic_after,
        words,
        basis,
    })
}

/// A crawl of what a project has met, as the project would do it.
pub(crate) fn plan_of(web: &SimWeb, settings: CrawlSettings) -> Plan {
    Plan {
        seeds: web.seeds().to_vec(),
        workers: settings.connections as usize,
        latency: Duration::from_millis(300),
        by_rules: true,
        queue: 0,
        expand: Expand::All,
        time: settings.walltime.limit(),
        replay: false,
        settings,
    }
}

/// The Web as a project has met it.
pub(crate) fn web_of(data: &Data, entry: &ProjectEntry) -> Result<SimWeb, ServiceError> {
    sample_of(data, entry, 1)
}

/// The same of one URL in so many.
pub(crate) fn sample_of(data: &Data, entry: &ProjectEntry, every: u64) -> Result<SimWeb, ServiceError> {
    let topic =
        crawl::topic_of(&CrawlSettings { order: Order::BREADTH_FIRST, ..entry.project.crawl.clone() });
    let topic = topic.map_err(|error| ServiceError::Settings(error.to_string()))?;
    let snapshot = data.store().snapshot();
    simulate::of_sample(&snapshot, entry.crawl, &begins(entry), topic.as_ref(), every).map_err(wrong)
}

/// Where a project's crawl begins.
fn begins(entry: &ProjectEntry) -> Vec<PageUrl> {
    let settings = &entry.project.crawl;
    entry.project.start.iter().chain(&settings.sitemaps).chain(&settings.feeds).cloned().collect()
}

pub(crate) fn wrong(error: SimulateError) -> ServiceError {
    ServiceError::Settings(error.to_string())
}
