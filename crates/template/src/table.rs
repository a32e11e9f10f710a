//! Values by their header: the column of a table, or what stands beside a label.

use std::collections::HashMap;

use html::{NodeId, Tree};

use crate::compile::label;
use crate::markup;

/// The headers of the tables met on a page: label and column.
pub(crate) type Headers = HashMap<NodeId, Vec<(String, usize)>>;

/// Columns of a table, and bytes of a header.
const MAX_COLUMNS: usize = 1_000;
const MAX_HEADER: usize = 1_000;

/// The cell of a row under a header; in anything but a table's row, what follows the label.
pub(crate) fn cell(tree: &Tree, row: NodeId, header: &str, headers: &mut Headers) -> Option<NodeId> {
    if tree.name(row) == Some("tr") {
        let table = std::iter::successors(Some(row), |node| tree.parent(*node))
            .find(|node| tree.name(*node) == Some("table"))?;
        let columns = headers.entry(table).or_insert_with(|| columns(tree, table));
        let column = columns.iter().find(|(label, _)| label == header)?.1;
        return cells(tree, row)
            .find(|(_, first, span)| (*first..first + span).contains(&column))
            .map(|(cell, ..)| cell);
    }
    let named = tree.descendants(row).find(|node| {
        matches!(tree.name(*node), Some("dt" | "th"))
            && label(&markup::words(tree, *node, MAX_HEADER).0) == header
    })?;
    let beside = std::iter::successors(tree.next(named), |node| tree.next(*node));
    beside.into_iter().find(|node| matches!(tree.name(*node), Some("dd" | "td")))
}

/// The labels of a table: of the first row that has a header cell in its head, else of the first row with only such.
fn columns(tree: &Tree, table: NodeId) -> Vec<(String, usize)> {
    let rows = || tree.descendants(table).filter(|node| tree.name(*node) == Some("tr"));
    let in_head = |row: &NodeId| tree.parent(*row).is_some_and(|parent| tree.name(parent) == Some("thead"));
    let only_headers = |row: &NodeId| {
        let mut cells = cells(tree, *row).peekable();
        cells.peek().is_some() && cells.all(|(cell, ..)| tree.name(cell) == Some("th"))
    };
    let Some(head) = rows().find(in_head).or_else(|| rows().find(only_headers)) else { return Vec::new() };
    cells(tree, head)
        .map(|(cell, column, _)| (label(&markup::words(tree, cell, MAX_HEADER).0), column))
        .collect()
}

/// The cells of a row: node, first column, columns.
fn cells(tree: &Tree, row: NodeId) -> impl Iterator<Item = (NodeId, usize, usize)> + '_ {
    let cells = tree.children(row).filter(|node| matches!(tree.name(*node), Some("td" | "th")));
    cells.take(MAX_COLUMNS).scan(0, |column, cell| {
        let span = tree.attribute(cell, "colspan").and_then(|span| span.trim().parse::<usize>().ok());
        let span = span.unwrap_or(1).clamp(1, MAX_COLUMNS);
        let first = *column;
        *column += span;
        Some((cell, first, span))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::tree;

    /// In the first `inside`, the header leads to these words.
    fn check(html: &str, inside: &str, header: &str, expected: Option<&str>) {
        let tree = tree(html);
        let mut rows = tree.descendants(tree.root()).filter(|node| {
            tree.name(*node) == Some(inside) && tree.children(*node).any(|cell| tree.name(cell) != Some("th"))
        });
        let found = cell(&tree, rows.next().unwrap(), header, &mut Headers::new());
        assert_eq!(
            found.map(|cell| markup::words(&tree, cell, 100).0).as_deref(),
            expected,
            "{header} in {html}"
        );
    }

    #[test]
    fn cells_are_found_by_their_header() {
        let html =
            "<table><thead><tr><th>Name<th colspan=2>Size:<th>Price</thead><tr><td>A<td>1<td>2<td>3</table>";
        check(html, "tr", "name", Some("A"));
        check(html, "tr", "size", Some("1"));
        check(html, "tr", "price", Some("3"));
        check(html, "tr", "colour", None);
        check("<table><tr><th>A<th>B<tr><td>1<td>2</table>", "tr", "b", Some("2"));
    }

    #[test]
    fn values_are_found_beside_their_label() {
        check("<dl><dt>Colour:</dt> <dd>red</dd><dt>Size</dt><dd>L</dd></dl>", "dl", "colour", Some("red"));
        check("<table><tr><th>Weight</th><td>5 kg</td></tr></table>", "table", "weight", Some("5 kg"));
    }
}
