//! The fields of a list: what stands at the same place in its rows.
//!
//! A leaf is a text, a link or a picture inside a row; its place is the path of tags and telling classes from the
//! row down to it. Leaves at one place over all rows are a column. Columns that say the same in every row (buttons),
//! repeat another column or are nearly always missing are dropped.

use std::collections::{BTreeMap, HashMap, HashSet};

use html::NodeId;

use super::groups::{Group, Item};
use super::outline::Outline;

/// What of an element is the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Part {
    Text,
    Attribute(&'static str),
}

/// One column: for each row the elements at its place, none where it is missing.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) part: Part,
    pub(super) nodes: Vec<Vec<NodeId>>,
    pub(super) values: Vec<Vec<String>>,
    /// True when rows have differing numbers of these side by side.
    pub(super) many: bool,
}

impl Column {
    /// Share of the rows that have it.
    pub(super) fn coverage(&self) -> f64 {
        let full = self.values.iter().filter(|values| !values.is_empty()).count();
        full as f64 / self.values.len().max(1) as f64
    }

    /// Every value of every row.
    pub(super) fn all_values(&self) -> impl Iterator<Item = &str> {
        self.values.iter().flatten().map(String::as_str)
    }

    /// Share of different values among those that are there.
    pub(super) fn variety(&self) -> f64 {
        let all: Vec<&str> = self.all_values().collect();
        let different: HashSet<&str> = all.iter().copied().collect();
        different.len() as f64 / all.len().max(1) as f64
    }

    /// An element of the column, for its name and its looks.
    pub(super) fn example(&self) -> Option<NodeId> {
        self.nodes.iter().flatten().next().copied()
    }
}

/// The columns of a list, in the order in which they stand on the page.
pub(super) fn columns(outline: &Outline<'_>, group: &Group) -> Vec<Column> {
    let repeated = repeated_places(outline, group);
    let mut places: BTreeMap<(Vec<Step>, Part), Column> = BTreeMap::new();
    for (row, item) in group.rows.iter().enumerate() {
        for leaf in leaves(outline, item, &repeated) {
            let empty = || Column {
                part: leaf.part,
                nodes: vec![Vec::new(); group.rows.len()],
                values: vec![Vec::new(); group.rows.len()],
                many: false,
            };
            let column = places.entry((leaf.place, leaf.part)).or_insert_with(empty);
            column.nodes[row].push(leaf.node);
            column.values[row].push(leaf.value);
            column.many |= column.nodes[row].len() > 1;
        }
    }
    let mut columns: Vec<Column> =
        places.into_values().filter(|column| is_worth_a_field(column, group)).collect();
    columns.sort_by_key(|column| place_in_row(group, column));
    drop_repeats(&mut columns);
    columns.truncate(MOST_COLUMNS);
    columns
}

const MOST_COLUMNS: usize = 30;
const MOST_LEAVES: usize = 200;

/// One step from a row down to a leaf.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Step {
    name: String,
    class: String,
    /// Which of several alike siblings; 0 where all of them are one column.
    nth: u32,
}

struct Leaf {
    place: Vec<Step>,
    part: Part,
    node: NodeId,
    value: String,
}

/// Places (by tag and class from the row down) where rows have differing numbers of alike siblings.
type Repeated = HashSet<Vec<(String, String)>>;

fn repeated_places(outline: &Outline<'_>, group: &Group) -> Repeated {
    let mut counts: HashMap<Vec<(String, String)>, Vec<u32>> = HashMap::new();
    for (row, item) in group.rows.iter().enumerate() {
        let mut open: Vec<(NodeId, Vec<(String, String)>)> = vec![(item.node, Vec::new())];
        let mut seen = 0;
        while let Some((node, place)) = open.pop() {
            for child in outline.children(node).filter(|child| !outline.is_unread(*child)) {
                seen += 1;
                if seen > MOST_LEAVES {
                    break;
                }
                let mut at = place.clone();
                at.push(looks(outline, child));
                let count = counts.entry(at.clone()).or_default();
                count.resize(row + 1, 0);
                count[row] += 1;
                open.push((child, at));
            }
        }
    }
    let differs = |counts: &Vec<u32>| {
        let most = counts.iter().max().copied().unwrap_or(0);
        // A row may lack the last of a fixed set; three or more, in differing numbers, are a list in the row.
        most >= 2 && counts.iter().any(|count| *count > 0 && *count < most)
    };
    let cells = |place: &Vec<(String, String)>| {
        place.last().is_some_and(|last| matches!(last.0.as_str(), "td" | "th"))
    };
    counts
        .into_iter()
        .filter(|(place, counts)| !cells(place) && differs(counts))
        .map(|(place, _)| place)
        .collect()
}

fn leaves(outline: &Outline<'_>, item: &Item, repeated: &Repeated) -> Vec<Leaf> {
    let mut found = Vec::new();
    let head = if item.tail.is_empty() { Vec::new() } else { vec![step("", "head", 1)] };
    gather(outline, item.node, head, Vec::new(), repeated, false, &mut found);
    for (at, sibling) in item.tail.iter().enumerate() {
        let name = outline.tree.name(*sibling).unwrap_or_default();
        let place = vec![step(name, "", at as u32 + 1)];
        gather(outline, *sibling, place, Vec::new(), &Repeated::new(), false, &mut found);
    }
    found
}

fn gather(
    outline: &Outline<'_>,
    node: NodeId,
    place: Vec<Step>,
    trail: Vec<(String, String)>,
    repeated: &Repeated,
    inside_text: bool,
    found: &mut Vec<Leaf>,
) {
    if outline.is_unread(node) || found.len() >= MOST_LEAVES || place.len() > MOST_LEVELS {
        return;
    }
    let tree = outline.tree;
    let name = tree.name(node).unwrap_or_default();
    let mut leaf = |part, value: String| {
        if !value.is_empty() {
            found.push(Leaf { place: place.clone(), part, node, value });
        }
    };
    if let Some(part) = attribute_part(outline, node) {
        let value = match part {
            Part::Attribute(name) => tree.attribute(node, name).unwrap_or_default().trim().to_owned(),
            Part::Text => String::new(),
        };
        if is_link_worth(name, &value) {
            leaf(part, value);
        }
    }
    let has_words = outline.has_own_words(node);
    let dated = name == "time" && tree.attribute(node, "datetime").is_some();
    if has_words && !dated && (!inside_text || tells_more(outline, node)) {
        leaf(Part::Text, outline.words(node));
    }
    let inside_text = inside_text || has_words;
    let mut numbers: HashMap<(String, String), u32> = HashMap::new();
    for child in outline.children(node) {
        let looks = looks(outline, child);
        let number = numbers.entry(looks.clone()).or_default();
        *number += 1;
        let mut trail = trail.clone();
        trail.push(looks.clone());
        let nth = if repeated.contains(&trail) { 0 } else { *number };
        let mut place = place.clone();
        place.push(step(&looks.0, &looks.1, nth));
        gather(outline, child, place, trail, repeated, inside_text, found);
    }
}

const MOST_LEVELS: usize = 12;

fn step(name: &str, class: &str, nth: u32) -> Step {
    Step { name: name.to_owned(), class: class.to_owned(), nth }
}

/// Tag and the class that tells it from its siblings.
fn looks(outline: &Outline<'_>, node: NodeId) -> (String, String) {
    let class = outline.classes(node).find(|class| !super::naming::is_hashed(class)).unwrap_or_default();
    (outline.tree.name(node).unwrap_or_default().to_owned(), class.to_owned())
}

fn attribute_part(outline: &Outline<'_>, node: NodeId) -> Option<Part> {
    let has = |name: &str| outline.tree.attribute(node, name).is_some_and(|value| !value.trim().is_empty());
    match outline.tree.name(node)? {
        "a" | "area" if has("href") => Some(Part::Attribute("href")),
        "img" if has("data-src") => Some(Part::Attribute("data-src")),
        "img" if has("src") => Some(Part::Attribute("src")),
        "time" if has("datetime") => Some(Part::Attribute("datetime")),
        "meta" | "data" if has("itemprop") && has("content") => Some(Part::Attribute("content")),
        _ => None,
    }
}

fn is_link_worth(name: &str, value: &str) -> bool {
    let lower = value.get(..11).unwrap_or(value).to_ascii_lowercase();
    match name {
        "a" | "area" => {
            !value.starts_with('#') && !lower.starts_with("javascript:") && !lower.starts_with("mailto:")
        }
        "img" => !lower.starts_with("data:"),
        _ => true,
    }
}

/// True for an element inside running text that is a field of its own: a link, a date, something with a name.
fn tells_more(outline: &Outline<'_>, node: NodeId) -> bool {
    matches!(outline.tree.name(node), Some("a" | "time" | "data"))
        || outline.tree.attribute(node, "itemprop").is_some()
        || outline.classes(node).any(|class| !super::naming::is_hashed(class))
}

fn is_worth_a_field(column: &Column, group: &Group) -> bool {
    let rows = group.rows.len();
    let full = column.values.iter().filter(|values| !values.is_empty()).count();
    if full == 0 || full * 20 < rows {
        return false;
    }
    let first = column.all_values().next();
    let same = column.all_values().all(|value| Some(value) == first);
    // What every row says alike tells no row from another; in very small lists it may be chance.
    !(same && full >= 3 && full * 10 >= rows * 8)
}

/// Where in its row a column usually stands: rows are compared by their first full one.
fn place_in_row(group: &Group, column: &Column) -> (u32, NodeId) {
    let full =
        group.rows.iter().zip(&column.nodes).find_map(|(item, nodes)| Some((item.node, *nodes.first()?)));
    let (row, node) = full.unwrap_or((group.rows[0].node, group.rows[0].node));
    (node.index() - row.index(), node)
}

/// Two links to the same page, a text inside a text: one of them is enough.
fn drop_repeats(columns: &mut Vec<Column>) {
    let mut kept: Vec<Column> = Vec::new();
    for column in columns.drain(..) {
        let same = |other: &Column| {
            let links = matches!(column.part, Part::Attribute("href"))
                && matches!(other.part, Part::Attribute("href"));
            (column.part == other.part || links) && is_covered(&column.values, &other.values)
        };
        if !kept.iter().any(same) {
            kept.push(column);
        }
    }
    *columns = kept;
}

/// True when every value of `some` is the value of `others` in the same row.
fn is_covered(some: &[Vec<String>], others: &[Vec<String>]) -> bool {
    some.iter().zip(others).all(|(some, other)| some.is_empty() || some == other)
}
