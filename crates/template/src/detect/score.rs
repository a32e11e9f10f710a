//! How telling a list is: many rows with several differing fields that hold much of the page's text.

use std::collections::HashSet;

use model::FieldKind;

use super::Candidate;
use super::groups::Group;
use super::kinds::guess;
use super::leaves::{Column, Part};
use super::outline::Outline;

pub(super) fn score(outline: &Outline<'_>, group: &Group, columns: &[Column]) -> f64 {
    let rows = group.rows.len();
    let fields: f64 = columns.iter().map(worth).sum();
    let varied = columns.iter().filter(|column| column.coverage() > 0.5 && column.variety() > 0.3).count();
    if rows < 2 || varied == 0 || fields < 0.5 {
        return 0.0;
    }
    let text: usize = group
        .rows
        .iter()
        .flat_map(|item| std::iter::once(&item.node).chain(&item.tail))
        .map(|node| outline.text_length_of(*node))
        .sum();
    let share = text as f64 / outline.text_length.max(1) as f64;
    let margin =
        group.rows.iter().filter(|item| outline.element(item.node).is_some_and(|one| one.margin)).count();
    let place = if margin * 2 > rows { 0.15 } else { 1.0 };
    // A menu has one field; a list has a title and something about it.
    let richness = fields.min(8.0) * if varied == 1 { 0.4 } else { 1.0 };
    let few = if rows < 3 { 0.3 } else { 1.0 };
    let mut score = (rows as f64).ln_1p() * richness * (0.15 + share.min(1.0)) * place * few;
    if group.flat && !is_list_like(columns) {
        // Chapters of a text look the same.
        score *= 0.3;
    }
    score
}

/// Rows that are containers of a better list step back behind it.
pub(super) fn prefer_inner_lists(outline: &Outline<'_>, candidates: &mut [Candidate]) {
    let spans: Vec<(HashSet<_>, usize, usize, f64)> = candidates
        .iter()
        .map(|candidate| {
            let nodes: HashSet<_> = candidate.group.rows.iter().map(|row| row.node).collect();
            let text = nodes.iter().map(|node| outline.text_length_of(*node)).sum();
            let told = candidate
                .columns
                .iter()
                .filter(|column| column.coverage() > 0.5 && column.variety() > 0.3)
                .count();
            (nodes, text, told, candidate.score)
        })
        .collect();
    for (at, candidate) in candidates.iter_mut().enumerate() {
        let (outer, outer_text, ..) = &spans[at];
        let has_better_inside = spans.iter().enumerate().any(|(other, (inner, text, told, score))| {
            other != at
                && *told >= 2
                && *score > 0.0
                && inner.len() >= outer.len() * 2
                && *text * 10 >= *outer_text * 5
                && stands_inside(outline, inner, outer)
        });
        if has_better_inside {
            candidate.score *= 0.3;
        }
    }
}

fn stands_inside(
    outline: &Outline<'_>,
    inner: &HashSet<html::NodeId>,
    outer: &HashSet<html::NodeId>,
) -> bool {
    let is_inside = |node: &html::NodeId| {
        std::iter::successors(outline.tree.parent(*node), |at| outline.tree.parent(*at))
            .any(|at| outer.contains(&at))
    };
    let mut some = inner.iter().take(20).peekable();
    some.peek().is_some() && some.all(is_inside)
}

fn worth(column: &Column) -> f64 {
    let kind = match guess(column) {
        FieldKind::Price => 1.5,
        FieldKind::Date | FieldKind::Image => 1.2,
        FieldKind::Text if mean_length(column) > 40.0 => 1.2,
        FieldKind::Text | FieldKind::Link | FieldKind::Html | FieldKind::Json => 1.0,
        FieldKind::Number => 0.8,
    };
    let many = if column.many { 0.5 } else { 1.0 };
    kind * many * column.coverage() * column.variety().max(0.2)
}

fn mean_length(column: &Column) -> f64 {
    let (count, length) = column
        .all_values()
        .fold((0usize, 0usize), |(count, length), value| (count + 1, length + value.len()));
    length as f64 / count.max(1) as f64
}

/// A flat list is one when its heads are links or its parts have kinds that texts lack.
fn is_list_like(columns: &[Column]) -> bool {
    columns.iter().any(|column| {
        let often = column.coverage() > 0.5;
        often
            && (column.part == Part::Attribute("href")
                || matches!(guess(column), FieldKind::Price | FieldKind::Date | FieldKind::Image))
    })
}
