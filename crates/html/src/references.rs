//! Character references: `&amp;`, `&#228;`, and `&copy` without its semicolon where HTML allows that.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};
use memchr::memchr2;

/// Up to two characters.
pub(crate) type Characters = [Option<char>; 2];

/// What the reference at the start of `text` stands for, and its length in bytes. None when it is none, and its `&`
/// only that.
pub(crate) fn reference(text: &str, in_attribute: bool) -> Option<(Characters, usize)> {
    match text.as_bytes().get(1)? {
        b'#' => number(text),
        letter if letter.is_ascii_alphabetic() => name(text, in_attribute),
        _ => None,
    }
}

/// Adds an attribute's value, decoded.
pub(crate) fn push_value(to: &mut String, value: &str) {
    let mut rest = value;
    while let Some(at) = memchr2(b'&', 0, rest.as_bytes()) {
        to.push_str(&rest[..at]);
        let (characters, length) = match rest.as_bytes()[at] {
            0 => ([Some('\u{fffd}'), None], 1),
            _ => reference(&rest[at..], true).unwrap_or(([Some('&'), None], 1)),
        };
        to.extend(characters.into_iter().flatten());
        rest = &rest[at + length..];
    }
    to.push_str(rest);
}

/// Those that most pages are full of, and their lengths.
fn common(text: &[u8]) -> Option<(char, usize)> {
    Some(match text {
        [b'&', b'l', b't', b';', ..] => ('<', 4),
        [b'&', b'g', b't', b';', ..] => ('>', 4),
        [b'&', b'a', b'm', b'p', b';', ..] => ('&', 5),
        [b'&', b'q', b'u', b'o', b't', b';', ..] => ('"', 6),
        [b'&', b'n', b'b', b's', b'p', b';', ..] => ('\u{a0}', 6),
        [b'&', b'c', b'o', b'p', b'y', b';', ..] => ('©', 6),
        [b'&', b'm', b'd', b'a', b's', b'h', b';', ..] => ('—', 7),
        [b'&', b'n', b'd', b'a', b's', b'h', b';', ..] => ('–', 7),
        [b'&', b'l', b'd', b'q', b'u', b'o', b';', ..] => ('“', 7),
        [b'&', b'r', b'd', b'q', b'u', b'o', b';', ..] => ('”', 7),
        [b'&', b'l', b's', b'q', b'u', b'o', b';', ..] => ('‘', 7),
        [b'&', b'r', b's', b'q', b'u', b'o', b';', ..] => ('’', 7),
        _ => return None,
    })
}

/// Letters of a name, at most; none is as long.
const LONGEST: usize = 40;

/// The longest name that is one; `&notit` is `¬it`.
fn name(text: &str, in_attribute: bool) -> Option<(Characters, usize)> {
    let bytes = text.as_bytes();
    if let Some((character, length)) = common(bytes) {
        return Some(([Some(character), None], length));
    }
    let mut best = None;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric();
    let length = 1 + bytes[1..].iter().take(LONGEST).take_while(|byte| is_part(byte)).count();
    // Nothing is longer than what ends with a semicolon.
    if bytes.get(length) == Some(&b';')
        && let Some(&(first, second)) = NAMED_ENTITIES.get(&text[1..=length])
    {
        return Some((characters(first, second), length + 1));
    }
    // The table knows beginnings of names, too, so the look-up ends with the first that is none.
    for end in 2..=length {
        let Some(&(first, second)) = NAMED_ENTITIES.get(&text[1..end]) else { break };
        if first != 0 {
            best = Some((first, second, end));
        }
    }
    let (first, second, end) = best?;
    // `?a=1&copy=2` is a query.
    let goes_on = |byte: &u8| *byte == b'=' || is_part(byte);
    if in_attribute && bytes.get(end).is_some_and(goes_on) {
        return None;
    }
    Some((characters(first, second), end))
}

/// As the table has them: zero is none.
fn characters(first: u32, second: u32) -> Characters {
    [char::from_u32(first), char::from_u32(second).filter(|second| *second != '\0')]
}

fn number(text: &str) -> Option<(Characters, usize)> {
    let bytes = text.as_bytes();
    let (start, radix) = if matches!(bytes.get(2), Some(b'x' | b'X')) { (3, 16) } else { (2, 10) };
    let digits = bytes[start..].iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
    if digits == 0 {
        return None;
    }
    let end = start + digits;
    // Too large for 32 bits is too large for a character.
    let code = u32::from_str_radix(&text[start..end], radix).unwrap_or(u32::MAX);
    let character = match code {
        0 => '\u{fffd}',
        // These mean what Windows means by them.
        0x80..=0x9f => C1_REPLACEMENTS[code as usize - 0x80].or(char::from_u32(code)).unwrap_or('\u{fffd}'),
        _ => char::from_u32(code).unwrap_or('\u{fffd}'),
    };
    let semicolon = usize::from(bytes.get(end) == Some(&b';'));
    Some(([Some(character), None], end + semicolon))
}
