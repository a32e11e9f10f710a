//! The catalog, through its public door.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::path::Path;

use catalog::{Catalog, CatalogError, RunState, VERSION};
use model::{CrawlId, CrawlSettings, PageUrl, Project, Timestamp};
use serde_json::json;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

const NOW: Timestamp = Timestamp(1_763_196_319_123);

fn project(name: &str) -> Project {
    Project {
        name: name.parse().unwrap(),
        start: vec![PageUrl::parse("http://example.com/").unwrap()],
        crawl: CrawlSettings::default(),
        fields: None,
        index: None,
    }
}

async fn raw(path: &Path, sql: &'static str) {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let pool = SqlitePool::connect_with(options).await.unwrap();
    sqlx::raw_sql(sql).execute(&pool).await.unwrap();
    pool.close().await;
}

#[tokio::test]
async fn a_project_keeps_its_crawl_until_it_starts_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("gannet.db");
    let catalog = Catalog::open(&path).await.unwrap();
    let shop = catalog.upsert_project(&project("shop"), NOW).await.unwrap();
    let blog = catalog.upsert_project(&project("blog"), NOW).await.unwrap();
    assert_eq!((shop.crawl, blog.crawl), (CrawlId(1), CrawlId(2)));

    let mut changed = project("shop");
    changed.crawl.max_depth = 3;
    changed.crawl.exclude = vec!["/private/*".parse().unwrap()];
    changed.crawl.rate = Some("50/s".parse().unwrap());
    let again = catalog.upsert_project(&changed, Timestamp(NOW.0 + 1)).await.unwrap();
    assert_eq!((again.id, again.crawl, again.created_at), (shop.id, shop.crawl, NOW));
    assert_eq!(again.project, changed);

    assert_eq!(catalog.fresh_crawl(shop.id, false).await.unwrap(), CrawlId(3));
    catalog.reserve_crawls(CrawlId(7)).await.unwrap();
    catalog.reserve_crawls(CrawlId(2)).await.unwrap();
    assert_eq!(catalog.fresh_crawl(shop.id, false).await.unwrap(), CrawlId(8));
    catalog.close().await;

    let catalog = Catalog::open(&path).await.unwrap();
    let found = catalog.project_by_name(&"shop".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!((found.crawl, found.project), (CrawlId(8), changed));
    assert!(catalog.project_by_name(&"none".parse().unwrap()).await.unwrap().is_none());
}

#[tokio::test]
async fn only_what_a_project_started_over_from_is_abandoned() {
    let dir = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&dir.path().join("gannet.db")).await.unwrap();
    let shop = catalog.upsert_project(&project("shop"), NOW).await.unwrap();
    assert!(catalog.adopt_crawl(&project("found"), CrawlId(9), NOW).await.unwrap());
    assert!(!catalog.adopt_crawl(&project("shop"), CrawlId(10), NOW).await.unwrap(), "the name is taken");
    assert!(!catalog.adopt_crawl(&project("other"), CrawlId(9), NOW).await.unwrap(), "the crawl is taken");
    assert_eq!(catalog.abandoned_crawls().await.unwrap(), []);
    catalog.fresh_crawl(shop.id, true).await.unwrap();
    let abandoned = catalog::AbandonedCrawl { crawl: shop.crawl, keeps_rows: true, keeps_archive: false };
    assert_eq!(catalog.abandoned_crawls().await.unwrap(), [abandoned]);
    catalog.crawl_dropped(shop.crawl).await.unwrap();
    assert_eq!(catalog.abandoned_crawls().await.unwrap(), []);
    let missing = catalog.fresh_crawl(catalog::ProjectId(99), false).await;
    assert!(matches!(missing, Err(CatalogError::NoProject(99))));
}

#[tokio::test]
async fn an_older_schema_is_migrated_with_its_rows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("gannet.db");
    raw(&path, include_str!("../../migrations/0001_projects_and_runs.sql")).await;
    raw(
        &path,
        r#"PRAGMA application_id = 0x476e6e74; PRAGMA user_version = 1;
        UPDATE sequences SET last = 4;
        INSERT INTO projects (name, crawl, definition, created_at)
        VALUES ('old', 4, '{"name": "old", "start": ["http://example.com/"], "crawl": {"max_depth": 2}}', 5)"#,
    )
    .await;
    let catalog = Catalog::open(&path).await.unwrap();
    let old = catalog.project_by_name(&"old".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!((old.crawl, old.project.crawl.max_depth), (CrawlId(4), 2));
    assert_eq!(catalog.fresh_crawl(old.id, false).await.unwrap(), CrawlId(5));
}

#[tokio::test]
async fn the_project_that_ran_last_comes_first() {
    let dir = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&dir.path().join("gannet.db")).await.unwrap();
    let mut entries = Vec::new();
    for name in ["a", "b", "c"] {
        entries.push(catalog.upsert_project(&project(name), NOW).await.unwrap());
    }
    catalog.begin_run(entries[1].id, &entries[1].project.crawl, NOW).await.unwrap();
    catalog.begin_run(entries[0].id, &entries[0].project.crawl, NOW).await.unwrap();
    let names: Vec<String> =
        catalog.projects().await.unwrap().iter().map(|entry| entry.project.name.to_string()).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[tokio::test]
async fn runs_left_over_from_a_dead_process_are_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("gannet.db");
    let catalog = Catalog::open(&path).await.unwrap();
    let entry = catalog.upsert_project(&project("shop"), NOW).await.unwrap();
    let done = catalog.begin_run(entry.id, &entry.project.crawl, NOW).await.unwrap();
    let summary = json!({ "pages": 12 });
    catalog.end_run(done, RunState::Completed, None, &summary, Timestamp(NOW.0 + 9)).await.unwrap();
    let lost = catalog.begin_run(entry.id, &entry.project.crawl, NOW).await.unwrap();
    let paused = catalog.begin_run(entry.id, &entry.project.crawl, NOW).await.unwrap();
    catalog.set_state(paused, RunState::Paused, Some("disk nearly full")).await.unwrap();
    drop(catalog);

    let catalog = Catalog::open(&path).await.unwrap();
    let runs = catalog.runs_of(entry.id).await.unwrap();
    let told: Vec<_> =
        runs.iter().map(|run| (run.id, run.state, run.reason.as_deref(), run.ended_at)).collect();
    let reason = Some("process ended unexpectedly");
    assert_eq!(
        told,
        [
            (paused, RunState::Stopped, reason, None),
            (lost, RunState::Stopped, reason, None),
            (done, RunState::Completed, None, Some(Timestamp(NOW.0 + 9))),
        ]
    );
    assert_eq!(runs[2].summary, Some(summary));
    assert_eq!(runs[2].settings["max_depth"], 0);
    let missing = catalog.set_state(catalog::RunId(99), RunState::Failed, None).await;
    assert!(matches!(missing, Err(CatalogError::NoRun(99))));
    let missing = catalog.begin_run(catalog::ProjectId(99), &CrawlSettings::default(), NOW).await;
    assert!(matches!(missing, Err(CatalogError::NoProject(99))));
}

#[tokio::test]
async fn what_is_no_catalog_of_ours_is_refused_with_words() {
    let dir = tempfile::tempdir().unwrap();
    let refused = async |name: &str| match Catalog::open(&dir.path().join(name)).await {
        Ok(_) => panic!("{name} was opened"),
        Err(error) => error.to_string().replace(dir.path().to_str().unwrap(), "DIR"),
    };
    std::fs::write(
        dir.path().join("text"),
        "no database at all, but long enough to have a header of its own",
    )
    .unwrap();
    assert_eq!(refused("text").await, "DIR/text is not a catalog of this program");
    raw(&dir.path().join("other"), "CREATE TABLE notes (text TEXT)").await;
    assert_eq!(refused("other").await, "DIR/other is not a catalog of this program");
    assert_eq!(refused("missing/gannet.db").await, "cannot use DIR/missing/gannet.db");

    Catalog::open(&dir.path().join("newer")).await.unwrap().close().await;
    raw(&dir.path().join("newer"), "PRAGMA user_version = 99").await;
    let known = VERSION;
    assert_eq!(
        refused("newer").await,
        format!("DIR/newer has schema 99, this program knows schemas up to {known}; update it")
    );
}

#[tokio::test]
async fn a_run_that_its_process_left_can_be_gone_on_with_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("gannet.db");
    let catalog = Catalog::open(&path).await.unwrap();
    let settings = CrawlSettings::default();
    let mut runs = Vec::new();
    for name in ["running", "held", "done"] {
        let entry = catalog.upsert_project(&project(name), NOW).await.unwrap();
        let limit = (name == "held").then_some(70);
        runs.push(catalog.begin_run_up_to(entry.id, &settings, limit, NOW).await.unwrap());
    }
    catalog.hold_run(runs[1], true).await.unwrap();
    catalog.end_run(runs[2], RunState::Completed, None, &json!({}), NOW).await.unwrap();
    catalog.hold_run(runs[2], true).await.unwrap();
    catalog.close().await;

    let catalog = Catalog::open(&path).await.unwrap();
    let interrupted = catalog.interrupted_runs().await.unwrap();
    let found: Vec<_> = interrupted.iter().map(|left| (left.run.id, left.was, left.page_limit)).collect();
    assert_eq!(found, [(runs[0], RunState::Running, None), (runs[1], RunState::Paused, Some(70))]);
    catalog.continue_run(runs[0]).await.unwrap();
    // Another run of the project takes its place.
    let held = catalog.project_by_name(&"held".parse().unwrap()).await.unwrap().unwrap();
    let next = catalog.begin_run(held.id, &settings, NOW).await.unwrap();
    catalog.end_run(next, RunState::Completed, None, &json!({}), NOW).await.unwrap();
    assert!(catalog.interrupted_runs().await.unwrap().is_empty());
    let live = catalog.runs_before(None, &[RunState::Running, RunState::Paused], 10).await.unwrap();
    assert_eq!(live.iter().map(|run| run.id).collect::<Vec<_>>(), [runs[0]]);
    let older = catalog.runs_before(Some(next), &[], 2).await.unwrap();
    assert_eq!(older.iter().map(|run| run.id).collect::<Vec<_>>(), [runs[2], runs[1]]);
}
