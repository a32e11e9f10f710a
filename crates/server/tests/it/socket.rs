//! The socket: asked while others commit, by whoever may, and after a death.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use frontier::{Frontier, Offer};
use kv::Durability;
use model::{CrawlSettings, PageUrl, Project, Timestamp, UrlKey};
use serde_json::Value;
use server::client::{self, ClientError};
use server::{Now, Server};
use service::{Access, Class, Data, PagesRequest, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;

const NOW: Timestamp = Timestamp(1_763_196_319_123);

fn now() -> Now {
    Arc::new(|| NOW)
}

async fn data(dir: &Path) -> Arc<Data> {
    Data::open(dir, Access::Create).await.unwrap()
}

/// Offers the URLs of these numbers to the project's frontier, in one commit.
fn offer(data: &Data, numbers: std::ops::Range<u32>) {
    let entry = data.project(None).unwrap();
    let mut frontier = Frontier::open(data.store().clone(), NOW).unwrap();
    frontier.begin(entry.crawl, &entry.project).unwrap();
    let mut batch = data.store().batch();
    for number in numbers {
        let url = PageUrl::parse(&format!("http://shop.test/{number}")).unwrap();
        let key = UrlKey::of(&url);
        let offer = Offer {
            url,
            key,
            depth: 0,
            via: None,
            unfollowed: None,
            start: true,
            hops: 0,
            further: false,
            weight: 1,
            links: 1,
        };
        frontier.offer(&mut batch, entry.crawl, offer, NOW).unwrap();
    }
    frontier.seal(&mut batch, NOW).unwrap();
    data.store().commit(batch, Durability::Buffered).unwrap();
}

async fn with_project(dir: &Path) -> Arc<Data> {
    let data = data(dir).await;
    let start = vec![PageUrl::parse("http://shop.test/").unwrap()];
    let project = Project {
        name: "shop".parse().unwrap(),
        start,
        crawl: CrawlSettings::default(),
        fields: None,
        index: None,
    };
    data.catalog().upsert_project(&project, NOW).await.unwrap();
    data
}

async fn ask(dir: &Path, request: &Request) -> Result<Option<Vec<Value>>, ClientError> {
    let mut rows = Vec::new();
    let mut take = |row| {
        rows.push(row);
        ControlFlow::Continue(())
    };
    let answered = client::ask(dir, request, &mut take).await?;
    Ok(answered.then_some(rows))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_are_answered_while_another_thread_commits() {
    let dir = tempfile::tempdir().unwrap();
    let data = with_project(dir.path()).await;
    let (stop, stopped) = oneshot::channel::<()>();
    let server = Server::bind(data.clone(), now()).unwrap();
    let serving = tokio::spawn(server.run(async { drop(stopped.await) }));
    let writer = {
        let data = data.clone();
        tokio::task::spawn_blocking(move || {
            (0..50).for_each(|group| offer(&data, group * 20..(group + 1) * 20))
        })
    };
    let mut last = 0;
    loop {
        let finished = writer.is_finished();
        let rows = ask(dir.path(), &Request::Pages(PagesRequest::default()))
            .await
            .unwrap()
            .expect("somebody listens");
        let urls: HashSet<String> = rows.iter().map(|row| row["url"].to_string()).collect();
        assert_eq!(urls.len(), rows.len(), "no URL twice");
        assert_eq!(rows.len() % 20, 0, "whole commits only");
        assert!(rows.len() >= last, "nothing is ever lost");
        last = rows.len();
        if finished {
            break;
        }
    }
    writer.await.unwrap();
    assert_eq!(last, 1_000);
    drop(stop);
    serving.await.unwrap().unwrap();
    assert!(!dir.path().join("gannet.sock").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_goes_away_is_let_go() {
    let dir = tempfile::tempdir().unwrap();
    let data = with_project(dir.path()).await;
    {
        let data = data.clone();
        tokio::task::spawn_blocking(move || offer(&data, 0..3_000)).await.unwrap();
    }
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(server::serve(data, now(), async { drop(stopped.await) }));
    let mut rows = 0;
    while rows == 0 {
        client::ask(dir.path(), &Request::Pages(PagesRequest::default()), &mut |_| {
            rows += 1;
            ControlFlow::Break(())
        })
        .await
        .unwrap();
    }
    assert_eq!(rows, 1);
    drop(stop);
    // The answer that nobody reads any more must not keep the server.
    serving.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_keep_their_words_and_class() {
    let dir = tempfile::tempdir().unwrap();
    let data = with_project(dir.path()).await;
    let (stop, stopped) = oneshot::channel::<()>();
    let server = Server::bind(data, now()).unwrap();
    let serving = tokio::spawn(server.run(async { drop(stopped.await) }));
    let request = Request::Pages(PagesRequest { outcomes: vec!["faild".into()], ..Default::default() });
    match ask(dir.path(), &request).await {
        Err(ClientError::Refused { class: Class::Request, message }) => {
            assert_eq!(message, "there is no outcome \"faild\"; did you mean \"failed\"?");
        }
        other => panic!("{other:?}"),
    }
    let status = client::status(dir.path()).await.unwrap().expect("somebody listens");
    assert_eq!(
        (status["running"].clone(), status["process"].clone()),
        (false.into(), std::process::id().into())
    );
    drop(stop);
    serving.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_socket_of_a_dead_owner_is_replaced_and_ours_is_for_us_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("gannet.sock");
    let data = data(dir.path()).await;
    // A listener that is dropped leaves its file, as a killed process does.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    assert!(client::status(dir.path()).await.unwrap().is_none(), "nobody listens");
    let server = Server::bind(data, now()).unwrap();
    assert_eq!(std::fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(server.run(async { drop(stopped.await) }));
    assert!(client::status(dir.path()).await.unwrap().is_some());
    drop(stop);
    serving.await.unwrap().unwrap();
    assert!(client::status(dir.path()).await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_directory_with_a_long_name_has_a_socket_too() {
    let dir = tempfile::tempdir().unwrap();
    let deep = dir.path().join("x".repeat(120));
    let data = data(&deep).await;
    let server = Server::bind(data, now()).unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(server.run(async { drop(stopped.await) }));
    assert!(client::status(&deep).await.unwrap().is_some());
    drop(stop);
    serving.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_that_ends_before_it_answers_is_told_from_one_that_is_broken() {
    let dir = tempfile::tempdir().unwrap();
    let listener = tokio::net::UnixListener::bind(dir.path().join("gannet.sock")).unwrap();
    for said in ["", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "SSH-2.0\r\n\r\n"] {
        let request = Request::Pages(PagesRequest::default());
        let answering = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            assert!(stream.read(&mut [0; 4_096]).await.unwrap() > 0);
            stream.write_all(said.as_bytes()).await.unwrap();
            // Who does not speak HTTP goes on listening; the others are gone.
            said.starts_with("SSH").then_some(stream)
        };
        let (asked, _listens) = tokio::join!(ask(dir.path(), &request), answering);
        match asked {
            Err(ClientError::Ended { .. }) => assert!(!said.starts_with("SSH"), "{said}"),
            Err(ClientError::Broken { .. }) => assert!(said.starts_with("SSH"), "{said}"),
            other => panic!("{said}: {other:?}"),
        }
    }
}
