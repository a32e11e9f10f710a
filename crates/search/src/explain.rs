//! The way to a score, as a tree whose parts add up.

use index::{How, Part};
use rank::Explanation;

use crate::settings::{FormulaIs, Ranking};
use crate::shard::Explained;

/// Where a score comes from.
pub(crate) fn explanation(explained: &Explained, ranking: &Ranking, factor: f64) -> Explanation {
    let mut parts = vec![tree(&explained.words)];
    if explained.near > 0.0 {
        parts.push(Explanation::value("words that stand close to each other", explained.near));
    }
    let mut sum = collapse("words", parts);
    if let Some((value, variables)) = &explained.formula {
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
    if let Some(fresh) = explained.fresh {
        sum = Explanation::sum("with freshness", vec![sum, Explanation::value("how new it is", fresh)]);
    }
    if factor != 1.0 {
        sum = Explanation::product("by a rule", vec![sum, Explanation::value("demoted", factor)]);
    }
    sum
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
