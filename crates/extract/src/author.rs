//! Who wrote a page: JSON-LD, `<meta>`, markup, then words such as "By" near the headline.

use crate::date_labels::label;
use crate::dated::{Known, is_index};
use crate::dates::has_year;
use crate::element::Element;
use crate::hints::{Fact, Part};

/// Names of `<meta>` that give an author, surest first.
const META: &[&str] = &[
    "author",
    "article:author",
    "parsely-author",
    "sailthru.author",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "byl",
    "og:article:author",
    "twitter:creator:name",
    "article.author",
];

/// What stands before a name.
const PREFIXES: &[&str] = &[
    "written by",
    "posted by",
    "by",
    "von",
    "text von",
    "text:",
    "par",
    "por",
    "di",
    "door",
    "av",
    "af",
    "autor",
    "autorka",
    "autore",
    "auteur",
    "author",
    "skribent",
    "автор",
    "yazan",
    "του",
    "της",
    "作者",
    "記者",
    "文",
    "글",
    "بقلم",
    "लेखक",
    "כותב",
    "מאת",
    "tác giả",
    "penulis",
    "autorius",
    "författare",
    "kirjoittaja",
    "szerző",
    "撰文",
    "started by",
    "asked by",
];

/// What stands before a name within a line.
const WITHIN: &[&str] = &[" by ", " von ", " par ", " por ", " av ", " af ", " door ", " di "];

/// Longest name, in bytes, and most words.
const MAX_NAME: usize = 80;
const MOST_WORDS: usize = 8;

/// The author, if anything names one.
pub(crate) fn author(known: &Known<'_>) -> Option<String> {
    let named = known.facts.author.as_deref().and_then(|name| clean(name, false));
    let named = named.or_else(|| in_meta(known));
    if named.is_some() || is_index(known) {
        return named;
    }
    marked(known, Part::Comments)
        .or_else(|| written(known))
        // At the foot of a post.
        .or_else(|| marked(known, Part::Hidden))
}

fn in_meta(known: &Known<'_>) -> Option<String> {
    META.iter().find_map(|name| {
        let mut values = known.meta.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        values.find_map(|(_, value)| clean(value, false))
    })
}

/// Names that markup points out, outside of parts from `beside` on.
fn marked(known: &Known<'_>, beside: Part) -> Option<String> {
    let marks = known.marks.iter().filter(|mark| mark.fact == Fact::Author);
    marks.filter(|mark| !is_elsewhere(known, mark.node as usize, beside)).find_map(|mark| {
        let words = known.text.get(mark.start..mark.end).unwrap_or_default().trim();
        // A byline may go on with a date or a place on the next line.
        let line = words.lines().next().unwrap_or_default();
        let line = if PREFIXES.contains(&line.trim_end_matches(':').to_lowercase().as_str()) {
            words.lines().nth(1).unwrap_or_default()
        } else {
            line
        };
        let value = mark.value.as_deref().filter(|_| words.is_empty());
        clean(value.unwrap_or(line), false).filter(|name| !is_phrase(name))
    })
}

/// "Skip to content", "A note from": small words are in few names of people, and only these are marked as such.
fn is_phrase(name: &str) -> bool {
    const IN_NAMES: &[&str] = &[
        "al", "and", "bin", "da", "das", "de", "del", "della", "den", "der", "di", "do", "dos", "du", "e",
        "el", "et", "i", "la", "le", "och", "og", "ter", "und", "van", "von", "y", "zu",
    ];
    let is_small =
        |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase()) && !IN_NAMES.contains(word);
    name.split_whitespace().nth(2).is_some() && name.split_whitespace().any(|word| is_small(&word))
}

fn written(known: &Known<'_>) -> Option<String> {
    let blocks = &known.outline.blocks;
    let is_title = |at: &usize| {
        known.outline.nodes[blocks[*at].node as usize].element == Element::H1 && known.main.kept[*at]
    };
    // Where no headline says so it is the first line.
    let first = || known.main.kept.iter().position(|kept| *kept);
    let title = (0..blocks.len()).find(is_title).or_else(first)?;
    let near = title.saturating_sub(3)..(title + 7).min(blocks.len());
    near.filter(|at| !is_elsewhere(known, blocks[*at].node as usize, Part::Comments)).find_map(|at| {
        let block = blocks[at];
        let words = known.text.get(block.start as usize..block.end as usize).unwrap_or_default().trim();
        if words.len() > 200 {
            return None;
        }
        let lines = || words.lines();
        // "Published on 3 May 2026 by A. Name".
        let after = |line: &'_ str| {
            let at = WITHIN.iter().find_map(|word| line.find(word).map(|at| at + 1))?;
            clean(&line[at..], true)
        };
        let dated = words.len() <= 160 && has_year(words);
        lines()
            .find_map(|line| clean(line, true))
            .or_else(|| lines().filter(|_| dated).find_map(after))
            .or_else(|| lines().filter(|_| dated).find_map(beside_date))
    })
}

/// "A Name | 3 May 2026": a name alone, set off from its date by a mark.
fn beside_date(line: &str) -> Option<String> {
    const NO_NAMES: &[&str] = &[
        "news",
        "press",
        "release",
        "blog",
        "article",
        "read",
        "min",
        "opinion",
        "sports",
        "world",
        "business",
        "politics",
        "review",
        "updated",
        "published",
        "posted",
        "comments",
        "last",
        "category",
    ];
    let is_name = |part: &&str| {
        let words: Vec<&str> = part.split_whitespace().collect();
        (2..=4).contains(&words.len())
            && part.len() <= MAX_NAME
            && part.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '.' | '-' | '\'' | '’' | '\u{a0}'))
            && words.iter().all(|word| word.chars().next().is_some_and(|c| !c.is_lowercase()))
            && !words.iter().any(|word| NO_NAMES.contains(&word.to_lowercase().as_str()))
    };
    let marks = ['|', '·', '•', '—', '–'];
    if line.contains(marks) {
        return line.split(marks).map(str::trim).find(is_name).map(str::to_owned);
    }
    // "A Name, published: 3 May 2026"; without the word it is a place as often as not.
    let (name, rest) = line.split_once(", ")?;
    let rest = rest.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default();
    Some(name.trim()).filter(|_| label(rest).is_some()).filter(is_name).map(str::to_owned)
}

fn is_elsewhere(known: &Known<'_>, node: usize, part: Part) -> bool {
    let mut at = node;
    while at > 0 {
        let node = &known.outline.nodes[at];
        let beside = matches!(node.element, Element::Nav | Element::Aside | Element::Dialog)
            || node.hint.part == Part::Comments
            || node.hint.part >= part;
        if beside && known.main.aside[at] {
            return true;
        }
        at = node.parent as usize;
    }
    false
}

/// A name out of "By A. Name | 3 May": none where it is no name.
fn clean(text: &str, needs_prefix: bool) -> Option<String> {
    let text = text.trim();
    if text.contains("://") || text.contains('@') {
        return None;
    }
    let lower = text.to_lowercase();
    let prefix = PREFIXES
        .iter()
        .filter(|prefix| lower.starts_with(**prefix) && lower.len() == text.len())
        .filter(|prefix| {
            let rest = &text[prefix.len()..];
            !prefix.is_ascii() || prefix.ends_with(':') || rest.starts_with([' ', ':', '\u{a0}'])
        })
        .max_by_key(|prefix| prefix.len());
    if needs_prefix && prefix.is_none() {
        return None;
    }
    let name = prefix
        .map_or(text, |prefix| &text[prefix.len()..])
        .trim_start_matches([':', '：', ' ', '\u{a0}', '/', '／', '\u{3000}']);
    let ends = |c: char| {
        matches!(c, '|' | '·' | '•' | '—' | '–' | '/' | '(' | '[' | '\n' | '⋅') || c.is_ascii_digit()
    };
    let name = &name[..name.find(ends).unwrap_or(name.len())];
    let name = name.split(" - ").next().unwrap_or_default();
    // "By A Name. Published: 3 May 2026".
    let labelled = name.rmatch_indices(". ").map(|(at, _)| at).find(|at| label(&name[at + 2..]).is_some());
    let name = &name[..labelled.unwrap_or(name.len())];
    // "By A Name, chief editor", "By A Name on".
    let name = name.split(", ").next().filter(|_| needs_prefix).unwrap_or(name);
    let name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | ':' | ';' | '-'));
    let name = [" on", " am", " le", " el", " il", " op", " em"]
        .iter()
        .fold(name, |name, end| name.strip_suffix(end).unwrap_or(name));
    let words = name.split_whitespace().count();
    let starts_well =
        name.chars().next().is_some_and(|c| c.is_alphabetic() && !(needs_prefix && c.is_lowercase()));
    let is_name = (1..=MOST_WORDS).contains(&words)
        && name.len() <= MAX_NAME
        && starts_well
        && !["admin", "administrator", "staff", "guest"].contains(&name.to_lowercase().as_str());
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, needs_prefix: bool, expected: Option<&str>) {
        assert_eq!(clean(text, needs_prefix).as_deref(), expected, "of {text:?}");
    }

    #[test]
    fn a_name_may_stand_alone_beside_its_date() {
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(beside_date(line).as_deref(), expected, "{line:?}")
        };
        check("Petra Lindqvist·18 March 2025·4 min read", Some("Petra Lindqvist"));
        check("נועה ברקאי | פורסם: 14.07.2024", Some("נועה ברקאי"));
        check("World News | 14 July 2024", None);
        check("Berlin – 14 July 2024", None);
        check("Marek Zawada, opublikowano: 5 lipca 2025", Some("Marek Zawada"));
        check("New York, 5 July 2025", None);
        check("Petra Lindqvist 18 March 2025", None);
    }

    #[test]
    fn phrases_are_no_names() {
        assert!(is_phrase("Skip to content") && is_phrase("A note from Merle"));
        assert!(!is_phrase("Ludwig van der Rohe") && !is_phrase("Ada") && !is_phrase("follow me"));
    }

    #[test]
    fn names_are_cut_out_of_bylines() {
        check("By Ada Byron | 3 May 2026", true, Some("Ada Byron"));
        check("Von Käthe Groß, Berlin", true, Some("Käthe Groß"));
        check("Автор: Иван Петров", true, Some("Иван Петров"));
        check("Ada Byron, Grace H.", false, Some("Ada Byron, Grace H"));
        check("By J. Ek. Published: 5 March 2024", true, Some("J. Ek"));
        check("Ada Byron", true, None);
        check("by the river we walked", true, None);
        check("https://e.test/ada", false, None);
        check("ada@e.test", false, None);
        check("", false, None);
    }
}
