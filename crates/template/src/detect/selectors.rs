//! Expressions that select exactly what was found, as short and robust as they can be.
//!
//! Candidates are tried from the plainest to the most special; one is taken only when the crawl's own engine selects
//! with it exactly the rows, or in every row exactly the field, that detection found.

use html::select::{Fuel, Selected, Selector};
use html::{NodeId, Tree};

use super::groups::{Group, Item};
use super::leaves::Column;
use super::naming::is_hashed;
use super::outline::Outline;

/// An expression in one of the two languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// CSS.
    Css(String),
    /// XPath.
    XPath(String),
}

impl Expression {
    /// The text of a CSS expression.
    pub fn as_css(&self) -> Option<&str> {
        match self {
            Expression::Css(text) => Some(text),
            Expression::XPath(_) => None,
        }
    }

    /// The expression as written.
    pub fn as_str(&self) -> &str {
        let (Expression::Css(text) | Expression::XPath(text)) = self;
        text
    }

    pub(super) fn compile(&self) -> Option<Selector> {
        match self {
            Expression::Css(text) => Selector::css(text).ok(),
            Expression::XPath(text) => Selector::xpath(text).ok(),
        }
    }
}

const FUEL: u64 = 2_000_000;
const MOST_ROW_CANDIDATES: usize = 120;

/// The expression that selects the group's rows and nothing else.
pub(super) fn of_rows(outline: &Outline<'_>, group: &Group) -> Option<Expression> {
    let rows: Vec<NodeId> = group.rows.iter().map(|row| row.node).collect();
    let selects_rows = |expression: &Expression| {
        expression
            .compile()
            .is_some_and(|selector| nodes(&selector, outline.tree, outline.tree.root()) == rows)
    };
    let candidates = row_candidates(outline, &rows).into_iter().take(MOST_ROW_CANDIDATES);
    candidates.map(Expression::Css).find(selects_rows)
}

/// The expression that, in each row, selects what the column has there: exactly, or as the first.
pub(super) fn of_column(outline: &Outline<'_>, group: &Group, column: &Column) -> Option<Expression> {
    let candidates = column_candidates(outline, group, column);
    let fits = |exactly: bool| {
        candidates.iter().find(|candidate| {
            let Some(selector) = candidate.compile() else { return false };
            group.rows.iter().zip(&column.nodes).all(|(row, wanted)| {
                let found = nodes(&selector, outline.tree, row.node);
                if exactly || column.many || wanted.is_empty() {
                    found == *wanted
                } else {
                    found.first() == wanted.first()
                }
            })
        })
    };
    fits(true).or_else(|| fits(false)).cloned()
}

/// The elements an expression selects below `from`.
pub(super) fn nodes(selector: &Selector, tree: &Tree, from: NodeId) -> Vec<NodeId> {
    match selector.select(tree, from, &mut Fuel::new(FUEL)) {
        Ok(Selected::Nodes(found)) => found.iter().map(|found| found.node()).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn row_candidates(outline: &Outline<'_>, rows: &[NodeId]) -> Vec<String> {
    let own = simple_forms(outline, rows);
    let mut candidates = own.clone();
    // What stands around all rows: each element's plainest forms, nearest first.
    let mut around: Vec<Vec<String>> = Vec::new();
    let mut level: Vec<NodeId> = rows.to_vec();
    for _ in 0..6 {
        level = level.iter().filter_map(|node| outline.tree.parent(*node)).collect();
        level.dedup();
        if level.is_empty() || level.iter().any(|node| outline.tree.name(*node).is_none()) {
            break;
        }
        around.push(simple_forms(outline, &level));
    }
    let told_apart = inner_marks(outline, rows);
    for parent in around.first().into_iter().flatten() {
        candidates.extend(own.iter().map(|own| format!("{parent} > {own}")));
    }
    candidates.extend(own.iter().flat_map(|own| told_apart.iter().map(move |mark| format!("{own}{mark}"))));
    for outer in around.iter().skip(1).flatten() {
        candidates.extend(own.iter().take(3).map(|own| format!("{outer} {own}")));
    }
    for (outer, parent) in pairs(&around) {
        candidates.extend(own.iter().take(2).map(|own| format!("{outer} > {parent} > {own}")));
        candidates.extend(own.iter().take(2).map(|own| format!("{outer} {parent} > {own}")));
    }
    for parent in around.first().into_iter().flatten() {
        for own in own.iter().take(3) {
            candidates.extend(told_apart.iter().map(|mark| format!("{parent} > {own}{mark}")));
        }
    }
    // The last resort: the place of the list's own container among its siblings.
    if let (Some(container), Some(own)) = (common_parent(outline, rows), own.last()) {
        let name = outline.tree.name(container).unwrap_or("*");
        let place = format!("{name}:nth-of-type({})", nth_of_type(outline, container));
        candidates.push(format!("{place} > {own}"));
        candidates
            .extend(around.get(1).into_iter().flatten().map(|outer| format!("{outer} > {place} > {own}")));
        candidates.extend(told_apart.iter().map(|mark| format!("{place} > {own}{mark}")));
    }
    let mut seen = std::collections::HashSet::new();
    candidates.retain(|candidate| seen.insert(candidate.clone()));
    candidates
}

fn pairs(around: &[Vec<String>]) -> Vec<(&String, &String)> {
    let parents = around.first().into_iter().flatten().take(3);
    parents
        .flat_map(|parent| around.iter().skip(1).flatten().take(8).map(move |outer| (outer, parent)))
        .collect()
}

/// The plainest ways to name elements that all of them share: class, id, role, tag, tag with class.
fn simple_forms(outline: &Outline<'_>, nodes: &[NodeId]) -> Vec<String> {
    let Some(&first) = nodes.first() else { return Vec::new() };
    let tree = outline.tree;
    let name = tree.name(first).unwrap_or("*");
    let mut forms = Vec::new();
    let shared = |attribute: &str| {
        let value = tree.attribute(first, attribute)?;
        let plain = !value.is_empty() && value.chars().all(|c| c.is_alphanumeric() || "-_: ".contains(c));
        (plain && nodes.iter().all(|node| tree.attribute(*node, attribute) == Some(value))).then_some(value)
    };
    if let Some(id) = shared("id").filter(|id| nodes.len() == 1 && is_plain(id) && !is_hashed(id)) {
        forms.push(format!("#{id}"));
    }
    for attribute in ["itemprop", "itemtype", "role", "data-testid"] {
        forms.extend(shared(attribute).map(|value| format!("[{attribute}=\"{value}\"]")));
    }
    let classes = outline.classes(first).filter(|class| {
        is_plain(class)
            && !is_hashed(class)
            && nodes.iter().all(|node| outline.classes(*node).any(|own| own == *class))
    });
    let classes: Vec<&str> = classes.collect();
    forms.extend(classes.iter().map(|class| format!("{name}.{class}")));
    forms.extend(classes.iter().map(|class| format!(".{class}")));
    if let [one, two, ..] = classes[..] {
        forms.push(format!("{name}.{one}.{two}"));
    }
    forms.push(name.to_owned());
    forms
}

/// Marks that all rows have inside and that may tell them from what is no row.
pub(super) fn inner_marks(outline: &Outline<'_>, rows: &[NodeId]) -> Vec<String> {
    let Some(&first) = rows.first() else { return Vec::new() };
    let tree = outline.tree;
    let mut marks = Vec::new();
    for inner in tree.descendants(first).filter(|inner| tree.name(*inner).is_some()).take(40) {
        let name = tree.name(inner).unwrap_or("*");
        let class = outline.classes(inner).find(|class| is_plain(class) && !is_hashed(class));
        let form = class.map_or_else(|| name.to_owned(), |class| format!("{name}.{class}"));
        let has = |row: &NodeId| {
            tree.descendants(*row).any(|other| {
                tree.name(other) == Some(name)
                    && class.is_none_or(|class| outline.classes(other).any(|own| own == class))
            })
        };
        if rows.iter().all(has) {
            marks.push(format!(":has({form})"));
        }
    }
    // Rows of a table: so many cells.
    let cells = outline.children(first).count();
    if cells > 1 {
        marks.push(format!(":has(> :nth-child({cells}))"));
        marks.push(format!(":has(> td:nth-child({cells}))"));
    }
    marks.dedup();
    marks.truncate(8);
    marks
}

pub(super) fn column_candidates(outline: &Outline<'_>, group: &Group, column: &Column) -> Vec<Expression> {
    let nodes: Vec<NodeId> = column.nodes.iter().flatten().copied().collect();
    let Some(&first) = nodes.first() else { return Vec::new() };
    let Some((row, _)) = group.rows.iter().zip(&column.nodes).find(|(_, nodes)| nodes.contains(&first))
    else {
        return Vec::new();
    };
    if first == row.node {
        return vec![Expression::XPath(".".to_owned())];
    }
    if let Some(at) = row.tail.iter().position(|sibling| is_inside(outline.tree, first, *sibling)) {
        return tail_candidates(outline, row, at, first);
    }
    let own = simple_forms(outline, &nodes);
    let mut css = own.clone();
    let parents: Vec<NodeId> = nodes.iter().filter_map(|node| outline.tree.parent(*node)).collect();
    let name = outline.tree.name(first).unwrap_or("*");
    let nth = nth_of_type(outline, first);
    let numbered = format!("{name}:nth-of-type({nth})");
    if outline.tree.parent(first) != Some(row.node) {
        for parent in simple_forms(outline, &parents) {
            css.extend(own.iter().map(|own| format!("{parent} > {own}")));
        }
        let grandparents: Vec<NodeId> =
            parents.iter().filter_map(|node| outline.tree.parent(*node)).collect();
        if grandparents.first() != Some(&row.node) {
            for outer in simple_forms(outline, &grandparents) {
                css.extend(own.iter().map(|own| format!("{outer} {own}")));
            }
        }
        let parent = parents.first().map(|parent| {
            let name = outline.tree.name(*parent).unwrap_or("*");
            format!("{name}:nth-of-type({})", nth_of_type(outline, *parent))
        });
        css.push(numbered.clone());
        css.extend(simple_forms(outline, &parents).iter().map(|parent| format!("{parent} > {numbered}")));
        css.extend(
            parent.iter().flat_map(|parent| [format!("{parent} > {name}"), format!("{parent} > {numbered}")]),
        );
    } else {
        css.push(numbered);
        css.push(format!("{name}:last-of-type"));
    }
    let mut candidates: Vec<Expression> = css.into_iter().map(Expression::Css).collect();
    candidates.push(Expression::XPath(path_from(outline, row.node, first)));
    candidates
}

/// What follows a head: the n-th sibling, with none but the row's own before it.
fn tail_candidates(outline: &Outline<'_>, row: &Item, at: usize, node: NodeId) -> Vec<Expression> {
    let tree = outline.tree;
    let sibling = row.tail[at];
    let name = tree.name(sibling).unwrap_or("*");
    let head = tree.name(row.node).unwrap_or("*");
    // No other head may stand between the row's own and this one.
    let mut own: String = format!("following-sibling::*[{}][self::{name}]", at + 1);
    for back in 1..=at {
        own.push_str(&format!("[not(preceding-sibling::*[{back}][self::{head}])]"));
    }
    let below =
        if node == sibling { String::new() } else { path_from(outline, sibling, node).replacen('.', "", 1) };
    vec![Expression::XPath(format!("{own}{below}"))]
}

/// `./div[2]/a`: the way from a row to an element, with numbers only where siblings share the name.
pub(super) fn path_from(outline: &Outline<'_>, row: NodeId, node: NodeId) -> String {
    let mut steps = Vec::new();
    let mut at = node;
    while at != row {
        let name = outline.tree.name(at).unwrap_or("*");
        let Some(parent) = outline.tree.parent(at) else { break };
        let alike = outline.children(parent).filter(|child| outline.tree.name(*child) == Some(name)).count();
        steps.push(if alike > 1 {
            format!("/{name}[{}]", nth_of_type(outline, at))
        } else {
            format!("/{name}")
        });
        at = parent;
    }
    steps.reverse();
    format!(".{}", steps.concat())
}

fn nth_of_type(outline: &Outline<'_>, node: NodeId) -> usize {
    let name = outline.tree.name(node);
    let before = std::iter::successors(outline.tree.previous(node), |at| outline.tree.previous(*at));
    1 + before.filter(|sibling| name.is_some() && outline.tree.name(*sibling) == name).count()
}

fn common_parent(outline: &Outline<'_>, rows: &[NodeId]) -> Option<NodeId> {
    let parent = outline.tree.parent(*rows.first()?)?;
    rows.iter().all(|row| outline.tree.parent(*row) == Some(parent)).then_some(parent)
}

fn is_inside(tree: &Tree, node: NodeId, outer: NodeId) -> bool {
    std::iter::successors(Some(node), |at| tree.parent(*at)).any(|at| at == outer)
}

/// True for names that need no escape in CSS.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}
