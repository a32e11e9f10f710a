//! Pointing at a page: what an expression selects, and which expression selects what was pointed at.

use html::select::{Fuel, SelectError, Selected, Selector};
use html::{Kind, NodeId, Tree};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use template::detect::{Detection, Examples, List, Picked, pick, pick_in_rows, pick_list};
use utoipa::ToSchema;

use super::{PageList, Preview, cut, page_list, selector};
use crate::ServiceError;

/// Steps for one question.
const FUEL: u64 = 20_000_000;

/// Values shown.
const SHOWN: usize = 20;

/// Elements named.
const NAMED: usize = 10_000;

/// What to select.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelectRequest {
    /// An expression of CSS.
    pub css: Option<String>,
    /// Or of XPath.
    pub xpath: Option<String>,
    /// Inside each of these rows: an expression that selects them.
    pub within: Option<String>,
}

/// What was selected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Selection {
    /// How many elements, or values of an expression that gives no elements.
    pub count: usize,
    /// The elements, in document order.
    pub nodes: Vec<u32>,
    /// The first values.
    pub values: Vec<String>,
    /// Why the expression is refused.
    #[schema(value_type = Option<Object>)]
    pub error: Option<Mistake>,
}

/// A mistake in an expression.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mistake {
    /// What is wrong.
    pub message: String,
    /// Where, in characters from 0.
    pub position: Option<usize>,
}

/// What was pointed at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Generalise {
    /// Elements that are meant.
    pub include: Vec<u32>,
    /// Elements that are not.
    pub exclude: Vec<u32>,
    /// Rows that they are fields of: an expression that selects them.
    pub rows: Option<String>,
    /// The attribute to take values from.
    pub attribute: Option<String>,
}

/// The expression for what was pointed at, and what it selects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PickedNodes {
    /// `{"css": …}` or `{"xpath": …}`; none when nothing tells the meant from the excluded.
    pub selector: Option<Value>,
    /// How many elements.
    pub count: usize,
    /// The elements.
    pub nodes: Vec<u32>,
    /// The first values.
    pub values: Vec<String>,
}

/// One element on the way from the page's root to an element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PathStep {
    /// The element.
    pub id: u32,
    /// Its tag.
    pub tag: String,
    /// Tag, id and classes, as CSS has them.
    pub label: String,
    /// How its text begins.
    pub text: String,
    /// `path` from the root to the element, `child` for its children.
    pub relation: String,
}

impl Preview {
    /// What an expression selects on the page, or in each row.
    pub fn select(&self, request: &SelectRequest) -> Selection {
        let tree = self.tree();
        let compiled = match (&request.css, &request.xpath) {
            (Some(css), _) => Selector::css(css),
            (None, Some(xpath)) => Selector::xpath(xpath),
            (None, None) => return Selection::default(),
        };
        let compiled = match compiled {
            Ok(compiled) => compiled,
            Err(error) => return Selection { error: Some(mistake(&error)), ..Selection::default() },
        };
        let mut fuel = Fuel::new(FUEL);
        let from = match &request.within {
            None => vec![tree.root()],
            Some(rows) => match rows_of(&tree, rows, &mut fuel) {
                Ok(rows) => rows,
                Err(error) => return Selection { error: Some(error), ..Selection::default() },
            },
        };
        let mut selection = Selection::default();
        for from in from {
            let Ok(selected) = compiled.select(&tree, from, &mut fuel) else {
                let message = "this takes too many steps on this page; make it more exact".to_owned();
                selection.error = Some(Mistake { message, position: None });
                return selection;
            };
            selection.add(&tree, selected);
        }
        selection
    }

    /// The expression for what was pointed at.
    pub fn generalise(&self, request: &Generalise) -> Result<PickedNodes, ServiceError> {
        let tree = self.tree();
        let examples = examples(&tree, request)?;
        let picked = match &request.rows {
            None => pick(&tree, &examples),
            Some(rows) => {
                let rows = rows_of(&tree, rows, &mut Fuel::new(FUEL))
                    .map_err(|error| ServiceError::Settings(format!("rows: {}", error.message)))?;
                pick_in_rows(&tree, &rows, &examples)
            }
        };
        Ok(picked.map_or_else(PickedNodes::default, |picked| {
            picked_nodes(&tree, picked, request.attribute.as_deref())
        }))
    }

    /// The list whose rows are like those pointed at; none when nothing tells them from others.
    pub fn list(&self, request: &Generalise) -> Result<Option<PageList>, ServiceError> {
        let tree = self.tree();
        let list: Option<List> = pick_list(&tree, &examples(&tree, request)?);
        let found =
            Detection { lists: list.into_iter().collect(), next: template::detect::detect(&tree).next };
        Ok((!found.lists.is_empty()).then(|| page_list(&found, 0)))
    }

    /// The way from the root to an element, and its children: the page for those who do not point.
    pub fn path(&self, node: u32) -> Result<Vec<PathStep>, ServiceError> {
        let tree = self.tree();
        let node = element(&tree, node)?;
        let mut way: Vec<NodeId> = std::iter::successors(Some(node), |at| tree.parent(*at))
            .filter(|at| tree.name(*at).is_some())
            .collect();
        way.reverse();
        let step = |relation: &str| {
            let relation = relation.to_owned();
            let tree = &tree;
            move |node: NodeId| PathStep {
                id: node.index(),
                tag: tree.name(node).unwrap_or_default().to_owned(),
                label: label(tree, node),
                text: words(tree, node, 60),
                relation: relation.clone(),
            }
        };
        let children = tree.children(node).filter(|child| tree.kind(*child) == Kind::Element).take(200);
        Ok(way.into_iter().map(step("path")).chain(children.map(step("child"))).collect())
    }
}

impl Selection {
    fn add(&mut self, tree: &Tree, selected: Selected) {
        let value = match selected {
            Selected::Nodes(found) => {
                self.count += found.len();
                for found in found {
                    if self.nodes.len() < NAMED {
                        self.nodes.push(found.node().index());
                    }
                    if self.values.len() < SHOWN {
                        self.values.push(cut(&squeeze(&found.string_value(tree))));
                    }
                }
                return;
            }
            Selected::Text(text) => text,
            Selected::Number(number) => number.to_string(),
            Selected::Boolean(truth) => truth.to_string(),
        };
        self.count += 1;
        if self.values.len() < SHOWN {
            self.values.push(cut(&value));
        }
    }
}

fn mistake(error: &SelectError) -> Mistake {
    Mistake { message: error.reason.to_string(), position: Some(error.position) }
}

fn rows_of(tree: &Tree, text: &str, fuel: &mut Fuel) -> Result<Vec<NodeId>, Mistake> {
    let compiled = Selector::guess(text).map_err(|error| mistake(&error))?;
    match compiled.select(tree, tree.root(), fuel) {
        Ok(Selected::Nodes(found)) => Ok(found.iter().map(|found| found.node()).collect()),
        Ok(_) => Err(Mistake { message: "this gives a value, not elements".to_owned(), position: None }),
        Err(_) => {
            Err(Mistake { message: "this takes too many steps on this page".to_owned(), position: None })
        }
    }
}

fn examples(tree: &Tree, request: &Generalise) -> Result<Examples, ServiceError> {
    let nodes = |ids: &[u32]| ids.iter().map(|id| element(tree, *id)).collect::<Result<Vec<_>, _>>();
    Ok(Examples { include: nodes(&request.include)?, exclude: nodes(&request.exclude)? })
}

fn element(tree: &Tree, id: u32) -> Result<NodeId, ServiceError> {
    let found = tree.at(id).filter(|node| tree.kind(*node) == Kind::Element);
    found.ok_or_else(|| ServiceError::Settings(format!("there is no element {id} on this page")))
}

fn picked_nodes(tree: &Tree, picked: Picked, attribute: Option<&str>) -> PickedNodes {
    let value = |node: &NodeId| match attribute {
        Some(name) => cut(tree.attribute(*node, name).unwrap_or_default()),
        None => words(tree, *node, 200),
    };
    PickedNodes {
        selector: Some(selector(picked.expression.as_str(), picked.expression.as_css().is_some())),
        count: picked.nodes.len(),
        values: picked.nodes.iter().take(SHOWN).map(value).collect(),
        nodes: picked.nodes.iter().take(NAMED).map(|node| node.index()).collect(),
    }
}

/// `li#first.card.new`.
fn label(tree: &Tree, node: NodeId) -> String {
    let mut label = tree.name(node).unwrap_or_default().to_owned();
    if let Some(id) = tree.attribute(node, "id").filter(|id| !id.is_empty()) {
        label.push_str(&format!("#{id}"));
    }
    for class in tree.attribute(node, "class").unwrap_or_default().split_ascii_whitespace().take(4) {
        label.push_str(&format!(".{class}"));
    }
    cut(&label)
}

fn words(tree: &Tree, node: NodeId, most: usize) -> String {
    let mut words: String = squeeze(&tree.text_content(node)).chars().take(most + 1).collect();
    if words.chars().count() > most {
        words = words.chars().take(most).chain(['…']).collect();
    }
    words
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
