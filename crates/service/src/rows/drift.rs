//! Drift: fields that a run finds less often than earlier runs did, and what would find them now.
//!
//! Each run keeps how often its fields were found. A field has drifted when it is found clearly less often than in
//! the best of the last few runs, and its last rows say so as well: since some page it is found in less than half as
//! many rows as it was. A page type has drifted when pages that had rows were read again without any. From the
//! values of the earlier run and the stored pages of this one a selector is proposed that finds them again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use archive::ArchiveReader;
use archive::rows::{self, PageRows, ROW_RUNS, ROWS, Stand};
use archive::tables::VISITS;
use catalog::{ProjectEntry, Run, RunId, RunState};
use crawl::PageReader;
use frontier::page_key;
use frontier::tables::URLS;
use kv::{Reader, Snapshot};
use model::{Outcome, PageUrl, ProjectName, Row, RowKey, Template, Timestamp, UrlKey, Value};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::listing::State;
use super::state::{has_rows, state_after};
use crate::restore::template_reader;
use crate::stored;
use crate::{Data, ServiceError, Summary};

/// Earlier runs that a run is compared with.
const RUNS: usize = 5;

/// Fewer rows say nothing.
const FEW: u64 = 6;

/// How unlikely a fall must be, in standard deviations.
const SURE: f64 = 3.0;

/// Values missed in a row, beyond what is usual, until a field counts as lost.
const MISSED: f64 = 3.0;

/// Stored pages that are looked at for a proposal.
const SAMPLES: usize = 5;

/// How often the fields of a page type were found in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TypeCoverage {
    /// The page type.
    pub page_type: String,
    /// Pages with rows.
    pub pages: u64,
    /// Rows.
    pub rows: u64,
    /// Rows in which each field was found and understood.
    pub found: BTreeMap<String, u64>,
}

/// How often the fields of a project were found in its latest run that tells. From a blocking thread.
pub fn coverage(data: &Data, project: Option<&ProjectName>) -> Result<Vec<TypeCoverage>, ServiceError> {
    let entry = data.project(project)?;
    let runs = data.wait(data.catalog().runs_of(entry.id))?;
    let told = |run: &Run| -> Option<Vec<TypeCoverage>> {
        serde_json::from_value(run.summary.as_ref()?.get("coverage")?.clone()).ok()
    };
    Ok(runs.iter().filter_map(told).find(|types| !types.is_empty()).unwrap_or_default())
}

/// A field that is not found any more, or a page type whose pages give no rows any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    /// The page type.
    pub page_type: String,
    /// The field; none when the pages give no rows at all.
    pub field: Option<String>,
    /// Rows in this run, or pages that had rows before.
    pub rows: u64,
    /// Those in which it was found, or that have rows still.
    pub found: u64,
    /// The run it is compared with.
    pub before_run: i64,
    /// Rows of that run.
    pub before_rows: u64,
    /// Those in which it was found then.
    pub before_found: u64,
    /// The first page without it.
    pub since: PageUrl,
    /// A CSS selector that finds the earlier values on stored pages of this run.
    pub proposal: Option<String>,
}

/// How often the fields of a run were found, and which have drifted.
pub(crate) fn watch(
    data: &Data,
    entry: &ProjectEntry,
    run: RunId,
) -> Result<(Vec<TypeCoverage>, Vec<Drift>), ServiceError> {
    let reader = template_reader(&entry.project);
    let (Some(template), Some(reader)) = (&entry.project.fields, reader) else {
        return Ok(Default::default());
    };
    let snapshot = data.store().snapshot();
    let first = snapshot.get(&ROW_RUNS, &(entry.crawl.0, run.0.unsigned_abs()))?.unwrap_or(0);
    let watch = Watch { data, entry, template, reader, snapshot, first };
    let coverage = watch.coverage()?;
    let earlier: Vec<_> = data.wait(data.catalog().runs_of(entry.id))?.into_iter().collect();
    let earlier =
        earlier.into_iter().filter(|earlier| earlier.id < run && earlier.state != RunState::Cancelled);
    let earlier: Vec<Earlier> = earlier.filter_map(Earlier::of).take(RUNS).collect();
    let mut drift = Vec::new();
    for page_type in &template.pages {
        let now = coverage.iter().find(|now| now.page_type == page_type.name).cloned().unwrap_or_default();
        watch.lost_fields(page_type, &now, &earlier, &mut drift)?;
        watch.lost_rows(page_type, &now, &earlier, &mut drift)?;
    }
    Ok((coverage, drift))
}

/// An earlier run, with what it found.
struct Earlier {
    run: Run,
    coverage: Vec<TypeCoverage>,
}

impl Earlier {
    fn of(run: Run) -> Option<Earlier> {
        let summary: Summary = serde_json::from_value(run.summary.clone()?).ok()?;
        (!summary.coverage.is_empty()).then_some(Earlier { run, coverage: summary.coverage })
    }

    fn coverage(&self, page_type: &str) -> Option<&TypeCoverage> {
        self.coverage.iter().find(|coverage| coverage.page_type == page_type)
    }
}

struct Watch<'a> {
    data: &'a Data,
    entry: &'a ProjectEntry,
    template: &'a Template,
    reader: PageReader,
    snapshot: Snapshot,
    /// The first record of the run.
    first: u64,
}

impl Watch<'_> {
    /// Hands over what the run read, as far as today's template did, in the order of commits.
    fn each(&self, take: &mut dyn FnMut(u64, PageRows)) -> Result<(), ServiceError> {
        let version = self.template.version();
        let crawl = self.entry.crawl.0;
        for record in self.snapshot.range(&ROWS, (crawl, self.first)..=(crawl, u64::MAX)) {
            let ((_, number), page) = record?;
            if page.stand == Stand::Read && page.template == version {
                take(number, page);
            }
        }
        Ok(())
    }

    fn coverage(&self) -> Result<Vec<TypeCoverage>, ServiceError> {
        let mut types: BTreeMap<String, TypeCoverage> = BTreeMap::new();
        self.each(&mut |_, page| {
            for (place, row) in page.rows.iter().enumerate() {
                let Some(page_type) = self.template.page(&row.page_type) else { continue };
                let coverage = types.entry(row.page_type.clone()).or_default();
                coverage.pages += u64::from(place == 0);
                coverage.rows += 1;
                for (field, value) in page_type.read.iter().zip(&row.values) {
                    let found = self.reader.is_found(&row.page_type, &field.name, value);
                    match coverage.found.get_mut(&field.name) {
                        Some(count) => *count += u64::from(found),
                        None => drop(coverage.found.insert(field.name.clone(), u64::from(found))),
                    }
                }
            }
        })?;
        Ok(types.into_iter().map(|(page_type, coverage)| TypeCoverage { page_type, ..coverage }).collect())
    }

    /// Fields of a page type that are found clearly less often than they were.
    fn lost_fields(
        &self,
        page_type: &model::PageType,
        now: &TypeCoverage,
        earlier: &[Earlier],
        drift: &mut Vec<Drift>,
    ) -> Result<(), ServiceError> {
        let mut suspects = Vec::new();
        for (place, field) in page_type.read.iter().enumerate() {
            let found = now.found.get(&field.name).copied().unwrap_or(0);
            let before = earlier.iter().filter_map(|earlier| {
                let coverage = earlier.coverage(&page_type.name).filter(|coverage| coverage.rows >= FEW)?;
                Some((earlier, coverage.rows, *coverage.found.get(&field.name)?))
            });
            // The best; the latest of equals, as they come latest first.
            let best = before.rev().max_by(|a, b| share(a.2, a.1).total_cmp(&share(b.2, b.1)));
            let Some((earlier, before_rows, before_found)) = best else { continue };
            if now.rows < FEW || !has_fallen((found, now.rows), (before_found, before_rows)) {
                continue;
            }
            suspects.push(Suspect {
                place,
                half: share(before_found, before_rows) / 2.0,
                missed: 0.0,
                since: None,
                samples: Vec::new(),
                earlier,
                before_rows,
                before_found,
                found,
            });
        }
        if suspects.is_empty() {
            return Ok(());
        }
        self.each(&mut |number, page| {
            let rows: Vec<&Row> = page.rows.iter().filter(|row| row.page_type == page_type.name).collect();
            for suspect in suspects.iter_mut().filter(|_| !rows.is_empty()) {
                let name = &page_type.read[suspect.place].name;
                let is_found = |row: &&&Row| {
                    let value = row.values.get(suspect.place);
                    value.is_some_and(|value| self.reader.is_found(&page_type.name, name, value))
                };
                let found = rows.iter().filter(is_found).count();
                suspect.page(number, &page.url, rows.len(), found);
            }
        })?;
        let lost: HashSet<usize> = suspects.iter().map(|suspect| suspect.place).collect();
        for suspect in suspects {
            let Some(since) = suspect.since.filter(|_| suspect.missed >= MISSED) else { continue };
            let field = &page_type.read[suspect.place];
            let state = state_after(&self.snapshot, &suspect.earlier.run)?;
            let known = self.known_values(&state, suspect.place, &lost, &suspect.samples)?;
            drift.push(Drift {
                page_type: page_type.name.clone(),
                field: Some(field.name.clone()),
                rows: now.rows,
                found: suspect.found,
                before_run: suspect.earlier.run.id.0,
                before_rows: suspect.before_rows,
                before_found: suspect.before_found,
                since,
                proposal: self.proposal(&page_type.name, &field.name, &known)?,
            });
        }
        Ok(())
    }

    /// Pages of a type that had rows and were read again without any.
    fn lost_rows(
        &self,
        page_type: &model::PageType,
        now: &TypeCoverage,
        earlier: &[Earlier],
        drift: &mut Vec<Drift>,
    ) -> Result<(), ServiceError> {
        let before = earlier.iter().filter_map(|run| Some((run, run.coverage(&page_type.name)?)));
        let Some((earlier, before)) = before.rev().max_by_key(|(_, coverage)| coverage.pages) else {
            return Ok(());
        };
        let state = state_after(&self.snapshot, &earlier.run)?;
        // Looking at every page of an earlier run is only worth it when there are clearly fewer with rows.
        if now.pages * 10 > before.pages * 9 || !has_rows(&self.snapshot, state.crawl)? {
            return Ok(());
        }
        let crawl = self.entry.crawl;
        let (mut kept, mut lost) = (0, Vec::new());
        let mut met = HashSet::new();
        for record in self.snapshot.range(&ROWS, (state.crawl.0, 0)..(state.crawl.0, state.end)) {
            let (_, page) = record?;
            let key = UrlKey::of(&page.url);
            if page.rows.first().is_none_or(|row| row.page_type != page_type.name) || !met.insert(key) {
                continue;
            }
            let latest = rows::latest(&self.snapshot, crawl, key)?;
            let latest = latest.filter(|(number, _)| *number >= self.first || state.crawl != crawl);
            let visits = self.snapshot.prefix(&VISITS, &page_key(crawl, key));
            let visited = visits.keys().next_back().transpose()?.map(|(.., start)| Timestamp(start));
            let record = self.snapshot.get(&URLS, &page_key(crawl, key))?;
            let was_read = record.is_some_and(|record| record.outcome == Outcome::Fetched);
            match (latest, visited) {
                (Some((_, latest)), _) if !latest.rows.is_empty() => kept += 1,
                (Some((_, latest)), _) if latest.stand == Stand::Read => lost.push((latest.visited, page)),
                // A page without rows leaves no record; in the same crawl it would, as it had some before.
                (None, Some(visited)) if was_read && state.crawl != crawl => lost.push((visited, page)),
                _ => {}
            }
        }
        let all = kept + lost.len() as u64;
        let is_much = kept == 0 || lost.len() >= 3 && lost.len() as u64 * 4 >= all;
        lost.sort_by_key(|(visited, _)| *visited);
        let Some((_, page)) = lost.first().filter(|_| is_much) else { return Ok(()) };
        let alarm = Drift {
            page_type: page_type.name.clone(),
            field: None,
            rows: all,
            found: kept,
            before_run: earlier.run.id.0,
            before_rows: all,
            before_found: all,
            since: page.url.clone(),
            proposal: None,
        };
        if page_type.rows.is_some() {
            drift.push(alarm);
            return Ok(());
        }
        // The page is the row: what was read from it may be found elsewhere on it.
        for (place, field) in page_type.read.iter().enumerate() {
            let samples = lost.iter().take(SAMPLES).filter_map(|(visited, page)| {
                let value = page.rows.first()?.values.get(place).filter(|value| !value.is_empty())?;
                Some(Sample { url: page.url.clone(), visited: *visited, known: vec![(0, value.clone())] })
            });
            let samples: Vec<Sample> = samples.collect();
            let proposal = self.proposal(&page_type.name, &field.name, &samples)?;
            drift.push(Drift { field: Some(field.name.clone()), proposal, ..alarm.clone() });
        }
        Ok(())
    }

    /// The values that a field had in an earlier state, for rows of these records of this run.
    fn known_values(
        &self,
        state: &State,
        place: usize,
        lost: &HashSet<usize>,
        samples: &[u64],
    ) -> Result<Vec<Sample>, ServiceError> {
        let mut pages = Vec::new();
        for number in samples {
            let Some(page) = self.snapshot.get(&ROWS, &(self.entry.crawl.0, *number))? else { continue };
            let former = rows::before(&self.snapshot, state.crawl, UrlKey::of(&page.url), state.end)?;
            let former = former.map(|(_, former)| former.rows).unwrap_or_default();
            let known = page.rows.iter().filter_map(|row| {
                let same = same_row(row, &former, lost)?;
                Some((row.position, same.values.get(place)?.clone()))
            });
            pages.push((known.collect::<Vec<_>>(), page));
        }
        if pages.iter().all(|(known, _)| known.is_empty()) {
            self.find_by_key(state, place, &mut pages)?;
        }
        let samples =
            pages.into_iter().map(|(known, page)| Sample { url: page.url, visited: page.visited, known });
        Ok(samples.filter(|sample| !sample.known.is_empty()).collect())
    }

    /// The same rows may have stood on other pages.
    fn find_by_key(
        &self,
        state: &State,
        place: usize,
        pages: &mut [(Vec<(u32, Value)>, PageRows)],
    ) -> Result<(), ServiceError> {
        let mut wanted: HashMap<RowKey, (usize, u32)> = HashMap::new();
        for (at, (_, page)) in pages.iter().enumerate() {
            wanted.extend(page.rows.iter().map(|row| (row.key, (at, row.position))));
        }
        for record in self.snapshot.range(&ROWS, (state.crawl.0, 0)..(state.crawl.0, state.end)) {
            for row in record?.1.rows {
                if let Some((at, position)) = wanted.remove(&row.key) {
                    pages[at].0.extend(row.values.get(place).map(|value| (position, value.clone())));
                }
            }
            if wanted.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// The selector that finds the known values on most of these stored pages; the shortest of equals.
    fn proposal(
        &self,
        page_type: &str,
        field: &str,
        samples: &[Sample],
    ) -> Result<Option<String>, ServiceError> {
        let archive = ArchiveReader::new(self.data.archive_dir(self.entry.crawl));
        let settings = &self.entry.project.crawl;
        let mut votes: Vec<(String, usize)> = Vec::new();
        for Sample { url, visited, known } in samples {
            let (crawl, host, page) = page_key(self.entry.crawl, UrlKey::of(url));
            let Some(visit) = self.snapshot.get(&VISITS, &(crawl, host, page, visited.0))? else { continue };
            let Some(fetched) = stored::answer(&archive, url, *visited, &visit, settings) else { continue };
            for text in self.reader.proposals(&fetched, page_type, field, known) {
                match votes.iter_mut().find(|(known, _)| *known == text) {
                    Some((_, count)) => *count += 1,
                    None => votes.push((text, 1)),
                }
            }
        }
        let most = votes.iter().map(|(_, count)| *count).max();
        Ok(votes.into_iter().find(|(_, count)| Some(*count) == most).map(|(text, _)| text))
    }
}

/// A stored page with values that its rows ought to have, by the row's place.
struct Sample {
    url: PageUrl,
    visited: Timestamp,
    known: Vec<(u32, Value)>,
}

/// A field that is found less often, while the run's pages are gone through.
struct Suspect<'a> {
    /// Its place among the fields.
    place: usize,
    /// Half the share of rows that had it.
    half: f64,
    /// Values missed since it was last found as usual.
    missed: f64,
    since: Option<PageUrl>,
    /// The last records without it.
    samples: Vec<u64>,
    earlier: &'a Earlier,
    before_rows: u64,
    before_found: u64,
    found: u64,
}

impl Suspect<'_> {
    /// A sum that is never below zero and grows while the field is found less than half as often as it was (CUSUM):
    /// where it began to grow for good, the change is.
    fn page(&mut self, number: u64, url: &PageUrl, rows: usize, found: usize) {
        let missed = self.missed + self.half * rows as f64 - found as f64;
        if missed <= 0.0 {
            (self.missed, self.since) = (0.0, None);
            self.samples.clear();
            return;
        }
        self.missed = missed;
        if found < rows {
            self.since.get_or_insert_with(|| url.clone());
            if self.samples.len() == SAMPLES {
                self.samples.remove(0);
            }
            self.samples.push(number);
        }
    }
}

fn share(found: u64, rows: u64) -> f64 {
    found as f64 / rows.max(1) as f64
}

/// True when a share is clearly lower than it was: by more than chance explains (test of two proportions), and by a
/// twentieth at least.
fn has_fallen((found, rows): (u64, u64), (before_found, before_rows): (u64, u64)) -> bool {
    let (now, before) = (share(found, rows), share(before_found, before_rows));
    let pooled = share(found + before_found, rows + before_rows);
    let deviation = (pooled * (1.0 - pooled) * (1.0 / rows as f64 + 1.0 / before_rows as f64)).sqrt();
    before - now >= 0.05 * before && before - now > SURE * deviation
}

/// The row that this one was: of the same key; else the only one that has the same values in the fields that are
/// still found; else the only one of both.
fn same_row<'a>(row: &Row, former: &'a [Row], lost: &HashSet<usize>) -> Option<&'a Row> {
    let mut same_type = former.iter().filter(|old| old.page_type == row.page_type);
    if let Some(same) = same_type.clone().find(|old| old.key == row.key) {
        return Some(same);
    }
    let alike = |old: &&Row| {
        let pairs = row.values.iter().zip(&old.values).enumerate();
        let mut kept = pairs.filter(|(place, _)| !lost.contains(place)).map(|(_, pair)| pair);
        kept.clone().any(|(new, _)| !new.is_empty()) && kept.all(|(new, old)| new == old)
    };
    let mut alike = same_type.clone().filter(alike);
    match (alike.next(), alike.next()) {
        (Some(only), None) => Some(only),
        _ => same_type.next().filter(|_| former.len() == 1 && row.position == 0),
    }
}

/// For people: one sentence, and what to do.
impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Drift { page_type, field, rows, found, before_run, since, proposal, .. } = self;
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let Some(field) = field else {
            return write!(
                f,
                "{page_type}: {} of {rows} pages that had rows in run {before_run} have none, since {since}; \
                 \"gannet detect {since}\" finds what is there now",
                rows - found
            );
        };
        let (now, before) =
            (percent(share(*found, *rows)), percent(share(self.before_found, self.before_rows)));
        write!(
            f,
            "{page_type}: {field} found in {now} of rows, {before} in run {before_run}; missing since {since}"
        )?;
        match proposal {
            Some(selector) => write!(f, "; \"{selector}\" finds it on stored pages"),
            None => write!(f, "; no selector finds its earlier values on stored pages"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fall_is_told_from_chance() {
        let check = |now: (u64, u64), before: (u64, u64), fallen: bool| {
            assert_eq!(has_fallen(now, before), fallen, "{now:?} after {before:?}");
        };
        check((0, 8), (8, 8), true);
        check((0, 6), (6, 6), true);
        check((3, 6), (6, 6), false);
        check((900, 1_000), (1_000, 1_000), true);
        check((38, 100), (40, 100), false);
        check((0, 100), (10, 100), true);
        check((6, 100), (10, 100), false);
        check((8, 8), (8, 8), false);
        check((9_990, 10_000), (10_000, 10_000), false);
    }

    #[test]
    fn the_change_is_where_finds_stay_away() {
        let earlier = Earlier {
            run: Run {
                id: RunId(1),
                project: catalog::ProjectId(1),
                crawl: model::CrawlId(1),
                state: RunState::Completed,
                reason: None,
                settings: Default::default(),
                started_at: Timestamp(0),
                ended_at: None,
                summary: None,
            },
            coverage: Vec::new(),
        };
        let check = |half: f64, pages: &[(usize, usize)], since: Option<usize>| {
            let mut suspect = Suspect {
                place: 0,
                half,
                missed: 0.0,
                since: None,
                samples: Vec::new(),
                earlier: &earlier,
                before_rows: 0,
                before_found: 0,
                found: 0,
            };
            for (at, (rows, found)) in pages.iter().enumerate() {
                let url = PageUrl::parse(&format!("http://a.test/{at}")).unwrap();
                suspect.page(at as u64, &url, *rows, *found);
            }
            let found = suspect.since.filter(|_| suspect.missed >= MISSED);
            assert_eq!(found.map(|url| url.to_string()), since.map(|at| format!("http://a.test/{at}")));
        };
        check(0.5, &[(8, 8), (8, 8), (8, 0), (8, 0)], Some(2));
        check(0.5, &[(8, 0)], Some(0));
        // A page without it that others follow is no change; nor are few rows.
        check(0.5, &[(8, 8), (8, 0), (8, 8), (8, 8)], None);
        check(0.5, &[(8, 8), (4, 0)], None);
        // A sparse field needs more rows to be missed.
        check(0.1, &[(8, 0), (8, 0)], None);
        check(0.1, &[(8, 4), (8, 0), (8, 0), (8, 0), (8, 0), (8, 0)], Some(1));
    }
}
