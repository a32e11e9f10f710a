//! Judged queries: which documents answer which query, and how well.

use std::collections::{BTreeMap, HashMap};

use crate::MeasureError;

/// The grades of one query's judged documents; above zero is relevant, and what is not here is not relevant.
pub type Grades = HashMap<String, u32>;

/// Grades by query, in the order of the query ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judgments {
    queries: BTreeMap<String, Grades>,
}

impl Judgments {
    /// Reads TREC qrels (`query iteration document grade`) or three columns (`query document grade`), divided by
    /// tabs or, in TREC's form, by any white space. A header line `query…` and empty lines are passed over. Of two
    /// grades for one pair the later counts; a negative grade (TREC's "spam") counts as not relevant.
    pub fn parse(text: &str) -> Result<Judgments, MeasureError> {
        let mut judgments = Judgments::default();
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.trim_end_matches('\r');
            if line.trim().is_empty() {
                continue;
            }
            let Some([query, document, grade]) = columns(line) else {
                return Err(MeasureError::line(index + 1, "expected query, document and grade", line));
            };
            let Ok(grade) = grade.parse::<i64>() else {
                if index == 0 {
                    continue;
                }
                return Err(MeasureError::line(index + 1, "the grade is not a whole number", line));
            };
            judgments.add(query, document, u32::try_from(grade.max(0)).unwrap_or(u32::MAX));
        }
        Ok(judgments)
    }

    /// Says how well a document answers a query.
    pub fn add(&mut self, query: &str, document: &str, grade: u32) {
        self.queries.entry(query.to_owned()).or_default().insert(document.to_owned(), grade);
    }

    /// The judged documents of a query.
    pub fn grades(&self, query: &str) -> Option<&Grades> {
        self.queries.get(query)
    }

    /// Queries that some document answers: the ones a mean is taken over.
    pub fn answerable(&self) -> impl Iterator<Item = (&str, &Grades)> {
        self.queries
            .iter()
            .filter(|(_, grades)| grades.values().any(|&grade| grade > 0))
            .map(|(query, grades)| (query.as_str(), grades))
    }
}

fn columns(line: &str) -> Option<[&str; 3]> {
    let by_tab: Vec<&str> = line.split('\t').map(str::trim).collect();
    match by_tab[..] {
        [query, document, grade] => return Some([query, document, grade]),
        [query, _, document, grade] => return Some([query, document, grade]),
        _ => {}
    }
    let by_space: Vec<&str> = line.split_whitespace().collect();
    match by_space[..] {
        [query, document, grade] => Some([query, document, grade]),
        [query, _, document, grade] => Some([query, document, grade]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str, u32)]) {
        let mut judgments = Judgments::default();
        for (query, document, grade) in expected {
            judgments.add(query, document, *grade);
        }
        assert_eq!(Judgments::parse(text), Ok(judgments), "{text:?}");
    }

    #[test]
    fn trec_and_tab_separated_judgments_are_read() {
        check("1\tdoc 7\t2\n1\tb\t0\n", &[("1", "doc 7", 2), ("1", "b", 0)]);
        check("1 0 a 3\r\n\n2 Q0 b 1", &[("1", "a", 3), ("2", "b", 1)]);
        check("\u{feff}query\tdocument\tgrade\n1\ta\t1", &[("1", "a", 1)]);
        check("1\ta\t1\n1\ta\t2\n1\tb\t-2", &[("1", "a", 2), ("1", "b", 0)]);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let error = Judgments::parse("1\ta\t1\n1 a").expect_err("two columns");
        assert_eq!(error.to_string(), "line 2: expected query, document and grade: \"1 a\"");
        let error = Judgments::parse("1\ta\t1\n1\ta\tgood").expect_err("a word");
        assert_eq!(error.to_string(), "line 2: the grade is not a whole number: \"1\\ta\\tgood\"");
    }
}
