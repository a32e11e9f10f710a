//! SQLite on the forgetful disk: another engine, with other habits, that is known to keep its word.
//! If it seemed to break it, the disk would be wrong.

use sqlx::{
    ConnectOptions, Connection, Row, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use std::{fs, path::Path};
use testkit::{
    Seed,
    forgetful::{Forget, Recorder},
};

const DIR_VARIABLE: &str = "SQLITE_WRITER_DIR";
const MODE_VARIABLE: &str = "SQLITE_WRITER_MODE";

fn options(dir: &Path) -> SqliteConnectOptions {
    // With a rollback journal FULL is not enough: a commit is the removal of the journal, and only
    // EXTRA syncs the directory after it. The disk here does notice.
    SqliteConnectOptions::new().filename(dir.join("rows.db")).synchronous(SqliteSynchronous::Extra)
}

/// The recorded program: this test binary, called for this test only.
#[test]
#[ignore = "run under the recorder by the tests below"]
fn sqlite_writer() {
    let dir = std::env::var(DIR_VARIABLE).unwrap();
    let mode = match std::env::var(MODE_VARIABLE).unwrap().as_str() {
        "wal" => SqliteJournalMode::Wal,
        _ => SqliteJournalMode::Delete,
    };
    let options = options(Path::new(&dir)).journal_mode(mode).create_if_missing(true);
    block_on(async {
        let mut connection = options.connect().await.unwrap();
        let create = "CREATE TABLE IF NOT EXISTS rows(n INTEGER PRIMARY KEY, text TEXT)";
        sqlx::query(create).execute(&mut connection).await.unwrap();
        for n in 0..60 {
            let mut transaction = connection.begin().await.unwrap();
            for half in 0..2 {
                let insert = sqlx::query("INSERT INTO rows VALUES(?, ?)").bind(2 * n + half);
                insert.bind("x".repeat(3_000)).execute(&mut *transaction).await.unwrap();
            }
            transaction.commit().await.unwrap();
            println!("\nsaid {n}");
        }
        connection.close().await.unwrap();
    });
}

#[test]
fn sqlite_with_a_write_ahead_log_keeps_its_word() {
    check("wal");
}

#[test]
fn sqlite_with_a_rollback_journal_keeps_its_word() {
    check("delete");
}

fn check(mode: &str) {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::build();
    let session = recorder.session(folder.path());
    let mut program = session.command(std::env::current_exe().unwrap());
    program.args(["--ignored", "--nocapture", "--exact", "sqlite_after_power_cuts::sqlite_writer"]);
    let output = program.env(DIR_VARIABLE, folder.path()).env(MODE_VARIABLE, mode).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let recording = session.finish();

    let mut seed = Seed::from_env();
    let mut disk = recording.replay();
    for cut in recording.cuts(60, &mut seed) {
        disk.advance_to(cut);
        for forget in [Forget::AllUnsynced, Forget::Some(seed.fork())] {
            let what = format!("{mode}, cut {cut}, {forget:?}");
            let image = tempfile::tempdir().unwrap();
            disk.image(forget, image.path());
            let said = disk.said();
            let last = said.lines().rev().find_map(|line| line.strip_prefix("said "));
            let promised = last.map_or(0, |n| n.parse::<i64>().unwrap() + 1);
            let rows = rows(image.path(), &what);
            assert!(rows >= 2 * promised, "{what}: {promised} were promised, {rows} rows are there");
            assert!(rows % 2 == 0, "{what}: half a transaction");
        }
    }
    disk.advance_to(recording.events().len());
    let image = tempfile::tempdir().unwrap();
    disk.image(Forget::Nothing, image.path());
    let read = |dir: &Path| fs::read(dir.join("rows.db")).unwrap();
    assert!(read(folder.path()) == read(image.path()), "the file is not what the log says");
}

/// How many rows an image has; none before the table was made.
fn rows(image: &Path, what: &str) -> i64 {
    block_on(async {
        let options = options(image).create_if_missing(true);
        let open = options.connect().await;
        let mut connection: SqliteConnection = open.unwrap_or_else(|error| panic!("{what}: {error}"));
        let mut ask = async |query| -> i64 {
            let row = sqlx::query(query).fetch_one(&mut connection).await;
            row.unwrap_or_else(|error| panic!("{what}: {error}")).get(0)
        };
        assert_eq!(ask("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'").await, 0);
        match ask("SELECT count(*) FROM sqlite_schema WHERE name = 'rows'").await {
            0 => 0,
            _ => ask("SELECT count(*) FROM rows").await,
        }
    })
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(future)
}
