//! Listens to a page and writes down what it says.
//!
//! There is no tree here, only tags as they are written, so the little that must be known of what is open is kept
//! forgivingly: a new `<a>` ends the last one, formatting ends where it is closed or at the end of its table cell,
//! and what is never closed ends with the page.

use std::borrow::Cow;

use html::{ElementName, Listener, Tag};
use model::{Joiner, LinkKind, Page};
use url::Url;

use crate::author;
use crate::dated;
use crate::dates;
use crate::directives;
use crate::element::Element;
use crate::hints::Hints;
use crate::linked_data::Facts;
use crate::links::{self, Links};
use crate::main_text::{self, Main};
use crate::marks::Marks;
use crate::outline::Outline;
use crate::page::{GUESSED_FROM, Input};
use crate::parts::{self, Images};
use crate::refresh;
use crate::role::{Format, Hidden, Role, role};
use crate::words::{Words, collapse_into, push_within};

/// What is wanted of a page, each with all before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wanted {
    /// Its links and what it says of itself.
    Links,
    /// Its text.
    Page,
    /// Its tables of data.
    Tables,
}

/// Hears one page.
pub(crate) struct Reader<'a> {
    input: &'a Input<'a>,
    wanted: Wanted,
    /// The page's own URL, parsed; none never happens, as a `PageUrl` is a URL.
    own_url: Option<Url>,
    page: Page,
    words: Words,
    links: Links,
    open: Open,
    /// Around these there are open tables.
    outside: Vec<Open>,
    hidden: Option<(Hidden, u32)>,
    svg_depth: u32,
    title: String,
    title_is_open: bool,
    title_is_known: bool,
    in_body: bool,
    content_language: Option<String>,
    outline: Outline,
    hints: Hints,
    marks: Marks,
    images: Images,
    facts: Facts,
    /// The JSON-LD script being read.
    script: Option<String>,
    /// Which of the page's `<meta>` are about an item on it.
    of_items: Vec<usize>,
}

/// What is open of the elements that matter to links.
#[derive(Clone, Copy, Default)]
struct Open {
    link: Option<usize>,
    formats: [u16; 4],
}

/// Elements that most pages have at most: room for them is made once.
const NODES: usize = 256;

/// Nested tables whose surroundings are remembered.
const MAX_TABLES: usize = 64;
/// `<meta>` pairs, and bytes of a name and of a value.
const MAX_META: usize = 64;
const MAX_META_NAME: usize = 128;
const MAX_META_VALUE: usize = 2_048;
/// Properties of one `<meta>`.
const MOST_PROPERTIES: usize = 4;
/// Bytes of a title, before and after its white space is collapsed.
const MAX_TITLE_SOURCE: usize = 8 * 1_024;
const MAX_TITLE: usize = 1_024;
/// Bytes of one JSON-LD script.
const MAX_SCRIPT: usize = 256 * 1_024;

impl<'a> Reader<'a> {
    pub(crate) fn new(input: &'a Input<'a>, wanted: Wanted) -> Reader<'a> {
        Reader {
            input,
            wanted,
            own_url: Url::parse(input.url.as_str()).ok(),
            page: Page::default(),
            words: if wanted == Wanted::Links { Words::counted() } else { Words::of_page(input.body.len()) },
            links: Links::new(input.max_links),
            open: Open::default(),
            outside: Vec::new(),
            hidden: None,
            svg_depth: 0,
            title: String::new(),
            title_is_open: false,
            title_is_known: false,
            in_body: false,
            content_language: None,
            outline: Outline::with_room(if wanted == Wanted::Links { 0 } else { NODES }),
            hints: Hints::default(),
            marks: Marks::default(),
            images: Images::default(),
            facts: Facts::default(),
            script: None,
            of_items: Vec::new(),
        }
    }

    /// The page that was heard.
    pub(crate) fn finish(mut self) -> Page {
        self.outline.cut(self.words.length());
        let mut page = self.page;
        collapse_into(&mut page.title, &self.title, MAX_TITLE);
        let language = page.language.take().or(self.content_language);
        page.language = language.or_else(|| self.facts.language.as_deref().and_then(directives::language));
        let Some(own_url) = self.own_url else { return page };
        let normalise = self.input.normalise;
        // A header cannot be put there by what visitors write on the page.
        let in_header = self.input.headers.all("link").find_map(links::canonical_in_header);
        let words = self.words.count();
        page.images = self.images.finish(self.links.base().unwrap_or(&own_url), normalise);
        let (found, cut) = self.links.finish(self.input.url, &own_url, normalise, words);
        (page.links, page.links_cut) = (found, cut);
        page.canonical =
            in_header.and_then(|href| links::resolve(&mut Joiner::new(&own_url, normalise), href));
        if let Some(url) = &page.canonical {
            let look = model::LinkLook::plain(links::distance(self.input.url, url));
            let kind = LinkKind::Canonical;
            let link = model::Link {
                url: url.clone(),
                anchor: Default::default(),
                look,
                rel: Default::default(),
                kind,
            };
            page.links.insert(0, link);
            if page.links.len() > self.input.max_links {
                page.links.pop();
                page.links_cut = true;
            }
        } else {
            let mut canonical = page.links.iter().filter(|link| link.kind == LinkKind::Canonical);
            page.canonical = canonical.next().map(|link| link.url.clone());
        }
        if self.wanted == Wanted::Links {
            return page;
        }
        page.text = self.words.finish();
        let is_thread = self.facts.is_thread || main_text::is_thread(self.input.url.path_and_query());
        let is_article = self.facts.is_article() || is_article(&page.meta);
        let mut main = main_text::choose(&self.outline, &page.text, is_thread, is_article);
        page.headings = parts::headings(&self.outline, &page.text);
        if self.wanted >= Wanted::Tables {
            page.tables = parts::tables(&self.outline, &page.text);
        }
        let served = self.input.headers.get("date").and_then(|day| dates::value(day, None));
        let language = page.language.clone().or_else(|| {
            let header = self.input.headers.get("content-language").and_then(directives::language);
            header.or_else(|| language_of_dates(&page.text, &self.outline, &main))
        });
        let known = dated::Known {
            outline: &self.outline,
            main: &main,
            text: &page.text,
            title: &page.title,
            marks: &self.marks.all,
            facts: &self.facts,
            meta: &page.meta,
            of_items: &self.of_items,
            path: self.input.url.path_and_query(),
            canonical: page.canonical.as_ref().map(model::PageUrl::path_and_query),
            is_article,
            body: self.input.body,
            language: language.as_deref(),
            served: served.as_deref().and_then(|day| day.get(..10)),
        };
        let dated = dated::dated(&known);
        page.author = author::author(&known);
        (page.published, page.modified) = (dated.published, dated.modified);
        main.drop_bylines(&self.outline, &dated.bylines);
        if let Some(author) = &page.author {
            main.drop_names(&self.outline, &page.text, author);
        }
        page.main = main_text::text_of(&self.outline, &main.kept, &page.text);
        page
    }

    fn start_anchor(&mut self, tag: &Tag<'_>) {
        self.open.link = None;
        if let Some(href) = tag.attribute("href")
            && !self.is_inert()
        {
            self.open.link = self.links.add(LinkKind::Anchor, href, links::rel(tag.attribute("rel")));
            self.outline.anchor(href);
            self.format_link();
        }
    }

    fn start_area(&mut self, tag: &Tag<'_>) {
        if let Some(href) = tag.attribute("href")
            && !self.is_inert()
            && let Some(link) = self.links.add(LinkKind::Area, href, links::rel(tag.attribute("rel")))
        {
            self.links.add_alt(link, tag.attribute("alt").unwrap_or_default());
            let (bold, italic) = (self.open.is_bold(), self.open.is_italic());
            self.links.format(link, bold, italic);
        }
    }

    fn start_meta(&mut self, tag: &Tag<'_>) {
        let Some(content) = tag.attribute("content").filter(|_| !self.is_inert()) else { return };
        match tag.attribute("http-equiv") {
            Some(name) if name.eq_ignore_ascii_case("refresh") => {
                // Inside `<noscript>` it sends those away who run no scripts; the page is meant to be here.
                if self.hidden.is_none()
                    && let Some(target) = refresh::target(content)
                {
                    self.links.add(LinkKind::Refresh, target, Default::default());
                }
            }
            Some(name) if name.eq_ignore_ascii_case("content-language") => {
                let language = self.content_language.take();
                self.content_language = language.or_else(|| directives::language(content));
            }
            _ => {}
        }
        // What a server would have said.
        let header = tag.attribute("http-equiv").filter(|name| name.eq_ignore_ascii_case("last-modified"));
        let named = tag.attribute("name").or_else(|| tag.attribute("property"));
        let Some(name) = named.or_else(|| tag.attribute("itemprop")).or(header) else { return };
        let name = name.trim();
        if name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case(self.input.agent) {
            directives::add(&mut self.page.directives, content);
        }
        if name.is_empty() || name.len() > MAX_META_NAME || self.page.meta.len() >= MAX_META {
            return;
        }
        let mut value = String::new();
        collapse_into(&mut value, content, MAX_META_VALUE);
        if self.page.description.is_empty() && name.eq_ignore_ascii_case("description") {
            self.page.description.clone_from(&value);
        }
        if named.or(header).is_none() {
            self.of_items.push(self.page.meta.len());
        }
        // RDFa: one value may have several properties.
        if tag.attribute("name").is_none() && name.contains(char::is_whitespace) {
            let room = MAX_META - self.page.meta.len();
            let names = name.split_whitespace().take(MOST_PROPERTIES.min(room));
            self.page.meta.extend(names.map(|name| (name.to_owned(), value.clone())));
            return;
        }
        self.page.meta.push((name.to_owned(), value));
    }

    fn start_link_element(&mut self, tag: &Tag<'_>) {
        // In the body it may come from a visitor.
        if self.in_body
            || self.is_inert()
            || !links::has_word(tag.attribute("rel").unwrap_or_default(), "canonical")
        {
            return;
        }
        if let Some(href) = tag.attribute("href") {
            self.links.add(LinkKind::Canonical, href, Default::default());
        }
    }

    fn start_frame(&mut self, tag: &Tag<'_>) {
        if let Some(src) = tag.attribute("src").filter(|src| !src.trim().is_empty())
            && !self.is_inert()
        {
            self.links.add(LinkKind::Frame, src, Default::default());
        }
    }

    fn start_hidden(&mut self, element: Hidden, tag: &Tag<'_>) {
        if element == Hidden::Iframe {
            self.start_frame(tag);
        }
        match &mut self.hidden {
            None => {
                self.hidden = Some((element, 1));
                // The first one; those in drawings are names of shapes.
                self.title_is_open = element == Hidden::Title && self.svg_depth == 0 && !self.title_is_known;
                self.title_is_known |= self.title_is_open;
                let is_data = |kind: &str| kind.trim().eq_ignore_ascii_case("application/ld+json");
                if element == Hidden::Script && tag.attribute("type").is_some_and(is_data) {
                    self.script = Some(String::new());
                }
            }
            // Only these nest.
            Some((Hidden::Template, depth)) if element == Hidden::Template => *depth += 1,
            Some(_) => {}
        }
    }

    fn end_hidden(&mut self, element: Hidden) {
        match &mut self.hidden {
            Some((open, depth)) if *open == element && *depth > 1 => *depth -= 1,
            Some((open, _)) if *open == element => {
                self.hidden = None;
                self.title_is_open = false;
                if let Some(script) = self.script.take() {
                    self.facts.add(&script);
                }
            }
            _ => {}
        }
    }

    fn end_option(&mut self) {
        if matches!(self.hidden, Some((Hidden::Option, _))) {
            self.hidden = None;
        }
    }

    /// With a drawing ends what was left open in it.
    fn end_svg(&mut self) {
        self.svg_depth = self.svg_depth.saturating_sub(1);
        if matches!(self.hidden, Some((Hidden::Title | Hidden::Style | Hidden::Script, _))) {
            self.hidden = None;
        }
    }

    fn enter_table(&mut self) {
        self.words.line();
        if self.outside.len() < MAX_TABLES {
            self.outside.push(self.open);
        }
    }

    fn leave_table(&mut self) {
        self.words.line();
        if let Some(open) = self.outside.pop() {
            self.open = open;
        }
    }

    /// At the start and end of a table's cell: what was open in it is not open outside.
    fn pass_cell_edge(&mut self) {
        self.words.space();
        if let Some(open) = self.outside.last() {
            self.open = *open;
        }
    }

    fn format_link(&mut self) {
        if let Some(link) = self.open.link {
            self.links.format(link, self.open.is_bold(), self.open.is_italic());
        }
    }

    /// Whether what stands here is only stored for scripts.
    fn is_inert(&self) -> bool {
        matches!(self.hidden, Some((Hidden::Template, _)))
    }
}

impl Open {
    fn is_bold(&self) -> bool {
        self.formats[Format::B as usize] + self.formats[Format::Strong as usize] > 0
    }

    fn is_italic(&self) -> bool {
        self.formats[Format::I as usize] + self.formats[Format::Em as usize] > 0
    }
}

impl Reader<'_> {
    /// Notes where the tag stands in the page's shape, and what it says of itself.
    fn shape_start(&mut self, tag: &Tag<'_>) {
        if self.hidden.is_some() || self.wanted == Wanted::Links {
            return;
        }
        let at = self.words.length();
        let name = tag.name();
        let element = Element::of(tag.element_name());
        let is_custom = element.is_none() && is_custom(name);
        let hint = self.hints.of(tag, is_custom);
        if let Some(element) = element {
            self.outline.start(element, hint, at);
        } else if is_custom {
            if self.outline.start_custom(hint, at) {
                self.words.line();
            }
        } else {
            match role(tag.element_name()) {
                Role::Block => self.outline.rule(at),
                Role::FormPart if asks_for_mail(tag) => self.outline.asks(),
                Role::Inline | Role::Format(_) | Role::Anchor => {
                    // What has no end cannot hide anything, and drawings have no text.
                    let is_void = matches!(name, "wbr" | "embed" | "source" | "track" | "param" | "col");
                    if !is_void && self.svg_depth == 0 {
                        self.outline.start_unseen(name, hint, at);
                    }
                }
                _ => {}
            }
        }
        self.marks.start(tag, &hint, self.outline.current(), at);
    }

    fn shape_end(&mut self, name: &str, element: ElementName) {
        if self.hidden.is_some() || self.wanted == Wanted::Links {
            return;
        }
        let at = self.words.length();
        if let Some(element) = Element::of(element) {
            self.outline.end(element, at);
        } else if is_custom(name) {
            if self.outline.end_custom(at) {
                self.words.line();
            }
        } else {
            self.outline.end_unseen(name, at);
        }
        self.marks.end(name, at);
    }
}

/// Which of two numbers is the month depends on the language: where nothing names it, its words do.
fn language_of_dates(text: &str, outline: &Outline, main: &Main) -> Option<String> {
    let digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    memchr::memchr_iter(b'/', text.as_bytes()).find(|at| *at > 0 && digit(at - 1) && digit(at + 1))?;
    let first = main.kept.iter().position(|kept| *kept)?;
    let start = text.get(outline.blocks[first].start as usize..)?;
    let guess = text::language(&start[..start.floor_char_boundary(GUESSED_FROM)])?;
    Some(guess.code.to_owned())
}

/// Whether a page says that it is one article.
fn is_article(meta: &[(String, String)]) -> bool {
    meta.iter().any(|(name, value)| name == "og:type" && value.trim().eq_ignore_ascii_case("article"))
}

/// Without the hyphens that only say where a line may be broken: with them a word is found by nobody.
fn unhyphenated(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let [before, last] = [0xc2, 0xad];
    if memchr::memchr_iter(last, bytes).any(|at| at > 0 && bytes[at - 1] == before) {
        Cow::Owned(text.replace('\u{ad}', ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Elements that a site has made up have a dash in their name.
fn is_custom(name: &str) -> bool {
    name.len() > 3 && name.as_bytes().contains(&b'-')
}

/// An `<input>` for the address of whoever wants letters.
fn asks_for_mail(tag: &Tag<'_>) -> bool {
    let says = |name: &str, word: &str| {
        tag.attribute(name).is_some_and(|value| value.to_ascii_lowercase().contains(word))
    };
    tag.name() == "input"
        && (says("type", "email")
            || says("name", "email")
            || says("placeholder", "@")
            || says("placeholder", "mail"))
}

impl Listener for Reader<'_> {
    fn wants_attributes(&self, element: ElementName) -> bool {
        self.wanted > Wanted::Links
            || !matches!(
                role(element),
                Role::Inline
                    | Role::Block
                    | Role::Break
                    | Role::Cell
                    | Role::Table
                    | Role::Format(_)
                    | Role::Body
            )
    }

    fn start(&mut self, tag: &Tag<'_>) {
        self.shape_start(tag);
        match role(tag.element_name()) {
            Role::Inline => {}
            Role::Block | Role::Break => self.words.line(),
            Role::Cell => self.pass_cell_edge(),
            Role::Table => self.enter_table(),
            Role::Anchor => self.start_anchor(tag),
            Role::Area => self.start_area(tag),
            Role::Format(format) => {
                let count = &mut self.open.formats[format as usize];
                *count = count.saturating_add(1).min(1_000);
                self.format_link();
            }
            Role::Hidden(element) => {
                if element == Hidden::Option {
                    self.end_option();
                }
                self.start_hidden(element, tag);
            }
            Role::Image => {
                if self.hidden.is_none()
                    && self.wanted > Wanted::Links
                    && let Some(source) = parts::source(tag)
                {
                    self.images.add(source, tag.attribute("alt").unwrap_or_default());
                }
                if let (Some(link), Some(alt)) = (self.open.link, tag.attribute("alt")) {
                    self.links.add_alt(link, alt);
                }
            }
            Role::Svg => self.svg_depth += u32::from(!tag.self_closing()),
            Role::Frame => self.start_frame(tag),
            Role::Meta => self.start_meta(tag),
            Role::Link => self.start_link_element(tag),
            Role::Base => {
                if let (Some(own_url), Some(href), false) =
                    (&self.own_url, tag.attribute("href"), self.is_inert())
                {
                    self.links.set_base(own_url, href);
                }
            }
            Role::Html => {
                if self.page.language.is_none() {
                    let language = tag.attribute("lang").or_else(|| tag.attribute("xml:lang"));
                    self.page.language = language.and_then(directives::language);
                }
            }
            Role::Body => {
                self.in_body = true;
                self.words.line();
            }
            Role::FormPart => self.end_option(),
        }
    }

    fn end(&mut self, name: &str, element: ElementName) {
        self.shape_end(name, element);
        match role(element) {
            Role::Block => {
                self.words.line();
                if name == "form" {
                    self.end_option();
                }
            }
            Role::Break => self.words.line(),
            Role::Body | Role::Html => {
                self.words.line();
                self.end_option();
            }
            Role::Cell => self.pass_cell_edge(),
            Role::Table => self.leave_table(),
            Role::Anchor => self.open.link = None,
            Role::Format(format) => {
                let count = &mut self.open.formats[format as usize];
                *count = count.saturating_sub(1);
            }
            Role::Hidden(element) => self.end_hidden(element),
            Role::Svg => self.end_svg(),
            Role::FormPart => self.end_option(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.hidden.is_some() {
            if self.title_is_open {
                push_within(&mut self.title, &unhyphenated(text), MAX_TITLE_SOURCE);
            }
            if let Some(script) = &mut self.script {
                push_within(script, text, MAX_SCRIPT);
            }
            return;
        }
        // Where words are only counted, and in no link, that is all.
        if self.open.link.is_none()
            && let Some(first) = self.words.count_all(text)
        {
            if let Some(index) = first {
                self.links.place(index);
                self.in_body = true;
            }
            return;
        }
        // Between most tags there is nothing else.
        if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
            return self.words.space();
        }
        let whole = if text.is_ascii() { Cow::Borrowed(text) } else { unhyphenated(text) };
        let text = whole.as_ref();
        let (links, outline) = (&mut self.links, &mut self.outline);
        if let Some(link) = self.open.link {
            self.words.add(text, |part, index, starts| {
                links.place(index);
                links.add_anchor(link, part, starts);
                outline.linked(part.len());
            });
        } else if let Some(index) = self.words.add_all(text) {
            links.place(index);
        }
        self.in_body |= self.words.count() > 0;
    }
}
