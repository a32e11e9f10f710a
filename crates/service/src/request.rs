//! What can be asked: verb and arguments, as the socket carries them.

use std::path::PathBuf;

use model::ProjectName;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::simulations::WhatIfRequest;
use crate::{
    CachedRequest, DiffRequest, EvaluateRequest, IndexRequest, LinkList, LinkWeights, LinksOf, LogRequest,
    Moment, RankBy, RowsRequest, SearchRequest, SuggestRequest, WhyNotRequest,
};

/// A verb with its arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case")]
pub enum Request {
    /// Every URL with its outcome.
    Pages(PagesRequest),
    /// The whole story of one URL.
    Why(WhyRequest),
    /// What is wrong with a site's links.
    Links(LinksRequest),
    /// What differs between the versions of pages.
    Changes(ChangesRequest),
    /// A page as it was.
    Version(VersionRequest),
    /// Accept a version of a page: later ones are compared with it too.
    Accept(AcceptRequest),
    /// Pages that say the same.
    Duplicates(DuplicatesRequest),
    /// The same pages under other addresses.
    Mirrors(MirrorsRequest),
    /// Pages and hosts by the links between them.
    Rank(RankRequest),
    /// The links themselves.
    Graph(GraphRequest),
    /// The politeness ledger.
    Hosts(HostsRequest),
    /// The counts of a project.
    Summary(ProjectChoice),
    /// The runs of a project, latest first.
    Runs(ProjectChoice),
    /// What templates read.
    Rows(RowsRequest),
    /// What became of rows between two runs.
    Diff(DiffRequest),
    /// Rows and pages out.
    Export(ExportRequest),
    /// Make, list, rebuild and drop indexes.
    Index(IndexRequest),
    /// Search an index.
    Search(SearchRequest),
    /// What someone may be about to type.
    Suggest(SuggestRequest),
    /// A page as an index has it.
    Cached(CachedRequest),
    /// Measure a ranking by judged queries.
    Evaluate(EvaluateRequest),
    /// Why a page is missing or low for a query.
    WhyNot(WhyNotRequest),
    /// Is everything whole?
    Check,
    /// Rebuild what can be rebuilt.
    Repair,
    /// Lines of a run's log.
    Log(RunLogRequest),
    /// Leave out URLs of a run under way, or count what would go.
    Exclude(ExcludeRequest),
    /// Change how fast a run under way asks.
    Speed(SpeedRequest),
    /// Change which URLs a run under way takes first.
    Order(OrderRequest),
    /// Compare orders on what a project has crawled.
    Simulate(Box<simulate::Scenario>),
    /// The same, with the order of download.
    SimulateListed(Box<simulate::Scenario>),
    /// What another order or pace would bring.
    WhatIf(WhatIfRequest),
    /// How a run under way stands.
    Progress(RunChoice),
    /// How long its crawl takes, and when it has most of what matters.
    Forecast(RunChoice),
    /// Hold a run under way.
    Pause(RunChoice),
    /// Let it go on.
    Resume(RunChoice),
    /// End it, and keep what it has.
    Stop(RunChoice),
    /// End the run at once and drop what the crawl has.
    Cancel(RunChoice),
}

/// Which lines of which run's log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RunLogRequest {
    /// Of the run of this number; of the latest run unless said.
    pub run: Option<i64>,
    /// Of this project's latest run.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
    /// Which lines.
    pub lines: LogRequest,
}

/// What to leave out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExcludeRequest {
    /// Of this run.
    pub of: RunChoice,
    /// URLs that one of these patterns matches.
    pub patterns: Vec<String>,
    /// Only count what would go.
    pub dry_run: bool,
}

/// How fast.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpeedRequest {
    /// This run.
    pub of: RunChoice,
    /// Requests per time at each host.
    pub rate: String,
    /// Write it to the project as well.
    pub keep: bool,
}

/// What comes first, and what the crawl is about: what is not said stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OrderRequest {
    /// This run.
    pub of: RunChoice,
    /// As the setting `order`.
    pub order: Option<String>,
    /// As the setting `topic`: words.
    pub topic: Option<Vec<String>>,
    /// As the setting `topic_examples`: texts.
    pub topic_examples: Option<Vec<String>>,
    /// Write it to the project as well.
    pub keep: bool,
}

/// Which run under way; the only one unless said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RunChoice {
    /// Its number.
    pub run: Option<i64>,
    /// Its project.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
}

/// Which project; the one that ran last unless said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectChoice {
    /// Its name.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
}

/// Which URLs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PagesRequest {
    /// Of this project; the one that ran last unless said.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
    /// With one of these outcomes; any if empty.
    pub outcomes: Vec<String>,
    /// Fetched at this moment or later.
    #[schema(value_type = Option<String>)]
    pub from: Option<Moment>,
    /// Fetched before this moment.
    #[schema(value_type = Option<String>)]
    pub to: Option<Moment>,
    /// Of this host, `name` or `name:port`.
    pub host: Option<String>,
    /// Beginning like this.
    pub prefix: Option<String>,
    /// At most so many.
    pub limit: Option<u64>,
}

/// Which URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WhyRequest {
    /// The URL, in any spelling.
    pub url: String,
    /// As this project sees it; the one that ran last unless said.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
}

/// Which reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinksRequest {
    /// Of this project; the one that ran last unless said.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
    /// These; all if empty.
    pub lists: Vec<LinkList>,
    /// At most so many rows of each.
    pub limit: Option<u64>,
}

/// Which changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChangesRequest {
    /// Of this project; the one that ran last unless said.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
    /// Of this page, with all details; of all pages unless said.
    pub url: Option<String>,
    /// From the version that stood then; the one before the later unless said.
    #[schema(value_type = Option<String>)]
    pub from: Option<Moment>,
    /// To the version that stood then; the last unless said.
    #[schema(value_type = Option<String>)]
    pub to: Option<Moment>,
    /// Only pages that changed at this moment or later.
    #[schema(value_type = Option<String>)]
    pub since: Option<Moment>,
    /// What these selectors find is noise.
    pub ignore: Vec<String>,
    /// Also pages of which only noise differs, and what it is.
    pub noise: bool,
    /// At most so many rows, most severe first, then latest.
    pub limit: Option<u64>,
}

/// Which version.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VersionRequest {
    /// Of this project; the one that ran last unless said.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
    /// Of this page.
    pub url: String,
    /// The one that stood then; the last unless said.
    #[schema(value_type = Option<String>)]
    pub at: Option<Moment>,
    /// All of them, without their contents.
    pub list: bool,
    /// Its bytes as they were, not decoded.
    pub raw: bool,
}

/// What to accept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AcceptRequest {
    /// Of this project; the one that ran last unless said.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
    /// Of this page.
    pub url: String,
    /// The version that stood then, of a date alone at its end; the last unless said.
    #[schema(value_type = Option<String>)]
    pub at: Option<Moment>,
}

/// Which duplicates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DuplicatesRequest {
    /// Of this project; the one that ran last unless said.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
    /// Nothing for all groups, a URL for its group, two for what they share.
    pub urls: Vec<String>,
    /// At most so many groups, the largest first.
    pub limit: Option<u64>,
    /// Nearly the same texts too, where the crawl looked for exact duplicates only: found by SimHash among all pages, and
    /// compared as they are kept.
    pub near: bool,
}

/// Which mirrors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorsRequest {
    /// Of this project; the one that ran last unless said.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
    /// At most so many, those with most pages first.
    pub limit: Option<u64>,
}

/// What to rank, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RankRequest {
    /// Of this project; the one that ran last unless said.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
    /// Pages, hosts, or by distances.
    pub by: RankBy,
    /// Pages and hosts that rank spreads from; all if empty.
    pub trusted: Vec<String>,
    /// What links weigh; with others than the usual, what moves is listed.
    #[schema(value_type = Option<Object>)]
    pub weights: Option<LinkWeights>,
    /// At most so many.
    pub limit: Option<u64>,
    /// The mean rank of the pages that this run fetched, hour by hour, instead.
    pub by_hour: Option<i64>,
}

/// Which links.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GraphRequest {
    /// Of this project; the one that ran last unless said.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
    /// All, or those of one URL.
    pub links: LinksOf,
    /// What links weigh.
    #[schema(value_type = Option<Object>)]
    pub weights: Option<LinkWeights>,
    /// At most so many.
    pub limit: Option<u64>,
}

/// Which hosts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HostsRequest {
    /// Of this project; all that were ever asked unless said.
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
    /// These, `name` or `name:port`; all if empty.
    pub hosts: Vec<String>,
    /// At most so many, those with most requests first.
    pub limit: Option<u64>,
}

/// What to write, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    /// Of this project; the one that ran last unless said.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub project: Option<ProjectName>,
    /// `jsonl`, `csv`, `sqlite`, `sitemap` or `warc`; of rows `csv`, `json`, `jsonl` or `sqlite`,
    /// or nothing for what the path's ending says, else CSV.
    pub format: String,
    /// An absolute path; without one the bytes are handed over in pieces.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub path: Option<PathBuf>,
    /// Replace a file of that name.
    #[serde(default)]
    pub force: bool,
    /// Only URLs with one of these outcomes; any if empty. An archive is always whole.
    #[serde(default)]
    pub outcomes: Vec<String>,
    /// These rows instead of pages.
    #[serde(default)]
    pub rows: Option<RowsRequest>,
}
