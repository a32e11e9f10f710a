//! What a run's pages are worth, hour by hour, how relevant they are, and how long the rest will take.

use archive::tables::VISITS;
use catalog::{ProjectEntry, Run, RunId};
use crawl::{LinkGraph, LinkWeights};
use frontier::tables::{RELEVANCE, STATS, URLS, relevance_of};
use graph::{PageRank, Preference};
use kv::{Reader, Snapshot};
use model::{ErrorKind, HostKey, Timestamp, UrlKey};
use serde::{Deserialize, Serialize};
use simulate::report::lasting;
use utoipa::ToSchema;

use crate::simulations::{pace, plan_of, sample_of, wrong};
use crate::{Data, ServiceError};

const HOUR: u64 = 3_600_000;
const QUARTER: u64 = HOUR / 4;

/// Hours of a run that are told: a clock that was set while it ran makes no list of years.
const MOST_HOURS: u64 = 100_000;

/// Pages whose relevance is told one by one: the latest.
const SINGLE_PAGES: usize = 2_000;

/// Pages of a block.
const BLOCK: usize = 100;

/// URLs that are simulated for a forecast beside a crawl at work; of more, a sample.
const MOST_URLS: u64 = 300_000;

/// The share, of the link mass that a crawl gathers, whose moment is told.
const MOST_OF_IT: f64 = 0.9;

/// The share of all link mass that is as good as all.
const ALL_OF_IT: f64 = 0.995;

/// What the pages of a run are worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Outlook {
    /// Mean PageRank of the pages of each hour.
    pub hours: Vec<RankHour>,
    /// What was found and fetched in each quarter of an hour.
    pub quarters: Vec<Quarter>,
    /// Relevance of the latest pages, in the order in which they were fetched; empty without a topic.
    pub relevance: Vec<f64>,
    /// Mean relevance of every hundred pages; empty without a topic.
    pub relevance_blocks: Vec<f64>,
}

/// The pages that a run fetched in one hour.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RankHour {
    /// Its number, from 1.
    pub hour: u64,
    /// How many.
    pub pages: u64,
    /// Their mean rank, where that of all known pages is 1.
    pub mean: f64,
}

/// What a run did in a quarter of an hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Quarter {
    /// URLs met for the first time.
    pub discovered: u64,
    /// Pages fetched.
    pub fetched: u64,
    /// Those on topic.
    pub on_topic: u64,
}

/// How long a crawl takes, by what is known of its sites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Forecast {
    /// In plain words; none when nothing is known yet.
    pub words: Option<String>,
    /// What that is based on.
    pub basis: String,
    /// Pages of the whole crawl.
    pub pages: u64,
    /// Seconds that the whole crawl takes.
    pub seconds: f64,
    /// A share of all link mass: nine tenths of what the crawl gathers in the end.
    pub share: f64,
    /// Seconds after which the pages fetched hold it.
    pub share_seconds: f64,
    /// The share that it gathers in the end: less than all where limits or refusals leave pages out.
    pub share_in_the_end: f64,
}

/// What the pages of a run are worth. From a blocking thread.
pub fn outlook(data: &Data, id: RunId, now: Timestamp) -> Result<Outlook, ServiceError> {
    let (run, _) = entry_of(data, id)?;
    let snapshot = data.store().snapshot();
    let end = run.ended_at.unwrap_or(now);
    let fetched = fetched(&snapshot, &run, end)?;
    let mut quarters: Vec<Quarter> = Vec::new();
    let mut quarter = |at: u64, count: &dyn Fn(&mut Quarter)| {
        let place = (at.saturating_sub(run.started_at.0) / QUARTER) as usize;
        if place as u64 >= 4 * MOST_HOURS {
            return;
        }
        if quarters.len() <= place {
            quarters.resize(place + 1, Quarter::default());
        }
        count(&mut quarters[place]);
    };
    for row in snapshot.prefix(&URLS, &run.crawl.0) {
        let (_, record) = row?;
        if run.started_at <= record.found && record.found <= end {
            quarter(record.found.0, &|quarter| quarter.discovered += 1);
        }
    }
    let mut relevance = Vec::new();
    for (start, key) in &fetched {
        let mark = snapshot.get(&RELEVANCE, &frontier::page_key(run.crawl, *key))?;
        let on_topic = mark.is_some_and(|mark| relevance_of(mark).1);
        quarter(*start, &|quarter| {
            quarter.fetched += 1;
            quarter.on_topic += u64::from(on_topic);
        });
        relevance.extend(mark.map(|mark| relevance_of(mark).0));
    }
    let relevance_blocks =
        relevance.chunks(BLOCK).map(|block| block.iter().sum::<f64>() / block.len() as f64).collect();
    let latest = relevance.len().saturating_sub(SINGLE_PAGES);
    Ok(Outlook {
        hours: by_hour(&snapshot, &run, &fetched)?.0,
        quarters,
        relevance: relevance.split_off(latest),
        relevance_blocks,
    })
}

/// The pages that a run fetched, in the order of their requests.
pub(crate) fn fetched(
    snapshot: &Snapshot,
    run: &Run,
    end: Timestamp,
) -> Result<Vec<(u64, UrlKey)>, ServiceError> {
    let mut fetched = Vec::new();
    for row in snapshot.prefix(&VISITS, &run.crawl.0) {
        let ((_, host, page, start), visit) = row?;
        let failed = visit.error.is_some_and(|error| !matches!(error, ErrorKind::Unread(_)));
        let is_page = !failed && visit.status.is_some_and(|status| (200..300).contains(&status));
        if is_page && run.started_at.0 <= start && start <= end.0 {
            fetched.push((start, UrlKey { host: HostKey(host), page }));
        }
    }
    fetched.sort_unstable();
    Ok(fetched)
}

/// Mean rank of these pages of a run, hour by hour, and the pages and links that it was computed of.
pub(crate) fn by_hour(
    snapshot: &Snapshot,
    run: &Run,
    fetched: &[(u64, UrlKey)],
) -> Result<(Vec<RankHour>, u64, u64), ServiceError> {
    let pages = LinkGraph::read(snapshot, run.crawl, &LinkWeights::default())?;
    let ranks = PageRank::default().of(&pages.links, Preference::Even).values;
    let mut hours: Vec<RankHour> = Vec::new();
    for (start, key) in fetched {
        let hour = 1 + (start - run.started_at.0) / HOUR;
        let Some(number) = pages.number(*key).filter(|_| hour <= MOST_HOURS) else { continue };
        // They come in the order of time.
        if hours.last().is_none_or(|last| last.hour != hour) {
            hours.push(RankHour { hour, pages: 0, mean: 0.0 });
        }
        if let Some(last) = hours.last_mut() {
            last.pages += 1;
            last.mean += ranks[number as usize] * ranks.len() as f64;
        }
    }
    hours.iter_mut().for_each(|hour| hour.mean /= hour.pages as f64);
    Ok((hours, u64::from(pages.links.pages()), pages.links.arcs()))
}

/// How long a run's crawl takes as a whole, and when it has most of what matters. From a blocking thread.
pub fn forecast(data: &Data, id: RunId) -> Result<Forecast, ServiceError> {
    forecast_of(data, id, MOST_URLS)
}

/// The same by no more than about so many of the URLs that are known.
pub fn forecast_of(data: &Data, id: RunId, most: u64) -> Result<Forecast, ServiceError> {
    let (_, entry) = entry_of(data, id)?;
    let stats = data.store().get(&STATS, &entry.crawl.0)?.unwrap_or_default();
    let every = stats.distinct.div_ceil(most.max(1)).max(1);
    let mut told = Forecast {
        words: None,
        basis: String::new(),
        pages: 0,
        seconds: 0.0,
        share: 0.0,
        share_seconds: 0.0,
        share_in_the_end: 0.0,
    };
    let mut settings = entry.project.crawl.clone();
    let given = data.live_run(id).map(|live| live.given()).unwrap_or_default();
    given.apply(&mut settings);
    let rate = settings.rate;
    let mut web = sample_of(data, &entry, every)?;
    let unknown = web.take_unknown_for_pages().len();
    if web.seeds().is_empty() {
        told.basis = "Nothing is known yet.".to_owned();
        return Ok(told);
    }
    let ranks = simulate::ranks(&web).map_err(wrong)?;
    let run = simulate::run(&web, &plan_of(&web, settings).for_sample(every)).map_err(wrong)?;
    let way = simulate::curve(&web, &run, &ranks);
    let Some(end) = way.last().filter(|end| end.mass > 0.0) else { return Ok(told) };
    let most = way.iter().find(|point| point.mass >= MOST_OF_IT * end.mass).unwrap_or(end);
    let all = every as f64;
    (told.share, told.share_in_the_end) = (most.mass, end.mass);
    (told.share_seconds, told.seconds, told.pages) =
        (all * most.seconds, all * end.seconds, every * end.pages);
    let pace = pace(rate);
    let about = if every > 1 { "about " } else { "" };
    let mut words = format!(
        "{pace}, {about}{}; {about}{:.0} % of link mass after {}",
        lasting(told.seconds),
        100.0 * told.share,
        lasting(told.share_seconds)
    );
    if told.share_in_the_end < ALL_OF_IT {
        words.push_str(&format!(", {about}{:.0} % in the end", 100.0 * told.share_in_the_end));
    }
    told.words = Some(words);
    let met = match every {
        1 => format!("The {} URLs met so far, their links, and how long each answered", web.pages()),
        _ => format!(
            "A sample of {} of the {} URLs met so far, one in {every}, the links between them, and how long each \
             answered; its pages and times are multiplied by {every}, its link mass is that of the sample",
            web.pages(),
            stats.distinct
        ),
    };
    told.basis = format!("{met}; {unknown} that wait are counted as pages without links.");
    Ok(told)
}

fn entry_of(data: &Data, id: RunId) -> Result<(Run, ProjectEntry), ServiceError> {
    let run = data.wait(data.catalog().run(id))?.ok_or(ServiceError::UnknownRun(id.0))?;
    let entry =
        data.wait(data.catalog().project_by_id(run.project))?.ok_or(ServiceError::UnknownRun(id.0))?;
    Ok((run, entry))
}
