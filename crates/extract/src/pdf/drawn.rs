//! The words that a page's drawing operations show.
//!
//! Only what moves text is followed: matrices, fonts, forms. Colours, pictures and clips are not looked at, so text
//! that is drawn white on white or behind a picture (the words of a scan) is read too.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hayro_cmap::{BfString, load_embedded};
use hayro_font::kurbo::{Affine, Point, Vec2};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, UNITS_PER_EM};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction as Op;
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Rect, Stream};
use hayro_syntax::page::{Page as PdfPage, Resources};

use super::place::{Gap, Glyph};
use super::title::Sizes;
use crate::links::Links;
use crate::words::Words;

/// Work that one document is worth: operations, characters, bytes of content.
const MOST_WORK: u64 = 200_000_000;
/// Forms within forms.
const MOST_DEPTH: u32 = 12;
/// Graphics states set aside.
const MOST_STATES: usize = 256;
/// Fonts of one document.
const MOST_FONTS: usize = 1_000;
/// Bytes of text, as everywhere.
const MOST_TEXT: usize = (1 << 20) - 1_024;

/// The words drawn so far.
pub(super) struct Drawing<'a> {
    words: Words,
    fonts: HashMap<(usize, usize), Option<Rc<KnownFont<'a>>>>,
    cache: FontCache<'a>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
    work: u64,
    last: Option<Glyph>,
    last_char: char,
    /// A hyphen that may end a line.
    hyphen: Option<Option<usize>>,
    /// How large the words of the first page that has some are.
    sizes: Sizes,
    /// The largest of them.
    title: Option<String>,
    is_first: bool,
}

/// A font, and the text of its codes as far as they were met.
struct KnownFont<'a> {
    font: Font<'a>,
    codes: RefCell<HashMap<u32, Rc<str>>>,
}

/// What text operations depend on.
#[derive(Clone)]
struct State<'a> {
    page: Affine,
    font: Option<Rc<KnownFont<'a>>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

/// A content stream being followed.
struct Following<'m, 'a> {
    state: State<'a>,
    set_aside: Vec<State<'a>>,
    text: Affine,
    line: Affine,
    /// For each open mark: what stands for its glyphs, if something does.
    marks: Vec<Option<Instead>>,
    areas: &'m [(Rect, usize)],
    depth: u32,
}

/// What is read in place of glyphs.
#[derive(Clone)]
enum Instead {
    /// Nothing: page numbers and running titles.
    Nothing,
    /// These words, once.
    Words(Option<String>),
}

impl<'a> Drawing<'a> {
    pub(super) fn new() -> Drawing<'a> {
        Drawing {
            words: Words::default(),
            fonts: HashMap::new(),
            cache: FontCache::new(),
            // Only their widths are needed.
            font_resolver: Arc::new(|query| match query {
                FontQuery::Standard(font) => Some(font.get_font_data()),
                FontQuery::Fallback(query) => Some(query.pick_standard_font().get_font_data()),
            }),
            cmap_resolver: Arc::new(load_embedded),
            work: 0,
            last: None,
            last_char: ' ',
            hyphen: None,
            sizes: Sizes::default(),
            title: None,
            is_first: true,
        }
    }

    /// True when the document has had its share of work or text.
    pub(super) fn is_full(&self) -> bool {
        self.work > MOST_WORK || self.words.length() >= MOST_TEXT
    }

    /// The words, and those that may be a title.
    pub(super) fn finish(mut self, links: &mut Links) -> (Words, Option<String>) {
        self.settle_hyphen(links);
        (self.words, self.title)
    }

    /// Reads one page.
    pub(super) fn page(&mut self, page: &PdfPage<'a>, areas: &[(Rect, usize)], links: &mut Links) {
        let Some(content) = page.page_stream() else { return };
        self.work += content.len() as u64 / 4;
        let state = State {
            page: Affine::IDENTITY,
            font: None,
            size: 0.0,
            char_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        let mut following = Following {
            state,
            set_aside: Vec::new(),
            text: Affine::IDENTITY,
            line: Affine::IDENTITY,
            marks: Vec::new(),
            areas,
            depth: 0,
        };
        self.follow(content, page.resources(), &mut following, links);
        // A paragraph may go on overleaf, but nothing says so.
        self.last = None;
        if self.is_first && self.words.length() > 0 {
            self.is_first = false;
            self.title = self.sizes.title(self.words.text()).map(|title| title.replace('\n', " "));
        }
    }

    fn follow(
        &mut self,
        content: &[u8],
        resources: &Resources<'a>,
        at: &mut Following<'_, 'a>,
        links: &mut Links,
    ) {
        let mut operations = TypedIter::new(content);
        let floor = at.set_aside.len();
        while let Some(operation) = operations.next() {
            self.work += 8;
            if self.is_full() {
                return;
            }
            let state = &mut at.state;
            match operation {
                Op::SaveState(_) if at.set_aside.len() < MOST_STATES => at.set_aside.push(state.clone()),
                Op::RestoreState(_) if at.set_aside.len() > floor => {
                    if let Some(earlier) = at.set_aside.pop() {
                        at.state = earlier;
                    }
                }
                Op::Transform(m) => state.page *= affine([m.0, m.1, m.2, m.3, m.4, m.5]),
                Op::BeginText(_) => (at.text, at.line) = (Affine::IDENTITY, Affine::IDENTITY),
                Op::CharacterSpacing(space) => state.char_space = space.0.as_f64(),
                Op::WordSpacing(space) => state.word_space = space.0.as_f64(),
                Op::HorizontalScaling(scale) => state.stretch = scale.0.as_f64() / 100.0,
                Op::TextLeading(leading) => state.leading = leading.0.as_f64(),
                Op::TextRise(rise) => state.rise = rise.0.as_f64(),
                Op::TextFont(font) => {
                    state.size = font.1.as_f64();
                    state.font = resources.get_font(font.0).and_then(|dict| self.font(&dict));
                }
                Op::NextLine(step) => at.next_line(step.0.as_f64(), step.1.as_f64()),
                Op::NextLineAndSetLeading(step) => {
                    state.leading = -step.1.as_f64();
                    at.next_line(step.0.as_f64(), step.1.as_f64());
                }
                Op::NextLineUsingLeading(_) => at.next_line(0.0, -at.state.leading),
                Op::SetTextMatrix(m) => {
                    at.text = affine([m.0, m.1, m.2, m.3, m.4, m.5]);
                    at.line = at.text;
                }
                Op::ShowText(text) => self.show(text.0, at, links),
                Op::NextLineAndShowText(text) => {
                    at.next_line(0.0, -at.state.leading);
                    self.show(text.0, at, links);
                }
                Op::ShowTextWithParameters(text) => {
                    state.word_space = text.0.as_f64();
                    state.char_space = text.1.as_f64();
                    at.next_line(0.0, -at.state.leading);
                    self.show(text.2, at, links);
                }
                Op::ShowTexts(texts) => {
                    for part in texts.0.iter::<Object<'_>>() {
                        match part {
                            Object::String(text) => self.show(&text, at, links),
                            Object::Number(back) => at.step(-back.as_f64() / f64::from(UNITS_PER_EM)),
                            _ => {}
                        }
                    }
                }
                Op::BeginMarkedContent(_) => at.mark(None),
                Op::BeginMarkedContentWithProperties(mark) => {
                    let named = match mark.1 {
                        Object::Name(name) => resources.properties.get::<Dict<'_>>(name),
                        _ => None,
                    };
                    let properties = match mark.1 {
                        Object::Dict(dict) => Some(dict),
                        _ => named.as_ref(),
                    };
                    let instead = properties.and_then(|properties| instead(mark.0, properties));
                    at.mark(instead);
                }
                Op::EndMarkedContent(_) => {
                    at.marks.pop();
                }
                Op::XObject(name) => {
                    if let Some(form) = resources.get_x_object(name.0) {
                        self.form(&form, resources, at, links);
                    }
                }
                _ => {}
            }
        }
    }

    /// A form: content that is drawn as one operation.
    fn form(
        &mut self,
        form: &Stream<'a>,
        resources: &Resources<'a>,
        at: &mut Following<'_, 'a>,
        links: &mut Links,
    ) {
        let dict = form.dict();
        let is_form = dict.get::<Name<'_>>("Subtype").is_some_and(|name| &*name == b"Form");
        if !is_form || at.depth >= MOST_DEPTH {
            return;
        }
        let Ok(content) = form.decoded_data() else { return };
        self.work += 2_000 + content.len() as u64;
        let own = dict.get::<Dict<'a>>("Resources").map(Resources::new);
        let numbers: Vec<Number> = dict
            .get::<Array<'_>>("Matrix")
            .map(|matrix| matrix.iter::<Number>().take(6).collect())
            .unwrap_or_default();
        let mut state = at.state.clone();
        if let Ok(matrix) = <[Number; 6]>::try_from(numbers) {
            state.page *= affine(matrix);
        }
        let mut inside = Following {
            state,
            set_aside: Vec::new(),
            text: Affine::IDENTITY,
            line: Affine::IDENTITY,
            marks: Vec::new(),
            areas: at.areas,
            depth: at.depth + 1,
        };
        self.follow(&content, own.as_ref().unwrap_or(resources), &mut inside, links);
    }

    fn font(&mut self, dict: &Dict<'a>) -> Option<Rc<KnownFont<'a>>> {
        let place = (dict.data().as_ptr() as usize, dict.data().len());
        if let Some(known) = self.fonts.get(&place) {
            return known.clone();
        }
        if self.fonts.len() >= MOST_FONTS {
            return None;
        }
        self.work += 10_000;
        let font = self.cache.font(dict, &self.font_resolver, &self.cmap_resolver);
        let known = font.map(|font| Rc::new(KnownFont { font, codes: RefCell::default() }));
        self.fonts.insert(place, known.clone());
        known
    }

    /// Text is shown: each code where it stands.
    fn show(&mut self, bytes: &[u8], at: &mut Following<'_, 'a>, links: &mut Links) {
        let Some(known) = at.state.font.clone() else { return };
        self.work += 8 * bytes.len() as u64;
        let is_horizontal = known.font.is_horizontal();
        let mut from = 0;
        while from < bytes.len() {
            let (code, length) = known.font.read_code(bytes, from);
            from += length.max(1);
            let advance = known.font.code_advance(code) / f64::from(UNITS_PER_EM);
            let state = &at.state;
            let drawn = state.page
                * at.text
                * Affine::new([state.size * state.stretch, 0.0, 0.0, state.size, 0.0, state.rise]);
            let glyph = Glyph::new(drawn, advance, is_horizontal);
            let text = known.text(code);
            let extra = if code == 32 && length == 1 { state.word_space } else { 0.0 } + state.char_space;
            let step = match is_horizontal {
                true => Vec2::new((advance.x * state.size + extra) * state.stretch, 0.0),
                false => Vec2::new(0.0, advance.y * state.size + extra),
            };
            at.text *= Affine::translate(step);
            if !text.is_empty() {
                self.glyph(&text, glyph, at, links);
            }
        }
    }

    fn glyph(&mut self, text: &str, glyph: Glyph, at: &mut Following<'_, 'a>, links: &mut Links) {
        let stands = at.marks.iter_mut().rev().find_map(Option::as_mut);
        let replaced;
        let text = match stands {
            None => text,
            Some(Instead::Nothing) => return,
            Some(Instead::Words(words)) => match words.take() {
                Some(words) => {
                    replaced = words;
                    replaced.as_str()
                }
                None => {
                    self.last = Some(glyph);
                    return;
                }
            },
        };
        let Some(first) = text.chars().next() else { return };
        let link = link_at(at.areas, glyph.middle());
        let gap = self.last.as_ref().map_or(Gap::Line, |last| glyph.gap_after(last));
        let is_split = gap == Gap::Wrapped && self.last_char.is_lowercase() && first.is_lowercase();
        if is_split && self.hyphen.is_some() {
            self.hyphen = None;
        } else {
            self.settle_hyphen(links);
            match gap {
                Gap::None => {}
                // Words of these scripts are not set apart.
                Gap::Wrapped if is_ideograph(self.last_char) && is_ideograph(first) => {}
                Gap::Space | Gap::Wrapped => self.words.space(),
                Gap::Line => self.words.line(),
            }
        }
        if self.is_first {
            self.sizes.add(glyph.height(), self.words.length());
        }
        self.last = Some(glyph);
        if matches!(text, "-" | "\u{ad}" | "\u{2010}") && self.last_char.is_alphabetic() && gap == Gap::None {
            self.hyphen = Some(link);
            return;
        }
        self.last_char = text.chars().last().unwrap_or(first);
        self.add(text, link, links);
    }

    /// A hyphen that did not end a line is one.
    fn settle_hyphen(&mut self, links: &mut Links) {
        if let Some(link) = self.hyphen.take() {
            self.add("-", link, links);
        }
    }

    fn add(&mut self, text: &str, link: Option<usize>, links: &mut Links) {
        self.words.add(text, |part, index, starts| {
            links.place(index);
            if let Some(link) = link {
                links.add_anchor(link, part, starts);
            }
        });
    }
}

impl KnownFont<'_> {
    /// What a code says; nothing where the font does not tell.
    fn text(&self, code: u32) -> Rc<str> {
        if let Some(text) = self.codes.borrow().get(&code) {
            return text.clone();
        }
        let text = match self.font.glyph(self.font.map_code(code), code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let text: Rc<str> = match text {
            Some(BfString::Char(c)) => plain(c.encode_utf8(&mut [0; 4])).into(),
            Some(BfString::String(text)) => plain(&text).into(),
            None => "".into(),
        };
        self.codes.borrow_mut().insert(code, text.clone());
        text
    }
}

impl<'a> Following<'_, 'a> {
    fn next_line(&mut self, x: f64, y: f64) {
        self.line *= Affine::translate((x, y));
        self.text = self.line;
    }

    /// Moves along the line by a part of the font's size.
    fn step(&mut self, part: f64) {
        let State { font, size, stretch, .. } = &self.state;
        let is_horizontal = font.as_ref().is_none_or(|known| known.font.is_horizontal());
        let step = if is_horizontal { (part * size * stretch, 0.0) } else { (0.0, part * size) };
        self.text *= Affine::translate(step);
    }

    fn mark(&mut self, instead: Option<Instead>) {
        if self.marks.len() < MOST_STATES {
            self.marks.push(instead);
        }
    }
}

/// What a mark says stands for its glyphs.
fn instead(name: &Name<'_>, properties: &Dict<'_>) -> Option<Instead> {
    if let Some(words) = properties.get::<hayro_syntax::object::String<'_>>("ActualText") {
        return Some(Instead::Words(Some(super::text(&words))));
    }
    let is_running = properties.get::<Name<'_>>("Type").is_some_and(|kind| &*kind == b"Pagination");
    (&**name == b"Artifact" && is_running).then_some(Instead::Nothing)
}

fn link_at(areas: &[(Rect, usize)], point: Point) -> Option<usize> {
    let is_in =
        |area: &Rect| (area.x0..=area.x1).contains(&point.x) && (area.y0..=area.y1).contains(&point.y);
    areas.iter().find(|(area, _)| is_in(area)).map(|(_, link)| *link)
}

fn affine(numbers: [Number; 6]) -> Affine {
    Affine::new(numbers.map(|number| number.as_f64()))
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}')
}

/// Letters for the ligatures that fonts draw them with; control characters say nothing.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{fb00}' => plain.push_str("ff"),
            '\u{fb01}' => plain.push_str("fi"),
            '\u{fb02}' => plain.push_str("fl"),
            '\u{fb03}' => plain.push_str("ffi"),
            '\u{fb04}' => plain.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => plain.push_str("st"),
            '\t' | '\n' | '\r' => plain.push(' '),
            c if c.is_control() || c == '\u{fffd}' => {}
            c => plain.push(c),
        }
    }
    plain
}
