//! Carries a plan out on a tree.
//!
//! A step takes a list of nodes, in document order and none twice, to the next such list. Where the position on
//! the axis does not matter, nodes that several of them would lead to are walked once, so that `//div//div//a`
//! looks at each node once per step.

use std::borrow::Cow;

use html5ever::LocalName;

use super::number::to_number;
use super::plan::{Axis, Calculation, Expr, Path, Predicate, Start, Step, Test};
use super::walk::{Item, Thing, Walk, has_plain_name, passes};
use super::{compare, number};
use crate::Tree;
use crate::select::{Fuel, OutOfFuel, XML_NAMESPACE};
use crate::tree::Data;

/// Longest text that is made.
const MAX_TEXT: usize = 64 << 20;

/// Bytes of text that cost one step.
const BYTES_A_STEP: usize = 8;

/// One evaluation.
pub(super) struct Run<'a, 'f> {
    pub(super) tree: &'a Tree,
    pub(super) fuel: &'f mut Fuel,
}

/// Where an expression is evaluated.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) item: Item,
    pub(super) position: usize,
    pub(super) size: usize,
}

pub(super) enum Value<'a> {
    /// In document order, none twice.
    Nodes(Vec<Item>),
    Text(Cow<'a, str>),
    Number(f64),
    Boolean(bool),
}

pub(super) type Evaluated<T> = Result<T, OutOfFuel>;

impl<'a> Run<'a, '_> {
    pub(super) fn value(&mut self, expr: &'a Expr, context: Context) -> Evaluated<Value<'a>> {
        self.fuel.burn(1)?;
        Ok(match expr {
            Expr::Number(number) => Value::Number(*number),
            Expr::Text(text) => Value::Text(Cow::Borrowed(text)),
            Expr::Negate(inner) => Value::Number(-self.number(inner, context)?),
            Expr::Or(parts) => {
                for part in parts {
                    if self.boolean(part, context)? {
                        return Ok(Value::Boolean(true));
                    }
                }
                Value::Boolean(false)
            }
            Expr::And(parts) => {
                for part in parts {
                    if !self.boolean(part, context)? {
                        return Ok(Value::Boolean(false));
                    }
                }
                Value::Boolean(true)
            }
            Expr::Compare(first, rest) => {
                let mut result = None;
                for (comparison, part) in rest {
                    let holds = match result {
                        None => compare::expressions(self, *comparison, first, part, context)?,
                        Some(result) => {
                            let right = self.value(part, context)?;
                            compare::values(self, *comparison, Value::Boolean(result), right)?
                        }
                    };
                    result = Some(holds);
                }
                Value::Boolean(result.unwrap_or_default())
            }
            Expr::Calculate(first, rest) => {
                let mut result = self.number(first, context)?;
                for (calculation, part) in rest {
                    let right = self.number(part, context)?;
                    result = match calculation {
                        Calculation::Add => result + right,
                        Calculation::Subtract => result - right,
                        Calculation::Multiply => result * right,
                        Calculation::Divide => result / right,
                        Calculation::Remainder => result % right,
                    };
                }
                Value::Number(result)
            }
            Expr::Union(parts) => {
                let mut items = Vec::new();
                for part in parts {
                    items.append(&mut self.nodes(part, context)?);
                }
                self.put_in_order(&mut items)?;
                Value::Nodes(items)
            }
            Expr::Path(path) => Value::Nodes(self.path(path, context, usize::MAX)?),
            Expr::Filter(inner, predicates) => {
                let mut items = self.nodes(inner, context)?;
                for predicate in predicates {
                    self.filter(&mut items, predicate)?;
                }
                Value::Nodes(items)
            }
            Expr::Call(function, arguments) => self.call(*function, arguments, context)?,
        })
    }

    /// The nodes that an expression gives; what gives none is refused when compiled.
    pub(super) fn nodes(&mut self, expr: &'a Expr, context: Context) -> Evaluated<Vec<Item>> {
        match self.value(expr, context)? {
            Value::Nodes(items) => Ok(items),
            _ => Ok(Vec::new()),
        }
    }

    pub(super) fn boolean(&mut self, expr: &'a Expr, context: Context) -> Evaluated<bool> {
        if let Some(name) = expr.own_attribute() {
            return Ok(self.own_attribute(context.item, name)?.is_some());
        }
        if let Expr::Path(path) = expr {
            return Ok(!self.path(path, context, 1)?.is_empty());
        }
        Ok(match self.value(expr, context)? {
            Value::Nodes(items) => !items.is_empty(),
            Value::Text(text) => !text.is_empty(),
            Value::Number(number) => number != 0.0 && !number.is_nan(),
            Value::Boolean(boolean) => boolean,
        })
    }

    pub(super) fn number(&mut self, expr: &'a Expr, context: Context) -> Evaluated<f64> {
        match expr {
            Expr::Number(number) => Ok(*number),
            Expr::Path(_) | Expr::Text(_) => Ok(to_number(&self.text(expr, context)?)),
            _ => {
                let value = self.value(expr, context)?;
                self.value_as_number(value)
            }
        }
    }

    pub(super) fn value_as_number(&mut self, value: Value<'a>) -> Evaluated<f64> {
        Ok(match value {
            Value::Number(number) => number,
            Value::Boolean(boolean) => f64::from(u8::from(boolean)),
            Value::Text(text) => to_number(&text),
            Value::Nodes(items) => match items.first() {
                Some(first) => to_number(&self.string_value(*first)?),
                None => f64::NAN,
            },
        })
    }

    pub(super) fn text(&mut self, expr: &'a Expr, context: Context) -> Evaluated<Cow<'a, str>> {
        if let Some(name) = expr.own_attribute() {
            return Ok(Cow::Borrowed(self.own_attribute(context.item, name)?.unwrap_or_default()));
        }
        let value = match expr {
            Expr::Path(path) => Value::Nodes(self.path(path, context, 1)?),
            _ => self.value(expr, context)?,
        };
        Ok(match value {
            Value::Text(text) => text,
            Value::Number(number) => Cow::Owned(number::to_text(number)),
            Value::Boolean(true) => Cow::Borrowed("true"),
            Value::Boolean(false) => Cow::Borrowed("false"),
            Value::Nodes(items) => match items.first() {
                Some(first) => self.string_value(*first)?,
                None => Cow::Borrowed(""),
            },
        })
    }

    pub(super) fn string_value(&mut self, item: Item) -> Evaluated<Cow<'a, str>> {
        let tree = self.tree;
        self.fuel.burn(1)?;
        let text = match item.thing(tree) {
            Thing::Attribute(attribute) => &tree.text[attribute.value.range()],
            Thing::Namespace => XML_NAMESPACE,
            Thing::Node(Data::Text(span) | Data::Comment(span)) => &tree.text[span.range()],
            Thing::Node(Data::Doctype(_)) => "",
            Thing::Node(Data::Document | Data::Element { .. }) => return self.text_under(item.id()),
        };
        Ok(Cow::Borrowed(text))
    }

    fn text_under(&mut self, id: u32) -> Evaluated<Cow<'a, str>> {
        let tree = self.tree;
        let end = tree.nodes[id as usize].end;
        self.fuel.burn(u64::from(end - id))?;
        let mut under = Cow::Borrowed("");
        for node in &tree.nodes[id as usize..end as usize] {
            let Data::Text(span) = node.data else { continue };
            let text = &tree.text[span.range()];
            if under.is_empty() {
                under = Cow::Borrowed(text);
            } else {
                self.pay_for_text(under.len() + text.len(), text.len())?;
                under.to_mut().push_str(text);
            }
        }
        Ok(under)
    }

    /// Pays for `new` more bytes of a text that will have `whole`.
    pub(super) fn pay_for_text(&mut self, whole: usize, new: usize) -> Evaluated<()> {
        if whole > MAX_TEXT {
            return Err(OutOfFuel);
        }
        self.fuel.burn((new / BYTES_A_STEP) as u64)
    }

    /// The value of an element's attribute without prefix.
    pub(super) fn own_attribute(&mut self, item: Item, wanted: &LocalName) -> Evaluated<Option<&'a str>> {
        self.fuel.burn(1)?;
        let tree = self.tree;
        let Thing::Node(Data::Element { attributes, .. }) = item.thing(tree) else { return Ok(None) };
        let mut attributes = tree.attributes[attributes.range()].iter();
        let attribute = attributes.find(|attribute| has_plain_name(attribute, wanted));
        Ok(attribute.map(|attribute| &tree.text[attribute.value.range()]))
    }

    /// What a path leads to. When only the first `wanted` nodes are asked for, there may be more or fewer than
    /// all, but these are among them and in front.
    fn path(&mut self, path: &'a Path, context: Context, wanted: usize) -> Evaluated<Vec<Item>> {
        let one = [match path.start {
            Start::Root => Item::node(0),
            _ => context.item,
        }];
        let Some((last, steps)) = path.steps.split_last() else { return Ok(one.to_vec()) };
        let mut items = match &path.start {
            Start::Expr(start) => Some(self.nodes(start, context)?),
            _ => None,
        };
        for step in steps {
            items = Some(self.step(step, items.as_deref().unwrap_or(&one), usize::MAX)?);
        }
        self.step(last, items.as_deref().unwrap_or(&one), wanted)
    }

    fn step(&mut self, step: &'a Step, contexts: &[Item], wanted: usize) -> Evaluated<Vec<Item>> {
        let mut found = Vec::new();
        if step.is_positional() {
            self.positional(step, contexts, &mut found)?;
        } else {
            self.unordered(step, contexts, wanted, &mut found)?;
        }
        self.put_in_order(&mut found)?;
        Ok(found)
    }

    /// A step whose predicates count: each context node on its own.
    fn positional(&mut self, step: &'a Step, contexts: &[Item], found: &mut Vec<Item>) -> Evaluated<()> {
        let most = match step.predicates.first() {
            Some(Predicate::At(position)) => *position,
            _ => usize::MAX,
        };
        let mut near = Vec::new();
        for context in contexts {
            near.clear();
            let mut walk = Walk::new(self.tree, step.axis, *context);
            while near.len() < most
                && let Some(item) = walk.next(self.tree)
            {
                self.fuel.burn(1)?;
                if passes(self.tree, step.axis, &step.test, item) {
                    near.push(item);
                }
            }
            for predicate in &step.predicates {
                self.filter(&mut near, predicate)?;
            }
            found.extend_from_slice(&near);
        }
        Ok(())
    }

    /// A step without positions: what several context nodes lead to is walked once.
    fn unordered(
        &mut self,
        step: &'a Step,
        contexts: &[Item],
        wanted: usize,
        found: &mut Vec<Item>,
    ) -> Evaluated<()> {
        let several = contexts.len() > 1;
        match step.axis {
            Axis::Following if several => {
                let first = contexts.iter().min_by_key(|item| self.tree.nodes[item.id() as usize].end);
                self.unordered(step, first.map_or(&[], std::slice::from_ref), wanted, found)
            }
            Axis::Preceding if several => {
                self.unordered(step, &contexts[contexts.len() - 1..], wanted, found)
            }
            Axis::Descendant | Axis::DescendantOrSelf => {
                // Nothing before this id is left to visit: nested contexts are part of those around them.
                let mut done = 0;
                for context in contexts {
                    match Walk::new(self.tree, step.axis, *context) {
                        Walk::Range { at, end } => {
                            self.range(step, at.max(done), end, wanted, found)?;
                            done = done.max(end);
                        }
                        walk => self.along(step, walk, wanted, &mut None, found)?,
                    }
                }
                Ok(())
            }
            _ => {
                let shared = matches!(
                    step.axis,
                    Axis::Ancestor | Axis::AncestorOrSelf | Axis::FollowingSibling | Axis::PrecedingSibling
                );
                let mut walked = (several && shared).then(|| Marks::new(self.tree.len()));
                if walked.is_some() {
                    self.fuel.burn(self.tree.len() as u64 / 512)?;
                }
                let mut last_parent = None;
                // Reverse axes end with what is first in the document.
                let forward = matches!(
                    step.axis,
                    Axis::Child | Axis::Attribute | Axis::FollowingSibling | Axis::Following
                );
                let wanted = if forward && !several { wanted } else { usize::MAX };
                for context in contexts {
                    let walk = Walk::new(self.tree, step.axis, *context);
                    if let (Axis::Parent, Walk::One(parent)) = (step.axis, &walk) {
                        if *parent == last_parent {
                            continue;
                        }
                        last_parent = *parent;
                    }
                    self.along(step, walk, wanted, &mut walked, found)?;
                }
                Ok(())
            }
        }
    }

    /// Takes what passes of a walk, up to what has been walked before.
    fn along(
        &mut self,
        step: &'a Step,
        mut walk: Walk,
        wanted: usize,
        walked: &mut Option<Marks>,
        found: &mut Vec<Item>,
    ) -> Evaluated<()> {
        while found.len() < wanted
            && let Some(item) = walk.next(self.tree)
        {
            self.fuel.burn(1)?;
            if let Some(walked) = walked
                && item.is_node()
                && walked.mark(item.id())
            {
                break;
            }
            if passes(self.tree, step.axis, &step.test, item) && self.holds(step, item)? {
                found.push(item);
            }
        }
        Ok(())
    }

    /// Takes what passes of a run of ids.
    fn range(
        &mut self,
        step: &'a Step,
        start: u32,
        end: u32,
        wanted: usize,
        found: &mut Vec<Item>,
    ) -> Evaluated<()> {
        let nodes = self.tree.nodes.get(start as usize..end as usize).unwrap_or_default();
        for (id, node) in (start..).zip(nodes) {
            // The commonest test, without detours.
            let passed = match (&step.test, &node.data) {
                (Test::Name(wanted), Data::Element { name, .. }) => name == wanted,
                (Test::Name(_), _) => false,
                (test, _) => passes(self.tree, step.axis, test, Item::node(id)),
            };
            if passed && self.holds(step, Item::node(id))? {
                found.push(Item::node(id));
                if found.len() >= wanted {
                    return self.fuel.burn(u64::from(id - start) + 1);
                }
            }
        }
        self.fuel.burn(nodes.len() as u64)
    }

    fn holds(&mut self, step: &'a Step, item: Item) -> Evaluated<bool> {
        for predicate in &step.predicates {
            if let Predicate::Holds(expr) = predicate
                && !self.boolean(expr, Context { item, position: 1, size: 1 })?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Leaves the items for which a predicate is true.
    fn filter(&mut self, items: &mut Vec<Item>, predicate: &'a Predicate) -> Evaluated<()> {
        let size = items.len();
        self.fuel.burn(size as u64)?;
        let mut kept = 0;
        for place in 0..size {
            let item = items[place];
            let context = Context { item, position: place + 1, size };
            let keep = match predicate {
                Predicate::At(position) => context.position == *position,
                Predicate::Last => context.position == size,
                Predicate::Holds(expr) => self.boolean(expr, context)?,
                Predicate::Positional(expr) => match self.value(expr, context)? {
                    Value::Number(number) => number == context.position as f64,
                    Value::Boolean(boolean) => boolean,
                    Value::Text(text) => !text.is_empty(),
                    Value::Nodes(items) => !items.is_empty(),
                },
            };
            if keep {
                items[kept] = item;
                kept += 1;
            }
        }
        items.truncate(kept);
        Ok(())
    }

    fn put_in_order(&mut self, items: &mut Vec<Item>) -> Evaluated<()> {
        if !items.is_sorted_by(|one, other| one < other) {
            self.fuel.burn(items.len() as u64)?;
            items.sort_unstable();
            items.dedup();
        }
        Ok(())
    }
}

/// A set of node ids.
struct Marks(Vec<u64>);

impl Marks {
    fn new(ids: usize) -> Marks {
        Marks(vec![0; ids.div_ceil(64)])
    }

    /// Puts an id in; true when it was there.
    fn mark(&mut self, id: u32) -> bool {
        let (word, bit) = (&mut self.0[id as usize / 64], 1 << (id % 64));
        let was_there = *word & bit != 0;
        *word |= bit;
        was_there
    }
}
