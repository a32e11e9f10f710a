//! A crawl as a map: its hosts and folders with counts, pages by depth, its links in figures, and the pages that matter
//! most with the links between them and the way on which each was found.

use std::collections::{BTreeMap, HashMap, HashSet};

use archive::tables::LINKS;
use crawl::{LinkGraph, LinkWeights};
use frontier::tables::{URLS, UrlRecord};
use frontier::{kept_as, page_key};
use graph::{PageRank, Preference, best_first};
use kv::{Reader, Snapshot};
use model::{CrawlId, HostKey, Outcome, ProjectName, UrlKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::versions::visits;
use crate::{Data, ServiceError};

/// Folders below a host that are told apart.
const LEVELS: usize = 3;

/// Branches of a node that are counted, and those that are shown.
const MOST_COUNTED: usize = 2_000;
const MOST_SHOWN: usize = 40;

/// Steps of a discovery path at most.
const LONGEST_PATH: usize = 30;

/// Depths that are told apart.
const DEEPEST: u32 = 100;

/// A crawl as a map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SiteMap {
    /// Hosts, the largest first, and their folders.
    pub hosts: Vec<Branch>,
    /// Pages by depth.
    pub depths: Vec<Depth>,
    /// Its links.
    pub links: LinkFigures,
    /// The pages that links make most important.
    pub pages: Vec<MapPage>,
    /// Links between these pages, by their places in the list.
    pub arcs: Vec<(u32, u32)>,
}

/// A host or folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Branch {
    /// Its name; `…` for all that are not told apart.
    pub name: String,
    /// Pages fetched in it.
    pub pages: u64,
    /// URLs that wait.
    pub waiting: u64,
    /// URLs that failed.
    pub failed: u64,
    /// All other URLs: redirects, and what rules leave out.
    pub other: u64,
    /// Folders and files in it.
    #[schema(no_recursion)]
    pub branches: Vec<Branch>,
}

/// How many URLs lie so deep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Depth {
    /// Links from a start URL.
    pub depth: u32,
    /// Pages fetched.
    pub pages: u64,
    /// All URLs.
    pub urls: u64,
}

/// The links of a crawl in figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LinkFigures {
    /// Links on pages.
    pub links: u64,
    /// Those to other hosts.
    pub outward: u64,
    /// Those that are not followed.
    pub unfollowed: u64,
    /// Those to URLs that failed.
    pub broken: u64,
    /// Those to URLs that lead elsewhere.
    pub moved: u64,
    /// Pages without links.
    pub dead_ends: u64,
}

/// A page of the picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MapPage {
    /// Its URL.
    pub url: String,
    /// Its title, if it was fetched.
    pub title: Option<String>,
    /// Its PageRank, where the mean of all is 1.
    pub rank: f64,
    /// Links from a start URL.
    pub depth: u32,
    /// What became of it.
    pub outcome: String,
    /// The pages on the way to it, the start first.
    pub path: Vec<String>,
}

/// The map of a project's crawl, with so many pages in its picture. From a blocking thread.
pub fn site_map(data: &Data, project: &ProjectName, shown: usize) -> Result<SiteMap, ServiceError> {
    let entry = data.project(Some(project))?;
    let snapshot = data.store().snapshot();
    map_of(&snapshot, entry.crawl, shown)
}

fn map_of(snapshot: &Snapshot, crawl: CrawlId, shown: usize) -> Result<SiteMap, ServiceError> {
    let mut map = SiteMap::default();
    let mut hosts = Node::default();
    let mut depths: BTreeMap<u32, Depth> = BTreeMap::new();
    let mut failed: HashSet<UrlKey> = HashSet::new();
    let mut moved: HashSet<UrlKey> = HashSet::new();
    for row in snapshot.prefix(&URLS, &crawl.0) {
        let ((_, host, page), record) = row?;
        let key = UrlKey { host: HostKey(host), page };
        let kept_as = kept_as(snapshot, crawl, key, &record.outcome)?;
        let count = Count::of(kept_as.as_ref().unwrap_or(&record.outcome));
        match &record.outcome {
            Outcome::Failed { .. } => _ = failed.insert(key),
            Outcome::Redirected { .. } => _ = moved.insert(key),
            _ => {}
        }
        hosts.add(&places(&record), count);
        let depth = depths.entry(record.depth.min(DEEPEST)).or_default();
        depth.depth = record.depth.min(DEEPEST);
        depth.urls += 1;
        depth.pages += u64::from(count == Count::Page);
    }
    map.depths = depths.into_values().collect();
    map.hosts = hosts.branches();
    for row in snapshot.prefix(&LINKS, &crawl.0) {
        let ((_, host, _), found) = row?;
        let figures = &mut map.links;
        figures.dead_ends += u64::from(found.edges.is_empty());
        for edge in &found.edges {
            figures.links += 1;
            figures.outward += u64::from(edge.target.host.0 != host);
            figures.unfollowed += u64::from(!edge.followed);
            figures.broken += u64::from(failed.contains(&edge.target));
            figures.moved += u64::from(moved.contains(&edge.target));
        }
    }
    picture(snapshot, crawl, shown, &mut map)?;
    Ok(map)
}

/// The pages that matter most, and the links between them.
fn picture(snapshot: &Snapshot, crawl: CrawlId, shown: usize, map: &mut SiteMap) -> Result<(), ServiceError> {
    let graph = LinkGraph::read(snapshot, crawl, &LinkWeights::default())?;
    let ranks = PageRank::default().of(&graph.links, Preference::Even).values;
    let chosen: Vec<u32> = best_first(&ranks).into_iter().take(shown).collect();
    let places: HashMap<UrlKey, u32> =
        chosen.iter().zip(0..).map(|(page, place)| (graph.key(*page), place)).collect();
    for page in &chosen {
        let key = graph.key(*page);
        let Some(record) = snapshot.get(&URLS, &page_key(crawl, key))? else { continue };
        let title = visits(snapshot, crawl, key)?.into_iter().rev().find_map(|visited| visited.visit.title);
        map.pages.push(MapPage {
            url: record.url.to_string(),
            title,
            rank: ranks[*page as usize] * ranks.len() as f64,
            depth: record.depth,
            outcome: kept_as(snapshot, crawl, key, &record.outcome)?
                .unwrap_or(record.outcome.clone())
                .name()
                .to_owned(),
            path: path_to(snapshot, crawl, &record)?,
        });
    }
    for (place, page) in chosen.iter().enumerate() {
        let key = graph.key(*page);
        let found = snapshot.get(&LINKS, &page_key(crawl, key))?.unwrap_or_default();
        let mut to: Vec<u32> =
            found.edges.iter().filter_map(|edge| places.get(&edge.target).copied()).collect();
        to.sort_unstable();
        to.dedup();
        map.arcs.extend(to.into_iter().filter(|to| *to != place as u32).map(|to| (place as u32, to)));
    }
    Ok(())
}

/// The pages on the way to a URL, the start first.
fn path_to(snapshot: &Snapshot, crawl: CrawlId, record: &UrlRecord) -> Result<Vec<String>, ServiceError> {
    let mut path = Vec::new();
    let mut via = record.via;
    while let Some(key) = via.filter(|_| path.len() < LONGEST_PATH) {
        let Some(before) = snapshot.get(&URLS, &page_key(crawl, key))? else { break };
        path.push(before.url.to_string());
        via = before.via;
    }
    path.reverse();
    Ok(path)
}

/// Host and folders of a URL.
fn places(record: &UrlRecord) -> Vec<String> {
    let host = record.url.host();
    let mut places = vec![host.as_str().to_owned()];
    let path = record.url.path();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    for (number, part) in parts.iter().take(LEVELS).enumerate() {
        let is_folder = number + 1 < parts.len() || path.ends_with('/');
        places.push(if is_folder { format!("{part}/") } else { (*part).to_owned() });
    }
    places
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Count {
    Page,
    Waiting,
    Failed,
    Other,
}

impl Count {
    fn of(outcome: &Outcome) -> Count {
        match outcome {
            Outcome::Fetched | Outcome::NotModified => Count::Page,
            Outcome::Failed { .. } => Count::Failed,
            outcome if outcome.is_open() => Count::Waiting,
            _ => Count::Other,
        }
    }
}

/// A host or folder while it is counted.
#[derive(Default)]
struct Node {
    counts: [u64; 4],
    branches: BTreeMap<String, Node>,
    /// Those beyond what is told apart.
    rest: [u64; 4],
}

impl Node {
    fn add(&mut self, places: &[String], count: Count) {
        self.counts[count as usize] += 1;
        let Some((first, others)) = places.split_first() else { return };
        if !self.branches.contains_key(first) && self.branches.len() >= MOST_COUNTED {
            self.rest[count as usize] += 1;
            return;
        }
        self.branches.entry(first.clone()).or_default().add(others, count);
    }

    fn branches(self) -> Vec<Branch> {
        let mut rest = self.rest;
        let mut branches: Vec<Branch> =
            self.branches.into_iter().map(|(name, node)| node.branch(name)).collect();
        branches.sort_by(|a, b| b.urls().cmp(&a.urls()).then_with(|| a.name.cmp(&b.name)));
        for branch in branches.drain(MOST_SHOWN.min(branches.len())..) {
            let counts = [branch.pages, branch.waiting, branch.failed, branch.other];
            rest.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        if rest.iter().sum::<u64>() > 0 {
            branches.push(Node { counts: rest, ..Node::default() }.branch("…".to_owned()));
        }
        branches
    }

    fn branch(self, name: String) -> Branch {
        let [pages, waiting, failed, other] = self.counts;
        Branch { name, pages, waiting, failed, other, branches: self.branches() }
    }
}

impl Branch {
    fn urls(&self) -> u64 {
        self.pages + self.waiting + self.failed + self.other
    }
}
