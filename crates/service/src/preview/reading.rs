//! What a project reads from the page, and which links it would follow.

use crawl::{FoundLink, LinkRefusal, PageRead, PageReader};
use frontier::Rules;
use model::{Fetched, PageUrl, Project};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use template::Why;
use utoipa::ToSchema;

use super::{Preview, Scope, scope};
use crate::ServiceError;

/// Links named.
const NAMED: usize = 200;

/// What a project reads from a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PageReading {
    /// The page type that takes the page; none when the project has no fields, or no type takes it.
    pub page_type: Option<String>,
    /// Its fields.
    pub columns: Vec<PageColumn>,
    /// Its rows, field by field.
    #[schema(value_type = Vec<Object>)]
    pub rows: Vec<Map<String, Value>>,
    /// How often each field was found.
    pub coverage: Vec<FieldCoverage>,
    /// True when the page has more than is read of one page.
    pub cut: bool,
    /// What becomes of its links.
    pub links: LinkVerdicts,
    /// What a crawl would do.
    pub scope: Scope,
}

/// A column of rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PageColumn {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: String,
}

/// How often a field was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldCoverage {
    /// The field.
    pub field: String,
    /// Rows that have it.
    pub found: u64,
    /// Rows.
    pub rows: u64,
    /// What is odd about it, in words.
    pub note: Option<String>,
}

/// What becomes of the page's links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LinkVerdicts {
    /// How many would be followed.
    pub follow: usize,
    /// How many not.
    pub skip: usize,
    /// The first of them.
    pub examples: Vec<LinkVerdict>,
}

/// A link, and whether it would be followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LinkVerdict {
    /// Where it leads.
    pub url: String,
    /// Would it be followed?
    pub follow: bool,
    /// Why not, or what for.
    pub reason: Option<String>,
}

impl Preview {
    /// What a project reads from this page: the code of the crawl.
    pub fn read(&self, project: &Project) -> Result<PageReading, ServiceError> {
        let read = read(project, &self.fetched)?;
        let scope = scope::scope(project, &self.fetched, &read, self.says.as_ref(), self.pause);
        Ok(page_reading(project, &read, scope))
    }
}

pub(super) fn read(project: &Project, fetched: &Fetched) -> Result<PageRead, ServiceError> {
    let reader = PageReader::new(project, PageReader::product(&project.crawl))
        .map_err(|mistake| ServiceError::Settings(mistake.to_string()))?;
    Ok(reader.read(fetched))
}

fn page_reading(project: &Project, read: &PageRead, scope: Scope) -> PageReading {
    let reading = read.reading.as_ref();
    let page_type = reading.and_then(|reading| reading.page_type.clone());
    let fields = project.fields.as_ref().zip(page_type.as_ref());
    let fields = fields.and_then(|(template, name)| template.page(name)).map(|page| page.read.as_slice());
    let fields = fields.unwrap_or_default();
    let note = |coverage: &template::Coverage, required: bool| {
        let mut notes = Vec::new();
        if required && coverage.found < coverage.rows {
            notes.push("required, and missing in some rows".to_owned());
        }
        if coverage.odd > 0 {
            notes.push(format!("{} values could not be understood and stay text", coverage.odd));
        }
        (!notes.is_empty()).then(|| notes.join("; "))
    };
    let rows = reading.map(|reading| reading.rows.as_slice()).unwrap_or_default();
    let coverage = reading.map(|reading| reading.coverage.as_slice()).unwrap_or_default();
    PageReading {
        columns: fields
            .iter()
            .map(|field| PageColumn { name: field.name.clone(), kind: field.kind.as_str().to_owned() })
            .collect(),
        rows: rows
            .iter()
            .map(|row| {
                fields
                    .iter()
                    .zip(&row.values)
                    .map(|(field, value)| (field.name.clone(), value.to_json()))
                    .collect()
            })
            .collect(),
        coverage: fields
            .iter()
            .zip(coverage)
            .map(|(field, coverage)| FieldCoverage {
                field: coverage.field.clone(),
                found: coverage.found,
                rows: coverage.rows,
                note: note(coverage, field.required),
            })
            .collect(),
        cut: reading.is_some_and(|reading| reading.cut),
        links: verdicts(project, read),
        page_type,
        scope,
    }
}

/// What would become of each link of the page.
fn verdicts(project: &Project, read: &PageRead) -> LinkVerdicts {
    let mut verdicts = LinkVerdicts::default();
    for (found, refusal) in ruled(project, read) {
        let follow = refusal.is_none();
        *(if follow { &mut verdicts.follow } else { &mut verdicts.skip }) += 1;
        if verdicts.examples.len() < NAMED {
            let reason = refusal.or_else(|| found.wanted.map(purpose));
            verdicts.examples.push(LinkVerdict { url: found.link.url.to_string(), follow, reason });
        }
    }
    verdicts
}

/// Each link once, with the rule that refuses it.
pub(super) fn ruled<'a>(project: &Project, read: &'a PageRead) -> Vec<(FoundLink<'a>, Option<String>)> {
    let rules = Rules::new(&project.crawl, &project.start);
    let mut seen: std::collections::HashSet<(&PageUrl, bool)> = std::collections::HashSet::new();
    let links = read.links().filter(|found| seen.insert((&found.link.url, found.refusal.is_none())));
    let refusal = |found: FoundLink<'_>| match found.refusal {
        Some(LinkRefusal::Nofollow) => Some("nofollow".to_owned()),
        Some(LinkRefusal::Canonical) => Some("a canonical link, and honour_canonical is off".to_owned()),
        Some(LinkRefusal::OutsideScope) => Some("outside the links to follow (links, links_in)".to_owned()),
        // How deep the page stands is not known here; a crawl asks for the depth as well.
        None => rules.refusal(&found.link.url, 1).map(|outcome| outcome.to_string()),
    };
    links.map(|found| (found, refusal(found))).collect()
}

fn purpose(why: &Why) -> String {
    match why {
        Why::Next => "next page".to_owned(),
        Why::Detail { field, page_type } => format!("{field}: read as {page_type}"),
    }
}
