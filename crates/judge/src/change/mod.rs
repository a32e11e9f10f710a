//! What changed between two versions of a page: a cascade that stops at the first level that differs.
//!
//! Structure I compares two strings of tags, Structure II the levels of the tree, Text I and II two numbers; each is cheap
//! and each can be fooled, so they are shown, and a hash and the words decide. What is left are attributes, and after
//! them what nobody reads: scripts, comments, white space. Pictures have numbers of their own ([`image`]); which
//! pictures to compare is left to the caller.

pub mod image;
pub mod noise;
pub mod passing;
pub mod structure;
pub mod text;

use structure::{LevelChange, TagStrings};
use text::{Severity, WordChange};

/// What is compared of a version: its markup and its text.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// The markup, decoded.
    pub html: &'a str,
    /// The text that counts: the main text, as it was read.
    pub text: &'a str,
}

/// The level of the cascade at which two versions differ first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// They are the same, byte by byte.
    Same,
    /// The tags differ.
    Tags,
    /// The tags' strings are the same, but not the tree.
    Tree,
    /// The tree is the same, but not what is written in it.
    Text,
    /// Attributes of elements differ: where a link leads, which picture is shown.
    Attributes,
    /// Only what is neither seen nor followed differs: scripts, styles, comments, white space.
    Source,
}

/// What the cascade found.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The first level that differs.
    pub level: Level,
    /// The tags of both.
    pub tags: (TagStrings, TagStrings),
    /// Elements on each level of both.
    pub counts: (Vec<usize>, Vec<usize>),
    /// Which levels and elements differ; empty where the tree is the same.
    pub levels: Vec<LevelChange>,
    /// Attributes that differ, as `path@name`, in order, each once.
    pub attributes: Vec<String>,
    /// Text I of both, where the text was looked at.
    pub text_one: (f64, f64),
    /// Text II of both.
    pub text_two: (f64, f64),
    /// How much of the text is another.
    pub severity: Severity,
    /// The words that came and went, in order, bounded.
    pub words: Vec<WordChange>,
}

/// Compares two versions of a page.
pub fn compare(old: Version<'_>, new: Version<'_>) -> Verdict {
    let severity = text::severity(old.text, new.text);
    let words = if severity == Severity::None { Vec::new() } else { text::words(old.text, new.text) };
    let mut verdict = Verdict {
        level: Level::Same,
        tags: Default::default(),
        counts: Default::default(),
        levels: Vec::new(),
        attributes: Vec::new(),
        text_one: (text::one(old.text), text::one(new.text)),
        text_two: (text::two(old.text), text::two(new.text)),
        severity,
        words,
    };
    verdict.tags = (TagStrings::of(old.html), TagStrings::of(new.html));
    let tables = (structure::table_of(old.html), structure::table_of(new.html));
    verdict.counts = (structure::counts(&tables.0), structure::counts(&tables.1));
    if old.html == new.html {
        // Documents have a text and no markup.
        verdict.level = if verdict.severity == Severity::None { Level::Same } else { Level::Text };
        return verdict;
    }
    let same_shape = structure::same_shape(&tables.0, &tables.1);
    // The trees are built for both levels: which elements came and went is what people ask for.
    (verdict.levels, verdict.attributes) = structure::compare_tables(tables.0, tables.1);
    verdict.level = if verdict.tags.0 != verdict.tags.1 {
        Level::Tags
    } else if !same_shape {
        Level::Tree
    } else if !verdict.levels.is_empty() {
        Level::Text
    } else if !verdict.attributes.is_empty() {
        Level::Attributes
    } else {
        Level::Source
    };
    verdict
}

/// The level at which the markup of two versions differs first.
pub fn level(old: &str, new: &str) -> Level {
    compare(Version { html: old, text: "" }, Version { html: new, text: "" }).level
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, level: Level, severity: Severity) {
        let text = |html: &str| {
            let mut text = String::new();
            let mut inside = false;
            for c in html.chars() {
                match c {
                    '<' => inside = true,
                    '>' => {
                        inside = false;
                        text.push(' ');
                    }
                    c if !inside => text.push(c),
                    _ => {}
                }
            }
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let found = compare(Version { html: old, text: &text(old) }, Version { html: new, text: &text(new) });
        assert_eq!((found.level, found.severity), (level, severity), "{old} → {new}: {found:?}");
    }

    #[test]
    fn each_kind_of_edit_has_its_level() {
        let page = "<body><h1>Tides</h1><p>in and out</p><a href=x>more</a>";
        check(page, page, Level::Same, Severity::None);
        // A tag added; one swapped for another with the same first and last letter.
        check(page, &page.replace("</p>", "</p><hr>"), Level::Tags, Severity::None);
        check("<p><strong>x</strong>", "<p><section>x</section>", Level::Tags, Severity::None);
        check("<p><ins>a</ins><is>b</is>", "<p><is>a</is><ins>b</ins>", Level::Tree, Severity::None);
        // Text edited; letters changing places, which the numbers do not see.
        check(page, &page.replace("in and out", "in and in"), Level::Text, Severity::Medium);
        check("<p>on a boat", "<p>no a boat", Level::Text, Severity::Complete);
        // Attributes alone: where a link leads, which picture is shown.
        check(page, &page.replace("href=x", "href=y"), Level::Attributes, Severity::None);
        check("<p><img src=a.png>", "<p><img src=b.png>", Level::Attributes, Severity::None);
        // A document: no markup, another text.
        let document = |text| Version { html: "", text };
        assert_eq!(compare(document("in"), document("out")).level, Level::Text);
        assert_eq!(compare(document("in"), document("in")).level, Level::Same);
        // Noise of scripts, also in their attributes; comments; white space.
        check("<script nonce=1>", "<script nonce=2>", Level::Source, Severity::None);
        check(
            "<script src=a.1.js></script>x",
            "<script src=a.2.js></script>x",
            Level::Source,
            Severity::None,
        );
        check("<p class=a>x<!-- 1 -->", "<p  class=\"a\">x<!-- 2 -->", Level::Source, Severity::None);
    }
}
