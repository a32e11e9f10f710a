//! `gannet index`: make, list, rebuild and drop search indexes.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use search::IndexSettings;
use serde_json::{Map, Value};
use service::{IndexRequest, IndexStatus, Request};

use super::asking::{ask, ask_for};
use super::ranking;
use super::table::plain;
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    let name = || Arg::new("name").value_name("NAME").required(true).help("The index");
    Command::new("index")
        .about("Make, list, rebuild and drop search indexes")
        .after_help(
            "Examples:\n  \
             gannet index create shop --settings index.yaml\n  \
             gannet index create both --project shop --project blog\n  \
             gannet index status shop\n  \
             gannet index rebuild shop\n\n\
             \"gannet search\" makes an index of a project by itself. Settings under `ranking`, and the \
             weight, k, b and variable of fields, act at query time; others make the index anew.",
        )
        .subcommand_required(true)
        .subcommand(
            Command::new("create")
                .about("Make an index over projects, or give one new settings")
                .arg(name())
                .arg(
                    Arg::new("project")
                        .long("project")
                        .short('p')
                        .value_name("NAME")
                        .action(ArgAction::Append)
                        .help("A project to search; the one that ran last unless said"),
                )
                .arg(
                    Arg::new("settings")
                        .long("settings")
                        .value_name("FILE")
                        .value_parser(value_parser!(PathBuf))
                        .help("Index settings in YAML: of, analysis, fields, ranking, suggestions"),
                ),
        )
        .subcommand(Command::new("list").about("Show all indexes"))
        .subcommand(
            Command::new("status")
                .about("Show how an index stands, its columns and settings; all of them without a name")
                .arg(name().required(false)),
        )
        .subcommand(Command::new("rebuild").about("Make an index again from what was crawled").arg(name()))
        .subcommand(Command::new("drop").about("Remove an index; what was crawled stays").arg(name()))
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let Some((verb, flags)) = flags.subcommand() else {
        return Err(Failure::usage(anyhow::anyhow!("say what to do: create, list, status, rebuild or drop")));
    };
    let name = || flags.try_get_one::<String>("name").ok().flatten().cloned().unwrap_or_default();
    let request = match verb {
        "create" => IndexRequest::Create {
            name: name(),
            settings: Box::new(ranking::index_settings(flags)?),
            projects: flags.get_many::<String>("project").into_iter().flatten().cloned().collect(),
        },
        "status" if !name().is_empty() => IndexRequest::Status { name: name() },
        "rebuild" => IndexRequest::Rebuild { name: name() },
        "drop" => IndexRequest::Drop { name: name() },
        _ => IndexRequest::List,
    };
    let whole = verb == "status";
    let dropped = matches!(request, IndexRequest::Drop { .. });
    let request = Request::Index(request);
    let mut out = Output::new();
    if context.json {
        ask(context, &request, |row| out.line(row))?;
    } else if dropped {
        ask(context, &request, |_| out.line(format!("index {} dropped; what was crawled stays", name())))?;
    } else {
        ask_for(context, &request, |status: IndexStatus| {
            let language = status.language.as_deref().unwrap_or("none");
            let mut line = format!(
                "{}: {} documents of {}, {} segments, {:.1} MB, language {language}",
                status.name,
                status.documents,
                status.projects.join(", "),
                status.segments,
                status.bytes as f64 / 1e6
            );
            if status.behind > 0 {
                line.push_str(", not up to date");
            }
            out.line(plain(&line))?;
            let details = if whole { details(&status) } else { Vec::new() };
            details.iter().try_for_each(|line| out.line(plain(line)))
        })?;
    }
    out.done()?;
    Ok(Exit::Done)
}

/// The columns of an index, and those of its settings that differ from the usual.
fn details(status: &IndexStatus) -> Vec<String> {
    let columns = status.columns.iter().map(|column| format!("{} ({})", column.name, column.kind));
    let mut lines = vec![format!("  columns: {}", columns.collect::<Vec<_>>().join(", "))];
    let usual = serde_json::to_value(IndexSettings::default()).unwrap_or_default();
    let mut said = Vec::new();
    changed("", &status.settings, &usual, &mut said);
    said.retain(|line| !line.starts_with("projects: "));
    match said.is_empty() {
        true => lines.push("  settings: the usual ones".to_owned()),
        false => lines.extend(said.into_iter().map(|line| format!("  {line}"))),
    }
    lines
}

/// Settings that differ, each `a.name: value`.
fn changed(place: &str, value: &Value, usual: &Value, lines: &mut Vec<String>) {
    match (value, usual) {
        (value, usual) if value == usual || value.is_null() => {}
        (Value::Object(parts), Value::Object(usual)) => {
            for (name, part) in parts {
                let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                // What is usual of a field says nothing.
                let inner = match part {
                    Value::Object(_) => Value::Object(Map::new()),
                    _ => Value::Null,
                };
                changed(&place, part, usual.get(name).unwrap_or(&inner), lines);
            }
        }
        (value, _) => lines.push(format!("{place}: {value}")),
    }
}
