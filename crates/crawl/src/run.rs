//! A run: started, watched, paused, stopped by its caller.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use archive::tables::POSITIONS;
use archive::{ArchiveSettings, ArchiveWriter};
use fetch::{Longer, Room, Wanted};
use frontier::{Frontier, Politeness};
use kv::{Reader as _, Store};
use model::{CrawlId, LONG_LIST_TYPES, Pattern, Project, Rate, RobotsMode};
use net::{Clock, ProcessClock};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};

use crate::conductor::Conductor;
use crate::descriptors::{self, TooFew};
use crate::duplicates::DuplicateBook;
use crate::fresh::Fresh;
use crate::hints::HintsBook;
use crate::jobs::{JobList, jobs};
use crate::named::NamedLists;
use crate::page::PageReader;
use crate::progress::{Ended, Progress};
use crate::read::Reader;
use crate::revisits::Revisits;
use crate::robots::RobotsBook;
use crate::space::Space;
use crate::topic::TopicInForce;
use crate::visit::{Gaps, MOST_IN_FLIGHT, Message, Pace, Slots, Unread};
use crate::{CrawlError, Neighbours, Network, Watcher};

/// What a run needs.
pub struct Setup {
    /// The store of the data directory.
    pub store: Store,
    /// The data directory: room on its disk is watched, and a reserve set aside there.
    pub dir: PathBuf,
    /// Where this crawl's WARC files are.
    pub archive: PathBuf,
    /// The crawl.
    pub crawl: CrawlId,
    /// The project it serves.
    pub project: Project,
    /// Private addresses that may be asked all the same: the bundled demo site.
    pub allow: Vec<SocketAddr>,
    /// Put URLs that failed back into the queue.
    pub retry_failed: bool,
    /// Listens.
    pub watcher: Option<Arc<dyn Watcher>>,
    /// Begin held, as a run that was held when its process ended.
    pub paused: bool,
    /// The other runs of this process on the same store.
    pub neighbours: Neighbours,
    /// Ask for pages again that are due.
    pub refresh: bool,
}

/// A run under way.
pub struct Run {
    wish: watch::Sender<Wish>,
    changes: mpsc::UnboundedSender<Change>,
    progress: watch::Receiver<Progress>,
    ended: oneshot::Receiver<Result<Ended, CrawlError>>,
}

/// What may be changed in a run at work.
pub(crate) enum Change {
    Exclude(Vec<Pattern>),
    Rate(Option<Rate>),
    Order(model::Order),
    /// Words and examples.
    Topic(Vec<String>, Vec<String>),
    RetryFailed,
}

/// What the caller wants of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Go,
    Pause,
    Stop,
    Cancel,
}

impl Run {
    /// Starts a run. Must be called within a tokio runtime; blocks while the store is opened.
    pub fn start(setup: Setup) -> Result<Run, CrawlError> {
        Run::start_followed(setup, Arc::default())
    }

    /// The same, with a place where whoever follows the run finds what was just read.
    pub fn start_followed(setup: Setup, fresh: Arc<Fresh>) -> Result<Run, CrawlError> {
        let runtime = Handle::current();
        let Setup {
            store,
            dir,
            archive,
            crawl,
            mut project,
            allow,
            retry_failed,
            watcher,
            paused,
            neighbours,
            refresh,
        } = setup;
        let mut stay = neighbours.enter();
        let clock = stay.clock;
        let connections = descriptors::connections(project.crawl.connections, stay.promised())
            .map_err(|TooFew { limit, needed }| CrawlError::Descriptors { limit, needed })?;
        if connections.active < project.crawl.connections {
            let (wished, granted) = (project.crawl.connections, connections.active);
            tracing::warn!(
                wished,
                granted,
                "fewer connections than wished: too few file descriptors, see ulimit -n"
            );
            project.crawl.connections = connections.active;
        }
        stay.promise(u64::from(connections.active) + connections.idle as u64);
        let network = Arc::new(Network::new(&project, &allow, connections.idle, clock)?);
        let committed = match store.get(&POSITIONS, &crawl.0)? {
            // A run names its archive before it writes to it, so files without a name have lost their tables.
            None if has_files(&archive) => return Err(CrawlError::UnknownArchive(archive)),
            committed => committed.unwrap_or_default(),
        };
        let settings = ArchiveSettings {
            roll_at: project.crawl.warc_size.limit().unwrap_or(u64::MAX),
            info: warcinfo(&project, &network),
        };
        let opened = ArchiveWriter::open(&archive, committed.position, settings.clone())?;
        let space = Space::watch(&dir, &archive, project.crawl.min_free_space.bytes());
        for finding in &opened.findings {
            tracing::warn!(%finding, "archive mended at start");
        }
        let frontier = Frontier::open_beside(store.clone(), &neighbours.frontiers, clock.now())?;

        let (wish, wishes) = watch::channel(if paused { Wish::Pause } else { Wish::Go });
        let (changes, changes_in) = mpsc::unbounded_channel();
        if retry_failed {
            let _ = changes.send(Change::RetryFailed);
        }
        let (pace, paces) = watch::channel(Pace::Go);
        let (progress_out, progress) = watch::channel(Progress::default());
        let (inbox_in, inbox) = mpsc::channel(1_024);
        let readers = thread::available_parallelism().map_or(2, usize::from);
        // Enough that those who fetch seldom wait for those who read: each wait costs a change of threads.
        let (jobs, job_lists) = jobs(readers * 16, readers);
        let unread = Arc::new(Unread::default());
        let topic = TopicInForce::default();
        topic.set(&project.crawl)?;
        let pages = PageReader::new(&project, network.product())?.with_topic(topic.clone());
        start_readers(&project, &pages, &fresh, &archive, job_lists, inbox_in.clone(), clock.process())?;

        let politeness = Politeness::of(&project.crawl);
        let slots = Arc::new(Slots {
            network,
            clock,
            wanted: Wanted { types: project.crawl.wanted_types(), longest: None },
            longer: longer(&project),
            named: NamedLists::of(&project.crawl),
            jobs,
            inbox: inbox_in,
            pace: paces,
            unread,
            room: room(&project),
            turns: stay.turns.clone(),
            gaps: Mutex::new(Gaps::of(&politeness)),
        });
        let (ended_in, ended) = oneshot::channel();
        let start = move || -> Result<Ended, CrawlError> {
            let robots = robots_book(&runtime, &slots, &project)?;
            let hints = HintsBook::new(project.crawl.crawl_hints);
            let duplicates = DuplicateBook::open(&store, crawl, &project.crawl)?;
            let conductor = Conductor {
                id: crawl,
                project,
                store,
                frontier,
                archive: Some(opened.writer),
                fresh,
                archive_at: (archive, settings),
                space,
                robots,
                hints,
                duplicates,
                topic,
                revisits: Revisits::default(),
                refresh,
                slots,
                inbox,
                runtime,
                clock,
                wish: wishes,
                changes: changes_in,
                watcher,
                pace,
                progress: progress_out,
                neighbours,
                _stay: stay,
            };
            conductor.run()
        };
        spawn("conductor", move || drop(ended_in.send(start())))?;
        Ok(Run { wish, changes, progress, ended })
    }

    /// Progress, whenever it changes.
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.clone()
    }

    /// A handle to pause, resume and stop the run from elsewhere.
    pub fn controls(&self) -> Controls {
        Controls { wish: self.wish.clone(), changes: self.changes.clone() }
    }

    /// Waits for the end.
    pub async fn wait(self) -> Result<Ended, CrawlError> {
        self.ended.await.unwrap_or(Err(CrawlError::Lost("the conductor")))
    }
}

/// Pauses, resumes and stops a run.
#[derive(Clone)]
pub struct Controls {
    wish: watch::Sender<Wish>,
    changes: mpsc::UnboundedSender<Change>,
}

impl Controls {
    /// No request begins any more; those under way end. A stop stands.
    pub fn pause(&self) {
        self.change(Wish::Pause);
    }

    /// Goes on after a pause.
    pub fn resume(&self) {
        self.change(Wish::Go);
    }

    /// Ends the run and keeps everything.
    pub fn stop(&self) {
        self.change(Wish::Stop);
    }

    /// Ends the run at once. What it brought is for the caller to discard.
    pub fn cancel(&self) {
        self.change(Wish::Cancel);
    }

    /// Leaves out URLs that these patterns match from now on; those that wait get their outcome soon.
    pub fn exclude(&self, patterns: Vec<Pattern>) {
        let _ = self.changes.send(Change::Exclude(patterns));
    }

    /// Changes the rate of requests to each host; none for the pauses of the settings.
    pub fn set_rate(&self, rate: Option<Rate>) {
        let _ = self.changes.send(Change::Rate(rate));
    }

    /// Changes which URLs come first.
    pub fn set_order(&self, order: model::Order) {
        let _ = self.changes.send(Change::Order(order));
    }

    /// Changes what the crawl is about: words, and texts as examples. Pages that are read from now on are judged by that.
    pub fn set_topic(&self, words: Vec<String>, examples: Vec<String>) {
        let _ = self.changes.send(Change::Topic(words, examples));
    }

    /// Puts URLs that failed back into the queue.
    pub fn retry_failed(&self) {
        let _ = self.changes.send(Change::RetryFailed);
    }

    /// True when the caller has asked to hold the run.
    pub fn is_paused(&self) -> bool {
        *self.wish.borrow() == Wish::Pause
    }

    /// True when the caller has asked to end the run.
    pub fn is_ending(&self) -> bool {
        matches!(*self.wish.borrow(), Wish::Stop | Wish::Cancel)
    }

    fn change(&self, to: Wish) {
        self.wish.send_if_modified(|wish| {
            let ending = matches!(*wish, Wish::Stop | Wish::Cancel) && to != Wish::Cancel;
            let changes = !ending && *wish != to;
            if changes {
                *wish = to;
            }
            changes
        });
    }
}

/// Sitemaps may be longer than pages, where they are read.
fn longer(project: &Project) -> Option<Arc<Longer>> {
    let types = LONG_LIST_TYPES;
    let limit = project.crawl.body_limit(Some(types[0]))?;
    let is_longer = project.crawl.max_body.limit().is_some_and(|usual| limit > usual);
    is_longer.then(|| Arc::new(Longer { types: types.map(str::to_owned).to_vec(), limit }))
}

/// The room for bodies; what is set aside is enough for one, as transferred and decoded.
fn room(project: &Project) -> Arc<Room> {
    let body = project.crawl.max_body.limit().unwrap_or(u64::MAX);
    Room::new(MOST_IN_FLIGHT, body.saturating_mul(2).min(MOST_IN_FLIGHT / 2))
}

fn has_files(archive: &Path) -> bool {
    let entries = std::fs::read_dir(archive).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| archive::file_number(&entry.file_name()).is_some())
}

/// Threads that read answers. They end when the last slot is gone.
fn start_readers(
    project: &Project,
    pages: &PageReader,
    fresh: &Arc<Fresh>,
    archive: &Path,
    jobs: Vec<JobList>,
    inbox: mpsc::Sender<Message>,
    clock: ProcessClock,
) -> Result<(), CrawlError> {
    for (number, jobs) in jobs.into_iter().enumerate() {
        let inbox = inbox.clone();
        let mut reader = Reader::new(&project.crawl, pages.clone(), fresh.clone(), archive);
        spawn(&format!("reader {number}"), move || {
            let (mut taken, mut done) = (Vec::new(), Vec::new());
            while jobs.take(&mut taken) {
                for job in taken.drain(..) {
                    let began = clock.elapsed();
                    let mut read = Box::new(reader.read_or_fail(job));
                    read.micros = (clock.elapsed() - began).as_micros() as u64;
                    done.push(read);
                }
                if done.drain(..).any(|read| inbox.blocking_send(Message::Read(read)).is_err()) {
                    break;
                }
            }
        })?;
    }
    Ok(())
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), CrawlError> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop).map_err(CrawlError::Thread)
}

/// robots.txt by the project's settings; one file for all hosts is read before anything is crawled.
fn robots_book(runtime: &Handle, slots: &Slots, project: &Project) -> Result<RobotsBook, CrawlError> {
    if project.crawl.robots == RobotsMode::Ignore {
        return Ok(RobotsBook::ignore());
    }
    let Some(url) = &project.crawl.robots_url else { return Ok(RobotsBook::obey(&slots.network.agent)) };
    let book = runtime.block_on(crate::robots::read_fixed(slots, url));
    book.map_err(|reason| CrawlError::RobotsUrl { url: url.to_string(), reason })
}

fn warcinfo(project: &Project, network: &Network) -> Vec<(String, String)> {
    let robots = match project.crawl.robots {
        RobotsMode::Obey => "obey",
        RobotsMode::Ignore => "ignore",
    };
    vec![
        ("software".to_owned(), format!("gannet/{}", env!("CARGO_PKG_VERSION"))),
        ("isPartOf".to_owned(), project.name.to_string()),
        ("http-header-user-agent".to_owned(), network.user_agent.clone()),
        ("robots".to_owned(), robots.to_owned()),
    ]
}
