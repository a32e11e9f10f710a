//! Comparisons: with nodes, one that fits is enough.

use std::collections::HashSet;

use super::evaluate::{Context, Evaluated, Run, Value};
use super::number::to_number;
use super::plan::{Comparison, Expr};
use super::walk::Item;

/// Compares what two expressions give.
pub(super) fn expressions<'a>(
    run: &mut Run<'a, '_>,
    comparison: Comparison,
    left: &'a Expr,
    right: &'a Expr,
    context: Context,
) -> Evaluated<bool> {
    // `@class = "x"`, without making lists.
    if let (Some(name), Expr::Text(wanted)) = (left.own_attribute(), right) {
        let value = run.own_attribute(context.item, name)?;
        match comparison {
            Comparison::Equal => return Ok(value == Some(wanted)),
            Comparison::Unequal => return Ok(value.is_some_and(|value| *value != **wanted)),
            _ => {}
        }
    }
    let left = run.value(left, context)?;
    let right = run.value(right, context)?;
    values(run, comparison, left, right)
}

pub(super) fn values<'a>(
    run: &mut Run<'a, '_>,
    comparison: Comparison,
    left: Value<'a>,
    right: Value<'a>,
) -> Evaluated<bool> {
    match (left, right) {
        (Value::Nodes(left), Value::Nodes(right)) => two_sets(run, comparison, &left, &right),
        (Value::Nodes(nodes), other) => with_nodes(run, comparison, &nodes, other),
        (other, Value::Nodes(nodes)) => with_nodes(run, comparison.turned(), &nodes, other),
        (left, right) if comparison.is_equality() => {
            let equal = match (left, right) {
                (Value::Boolean(left), right) => left == truth(&right),
                (left, Value::Boolean(right)) => truth(&left) == right,
                (Value::Text(left), Value::Text(right)) => left == right,
                (left, right) => run.value_as_number(left)? == run.value_as_number(right)?,
            };
            Ok(equal == (comparison == Comparison::Equal))
        }
        (left, right) => {
            let left = run.value_as_number(left)?;
            Ok(comparison.numbers(left, run.value_as_number(right)?))
        }
    }
}

fn truth(value: &Value<'_>) -> bool {
    match value {
        Value::Nodes(items) => !items.is_empty(),
        Value::Text(text) => !text.is_empty(),
        Value::Number(number) => *number != 0.0 && !number.is_nan(),
        Value::Boolean(boolean) => *boolean,
    }
}

/// Nodes on the left, something else on the right.
fn with_nodes<'a>(
    run: &mut Run<'a, '_>,
    comparison: Comparison,
    nodes: &[Item],
    other: Value<'a>,
) -> Evaluated<bool> {
    match other {
        Value::Boolean(_) => values(run, comparison, Value::Boolean(!nodes.is_empty()), other),
        Value::Text(wanted) if comparison.is_equality() => {
            for node in nodes {
                let equal = run.string_value(*node)? == wanted;
                if equal == (comparison == Comparison::Equal) {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        other => {
            let wanted = run.value_as_number(other)?;
            for node in nodes {
                if comparison.numbers(to_number(&run.string_value(*node)?), wanted) {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}

fn two_sets<'a>(
    run: &mut Run<'a, '_>,
    comparison: Comparison,
    left: &[Item],
    right: &[Item],
) -> Evaluated<bool> {
    if left.is_empty() || right.is_empty() {
        return Ok(false);
    }
    match comparison {
        Comparison::Equal => {
            let (few, many) = if left.len() <= right.len() { (left, right) } else { (right, left) };
            let mut texts = HashSet::with_capacity(few.len());
            for node in few {
                let text = run.string_value(*node)?;
                // They stay, so each of their bytes is paid for.
                run.fuel.burn(text.len() as u64)?;
                texts.insert(text);
            }
            for node in many {
                if texts.contains(&run.string_value(*node)?) {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        // False only when all texts on both sides are one.
        Comparison::Unequal => {
            let first = run.string_value(left[0])?;
            for node in left.iter().chain(right) {
                if run.string_value(*node)? != first {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        // The best pair decides; what is not a number never fits, and is passed over by min and max.
        _ => {
            let rising = matches!(comparison, Comparison::Less | Comparison::LessOrEqual);
            let (mut best_left, mut best_right) = (f64::NAN, f64::NAN);
            for node in left {
                let number = to_number(&run.string_value(*node)?);
                best_left = if rising { best_left.min(number) } else { best_left.max(number) };
            }
            for node in right {
                let number = to_number(&run.string_value(*node)?);
                best_right = if rising { best_right.max(number) } else { best_right.min(number) };
            }
            Ok(comparison.numbers(best_left, best_right))
        }
    }
}

impl Comparison {
    fn is_equality(self) -> bool {
        matches!(self, Comparison::Equal | Comparison::Unequal)
    }

    /// The same comparison with its sides exchanged.
    fn turned(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessOrEqual => Comparison::GreaterOrEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterOrEqual => Comparison::LessOrEqual,
            same => same,
        }
    }

    fn numbers(self, left: f64, right: f64) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
            Comparison::Less => left < right,
            Comparison::LessOrEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterOrEqual => left >= right,
        }
    }
}
