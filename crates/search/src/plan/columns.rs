//! Conditions of a query on columns: values, ranges, and the filters that every index has.

use index::Query as Ask;

use super::Planner;
use crate::document::built_in;
use crate::query::{Filter, Query, QueryError};
use crate::{SearchError, dates};

impl Planner<'_> {
    /// A whole value of a column.
    pub(super) fn value(&self, column: usize, text: &str) -> Option<Ask> {
        match self.fields.schema.fields[column].kind {
            index::Kind::Keyword => Some(Ask::Keyword { field: column, value: text.to_owned() }),
            index::Kind::Number => {
                let value = text.parse::<f64>().ok().filter(|value| value.is_finite())?;
                Some(Ask::Between { field: column, from: Some(value), to: Some(value) })
            }
            index::Kind::Date => {
                let (from, to) = dates::span(text)?;
                Some(Ask::Between { field: column, from: Some(from as f64), to: Some((to - 1) as f64) })
            }
            index::Kind::Text(_) => None,
        }
    }

    pub(super) fn span(
        &self,
        query: &Query,
        field: &str,
        (from, to): (Option<&str>, Option<&str>),
        open: bool,
    ) -> Result<Ask, SearchError> {
        let fail_at = |position, message| SearchError::from(QueryError { position, message });
        let fail = |message: String| fail_at(query.span.start, message);
        // What was typed after the colon is the end of the part: `from..to`, or one end and its sign or dots.
        let letters = |text: Option<&str>| text.map_or(0, |text| text.chars().count());
        let upper = query.span.end.saturating_sub(letters(to));
        let lower = upper.saturating_sub(letters(from) + if open { 1 } else { 2 });
        let Some(column) = self.fields.columns.get(field).copied() else {
            if self.fields.texts.contains_key(field) {
                let message =
                    format!("{field} has words, not numbers or dates: say `column: number` in the index");
                return Err(fail(message));
            }
            return Err(self.no_field(query, field));
        };
        match self.fields.schema.fields[column].kind {
            index::Kind::Number => {
                let number = |text: &str, position: usize| {
                    let value = text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
                    value.ok_or_else(|| fail_at(position, format!("{text} is no number")))
                };
                let from = from.map(|from| number(from, lower)).transpose()?;
                let to = to.map(|to| number(to, upper)).transpose()?;
                let (from, to) = match open {
                    true => (from.map(f64::next_up), to.map(f64::next_down)),
                    false => (from, to),
                };
                Ok(Ask::Between { field: column, from, to })
            }
            index::Kind::Date => {
                let date = |text: &str, position: usize| {
                    let message = || format!("{text} is no date: write 2026, 2026-11 or 2026-11-15");
                    dates::span(text).ok_or_else(|| fail_at(position, message()))
                };
                let from = from.map(|from| date(from, lower)).transpose()?;
                let to = to.map(|to| date(to, upper)).transpose()?;
                // A year, a month or a day is left out whole, or belongs to it whole.
                let from = from.map(|(start, end)| if open { end } else { start });
                let to = to.map(|(start, end)| if open { start } else { end });
                let (from, to) = (from.map(|from| from as f64), to.map(|to| (to - 1) as f64));
                Ok(Ask::Between { field: column, from, to })
            }
            _ => Err(fail(format!(
                "{field} has values, not numbers or dates: name one of them, as in {field}:value"
            ))),
        }
    }
}

pub(super) fn filter_ask(query: &Query, filter: Filter, value: &str) -> Result<Ask, SearchError> {
    let keyword = |field, value: String| Ask::Keyword { field, value };
    let date = || {
        dates::span(value).ok_or_else(|| {
            let message = format!("{value} is no date: write 2026, 2026-11 or 2026-11-15");
            let (typed, letters) = (query.span.len(), value.chars().count());
            // In quotes, one of them follows it.
            let quote = usize::from(typed >= filter.name().len() + letters + 3);
            let position = query.span.end.saturating_sub(letters + quote);
            SearchError::from(QueryError { position, message })
        })
    };
    Ok(match filter {
        Filter::Site => keyword(built_in::SITE, value.trim_matches('.').to_lowercase()),
        Filter::FileType => keyword(built_in::TYPE, value.trim_start_matches('.').to_lowercase()),
        Filter::Language => keyword(built_in::LANGUAGE, value.to_lowercase()),
        Filter::Before => {
            Ask::Between { field: built_in::DATE, from: None, to: Some((date()?.0 - 1) as f64) }
        }
        Filter::After => Ask::Between { field: built_in::DATE, from: Some(date()?.0 as f64), to: None },
    })
}
