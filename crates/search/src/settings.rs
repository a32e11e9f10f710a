//! What an index holds and how it ranks: the `index:` part of a project, or a file of its own.
//!
//! What is under `ranking` acts at query time, and so do the weight, k, b and variable of a field; everything else needs
//! the index to be rebuilt.

use std::collections::{BTreeMap, BTreeSet};

use index::Idf;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use text::Analysis;

use crate::SearchError;
use crate::document::{Fields, RowField};
use crate::rules::is_site;

/// An index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IndexSettings {
    /// The projects whose pages and rows are searched; in a project's own file: that project.
    pub projects: Vec<String>,
    /// Pages, rows, or both.
    pub of: Source,
    /// How texts are cut into words, unless a field says otherwise.
    pub analysis: Analysis,
    /// What is said of single fields: `title`, `text`, `url`, `anchor`, and those of the rows.
    pub fields: BTreeMap<String, FieldSettings>,
    /// How hits are ordered.
    pub ranking: Ranking,
    /// What is suggested while someone types.
    pub suggestions: Suggest,
}

/// What an index holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Pages and rows.
    #[default]
    Both,
    /// Pages.
    Pages,
    /// Rows.
    Rows,
}

/// One field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FieldSettings {
    /// What its words count; 0 keeps them out of searches that name no field.
    pub weight: Option<f64>,
    /// Its own k.
    pub k: Option<f64>,
    /// Its own b.
    pub b: Option<f64>,
    /// How its text is cut.
    pub analysis: Option<Analysis>,
    /// What it is beside text: nothing said means by its kind.
    pub column: Option<Column>,
    /// Its name in formulas.
    pub variable: Option<String>,
}

/// What a field is beside text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Column {
    /// Values to count and filter by.
    Facet,
    /// Numbers.
    Number,
    /// Dates.
    Date,
    /// Nothing.
    None,
}

/// How hits are ordered. All of it acts at query time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ranking {
    /// BM25's k: how slowly further occurrences of a word stop to count.
    pub k: f64,
    /// BM25's b: how much long texts are held back, 0 to 1.
    pub b: f64,
    /// The worth of rare words: `standard`, or `paper` for log2(N / df).
    pub idf: Idf,
    /// What the words of a field count: overrides the field's own weight.
    pub weights: BTreeMap<String, f64>,
    /// Single fields: override what the field's own settings say.
    pub fields: BTreeMap<String, FieldRanking>,
    /// Words that count more or less: added to the score of entries with them, when they are asked for.
    pub words: BTreeMap<String, f64>,
    /// A formula over variables of rows and built-in ones.
    pub formula: Option<String>,
    /// What is done with its value.
    pub formula_is: FormulaIs,
    /// Newer is better.
    pub freshness: Option<Freshness>,
    /// What a page of the mean PageRank gets added: this times log2(1 + pagerank); 0 for nothing.
    pub pagerank: f64,
    /// What words close to each other are worth, 0 for nothing.
    pub proximity: f64,
    /// Hits with all words before the others.
    pub all_words_first: bool,
    /// Hits with less than this share of the best score are left out; 0 for none.
    pub cut: f64,
    /// At most so many hits of a site one after the other; 0 for any number.
    pub per_site: usize,
    /// Hits that are pinned, demoted or blocked.
    pub rules: Vec<Rule>,
    /// Phrases in quotes match other forms of their words too.
    pub stemmed_phrases: bool,
    /// `and`, `or`, `not`, `xor`, `near` work in small letters.
    pub lower_case_operators: bool,
    /// Words with few or no hits are looked for in near spellings.
    pub fuzzy: bool,
}

/// How the words of one field count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FieldRanking {
    /// Its own k.
    pub k: Option<f64>,
    /// Its own b.
    pub b: Option<f64>,
}

/// What is done with a formula's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormulaIs {
    /// It is added to the score.
    #[default]
    Added,
    /// The score is multiplied by it.
    Multiplied,
}

/// Newer is better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Freshness {
    /// Days after which newness is worth half.
    pub half_life: f64,
    /// What a page of today gets added.
    pub weight: f64,
}

/// What is done with some hits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// URLs like this: a URL, with `*` for anything, or a site's name.
    pub url: String,
    /// Only for this query, as it is typed; for all if none.
    #[serde(default)]
    pub query: Option<String>,
    /// What.
    #[serde(rename = "do")]
    pub act: Act,
}

/// What is done with a hit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// It comes first.
    Pin,
    /// It is left out.
    Block,
    /// Its score is multiplied by this.
    Demote(f64),
}

/// Suggestions while someone types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Suggest {
    /// A file of names, scores and synonyms, tab-separated.
    pub dictionary: Option<String>,
    /// Synonyms of the dictionary are found too.
    pub synonyms: bool,
    /// Letters in a gram, for near spellings.
    pub q: usize,
}

impl Default for Ranking {
    fn default() -> Ranking {
        Ranking {
            k: 1.2,
            b: 0.75,
            idf: Idf::Standard,
            weights: BTreeMap::new(),
            fields: BTreeMap::new(),
            words: BTreeMap::new(),
            formula: None,
            formula_is: FormulaIs::Added,
            freshness: None,
            pagerank: 0.0,
            proximity: 0.3,
            all_words_first: true,
            cut: 0.0,
            per_site: 0,
            rules: Vec::new(),
            stemmed_phrases: false,
            lower_case_operators: false,
            fuzzy: true,
        }
    }
}

impl Default for Suggest {
    fn default() -> Suggest {
        Suggest { dictionary: None, synonyms: true, q: 3 }
    }
}

impl Ranking {
    /// The ranking with some settings changed, each `name=value`: `weights.title=2`, `formula=log(1+stars)`.
    pub fn with<'a>(&self, changes: impl IntoIterator<Item = &'a str>) -> Result<Ranking, SearchError> {
        let refuse = |message: String| SearchError::Setting(message);
        let mut settings = serde_json::to_value(self).map_err(|error| refuse(error.to_string()))?;
        for change in changes {
            let Some((name, value)) = change.split_once('=') else {
                return Err(refuse(format!("{change:?} is no setting: write name=value")));
            };
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
            let mut place = &mut settings;
            for part in name.trim().split('.') {
                if place.is_null() {
                    *place = Value::Object(Map::new());
                }
                let inner = place.as_object_mut().map(|object| object.entry(part).or_insert(Value::Null));
                place = inner.ok_or_else(|| refuse(format!("there is no ranking setting {name:?}")))?;
            }
            *place = value;
        }
        let ranking: Ranking =
            serde_json::from_value(settings).map_err(|error| refuse(format!("ranking settings: {error}")))?;
        ranking.check()?;
        Ok(ranking)
    }

    /// Refuses numbers that would make no order.
    pub fn check(&self) -> Result<(), SearchError> {
        let finite = |name: &str, value: f64, low: f64, high: f64| {
            if value.is_finite() && (low..=high).contains(&value) {
                return Ok(());
            }
            Err(SearchError::Setting(format!("{name} is {value}: it must be from {low} to {high}")))
        };
        finite("ranking.k", self.k, 0.0, 1_000.0)?;
        finite("ranking.b", self.b, 0.0, 1.0)?;
        finite("ranking.pagerank", self.pagerank, 0.0, 1e6)?;
        finite("ranking.proximity", self.proximity, 0.0, 1_000.0)?;
        finite("ranking.cut", self.cut, 0.0, 1.0)?;
        for (name, weight) in &self.weights {
            finite(&format!("ranking.weights.{name}"), *weight, 0.0, 1e6)?;
        }
        for (name, field) in &self.fields {
            for (what, value, high) in [("k", field.k, 1_000.0), ("b", field.b, 1.0)] {
                value.map_or(Ok(()), |value| {
                    finite(&format!("ranking.fields.{name}.{what}"), value, 0.0, high)
                })?;
            }
        }
        for (word, weight) in &self.words {
            finite(&format!("ranking.words.{word}"), *weight, -1e6, 1e6)?;
        }
        if let Some(freshness) = self.freshness {
            finite("ranking.freshness.half_life", freshness.half_life, 1e-3, 1e6)?;
            finite("ranking.freshness.weight", freshness.weight, 0.0, 1e6)?;
        }
        for rule in &self.rules {
            if let Act::Demote(by) = rule.act {
                finite("ranking.rules.demote", by, 0.0, 1.0)?;
            }
            if rule.act == Act::Pin && (rule.url.contains('*') || is_site(&rule.url)) {
                return Err(SearchError::Setting(format!(
                    "ranking.rules: {} cannot be pinned; name one URL, such as https://example.org/page",
                    rule.url
                )));
            }
        }
        Ok(())
    }
}

impl IndexSettings {
    /// From YAML.
    pub fn read(text: &str) -> Result<IndexSettings, SearchError> {
        let settings: IndexSettings =
            serde_saphyr::from_str(text).map_err(|error| SearchError::Setting(error.to_string()))?;
        settings.check()?;
        Ok(settings)
    }

    /// From the `index` part of a project.
    pub fn of_value(value: serde_json::Value) -> Result<IndexSettings, SearchError> {
        let settings: IndexSettings =
            serde_json::from_value(value).map_err(|error| SearchError::Setting(error.to_string()))?;
        settings.check()?;
        Ok(settings)
    }

    /// Refuses names that no field of an index over rows with these fields has.
    pub fn check_names(&self, rows: &[RowField]) -> Result<(), SearchError> {
        let fields = Fields::new(&IndexSettings { fields: BTreeMap::new(), ..self.clone() }, rows);
        let columns = fields.columns().map(|(name, _)| name);
        let known: BTreeSet<&str> = fields.texts.keys().map(String::as_str).chain(columns).collect();
        if let Some(name) = self.fields.keys().find(|name| !known.contains(name.as_str())) {
            return Err(unknown_field("fields", name, known));
        }
        fields.check_names(&self.ranking)
    }

    /// True when an index with these settings, over rows with these fields, has the same files as one with others.
    pub fn has_files_of(&self, other: &IndexSettings, rows: &[RowField]) -> bool {
        let schema = |settings: &IndexSettings| Fields::new(settings, rows).schema;
        self.projects == other.projects && self.of == other.of && schema(self) == schema(other)
    }

    /// Refuses what could not work.
    pub fn check(&self) -> Result<(), SearchError> {
        self.ranking.check()?;
        check_analysis("analysis", &self.analysis)?;
        if !(1..=8).contains(&self.suggestions.q) {
            let message = format!("suggestions.q is {}: it must be from 1 to 8", self.suggestions.q);
            return Err(SearchError::Setting(message));
        }
        for (name, field) in &self.fields {
            if let Some(analysis) = &field.analysis {
                check_analysis(&format!("fields.{name}.analysis"), analysis)?;
            }
            for (what, value, high) in
                [("weight", field.weight, 1e6), ("k", field.k, 1_000.0), ("b", field.b, 1.0)]
            {
                if value.is_some_and(|value| !value.is_finite() || !(0.0..=high).contains(&value)) {
                    let message = format!("fields.{name}.{what} must be from 0 to {high}");
                    return Err(SearchError::Setting(message));
                }
            }
        }
        Ok(())
    }
}

impl Fields {
    /// Refuses a ranking that speaks of fields without words here.
    pub fn check_names(&self, ranking: &Ranking) -> Result<(), SearchError> {
        let weights = ranking.weights.keys().map(|name| ("ranking.weights", name));
        let fields = ranking.fields.keys().map(|name| ("ranking.fields", name));
        match weights.chain(fields).find(|(_, name)| !self.texts.contains_key(*name)) {
            Some((part, name)) => Err(unknown_field(part, name, self.texts.keys().map(String::as_str))),
            None => Ok(()),
        }
    }
}

fn unknown_field<'a>(part: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> SearchError {
    let known: Vec<&str> = known.into_iter().collect();
    SearchError::Setting(format!("{part}: the index has no field {name:?}; it has {}", known.join(", ")))
}

fn check_analysis(name: &str, analysis: &Analysis) -> Result<(), SearchError> {
    let mut analysis = analysis.clone();
    analysis.language = analysis.language.filter(|code| code != "none");
    match text::Analyzer::new(&analysis) {
        Ok(_) => Ok(()),
        Err(error) => Err(SearchError::Setting(format!("{name}: {error}"))),
    }
}
