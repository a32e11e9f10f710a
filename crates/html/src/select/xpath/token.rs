//! An expression as tokens, each with its place.

use super::Mistake;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Number(f64),
    Literal(&'a str),
    /// A name that is neither function, axis nor operator: `a`, `xlink:href`.
    Name(Option<&'a str>, &'a str),
    /// `prefix:*`
    AnyOf(&'a str),
    /// A name before `(`.
    Function(Option<&'a str>, &'a str),
    /// A name before `::`.
    Axis(&'a str),
    /// `*` as a name test.
    Star,
    /// Operators by name and by sign; `*` as "times" is `Operator("*")`.
    Operator(&'static str),
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Dot,
    DotDot,
    At,
    Comma,
    Slash,
    DoubleSlash,
}

pub(super) struct Spanned<'a> {
    pub(super) token: Token<'a>,
    pub(super) at: usize,
}

const NAMED: [&str; 4] = ["and", "or", "mod", "div"];
const SIGNS: [&str; 10] = ["!=", "<=", ">=", "=", "<", ">", "+", "-", "|", "*"];

pub(super) fn tokens(text: &str) -> Result<Vec<Spanned<'_>>, Mistake> {
    let mut found: Vec<Spanned<'_>> = Vec::new();
    let mut at = 0;
    loop {
        at = skip_blanks(text, at);
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else { return Ok(found) };
        // After an operand a name or `*` is an operator, elsewhere it is a name test.
        let after_operand = found.last().is_some_and(|last| ends_operand(&last.token));
        let (token, length) = match first {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            '[' => (Token::OpenBracket, 1),
            ']' => (Token::CloseBracket, 1),
            '@' => (Token::At, 1),
            ',' => (Token::Comma, 1),
            '/' if rest.starts_with("//") => (Token::DoubleSlash, 2),
            '/' => (Token::Slash, 1),
            '"' | '\'' => {
                let Some(length) = rest[1..].find(first) else {
                    return mistake(at, format!("the text that begins with {first} has no end"));
                };
                (Token::Literal(&rest[1..=length]), length + 2)
            }
            '.' if rest[1..].starts_with(|next: char| next.is_ascii_digit()) => number(rest),
            '.' if rest.starts_with("..") => (Token::DotDot, 2),
            '.' => (Token::Dot, 1),
            '0'..='9' => number(rest),
            '$' => return mistake(at, "variables are not known here; write the value itself".to_owned()),
            '*' if !after_operand => (Token::Star, 1),
            _ if is_name_start(first) => {
                let length = name_length(rest);
                let name = &rest[..length];
                match NAMED.iter().find(|known| **known == name) {
                    Some(operator) if after_operand => (Token::Operator(operator), length),
                    _ if after_operand => {
                        return mistake(at, format!("an operator is missing before `{name}`"));
                    }
                    _ => named(text, at, length)?,
                }
            }
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (Token::Operator(sign), sign.len()),
                None => return mistake(at, format!("`{first}` means nothing here")),
            },
        };
        found.push(Spanned { token, at });
        at += length;
    }
}

fn mistake<T>(at: usize, reason: String) -> Result<T, Mistake> {
    Err(Mistake { at, reason })
}

fn ends_operand(token: &Token<'_>) -> bool {
    use Token::{AnyOf, Close, CloseBracket, Dot, DotDot, Literal, Name, Number, Star};
    matches!(token, Number(_) | Literal(_) | Name(..) | AnyOf(_) | Star | Close | CloseBracket | Dot | DotDot)
}

/// A name that is no operator: test, function or axis.
fn named(text: &str, at: usize, length: usize) -> Result<(Token<'_>, usize), Mistake> {
    let name = &text[at..at + length];
    let rest = &text[at + length..];
    let next = skip_blanks(text, at + length);
    if text[next..].starts_with("::") {
        return Ok((Token::Axis(name), next + 2 - at));
    }
    if rest.starts_with(":*") {
        return Ok((Token::AnyOf(name), length + 2));
    }
    let local = rest.strip_prefix(':').filter(|local| local.starts_with(is_name_start));
    let (prefix, local, length) = match local {
        Some(local) => {
            let local = &local[..name_length(local)];
            (Some(name), local, length + 1 + local.len())
        }
        None => (None, name, length),
    };
    let next = skip_blanks(text, at + length);
    Ok(match text[next..].starts_with('(') {
        true => (Token::Function(prefix, local), length),
        false => (Token::Name(prefix, local), length),
    })
}

fn number(rest: &str) -> (Token<'static>, usize) {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits(rest);
    if rest[length..].starts_with('.') {
        length += 1 + digits(&rest[length + 1..]);
    }
    // Digits with a point among or around them: always a number to Rust too.
    (Token::Number(rest[..length].parse().unwrap_or(f64::NAN)), length)
}

fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    text.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len()
}

fn is_name_start(character: char) -> bool {
    character == '_' || character.is_alphabetic()
}

/// Names may hold points and hyphens, as `data-id` does.
fn name_length(text: &str) -> usize {
    let inner = |character: char| {
        is_name_start(character) || character.is_numeric() || matches!(character, '-' | '.' | '\u{b7}')
    };
    text.find(|character| !inner(character)).unwrap_or(text.len())
}
