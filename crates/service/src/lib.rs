//! What can be asked of a data directory, each verb once: the command line and the API are two skins over it.
//!
//! A [`Request`] names a verb and its arguments, [`answer`] gives JSON values one by one. Reading verbs work
//! over a snapshot in bounded memory, also while a crawl runs. **Everything but [`Data::open`] blocks**: call
//! it from blocking threads.

mod accept;
mod adopt;
mod answer;
mod canonical;
mod change_rows;
mod change_steps;
mod changed_images;
mod changes;
mod check;
mod data;
mod duplicates;
mod error;
mod exports;
mod guarded;
mod hosts;
mod indexes;
mod link_index;
mod links;
mod listing;
mod live;
mod meaning;
mod mirrors;
mod moment;
mod near_duplicates;
mod page_index;
mod pages;
mod pages_page;
pub mod preview;
mod projects;
mod ranks;
mod rebuild;
mod reference;
mod reindex;
mod repair;
mod request;
mod restore;
mod restore_rows;
mod restore_texts;
mod robots;
mod row_export;
mod rows;
mod runs;
mod sections;
mod select;
mod simulations;
mod sink;
mod site_map;
mod stored;
mod stored_ranks;
mod summary;
pub mod tools;
mod versions;
mod walk;
mod why;

pub use answer::answer;
pub use catalog::{Run, RunId};
pub use change_rows::{
    AcceptedVersion, ChangeCounts, ChangeDetails, ChangedLevel, ChangedWords, ChangesRow, NoisePlace,
    PageChange, PageVersion,
};
pub use change_steps::ChangeStep;
pub use changed_images::ChangedImage;
pub use check::{CheckRow, Checked};
pub use crawl::LinkWeights;
pub use data::{Access, Data, VERSION};
pub use duplicates::{
    DuplicateCounts, DuplicateGroup, DuplicateMember, DuplicatePair, DuplicatesRow, SharedPassage,
};
pub use error::{Class, ServiceError};
pub use exports::ExportPart;
pub use hosts::{HostRow, RobotsInForce};
pub use indexes::{
    CachedRequest, EvaluateRequest, IndexColumn, IndexRequest, IndexStatus, SearchRequest, SuggestRequest,
    WhyNot, WhyNotRequest, index_settings,
};
pub use link_index::{GraphLink, LinksOf};
pub use links::{LinkCounts, LinkList, LinkRow};
pub use listing::Listing;
pub use live::LiveRun;
pub use meaning::{Meaning, meaning};
pub use mirrors::Mirror;
pub use moment::Moment;
pub use pages::PageRow;
pub use pages_page::{PagesPageRequest, outcome_counts, pages_page};
pub use projects::{
    Attention, AttentionLevel, CheckedProject, Mistake, ProjectCard, ProjectText, ProjectView, check_project,
    create_project, delete_project, project_cards, project_view, update_project, version,
};
pub use ranks::{BestLink, RankBy, RankRow, UNKNOWN_SHOWN, UnknownTrusted};
pub use reference::{Reference, SettingGroup, SettingView, index_settings_reference, settings_reference};
pub use repair::{RepairRow, Repaired, repair_unopened};
pub use request::{
    AcceptRequest, ChangesRequest, DuplicatesRequest, ExcludeRequest, ExportRequest, GraphRequest,
    HostsRequest, LinksRequest, MirrorsRequest, OrderRequest, PagesRequest, ProjectChoice, RankRequest,
    Request, RunChoice, RunLogRequest, SpeedRequest, VersionRequest, WhyRequest,
};
pub use robots::RobotsWord;
pub use rows::{
    Condition, DiffPart, DiffRequest, Drift, FieldChange, Mark, MarkCounts, RowColumn, RowVersion, RowsPage,
    RowsPart, RowsRequest, SortBy, Test, TypeCoverage, coverage, prepare_all, row_history, rows_page,
};
pub use runs::{
    Action, Begin, Excluded, Fetching, Fill, Finished, Forecast, Health, Level, LogLevel, LogLine, LogPage,
    LogRequest, NextDue, Now, Outlook, Points, ProgressView, Quarter, RankHour, RunPhase, RunView,
    RunsRequest, Series, StartRun, Started, Steer, begin, change_order, change_speed, continue_runs, exclude,
    fill, forecast, forecast_of, live, log, log_text, outlook, retry, run_view, run_views, series, shut_down,
    start_run, steer,
};
pub use simulations::{
    Simulated, SimulatedRow, WhatIf, WhatIfRequest, simulate, simulate_watched, simulated, what_if,
};
pub use site_map::{Branch, Depth, LinkFigures, MapPage, SiteMap, site_map};
pub use summary::{HostFigure, Spread, Summary, summary};
pub use why::{Due, Fetch, RuleWord, Step, Why};
