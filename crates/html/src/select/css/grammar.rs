//! Which selectors there are: names, the parts `::text` and `::attr(…)`, and words for what is wrong.

use std::fmt;

use cssparser::{
    BasicParseErrorKind, ParseError, ParseErrorKind, Parser as Tokens, ToCss, serialize_identifier,
    serialize_string,
};
use html5ever::{LocalName, Namespace, ns};
use precomputed_hash::PrecomputedHash;
use selectors::parser::{Component, Selector, SelectorImpl, SelectorParseErrorKind};

/// Our selectors, as the `selectors` crate wants to know them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Language;

impl SelectorImpl for Language {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Value;
    type Identifier = Name;
    type LocalName = Name;
    type NamespaceUrl = Namespace;
    type NamespacePrefix = Name;
    type BorrowedNamespaceUrl = Namespace;
    type BorrowedLocalName = Name;
    type NonTSPseudoClass = State;
    type PseudoElement = Part;
}

/// A name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Name(pub(super) LocalName);

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name(LocalName::from(text))
    }
}

impl PrecomputedHash for Name {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}

impl ToCss for Name {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        serialize_identifier(&self.0, out)
    }
}

/// A value that an attribute is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value(Box<str>);

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value(text.into())
    }
}

impl AsRef<str> for Value {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl ToCss for Value {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        serialize_string(&self.0, out)
    }
}

/// States that stand in the markup; a page at rest has no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// `:link`, `:any-link`
    Link,
    /// `:checked`
    Checked,
    /// `:disabled`
    Disabled,
    /// `:enabled`
    Enabled,
    /// `:required`
    Required,
    /// `:optional`
    Optional,
}

const STATES: [(&str, State); 7] = [
    ("link", State::Link),
    ("any-link", State::Link),
    ("checked", State::Checked),
    ("disabled", State::Disabled),
    ("enabled", State::Enabled),
    ("required", State::Required),
    ("optional", State::Optional),
];

impl selectors::parser::NonTSPseudoClass for State {
    fn is_active_or_hover(&self) -> bool {
        false
    }

    fn is_user_action_state(&self) -> bool {
        false
    }
}

impl ToCss for State {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        let (name, _) = STATES.iter().find(|(_, state)| state == self).unwrap_or(&STATES[0]);
        write!(out, ":{name}")
    }
}

/// What is taken of a matching element, when not the element itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// `::text`: the texts that are its children.
    Text,
    /// `::attr(name)`: the attribute.
    Attribute(Box<str>),
}

impl selectors::parser::PseudoElement for Part {}

impl ToCss for Part {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        match self {
            Part::Text => out.write_str("::text"),
            Part::Attribute(name) => write!(out, "::attr({name})"),
        }
    }
}

/// Reads our selectors.
pub(super) struct Grammar;

impl<'i> selectors::parser::Parser<'i> for Grammar {
    type Impl = Language;
    type Error = Problem;

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    /// A mistake in `:is(…)` shall be told, not passed over as in style sheets.
    fn allow_forgiving_selectors(&self) -> bool {
        false
    }

    fn parse_non_ts_pseudo_class(&self, name: &str) -> Result<State, ParseError<Problem>> {
        match STATES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, state)) => Ok(*state),
            None => Err(ParseError::custom(Problem::Unknown(format!(":{name}")))),
        }
    }

    fn parse_non_ts_functional_pseudo_class(
        &self,
        name: &str,
        _: &mut Tokens<'i>,
        _: bool,
    ) -> Result<State, ParseError<Problem>> {
        Err(ParseError::custom(Problem::Unknown(format!(":{name}()"))))
    }

    fn parse_pseudo_element(&self, name: &str) -> Result<Part, ParseError<Problem>> {
        match name {
            "text" => Ok(Part::Text),
            _ => Err(ParseError::custom(Problem::Unknown(format!("::{name}")))),
        }
    }

    fn parse_functional_pseudo_element(
        &self,
        name: &str,
        arguments: &mut Tokens<'i>,
    ) -> Result<Part, ParseError<Problem>> {
        if name != "attr" {
            return Err(ParseError::custom(Problem::Unknown(format!("::{name}()"))));
        }
        match arguments.expect_ident() {
            Ok(attribute) => Ok(Part::Attribute(attribute.to_ascii_lowercase().into())),
            Err(_) => Err(ParseError::custom(Problem::NoAttribute)),
        }
    }

    fn namespace_for_prefix(&self, prefix: &Name) -> Option<Namespace> {
        match &*prefix.0 {
            "html" => Some(ns!(html)),
            "svg" => Some(ns!(svg)),
            "math" => Some(ns!(mathml)),
            _ => None,
        }
    }
}

/// The name that elements must have to match, if its case cannot matter.
pub(super) fn name_of_subject(selector: &Selector<Language>) -> Option<LocalName> {
    let mut parts = selector.iter();
    loop {
        for part in &mut parts {
            if let Component::LocalName(name) = part {
                return (name.name == name.lower_name).then(|| name.name.0.clone());
            }
        }
        // Only over the border between an element and its part.
        match parts.next_sequence() {
            Some(border) if border.is_pseudo_element() => {}
            _ => return None,
        }
    }
}

/// What is wrong with a selector.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Problem {
    Syntax(SelectorParseErrorKind),
    Unknown(String),
    NoAttribute,
}

impl From<SelectorParseErrorKind> for Problem {
    fn from(kind: SelectorParseErrorKind) -> Problem {
        Problem::Syntax(kind)
    }
}

/// The problem in words.
pub(super) fn reason(problem: &ParseErrorKind<Problem>) -> String {
    use SelectorParseErrorKind as Kind;
    let words = match problem {
        ParseErrorKind::Custom(Problem::Unknown(name)) => {
            return format!("{name} is not known here, or means nothing in a page at rest");
        }
        ParseErrorKind::Custom(Problem::NoAttribute) => "::attr() needs a name, as in ::attr(href)",
        ParseErrorKind::Custom(Problem::Syntax(kind)) => match kind {
            Kind::EmptySelector => "a selector is missing",
            Kind::DanglingCombinator => "a selector is missing after the last `>`, `+`, `~` or blank",
            Kind::NonCompoundSelector => "`>`, `+`, `~` and blanks cannot stand here",
            Kind::InvalidPseudoElementInsideWhere | Kind::InvalidState => {
                "this cannot stand here; `::text` and `::attr(name)` only at the end"
            }
            Kind::NoQualifiedNameInAttributeSelector | Kind::InvalidQualNameInAttr => {
                "an attribute's name is missing after `[`"
            }
            Kind::UnexpectedTokenInAttributeSelector => {
                "after an attribute's name come `]` or one of = ~= |= ^= $= *="
            }
            Kind::BadValueInAttr => "an attribute's value is a name or a text in quotes",
            Kind::ExpectedBarInAttr => "`|` is missing in an attribute's name",
            Kind::PseudoElementExpectedColon | Kind::PseudoElementExpectedIdent | Kind::NoIdentForPseudo => {
                "a name is missing after `:`"
            }
            Kind::UnsupportedPseudoClassOrElement => "this class or part is not known here",
            Kind::ClassNeedsIdent => "a class name is missing after `.`",
            Kind::ExpectedNamespace => "only the prefixes html, svg and math are known",
            _ => "not a CSS selector from here on",
        },
        ParseErrorKind::Basic(BasicParseErrorKind::EndOfInput) => {
            "the selector or a bracket in it ends too early"
        }
        ParseErrorKind::Basic(BasicParseErrorKind::TooManyNestedBlocks) => {
            return format!("more than {} brackets in each other", super::MAX_NESTING);
        }
        ParseErrorKind::Basic(_) => "not a CSS selector from here on",
    };
    words.to_owned()
}
