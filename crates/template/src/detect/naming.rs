//! Names for fields: from what the page itself calls them, else from what they are.

use std::collections::HashSet;

use html::NodeId;
use model::FieldKind;

use super::leaves::{Column, Part};
use super::outline::Outline;
use super::vocabulary::Vocabulary;

/// Names in the order of the columns, each different.
pub(super) fn names(
    outline: &Outline<'_>,
    columns: &[(Column, FieldKind)],
    vocabulary: &Vocabulary,
) -> Vec<String> {
    let mut taken = HashSet::new();
    let title = title_column(outline, columns);
    let detail = columns.iter().position(|(column, guess)| {
        *guess == FieldKind::Link && !column.many && column.coverage() > 0.8 && column.variety() > 0.9
    });
    columns
        .iter()
        .enumerate()
        .map(|(at, (column, guess))| {
            let own = vocabulary.name_of(column);
            let own = own
                .or_else(|| column.example().and_then(|node| said_by_the_page(outline, node, column.part)));
            let name = match own {
                _ if Some(at) == detail => "url".to_owned(),
                // A link is the link of what it surrounds.
                Some(name)
                    if *guess == FieldKind::Link && !name.contains("url") && !name.contains("link") =>
                {
                    if name == "title" || name == "name" { "url".to_owned() } else { format!("{name}_url") }
                }
                Some(name) => name,
                None if Some(at) == title => "title".to_owned(),
                None => by_kind(*guess).to_owned(),
            };
            different(name, &mut taken)
        })
        .collect()
}

/// True for classes made by a program: they change with the next build of the site.
pub(super) fn is_hashed(class: &str) -> bool {
    let digits = class.chars().filter(char::is_ascii_digit).count();
    let letters = class.chars().filter(|c| c.is_ascii_alphabetic()).count();
    let made = ["css-", "sc-", "jsx-", "svelte-", "emotion-", "_", "ng-", "chakra-", "Mui"];
    let mixed = class.len() >= 5
        && digits >= 1
        && !class.contains(['-', '_'])
        && letters >= 2
        && !ends_in_number(class);
    made.iter().any(|start| class.starts_with(start))
        || mixed
        || digits > 3
        || class.contains([':', '[', '/'])
}

/// True for classes that say how something looks, not what it is.
fn is_about_looks(class: &str) -> bool {
    let first = class.split(['-', '_']).next().unwrap_or_default();
    LOOKS.contains(&first) || class.len() < 3 || is_hashed(class)
}

const LOOKS: [&str; 62] = [
    "text",
    "font",
    "flex",
    "grid",
    "mt",
    "mb",
    "ml",
    "mr",
    "mx",
    "my",
    "pt",
    "pb",
    "pl",
    "pr",
    "px",
    "py",
    "p",
    "m",
    "w",
    "h",
    "bg",
    "border",
    "rounded",
    "shadow",
    "gap",
    "col",
    "row",
    "container",
    "wrapper",
    "inner",
    "outer",
    "left",
    "right",
    "center",
    "top",
    "bottom",
    "small",
    "large",
    "bold",
    "float",
    "pull",
    "clear",
    "clearfix",
    "hidden",
    "visible",
    "block",
    "inline",
    "d",
    "align",
    "justify",
    "items",
    "self",
    "space",
    "leading",
    "tracking",
    "truncate",
    "active",
    "first",
    "last",
    "odd",
    "even",
    "num",
];

fn ends_in_number(class: &str) -> bool {
    class.trim_end_matches(|c: char| c.is_ascii_digit()).chars().all(|c| c.is_ascii_alphabetic())
}

fn said_by_the_page(outline: &Outline<'_>, node: NodeId, part: Part) -> Option<String> {
    let tree = outline.tree;
    for attribute in ["itemprop", "data-field", "data-testid", "data-test", "property"] {
        if let Some(name) = tree.attribute(node, attribute).and_then(|value| plain(value.rsplit(':').next()?))
        {
            return Some(name);
        }
    }
    if let Some(header) = table_header(outline, node) {
        return Some(header);
    }
    let link = matches!(part, Part::Attribute("href"));
    let picture = matches!(part, Part::Attribute("src" | "data-src"));
    let inherits = |at: &NodeId| outline.children(*at).count() <= 1 && !outline.has_own_words(*at);
    let mut at = Some(node);
    for level in 0..3 {
        let here = at?;
        if tree.name(here) == Some("tr") || (tree.name(here) == Some("li") && level > 0) {
            return None;
        }
        let class = outline.classes(here).find(|class| !is_about_looks(class));
        if let Some(name) = class.and_then(last_part) {
            return Some(name);
        }
        if picture {
            return None;
        }
        // What an item of a list inside the row is, its list says.
        let listed = tree.name(here) == Some("li");
        at = tree.parent(here).filter(|parent| listed || ((link || level < 2) && inherits(parent)));
    }
    None
}

/// `card__title`, `product-title`, `productTitle`: the last part says what it is, the rest where.
fn last_part(class: &str) -> Option<String> {
    let class = class.rsplit("__").next().unwrap_or(class);
    let class = class.split("--").next().unwrap_or(class);
    let mut spaced = String::new();
    for character in class.chars() {
        if character.is_ascii_uppercase() {
            spaced.push(' ');
        }
        spaced.push(character.to_ascii_lowercase());
    }
    let parts: Vec<&str> =
        spaced.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let kept = match parts[..] {
        // "old price", "sale price": both words are needed.
        [.., before, last] if ["price", "date", "name", "by"].contains(&last) && !WHERE.contains(&before) => {
            format!("{before}_{last}")
        }
        [.., before, last]
            if ["text", "label", "value", "link", "wrapper", "box", "container"].contains(&last) =>
        {
            before.to_owned()
        }
        [.., last] => last.to_owned(),
        [] => return None,
    };
    plain(&kept)
}

/// Words that say in which thing a part stands.
const WHERE: [&str; 10] =
    ["product", "card", "item", "list", "result", "entry", "story", "article", "post", "offer"];

/// The text of the column's head, for a cell of a table.
fn table_header(outline: &Outline<'_>, node: NodeId) -> Option<String> {
    let tree = outline.tree;
    let up = |from: NodeId, name: &str| {
        std::iter::successors(Some(from), |at| tree.parent(*at))
            .take(8)
            .find(|at| tree.name(*at) == Some(name))
    };
    let cell = up(node, "td")?;
    let row = up(cell, "tr")?;
    let table = up(row, "table")?;
    let column = outline.children(row).position(|one| one == cell)?;
    let first = tree.descendants(table).find(|inner| tree.name(*inner) == Some("tr"))?;
    let head = outline.children(first).nth(column).filter(|head| tree.name(*head) == Some("th"))?;
    plain(&outline.words(head))
}

/// A name that can stand in YAML and in a formula: small letters, digits, `_`.
pub(super) fn plain(text: &str) -> Option<String> {
    let mut name = String::new();
    for character in text.trim().chars().take(40) {
        if character.is_alphanumeric() {
            name.extend(character.to_lowercase());
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_end_matches('_');
    (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())).then(|| name.to_owned())
}

fn by_kind(guess: FieldKind) -> &'static str {
    match guess {
        FieldKind::Text | FieldKind::Html | FieldKind::Json => "text",
        FieldKind::Number => "number",
        FieldKind::Price => "price",
        FieldKind::Date => "date",
        FieldKind::Link => "url",
        FieldKind::Image => "image",
    }
}

/// The column that names the row: text in a heading or link that is nearly always there and rarely the same.
fn title_column(outline: &Outline<'_>, columns: &[(Column, FieldKind)]) -> Option<usize> {
    let weight = |column: &Column| {
        let mut at = column.example();
        let mut weight = 0;
        for _ in 0..4 {
            let Some(node) = at else { break };
            weight = weight.max(match outline.tree.name(node) {
                Some("h1" | "h2" | "h3" | "h4" | "h5" | "dt") => 3,
                Some("a" | "strong" | "b") => 2,
                _ => 1,
            });
            at = outline.tree.parent(node);
        }
        weight
    };
    let texts = columns.iter().enumerate().filter(|(_, (column, guess))| {
        *guess == FieldKind::Text
            && column.part == Part::Text
            && column.coverage() > 0.8
            && column.variety() > 0.5
    });
    // The first of the weightiest.
    texts.rev().max_by_key(|(_, (column, _))| weight(column)).map(|(at, _)| at)
}

fn different(name: String, taken: &mut HashSet<String>) -> String {
    let mut candidate = name.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{name}_{number}");
        number += 1;
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_class_says_what_it_is() {
        for (class, name) in [
            ("card__title", "title"),
            ("product-price", "price"),
            ("old-price", "old_price"),
            ("productTitle", "title"),
            ("story__headline", "headline"),
            ("blurb", "blurb"),
            ("title-text", "title"),
        ] {
            assert_eq!(last_part(class).as_deref(), Some(name), "{class}");
        }
    }

    #[test]
    fn classes_about_looks_and_made_classes_name_nothing() {
        for class in ["text-lg", "mt-4", "css-1q8x", "flex", "md:w-1/2", "a8f3k2"] {
            assert!(is_about_looks(class), "{class}");
        }
        for class in ["price", "card__title", "author", "item2"] {
            assert!(!is_about_looks(class), "{class}");
        }
    }
}
