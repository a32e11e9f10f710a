//! What someone should know of a project without looking for it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Action, Level, RunPhase, RunView};

/// Something worth a look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Attention {
    /// How much.
    pub level: AttentionLevel,
    /// In words.
    pub text: String,
    /// What may be done about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
}

/// How much attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AttentionLevel {
    /// Good to know.
    Info,
    /// Worth a look.
    Warn,
    /// Not as it should be.
    Error,
}

/// What its latest run says of a project.
pub(super) fn of(run: Option<&RunView>) -> Vec<Attention> {
    let note = |level, text: String| Attention { level, text, action: None };
    let Some(run) = run else {
        return vec![note(AttentionLevel::Info, "No run yet.".to_owned())];
    };
    let mut notes = Vec::new();
    match run.state {
        RunPhase::Failed => {
            let reason = run.reason.as_deref().unwrap_or("nobody knows why");
            notes.push(note(AttentionLevel::Error, format!("The last run failed: {reason}.")));
        }
        RunPhase::Paused => {
            let reason = run.reason.as_deref().unwrap_or("as asked");
            notes.push(note(AttentionLevel::Info, format!("Paused: {reason}.")));
        }
        _ => {}
    }
    if run.progress.is_some() && run.health.level != Level::Good {
        let level = match run.health.level {
            Level::Bad => AttentionLevel::Error,
            _ => AttentionLevel::Warn,
        };
        notes.push(Attention { level, text: run.health.sentence.clone(), action: run.health.action.clone() });
    }
    if let Some(summary) = &run.summary {
        let fetched = summary["pages_fetched"].as_u64().unwrap_or(0);
        if fetched == 0 && run.state != RunPhase::Cancelled {
            notes.push(note(AttentionLevel::Error, "The last run brought no page.".to_owned()));
        }
        for drift in summary["drift"].as_array().into_iter().flatten() {
            let field = drift["field"].as_str().unwrap_or_default().to_owned();
            let action = Action {
                kind: "fields".into(),
                label: "Look at the field".into(),
                pattern: None,
                field: Some(field.clone()),
                outcome: None,
            };
            let text = format!("Field {field} is found less often than before.");
            notes.push(Attention { level: AttentionLevel::Warn, text, action: Some(action) });
        }
    }
    notes
}
