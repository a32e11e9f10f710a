//! Projects as text: YAML or the same as JSON, checked with the place of what is wrong.

use model::{CrawlSettings, Project, ProjectError, Template};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::index_settings;

/// What messages call a project that is in no file.
const NAME: &str = "project";

/// A project as someone wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProjectText {
    /// As a file.
    Yaml(String),
    /// As a file's keys and values.
    #[serde(rename = "project")]
    Json(Value),
}

/// Something wrong with a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Mistake {
    /// From 1; 0 when it is about the whole.
    pub line: u64,
    /// From 1, in characters; 0 when it is about the whole.
    pub column: u64,
    /// The keys that lead there: `crawl.max_pages`; empty at the top.
    pub path: String,
    /// One sentence.
    pub message: String,
}

/// A project that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CheckedProject {
    /// As a file's keys and values; none when it cannot be used.
    pub project: Option<Value>,
    /// As a file: as given, or as made from what was given.
    pub yaml: String,
    /// What is wrong.
    pub errors: Vec<Mistake>,
}

/// Looks at a project without keeping it.
pub fn check_project(text: &ProjectText) -> CheckedProject {
    let yaml = text.yaml();
    match text.read() {
        Ok(project) => CheckedProject { project: Some(project.to_json()), yaml, errors: Vec::new() },
        Err(mistake) => CheckedProject { project: None, yaml, errors: vec![mistake] },
    }
}

impl ProjectText {
    /// As a file.
    pub fn yaml(&self) -> String {
        match self {
            ProjectText::Yaml(text) => text.clone(),
            ProjectText::Json(file) => Project::file_text(file.clone()),
        }
    }

    /// The project it describes.
    pub fn read(&self) -> Result<Project, Mistake> {
        if let ProjectText::Json(file) = self
            && !file.is_object()
        {
            return Err(Mistake::whole(
                "a project is an object with keys; see \"gannet reference\"".to_owned(),
            ));
        }
        let text = self.yaml();
        let project = Project::parse(&text, NAME).map_err(|error| Mistake::of(error, &text))?;
        check_parts(&project).map_err(|error| Mistake::of(error, &text))?;
        Ok(project)
    }
}

/// What the file's form does not show: selectors that do not compile, settings of the index.
fn check_parts(project: &Project) -> Result<(), ProjectError> {
    let whole = |problem: String| ProjectError::Whole { file: NAME.to_owned(), problem };
    let normalise = project.crawl.normalise();
    if let Some(fields) = &project.fields {
        if let Template { from: Some(from), .. } = fields {
            let problem =
                format!("fields: page types cannot be taken from the file {from:?} here; write them out");
            return Err(whole(problem));
        }
        template::Template::compile(fields, &[], normalise)
            .map_err(|mistake| ProjectError::of_template(mistake, NAME))?;
    }
    let CrawlSettings { links_in, ignore_changes, .. } = &project.crawl;
    for (key, selectors) in [("links_in", links_in), ("ignore_changes", ignore_changes)] {
        template::Template::check_selectors(key, selectors)
            .map_err(|mistake| ProjectError::of_template(mistake, NAME))?;
    }
    index_settings(project).map_err(|error| whole(format!("index: {error}")))?;
    Ok(())
}

impl Mistake {
    fn whole(message: String) -> Mistake {
        Mistake { line: 0, column: 0, path: String::new(), message }
    }

    fn of(error: ProjectError, text: &str) -> Mistake {
        match error {
            ProjectError::At { line, column, problem, .. } => {
                Mistake { line, column, path: path_at(text, line, column), message: problem }
            }
            ProjectError::Whole { problem, .. } => Mistake::whole(problem),
        }
    }
}

/// The keys that lead to a place of a file. Exact where each key has a line of its own, as in files that are made
/// from JSON; within `{…}` and `[…]` it is the key in front of them.
fn path_at(text: &str, line: u64, column: u64) -> String {
    /// A key or a list's item, and where it begins.
    struct Part {
        indent: usize,
        name: String,
        item: Option<usize>,
    }
    let mut parts: Vec<Part> = Vec::new();
    for (number, row) in (1..=line).zip(text.lines()) {
        let mut rest = row.trim_start();
        if rest.is_empty() || rest.starts_with('#') {
            continue;
        }
        let mut indent = row.len() - rest.len();
        loop {
            if number == line && indent as u64 + 1 > column {
                break;
            }
            if let Some(item) = rest.strip_prefix("- ").or_else(|| (rest == "-").then_some("")) {
                let before = parts.iter().rposition(|part| part.indent == indent && part.item.is_some());
                let index = before.and_then(|at| parts[at].item).map_or(0, |index| index + 1);
                // A list may stand as far left as the key it belongs to.
                parts.retain(|part| part.indent < indent || (part.indent == indent && part.item.is_none()));
                parts.push(Part { indent, name: index.to_string(), item: Some(index) });
                let inner = item.trim_start();
                indent += rest.len() - inner.len();
                rest = inner;
                continue;
            }
            let Some((key, _)) = rest.split_once(':').filter(|(key, after)| {
                !key.is_empty()
                    && !key.contains([' ', '{', '['])
                    && (after.is_empty() || after.starts_with(' '))
            }) else {
                break;
            };
            parts.retain(|part| part.indent < indent);
            let name = key.trim_matches(['"', '\'']).to_owned();
            parts.push(Part { indent, name, item: None });
            break;
        }
    }
    parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(yaml: &str, line: u64, path: &str, words: &str) {
        let errors = check_project(&ProjectText::Yaml(yaml.to_owned())).errors;
        let [mistake] = &errors[..] else { panic!("{errors:?}") };
        assert_eq!((mistake.line, mistake.path.as_str()), (line, path), "{mistake:?}");
        assert!(mistake.message.contains(words), "{mistake:?}");
    }

    #[test]
    fn a_mistake_has_its_place_and_its_keys() {
        let head = "version: 1\nproject: shop\nstart: [http://shop.test/]\n";
        check(
            &format!("{head}crawl:\n  rate: 1/s\n  max_pages: many\n"),
            6,
            "crawl.max_pages",
            "whole number",
        );
        check(&format!("{head}crawl:\n  exclude:\n    - /a\n    - 'regex:('\n"), 7, "crawl.exclude.1", "");
        check(&format!("{head}crawl:\n  exclude:\n  - /a\n  - 'regex:('\n"), 7, "crawl.exclude.1", "");
        check(&format!("{head}crawl:\n  depht: 3\n"), 5, "crawl.depht", "unknown key");
        check("version: 1\nproject: shop\n", 0, "", "start is missing");
        check(
            &format!("{head}fields:\n  list:\n    rows: li\n    read:\n      title: {{css: 'h2['}}\n"),
            8,
            "fields.list.read.title",
            "",
        );
        check(&format!("{head}fields: {{from: rows.yaml}}\n"), 0, "", "write them out");
        check(&format!("{head}index: {{rankng: {{}}}}\n"), 0, "", "index");
    }

    #[test]
    fn json_has_the_same_mistakes() {
        let json = serde_json::json!({
            "project": "shop", "start": ["http://shop.test/"], "crawl": { "rate": "1/s", "max_depth": "x" }
        });
        let checked = check_project(&ProjectText::Json(json));
        assert_eq!(checked.errors[0].path, "crawl.max_depth", "{checked:?}");
        let checked = check_project(&ProjectText::Json(serde_json::json!(["a"])));
        assert!(checked.errors[0].message.contains("object"), "{checked:?}");
    }
}
