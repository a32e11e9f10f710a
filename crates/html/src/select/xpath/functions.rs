//! The core functions.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::evaluate::{Context, Evaluated, Run, Value};
use super::number::{round, to_number};
use super::plan::{Expr, Type};
use super::walk::{Item, Thing, attribute_name};
use crate::select::{XLINK_NAMESPACE, XML_NAMESPACE};
use crate::tree::Data;
use crate::{Space, Tree};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Boolean,
    Ceiling,
    Concat,
    Contains,
    Count,
    False,
    Floor,
    Id,
    Lang,
    Last,
    LocalName,
    Name,
    NamespaceUri,
    NormalizeSpace,
    Not,
    Number,
    Position,
    Round,
    StartsWith,
    String,
    StringLength,
    Substring,
    SubstringAfter,
    SubstringBefore,
    Sum,
    Translate,
    True,
}

/// Name, function, what it gives, fewest and most arguments.
const FUNCTIONS: [(&str, Function, Type, usize, usize); 27] = [
    ("boolean", Function::Boolean, Type::Boolean, 1, 1),
    ("ceiling", Function::Ceiling, Type::Number, 1, 1),
    ("concat", Function::Concat, Type::Text, 2, usize::MAX),
    ("contains", Function::Contains, Type::Boolean, 2, 2),
    ("count", Function::Count, Type::Number, 1, 1),
    ("false", Function::False, Type::Boolean, 0, 0),
    ("floor", Function::Floor, Type::Number, 1, 1),
    ("id", Function::Id, Type::Nodes, 1, 1),
    ("lang", Function::Lang, Type::Boolean, 1, 1),
    ("last", Function::Last, Type::Number, 0, 0),
    ("local-name", Function::LocalName, Type::Text, 0, 1),
    ("name", Function::Name, Type::Text, 0, 1),
    ("namespace-uri", Function::NamespaceUri, Type::Text, 0, 1),
    ("normalize-space", Function::NormalizeSpace, Type::Text, 0, 1),
    ("not", Function::Not, Type::Boolean, 1, 1),
    ("number", Function::Number, Type::Number, 0, 1),
    ("position", Function::Position, Type::Number, 0, 0),
    ("round", Function::Round, Type::Number, 1, 1),
    ("starts-with", Function::StartsWith, Type::Boolean, 2, 2),
    ("string", Function::String, Type::Text, 0, 1),
    ("string-length", Function::StringLength, Type::Number, 0, 1),
    ("substring", Function::Substring, Type::Text, 2, 3),
    ("substring-after", Function::SubstringAfter, Type::Text, 2, 2),
    ("substring-before", Function::SubstringBefore, Type::Text, 2, 2),
    ("sum", Function::Sum, Type::Number, 1, 1),
    ("translate", Function::Translate, Type::Text, 3, 3),
    ("true", Function::True, Type::Boolean, 0, 0),
];

impl Function {
    pub(super) fn named(name: &str) -> Option<Function> {
        FUNCTIONS.iter().find(|(known, ..)| *known == name).map(|(_, function, ..)| *function)
    }

    pub(super) fn kind(self) -> Type {
        FUNCTIONS[self as usize].2
    }

    /// How many arguments it takes, at least and at most.
    pub(super) fn arguments(self) -> (usize, usize) {
        let (.., least, most) = FUNCTIONS[self as usize];
        (least, most)
    }

    /// Whether an argument must be nodes.
    pub(super) fn wants_nodes(self, _place: usize) -> bool {
        matches!(
            self,
            Function::Count | Function::Sum | Function::LocalName | Function::Name | Function::NamespaceUri
        )
    }
}

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

impl<'a> Run<'a, '_> {
    pub(super) fn call(
        &mut self,
        function: Function,
        arguments: &'a [Expr],
        context: Context,
    ) -> Evaluated<Value<'a>> {
        Ok(match function {
            Function::True => Value::Boolean(true),
            Function::False => Value::Boolean(false),
            Function::Boolean => Value::Boolean(self.boolean(&arguments[0], context)?),
            Function::Not => Value::Boolean(!self.boolean(&arguments[0], context)?),
            Function::Lang => {
                let wanted = self.text(&arguments[0], context)?;
                Value::Boolean(self.lang(&wanted, context.item)?)
            }
            Function::Contains | Function::StartsWith => {
                let (text, part) = self.two_texts(arguments, context)?;
                Value::Boolean(match function {
                    Function::Contains => text.contains(&*part),
                    _ => text.starts_with(&*part),
                })
            }
            Function::Position => Value::Number(context.position as f64),
            Function::Last => Value::Number(context.size as f64),
            Function::Count => Value::Number(self.nodes(&arguments[0], context)?.len() as f64),
            Function::Sum => {
                let mut sum = 0.0;
                for item in self.nodes(&arguments[0], context)? {
                    sum += to_number(&self.string_value(item)?);
                }
                Value::Number(sum)
            }
            Function::Number => Value::Number(match arguments.first() {
                Some(argument) => self.number(argument, context)?,
                None => to_number(&self.string_value(context.item)?),
            }),
            Function::Ceiling => Value::Number(self.number(&arguments[0], context)?.ceil()),
            Function::Floor => Value::Number(self.number(&arguments[0], context)?.floor()),
            Function::Round => Value::Number(round(self.number(&arguments[0], context)?)),
            Function::StringLength => {
                Value::Number(self.text_or_own(arguments, context)?.chars().count() as f64)
            }
            Function::String => Value::Text(self.text_or_own(arguments, context)?),
            Function::NormalizeSpace => {
                let text = self.text_or_own(arguments, context)?;
                Value::Text(normalize(text))
            }
            Function::Concat => {
                let mut whole = String::new();
                for argument in arguments {
                    let text = self.text(argument, context)?;
                    self.pay_for_text(whole.len() + text.len(), text.len())?;
                    whole.push_str(&text);
                }
                Value::Text(Cow::Owned(whole))
            }
            Function::Substring => {
                let text = self.text(&arguments[0], context)?;
                let start = round(self.number(&arguments[1], context)?);
                let end = match arguments.get(2) {
                    Some(length) => start + round(self.number(length, context)?),
                    None => f64::INFINITY,
                };
                self.pay_for_text(text.len(), text.len())?;
                let places = text.chars().zip(1_u32..);
                let part = places.filter(|(_, place)| f64::from(*place) >= start && f64::from(*place) < end);
                Value::Text(Cow::Owned(part.map(|(character, _)| character).collect()))
            }
            Function::SubstringAfter => {
                let (text, part) = self.two_texts(arguments, context)?;
                let after = text.find(&*part).map(|at| text[at + part.len()..].to_owned());
                Value::Text(Cow::Owned(after.unwrap_or_default()))
            }
            Function::SubstringBefore => {
                let (text, part) = self.two_texts(arguments, context)?;
                let before = text.find(&*part).map(|at| text[..at].to_owned());
                Value::Text(Cow::Owned(before.unwrap_or_default()))
            }
            Function::Translate => {
                let text = self.text(&arguments[0], context)?;
                let from = self.text(&arguments[1], context)?;
                let to = self.text(&arguments[2], context)?;
                self.pay_for_text(text.len(), text.len() + from.len() + to.len())?;
                Value::Text(Cow::Owned(translate(&text, &from, &to)))
            }
            Function::LocalName | Function::Name | Function::NamespaceUri => {
                let item = match arguments.first() {
                    Some(argument) => self.nodes(argument, context)?.first().copied(),
                    None => Some(context.item),
                };
                let name = item.map_or_else(String::new, |item| name(self.tree, function, item));
                Value::Text(Cow::Owned(name))
            }
            Function::Id => Value::Nodes(self.id(&arguments[0], context)?),
        })
    }

    fn text_or_own(&mut self, arguments: &'a [Expr], context: Context) -> Evaluated<Cow<'a, str>> {
        let text = match arguments.first() {
            Some(argument) => self.text(argument, context)?,
            None => self.string_value(context.item)?,
        };
        self.pay_for_text(text.len(), text.len())?;
        Ok(text)
    }

    fn two_texts(
        &mut self,
        arguments: &'a [Expr],
        context: Context,
    ) -> Evaluated<(Cow<'a, str>, Cow<'a, str>)> {
        let text = self.text(&arguments[0], context)?;
        let part = self.text(&arguments[1], context)?;
        self.pay_for_text(text.len(), text.len() + part.len())?;
        Ok((text, part))
    }

    /// Whether the nearest `xml:lang` says this language or one of its kind.
    fn lang(&mut self, wanted: &str, item: Item) -> Evaluated<bool> {
        let mut at = Some(item.id());
        while let Some(id) = at {
            self.fuel.burn(1)?;
            let node = &self.tree.nodes[id as usize];
            if let Data::Element { attributes, .. } = node.data {
                let mut attributes = self.tree.attributes[attributes.range()].iter();
                let said = attributes.find(|attribute| attribute_name(attribute) == (Some("xml"), "lang"));
                if let Some(attribute) = said {
                    let said = &self.tree.text[attribute.value.range()];
                    let begins =
                        said.get(..wanted.len()).is_some_and(|start| start.eq_ignore_ascii_case(wanted));
                    return Ok(begins && matches!(said.as_bytes().get(wanted.len()), None | Some(b'-')));
                }
            }
            at = node.parent.get();
        }
        Ok(false)
    }

    /// Elements by the ids named in a text, or in the texts of nodes. Of several with one id, the first.
    fn id(&mut self, argument: &'a Expr, context: Context) -> Evaluated<Vec<Item>> {
        let mut texts = Vec::new();
        match self.value(argument, context)? {
            Value::Nodes(items) => {
                for item in items {
                    let text = self.string_value(item)?;
                    self.fuel.burn(text.len() as u64)?;
                    texts.push(text);
                }
            }
            Value::Text(text) => texts.push(text),
            _ => texts.push(self.text(argument, context)?),
        }
        let mut wanted: HashSet<&str> =
            texts.iter().flat_map(|text| text.split(BLANKS)).filter(|id| !id.is_empty()).collect();
        let mut found = Vec::new();
        self.fuel.burn(self.tree.len() as u64)?;
        for (id, node) in (0..).zip(&self.tree.nodes) {
            if wanted.is_empty() {
                break;
            }
            let Data::Element { attributes, name, .. } = &node.data else { continue };
            // As libxml2 has it for pages: `<a name>` is an id too.
            let is_id = |attribute: &str| attribute == "id" || (attribute == "name" && &**name == "a");
            let ids = self.tree.attributes[attributes.range()].iter();
            let ids = ids.filter(|attribute| attribute.space == Space::None && is_id(&attribute.name));
            let mut matched = false;
            for attribute in ids {
                matched |= wanted.remove(&self.tree.text[attribute.value.range()]);
            }
            if matched {
                found.push(Item::node(id));
            }
        }
        Ok(found)
    }
}

fn normalize(text: Cow<'_, str>) -> Cow<'_, str> {
    let is_normal = !text.contains(['\t', '\r', '\n'])
        && !text.contains("  ")
        && !text.starts_with(' ')
        && !text.ends_with(' ');
    if is_normal {
        return text;
    }
    let mut normal = String::with_capacity(text.len());
    for word in text.split(BLANKS).filter(|word| !word.is_empty()) {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.push_str(word);
    }
    Cow::Owned(normal)
}

fn translate(text: &str, from: &str, to: &str) -> String {
    let mut table = HashMap::new();
    let mut to = to.chars();
    for character in from.chars() {
        let replacement = to.next();
        // Of several, the first says what becomes of it.
        table.entry(character).or_insert(replacement);
    }
    text.chars().filter_map(|character| table.get(&character).copied().unwrap_or(Some(character))).collect()
}

fn name(tree: &Tree, function: Function, item: Item) -> String {
    let (prefix, local) = match item.thing(tree) {
        Thing::Node(Data::Element { name, .. }) => (None, &**name),
        Thing::Attribute(attribute) => attribute_name(attribute),
        Thing::Namespace if function == Function::NamespaceUri => (None, ""),
        Thing::Namespace => (None, "xml"),
        Thing::Node(_) => (None, ""),
    };
    match (function, prefix) {
        (Function::NamespaceUri, Some("xml")) => XML_NAMESPACE.to_owned(),
        (Function::NamespaceUri, Some("xlink")) => XLINK_NAMESPACE.to_owned(),
        (Function::NamespaceUri, _) => String::new(),
        (Function::Name, Some(prefix)) => format!("{prefix}:{local}"),
        _ => local.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_functions() {
        for (place, (name, function, ..)) in FUNCTIONS.iter().enumerate() {
            assert_eq!(*function as usize, place, "{name}");
        }
    }
}
