//! `duplicates`: groups of pages with the same text or nearly so, and what two pages share.
//!
//! The crawl has judged every page when it was read; here its verdicts are put together. The member that stands for a
//! group is chosen by rule: rank, then the shorter URL, then its bytes.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use archive::tables::POSITIONS;
use catalog::ProjectEntry;
use frontier::page_key;
use frontier::tables::URLS;
use judge::book::standing_twins;
use judge::compare::Prepared;
use judge::groups::{Member, groups};
use judge::tables::{EXACT_TEXTS, FINGERPRINTS, TWINS};
use judge::winnow::Winnowing;
use kv::{Reader, Snapshot};
use model::{CrawlId, DuplicateSettings, Duplicates, HostKey, Limit, Outcome, Page, PageUrl, UrlKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::near_duplicates::{NearPair, near_pairs};
use crate::sink::Sink;
use crate::stored_ranks::LazyRanks;
use crate::versions::KeptPages;
use crate::{Data, DuplicatesRequest, ServiceError};

/// Groups shown unless said otherwise.
const SHOWN: u64 = 100;

/// Members shown of one group; there may be thousands.
const MOST_MEMBERS: usize = 100;

/// Shared passages shown of a pair.
const MOST_PASSAGES: usize = 200;

/// Bytes of a passage that are shown.
const LONGEST_PASSAGE: usize = 2_000;

/// A line of the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "row", rename_all = "kebab-case")]
pub enum DuplicatesRow {
    /// Pages that say the same.
    Group(DuplicateGroup),
    /// What two pages share.
    Pair(DuplicatePair),
    /// The last line of a list of groups.
    Counts(DuplicateCounts),
}

/// Pages that say the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DuplicateGroup {
    /// The page that stands for the group: by rank, then the shorter URL, then its bytes.
    pub chosen: String,
    /// All have exactly the same text.
    pub exact: bool,
    /// How many pages it has.
    pub pages: u64,
    /// The pages, the chosen one first; of many the first hundred.
    pub members: Vec<DuplicateMember>,
}

/// A page of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DuplicateMember {
    /// The page.
    pub url: String,
    /// How alike it is to the chosen one, 0 to 1; none where only others of the group are like it.
    pub similarity: Option<f64>,
    /// Its rank, where the mean of all pages is 1.
    pub rank: Option<f64>,
}

/// What two pages share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DuplicatePair {
    /// The first page.
    pub first: String,
    /// The second.
    pub second: String,
    /// The part of their fingerprints that both have, of the page that has more.
    pub similarity: f64,
    /// Of the first page's.
    pub of_first: f64,
    /// Of the second page's.
    pub of_second: f64,
    /// The part of the text that stands in common passages, the smaller of the two.
    pub share: f64,
    /// The passages, in the order of the first page.
    pub passages: Vec<SharedPassage>,
    /// Passages that are not shown.
    pub left_out: u64,
}

/// The same words on two pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SharedPassage {
    /// Where it begins in the main text of the first page, in bytes.
    pub first_at: u64,
    /// As it stands there.
    pub first: String,
    /// Where it begins in that of the second.
    pub second_at: u64,
    /// As it stands there.
    pub second: String,
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DuplicateCounts {
    /// Groups.
    pub groups: u64,
    /// Pages in them.
    pub pages: u64,
    /// Pages whose text was judged.
    pub judged: u64,
}

pub(crate) fn duplicates(
    data: &Data,
    request: &DuplicatesRequest,
    out: &mut Sink<'_>,
) -> Result<(), ServiceError> {
    let entry = data.project(request.project.as_ref())?;
    let snapshot = data.store().snapshot();
    let urls = request
        .urls
        .iter()
        .map(|text| {
            let parsed = entry.project.crawl.normalise().parse(text);
            parsed.map_err(|source| ServiceError::Url { text: text.clone(), source })
        })
        .collect::<Result<Vec<PageUrl>, _>>()?;
    if let [first, second, ..] = &urls[..] {
        return out.send(&DuplicatesRow::Pair(pair(data, &entry, &snapshot, first, second)?));
    }
    let near = if request.near { near_pairs(data, &entry, &snapshot)? } else { Vec::new() };
    let found = Groups::with(data, &snapshot, &entry, near)?;
    if let Some(url) = urls.first() {
        let Some(group) = found.group_of(UrlKey::of(url)) else {
            let judged = snapshot.contains(&FINGERPRINTS, &page_key(entry.crawl, UrlKey::of(url)))?;
            return Err(match judged {
                true => ServiceError::NoDuplicates(url.to_string()),
                false => ServiceError::NotJudged(url.to_string()),
            });
        };
        return out.send(&DuplicatesRow::Group(found.view(&snapshot, group)?));
    }
    let limit = usize::try_from(request.limit.unwrap_or(SHOWN)).unwrap_or(usize::MAX);
    // The largest first: there is most to gain.
    let mut order: Vec<usize> = (0..found.groups.len()).collect();
    order.sort_by_key(|group| std::cmp::Reverse(found.groups[*group].len()));
    for group in order.iter().take(limit) {
        out.send(&DuplicatesRow::Group(found.view(&snapshot, *group)?))?;
    }
    let judged = snapshot.prefix(&FINGERPRINTS, &entry.crawl.0).keys().count() as u64;
    out.send(&DuplicatesRow::Counts(DuplicateCounts {
        groups: found.groups.len() as u64,
        pages: found.groups.iter().map(|group| group.len() as u64).sum(),
        judged,
    }))
}

/// The groups of a crawl.
pub(crate) struct Groups {
    crawl: CrawlId,
    settings: DuplicateSettings,
    keys: Vec<UrlKey>,
    members: Vec<Member>,
    texts: Vec<u64>,
    /// Places of members, the chosen one first.
    pub(crate) groups: Vec<Vec<usize>>,
    /// The group of each member that has one, and its own place.
    of: HashMap<UrlKey, (u32, u32)>,
    /// How alike pairs are that were compared since.
    compared: HashMap<(UrlKey, UrlKey), f64>,
    /// Pages that a full collection has given up: nobody finds them.
    given_up: HashSet<UrlKey>,
}

/// What a search does with a page for the sake of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupWord {
    /// The group's number.
    pub(crate) group: u64,
    /// Its other pages.
    pub(crate) others: u64,
    /// It is not shown: another page stands for it.
    pub(crate) hidden: bool,
}

impl Groups {
    /// Puts them together from the verdicts of the crawl.
    pub(crate) fn of(data: &Data, snapshot: &Snapshot, entry: &ProjectEntry) -> Result<Groups, ServiceError> {
        Groups::with(data, snapshot, entry, Vec::new())
    }

    /// The same, and with these pairs of near duplicates.
    fn with(
        data: &Data,
        snapshot: &Snapshot,
        entry: &ProjectEntry,
        near: Vec<NearPair>,
    ) -> Result<Groups, ServiceError> {
        let crawl = entry.crawl;
        let ranks = LazyRanks::of_crawls(data, std::iter::once(crawl));
        let mut gather = Gather { snapshot, crawl, ranks: &ranks, known: HashMap::new(), found: Vec::new() };
        let mut pairs = Vec::new();
        let mut first: Option<(u64, UrlKey)> = None;
        for row in snapshot.prefix(&EXACT_TEXTS, &crawl.0).keys() {
            let (_, text, host, page) = row?;
            let key = UrlKey { host: HostKey(host), page };
            match first.filter(|(known, _)| *known == text) {
                Some((_, other)) if gather.place((other, text))?.is_some() => {
                    pairs.extend(gather.pair((other, text), (key, text))?);
                }
                // The first of them, or the first that is a page still.
                _ => first = Some((text, key)),
            }
        }
        for row in snapshot.prefix(&TWINS, &crawl.0) {
            let ((_, host, page), twins) = row?;
            let key = UrlKey { host: HostKey(host), page };
            let standing = standing_twins(snapshot, crawl, &twins)?;
            if standing.is_empty() {
                continue;
            }
            let Some(own) = snapshot.get(&FINGERPRINTS, &page_key(crawl, key))? else { continue };
            for twin in standing {
                let other = gather.standing(twin.page, twin.exact)?;
                pairs.extend(gather.pair((key, own.exact), (other, twin.exact))?);
            }
        }
        let mut compared = HashMap::new();
        for NearPair { first, second, similarity } in near {
            pairs.extend(gather.pair(first, second)?);
            compared.insert((first.0, second.0), similarity);
        }
        let mut found = Groups {
            crawl,
            compared,
            settings: entry.project.crawl.duplicate_settings(),
            keys: gather.found.iter().map(|(key, ..)| *key).collect(),
            texts: gather.found.iter().map(|(_, text, _)| *text).collect(),
            members: gather.found.into_iter().map(|(_, _, member)| member).collect(),
            groups: Vec::new(),
            of: HashMap::new(),
            given_up: given_up(snapshot, entry)?,
        };
        found.groups = groups(&found.members, pairs);
        for (number, group) in (0..).zip(&found.groups) {
            found.of.extend(group.iter().map(|member| (found.keys[*member], (number, *member as u32))));
        }
        Ok(found)
    }

    /// True where no page is hidden, nor stands for others.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.given_up.is_empty()
    }

    /// The number of a page's group.
    pub(crate) fn group_of(&self, key: UrlKey) -> Option<usize> {
        self.of.get(&key).map(|(group, _)| *group as usize)
    }

    /// True of a page that is not searched: another stands for it, or it was given up.
    pub(crate) fn is_left_out(&self, key: UrlKey) -> bool {
        self.word_of(key).is_some_and(|word| word.hidden)
    }

    /// The pages that are not searched.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = UrlKey> {
        let known = self.of.keys().chain(&self.given_up).copied();
        known.filter(|key| self.is_left_out(*key))
    }

    /// What a search does with a page.
    pub(crate) fn word(&self, url: &str) -> Option<GroupWord> {
        self.word_of(UrlKey::of(&PageUrl::parse(url).ok()?))
    }

    fn word_of(&self, key: UrlKey) -> Option<GroupWord> {
        if self.given_up.contains(&key) {
            return Some(GroupWord { group: u64::from(u32::MAX), others: 0, hidden: true });
        }
        let (group, own) = *self.of.get(&key)?;
        let members = &self.groups[group as usize];
        let (chosen, own) = (members[0], own as usize);
        let act =
            if self.texts[own] == self.texts[chosen] { self.settings.exact } else { self.settings.near };
        Some(GroupWord {
            group: u64::from(group),
            others: members.len() as u64 - 1,
            hidden: own != chosen && act.skips_indexing(),
        })
    }

    /// The page that stands for the group of a URL.
    pub(crate) fn chosen(&self, url: &str) -> Option<&str> {
        let (group, _) = *self.of.get(&UrlKey::of(&PageUrl::parse(url).ok()?))?;
        let first = *self.groups[group as usize].first()?;
        Some(self.members[first].url.as_str())
    }

    /// URLs of the members of every group, the chosen one first.
    pub(crate) fn urls(&self) -> impl Iterator<Item = Vec<&str>> {
        self.groups.iter().map(|group| group.iter().map(|at| self.members[*at].url.as_str()).collect())
    }

    fn view(&self, snapshot: &Snapshot, group: usize) -> Result<DuplicateGroup, ServiceError> {
        let members = &self.groups[group];
        let print = |at: usize| snapshot.get(&FINGERPRINTS, &page_key(self.crawl, self.keys[at]));
        let chosen = print(members[0])?;
        let mut shown = Vec::new();
        for &at in members.iter().take(MOST_MEMBERS) {
            let likeness = match (&chosen, print(at)?) {
                (Some(chosen), Some(own)) => chosen.likeness(&own),
                _ => None,
            };
            let pair = (self.keys[members[0]], self.keys[at]);
            let compared = self.compared.get(&pair).or_else(|| self.compared.get(&(pair.1, pair.0)));
            shown.push(DuplicateMember {
                url: self.members[at].url.clone(),
                similarity: likeness.map(|likeness| likeness.similarity).or(compared.copied()),
                rank: Some(self.members[at].rank).filter(|rank| *rank > 0.0),
            });
        }
        Ok(DuplicateGroup {
            chosen: self.members[members[0]].url.clone(),
            exact: members.iter().all(|at| self.texts[*at] == self.texts[members[0]]),
            pages: members.len() as u64,
            members: shown,
        })
    }
}

/// Groups as searches need them, by crawl: put together again when enough has come.
#[derive(Default)]
pub(crate) struct SearchGroups(Mutex<HashMap<CrawlId, KnownGroups>>);

struct KnownGroups {
    groups: Arc<Groups>,
    /// The end of the archive then.
    at: archive::Position,
    /// What chose their members.
    ranks: LazyRanks,
    replaces: bool,
}

/// Bytes of archive that may come before groups are put together again while a crawl runs.
const MUCH: u64 = 64 << 20;

impl SearchGroups {
    /// The groups of a project's pages; while a crawl runs they may be a little old.
    pub(crate) fn get(&self, data: &Data, entry: &ProjectEntry) -> Result<Option<Arc<Groups>>, ServiceError> {
        let settings = &entry.project.crawl;
        if settings.duplicate_settings().method == Duplicates::Off && !settings.replace_pages {
            return Ok(None);
        }
        let at = data.store().get(&POSITIONS, &entry.crawl.0)?.unwrap_or_default().position;
        let ranks = LazyRanks::of_crawls(data, std::iter::once(entry.crawl));
        let runs = data.live_runs().iter().any(|run| run.crawl == entry.crawl);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&entry.crawl) {
            let near = known.at.file == at.file && at.length.saturating_sub(known.at.length) < MUCH;
            let same_rules = known.groups.settings == settings.duplicate_settings()
                && known.replaces == settings.replace_pages
                && known.ranks.is_same(&ranks);
            if same_rules && (known.at == at || runs && near) {
                return Ok(Some(Arc::clone(&known.groups)));
            }
        }
        let groups = Arc::new(Groups::of(data, &data.store().snapshot(), entry)?);
        let replaces = settings.replace_pages;
        known.insert(entry.crawl, KnownGroups { groups: Arc::clone(&groups), at, ranks, replaces });
        Ok(Some(groups))
    }

    /// The groups as they were last put together, however old.
    pub(crate) fn last(&self, crawl: CrawlId) -> Option<Arc<Groups>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&crawl).map(|known| Arc::clone(&known.groups))
    }
}

/// Pages that were given up for more important ones.
fn given_up(snapshot: &Snapshot, entry: &ProjectEntry) -> Result<HashSet<UrlKey>, ServiceError> {
    let mut found = HashSet::new();
    if !entry.project.crawl.replace_pages {
        return Ok(found);
    }
    for row in snapshot.prefix(&URLS, &entry.crawl.0) {
        let ((_, host, page), record) = row?;
        if record.outcome == (Outcome::OverLimit { limit: Limit::Pages }) {
            found.insert(UrlKey { host: HostKey(host), page });
        }
    }
    Ok(found)
}

/// Collects the pages that are in any group.
struct Gather<'a> {
    snapshot: &'a Snapshot,
    crawl: CrawlId,
    ranks: &'a LazyRanks,
    /// Places of pages; none for those that are no pages any more.
    known: HashMap<UrlKey, Option<usize>>,
    found: Vec<(UrlKey, u64, Member)>,
}

impl Gather<'_> {
    fn pair(
        &mut self,
        first: (UrlKey, u64),
        second: (UrlKey, u64),
    ) -> Result<Option<(usize, usize)>, ServiceError> {
        let first = self.place(first)?;
        Ok(first.zip(self.place(second)?))
    }

    /// A page with a text, or where it is none any more, since it was excluded, a copy of it that is.
    fn standing(&mut self, page: UrlKey, text: u64) -> Result<UrlKey, ServiceError> {
        if self.place((page, text))?.is_some() {
            return Ok(page);
        }
        let copies = self.snapshot.prefix(&EXACT_TEXTS, &(self.crawl.0, text)).keys();
        for row in copies.take(MOST_MEMBERS) {
            let (.., host, copy) = row?;
            let copy = UrlKey { host: HostKey(host), page: copy };
            if self.place((copy, text))?.is_some() {
                return Ok(copy);
            }
        }
        Ok(page)
    }

    fn place(&mut self, (key, text): (UrlKey, u64)) -> Result<Option<usize>, ServiceError> {
        if let Some(place) = self.known.get(&key) {
            return Ok(*place);
        }
        let record = self.snapshot.get(&URLS, &page_key(self.crawl, key))?;
        let page = record.filter(|record| {
            // One that is being asked for again is a page still.
            matches!(record.outcome, Outcome::Fetched | Outcome::NotModified) || record.outcome.is_open()
        });
        let place = page.map(|record| {
            let url = record.url.as_str().to_owned();
            let rank = self.ranks.links().of_url(&url).map_or(0.0, |links| f64::from(links.pagerank));
            self.found.push((key, text, Member { url, rank }));
            self.found.len() - 1
        });
        self.known.insert(key, place);
        Ok(place)
    }
}

/// What is compared of a page.
pub(crate) fn main_text(page: Page) -> String {
    if page.main.is_empty() { page.text } else { page.main }
}

/// Winnowing by a project's settings.
pub(crate) fn winnowing(settings: &DuplicateSettings) -> Winnowing {
    Winnowing {
        gram: settings.gram.clamp(1, 1_024) as usize,
        window: settings.window.clamp(1, 1_024) as usize,
        ..Winnowing::default()
    }
}

fn pair(
    data: &Data,
    entry: &ProjectEntry,
    snapshot: &Snapshot,
    first: &PageUrl,
    second: &PageUrl,
) -> Result<DuplicatePair, ServiceError> {
    let winnowing = winnowing(&entry.project.crawl.duplicate_settings());
    let pages = KeptPages::of(data, entry)?;
    let texts = [first, second].map(|url| pages.latest(snapshot, entry.crawl, url).map(main_text));
    let [first_text, second_text] = texts;
    let (first_text, second_text) = (first_text?, second_text?);
    let (one, other) = (Prepared::new(&first_text, winnowing), Prepared::new(&second_text, winnowing));
    let likeness = one.likeness(&other);
    let passages = one.passages(&other);
    let cut = |text: &str| text[..text.floor_char_boundary(LONGEST_PASSAGE)].to_owned();
    Ok(DuplicatePair {
        first: first.to_string(),
        second: second.to_string(),
        similarity: likeness.similarity,
        of_first: likeness.of_first,
        of_second: likeness.of_second,
        share: one.share(&other),
        left_out: passages.len().saturating_sub(MOST_PASSAGES) as u64,
        passages: passages
            .into_iter()
            .take(MOST_PASSAGES)
            .map(|passage| SharedPassage {
                first_at: passage.first.start as u64,
                first: cut(&first_text[passage.first]),
                second_at: passage.second.start as u64,
                second: cut(&second_text[passage.second]),
            })
            .collect(),
    })
}
