//! Crawl settings on the command line, and the layers that make a project: default, file, environment, flag;
//! later wins, key by key.
//!
//! The flags are made from the documented struct in `model`, so a new field there is a new flag here.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches};
use model::{CrawlSettings, PageUrl, Project, ProjectError, ProjectName, Setting, SettingKind, Template};

/// Why there is no project to crawl.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The project file has a mistake.
    #[error(transparent)]
    File(#[from] ProjectError),
    /// A file cannot be read.
    #[error("cannot read {}", file.display())]
    Unreadable {
        /// Which.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is no text.
    #[error("{}: not UTF-8 text", file.display())]
    NoText {
        /// Which.
        file: PathBuf,
    },
    /// A file is longer than we read.
    #[error("{}: longer than {limit} bytes", file.display())]
    TooLong {
        /// Which.
        file: PathBuf,
        /// The most we read.
        limit: u64,
    },
    /// A flag has no good value.
    #[error("--{flag}: {problem}")]
    Flag {
        /// Its name without the dashes.
        flag: String,
        /// One sentence.
        problem: String,
    },
    /// A variable of the environment has no good value.
    #[error("{name} in the environment: {problem}")]
    Environment {
        /// Its name.
        name: String,
        /// One sentence.
        problem: String,
    },
    /// A start URL is none.
    #[error("{text:?}: {problem}{}", scheme_hint(text))]
    Start {
        /// As given.
        text: String,
        /// Why.
        problem: model::UrlError,
    },
    /// Nothing says where to begin.
    #[error("no URL to start from; give one, --sitemap or --feed, or a project file with -p")]
    NoStart,
}

/// People leave the scheme out, as browsers let them.
fn scheme_hint(text: &str) -> String {
    let bare = !text.contains("://") && PageUrl::parse(&format!("https://{text}")).is_ok();
    if bare { format!("; write https://{text}") } else { String::new() }
}

/// One flag for each crawl setting, grouped as in the reference.
pub(crate) fn args() -> impl Iterator<Item = Arg> {
    model::CrawlSettings::reference().into_iter().map(|setting| arg(&setting))
}

/// The project that all layers together describe. `start`, from the command line, replaces the file's.
pub fn layered(
    file: Option<Project>,
    start: &[String],
    environment: impl Fn(&str) -> Option<String>,
    flags: &ArgMatches,
) -> Result<Project, SettingsError> {
    let (name, file_start, mut crawl, fields, index) = match file {
        Some(project) => (Some(project.name), project.start, project.crawl, project.fields, project.index),
        None => (None, Vec::new(), model::CrawlSettings::default(), None, None),
    };
    for setting in model::CrawlSettings::reference() {
        let variable = setting.environment();
        // An empty variable is how a script unsets one.
        if let Some(text) = environment(&variable).filter(|text| !text.is_empty()) {
            let texts = match setting.kind {
                SettingKind::List | SettingKind::Map => text.lines().map(str::to_owned).collect(),
                _ => vec![text],
            };
            crawl = setting
                .read(&texts)
                .and_then(|value| crawl.with(&setting.key, value))
                .and_then(|crawl| with_selectors(crawl, &setting.key))
                .map_err(|problem| SettingsError::Environment { name: variable, problem })?;
        }
        if let Ok(Some(texts)) = flags.try_get_many::<String>(&setting.key) {
            let texts: Vec<String> = texts.cloned().collect();
            crawl = setting
                .read(&texts)
                .and_then(|value| crawl.with(&setting.key, value))
                .and_then(|crawl| with_selectors(crawl, &setting.key))
                .map_err(|problem| SettingsError::Flag { flag: setting.flag(), problem })?;
        }
    }
    let normalise = crawl.normalise();
    let parse = |text: &String| {
        normalise.parse(text).map_err(|problem| SettingsError::Start { text: text.clone(), problem })
    };
    let given = start.iter().map(parse).collect::<Result<Vec<PageUrl>, _>>()?;
    let mut start = if given.is_empty() { file_start } else { given };
    if start.is_empty() {
        // A list is a start as good as a page; it is asked for as such anyway.
        start.extend(crawl.sitemaps.iter().chain(&crawl.feeds).cloned());
    }
    let first = start.first().ok_or(SettingsError::NoStart)?;
    let name = name.unwrap_or_else(|| ProjectName::of(first));
    Ok(Project { name, start, crawl, fields, index }.normalised())
}

/// The settings, if those of this key are selectors where they should be.
fn with_selectors(crawl: CrawlSettings, key: &str) -> Result<CrawlSettings, String> {
    let selectors = match key {
        "links_in" => &crawl.links_in,
        "ignore_changes" => &crawl.ignore_changes,
        _ => return Ok(crawl),
    };
    template::Template::check_selectors(key, selectors).map_err(|mistake| mistake.problem)?;
    Ok(crawl)
}

/// Reads a project file. Paths in it are relative to it.
pub fn read_project(file: &Path) -> Result<Project, SettingsError> {
    let text = read_text(file, Project::MAX_FILE as u64)?;
    let name = file.display().to_string();
    let mut project = Project::parse(&text, &name)?;
    let directory = file.parent().unwrap_or(Path::new(""));
    let normalise = project.crawl.normalise();
    if let Some(fields) = &mut project.fields {
        let mut name = name;
        if let Some(from) = &fields.from {
            let file = directory.join(from);
            name = file.display().to_string();
            let pages = Template::parse(&read_text(&file, Project::MAX_FILE as u64)?, &name)?.pages;
            *fields = Template { from: None, pages };
        }
        // Selectors are compiled here, where their mistakes still have a place in a file.
        template::Template::compile(fields, &[], normalise)
            .map_err(|mistake| ProjectError::of_template(mistake, &name))?;
    }
    service::index_settings(&project).map_err(|error| ProjectError::Whole {
        file: file.display().to_string(),
        problem: format!("index: {error}"),
    })?;
    let CrawlSettings { links_in, ignore_changes, .. } = &project.crawl;
    for (key, selectors) in [("links_in", links_in), ("ignore_changes", ignore_changes)] {
        template::Template::check_selectors(key, selectors)
            .map_err(|mistake| ProjectError::of_template(mistake, &file.display().to_string()))?;
    }
    for path in [&mut project.crawl.hosts, &mut project.crawl.ca].into_iter().flatten() {
        *path = directory.join(&*path);
    }
    Ok(project)
}

/// URLs from a file, one a line, or from standard input for `-`; empty lines and lines that begin with # are
/// passed over.
pub(crate) fn read_seeds(file: &Path) -> Result<Vec<String>, SettingsError> {
    /// A few million URLs.
    const MAX_SEEDS: u64 = 256 << 20;
    let text = read_text(file, MAX_SEEDS)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

/// A file of at most `limit` bytes as text, or standard input for `-`.
fn read_text(file: &Path, limit: u64) -> Result<String, SettingsError> {
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().take(limit + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|open| open.take(limit + 1).read_to_end(&mut bytes))
    };
    read.map_err(|source| SettingsError::Unreadable { file: file.to_owned(), source })?;
    if bytes.len() as u64 > limit {
        return Err(SettingsError::TooLong { file: file.to_owned(), limit });
    }
    String::from_utf8(bytes).map_err(|_| SettingsError::NoText { file: file.to_owned() })
}

fn arg(setting: &Setting) -> Arg {
    let arg = Arg::new(setting.key.clone())
        .long(setting.flag())
        .value_name(value_name(setting))
        .help_heading(setting.group.clone())
        .help(help(setting));
    let arg = match setting.kind {
        SettingKind::Switch => {
            arg.num_args(0..=1).require_equals(true).default_missing_value("true").action(ArgAction::Set)
        }
        SettingKind::List | SettingKind::Map => arg.action(ArgAction::Append),
        SettingKind::Number | SettingKind::Text => arg.action(ArgAction::Set),
    };
    // `--header`, given once for each, reads better than `--headers`.
    match setting.flag().strip_suffix('s') {
        Some(singular) if matches!(setting.kind, SettingKind::List | SettingKind::Map) => {
            arg.visible_alias(singular.to_owned())
        }
        _ => arg,
    }
}

fn help(setting: &Setting) -> String {
    let mut help = setting.help.trim_end_matches('.').to_owned();
    if matches!(setting.kind, SettingKind::List | SettingKind::Map) {
        help += "; give it again for more";
    }
    // A named form is explained once, below the flags; a form that is one word stands before the help.
    if setting.form.contains(' ') && named_form(setting).is_none() && setting.kind != SettingKind::Map {
        help += &format!(" ({})", setting.form);
    }
    // A switch that is off needs no word about it.
    if let Some(default) = default_text(setting).filter(|_| setting.default != serde_json::Value::Bool(false))
    {
        help += &format!(" [default: {default}]");
    }
    help
}

/// How the values are written that several flags share: `TIME  250ms, 30s, …`.
pub(crate) fn forms() -> String {
    let mut lines: Vec<String> = Vec::new();
    for setting in model::CrawlSettings::reference() {
        let line = named_form(&setting).map(|(_, form)| format!("  {:<13} {form}\n", value_name(&setting)));
        if let Some(line) = line.filter(|line| !lines.contains(line)) {
            lines.push(line);
        }
    }
    format!("Values:\n{}", lines.concat())
}

/// A form that has a name, and the form: `time`, `250ms, 30s, …`.
pub(crate) fn named_form(setting: &Setting) -> Option<(&str, &str)> {
    // What stands before a colon may also be a list of words, the last of which has a form.
    setting.form.split_once(": ").filter(|(name, _)| setting.kind != SettingKind::Map && !name.contains(','))
}

/// The default as people write it; none where it is nothing.
pub(crate) fn default_text(setting: &Setting) -> Option<String> {
    use serde_json::Value;
    match &setting.default {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(list) if list.is_empty() => None,
        Value::Array(list) => Some(list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")),
        Value::Object(map) if map.is_empty() => None,
        other => Some(other.to_string()),
    }
}

/// What stands for the value in help: N, TIME, SIZE, PATTERN, …
fn value_name(setting: &Setting) -> String {
    match setting.kind {
        SettingKind::Number => "N".to_owned(),
        SettingKind::Switch => "true|false".to_owned(),
        SettingKind::Map => setting.form.clone(),
        SettingKind::Text | SettingKind::List => match named_form(setting) {
            Some((name, _)) => name.replace(' ', "-").to_uppercase(),
            None if setting.form.contains(' ') => setting.key.to_uppercase(),
            None => setting.form.to_uppercase(),
        },
    }
}

#[cfg(test)]
mod tests;
