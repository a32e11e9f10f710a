//! Links as they are found, and as they are kept: resolved, weighed, limited.

use std::ops::Range;
use std::sync::Arc;

use model::{Joiner, Link, LinkKind, LinkLook, Normalise, PageUrl, Rel, SharedText};
use url::Url;

use crate::words::{collapse_into, push_within};

/// The links of a page while it is read. They are resolved at its end, when `<base>` and the number of words are
/// known.
pub(crate) struct Links {
    found: Vec<Found>,
    /// All references, one after the other.
    hrefs: String,
    /// The words of all links; those of the link that is open are the last.
    anchors: String,
    /// Links before this one have a place among the words.
    placed: usize,
    max: usize,
    cut: bool,
    base: Option<Url>,
}

/// A link on the page.
struct Found {
    href: Range<usize>,
    kind: LinkKind,
    rel: Rel,
    anchor: Range<usize>,
    /// Alternative text of the images inside, used where there are no words.
    alt: String,
    bold: bool,
    italic: bool,
    word: Option<usize>,
}

/// Bytes of one anchor text.
const MAX_ANCHOR: usize = 1_024;

/// Of the links found, so many times the limit are looked at: invalid ones do not count.
const FOUND_PER_KEPT: usize = 8;

impl Links {
    pub(crate) fn new(max: usize) -> Links {
        Links {
            // As many pages have: room for them is made once.
            found: Vec::with_capacity(max.min(128)),
            hrefs: String::with_capacity(4_096),
            anchors: String::with_capacity(2_048),
            placed: 0,
            max,
            cut: false,
            base: None,
        }
    }

    /// Takes a `<base href>`; the first one counts, even if it is no use.
    pub(crate) fn set_base(&mut self, page: &Url, href: &str) {
        if self.base.is_none() {
            let base = page.join(href).ok().filter(|base| !matches!(base.scheme(), "data" | "javascript"));
            self.base = Some(base.unwrap_or_else(|| page.clone()));
        }
    }

    /// What `<base>` says.
    pub(crate) fn base(&self) -> Option<&Url> {
        self.base.as_ref()
    }

    /// Notes a link; the answer is its number, unless the page has too many.
    pub(crate) fn add(&mut self, kind: LinkKind, href: &str, rel: Rel) -> Option<usize> {
        if self.found.len() >= self.max.saturating_mul(FOUND_PER_KEPT) {
            self.cut = true;
            return None;
        }
        let start = self.hrefs.len();
        self.hrefs.push_str(href);
        self.found.push(Found {
            href: start..self.hrefs.len(),
            kind,
            rel,
            anchor: 0..0,
            alt: String::new(),
            bold: false,
            italic: false,
            word: None,
        });
        Some(self.found.len() - 1)
    }

    /// The word with this number is the first after all links that have no place yet.
    #[inline]
    pub(crate) fn place(&mut self, word: usize) {
        for found in &mut self.found[self.placed..] {
            found.word = Some(word);
        }
        self.placed = self.found.len();
    }

    /// A part of a word inside a link.
    pub(crate) fn add_anchor(&mut self, link: usize, part: &str, starts: bool) {
        let anchor = &mut self.found[link].anchor;
        if anchor.len() >= MAX_ANCHOR {
            return;
        }
        if anchor.end != self.anchors.len() {
            // New, or another link was open in between.
            let start = self.anchors.len();
            self.anchors.extend_from_within(anchor.clone());
            *anchor = start..self.anchors.len();
        }
        if starts && anchor.start < anchor.end {
            self.anchors.push(' ');
        }
        push_within(&mut self.anchors, part, anchor.start + MAX_ANCHOR);
        anchor.end = self.anchors.len();
    }

    /// The alternative text of an image inside a link, or of an area.
    pub(crate) fn add_alt(&mut self, link: usize, alt: &str) {
        collapse_into(&mut self.found[link].alt, alt, MAX_ANCHOR);
    }

    /// The link is bold or italic, as a whole or in part.
    pub(crate) fn format(&mut self, link: usize, bold: bool, italic: bool) {
        let found = &mut self.found[link];
        found.bold |= bold;
        found.italic |= italic;
    }

    /// The links of the page in document order, and whether there were more.
    pub(crate) fn finish(
        self,
        page: &PageUrl,
        fallback: &Url,
        normalise: Normalise,
        words: usize,
    ) -> (Vec<Link>, bool) {
        let anchors: Arc<str> = self.anchors.into();
        let mut joiner = Joiner::new(self.base.as_ref().unwrap_or(fallback), normalise);
        let mut links: Vec<Link> = Vec::with_capacity(self.found.len().min(self.max));
        for found in self.found {
            let href = &self.hrefs[found.href.clone()];
            let Some(url) = resolve(&mut joiner, href) else { continue };
            if links.len() == self.max {
                return (links, true);
            }
            let distance = match links.last() {
                Some(last) if last.url.is_clone_of(&url) => last.look.distance,
                _ => distance(page, &url),
            };
            let look = found.look(distance, words);
            let Range { start, .. } = found.anchor;
            let text = anchors[found.anchor.clone()].trim_end();
            let anchor = if text.is_empty() && !found.alt.is_empty() {
                found.alt.trim_end().into()
            } else {
                SharedText::of(&anchors, start..start + text.len())
            };
            links.push(Link { url, anchor, look, rel: found.rel, kind: found.kind });
        }
        (links, self.cut)
    }
}

impl Found {
    fn look(&self, distance: u8, words: usize) -> LinkLook {
        if !matches!(self.kind, LinkKind::Anchor | LinkKind::Area) {
            return LinkLook::plain(distance);
        }
        let third = match (3 * self.word.unwrap_or(words)).checked_div(words) {
            Some(third) => third.min(2) as u8,
            // A page without words has only a beginning.
            None => 0,
        };
        let visibility = 1 + u8::from(self.bold) + u8::from(self.italic);
        LinkLook { visibility, position: 3 - third, distance }
    }
}

/// A reference as the URL of a page, if it is one.
pub(crate) fn resolve(joiner: &mut Joiner<'_>, href: &str) -> Option<PageUrl> {
    // Most references that are no pages say so at once; parsing them would only make an error text.
    let start = href.trim_start();
    let has = |scheme: &str| start.get(..scheme.len()).is_some_and(|own| own.eq_ignore_ascii_case(scheme));
    let is_no_page = match start.bytes().next() {
        Some(b'j' | b'J') => has("javascript:"),
        Some(b'm' | b'M') => has("mailto:"),
        Some(b't' | b'T') => has("tel:"),
        Some(b'd' | b'D') => has("data:"),
        _ => false,
    };
    if is_no_page {
        return None;
    }
    joiner.join(href).ok()
}

/// 5 for another host or port, 1 for the same.
pub(crate) fn distance(page: &PageUrl, url: &PageUrl) -> u8 {
    let is_same = match page.is_https() == url.is_https() {
        true => page.has_origin_of(url),
        false => page.host() == url.host(),
    };
    if is_same { 1 } else { 5 }
}

/// The words of a `rel` that matter.
pub(crate) fn rel(value: Option<&str>) -> Rel {
    let has = |name: &str| value.is_some_and(|value| has_word(value, name));
    match value {
        Some(_) => {
            Rel { nofollow: has("nofollow"), sponsored: has("sponsored"), ugc: has("ugc"), next: has("next") }
        }
        None => Rel::default(),
    }
}

/// Whether a list of words has this one.
pub(crate) fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|entry| entry.eq_ignore_ascii_case(word))
}

/// The target of a `Link` header with `rel=canonical`.
pub(crate) fn canonical_in_header(value: &str) -> Option<&str> {
    let mut rest = value;
    while let Some((_, after)) = rest.split_once('<') {
        let (target, after) = after.split_once('>')?;
        let parameters = &after[..after.find('<').unwrap_or(after.len())];
        let is_canonical = parameters.split([';', ',']).any(|parameter| {
            parameter.split_once('=').is_some_and(|(name, value)| {
                let value = value.trim().trim_matches('"');
                name.trim().eq_ignore_ascii_case("rel") && has_word(value, "canonical")
            })
        });
        if is_canonical {
            return Some(target.trim());
        }
        rest = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_may_name_the_canonical_address() {
        for (value, expected) in [
            ("<https://e.com/a>; rel=\"canonical\"", Some("https://e.com/a")),
            ("</x>; rel=preload, </y>; type=a; rel=canonical", Some("/y")),
            ("</x>; rel=\"next Canonical\"", Some("/x")),
            ("</x>; rel=next", None),
            ("</x; rel=canonical", None),
            ("", None),
        ] {
            assert_eq!(canonical_in_header(value), expected, "in {value:?}");
        }
    }

    #[test]
    fn hosts_are_the_same_with_their_port() {
        let check = |page: &str, url: &str, expected| {
            let (page, url) = (PageUrl::parse(page).unwrap(), PageUrl::parse(url).unwrap());
            assert_eq!(distance(&page, &url), expected, "{page} {url}");
        };
        check("http://e.com/a", "http://e.com/b", 1);
        check("http://e.com:443/a", "https://e.com/b", 1);
        check("http://e.com/a", "https://e.com/a", 5);
        check("http://e.com/a", "http://e.com:81/a", 5);
        check("http://e.com/a", "http://www.e.com/a", 5);
    }
}
