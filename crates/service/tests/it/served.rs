//! A small web on loopback and a data directory whose owner crawls it, several projects at once.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use model::{CrawlSettings, PageUrl, Project, Rate, Span, Timestamp};
use service::{Access, Data, Now, RunPhase, RunView, ServiceError, StartRun};
use tokio::sync::watch;
use webs::{Answer, Request, Server, Web};

type Answers = Box<dyn Fn(&Request) -> Answer + Send + Sync>;

/// A web that is served on 127.0.0.1.
pub(crate) struct Served {
    pub(crate) server: Server,
    drawn: Arc<Drawn>,
}

struct Drawn {
    answers: Answers,
    seen: Mutex<Vec<String>>,
    count: watch::Sender<usize>,
}

impl Web for Drawn {
    fn answer(&self, request: &Request) -> Answer {
        self.seen.lock().unwrap().push(request.target());
        self.count.send_modify(|count| *count += 1);
        (self.answers)(request)
    }

    fn hosts(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Served {
    pub(crate) async fn new(answers: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Served {
        let drawn = Arc::new(Drawn {
            answers: Box::new(answers),
            seen: Mutex::default(),
            count: watch::Sender::new(0),
        });
        let server = Server::start(drawn.clone(), ([127, 0, 0, 1], 0).into()).await.unwrap();
        Served { server, drawn }
    }

    /// A start page that links to so many others, each a few milliseconds slow.
    pub(crate) async fn wide(pages: usize) -> Served {
        Served::new(move |request| match request.path.as_str() {
            "/robots.txt" => not_found(),
            path if path.ends_with("start") => {
                page(path, &(0..pages).map(|number| format!("{path}/{number}")).collect::<Vec<_>>())
            }
            path => Answer { delay: Duration::from_millis(5), ..page(path, &[]) },
        })
        .await
    }

    /// A project that begins at this path and crawls as fast as it is answered.
    pub(crate) fn project(&self, name: &str, path: &str, edit: impl FnOnce(&mut CrawlSettings)) -> Project {
        let mut crawl = CrawlSettings {
            allow_private: true,
            rate: Some(Rate::Unlimited),
            retry_wait: Span::from_millis(20),
            crawl_hints: false,
            ..CrawlSettings::default()
        };
        edit(&mut crawl);
        Project {
            name: name.parse().unwrap(),
            start: vec![PageUrl::parse(&format!("{}{path}", self.server.base())).unwrap()],
            crawl,
            fields: None,
            index: None,
        }
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.drawn.seen.lock().unwrap().clone()
    }

    pub(crate) async fn has_been_asked(&self, times: usize) {
        self.drawn.count.subscribe().wait_for(|count| *count >= times).await.unwrap();
    }
}

pub(crate) fn page(title: &str, links: &[String]) -> Answer {
    let links: String = links.iter().map(|link| format!("<p><a href=\"{link}\">{link}</a></p>\n")).collect();
    let text = format!("<!doctype html><title>{title}</title><body><p>All about {title}.</p>{links}");
    Answer::new(200, "text/html; charset=utf-8", text)
}

pub(crate) fn not_found() -> Answer {
    Answer::new(404, "text/html", "<title>Not here</title>")
}

/// The machine's clock.
pub(crate) fn now() -> Now {
    let clock = crawl::WallClock::start();
    Arc::new(move || -> Timestamp { clock.now() })
}

pub(crate) async fn open(dir: &Path) -> Arc<Data> {
    Data::open(dir, Access::Create).await.unwrap()
}

/// Gives a data directory up, when nobody else has it any more: what a run leaves to be done after its end may have it
/// for a moment longer.
pub(crate) async fn close(data: Arc<Data>) {
    service::shut_down(&data).await;
    while Arc::strong_count(&data) > 1 {
        tokio::task::yield_now().await;
    }
    data.catalog().close().await;
}

/// Keeps a project and begins a run of it.
pub(crate) async fn start(data: &Arc<Data>, project: Project) -> Result<RunView, ServiceError> {
    data.catalog().upsert_project(&project, now()()).await.unwrap();
    let wanted = StartRun {
        project: project.name,
        fresh: false,
        only_failed: false,
        refresh: false,
        allow: Vec::new(),
    };
    service::start_run(data, wanted, now()).await
}

/// Does something that blocks.
pub(crate) async fn blocking<T: Send + 'static>(
    data: &Arc<Data>,
    work: impl FnOnce(&Data) -> T + Send + 'static,
) -> T {
    let data = data.clone();
    tokio::task::spawn_blocking(move || work(&data)).await.unwrap()
}

pub(crate) async fn view(data: &Arc<Data>, id: i64) -> RunView {
    blocking(data, move |data| service::run_view(data, service::RunId(id)).unwrap()).await
}

/// Waits until a run has ended and its end is written down.
pub(crate) async fn ended(data: &Arc<Data>, id: i64) -> RunView {
    if let Some(live) = data.live_run(service::RunId(id)) {
        let mut progress = live.progress.clone();
        while progress.changed().await.is_ok() {}
    }
    loop {
        let view = view(data, id).await;
        if !matches!(view.state, RunPhase::Running | RunPhase::Paused | RunPhase::Stopping) {
            return view;
        }
        tokio::task::yield_now().await;
    }
}
