//! Whether a run is well: shares of its latest pages, one sentence, and what may be done about it.

use std::collections::{BTreeMap, VecDeque};

use crawl::{Progress, VisitEnd};
use model::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Moment;

/// Pages looked at.
const LATEST: usize = 300;

/// With fewer nothing is said of shares.
const FEW: usize = 10;

/// Words of paths that people log in at.
const LOGIN: [&str; 6] = ["login", "log-in", "signin", "sign-in", "sso", "auth"];

/// Whether a run is well: shares of its latest pages, and one sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// Share of pages as they should be.
    pub good: f64,
    /// Share of pages that lack something.
    pub warn: f64,
    /// Share of tries that failed.
    pub bad: f64,
    /// The whole.
    pub level: Level,
    /// In words.
    pub sentence: String,
    /// What may be done about it.
    pub action: Option<Action>,
}

/// How well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// As it should be.
    Good,
    /// Worth a look.
    Warn,
    /// Not as it should be.
    Bad,
}

/// What may be done about a run's health.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Action {
    /// `exclude`, `slow`, `fields`, `robots`, `show` or `none`.
    pub kind: String,
    /// On the button.
    pub label: String,
    /// What to exclude.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Which field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Pages of which outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// A visit, as far as it says something of health.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) at: Timestamp,
    pub(crate) url: String,
    pub(crate) status: Option<u16>,
    pub(crate) end: VisitEnd,
    pub(crate) rows: usize,
    /// Fields that none of its rows has, and those that one has.
    pub(crate) empty: Vec<String>,
    pub(crate) filled: Vec<String>,
}

/// The latest visits of a run.
#[derive(Clone, Debug)]
pub(crate) struct Recent {
    reads_rows: bool,
    seen: VecDeque<Seen>,
    disallowed: u64,
    /// Pages since the last one with rows, and whether any had some.
    without_rows: u64,
    had_rows: bool,
}

impl Recent {
    /// Of a run that reads rows, or not.
    pub(crate) fn new(reads_rows: bool) -> Recent {
        Recent { reads_rows, seen: VecDeque::new(), disallowed: 0, without_rows: 0, had_rows: false }
    }

    pub(crate) fn add(&mut self, seen: Seen) {
        match seen.end {
            VisitEnd::Disallowed(_) => {
                self.disallowed += 1;
                return;
            }
            VisitEnd::Page if seen.rows > 0 => (self.without_rows, self.had_rows) = (0, true),
            VisitEnd::Page => self.without_rows += 1,
            _ => {}
        }
        self.seen.push_back(seen);
        if self.seen.len() > LATEST {
            self.seen.pop_front();
        }
    }

    /// The run's health; `progress` while it runs.
    pub(crate) fn health(&self, progress: Option<&Progress>) -> Health {
        let count = |wanted: fn(&Seen) -> bool| self.seen.iter().filter(|seen| wanted(seen)).count();
        let bad = count(|seen| matches!(seen.end, VisitEnd::Failed(_) | VisitEnd::Busy(..)));
        // A field that many pages lack is just rare; one that most have and these do not is a warning.
        let empty = self.empty_field();
        let field = empty.as_ref().and_then(|say| say.action.as_ref()?.field.clone());
        let lacks =
            |seen: &&Seen| seen.end == VisitEnd::Page && field.iter().any(|name| seen.empty.contains(name));
        let warn = self.seen.iter().filter(lacks).count();
        let all = self.seen.len();
        let share = |part: usize| if all == 0 { 0.0 } else { part as f64 / all as f64 };
        let (bad, warn) = (share(bad), share(warn));
        let say = self.blocked().or_else(|| self.busy()).or_else(|| self.login());
        let say = say.or_else(|| self.failing(bad)).or(empty).or_else(|| self.trap());
        let say = say.or_else(|| self.forbidden()).unwrap_or_else(|| self.well(progress));
        let Say { level, sentence, action } = say;
        Health { good: 1.0 - bad - warn, warn, bad, level, sentence, action }
    }

    /// Most answers are refusals.
    fn blocked(&self) -> Option<Say> {
        let refused = self.seen.iter().filter(|seen| matches!(seen.status, Some(401 | 403 | 407))).count();
        (self.seen.len() >= FEW && refused * 2 > self.seen.len()).then(|| {
            let share = percent(refused, self.seen.len());
            Say::bad(format!(
                "The site refuses {share} of the latest pages (401 or 403): probably we are blocked."
            ))
            .show("failed")
        })
    }

    fn busy(&self) -> Option<Say> {
        let latest = self.seen.iter().rev().take(30);
        let busy: Vec<&Seen> = latest.filter(|seen| matches!(seen.end, VisitEnd::Busy(..))).collect();
        let VisitEnd::Busy(status, wait) = &busy.first()?.end else { return None };
        let rests = match wait {
            Some(wait) => format!("it asked us to wait {} s, and we do", wait.as_secs()),
            None => "it rests longer each time".to_owned(),
        };
        Some(Say {
            level: if busy.len() > 10 { Level::Bad } else { Level::Warn },
            sentence: format!("Site answers {status}; {rests}."),
            action: Some(Action { kind: "slow".into(), label: "Slow down".into(), ..Action::default() }),
        })
    }

    /// Pages lead to a login.
    fn login(&self) -> Option<Say> {
        let to_login = |seen: &&Seen| matches!(&seen.end, VisitEnd::Redirect(to) if is_login(to.path()));
        let found: Vec<&Seen> = self.seen.iter().filter(to_login).collect();
        let VisitEnd::Redirect(to) = &found.last()?.end else { return None };
        (found.len() >= 3 && found.len() * 4 > self.seen.len()).then(|| {
            Say::warn(format!("Redirected to a login page ({to}): what is behind it is not read."))
                .show("redirected")
        })
    }

    fn failing(&self, share: f64) -> Option<Say> {
        if self.seen.len() < FEW || share < 0.2 {
            return None;
        }
        let mut errors: BTreeMap<String, usize> = BTreeMap::new();
        for seen in &self.seen {
            if let VisitEnd::Failed(error) = &seen.end {
                *errors.entry(error.to_string()).or_default() += 1;
            }
        }
        let (error, _) = errors.into_iter().max_by_key(|(_, count)| *count)?;
        let sentence = format!("{:.0} % of the latest tries failed, most with: {error}.", share * 100.0);
        let say = if share >= 0.5 { Say::bad(sentence) } else { Say::warn(sentence) };
        Some(say.show("failed"))
    }

    /// A field is empty on most pages that should have it.
    fn empty_field(&self) -> Option<Say> {
        let mut fields: BTreeMap<&str, (usize, usize, Timestamp)> = BTreeMap::new();
        for seen in &self.seen {
            for name in &seen.empty {
                let counts = fields.entry(name).or_insert((0, 0, seen.at));
                counts.0 += 1;
            }
            for name in &seen.filled {
                let counts = fields.entry(name).or_insert((0, 0, seen.at));
                counts.1 += 1;
            }
        }
        let worst = fields.into_iter().filter(|(_, (empty, filled, _))| {
            empty + filled >= FEW && *empty as f64 >= 0.5 * (empty + filled) as f64
        });
        let (name, (empty, filled, _)) = worst.max_by_key(|(_, (empty, _, _))| *empty)?;
        let since = self.seen.iter().find(|seen| seen.empty.iter().any(|field| field == name))?.at;
        let share = percent(empty, empty + filled);
        let clock = Moment(since).to_string().get(11..16).unwrap_or_default().to_owned();
        let label = "Look at the field".to_owned();
        Some(Say {
            level: if filled == 0 { Level::Bad } else { Level::Warn },
            sentence: format!("Field {name} is empty on {share} of the latest pages, since {clock} UTC."),
            action: Some(Action {
                kind: "fields".into(),
                label,
                field: Some(name.to_owned()),
                ..Action::default()
            }),
        })
    }

    /// Many pages and none with rows, most of them from one part of the site.
    fn trap(&self) -> Option<Say> {
        if !self.reads_rows || !self.had_rows || self.without_rows < LATEST as u64 {
            return None;
        }
        let mut parts: BTreeMap<String, usize> = BTreeMap::new();
        for seen in &self.seen {
            *parts.entry(first_part(&seen.url)).or_default() += 1;
        }
        let (part, count) = parts.into_iter().max_by_key(|(_, count)| *count)?;
        let sentence = format!("No new rows for {} pages", self.without_rows);
        if part.is_empty() || count * 2 < self.seen.len() {
            return Some(Say::warn(format!("{sentence}.")).show("fetched"));
        }
        let label = format!("Exclude {part}*");
        Some(Say {
            level: Level::Warn,
            sentence: format!("{sentence}: probably a trap under {part}; exclude it?"),
            action: Some(Action {
                kind: "exclude".into(),
                label,
                pattern: Some(format!("{part}*")),
                ..Action::default()
            }),
        })
    }

    fn forbidden(&self) -> Option<Say> {
        let fetched = self.seen.iter().filter(|seen| seen.end == VisitEnd::Page).count();
        let (level, much) = match fetched {
            0 if self.disallowed > 0 => (Level::Bad, true),
            _ => (Level::Good, self.disallowed >= 10),
        };
        let links = if self.disallowed == 1 { "link" } else { "links" };
        much.then(|| Say {
            level,
            sentence: format!("Robots forbids {} {links}.", self.disallowed),
            action: Some(Action {
                kind: "robots".into(),
                label: "Show".into(),
                outcome: Some("disallowed".into()),
                ..Action::default()
            }),
        })
    }

    fn well(&self, progress: Option<&Progress>) -> Say {
        let pages = self.seen.iter().filter(|seen| seen.end == VisitEnd::Page).count();
        let sentence = match (pages, progress) {
            (_, Some(progress)) if progress.paused.is_some() => "Held.".to_owned(),
            (0, Some(_)) => "No page has been read yet.".to_owned(),
            (0, None) => "No page was read.".to_owned(),
            (pages, _) if self.reads_rows => {
                let rows: usize = self.seen.iter().map(|seen| seen.rows).sum();
                format!("All is well: {rows} rows on the latest {pages} pages.")
            }
            (pages, _) => format!("All is well on the latest {pages} pages."),
        };
        Say { level: Level::Good, sentence, action: None }
    }
}

/// What is said of a run's health.
struct Say {
    level: Level,
    sentence: String,
    action: Option<Action>,
}

impl Say {
    fn bad(sentence: String) -> Say {
        Say { level: Level::Bad, sentence, action: None }
    }

    fn warn(sentence: String) -> Say {
        Say { level: Level::Warn, sentence, action: None }
    }

    /// With the pages of this outcome to look at.
    fn show(mut self, outcome: &str) -> Say {
        let outcome = Some(outcome.to_owned());
        self.action =
            Some(Action { kind: "show".into(), label: "Show".into(), outcome, ..Action::default() });
        self
    }
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.0} %", part as f64 * 100.0 / whole.max(1) as f64)
}

fn is_login(path: &str) -> bool {
    let path = path.to_lowercase();
    path.split(['/', '.']).any(|part| LOGIN.contains(&part))
}

/// `/calendar/` of a URL below it; empty at the top.
fn first_part(url: &str) -> String {
    let path = url.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map_or("", |(_, path)| path);
    path.split_once('/').map(|(part, _)| format!("/{part}/")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use model::{ErrorKind, PageUrl};

    use super::*;

    fn seen(end: VisitEnd, status: u16) -> Seen {
        let url = "http://shop.test/calendar/7".to_owned();
        Seen {
            at: Timestamp(50_520_000),
            url,
            status: Some(status),
            end,
            rows: 0,
            empty: vec![],
            filled: vec![],
        }
    }

    fn rows(empty: &[&str], filled: &[&str]) -> Seen {
        let own = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Seen { rows: 3, empty: own(empty), filled: own(filled), ..seen(VisitEnd::Page, 200) }
    }

    fn check(visits: Vec<Seen>, level: Level, kind: &str, sentence: &str) {
        let mut recent = Recent::new(true);
        visits.into_iter().for_each(|seen| recent.add(seen));
        let health = recent.health(None);
        assert_eq!(health.sentence, sentence);
        assert_eq!(
            (health.level, health.action.map_or("none".into(), |action| action.kind)),
            (level, kind.into())
        );
        assert!((health.good + health.warn + health.bad - 1.0).abs() < 1e-9);
    }

    #[test]
    fn each_trouble_has_its_sentence_and_its_action() {
        check(vec![], Level::Good, "none", "No page was read.");
        let good = || vec![rows(&[], &["title"]); 20];
        check(good(), Level::Good, "none", "All is well: 60 rows on the latest 20 pages.");
        let mut busy = good();
        busy.push(seen(VisitEnd::Busy(429, Some(Duration::from_secs(4))), 429));
        check(busy, Level::Warn, "slow", "Site answers 429; it asked us to wait 4 s, and we do.");
        let mut empty = good();
        empty.extend(vec![rows(&["price"], &["title"]); 80]);
        empty.extend(vec![rows(&[], &["title", "price"]); 20]);
        check(
            empty,
            Level::Warn,
            "fields",
            "Field price is empty on 80 % of the latest pages, since 14:02 UTC.",
        );
        let mut trap = good();
        trap.extend(vec![seen(VisitEnd::Page, 200); 300]);
        check(
            trap,
            Level::Warn,
            "exclude",
            "No new rows for 300 pages: probably a trap under /calendar/; exclude it?",
        );
        check(
            vec![seen(VisitEnd::Disallowed(Some(2)), 0); 12],
            Level::Bad,
            "robots",
            "Robots forbids 12 links.",
        );
        let refused = seen(VisitEnd::Failed(ErrorKind::Status(403)), 403);
        check(
            vec![refused; 20],
            Level::Bad,
            "show",
            "The site refuses 100 % of the latest pages (401 or 403): probably we are blocked.",
        );
        let login = PageUrl::parse("http://shop.test/account/login?next=/a").unwrap();
        check(
            vec![seen(VisitEnd::Redirect(login.clone()), 302); 9],
            Level::Warn,
            "show",
            &format!("Redirected to a login page ({login}): what is behind it is not read."),
        );
        let mut failing = good();
        failing.extend(vec![seen(VisitEnd::Failed(ErrorKind::Timeout), 0); 20]);
        let words = format!("50 % of the latest tries failed, most with: {}.", ErrorKind::Timeout);
        check(failing, Level::Bad, "show", &words);
    }
}
