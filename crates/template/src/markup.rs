//! The tree as values: words of a node, its markup, the attribute that holds what it says.

use std::borrow::Cow;

use html::{Kind, NodeId, Tree};

/// Elements that begin and end a line, so that their words do not stick to their neighbours'.
const BLOCKS: [&str; 42] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "caption",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Elements whose text nobody sees.
const UNSEEN: [&str; 4] = ["script", "style", "template", "noscript"];

/// The visible words below a node, white space collapsed, at most `most` bytes; true if there were more.
pub(crate) fn words(tree: &Tree, node: NodeId, most: usize) -> (String, bool) {
    let mut words = Words { text: String::new(), most, gap: false, full: false };
    if tree.kind(node) == Kind::Text {
        words.add(tree.text(node));
        return (words.text, words.full);
    }
    let is_block = |node: NodeId| tree.name(node).is_some_and(|name| BLOCKS.binary_search(&name).is_ok());
    let mut skip = 0;
    for inner in tree.descendants(node) {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        if is_block(inner) || tree.previous(inner).is_some_and(is_block) {
            words.gap = true;
        }
        match tree.kind(inner) {
            Kind::Text => words.add(tree.text(inner)),
            Kind::Element if tree.name(inner).is_some_and(|name| UNSEEN.contains(&name)) => {
                skip = tree.descendants(inner).size_hint().0;
            }
            _ => {}
        }
        if words.full {
            break;
        }
    }
    (words.text, words.full)
}

struct Words {
    text: String,
    most: usize,
    gap: bool,
    full: bool,
}

impl Words {
    fn add(&mut self, text: &str) {
        if text.starts_with(char::is_whitespace) {
            self.gap = true;
        }
        for word in text.split_whitespace() {
            if self.gap && !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(word);
            self.gap = true;
            if self.text.len() > self.most {
                cut(&mut self.text, self.most);
                self.full = true;
                return;
            }
        }
        // Without a word the gap is as it was; with one it depends on how the text ends.
        if text.ends_with(|c: char| !c.is_whitespace()) {
            self.gap = false;
        }
    }
}

/// Cuts a text to at most so many bytes, between characters.
pub(crate) fn cut(text: &mut String, most: usize) {
    if text.len() > most {
        let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
}

/// Collapses white space.
pub(crate) fn collapsed(text: &str) -> Cow<'_, str> {
    let tidy = text.trim() == text
        && !text.contains("  ")
        && !text.contains(|c: char| c.is_whitespace() && c != ' ');
    match tidy {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}

/// The attribute in which an element says what its text does not.
pub(crate) fn spoken(tree: &Tree, node: NodeId) -> Option<&str> {
    let attribute = match tree.name(node)? {
        "meta" => "content",
        "input" | "data" | "meter" => "value",
        "time" => "datetime",
        _ => return None,
    };
    tree.attribute(node, attribute)
}

/// The value of a microdata property.
pub(crate) fn property(tree: &Tree, node: NodeId) -> String {
    let attribute = match tree.name(node).unwrap_or_default() {
        "a" | "area" | "link" => Some("href"),
        "audio" | "embed" | "iframe" | "img" | "source" | "track" | "video" => Some("src"),
        "object" => Some("data"),
        _ => None,
    };
    let said = attribute.and_then(|name| tree.attribute(node, name)).or_else(|| spoken(tree, node));
    // Many pages put `content` on elements of any kind.
    let said = said.or_else(|| tree.attribute(node, "content"));
    said.map_or_else(|| words(tree, node, crate::read::MAX_TEXT).0, str::to_owned)
}

/// A node's markup, itself included, at most `most` bytes; true if there was more.
pub(crate) fn html(tree: &Tree, node: NodeId, most: usize) -> (String, bool) {
    let mut out = String::new();
    let mut open: Vec<NodeId> = Vec::new();
    let all = std::iter::once(node).chain(tree.descendants(node));
    for inner in all {
        while let Some(last) = open.last().copied().filter(|last| Some(*last) != tree.parent(inner)) {
            if inner == node {
                break;
            }
            close(tree, last, &mut out);
            open.pop();
        }
        match tree.kind(inner) {
            Kind::Text => {
                let raw = open
                    .last()
                    .and_then(|parent| tree.name(*parent))
                    .is_some_and(|name| UNSEEN.contains(&name));
                if raw { out.push_str(tree.text(inner)) } else { escape(tree.text(inner), false, &mut out) }
            }
            Kind::Comment => {
                out.push_str("<!--");
                out.push_str(tree.text(inner));
                out.push_str("-->");
            }
            Kind::Element => {
                let name = tree.name(inner).unwrap_or_default();
                out.push('<');
                out.push_str(name);
                for (key, _, value) in tree.attributes(inner) {
                    out.push(' ');
                    out.push_str(key);
                    out.push_str("=\"");
                    escape(value, true, &mut out);
                    out.push('"');
                }
                out.push('>');
                if !html::is_void(name) {
                    open.push(inner);
                }
            }
            Kind::Document | Kind::Doctype => {}
        }
        if out.len() > most {
            cut(&mut out, most);
            return (out, true);
        }
    }
    while let Some(last) = open.pop() {
        close(tree, last, &mut out);
    }
    (out, false)
}

fn close(tree: &Tree, node: NodeId, out: &mut String) {
    if let Some(name) = tree.name(node) {
        out.push_str("</");
        out.push_str(name);
        out.push('>');
    }
}

fn escape(text: &str, in_attribute: bool, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' if !in_attribute => out.push_str("&lt;"),
            '>' if !in_attribute => out.push_str("&gt;"),
            '"' if in_attribute => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::tree;

    #[test]
    fn blocks_are_sorted_for_the_search() {
        assert!(BLOCKS.is_sorted());
    }

    #[test]
    fn words_of_blocks_stay_apart_and_inline_words_together() {
        let check = |html: &str, expected: &str| {
            let tree = tree(html);
            assert_eq!(words(&tree, tree.root(), 1_000).0, expected, "{html}");
        };
        check("<p>a</p><p>b</p>", "a b");
        check("a<br>b", "a b");
        check("<b>a</b>b <i>c</i>", "ab c");
        check("  a \n b  ", "a b");
        check("<div>a</div>b", "a b");
        check("<p>a<script>x()</script>b<style>y</style></p>", "ab");
        check("1<sup>st</sup> day", "1st day");
    }

    #[test]
    fn markup_reads_as_the_same_markup() {
        let check = |html: &str| {
            let tree = tree(html);
            let div = tree.descendants(tree.root()).find(|node| tree.name(*node) == Some("div")).unwrap();
            assert_eq!(super::html(&tree, div, 1_000), (html.to_owned(), false));
        };
        check("<div class=\"a &amp; &quot;b&quot;\"><p>x &lt; y<br>z</p><img src=\"a.png\"><!--c--></div>");
        check("<div><ul><li>a</li><li><b>b</b>c</li></ul>d</div>");
        check("<div><script>if (a < b) {}</script></div>");
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        let tree = tree("<div>äöü äöü</div>");
        assert_eq!(words(&tree, tree.root(), 5), ("äö".to_owned(), true));
        let (text, full) = html(&tree, tree.root(), 24);
        assert!(full && text.len() <= 24);
    }
}
