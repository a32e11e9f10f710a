//! Rows of a template, read back by Python's own readers from every format.

use export::{Cell, Csv, FileTarget, JsonRows, SqliteRows, unguard_formula};
use serde_json::{Value, json};

use crate::round_trip::{TITLES, read};

/// Names that trouble a reader: quotes, a comma, a formula, words of SQL, two that differ by case.
const COLUMNS: [&str; 6] = ["title", "Title", "price, \"EUR\"", "=1+1", "select", "tags"];

fn rows() -> Vec<Vec<Cell<'static>>> {
    let row = |title: &'static str| {
        let tags = Cell::List(vec![title.into(), Cell::Empty, Cell::Number(2.0)]);
        vec![title.into(), Cell::Empty, Cell::Number(-12.5), Cell::Flag(true), Cell::Integer(3), tags]
    };
    let mut rows: Vec<_> = TITLES.into_iter().map(row).collect();
    // Shorter than the columns are many: what is missing is empty.
    rows.push(vec![Cell::Empty]);
    rows
}

fn expected_json() -> Vec<Value> {
    let row = |title: &str| {
        json!({ "title": title, "Title": null, "price, \"EUR\"": -12.5, "=1+1": true, "select": 3,
                "tags": [title, null, 2] })
    };
    let mut rows: Vec<_> = TITLES.into_iter().map(row).collect();
    rows.push(json!({ "title": null, "Title": null, "price, \"EUR\"": null, "=1+1": null, "select": null,
                      "tags": null }));
    rows
}

#[test]
fn json_and_json_lines_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rows.json");
    let mut out = JsonRows::array(FileTarget::create(&path, false).unwrap(), &COLUMNS).unwrap();
    rows().iter().for_each(|row| out.push(row).unwrap());
    out.finish().unwrap().commit().unwrap();
    let lines = dir.path().join("rows.jsonl");
    let mut out = JsonRows::lines(FileTarget::create(&lines, false).unwrap(), &COLUMNS);
    rows().iter().for_each(|row| out.push(row).unwrap());
    out.finish().unwrap().commit().unwrap();
    let Some(found) = read("json", &path) else { return };
    assert_eq!(found, expected_json());
    assert_eq!(read("jsonl", &lines).unwrap(), expected_json());
}

#[test]
fn no_rows_are_an_empty_array() {
    let text = JsonRows::array(Vec::new(), &COLUMNS).unwrap().finish().unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&text).unwrap(), json!([]));
}

#[test]
fn csv_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rows.csv");
    let mut out = Csv::new(FileTarget::create(&path, false).unwrap(), &COLUMNS).unwrap();
    rows().iter().for_each(|row| out.push(row).unwrap());
    out.finish().unwrap().commit().unwrap();
    let Some(found) = read("csv", &path) else { return };
    assert_eq!(found.len(), rows().len());
    for (found, row) in found.iter().zip(rows()) {
        let found = found.as_object().unwrap();
        assert_eq!(found.len(), COLUMNS.len());
        for (at, (name, value)) in found.iter().enumerate() {
            assert_eq!(unguard_formula(name), COLUMNS[at]);
            let expected = row.get(at).and_then(Cell::text).unwrap_or_default();
            assert_eq!(unguard_formula(value.as_str().unwrap()), expected, "{name}");
        }
    }
    assert_eq!(found[1]["tags"], "'=HYPERLINK(\"http://evil.example\"); ; 2");
}

#[tokio::test]
async fn sqlite_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rows.sqlite");
    let mut out = SqliteRows::create(&path, false, &COLUMNS).await.unwrap();
    for row in rows() {
        out.push(&row).await.unwrap();
    }
    assert_eq!(out.finish().await.unwrap(), rows().len() as u64);
    let Some(found) = read("sqlite-rows", &path) else { return };
    for (found, expected) in found.iter().zip(expected_json()) {
        let found: Vec<_> = found.as_object().unwrap().iter().collect();
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        // SQLite takes the two titles for one name.
        assert_eq!(names, ["title", "Title_2", "price, \"EUR\"", "=1+1", "select", "tags"]);
        for ((_, found), column) in found.into_iter().zip(COLUMNS) {
            let expected = match &expected[column] {
                Value::Bool(flag) => json!(u8::from(*flag)),
                list @ Value::Array(_) => json!(list.to_string()),
                other => other.clone(),
            };
            assert_eq!(*found, expected, "{column}");
        }
    }
}
