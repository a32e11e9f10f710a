//! `gannet detect`: the lists on a page, and the project file that reads one of them.

use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use model::{PageUrl, Project};
use service::ServiceError;
use service::tools::detect;
use template::detect::{Detection, Expression, Field};

use super::select::one_line;
use crate::output::Output;
use crate::{Context, Exit, Failure, page};

/// Rows shown of each list.
const SHOWN: usize = 3;

pub(super) fn command() -> Command {
    Command::new("detect")
        .about("Find the repeated lists on a page and write the project file that reads one")
        .after_help(
            "Examples:\n  \
             gannet detect https://shop.example/list\n  \
             gannet detect https://shop.example/list --output shop.yaml\n  \
             gannet detect page.html --base https://shop.example/list --list 2\n\n\
             Lists are ranked by how much they tell. Every selector shown was tried: it selects exactly these rows and \
             fields.",
        )
        .arg(
            Arg::new("page")
                .value_name("URL|FILE")
                .required(true)
                .help("The page: a URL, asked for once, a file, or - for standard input"),
        )
        .arg(
            Arg::new("base")
                .long("base")
                .value_name("URL")
                .value_parser(|text: &str| PageUrl::parse(text).map_err(|error| error.to_string()))
                .help("Where a file's page is from: the start of the project"),
        )
        .arg(
            Arg::new("list")
                .long("list")
                .value_name("N")
                .value_parser(value_parser!(u8).range(1..))
                .default_value("1")
                .help("Which list the project reads"),
        )
        .arg(
            Arg::new("no-detail")
                .long("no-detail")
                .action(ArgAction::SetTrue)
                .help("Do not ask for the first row's own page to propose its fields"),
        )
        .arg(
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("FILE")
                .help("Write the project file here; an existing file is not overwritten"),
        )
        .args(page::args())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let name = flags.get_one::<String>("page").map(String::as_str).unwrap_or_default();
    let (html, from) = page::read(name, flags)?;
    let base = flags.get_one::<PageUrl>("base").cloned().or(from);
    let chosen = usize::from(flags.get_one::<u8>("list").copied().unwrap_or(1)) - 1;
    let mut found = detect(&html, chosen).map_err(|error| {
        let exit = if matches!(error, ServiceError::NothingThere(_)) { Exit::Failed } else { Exit::Usage };
        Failure::new(exit, anyhow::anyhow!("{name}: {error}"))
    })?;
    // Not without asking: a file has no pages behind its rows. One that cannot be had proposes nothing.
    if let Some(from) = base.as_ref().filter(|_| is_url(name) && !flags.get_flag("no-detail"))
        && let Some(url) = found.detail_page(from)
        && let Ok((html, at)) = page::read(url.as_str(), flags)
    {
        found.with_detail(from, &html, &at.unwrap_or(url));
    }
    let project = base.map(|start| found.project(&start));
    let yaml = project.as_ref().map(Project::to_yaml);
    if let Some(file) = flags.get_one::<String>("output") {
        let yaml = yaml.as_deref().ok_or_else(|| {
            Failure::usage(anyhow::anyhow!(
                "{name}: say with --base where the page is from: a project starts there"
            ))
        })?;
        write_new(Path::new(file), yaml)?;
    }
    let mut out = Output::new();
    if context.json {
        out.line(found.to_json(project.as_ref()))?;
    } else {
        show(&mut out, &found.detection)?;
        match (flags.get_one::<String>("output"), &yaml) {
            (Some(file), _) => {
                out.line(format!("\nWritten to {file}. Try it: gannet crawl --project {file}"))?
            }
            (None, Some(yaml)) => out.line(format!("\n{yaml}"))?,
            (None, None) => {
                out.line("\nWith --base URL the project file is shown, with --output FILE it is written.")?
            }
        }
    }
    out.done()?;
    Ok(Exit::Done)
}

fn is_url(name: &str) -> bool {
    name.starts_with("http://") || name.starts_with("https://")
}

fn show(out: &mut Output, detection: &Detection) -> Result<(), Failure> {
    for (at, list) in detection.lists.iter().enumerate() {
        if at > 0 {
            out.line("")?;
        }
        out.line(format!("{}. {} rows by {}", at + 1, list.rows.len(), text(&list.row)))?;
        for (place, field) in list.fields.iter().enumerate() {
            let detail = if list.detail == Some(place) { ", leads to each row's page" } else { "" };
            let share = (field.coverage * 100.0).floor();
            let what = format!("{} in {share:.0} %{detail}", field.kind.as_str());
            out.line(format!("   {:<14} {} ({what})", field.name, selector(field)))?;
            let values = field.values.iter().filter(|values| !values.is_empty()).take(SHOWN);
            let values: Vec<String> = values.map(|values| cut(&one_line(&values.join("; ")))).collect();
            out.line(format!("   {:<14} {}", "", values.join(" | ")))?;
        }
    }
    if let Some(next) = &detection.next {
        out.line(format!("\nThe list goes on at {}, by {}", one_line(&next.href), text(&next.selector)))?;
    }
    Ok(())
}

fn text(expression: &Expression) -> &str {
    expression.as_str()
}

fn selector(field: &Field) -> String {
    match field.attribute {
        Some(attribute) => format!("{} @{attribute}", text(&field.selector)),
        None => text(&field.selector).to_owned(),
    }
}

fn cut(value: &str) -> String {
    if value.chars().count() <= 40 {
        value.to_owned()
    } else {
        value.chars().take(39).chain(['…']).collect()
    }
}

fn write_new(path: &Path, yaml: &str) -> Result<(), Failure> {
    let mut file = std::fs::File::create_new(path)
        .map_err(|error| Failure::usage(anyhow::anyhow!("{}: {error}; name another file", path.display())))?;
    std::io::Write::write_all(&mut file, yaml.as_bytes())
        .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    Ok(())
}
