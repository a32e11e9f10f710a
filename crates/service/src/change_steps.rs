//! The cascade step by step: what each has for the earlier version and for the later one.

use judge::change::Verdict;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::changed_images::ChangedImage;

/// Letters shown of a string of tags, and of these before the first that differs.
const LETTERS: usize = 24;
const LETTERS_BEFORE: usize = 8;

/// Levels shown of a tree.
const MOST_LEVELS: usize = 40;

/// Elements shown that differ.
const MOST_NODES: usize = 5;

/// Images shown.
const MOST_IMAGES: usize = 3;

/// A step of the cascade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangeStep {
    /// `tags`, `levels`, `text codes` and `image ival` are cheap and can be fooled; `hash`, `tree diff`, `word diff` and
    /// `image hash` decide.
    pub step: String,
    /// What it has for the earlier version.
    pub before: String,
    /// What it has for the later one.
    pub after: String,
    /// Whether both differ.
    pub differs: bool,
}

impl ChangeStep {
    fn new(step: &str, before: impl Into<String>, after: impl Into<String>, differs: bool) -> ChangeStep {
        ChangeStep { step: step.to_owned(), before: before.into(), after: after.into(), differs }
    }

    fn of(step: &str, [before, after]: [String; 2]) -> ChangeStep {
        let differs = before != after;
        ChangeStep::new(step, before, after, differs)
    }
}

/// The steps of a verdict on two versions whose contents have these hashes.
pub(crate) fn steps(hashes: [u64; 2], verdict: &Verdict, words: [u64; 2]) -> Vec<ChangeStep> {
    let tags = [&verdict.tags.0, &verdict.tags.1];
    let firsts = excerpts(tags.map(|tags| tags.first.as_str()));
    let lasts = excerpts(tags.map(|tags| tags.last.as_str()));
    let [before, after] =
        [0, 1].map(|of| format!("{} tags: {} / {}", tags[of].first.chars().count(), firsts[of], lasts[of]));
    let elements = |of: fn(&judge::change::structure::LevelChange) -> usize| -> usize {
        verdict.levels.iter().map(of).sum()
    };
    let (came, went, edited) = (
        elements(|level| level.added.len()),
        elements(|level| level.removed.len()),
        elements(|level| level.edited.len()),
    );
    let attributes = verdict.attributes.len();
    vec![
        ChangeStep::of("hash", hashes.map(|hash| format!("{hash:016x}"))),
        ChangeStep::new("tags", before, after, tags[0] != tags[1]),
        ChangeStep::new(
            "levels",
            counts(&verdict.counts.0),
            format!("{}{}", counts(&verdict.counts.1), differing(verdict)),
            !verdict.levels.is_empty(),
        ),
        ChangeStep::new(
            "tree diff",
            format!("{went} elements went"),
            format!("{came} came, {edited} edited, {attributes} attributes differ"),
            came + went + edited + attributes > 0,
        ),
        ChangeStep::of(
            "text codes",
            [(verdict.text_one.0, verdict.text_two.0), (verdict.text_one.1, verdict.text_two.1)]
                .map(|(one, two)| format!("{one:.6} and {two:.6}")),
        ),
        ChangeStep::new(
            "word diff",
            format!("{} words went", words[0]),
            format!("{} came", words[1]),
            !verdict.words.is_empty(),
        ),
    ]
}

/// The steps of images that differ.
pub(crate) fn image_steps(images: &[ChangedImage]) -> Vec<ChangeStep> {
    let shown = images.iter().take(MOST_IMAGES);
    let or_none = |values: &[Option<String>; 2]| {
        values.each_ref().map(|value| value.clone().unwrap_or_else(|| "none".to_owned()))
    };
    shown
        .flat_map(|image| {
            let [before, after] = or_none(&image.hashes);
            let bits = image.distance.map(|bits| format!(", {bits} of 64 bits differ")).unwrap_or_default();
            let differs = !image.looks_the_same();
            let hash = ChangeStep::new(
                "image hash",
                before,
                format!("{after}{bits}: {} {}", image.became, image.url),
                differs,
            );
            // One that was not fetched has no number.
            let is_known = image.numbers.iter().any(Option::is_some);
            let number = is_known.then(|| ChangeStep::of("image ival", or_none(&image.numbers)));
            number.into_iter().chain([hash])
        })
        .collect()
}

/// What both strings have around the first letter that differs.
fn excerpts(both: [&str; 2]) -> [String; 2] {
    let same = both[0].chars().zip(both[1].chars()).take_while(|(old, new)| old == new).count();
    let start = match both[0] == both[1] {
        true => 0,
        false => same.saturating_sub(LETTERS_BEFORE),
    };
    both.map(|letters| {
        let shown: String = letters.chars().skip(start).take(LETTERS).collect();
        let before = if start > 0 { "…" } else { "" };
        let after = if letters.chars().count() > start + LETTERS { "…" } else { "" };
        format!("{before}{shown}{after}")
    })
}

fn counts(counts: &[usize]) -> String {
    let shown: Vec<String> = counts.iter().take(MOST_LEVELS).map(ToString::to_string).collect();
    format!("{}{}", shown.join(" "), if counts.len() > MOST_LEVELS { " …" } else { "" })
}

fn differing(verdict: &Verdict) -> String {
    let levels: Vec<String> =
        verdict.levels.iter().take(MOST_LEVELS).map(|level| level.level.to_string()).collect();
    let which = match levels.len() {
        0 => return String::new(),
        1 => format!(", level {} differs", levels[0]),
        _ => format!(", levels {} differ", levels.join(", ")),
    };
    let nodes: Vec<_> = verdict.levels.iter().flat_map(|level| &level.nodes).collect();
    let value = |value: Option<f64>| value.map_or("none".to_owned(), |value| format!("{value:.3}"));
    let shown: Vec<String> = nodes
        .iter()
        .take(MOST_NODES)
        .map(|node| format!("node {} {} → {}", node.id, value(node.values.0), value(node.values.1)))
        .collect();
    let more = if nodes.len() > MOST_NODES { ", …" } else { "" };
    let values = if shown.is_empty() { "" } else { ": " };
    format!("{which}{values}{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use judge::change::{Version, compare};

    use super::*;

    #[test]
    fn each_step_has_its_values_for_both_versions() {
        let of = |old: &str, new: &str| {
            let verdict = compare(Version { html: old, text: old }, Version { html: new, text: new });
            steps([1, 2], &verdict, [0, 1])
        };
        let found = of("<p>in", "<p>in<hr>out");
        let shown: Vec<(&str, &str, &str, bool)> = found
            .iter()
            .map(|step| (step.step.as_str(), step.before.as_str(), step.after.as_str(), step.differs))
            .collect();
        assert_eq!(shown[0], ("hash", "0000000000000001", "0000000000000002", true));
        assert_eq!(shown[1], ("tags", "1 tags: p / p", "2 tags: ph / pr", true));
        // Elements keep their ids from one version to the next; one that came has the next one.
        let nodes = "node 3 0.000 → 66.220, node 5 none → 0.000";
        assert_eq!(shown[2].2, format!("1 2 2, levels 2, 3 differ: {nodes}"));
        assert_eq!((shown[2].0, shown[2].1, shown[2].3), ("levels", "1 2 1", true));
        assert_eq!(shown[3], ("tree diff", "0 elements went", "1 came, 1 edited, 0 attributes differ", true));
        assert_eq!((shown[4].0, shown[4].3), ("text codes", true));
        assert_eq!(shown[5], ("word diff", "0 words went", "1 came", true));
        let long = format!("{}<hr>{}", "<p>".repeat(50), "<b>".repeat(50));
        let tags = of(&long, &long.replace("<hr>", "<br>"))[1].clone();
        assert!(tags.before.contains("…pppppppphbbb"), "{tags:?}");
    }
}
