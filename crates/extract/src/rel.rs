//! All words of the `rel` of a page's links, for people who ask what a page says. A crawl keeps those few that matter
//! to it, with the links; so this reads the page once more, and costs it nothing.

use html::{ElementName, Listener, Tag};
use model::{Joiner, Link, LinkKind};
use url::Url;

use crate::kind::{Kind, kind};
use crate::links::resolve;
use crate::page::Input;

/// Words of one `rel`, and bytes of one.
const MOST_WORDS: usize = 16;
const MAX_WORD: usize = 64;
/// Links that were not heard, after which no more are sought.
const MOST_MISSED: usize = 8;

/// The words of `rel` of each of these links, which were read from this page: lower-case, each once, as many as there
/// are links. What is no HTML has none.
pub fn rel_words(input: &Input<'_>, links: &[Link]) -> Vec<Vec<String>> {
    let none = || vec![Vec::new(); links.len()];
    let content_type = input.headers.get("content-type");
    let kind = kind(content_type, input.body);
    let Ok(own_url) = Url::parse(input.url.as_str()) else { return none() };
    if kind != Kind::Html {
        return none();
    }
    let (text, _) = crate::decode(input.body, content_type, kind, input.url);
    let mut heard = Heard::default();
    html::read(&text, &mut heard);
    let base = heard.base.as_deref().and_then(|href| own_url.join(href).ok());
    let base = base.filter(|base| !matches!(base.scheme(), "data" | "javascript")).unwrap_or(own_url);
    let mut joiner = Joiner::new(&base, input.normalise);
    // Both stand in the page's order; a link that was not heard costs a look at all the others.
    let mut rest = heard.anchors.as_slice();
    let mut missed = 0;
    links
        .iter()
        .map(|link| {
            if !matches!(link.kind, LinkKind::Anchor | LinkKind::Area) || missed >= MOST_MISSED {
                return Vec::new();
            }
            let same =
                rest.iter().position(|(href, _)| resolve(&mut joiner, href).as_ref() == Some(&link.url));
            let Some(at) = same else {
                missed += 1;
                return Vec::new();
            };
            let found = words(&rest[at].1);
            rest = &rest[at + 1..];
            found
        })
        .collect()
}

/// References of links and what stands in their `rel`.
#[derive(Default)]
struct Heard {
    anchors: Vec<(String, String)>,
    base: Option<String>,
    /// Open templates: what stands in them is only stored for scripts.
    templates: usize,
}

impl Listener for Heard {
    fn start(&mut self, tag: &Tag<'_>) {
        match tag.name() {
            "template" => self.templates += 1,
            _ if self.templates > 0 => {}
            "base" if self.base.is_none() => self.base = tag.attribute("href").map(str::to_owned),
            "a" | "area" => {
                if let Some(href) = tag.attribute("href") {
                    let rel = tag.attribute("rel").unwrap_or_default();
                    self.anchors.push((href.to_owned(), rel.to_owned()));
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str, _: ElementName) {
        if name == "template" {
            self.templates = self.templates.saturating_sub(1);
        }
    }

    fn text(&mut self, _: &str) {}
}

fn words(rel: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in rel.split_ascii_whitespace().filter(|word| word.len() <= MAX_WORD) {
        let word = word.to_ascii_lowercase();
        if !words.contains(&word) {
            words.push(word);
        }
        if words.len() == MOST_WORDS {
            break;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use model::{Headers, Normalise, PageUrl};

    use super::*;

    fn check(html: &str, expected: &[(&str, &[&str])]) {
        let Ok(url) = PageUrl::parse("http://e.com/dir/page") else { panic!("no URL") };
        let headers = Headers(vec![("content-type".to_owned(), Bytes::from_static(b"text/html"))]);
        let (normalise, max_links) = (Normalise::default(), 10);
        let input = Input {
            url: &url,
            headers: &headers,
            body: html.as_bytes(),
            normalise,
            max_links,
            agent: "gannet",
        };
        let links = crate::page(&input).links;
        let found = rel_words(&input, &links);
        let found: Vec<(&str, Vec<&str>)> = links
            .iter()
            .zip(&found)
            .map(|(link, words)| (link.url.as_str(), words.iter().map(String::as_str).collect()))
            .collect();
        let expected: Vec<(&str, Vec<&str>)> =
            expected.iter().map(|(url, words)| (*url, words.to_vec())).collect();
        assert_eq!(found, expected, "in {html}");
    }

    #[test]
    fn every_link_has_the_words_of_its_own_rel() {
        check(
            "<base href=/x/><a href=a rel='Noopener  external noopener'>1</a><template><a href=a rel=no></a></template>\
             <a href=mailto:x@e.com rel=me>2</a><iframe src=f></iframe><a href=a rel='prev'>3</a><a href=b>4</a>\
             <map><area href=c rel=help></map>",
            &[
                ("http://e.com/x/a", &["noopener", "external"]),
                ("http://e.com/x/f", &[]),
                ("http://e.com/x/a", &["prev"]),
                ("http://e.com/x/b", &[]),
                ("http://e.com/x/c", &["help"]),
            ],
        );
    }

    #[test]
    fn words_are_bounded() {
        let many: Vec<String> = (0..100).map(|n| format!("w{n}")).collect();
        assert_eq!(words(&many.join(" ")).len(), MOST_WORDS);
        assert_eq!(words(&"x".repeat(65)), Vec::<String>::new());
    }
}
