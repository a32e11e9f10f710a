//! Candidates for lists: elements that stand at the same place of the page's outline and are built alike.
//!
//! Elements with the same path of tag names are clustered by their inner structure and their classes, so that ads,
//! headings and spacers fall out, rows in several containers (grids, shelves) come together, and a missing field or
//! an extra class does not part a row from its list. Lists without an element around a row (`dt dd dd dt dd`,
//! headings with paragraphs) are found by their heads.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use html::NodeId;

use super::outline::Outline;

/// A list that may be one: its rows in document order.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) rows: Vec<Item>,
    /// True when rows are heads followed by the rest of the row.
    pub(super) flat: bool,
}

/// One row: an element, and in flat lists the siblings up to the next head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) node: NodeId,
    pub(super) tail: Vec<NodeId>,
}

/// Rows that tell as much of a long list as all of them.
pub(super) const SAMPLE: usize = 200;

impl Group {
    /// The group, or some of its rows from beginning to end where it is long.
    pub(super) fn sample(&self) -> Group {
        let step = self.rows.len().div_ceil(SAMPLE).max(1);
        Group { rows: self.rows.iter().step_by(step).cloned().collect(), flat: self.flat }
    }
}

/// All candidates, in no order that matters.
pub(super) fn groups(outline: &Outline<'_>) -> Vec<Group> {
    let mut by_path: BTreeMap<u64, Vec<NodeId>> = BTreeMap::new();
    for node in outline.elements() {
        let Some(element) = outline.element(node) else { continue };
        let name = outline.tree.name(node).unwrap_or_default();
        if !element.unread && !NEVER_ROWS.contains(&name) {
            by_path.entry(element.path).or_default().push(node);
        }
    }
    let mut groups = Vec::new();
    for nodes in by_path.into_values().filter(|nodes| nodes.len() >= FEWEST_ROWS) {
        for rows in clusters(outline, &nodes) {
            let rows = rows.into_iter().map(|node| Item { node, tail: Vec::new() }).collect();
            groups.push(Group { rows, flat: false });
        }
    }
    groups.extend(flat_groups(outline));
    groups
}

const FEWEST_ROWS: usize = 2;
const NEVER_ROWS: [&str; 12] =
    ["html", "body", "head", "br", "hr", "td", "th", "b", "strong", "em", "i", "img"];

/// How alike two elements must be to stand in one list, from 0 to 1.
const ALIKE: f64 = 0.55;
/// Below this the insides are too different whatever the classes say.
const ALIKE_INSIDE: f64 = 0.25;
const MOST_CLUSTERS: usize = 12;

fn clusters(outline: &Outline<'_>, nodes: &[NodeId]) -> Vec<Vec<NodeId>> {
    let mut frequent: HashMap<&str, usize> = HashMap::new();
    for node in nodes {
        for class in outline.classes(*node) {
            *frequent.entry(class).or_default() += 1;
        }
    }
    // A class that few rows have (hashes, states) says nothing about what a row is.
    frequent.retain(|_, count| *count * 10 >= nodes.len().min(30) && *count >= 2);
    let mut built: Vec<Built<'_>> = nodes.iter().map(|node| Built::of(outline, *node, &frequent)).collect();
    // The fullest first: sparse rows are then compared with a complete one.
    built.sort_by_key(|one| (std::cmp::Reverse(one.size), one.node));
    let mut clusters: Vec<Vec<&Built<'_>>> = Vec::new();
    for one in &built {
        if let Some(cluster) = clusters.iter_mut().find(|cluster| cluster[0].is_like(one)) {
            cluster.push(one);
        } else if clusters.len() < MOST_CLUSTERS {
            clusters.push(vec![one]);
        }
    }
    let in_order = |cluster: Vec<&Built<'_>>| {
        let mut rows: Vec<NodeId> = cluster.into_iter().map(|one| one.node).collect();
        rows.sort_unstable();
        rows
    };
    clusters.into_iter().filter(|cluster| cluster.len() >= FEWEST_ROWS).map(in_order).collect()
}

/// How an element is built: which paths of tags are under it, how often.
struct Built<'t> {
    node: NodeId,
    classes: Vec<&'t str>,
    inside: HashMap<u64, u32>,
    size: u32,
    /// Cells of a table's row: those of one list have the same number.
    cells: Option<usize>,
}

impl<'t> Built<'t> {
    fn of(outline: &Outline<'t>, node: NodeId, frequent: &HashMap<&str, usize>) -> Built<'t> {
        let mut inside: HashMap<u64, u32> = HashMap::new();
        let mut open = vec![(node, 0u64, 0u8)];
        let mut size = 0;
        while let Some((at, path, depth)) = open.pop() {
            for child in outline.children(at) {
                let name = outline.tree.name(child).unwrap_or_default();
                if size >= MOST_INSIDE || INLINE.contains(&name) {
                    continue;
                }
                let mut hash = DefaultHasher::new();
                (path, name).hash(&mut hash);
                let path = hash.finish();
                *inside.entry(path).or_default() += 1;
                size += 1;
                if depth < MOST_LEVELS {
                    open.push((child, path, depth + 1));
                }
            }
        }
        let is_row = outline.tree.name(node) == Some("tr");
        Built {
            node,
            classes: outline.classes(node).filter(|class| frequent.contains_key(class)).collect(),
            inside,
            size,
            cells: is_row.then(|| outline.children(node).count()),
        }
    }

    fn is_like(&self, other: &Built<'_>) -> bool {
        if self.cells != other.cells {
            return false;
        }
        let inside = self.inside_likeness(other);
        let classes = match (self.classes.is_empty(), other.classes.is_empty()) {
            (true, true) => return inside >= ALIKE,
            (false, false) => {
                f64::from(u8::from(self.classes.iter().any(|class| other.classes.contains(class))))
            }
            _ => 0.2,
        };
        inside >= ALIKE_INSIDE && (inside + classes) / 2.0 >= ALIKE
    }

    /// Mostly: how much of the smaller is in the larger, so that missing fields do not part a row from its list.
    fn inside_likeness(&self, other: &Built<'_>) -> f64 {
        let (small, large) = if self.size < other.size { (self, other) } else { (other, self) };
        if large.size == 0 {
            return 1.0;
        }
        if small.size == 0 {
            return 0.2;
        }
        let shared: u32 = small
            .inside
            .iter()
            .map(|(path, count)| (*count).min(large.inside.get(path).copied().unwrap_or(0)))
            .sum();
        let contained = f64::from(shared) / f64::from(small.size);
        let union = f64::from(small.size + large.size - shared);
        0.7 * contained + 0.3 * f64::from(shared) / union
    }
}

const MOST_INSIDE: u32 = 300;
const MOST_LEVELS: u8 = 6;
/// Marks inside running text: how many there are says nothing about how a row is built.
const INLINE: [&str; 10] = ["br", "b", "strong", "em", "i", "mark", "sub", "sup", "wbr", "u"];

fn flat_groups(outline: &Outline<'_>) -> Vec<Group> {
    let mut groups = Vec::new();
    for parent in outline.elements().filter(|node| !outline.is_unread(*node)) {
        let children: Vec<NodeId> = outline.children(parent).collect();
        for head in HEADS {
            let is_head = |node: &NodeId| outline.tree.name(*node) == Some(head);
            if children.iter().filter(|node| is_head(node)).count() < FEWEST_FLAT_ROWS {
                continue;
            }
            let mut rows: Vec<Item> = Vec::new();
            for child in &children {
                if is_head(child) {
                    rows.push(Item { node: *child, tail: Vec::new() });
                } else if let Some(row) = rows.last_mut() {
                    row.tail.push(*child);
                }
            }
            let usual = rows.iter().filter(|row| (1..=MOST_TAIL).contains(&row.tail.len())).count();
            if usual * 10 >= rows.len() * 9 {
                groups.push(Group { rows, flat: true });
            }
        }
    }
    groups
}

const HEADS: [&str; 6] = ["dt", "h2", "h3", "h4", "h5", "h6"];
const FEWEST_FLAT_ROWS: usize = 3;
const MOST_TAIL: usize = 5;
