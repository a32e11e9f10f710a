//! `rank`: what links make of the pages and hosts of a crawl.

use std::collections::HashSet;

use archive::tables::LINKS;
use catalog::ProjectEntry;
use crawl::{LinkGraph, LinkWeights, SORTING_MEMORY};
use frontier::page_key;
use frontier::tables::URLS;
use graph::{PageRank, Preference, best_first};
use kv::{Reader, Snapshot};
use model::{CrawlId, Duplicates, HostKey, KeepPages, PageUrl, Timestamp, UrlKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::indexes;
use crate::runs::outlook::{self, fetched};
use crate::sink::Sink;
use crate::stored_ranks::StoredRanks;
use crate::{Data, Moment, RankHour, RankRequest, ServiceError};

/// Pages shown unless said otherwise.
const SHOWN: u64 = 20;

/// In-links shown of each page.
const BEST: usize = 3;

/// Names to trust that are told where they are not known.
pub const UNKNOWN_SHOWN: usize = 5;

/// What to rank by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RankBy {
    /// PageRank of pages.
    #[default]
    Pages,
    /// PageRank of hosts.
    Hosts,
    /// Harmonic centrality of pages.
    Harmonic,
}

/// A line of the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "row", rename_all = "kebab-case")]
pub enum RankRow {
    /// A page or a host.
    Ranked {
        /// URL, or name of the host.
        id: String,
        /// Its rank; of all together 1.
        rank: f64,
        /// Its place, from 1.
        place: u64,
        /// What became of the page.
        #[serde(skip_serializing_if = "Option::is_none")]
        outcome: Option<String>,
        /// Its rank with the usual weights, where others were asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        rank_before: Option<f64>,
        /// Its place with the usual weights.
        #[serde(skip_serializing_if = "Option::is_none")]
        place_before: Option<u64>,
        /// The links that bring it most.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        best: Vec<BestLink>,
    },
    /// The pages that a run fetched in one hour.
    Hour {
        /// Its number, from 1.
        hour: u64,
        /// How many.
        pages: u64,
        /// Their mean rank, where that of all known pages is 1.
        mean: f64,
    },
    /// The last line.
    Graph {
        /// Pages, or hosts.
        pages: u64,
        /// Links between them.
        links: u64,
        /// When it was computed.
        #[schema(value_type = String)]
        at: Moment,
        /// What was to be trusted and is not known to the crawl, if anything.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unknown: Option<UnknownTrusted>,
    },
}

/// Pages and hosts to trust that a crawl does not know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UnknownTrusted {
    /// How many.
    pub count: u64,
    /// Of so many that were named.
    pub of: u64,
    /// The first of them.
    pub first: Vec<String>,
}

/// A link that brings much.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BestLink {
    /// The page it stands on.
    #[schema(value_type = String)]
    pub source: PageUrl,
    /// How much of the target's rank it brings.
    pub brings: f64,
    /// Its words.
    pub anchor: String,
}

pub(crate) fn rank(
    data: &Data,
    request: &RankRequest,
    now: Timestamp,
    out: &mut Sink<'_>,
) -> Result<(), ServiceError> {
    if let Some(run) = request.by_hour {
        let is_plain = request.by == RankBy::Pages && request.trusted.is_empty() && request.weights.is_none();
        return match is_plain && request.limit.is_none() {
            true => by_hour(data, run, now, out),
            false => Err(ServiceError::Settings(
                "ranks by hour are those of all pages by the usual weights: leave out by, trusted, weights and limit"
                    .to_owned(),
            )),
        };
    }
    if request.by == RankBy::Harmonic && !request.trusted.is_empty() {
        let words = "harmonic centrality has no trusted pages: rank pages or hosts, or leave out trusted";
        return Err(ServiceError::Settings(words.to_owned()));
    }
    let entry = data.project(request.project.as_ref())?;
    let ranking = Ranking { snapshot: data.store().snapshot(), crawl: entry.crawl };
    let weights = request.weights.unwrap_or_default();
    check_weights(&weights)?;
    let pages = LinkGraph::read(&ranking.snapshot, entry.crawl, &weights)?;
    let (trusted, unknown) = ranking.trusted(&pages, &request.trusted)?;
    let usual = weights == LinkWeights::default();
    if request.by == RankBy::Hosts {
        let before = match usual {
            true => None,
            false => Some(LinkGraph::read(&ranking.snapshot, entry.crawl, &LinkWeights::default())?),
        };
        let (hosts, links) = ranking.hosts((&pages, before.as_ref()), &trusted, request.limit, out)?;
        return out.send(&RankRow::Graph { pages: hosts, links, at: now.into(), unknown });
    }
    let rank_by = |pages: &LinkGraph| match request.by {
        RankBy::Harmonic => graph::harmonic(&pages.links, PageRank::default().threads).values,
        _ => PageRank::default().of(&pages.links, Preference::Only(&trusted)).values,
    };
    let ranks = rank_by(&pages);
    if usual && trusted.is_empty() && request.by == RankBy::Pages {
        StoredRanks::keep(data, (&ranking.snapshot, entry.crawl), &pages.links, &ranks, now)?;
    }
    let limit = usize::try_from(request.limit.unwrap_or(SHOWN)).unwrap_or(usize::MAX);
    let places = places(&ranks);
    let before = match usual {
        true => None,
        false => {
            let usual = LinkGraph::read(&ranking.snapshot, entry.crawl, &LinkWeights::default())?;
            let ranks = rank_by(&usual);
            let places = self::places(&ranks);
            Some((ranks, places))
        }
    };
    let shown = shown(&ranks, before.as_ref().map(|(ranks, _)| &ranks[..]));
    for page in shown.into_iter().take(limit) {
        let at = page as usize;
        let Some(record) = ranking.snapshot.get(&URLS, &page_key(entry.crawl, pages.key(page)))? else {
            continue;
        };
        let best = match request.by {
            RankBy::Pages => ranking.best_links(&pages, &ranks, page)?,
            _ => Vec::new(),
        };
        out.send(&RankRow::Ranked {
            id: record.url.to_string(),
            rank: ranks[at],
            place: places[at],
            outcome: Some(record.outcome.name().to_owned()),
            rank_before: before.as_ref().map(|(ranks, _)| ranks[at]),
            place_before: before.as_ref().map(|(_, places)| places[at]),
            best,
        })?;
    }
    out.send(&RankRow::Graph {
        pages: u64::from(pages.links.pages()),
        links: pages.links.arcs(),
        at: now.into(),
        unknown,
    })
}

/// At the end of a run: ranks for those who ask for them, searches and the choice among copies. Where nobody does, those of
/// the run before go, and the first index makes new ones.
pub(crate) fn after_run(data: &Data, entry: &ProjectEntry, now: Timestamp) -> Result<(), ServiceError> {
    let settings = &entry.project.crawl;
    let choose = settings.duplicate_settings().method != Duplicates::Off || settings.replace_pages;
    match choose || indexes::is_over(data, &entry.project.name)? {
        true => refresh(data, entry.crawl, now),
        false => StoredRanks::drop(data, entry.crawl),
    }
}

/// Before the first search: ranks of a crawl whose runs have left none. One at work leaves its own.
pub(crate) fn before_searches(data: &Data, entry: &ProjectEntry, now: Timestamp) -> Result<(), ServiceError> {
    let is_at_work = data.live_runs().iter().any(|run| run.crawl == entry.crawl);
    let is_known = entry.project.crawl.keep != KeepPages::All || StoredRanks::are_kept(data, entry.crawl);
    if is_at_work || is_known { Ok(()) } else { refresh(data, entry.crawl, now) }
}

/// Computes the ranks of a crawl and keeps them.
fn refresh(data: &Data, crawl: CrawlId, now: Timestamp) -> Result<(), ServiceError> {
    let snapshot = data.store().snapshot();
    // The numbers of pages are dropped here: whoever is at the end of a large crawl has little memory left.
    let LinkGraph { links, .. } = LinkGraph::read(&snapshot, crawl, &LinkWeights::default())?;
    let ranks = PageRank::default().of(&links, Preference::Even);
    StoredRanks::keep(data, (&snapshot, crawl), &links, &ranks.values, now)
}

/// Mean rank of the pages that a run fetched, hour by hour.
fn by_hour(data: &Data, run: i64, now: Timestamp, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let run = data.wait(data.catalog().run(catalog::RunId(run)))?.ok_or(ServiceError::UnknownRun(run))?;
    let snapshot = data.store().snapshot();
    let fetched = fetched(&snapshot, &run, run.ended_at.unwrap_or(now))?;
    let (hours, pages, links) = outlook::by_hour(&snapshot, &run, &fetched)?;
    for RankHour { hour, pages, mean } in hours {
        out.send(&RankRow::Hour { hour, pages, mean })?;
    }
    out.send(&RankRow::Graph { pages, links, at: now.into(), unknown: None })
}

/// What a name to trust names.
enum Trusted {
    Page { known: bool },
    Host(Vec<HostKey>),
}

/// Refuses weights that are none.
pub(crate) fn check_weights(weights: &LinkWeights) -> Result<(), ServiceError> {
    let LinkWeights { visibility, position, distance, nofollow } = weights;
    let all = visibility.iter().chain(position).chain(distance).chain([nofollow]);
    match all.copied().find(|weight| !(*weight >= 0.0 && *weight <= 1e6)) {
        None => Ok(()),
        Some(weight) => {
            Err(ServiceError::Settings(format!("link weight {weight}: give a number from 0 to 1000000")))
        }
    }
}

/// The best first; with ranks before, what moves most.
fn shown(ranks: &[f64], before: Option<&[f64]>) -> Vec<u32> {
    let Some(before) = before else { return best_first(ranks) };
    let moved: Vec<f64> = ranks.iter().zip(before).map(|(now, then)| (now - then).abs()).collect();
    best_first(&moved)
}

/// The place of each page, from 1.
fn places(ranks: &[f64]) -> Vec<u64> {
    let mut places = vec![0; ranks.len()];
    for (place, page) in (1..).zip(best_first(ranks)) {
        places[page as usize] = place;
    }
    places
}

struct Ranking {
    snapshot: Snapshot,
    crawl: CrawlId,
}

impl Ranking {
    /// The pages that a list of pages and hosts names, and what of it the crawl does not know; refused where that is all.
    fn trusted(
        &self,
        pages: &LinkGraph,
        names: &[String],
    ) -> Result<(Vec<u32>, Option<UnknownTrusted>), ServiceError> {
        let mut trusted: Vec<u32> = Vec::new();
        let (mut hosts, mut met) = (HashSet::new(), HashSet::new());
        let mut named: Vec<Trusted> = Vec::with_capacity(names.len());
        for name in names {
            named.push(match PageUrl::parse(name) {
                Ok(url) => {
                    let page = pages.number(UrlKey::of(&url));
                    trusted.extend(page);
                    Trusted::Page { known: page.is_some() }
                }
                Err(_) => {
                    let keys = self.keys_of_host(pages, name)?;
                    hosts.extend(keys.iter().copied());
                    Trusted::Host(keys)
                }
            });
        }
        if !hosts.is_empty() {
            for (key, page) in pages.pages.keys().zip(0..).filter(|(key, _)| hosts.contains(&key.host)) {
                met.insert(key.host);
                trusted.push(page);
            }
        }
        let is_known = |named: &Trusted| match named {
            Trusted::Page { known } => *known,
            Trusted::Host(keys) => keys.iter().any(|host| met.contains(host)),
        };
        let mut unknown =
            names.iter().zip(&named).filter(|(_, named)| !is_known(named)).map(|(name, _)| name);
        let first: Vec<String> = unknown.by_ref().take(UNKNOWN_SHOWN).cloned().collect();
        let count = (first.len() + unknown.count()) as u64;
        let told = UnknownTrusted { count, of: names.len() as u64, first };
        match count {
            0 => Ok((trusted, None)),
            _ if trusted.is_empty() => Err(ServiceError::Settings(format!(
                "none of the pages and hosts to trust is known to this crawl: {}",
                told.first.join(", ")
            ))),
            _ => Ok((trusted, Some(told))),
        }
    }

    /// The keys of a host, `name:port`, or `name` at any port.
    fn keys_of_host(&self, pages: &LinkGraph, name: &str) -> Result<Vec<HostKey>, ServiceError> {
        let urls = [format!("http://{name}/"), format!("https://{name}/")];
        let named: Vec<_> = urls.iter().filter_map(|url| PageUrl::parse(url).ok()).collect();
        let mut keys: Vec<HostKey> = named.iter().map(|url| HostKey::of(&url.host())).collect();
        let has_port = name.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let Some(name) = named.first().map(|url| url.host().to_string()).filter(|_| !has_port) else {
            return Ok(keys);
        };
        for first in pages.pages.hosts().1 {
            let key = pages.key(first);
            let record = self.snapshot.get(&URLS, &page_key(self.crawl, key))?;
            let host = record.map(|record| record.url.host().to_string()).unwrap_or_default();
            if host.strip_prefix(&name).is_some_and(|rest| rest.starts_with(':')) {
                keys.push(key.host);
            }
        }
        Ok(keys)
    }

    /// Tells the best hosts, or with other weights what moves; how many there are, and links between them.
    fn hosts(
        &self,
        (pages, before): (&LinkGraph, Option<&LinkGraph>),
        trusted: &[u32],
        limit: Option<u64>,
        out: &mut Sink<'_>,
    ) -> Result<(u64, u64), ServiceError> {
        let (host_of, first_pages) = pages.pages.hosts();
        let hosts = graph::group(&pages.links, &host_of, SORTING_MEMORY)?;
        let trusted: Vec<u32> = trusted.iter().map(|page| host_of[*page as usize]).collect();
        let rank_by = |links: &graph::Graph| PageRank::default().of(links, Preference::Only(&trusted)).values;
        let ranks = rank_by(&hosts);
        let places = places(&ranks);
        let before = match before {
            None => None,
            Some(before) => {
                let ranks = rank_by(&graph::group(&before.links, &host_of, SORTING_MEMORY)?);
                let places = self::places(&ranks);
                Some((ranks, places))
            }
        };
        let limit = usize::try_from(limit.unwrap_or(SHOWN)).unwrap_or(usize::MAX);
        for host in shown(&ranks, before.as_ref().map(|(ranks, _)| &ranks[..])).into_iter().take(limit) {
            let at = host as usize;
            let key = pages.key(first_pages[host as usize]);
            let Some(record) = self.snapshot.get(&URLS, &page_key(self.crawl, key))? else { continue };
            out.send(&RankRow::Ranked {
                id: record.url.host().to_string(),
                rank: ranks[at],
                place: places[at],
                outcome: None,
                rank_before: before.as_ref().map(|(ranks, _)| ranks[at]),
                place_before: before.as_ref().map(|(_, places)| places[at]),
                best: Vec::new(),
            })?;
        }
        Ok((u64::from(hosts.pages()), hosts.arcs()))
    }

    /// The links that bring a page most of its rank.
    fn best_links(&self, pages: &LinkGraph, ranks: &[f64], page: u32) -> Result<Vec<BestLink>, ServiceError> {
        let damping = PageRank::default().damping;
        let mut links: Vec<(f64, u32)> = pages
            .links
            .in_links(page)
            .map(|(source, weight)| {
                let share = f64::from(weight) / pages.links.out_weight(source);
                (damping * ranks[source as usize] * share, source)
            })
            .collect();
        links.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut best = Vec::new();
        for (brings, source) in links.into_iter().take(BEST) {
            let row = page_key(self.crawl, pages.key(source));
            let Some(record) = self.snapshot.get(&URLS, &row)? else { continue };
            let found = self.snapshot.get(&LINKS, &row)?.unwrap_or_default();
            let target = pages.key(page);
            let edge = found.edges.into_iter().find(|edge| edge.target == target);
            let anchor = edge.map(|edge| edge.anchor.to_string()).unwrap_or_default();
            // A page that no trust reaches has nothing to be brought.
            let whole = ranks[page as usize];
            let brings = if whole > 0.0 { brings / whole } else { 0.0 };
            best.push(BestLink { source: record.url, brings, anchor });
        }
        Ok(best)
    }
}
