//! A graph from a list of edges: a line each, `source target [weight]`, apart by tabs, commas or blanks.

use std::collections::HashMap;
use std::io::{BufRead, Read};

use crate::{Builder, Fold, Graph, GraphError};

/// A graph and the names of its pages.
#[derive(Debug)]
pub struct EdgeList {
    /// The names, by number.
    pub names: Vec<String>,
    /// The links.
    pub graph: Graph,
}

/// No line is longer.
const LONGEST_LINE: u64 = 64 << 10;

/// Reads a list of edges, sorting in that many bytes of memory. Several edges between two pages are one, with the
/// largest weight. Lines that begin with `#` or `%` and empty lines are skipped, and so is a first line that names
/// the columns; a line with one name is a page without links.
pub fn read_edge_list(mut input: impl BufRead, memory: usize) -> Result<EdgeList, GraphError> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut builder = Builder::new(Fold::Max, memory);
    let mut bytes = Vec::new();
    let mut line = 0;
    let mut first = true;
    loop {
        bytes.clear();
        let read = (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut bytes).map_err(GraphError::Read)?;
        if read == 0 {
            break;
        }
        line += 1;
        let wrong = |problem: String| GraphError::Line { line, problem };
        if read as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') {
            return Err(wrong(format!("longer than {LONGEST_LINE} bytes")));
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| wrong("not UTF-8".to_owned()))?;
        // Some programs begin a file with a mark for its encoding.
        let text = if line == 1 { text.trim_start_matches('\u{feff}') } else { text };
        let text = text.trim();
        if text.is_empty() || text.starts_with(['#', '%']) {
            continue;
        }
        let fields = fields(text);
        if std::mem::take(&mut first) && is_heading(&fields) {
            continue;
        }
        let (source, target, weight) = match fields[..] {
            [page] => (page, None, None),
            [source, target] => (source, Some(target), None),
            [source, target, weight] => (source, Some(target), Some(weight)),
            _ => return Err(wrong(format!("{} columns", fields.len()))),
        };
        if source.is_empty() || target.is_some_and(str::is_empty) {
            return Err(wrong("a name is missing".to_owned()));
        }
        let weight = match weight {
            None | Some("") => 1.0,
            Some(text) => match text.parse::<f32>() {
                Ok(weight) if weight > 0.0 && weight.is_finite() => weight,
                _ => return Err(wrong(format!("weight {text:?} is not a positive number"))),
            },
        };
        let source = number(&mut numbers, source)?;
        builder.page(source);
        if let Some(target) = target {
            let target = number(&mut numbers, target)?;
            builder.arc(source, target, weight)?;
        }
    }
    let mut names = vec![String::new(); numbers.len()];
    for (name, number) in numbers {
        names[number as usize] = name;
    }
    Ok(EdgeList { names, graph: builder.finish()? })
}

/// A line with a tab is cut at tabs, one with a comma at commas, any other where there is white space. A comma is
/// part of a URL when the line has white space.
fn fields(text: &str) -> Vec<&str> {
    if text.contains('\t') {
        text.split('\t').map(str::trim).collect()
    } else if text.contains(char::is_whitespace) && !text.contains(", ") {
        text.split_whitespace().collect()
    } else if text.contains(',') {
        text.split(',').map(|field| field.trim().trim_matches('"')).collect()
    } else {
        text.split_whitespace().collect()
    }
}

/// True of `source,target,weight` and the like.
fn is_heading(fields: &[&str]) -> bool {
    let is = |at: usize, words: &[&str]| {
        fields.get(at).is_some_and(|field| words.iter().any(|word| field.eq_ignore_ascii_case(word)))
    };
    is(0, &["source", "from", "src"]) && is(1, &["target", "to", "dst", "destination"])
}

/// The number of a name, in the order of first mention.
fn number(numbers: &mut HashMap<String, u32>, name: &str) -> Result<u32, GraphError> {
    if let Some(number) = numbers.get(name) {
        return Ok(*number);
    }
    let number = u32::try_from(numbers.len()).ok().filter(|number| *number < u32::MAX);
    let number = number.ok_or(GraphError::TooLarge)?;
    numbers.insert(name.to_owned(), number);
    Ok(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<EdgeList, GraphError> {
        read_edge_list(text.as_bytes(), 1 << 20)
    }

    fn check(text: &str, expected: &[(&str, &str, f32)]) {
        let list = read(text).unwrap();
        let mut found = Vec::new();
        for (target, name) in list.names.iter().enumerate() {
            let sources = list.graph.in_links(target as u32);
            found.extend(
                sources.map(|(source, weight)| (list.names[source as usize].as_str(), name.as_str(), weight)),
            );
        }
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn columns_are_apart_by_tabs_commas_or_blanks() {
        check("a b\nb  c 2.5\n", &[("a", "b", 1.0), ("b", "c", 2.5)]);
        check("a\tb\t3\r\n", &[("a", "b", 3.0)]);
        check("\u{feff}source,target,weight\na,b,3\n\"b\", a,\n", &[("b", "a", 1.0), ("a", "b", 3.0)]);
        check("http://a.test/?x=1,2 http://b.test/", &[("http://a.test/?x=1,2", "http://b.test/", 1.0)]);
        check("# a comment\n\n% another\na b\na b 4\na a\n", &[("a", "b", 4.0)]);
    }

    #[test]
    fn a_name_alone_is_a_page() {
        let list = read("lonely\na b\n").unwrap();
        assert_eq!(list.names, ["lonely", "a", "b"]);
        assert_eq!((list.graph.pages(), list.graph.arcs()), (3, 1));
        assert_eq!(read("").unwrap().graph.pages(), 0);
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (text, expected) in [
            ("a b\na b c d\n", "line 2: 4 columns"),
            ("a b x\n", "line 1: weight \"x\" is not a positive number"),
            ("a b -1\n", "line 1: weight \"-1\""),
            ("a b inf\n", "line 1: weight \"inf\""),
            ("a,,3\n", "line 1: a name is missing"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        assert!(read(&"x".repeat(70_000)).unwrap_err().to_string().contains("longer"));
        assert!(read_edge_list(&b"a \xff\n"[..], 1 << 20).unwrap_err().to_string().contains("UTF-8"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read_edge_list(&bytes[..], 1 << 12);
        }
    }
}
