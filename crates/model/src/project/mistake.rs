//! Mistakes in a project file, said in one sentence each: the YAML reader's errors in the words of people.

use schemars::generate::SchemaSettings;
use serde_json::Value;
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::{Error, Location};

use super::ProjectFile;
use crate::settings::text::quoted;

/// Where the mistake is, and what it is.
pub(super) fn explain(error: &Error, text: &str) -> (Option<Location>, String) {
    let place = error.location().filter(|place| place.line() > 0);
    let here = place.and_then(|place| source(place, text)).unwrap_or_default();
    let problem = match error {
        Error::AliasError { error, .. } => return explain(error, text),
        Error::WithSnippet { error, .. } => return explain(error, text),
        Error::SerdeUnknownField { field, expected, .. } => unknown_key(field, expected),
        Error::SerdeMissingField { field: "start", .. } => {
            return (None, "start is missing; write \"start: [URL]\"".to_owned());
        }
        Error::SerdeMissingField { field, .. } => return (None, format!("{field} is missing")),
        Error::DuplicateMappingKey { key, .. } => {
            format!("the key {} comes twice", quoted(key.as_deref().unwrap_or(here)))
        }
        Error::InvalidScalar { .. } if is_number(here) => format!("{} is too large", quoted(here)),
        Error::InvalidScalar { .. } => format!("{} is no whole number", quoted(here)),
        Error::InvalidBooleanStrict { .. } => format!("{} is neither true nor false", quoted(here)),
        Error::NullIntoString { .. } => "a value is missing here".to_owned(),
        Error::Unexpected { expected: "sequence start", .. } => {
            "a list is expected here, as in [one, two]".to_owned()
        }
        Error::Unexpected { expected: "mapping start", .. } => {
            "keys with values are expected here".to_owned()
        }
        Error::Unexpected { expected: "string scalar", .. } => "a single value is expected here".to_owned(),
        Error::SerdeInvalidType { unexpected, expected, .. } => {
            format!("{expected} is expected here, not {unexpected}")
        }
        Error::Budget { breach: BudgetBreach::Documents { .. }, .. } | Error::MultipleDocuments { .. } => {
            "a second document begins here; a project file has one".to_owned()
        }
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. } => {
            "too deeply nested, or too many aliases, for a project file".to_owned()
        }
        Error::ExternalMessage { msg, .. } if msg.contains("recursion limit") => {
            "too deeply nested for a project file".to_owned()
        }
        Error::Message { msg, .. } => msg.clone(),
        Error::ExternalMessage { msg, .. } => format!("not valid YAML: {msg}"),
        other => format!("not valid YAML: {}", without_place(&other.to_string())),
    };
    (place, without_logins(&problem))
}

/// Messages may quote what stands in the file; the logins of URLs in it are told to nobody.
fn without_logins(problem: &str) -> String {
    let ends_a_url = |c: char| c.is_whitespace() || c == '"';
    let mut told = String::with_capacity(problem.len());
    let mut rest = problem;
    while let Some(start) = rest.find("://").map(|at| at + 3) {
        told.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.find(ends_a_url).unwrap_or(rest.len());
        if let Some(login) = rest[..end].rfind('@') {
            told.push('…');
            rest = &rest[login..];
        }
    }
    told + rest
}

/// The known key that `key` was probably meant to be.
pub(super) fn nearest<'a>(key: &str, known: &[&'a str]) -> Option<&'a str> {
    let distance = |candidate: &str| strsim::damerau_levenshtein(key, candidate);
    // `depth` is far from `max_depth` by letters, yet means nothing else.
    let is_part = |candidate: &str| key.len() > 3 && candidate.split('_').any(|part| part == key);
    let near = known.iter().min_by_key(|candidate| distance(candidate));
    near.filter(|candidate| distance(candidate) <= (key.len() / 3).max(1))
        .or_else(|| known.iter().find(|candidate| is_part(candidate)))
        .copied()
}

fn unknown_key(key: &str, known: &[&str]) -> String {
    let section = section_of(known).map(|section| format!(" in {section}")).unwrap_or_default();
    let hint = match nearest(key, known) {
        Some(near) => format!("did you mean {near:?}?"),
        None => "\"gannet reference\" lists the keys".to_owned(),
    };
    format!("unknown key {}{section}; {hint}", quoted(key))
}

/// The section that has these keys; none for the file's top level.
fn section_of(known: &[&str]) -> Option<String> {
    let settings = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<ProjectFile>();
    section_in("", schema.as_value(), known).filter(|section| !section.is_empty())
}

fn section_in(name: &str, schema: &Value, known: &[&str]) -> Option<String> {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(properties)) = map.get("properties") {
                if properties.len() == known.len() && known.iter().all(|key| properties.contains_key(*key)) {
                    return Some(name.to_owned());
                }
                let mut inner = properties.iter();
                return inner.find_map(|(key, value)| section_in(key, value, known));
            }
            map.values().find_map(|value| section_in(name, value, known))
        }
        Value::Array(list) => list.iter().find_map(|value| section_in(name, value, known)),
        _ => None,
    }
}

/// The text at a place.
fn source(place: Location, text: &str) -> Option<&str> {
    let start = usize::try_from(place.span().byte_offset()?).ok()?;
    let length = usize::try_from(place.span().byte_len()?).ok()?;
    text.get(start..start.checked_add(length)?)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The reader ends its messages with the place, which stands at the front of ours.
fn without_place(message: &str) -> &str {
    message.rsplit_once(" at line ").map_or(message, |(message, _)| message)
}
