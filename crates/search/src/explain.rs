//! The way to a score, as a tree whose parts add up.

use std::collections::{BTreeMap, BTreeSet};

use index::{How, Part};
use rank::Explanation;

use crate::answer::Hit;
use crate::settings::{FormulaIs, Ranking};
use crate::shard::Explained;

/// Where a score comes from.
pub(crate) fn explanation(explained: &Explained, ranking: &Ranking, factor: f64) -> Explanation {
    let mut parts = vec![tree(&explained.words)];
    if explained.near > 0.0 {
        parts.push(Explanation::value("words that stand close to each other", explained.near));
    }
    let mut sum = collapse("words", parts);
    if let Some((value, variables)) = &explained.signals.formula {
        let text = ranking.formula.as_deref().unwrap_or_default();
        // What is not known is no number, and could not be written as one.
        let value_of = |(name, value): &(String, f64)| match value.is_finite() {
            true => Explanation::value(name.clone(), *value),
            false => Explanation::value(format!("{name}: not known"), 0.0),
        };
        let values = variables.iter().map(value_of).collect();
        let formula = Explanation::value_of(format!("formula {text}"), *value, values);
        sum = match ranking.formula_is {
            FormulaIs::Added => Explanation::sum("words and formula", vec![sum, formula]),
            FormulaIs::Multiplied => Explanation::product("words times formula", vec![sum, formula]),
        };
    }
    if let Some(fresh) = explained.signals.fresh {
        sum = Explanation::sum("with freshness", vec![sum, Explanation::value("how new it is", fresh)]);
    }
    if let Some((added, rank)) = explained.signals.pagerank {
        let label = match rank {
            Some(_) => "what links make of it",
            None => "what links make of it: not known",
        };
        let remarks = rank.map(|rank| Explanation::value("pagerank, where the mean is 1", rank));
        let added = Explanation::value_of(label, added, remarks.into_iter().collect());
        sum = Explanation::sum("with pagerank", vec![sum, added]);
    }
    if factor != 1.0 && sum.value > 0.0 {
        sum = Explanation::product("by a rule", vec![sum, Explanation::value("demoted", factor)]);
    }
    sum
}

/// The parts in which the explained scores of two hits differ most, with both values.
pub fn differences(one: &Hit, other: &Hit, most: usize) -> Vec<(String, f64, f64)> {
    let parts = |hit: &Hit| {
        let mut parts = BTreeMap::new();
        hit.explanation.iter().for_each(|tree| leaves(tree, &mut parts));
        parts
    };
    let (ones, others) = (parts(one), parts(other));
    let labels: BTreeSet<&String> = ones.keys().chain(others.keys()).collect();
    let value = |parts: &BTreeMap<String, f64>, label| parts.get(label).copied().unwrap_or(0.0);
    let both = labels.into_iter().map(|label| (label.clone(), value(&ones, label), value(&others, label)));
    let difference = |(_, one, other): &(String, f64, f64)| (one - other).abs();
    let mut differing: Vec<_> = both.filter(|both| difference(both) > 5e-4).collect();
    differing.sort_by(|one, other| difference(other).total_cmp(&difference(one)));
    differing.truncate(most);
    differing
}

/// What a score is made of: each word in each field, and what comes beside them.
fn leaves(tree: &Explanation, parts: &mut BTreeMap<String, f64>) {
    match tree.how {
        rank::How::Max => {
            let best = tree.children.iter().max_by(|one, other| one.value.total_cmp(&other.value));
            best.into_iter().for_each(|best| leaves(best, parts));
        }
        // A word in a field begins with its quote; what it is made of says less than itself.
        rank::How::Sum | rank::How::Product if !tree.label.starts_with('“') => {
            tree.children.iter().for_each(|child| leaves(child, parts));
        }
        _ => *parts.entry(tree.label.clone()).or_default() += tree.value,
    }
}

fn collapse(label: &str, mut parts: Vec<Explanation>) -> Explanation {
    if parts.len() == 1 { parts.remove(0) } else { Explanation::sum(label, parts) }
}

fn tree(part: &Part) -> Explanation {
    let children: Vec<Explanation> = part.parts.iter().map(tree).collect();
    let label = part.label.clone();
    match part.how {
        How::Value => Explanation::value(label, part.value),
        How::Sum => Explanation::sum(label, children),
        How::Product => Explanation::product(label, children),
        How::Max => Explanation::max(label, children),
    }
}
