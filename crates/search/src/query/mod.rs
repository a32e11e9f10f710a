//! The query language.
//!
//! ```text
//! query    = { [+|-] or }               weakest: parts side by side, any of them; pages with all of them first
//! or       = xor  { OR xor }
//! xor      = and  { XOR and }
//! and      = near { AND near }
//! near     = unary { NEAR unary | NEAR/n unary }
//! unary    = NOT unary | primary
//! primary  = ( query ) | "a phrase" | word | word* | word~ | word~2
//!          | field:primary | field:from..to | site:host | before:date …
//! ```
//!
//! Side by side, `+a` must be there, `-b` must not, the rest may; next to an operator `+a` is `a` and `-b` is `NOT b`. Operators are written in capitals; with
//! [`Options::lower_case_operators`] also small. A quote that is not closed ends with the text. A name before a colon
//! is a field only if the index has it: `10:30` and `re:start` are words. Nothing here knows how words are stemmed or
//! found.

mod lexer;
mod parser;
mod write;

use std::fmt;
use std::ops::Range;

pub use parser::parse;

/// What may stand before a colon, and how operators are written.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The index's fields, beside the built-in names.
    pub fields: Vec<String>,
    /// `and`, `or`, `not`, `xor`, `near` work as well as their capitals.
    pub lower_case_operators: bool,
}

/// A query, with the characters of the text that each part came from.
#[derive(Clone, Debug)]
pub struct Query {
    /// What it is.
    pub node: Node,
    /// Which characters (not bytes) say so.
    pub span: Range<usize>,
}

/// Two queries are equal when they ask the same, wherever it stands in the text.
impl PartialEq for Query {
    fn eq(&self, other: &Query) -> bool {
        self.node == other.node
    }
}

/// The kinds of query.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Every page: the empty query.
    Everything,
    /// One word as typed; the index cuts and stems it.
    Word {
        /// Where it must stand; anywhere if none.
        field: Option<String>,
        /// The word.
        text: String,
        /// How exactly.
        form: Form,
    },
    /// Words that follow each other.
    Phrase {
        /// Where they must stand; anywhere if none.
        field: Option<String>,
        /// The words as typed.
        text: String,
    },
    /// Values of a column from one to another; without one of the ends, all beyond the other.
    Span {
        /// The column.
        field: String,
        /// From here.
        from: Option<String>,
        /// Up to here.
        to: Option<String>,
        /// `<` and `>`: the end itself is left out. Ends of `..`, `<=` and `>=` belong to it.
        open: bool,
    },
    /// `site:`, `filetype:`, `lang:`, `before:`, `after:`.
    Filter {
        /// Which.
        filter: Filter,
        /// What it must be.
        value: String,
    },
    /// All of these.
    And(Vec<Query>),
    /// At least one of these.
    Or(Vec<Query>),
    /// An odd number of these.
    Xor(Vec<Query>),
    /// Everything else.
    Not(Box<Query>),
    /// Two within so many words of each other, in either order.
    Near {
        /// One.
        left: Box<Query>,
        /// The other.
        right: Box<Query>,
        /// In words.
        distance: u32,
    },
    /// Parts side by side: those that must, those that must not, and those that may, of which pages with all come
    /// first.
    Loose(Vec<(Demand, Query)>),
}

/// What `+`, `-` and neither ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Nothing: it may be there.
    May,
    /// `+`
    Must,
    /// `-`
    MustNot,
}

/// How exactly a word is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As it is.
    Exact,
    /// `word*`: every word that begins so.
    Prefix,
    /// `word~` or `word~2`: words at most so many letters away; none said means by the word's length.
    Fuzzy(Option<u8>),
}

/// The filters every index has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Pages of a host and the hosts below it.
    Site,
    /// Pages of a type: `pdf`, `html`.
    FileType,
    /// Pages in a language.
    Language,
    /// Pages dated before.
    Before,
    /// Pages dated after.
    After,
}

/// A query that cannot be understood, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// The character (not byte) from 0.
    pub position: usize,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at character {}: {}", self.position + 1, self.message)
    }
}

impl std::error::Error for QueryError {}

impl Filter {
    const ALL: [(Filter, &'static str); 5] = [
        (Filter::Site, "site"),
        (Filter::FileType, "filetype"),
        (Filter::Language, "lang"),
        (Filter::Before, "before"),
        (Filter::After, "after"),
    ];

    /// As it is typed.
    pub fn name(self) -> &'static str {
        Filter::ALL.iter().find(|(filter, _)| *filter == self).map_or("", |(_, name)| name)
    }

    fn of(name: &str) -> Option<Filter> {
        Filter::ALL.iter().find(|(_, known)| known.eq_ignore_ascii_case(name)).map(|(filter, _)| *filter)
    }
}

/// A text as plain words: without anything that the language would read as more.
pub fn words_only(text: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '\'' | '’') { c } else { ' ' };
    let text: String = text.chars().map(plain).take(LONGEST).collect();
    let small =
        |word: &str| if word.chars().all(char::is_uppercase) { word.to_lowercase() } else { word.to_owned() };
    text.split_whitespace().map(small).collect::<Vec<_>>().join(" ")
}

/// Fields that every index of pages has.
pub const PAGE_FIELDS: [&str; 4] = ["title", "text", "url", "anchor"];

/// `NEAR` without a number.
pub const NEAR_WORDS: u32 = 10;

/// Deeper nesting is refused.
pub const MOST_NESTED: usize = 64;

/// A longer text is refused, in characters.
pub const LONGEST: usize = 4_096;
