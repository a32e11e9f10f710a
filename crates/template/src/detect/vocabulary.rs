//! What the page's JSON-LD calls its values: names for columns that say the same.

use std::collections::{BTreeMap, HashMap};

use html::Tree;
use serde_json::Value as Json;

use super::leaves::Column;
use super::naming::plain;
use crate::{linked_data, markup, number};

/// Values that are looked at.
const MOST_VALUES: usize = 50_000;

/// Properties that only hold things together: what is inside is not named after them.
const STRUCTURE: [&str; 8] = [
    "itemListElement",
    "item",
    "mainEntity",
    "mainEntityOfPage",
    "hasPart",
    "about",
    "subjectOf",
    "isRelatedTo",
];

/// The properties of the page's JSON-LD by their values.
#[derive(Default)]
pub(super) struct Vocabulary {
    properties: HashMap<String, Vec<String>>,
    values: usize,
}

impl Vocabulary {
    pub(super) fn of(tree: &Tree) -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        for item in linked_data::json_ld(tree, tree.root()) {
            vocabulary.walk(&item, None);
        }
        vocabulary
    }

    fn walk(&mut self, value: &Json, property: Option<&str>) {
        if self.values >= MOST_VALUES {
            return;
        }
        match value {
            Json::Array(values) => values.iter().for_each(|value| self.walk(value, property)),
            Json::Object(map) => {
                for (key, value) in map.iter().filter(|(key, _)| !key.starts_with('@')) {
                    // `brand: {name: …}` is the brand, `offers: {price: …}` the price.
                    let within = property.filter(|around| {
                        ["name", "value", "url", "contentUrl"].contains(&key.as_str())
                            && !STRUCTURE.contains(around)
                    });
                    self.walk(value, Some(within.unwrap_or(key)));
                }
            }
            _ => {
                let (Some(property), Some(text)) = (property, linked_data::text(value)) else { return };
                self.values += 1;
                for form in forms(&text) {
                    let known = self.properties.entry(form).or_default();
                    if !known.iter().any(|known| known == property) {
                        known.push(property.to_owned());
                    }
                }
            }
        }
    }

    /// The property that most of a column's values have.
    pub(super) fn name_of(&self, column: &Column) -> Option<String> {
        if self.properties.is_empty() {
            return None;
        }
        let (mut all, mut votes) = (0, BTreeMap::new());
        for value in column.values.iter().filter_map(|values| values.first()) {
            all += 1;
            let mut named: Vec<&String> =
                forms(value).iter().filter_map(|form| self.properties.get(form)).flatten().collect();
            named.sort_unstable();
            named.dedup();
            for property in named {
                *votes.entry(property).or_insert(0) += 1;
            }
        }
        let (property, count) = votes.into_iter().rev().max_by_key(|(_, count)| *count)?;
        (count >= 2 && count * 5 >= all * 3).then(|| snake(property)).flatten()
    }
}

/// How a value may be written elsewhere: as it is, as a number, as an address without its host.
fn forms(text: &str) -> Vec<String> {
    let text = markup::collapsed(text).to_lowercase();
    let mut forms = Vec::new();
    // A number with a currency at most: "Tent 2" is no 2.
    let is_number = text.len() < 24 && text.chars().filter(|c| c.is_alphabetic()).count() <= 3;
    if let Some(number) = number::number(&text, None, true).filter(|_| is_number) {
        forms.push(format!("#{number}"));
    }
    let path = text.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
    match path {
        Some((_, path)) => forms.push(format!("/{path}")),
        None if text.is_empty() => {}
        None => forms.push(text),
    }
    forms
}

/// `ratingValue` as `rating_value`.
pub(super) fn snake(property: &str) -> Option<String> {
    let mut spaced = String::new();
    for character in property.chars() {
        if character.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(character);
    }
    plain(&spaced)
}
