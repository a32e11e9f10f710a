//! `gannet export`: what was crawled, in a form that other tools read.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use base64::Engine as _;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use service::{ExportPart, ExportRequest, Request};

use super::asking::{ask_for, outcome_arg, outcomes, project, project_arg};
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("export")
        .about("Write what was crawled as WARC, JSON lines, CSV, SQLite or a sitemap")
        .after_help("Examples:\n  gannet export csv > pages.csv\n  gannet export sqlite --output shop.db")
        .arg(
            Arg::new("format")
                .value_name("FORMAT")
                .required(true)
                .value_parser(["warc", "jsonl", "csv", "sqlite", "sitemap"])
                .help("What to write"),
        )
        .arg(
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Where to; standard output unless said, which sqlite cannot use"),
        )
        .arg(Arg::new("force").long("force").action(ArgAction::SetTrue).help("Replace a file of that name"))
        .arg(outcome_arg().help("Only URLs with this outcome; give it again for more. WARC is always whole"))
        .arg(project_arg())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    // The file may be written by the process that owns the data, and that stands elsewhere.
    let path = flags.get_one::<PathBuf>("output").map(std::path::absolute).transpose()?;
    let request = Request::Export(ExportRequest {
        project: project(flags),
        format: flags.get_one::<String>("format").cloned().unwrap_or_default(),
        path,
        force: flags.get_flag("force"),
        outcomes: outcomes(flags),
    });
    let mut out = BufWriter::new(io::stdout().lock());
    let mut last = None;
    ask_for(context, &request, |part: ExportPart| match part {
        ExportPart::Piece { base64 } => {
            let bytes = base64::engine::general_purpose::STANDARD.decode(base64)?;
            out.write_all(&bytes).map_err(Failure::output)
        }
        ExportPart::Exported { .. } => {
            last = Some(part);
            Ok(())
        }
    })?;
    out.flush().map_err(Failure::output)?;
    drop(out);
    // Without a file, standard output is the export and nothing else.
    if let Some(ExportPart::Exported { rows, files, left_out }) = last
        && !context.quiet
    {
        if context.json && !files.is_empty() {
            let mut out = Output::new();
            out.line(serde_json::json!({ "rows": rows, "files": files, "left_out": left_out }))?;
            out.done()?;
        } else {
            let rows = rows.map(|rows| format!("{rows} rows")).unwrap_or_else(|| "the archive".to_owned());
            for file in &files {
                eprintln!("{rows} written to {}", file.display());
            }
        }
        if left_out > 0 {
            eprintln!("{left_out} rows did not fit or have no readable content");
        }
    }
    Ok(Exit::Done)
}
