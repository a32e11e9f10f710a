//! Places in the text that markup points out: times, dates, authors.

use html::Tag;

use crate::hints::{self, Fact, Hint};

/// A place in the text that holds a fact.
pub(crate) struct Mark {
    pub(crate) fact: Fact,
    /// The element it stands in.
    pub(crate) node: u32,
    /// Where it stands in the page's text.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The fact as machines read it: `datetime`, `content`.
    pub(crate) value: Option<String>,
}

/// The marks of a page while it is read.
#[derive(Default)]
pub(crate) struct Marks {
    pub(crate) all: Vec<Mark>,
    open: Vec<Open>,
}

struct Open {
    mark: usize,
    name: String,
    depth: u32,
}

/// Marks kept, and open at a time.
const MOST: usize = 256;
const MOST_OPEN: usize = 8;
/// Where scripts find what they make "an hour ago" of.
const DATA: &[&str] = &[
    "data-timestamp",
    "data-datetime",
    "data-utime",
    "data-unixtime",
    "data-date",
    "data-time",
    "data-published",
    "data-publish-date",
    "data-pubdate",
];
/// Longest `datetime` or `content`.
const MAX_VALUE: usize = 128;

impl Marks {
    /// A start tag, where the text is `at` bytes long.
    pub(crate) fn start(&mut self, tag: &Tag<'_>, hint: &Hint, node: u32, at: usize) {
        let name = tag.name();
        self.open.iter_mut().filter(|open| open.name == name).for_each(|open| open.depth += 1);
        // `<abbr title="2026-11-15T12:30:00Z">an hour ago</abbr>`, from the time before there was `<time>`.
        let is_moment = |title: &str| title.len() >= 10 && title.starts_with(['1', '2']);
        let is_time = matches!(name, "time" | "relative-time" | "local-time" | "time-ago")
            || name == "abbr" && tag.attribute("title").is_some_and(is_moment);
        let Some(fact) = hint.fact.or(is_time.then_some(Fact::Date)) else { return };
        if self.all.len() >= MOST {
            return;
        }
        let value = tag.attribute("datetime").or_else(|| tag.attribute("content"));
        let value = value.or_else(|| {
            let is_date = fact > Fact::Author;
            let named = || DATA.iter().chain(["title"].iter()).find_map(|name| tag.attribute(name));
            let published = || tag.attributes().find(|(name, value)| hints::is_published(name, value));
            is_date.then(|| named().or_else(|| published().map(|(_, value)| value)))?
        });
        let value = value.map(str::trim).filter(|value| !value.is_empty() && value.len() <= MAX_VALUE);
        self.all.push(Mark { fact, node, start: at, end: at, value: value.map(str::to_owned) });
        if self.open.len() < MOST_OPEN && !tag.self_closing() {
            self.open.push(Open { mark: self.all.len() - 1, name: name.to_owned(), depth: 1 });
        }
    }

    /// An end tag, where the text is `at` bytes long.
    pub(crate) fn end(&mut self, name: &str, at: usize) {
        if self.open.is_empty() {
            return;
        }
        for open in self.open.iter_mut().filter(|open| open.name == name) {
            open.depth -= 1;
            if open.depth == 0 {
                self.all[open.mark].end = at;
            }
        }
        self.open.retain(|open| open.depth > 0);
    }
}
