//! `gannet index`: make, list, rebuild and drop search indexes.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
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
             \"gannet search\" makes an index of a project by itself. Settings under `ranking` act at query time; \
             others make the index anew.",
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
        .subcommand(Command::new("status").about("Show how an index stands").arg(name()))
        .subcommand(Command::new("rebuild").about("Make an index again from what was crawled").arg(name()))
        .subcommand(Command::new("drop").about("Remove an index; what was crawled stays").arg(name()))
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let Some((verb, flags)) = flags.subcommand() else {
        return Err(Failure::usage(anyhow::anyhow!("say what to do: create, list, status, rebuild or drop")));
    };
    let name = || flags.get_one::<String>("name").cloned().unwrap_or_default();
    let request = match verb {
        "create" => IndexRequest::Create {
            name: name(),
            settings: Box::new(ranking::index_settings(flags)?),
            projects: flags.get_many::<String>("project").into_iter().flatten().cloned().collect(),
        },
        "status" => IndexRequest::Status { name: name() },
        "rebuild" => IndexRequest::Rebuild { name: name() },
        "drop" => IndexRequest::Drop { name: name() },
        _ => IndexRequest::List,
    };
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
            out.line(plain(&line))
        })?;
    }
    out.done()?;
    Ok(Exit::Done)
}
