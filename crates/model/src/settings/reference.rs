//! The settings described, from the schema of their struct: what flags, environment and reference page are
//! made of.

use serde_json::Value;

use super::CrawlSettings;
use super::text::quoted;

/// One setting, described.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its key in a project file: `max_pages`.
    pub key: String,
    /// Its chapter: `Limits`.
    pub group: String,
    /// What it does.
    pub help: String,
    /// What kind of value it takes.
    pub kind: Kind,
    /// How a value is written: `size: 512KiB, 4MiB, 1GB`; empty for numbers and switches.
    pub form: String,
    /// What a number counts; empty where the form says it.
    pub unit: String,
    /// The value it has unless set; null for none.
    pub default: Value,
}

/// What kind of value a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// On or off.
    Switch,
    /// A whole number.
    Number,
    /// A text.
    Text,
    /// Several texts.
    List,
    /// Names and their texts.
    Map,
}

impl CrawlSettings {
    /// Every setting, in the struct's order.
    pub fn reference() -> Vec<Setting> {
        Setting::all_of(&schemars::schema_for!(CrawlSettings))
    }

    /// The settings with one key set to another value, checked; the error is a sentence without the key.
    pub fn with(&self, key: &str, value: Value) -> Result<CrawlSettings, String> {
        let mut all = serde_json::to_value(self).map_err(|error| error.to_string())?;
        if let Some(all) = all.as_object_mut() {
            all.insert(key.to_owned(), value);
        }
        serde_json::from_value(all).map_err(|error| {
            let error = error.to_string();
            match error.split_once("invalid value: integer `").and_then(|(_, rest)| rest.split_once('`')) {
                Some((number, _)) => format!("{number:?} is too large"),
                None => error,
            }
        })
    }
}

impl Setting {
    /// The keys of a documented struct, in its order.
    pub(crate) fn all_of(schema: &schemars::Schema) -> Vec<Setting> {
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(key, schema)| Setting::new(key, schema)).collect()
    }

    fn new(key: &str, schema: &Value) -> Setting {
        let text = |name: &str| schema.get(name).and_then(Value::as_str).unwrap_or_default();
        let item_form = || schema.pointer("/items/x-form").and_then(Value::as_str).unwrap_or_default();
        let form = Some(text("x-form")).filter(|form| !form.is_empty()).unwrap_or_else(item_form);
        Setting {
            key: key.to_owned(),
            group: text("x-group").to_owned(),
            help: text("description").split_whitespace().collect::<Vec<_>>().join(" "),
            kind: kind(schema),
            form: form.to_owned(),
            unit: text("x-unit").to_owned(),
            default: schema.get("default").cloned().unwrap_or(Value::Null),
        }
    }

    /// The value that texts from a flag or the environment stand for: one text, or several for a list or map.
    pub fn read(&self, texts: &[String]) -> Result<Value, String> {
        let only = || texts.last().map(String::as_str).unwrap_or_default();
        match self.kind {
            Kind::Switch => match only() {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                other => Err(format!("{} is neither true nor false", quoted(other))),
            },
            Kind::Number => {
                let digits = !only().is_empty() && only().bytes().all(|byte| byte.is_ascii_digit());
                match only().parse::<u64>() {
                    Ok(number) if digits => Ok(number.into()),
                    _ if digits => Err(format!("{} is too large", quoted(only()))),
                    _ => Err(format!("{} is no whole number", quoted(only()))),
                }
            }
            Kind::Text => Ok(only().into()),
            Kind::List => Ok(texts.into()),
            Kind::Map => {
                let pairs = texts.iter().map(|text| match text.split_once(':') {
                    Some((name, value)) => Ok((name.trim().to_owned(), value.trim().into())),
                    None => Err(format!("{} is not of the form {}", quoted(text), self.form)),
                });
                pairs.collect::<Result<_, _>>().map(Value::Object)
            }
        }
    }

    /// Its flag without the dashes: `max-pages`.
    pub fn flag(&self) -> String {
        self.key.replace('_', "-")
    }

    /// Its name in the environment: `GANNET_MAX_PAGES`.
    pub fn environment(&self) -> String {
        format!("GANNET_{}", self.key.to_ascii_uppercase())
    }
}

/// From the schema's type, which for an optional value is a list with "null" in it.
fn kind(schema: &Value) -> Kind {
    let name = match schema.get("type") {
        Some(Value::Array(types)) => types.iter().find_map(Value::as_str),
        Some(Value::String(name)) => Some(name.as_str()),
        _ => None,
    };
    match name {
        Some("boolean") => Kind::Switch,
        Some("integer") => Kind::Number,
        Some("array") => Kind::List,
        Some("object") => Kind::Map,
        _ => Kind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(key: &str) -> Setting {
        CrawlSettings::reference().into_iter().find(|setting| setting.key == key).expect("a key of ours")
    }

    /// The texts, set for the key, give these settings as JSON, or this sentence.
    fn check(key: &str, texts: &[&str], expected: Result<Value, &str>) {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let set = setting(key).read(&texts).and_then(|value| CrawlSettings::default().with(key, value));
        let value = set.map(|settings| serde_json::to_value(settings).unwrap()[key].clone());
        assert_eq!(value, expected.map_err(str::to_owned), "for {key} {texts:?}");
    }

    #[test]
    fn texts_become_values_of_the_settings_kind() {
        check("max_pages", &["100"], Ok(100.into()));
        check("drop_query", &["true"], Ok(true.into()));
        check("rate", &["30/m"], Ok("30/m".into()));
        check("exclude", &["/a", "/b"], Ok(["/a", "/b"].into_iter().collect()));
        check("headers", &["Accept: a, b"], Ok(serde_json::json!({ "Accept": "a, b" })));
        check("user_agent", &["42"], Ok("42".into()));
    }

    #[test]
    fn texts_that_are_no_value_are_refused() {
        check("max_pages", &["many"], Err("\"many\" is no whole number"));
        check("max_pages", &["+1"], Err("\"+1\" is no whole number"));
        check("max_pages", &["99999999999999999999"], Err("\"99999999999999999999\" is too large"));
        check("retry", &["99999999999"], Err("\"99999999999\" is too large"));
        check("drop_query", &["yes"], Err("\"yes\" is neither true nor false"));
        check("rate", &["5x"], Err("\"5x\" is no rate; write 1/s, 50/s, 30/m or unlimited"));
        check("headers", &["Accept"], Err("\"Accept\" is not of the form NAME: VALUE"));
        check("connections", &["0"], Err("zero is too little here"));
    }

    #[test]
    fn every_setting_is_documented() {
        for setting in CrawlSettings::reference() {
            assert!(setting.help.ends_with('.'), "{setting:?} needs a sentence");
            assert!(!setting.group.is_empty(), "{setting:?} needs a group");
            let says = !setting.form.is_empty() || !setting.unit.is_empty() || setting.kind == Kind::Switch;
            assert!(says, "{setting:?} needs a form or unit");
        }
    }

    #[test]
    fn names_are_made_from_the_key() {
        assert_eq!(setting("max_pages").flag(), "max-pages");
        assert_eq!(setting("max_pages").environment(), "GANNET_MAX_PAGES");
    }
}
