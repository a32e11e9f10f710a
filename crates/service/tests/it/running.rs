//! Runs side by side in one process: begun, steered by number, gone on with after the process has ended.

use model::Span;
use service::{Request, RunChoice, RunId, RunPhase, RunsRequest, ServiceError, Steer};
use tempfile::TempDir;

use crate::served::{Served, blocking, close, ended, now, open, start, view};

#[tokio::test(flavor = "multi_thread")]
async fn two_projects_run_at_once_and_keep_one_hosts_pause_together() {
    let site = Served::wide(6).await;
    let dir = TempDir::new().unwrap();
    let data = open(dir.path()).await;
    let pause = |crawl: &mut model::CrawlSettings| {
        crawl.rate = None;
        crawl.delay = Span::from_millis(150);
        crawl.delay_factor = 0;
    };
    let one = start(&data, site.project("one", "/one/start", pause)).await.unwrap();
    let two = start(&data, site.project("two", "/two/start", pause)).await.unwrap();
    assert_ne!(one.id, two.id);
    let (one, two) = tokio::join!(ended(&data, one.id), ended(&data, two.id));
    assert_eq!((one.state, two.state), (RunPhase::Completed, RunPhase::Completed), "{one:?} {two:?}");
    let log = site.server.log().entries();
    let gaps: Vec<u64> = log.windows(2).map(|pair| pair[1].us - pair[0].us).collect();
    let shortest = gaps.iter().min().copied().unwrap();
    assert!(shortest >= 149_000, "a gap of {shortest} us: {gaps:?}");
    let pages = |project: &str| site.asked().iter().filter(|path| path.contains(project)).count();
    assert_eq!((pages("/one/"), pages("/two/")), (7, 7));
    // They took turns: neither waited for the other's end.
    let first_of_two = log.iter().position(|entry| entry.target.starts_with("/two/")).unwrap();
    let last_of_one = log.iter().rposition(|entry| entry.target.starts_with("/one/")).unwrap();
    assert!(first_of_two < last_of_one, "{:?}", site.asked());
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_steered_by_number_or_by_project() {
    let site = Served::wide(200).await;
    let dir = TempDir::new().unwrap();
    let data = open(dir.path()).await;
    let slow = |crawl: &mut model::CrawlSettings| crawl.rate = Some("40/s".parse().unwrap());
    let one = start(&data, site.project("one", "/one/start", slow)).await.unwrap();
    let two = start(&data, site.project("two", "/two/start", slow)).await.unwrap();
    let again = start(&data, site.project("one", "/one/start", slow)).await;
    assert!(matches!(again, Err(ServiceError::Occupied(_))), "one run of a project at a time");
    let ask = |request: Request| {
        blocking(&data, move |data| {
            let mut values = Vec::new();
            let answered = service::answer(data, &request, now()(), &mut |value| {
                values.push(value);
                std::ops::ControlFlow::Continue(())
            });
            answered.map(|()| values)
        })
    };
    let unsaid = ask(Request::Pause(RunChoice::default())).await;
    assert!(matches!(unsaid, Err(ServiceError::SeveralRuns(_))), "{unsaid:?}");
    assert_eq!(ask(Request::Progress(RunChoice::default())).await.unwrap().len(), 2);
    let by_project = RunChoice { project: Some("two".parse().unwrap()), ..RunChoice::default() };
    ask(Request::Pause(by_project)).await.unwrap();
    assert_eq!(view(&data, two.id).await.state, RunPhase::Paused);
    assert_eq!(view(&data, one.id).await.state, RunPhase::Running);

    let paused = RunsRequest { state: Some(RunPhase::Paused), ..RunsRequest::default() };
    let paused = blocking(&data, move |data| service::run_views(data, &paused).unwrap()).await;
    assert_eq!(paused.items.iter().map(|run| run.id).collect::<Vec<_>>(), [two.id]);

    let id = RunId(one.id);
    blocking(&data, move |data| service::steer(data, id, Steer::Stop).unwrap()).await;
    assert_eq!(ended(&data, one.id).await.state, RunPhase::Stopped);
    let late = blocking(&data, move |data| service::steer(data, id, Steer::Pause)).await;
    assert!(matches!(late, Err(ServiceError::RunEnded(_))));
    let none = blocking(&data, |data| service::steer(data, RunId(99), Steer::Pause)).await;
    assert!(matches!(none, Err(ServiceError::UnknownRun(99))));
    // The only one needs no name.
    ask(Request::Cancel(RunChoice::default())).await.unwrap();
    assert_eq!(ended(&data, two.id).await.state, RunPhase::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_go_on_by_themselves_and_a_held_one_stays_held() {
    let site = Served::wide(60).await;
    let dir = TempDir::new().unwrap();
    let data = open(dir.path()).await;
    let slow = |crawl: &mut model::CrawlSettings| crawl.rate = Some("100/s".parse().unwrap());
    let one = start(&data, site.project("one", "/one/start", slow)).await.unwrap();
    let held = start(&data, site.project("held", "/held/start", slow)).await.unwrap();
    site.has_been_asked(6).await;
    let id = RunId(held.id);
    blocking(&data, move |data| service::steer(data, id, Steer::Pause).unwrap()).await;
    service::shut_down(&data).await;
    assert!(data.live_runs().is_empty());
    close(data).await;

    let data = open(dir.path()).await;
    let asked = site.asked().iter().filter(|path| path.starts_with("/held/")).count();
    let again = service::continue_runs(&data, &[], now()).await.unwrap();
    assert_eq!(again.iter().map(|run| run.id).collect::<Vec<_>>(), [one.id, held.id], "the same runs");
    assert_eq!(again[1].state, RunPhase::Paused);
    assert_eq!(ended(&data, one.id).await.state, RunPhase::Completed);
    let asked_since = site.asked().iter().filter(|path| path.starts_with("/held/")).count();
    assert_eq!(asked_since, asked, "nothing is asked for while it is held");
    blocking(&data, move |data| service::steer(data, id, Steer::Resume).unwrap()).await;
    let end = ended(&data, held.id).await;
    assert_eq!((end.state, end.progress), (RunPhase::Completed, None));
    assert_eq!(end.summary.unwrap()["pages_fetched"], 61);
    assert!(
        service::continue_runs(&data, &[], now()).await.unwrap().is_empty(),
        "nothing is left to go on with"
    );
}

/// The limit of a fill is that of its run: cut off in the middle, the project's own stands, and the run that goes on ends
/// where the fill would have.
#[tokio::test(flavor = "multi_thread")]
async fn a_fill_that_is_cut_off_leaves_the_project_its_limit() {
    let site = Served::wide(60).await;
    let dir = TempDir::new().unwrap();
    let data = open(dir.path()).await;
    let few = |crawl: &mut model::CrawlSettings| {
        crawl.max_pages = 3;
        crawl.rate = Some("50/s".parse().unwrap());
    };
    let first = start(&data, site.project("shop", "/start", few)).await.unwrap();
    ended(&data, first.id).await;
    let filled = data.clone();
    let fill = tokio::spawn(async move {
        let wanted = service::Fill {
            run: Some(first.id),
            project: None,
            orders: Vec::new(),
            topic: Vec::new(),
            relevant: false,
            pages: 12,
        };
        service::fill(&filled, wanted, || now()()).await
    });
    site.has_been_asked(6).await;
    service::shut_down(&data).await;
    let pages = fill.await.unwrap().unwrap();
    assert!((1..12).contains(&pages), "it was cut off after {pages} pages");
    close(data).await;

    let data = open(dir.path()).await;
    let project = blocking(&data, |data| data.project(None).unwrap().project).await;
    assert_eq!(project.crawl.max_pages, 3);
    let again = service::continue_runs(&data, &[], now()).await.unwrap();
    let [run] = &again[..] else { panic!("{again:?}") };
    let end = ended(&data, run.id).await;
    assert_eq!((end.state, end.summary.unwrap()["pages_fetched"].as_u64()), (RunPhase::Completed, Some(15)));
    let project = blocking(&data, |data| data.project(None).unwrap().project).await;
    assert_eq!(project.crawl.max_pages, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_a_later_run_discards_its_rows_and_keeps_those_of_earlier_ones() {
    let site = Served::wide(30).await;
    let dir = TempDir::new().unwrap();
    let data = open(dir.path()).await;
    let titles = serde_json::json!({ "page": { "read": { "title": { "css": "title" } } } });
    let project = |limit: u64| {
        let slow = |crawl: &mut model::CrawlSettings| {
            crawl.max_pages = limit;
            crawl.rate = Some("20/s".parse().unwrap());
        };
        let fields = Some(serde_json::from_value(titles.clone()).unwrap());
        model::Project { fields, ..site.project("shop", "/start", slow) }
    };
    let one = start(&data, project(3)).await.unwrap();
    assert_eq!(ended(&data, one.id).await.state, RunPhase::Completed);
    let two = start(&data, project(1_000)).await.unwrap();
    site.has_been_asked(9).await;
    let id = RunId(two.id);
    blocking(&data, move |data| service::steer(data, id, Steer::Cancel).unwrap()).await;
    let end = ended(&data, two.id).await;
    assert_eq!((end.state, end.summary), (RunPhase::Cancelled, None), "nothing of it is left to be counted");
    assert_eq!(end.reason.as_deref(), Some("cancelled: what it brought is discarded"));
    let rows = |of: String| {
        blocking(&data, move |data| {
            let request = service::RowsRequest { of: Some(of), ..service::RowsRequest::default() };
            service::rows_page(data, &request, None).map(|page| page.items.len())
        })
    };
    assert_eq!(rows(one.id.to_string()).await.unwrap(), 3, "those of the first run stay");
    let gone = rows(two.id.to_string()).await;
    assert!(matches!(gone, Err(ServiceError::RowsDropped(id)) if id == two.id), "{gone:?}");
    assert_eq!(rows("shop".to_owned()).await.unwrap(), 0, "the project starts over");
    let findings =
        blocking(&data, move |data| archive::rows::audit(data.store(), model::CrawlId(1)).unwrap().0).await;
    assert!(findings.is_empty(), "{findings:?}");
}
