//! What an element means for reading a page.

use html::ElementName;

/// The part an element plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Inline, or unknown: the text goes on.
    Inline,
    /// Stands on lines of its own.
    Block,
    /// A table's cell or caption: formatting does not leak out of it.
    Cell,
    Table,
    Break,
    Anchor,
    Area,
    Format(Format),
    /// Its content is not shown.
    Hidden(Hidden),
    Image,
    Svg,
    Frame,
    Meta,
    Link,
    Base,
    Html,
    Body,
    /// Ends an option that was not closed.
    FormPart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    B = 0,
    Strong = 1,
    I = 2,
    Em = 3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hidden {
    Title,
    Script,
    Style,
    Template,
    Noscript,
    Textarea,
    Option,
    /// What is shown where frames are not.
    Iframe,
    Noframes,
    Noembed,
}

/// The role of an element.
pub(crate) fn role(element: ElementName) -> Role {
    static ROLES: [Role; ElementName::COUNT] = html::by_element_name!(named);
    ROLES[element.index()]
}

/// The role of the element with this lower-case name.
const fn named(name: &[u8]) -> Role {
    match name {
        b"a" => Role::Anchor,
        b"b" => Role::Format(Format::B),
        b"strong" => Role::Format(Format::Strong),
        b"i" => Role::Format(Format::I),
        b"em" => Role::Format(Format::Em),
        b"br" => Role::Break,
        b"td" | b"th" | b"caption" => Role::Cell,
        b"table" => Role::Table,
        b"img" => Role::Image,
        b"area" => Role::Area,
        b"svg" => Role::Svg,
        b"frame" => Role::Frame,
        b"meta" => Role::Meta,
        b"link" => Role::Link,
        b"base" => Role::Base,
        b"html" => Role::Html,
        b"body" => Role::Body,
        b"title" => Role::Hidden(Hidden::Title),
        b"script" => Role::Hidden(Hidden::Script),
        b"style" => Role::Hidden(Hidden::Style),
        b"template" => Role::Hidden(Hidden::Template),
        b"noscript" => Role::Hidden(Hidden::Noscript),
        b"textarea" => Role::Hidden(Hidden::Textarea),
        b"option" => Role::Hidden(Hidden::Option),
        b"iframe" => Role::Hidden(Hidden::Iframe),
        b"noframes" => Role::Hidden(Hidden::Noframes),
        b"noembed" => Role::Hidden(Hidden::Noembed),
        b"select" | b"optgroup" | b"datalist" | b"input" | b"button" => Role::FormPart,
        b"address" | b"article" | b"aside" | b"blockquote" | b"center" | b"dd" | b"details" | b"dialog"
        | b"dir" | b"div" | b"dl" | b"dt" | b"fieldset" | b"figcaption" | b"figure" | b"footer" | b"form"
        | b"frameset" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"head" | b"header" | b"hgroup"
        | b"hr" | b"legend" | b"li" | b"listing" | b"main" | b"menu" | b"nav" | b"ol" | b"p"
        | b"plaintext" | b"pre" | b"search" | b"section" | b"summary" | b"tbody" | b"tfoot" | b"thead"
        | b"tr" | b"ul" | b"xmp" => Role::Block,
        _ => Role::Inline,
    }
}
