//! Runs under way in this process, as far as others may watch and steer them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use catalog::{ProjectId, RunId, RunState};
use crawl::{Controls, Progress};
use model::{CrawlId, CrawlSettings, Order, ProjectName, Rate};
use tokio::sync::watch;

use crate::runs::monitor::Monitor;
use crate::{RunChoice, ServiceError};

/// A run that works in this process.
pub struct LiveRun {
    /// Its number.
    pub id: RunId,
    /// Its project.
    pub project: ProjectName,
    /// The crawl state it works on.
    pub crawl: CrawlId,
    /// To pause, resume and stop it.
    pub controls: Controls,
    /// How it stands.
    pub progress: watch::Receiver<Progress>,
    /// Listens to it.
    pub(crate) monitor: Arc<Monitor>,
    given: Mutex<Given>,
    /// The crawl has ended; what it brought is counted.
    ended: AtomicBool,
    /// What it did when its process was told to end.
    interrupted: Mutex<Option<RunState>>,
}

/// What a run was given while it ran, in place of what its settings say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    pub(crate) rate: Option<Rate>,
    pub(crate) order: Option<Order>,
    /// Words and examples.
    pub(crate) topic: Option<(Vec<String>, Vec<String>)>,
}

impl Given {
    /// Puts it in place of what settings say.
    pub(crate) fn apply(self, settings: &mut CrawlSettings) {
        settings.rate = self.rate.or(settings.rate);
        settings.order = self.order.unwrap_or(settings.order);
        if let Some(topic) = self.topic {
            (settings.topic, settings.topic_examples) = topic;
        }
    }
}

impl LiveRun {
    pub(crate) fn new(
        id: RunId,
        project: ProjectName,
        crawl: CrawlId,
        controls: Controls,
        progress: watch::Receiver<Progress>,
        monitor: Arc<Monitor>,
    ) -> LiveRun {
        let (ended, interrupted, given) = (AtomicBool::new(false), Mutex::new(None), Mutex::default());
        LiveRun { id, project, crawl, controls, progress, monitor, given, ended, interrupted }
    }

    /// Another rate from now on.
    pub(crate) fn set_rate(&self, rate: Rate) {
        self.given.lock().unwrap_or_else(PoisonError::into_inner).rate = Some(rate);
        self.controls.set_rate(Some(rate));
    }

    /// Another order from now on.
    pub(crate) fn set_order(&self, order: Order) {
        self.given.lock().unwrap_or_else(PoisonError::into_inner).order = Some(order);
        self.controls.set_order(order);
    }

    /// Another topic from now on: words and examples.
    pub(crate) fn set_topic(&self, words: Vec<String>, examples: Vec<String>) {
        let topic = Some((words.clone(), examples.clone()));
        self.given.lock().unwrap_or_else(PoisonError::into_inner).topic = topic;
        self.controls.set_topic(words, examples);
    }

    /// What it was given while it ran.
    pub(crate) fn given(&self) -> Given {
        self.given.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// True while it may still bring pages.
    pub fn is_crawling(&self) -> bool {
        !self.ended.load(Ordering::Acquire)
    }

    pub(crate) fn ended(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// Stops it in such a way that the next process goes on with it.
    pub(crate) fn interrupt(&self) {
        if self.controls.is_ending() {
            return;
        }
        let was = if self.controls.is_paused() { RunState::Paused } else { RunState::Running };
        *self.interrupted.lock().unwrap_or_else(PoisonError::into_inner) = Some(was);
        self.controls.stop();
    }

    pub(crate) fn interrupted(&self) -> Option<RunState> {
        *self.interrupted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The runs of this process by number, and the projects that they occupy.
#[derive(Default)]
pub(crate) struct LiveRuns {
    runs: Mutex<BTreeMap<RunId, Arc<LiveRun>>>,
    projects: Mutex<BTreeSet<ProjectId>>,
    /// Told whenever a run has left.
    left: watch::Sender<()>,
}

/// A project that nobody else may begin a run of, or drop.
pub(crate) struct Occupied {
    data: Arc<crate::Data>,
    project: ProjectId,
}

impl LiveRuns {
    fn runs(&self) -> MutexGuard<'_, BTreeMap<RunId, Arc<LiveRun>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn attach(&self, run: Arc<LiveRun>) {
        self.runs().insert(run.id, run);
    }

    pub(crate) fn detach(&self, id: RunId) {
        self.runs().remove(&id);
        self.left.send_replace(());
    }

    pub(crate) fn get(&self, id: RunId) -> Option<Arc<LiveRun>> {
        self.runs().get(&id).cloned()
    }

    pub(crate) fn all(&self) -> Vec<Arc<LiveRun>> {
        self.runs().values().cloned().collect()
    }

    /// Waits until no run is left.
    pub(crate) async fn wait_for_end(&self) {
        let mut left = self.left.subscribe();
        while !self.runs().is_empty() {
            if left.changed().await.is_err() {
                return;
            }
        }
    }
}

impl crate::Data {
    /// The runs that work in this process.
    pub fn live_runs(&self) -> Vec<Arc<LiveRun>> {
        self.live().all()
    }

    /// The run of this number, if it works in this process.
    pub fn live_run(&self, id: RunId) -> Option<Arc<LiveRun>> {
        self.live().get(id)
    }

    /// True while any crawl runs in this process.
    pub(crate) fn is_crawling(&self) -> bool {
        self.live_runs().iter().any(|run| run.is_crawling())
    }

    /// True while this crawl runs in this process.
    pub(crate) fn is_crawled(&self, crawl: CrawlId) -> bool {
        self.live_runs().iter().any(|run| run.crawl == crawl && run.is_crawling())
    }

    /// The run that is meant: by number, by project, or the only one.
    pub(crate) fn chosen_run(&self, choice: &RunChoice) -> Result<Arc<LiveRun>, ServiceError> {
        let mut runs = self.live_runs();
        runs.retain(|run| run.is_crawling());
        if let Some(id) = choice.run {
            runs.retain(|run| run.id.0 == id);
            return runs.pop().ok_or(ServiceError::RunEnded(id));
        }
        if let Some(project) = &choice.project {
            runs.retain(|run| run.project == *project);
        }
        let names = || {
            let names: Vec<String> =
                runs.iter().map(|run| format!("{} of {}", run.id.0, run.project)).collect();
            names.join(", ")
        };
        match runs.len() {
            0 => Err(ServiceError::NotRunning(self.dir().to_owned())),
            1 => Ok(runs.remove(0)),
            _ => Err(ServiceError::SeveralRuns(names())),
        }
    }

    /// Keeps a project to oneself, until the guard is dropped.
    pub(crate) fn occupy(
        self: &Arc<Self>,
        project: ProjectId,
        name: &ProjectName,
    ) -> Result<Occupied, ServiceError> {
        let mut projects = self.live().projects.lock().unwrap_or_else(PoisonError::into_inner);
        if !projects.insert(project) {
            return Err(ServiceError::Occupied(name.to_string()));
        }
        Ok(Occupied { data: self.clone(), project })
    }
}

impl Drop for Occupied {
    fn drop(&mut self) {
        self.data.live().projects.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.project);
    }
}
