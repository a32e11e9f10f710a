//! A page's shape: which block of text stands in which element. Made from events as they come, one small entry per
//! element and per block, so that what follows never reads the page again.
//!
//! End tags that are missing are supplied as HTML does in the common cases; the others end with what they stand in.

use std::ops::Range;

use crate::element::{ELEMENTS, Element};
use crate::hints::Hint;

/// Elements and blocks of a page. Elements stand in document order, so one is followed by all that it holds.
pub(crate) struct Outline {
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<Block>,
    open: Vec<u32>,
    counts: [u16; ELEMENTS],
    /// Where the block being read begins.
    start: usize,
    link_bytes: u32,
    anchors: u16,
    /// Whether the link being read leads from a heading to a place on the page.
    to_place: bool,
    /// Set when a page is too deep or has too many elements; its shape is then no use.
    pub(crate) overflow: bool,
    /// The part of a line being read that nobody sees: its element's name, how often it is open, its place.
    unseen: Option<(String, u32, u32)>,
}

/// An element.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) parent: u32,
    pub(crate) element: Element,
    pub(crate) hint: Hint,
    /// An address to write to is asked for here.
    pub(crate) asks: bool,
}

/// For each element, the first one that it neither is nor holds.
pub(crate) struct Extents {
    ends: Vec<u32>,
}

impl Extents {
    /// An element and all that it holds.
    pub(crate) fn all_of(&self, node: usize) -> Range<usize> {
        node..self.ends[node] as usize
    }

    /// The elements right within another.
    pub(crate) fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let first = Some(node + 1).filter(|child| *child < self.ends[node] as usize);
        let next = move |child: &usize| {
            let next = self.ends[*child];
            (next < self.ends[node]).then_some(next as usize)
        };
        std::iter::successors(first, next)
    }
}

/// A run of text without a break: where it stands in the page's text, and how much of it is links.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) node: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) link_bytes: u32,
    pub(crate) anchors: u16,
}

/// Elements open at a time, and elements of a page, beyond which its shape is not followed.
const DEEPEST: usize = 256;
const MOST_NODES: usize = 60_000;

impl Outline {
    /// With room for so many elements and blocks.
    pub(crate) fn with_room(room: usize) -> Outline {
        let body = Node { parent: 0, element: Element::Body, hint: Hint::default(), asks: false };
        let mut nodes = Vec::with_capacity(room);
        nodes.push(body);
        Outline {
            nodes,
            blocks: Vec::with_capacity(room),
            open: vec![0],
            counts: [0; ELEMENTS],
            start: 0,
            link_bytes: 0,
            anchors: 0,
            to_place: false,
            overflow: false,
            unseen: None,
        }
    }

    /// Where each element ends.
    pub(crate) fn extents(&self) -> Extents {
        let mut ends: Vec<u32> = (1..=self.nodes.len() as u32).collect();
        for node in (1..ends.len()).rev() {
            let parent = self.nodes[node].parent as usize;
            ends[parent] = ends[parent].max(ends[node]);
        }
        Extents { ends }
    }

    /// The element that is open.
    pub(crate) fn current(&self) -> u32 {
        self.open.last().copied().unwrap_or(0)
    }

    /// A block ends where the text is `at` bytes long.
    pub(crate) fn cut(&mut self, at: usize) {
        if at > self.start {
            let block = Block {
                node: self.current(),
                start: self.start as u32,
                end: at as u32,
                link_bytes: self.link_bytes,
                anchors: self.anchors,
            };
            self.blocks.push(block);
            self.start = at;
        }
        self.link_bytes = 0;
        self.anchors = 0;
    }

    /// A link begins. A heading that leads to a place on its own page, mostly itself, is no link to another.
    pub(crate) fn anchor(&mut self, href: &str) {
        self.to_place = href.starts_with('#') && self.top().level().is_some();
        if !self.to_place {
            self.anchors = self.anchors.saturating_add(1);
        }
    }

    /// So many bytes of text stood in a link.
    pub(crate) fn linked(&mut self, bytes: usize) {
        if !self.to_place {
            self.link_bytes = self.link_bytes.saturating_add(bytes as u32 + 1);
        }
    }

    /// An element begins where the text is `at` bytes long.
    pub(crate) fn start(&mut self, element: Element, hint: Hint, at: usize) {
        self.cut(at);
        if self.overflow {
            return;
        }
        if element.ends_paragraph() && self.top() == Element::P {
            self.pop();
        }
        match element {
            Element::Li => self.end_up_to(&[Element::Li], |open| open.is_list() || open.is_cell()),
            Element::Dt | Element::Dd => {
                self.end_up_to(&[Element::Dt, Element::Dd], |open| open == Element::Dl || open.is_cell());
            }
            Element::Tr => self.end_up_to(&[Element::Tr], |open| open == Element::Table),
            Element::Td | Element::Th => {
                let ends = [Element::Td, Element::Th];
                self.end_up_to(&ends, |open| matches!(open, Element::Tr | Element::Table));
            }
            _ if element.level().is_some() && self.top().level().is_some() => self.pop(),
            _ => {}
        }
        if self.open.len() >= DEEPEST || self.nodes.len() >= MOST_NODES {
            self.overflow = true;
            return;
        }
        self.counts[element as usize] += 1;
        self.nodes.push(Node { parent: self.current(), element, hint, asks: false });
        self.open.push(self.nodes.len() as u32 - 1);
    }

    /// An element that a site has made up begins; within a line it may be anything. True where it has a place.
    pub(crate) fn start_custom(&mut self, hint: Hint, at: usize) -> bool {
        let has_place = !self.in_line();
        if has_place {
            self.start(Element::Custom, hint, at);
        }
        has_place
    }

    /// It ends.
    pub(crate) fn end_custom(&mut self, at: usize) -> bool {
        let has_place = !self.in_line();
        if has_place {
            self.end(Element::Custom, at);
        }
        has_place
    }

    /// A part of a line begins that nobody sees, or an element of its name within it.
    pub(crate) fn start_unseen(&mut self, name: &str, hint: Hint, at: usize) {
        if let Some((open, depth, node)) = &mut self.unseen {
            if self.open.contains(node) {
                *depth += u32::from(open == name);
                return;
            }
            self.unseen = None;
        }
        if hint.unseen && !self.overflow {
            self.start(Element::Unseen, hint, at);
            self.unseen = (!self.overflow).then(|| (name.to_owned(), 1, self.current()));
        }
    }

    /// An element within a line ends.
    pub(crate) fn end_unseen(&mut self, name: &str, at: usize) {
        let Some((open, depth, node)) = &mut self.unseen else { return };
        if open != name {
            return;
        }
        *depth -= 1;
        if *depth == 0 {
            let is_open = self.open.contains(node);
            self.unseen = None;
            if is_open {
                self.end(Element::Unseen, at);
            }
        }
    }

    /// An address to write to is asked for here.
    pub(crate) fn asks(&mut self) {
        let current = self.current() as usize;
        self.nodes[current].asks = true;
    }

    /// Whether an open paragraph or heading stands around.
    fn in_line(&self) -> bool {
        self.top() == Element::P || self.top().level().is_some()
    }

    /// A line across the page, or an edge of something that has no place in the outline.
    pub(crate) fn rule(&mut self, at: usize) {
        self.cut(at);
        if !self.overflow && self.top() == Element::P {
            self.pop();
        }
    }

    /// An element ends where the text is `at` bytes long.
    pub(crate) fn end(&mut self, element: Element, at: usize) {
        self.cut(at);
        if self.overflow || self.counts[element as usize] == 0 {
            return;
        }
        if element.level().is_some() && self.top().level().is_some() {
            // <h2>...</h3> ends the heading that is open.
            return self.pop();
        }
        // What stands in a cell does not end what stands around its table.
        let in_table = element.is_cell() || matches!(element, Element::Tr | Element::Table);
        self.end_up_to(&[element], |open| {
            if in_table { open == Element::Table && element != open } else { open.is_cell() }
        });
    }

    /// Ends all up to the innermost of these elements, unless another one stands in the way.
    fn end_up_to(&mut self, ends: &[Element], stops: impl Fn(Element) -> bool) {
        let element = |open: &u32| self.nodes[*open as usize].element;
        let found =
            self.open[1..].iter().rposition(|open| ends.contains(&element(open)) || stops(element(open)));
        let Some(at) = found.map(|at| at + 1).filter(|at| ends.contains(&element(&self.open[*at]))) else {
            return;
        };
        while self.open.len() > at {
            self.pop();
        }
    }

    fn top(&self) -> Element {
        self.nodes[self.current() as usize].element
    }

    fn pop(&mut self) {
        if self.open.len() > 1
            && let Some(node) = self.open.pop()
        {
            self.counts[self.nodes[node as usize].element as usize] -= 1;
        }
    }
}
