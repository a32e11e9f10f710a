//! `gannet demo`: crawls the bundled demo site and shows what came of it.

use clap::{ArgMatches, Command};
use model::{CrawlSettings, PageUrl, Project, Rate};
use webs::program::Options;

use super::crawl::{Asked, Which, crawl_here, show};
use crate::output::Output;
use crate::{Context, Exit, Failure};

/// Pages of the demo: its calendar is endless, like many real ones.
const MAX_PAGES: u64 = 500;

pub(super) fn command() -> Command {
    Command::new("demo").about("Crawl the bundled demo site on this machine and show the result").long_about(
        "Serves the bundled demo site on a free port of this machine, crawls it from the start, and shows \
             what came of it. Nothing else is asked for, and no other machine.",
    )
}

pub(super) fn run(context: &Context, _: &ArgMatches) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (reason, finished) = runtime.block_on(async {
        let site = webs::program::start(&Options::default()).await.map_err(Failure::usage)?;
        let asked = Asked {
            project: Which::Given(Box::new(project(&site.base())?)),
            fresh: true,
            refresh: false,
            allow: vec![site.addr()],
        };
        let finished = crawl_here(context, &context.data, asked).await;
        site.stop().await;
        finished
    })?;
    show(context, &reason, &finished)?;
    if !context.json {
        let mut output = Output::new();
        output.line(next_steps(context))?;
        output.done()?;
    }
    runtime.shutdown_background();
    Ok(Exit::Done)
}

fn project(site: &str) -> Result<Project, Failure> {
    let crawl =
        CrawlSettings { rate: Some(Rate::Unlimited), max_pages: MAX_PAGES, ..CrawlSettings::default() };
    let start = vec![PageUrl::parse(&format!("{site}/"))?];
    Ok(Project { name: "demo".parse()?, start, crawl, fields: None, index: None })
}

fn next_steps(context: &Context) -> String {
    let data = match context.data == std::path::Path::new(crate::cli::DATA) {
        true => String::new(),
        false => format!(" --data {}", context.data.display()),
    };
    format!(
        "Look around:\n  \
         gannet pages{data} --outcome failed      what failed, and why\n  \
         gannet links{data}                       broken links, redirects\n  \
         gannet hosts{data}                       how politely it was asked\n  \
         gannet export csv{data} -o pages.csv     pages as a table"
    )
}
