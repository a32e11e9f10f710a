//! The page as something to point at: no script, nothing that acts, nothing asked for but through us.
//!
//! Every element carries its number (`data-g`), so that what is pointed at can be named. The answer is shown in a
//! sandboxed frame under a policy without scripts; what is left out here is left out once more there.

use std::fmt::Write as _;

use html::{Kind, NodeId, Space, Tree};
use model::{Normalise, PageUrl};

use super::Preview;
use super::assets::rewrite_css;

/// Elements that act, fetch or cannot be shown; what is in them goes too.
const DROPPED: [&str; 16] = [
    "script", "iframe", "frame", "object", "embed", "applet", "base", "meta", "template", "portal",
    "noembed", "noframes", "audio", "video", "source", "track",
];

/// Attributes that show or name something; all others are left out.
const KEPT: [&str; 44] = [
    "abbr",
    "align",
    "alt",
    "aria-label",
    "axis",
    "bgcolor",
    "border",
    "cellpadding",
    "cellspacing",
    "checked",
    "class",
    "color",
    "cols",
    "colspan",
    "compact",
    "content",
    "datetime",
    "dir",
    "disabled",
    "face",
    "headers",
    "height",
    "hidden",
    "hspace",
    "id",
    "itemprop",
    "label",
    "lang",
    "nowrap",
    "open",
    "placeholder",
    "reversed",
    "role",
    "rows",
    "rowspan",
    "scope",
    "size",
    "span",
    "start",
    "title",
    "type",
    "valign",
    "value",
    "width",
];

impl Preview {
    /// The page as HTML to be shown in a sandboxed frame; `asset` is the path under which [`Preview::asset`] answers,
    /// up to the URL.
    pub fn snapshot(&self, asset: &str) -> String {
        let tree = self.tree();
        let base = base_of(&tree, &self.fetched.url);
        let mut writer = Writer { tree: &tree, base, asset, out: String::with_capacity(self.html.len() * 2) };
        writer.out.push_str("<!DOCTYPE html>");
        writer.children(tree.root());
        writer.out
    }
}

/// Where relative addresses stand: the page, or what its `base` says.
fn base_of(tree: &Tree, url: &PageUrl) -> PageUrl {
    let base = tree.descendants(tree.root()).find(|node| tree.name(*node) == Some("base"));
    let href = base.and_then(|node| tree.attribute(node, "href"));
    href.and_then(|href| Normalise::default().join(url, href).ok()).unwrap_or_else(|| url.clone())
}

struct Writer<'a> {
    tree: &'a Tree,
    base: PageUrl,
    asset: &'a str,
    out: String,
}

impl Writer<'_> {
    /// Without recursion: pages are as deep as their makers like.
    fn children(&mut self, root: NodeId) {
        enum Step {
            Node(NodeId),
            End(String),
        }
        let push = |open: &mut Vec<Step>, tree: &Tree, node: NodeId| {
            let at = open.len();
            open.extend(tree.children(node).map(Step::Node));
            open[at..].reverse();
        };
        let mut open = Vec::new();
        push(&mut open, self.tree, root);
        while let Some(step) = open.pop() {
            let node = match step {
                Step::Node(node) => node,
                Step::End(name) => {
                    let _ = write!(self.out, "</{name}>");
                    continue;
                }
            };
            match self.tree.kind(node) {
                Kind::Text => escape(self.tree.text(node), &mut self.out),
                Kind::Element => {
                    let Some(name) = self.start(node) else { continue };
                    if html::is_void(&name) {
                        continue;
                    }
                    if name == "style" {
                        let css = rewrite_css(&self.tree.text_content(node), &self.base, self.asset);
                        // Whatever it says, it cannot end the element.
                        self.out.push_str(&css.replace('<', "\\3c "));
                        self.out.push_str("</style>");
                        continue;
                    }
                    open.push(Step::End(name));
                    push(&mut open, self.tree, node);
                }
                _ => {}
            }
        }
    }

    /// Writes a start tag; none when the element is left out with all that is in it.
    fn start(&mut self, node: NodeId) -> Option<String> {
        let tree = self.tree;
        let name = tree.name(node)?.to_ascii_lowercase();
        let is_html = tree.space(node) == Some(Space::Html);
        let plain = !name.is_empty()
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if DROPPED.contains(&name.as_str())
            || !plain
            || (!is_html && matches!(name.as_str(), "style" | "foreignobject" | "animate" | "set" | "use"))
        {
            return None;
        }
        if name == "link" && !is_stylesheet(tree, node) {
            return None;
        }
        let shown = match name.as_str() {
            "plaintext" | "xmp" | "listing" => "pre",
            "form" | "dialog" | "noscript" | "frameset" => "div",
            other => other,
        };
        let _ = write!(self.out, "<{shown} data-g=\"{}\"", node.index());
        for (attribute, space, value) in tree.attributes(node) {
            if space == Space::None {
                self.attribute(&name, attribute, value);
            }
        }
        self.out.push('>');
        Some(shown.to_owned())
    }

    fn attribute(&mut self, element: &str, name: &str, value: &str) {
        let written = match (element, name) {
            // A link looks like one and leads nowhere.
            ("a" | "area", "href") => ("href", "#".to_owned()),
            ("link", "href") | ("img" | "input", "src") | (_, "background") => match self.proxied(value) {
                Some(path) => (name, path),
                None => return,
            },
            ("img", "data-src") => match self.proxied(value) {
                Some(path) => ("src", path),
                None => return,
            },
            ("link", "rel") => ("rel", "stylesheet".to_owned()),
            ("link", "media") => ("media", value.to_owned()),
            (
                "svg" | "path" | "g" | "circle" | "rect" | "line" | "polygon",
                "viewbox" | "viewBox" | "d" | "fill" | "stroke" | "cx" | "cy" | "r" | "x" | "y" | "x1" | "x2"
                | "y1" | "y2" | "points",
            ) => (name, value.to_owned()),
            (_, "style") => ("style", rewrite_css(value, &self.base, self.asset)),
            _ if KEPT.contains(&name) => (name, value.to_owned()),
            _ => return,
        };
        let _ = write!(self.out, " {}=\"", written.0);
        escape(&written.1, &mut self.out);
        self.out.push('"');
    }

    fn proxied(&self, address: &str) -> Option<String> {
        if address.trim_start().get(..11).is_some_and(|start| start.eq_ignore_ascii_case("data:image/")) {
            return Some(address.trim().to_owned());
        }
        super::assets::proxied(address, &self.base, self.asset)
    }
}

fn is_stylesheet(tree: &Tree, node: NodeId) -> bool {
    let rel = tree.attribute(node, "rel").unwrap_or_default();
    rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("stylesheet"))
        && !rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("alternate"))
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\0' => {}
            c => out.push(c),
        }
    }
}
