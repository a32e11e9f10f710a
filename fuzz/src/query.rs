//! Queries: the input is what a person typed.

use search::query::{LONGEST, Node, Options, Query, parse};

pub(crate) fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let length = text.chars().count();
    for lower_case_operators in [false, true] {
        let fields = vec!["price".to_owned(), "Brand".to_owned()];
        let options = Options { fields, lower_case_operators };
        match parse(&text, &options) {
            Ok(query) => {
                assert!(length <= LONGEST);
                check_places(&query, length);
            }
            Err(error) => {
                assert!(error.position <= length, "character {} of {length}", error.position);
                assert!(!error.message.is_empty());
            }
        }
    }
}

/// Each part stands within the text, and within what it is a part of.
fn check_places(query: &Query, end: usize) {
    assert!(query.span.start <= query.span.end && query.span.end <= end, "{:?} of {end}", query.span);
    match &query.node {
        Node::And(parts) | Node::Or(parts) | Node::Xor(parts) => {
            assert!(parts.len() > 1);
            parts.iter().for_each(|part| check_places(part, end));
        }
        Node::Loose(parts) => parts.iter().for_each(|(_, part)| check_places(part, end)),
        Node::Not(part) => check_places(part, end),
        Node::Near { left, right, .. } => [left, right].iter().for_each(|part| check_places(part, end)),
        Node::Everything
        | Node::Word { .. }
        | Node::Phrase { .. }
        | Node::Span { .. }
        | Node::Filter { .. } => {}
    }
}
