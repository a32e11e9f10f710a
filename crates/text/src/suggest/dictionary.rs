//! The user's own dictionary of suggestions: tab-separated lines.

use crate::TextError;

use super::{Entry, Source};

/// Longer phrases are no suggestions but a file of another kind.
const LONGEST_NAME: usize = 1000;

/// Reads tab-separated lines. A header names the columns: `name`, `score` and `synonyms`, the last separated by `;`.
/// Without one the columns are name, score, synonyms; where a line has six columns or more, the sixth holds the
/// synonyms. A missing score is 1.
pub fn dictionary(tsv: &str) -> Result<Vec<Entry>, TextError> {
    let tsv = tsv.strip_prefix('\u{feff}').unwrap_or(tsv);
    let mut columns = None;
    let mut entries = Vec::new();
    for (index, line) in tsv.lines().enumerate() {
        let error = |reason: String| TextError::Dictionary { line: index + 1, reason };
        if line.trim().is_empty() {
            continue;
        }
        let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
        if columns.is_none() {
            let header = header(&cells);
            columns = Some(header);
            if header.is_some() {
                continue;
            }
        }
        let (name, score, synonyms) = match columns.flatten() {
            Some(places) => places,
            None => (0, Some(1), Some(if cells.len() >= 6 { 5 } else { 2 })),
        };
        let cell =
            |place: Option<usize>| place.and_then(|place| cells.get(place)).copied().unwrap_or_default();
        let text = cell(Some(name));
        if text.is_empty() {
            return Err(error("no name; write name, tab, score, tab, synonyms".to_owned()));
        }
        if text.len() > LONGEST_NAME {
            return Err(error(format!("a name of {} bytes; at most {LONGEST_NAME} are allowed", text.len())));
        }
        let weight = match cell(score) {
            "" => 1.0,
            number => number
                .parse()
                .ok()
                .filter(|weight: &f64| weight.is_finite())
                .ok_or_else(|| error(format!("the score {number:.40?} is no number")))?,
        };
        let synonyms = cell(synonyms)
            .split(';')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        entries.push(Entry { text: text.to_owned(), weight, source: Source::Dictionary, synonyms });
    }
    Ok(entries)
}

/// The places of name, score and synonyms, if the first line names them.
fn header(cells: &[&str]) -> Option<(usize, Option<usize>, Option<usize>)> {
    let place = |name: &str| cells.iter().position(|cell| cell.eq_ignore_ascii_case(name));
    place("name").map(|name| (name, place("score"), place("synonyms")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tsv: &str, expected: &[(&str, f64, &[&str])]) {
        let found = dictionary(tsv).expect(tsv);
        let found: Vec<_> =
            found.iter().map(|entry| (entry.text.as_str(), entry.weight, entry.synonyms.clone())).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|&(name, score, synonyms)| {
                (name, score, synonyms.iter().map(|&word| word.to_owned()).collect())
            })
            .collect();
        assert_eq!(found, expected, "{tsv:?}");
    }

    fn check_error(tsv: &str, expected: &str) {
        assert_eq!(dictionary(tsv).expect_err(tsv).to_string(), expected);
    }

    #[test]
    fn a_header_names_the_columns() {
        check(
            "Score\tname\tid\tSynonyms\n7\tGannet\tQ1\tsolan goose; booby ;\n\n2\tHeron\n",
            &[("Gannet", 7.0, &["solan goose", "booby"]), ("Heron", 2.0, &[])],
        );
    }

    #[test]
    fn without_a_header_the_order_is_fixed() {
        check("Gannet\t7\tsolan goose\r\nHeron", &[("Gannet", 7.0, &["solan goose"]), ("Heron", 1.0, &[])]);
        check("Gannet\t7\ta\tb\tc\tsolan goose;booby", &[("Gannet", 7.0, &["solan goose", "booby"])]);
        check("", &[]);
    }

    #[test]
    fn mistakes_have_a_line() {
        check_error("Gannet\t7\nHeron\tmany", "dictionary, line 2: the score \"many\" is no number");
        check_error("Gannet\tnan", "dictionary, line 1: the score \"nan\" is no number");
        check_error("name\tscore\n\t3", "dictionary, line 2: no name; write name, tab, score, tab, synonyms");
        check_error(&"x".repeat(1001), "dictionary, line 1: a name of 1001 bytes; at most 1000 are allowed");
    }
}
