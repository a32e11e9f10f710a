//! `gannet try`: what a project would read from one page and which links it would follow, without a crawl.
//!
//! Page, rows and links come from the code that the crawl runs, so the preview is what a run does.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command, value_parser};
use crawl::{FoundLink, Network, WallClock, single_page};
use model::{Fetched, PageUrl, Project, Template, Timestamp};
use service::tools::Trial;
use template::Why;

use super::table::{self, Table, plain};
use crate::output::Output;
use crate::{Context, Exit, Failure, settings};

/// Links named in the table; all are in the JSON.
const SHOWN_LINKS: usize = 40;

/// Where a file is taken to stand when nothing says so.
const NOWHERE: &str = "http://localhost/";

pub(super) fn command() -> Command {
    Command::new("try")
        .about("Show what would be read from a page, and which links would be followed")
        .after_help(format!(
            "{}\n\
             Examples:\n  \
             gannet try https://shop.test/list -p shop.yaml\n  \
             gannet try page.html --url https://shop.test/list -p shop.yaml --json",
            settings::forms()
        ))
        .arg(
            Arg::new("page").value_name("URL|FILE").required(true).help("The page; a file is read from disk"),
        )
        .arg(
            Arg::new("project")
                .long("project")
                .short('p')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Project file (YAML)"),
        )
        .arg(Arg::new("at").long("url").value_name("URL").help("Where the file stands on the Web"))
        .args(settings::args())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let page = flags.get_one::<String>("page").map(String::as_str).unwrap_or_default();
    let at = flags.get_one::<String>("at").map(String::as_str);
    let is_url = page.contains("://");
    let place = if is_url { page } else { at.unwrap_or(NOWHERE) };
    let file = flags.get_one::<PathBuf>("project").map(|file| settings::read_project(file)).transpose();
    let file = file.map_err(Failure::usage)?;
    // The scope of a project is that of its own start URLs, wherever the page stands.
    let start: Vec<String> = if file.is_some() { Vec::new() } else { vec![place.to_owned()] };
    let project =
        settings::layered(file, &start, |name| std::env::var(name).ok(), flags).map_err(Failure::usage)?;
    let url = project
        .crawl
        .normalise()
        .parse(place)
        .with_context(|| format!("{place:?}"))
        .map_err(Failure::usage)?;
    let fetched = if is_url {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let clock = WallClock::start();
        runtime.block_on(async {
            let network = Network::new(&project, &[], 1, clock)?;
            anyhow::Ok(single_page(&network, &project.crawl, &url, &clock).await?)
        })?
    } else {
        from_file(Path::new(page), url, project.crawl.max_body.limit()).map_err(Failure::usage)?
    };
    let trial = Trial::new(&project, &fetched).map_err(Failure::from_service)?;
    if context.json {
        let mut out = Output::new();
        out.line(trial.to_json(&project))?;
        out.done()?;
    } else {
        show(&project, &trial)?;
    }
    Ok(Exit::Done)
}

/// A file as the answer that it might have been.
fn from_file(file: &Path, url: PageUrl, limit: Option<u64>) -> anyhow::Result<Fetched> {
    use std::io::Read;
    let mut body = Vec::new();
    let open = std::fs::File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    let limit = limit.unwrap_or(u64::MAX);
    open.take(limit).read_to_end(&mut body).with_context(|| format!("cannot read {}", file.display()))?;
    let body: bytes::Bytes = body.into();
    Ok(Fetched {
        url,
        address: None,
        started: Timestamp::ZERO,
        timings: model::Timings::default(),
        request: bytes::Bytes::new(),
        version: model::HttpVersion::Http1,
        status: 200,
        head: bytes::Bytes::new(),
        headers: model::Headers(vec![("content-type".to_owned(), bytes::Bytes::from_static(b"text/html"))]),
        content: body.clone(),
        body,
        cut: None,
    })
}

fn show(project: &Project, trial: &Trial) -> Result<(), Failure> {
    let (url, read, links) = (&trial.url, &trial.read, trial.links(project));
    let mut out = Output::new();
    let fields = project.fields.as_ref().zip(read.reading.as_ref());
    match fields.map(|(template, reading)| (template, reading, reading.page_type.as_deref())) {
        None => out.line("the project has no fields, so no rows are read")?,
        Some((_, _, None)) => out.line(format_args!("{url}: no page type takes this page"))?,
        Some((template, reading, Some(name))) => {
            let count = reading.rows.len();
            out.line(format_args!("{url}: {name}, {count} row{}", if count == 1 { "" } else { "s" }))?;
            if reading.cut {
                out.line("more was on the page than is read of one page; rows or values are missing")?;
            }
            out.line("")?;
            out.done()?;
            rows_table(template, name, reading)?;
            coverage_table(template, name, reading)?;
            out = Output::new();
        }
    }
    let followed = links.iter().filter(|link| link.refusal.is_none()).count();
    out.line(format_args!("{followed} links would be followed, {} not", links.len() - followed))?;
    for link in links.iter().take(SHOWN_LINKS) {
        let url = plain(link.found.link.url.as_str());
        match &link.refusal {
            None => out.line(format_args!("  follow  {url}{}", purpose(link.found)))?,
            Some(refusal) => out.line(format_args!("  skip    {url}  ({})", plain(refusal)))?,
        }
    }
    if links.len() > SHOWN_LINKS {
        out.line(format_args!("  … and {} more; --json names all", links.len() - SHOWN_LINKS))?;
    }
    out.done()
}

fn purpose(found: FoundLink<'_>) -> String {
    match &found.wanted {
        None => String::new(),
        Some(Why::Next) => "  (next page)".to_owned(),
        Some(Why::Detail { field, page_type }) => format!("  ({field}: read as {page_type})"),
    }
}

fn rows_table(template: &Template, name: &str, reading: &template::Reading) -> Result<(), Failure> {
    let Some(page) = template.page(name) else { return Ok(()) };
    let columns: Vec<_> = page.read.iter().map(|field| table::named(&field.name)).collect();
    let mut table = Table::new(&columns);
    for row in &reading.rows {
        table.row(row.values.iter().map(ToString::to_string).collect())?;
    }
    table.end_with_gap()?;
    Ok(())
}

fn coverage_table(template: &Template, name: &str, reading: &template::Reading) -> Result<(), Failure> {
    let Some(page) = template.page(name) else { return Ok(()) };
    let mut table = Table::new(&[
        table::words("FIELD"),
        table::words("KIND"),
        table::number("FOUND"),
        table::words("NOTE"),
    ]);
    for (field, coverage) in page.read.iter().zip(&reading.coverage) {
        let mut notes = Vec::new();
        if field.required && coverage.found < coverage.rows {
            notes.push(format!("required, missing in {}", coverage.rows - coverage.found));
        }
        if coverage.odd > 0 {
            notes.push(format!("{} understood only as text", coverage.odd));
        }
        let found = format!("{}/{}", coverage.found, coverage.rows);
        table.row(vec![field.name.clone(), field.kind.as_str().to_owned(), found, notes.join("; ")])?;
    }
    table.end_with_gap()?;
    Ok(())
}
