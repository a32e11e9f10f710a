//! XPath 1.0: text → tokens → plan → answer.
//!
//! The engine is our own (docs/adr/0004): it walks the tree by node ids, which are in document order, pays for
//! every step, and never recurses deeper than the expression is nested, whatever the tree's depth. Where lxml and
//! the standard differ on the text of a number, it is written as lxml does up to 1e9, else as the standard says.

mod compare;
mod evaluate;
mod functions;
#[cfg(test)]
mod grown;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod naive;
mod number;
mod parse;
mod plan;
mod token;
mod walk;

use super::{Found, Fuel, OutOfFuel, SelectError, Selected, characters_before};
use crate::{NodeId, Tree};
use evaluate::{Context, Run, Value};
use plan::Expr;
use walk::Item;

/// A compiled expression.
pub(super) struct Plan(Expr);

pub(super) fn compile(text: &str) -> Result<Plan, SelectError> {
    parse::parse(text).map(Plan).map_err(|mistake| SelectError {
        position: characters_before(text, mistake.at),
        reason: mistake.reason,
    })
}

/// Whether a text looks like XPath rather than CSS.
pub(super) fn looks_like(text: &str) -> bool {
    let text = text.trim_start();
    let name = text.trim_start_matches(|character: char| character.is_ascii_alphabetic() || character == '-');
    let after = name.trim_start();
    let name = text[..text.len() - name.len()].trim_end();
    match text.chars().next() {
        Some('/' | '(' | '@' | '"' | '\'' | '0'..='9' | '-') => true,
        Some('.') => matches!(text.as_bytes().get(1), None | Some(b'/' | b'.' | b' ' | b'0'..=b'9')),
        Some('a'..='z' | 'A'..='Z') => match after.strip_prefix("::") {
            Some(_) => plan::Axis::NAMED.iter().any(|(axis, _)| *axis == name),
            None => after.starts_with(['(', '/']),
        },
        _ => false,
    }
}

/// What is wrong, and at which byte.
#[derive(Debug)]
struct Mistake {
    at: usize,
    reason: String,
}

impl Plan {
    pub(super) fn select(&self, tree: &Tree, from: NodeId, fuel: &mut Fuel) -> Result<Selected, OutOfFuel> {
        let mut run = Run { tree, fuel };
        let context = Context { item: Item::node(from.0), position: 1, size: 1 };
        Ok(match run.value(&self.0, context)? {
            Value::Nodes(items) => Selected::Nodes(items.into_iter().map(Found::from).collect()),
            Value::Text(text) => Selected::Text(text.into_owned()),
            Value::Number(number) => Selected::Number(number),
            Value::Boolean(boolean) => Selected::Boolean(boolean),
        })
    }
}

#[cfg(test)]
mod tests;
