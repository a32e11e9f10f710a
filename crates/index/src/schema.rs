//! The fields of an index, and how they lie in the library's schema.
//!
//! Fields are known by their number, in the order of the settings; names are for people. A text field has three
//! columns below: terms (stemmed, without stop words), exact words (all of them, for phrases, prefixes and spelling)
//! and its length in terms.

use serde::{Deserialize, Serialize};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, STORED, Schema as Below, TextFieldIndexing,
    TextOptions,
};

use crate::tokens::CUT;

/// What an index holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// Its fields; their places are their numbers.
    pub fields: Vec<FieldSpec>,
}

/// One field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldSpec {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// Words to search for, cut in this way.
    Text(text::Analysis),
    /// Whole values to filter by and to count: a site, a language, a category.
    Keyword,
    /// Numbers.
    Number,
    /// Seconds since 1970.
    Date,
}

impl Schema {
    /// The number of the field of this name.
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// The numbers of its text fields.
    pub fn texts(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.fields.len()).filter(|n| matches!(self.fields[*n].kind, Kind::Text(_)))
    }
}

/// The library's fields.
pub(crate) struct Layout {
    pub(crate) schema: Below,
    pub(crate) id: Field,
    pub(crate) key: Field,
    pub(crate) stored: Field,
    pub(crate) fields: Vec<Columns>,
}

/// The library's fields of one field.
#[derive(Clone, Copy)]
pub(crate) enum Columns {
    Text { terms: Field, exact: Field, length: Field },
    Keyword(Field),
    Number(Field),
    Date(Field),
}

/// The column of the number by which equal scores are ordered.
pub(crate) const KEY: &str = "key";

pub(crate) fn length_column(field: usize) -> String {
    format!("len{field}")
}

pub(crate) fn value_column(field: usize) -> String {
    format!("val{field}")
}

impl Layout {
    pub(crate) fn of(schema: &Schema) -> Layout {
        let mut builder = Below::builder();
        let whole = TextFieldIndexing::default().set_tokenizer("raw").set_fieldnorms(false);
        let whole =
            TextOptions::default().set_indexing_options(whole.set_index_option(IndexRecordOption::Basic));
        let id = builder.add_text_field("id", whole.clone());
        let key = builder.add_u64_field(KEY, NumericOptions::from(FAST));
        let stored = builder.add_bytes_field("doc", STORED);
        let words = |lengths: bool| {
            let indexing = TextFieldIndexing::default()
                .set_tokenizer(CUT)
                .set_fieldnorms(lengths)
                .set_index_option(IndexRecordOption::WithFreqsAndPositions);
            TextOptions::default().set_indexing_options(indexing)
        };
        let mut fields = Vec::with_capacity(schema.fields.len());
        for (number, field) in schema.fields.iter().enumerate() {
            let value = value_column(number);
            fields.push(match field.kind {
                Kind::Text(_) => Columns::Text {
                    terms: builder.add_text_field(&format!("term{number}"), words(true)),
                    exact: builder.add_text_field(&format!("word{number}"), words(false)),
                    length: builder.add_u64_field(&length_column(number), NumericOptions::from(FAST)),
                },
                Kind::Keyword => {
                    Columns::Keyword(builder.add_text_field(&value, whole.clone().set_fast("raw")))
                }
                Kind::Number => Columns::Number(builder.add_f64_field(&value, NumericOptions::from(FAST))),
                Kind::Date => {
                    Columns::Date(builder.add_i64_field(&value, NumericOptions::from(FAST | INDEXED)))
                }
            });
        }
        Layout { schema: builder.build(), id, key, stored, fields }
    }

    /// The library's field in which words of this form are.
    pub(crate) fn words(&self, field: usize, form: crate::Form) -> Option<Field> {
        match (self.fields.get(field)?, form) {
            (Columns::Text { terms, .. }, crate::Form::Term) => Some(*terms),
            (Columns::Text { exact, .. }, crate::Form::Exact) => Some(*exact),
            _ => None,
        }
    }
}
