//! `gannet simulate`: what orders would bring, without fetching anything.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;
use simulate::{Outcome, Scenario};

use super::table::{Table, number, text};
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("simulate")
        .about("Compare crawl orders on a made-up or given link graph, under a simulated clock")
        .after_help(
            "The file, with what is taken unless said:\n  \
             web: {generated: {pages: 60000, hosts: 1, links: 8, skew: 4}}   # or {edges: links.tsv}\n  \
             orders: [breadth-first, pagerank]\n  \
             seeds: [1]\n  \
             pages: 0          # to fetch; 0 = all\n  \
             rate: unlimited   # per host\n  \
             workers: 1\n  \
             latency: 100ms\n\n\
             Mass is the share of all PageRank that the first tenth, quarter and half of the pages hold.\n\n\
             Example:\n  gannet simulate -p sim.yaml",
        )
        .arg(
            Arg::new("plan")
                .long("plan")
                .short('p')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("What to simulate; the usual unless said"),
        )
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let plan = match flags.get_one::<PathBuf>("plan") {
        None => String::new(),
        Some(path) => std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))
            .map_err(Failure::usage)?,
    };
    let scenario = match plan.trim().is_empty() {
        true => Scenario::default(),
        false => Scenario::parse(&plan).map_err(Failure::usage)?,
    };
    let mut outcomes: Vec<Outcome> = Vec::new();
    let result = scenario.run(&mut |outcome| {
        outcomes.push(outcome);
        Ok(())
    });
    result.map_err(anyhow::Error::from)?;
    if context.json {
        let mut out = Output::new();
        outcomes.iter().try_for_each(|outcome| out.line(json!(outcome)))?;
        out.done()?;
        return Ok(Exit::Done);
    }
    let columns = [
        text("ORDER"),
        number("SEED"),
        number("PAGES"),
        number("10 %"),
        number("25 %"),
        number("50 %"),
        number("ALL"),
        number("SECONDS"),
    ];
    let mut table = Table::new(&columns);
    for outcome in &outcomes {
        let mut cells =
            vec![outcome.order.clone(), super::table::or_dash(outcome.seed), outcome.pages.to_string()];
        cells.extend(outcome.mass.iter().map(|mass| format!("{mass:.3}")));
        cells.push(format!("{:.0}", outcome.seconds));
        table.row(cells)?;
    }
    table.end_with_gap()?;
    let mut out = Output::new();
    out.line(verdict(&outcomes))?;
    out.done()?;
    Ok(Exit::Done)
}

/// Which order gathers most in the first tenth, in words.
fn verdict(outcomes: &[Outcome]) -> String {
    let mut means: Vec<(String, f64, u32)> = Vec::new();
    for outcome in outcomes.iter().filter(|outcome| outcome.order != "best possible") {
        match means.iter_mut().find(|(order, ..)| *order == outcome.order) {
            Some((_, sum, count)) => (*sum, *count) = (*sum + outcome.mass[0], *count + 1),
            None => means.push((outcome.order.clone(), outcome.mass[0], 1)),
        }
    }
    means.iter_mut().for_each(|(_, sum, count)| *sum /= f64::from(*count));
    means.sort_by(|a, b| b.1.total_cmp(&a.1));
    match means.first() {
        Some((order, mass, _)) => {
            format!(
                "{order} brings most early: {:.0} % of all PageRank with the first tenth of the pages",
                mass * 100.0
            )
        }
        None => "nothing was simulated".to_owned(),
    }
}
