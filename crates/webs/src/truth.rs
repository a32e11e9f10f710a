//! Ground truth: what a crawler ought to find in a web, and where.
//!
//! The walk follows the links that were written down while pages were drawn; nothing is fetched
//! and nothing is parsed. What it takes for granted:
//! - a URL is canonical: lower-case host, no default port, no dot segments, no fragment, no
//!   tracking or session parameter ([`STRIPPED_PARAMETERS`]);
//! - depth is the length of the shortest path of followed links from the start page;
//! - only pages that answer 200 with HTML have links; links of every [`LinkKind`] are followed;
//! - `mailto:`, `tel:` and `javascript:` are no links.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

/// Parameters that name a visitor or a campaign, not a page; `utm_*` stands for all that begin so.
pub const STRIPPED_PARAMETERS: [&str; 5] = ["utm_*", "gclid", "fbclid", "PHPSESSID", "jsessionid"];

/// What a web knows about itself at one seed and epoch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Truth {
    /// Which web: `demo`, `generated`.
    pub web: String,
    /// Its seed.
    pub seed: u64,
    /// Its epoch.
    pub epoch: u64,
    /// Where a crawl is supposed to start.
    pub start: String,
    /// Every canonical URL met on the walk, by depth, then in order of discovery.
    pub pages: Vec<TruthPage>,
    /// Endless parts of the web.
    pub traps: Vec<Trap>,
    /// List pages with their rows in order.
    pub lists: Vec<TruthList>,
    /// Products as rows.
    pub products: Vec<ProductRow>,
    /// Blog posts as rows.
    pub posts: Vec<PostRow>,
    /// Parameters left out of canonical URLs.
    pub stripped_parameters: Vec<String>,
}

impl Truth {
    /// The page with this canonical URL.
    pub fn page(&self, url: &str) -> Option<&TruthPage> {
        self.pages.iter().find(|page| page.url == url)
    }
}

/// One canonical URL.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TruthPage {
    /// Canonical and absolute.
    pub url: String,
    /// Shortest path from the start page.
    pub depth: u32,
    /// What a crawler reports.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Status of the answer, when the URL is asked for at all.
    pub status: Option<u16>,
    /// Content type without parameters, when the URL is asked for.
    pub content_type: Option<String>,
    /// The trap this page belongs to.
    pub trap: Option<String>,
    /// What else is known of an HTML page.
    #[serde(flatten)]
    pub facts: Facts,
    /// Every link in document order, head first; a target may occur several times.
    pub links: Vec<Link>,
}

/// What a crawler with default settings reports for a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// A page of HTML, or a PDF, with status 200.
    Fetched,
    /// A redirect.
    Redirected {
        /// The canonical URL it leads to.
        to: String,
    },
    /// Never asked for.
    Disallowed {
        /// The deciding line of the host's robots.txt, from 1.
        line: u32,
    },
    /// A status that is no page.
    Failed,
    /// A status 200 whose type cannot be read.
    UnwantedType,
    /// On a host outside the web.
    OffSite,
    /// Known only through nofollow links, and these are honoured.
    NotFollowed,
}

/// Facts of an HTML page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The title.
    pub title: String,
    /// Number of visible words.
    pub words: u64,
    /// Language of the text.
    pub language: String,
    /// Encoding of the body, by its WHATWG name in lower case.
    pub charset: String,
    /// Canonical URL the page names for itself.
    pub canonical: Option<String>,
    /// `noindex` in the robots meta.
    pub noindex: bool,
    /// `nofollow` in the robots meta.
    pub nofollow: bool,
    /// Answers 503 for a while after the server's start; fetched when asked again.
    pub recovers: bool,
    /// Milliseconds the server waits before it answers.
    pub slow_ms: u64,
}

/// One link as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Canonical and absolute.
    pub url: String,
    /// Its visible words, one space between; empty for images, areas, frames and the head's links.
    pub anchor: String,
    /// Texts of images inside the link, or of the area.
    pub alt: String,
    /// 3 bold and italic, 2 one of them, 1 plain.
    pub visibility: u8,
    /// 3 first, 2 middle, 1 last third of the page's words.
    pub position: u8,
    /// 5 other host, 1 same host (host with port).
    pub distance: u8,
    /// `nofollow` in its rel attribute.
    pub nofollow: bool,
    /// The element.
    pub kind: LinkKind,
}

/// Where a link stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// `a`
    Anchor,
    /// `area`
    Area,
    /// `frame` or `iframe`
    Frame,
    /// `meta http-equiv=refresh`
    Refresh,
    /// `link rel=canonical`
    Canonical,
}

/// An endless part of a web.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trap {
    /// Its name.
    pub name: String,
    /// Where it is entered.
    pub root: String,
    /// A regular expression for the URLs in it.
    pub pattern: String,
    /// Pages of the trap are listed down to this many steps behind its root.
    pub listed_depth: u32,
}

/// A list page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TruthList {
    /// The page.
    pub url: String,
    /// `next-link`, `numbered` or `pattern`.
    pub pagination: String,
    /// The page after it.
    pub next: Option<String>,
    /// Where its rows lead, in order.
    pub items: Vec<String>,
}

/// A product.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProductRow {
    /// Its page.
    pub url: String,
    /// Stock keeping unit.
    pub sku: String,
    /// Name.
    pub title: String,
    /// Maker.
    pub brand: String,
    /// Category name.
    pub category: String,
    /// Decimal number, such as `1299.00`.
    pub price: String,
    /// As written on the page.
    pub price_text: String,
    /// ISO code.
    pub currency: String,
    /// Former price, when reduced.
    pub old_price: Option<String>,
    /// Reduction in percent, when reduced.
    pub discount: Option<u64>,
    /// Mean of the reviews, such as `4.5`, when there are any.
    pub rating: Option<String>,
    /// Number of reviews.
    pub reviews: u64,
    /// Pieces in stock.
    pub stock: u64,
    /// Colour, when the product has one.
    pub colour: Option<String>,
    /// Weight in grams, when stated.
    pub weight: Option<u64>,
    /// Address of the picture.
    pub image: String,
    /// The first paragraph of the description.
    pub summary: String,
}

/// A blog post.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PostRow {
    /// Its page.
    pub url: String,
    /// Its print version.
    pub print_url: String,
    /// Title.
    pub title: String,
    /// Author.
    pub author: String,
    /// Day of publication, ISO.
    pub published: String,
    /// Day of the last change, ISO.
    pub modified: String,
    /// Tags in order.
    pub tags: Vec<String>,
    /// The first paragraph.
    pub summary: String,
}

/// How the walk reads what ALGORITHMS leaves to settings.
#[derive(Clone, Copy, Debug)]
pub struct TruthOptions {
    /// Follow nofollow links too.
    pub follow_nofollow: bool,
    /// A redirect's target is one deeper than the redirect, instead of equally deep.
    pub redirects_deepen: bool,
    /// Steps into a trap that are still listed.
    pub trap_depth: u32,
}

impl Default for TruthOptions {
    fn default() -> Self {
        Self { follow_nofollow: false, redirects_deepen: false, trap_depth: 3 }
    }
}

/// What a web says about one canonical URL.
pub(crate) struct Look {
    pub(crate) status: Option<u16>,
    pub(crate) outcome: Outcome,
    pub(crate) content_type: Option<String>,
    pub(crate) facts: Facts,
    pub(crate) links: Vec<Link>,
    pub(crate) trap: Option<String>,
}

impl Look {
    /// A URL that is never asked for.
    pub(crate) fn unasked(outcome: Outcome) -> Self {
        let facts = Facts::default();
        Self { status: None, outcome, content_type: None, facts, links: Vec::new(), trap: None }
    }
}

/// Every URL that can be met from `start`, each with its shortest depth.
pub(crate) fn walk(start: &str, options: TruthOptions, look: impl Fn(&str) -> Look) -> Vec<TruthPage> {
    let mut walk = Walk { options, known: HashMap::new(), waiting: VecDeque::new() };
    walk.meet(start, 0, 0, true, false);
    while let Some((url, depth, trap_steps)) = walk.waiting.pop_front() {
        // Met again on a shorter way, through a redirect that does not deepen.
        if walk.known.get(&url).is_some_and(|met| met.page.is_some() || met.depth != depth) {
            continue;
        }
        let page = look(&url);
        let trap_steps = if page.trap.is_some() { trap_steps + 1 } else { 0 };
        if let Outcome::Redirected { to } = &page.outcome {
            let deepen = options.redirects_deepen;
            walk.meet(to, depth + u32::from(deepen), trap_steps, true, !deepen);
        }
        for link in &page.links {
            let followed = options.follow_nofollow || !(link.nofollow || page.facts.nofollow);
            walk.meet(&link.url, depth + 1, trap_steps, followed, false);
        }
        if let Some(met) = walk.known.get_mut(&url) {
            met.trap_steps = trap_steps;
            met.page = Some(page);
        }
    }
    walk.finish()
}

struct Walk {
    options: TruthOptions,
    known: HashMap<String, Met>,
    waiting: VecDeque<(String, u32, u32)>,
}

struct Met {
    order: usize,
    depth: u32,
    followed: bool,
    trap_steps: u32,
    page: Option<Look>,
}

impl Walk {
    fn meet(&mut self, url: &str, depth: u32, trap_steps: u32, followed: bool, soon: bool) {
        if trap_steps > self.options.trap_depth + 1 {
            return;
        }
        let order = self.known.len();
        let met = self.known.entry(url.to_owned()).or_insert(Met {
            order,
            depth: u32::MAX,
            followed: false,
            trap_steps,
            page: None,
        });
        // A way that is followed beats one that is not, whatever their lengths.
        let better = (followed, u32::MAX - depth) > (met.followed, u32::MAX - met.depth);
        if !better || met.page.is_some() {
            return;
        }
        met.depth = depth;
        if !followed {
            return;
        }
        met.followed = true;
        let entry = (url.to_owned(), depth, trap_steps);
        if soon { self.waiting.push_front(entry) } else { self.waiting.push_back(entry) }
    }

    fn finish(self) -> Vec<TruthPage> {
        let mut met: Vec<(String, Met)> = self.known.into_iter().collect();
        met.sort_by_key(|(_, met)| (met.depth, met.order));
        let listed = met.into_iter().filter(|(_, met)| {
            let in_trap = met.page.as_ref().is_none_or(|page| page.trap.is_some());
            !in_trap || met.trap_steps <= self.options.trap_depth + 1
        });
        let page = |(url, met): (String, Met)| {
            let look = met.page.unwrap_or_else(|| Look::unasked(Outcome::NotFollowed));
            TruthPage {
                url,
                depth: met.depth,
                outcome: look.outcome,
                status: look.status,
                content_type: look.content_type,
                trap: look.trap,
                facts: look.facts,
                links: look.links,
            }
        };
        listed.map(page).collect()
    }
}
