//! A project: one named thing a person works on, and its YAML file.
//!
//! A new section of the file is a new field of `ProjectFile` whose type documents itself and refuses unknown
//! keys; places and near names come by themselves. Reading the file from disk is left to others.

mod mistake;
mod name;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use serde_saphyr::Spanned;

use crate::settings::text::quoted;
use crate::{CrawlSettings, PageUrl, Setting, Template, TemplateError};

pub use name::ProjectName;

/// What a person wants crawled, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// What people call it.
    pub name: ProjectName,
    /// Where the crawl begins; at least one URL.
    pub start: Vec<PageUrl>,
    /// How it is crawled.
    pub crawl: CrawlSettings,
    /// Which rows are read from its pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Template>,
    /// How it is searched, in the words of the search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<Value>,
}

/// Why a project file is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProjectError {
    /// Something at one place of it.
    #[error("{file}:{line}:{column}: {problem}")]
    At {
        /// The file's name, as given.
        file: String,
        /// From 1.
        line: u64,
        /// From 1, in characters.
        column: u64,
        /// One sentence.
        problem: String,
    },
    /// Something about the whole of it.
    #[error("{file}: {problem}")]
    Whole {
        /// The file's name, as given.
        file: String,
        /// One sentence.
        problem: String,
    },
}

impl ProjectError {
    /// A mistake in the template of a file.
    pub fn of_template(mistake: TemplateError, file: &str) -> ProjectError {
        let TemplateError { place, problem } = mistake;
        let file = file.to_owned();
        if place.is_known() {
            ProjectError::At { file, line: place.line, column: place.column, problem }
        } else {
            ProjectError::Whole { file, problem }
        }
    }

    fn of_yaml(error: &serde_saphyr::Error, text: &str, file: &str) -> ProjectError {
        let file = file.to_owned();
        match mistake::explain(error, text) {
            (Some(place), problem) => {
                ProjectError::At { file, line: place.line(), column: place.column(), problem }
            }
            (None, problem) => ProjectError::Whole { file, problem },
        }
    }
}

/// The version of project files that this program writes, and the newest it reads.
const VERSION: u64 = 1;

/// A project file as written. Its documentation is the reference's, too.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProjectFile {
    /// Version of the file's form.
    #[serde(rename = "version")]
    #[schemars(with = "u64", extend("x-form" = "1"))]
    _version: serde::de::IgnoredAny,
    /// Name of the project: letters, digits, `-`, `_` and `.`, at most 64 of them.
    #[schemars(extend("x-form" = "name"))]
    project: ProjectName,
    /// URLs at which the crawl begins.
    #[schemars(with = "Vec<String>", extend("x-form" = "[URL, …]"))]
    start: Spanned<Vec<StartUrl>>,
    /// How the project is crawled: the keys below. Without it, every default holds.
    #[serde(default)]
    #[schemars(extend("x-form" = "map of the keys below"))]
    crawl: CrawlSettings,
    /// Which rows to read from which pages: page types by name, each a map of the keys below; or `from: FILE`, a file
    /// with the page types, relative to this one. Without it, no rows are read.
    #[serde(default)]
    #[schemars(extend("x-form" = "map of page types, or a map with from"))]
    fields: Option<Template>,
    /// How the project is searched: `docs/search.md` has the keys. With it, even empty (`index: {}`), an index of the
    /// project's name follows the crawl; without it, the first `gannet search` makes one.
    #[serde(default)]
    #[schemars(with = "Option<Map<String, Value>>", extend("x-form" = "map"))]
    index: Option<Value>,
}

/// Read before the rest, so that a newer file is refused for being newer, not for a key we do not know.
#[derive(Deserialize)]
struct VersionOnly {
    version: Option<Spanned<u64>>,
}

/// A URL in any spelling.
struct StartUrl(PageUrl);

impl Project {
    /// Longest file that is read.
    pub const MAX_FILE: usize = 1 << 20;

    /// Reads a project file's text; `file` is its name for messages.
    pub fn parse(text: &str, file: &str) -> Result<Project, ProjectError> {
        let whole = |problem: String| ProjectError::Whole { file: file.to_owned(), problem };
        let at = |place: serde_saphyr::Location, problem: String| ProjectError::At {
            file: file.to_owned(),
            line: place.line(),
            column: place.column(),
            problem,
        };
        let explain = |error: serde_saphyr::Error| ProjectError::of_yaml(&error, text, file);
        if text.len() > Project::MAX_FILE {
            return Err(whole(format!("longer than {} bytes", Project::MAX_FILE)));
        }
        if text.trim().is_empty() {
            return Err(whole("the file is empty".to_owned()));
        }
        let head: VersionOnly = serde_saphyr::from_str_with_options(text, limits()).map_err(explain)?;
        match head.version {
            None => {
                return Err(whole(format!("the version is missing; add the line \"version: {VERSION}\"")));
            }
            Some(version) if version.value > VERSION => {
                let problem = format!(
                    "version {} is newer than this program, which reads version {VERSION}; update it",
                    version.value
                );
                return Err(at(version.referenced, problem));
            }
            Some(version) if version.value < VERSION => {
                let problem = format!("there is no version {}; write \"version: {VERSION}\"", version.value);
                return Err(at(version.referenced, problem));
            }
            Some(_) => {}
        }
        let read: ProjectFile = serde_saphyr::from_str_with_options(text, limits()).map_err(explain)?;
        if read.start.value.is_empty() {
            return Err(at(read.start.referenced, "start names no URL; a crawl begins somewhere".to_owned()));
        }
        let ProjectFile { project: name, start, crawl, fields, index, .. } = read;
        let start = start.value.into_iter().map(|StartUrl(url)| url).collect();
        if let Some(template) = &fields {
            template.check().map_err(|mistake| ProjectError::of_template(mistake, file))?;
        }
        Ok(Project { name, start, crawl, fields, index }.normalised())
    }

    /// The keys at the top of a project file, described.
    pub fn reference() -> Vec<Setting> {
        Setting::all_of(&schemars::schema_for!(ProjectFile))
    }

    /// The project with its start URLs in its own normalisation.
    pub fn normalised(mut self) -> Project {
        let normalise = self.crawl.normalise();
        for url in &mut self.start {
            // A canonical URL stays one under any normalisation; should it not, it is better kept than lost.
            if let Ok(again) = normalise.parse(url.as_str()) {
                *url = again;
            }
        }
        self
    }

    /// The project as a file, with the settings that differ from the defaults.
    pub fn to_yaml(&self) -> String {
        yaml_of(&self.to_json())
    }

    /// Reads what [`Project::to_json`] writes; JSON is YAML.
    pub fn from_json(file: &Value) -> Result<Project, ProjectError> {
        Project::parse(&file.to_string(), "project")
    }

    /// The project file as a JSON value, key for key.
    pub fn to_json(&self) -> Value {
        let settings = |crawl: &CrawlSettings| match serde_json::to_value(crawl) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        };
        let defaults = settings(&CrawlSettings::default());
        let mut crawl = settings(&self.crawl);
        crawl.retain(|key, value| defaults.get(key) != Some(value));
        let mut file = json!({ "version": VERSION, "project": self.name, "start": self.start });
        if !crawl.is_empty() {
            file["crawl"] = Value::Object(crawl);
        }
        if let Some(fields) = &self.fields {
            file["fields"] = json!(fields);
        }
        if let Some(index) = &self.index {
            file["index"] = index.clone();
        }
        file
    }

    /// The file that such JSON stands for; without a version it has this program's.
    pub fn file_text(mut file: Value) -> String {
        if let Some(keys) = file.as_object_mut() {
            keys.entry("version").or_insert_with(|| VERSION.into());
        }
        yaml_of(&file)
    }
}

fn yaml_of(file: &Value) -> String {
    serde_saphyr::to_string(file).expect("plain texts, numbers, lists and maps have a YAML form")
}

impl Template {
    /// Reads a file that holds page types only; `file` is its name for messages.
    pub fn parse(text: &str, file: &str) -> Result<Template, ProjectError> {
        let whole = |problem: String| ProjectError::Whole { file: file.to_owned(), problem };
        if text.len() > Project::MAX_FILE {
            return Err(whole(format!("longer than {} bytes", Project::MAX_FILE)));
        }
        let template: Template = serde_saphyr::from_str_with_options(text, limits())
            .map_err(|error| ProjectError::of_yaml(&error, text, file))?;
        if template.from.is_some() {
            return Err(whole("a file of page types holds them itself; remove from".to_owned()));
        }
        template.check().map_err(|mistake| ProjectError::of_template(mistake, file))?;
        Ok(template)
    }
}

/// No alias bombs, no towers of brackets.
fn limits() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: 64, max_aliases: 1_000, max_anchors: 1_000, max_documents: 1 },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 100_000,
            max_replay_stack_depth: 16,
        },
        strict_booleans: true,
        with_snippet: false,
    }
}

impl<'de> Deserialize<'de> for StartUrl {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<StartUrl, D::Error> {
        let text = String::deserialize(deserializer)?;
        let refuse = |error| serde::de::Error::custom(format!("{}: {error}", quoted(&text)));
        PageUrl::parse(&text).map(StartUrl).map_err(refuse)
    }
}

#[cfg(test)]
mod tests;
