//! `gannet crawl`: crawls from the given URLs, or what a project file says.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use crawl::{Controls, EndReason, WallClock};
use model::{ErrorKind, Outcome, Project, ProjectName};
use serde_json::json;
use server::Server;
use service::{Access, Begin, Data, Finished, ServiceError};

use super::crawl_there::crawl_there;
use crate::output::Output;
use crate::progress::Display;
use crate::signals::Signals;
use crate::{Context, Exit, Failure, settings, steady_work};

/// Start URLs named when nothing was fetched.
const NAMED: usize = 5;

/// How long answers on the socket may take after the run's end.
const FAREWELL: Duration = Duration::from_secs(2);

pub(super) fn command() -> Command {
    Command::new("crawl")
        .about("Crawl from URLs or by a project file; the same command resumes")
        .after_help(format!(
            "{}\n\
             Every setting is also a key of the project file (max_pages) and a variable of the environment\n\
             (GANNET_MAX_PAGES; lists one item a line). Later wins: default, file, environment, flag.\n\
             Ctrl-C stops cleanly and keeps everything; the same command resumes.\n\n\
             Examples:\n  \
             gannet crawl https://shop.test/ --max-pages 100\n  \
             gannet crawl -p shop.yaml --rate 2/s\n  \
             gannet crawl --seeds urls.txt --scope list",
            settings::forms()
        ))
        .arg(
            Arg::new("url")
                .value_name("URL")
                .num_args(0..)
                .help("URLs to start from; they replace the project file's"),
        )
        .arg(
            Arg::new("project")
                .long("project")
                .short('p')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Project file (YAML)"),
        )
        .arg(
            Arg::new("seeds")
                .long("seeds")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("File of start URLs, one a line; - for standard input"),
        )
        .arg(
            Arg::new("fresh")
                .long("fresh")
                .action(ArgAction::SetTrue)
                .help("Start over: earlier pages of this project are dropped first; rows of the last runs stay to compare with"),
        )
        .arg(
            Arg::new("incremental")
                .long("incremental")
                .action(ArgAction::SetTrue)
                .conflicts_with("fresh")
                .help("Ask for pages again that are due by the revisit settings; those that have not changed cost little"),
        )
        .args(settings::args())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let project = project(flags).map_err(Failure::usage)?;
    if let Some(server) = &context.server {
        let begin = json!({ "fresh": flags.get_flag("fresh"), "refresh": flags.get_flag("incremental") });
        return crawl_there(context, server, &Which::Given(Box::new(project)), &begin);
    }
    let (fresh, refresh) = (flags.get_flag("fresh"), flags.get_flag("incremental"));
    let asked = Asked { project: Which::Given(Box::new(project)), fresh, refresh, allow: Vec::new() };
    crawl(context, asked)
}

/// Crawls here, and says how it went.
pub(super) fn crawl(context: &Context, asked: Asked) -> Result<Exit, Failure> {
    steady_work::announce();
    // Half of the cores fetch: what comes is read by threads of its own, and a second thread that fetches on a machine of two
    // cores would mostly wake up to find nothing to do.
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let workers = cores.div_ceil(2);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build()?;
    let (reason, finished) = runtime.block_on(crawl_here(context, &context.data, asked))?;
    show(context, &reason, &finished)?;
    runtime.shutdown_background();
    Ok(match reason {
        EndReason::Stopped | EndReason::Cancelled => Exit::Interrupted,
        // A crawl without a page is no success, whatever it says of itself.
        _ if finished.summary.pages_fetched == 0 => Exit::Failed,
        _ => Exit::Done,
    })
}

/// What is to be crawled.
pub(super) struct Asked {
    pub(super) project: Which,
    pub(super) fresh: bool,
    pub(super) refresh: bool,
    pub(super) allow: Vec<SocketAddr>,
}

/// Which project.
pub(super) enum Which {
    /// This one.
    Given(Box<Project>),
    /// One that is kept: of this name, else the one that ran last.
    Kept(Option<ProjectName>),
}

/// Crawls in this process, showing progress and answering other commands meanwhile.
pub(super) async fn crawl_here(
    context: &Context,
    dir: &Path,
    asked: Asked,
) -> Result<(EndReason, Finished), Failure> {
    let clock = WallClock::start();
    let is_kept = matches!(asked.project, Which::Kept(_));
    let access = if is_kept { Access::Existing } else { Access::Create };
    let data = match Data::open(dir, access).await {
        Err(error @ ServiceError::Busy(_)) if is_kept => {
            let words = "; where that is \"gannet serve\", --server URL lets it do this";
            return Err(Failure::new(Exit::Busy, anyhow::anyhow!("{error}{words}")));
        }
        opened => opened.map_err(Failure::from_service)?,
    };
    let (hang_up, hung_up) = tokio::sync::oneshot::channel::<()>();
    let socket = Server::bind(data.clone(), Arc::new(move || clock.now()))?;
    let socket = tokio::spawn(socket.run(async { drop(hung_up.await) }));
    let project = match asked.project {
        Which::Given(project) => *project,
        Which::Kept(name) => {
            let kept = data.clone();
            let found = tokio::task::spawn_blocking(move || kept.project(name.as_ref())).await?;
            found.map_err(Failure::from_service)?.project
        }
    };
    let name = project.name.clone();
    let Asked { fresh, refresh, allow, .. } = asked;
    let begin = Begin { fresh, refresh, allow, ..Begin::of(project) };
    let started = service::begin(&data, begin, clock.now()).await.map_err(Failure::from_service)?;
    let signals = Signals::listen();
    if !context.quiet {
        match started.known {
            0 => eprintln!("crawling {name} into {}", dir.display()),
            known => eprintln!("resuming {name} in {}: {known} URLs known", dir.display()),
        }
    }
    let signals = tokio::spawn(stop_on_signal(signals, started.controls()));
    let mut progress = started.progress();
    let mut display = Display::new(context.quiet);
    let finish = started.finish(|| clock.now());
    tokio::pin!(finish);
    let finished = loop {
        tokio::select! {
            finished = &mut finish => break finished,
            changed = progress.changed() => {
                let latest = progress.borrow_and_update().clone();
                display.show(&latest, clock.now());
                if changed.is_err() {
                    break (&mut finish).await;
                }
            }
        }
    };
    display.tell(&progress.borrow());
    display.end();
    signals.abort();
    drop(hang_up);
    // Whoever still listens to an answer gets a moment to hear it out.
    let _ = tokio::time::timeout(FAREWELL, socket).await;
    let finished = finished.map_err(Failure::from_service)?;
    Ok((finished.reason.clone(), finished))
}

/// Stops the run at the first Ctrl-C or SIGTERM; the second one ends the process, which loses nothing committed.
async fn stop_on_signal(mut signals: Signals, controls: Controls) {
    signals.next().await;
    eprintln!("\nstopping: visits under way may end, Ctrl-C again ends at once");
    controls.stop();
    signals.next().await;
    #[expect(clippy::disallowed_methods, reason = "the user asked twice; a crash loses nothing committed")]
    std::process::exit(i32::from(Exit::Interrupted.code()));
}

/// Prints how it ended and the summary.
pub(super) fn show(context: &Context, reason: &EndReason, finished: &Finished) -> Result<(), Failure> {
    let mut output = Output::new();
    if context.json {
        let mut summary = serde_json::to_value(&finished.summary)?;
        summary["ended"] = serde_json::to_value(reason)?;
        summary["reason"] = reason.to_string().into();
        output.line(summary)?;
    } else {
        output.line(format_args!("{reason}\n\n{}", finished.summary))?;
        for (url, outcome) in
            finished.starts.iter().take(NAMED).filter(|_| finished.summary.pages_fetched == 0)
        {
            output.line(format_args!("nothing was fetched: {url}: {outcome}{}", advice(outcome)))?;
        }
    }
    output.done()
}

/// What to do about a start URL that brought nothing.
fn advice(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Failed { error: ErrorKind::ForbiddenAddress, .. } => {
            "; --allow-private asks it all the same, for sites of your own"
        }
        Outcome::Disallowed { .. } => "; --robots ignore is for sites of your own",
        Outcome::Waiting | Outcome::Retrying { .. } => "; the same command goes on",
        _ => "",
    }
}

/// The project that file, environment and flags describe.
fn project(flags: &ArgMatches) -> Result<Project, settings::SettingsError> {
    let file = flags.get_one::<PathBuf>("project").map(|file| settings::read_project(file)).transpose()?;
    let mut start: Vec<String> = flags.get_many::<String>("url").into_iter().flatten().cloned().collect();
    if let Some(seeds) = flags.get_one::<PathBuf>("seeds") {
        start.extend(settings::read_seeds(seeds)?);
    }
    settings::layered(file, &start, |name| std::env::var(name).ok(), flags)
}
