//! HTML: the first line is the content type, the rest the body. Events with and without a tree, then the page.

use bytes::Bytes;
use extract::Input;
use html::{ElementName, Listener, NodeId, Tag, Tree};
use model::{Headers, Normalise, Page, PageUrl};

/// Links kept of a page here: few, so that the limit is met.
const LINKS: usize = 50;

pub(crate) fn check(input: &[u8]) {
    let (content_type, body) = super::first_line(input);
    let text = String::from_utf8_lossy(body);
    let (mut alone, mut beside) = (Log::default(), Log::default());
    html::read(&text, &mut alone);
    let tree = html::parse(&text, &mut beside);
    let same = !needs_a_tree(&text);
    if same {
        assert_eq!(alone, beside, "the events with and without a tree");
    }
    check_tree(&tree);

    let url = PageUrl::parse("http://e.com/dir/page").expect("a URL");
    let headers = Headers(vec![("Content-Type".to_owned(), Bytes::copy_from_slice(content_type))]);
    let normalise = Normalise::default();
    let input = Input { url: &url, headers: &headers, body, normalise, max_links: LINKS, agent: "gannet" };
    let (page, beside) = (extract::page(&input), extract::page_and_tree(&input).0);
    if same && body.is_ascii() {
        assert_eq!(page, beside, "the page with and without a tree");
    }
    check_page(&page, body);
    check_page(&beside, body);
}

/// True where a name alone may not tell how content is read; `html` says so of these.
fn needs_a_tree(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["<svg", "<math", "<frameset", "<template", "<select"].iter().any(|tag| text.contains(tag))
}

fn check_page(page: &Page, body: &[u8]) {
    assert!(page.links.len() <= LINKS);
    assert!(!page.links_cut || page.links.len() == LINKS);
    for link in &page.links {
        assert_eq!(PageUrl::parse(link.url.as_str()).as_ref(), Ok(&link.url), "links are canonical");
    }
    // A body of bytes that are no text has up to three bytes for each of its own; escapes and tags only shrink.
    assert!(page.text.len() <= 4 * body.len() + 16, "{} of {} bytes", page.text.len(), body.len());
}

/// Every event, pieces of text joined.
#[derive(Debug, Default, PartialEq)]
struct Log(Vec<Event>);

#[derive(Debug, PartialEq)]
enum Event {
    Start(String, Vec<(String, String)>, bool),
    End(String),
    Text(String),
}

impl Listener for Log {
    fn start(&mut self, tag: &Tag<'_>) {
        let attributes = tag.attributes().map(|(name, value)| (name.to_owned(), value.to_owned()));
        self.0.push(Event::Start(tag.name().to_owned(), attributes.collect(), tag.self_closing()));
    }

    fn end(&mut self, name: &str, _: ElementName) {
        self.0.push(Event::End(name.to_owned()));
    }

    fn text(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(Event::Text(before)) => before.push_str(text),
            _ => self.0.push(Event::Text(text.to_owned())),
        }
    }
}

/// Each node is met once from the root, its neighbours know it, and it is not deeper than allowed.
fn check_tree(tree: &Tree) {
    assert!(tree.len() <= html::limits::NODES);
    let mut met = 1;
    let mut open: Vec<(NodeId, u32)> = vec![(tree.root(), 0)];
    while let Some((parent, depth)) = open.pop() {
        assert!(depth <= html::limits::DEPTH + 2, "as deep as {depth}");
        let mut before = None;
        for child in tree.children(parent) {
            assert_eq!(tree.parent(child), Some(parent));
            assert_eq!(tree.previous(child), before);
            before = Some(child);
            met += 1;
            open.push((child, depth + 1));
        }
        assert_eq!(tree.last_child(parent), before);
    }
    assert!(met <= tree.len(), "{met} nodes met of {}", tree.len());
    assert_eq!(tree.descendants(tree.root()).count() + 1, met);
}
