//! The settings of a crawl: one documented struct. Project file, flags, environment and reference page all
//! come from it: a field's name is its YAML key, its doc comment the help text, `x-group` its chapter.
//!
//! What the settings do is left to the crates they steer.

mod compression;
mod duplicates;
mod media;
mod order;
mod pattern;
mod proxy;
mod rate;
mod reference;
mod request;
mod revisit;
mod scope;
mod size;
mod span;
pub(crate) mod text;
mod topic;

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Normalise, PageUrl, SelectorText};

pub use compression::Compression;
pub use duplicates::{DuplicateAct, DuplicateSettings, Duplicates};
pub use media::MediaPattern;
pub use order::{Order, Policy};
pub use pattern::Pattern;
pub use proxy::{ProxyPer, ProxyScheme, ProxyUrl};
pub use rate::{Period, Rate};
pub use reference::{Kind, Setting};
pub use request::{AddressRange, CookieText, NameServer};
pub use revisit::{Revisit, RevisitSettings};
pub use scope::{KeepPages, RobotsMode, Scope};
pub use size::Size;
pub use span::Span;
pub use text::ValueError;
pub use topic::{Factor, OffTopic, TopicMethod};

/// How a project is crawled. Every default is polite and works without a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CrawlSettings {
    /// How far to go from the start URLs: their hosts, their registered domains, URLs that begin like them,
    /// hosts ending in a name, only the start URLs themselves, or anywhere.
    #[schemars(extend("x-group" = "Scope"))]
    pub scope: Scope,
    /// Take only URLs that one of these patterns matches; start URLs are always taken.
    #[schemars(extend("x-group" = "Scope"))]
    pub include: Vec<Pattern>,
    /// Leave out URLs that one of these patterns matches, even if included.
    #[schemars(extend("x-group" = "Scope"))]
    pub exclude: Vec<Pattern>,
    /// Follow only links inside what one of these selectors finds on their page; without it, all. A page type with
    /// `links` has its own; what a template follows is followed in any case.
    #[schemars(extend("x-group" = "Scope"))]
    pub links_in: Vec<SelectorText>,
    /// Sitemaps to read, and to take the URLs from that they name, the newest first: XML, an index of others, one URL
    /// a line; compressed or not. Up to 50 MiB of one are read, whatever max_body says, unless max_bytes is set.
    #[schemars(with = "Vec<String>", extend("x-group" = "Scope", "x-form" = "URL"))]
    pub sitemaps: Vec<PageUrl>,
    /// Feeds to read, and to take the URLs from that they name: RSS, Atom or JSON.
    #[schemars(with = "Vec<String>", extend("x-group" = "Scope", "x-form" = "URL"))]
    pub feeds: Vec<PageUrl>,
    /// Read the sitemaps that a robots.txt names, as far as they are in scope. Off unless asked for: a crawl then has
    /// what links lead to from its start, and one that begins at a page does not bring the whole site.
    #[schemars(extend("x-group" = "Scope"))]
    pub robots_sitemaps: bool,
    /// Which of a host's URLs to take first: by links to them (pagerank, the most important first; backlink, opic);
    /// nearest to the start or farthest from it (breadth-first, depth-first); with many links on pages of their host
    /// (forward-link), or that against links to them, with turns for all (pvalue); by their shape (location); found on
    /// relevant pages (relevance), or by relevant links as well (topic); nearest first while there is time left for
    /// them (timed-breadth-first, needs walltime); at random. Shares mix them.
    #[schemars(extend("x-group" = "Scope"))]
    pub order: Order,
    /// What the order random draws by: another number, another order; the same number, the same order again.
    #[schemars(extend("x-group" = "Scope", "x-form" = "number"))]
    pub order_seed: u64,
    /// Pages kept at which links to a page weigh half as much as links on it, in the order pvalue: less before, more later.
    /// 0 = as much from the beginning.
    #[schemars(extend("x-group" = "Scope", "x-unit" = "pages"))]
    pub order_aging: u64,
    /// Follow links marked rel=nofollow, and links of pages that say nofollow. Without it they are recorded only.
    #[schemars(extend("x-group" = "Scope"))]
    pub follow_nofollow: bool,
    /// Follow a page's canonical link, and leave the page out of the sitemap for the sake of the URL it names.
    #[schemars(extend("x-group" = "Scope"))]
    pub honour_canonical: bool,
    /// Leave pages that say noindex out of the sitemap.
    #[schemars(extend("x-group" = "Scope"))]
    pub honour_noindex: bool,
    /// Drop the query of every URL, so that URLs differing only there are one page.
    #[schemars(extend("x-group" = "Scope"))]
    pub drop_query: bool,
    /// Drop the trailing slash of every path.
    #[schemars(extend("x-group" = "Scope"))]
    pub drop_trailing_slash: bool,
    /// Drop a leading www. of every host.
    #[schemars(extend("x-group" = "Scope"))]
    pub drop_www: bool,

    /// What the crawl is about: words, compared by their stems; several words are a phrase. The orders relevance and topic
    /// need this or topic_examples; with either, the relevance of every page is kept.
    #[schemars(extend("x-group" = "Topic", "x-form" = "text"))]
    pub topic: Vec<String>,
    /// Texts on the topic, from which its profile is learned.
    #[schemars(extend("x-group" = "Topic", "x-form" = "text"))]
    pub topic_examples: Vec<String>,
    /// Language of topic and examples (en, de, fr); unset, it is guessed from the examples, else English.
    #[schemars(extend("x-group" = "Topic", "x-form" = "text"))]
    pub topic_language: Option<String>,
    /// How relevance is measured: by counts of the topic's words, (topic_text_weight · matches in the text +
    /// topic_title_weight · matches in the title) / (topic_word_weight · words of the topic); by that the other way up
    /// (s4-printed); by likeness to the examples (profile), from 0 to 1; auto takes the profile where there are examples.
    #[schemars(extend("x-group" = "Topic"))]
    pub topic_method: TopicMethod,
    /// Relevance at or above which a page is on topic. Unset: 1 by counts, 0.15 by profile.
    #[schemars(extend("x-group" = "Topic"))]
    pub topic_threshold: Option<Factor>,
    /// Weight of a match in the text.
    #[schemars(extend("x-group" = "Topic"))]
    pub topic_text_weight: Factor,
    /// Weight of a match in the title.
    #[schemars(extend("x-group" = "Topic"))]
    pub topic_title_weight: Factor,
    /// Weight of a word of the topic.
    #[schemars(extend("x-group" = "Topic"))]
    pub topic_word_weight: Factor,
    /// Whether pages off topic are kept like others, or kept and marked so that search indexes and sitemaps leave them out.
    #[schemars(extend("x-group" = "Topic"))]
    pub off_topic: OffTopic,
    /// Pages off topic in a row through which links are followed: 0 follows no link of a page off topic. Unset, all are
    /// followed.
    #[schemars(extend("x-group" = "Topic", "x-unit" = "pages"))]
    pub off_topic_distance: Option<u32>,

    /// Pages to fetch at most; 0 = no limit.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "pages"))]
    pub max_pages: u64,
    /// Links to follow at most from a start URL, which has depth 0; 0 = no limit. A list's further pages (`next`) are
    /// as deep as the list.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "links"))]
    pub max_depth: u64,
    /// Pages to fetch at most from one host; 0 = no limit.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "pages"))]
    pub max_pages_per_host: u64,
    /// Rows to keep at most, duplicates not counted; 0 = no limit.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "rows"))]
    pub max_rows: u64,
    /// Time after which the crawl stops, keeping what it has; 0 = no limit.
    #[schemars(extend("x-group" = "Limits"))]
    pub walltime: Span,
    /// Bytes to download at most, as transferred; 0 = no limit.
    #[schemars(extend("x-group" = "Limits"))]
    pub max_bytes: Size,
    /// Time to wait for URLs that are due later; when nothing is due within it, the crawl ends.
    #[schemars(extend("x-group" = "Limits"))]
    pub linger: Span,
    /// Disk space to leave free, besides what the store needs to merge its files: with less the run pauses, and
    /// goes on by itself when there is room; 0 = no watch is kept.
    #[schemars(extend("x-group" = "Limits"))]
    pub min_free_space: Size,
    /// Links to take at most from one page; 0 = no limit.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "links"))]
    pub max_links: u32,
    /// Longer URLs are taken for a trap; 0 = no limit.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "bytes"))]
    pub max_url_length: u32,
    /// URLs with more path segments are taken for a trap; 0 = no limit.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "segments"))]
    pub max_segments: u32,
    /// URLs in which a path segment comes again more often than this are taken for a trap; 0 = no limit.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "repeats"))]
    pub max_repeats: u32,
    /// URLs with more parameters are taken for a trap; 0 = no limit.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "parameters"))]
    pub max_parameters: u32,
    /// Combinations of parameter names to take at most at one path of a host, their order counted; further ones
    /// are taken for a trap (facets); 0 = no limit.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "combinations"))]
    pub max_combinations: u32,
    /// Pages without new text to fetch at most of one URL template (/calendar/*), as far as only pages of that
    /// template lead to them. Each page with new text earns four more; a chain, where each page leads to the next,
    /// is followed 25 times longer. 0 = no limit.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "pages"))]
    pub max_stale_per_template: u64,
    /// Pages without new text to fetch at most from one host before its own links count no more as invitations:
    /// then the limit per template holds for all its URLs. Each page with new text earns four more; 0 = no limit.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "pages"))]
    pub max_stale_per_host: u64,
    /// Pages to fetch at most of one URL template, whatever they bring; 0 = no limit.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "pages"))]
    pub max_pages_per_template: u64,
    /// Pages of one URL template to follow at most in a row, each reached only through the one before (next month),
    /// whatever they bring; 0 = no limit.
    #[schemars(extend("x-group" = "Limits", "x-unit" = "pages"))]
    pub max_chain: u32,
    /// A page that takes this long earns no further ones of its template, even with new text (tarpits); 0 = all
    /// do.
    #[schemars(extend("x-group" = "Limits"))]
    pub slow_page: Span,

    /// Requests per time at one host, in place of the pauses below. A robots.txt Crawl-delay and a
    /// Retry-After still count. Unset, the pauses apply.
    #[schemars(extend("x-group" = "Politeness"))]
    pub rate: Option<Rate>,
    /// Shortest pause between two requests to a host.
    #[schemars(extend("x-group" = "Politeness"))]
    pub delay: Span,
    /// A slow host rests longer: this many times its last response time.
    #[schemars(extend("x-group" = "Politeness", "x-unit" = "times"))]
    pub delay_factor: u32,
    /// Longest rest that a slow response earns.
    #[schemars(extend("x-group" = "Politeness"))]
    pub max_earned_delay: Span,
    /// Shortest pause between two requests to one address, whatever the hosts.
    #[schemars(extend("x-group" = "Politeness"))]
    pub address_delay: Span,
    /// Whether robots.txt decides. Ignore it on your own sites only.
    #[schemars(extend("x-group" = "Politeness"))]
    pub robots: RobotsMode,
    /// Take the rules for every host from this robots.txt instead of the host's own.
    #[serde(deserialize_with = "request::url")]
    #[schemars(with = "Option<String>", extend("x-group" = "Politeness", "x-form" = "URL"))]
    pub robots_url: Option<PageUrl>,
    /// Read a site's hints to crawlers (/.well-known/crawl-hints.json): they may slow the crawl or name URLs.
    #[schemars(extend("x-group" = "Politeness"))]
    pub crawl_hints: bool,
    /// Connections open at once.
    #[serde(deserialize_with = "request::above_zero")]
    #[schemars(extend("x-group" = "Politeness", "x-unit" = "connections"))]
    pub connections: u32,
    /// Connections open at once to one host.
    #[serde(deserialize_with = "request::above_zero")]
    #[schemars(extend("x-group" = "Politeness", "x-unit" = "connections"))]
    pub connections_per_host: u32,

    /// Name in the User-Agent header and in robots.txt rules. Unset: gannet with its version.
    #[serde(deserialize_with = "request::header_text")]
    #[schemars(extend("x-group" = "Requests", "x-form" = "text"))]
    pub user_agent: Option<String>,
    /// URL or e-mail address in the User-Agent header under which site owners reach you.
    #[serde(deserialize_with = "request::header_text")]
    #[schemars(extend("x-group" = "Requests", "x-form" = "text"))]
    pub contact: Option<String>,
    /// Further headers sent with every request.
    #[serde(deserialize_with = "request::headers")]
    #[schemars(extend("x-group" = "Requests", "x-form" = "NAME: VALUE"))]
    pub headers: BTreeMap<String, String>,
    /// Cookies set before the first request.
    #[schemars(extend("x-group" = "Requests"))]
    pub cookies: Vec<CookieText>,
    /// Tries after a failed one, before a URL is given up.
    #[schemars(extend("x-group" = "Requests", "x-unit" = "tries"))]
    pub retry: u32,
    /// Wait before the first retry; doubled for each further one, sixty times as long when a name or a
    /// connection failed.
    #[schemars(extend("x-group" = "Requests"))]
    pub retry_wait: Span,
    /// Time for a whole request, body included.
    #[serde(deserialize_with = "request::above_zero")]
    #[schemars(extend("x-group" = "Requests"))]
    pub timeout: Span,
    /// Time for a connection to stand.
    #[serde(deserialize_with = "request::above_zero")]
    #[schemars(extend("x-group" = "Requests"))]
    pub connect_timeout: Span,

    /// Content types to keep; the body of any other answer is not read. The default is what can be read for
    /// text and links: HTML, XHTML, plain text, Markdown, XML, PDF, DOCX and ODT. Feeds by their own names
    /// (application/rss+xml) are read where feeds are asked for.
    #[schemars(extend("x-group" = "Content"))]
    pub content_types: Vec<MediaPattern>,
    /// Bytes of a body to keep, decompressed; a longer one is cut and marked so.
    #[serde(deserialize_with = "request::above_zero")]
    #[schemars(extend("x-group" = "Content"))]
    pub max_body: Size,
    /// What is kept of pages: all, or none of them. Without them there is no archive, no text and nothing to search;
    /// links, outcomes and rows of templates remain, a page costs about half, and guards that compare texts are blind.
    #[schemars(extend("x-group" = "Content"))]
    pub keep: KeepPages,
    /// How pages are compressed in the archive: fast, small, or none. Small takes three quarters of the room, and a page costs
    /// half as much again; none takes three and a half times the room, and a page costs a seventh less.
    #[schemars(extend("x-group" = "Content"))]
    pub compression: Compression,
    /// Size at which a new archive file is begun.
    #[serde(deserialize_with = "request::above_zero")]
    #[schemars(extend("x-group" = "Content"))]
    pub warc_size: Size,

    /// Which pages count as duplicates: none are looked for, those with exactly the same main text, those that share
    /// most of it (winnowing), or those that share most of their words.
    #[schemars(extend("x-group" = "Duplicates"))]
    pub duplicates: Duplicates,
    /// Winnowing: letters and digits that are hashed together (K). Shorter common runs are never seen.
    #[serde(deserialize_with = "request::above_zero")]
    #[schemars(extend("x-group" = "Duplicates", "x-unit" = "characters"))]
    pub duplicates_k: u32,
    /// Winnowing: hashes in a row of which one is kept (W). Common runs of W + K − 1 characters are always seen.
    #[serde(deserialize_with = "request::above_zero")]
    #[schemars(extend("x-group" = "Duplicates", "x-unit" = "hashes"))]
    pub duplicates_w: u32,
    /// How alike near duplicates are at least, in percent; 0 = 70 by winnowing, 55 where both texts are long, 90 by words.
    #[serde(deserialize_with = "request::percent")]
    #[schemars(extend("x-group" = "Duplicates", "x-unit" = "percent"))]
    pub duplicates_threshold: u32,
    /// What is done with exact duplicates. Links are left out only where all visible text is the same.
    #[schemars(extend("x-group" = "Duplicates"))]
    pub exact_duplicates: DuplicateAct,
    /// What is done with near duplicates.
    #[schemars(extend("x-group" = "Duplicates"))]
    pub near_duplicates: DuplicateAct,

    /// Which pages a refresh asks for again: all, those last asked for a fixed time ago, each after a time that grows
    /// while it stays the same and shrinks when it changes, or those that keep the whole freshest within a budget.
    #[schemars(extend("x-group" = "Revisits"))]
    pub revisit: Revisit,
    /// Time between two visits of a page: the fixed one, or the first.
    #[serde(deserialize_with = "request::above_zero")]
    #[schemars(extend("x-group" = "Revisits"))]
    pub revisit_every: Span,
    /// Fetches a day that optimal revisits may take. A refresh takes a day's for every day since the one before, at
    /// least for one, less what was asked for again within the last day; what gains most comes first, the rest stays due.
    #[serde(deserialize_with = "request::above_zero")]
    #[schemars(extend("x-group" = "Revisits", "x-unit" = "fetches a day"))]
    pub revisit_budget: u32,
    /// No page is asked for again sooner, but where all are.
    #[schemars(extend("x-group" = "Revisits"))]
    pub revisit_min: Span,
    /// Every page is due again after this time.
    #[serde(deserialize_with = "request::above_zero")]
    #[schemars(extend("x-group" = "Revisits"))]
    pub revisit_max: Span,
    /// A refresh of a project that has `max_pages` gives up its least important pages, by their links, for more
    /// important ones that it knows and has not fetched.
    #[schemars(extend("x-group" = "Revisits"))]
    pub replace_pages: bool,
    /// Images to fetch at most of each page, to compare them between versions; those in scope, each counts as a page.
    /// 0 = none.
    #[schemars(extend("x-group" = "Revisits", "x-unit" = "images"))]
    pub images_per_page: u32,
    /// Images are scaled to so many points a side for the number by which they are compared (ival): 16, 32 or 64. Whether
    /// they look the same is told by another hash.
    #[serde(deserialize_with = "request::image_side")]
    #[schemars(extend("x-group" = "Revisits", "x-unit" = "points"))]
    pub image_side: u32,
    /// What these selectors find on a page is noise when its versions are compared.
    #[schemars(extend("x-group" = "Revisits"))]
    pub ignore_changes: Vec<SelectorText>,

    /// Speak HTTP/2 with servers that offer it. One request at a time, unless the rate is unlimited.
    #[schemars(extend("x-group" = "Network"))]
    pub http2: bool,
    /// Ask through these proxies. One that fails rests, and the next stands in; when all rest, the crawl waits.
    #[schemars(extend("x-group" = "Network"))]
    pub proxies: Vec<ProxyUrl>,
    /// Whether each host keeps a proxy of its own, or the first that works serves the whole run.
    #[schemars(extend("x-group" = "Network"))]
    pub proxy_per: ProxyPer,
    /// Name server to ask instead of the system's.
    #[schemars(extend("x-group" = "Network"))]
    pub dns: Option<NameServer>,
    /// File of addresses and names, as /etc/hosts, that is asked before the name server. Relative to the
    /// project file.
    #[schemars(with = "Option<String>", extend("x-group" = "Network", "x-form" = "FILE"))]
    pub hosts: Option<PathBuf>,
    /// File of certificates (PEM) to trust besides the system's. Relative to the project file.
    #[schemars(with = "Option<String>", extend("x-group" = "Network", "x-form" = "FILE"))]
    pub ca: Option<PathBuf>,
    /// Accept TLS certificates that do not hold: no proof then of who answers.
    #[schemars(extend("x-group" = "Network"))]
    pub accept_invalid_tls: bool,
    /// Ask private, loopback and link-local addresses too, for sites on this machine or network.
    #[schemars(extend("x-group" = "Network"))]
    pub allow_private: bool,
    /// Ask these addresses although they are private or reserved; narrower than allow_private.
    #[schemars(extend("x-group" = "Network"))]
    pub allow_addresses: Vec<AddressRange>,
}

/// What can be read for text and links.
const PAGE_TYPES: [&str; 9] = [
    "text/html",
    "application/xhtml+xml",
    "text/plain",
    "text/markdown",
    "text/xml",
    "application/xml",
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.oasis.opendocument.text",
];

/// What servers call sitemaps and feeds.
pub const LONG_LIST_TYPES: [&str; 7] = [
    "text/xml",
    "application/xml",
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "application/gzip",
    "application/x-gzip",
];

/// Images that can be compared.
const PICTURE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// What else they are called.
const OTHER_LIST_TYPES: [&str; 3] = ["application/feed+json", "application/json", "text/plain"];

/// Bytes that are read of a sitemap, as its standard has it.
pub const MAX_LIST: u64 = 50 << 20;

impl Default for CrawlSettings {
    fn default() -> CrawlSettings {
        let media = |text: &str| text.parse().expect("a content type of our own");
        CrawlSettings {
            scope: Scope::Host,
            include: Vec::new(),
            exclude: Vec::new(),
            links_in: Vec::new(),
            sitemaps: Vec::new(),
            feeds: Vec::new(),
            robots_sitemaps: false,
            order: Order::BEST_FIRST,
            order_seed: 0,
            order_aging: 10_000,
            follow_nofollow: false,
            honour_canonical: true,
            honour_noindex: true,
            drop_query: false,
            drop_trailing_slash: false,
            drop_www: false,
            topic: Vec::new(),
            topic_examples: Vec::new(),
            topic_language: None,
            topic_method: TopicMethod::Auto,
            topic_threshold: None,
            topic_text_weight: Factor::from_thousandths(1_000),
            topic_title_weight: Factor::from_thousandths(2_000),
            topic_word_weight: Factor::from_thousandths(1_000),
            off_topic: OffTopic::Keep,
            off_topic_distance: None,
            max_pages: 0,
            max_depth: 0,
            max_pages_per_host: 0,
            max_rows: 0,
            walltime: Span::default(),
            max_bytes: Size::default(),
            linger: Span::from_secs(5 * 60),
            min_free_space: Size::from_bytes(512 << 20),
            max_links: 1_000,
            max_url_length: 2_048,
            max_segments: 20,
            max_repeats: 2,
            max_parameters: 16,
            max_combinations: 100,
            max_stale_per_template: 40,
            max_stale_per_host: 10_000,
            max_chain: 10_000,
            max_pages_per_template: 1_000_000,
            slow_page: Span::from_secs(20),
            rate: None,
            delay: Span::from_secs(1),
            delay_factor: 5,
            max_earned_delay: Span::from_secs(10),
            address_delay: Span::from_millis(250),
            robots: RobotsMode::Obey,
            robots_url: None,
            crawl_hints: true,
            connections: 64,
            connections_per_host: 1,
            user_agent: None,
            contact: None,
            headers: BTreeMap::new(),
            cookies: Vec::new(),
            retry: 3,
            retry_wait: Span::from_millis(60_000),
            timeout: Span::from_secs(60),
            connect_timeout: Span::from_secs(10),
            content_types: PAGE_TYPES.map(media).to_vec(),
            max_body: Size::from_bytes(4 << 20),
            keep: KeepPages::All,
            compression: Compression::Fast,
            duplicates: Duplicates::Exact,
            duplicates_k: 16,
            duplicates_w: 12,
            duplicates_threshold: 0,
            exact_duplicates: DuplicateAct::Skip,
            near_duplicates: DuplicateAct::Mark,
            warc_size: Size::from_bytes(1_000_000_000),
            revisit: Revisit::All,
            revisit_every: Span::from_secs(7 * 86_400),
            revisit_budget: 1_000,
            revisit_min: Span::from_secs(3_600),
            revisit_max: Span::from_secs(90 * 86_400),
            replace_pages: false,
            images_per_page: 0,
            image_side: 64,
            ignore_changes: Vec::new(),
            http2: true,
            proxies: Vec::new(),
            proxy_per: ProxyPer::Host,
            dns: None,
            hosts: None,
            ca: None,
            accept_invalid_tls: false,
            allow_private: false,
            allow_addresses: Vec::new(),
        }
    }
}

impl CrawlSettings {
    /// The project's own normalisation of URLs.
    pub fn normalise(&self) -> Normalise {
        Normalise {
            drop_query: self.drop_query,
            drop_trailing_slash: self.drop_trailing_slash,
            drop_www: self.drop_www,
        }
    }

    /// When pages are asked for again.
    pub fn revisit_settings(&self) -> RevisitSettings {
        let days = |span: Span| span.duration().as_secs_f64() / 86_400.0;
        RevisitSettings {
            policy: self.revisit,
            every: days(self.revisit_every),
            budget: f64::from(self.revisit_budget),
            least: days(self.revisit_min),
            most: days(self.revisit_max.max(self.revisit_min)),
        }
    }

    /// Which pages count as duplicates, and what is done with them.
    pub fn duplicate_settings(&self) -> DuplicateSettings {
        let (usual, usual_of_long) =
            if self.duplicates == Duplicates::Keywords { (90, 90) } else { (70, 55) };
        let or = |usual| if self.duplicates_threshold == 0 { usual } else { self.duplicates_threshold };
        let part = |percent: u32| f64::from(percent) / 100.0;
        DuplicateSettings {
            method: if self.keep == KeepPages::All { self.duplicates } else { Duplicates::Off },
            gram: self.duplicates_k,
            window: self.duplicates_w,
            threshold: part(or(usual)),
            threshold_of_long: part(or(usual_of_long)),
            exact: self.exact_duplicates,
            near: self.near_duplicates,
        }
    }

    /// True where sitemaps or feeds are read.
    pub fn reads_lists(&self) -> bool {
        self.robots_sitemaps || !self.sitemaps.is_empty() || !self.feeds.is_empty()
    }

    /// Bytes to keep of a body of this type, if there is a limit. Sitemaps have their own, unless `max_bytes` counts
    /// each page as one of full size.
    pub fn body_limit(&self, content_type: Option<&str>) -> Option<u64> {
        let usual = self.max_body.limit()?;
        let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        let is_list = LONG_LIST_TYPES.iter().any(|name| name.eq_ignore_ascii_case(essence));
        let is_longer = is_list && self.reads_lists() && self.max_bytes.limit().is_none();
        Some(if is_longer { usual.max(MAX_LIST) } else { usual })
    }

    /// The content types that are wanted: those chosen, and those of sitemaps, feeds and images where they are read.
    pub fn wanted_types(&self) -> Vec<String> {
        let mut types: Vec<String> = self.content_types.iter().map(ToString::to_string).collect();
        if self.reads_lists() {
            types.extend(LONG_LIST_TYPES.iter().chain(&OTHER_LIST_TYPES).map(|&name| name.to_owned()));
        }
        if self.images_per_page > 0 {
            types.extend(PICTURE_TYPES.map(str::to_owned));
        }
        types
    }

    /// True if an answer of this content type is wanted.
    pub fn wants(&self, content_type: &str) -> bool {
        self.content_types.iter().any(|pattern| pattern.matches(content_type))
    }
}
