//! An entry: what is put into an index under one name.

use tantivy::TantivyDocument;
use text::Analyzer;
use xxhash_rust::xxh3::xxh3_64;

use crate::schema::{Columns, Layout};
use crate::tokens::Marked;

/// One page or row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Its name: an entry of the same name is replaced.
    pub id: String,
    /// Its values: field number and value; a field may have several.
    pub values: Vec<(usize, Value)>,
    /// What is given back with a hit, as it is.
    pub stored: Vec<u8>,
}

/// A value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// For text fields.
    Text(String),
    /// For keyword fields.
    Keyword(String),
    /// For number fields; one that is not finite is left out.
    Number(f64),
    /// For date fields: seconds since 1970.
    Date(i64),
}

/// The longest keyword, in bytes; a longer one is cut off.
const LONGEST_KEYWORD: usize = 512;

/// Turns entries into the library's documents; keeps its buffers.
pub(crate) struct Preparer {
    /// One for each field that holds text.
    pub(crate) analyzers: Vec<Option<Analyzer>>,
    terms: Marked,
    exact: Marked,
}

impl Preparer {
    pub(crate) fn new(analyzers: Vec<Option<Analyzer>>) -> Preparer {
        Preparer { analyzers, terms: Marked::default(), exact: Marked::default() }
    }

    /// Values that do not fit their field's kind are left out.
    pub(crate) fn document(&mut self, layout: &Layout, entry: &Entry) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        document.add_text(layout.id, &entry.id);
        document.add_u64(layout.key, key_of(&entry.id));
        document.add_bytes(layout.stored, &entry.stored);
        for (number, columns) in layout.fields.iter().enumerate() {
            let values = entry.values.iter().filter(|(field, _)| *field == number).map(|(_, value)| value);
            if let Columns::Text { terms, exact, length } = *columns {
                let Some(analyzer) = &self.analyzers[number] else { continue };
                self.terms.clear();
                self.exact.clear();
                for value in values {
                    let Value::Text(text) = value else { continue };
                    self.terms.gap();
                    self.exact.gap();
                    analyzer.each(text, &mut |word| {
                        self.exact.push(word.position, Some(word.exact));
                        if let Some(term) = word.term {
                            self.terms.push(word.position, Some(term));
                        }
                    });
                }
                if self.exact.words > 0 {
                    document.add_text(terms, &self.terms.text);
                    document.add_text(exact, &self.exact.text);
                }
                document.add_u64(length, self.terms.words);
                continue;
            }
            for value in values {
                match (columns, value) {
                    (Columns::Keyword(field), Value::Keyword(keyword)) => {
                        document.add_text(*field, &keyword[..keyword.floor_char_boundary(LONGEST_KEYWORD)]);
                    }
                    (Columns::Number(field), Value::Number(number)) if number.is_finite() => {
                        document.add_f64(*field, *number);
                    }
                    (Columns::Date(field), Value::Date(seconds)) => document.add_i64(*field, *seconds),
                    _ => {}
                }
            }
        }
        document
    }
}

/// The number by which entries with equal scores are ordered, the same on every machine.
pub(crate) fn key_of(id: &str) -> u64 {
    xxh3_64(id.as_bytes())
}
