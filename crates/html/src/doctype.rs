//! Doctypes, which say how old a page is meant to be.

/// What stands in a doctype.
pub(crate) struct Doctype<'t> {
    /// In small letters.
    pub(crate) name: String,
    pub(crate) public: Option<&'t str>,
    pub(crate) system: Option<&'t str>,
    /// Whether it is so broken that the page is read as the oldest are.
    pub(crate) force_quirks: bool,
}

impl<'t> Doctype<'t> {
    /// Reads what stands between `<!doctype` and `>`, or the end of the page.
    pub(crate) fn read(text: &'t str, at_end: bool) -> Doctype<'t> {
        let text = text.trim_start_matches(SPACE);
        let (name, rest) = text.split_at(text.find(SPACE).unwrap_or(text.len()));
        let name = name.to_ascii_lowercase();
        let mut doctype =
            Doctype { force_quirks: at_end || name.is_empty(), name, public: None, system: None };
        let rest = rest.trim_start_matches(SPACE);
        let rest = if let Some(rest) = after_word(rest, "public") {
            let Some((public, rest)) = doctype.quoted(rest) else { return doctype };
            doctype.public = Some(public);
            rest
        } else if let Some(rest) = after_word(rest, "system") {
            if rest.trim_start_matches(SPACE).is_empty() {
                doctype.force_quirks = true;
            }
            rest
        } else {
            doctype.force_quirks |= !rest.is_empty();
            return doctype;
        };
        if rest.trim_start_matches(SPACE).is_empty() {
            return doctype;
        }
        if let Some((system, rest)) = doctype.quoted(rest) {
            doctype.system = Some(system);
            // What follows is left alone, even where the page ends in it.
            if !rest.trim_start_matches(SPACE).is_empty() && !doctype.name.is_empty() {
                doctype.force_quirks = false;
            }
        }
        doctype
    }

    /// The text in quotes that stands next, and what follows; without its closing quote, up to the end.
    fn quoted(&mut self, text: &'t str) -> Option<(&'t str, &'t str)> {
        let text = text.trim_start_matches(SPACE);
        let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''));
        let Some(quote) = quote else {
            self.force_quirks = true;
            return None;
        };
        let text = &text[1..];
        let Some(length) = text.find(quote) else {
            self.force_quirks = true;
            return Some((text, ""));
        };
        Some((&text[..length], &text[length + 1..]))
    }
}

const SPACE: [char; 4] = [' ', '\n', '\t', '\x0c'];

fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let begins = text.get(..word.len())?.eq_ignore_ascii_case(word);
    begins.then(|| &text[word.len()..])
}
