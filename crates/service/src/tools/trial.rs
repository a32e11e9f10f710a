//! What a project would read from one page and which links it would follow, without a crawl.
//!
//! Page, rows and links come from the code that the crawl runs, so this is what a run does.

use std::collections::HashSet;

use crawl::{FoundLink, LinkRefusal, PageRead, PageReader};
use frontier::Rules;
use model::{Fetched, PageUrl, Project};
use serde_json::{Map, Value, json};
use template::Why;

use crate::ServiceError;

/// A page read by a project.
pub struct Trial {
    /// Where the page stands.
    pub url: PageUrl,
    /// What was read.
    pub read: PageRead,
}

/// A link, and why it would not be followed.
pub struct LinkWord<'a> {
    /// The link.
    pub found: FoundLink<'a>,
    /// Why not; none when it would be.
    pub refusal: Option<String>,
}

impl Trial {
    /// Reads a page.
    pub fn new(project: &Project, fetched: &Fetched) -> Result<Trial, ServiceError> {
        let reader = PageReader::new(project, PageReader::product(&project.crawl))
            .map_err(|mistake| ServiceError::Question(mistake.to_string()))?;
        Ok(Trial { url: fetched.url.clone(), read: reader.read(fetched) })
    }

    /// Its links, each once, and what the project's rules say of them.
    pub fn links(&self, project: &Project) -> Vec<LinkWord<'_>> {
        let rules = Rules::new(&project.crawl, &project.start);
        let mut seen = HashSet::new();
        let links = self.read.links().filter(|found| seen.insert((&found.link.url, found.refusal.is_none())));
        links
            .map(|found| {
                let refusal = match found.refusal {
                    Some(LinkRefusal::Nofollow) => Some("nofollow".to_owned()),
                    Some(LinkRefusal::Canonical) => {
                        Some("a canonical link, and honour_canonical is off".to_owned())
                    }
                    Some(LinkRefusal::OutsideScope) => {
                        Some("outside the links to follow (links, links_in)".to_owned())
                    }
                    // How deep the page stands is not known here; a crawl asks for the depth as well.
                    None => rules.refusal(&found.link.url, 1).map(|outcome| outcome.to_string()),
                };
                LinkWord { found, refusal }
            })
            .collect()
    }

    /// All of it, as JSON has it.
    pub fn to_json(&self, project: &Project) -> Value {
        let reading = self.read.reading.as_ref();
        let page_type = reading.and_then(|reading| reading.page_type.as_deref());
        let page = project.fields.as_ref().zip(page_type).and_then(|(template, name)| template.page(name));
        let row = |row: &model::Row| {
            let names = page.map(|page| page.read.as_slice()).unwrap_or_default();
            let values: Map<String, Value> = names
                .iter()
                .zip(&row.values)
                .map(|(field, value)| (field.name.clone(), value.to_json()))
                .collect();
            json!({ "position": row.position, "key": row.key.to_string(), "incomplete": row.incomplete, "values": values })
        };
        let coverage = |coverage: &template::Coverage| json!({ "field": coverage.field, "rows": coverage.rows, "found": coverage.found, "odd": coverage.odd });
        let link = |link: &LinkWord<'_>| {
            let wanted = link.found.wanted.map(|why| match why {
                Why::Next => json!({ "next": true }),
                Why::Detail { field, page_type } => json!({ "field": field, "page": page_type }),
            });
            json!({ "url": link.found.link.url, "follow": link.refusal.is_none(), "reason": link.refusal, "wanted": wanted })
        };
        json!({
            "url": self.url,
            "title": self.read.page.title,
            "page_type": page_type,
            "rows": reading.map(|reading| reading.rows.iter().map(row).collect::<Vec<_>>()).unwrap_or_default(),
            "coverage": reading.map(|reading| reading.coverage.iter().map(coverage).collect::<Vec<_>>()).unwrap_or_default(),
            "cut": reading.is_some_and(|reading| reading.cut),
            "links": self.links(project).iter().map(link).collect::<Vec<_>>(),
        })
    }
}
