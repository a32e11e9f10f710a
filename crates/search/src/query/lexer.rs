//! Cuts a query's text into tokens with their places. Total: any text gives tokens.

use std::ops::Range;

use super::{NEAR_WORDS, Options};

/// A token and the characters it came from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
    /// True when white space or the text's beginning is before it.
    pub(super) apart: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Open,
    Close,
    Plus,
    Minus,
    And,
    Or,
    Xor,
    Not,
    Near(u32),
    /// A name and its colon, with what was typed as name.
    Field(String),
    Quoted(String),
    Word(String),
}

pub(super) fn tokens(text: &str, options: &Options) -> Vec<Token> {
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut apart = true;
    while at < characters.len() {
        let start = at;
        let kind = match characters[at] {
            character if character.is_whitespace() => {
                at += 1;
                apart = true;
                continue;
            }
            '(' => {
                at += 1;
                Kind::Open
            }
            ')' => {
                at += 1;
                Kind::Close
            }
            '"' | '“' | '”' | '„' => quoted(&characters, &mut at),
            '+' if apart && begins(&characters, at + 1) => {
                at += 1;
                Kind::Plus
            }
            '-' | '−' if apart && begins(&characters, at + 1) => {
                at += 1;
                Kind::Minus
            }
            _ => word(&characters, &mut at, options),
        };
        tokens.push(Token { kind, span: start..at, apart });
        // A sign or a colon belongs to what follows: `-(…)`, `+"…"`, `title:-x` is no second sign.
        apart = matches!(tokens.last().map(|token| &token.kind), Some(Kind::Open));
    }
    tokens
}

/// True when something that a sign can belong to stands here.
fn begins(characters: &[char], at: usize) -> bool {
    characters.get(at).is_some_and(|next| !next.is_whitespace() && !matches!(next, '+' | '-' | '−' | ')'))
}

fn quoted(characters: &[char], at: &mut usize) -> Kind {
    let start = *at + 1;
    let is_quote = |character: &char| matches!(character, '"' | '“' | '”');
    let length = characters[start..].iter().position(is_quote).unwrap_or(characters.len() - start);
    *at = (start + length + 1).min(characters.len());
    Kind::Quoted(characters[start..start + length].iter().collect())
}

fn word(characters: &[char], at: &mut usize, options: &Options) -> Kind {
    let start = *at;
    while let Some(character) = characters.get(*at) {
        if character.is_whitespace() || matches!(character, '(' | ')' | '"' | '“' | '”') {
            break;
        }
        *at += 1;
        if *character == ':' {
            let name: String = characters[start..*at - 1].iter().collect();
            if is_field(&name, options) {
                return Kind::Field(name);
            }
        }
    }
    let word: String = characters[start..*at].iter().collect();
    operator(&word, options).unwrap_or(Kind::Word(word))
}

fn is_field(name: &str, options: &Options) -> bool {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    super::Filter::of(name).is_some()
        || super::PAGE_FIELDS.iter().any(|known| is(known))
        || options.fields.iter().any(|known| is(known))
}

fn operator(word: &str, options: &Options) -> Option<Kind> {
    let typed = if options.lower_case_operators { word.to_ascii_uppercase() } else { word.to_owned() };
    match typed.as_str() {
        "AND" => Some(Kind::And),
        "OR" => Some(Kind::Or),
        "XOR" => Some(Kind::Xor),
        "NOT" => Some(Kind::Not),
        "NEAR" => Some(Kind::Near(NEAR_WORDS)),
        _ => {
            let words = typed.strip_prefix("NEAR/").filter(|words| !words.is_empty())?;
            let is_number = words.bytes().all(|byte| byte.is_ascii_digit());
            // More words than any text has.
            is_number.then(|| Kind::Near(words.parse().unwrap_or(u32::MAX)))
        }
    }
}
