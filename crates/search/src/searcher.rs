//! A search from the typed words to the hits that are shown.

use std::collections::{HashMap, HashSet};

use index::{Order, Scoring};

use crate::SearchError;
use crate::answer::{Answer, Hit, LeftOut, Search};
use crate::document::{Document, DocumentKind, Fields, built_in};
use crate::explain::explanation;
use crate::plan::{Plan, plan};
use crate::query::{self, Options};
use crate::rules::Rules;
use crate::settings::{IndexSettings, Ranking};
use crate::shard::{Shard, ShardOrder, best_of};
use crate::snippet::{Marked, mark, passages};
use crate::spelling::AllWords;

/// The hits of a page, unless said.
const PAGE: usize = 10;

/// The most hits of a page.
pub const LARGEST_PAGE: usize = 1_000;

/// Hits farther back than this cannot be paged to.
pub const DEEPEST: usize = 10_000;

/// Hits looked at for those that rules and sites leave.
const MOST_LOOKED_AT: usize = 10 * DEEPEST;

/// An index that can be searched.
pub struct Searcher<'a> {
    /// What its fields mean.
    pub fields: &'a Fields,
    /// How it ranks.
    pub settings: &'a IndexSettings,
    /// Where its documents are.
    pub shards: &'a [&'a dyn Shard],
    /// Seconds since 1970.
    pub now: i64,
}

impl Searcher<'_> {
    /// Searches.
    pub fn search(&self, search: &Search) -> Result<Answer, SearchError> {
        if let Some(limit) = search.limit.filter(|limit| !(1..=LARGEST_PAGE).contains(limit)) {
            return Err(SearchError::Setting(format!(
                "limit is {limit}: it must be from 1 to {LARGEST_PAGE}"
            )));
        }
        self.search_among(search, 10)
    }

    /// Searches among so many times the hits that are shown, where some of them may be left out.
    fn search_among(&self, search: &Search, spare: usize) -> Result<Answer, SearchError> {
        let ranking = self.ranking(search)?;
        let plan = match &search.like {
            Some(url) => self.like(url)?,
            None => self.plan(&search.query, &ranking)?,
        };
        let limit = search.limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE);
        let offset = search.cursor.as_deref().map_or(Ok(0), |cursor| read_cursor(cursor, search))?;
        let order = self.order(search.sort.as_deref())?;
        let rules = Rules::new(&ranking, &search.query);
        let is_counted = |name: &&String| !search.known_facets || self.fields.columns.contains_key(*name);
        let counted: Vec<String> = search.facets.iter().filter(is_counted).cloned().collect();
        let facets = self.facets(&counted)?;
        let scoring = self.scoring(&ranking);
        let mut filters = plan.filters.clone();
        filters.extend(rules.filters());
        filters.extend(self.conditions(&search.filters, &ranking)?);
        let statistics = self.statistics(&plan)?;
        // Sites are grouped and hits blocked after the best are known, so more are asked for.
        let has_groups = self.shards.iter().any(|shard| shard.has_groups());
        let needs_look = rules.looks_at_urls() || ranking.per_site > 0 || has_groups;
        let spare = if needs_look { spare } else { 1 };
        let mut most = ((offset + limit + 1) * spare).min(MOST_LOOKED_AT);
        if ranking.cut > 0.0 {
            // The best score may stand behind hits with all words, and what is cut among them.
            most = MOST_LOOKED_AT;
        }
        let demoted = rules.demoted();
        let order = ShardOrder {
            query: &plan.query,
            filters: &filters,
            words: &plan.words,
            statistics: &statistics,
            scoring: &scoring,
            ranking: &ranking,
            now: self.now,
            demoted: &demoted,
            most,
            order,
            facets: &facets,
            count: true,
        };
        let (mut best, found) = best_of(self.shards, &order)?;
        let mut left_out = LeftOut::default();
        if ranking.cut > 0.0
            && order.order == Order::Score
            && let Some(top) = best.iter().map(|(_, scored)| scored.score).max_by(f64::total_cmp)
            // There is no share of nothing.
            && top > 0.0
        {
            let before = best.len();
            best.retain(|(_, scored)| scored.score >= top * ranking.cut);
            left_out.cut = (before - best.len()) as u64;
        }
        let more = best.len() == most && most < MOST_LOOKED_AT;
        let mut answer = Answer {
            total: found.total,
            with_all_words: found.with_all,
            facets: self.counts(&counted, found.counts),
            also: plan.spread.clone().into_iter().collect(),
            unknown: plan.unknown.iter().cloned().collect(),
            ignored: plan.ignored.clone(),
            ..Answer::default()
        };
        let mut per_site: HashMap<String, usize> = HashMap::new();
        let mut groups: HashSet<u64> = HashSet::new();
        let mut kept = 0;
        let mut pinned = Vec::new();
        for hit in self.pinned(&rules, &plan, &order)? {
            kept += 1;
            pinned.push(hit.id.clone());
            if kept > offset && answer.hits.len() < limit {
                answer.hits.push(hit);
            }
        }
        for (shard, scored) in best {
            if kept > offset + limit {
                break;
            }
            let wanted = kept >= offset && answer.hits.len() < limit;
            let mut document = None;
            if needs_look || wanted {
                document = Some(self.shards[shard].document(scored.address)?);
            }
            if let Some(document) = &document {
                if pinned.contains(&document.id) {
                    continue;
                }
                if rules.blocks(&document.url) {
                    left_out.blocked += 1;
                    continue;
                }
                if is_page(document)
                    && let Some(group) = self.shards[shard].group(&document.url)
                    && (group.hidden || !groups.insert(group.number))
                {
                    left_out.duplicates += 1;
                    continue;
                }
                if ranking.per_site > 0 {
                    let seen = per_site.entry(document.host().to_owned()).or_default();
                    *seen += 1;
                    if *seen > ranking.per_site {
                        if let Some(earlier) =
                            answer.hits.iter_mut().rfind(|hit| same_host(&hit.url, &document.url))
                        {
                            earlier.more_of_site = true;
                        }
                        left_out.same_site += 1;
                        continue;
                    }
                }
            }
            kept += 1;
            if let Some(document) = document.filter(|_| kept > offset && answer.hits.len() < limit) {
                let mut hit = self.hit(&document, &plan, scored.score, scored.all);
                let group = Some(&document).filter(|document| is_page(document));
                let group = group.and_then(|document| self.shards[shard].group(&document.url));
                hit.near_duplicates = group.map_or(0, |group| group.others);
                if search.explain {
                    let explained = self.shards[shard].explain(&order, &scored)?;
                    let factor = rules.factor(&document.url);
                    hit.explanation = explained.map(|explained| explanation(&explained, &ranking, factor));
                }
                answer.hits.push(hit);
            }
        }
        if kept <= offset + limit && more && needs_look {
            return self.search_among(search, spare * 10);
        }
        for (number, hit) in answer.hits.iter_mut().enumerate() {
            hit.place = offset + number + 1;
        }
        if kept > offset + limit && offset + limit < DEEPEST {
            answer.next = Some(cursor_at(offset + limit, search));
        }
        answer.left_out = left_out;
        answer.did_you_mean = self.did_you_mean(&search.query, &ranking)?;
        Ok(answer)
    }

    /// The best documents by what `name` calls them, without anything else: for evaluation. Nothing is cut, grouped
    /// or pinned.
    pub fn ranking_of(
        &self,
        text: &str,
        ranking: &Ranking,
        most: usize,
        name: fn(Document) -> String,
    ) -> Result<Vec<String>, SearchError> {
        let plan = self.plan(text, ranking)?;
        let statistics = self.statistics(&plan)?;
        let scoring = self.scoring(ranking);
        let order = ShardOrder {
            query: &plan.query,
            filters: &plan.filters,
            words: &plan.words,
            statistics: &statistics,
            scoring: &scoring,
            ranking,
            now: self.now,
            demoted: &[],
            most,
            order: Order::Score,
            facets: &[],
            count: false,
        };
        let (best, _) = best_of(self.shards, &order)?;
        let named =
            best.into_iter().map(|(shard, scored)| Ok(name(self.shards[shard].document(scored.address)?)));
        named.collect()
    }

    /// The ranking in force: that of the search, else the index's own, with the fields' weights.
    pub fn ranking(&self, search: &Search) -> Result<Ranking, SearchError> {
        let own = &self.settings.ranking;
        let mut ranking = search.ranking.clone().unwrap_or_else(|| own.clone());
        ranking.check()?;
        // Names that came with the settings were checked with them; an index without files may still get their fields.
        if search.ranking.is_some() && self.shards.iter().any(|shard| shard.documents() > 0) {
            let mut new = ranking.clone();
            new.weights.retain(|name, _| !own.weights.contains_key(name));
            new.fields.retain(|name, _| !own.fields.contains_key(name));
            self.fields.check_names(&new)?;
        }
        for (name, field) in &self.settings.fields {
            if let Some(weight) = field.weight {
                ranking.weights.entry(name.clone()).or_insert(weight);
            }
            if field.k.is_some() || field.b.is_some() {
                let said = ranking.fields.entry(name.clone()).or_default();
                (said.k, said.b) = (said.k.or(field.k), said.b.or(field.b));
            }
        }
        self.fields.check_formula(&ranking)?;
        Ok(ranking)
    }

    /// What the index is asked for a typed query.
    pub fn plan(&self, text: &str, ranking: &Ranking) -> Result<Plan, SearchError> {
        let parsed = query::parse(text, &self.options(ranking))?;
        plan(&parsed, self.fields, ranking, &AllWords(self.shards))
    }

    /// How a query of this index is read.
    pub(crate) fn options(&self, ranking: &Ranking) -> Options {
        Options {
            fields: self.fields.texts.keys().chain(self.fields.columns.keys()).cloned().collect(),
            lower_case_operators: ranking.lower_case_operators,
        }
    }

    /// What must hold beside a query. Each condition is read by itself, so that none changes what another means.
    fn conditions(&self, filters: &[String], ranking: &Ranking) -> Result<Vec<index::Query>, SearchError> {
        let mut conditions = Vec::new();
        for filter in filters.iter().filter(|filter| !filter.trim().is_empty()) {
            let plan = self.plan(filter, ranking).map_err(|error| match error {
                SearchError::Query(error) => SearchError::Setting(format!("filter {filter:?}, {error}")),
                other => other,
            })?;
            conditions.extend(plan.filters);
            conditions.extend(Some(plan.query).filter(|query| *query != index::Query::Everything));
        }
        Ok(conditions)
    }

    /// Counts over all shards.
    pub fn statistics(&self, plan: &Plan) -> Result<index::Statistics, SearchError> {
        let mut all = index::Statistics::default();
        for shard in self.shards {
            all.add(&shard.statistics(&plan.query)?);
        }
        Ok(all)
    }

    /// The numbers of each field.
    pub fn scoring(&self, ranking: &Ranking) -> Scoring {
        let mut scoring = Scoring::even(self.fields.schema.fields.len(), ranking.k, ranking.b, ranking.idf);
        for (name, number) in &self.fields.texts {
            let weight = ranking.weights.get(name).copied();
            scoring.weight[*number] = weight.unwrap_or_else(|| default_weight(*number));
            let said = ranking.fields.get(name);
            if let Some(k) = said.and_then(|field| field.k) {
                scoring.k[*number] = k;
            }
            if let Some(b) = said.and_then(|field| field.b) {
                scoring.b[*number] = b;
            }
        }
        scoring
    }

    fn order(&self, sort: Option<&str>) -> Result<Order, SearchError> {
        let Some(sort) = sort.map(str::trim).filter(|sort| !sort.is_empty()) else { return Ok(Order::Score) };
        let (name, descending) = sort.strip_prefix('-').map_or((sort, false), |name| (name, true));
        let column = self.fields.columns.get(name).copied().filter(|column| {
            matches!(self.fields.schema.fields[*column].kind, index::Kind::Number | index::Kind::Date)
        });
        if let Some(field) = column {
            return Ok(Order::Field { field, descending });
        }
        let known: Vec<&str> = self
            .fields
            .columns()
            .filter(|(_, kind)| matches!(kind, index::Kind::Number | index::Kind::Date))
            .map(|(name, _)| name)
            .collect();
        Err(SearchError::Setting(format!(
            "cannot sort by {name}: the index has no such number or date; it has {}",
            known.join(", ")
        )))
    }

    fn hit(&self, document: &Document, plan: &Plan, score: f64, all: bool) -> Hit {
        let analyzer = |field| self.shards.first().and_then(|shard| shard.analyzer(field));
        let title = match analyzer(built_in::TITLE) {
            Some(analyzer) => mark(&document.title, analyzer, &plan.marks),
            None => Marked::plain(&document.title),
        };
        let passages = analyzer(built_in::TEXT)
            .map(|analyzer| passages(&document.text, analyzer, &plan.marks))
            .unwrap_or_default();
        Hit {
            place: 0,
            id: document.id.clone(),
            score,
            all_words: all,
            url: document.url.clone(),
            title,
            author: document.author.clone(),
            date: document.date,
            image: document.image.clone(),
            passages,
            fields: document.fields.clone(),
            pinned: false,
            more_of_site: false,
            near_duplicates: 0,
            explanation: None,
        }
    }

    /// Pinned documents that exist, whether they match or not.
    fn pinned(
        &self,
        rules: &Rules<'_>,
        plan: &Plan,
        order: &ShardOrder<'_>,
    ) -> Result<Vec<Hit>, SearchError> {
        let mut hits = Vec::new();
        for url in rules.pinned() {
            let page = index::Query::Keyword { field: built_in::KIND, value: "page".into() };
            // The page itself; a row that leads there where pages are not indexed.
            let looks = [index::Query::All(vec![page, rules.page(url)]), rules.page(url)];
            'looks: for query in &looks {
                for shard in self.shards {
                    let looked =
                        ShardOrder { query, filters: &[], words: &[], most: 1, facets: &[], ..order.clone() };
                    if let Some(scored) = shard.best(&looked)?.best.first() {
                        let mut hit = self.hit(&shard.document(scored.address)?, plan, 0.0, false);
                        hit.pinned = true;
                        hits.push(hit);
                        break 'looks;
                    }
                }
            }
        }
        Ok(hits)
    }
}

/// What a field counts unless something is said.
fn default_weight(field: usize) -> f64 {
    match field {
        // Its words count as text already.
        built_in::TITLE => 0.3,
        built_in::URL => 0.3,
        built_in::ANCHOR => 0.5,
        _ => 1.0,
    }
}

/// Rows have no duplicates: those of one page differ though it is one page.
fn is_page(document: &Document) -> bool {
    document.kind == DocumentKind::Page
}

fn same_host(one: &str, other: &str) -> bool {
    crate::document::host_of(one) == crate::document::host_of(other)
}

/// The cursor of the page that begins after so many hits, bound to what is searched for and in which order.
pub fn cursor_at(offset: usize, search: &Search) -> String {
    format!("{offset:x}.{:08x}", mark_of(search))
}

fn read_cursor(cursor: &str, search: &Search) -> Result<usize, SearchError> {
    let (offset, mark) = cursor.split_once('.').ok_or(SearchError::Cursor)?;
    let offset = usize::from_str_radix(offset, 16).map_err(|_| SearchError::Cursor)?;
    let same = u32::from_str_radix(mark, 16).is_ok_and(|mark| mark == mark_of(search));
    if same && offset <= DEEPEST { Ok(offset) } else { Err(SearchError::Cursor) }
}

/// FNV-1a: tells queries apart, nothing more.
fn mark_of(search: &Search) -> u32 {
    let ranking = search.ranking.as_ref().and_then(|ranking| serde_json::to_string(ranking).ok());
    let parts = [&search.like, &search.sort, &ranking].map(|part| part.as_deref().unwrap_or_default());
    let parts = parts.into_iter().chain(search.filters.iter().map(String::as_str));
    let bytes = search.query.bytes().chain(parts.flat_map(|part| std::iter::once(b'\n').chain(part.bytes())));
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
