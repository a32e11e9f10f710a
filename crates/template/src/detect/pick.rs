//! Selecting by example: a person points at elements, and gets the expression that selects what is alike.
//!
//! Two examples mean "all of this kind"; an example that is excluded narrows it. Candidates are those of detection,
//! judged by what the crawl's own engine selects with them.

use html::{NodeId, Tree};

use super::groups::{Group, Item};
use super::leaves::{self, Column, Part};
use super::outline::Outline;
use super::selectors::{Expression, column_candidates, inner_marks, is_plain, nodes, row_candidates};
use super::vocabulary::Vocabulary;
use super::{Candidate, List, propose_with};

/// What a person pointed at.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    /// These are meant.
    pub include: Vec<NodeId>,
    /// These are not.
    pub exclude: Vec<NodeId>,
}

/// An expression and what it selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picked {
    /// Of the whole page, or of a row.
    pub expression: Expression,
    /// In document order.
    pub nodes: Vec<NodeId>,
}

const MOST_TRIED: usize = 300;

/// The expression for elements of the whole page: one example means itself, several mean all that are alike.
/// None when no expression tells the meant from the excluded.
pub fn pick(tree: &Tree, examples: &Examples) -> Option<Picked> {
    let outline = Outline::of(tree);
    pick_in(&outline, examples)
}

fn pick_in(outline: &Outline<'_>, examples: &Examples) -> Option<Picked> {
    let wanted = elements(outline, &examples.include);
    let mut candidates = row_candidates(outline, &wanted);
    candidates.extend(narrowed(outline, &candidates, &wanted, &examples.exclude));
    let alike = |node: NodeId| {
        let path = outline.element(node).map(|element| element.path);
        wanted.iter().any(|wanted| outline.element(*wanted).map(|element| element.path) == path)
    };
    let judged = candidates.into_iter().take(MOST_TRIED).enumerate().filter_map(|(order, text)| {
        // What an element is says more to a person than what it has inside.
        let order = order + if text.contains(":has(") { MOST_TRIED } else { 0 };
        let expression = Expression::Css(text);
        let found = nodes(&expression.compile()?, outline.tree, outline.tree.root());
        let strangers = found.iter().filter(|node| !alike(**node)).count();
        let fits = wanted.iter().all(|node| found.binary_search(node).is_ok())
            && !examples.exclude.iter().any(|node| found.binary_search(node).is_ok());
        let rank = match wanted.len() {
            1 => (found.len() - usize::from(fits), 0, order),
            // As many as are alike, and no others.
            _ => (strangers, usize::MAX - found.len(), order),
        };
        fits.then_some((rank, Picked { expression, nodes: found }))
    });
    let best = judged.min_by_key(|(rank, _)| *rank).map(|(_, picked)| picked);
    match (best, &wanted[..]) {
        // One element that no plain expression tells from others: its way from the root.
        (Some(picked), [one]) if picked.nodes.len() > 1 => Some(exact(outline, *one)),
        (None, [one]) => Some(exact(outline, *one)),
        (best, _) => best,
    }
}

/// The list whose rows are like the examples, with the fields that stand in them.
pub fn pick_list(tree: &Tree, examples: &Examples) -> Option<List> {
    let outline = Outline::of(tree);
    let picked = pick_in(&outline, examples)?;
    let rows = picked.nodes.iter().map(|node| Item { node: *node, tail: Vec::new() }).collect();
    let group = Group { rows, flat: false };
    let columns = leaves::columns(&outline, &group);
    let candidate = Candidate { group, columns, score: 0.0 };
    propose_with(&outline, candidate, picked.expression, &Vocabulary::of(tree))
}

/// The expression that selects, inside each row, what the examples are in theirs. None when an example stands in no
/// row, or nothing tells the meant from the excluded.
pub fn pick_in_rows(tree: &Tree, rows: &[NodeId], examples: &Examples) -> Option<Picked> {
    let outline = Outline::of(tree);
    let wanted = elements(&outline, &examples.include);
    let home = |node: NodeId| {
        std::iter::successors(Some(node), |at| tree.parent(*at)).find_map(|at| rows.binary_search(&at).ok())
    };
    let mut nodes_of: Vec<Vec<NodeId>> = vec![Vec::new(); rows.len()];
    for node in &wanted {
        nodes_of[home(*node)?].push(*node);
    }
    let group =
        Group { rows: rows.iter().map(|node| Item { node: *node, tail: Vec::new() }).collect(), flat: false };
    let many = nodes_of.iter().any(|nodes| nodes.len() > 1);
    let column = Column { part: Part::Text, nodes: nodes_of, values: vec![Vec::new(); rows.len()], many };
    let mut candidates = column_candidates(&outline, &group, &column);
    let css: Vec<String> = candidates.iter().filter_map(Expression::as_css).map(str::to_owned).collect();
    let narrowed = narrowed(&outline, &css, &wanted, &examples.exclude);
    candidates.extend(narrowed.into_iter().map(Expression::Css));
    // A row may lack what the example is: better empty than something else at its place.
    let looks_like = |node: NodeId| {
        wanted.iter().any(|example| {
            let mut classes = outline.classes(*example).peekable();
            tree.name(node) == tree.name(*example)
                && (classes.peek().is_none()
                    || classes.any(|class| outline.classes(node).any(|own| own == class)))
        })
    };
    let judged = candidates.into_iter().take(MOST_TRIED).enumerate().filter_map(|(order, expression)| {
        let selector = expression.compile()?;
        let found: Vec<Vec<NodeId>> = rows.iter().map(|row| nodes(&selector, tree, *row)).collect();
        let taken = |at: usize| if many { &found[at][..] } else { &found[at][..found[at].len().min(1)] };
        let fits = (0..rows.len()).all(|at| {
            column.nodes[at].iter().all(|node| taken(at).contains(node))
                && !examples.exclude.iter().any(|node| taken(at).contains(node))
        });
        let strangers = (0..rows.len()).flat_map(taken).filter(|node| !looks_like(**node)).count();
        let empty = found.iter().filter(|nodes| nodes.is_empty()).count();
        let surplus: usize = found.iter().map(|nodes| nodes.len().saturating_sub(1)).sum();
        let rank = (if many { 0 } else { surplus.min(1) }, strangers, empty, surplus, order);
        let nodes = (0..rows.len()).flat_map(|at| taken(at).to_vec()).collect();
        fits.then_some((rank, Picked { expression, nodes }))
    });
    judged.min_by_key(|(rank, _)| *rank).map(|(_, picked)| picked)
}

fn elements(outline: &Outline<'_>, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> =
        nodes.iter().copied().filter(|node| outline.element(*node).is_some()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The candidates with what tells the examples from what is excluded.
fn narrowed(
    outline: &Outline<'_>,
    candidates: &[String],
    include: &[NodeId],
    exclude: &[NodeId],
) -> Vec<String> {
    if exclude.is_empty() {
        return Vec::new();
    }
    let mut marks: Vec<String> = Vec::new();
    let has_class = |node: &NodeId, class: &str| outline.classes(*node).any(|own| own == class);
    for class in exclude.iter().flat_map(|node| outline.classes(*node)).filter(|class| is_plain(class)) {
        if !include.iter().any(|node| has_class(node, class)) {
            marks.push(format!(":not(.{class})"));
        }
    }
    marks.extend(inner_marks(outline, include));
    marks.extend(inner_marks(outline, exclude).into_iter().map(|mark| format!(":not({mark})")));
    marks.extend([":not(:first-child)", ":not(:last-child)", ":nth-child(n+2)"].map(str::to_owned));
    marks.dedup();
    marks.iter().flat_map(|mark| candidates.iter().take(20).map(move |own| format!("{own}{mark}"))).collect()
}

/// `body > div:nth-of-type(2) > p`: one element and no other.
fn exact(outline: &Outline<'_>, node: NodeId) -> Picked {
    let path = super::selectors::path_from(outline, outline.tree.root(), node);
    Picked { expression: Expression::XPath(path.replacen('.', "", 1)), nodes: vec![node] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<body>
        <nav><ul><li><a href=/>Home</a></li><li><a href=/all>All</a></li></ul></nav>
        <ul class=shop>
          <li class="card"><h2><a href=/1>One</a></h2><b>1 €</b><i>new</i></li>
          <li class="card"><h2><a href=/2>Two</a></h2><b>2 €</b></li>
          <li class="card ad"><h2><a href=/ad>Buy</a></h2><b>9 €</b></li>
          <li class="card"><h2><a href=/3>Three</a></h2><b>3 €</b></li>
        </ul><p>Text</p><p>More</p></body>"#;

    fn tree() -> Tree {
        html::parse(PAGE, &mut ())
    }

    /// The elements of this name whose words are these.
    fn find(tree: &Tree, name: &str, words: &str) -> NodeId {
        let is = |node: &NodeId| {
            tree.name(*node) == Some(name) && tree.text_content(*node).trim().starts_with(words)
        };
        tree.descendants(tree.root()).find(is).expect("it is on the page")
    }

    fn words(tree: &Tree, nodes: &[NodeId]) -> Vec<String> {
        nodes.iter().map(|node| tree.text_content(*node).trim().to_owned()).collect()
    }

    fn examples(include: &[NodeId], exclude: &[NodeId]) -> Examples {
        Examples { include: include.to_vec(), exclude: exclude.to_vec() }
    }

    #[test]
    fn one_example_means_itself() {
        let tree = tree();
        let picked = pick(&tree, &examples(&[find(&tree, "p", "More")], &[])).unwrap();
        assert_eq!(words(&tree, &picked.nodes), ["More"]);
    }

    #[test]
    fn two_examples_mean_all_that_are_alike() {
        let tree = tree();
        let two = [find(&tree, "li", "One"), find(&tree, "li", "Two")];
        let picked = pick(&tree, &examples(&two, &[])).unwrap();
        assert_eq!(picked.expression, Expression::Css("li.card".to_owned()));
        assert_eq!(picked.nodes.len(), 4);
    }

    #[test]
    fn an_excluded_match_narrows_the_choice() {
        let tree = tree();
        let two = [find(&tree, "li", "One"), find(&tree, "li", "Two")];
        let picked = pick(&tree, &examples(&two, &[find(&tree, "li", "Buy")])).unwrap();
        assert_eq!(picked.expression, Expression::Css("li.card:not(.ad)".to_owned()));
        assert_eq!(picked.nodes.len(), 3);
    }

    #[test]
    fn one_field_in_one_row_is_that_field_in_every_row() {
        let tree = tree();
        let rows =
            pick(&tree, &examples(&[find(&tree, "li", "One"), find(&tree, "li", "Three")], &[])).unwrap();
        let price = pick_in_rows(&tree, &rows.nodes, &examples(&[find(&tree, "b", "2")], &[])).unwrap();
        assert_eq!(price.expression, Expression::Css("b".to_owned()));
        assert_eq!(words(&tree, &price.nodes), ["1 €", "2 €", "9 €", "3 €"]);
        let new = pick_in_rows(&tree, &rows.nodes, &examples(&[find(&tree, "i", "new")], &[])).unwrap();
        assert_eq!(words(&tree, &new.nodes), ["new"]);
    }

    #[test]
    fn a_field_that_some_rows_lack_is_empty_there() {
        let page = "<li><p class=name>A</p><p class=colour>red</p><p class=size>1</p></li>\
                    <li><p class=name>B</p><p class=size>2</p></li>";
        let tree = html::parse(page, &mut ());
        let rows: Vec<NodeId> =
            tree.descendants(tree.root()).filter(|node| tree.name(*node) == Some("li")).collect();
        let colour = pick_in_rows(&tree, &rows, &examples(&[find(&tree, "p", "red")], &[])).unwrap();
        assert_eq!(words(&tree, &colour.nodes), ["red"]);
    }

    #[test]
    fn an_example_outside_every_row_is_no_field() {
        let tree = tree();
        let rows = [find(&tree, "li", "One")];
        assert_eq!(pick_in_rows(&tree, &rows, &examples(&[find(&tree, "p", "Text")], &[])), None);
    }

    #[test]
    fn rows_by_example_bring_their_fields() {
        let tree = tree();
        let two = [find(&tree, "li", "One"), find(&tree, "li", "Two")];
        let list = pick_list(&tree, &examples(&two, &[find(&tree, "li", "Buy")])).unwrap();
        assert_eq!(list.rows.len(), 3);
        let names: Vec<&str> = list.fields.iter().map(|field| field.name.as_str()).collect();
        assert!(names.contains(&"title") && names.contains(&"price"), "{names:?}");
    }

    #[test]
    fn nothing_is_selected_when_nothing_tells_the_meant_from_the_excluded() {
        let tree = html::parse("<p>a</p><p>b</p><p>c</p><p>d</p>", &mut ());
        let all: Vec<NodeId> =
            tree.descendants(tree.root()).filter(|node| tree.name(*node) == Some("p")).collect();
        assert_eq!(pick(&tree, &examples(&[all[0], all[2]], &[all[1]])), None);
        assert_eq!(pick(&tree, &Examples::default()), None);
    }
}
