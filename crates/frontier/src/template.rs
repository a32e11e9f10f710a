//! Templates: the form that URLs of one host share, with what varies left open.
//!
//! `/calendar/2031/05` and `/calendar/2030/12/24` are both `/calendar/*`; `/shop?size=4&colour=2` is
//! `/shop?colour&size`. Whatever contains a digit varies at once; of the words that stand at one place of a path
//! the first [`WORDS`] keep their name, further ones are taken for names of pages. What varies several times in a
//! row is one star, so that a space that nests for ever has one template.
//!
//! Pure and bounded: a hostile site cannot teach more than [`PLACES`] places. What a template may cost is
//! decided in `guards`.

use std::collections::BTreeMap;

use model::PageUrl;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Words that keep their name at one place.
const WORDS: usize = 32;

/// Places learned per host.
const PLACES: usize = 256;

/// Segments and parameters looked at.
const PARTS: usize = 32;

/// A longer word is taken for something made up.
const LONGEST_WORD: usize = 64;

/// The template of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    /// `/calendar/*`, `/shop?colour&size`.
    pub(crate) text: String,
    /// Names it within its host.
    pub(crate) key: u64,
    /// Names its path alone: templates that differ in their parameters only are one family.
    pub(crate) family: u64,
}

impl Template {
    /// True when nothing in it is left open.
    pub(crate) fn names_one_page(&self) -> bool {
        !self.text.contains(['*', '?'])
    }
}

/// What the URLs of a host have taught: which words stand at each place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Places {
    words: BTreeMap<u64, Vec<u32>>,
}

impl Places {
    /// The template of a URL, by what is known so far; the same before and after the URL is learned.
    pub(crate) fn template(&self, url: &PageUrl) -> Template {
        self.walk(url, |_, _| ())
    }

    /// Learns a URL. True when it taught something.
    pub(crate) fn learn(&mut self, url: &PageUrl) -> bool {
        let mut news = Vec::new();
        self.walk(url, |place, word| news.push((place, word)));
        let mut any = false;
        for (place, word) in news {
            any |= self.add(place, word, WORDS);
        }
        any
    }

    /// Counts the combinations of parameters at the URL's path, order included. False when this one is new and
    /// there are `limit` already; a new one is learned, and `changed` says so.
    pub(crate) fn combination(&mut self, url: &PageUrl, limit: usize, changed: &mut bool) -> bool {
        let (Some(names), true) = (parameters(url), limit > 0) else { return true };
        let place = self.combinations_at(url);
        let word = short(&names.join("&"));
        let known = self.words.get(&place).map_or(&[][..], Vec::as_slice);
        if known.contains(&word) {
            return true;
        }
        if known.len() >= limit {
            return false;
        }
        *changed |= self.add(place, word, limit);
        true
    }

    /// Combinations of parameters known at the URL's path.
    pub(crate) fn combinations(&self, url: &PageUrl) -> usize {
        self.words.get(&self.combinations_at(url)).map_or(0, Vec::len)
    }

    fn combinations_at(&self, url: &PageUrl) -> u64 {
        xxh3_64(format!("{}&", self.path(url, |_, _| ())).as_bytes())
    }

    fn add(&mut self, place: u64, word: u32, most: usize) -> bool {
        if !self.words.contains_key(&place) && self.words.len() >= PLACES {
            return false;
        }
        let words = self.words.entry(place).or_default();
        let adds = words.len() < most && !words.contains(&word);
        if adds {
            words.push(word);
        }
        adds
    }

    /// Builds the template and names each (place, word) that keeps its name and is not known yet.
    fn walk(&self, url: &PageUrl, mut unknown: impl FnMut(u64, u32)) -> Template {
        let mut text = self.path(url, &mut unknown);
        let family = xxh3_64(text.as_bytes());
        if let Some(mut names) = parameters(url) {
            names.sort_unstable();
            names.dedup();
            let names = names.join("&");
            text.push('?');
            let place = xxh3_64(text.as_bytes());
            text.push_str(if self.keeps(place, &names, &mut unknown) { &names } else { "*" });
        }
        Template { key: xxh3_64(text.as_bytes()), family, text }
    }

    fn path(&self, url: &PageUrl, mut unknown: impl FnMut(u64, u32)) -> String {
        let mut text = String::with_capacity(64);
        for segment in url.path().split('/').filter(|segment| !segment.is_empty()).take(PARTS) {
            let place = xxh3_64(text.as_bytes());
            if !varies(segment) && self.keeps(place, segment, &mut unknown) {
                text.push('/');
                text.push_str(segment);
            } else if !text.ends_with("/*") {
                text.push_str("/*");
            }
        }
        if text.is_empty() {
            text.push('/');
        }
        text
    }

    fn keeps(&self, place: u64, word: &str, unknown: &mut impl FnMut(u64, u32)) -> bool {
        let word = short(word);
        let keeps = match self.words.get(&place) {
            Some(words) if words.contains(&word) => return true,
            Some(words) => words.len() < WORDS,
            None => self.words.len() < PLACES,
        };
        if keeps {
            unknown(place, word);
        }
        keeps
    }
}

/// Parameters of a URL, repeats included.
pub(crate) fn count_parameters(url: &PageUrl) -> usize {
    url.query().map_or(0, |query| query.split('&').filter(|pair| !pair.is_empty()).count())
}

/// The names of a URL's parameters in their order, numbers in them left open: `f[0]`, `f[1]` are `f[*]`.
fn parameters(url: &PageUrl) -> Option<Vec<String>> {
    let pairs = url.query()?.split('&').filter(|pair| !pair.is_empty()).take(PARTS);
    Some(pairs.map(|pair| open_numbers(pair.split('=').next().unwrap_or_default())).collect())
}

fn open_numbers(name: &str) -> String {
    let mut open = String::with_capacity(name.len().min(LONGEST_WORD));
    for letter in name.chars().take(LONGEST_WORD) {
        match letter.is_ascii_digit() {
            false => open.push(letter),
            true if open.ends_with('*') => {}
            true => open.push('*'),
        }
    }
    open
}

fn varies(segment: &str) -> bool {
    // Hexadecimal numbers without a digit too, at the price of a few words (cafe).
    let hexadecimal = segment.len() >= 4 && segment.bytes().all(|byte| byte.is_ascii_hexdigit());
    segment.len() > LONGEST_WORD || hexadecimal || segment.bytes().any(|byte| byte.is_ascii_digit())
}

fn short(word: &str) -> u32 {
    xxh3_64(word.as_bytes()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn url(path: &str) -> PageUrl {
        PageUrl::parse(&format!("http://e.test{path}")).unwrap()
    }

    fn check(path: &str, expected: &str) {
        assert_eq!(Places::default().template(&url(path)).text, expected, "{path}");
    }

    #[test]
    fn what_varies_is_left_open() {
        check("/", "/");
        check("/about.html", "/about.html");
        check("/product/17.html", "/product/*");
        check("/calendar/2031/05/", "/calendar/*");
        check("/calendar/2031/05/24", "/calendar/*");
        check("/user/17/posts/a1b2", "/user/*/posts/*");
        check("/shop?size=4&colour=2&size=3", "/shop?colour&size");
        check("/shop?f[0]=4&f[12]=2", "/shop?f[*]");
        check("/maze/beef/cafe", "/maze/*");
        check(&format!("/{}", "x".repeat(65)), "/*");
    }

    #[test]
    fn many_words_at_one_place_are_names_of_pages() {
        let mut places = Places::default();
        let word = |number: usize| {
            format!("/wiki/{}", "abcdefghij".repeat(2).split_off(number % 9) + &"x".repeat(number))
        };
        for number in 0..WORDS {
            assert!(places.learn(&url(&word(number))));
            assert_eq!(places.template(&url(&word(number))).text, word(number));
        }
        assert!(!places.learn(&url("/wiki/another")));
        assert_eq!(places.template(&url("/wiki/another")).text, "/wiki/*");
        assert_eq!(places.template(&url(&word(3))).text, word(3), "the first keep their name");
        assert_eq!(places.template(&url("/blog/another")).text, "/blog/another");
    }

    #[test]
    fn combinations_are_counted_in_their_order() {
        let mut places = Places::default();
        let mut changed = false;
        let mut check = |path: &str, expected: bool| {
            assert_eq!(places.combination(&url(path), 2, &mut changed), expected, "{path}");
        };
        check("/shop", true);
        check("/shop?a=1&b=2", true);
        check("/shop?a=2&b=9", true);
        check("/shop?b=1&a=2", true);
        check("/shop?a=1", false);
        check("/other?a=1", true);
        assert_eq!(places.combinations(&url("/shop?c=1")), 2);
    }

    proptest! {
        #[test]
        fn learning_a_url_does_not_change_its_template_and_memory_is_bounded(
            paths in prop::collection::vec("(/[a-z0-9]{1,3}){0,5}(\\?([a-d]=[0-9]&?){1,3})?", 1..400)
        ) {
            let mut places = Places::default();
            for path in paths.iter().filter(|path| path.starts_with('/')) {
                let before = places.template(&url(path));
                places.learn(&url(path));
                prop_assert_eq!(&places.template(&url(path)), &before);
            }
            prop_assert!(places.words.len() <= PLACES);
            prop_assert!(places.words.values().all(|words| words.len() <= WORDS));
        }
    }
}
