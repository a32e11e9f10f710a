//! A run looked at closely and changed while it works: live URLs, figures, log, exclusion, speed, failed ones again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use service::{Level, LogLevel, LogRequest, Request, RunId, RunPhase, Steer};
use tempfile::TempDir;
use webs::Answer;

use crate::served::{Served, blocking, close, ended, not_found, now, open, page, start};

#[tokio::test(flavor = "multi_thread")]
async fn figures_and_log_of_a_run_outlive_it() {
    let site = Served::wide(20).await;
    let dir = TempDir::new().unwrap();
    let data = open(dir.path()).await;
    let run = start(&data, site.project("shop", "/start", |_| ())).await.unwrap();
    let end = ended(&data, run.id).await;
    assert_eq!((end.state, end.health.level), (RunPhase::Completed, Level::Good), "{:?}", end.health);
    assert_eq!(end.health.sentence, "All is well on the latest 21 pages.");
    close(data).await;
    let data = open(dir.path()).await;
    blocking(&data, move |data| {
        let id = RunId(run.id);
        let series = service::series(data, id, None, None).unwrap();
        assert_eq!(series.points.pages.iter().sum::<u64>(), 21, "{series:?}");
        // The pages, and a robots.txt that is not there.
        assert_eq!(series.points.s2xx.iter().sum::<u64>(), 21);
        assert_eq!(series.points.queue.last(), Some(&0));
        assert!(series.points.latency_p95.iter().flatten().any(|millis| *millis >= 5));
        let log = service::log(data, id, &LogRequest::default()).unwrap();
        assert_eq!(log.next, None, "the run is over");
        assert_eq!(log.items.first().unwrap().message, "the run begins");
        assert!(log.items.last().unwrap().message.starts_with("the run ends: "), "{log:?}");
        let of_one = LogRequest { url: Some("/start/7".into()), ..LogRequest::default() };
        let of_one = service::log(data, id, &of_one).unwrap();
        assert!(of_one.items[0].message.starts_with("200 fetched, "), "{of_one:?}");
        assert_eq!(service::log_text(data, id).unwrap().count(), log.items.len());
        assert!(service::live(data, id, now()()).unwrap().is_empty());
        assert!(service::series(data, RunId(77), None, None).is_err());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_fetched_now_is_shown_with_its_link() {
    let site = Served::new(|request| match request.path.as_str() {
        "/robots.txt" => not_found(),
        "/" => page("Start", &["/slow".to_owned()]),
        _ => Answer { delay: Duration::from_millis(700), ..page("Slow", &[]) },
    })
    .await;
    let dir = TempDir::new().unwrap();
    let data = open(dir.path()).await;
    let run = start(&data, site.project("shop", "/", |_| ())).await.unwrap();
    site.has_been_asked(3).await;
    let id = RunId(run.id);
    let live = blocking(&data, move |data| service::live(data, id, now()()).unwrap()).await;
    let [slow] = &live[..] else { panic!("{live:?}") };
    assert!(slow.url.ends_with("/slow") && slow.depth == 1, "{slow:?}");
    assert_eq!((slow.anchor.as_deref(), slow.distance), (Some("/slow"), Some(1)));
    assert!(slow.found_on.as_ref().unwrap().ends_with('/'));
    ended(&data, run.id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_urls_are_excluded_while_the_run_works() {
    let site = Served::new(|request| match request.path.as_str() {
        "/robots.txt" => not_found(),
        "/" => {
            let parts =
                (0..40).map(|number| format!("/{}/{number}", if number < 30 { "calendar" } else { "shop" }));
            page("Start", &parts.collect::<Vec<_>>())
        }
        path => page(path, &[]),
    })
    .await;
    let dir = TempDir::new().unwrap();
    let data = open(dir.path()).await;
    let slow = |crawl: &mut model::CrawlSettings| crawl.rate = Some("20/s".parse().unwrap());
    let run = start(&data, site.project("shop", "/", slow)).await.unwrap();
    site.has_been_asked(4).await;
    let id = RunId(run.id);
    blocking(&data, move |data| service::steer(data, id, Steer::Pause).unwrap()).await;
    let live = data.live_run(id).unwrap();
    live.progress.clone().wait_for(|now| now.paused.is_some() && now.slots_busy == 0).await.unwrap();
    let (dry, gone) = blocking(&data, move |data| {
        let patterns = ["/calendar/*".to_owned()];
        let dry = service::exclude(data, id, &patterns, true).unwrap();
        assert!(service::exclude(data, id, &["regex:(".to_owned()], true).is_err());
        (dry, service::exclude(data, id, &patterns, false).unwrap())
    })
    .await;
    assert_eq!(dry, gone);
    assert!(dry.waiting > 20 && dry.examples.iter().all(|url| url.contains("/calendar/")), "{dry:?}");
    let waiting = gone.waiting;
    live.progress.clone().wait_for(|now| now.skipped >= waiting).await.unwrap();
    blocking(&data, move |data| {
        service::steer(data, id, Steer::Resume).unwrap();
        let fast = service::change_speed(data, id, "1000/s", true).unwrap();
        assert_eq!(fast.settings["rate"], "1000/s");
        assert!(service::change_speed(data, id, "fast", false).is_err());
    })
    .await;
    let end = ended(&data, run.id).await;
    assert_eq!(end.state, RunPhase::Completed);
    assert_eq!(end.summary.unwrap()["outcomes"]["excluded"], waiting);
    let asked = site.asked();
    assert_eq!(asked.iter().filter(|path| path.starts_with("/shop/")).count(), 10);
    assert_eq!(asked.iter().filter(|path| path.starts_with("/calendar/")).count() as u64, 30 - waiting);
    let entry = data.catalog().project_by_name(&"shop".parse().unwrap()).await.unwrap().unwrap();
    let crawl = entry.project.crawl;
    assert_eq!((crawl.exclude.len(), crawl.rate), (1, Some("1000/s".parse().unwrap())));
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_urls_are_tried_again_when_asked_for() {
    let broken = Arc::new(AtomicBool::new(true));
    let state = broken.clone();
    let site = Served::new(move |request| match request.path.as_str() {
        "/robots.txt" => not_found(),
        "/" => page("Start", &(0..6).map(|number| format!("/{number}")).collect::<Vec<_>>()),
        "/1" | "/2" if state.load(Ordering::SeqCst) => Answer::new(500, "text/plain", "broken"),
        path => page(path, &[]),
    })
    .await;
    let dir = TempDir::new().unwrap();
    let data = open(dir.path()).await;
    let once = |crawl: &mut model::CrawlSettings| crawl.retry = 0;
    let first = start(&data, site.project("shop", "/", once)).await.unwrap();
    let end = ended(&data, first.id).await;
    assert_eq!(end.summary.unwrap()["outcomes"]["failed"], 2);
    let errors = LogRequest { level: Some(LogLevel::Error), ..LogRequest::default() };
    let id = RunId(first.id);
    let errors = blocking(&data, move |data| service::log(data, id, &errors).unwrap()).await;
    assert_eq!(errors.items.len(), 2, "{errors:?}");
    broken.store(false, Ordering::SeqCst);
    let before = site.asked().len();
    let again = service::retry(&data, RunId(first.id), Vec::new(), now()).await.unwrap();
    assert_ne!(again.id, first.id);
    let end = ended(&data, again.id).await;
    let summary = end.summary.unwrap();
    assert_eq!((summary["pages_fetched"].as_u64(), summary["outcomes"].get("failed")), (Some(7), None));
    let mut asked = site.asked().split_off(before);
    asked.retain(|path| path != "/robots.txt");
    asked.sort();
    assert_eq!(asked, ["/1", "/2"]);
    let checked = blocking(&data, |data| {
        let mut rows = Vec::new();
        service::answer(data, &Request::Check, now()(), &mut |row| {
            rows.push(row);
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        rows
    })
    .await;
    assert_eq!(checked.len(), 1, "nothing is out of order: {checked:?}");
}
