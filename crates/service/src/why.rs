//! `why`: the whole story of one URL, by the same rules that decided it.

use std::collections::HashSet;

use archive::tables::{LINKS, VISITS};
use crawl::PageHistory;
use frontier::tables::{
    HINTS, HOSTS, MISSING, QUEUE, RELEVANCE, ROBOTS, RobotsAnswer, URLS, UrlRecord, relevance_of,
};
use frontier::{Rules, Unfollowed, page_key};
use judge::book::near;
use judge::tables::{EXACT_TEXTS, FINGERPRINTS};
use kv::{Reader, Snapshot};
use model::{CrawlId, CrawlSettings, HostKey, Outcome, PageUrl, Project, Timestamp, UrlKey};
use serde::{Deserialize, Serialize};

use crate::change_steps::ChangeStep;
use crate::hosts::hint_words;
use crate::robots::{self, RobotsWord};
use crate::{Data, Moment, ServiceError, WhyRequest, canonical, changes, guarded};

/// Steps shown of a path; a trap may have led through thousands.
const MOST_STEPS: usize = 100;

/// URLs counted before one in its queue.
const MOST_AHEAD: u64 = 100_000;

/// Fetches shown, the latest.
const MOST_FETCHES: usize = 50;

/// The story of a URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Why {
    /// As asked.
    pub asked: String,
    /// In canonical form.
    pub url: PageUrl,
    /// What led from one to the other.
    pub canonicalised: Vec<String>,
    /// The project.
    pub project: String,
    /// Whether the crawl has met it.
    pub known: bool,
    /// What became of it, or what would.
    pub words: String,
    /// Name of the outcome.
    pub outcome: Option<String>,
    /// Links from a start URL.
    pub depth: Option<u32>,
    /// When it was first met.
    pub found_at: Option<Moment>,
    /// From a start URL to this one.
    pub path: Vec<Step>,
    /// Steps left out in the middle of the path.
    pub steps_left_out: usize,
    /// Each rule's word, in order.
    pub rules: Vec<RuleWord>,
    /// The word of robots.txt.
    pub robots: RobotsWord,
    /// The crawl hints of its origin, if it was asked for them.
    #[serde(default)]
    pub hints: Option<String>,
    /// When it is due, if it waits.
    pub due: Option<Due>,
    /// Whether it is on topic, and how much.
    #[serde(default)]
    pub topic: Option<String>,
    /// Which pages say the same.
    #[serde(default)]
    pub duplicate: Option<String>,
    /// What its latest change was.
    #[serde(default)]
    pub change: Option<String>,
    /// The cascade step by step, for its last two versions.
    #[serde(default)]
    pub change_steps: Vec<ChangeStep>,
    /// How often it changes.
    #[serde(default)]
    pub revisit: Option<String>,
    /// Its latest fetches, oldest first.
    pub fetches: Vec<Fetch>,
}

/// A step of the path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The page.
    pub url: PageUrl,
    /// How it was reached: `start`, `hint`, `link`, `redirect`.
    pub how: String,
    /// The words of the link.
    pub anchor: Option<String>,
}

/// A rule's word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleWord {
    /// The setting that rules.
    pub rule: String,
    /// Whether it lets the URL pass.
    pub passes: bool,
    /// The refusal in words.
    pub refusal: Option<String>,
}

/// When a URL's turn comes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Due {
    /// Not before.
    pub at: Moment,
    /// Why then.
    pub because: String,
    /// Its priority: larger comes first.
    pub priority: u32,
    /// Its place among equals.
    pub arrival: u64,
    /// URLs of its host that come before it.
    pub ahead: Option<u64>,
}

/// A fetch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fetch {
    /// When the request was sent.
    pub at: Moment,
    /// Status, if there was an answer.
    pub status: Option<u16>,
    /// What went wrong.
    pub error: Option<String>,
    /// How long it took.
    pub millis: u64,
    /// Bytes of the body as transferred.
    pub bytes: u64,
    /// Where its response record lies.
    pub archived: Option<String>,
}

pub(crate) fn why(data: &Data, request: &WhyRequest, now: Timestamp) -> Result<Why, ServiceError> {
    let entry = data.project(request.project.as_ref())?;
    let settings = &entry.project.crawl;
    let normalise = settings.normalise();
    let url = normalise
        .parse(&request.url)
        .map_err(|source| ServiceError::Url { text: request.url.clone(), source })?;
    let story = Story { snapshot: data.store().snapshot(), crawl: entry.crawl };
    let key = UrlKey::of(&url);
    let record = story.record(key)?;
    // An unknown URL is judged as a link of a start page would be.
    let depth = record.as_ref().map_or(1, |record| record.depth);
    let rules = story.rules(&entry.project, &url, depth, record.as_ref())?;
    let robots = robots::word(&story.snapshot, settings, &url, now)?;
    let words = match &record {
        Some(record) => record.outcome.to_string(),
        None => match rules.iter().find_map(|rule| rule.refusal.clone()) {
            Some(refusal) => format!("never met; it would be refused: {refusal}"),
            None if robots.allowed == Some(false) => "never met; robots.txt would forbid it".to_owned(),
            None => "never met; if a page linked to it, it would be fetched".to_owned(),
        },
    };
    let (path, steps_left_out) = match &record {
        Some(record) => story.path(record)?,
        None => (Vec::new(), 0),
    };
    let due = match &record {
        Some(record) if record.outcome.is_open() => Some(story.due(key, record, now)?),
        _ => None,
    };
    let (change, change_steps) = changes::latest(data, &entry, &url).unzip();
    let hints = story.snapshot.get(&HINTS, &url.origin().as_str().to_owned())?;
    Ok(Why {
        hints: hints.map(|record| hint_words(&record)),
        asked: request.url.clone(),
        canonicalised: canonical::changes(&request.url, &url, normalise),
        project: entry.project.name.to_string(),
        known: record.is_some(),
        words,
        outcome: record.as_ref().map(|record| record.outcome.name().to_owned()),
        depth: record.as_ref().map(|record| record.depth),
        found_at: record.as_ref().map(|record| record.found.into()),
        path,
        steps_left_out,
        rules,
        robots,
        due,
        topic: story.topic(key)?,
        duplicate: story.duplicate(key)?,
        change,
        change_steps: change_steps.unwrap_or_default(),
        revisit: story.revisit(key, settings, now)?,
        fetches: story.fetches(key)?,
        url,
    })
}

struct Story {
    snapshot: Snapshot,
    crawl: CrawlId,
}

impl Story {
    /// As the page was judged when it was fetched.
    fn topic(&self, key: UrlKey) -> Result<Option<String>, ServiceError> {
        let mark = self.snapshot.get(&RELEVANCE, &page_key(self.crawl, key))?;
        Ok(mark.map(relevance_of).map(|(relevance, on_topic)| {
            format!("{} topic, relevance {relevance:.2}", if on_topic { "on" } else { "off" })
        }))
    }

    fn record(&self, key: UrlKey) -> Result<Option<UrlRecord>, ServiceError> {
        Ok(self.snapshot.get(&URLS, &page_key(self.crawl, key))?)
    }

    fn rules(
        &self,
        project: &Project,
        url: &PageUrl,
        depth: u32,
        record: Option<&UrlRecord>,
    ) -> Result<Vec<RuleWord>, ServiceError> {
        let mut rules = Rules::new(&project.crawl, &project.start);
        for start in &project.start {
            self.widen(&mut rules, start)?;
        }
        let mut words = Vec::new();
        for ruling in rules.rulings(url, depth) {
            let refusal = ruling.refusal.map(|refusal| match refusal {
                Outcome::Trap { guard } => guarded::url_words(guard, url, &project.crawl),
                other => other.to_string(),
            });
            words.push(RuleWord { rule: ruling.rule.to_owned(), passes: refusal.is_none(), refusal });
        }
        // Rules that are no matter of the URL alone: they are known only from what happened.
        match record.map(|record| &record.outcome) {
            Some(outcome) if Unfollowed::of(outcome).is_some() => {
                let (rule, why) = match Unfollowed::of(outcome) {
                    Some(Unfollowed::OutsideLinks) => (
                        "links_in",
                        "every link to it stands outside the parts of pages where links are followed (links, links_in)",
                    ),
                    Some(Unfollowed::Canonical) => {
                        ("honour_canonical", "only canonical links lead to it, which are not honoured")
                    }
                    Some(Unfollowed::OffTopic) => (
                        "off_topic_distance",
                        "every way to it leads through more pages off topic than links are followed from",
                    ),
                    Some(Unfollowed::Duplicate) => (
                        "exact_duplicates",
                        "only duplicates of other pages lead to it (exact_duplicates, near_duplicates)",
                    ),
                    _ => ("follow_nofollow", "no followed link leads to it"),
                };
                let refusal = Some(format!("{outcome}: {why}"));
                words.push(RuleWord { rule: rule.to_owned(), passes: false, refusal });
            }
            Some(outcome @ Outcome::OverLimit { limit: model::Limit::HostPages }) => {
                let refusal = Some(outcome.to_string());
                words.push(RuleWord { rule: "max_pages_per_host".to_owned(), passes: false, refusal });
            }
            Some(Outcome::Trap { guard }) if words.iter().all(|word| word.passes) => {
                let counted = frontier::counted(&self.snapshot, self.crawl, url)?;
                let refusal = Some(guarded::counted_words(*guard, &counted, &project.crawl));
                words.push(RuleWord { rule: guard.setting().to_owned(), passes: false, refusal });
            }
            _ => {}
        }
        Ok(words)
    }

    /// Where a start URL redirects to belongs to the scope.
    fn widen(&self, rules: &mut Rules, start: &PageUrl) -> Result<(), ServiceError> {
        let mut url = start.clone();
        for _ in 0..10 {
            let Some(UrlRecord { outcome: Outcome::Redirected { to }, .. }) =
                self.record(UrlKey::of(&url))?
            else {
                break;
            };
            rules.add_start(&to);
            url = to;
        }
        Ok(())
    }

    /// The path from a start URL, and how many steps in its middle are left out.
    fn path(&self, last: &UrlRecord) -> Result<(Vec<Step>, usize), ServiceError> {
        let mut steps = Vec::new();
        let mut seen = HashSet::new();
        let mut record = last.clone();
        let mut left_out = 0;
        loop {
            let key = UrlKey::of(&record.url);
            let parent = match record.via.filter(|via| seen.insert(*via)) {
                Some(via) => self.record(via)?.map(|parent| (via, parent)),
                None => None,
            };
            if steps.len() >= MOST_STEPS && parent.is_some() {
                left_out += 1;
            } else {
                steps.push(self.step((&record.url, record.depth), key, parent.as_ref())?);
            }
            match parent {
                Some((_, parent)) => record = parent,
                None => break,
            }
        }
        steps.reverse();
        Ok((steps, left_out))
    }

    fn step(
        &self,
        (url, depth): (&PageUrl, u32),
        key: UrlKey,
        parent: Option<&(UrlKey, UrlRecord)>,
    ) -> Result<Step, ServiceError> {
        let Some((via, parent)) = parent else {
            // Deeper than a start page, and no page led there: the site's own hints named it.
            let how = if depth == 0 { "start" } else { "hint" };
            return Ok(Step { url: url.clone(), how: how.to_owned(), anchor: None });
        };
        if matches!(&parent.outcome, Outcome::Redirected { to } if to == url) {
            return Ok(Step { url: url.clone(), how: "redirect".to_owned(), anchor: None });
        }
        let links = self.snapshot.get(&LINKS, &page_key(self.crawl, *via))?.unwrap_or_default();
        let edge = links.edges.into_iter().find(|edge| edge.target == key && edge.followed);
        Ok(Step {
            url: url.clone(),
            how: "link".to_owned(),
            anchor: edge.map(|edge| edge.anchor.to_string()),
        })
    }

    fn due(&self, key: UrlKey, record: &UrlRecord, now: Timestamp) -> Result<Due, ServiceError> {
        let host = self.snapshot.get(&HOSTS, &key.host.0)?;
        let rests_until = host.as_ref().map_or(Timestamp::ZERO, |host| host.next);
        let origin = record.url.origin();
        let robots = self.snapshot.get(&ROBOTS, &origin.as_str().to_owned())?;
        let mut ahead = None;
        let (at, because) = match (&record.outcome, &host) {
            (Outcome::Retrying { error, tries, due }, _) => {
                let host_word = if rests_until > *due { "; its host rests until then" } else { "" };
                let count =
                    if *tries == 0 { "its host was busy".to_owned() } else { format!("try {tries} failed") };
                ((*due).max(rests_until), format!("{count}: {error}{host_word}"))
            }
            (_, Some(host)) => {
                ahead = Some(self.ahead(key, record)?);
                let unreachable = robots.filter(|robots| {
                    robots.expires > now && matches!(robots.answer, RobotsAnswer::Unreachable { .. })
                });
                let because = if let Some(robots) = unreachable {
                    format!(
                        "robots.txt of {origin} could not be had; it is asked for again {}",
                        robots.expires
                    )
                } else if host.failures > 0 {
                    format!("its host could not be reached {} times in a row", host.failures)
                } else if rests_until > now {
                    let asked = host
                        .crawl_delay
                        .map(|delay| format!(", robots.txt asks for {delay} ms"))
                        .unwrap_or_default();
                    let waits = if host.longest_wait > host.pause { ", it asked us to wait" } else { "" };
                    format!("its host rests {} ms after each request{asked}{waits}", host.pause)
                } else {
                    "its host may be asked; it waits for its turn".to_owned()
                };
                (rests_until, because)
            }
            (_, None) => {
                ahead = Some(self.ahead(key, record)?);
                (record.found, "its host has not been asked yet".to_owned())
            }
        };
        // The queue is read from its smallest key; people expect the largest priority first.
        let priority = u32::MAX - record.priority;
        Ok(Due { at: at.into(), because, priority, arrival: record.arrival, ahead })
    }

    fn ahead(&self, key: UrlKey, record: &UrlRecord) -> Result<u64, ServiceError> {
        let (crawl, host) = (self.crawl.0, key.host.0);
        let own = (crawl, host, (record.priority, record.arrival));
        let mut ahead = 0;
        for row in self.snapshot.range(&QUEUE, (crawl, host, (0, 0))..own).keys() {
            row?;
            ahead += 1;
            if ahead == MOST_AHEAD {
                break;
            }
        }
        Ok(ahead)
    }

    /// Pages with its text, as it was judged.
    fn duplicate(&self, key: UrlKey) -> Result<Option<String>, ServiceError> {
        let Some(own) = self.snapshot.get(&FINGERPRINTS, &page_key(self.crawl, key))? else {
            return Ok(None);
        };
        let name = |other: UrlKey| {
            let record = self.record(other)?;
            Ok::<_, ServiceError>(record.map_or_else(|| other.to_string(), |record| record.url.to_string()))
        };
        for holder in self.snapshot.prefix(&EXACT_TEXTS, &(self.crawl.0, own.exact)).keys() {
            let (_, _, host, page) = holder?;
            let other = UrlKey { host: HostKey(host), page };
            if other != key {
                return Ok(Some(format!("the same text as {}", name(other)?)));
            }
        }
        let Some(twin) = near(&self.snapshot, self.crawl, key)?.into_iter().next() else { return Ok(None) };
        let percent = f64::from(twin.similarity) / 10.0;
        Ok(Some(format!("{percent:.0} % like {}", name(twin.page)?)))
    }

    /// How often it changes, by its visits, and since when its server says that it is missing.
    fn revisit(
        &self,
        key: UrlKey,
        settings: &CrawlSettings,
        now: Timestamp,
    ) -> Result<Option<String>, ServiceError> {
        let missing = self.snapshot.get(&MISSING, &page_key(self.crawl, key))?.map(|first| {
            let first = Moment(Timestamp(first));
            format!("said to be missing since {first}; that is believed when it is said again after two days")
        });
        let changes = self.changes(key, settings, now)?;
        Ok(match (changes, missing) {
            (Some(changes), Some(missing)) => Some(format!("{changes}; {missing}")),
            (changes, missing) => changes.or(missing),
        })
    }

    fn changes(
        &self,
        key: UrlKey,
        settings: &CrawlSettings,
        now: Timestamp,
    ) -> Result<Option<String>, ServiceError> {
        let settings = settings.revisit_settings();
        let visits = self.snapshot.prefix(&VISITS, &(self.crawl.0, key.host.0, key.page));
        let visits: Vec<_> = visits.collect::<Result<_, _>>()?;
        let visits = visits.iter().map(|((.., at), visit)| (Timestamp(*at), visit));
        let Some(page) = PageHistory::of(visits, &settings, now) else { return Ok(None) };
        let history = page.history;
        if history.comparisons == 0 {
            return Ok(None);
        }
        Ok(Some(format!(
            "changed at {} of {} later visits in {:.1} days: about {:.3} changes a day",
            history.changes,
            history.comparisons,
            history.days,
            page.rate(&settings)
        )))
    }

    fn fetches(&self, key: UrlKey) -> Result<Vec<Fetch>, ServiceError> {
        let visits = self.snapshot.prefix(&VISITS, &(self.crawl.0, key.host.0, key.page));
        let mut fetches = Vec::new();
        for visit in visits.rev().take(MOST_FETCHES) {
            let ((.., start), visit) = visit?;
            fetches.push(Fetch {
                at: Timestamp(start).into(),
                status: visit.status,
                error: visit.error.map(|error| error.to_string()),
                millis: visit.millis,
                bytes: visit.bytes,
                archived: visit.location.map(|place| {
                    format!("{:05}/{} byte {}", self.crawl.0, archive::file_name(place.file), place.offset)
                }),
            });
        }
        fetches.reverse();
        Ok(fetches)
    }
}
