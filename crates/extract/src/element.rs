//! Elements that give a page its shape, by name.

use html::ElementName;

/// An element that matters to the outline of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Element {
    Body,
    Div,
    Section,
    Center,
    Article,
    Main,
    Nav,
    Aside,
    Header,
    Footer,
    Form,
    Fieldset,
    Ul,
    Ol,
    Menu,
    Dl,
    Li,
    Dt,
    Dd,
    Table,
    Tr,
    Td,
    Th,
    Caption,
    P,
    H1,
    H2,
    H3,
    H4,
    H5,
    H6,
    Pre,
    Blockquote,
    Figure,
    Figcaption,
    Dialog,
    Details,
    Summary,
    Button,
    Address,
    Hgroup,
    Search,
    /// One that a site has made up.
    Custom,
    /// A part of a line that nobody sees.
    Unseen,
}

/// How many there are.
pub(crate) const ELEMENTS: usize = Element::Unseen as usize + 1;

impl Element {
    /// It, if it matters.
    pub(crate) fn of(element: ElementName) -> Option<Element> {
        static BY_NAME: [Option<Element>; ElementName::COUNT] = html::by_element_name!(Element::named);
        BY_NAME[element.index()]
    }

    /// The element of this lower-case name.
    const fn named(name: &[u8]) -> Option<Element> {
        Some(match name {
            b"div" => Element::Div,
            b"p" => Element::P,
            b"li" => Element::Li,
            b"ul" => Element::Ul,
            b"ol" => Element::Ol,
            b"td" => Element::Td,
            b"th" => Element::Th,
            b"tr" => Element::Tr,
            b"table" => Element::Table,
            b"h1" => Element::H1,
            b"h2" => Element::H2,
            b"h3" => Element::H3,
            b"h4" => Element::H4,
            b"h5" => Element::H5,
            b"h6" => Element::H6,
            b"dl" => Element::Dl,
            b"dt" => Element::Dt,
            b"dd" => Element::Dd,
            b"section" => Element::Section,
            b"center" => Element::Center,
            b"article" => Element::Article,
            b"main" => Element::Main,
            b"nav" => Element::Nav,
            b"aside" => Element::Aside,
            b"header" => Element::Header,
            b"footer" => Element::Footer,
            b"form" => Element::Form,
            b"fieldset" => Element::Fieldset,
            b"menu" | b"dir" => Element::Menu,
            b"caption" => Element::Caption,
            b"pre" | b"listing" => Element::Pre,
            b"blockquote" => Element::Blockquote,
            b"figure" => Element::Figure,
            b"figcaption" => Element::Figcaption,
            b"dialog" => Element::Dialog,
            b"details" => Element::Details,
            b"summary" => Element::Summary,
            b"button" => Element::Button,
            b"address" => Element::Address,
            b"hgroup" => Element::Hgroup,
            b"search" => Element::Search,
            _ => return None,
        })
    }

    /// The level of a heading.
    pub(crate) fn level(self) -> Option<u8> {
        let level = (self as u8 + 1).wrapping_sub(Element::H1 as u8);
        (1..=6).contains(&level).then_some(level)
    }

    /// Whether it is a list.
    pub(crate) fn is_list(self) -> bool {
        matches!(self, Element::Ul | Element::Ol | Element::Menu)
    }

    /// Whether it is a table's cell.
    pub(crate) fn is_cell(self) -> bool {
        matches!(self, Element::Td | Element::Th | Element::Caption)
    }

    /// Whether its start ends an open paragraph.
    pub(crate) fn ends_paragraph(self) -> bool {
        !matches!(self, Element::Button | Element::Unseen)
    }
}
