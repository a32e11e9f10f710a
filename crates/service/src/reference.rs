//! Every setting as data, for forms: what `gannet reference` prints as prose.
//!
//! Crawl settings come from their struct's own documentation. Those of an index come from its defaults; their help
//! stands here, and a test holds that none is missing.

use model::{CrawlSettings, Setting, SettingKind};
use search::IndexSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Settings in chapters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Reference {
    /// The chapters, in order.
    pub groups: Vec<SettingGroup>,
}

/// A chapter of settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SettingGroup {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub help: String,
    /// The settings.
    pub settings: Vec<SettingView>,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SettingView {
    /// Its key: `max_pages`; with dots where keys lie in keys.
    pub key: String,
    /// Its flag; none where there is none.
    pub flag: Option<String>,
    /// Its variable of the environment; none where there is none.
    pub variable: Option<String>,
    /// `switch`, `number`, `text`, `list`, `map`, `choice`, `time`, `size`, `rate`, `pattern`, `list of patterns`.
    pub kind: String,
    /// What a number counts.
    pub unit: String,
    /// How a value is written.
    pub form: String,
    /// The value it has unless set.
    pub default: Value,
    /// What it does.
    pub help: String,
    /// The values there are, where they are few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
}

/// Every setting of a crawl.
pub fn settings_reference() -> Reference {
    let mut groups: Vec<SettingGroup> = Vec::new();
    for setting in CrawlSettings::reference() {
        if groups.last().is_none_or(|group| group.name != setting.group) {
            let (name, help) = (setting.group.clone(), group_help(&setting.group).to_owned());
            groups.push(SettingGroup { name, help, settings: Vec::new() });
        }
        if let Some(group) = groups.last_mut() {
            group.settings.push(SettingView::of(&setting));
        }
    }
    Reference { groups }
}

/// Every setting of an index. `fields.NAME` stands for any field.
pub fn index_settings_reference() -> Reference {
    let mut flat = Vec::new();
    let defaults = serde_json::to_value(IndexSettings::default()).unwrap_or_default();
    flatten("", &defaults, &mut flat);
    let field = serde_json::to_value(search::settings::FieldSettings::default()).unwrap_or_default();
    flatten("fields.NAME", &field, &mut flat);
    let mut groups: Vec<SettingGroup> = INDEX_GROUPS
        .iter()
        .map(|(name, help)| SettingGroup { name: (*name).into(), help: (*help).into(), settings: Vec::new() })
        .collect();
    for (key, default) in flat {
        let Some((_, group, kind, help)) = INDEX.iter().find(|(known, ..)| *known == key) else { continue };
        let (kind, choices) = match kind.strip_prefix("choice: ") {
            Some(list) => ("choice", Some(list.split(", ").map(str::to_owned).collect())),
            None => (*kind, None),
        };
        let setting = SettingView {
            key,
            flag: None,
            variable: None,
            kind: kind.to_owned(),
            unit: String::new(),
            form: String::new(),
            default,
            help: (*help).to_owned(),
            choices,
        };
        if let Some(group) = groups.iter_mut().find(|known| known.name == *group) {
            group.settings.push(setting);
        }
    }
    Reference { groups }
}

/// Key, chapter, kind and help of each setting of an index.
const INDEX: [(&str, &str, &str, &str); 39] = [
    (
        "projects",
        "Fields",
        "list",
        "Projects whose pages and rows are searched; in a project's own file: that project.",
    ),
    ("of", "Fields", "choice: both, pages, rows", "Whether pages, rows or both are searched."),
    (
        "fields.NAME.weight",
        "Fields",
        "number",
        "What the field's words count; 0 keeps them out of searches that name no field.",
    ),
    ("fields.NAME.k", "Fields", "number", "The field's own k of BM25."),
    ("fields.NAME.b", "Fields", "number", "The field's own b of BM25."),
    ("fields.NAME.analysis", "Fields", "map", "How the field's text is cut into words, where it differs."),
    (
        "fields.NAME.column",
        "Fields",
        "choice: facet, number, date, none",
        "What the field is beside text; by its kind unless said.",
    ),
    ("fields.NAME.variable", "Fields", "text", "The field's name in formulas."),
    (
        "analysis.language",
        "Words",
        "text",
        "Language of the texts (ISO 639-1, such as en): it chooses stems and stop words. Unset, it is guessed; none turns it off.",
    ),
    ("analysis.tokenizer", "Words", "text", "Where a word begins and ends."),
    ("analysis.lower_case", "Words", "switch", "Take upper and lower case for the same."),
    ("analysis.fold", "Words", "switch", "Take letters with and without accents for the same."),
    ("analysis.stem", "Words", "switch", "Take forms of a word for the same."),
    ("analysis.possessives", "Words", "switch", "Leave off 's at the end of a word."),
    ("analysis.stop_words", "Words", "text", "Words that are too common to search for."),
    ("analysis.short_words", "Words", "number", "Leave out words of this many letters or fewer."),
    ("analysis.lemmas", "Words", "map", "Forms and the word they are forms of, as mice: mouse."),
    ("analysis.synonyms", "Words", "list", "Groups of words that mean the same."),
    ("ranking.k", "Ranking", "number", "BM25's k: how slowly further occurrences of a word stop to count."),
    ("ranking.b", "Ranking", "number", "BM25's b: how much long texts are held back, 0 to 1."),
    ("ranking.idf", "Ranking", "choice: standard, paper", "The worth of rare words; paper is log2(N / df)."),
    ("ranking.weights", "Ranking", "map", "What the words of a field count, over the field's own weight."),
    ("ranking.fields", "Ranking", "map", "k and b of a field, over the field's own."),
    ("ranking.words", "Ranking", "map", "Words that count more or less when they are asked for."),
    (
        "ranking.formula",
        "Ranking",
        "text",
        "A formula over variables of rows and built-in ones, such as log(1 + reviews).",
    ),
    ("ranking.formula_is", "Ranking", "choice: added, multiplied", "What is done with the formula's value."),
    (
        "ranking.freshness",
        "Ranking",
        "map",
        "Newer is better: half_life in days, and the weight of a page of today.",
    ),
    (
        "ranking.pagerank",
        "Ranking",
        "number",
        "What links are worth: a page of the mean PageRank gets so much added, one of three times as much twice that; 0 for nothing.",
    ),
    ("ranking.proximity", "Ranking", "number", "What words close to each other are worth; 0 for nothing."),
    ("ranking.all_words_first", "Ranking", "switch", "Hits with all words come before the others."),
    (
        "ranking.cut",
        "Ranking",
        "number",
        "Hits with less than this share of the best score are left out; 0 for none.",
    ),
    ("ranking.per_site", "Ranking", "number", "Hits of one site in a row at most; 0 for any number."),
    ("ranking.rules", "Ranking", "list", "Hits that are pinned, demoted or blocked."),
    (
        "ranking.stemmed_phrases",
        "Ranking",
        "switch",
        "Phrases in quotes match other forms of their words too.",
    ),
    (
        "ranking.lower_case_operators",
        "Ranking",
        "switch",
        "and, or, not, xor and near work in small letters.",
    ),
    ("ranking.fuzzy", "Ranking", "switch", "Words with few or no hits are looked for in near spellings."),
    ("suggestions.dictionary", "Suggestions", "text", "A file of names, scores and synonyms, tab-separated."),
    ("suggestions.synonyms", "Suggestions", "switch", "Synonyms of the dictionary are found too."),
    ("suggestions.q", "Suggestions", "number", "Letters in a gram, for near spellings, 1 to 8."),
];

const INDEX_GROUPS: [(&str, &str); 4] = [
    ("Fields", "What is searched, and what each field counts."),
    ("Words", "How texts and queries are cut into words. A change makes the index anew."),
    ("Ranking", "In what order hits come. It acts at once, on the next search."),
    ("Suggestions", "What is offered while someone types."),
];

fn group_help(group: &str) -> &'static str {
    match group {
        "Scope" => "Which URLs belong to the crawl.",
        "Limits" => "How much is fetched, and when something is taken for an endless space.",
        "Topic" => "What the crawl is about, and what becomes of pages that are about something else.",
        "Politeness" => "How fast hosts are asked, and what they may forbid.",
        "Requests" => "What we send, how long we wait, how often we try.",
        "Content" => "What is kept of an answer.",
        "Duplicates" => "Which pages count as the same, and what is done with them.",
        "Revisits" => "Which pages a refresh asks for again, and when.",
        "Network" => "How hosts are reached.",
        _ => "",
    }
}

impl SettingView {
    fn of(setting: &Setting) -> SettingView {
        let named = setting.form.split_once(": ").filter(|_| setting.kind != SettingKind::Map);
        let choices = choices(&setting.form).filter(|_| setting.kind == SettingKind::Text);
        let kind = match (setting.kind, named.map(|(name, _)| name)) {
            (SettingKind::Switch, _) => "switch".to_owned(),
            (SettingKind::Number, _) => "number".to_owned(),
            (SettingKind::Map, _) => "map".to_owned(),
            (SettingKind::List, Some("pattern")) => "list of patterns".to_owned(),
            (SettingKind::List, _) => "list".to_owned(),
            (SettingKind::Text, Some(name @ ("time" | "size" | "rate" | "pattern"))) => name.to_owned(),
            (SettingKind::Text, _) if choices.is_some() => "choice".to_owned(),
            (SettingKind::Text, _) => "text".to_owned(),
        };
        SettingView {
            key: setting.key.clone(),
            flag: Some(format!("--{}", setting.flag())),
            variable: Some(setting.environment()),
            kind,
            unit: setting.unit.clone(),
            form: setting.form.clone(),
            default: setting.default.clone(),
            help: setting.help.clone(),
            choices,
        }
    }
}

/// `obey or ignore`, `host, domain or any`: the words; none for other forms.
fn choices(form: &str) -> Option<Vec<String>> {
    let (first, last) = form.rsplit_once(" or ")?;
    let words: Vec<String> = first.split(", ").chain([last]).map(str::to_owned).collect();
    words.iter().all(|word| !word.is_empty() && !word.contains([' ', '/'])).then_some(words)
}

/// The keys of a struct's default, with dots; maps and lists are values.
fn flatten(prefix: &str, value: &Value, out: &mut Vec<(String, Value)>) {
    const SECTIONS: [&str; 4] = ["", "analysis", "ranking", "suggestions"];
    let inner = value.as_object().filter(|_| SECTIONS.contains(&prefix) || prefix == "fields.NAME");
    let Some(inner) = inner else {
        if prefix != "fields" {
            out.push((prefix.to_owned(), value.clone()));
        }
        return;
    };
    for (key, value) in inner {
        let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        flatten(&key, value, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crawl_setting_is_there_with_its_chapter() {
        let reference = settings_reference();
        let count: usize = reference.groups.iter().map(|group| group.settings.len()).sum();
        assert_eq!(count, CrawlSettings::reference().len());
        assert!(reference.groups.iter().all(|group| !group.help.is_empty()), "{:?}", reference.groups);
        let find = |key: &str| {
            let all = reference.groups.iter().flat_map(|group| &group.settings);
            all.clone().find(|setting| setting.key == key).unwrap().clone()
        };
        assert_eq!((find("rate").kind.as_str(), find("walltime").kind.as_str()), ("rate", "time"));
        assert_eq!(find("robots").choices.unwrap(), ["obey", "ignore"]);
        assert_eq!(find("exclude").kind, "list of patterns");
        assert_eq!((find("max_pages").unit.as_str(), find("max_pages").default), ("pages", 0.into()));
        assert_eq!(find("max_pages").flag.unwrap(), "--max-pages");
    }

    #[test]
    fn every_index_setting_has_help() {
        let mut flat = Vec::new();
        flatten("", &serde_json::to_value(IndexSettings::default()).unwrap(), &mut flat);
        let reference = index_settings_reference();
        let known: Vec<&str> = reference
            .groups
            .iter()
            .flat_map(|group| &group.settings)
            .map(|setting| setting.key.as_str())
            .collect();
        for (key, _) in flat {
            assert!(known.contains(&key.as_str()), "{key} has no help");
        }
        assert!(known.contains(&"fields.NAME.weight"));
        assert!(reference.groups.iter().all(|group| !group.settings.is_empty()));
    }
}
