//! Clean-up: steps that turn the texts found on a page into the texts wanted.

use regex::Regex;

use crate::markup::cut;
use crate::read::{MAX_LIST, MAX_TEXT};

/// One compiled step.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Trim,
    Lower,
    Upper,
    First,
    Last,
    Join(String),
    Split(String),
    Match(Regex),
    Replace(Regex, String),
}

impl Step {
    /// Compiles a step; its regular expression was checked with the template.
    pub(crate) fn compile(step: &model::Step) -> Result<Step, regex::Error> {
        use model::Step as Written;
        Ok(match step {
            Written::Trim => Step::Trim,
            Written::Lower => Step::Lower,
            Written::Upper => Step::Upper,
            Written::First => Step::First,
            Written::Last => Step::Last,
            Written::Join(between) => Step::Join(between.clone()),
            Written::Split(at) => Step::Split(at.clone()),
            Written::Match(regex) => Step::Match(Regex::new(regex)?),
            Written::Replace(regex, with) => Step::Replace(Regex::new(regex)?, with.clone()),
        })
    }

    /// True if the step needs more than the first text to know what it gives.
    pub(crate) fn needs_all(&self) -> bool {
        matches!(self, Step::Last | Step::Join(_) | Step::Match(_))
    }

    /// Does the step.
    pub(crate) fn apply(&self, mut texts: Vec<String>) -> Vec<String> {
        let each =
            |texts: Vec<String>, change: &dyn Fn(String) -> String| texts.into_iter().map(change).collect();
        match self {
            Step::Trim => each(texts, &|text| text.trim().to_owned()),
            Step::Lower => each(texts, &|text| text.to_lowercase()),
            Step::Upper => each(texts, &|text| text.to_uppercase()),
            Step::First => {
                texts.truncate(1);
                texts
            }
            Step::Last => texts.pop().into_iter().collect(),
            Step::Join(_) if texts.is_empty() => texts,
            Step::Join(between) => {
                let mut joined = texts.join(between);
                cut(&mut joined, MAX_TEXT);
                vec![joined]
            }
            Step::Split(at) => {
                let pieces = texts.iter().flat_map(|text| text.split(at.as_str()));
                pieces
                    .map(str::trim)
                    .filter(|piece| !piece.is_empty())
                    .take(MAX_LIST)
                    .map(str::to_owned)
                    .collect()
            }
            Step::Match(regex) => {
                let kept = |text: &String| {
                    let found = regex.captures(text)?;
                    found.get(1).or_else(|| found.get(0)).map(|part| part.as_str().to_owned())
                };
                texts.iter().filter_map(kept).collect()
            }
            Step::Replace(regex, with) => each(texts, &|text| {
                let mut text = regex.replace_all(&text, with.as_str()).into_owned();
                cut(&mut text, MAX_TEXT);
                text
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The step makes these of those.
    fn check(step: model::Step, texts: &[&str], expected: &[&str]) {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(Step::compile(&step).unwrap().apply(texts), expected, "{step:?}");
    }

    #[test]
    fn steps_do_what_they_say() {
        use model::Step as Written;
        let text = |text: &str| text.to_owned();
        check(Written::Trim, &[" a "], &["a"]);
        check(Written::Lower, &["ÄB"], &["äb"]);
        check(Written::Upper, &["äb"], &["ÄB"]);
        check(Written::First, &["a", "b"], &["a"]);
        check(Written::Last, &["a", "b"], &["b"]);
        check(Written::Join(text(", ")), &["a", "b"], &["a, b"]);
        check(Written::Join(text(", ")), &[], &[]);
        check(Written::Split(text(",")), &["a, b,", "c"], &["a", "b", "c"]);
        check(Written::Match(text("[0-9]+")), &["x1y2", "none"], &["1"]);
        check(Written::Match(text("no ([a-z]+)")), &["no rain"], &["rain"]);
        check(Written::Replace(text("([a-z])([0-9])"), text("$2$1")), &["a1b2"], &["1a2b"]);
    }
}
