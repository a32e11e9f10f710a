//! `cargo xtask bench search [-- ROWS]`: documentation pages and made-up rows, indexed and searched by us and by the plain
//! library; then suggestions. `-- suggestions` or `-- pages` is that part alone.
//!
//! Two plain indexes stand beside ours: one with a column of words per text, and one with as many columns as ours (words
//! and stems). Neither has a language, so that all cut the same words.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark ends where it fails, and measures time"
)]

mod documents;
mod suggestions;

use std::path::Path;
use std::time::Instant;

use index::{
    Change, Entry, FieldSpec, Form, Idf, Index, IndexError, Kind, Order, Query, Request, Schema, Scoring,
    Segment, Signals, Term, Value, WriterSettings,
};
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, STORED, STRING, TEXT};
use testkit::made_up::{Dice, percentiles, queries, text, times};
use text::Analysis;

const QUERIES: usize = 200;
const BUDGET: usize = 64 << 20;

fn main() {
    let asked = std::env::args().nth(1);
    let seed = 20_261_115;
    if asked.as_deref() == Some("suggestions") {
        return suggestions::run(seed);
    }
    documents();
    if asked.as_deref() == Some("pages") {
        return;
    }
    let rows: u64 = asked.and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    println!("{rows} rows, {QUERIES} queries, seed {seed}");
    let corpus: Vec<(String, String)> = {
        let mut dice = Dice(seed);
        (0..rows).map(|_| (text(&mut dice, 5), text(&mut dice, 60))).collect()
    };
    let queries = queries(&mut Dice(seed + 1), QUERIES);
    compare("rows", &corpus, &queries);
    drop(corpus);
    suggestions::run(seed);
}

/// Documentation pages, if there are some.
fn documents() {
    let Some(folder) = std::env::var_os("GANNET_BENCH_DOCUMENTS") else {
        println!("no pages indexed: GANNET_BENCH_DOCUMENTS names no folder of them");
        return;
    };
    let corpus = documents::read(Path::new(&folder));
    println!("{} pages", corpus.len());
    if corpus.is_empty() {
        return;
    }
    // Words as they come on pages: the common ones often.
    let mut dice = Dice(7);
    let mut word = || {
        loop {
            let (_, text) = &corpus[dice.roll(corpus.len() as u64) as usize];
            let words: Vec<&str> = text.split_whitespace().collect();
            let word = words.get(dice.roll(words.len() as u64) as usize).copied().unwrap_or_default();
            if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
                return word.to_lowercase();
            }
        }
    };
    let queries: Vec<Vec<String>> =
        (0..QUERIES).map(|number| (0..1 + number % 4).map(|_| word()).collect()).collect();
    compare("pages", &corpus, &queries);
}

/// Indexes and searches titles and texts, each of the plain indexes and then ours.
fn compare(what: &str, corpus: &[(String, String)], queries: &[Vec<String>]) {
    let dir = tempfile::tempdir().unwrap();
    let bytes: usize = corpus.iter().map(|(title, text)| title.len() + text.len()).sum();
    println!("{:.0} MB of text", bytes as f64 / 1e6);
    let (plain, plain_size) = plain(&dir.path().join("plain"), what, corpus, false);
    let (alike, alike_size) = self::plain(&dir.path().join("alike"), what, corpus, true);
    drop(alike);
    let ours = ours(&dir.path().join("ours"), what, corpus);
    println!("measure: size of {what}, plain = {:.1} MB", plain_size as f64 / 1e6);
    println!("measure: size of {what}, plain with our columns = {:.1} MB", alike_size as f64 / 1e6);
    println!("measure: size of {what}, ours = {:.1} MB", ours.bytes() as f64 / 1e6);
    search_plain(&plain, what, queries);
    search_ours(&ours, what, queries);
}

fn took(what: &str, name: &str, rows: usize, started: Instant) {
    println!(
        "measure: indexing {what}, {name} = {:.0} {what}/s",
        rows as f64 / started.elapsed().as_secs_f64()
    );
}

fn plain(dir: &Path, what: &str, corpus: &[(String, String)], alike: bool) -> (tantivy::Index, u64) {
    std::fs::create_dir_all(dir).unwrap();
    let mut schema = tantivy::schema::Schema::builder();
    let id = schema.add_text_field("id", STRING);
    let stored = schema.add_bytes_field("doc", STORED);
    let columns: Vec<Field> = ["title", "text", "title_words", "text_words"]
        .iter()
        .take(if alike { 4 } else { 2 })
        .map(|name| schema.add_text_field(name, TEXT))
        .collect();
    let index = tantivy::Index::create_in_dir(dir, schema.build()).unwrap();
    let started = Instant::now();
    let mut writer = index.writer_with_num_threads::<tantivy::TantivyDocument>(1, BUDGET).unwrap();
    for (number, (title, text)) in corpus.iter().enumerate() {
        let mut document = tantivy::TantivyDocument::new();
        document.add_text(id, number.to_string());
        document.add_bytes(stored, text.as_bytes());
        for (at, column) in columns.iter().enumerate() {
            document.add_text(*column, if at % 2 == 0 { title } else { text });
        }
        writer.add_document(document).unwrap();
    }
    writer.commit().unwrap();
    writer.wait_merging_threads().unwrap();
    took(what, if alike { "plain with our columns" } else { "plain" }, corpus.len(), started);
    let size = std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    (index, size)
}

fn ours(dir: &Path, what: &str, corpus: &[(String, String)]) -> Index {
    let analysis = Analysis { language: None, stem: false, ..Analysis::default() };
    let field = |name: &str, kind| FieldSpec { name: name.to_owned(), kind };
    let schema = Schema {
        fields: vec![
            field("title", Kind::Text(analysis.clone())),
            field("text", Kind::Text(analysis)),
            field("size", Kind::Number),
        ],
    };
    let index = Index::create(dir, schema).unwrap();
    let started = Instant::now();
    let mut writer = index.writer(WriterSettings { threads: 1, bytes_per_thread: BUDGET }).unwrap();
    for (number, (title, text)) in corpus.iter().enumerate() {
        let values = vec![
            (0, Value::Text(title.clone())),
            (1, Value::Text(text.clone())),
            (2, Value::Number(number as f64)),
        ];
        let entry = Entry { id: number.to_string(), values, stored: text.as_bytes().to_vec() };
        writer.add(&entry).unwrap();
    }
    writer.commit("").unwrap();
    writer.close().unwrap();
    took(what, "ours", corpus.len(), started);
    index
}

fn search_plain(index: &tantivy::Index, what: &str, queries: &[Vec<String>]) {
    let searcher = index.reader().unwrap().searcher();
    println!("plain: {} segments", searcher.segment_readers().len());
    let text = index.schema().get_field("text").unwrap();
    let times = times(queries, |words| {
        let term = |word: &String| {
            let term = tantivy::Term::from_field_text(text, word);
            let query: Box<dyn tantivy::query::Query> =
                Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
            (Occur::Should, query)
        };
        let query = BooleanQuery::new(words.iter().map(term).collect());
        searcher.search(&query, &TopDocs::with_limit(10).order_by_score()).unwrap().len()
    });
    percentiles(&format!("top 10 of {what}, plain at its own k and b"), times);
}

fn search_ours(index: &Index, what: &str, queries: &[Vec<String>]) {
    let view = index.view().unwrap();
    println!("ours: {} segments", view.segments());
    let scoring = Scoring::even(3, 0.9, 0.4, Idf::Standard);
    let search = |words: &[String], count: bool, signals: Option<&dyn Signals>, all_first: bool| {
        let term =
            |word: &String| Query::Term(Term { field: 1, form: Form::Term, text: word.clone(), boost: 1.0 });
        let parts = words.iter().map(|word| (index::Demand::May, term(word))).collect();
        let query = Query::Loose(parts);
        let statistics = view.statistics(&query).unwrap();
        let request = Request {
            query: &query,
            filters: &[],
            statistics: &statistics,
            scoring: &scoring,
            most: 10,
            all_first,
            order: Order::Score,
            signals,
            facets: &[],
            count,
        };
        view.search(&request).unwrap().candidates.len()
    };
    let custom = times(queries, |words| search(words, false, None, false));
    percentiles(&format!("top 10 of {what}, ours at k 0.9, b 0.4"), custom);
    let counted = times(queries, |words| search(words, true, None, false));
    percentiles(&format!("top 10 of {what} and a count, ours"), counted);
    let formula = times(queries, |words| search(words, true, Some(&Log), true));
    percentiles(&format!("top 10 of {what} by a formula, all words first, ours"), formula);
}

/// What `log(1 + size)` adds.
struct Log;

impl Signals for Log {
    fn segment<'s>(&'s self, segment: &Segment<'s>) -> Result<Change<'s>, IndexError> {
        let sizes = segment.numbers(2)?;
        let more = move |doc| sizes.first(doc).map_or(0.0, |size| (1.0 + size).ln());
        Ok(Box::new(move |docs, scores| {
            scores.iter_mut().zip(docs).for_each(|(score, doc)| *score += more(*doc));
        }))
    }
}
