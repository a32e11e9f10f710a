//! What can be wrong with a template before any page is there.

use std::collections::HashSet;

use regex::RegexBuilder;

use super::selector::Place;
use super::{Field, FieldKind, Next, PageType, Step, Template};
use crate::settings::text::quoted;

/// A mistake in a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct TemplateError {
    /// Where it is in the file.
    pub place: Place,
    /// One sentence, beginning with what it is about.
    pub problem: String,
}

/// Longest name of a field or page type, in characters.
const MAX_NAME: usize = 64;
/// Longest name of a variable.
const MAX_VARIABLE: usize = 10;
/// Largest compiled regular expression, in bytes.
const MAX_COMPILED: usize = 1 << 20;

impl Template {
    /// Finds the first mistake.
    pub fn check(&self) -> Result<(), TemplateError> {
        let refuse = |place: Place, problem: String| Err(TemplateError { place, problem });
        if self.from.is_none() && self.pages.is_empty() {
            return refuse(
                Place::default(),
                "fields names no page type; write one, or from: FILE".to_owned(),
            );
        }
        if self.pages.len() > Template::MAX_PAGE_TYPES {
            let problem = format!("more than {} page types", Template::MAX_PAGE_TYPES);
            return refuse(Place::default(), problem);
        }
        let mut variables = HashSet::new();
        for (at, page) in self.pages.iter().enumerate() {
            self.check_page(page).map_err(|(place, problem)| TemplateError {
                place: if place.is_known() { place } else { page.place },
                problem: format!("{}: {problem}", page.name),
            })?;
            let takes_all = page.url.is_empty() && page.has.is_none() && page.rows.is_none();
            if takes_all && at + 1 < self.pages.len() {
                let problem = format!(
                    "{}: it takes every page, so those after it are never tried; give it a url or has, or put it last",
                    page.name
                );
                return refuse(page.place, problem);
            }
            for field in &page.read {
                if let Some(variable) =
                    field.variable.as_ref().filter(|name| !variables.insert(name.as_str()))
                {
                    let problem =
                        format!("{}.{}: the variable {variable} comes twice", page.name, field.name);
                    return refuse(field.place, problem);
                }
            }
        }
        Ok(())
    }

    fn check_page(&self, page: &PageType) -> Result<(), (Place, String)> {
        check_name(&page.name).map_err(|problem| (page.place, problem))?;
        if page.read.is_empty() {
            return Err((page.place, "it reads no field; name one under read".to_owned()));
        }
        if page.read.len() > Template::MAX_FIELDS {
            return Err((page.place, format!("more than {} fields", Template::MAX_FIELDS)));
        }
        if let Some(unknown) = page.key.iter().find(|key| page.field(key).is_none()) {
            return Err((page.place, format!("key: there is no field {}", quoted(unknown))));
        }
        if let Some(next) = &page.next {
            check_next(next).map_err(|problem| (page.place, format!("next: {problem}")))?;
        }
        for field in &page.read {
            self.check_field(field).map_err(|problem| (field.place, format!("{}: {problem}", field.name)))?;
        }
        Ok(())
    }

    fn check_field(&self, field: &Field) -> Result<(), String> {
        check_name(&field.name)?;
        match field.sources() {
            1 => {}
            0 if field.default.is_some() => {}
            0 => return Err("it says not where the value is; add css, xpath or another source".to_owned()),
            _ => return Err(
                "the value has one source; keep one of css, xpath, header, json_ld, microdata, meta, json"
                    .to_owned(),
            ),
        }
        if let Some(follow) = &field.follow {
            if field.kind != FieldKind::Link {
                return Err("only a link can be followed; add kind: link".to_owned());
            }
            if self.page(&follow.page).is_none() {
                return Err(format!("follow: there is no page type {}", quoted(&follow.page)));
            }
        }
        if let Some(variable) = &field.variable {
            let letters = variable.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let begins = variable.starts_with(|c: char| c.is_ascii_alphabetic());
            if !letters || !begins || variable.len() > MAX_VARIABLE {
                return Err(format!(
                    "{} is no variable; write a letter, then letters, digits or _, at most {MAX_VARIABLE} in all",
                    quoted(variable)
                ));
            }
        }
        if field.format.is_some() && field.kind != FieldKind::Date {
            return Err("format is for dates; add kind: date".to_owned());
        }
        for step in &field.clean {
            match step {
                Step::Match(regex) | Step::Replace(regex, _) => check_regex(regex)?,
                Step::Split(at) if at.is_empty() => return Err("split needs a text to cut at".to_owned()),
                _ => {}
            }
        }
        Ok(())
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let fits =
        !name.trim().is_empty() && name.chars().count() <= MAX_NAME && !name.chars().any(char::is_control);
    fits.then_some(()).ok_or_else(|| format!("{} is no name; write 1 to {MAX_NAME} characters", quoted(name)))
}

fn check_next(next: &Next) -> Result<(), String> {
    match (&next.link, &next.numbers, &next.url) {
        (Some(_), None, None) | (None, Some(_), None) if next.to.is_none() => Ok(()),
        (Some(_), None, None) | (None, Some(_), None) => Err("to belongs to url".to_owned()),
        (None, None, Some(url)) if url.matches("{n}").count() == 1 => Ok(()),
        (None, None, Some(url)) => Err(format!("{} needs {{n}}, once, for the page's number", quoted(url))),
        _ => Err("one of link, numbers and url says how the list goes on".to_owned()),
    }
}

fn check_regex(text: &str) -> Result<(), String> {
    match RegexBuilder::new(text).size_limit(MAX_COMPILED).build() {
        Ok(_) => Ok(()),
        Err(regex::Error::CompiledTooBig(_)) => {
            Err(format!("the regular expression {} is too large", quoted(text)))
        }
        Err(_) => Err(match regex_syntax::parse(text) {
            Err(regex_syntax::Error::Parse(error)) => {
                let at = text.get(..error.span().start.offset).map_or(0, |before| before.chars().count()) + 1;
                format!("the regular expression {}, at character {at}: {}", quoted(text), error.kind())
            }
            Err(regex_syntax::Error::Translate(error)) => {
                format!("the regular expression {}: {}", quoted(text), error.kind())
            }
            _ => format!("the regular expression {} does not hold", quoted(text)),
        }),
    }
}
