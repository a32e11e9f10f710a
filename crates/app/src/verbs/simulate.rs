//! `gannet simulate`: what orders would bring, without fetching anything.

use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use crawl::WallClock;
use model::{Order, Rate};
use serde_json::json;
use service::{Access, Data, Fill, Request, Simulated, SimulatedRow, WhatIf, WhatIfRequest, simulated};
use simulate::report::{DOWNLOADS_HEAD, PICTURES, downloads_csv, hours_csv, load_csv, pictures};
use simulate::{Expand, Outcome, Scenario, SimulateError, WebSource};

use super::asking::{ask_for, project, project_arg};
use super::simulate_revisits;
use super::table::{Table, number, text};
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("simulate")
        .about("Compare crawl orders under a simulated clock: on a made-up Web, a list of links, WARC files, a crawl")
        .after_help(
            "The file, with what is taken unless said:\n  \
             web: {generated: {pages: 60000, hosts: 1, links: 8, skew: 4, topic: 0, together: 0.6, telling: 0.5,\n                    \
             failures: 0, changes: 0, slowest: 0}}\n       \
             # or {edges: links.tsv}, {warc: [a.warc.gz]}, {crawl: PROJECT}\n  \
             orders: [breadth-first, pagerank]\n  \
             seeds: [1]        # of generated Webs; several are averaged\n  \
             start: []         # where to begin: names of the list, URLs of WARC files or the crawl; their own begin\n  \
             topic: []         # words, for WARC files, or for a crawl in place of its own: relevance and topic need one\n  \
             topics: []        # several to average instead, each where it begins: [{start: [URL], topic: [words]}]\n  \
             pages: 0          # to fetch; 0 = all\n  \
             time: 0           # simulated; 0 = until the end\n  \
             rate:             # per host, as 2/s, or unlimited; without, hosts get the pauses of a crawl\n  \
             workers: 1\n  \
             latency: 100ms\n  \
             queue: 0          # URLs chosen at once; 0 = as in a real crawl\n  \
             expand: all       # or relevant: only links of pages on topic are followed\n\n\
             With --revisits the file has these:\n  \
             {pages: 200, days: 730, fetches: 30, rates: [0.004, 2], intervals: [1, 120],\n   \
             seeds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}\n\n\
             Mass is the share of all PageRank that the first tenth, quarter and half of the pages hold.\n\n\
             Examples:\n  gannet simulate -p sim.yaml --out figures\n  \
             gannet simulate --run 3 --order pagerank --rate 2/s\n  \
             gannet simulate --run 3 --order topic --topic boat --topic 'wooden ship'\n  \
             gannet simulate --run 3 --fill 500",
        )
        .arg(
            Arg::new("plan")
                .long("plan")
                .short('p')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("What to simulate; the usual unless said"),
        )
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with_all(["run", "project", "order", "rate", "topic"])
                .help("Write table, curves, hours, load, downloads (CSV), outcomes (JSON) and plots (SVG, PNG) there"),
        )
        .arg(
            Arg::new("run")
                .long("run")
                .value_name("NUMBER")
                .value_parser(value_parser!(i64))
                .conflicts_with("plan")
                .help("What this run's crawl would take and bring by --order, --rate and --topic"),
        )
        .arg(
            Arg::new("revisits")
                .long("revisits")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["run", "out", "project", "order", "rate", "topic", "fill"])
                .help("Compare policies of revisits instead: fixed, adaptive, optimal; how fresh each keeps a collection"),
        )
        .arg(
            project_arg()
                .conflicts_with_all(["plan", "run"])
                .help("The same of this project's crawl"),
        )
        .arg(
            Arg::new("order")
                .long("order")
                .value_name("ORDER")
                .value_parser(value_parser!(Order))
                .conflicts_with("plan")
                .help("By this order; the project's own unless said"),
        )
        .arg(
            Arg::new("rate")
                .long("rate")
                .value_name("RATE")
                .value_parser(value_parser!(Rate))
                .conflicts_with("plan")
                .help("At this rate; the project's own unless said"),
        )
        .arg(
            Arg::new("topic")
                .long("topic")
                .value_name("WORDS")
                .action(ArgAction::Append)
                .conflicts_with("plan")
                .help("On this topic, a word or a phrase each: pages are judged by it anew; the project's own unless said"),
        )
        .arg(
            Arg::new("fill")
                .long("fill")
                .value_name("PAGES")
                .value_parser(value_parser!(u64).range(1..))
                .help("First fetch up to so many of the crawl's missing pages from the Web, politely, and keep them"),
        )
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let own = ["run", "project", "order", "rate", "topic"].iter().any(|flag| flags.contains_id(flag));
    if own {
        return what_if(context, flags);
    }
    let plan = match flags.get_one::<PathBuf>("plan") {
        None => String::new(),
        Some(path) => fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))
            .map_err(Failure::usage)?,
    };
    if flags.get_flag("revisits") {
        return simulate_revisits::run(context, &plan, &name_of(flags));
    }
    let scenario = match plan.trim().is_empty() {
        true => Scenario::default(),
        false => Scenario::parse(&plan).with_context(|| name_of(flags)).map_err(Failure::usage)?,
    };
    let out = flags.get_one::<PathBuf>("out").map(PathBuf::as_path);
    match (flags.get_one("fill"), &scenario.web) {
        (None, _) => {}
        (Some(most), WebSource::Crawl(name)) => {
            let name = name
                .parse()
                .map_err(|_| Failure::usage(anyhow::anyhow!("{name:?} is no name of a project")))?;
            let topics = scenario.by_topic();
            let topic = topics.iter().flat_map(|(_, one)| one.topic.clone()).collect();
            let orders = scenario.orders.clone();
            let relevant = scenario.expand == Expand::Relevant;
            fill(context, Fill { run: None, project: Some(name), orders, topic, relevant, pages: *most })?;
        }
        (Some(_), _) => {
            let words = "--fill goes on with a crawl: name one by web: {crawl: PROJECT}, --project or --run";
            return Err(Failure::usage(anyhow::anyhow!(words)));
        }
    }
    let mut listing = out.map(Listing::create).transpose()?;
    let told = match &scenario.web {
        WebSource::Crawl(_) => of_crawl(context, scenario, listing.as_mut())?,
        _ => here(&scenario, listing.as_mut())?,
    };
    if let Some(dir) = out {
        write(dir, &told)?;
    }
    listing.map(Listing::finish).transpose()?;
    print(context, &told)
}

/// What the plan is called in errors.
fn name_of(flags: &ArgMatches) -> String {
    flags.get_one::<PathBuf>("plan").map(|path| path.display().to_string()).unwrap_or_default()
}

fn what_if(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let topic: Vec<String> = flags.get_many("topic").into_iter().flatten().cloned().collect();
    if let Some(most) = flags.get_one("fill") {
        let (run, order) = (flags.get_one("run").copied(), flags.get_one("order").copied());
        let orders = Vec::from_iter(order);
        let topic = topic.clone();
        fill(context, Fill { run, project: project(flags), orders, topic, relevant: false, pages: *most })?;
    }
    let request = Request::WhatIf(WhatIfRequest {
        run: flags.get_one("run").copied(),
        project: project(flags),
        order: flags.get_one("order").copied(),
        rate: flags.get_one("rate").copied(),
        topic,
    });
    let mut output = Output::new();
    ask_for(context, &request, |told: WhatIf| {
        if context.json {
            return output.line(serde_json::to_value(&told)?);
        }
        output.line(&told.words)?;
        output.line(format_args!("Basis: {}", told.basis))
    })?;
    output.done()?;
    Ok(Exit::Done)
}

/// Fetches what is missing; the directory must be ours for that.
fn fill(context: &Context, wanted: Fill) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let clock = WallClock::start();
    let filled = runtime.block_on(async {
        let data = Data::open(&context.data, Access::Existing).await?;
        service::fill(&data, wanted, || clock.now()).await
    });
    let pages = filled.map_err(Failure::from_service)?;
    runtime.shutdown_background();
    if !context.quiet {
        eprintln!("{pages} pages were fetched and kept");
    }
    Ok(())
}

/// Simulated by whoever owns the data directory, downloads written as they come.
fn of_crawl(
    context: &Context,
    scenario: Scenario,
    listing: Option<&mut Listing>,
) -> Result<Simulated, Failure> {
    let mut answer = None;
    let scenario = Box::new(scenario);
    match listing {
        None => ask_for(context, &Request::Simulate(scenario), |told: Simulated| {
            answer = Some(told);
            Ok(())
        })?,
        Some(listing) => ask_for(context, &Request::SimulateListed(scenario), |row: SimulatedRow| {
            match row {
                SimulatedRow::Downloads(lines) => listing.add(&lines)?,
                SimulatedRow::Simulated(told) => answer = Some(*told),
            }
            Ok(())
        })?,
    }
    answer.context("nothing was simulated").map_err(Failure::from)
}

/// Simulated here, downloads written as they come.
fn here(scenario: &Scenario, mut listing: Option<&mut Listing>) -> Result<Simulated, Failure> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut written = Ok(());
    let ran = scenario.run(&mut |outcome, web, downloads, ranks| {
        outcomes.push(outcome.clone());
        if let Some(listing) = &mut listing {
            downloads_csv(outcome, web, downloads, ranks, &mut |lines| {
                if written.is_ok() {
                    written = listing.add(&lines);
                }
            });
        }
    });
    ran.map_err(|error| match error {
        SimulateError::Frontier(_) | SimulateError::Store(_) | SimulateError::StandsStill(_) => {
            Failure::from(anyhow::Error::from(error))
        }
        // Files and settings that cannot be.
        error => Failure::usage(error),
    })?;
    written?;
    Ok(simulated(outcomes))
}

/// `downloads.csv` while it is written: under another name until it is whole.
struct Listing {
    path: PathBuf,
    part: PathBuf,
    file: BufWriter<fs::File>,
}

impl Listing {
    fn create(dir: &Path) -> Result<Listing, Failure> {
        fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
        let (path, part) = (dir.join("downloads.csv"), dir.join("downloads.csv.part"));
        let file = fs::File::create(&part).with_context(|| format!("cannot write {}", part.display()))?;
        let mut listing = Listing { path, part, file: BufWriter::new(file) };
        listing.add(DOWNLOADS_HEAD)?;
        Ok(listing)
    }

    fn add(&mut self, lines: &str) -> anyhow::Result<()> {
        let written = self.file.write_all(lines.as_bytes());
        written.with_context(|| format!("cannot write {}", self.part.display()))
    }

    fn finish(mut self) -> Result<(), Failure> {
        let done = self.file.flush().and_then(|()| fs::rename(&self.part, &self.path));
        done.with_context(|| format!("cannot write {}", self.path.display())).map_err(Failure::from)
    }
}

impl Drop for Listing {
    fn drop(&mut self) {
        // It is gone where all went well.
        let _ = fs::remove_file(&self.part);
    }
}

fn write(dir: &Path, told: &Simulated) -> Result<(), Failure> {
    let put_bytes = |name: &str, bytes: &[u8]| {
        let path = dir.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    let put = |name: &str, text: &str| put_bytes(name, text.as_bytes());
    put("table.csv", &told.table_csv)?;
    put("curves.csv", &told.curves_csv)?;
    put("hours.csv", &hours_csv(&told.outcomes))?;
    put("load.csv", &load_csv(&told.outcomes))?;
    let outcomes = serde_json::to_string_pretty(&json!({ "outcomes": told.outcomes, "means": told.means }));
    put("outcomes.json", &outcomes.context("outcomes are no JSON")?)?;
    put("verdict.txt", &format!("{}\n", told.verdict))?;
    // Those of an earlier simulation say nothing of this one.
    for name in PICTURES {
        for kind in ["svg", "png"] {
            let _ = fs::remove_file(dir.join(format!("{name}.{kind}")));
        }
    }
    for (name, picture) in pictures(&told.outcomes) {
        put(&format!("{name}.svg"), &picture.svg())?;
        put_bytes(&format!("{name}.png"), &picture.png())?;
    }
    Ok(())
}

fn print(context: &Context, told: &Simulated) -> Result<Exit, Failure> {
    if context.json {
        let mut out = Output::new();
        told.outcomes.iter().try_for_each(|outcome| out.line(json!(outcome)))?;
        out.done()?;
        return Ok(Exit::Done);
    }
    let has_topic = told.means.iter().any(|mean| mean.relevant.is_some());
    let mut columns = vec![
        text("ORDER"),
        number("WEBS"),
        number("PAGES"),
        number("10 %"),
        number("25 %"),
        number("50 %"),
        number("ALL"),
    ];
    if has_topic {
        columns.extend([number("TOPIC 10 %"), number("25 %"), number("50 %")]);
    }
    let changes = told.means.iter().any(|mean| mean.fresh.is_some());
    if changes {
        columns.push(number("FRESH"));
    }
    columns.extend([number("SECONDS"), number("PAGES/S")]);
    let mut table = Table::new(&columns);
    for mean in &told.means {
        let spread = |(mean, spread): (f64, f64), places: usize| match spread > 0.0 {
            true => format!("{mean:.places$}±{spread:.places$}"),
            false => format!("{mean:.places$}"),
        };
        let mut cells = vec![mean.order.clone(), mean.webs.to_string(), spread(mean.pages, 0)];
        cells.extend(mean.mass.iter().map(|mass| spread(*mass, 3)));
        if has_topic {
            let relevant = mean.relevant.unwrap_or_default();
            cells.extend(relevant[..3].iter().map(|pages| spread(*pages, 0)));
        }
        if changes {
            cells.push(mean.fresh.map_or_else(String::new, |fresh| spread(fresh, 3)));
        }
        cells.push(format!("{:.0}", mean.seconds.0));
        cells.push(mean.pages_per_second.map_or_else(String::new, |speed| spread(speed, 1)));
        table.row(cells)?;
    }
    table.end_with_gap()?;
    let mut out = Output::new();
    out.line(&told.verdict)?;
    out.done()?;
    Ok(Exit::Done)
}
