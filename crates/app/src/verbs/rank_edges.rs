//! `gannet rank --edges`: the ranks of any list of edges.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use anyhow::Context as _;
use clap::ArgMatches;
use graph::{EdgeList, Graph, PageRank, Preference, best_first, harmonic, read_edge_list};
use model::PageUrl;
use serde_json::json;
use service::UNKNOWN_SHOWN;

use super::rank::tell_of_unknown;
use crate::output::Output;
use crate::{Context, Exit, Failure};

/// What sorting edges may take in memory; more of them are sorted on disk.
const MEMORY: usize = 256 << 20;

pub(super) fn run(
    context: &Context,
    flags: &ArgMatches,
    path: &Path,
    trusted: Option<&[String]>,
) -> Result<Exit, Failure> {
    let EdgeList { mut names, graph: mut links } = read(path)?;
    let by = flags.get_one::<String>("by").map_or("pages", String::as_str);
    if by == "hosts" {
        (names, links) = hosts(&names, &links)?;
    }
    let trusted = trusted.map(|wanted| find(context, wanted, &names)).transpose()?.unwrap_or_default();
    let damping = flags.get_one::<f64>("damping").copied().unwrap_or(0.85);
    let solve = PageRank { damping, ..PageRank::default() };
    let ranks = match by {
        "harmonic" => {
            let found = harmonic(&links, solve.threads);
            if !found.exact && !context.quiet {
                eprintln!("gannet: the graph is large; the numbers are estimates, off by about an eighth");
            }
            found.values
        }
        _ => solve.of(&links, Preference::Only(&trusted)).values,
    };
    let limit = flags.get_one::<u64>("limit").map_or(usize::MAX, |limit| *limit as usize);
    let mut out = Output::new();
    for page in best_first(&ranks).into_iter().take(limit) {
        let (id, rank) = (&names[page as usize], ranks[page as usize]);
        match context.json {
            true => out.line(json!({ "id": id, "rank": rank }))?,
            false => out.line(format_args!("{}\t{rank}", super::table::plain(id)))?,
        }
    }
    out.done()?;
    Ok(Exit::Done)
}

fn read(path: &Path) -> Result<EdgeList, Failure> {
    let list = match path.as_os_str() == "-" {
        true => read_edge_list(io::stdin().lock(), MEMORY),
        false => {
            let file = File::open(path).with_context(|| format!("cannot open {}", path.display()));
            read_edge_list(BufReader::with_capacity(1 << 16, file.map_err(Failure::usage)?), MEMORY)
        }
    };
    list.map_err(|error| {
        let wrong = matches!(error, graph::GraphError::Line { .. } | graph::GraphError::TooLarge);
        let error = anyhow::Error::new(error).context(path.display().to_string());
        if wrong { Failure::usage(error) } else { Failure::from(error) }
    })
}

/// The graph of the hosts that names name; a name that is no URL is its own host.
fn hosts(names: &[String], links: &Graph) -> Result<(Vec<String>, Graph), Failure> {
    let mut hosts: Vec<String> = Vec::new();
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let host_of: Vec<u32> = names
        .iter()
        .map(|name| {
            let host = host(name).unwrap_or_else(|| name.clone());
            *numbers.entry(host).or_insert_with_key(|host| {
                hosts.push(host.clone());
                hosts.len() as u32 - 1
            })
        })
        .collect();
    let graph = graph::group(links, &host_of, MEMORY).map_err(anyhow::Error::from)?;
    Ok((hosts, graph))
}

fn host(name: &str) -> Option<String> {
    PageUrl::parse(name).ok().map(|url| url.host().to_string())
}

/// The pages that a list of trusted pages and hosts names; says what of it is not there.
fn find(context: &Context, wanted: &[String], names: &[String]) -> Result<Vec<u32>, Failure> {
    let mut known: HashMap<&str, bool> = wanted.iter().map(|name| (name.as_str(), false)).collect();
    let mut meet = |name: &str| {
        known.get_mut(name).is_some_and(|known| {
            *known = true;
            true
        })
    };
    let mut is_trusted = |name: &str| {
        let by_name = meet(name);
        let host = host(name);
        let by_host = host.as_deref().is_some_and(&mut meet);
        let by_port =
            host.as_deref().and_then(|host| host.rsplit_once(':')).is_some_and(|(name, _)| meet(name));
        by_name || by_host || by_port
    };
    let found: Vec<u32> =
        names.iter().zip(0..).filter(|(name, _)| is_trusted(name)).map(|(_, number)| number).collect();
    if found.is_empty() {
        let words =
            "--trusted names none of the pages or hosts; a line is a page or a host as the edges have it";
        return Err(Failure::usage(anyhow::anyhow!(words)));
    }
    let unknown: Vec<&String> =
        wanted.iter().filter(|name| known.get(name.as_str()) == Some(&false)).collect();
    if !unknown.is_empty() && !context.quiet {
        let first: Vec<String> = unknown.iter().take(UNKNOWN_SHOWN).map(|name| (*name).clone()).collect();
        tell_of_unknown(unknown.len() as u64, wanted.len() as u64, &first);
    }
    Ok(found)
}
