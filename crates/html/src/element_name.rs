//! The names of HTML's elements by number: whoever asks what an element means finds it in a table.

/// The name of an element, if HTML knows it; all others are one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ElementName(u8);

/// A table of what a `const fn` says of the bytes of each name, in the order of [`ElementName::index`]; the others have what
/// it says of no name.
#[macro_export]
macro_rules! by_element_name {
    ($of:path) => {{
        let mut table = [$of(b""); $crate::ElementName::COUNT];
        let mut at = 1;
        while at < table.len() {
            table[at] = $of($crate::ElementName::NAMES[at].as_bytes());
            at += 1;
        }
        table
    }};
}

impl ElementName {
    /// How many there are, the others included.
    pub const COUNT: usize = 138;

    /// Their names; the others come first.
    #[rustfmt::skip]
    pub const NAMES: [&str; ElementName::COUNT] = [
        "", "a", "abbr", "acronym", "address", "annotation-xml", "area", "article", "aside", "audio", "b",
        "base", "basefont", "bdi", "bdo", "bgsound", "big", "blockquote", "body", "br", "button", "canvas",
        "caption", "center", "cite", "code", "col", "colgroup", "data", "datalist", "dd", "del", "desc",
        "details", "dfn", "dialog", "dir", "div", "dl", "dt", "em", "embed", "fieldset", "figcaption",
        "figure", "font", "footer", "foreignobject", "form", "frame", "frameset", "h1", "h2", "h3", "h4",
        "h5", "h6", "head", "header", "hgroup", "hr", "html", "i", "iframe", "image", "img", "input", "ins",
        "kbd", "keygen", "label", "legend", "li", "link", "listing", "main", "map", "mark", "math", "menu",
        "meta", "meter", "nav", "nobr", "noembed", "noframes", "noscript", "object", "ol", "optgroup",
        "option", "output", "p", "param", "picture", "plaintext", "pre", "progress", "q", "rp", "rt",
        "ruby", "s", "samp", "script", "search", "section", "select", "slot", "small", "source", "span",
        "strike", "strong", "style", "sub", "summary", "sup", "svg", "table", "tbody", "td", "template",
        "textarea", "tfoot", "th", "thead", "time", "title", "tr", "track", "tt", "u", "ul", "var", "video",
        "wbr", "xmp",
    ];

    /// The number of this lower-case name.
    pub const fn of(name: &str) -> ElementName {
        let name = name.as_bytes();
        let known = ElementName::short(letters(name));
        if are_same(name, ElementName::NAMES[known.index()].as_bytes()) { known } else { ElementName(0) }
    }

    /// The number of the name that has these letters, the first in the lowest byte, or begins with all eight.
    pub(crate) const fn short(letters: u64) -> ElementName {
        let number = PLACES[place(letters)];
        if LETTERS[number as usize] == letters { ElementName(number) } else { ElementName(0) }
    }

    /// Its place in a table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The first eight letters of each name.
static LETTERS: [u64; ElementName::COUNT] = by_element_name!(letters);

/// The number of the name whose letters have this place.
static PLACES: [u8; 1 << PLACE_BITS] = {
    let mut places = [0; 1 << PLACE_BITS];
    let mut number = 1;
    while number < ElementName::COUNT {
        let place = place(letters(ElementName::NAMES[number].as_bytes()));
        assert!(places[place] == 0, "two names have one place: another factor is needed");
        places[place] = number as u8;
        number += 1;
    }
    places
};

const PLACE_BITS: u32 = 10;

/// Where the number stands of a name with these letters. By this factor, one of a few thousand that were tried, each has a
/// place of its own.
const fn place(letters: u64) -> usize {
    (letters.wrapping_mul(0xc199_4a07_8a6c_63f9) >> (64 - PLACE_BITS)) as usize
}

/// The first eight letters of a name.
const fn letters(name: &[u8]) -> u64 {
    let mut letters = 0;
    let mut at = 0;
    while at < name.len() && at < 8 {
        letters |= (name[at] as u64) << (8 * at);
        at += 1;
    }
    letters
}

const fn are_same(name: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < name.len() && at < other.len() && name[at] == other[at] {
        at += 1;
    }
    at == name.len() && at == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_known_and_no_other() {
        assert!(ElementName::NAMES.is_sorted());
        for (index, name) in ElementName::NAMES.iter().enumerate() {
            assert_eq!(ElementName::of(name).index(), index, "{name}");
            for other in
                [format!("{name}x"), format!("x{name}"), format!("{name}-{name}"), name.to_uppercase()]
            {
                let known = ElementName::NAMES[1..].contains(&&*other);
                assert_eq!(ElementName::of(&other).index() != 0, known, "{other}");
            }
        }
        assert_eq!(ElementName::of("blockquot"), ElementName::default());
        assert_eq!(ElementName::of("a\0"), ElementName::default());
    }
}
