//! `gannet try`: what a project would read from one page and which links it would follow, without a crawl.
//!
//! Page, rows and links come from the code that the crawl runs, so the preview is what a run does.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::{Arg, ArgMatches, Command, value_parser};
use crawl::{FoundLink, LinkRefusal, Network, PageRead, PageReader, WallClock, single_page};
use frontier::Rules;
use model::{Fetched, PageUrl, Project, Template, Timestamp};
use serde_json::{Map, json};
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
    let reader = PageReader::new(&project, PageReader::product(&project.crawl))
        .map_err(|error| Failure::usage(anyhow!(error)))?;
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
    let read = reader.read(&fetched);
    let links = verdicts(&project, &read);
    if context.json {
        show_json(&project, &fetched.url, &read, &links)?;
    } else {
        show(&project, &fetched.url, &read, &links)?;
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

/// A link, and why it would not be followed.
struct Verdict<'a> {
    found: &'a FoundLink,
    refusal: Option<String>,
}

fn verdicts<'a>(project: &Project, read: &'a PageRead) -> Vec<Verdict<'a>> {
    let rules = Rules::new(&project.crawl, &project.start);
    let mut seen = std::collections::HashSet::new();
    let links = read.links.iter().filter(|found| seen.insert((&found.link.url, found.refusal.is_none())));
    links
        .map(|found| {
            let refusal = match found.refusal {
                Some(LinkRefusal::Nofollow) => Some("nofollow".to_owned()),
                Some(LinkRefusal::Canonical) => {
                    Some("a canonical link, and honour_canonical is off".to_owned())
                }
                Some(LinkRefusal::OutsideScope) => {
                    Some("outside the links to follow (links, links_in)".to_owned())
                }
                // How deep the page stands is not known here; a crawl asks for the depth as well.
                None => rules.refusal(&found.link.url, 1).map(|outcome| outcome.to_string()),
            };
            Verdict { found, refusal }
        })
        .collect()
}

fn show(project: &Project, url: &PageUrl, read: &PageRead, links: &[Verdict<'_>]) -> Result<(), Failure> {
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

fn purpose(found: &FoundLink) -> String {
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

fn show_json(
    project: &Project,
    url: &PageUrl,
    read: &PageRead,
    links: &[Verdict<'_>],
) -> Result<(), Failure> {
    let reading = read.reading.as_ref();
    let page_type = reading.and_then(|reading| reading.page_type.as_deref());
    let page = project.fields.as_ref().zip(page_type).and_then(|(template, name)| template.page(name));
    let row = |row: &model::Row| {
        let names = page.map(|page| page.read.as_slice()).unwrap_or_default();
        let values: Map<String, serde_json::Value> = names
            .iter()
            .zip(&row.values)
            .map(|(field, value)| (field.name.clone(), value.to_json()))
            .collect();
        json!({ "position": row.position, "key": row.key.to_string(), "incomplete": row.incomplete, "values": values })
    };
    let coverage = |coverage: &template::Coverage| json!({ "field": coverage.field, "rows": coverage.rows, "found": coverage.found, "odd": coverage.odd });
    let link = |link: &Verdict<'_>| {
        let wanted = link.found.wanted.as_ref().map(|why| match why {
            Why::Next => json!({ "next": true }),
            Why::Detail { field, page_type } => json!({ "field": field, "page": page_type }),
        });
        json!({ "url": link.found.link.url, "follow": link.refusal.is_none(), "reason": link.refusal, "wanted": wanted })
    };
    let mut out = Output::new();
    out.line(json!({
        "url": url,
        "title": read.page.title,
        "page_type": page_type,
        "rows": reading.map(|reading| reading.rows.iter().map(row).collect::<Vec<_>>()).unwrap_or_default(),
        "coverage": reading.map(|reading| reading.coverage.iter().map(coverage).collect::<Vec<_>>()).unwrap_or_default(),
        "cut": reading.is_some_and(|reading| reading.cut),
        "links": links.iter().map(link).collect::<Vec<_>>(),
    }))?;
    out.done()
}
