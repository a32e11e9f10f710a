//! `gannet signin`: a link that signs a browser in to the server of this data directory.

use clap::{ArgMatches, Command};
use server::client;

use super::asking::{refused, runtime};
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("signin")
        .about("Print a link that signs a browser in to the running server, once")
        .after_help("Example:\n  gannet signin --data ./gannet-data")
}

pub(super) fn run(context: &Context, _: &ArgMatches) -> Result<Exit, Failure> {
    let link = runtime()?.block_on(client::sign_in_link(&context.data)).map_err(refused)?;
    let Some(link) = link else {
        let words = "no server runs on it; \"gannet serve\" starts one";
        return Err(Failure::usage(anyhow::anyhow!("{}: {words}", context.data.display())));
    };
    let mut out = Output::new();
    match context.json {
        true => out.line(serde_json::json!({ "link": link }))?,
        false => out.line(link)?,
    }
    out.done()?;
    Ok(Exit::Done)
}
