//! Finds the repeated lists on a page and proposes how to read them.
//!
//! [`detect`] clusters elements that are built alike, reads what stands at the same place in each, ranks the lists by
//! how much they tell, names their fields and finds short expressions that select just these rows and fields. What is
//! shown was selected by the same engine that a crawl uses. Nothing is fetched and no page is special.

mod detail;
mod groups;
mod kinds;
mod leaves;
mod naming;
mod outline;
mod pagination;
mod pick;
mod propose;
mod score;
mod selectors;
mod vocabulary;

use html::{NodeId, Tree};
use model::FieldKind;

use groups::Group;
use leaves::{Column, Part};
use outline::Outline;
use vocabulary::Vocabulary;

pub use pagination::NextPage;
pub use pick::{Examples, Picked, pick, pick_in_rows, pick_list};
pub use selectors::Expression;

/// The lists of a page, the most telling first.
#[derive(Clone, Debug, Default)]
pub struct Detection {
    /// At most [`MOST_LISTS`].
    pub lists: Vec<List>,
    /// How the page's list goes on.
    pub next: Option<NextPage>,
}

/// One list.
#[derive(Clone, Debug)]
pub struct List {
    /// Selects the rows in the whole page.
    pub row: Expression,
    /// The rows, in document order.
    pub rows: Vec<NodeId>,
    /// Its fields in the order of the page.
    pub fields: Vec<Field>,
    /// The field whose links lead to a page for each row.
    pub detail: Option<usize>,
    /// How telling the list is; only the order means something.
    pub score: f64,
}

/// One field of a list.
#[derive(Clone, Debug)]
pub struct Field {
    /// From the page's own words where it has some.
    pub name: String,
    /// Selects the field inside a row.
    pub selector: Expression,
    /// The attribute that holds the value; none for the text.
    pub attribute: Option<&'static str>,
    /// What it holds.
    pub kind: FieldKind,
    /// True when a row may have several.
    pub many: bool,
    /// Share of the rows that have it.
    pub coverage: f64,
    /// What stands there, row by row, as written.
    pub values: Vec<Vec<String>>,
}

/// More lists than this no one looks through.
pub const MOST_LISTS: usize = 8;
const MOST_TRIED: usize = 40;

/// Finds the lists of a page.
pub fn detect(tree: &Tree) -> Detection {
    let outline = Outline::of(tree);
    let mut candidates: Vec<Candidate> = groups::groups(&outline)
        .into_iter()
        .map(|group| {
            let columns = leaves::columns(&outline, &group.sample());
            let score = score::score(&outline, &group, &columns);
            Candidate { group, columns, score }
        })
        .filter(|candidate| candidate.score > 0.0)
        .collect();
    score::prefer_inner_lists(&outline, &mut candidates);
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    let vocabulary = Vocabulary::of(tree);
    let mut lists: Vec<List> = Vec::new();
    for mut candidate in candidates.into_iter().take(MOST_TRIED) {
        if lists.len() == MOST_LISTS {
            break;
        }
        if !lists.iter().any(|list| is_part_of(tree, &candidate.group, list)) {
            if candidate.group.rows.len() > groups::SAMPLE {
                candidate.columns = leaves::columns(&outline, &candidate.group);
            }
            lists.extend(propose(&outline, candidate, &vocabulary));
        }
    }
    Detection { lists, next: pagination::next_page(&outline) }
}

struct Candidate {
    group: Group,
    columns: Vec<Column>,
    score: f64,
}

/// True when the rows are parts of another list's rows: its fields show them already.
fn is_part_of(tree: &Tree, group: &Group, list: &List) -> bool {
    let is_inside = |node: NodeId| {
        std::iter::successors(Some(node), |at| tree.parent(*at))
            .any(|at| list.rows.binary_search(&at).is_ok())
    };
    group.rows.len() <= list.rows.len() && group.rows.iter().all(|row| is_inside(row.node))
}

/// The list with its expressions; none when no expression selects exactly its rows.
fn propose(outline: &Outline<'_>, candidate: Candidate, vocabulary: &Vocabulary) -> Option<List> {
    let row = selectors::of_rows(outline, &candidate.group)?;
    propose_with(outline, candidate, row, vocabulary)
}

/// The list whose rows this expression selects; none when no field of it can be selected.
fn propose_with(
    outline: &Outline<'_>,
    candidate: Candidate,
    row: Expression,
    vocabulary: &Vocabulary,
) -> Option<List> {
    let mut columns = Vec::new();
    let mut expressions = Vec::new();
    for column in candidate.columns {
        if let Some(expression) = selectors::of_column(outline, &candidate.group, &column) {
            let guess = kinds::guess(&column);
            columns.push((column, guess));
            expressions.push(expression);
        }
    }
    let names = naming::names(outline, &columns, vocabulary);
    let fields: Vec<Field> = columns
        .into_iter()
        .zip(names.into_iter().zip(expressions))
        .map(|((column, kind), (name, selector))| Field {
            name,
            selector,
            attribute: match column.part {
                Part::Attribute(name) => Some(name),
                Part::Text => None,
            },
            kind,
            many: column.many,
            coverage: column.coverage(),
            values: column.values,
        })
        .collect();
    let detail = detail_field(&fields);
    let rows = candidate.group.rows.iter().map(|row| row.node).collect();
    (!fields.is_empty()).then_some(List { row, rows, fields, detail, score: candidate.score })
}

/// A link that nearly every row has and no two share.
fn detail_field(fields: &[Field]) -> Option<usize> {
    fields.iter().position(|field| {
        let links: Vec<&String> = field.values.iter().flatten().collect();
        let different: std::collections::HashSet<_> = links.iter().collect();
        field.kind == FieldKind::Link
            && !field.many
            && field.coverage > 0.8
            && different.len() * 10 >= links.len() * 9
    })
}
