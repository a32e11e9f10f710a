//! Structure: the tags of a page as two strings, and its tree as a table of levels.

use std::collections::{BTreeMap, HashMap, VecDeque};

use html::{ElementName, Kind, Listener, NodeId, Tag, Tree};
use xxhash_rust::xxh3::xxh3_64;

use super::text;

/// First and last letters of all start tags as written, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagStrings {
    /// The first letters.
    pub first: String,
    /// The last letters.
    pub last: String,
}

impl TagStrings {
    /// Those of a page.
    pub fn of(html: &str) -> TagStrings {
        let mut strings = TagStrings::default();
        html::read(html, &mut strings);
        strings
    }
}

impl Listener for TagStrings {
    fn start(&mut self, tag: &Tag<'_>) {
        self.first.extend(tag.name().chars().next());
        self.last.extend(tag.name().chars().next_back());
    }

    fn end(&mut self, _: &str, _: ElementName) {}

    fn text(&mut self, _: &str) {}
}

/// An element in the table of levels.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its place, breadth first, from 1.
    pub id: usize,
    /// How deep it is; the root is at 1.
    pub level: usize,
    /// Elements directly inside.
    pub children: usize,
    /// Text II of its own text.
    pub value: f64,
    /// A strong hash of its own text, which the value is not.
    hash: u64,
    /// Its attributes, and a hash of the value of each.
    attributes: Vec<(String, u64)>,
    /// The names from the root down to it.
    pub path: String,
}

/// What differs on one level.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelChange {
    /// The level.
    pub level: usize,
    /// Elements on it, before and after.
    pub count: (usize, usize),
    /// Elements with other text, by their paths, each as often as it happened.
    pub edited: Vec<String>,
    /// Elements that came.
    pub added: Vec<String>,
    /// Elements that went.
    pub removed: Vec<String>,
    /// All of these by their ids, in order.
    pub nodes: Vec<NodeChange>,
}

/// An element that differs. One that is the same keeps its id in the later version, as does one with other text; those
/// that came have ids of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeChange {
    /// The id.
    pub id: usize,
    /// Text II of its own text in both versions, where it is there.
    pub values: (Option<f64>, Option<f64>),
}

/// Bytes of a path that are kept: trees can be deep.
const LONGEST_PATH: usize = 512;

/// The table of a page, breadth first.
pub fn table_of(html: &str) -> Vec<Node> {
    table(&html::parse(html, &mut ()))
}

/// The table of a tree, breadth first.
pub fn table(tree: &Tree) -> Vec<Node> {
    table_below(tree, tree.root())
}

/// The table of what is inside a node; its children are at level 1.
fn table_below(tree: &Tree, top: NodeId) -> Vec<Node> {
    let is_element = |node: &NodeId| tree.kind(*node) == Kind::Element;
    let mut nodes = Vec::new();
    let mut waiting: VecDeque<(NodeId, usize, String)> =
        tree.children(top).filter(is_element).map(|node| (node, 1, String::new())).collect();
    while let Some((node, level, parent)) = waiting.pop_front() {
        let name = tree.name(node).unwrap_or_default();
        let path = path_below(&parent, name);
        let mut own = String::new();
        let mut children = 0;
        for child in tree.children(node) {
            match tree.kind(child) {
                Kind::Text => own.push_str(tree.text(child)),
                Kind::Element => {
                    children += 1;
                    waiting.push_back((child, level + 1, path.clone()));
                }
                _ => {}
            }
        }
        // Scripts and styles are no text.
        if is_code(name) {
            own.clear();
        }
        let own = own.split_whitespace().collect::<Vec<_>>().join(" ");
        nodes.push(Node {
            id: nodes.len() + 1,
            level,
            children,
            value: text::two(&own),
            hash: xxh3_64(own.as_bytes()),
            attributes: attributes_of(tree, node, name),
            path,
        });
    }
    nodes
}

/// True of elements whose text is no text of the page.
pub(super) fn is_code(name: &str) -> bool {
    matches!(name, "script" | "style" | "noscript" | "template")
}

/// Attributes that tell something. Those of scripts and styles change with every release of a site.
pub(super) fn telling_attributes<'a>(
    tree: &'a Tree,
    node: NodeId,
    name: &str,
) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
    let tells = !is_code(name) && name != "link";
    let attributes = tree.attributes(node).filter(move |(name, ..)| tells && *name != "nonce");
    attributes.map(|(name, _, value)| (name, value))
}

fn attributes_of(tree: &Tree, node: NodeId, name: &str) -> Vec<(String, u64)> {
    let attributes = telling_attributes(tree, node, name);
    attributes.map(|(name, value)| (name.to_owned(), xxh3_64(value.as_bytes()))).collect()
}

/// The path of an element in another.
pub(super) fn path_below(parent: &str, name: &str) -> String {
    let mut path = if parent.is_empty() { name.to_owned() } else { format!("{parent}/{name}") };
    if path.len() > LONGEST_PATH {
        // What is deepest tells most.
        path = path.split_off(path.ceil_char_boundary(path.len() - LONGEST_PATH));
    }
    path
}

/// Elements on each level of a table, from the root down.
pub fn counts(table: &[Node]) -> Vec<usize> {
    let mut counts = vec![0; table.last().map_or(0, |deepest| deepest.level)];
    table.iter().for_each(|node| counts[node.level - 1] += 1);
    counts
}

/// Levels that differ between two versions, and how; and the attributes that do, as `path@name`.
pub fn compare(old: &str, new: &str) -> (Vec<LevelChange>, Vec<String>) {
    compare_tables(table_of(old), table_of(new))
}

/// The same of their tables.
pub fn compare_tables(old: Vec<Node>, new: Vec<Node>) -> (Vec<LevelChange>, Vec<String>) {
    let attributes = differing(&attributes(&old), &attributes(&new));
    let levels = |nodes: Vec<Node>| {
        let mut levels: BTreeMap<usize, Vec<Node>> = BTreeMap::new();
        for node in nodes {
            levels.entry(node.level).or_default().push(node);
        }
        levels
    };
    let mut next = old.len() + 1;
    let (mut old, mut new) = (levels(old), levels(new));
    let deepest = old.keys().chain(new.keys()).max().copied().unwrap_or_default();
    let levels = (1..=deepest)
        .filter_map(|level| {
            let (old, new) = (old.remove(&level).unwrap_or_default(), new.remove(&level).unwrap_or_default());
            level_change(level, &old, &new, &mut next)
        })
        .collect();
    (levels, attributes)
}

/// Values of all attributes, by place and name.
type Attributes = BTreeMap<String, Vec<u64>>;

fn attributes(nodes: &[Node]) -> Attributes {
    let mut found = Attributes::new();
    for node in nodes {
        for (name, value) in &node.attributes {
            found.entry(format!("{}@{name}", node.path)).or_default().push(*value);
        }
    }
    found.values_mut().for_each(|values| values.sort_unstable());
    found
}

fn differing(old: &Attributes, new: &Attributes) -> Vec<String> {
    let mut names: Vec<&String> = old
        .iter()
        .filter(|(name, values)| new.get(*name) != Some(values))
        .map(|(name, _)| name)
        .chain(new.keys().filter(|name| !old.contains_key(*name)))
        .collect();
    names.sort_unstable();
    names.into_iter().cloned().collect()
}

fn level_change(level: usize, old: &[Node], new: &[Node], next: &mut usize) -> Option<LevelChange> {
    let same = old.len() == new.len()
        && old.iter().zip(new).all(|(old, new)| (&old.path, old.hash) == (&new.path, new.hash));
    if same {
        return None;
    }
    let mut change = LevelChange {
        level,
        count: (old.len(), new.len()),
        edited: Vec::new(),
        added: Vec::new(),
        removed: Vec::new(),
        nodes: Vec::new(),
    };
    // Of each path, what both have cancels out; what is left on both sides was edited.
    let mut same: HashMap<(&str, u64), usize> = HashMap::new();
    for node in new {
        *same.entry((&node.path, node.hash)).or_default() += 1;
    }
    let mut left: BTreeMap<&str, (Vec<&Node>, Vec<&Node>)> = BTreeMap::new();
    let mut cancelled: HashMap<(&str, u64), usize> = HashMap::new();
    for node in old {
        let key = (node.path.as_str(), node.hash);
        match same.get_mut(&key).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                *cancelled.entry(key).or_default() += 1;
            }
            None => left.entry(&node.path).or_default().0.push(node),
        }
    }
    for node in new {
        match cancelled.get_mut(&(node.path.as_str(), node.hash)).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => left.entry(&node.path).or_default().1.push(node),
        }
    }
    for (path, (before, after)) in left {
        let edited = before.len().min(after.len());
        change.edited.extend(std::iter::repeat_n(path.to_owned(), edited));
        change.added.extend(std::iter::repeat_n(path.to_owned(), after.len() - edited));
        change.removed.extend(std::iter::repeat_n(path.to_owned(), before.len() - edited));
        for at in 0..before.len().max(after.len()) {
            let (old, new) = (before.get(at), after.get(at));
            let id = old.map_or(*next, |old| old.id);
            *next += usize::from(old.is_none());
            let values = (old.map(|old| old.value), new.map(|new| new.value));
            change.nodes.push(NodeChange { id, values });
        }
    }
    change.nodes.sort_unstable_by_key(|node| node.id);
    Some(change)
}

/// True when both tables have the same elements at the same places, whatever is written in them.
pub fn same_shape(old: &[Node], new: &[Node]) -> bool {
    let shape = |node: &Node| (node.level, node.children);
    let same = |(old, new): (&Node, &Node)| shape(old) == shape(new) && old.path == new.path;
    old.len() == new.len() && old.iter().zip(new).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tags_become_first_and_last_letters() {
        let found = TagStrings::of("<HTML><head><title>x</title></head><body><h1>a</h1><p>b<p>c<p>d");
        assert_eq!((found.first.as_str(), found.last.as_str()), ("hhtbhppp", "ldey1ppp"));
    }

    #[test]
    fn the_table_is_breadth_first() {
        let tree = html::parse("<title>t</title><div><p>one<b>two</b></p><p>three</p></div>", &mut ());
        let found: Vec<(usize, usize, usize, String)> =
            table(&tree).into_iter().map(|node| (node.id, node.level, node.children, node.path)).collect();
        let expected = [
            (1, 1, 2, "html"),
            (2, 2, 1, "html/head"),
            (3, 2, 1, "html/body"),
            (4, 3, 0, "html/head/title"),
            (5, 3, 2, "html/body/div"),
            (6, 4, 1, "html/body/div/p"),
            (7, 4, 0, "html/body/div/p"),
            (8, 5, 0, "html/body/div/p/b"),
        ];
        assert_eq!(found, expected.map(|(id, level, children, path)| (id, level, children, path.to_owned())));
    }

    /// Table I of the source paper: its counts, and on which levels they differ.
    #[test]
    fn the_paper_s_table_differs_on_its_levels() {
        let old = "<x-1><x-2><x-3><x-4><x-5><x-6><x-7><x-8><x-9></x-9></x-8><x-8></x-8><x-8></x-8><x-8></x-8></x-7>\
                   </x-6><x-6></x-6></x-5></x-4><x-4></x-4></x-3><x-3></x-3></x-2></x-1>";
        let new = old
            .replace("<x-6></x-6>", "<x-6><x-7><x-8></x-8></x-7></x-6>")
            .replace("<x-9></x-9>", "<x-9></x-9><x-9></x-9><x-9></x-9>");
        let table = |html: &str| {
            let tree = html::parse(html, &mut ());
            let body = tree.descendants(tree.root()).find(|node| tree.name(*node) == Some("body")).unwrap();
            table_below(&tree, body)
        };
        let (old, new) = (table(old), table(&new));
        assert_eq!(counts(&old), [1, 1, 2, 2, 1, 2, 1, 4, 1]);
        assert_eq!(counts(&new), [1, 1, 2, 2, 1, 2, 2, 5, 3]);
        let (levels, _) = compare_tables(old, new);
        assert_eq!(levels.iter().map(|level| level.level).collect::<Vec<_>>(), [7, 8, 9]);
        assert!(levels.iter().all(|level| level.edited.is_empty() && level.removed.is_empty()));
        assert_eq!(levels.iter().map(|level| level.added.len()).collect::<Vec<_>>(), [1, 1, 2]);
    }

    #[test]
    fn levels_tell_what_came_went_and_was_edited() {
        let (found, _) = compare("<ul><li>a<li>b</ul><p>x", "<ul><li>b<li>c<li>d</ul><p>x<i>y</i>");
        let levels: Vec<_> = found.iter().map(|change| (change.level, change.count)).collect();
        assert_eq!(levels, [(4, (2, 4))]);
        assert_eq!(found[0].edited, ["html/body/ul/li"]);
        assert_eq!(found[0].added, ["html/body/p/i", "html/body/ul/li"]);
        // The first of the list is the sixth of the page; what is the same keeps its id, what came has the next ones.
        let nodes: Vec<_> = found[0].nodes.iter().map(|node| (node.id, node.values)).collect();
        let value = |text: &str| Some(text::two(text));
        let expected = [(6, (value("a"), value("c"))), (8, (None, value("y"))), (9, (None, value("d")))];
        assert_eq!(nodes, expected);
        assert_eq!(compare("<p>a  b</p>", "<p>a b</p>"), (vec![], vec![]));
        assert_eq!(compare("<script>1</script>", "<script>2</script>"), (vec![], vec![]));
    }

    #[test]
    fn attributes_are_told_by_place_and_name() {
        let (levels, found) = compare(
            "<p id=a><a href=x>1</a><a href=y>2</a>",
            "<p id=a class=c><a href=y>1</a><a href=z>2</a>",
        );
        assert_eq!((levels, found), (vec![], vec!["html/body/p/a@href".into(), "html/body/p@class".into()]));
    }

    proptest! {
        #[test]
        fn any_pages_can_be_compared(old in "[<>/a-c p]{0,60}", new in "[<>/a-c p]{0,60}") {
            prop_assert_eq!(compare(&old, &old), (vec![], vec![]));
            compare(&old, &new);
            let found = TagStrings::of(&old);
            prop_assert_eq!(found.first.chars().count(), found.last.chars().count());
        }
    }
}
