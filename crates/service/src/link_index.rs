//! `graph`: every link of a crawl, or those to and from one URL, with words and looks (the link index of paper S1).

use archive::tables::{Edge, LINKS};
use crawl::LinkWeights;
use frontier::page_key;
use frontier::tables::URLS;
use kv::{Reader, Snapshot};
use model::{CrawlId, HostKey, LinkKind, PageUrl, UrlKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ranks::check_weights;
use crate::sink::Sink;
use crate::{Data, GraphRequest, ServiceError};

/// Which links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinksOf {
    /// All.
    #[default]
    All,
    /// Those that lead to a URL.
    To(String),
    /// Those that stand on a page.
    From(String),
}

/// A link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GraphLink {
    /// The page it stands on.
    #[schema(value_type = String)]
    pub source: PageUrl,
    /// Where it leads.
    #[schema(value_type = String)]
    pub target: PageUrl,
    /// Its words.
    pub anchor: String,
    /// 3 bold and italic, 2 bold or italic, 1 plain.
    pub visibility: u8,
    /// 3 first, 2 middle, 1 last third of its page.
    pub position: u8,
    /// 5 another host, 3 the same domain, 1 the same host.
    pub distance: u8,
    /// What it weighs in ranks.
    pub weight: f32,
    /// Which markup it came from.
    #[schema(value_type = String)]
    pub kind: LinkKind,
    /// The author does not vouch for it.
    pub nofollow: bool,
    /// Whether it was followed.
    pub followed: bool,
}

pub(crate) fn graph(data: &Data, request: &GraphRequest, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let entry = data.project(request.project.as_ref())?;
    let weights = request.weights.unwrap_or_default();
    check_weights(&weights)?;
    let limit = request.limit.unwrap_or(u64::MAX);
    let mut links = Links { snapshot: data.store().snapshot(), crawl: entry.crawl, weights, left: limit };
    let key = |text: &String| {
        let url = entry.project.crawl.normalise().parse(text);
        let url = url.map_err(|source| ServiceError::Url { text: text.clone(), source })?;
        Ok::<_, ServiceError>(UrlKey::of(&url))
    };
    match &request.links {
        LinksOf::All => links.scan(None, out),
        LinksOf::To(text) => links.scan(Some(key(text)?), out),
        LinksOf::From(text) => links.of_page(key(text)?, out),
    }
}

struct Links {
    snapshot: Snapshot,
    crawl: CrawlId,
    weights: LinkWeights,
    left: u64,
}

impl Links {
    fn scan(&mut self, to: Option<UrlKey>, out: &mut Sink<'_>) -> Result<(), ServiceError> {
        for row in self.snapshot.prefix(&LINKS, &self.crawl.0) {
            let ((_, host, page), found) = row?;
            let wanted = |edge: &Edge| to.is_none_or(|to| edge.target == to);
            if self.left == 0 {
                break;
            }
            if found.edges.iter().any(wanted) {
                let source = UrlKey { host: HostKey(host), page };
                self.send(source, found.edges.into_iter().filter(wanted), out)?;
            }
        }
        Ok(())
    }

    fn of_page(&mut self, source: UrlKey, out: &mut Sink<'_>) -> Result<(), ServiceError> {
        let found = self.snapshot.get(&LINKS, &page_key(self.crawl, source))?.unwrap_or_default();
        self.send(source, found.edges.into_iter(), out)
    }

    fn send(
        &mut self,
        source: UrlKey,
        edges: impl Iterator<Item = Edge>,
        out: &mut Sink<'_>,
    ) -> Result<(), ServiceError> {
        let Some(page) = self.snapshot.get(&URLS, &page_key(self.crawl, source))? else { return Ok(()) };
        for edge in edges {
            if self.left == 0 {
                break;
            }
            let target = self.snapshot.get(&URLS, &page_key(self.crawl, edge.target))?;
            let Some(target) = target else { continue };
            self.left -= 1;
            out.send(&GraphLink {
                source: page.url.clone(),
                target: target.url,
                weight: self.weights.of(&edge),
                anchor: edge.anchor.to_string(),
                visibility: edge.look.visibility,
                position: edge.look.position,
                distance: edge.look.distance,
                kind: edge.kind,
                nofollow: edge.rel.nofollow,
                followed: edge.followed,
            })?;
        }
        Ok(())
    }
}
