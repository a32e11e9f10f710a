//! JSON inside pages: scripts that hold it, and paths into it.
//!
//! A path is what people write: `$.a.b[0]`, `items[*].name`, `$..price`, `['odd key']`. A key asked of a list is
//! asked of each of its items.

use serde_json::Value as Json;

/// A compiled path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(i64),
    All,
    /// This key at any depth.
    Deep(String),
}

/// Values looked at and values found, at most: `$..*` of a large page must end.
const MAX_VISITS: usize = 200_000;
const MAX_FOUND: usize = 10_000;
/// Longest path, in characters and steps.
const MAX_PATH: usize = 1_024;

/// Places at which a script is tried for JSON.
const MAX_TRIES: usize = 64;

impl Path {
    /// Compiles a path; the error has the place, in characters, and the reason.
    pub(crate) fn parse(text: &str) -> Result<Path, (usize, &'static str)> {
        if text.chars().count() > MAX_PATH {
            return Err((MAX_PATH, "the path is too long"));
        }
        let mut rest = text.strip_prefix('$').unwrap_or(text);
        let place = |rest: &str| text[..text.len() - rest.len()].chars().count();
        let mut steps = Vec::new();
        let mut first = rest.len() == text.len();
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('[') {
                let close = closing(inner).ok_or((place(rest), "the bracket is not closed"))?;
                let inside = inner[..close].trim();
                steps.push(bracket(inside).ok_or((place(inner), "a number, * or a quoted key is expected"))?);
                rest = &inner[close + 1..];
            } else {
                let deep = rest.starts_with("..");
                let after = rest.strip_prefix("..").or_else(|| rest.strip_prefix('.'));
                let after = match after {
                    Some(after) => after,
                    None if first => rest,
                    None => return Err((place(rest), "a point or bracket is expected")),
                };
                let end = after.find(['.', '[']).unwrap_or(after.len());
                let key = &after[..end];
                if key.is_empty() {
                    return Err((place(after), "a key is missing"));
                }
                steps.push(match key {
                    "*" if deep => return Err((place(after), "name the key to look for")),
                    "*" => Step::All,
                    key if deep => Step::Deep(key.to_owned()),
                    key => Step::Key(key.to_owned()),
                });
                rest = &after[end..];
            }
            first = false;
        }
        if steps.is_empty() && !text.starts_with('$') {
            return Err((0, "the path is empty"));
        }
        Ok(Path(steps))
    }

    /// What the path leads to, in order.
    pub(crate) fn select<'a>(&self, from: &'a Json) -> Vec<&'a Json> {
        let mut visits = MAX_VISITS;
        let mut here = vec![from];
        for step in &self.0 {
            let mut next = Vec::new();
            for value in here {
                step.take(value, &mut next, &mut visits);
            }
            next.truncate(MAX_FOUND);
            here = next;
        }
        here
    }
}

impl Step {
    fn take<'a>(&self, value: &'a Json, found: &mut Vec<&'a Json>, visits: &mut usize) {
        if *visits == 0 {
            return;
        }
        *visits -= 1;
        match (self, value) {
            (Step::Key(key), Json::Object(map)) => found.extend(map.get(key)),
            (Step::Key(_), Json::Array(items)) => {
                items.iter().for_each(|item| self.take(item, found, visits))
            }
            (Step::Index(index), Json::Array(items)) => {
                let index = if *index < 0 { *index + items.len() as i64 } else { *index };
                found.extend(usize::try_from(index).ok().and_then(|index| items.get(index)));
            }
            (Step::All, Json::Array(items)) => found.extend(items),
            (Step::All, Json::Object(map)) => found.extend(map.values()),
            (Step::Deep(key), Json::Object(map)) => {
                for (name, inner) in map {
                    if name == key {
                        found.push(inner);
                    }
                    self.take(inner, found, visits);
                }
            }
            (Step::Deep(_), Json::Array(items)) => {
                items.iter().for_each(|item| self.take(item, found, visits))
            }
            _ => {}
        }
    }
}

fn closing(text: &str) -> Option<usize> {
    match text.trim_start().chars().next()? {
        quote @ ('"' | '\'') => {
            let start = text.find(quote)? + 1;
            let end = start + text[start..].find(quote)? + 1;
            text[end..].find(']').map(|at| end + at)
        }
        _ => text.find(']'),
    }
}

fn bracket(inside: &str) -> Option<Step> {
    let quoted = |quote: char| inside.strip_prefix(quote)?.strip_suffix(quote).map(str::to_owned);
    match inside {
        "*" => Some(Step::All),
        _ => quoted('"')
            .or_else(|| quoted('\''))
            .map(Step::Key)
            .or_else(|| inside.parse().ok().map(Step::Index)),
    }
}

/// The JSON of a script: its whole text, or what it assigns first (`window.state = {…};`).
pub(crate) fn embedded(script: &str) -> Option<Json> {
    let script = script.trim().trim_start_matches("<!--").trim_start_matches("<![CDATA[").trim_start();
    if let Ok(json) = serde_json::from_str(script) {
        return Some(json);
    }
    let starts = script.match_indices(['{', '[']).filter(|(at, _)| {
        // After `=` or `(`, where values stand; braces elsewhere are code.
        script[..*at].trim_end().ends_with(['=', '('])
    });
    starts.take(MAX_TRIES).find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&script[at..]).into_iter::<Json>();
        values.next()?.ok().filter(|json| !is_bare(json))
    })
}

/// `{}` and `[]` are more often code than data.
fn is_bare(json: &Json) -> bool {
    match json {
        Json::Object(map) => map.is_empty(),
        Json::Array(items) => items.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn check(path: &str, expected: Json) {
        let from = json!({
            "a": { "b": [1, 2, { "c": "x" }], "odd key": true },
            "items": [{ "name": "one", "price": 1 }, { "name": "two", "more": { "price": 2 } }],
        });
        let path = Path::parse(path).unwrap_or_else(|error| panic!("{path}: {error:?}"));
        assert_eq!(json!(path.select(&from)), expected, "{path:?}");
    }

    #[test]
    fn paths_lead_to_values() {
        check("$.a.b[0]", json!([1]));
        check("a.b[-1].c", json!(["x"]));
        check("$['a'][\"odd key\"]", json!([true]));
        check("$.items[*].name", json!(["one", "two"]));
        check("items.name", json!(["one", "two"]));
        check("$..price", json!([1, 2]));
        check("$.a.b[9]", json!([]));
        check("$.a.*", json!([[1, 2, { "c": "x" }], true]));
    }

    #[test]
    fn wrong_paths_are_refused_with_their_place() {
        let check =
            |path: &str, place: usize, reason: &str| assert_eq!(Path::parse(path), Err((place, reason)));
        check("", 0, "the path is empty");
        check("$.a[", 3, "the bracket is not closed");
        check("$.a[x]", 4, "a number, * or a quoted key is expected");
        check("$.a..", 5, "a key is missing");
        check("$a", 1, "a point or bracket is expected");
    }

    #[test]
    fn scripts_give_the_json_they_hold() {
        let check = |script: &str, expected: Option<Json>| assert_eq!(embedded(script), expected, "{script}");
        check(" {\"a\": 1} ", Some(json!({ "a": 1 })));
        check("window.state = {\"a\": [1]};\nrun();", Some(json!({ "a": [1] })));
        check("var x = {}; init({\"b\": 2})", Some(json!({ "b": 2 })));
        check("function f() { return 1 }", None);
    }

    proptest! {
        #[test]
        fn any_path_and_script_end_without_panic(text in "([$.*\\[\\]'\"{}=(:,0-9-]|[a-c]|\\PC){0,30}") {
            if let Ok(path) = Path::parse(&text) {
                path.select(&json!({ "a": [{ "b": { "a": 1 } }, 2] }));
            }
            embedded(&text);
        }
    }
}
