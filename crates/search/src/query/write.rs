//! A query as text again: what it writes is read back as the same query.

use std::fmt;

use super::{Demand, Form, NEAR_WORDS, Node, Query};

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_node(f, &self.node)
    }
}

fn write_node(f: &mut fmt::Formatter<'_>, node: &Node) -> fmt::Result {
    match node {
        Node::Everything => Ok(()),
        Node::Word { field, text, form } => {
            write_field(f, field.as_deref())?;
            f.write_str(text)?;
            match form {
                Form::Exact => Ok(()),
                Form::Prefix => f.write_str("*"),
                Form::Fuzzy(None) => f.write_str("~"),
                Form::Fuzzy(Some(distance)) => write!(f, "~{distance}"),
            }
        }
        Node::Phrase { field, text } => {
            write_field(f, field.as_deref())?;
            write!(f, "\"{text}\"")
        }
        Node::Span { field, from: Some(from), to: None, open: true } => write!(f, "{field}:>{from}"),
        Node::Span { field, from: None, to: Some(to), open: true } => write!(f, "{field}:<{to}"),
        Node::Span { field, from, to, .. } => {
            let end = |end: &Option<String>| end.clone().unwrap_or_default();
            write!(f, "{field}:{}..{}", end(from), end(to))
        }
        Node::Filter { filter, value } if value.is_empty() || value.contains([' ', '(', ')', '\t']) => {
            write!(f, "{}:\"{value}\"", filter.name())
        }
        Node::Filter { filter, value } => write!(f, "{}:{value}", filter.name()),
        Node::And(parts) => write_joined(f, parts, " AND "),
        Node::Or(parts) => write_joined(f, parts, " OR "),
        Node::Xor(parts) => write_joined(f, parts, " XOR "),
        Node::Not(inner) => {
            f.write_str("NOT ")?;
            write_part(f, inner)
        }
        Node::Near { left, right, distance } => {
            write_part(f, left)?;
            if *distance == NEAR_WORDS {
                f.write_str(" NEAR ")?
            } else {
                write!(f, " NEAR/{distance} ")?
            }
            write_part(f, right)
        }
        Node::Loose(parts) => {
            for (at, (demand, part)) in parts.iter().enumerate() {
                let sign = match demand {
                    Demand::May => "",
                    Demand::Must => "+",
                    Demand::MustNot => "-",
                };
                write!(f, "{}{sign}", if at == 0 { "" } else { " " })?;
                write_part(f, part)?;
            }
            Ok(())
        }
    }
}

fn write_field(f: &mut fmt::Formatter<'_>, field: Option<&str>) -> fmt::Result {
    field.map_or(Ok(()), |field| write!(f, "{field}:"))
}

fn write_joined(f: &mut fmt::Formatter<'_>, parts: &[Query], operator: &str) -> fmt::Result {
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            f.write_str(operator)?;
        }
        write_part(f, part)?;
    }
    Ok(())
}

/// In parentheses wherever it is more than one thing: more than needed, never fewer.
fn write_part(f: &mut fmt::Formatter<'_>, query: &Query) -> fmt::Result {
    match query.node {
        Node::Word { .. } | Node::Phrase { .. } | Node::Span { .. } | Node::Filter { .. } => {
            write_node(f, &query.node)
        }
        _ => {
            f.write_str("(")?;
            write_node(f, &query.node)?;
            f.write_str(")")
        }
    }
}
