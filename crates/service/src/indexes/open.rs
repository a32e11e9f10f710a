//! Indexes that are open, and where their settings and files are.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use catalog::IndexEntry;
use index::{Index, IndexError, Schema, View, Writer, WriterSettings};
use model::{CrawlId, Timestamp};
use search::settings::Column;
use search::{Fields, IndexSettings, Local, RowField};
use text::spell::Vocabulary;
use text::suggest::Suggestions;

use super::dictionary;
use super::kept::{Kept, Origin};
use super::left_out::LeftOut;
use super::phrases::Phrases;
use crate::duplicates::{GroupWord, Groups};
use crate::ranks;
use crate::select::hint;
use crate::stored_ranks::LazyRanks;
use crate::{Data, ServiceError};

/// The indexes that are open, by name.
#[derive(Default)]
pub(crate) struct Indexes(Mutex<HashMap<String, Arc<OpenIndex>>>);

/// An index that is open.
pub(crate) struct OpenIndex {
    pub(crate) name: String,
    pub(crate) settings: IndexSettings,
    dir: PathBuf,
    rows: Vec<RowField>,
    state: Mutex<State>,
    /// One at a time brings it up to date.
    pub(crate) feeding: Mutex<Option<Writer>>,
    ended: AtomicBool,
    /// The ranks of its projects' pages, as they were last computed.
    ranks: Mutex<Arc<LazyRanks>>,
    /// The groups of duplicates among its projects' pages.
    groups: Mutex<Vec<Arc<Groups>>>,
    /// Its projects' pages that are not in it, while it is fed.
    left_out: Mutex<Option<LeftOut>>,
    /// The groups that it leaves pages out for, as far as it has come.
    settled: Mutex<HashMap<CrawlId, Arc<Groups>>>,
    /// Running crawls that keep it up to date.
    followers: AtomicIsize,
    suggestions: Kept<Suggestions>,
    words: Arc<Kept<Vocabulary>>,
}

#[derive(Default)]
struct State {
    index: Option<Index>,
    fields: Option<Arc<Fields>>,
}

/// Queries that are remembered for suggestions, in bytes.
const MOST_QUERIES: u64 = 4 << 20;
const QUERIES: &str = "queries.txt";
/// A remembered query is about so long: so many bytes are one change to what is suggested.
const QUERY_LENGTH: u64 = 16;
const SEGMENTS: &str = "documents";
const WORDS: &str = "words";
const SUGGESTIONS: &str = "suggestions";
const LEFT_OUT: &str = "left-out";

/// Names that become folders.
fn check_name(name: &str) -> Result<(), ServiceError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !name.is_empty() && name.len() <= 64 && !name.starts_with('.') && name.chars().all(plain) {
        return Ok(());
    }
    Err(ServiceError::IndexName(name.to_owned()))
}

/// Makes an index, or gives a known one new settings. What could not be answered is refused here, not at the first search.
pub(super) fn create(
    data: &Data,
    name: &str,
    settings: &IndexSettings,
    projects: &[String],
    now: Timestamp,
) -> Result<Arc<OpenIndex>, ServiceError> {
    check_name(name)?;
    settings.check()?;
    let mut settings = settings.clone();
    settings.projects.extend(projects.iter().cloned());
    if settings.projects.is_empty() {
        settings.projects.push(data.project(None)?.project.name.as_str().to_owned());
    }
    settings.projects.dedup();
    for project in &settings.projects {
        let name = project.parse().map_err(|_| ServiceError::UnknownProject {
            name: project.clone(),
            hint: "\"gannet crawl URL\" makes one".to_owned(),
        })?;
        if let Err(error) = ranks::before_searches(data, &data.project(Some(&name))?, now) {
            tracing::warn!(%error, "no ranks were computed; \"gannet rank\" does it");
        }
    }
    if let Some(name) = &settings.suggestions.dictionary {
        dictionary::read(&dictionary::find(data.dir(), name)?.0)?;
    }
    let rows = row_fields(data, &settings)?;
    settings.check_names(&rows)?;
    Fields::new(&settings, &rows).check_formula(&settings.ranking)?;
    put(data, name, &settings, now)
}

/// Keeps the settings of an index, and its files where they would be the same: what acts at query time leaves what was
/// indexed.
fn put(
    data: &Data,
    name: &str,
    settings: &IndexSettings,
    now: Timestamp,
) -> Result<Arc<OpenIndex>, ServiceError> {
    let text = serde_json::to_string(settings).map_err(|error| ServiceError::Settings(error.to_string()))?;
    let known = data.wait(data.catalog().indexes())?.into_iter().find(|entry| entry.name == name);
    let known = known.and_then(|entry| serde_json::from_str::<IndexSettings>(&entry.settings).ok());
    let rows = row_fields(data, settings)?;
    let same_files = known.is_some_and(|known| settings.has_files_of(&known, &rows));
    data.wait(data.catalog().upsert_index(name, &text, now))?;
    replace(data, name, (!same_files).then(|| dir_of(data, name)).as_deref())?;
    open(data, &IndexEntry { name: name.to_owned(), settings: text, created_at: now })
}

/// An index as kept, opened once.
pub(super) fn open(data: &Data, entry: &IndexEntry) -> Result<Arc<OpenIndex>, ServiceError> {
    let mut open = data.indexes().0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = open.get(&entry.name) {
        known.renew_ranks(data);
        return Ok(Arc::clone(known));
    }
    let settings: IndexSettings =
        serde_json::from_str(&entry.settings).map_err(|error| ServiceError::Settings(error.to_string()))?;
    let rows = row_fields(data, &settings)?;
    let dir = dir_of(data, &entry.name);
    let index = Arc::new(OpenIndex {
        name: entry.name.clone(),
        suggestions: Kept::new(dir.join(SUGGESTIONS)),
        words: Arc::new(Kept::new(dir.join(WORDS))),
        dir,
        settings,
        rows,
        state: Mutex::default(),
        feeding: Mutex::new(None),
        ended: AtomicBool::new(false),
        ranks: Mutex::default(),
        groups: Mutex::default(),
        left_out: Mutex::default(),
        settled: Mutex::default(),
        followers: AtomicIsize::new(0),
    });
    index.renew_ranks(data);
    open.insert(entry.name.clone(), Arc::clone(&index));
    Ok(index)
}

/// The index of a name.
pub(super) fn named(data: &Data, name: &str) -> Result<Arc<OpenIndex>, ServiceError> {
    let entries = data.wait(data.catalog().indexes())?;
    match entries.iter().find(|entry| entry.name == name) {
        Some(entry) => open(data, entry),
        None => {
            let known: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
            Err(ServiceError::UnknownIndex { name: name.to_owned(), hint: hint(name, &known) })
        }
    }
}

/// The index that is meant: of this name, or the one of the project that ran last, which is made if need be. A project's
/// name stands for its index, too.
pub(super) fn chosen(
    data: &Data,
    name: Option<&str>,
    now: Timestamp,
) -> Result<Arc<OpenIndex>, ServiceError> {
    Ok(chosen_instead(data, name, now)?.0)
}

/// The same; with the project whose own index is meant, where another stands in for it.
pub(super) fn chosen_instead(
    data: &Data,
    name: Option<&str>,
    now: Timestamp,
) -> Result<(Arc<OpenIndex>, Option<String>), ServiceError> {
    let entries = data.wait(data.catalog().indexes())?;
    let project = match name {
        Some(name) if entries.iter().any(|entry| entry.name == name) => {
            return Ok((named(data, name)?, None));
        }
        Some(name) => match name.parse().ok().and_then(|name| data.project(Some(&name)).ok()) {
            Some(entry) => entry,
            None => return Ok((named(data, name)?, None)),
        },
        None => data.project(None)?,
    };
    let project = project.project.name.as_str().to_owned();
    // An index of its name, else the first that is over it.
    let of_project = entries.iter().find(|entry| entry.name == project).or_else(|| {
        entries.iter().find(|entry| {
            serde_json::from_str::<IndexSettings>(&entry.settings)
                .is_ok_and(|settings| settings.projects.contains(&project))
        })
    });
    match of_project {
        Some(entry) => Ok((open(data, entry)?, Some(project).filter(|project| *project != entry.name))),
        None => {
            let made =
                create(data, &project, &IndexSettings::default(), std::slice::from_ref(&project), now)?;
            Ok((made, None))
        }
    }
}

/// Makes the index that a project's own file asks for.
pub(crate) fn ensure(data: &Data, project: &model::Project, now: Timestamp) -> Result<(), ServiceError> {
    let Some(value) = &project.index else { return Ok(()) };
    let name = project.name.as_str();
    let mut settings = IndexSettings::of_value(value.clone())?;
    if settings.projects.is_empty() {
        settings.projects.push(name.to_owned());
    }
    let text = serde_json::to_string(&settings).map_err(|error| ServiceError::Settings(error.to_string()))?;
    let known = data.wait(data.catalog().indexes())?;
    if !known.iter().any(|entry| entry.name == name && entry.settings == text) {
        create(data, name, &settings, &[], now)?;
    }
    Ok(())
}

/// Every index over a project.
pub(super) fn over(data: &Data, project: &str) -> Result<Vec<Arc<OpenIndex>>, ServiceError> {
    let mut found = Vec::new();
    for entry in data.wait(data.catalog().indexes())? {
        let index = open(data, &entry)?;
        if index.settings.projects.iter().any(|name| name == project) {
            found.push(index);
        }
    }
    Ok(found)
}

/// Drops the files of an index, so that it is made again.
pub(super) fn rebuild(data: &Data, name: &str) -> Result<Arc<OpenIndex>, ServiceError> {
    let index = named(data, name)?;
    replace(data, name, Some(&index.dir.join(SEGMENTS)))?;
    // With the fields that the rows have now.
    named(data, name)
}

/// Forgets an index and removes its files.
pub(super) fn drop_index(data: &Data, name: &str) -> Result<(), ServiceError> {
    let index = named(data, name)?;
    data.wait(data.catalog().drop_index(name))?;
    replace(data, name, Some(&index.dir))
}

/// A project has another name: indexes over it follow, and its own takes the new name.
pub(crate) fn project_renamed(
    data: &Data,
    before: &model::ProjectName,
    after: &model::ProjectName,
    now: Timestamp,
) -> Result<(), ServiceError> {
    for (name, mut settings) in settings_over(data, before)? {
        for project in settings.projects.iter_mut().filter(|project| *project == before.as_str()) {
            *project = after.to_string();
        }
        let own = name == before.as_str();
        if own {
            forget(data, &name)?;
        }
        put(data, if own { after.as_str() } else { &name }, &settings, now)?;
    }
    Ok(())
}

/// A project is about to go: indexes over nothing else go with it.
pub(crate) fn project_deleted(
    data: &Data,
    project: &model::ProjectName,
    now: Timestamp,
) -> Result<(), ServiceError> {
    for (name, mut settings) in settings_over(data, project)? {
        settings.projects.retain(|name| name != project.as_str());
        if settings.projects.is_empty() {
            forget(data, &name)?;
        } else {
            put(data, &name, &settings, now)?;
        }
    }
    Ok(())
}

/// Whether there is an index over a project.
pub(crate) fn is_over(data: &Data, project: &model::ProjectName) -> Result<bool, ServiceError> {
    Ok(!settings_over(data, project)?.is_empty())
}

/// The indexes over a project, unopened.
fn settings_over(
    data: &Data,
    project: &model::ProjectName,
) -> Result<Vec<(String, IndexSettings)>, ServiceError> {
    let mut found = Vec::new();
    for entry in data.wait(data.catalog().indexes())? {
        let settings: IndexSettings = serde_json::from_str(&entry.settings)
            .map_err(|error| ServiceError::Settings(error.to_string()))?;
        if settings.projects.iter().any(|name| name == project.as_str()) {
            found.push((entry.name, settings));
        }
    }
    Ok(found)
}

fn forget(data: &Data, name: &str) -> Result<(), ServiceError> {
    data.wait(data.catalog().drop_index(name))?;
    replace(data, name, Some(&dir_of(data, name)))
}

/// Closes an index and removes these files of it, so that the next to open it finds none.
fn replace(data: &Data, name: &str, dir: Option<&Path>) -> Result<(), ServiceError> {
    // Nobody opens it meanwhile.
    let mut open = data.indexes().0.lock().unwrap_or_else(PoisonError::into_inner);
    let known = open.remove(name);
    let _ended = known.as_ref().map(|known| known.end());
    dir.map_or(Ok(()), remove_files)
}

fn dir_of(data: &Data, name: &str) -> PathBuf {
    data.dir().join("index").join(name)
}

fn remove_files(dir: &Path) -> Result<(), ServiceError> {
    if dir.exists() {
        std::fs::remove_dir_all(dir).map_err(ServiceError::io("remove", dir))?;
    }
    Ok(())
}

/// The fields of the rows of an index's projects.
fn row_fields(data: &Data, settings: &IndexSettings) -> Result<Vec<RowField>, ServiceError> {
    let mut fields: Vec<RowField> = Vec::new();
    for project in &settings.projects {
        let Some(entry) = project.parse().ok().and_then(|name| data.project(Some(&name)).ok()) else {
            continue;
        };
        for field in row_fields_of(&entry.project) {
            if !fields.iter().any(|known| known.name == field.name) {
                fields.push(field);
            }
        }
    }
    Ok(fields)
}

/// The fields of the rows of a project, as its page types name them.
fn row_fields_of(project: &model::Project) -> impl Iterator<Item = RowField> {
    use model::FieldKind;
    let pages = project.fields.iter().flat_map(|template| &template.pages);
    pages.flat_map(|page| &page.read).map(|field| {
        let column = match field.kind {
            FieldKind::Number | FieldKind::Price => Column::Number,
            FieldKind::Date => Column::Date,
            FieldKind::Text => Column::Facet,
            _ => Column::None,
        };
        RowField { name: field.name.clone(), column, variable: field.variable.clone() }
    })
}

/// Reads the index settings of a project's own file. Names of fields are checked where it is over that project alone.
pub fn index_settings(project: &model::Project) -> Result<Option<IndexSettings>, search::SearchError> {
    let Some(value) = &project.index else { return Ok(None) };
    let settings = IndexSettings::of_value(value.clone())?;
    if settings.projects.iter().all(|name| name == project.name.as_str()) {
        settings.check_names(&row_fields_of(project).collect::<Vec<_>>())?;
    }
    Ok(Some(settings))
}

/// What a search does with a page for the sake of others that say the same.
fn group_of(groups: &[Arc<Groups>], url: &str) -> Option<search::Group> {
    groups.iter().enumerate().find_map(|(project, groups)| {
        let GroupWord { group, others, hidden } = groups.word(url)?;
        Some(search::Group { number: (project as u64) << 32 | group, others, hidden })
    })
}

impl OpenIndex {
    pub(crate) fn feeding(&self) -> MutexGuard<'_, Option<Writer>> {
        self.feeding.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its files, if anything was indexed yet. What cannot be read is removed: it is made again.
    pub(crate) fn index(&self) -> Result<Option<Index>, ServiceError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.index.is_none() {
            match Index::open(&self.dir.join(SEGMENTS)) {
                Ok(index) => {
                    state.fields = Some(Arc::new(self.fields_of(index.schema().clone())));
                    state.index = Some(index);
                }
                Err(IndexError::Missing(_)) => {}
                Err(IndexError::Damaged { .. } | IndexError::Version { .. }) => {
                    remove_files(&self.dir.join(SEGMENTS))?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(state.index.clone())
    }

    /// Makes its files, for texts in the language of these.
    pub(crate) fn make<'t>(&self, sample: impl Iterator<Item = &'t str>) -> Result<Index, ServiceError> {
        let settings = self.settings.clone().in_language_of(sample);
        let fields = Fields::new(&settings, &self.rows);
        let made = Index::create(&self.dir.join(SEGMENTS), fields.schema.clone())?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.fields = Some(Arc::new(self.fields_of(fields.schema)));
        state.index = Some(made.clone());
        Ok(made)
    }

    /// A writer, kept while it is fed.
    pub(crate) fn writer(index: &Index) -> Result<Writer, ServiceError> {
        Ok(index.writer(WriterSettings::default())?)
    }

    pub(crate) fn fields(&self) -> Result<Arc<Fields>, ServiceError> {
        self.index()?;
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(state.fields.clone().unwrap_or_else(|| Arc::new(Fields::new(&self.settings, &self.rows))))
    }

    /// The language its texts are cut in.
    pub(crate) fn language(&self) -> Option<String> {
        let index = self.index().ok()??;
        index.schema().fields.iter().find_map(|field| match &field.kind {
            index::Kind::Text(analysis) => analysis.language.clone(),
            _ => None,
        })
    }

    /// Something to search.
    pub(crate) fn shard(&self) -> Result<Option<Local>, ServiceError> {
        let Some(index) = self.index()? else { return Ok(None) };
        let (view, fields) = (index.view()?, self.fields()?);
        let (kept, q, known) = (Arc::clone(&self.words), self.settings.suggestions.q, Arc::clone(&fields));
        let (origin, looked) = (self.origin(&index, &view)?, view.clone());
        let load = move || {
            let (looked, known) = (looked.clone(), Arc::clone(&known));
            let make = move || Ok(search::vocabulary(&looked, &known, q)?);
            // Without near spellings the rest of the answer stands.
            kept.get(origin, make).inspect_err(|error| tracing::warn!(%error, "no near spellings")).ok()
        };
        let links = self.ranks.lock().unwrap_or_else(PoisonError::into_inner).links();
        let mut shard = Local::new(view, fields, load);
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if groups.iter().any(|groups| !groups.is_empty()) {
            shard = shard.with_groups(Arc::new(move |url| group_of(&groups, url)));
        }
        Ok(Some(shard.with_links(links)))
    }

    /// Its projects' pages that are not in it: to whoever feeds it, who gives them back when all went well.
    pub(super) fn take_left_out(&self) -> LeftOut {
        let known = self.left_out.lock().unwrap_or_else(PoisonError::into_inner).take();
        known.unwrap_or_else(|| LeftOut::read(self.dir.join(LEFT_OUT)))
    }

    pub(super) fn give_back(&self, left_out: LeftOut) {
        *self.left_out.lock().unwrap_or_else(PoisonError::into_inner) = Some(left_out);
    }

    /// True when pages were left out for the sake of these groups already.
    pub(super) fn is_settled(&self, crawl: CrawlId, groups: &Arc<Groups>) -> bool {
        let settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        settled.get(&crawl).is_some_and(|known| Arc::ptr_eq(known, groups))
    }

    pub(super) fn settle(&self, crawl: CrawlId, groups: Option<Arc<Groups>>) {
        let mut settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        match groups {
            Some(groups) => settled.insert(crawl, groups),
            None => settled.remove(&crawl),
        };
    }

    /// Looks whether duplicates have come since.
    pub(super) fn renew_groups(&self, data: &Data) {
        let mut found = Vec::new();
        for name in &self.settings.projects {
            let Some(entry) = name.parse().ok().and_then(|name| data.project(Some(&name)).ok()) else {
                continue;
            };
            // Without them the hits stand side by side.
            match data.search_groups().get(data, &entry) {
                Ok(groups) => found.extend(groups),
                Err(error) => tracing::warn!(%error, "no groups of duplicates"),
            }
        }
        *self.groups.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }

    /// The page that stands for that of a URL among those that say the same.
    pub(super) fn stands_for(&self, url: &str) -> Option<String> {
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        groups.iter().find_map(|groups| groups.chosen(url)).map(str::to_owned)
    }

    /// True of a page that is not searched: another stands for it, or it was given up.
    pub(super) fn leaves_out(&self, url: &str) -> bool {
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        groups.iter().find_map(|groups| groups.word(url)).is_some_and(|word| word.hidden)
    }

    /// Looks whether ranks were computed since; they are read when a formula first asks for one.
    fn renew_ranks(&self, data: &Data) {
        let crawls = self.settings.projects.iter().filter_map(|name| {
            let entry = data.project(Some(&name.parse().ok()?)).ok()?;
            Some(entry.crawl)
        });
        let found = LazyRanks::of_crawls(data, crawls);
        let mut ranks = self.ranks.lock().unwrap_or_else(PoisonError::into_inner);
        if !ranks.is_same(&found) {
            *ranks = Arc::new(found);
        }
    }

    /// Suggestions, made again when the index has changed much.
    pub(crate) fn suggestions(&self, data: &Data) -> Result<Arc<Suggestions>, ServiceError> {
        let view = self.index()?.map(|index| Ok::<_, ServiceError>((index.view()?, index))).transpose()?;
        let mut origin = match &view {
            Some((view, index)) => self.origin(index, view)?,
            None => Origin { settings: self.stamp(&()), entries: 0, changes: 0 },
        };
        let queries = self.dir.join(QUERIES);
        origin.changes += std::fs::metadata(&queries).map_or(0, |file| file.len() / QUERY_LENGTH);
        let mut dictionary = None;
        if let Some(name) = &self.settings.suggestions.dictionary {
            let (path, file) = dictionary::find(data.dir(), name)?;
            origin.settings = self.stamp(&(origin.settings, file.len(), file.modified().ok()));
            dictionary = Some(path);
        }
        let phrases = Phrases {
            view: view.map(|(view, _)| view),
            queries,
            dictionary,
            synonyms: self.settings.suggestions.synonyms,
        };
        self.suggestions.get(origin, move || phrases.suggestions())
    }

    /// What the index is now, for what is made from it.
    fn origin(&self, index: &Index, view: &View) -> Result<Origin, ServiceError> {
        Ok(Origin { settings: self.stamp(&()), entries: view.entries(), changes: index.changes()? })
    }

    /// A number for the settings, and for something beside them. It may differ between builds: then what is kept is made again.
    fn stamp(&self, beside: &impl Hash) -> u64 {
        let IndexSettings { analysis, fields, suggestions, .. } = &self.settings;
        let mut hasher = DefaultHasher::new();
        serde_json::to_string(&(analysis, fields, suggestions)).unwrap_or_default().hash(&mut hasher);
        beside.hash(&mut hasher);
        hasher.finish()
    }

    /// Notes what someone searched for, for suggestions.
    pub(crate) fn remember_query(&self, query: &str) {
        let line: String = query.split_whitespace().collect::<Vec<_>>().join(" ");
        let path = self.dir.join(QUERIES);
        let full = std::fs::metadata(&path).is_ok_and(|file| file.len() > MOST_QUERIES);
        if line.is_empty() || line.len() > 200 || full {
            return;
        }
        // A query that is not noted is suggested later or never: no reason to fail the search.
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
        let _ = file.and_then(|mut file| writeln!(file, "{line}"));
    }

    fn fields_of(&self, schema: Schema) -> Fields {
        let mut fields = Fields::of(schema);
        fields.name_variables(&self.settings, &self.rows);
        fields
    }

    /// Ends the use of its files, which go: whoever still holds it must not write to those of its successor.
    fn end(&self) -> MutexGuard<'_, Option<Writer>> {
        let mut feeding = self.feeding();
        self.ended.store(true, Ordering::Release);
        self.suggestions.end();
        self.words.end();
        *feeding = None;
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::default();
        feeding
    }

    /// One more crawl keeps it up to date, or one less.
    pub(super) fn follow(&self, more: isize) {
        self.followers.fetch_add(more, Ordering::AcqRel);
    }

    /// True while a crawl that runs keeps it up to date.
    pub(super) fn is_followed(&self) -> bool {
        self.followers.load(Ordering::Acquire) > 0
    }

    /// True when another index has come in its place.
    pub(crate) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }
}
