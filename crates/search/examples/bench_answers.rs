//! `cargo xtask bench search [-- ROWS]`, whole answers: made-up rows in an index on disk, searched as a user does. The
//! default ranking with a formula on top: words counted in all fields, near spellings, how close the words stand, hits
//! with their passages, and what was meant.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark ends where it fails, and measures time"
)]

use std::sync::Arc;
use std::time::Instant;

use index::{Index, WriterSettings};
use search::settings::Column;
use search::{Document, DocumentKind, FieldValue, Fields, IndexSettings, Local, RowField, Search, Searcher};
use testkit::made_up::{Dice, percentiles, queries, text, times};

const QUERIES: usize = 200;

fn main() {
    let asked = std::env::args().nth(1);
    if asked.as_deref().is_some_and(|asked| asked.parse::<u64>().is_err()) {
        return;
    }
    let rows: u64 = asked.and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let seed = 20_261_115;
    println!("{rows} rows, {QUERIES} queries, seed {seed}");
    let mut settings = IndexSettings::default();
    settings.analysis.language = Some("en".to_owned());
    let price = RowField { name: "price".to_owned(), column: Column::Number, variable: None };
    let fields = Arc::new(Fields::new(&settings, &[price]));
    let dir = tempfile::tempdir().unwrap();
    let index = Index::create(&dir.path().join("rows"), fields.schema.clone()).unwrap();
    let mut dice = Dice(seed);
    let started = Instant::now();
    let mut writer = index.writer(WriterSettings::default()).unwrap();
    for number in 0..rows {
        writer.add(&fields.entry(&row(&mut dice, number)).unwrap()).unwrap();
    }
    writer.commit("").unwrap();
    writer.close().unwrap();
    println!("indexed in {:.0} s", started.elapsed().as_secs_f64());
    let view = index.view().unwrap();
    println!("{} segments", view.segments());
    let words = Arc::new(search::vocabulary(&view, &fields, settings.suggestions.q).unwrap());
    let shard = Local::new(view, Arc::clone(&fields), move || Some(Arc::clone(&words)));
    let searcher = Searcher { fields: &fields, settings: &settings, shards: &[&shard], now: 0 };
    let queries = queries(&mut Dice(seed + 1), QUERIES);
    let answer = |name: &str, formula: Option<&str>| {
        let mut ranking = settings.ranking.clone();
        ranking.formula = formula.map(str::to_owned);
        let times = times(&queries, |words| {
            let search =
                Search { query: words.join(" "), ranking: Some(ranking.clone()), ..Search::default() };
            searcher.search(&search).unwrap().hits.len()
        });
        percentiles(&format!("answers of {rows} rows, {name}"), times);
    };
    answer("default ranking", None);
    answer("default ranking and a formula", Some("log(1 + price) / 10 + 0.1 * (depth < 3)"));
}

/// A row with a price, on a page of its own.
fn row(dice: &mut Dice, number: u64) -> Document {
    let price = dice.roll(100_000) as f64 / 100.0;
    Document {
        id: format!("row {number}"),
        kind: DocumentKind::Row,
        project: "made-up".to_owned(),
        url: format!("https://shop-{}.test/{number}", number % 997),
        title: text(dice, 5),
        text: text(dice, 60),
        depth: Some((number % 7) as u32),
        fields: vec![("price".to_owned(), FieldValue::Number(price, price.to_string()))],
        ..Document::default()
    }
}
