//! Every setting, described.

use axum::Json;
use model::{CrawlSettings, Setting, SettingKind};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::problem::Problems;

/// Settings in their chapters.
#[derive(Serialize, ToSchema)]
pub(crate) struct Reference {
    groups: Vec<Group>,
}

/// A chapter of settings.
#[derive(Serialize, ToSchema)]
pub(crate) struct Group {
    name: String,
    help: String,
    settings: Vec<Described>,
}

/// A setting.
#[derive(Serialize, ToSchema)]
pub(crate) struct Described {
    /// Its key in a project file.
    key: String,
    /// Its flag on the command line.
    flag: String,
    /// Its variable in the environment.
    variable: String,
    /// `switch`, `number`, `text`, `list` or `map`.
    kind: &'static str,
    /// How a value is written.
    form: String,
    /// What a number counts.
    unit: String,
    /// What it is unless set.
    default: Value,
    /// What it does.
    help: String,
}

/// Every setting of a crawl.
#[utoipa::path(get, path = "/settings", tag = "settings", responses((status = 200, body = Reference), Problems))]
pub(crate) async fn crawl() -> Json<Reference> {
    let mut groups: Vec<Group> = Vec::new();
    for setting in CrawlSettings::reference() {
        if groups.last().is_none_or(|group| group.name != setting.group) {
            groups.push(Group { name: setting.group.clone(), help: String::new(), settings: Vec::new() });
        }
        if let Some(group) = groups.last_mut() {
            group.settings.push(setting.into());
        }
    }
    Json(Reference { groups })
}

impl From<Setting> for Described {
    fn from(setting: Setting) -> Described {
        Described {
            flag: format!("--{}", setting.flag()),
            variable: setting.environment(),
            kind: match setting.kind {
                SettingKind::Switch => "switch",
                SettingKind::Number => "number",
                SettingKind::Text => "text",
                SettingKind::List => "list",
                SettingKind::Map => "map",
            },
            key: setting.key,
            form: setting.form,
            unit: setting.unit,
            default: setting.default,
            help: setting.help,
        }
    }
}
