//! The lists on a page, and the project that reads one of them.

use model::{CrawlSettings, Normalise, PageUrl, Project, ProjectName, Template};
use serde_json::{Value, json};
use template::detect::{Detection, Field, List};

use crate::ServiceError;

/// What was found on a page.
pub struct Detected {
    /// The lists.
    pub detection: Detection,
    /// The list that the project reads, from 0.
    pub chosen: usize,
    fields: Template,
}

/// Finds the lists on a page; `chosen` is the one to read, from 0.
pub fn detect(html: &str, chosen: usize) -> Result<Detected, ServiceError> {
    let detection = template::detect::detect(&html::parse(html, &mut ()));
    if detection.lists.is_empty() {
        let problem =
            "no repeated list was found; if the page is drawn by scripts, its source has no rows to find";
        return Err(ServiceError::NothingThere(problem.to_owned()));
    }
    let Some(fields) = detection.template(chosen) else {
        let problem = format!("there is no list {}; {} were found", chosen + 1, detection.lists.len());
        return Err(ServiceError::Question(problem));
    };
    Ok(Detected { detection, chosen, fields })
}

impl Detected {
    /// The page of the first row, which may tell more fields: on the same host, and another one.
    pub fn detail_page(&self, from: &PageUrl) -> Option<PageUrl> {
        let url = Normalise::default().join(from, self.detection.detail_link(self.chosen)?).ok()?;
        (url.host() == from.host() && url != *from).then_some(url)
    }

    /// Reads the fields of the rows' own pages from the first of them.
    pub fn with_detail(&mut self, from: &PageUrl, html: &str, at: &PageUrl) {
        let tree = html::parse(html, &mut ());
        if let Some(fields) = self.detection.template_with_detail(self.chosen, from, &tree, at) {
            self.fields = fields;
        }
    }

    /// The project that reads the chosen list.
    pub fn project(&self, start: &PageUrl) -> Project {
        Project {
            name: ProjectName::of(start),
            start: vec![start.clone()],
            // The list and its further pages, not whatever else the site names.
            crawl: CrawlSettings { crawl_hints: false, ..CrawlSettings::default() },
            fields: Some(self.fields.clone()),
            index: None,
        }
    }

    /// All of it, as JSON has it.
    pub fn to_json(&self, project: Option<&Project>) -> Value {
        let next = self.detection.next.as_ref();
        json!({
            "lists": self.detection.lists.iter().map(in_json).collect::<Vec<_>>(),
            "next": next.map(|next| json!({ "selector": next.selector.as_str(), "url": next.href })),
            "project": project.map(Project::to_yaml),
        })
    }
}

fn in_json(list: &List) -> Value {
    let field = |field: &Field| {
        json!({
            "name": field.name,
            "selector": field.selector.as_str(),
            "attribute": field.attribute,
            "kind": field.kind.as_str(),
            "all": field.many,
            "coverage": field.coverage,
        })
    };
    let row = |at: usize| {
        let cells = list.fields.iter().map(|field| (field.name.clone(), json!(field.values[at].join("; "))));
        Value::Object(cells.collect())
    };
    json!({
        "row": list.row.as_str(),
        "rows": (0..list.rows.len()).map(row).collect::<Vec<_>>(),
        "fields": list.fields.iter().map(field).collect::<Vec<_>>(),
        "detail": list.detail.map(|at| &list.fields[at].name),
    })
}
