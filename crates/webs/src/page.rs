//! Draws one HTML page and writes down, while drawing, what a reader of it must find.
//!
//! How words and links are counted (ALGORITHMS §3, in the reading the crawler shares):
//! - A *visible word* is a run of non-white-space text inside `body`, in document order. Text of
//!   `script`, `style`, `template` and `noscript` is not visible; neither are the title, `alt`
//!   and other attributes.
//! - Tags do not separate words by themselves, white space does. The builder writes white space
//!   before every block-level tag that follows a word, so that a reader who lets blocks separate
//!   words counts the same.
//! - A link's index `i` is the number of words before it: the index of its first word, or of the
//!   next word when it has none. With `n` words in all, position = 3 − floor(3·i/n), and 1 when no
//!   word follows (`i = n`, also on a page without words). Links of the head have `i = 0`.
//! - A link is bold (italic) when `b`/`strong` (`i`/`em`) stands around it or inside it.
//!
//! Markup handed to [`Page::html`] is our own: whole tags, no `>` inside attributes, no `a`
//! elements (they go through [`Page::link`]), and no entity but `&amp; &lt; &gt; &quot;`.

use crate::truth::{Facts, Link, LinkKind};

/// A page under construction.
pub struct Page<'a> {
    base: &'a str,
    html: String,
    links: Vec<Counted>,
    facts: Facts,
    words: u64,
    in_word: bool,
    bold: u32,
    italic: u32,
    /// The element whose text is not visible, while inside one.
    unseen: Option<&'static str>,
    in_body: bool,
    /// The link whose text is being written.
    open: Option<OpenLink>,
}

struct Counted {
    link: Link,
    index: u64,
}

struct OpenLink {
    text: String,
    bold: bool,
    italic: bool,
}

/// A finished page.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The markup.
    pub html: String,
    /// Its links in document order.
    pub links: Vec<Link>,
    /// Title, words, and what the head says.
    pub facts: Facts,
}

/// A link to be written.
pub struct Anchor<'m> {
    target: &'m str,
    written: Option<&'m str>,
    inner: &'m str,
    attributes: &'m str,
    alt: &'m str,
    rel: &'m str,
}

impl<'m> Anchor<'m> {
    /// A link to a canonical path (`/shop/`) or absolute URL, around `inner` markup.
    pub fn new(target: &'m str, inner: &'m str) -> Self {
        Self { target, written: None, inner, attributes: "", alt: "", rel: "" }
    }

    /// The `href` as written, where it differs from the canonical target.
    #[must_use]
    pub fn written(mut self, href: &'m str) -> Self {
        self.written = Some(href);
        self
    }

    /// More attributes, such as `class="card"`.
    #[must_use]
    pub fn with(mut self, attributes: &'m str) -> Self {
        self.attributes = attributes;
        self
    }

    /// The `alt` of the images in `inner`.
    #[must_use]
    pub fn alt(mut self, alt: &'m str) -> Self {
        self.alt = alt;
        self
    }

    /// The `rel` attribute.
    #[must_use]
    pub fn rel(mut self, rel: &'m str) -> Self {
        self.rel = rel;
        self
    }
}

impl<'a> Page<'a> {
    /// An empty page of the site at `base` (`http://host:port`).
    pub fn new(base: &'a str, language: &str, title: &str) -> Self {
        let mut page = Self {
            base,
            html: String::with_capacity(8 * 1024),
            links: Vec::new(),
            facts: Facts {
                title: title.to_owned(),
                language: language.to_owned(),
                charset: "utf-8".to_owned(),
                ..Facts::default()
            },
            words: 0,
            in_word: false,
            bold: 0,
            italic: 0,
            unseen: None,
            in_body: false,
            open: None,
        };
        page.head(&format!("<!doctype html>\n<html lang=\"{language}\">\n<head>\n"));
        page
    }

    /// `http://host:port`
    pub fn base(&self) -> &'a str {
        self.base
    }

    /// Writes markup of the head.
    pub fn head(&mut self, markup: &str) {
        self.html.push_str(markup);
    }

    /// Writes the title element.
    pub fn head_title(&mut self) {
        let title = format!("<title>{}</title>\n", escaped(&self.facts.title));
        self.html.push_str(&title);
    }

    /// Says which encoding the body will be sent in.
    pub fn charset(&mut self, name: &str) {
        self.facts.charset = name.to_owned();
    }

    /// Writes a robots meta element.
    pub fn robots_meta(&mut self, content: &str) {
        self.facts.noindex |= content.contains("noindex");
        self.facts.nofollow |= content.contains("nofollow");
        self.head(&format!("<meta name=\"robots\" content=\"{content}\">\n"));
    }

    /// Names the canonical path of this page.
    pub fn canonical(&mut self, path: &str) {
        let url = self.absolute(path);
        self.head(&format!("<link rel=\"canonical\" href=\"{}\">\n", escaped(&url)));
        self.facts.canonical = Some(url.clone());
        self.note(url, LinkKind::Canonical, "", false);
    }

    /// Writes a meta refresh.
    pub fn refresh(&mut self, seconds: u32, path: &str) {
        let content = format!("{seconds}; url={path}");
        self.head(&format!("<meta http-equiv=\"refresh\" content=\"{}\">\n", escaped(&content)));
        self.note(self.absolute(path), LinkKind::Refresh, "", false);
    }

    /// Ends the head and opens the body.
    pub fn body(&mut self, attributes: &str) {
        self.html.push_str("</head>\n<body");
        if !attributes.is_empty() {
            self.html.push(' ');
            self.html.push_str(attributes);
        }
        self.html.push_str(">\n");
        self.in_body = true;
    }

    /// Writes our own markup; see the module's words on what it may hold.
    pub fn html(&mut self, markup: &str) {
        let mut rest = markup;
        while let Some(start) = rest.find('<') {
            self.visible(&rest[..start]);
            let end = rest[start..].find('>').map_or(rest.len(), |end| start + end + 1);
            self.tag(&rest[start..end]);
            rest = &rest[end..];
        }
        self.visible(rest);
    }

    /// Writes text, escaped.
    pub fn text(&mut self, text: &str) {
        self.visible(&escaped(text));
    }

    /// Writes a link around plain text.
    pub fn a(&mut self, target: &str, text: &str) {
        self.link(&Anchor::new(target, &escaped(text)));
    }

    /// Writes a link.
    pub fn link(&mut self, anchor: &Anchor<'_>) {
        debug_assert!(!self.in_word, "a link begins with a word of its own: {}", anchor.target);
        debug_assert!(self.open.is_none(), "links do not nest: {}", anchor.target);
        let href = anchor.written.unwrap_or(anchor.target);
        let mut tag = format!("<a href=\"{}\"", escaped(href));
        for (name, value) in [("rel", anchor.rel)] {
            if !value.is_empty() {
                tag.push_str(&format!(" {name}=\"{value}\""));
            }
        }
        if !anchor.attributes.is_empty() {
            tag.push(' ');
            tag.push_str(anchor.attributes);
        }
        tag.push('>');
        self.html.push_str(&tag);
        let nofollow = anchor.rel.split(' ').any(|word| word == "nofollow");
        self.note(self.absolute(anchor.target), LinkKind::Anchor, anchor.alt, nofollow);
        let place = self.links.len() - 1;
        self.open = Some(OpenLink { text: String::new(), bold: self.bold > 0, italic: self.italic > 0 });
        self.html(anchor.inner);
        self.html.push_str("</a>");
        if let Some(open) = self.open.take() {
            let link = &mut self.links[place].link;
            link.anchor = plain(&open.text);
            link.visibility = 1 + u8::from(open.bold) + u8::from(open.italic);
        }
    }

    /// Writes an `area` of an image map.
    pub fn area(&mut self, target: &str, coordinates: &str, alt: &str) {
        let tag = format!(
            "<area shape=\"rect\" coords=\"{coordinates}\" href=\"{}\" alt=\"{}\">\n",
            escaped(target),
            escaped(alt)
        );
        self.html(&tag);
        self.note(self.absolute(target), LinkKind::Area, alt, false);
    }

    /// Writes a `frame` or `iframe`; `element` says which.
    pub fn frame(&mut self, element: &str, target: &str, attributes: &str) {
        let mut tag = format!("<{element} src=\"{}\" {attributes}>", escaped(target));
        if element == "iframe" {
            tag.push_str("</iframe>\n");
        }
        self.html(&tag);
        self.note(self.absolute(target), LinkKind::Frame, "", false);
    }

    /// Ends the page.
    pub fn finish(mut self) -> Drawn {
        if self.in_body {
            self.html.push_str("</body>\n");
        }
        self.html.push_str("</html>\n");
        self.facts.words = self.words;
        let words = self.words;
        let placed = |counted: Counted| Link { position: position(counted.index, words), ..counted.link };
        Drawn { html: self.html, links: self.links.into_iter().map(placed).collect(), facts: self.facts }
    }

    /// The absolute form of a canonical path; absolute URLs stay as they are.
    pub fn absolute(&self, target: &str) -> String {
        if target.starts_with('/') { format!("{}{target}", self.base) } else { target.to_owned() }
    }

    fn note(&mut self, url: String, kind: LinkKind, alt: &str, nofollow: bool) {
        let same_host = authority(&url) == authority(self.base);
        let link = Link {
            anchor: String::new(),
            alt: alt.to_owned(),
            visibility: 1 + u8::from(self.bold > 0) + u8::from(self.italic > 0),
            position: 0,
            distance: if same_host { 1 } else { 5 },
            nofollow,
            kind,
            url,
        };
        self.links.push(Counted { link, index: self.words });
    }

    fn visible(&mut self, text: &str) {
        self.html.push_str(text);
        if self.unseen.is_some() || !self.in_body {
            return;
        }
        for character in text.chars() {
            if character.is_whitespace() {
                self.in_word = false;
            } else if !self.in_word {
                self.in_word = true;
                self.words += 1;
            }
        }
        if let Some(open) = &mut self.open {
            open.text.push_str(text);
        }
    }

    fn tag(&mut self, tag: &str) {
        let closing = tag.starts_with("</");
        let inside = tag.trim_start_matches("</").trim_start_matches('<');
        let name_end = inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
        let name = &inside[..name_end];
        debug_assert!(name != "a", "links go through Page::link: {tag}");
        if self.unseen.is_none() && self.in_word && !INLINE.contains(&name) {
            self.visible("\n");
        }
        self.html.push_str(tag);
        match (self.unseen, UNSEEN.iter().find(|&&unseen| unseen == name)) {
            (Some(inside), Some(&name)) if closing && inside == name => self.unseen = None,
            (None, Some(&name)) if !closing => self.unseen = Some(name),
            _ => {}
        }
        let depth = match name {
            "b" | "strong" => &mut self.bold,
            "i" | "em" => &mut self.italic,
            _ => return,
        };
        *depth = if closing { depth.saturating_sub(1) } else { *depth + 1 };
        if let Some(open) = &mut self.open {
            open.bold |= self.bold > 0;
            open.italic |= self.italic > 0;
        }
    }
}

/// Text as it stands in markup and in attributes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(character),
        }
    }
    out
}

/// Elements inside which two runs of text may make one word.
const INLINE: [&str; 16] = [
    "b", "strong", "i", "em", "span", "code", "small", "time", "s", "del", "ins", "abbr", "sup", "sub",
    "meta", "mark",
];
const UNSEEN: [&str; 4] = ["script", "style", "template", "noscript"];

fn position(index: u64, words: u64) -> u8 {
    if index >= words {
        return 1;
    }
    3 - (3 * index / words) as u8
}

/// Markup text without entities, white space collapsed.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}

fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A piece of a page: words, a link with some words, or a link around a picture.
    #[derive(Clone, Debug)]
    enum Piece {
        Words(usize),
        Link { words: usize, bold: bool, italic: bool },
    }

    fn pieces() -> impl Strategy<Value = Vec<Piece>> {
        let words = (1..6usize).prop_map(Piece::Words);
        let link = (0..4usize, any::<bool>(), any::<bool>()).prop_map(|(words, bold, italic)| Piece::Link {
            words,
            bold,
            italic,
        });
        prop::collection::vec(prop_oneof![words, link], 0..30)
    }

    proptest! {
        /// Counted from the pieces, not from the markup.
        #[test]
        fn words_positions_and_styles_are_those_of_the_pieces(pieces in pieces()) {
            let text = |count: usize| vec!["w&amp;x"; count].join("\n ");
            let drawn = draw(|page| {
                for (number, piece) in pieces.iter().enumerate() {
                    match piece {
                        Piece::Words(count) => page.html(&format!("<p>{}</p>", text(*count))),
                        Piece::Link { words, bold, italic } => {
                            // Bold around, italic inside.
                            page.html(if *bold { "<strong>" } else { "<span>" });
                            let inner = match (italic, words) {
                                (true, _) => format!("<i><img src=\"/x\" alt=\"y\">{}</i>", text(*words)),
                                (false, _) => text(*words),
                            };
                            page.link(&Anchor::new(&format!("/{number}"), &inner));
                            page.html(if *bold { "</strong> " } else { "</span> " });
                        }
                    }
                }
            });
            let length = |piece: &Piece| match piece {
                Piece::Words(count) | Piece::Link { words: count, .. } => *count as u64,
            };
            let total: u64 = pieces.iter().map(length).sum();
            prop_assert_eq!(drawn.facts.words, total);
            let mut links = drawn.links.iter();
            let mut before = 0;
            for piece in &pieces {
                if let Piece::Link { words, bold, italic } = piece {
                    let link = links.next().expect("a link for each piece");
                    let third = if before == total { 2 } else { 3 * before / total };
                    prop_assert_eq!(u64::from(link.position), 3 - third);
                    prop_assert_eq!(link.visibility, 1 + u8::from(*bold) + u8::from(*italic));
                    prop_assert_eq!(&link.anchor, &vec!["w&x"; *words].join(" "));
                }
                before += length(piece);
            }
        }
    }

    fn draw(draw: impl FnOnce(&mut Page<'_>)) -> Drawn {
        let mut page = Page::new("http://demo.test", "en", "Title words");
        page.head_title();
        page.body("");
        draw(&mut page);
        page.finish()
    }

    #[test]
    fn only_visible_words_are_counted() {
        let check = |markup: &str, expected: u64| {
            assert_eq!(draw(|page| page.html(markup)).facts.words, expected, "{markup}");
        };
        check("<p>one two</p>", 2);
        check("<p>one</p><p>two</p>", 2);
        check("on<b>e</b>. two", 2);
        check("<script>var a = 1;</script>one<noscript>turn it <b>on</b></noscript>", 1);
        check("<img alt=\"not a word\">", 0);
    }

    #[test]
    fn a_link_has_the_third_of_its_first_or_next_word() {
        let drawn = draw(|page| {
            page.a("/first", "one");
            page.html(" two ");
            page.link(&Anchor::new("/image", "<img src=\"/i\" alt=\"x\">").alt("x"));
            page.html(" three ");
            page.a("http://elsewhere.test/", "four &");
            page.html(" ");
            page.link(&Anchor::new("/last", "<img src=\"/i\" alt=\"\">"));
        });
        let found: Vec<_> =
            drawn.links.iter().map(|link| (link.position, link.distance, &*link.anchor)).collect();
        // Five words; indices 0, 2, 3 and 5 (none follows).
        assert_eq!(found, [(3, 1, "one"), (2, 1, ""), (2, 5, "four &"), (1, 1, "")]);
    }

    #[test]
    fn bold_and_italic_count_around_and_inside_a_link() {
        let drawn = draw(|page| {
            page.html("<b>");
            page.link(&Anchor::new("/both", "x <em>y</em>"));
            page.html("</b> ");
            page.link(&Anchor::new("/inside", "<strong>x</strong> y"));
            page.html(" ");
            page.a("/plain", "z");
        });
        let found: Vec<_> = drawn.links.iter().map(|link| link.visibility).collect();
        assert_eq!(found, [3, 2, 1]);
    }
}
