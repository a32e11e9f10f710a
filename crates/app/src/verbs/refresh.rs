//! `gannet refresh`: asks for pages of a project again that are due, and for what is new.

use clap::{ArgMatches, Command};
use serde_json::json;

use super::asking::{project, project_arg};
use super::crawl::{Asked, Which, crawl};
use super::crawl_there::crawl_there;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("refresh")
        .about("Bring a crawled project up to date: ask for pages that are due, and for what is new")
        .after_help(
            "Which pages are due is said by the project's revisit settings; all unless said. Pages that have not changed \
             are asked for conditionally and stored once. A page is gone when its server says so twice, days apart. While \
             \"gannet serve\" has the data directory, --server URL lets it do the work.\n\n\
             Example:\n  gannet refresh --project shop",
        )
        .arg(project_arg())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let project = Which::Kept(project(flags));
    if let Some(server) = &context.server {
        return crawl_there(context, server, &project, &json!({ "refresh": true }));
    }
    crawl(context, Asked { project, fresh: false, refresh: true, allow: Vec::new() })
}
