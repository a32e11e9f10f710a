//! The columns of one segment: values of entries that are not searched but counted, compared and added.

use std::sync::Arc;

use tantivy::columnar::{Column, ColumnValues, StrColumn};
use tantivy::index::SegmentId;

use crate::IndexError;
use crate::lengths::Lengths;
use crate::schema::{Columns, value_column};
use crate::view::View;

/// One segment of a view.
pub struct Segment<'v> {
    pub(crate) view: &'v View,
    pub(crate) number: usize,
}

/// The name of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SegmentName(SegmentId);

/// Numbers by entry: those of a number or date field, or the lengths of a text field.
pub struct NumberColumn(Numbers);

enum Numbers {
    Number(Column<f64>),
    Date(Column<i64>),
    Length(Lengths),
    Missing,
}

/// Keywords by entry, as numbers that mean something within the segment.
pub struct KeywordColumn(Option<StrColumn>);

impl<'v> Segment<'v> {
    pub(crate) fn new(view: &'v View, number: usize) -> Segment<'v> {
        Segment { view, number }
    }

    /// Its name, the same as long as it exists.
    pub fn name(&self) -> SegmentName {
        SegmentName(self.view.segment(self.number).segment_id())
    }

    /// Its entries, dead ones included.
    pub fn entries(&self) -> u32 {
        self.view.segment(self.number).max_doc()
    }

    /// The numbers of a field.
    pub fn numbers(&self, field: usize) -> Result<NumberColumn, IndexError> {
        let columns = self.view.segment(self.number).fast_fields();
        let name = value_column(field);
        Ok(NumberColumn(match self.view.layout().fields.get(field) {
            Some(Columns::Number(_)) => {
                columns.column_opt::<f64>(&name)?.map_or(Numbers::Missing, Numbers::Number)
            }
            Some(Columns::Date(_)) => {
                columns.column_opt::<i64>(&name)?.map_or(Numbers::Missing, Numbers::Date)
            }
            Some(Columns::Text { .. }) => Numbers::Length(self.view.lengths(self.number, field)?),
            _ => Numbers::Missing,
        }))
    }

    /// The keywords of a field.
    pub fn keywords(&self, field: usize) -> Result<KeywordColumn, IndexError> {
        let columns = self.view.segment(self.number).fast_fields();
        Ok(KeywordColumn(match self.view.layout().fields.get(field) {
            Some(Columns::Keyword(_)) => columns.str(&value_column(field))?,
            _ => None,
        }))
    }

    pub(crate) fn keys(&self) -> Result<Arc<dyn ColumnValues<u64>>, IndexError> {
        self.view.keys(self.number)
    }
}

impl NumberColumn {
    /// An entry's first value.
    pub fn first(&self, doc: u32) -> Option<f64> {
        match &self.0 {
            Numbers::Number(column) => column.first(doc),
            Numbers::Date(column) => column.first(doc).map(|value| value as f64),
            Numbers::Length(lengths) => Some(f64::from(lengths.of(doc))),
            Numbers::Missing => None,
        }
    }

    /// All of an entry's values.
    pub fn each(&self, doc: u32, f: &mut dyn FnMut(f64)) {
        match &self.0 {
            Numbers::Number(column) => column.values_for_doc(doc).for_each(f),
            Numbers::Date(column) => column.values_for_doc(doc).for_each(|value| f(value as f64)),
            Numbers::Length(_) | Numbers::Missing => self.first(doc).into_iter().for_each(f),
        }
    }
}

impl KeywordColumn {
    /// An entry's first value, as the segment's number for it.
    pub fn first(&self, doc: u32) -> Option<u64> {
        self.0.as_ref()?.term_ords(doc).next()
    }

    /// All of an entry's values, as numbers.
    pub fn each(&self, doc: u32, f: &mut dyn FnMut(u64)) {
        if let Some(column) = &self.0 {
            column.term_ords(doc).for_each(f);
        }
    }

    /// How many different values there are.
    pub fn values(&self) -> usize {
        self.0.as_ref().map_or(0, |column| column.num_terms())
    }

    /// Every value with its number, in order.
    pub fn each_text(&self, f: &mut dyn FnMut(u64, &str)) -> Result<(), IndexError> {
        let Some(column) = &self.0 else { return Ok(()) };
        let mut values = column.dictionary().stream()?;
        while values.advance() {
            if let Ok(text) = std::str::from_utf8(values.key()) {
                f(values.term_ord(), text);
            }
        }
        Ok(())
    }

    /// The value of a number.
    pub fn text(&self, number: u64) -> Option<String> {
        let mut text = String::new();
        let found = self.0.as_ref()?.ord_to_str(number, &mut text).unwrap_or(false);
        found.then_some(text)
    }

    /// The number of a value; none if no entry of the segment has it.
    pub fn number(&self, text: &str) -> Result<Option<u64>, IndexError> {
        match &self.0 {
            Some(column) => Ok(column.dictionary().term_ord(text)?),
            None => Ok(None),
        }
    }

    /// Calls `f` with all values that begin so, and their numbers.
    pub fn each_beginning(&self, prefix: &str, f: &mut dyn FnMut(&str, u64)) -> Result<(), IndexError> {
        let Some(column) = &self.0 else { return Ok(()) };
        let mut values = column.dictionary().prefix_range(prefix).into_stream()?;
        while values.advance() {
            if let Ok(text) = std::str::from_utf8(values.key()) {
                f(text, values.term_ord());
            }
        }
        Ok(())
    }
}
