//! A shard: the unit a query is sent to. One answers for a whole index here; many can answer as one, because counts
//! come before scores and equal scores have one order everywhere.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use index::{
    Counts, Demand, DocAddress, Facet, Form, Order, Part, Query as Ask, Request, Scoring, Statistics, Term,
    View,
};

use crate::document::Fields;
use crate::links::Links;
use crate::plan::Words;
use crate::proximity::Proximity;
use crate::settings::Ranking;
use crate::signals::{RankSignals, SignalParts};
use crate::worth::Worth;
use crate::{Document, SearchError};

/// Answers queries over some documents.
pub trait Shard: Words + Send + Sync {
    /// Counts for a query.
    fn statistics(&self, query: &Ask) -> Result<Statistics, SearchError>;
    /// The best documents by all but how close their words stand.
    fn best(&self, order: &ShardOrder<'_>) -> Result<ShardFound, SearchError>;
    /// Adds to documents that it found what their words are worth for standing close to each other.
    fn look_closer(&self, order: &ShardOrder<'_>, found: &mut [Scored]) -> Result<(), SearchError>;
    /// A document that it found.
    fn document(&self, address: DocAddress) -> Result<Document, SearchError>;
    /// Where the document of a name is.
    fn find(&self, id: &str) -> Result<Option<DocAddress>, SearchError>;
    /// Whether a query matches a document.
    fn matches(&self, query: &Ask, address: DocAddress) -> Result<bool, SearchError>;
    /// Where the score of a document that it found comes from.
    fn explain(&self, order: &ShardOrder<'_>, found: &Scored) -> Result<Option<Explained>, SearchError>;
    /// Living documents.
    fn documents(&self) -> u64;
    /// The group of pages that say the same as that of a URL, where it has one.
    fn group(&self, _url: &str) -> Option<Group> {
        None
    }
    /// True where pages may have groups.
    fn has_groups(&self) -> bool {
        false
    }
}

/// What a shard is asked.
#[derive(Clone)]
pub struct ShardOrder<'a> {
    /// For these documents.
    pub query: &'a Ask,
    /// That match these too.
    pub filters: &'a [Ask],
    /// The query's words, for proximity.
    pub words: &'a [Vec<Term>],
    /// With counts over all shards.
    pub statistics: &'a Statistics,
    /// Per field.
    pub scoring: &'a Scoring,
    /// The rest of the ranking.
    pub ranking: &'a Ranking,
    /// Seconds since 1970, for ages.
    pub now: i64,
    /// Sites, URLs or patterns of them whose scores are multiplied, and by what.
    pub demoted: &'a [(String, f64)],
    /// So many.
    pub most: usize,
    /// What comes first.
    pub order: Order,
    /// What is counted.
    pub facets: &'a [Facet],
    /// All matches are counted.
    pub count: bool,
}

/// What a shard found.
#[derive(Clone, Debug, Default)]
pub struct ShardFound {
    /// The best, in order.
    pub best: Vec<Scored>,
    /// All that match.
    pub total: u64,
    /// Those with all words.
    pub with_all: u64,
    /// Counts, in the order asked.
    pub counts: Vec<Counts>,
}

/// A document and its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// Where it is in its shard.
    pub address: DocAddress,
    /// What its words are worth.
    pub words: f64,
    /// What they are worth for standing close to each other.
    pub near: f64,
    /// What it is worth in all.
    pub score: f64,
    /// It has all words.
    pub all: bool,
    /// The value it was ordered by.
    pub value: Option<f64>,
    /// Orders equals.
    pub key: u64,
}

/// Where a score comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// Its words.
    pub words: Part,
    /// Words close to each other.
    pub near: f64,
    /// What comes beside them.
    pub signals: SignalParts,
    /// The score.
    pub score: f64,
}

/// Documents whose words' places are looked at where very many match: the best of all shards by everything else.
const LOOKED_AT: usize = 200;

/// Where no more than these match, the places of all are looked at.
const EXACT: u64 = 10_000;

/// A whole index.
pub struct Local {
    view: View,
    fields: Arc<Fields>,
    vocabulary: OnceLock<Option<Arc<text::spell::Vocabulary>>>,
    load: Box<dyn Fn() -> Option<Arc<text::spell::Vocabulary>> + Send + Sync>,
    links: Option<Arc<Links>>,
    groups: Option<Arc<PageGroups>>,
}

/// The group of a page among those that say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its number.
    pub number: u64,
    /// Its other pages.
    pub others: u64,
    /// The page is not shown: another one of the group is.
    pub hidden: bool,
}

/// The group of a URL; none where no other page says the same.
pub type PageGroups = dyn Fn(&str) -> Option<Group> + Send + Sync;

impl Local {
    /// Answers from a view; the words for near spellings are loaded when they are first needed.
    pub fn new(
        view: View,
        fields: Arc<Fields>,
        vocabulary: impl Fn() -> Option<Arc<text::spell::Vocabulary>> + Send + Sync + 'static,
    ) -> Local {
        Local {
            view,
            fields,
            vocabulary: OnceLock::new(),
            load: Box::new(vocabulary),
            links: None,
            groups: None,
        }
    }

    /// Lets formulas use `pagerank` and `inlinks`.
    #[must_use]
    pub fn with_links(mut self, links: Arc<Links>) -> Local {
        self.links = Some(links);
        self
    }

    /// Shows one page of each group.
    #[must_use]
    pub fn with_groups(mut self, groups: Arc<PageGroups>) -> Local {
        self.groups = Some(groups);
        self
    }

    fn signals(&self, order: &ShardOrder<'_>) -> Result<Option<RankSignals>, SearchError> {
        RankSignals::new(order.ranking, &self.fields, order.now, self.links.clone())
    }

    /// The view.
    pub fn view(&self) -> &View {
        &self.view
    }

    fn vocabulary(&self) -> Option<&Arc<text::spell::Vocabulary>> {
        self.vocabulary.get_or_init(|| (self.load)()).as_ref()
    }
}

impl Words for Local {
    fn analyzer(&self, field: usize) -> Option<&text::Analyzer> {
        self.view.analyzer(field)
    }

    fn with(&self, field: usize, form: Form, text: &str) -> Result<u64, SearchError> {
        Ok(self.view.with(field, form, text)?)
    }

    fn beginning(&self, field: usize, prefix: &str, most: usize) -> Result<Vec<String>, SearchError> {
        Ok(self.view.words(field, Form::Exact, prefix, most)?.into_keys().collect())
    }

    fn near(&self, word: &str, edits: usize) -> Result<Vec<(String, usize, u64)>, SearchError> {
        let Some(vocabulary) = self.vocabulary() else { return Ok(Vec::new()) };
        let near = vocabulary.near(word, edits);
        Ok(near.into_iter().map(|near| (near.word, near.edits, near.df.into())).collect())
    }

    fn correct(&self, word: &str) -> Result<Option<String>, SearchError> {
        let Some(analyzer) = self.analyzer(crate::document::built_in::TEXT) else { return Ok(None) };
        let word = analyzer.exact(word);
        Ok(self.vocabulary().and_then(|vocabulary| vocabulary.correct(&word)).map(|near| near.word))
    }

    fn entries(&self) -> u64 {
        self.view.entries()
    }
}

impl Shard for Local {
    fn group(&self, url: &str) -> Option<Group> {
        self.groups.as_ref().and_then(|groups| groups(url))
    }

    fn has_groups(&self) -> bool {
        self.groups.is_some()
    }

    fn statistics(&self, query: &Ask) -> Result<Statistics, SearchError> {
        Ok(self.view.statistics(query)?)
    }

    fn best(&self, order: &ShardOrder<'_>) -> Result<ShardFound, SearchError> {
        let worth = Worth::new(self.signals(order)?, order.demoted);
        let request = Request {
            query: order.query,
            filters: order.filters,
            statistics: order.statistics,
            scoring: order.scoring,
            most: order.most,
            all_first: order.ranking.all_words_first,
            order: order.order,
            signals: worth.as_ref().map(|worth| worth as &dyn index::Signals),
            facets: order.facets,
            count: order.count,
        };
        let found = self.view.search(&request)?;
        let scored = |candidate: &index::Candidate| Scored {
            address: candidate.address,
            words: candidate.words,
            near: 0.0,
            score: candidate.score,
            all: candidate.all,
            value: candidate.value,
            key: candidate.key,
        };
        let best = found.candidates.iter().map(scored).collect();
        Ok(ShardFound { best, total: found.total, with_all: found.with_all, counts: found.counts })
    }

    fn look_closer(&self, order: &ShardOrder<'_>, found: &mut [Scored]) -> Result<(), SearchError> {
        let Some(proximity) = Proximity::new(order) else { return Ok(()) };
        let addresses: Vec<DocAddress> = found.iter().map(|scored| scored.address).collect();
        for (scored, near) in found.iter_mut().zip(proximity.of(&self.view, &addresses)?) {
            scored.near = near;
            scored.score = scored.words + near;
        }
        if let Some(worth) = Worth::new(self.signals(order)?, order.demoted) {
            let bases: Vec<_> = found.iter().map(|scored| (scored.address, scored.score)).collect();
            let scores = self.view.scores(&bases, &worth)?;
            found.iter_mut().zip(scores).for_each(|(scored, score)| scored.score = score);
        }
        Ok(())
    }

    fn document(&self, address: DocAddress) -> Result<Document, SearchError> {
        Document::read(&self.view.stored(address)?)
    }

    fn find(&self, id: &str) -> Result<Option<DocAddress>, SearchError> {
        Ok(self.view.find(id)?)
    }

    fn matches(&self, query: &Ask, address: DocAddress) -> Result<bool, SearchError> {
        Ok(self.view.matches(query, address)?)
    }

    fn explain(&self, order: &ShardOrder<'_>, found: &Scored) -> Result<Option<Explained>, SearchError> {
        let (address, near) = (found.address, found.near);
        let words = self.view.explain(order.query, order.statistics, order.scoring, address)?;
        let Some(words) = words else { return Ok(None) };
        let base = words.value + near;
        let Some(worth) = Worth::new(self.signals(order)?, order.demoted) else {
            return Ok(Some(Explained { words, near, signals: SignalParts::default(), score: base }));
        };
        let signals = match &worth.signals {
            Some(signals) => signals.parts(&self.view, address, base)?,
            None => SignalParts::default(),
        };
        let score = worth.score(&self.view, address, base)?;
        Ok(Some(Explained { words, near, signals, score }))
    }

    fn documents(&self) -> u64 {
        self.view.entries()
    }
}

/// The best documents of all shards. How close words stand is looked at once the best of all are known, so that several
/// shards answer as one: of all that match, or where very many do of the best by everything else.
pub(crate) fn best_of(
    shards: &[&dyn Shard],
    order: &ShardOrder<'_>,
) -> Result<(Vec<(usize, Scored)>, ShardFound), SearchError> {
    let looked_at = match Proximity::new(order) {
        Some(_) if order.order == Order::Score => {
            match usize::try_from(most_matches(order.query, order.statistics).min(EXACT + 1)) {
                Ok(few) if few as u64 <= EXACT => few,
                _ => LOOKED_AT,
            }
        }
        _ => 0,
    };
    let first = ShardOrder { most: order.most.max(looked_at), ..order.clone() };
    let answers = shards.iter().map(|shard| shard.best(&first)).collect::<Result<Vec<_>, _>>()?;
    let (mut best, found) = merge(answers, &first);
    let looked_at = looked_at.min(best.len());
    for (number, shard) in shards.iter().enumerate() {
        let (places, mut own): (Vec<usize>, Vec<Scored>) = best[..looked_at]
            .iter()
            .enumerate()
            .filter(|(_, (of, _))| *of == number)
            .map(|(place, (_, scored))| (place, *scored))
            .unzip();
        if !own.is_empty() {
            shard.look_closer(order, &mut own)?;
            places.into_iter().zip(own).for_each(|(place, scored)| best[place].1 = scored);
        }
    }
    best[..looked_at].sort_by(|(_, one), (_, other)| compare(one, other, order));
    best.truncate(order.most);
    Ok((best, found))
}

/// No more entries than these can match, by how many have each word.
fn most_matches(query: &Ask, statistics: &Statistics) -> u64 {
    let least = |parts: &mut dyn Iterator<Item = &Ask>| {
        parts.map(|part| most_matches(part, statistics)).min().unwrap_or(statistics.entries)
    };
    let sum = |parts: &mut dyn Iterator<Item = &Ask>| {
        parts.map(|part| most_matches(part, statistics)).fold(0, u64::saturating_add)
    };
    let most = match query {
        Ask::Nothing => 0,
        Ask::Term(term) => statistics.with(term.field, term.form, &term.text),
        Ask::Phrase { words } => {
            let with = words.iter().map(|(_, term)| statistics.with(term.field, term.form, &term.text));
            with.min().unwrap_or(0)
        }
        Ask::Near { left, right, .. } => least(&mut [&**left, &**right].into_iter()),
        Ask::All(parts) => least(&mut parts.iter()),
        Ask::Any(parts) | Ask::Best(parts) | Ask::Odd(parts) => sum(&mut parts.iter()),
        Ask::Loose(parts) => {
            let of = |wanted| parts.iter().filter(move |(demand, _)| *demand == wanted).map(|(_, part)| part);
            let mut may = of(Demand::May).chain(of(Demand::Also)).peekable();
            match (of(Demand::Must).next(), may.peek()) {
                (Some(_), _) => least(&mut of(Demand::Must)),
                (None, Some(_)) => sum(&mut may),
                (None, None) => statistics.entries,
            }
        }
        Ask::Plus(part, _) => most_matches(part, statistics),
        Ask::Everything | Ask::Not(_) | Ask::Silent(_) | Ask::Keyword { .. } | Ask::Between { .. } => {
            statistics.entries
        }
    };
    most.min(statistics.entries)
}

fn compare(one: &Scored, other: &Scored, order: &ShardOrder<'_>) -> Ordering {
    let first = |scored: &Scored| scored.all && order.ranking.all_words_first;
    let by_rank = match order.order {
        Order::Score => first(other).cmp(&first(one)).then(other.score.total_cmp(&one.score)),
        Order::Field { descending, .. } => match (one.value, other.value) {
            (Some(one), Some(other)) if descending => other.total_cmp(&one),
            (Some(one), Some(other)) => one.total_cmp(&other),
            (one, other) => other.is_some().cmp(&one.is_some()),
        },
    };
    by_rank.then(one.key.cmp(&other.key))
}

/// Several shards' answers as one: the best with their shards, and the counts.
fn merge(answers: Vec<ShardFound>, order: &ShardOrder<'_>) -> (Vec<(usize, Scored)>, ShardFound) {
    let mut all = ShardFound::default();
    let mut best = Vec::new();
    for (shard, answer) in answers.into_iter().enumerate() {
        best.extend(answer.best.into_iter().map(|scored| (shard, scored)));
        all.total += answer.total;
        all.with_all += answer.with_all;
        if shard == 0 {
            all.counts = answer.counts;
        } else {
            all.counts.iter_mut().zip(answer.counts).for_each(|(mine, theirs)| mine.add(theirs));
        }
    }
    best.sort_by(|(_, one), (_, other)| compare(one, other, order));
    best.truncate(order.most);
    (best, all)
}
