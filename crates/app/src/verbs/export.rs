//! `gannet export`: what was crawled, in a form that other tools read.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use service::{ExportPart, ExportRequest, Request, RowsRequest};

use super::asking::{ask_for, outcome_arg, outcomes, project, project_arg};
use super::rows;
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("export")
        .about("Write what was crawled as WARC, JSON lines, CSV, SQLite or a sitemap; rows also as JSON")
        .after_help(
            "Examples:\n  gannet export csv > pages.csv\n  gannet export sqlite --output shop.db\n  \
             gannet export rows csv > rows.csv\n  gannet export rows --where 'price<50' -o cheap.json",
        )
        .arg(
            Arg::new("format")
                .value_name("FORMAT")
                .required(true)
                .value_parser(["warc", "jsonl", "csv", "sqlite", "sitemap", "rows"])
                .help("What to write of pages; or rows, and then its format"),
        )
        .arg(
            Arg::new("rows-format")
                .value_name("ROWS FORMAT")
                .value_parser(["csv", "json", "jsonl", "sqlite"])
                .help("Format of rows; as the file's name says, or csv, unless said"),
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
        .arg(Arg::new("run").long("run").value_name("RUN").help("Rows as they stood after this run"))
        .args(rows::choosing_args())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    // The file may be written by the process that owns the data, and that stands elsewhere.
    let path = flags.get_one::<PathBuf>("output").map(std::path::absolute).transpose()?;
    let mut format = flags.get_one::<String>("format").cloned().unwrap_or_default();
    let mut rows = None;
    let asked = rows::choosing(flags);
    let of_rows = flags.get_one::<String>("rows-format");
    if format == "rows" {
        format = of_rows.cloned().unwrap_or_default();
        let of = flags.get_one::<String>("run").cloned();
        rows = Some(RowsRequest { of: of.or(project(flags).map(|name| name.to_string())), ..asked });
    } else if of_rows.is_some() || asked != RowsRequest::default() || flags.contains_id("run") {
        let words = "columns, conditions, order and runs are of rows only: gannet export rows";
        return Err(Failure::usage(anyhow::anyhow!(words)));
    }
    // A server elsewhere hands the bytes over; the file is written here.
    let (path, here) = match context.server {
        Some(_) => (None, path),
        None => (path, None),
    };
    if context.server.is_some() && format.is_empty() {
        let ending = here.as_ref().and_then(|path| path.extension()?.to_str());
        format =
            ending.filter(|ending| ["json", "jsonl", "sqlite"].contains(ending)).unwrap_or("csv").to_owned();
    }
    if context.server.is_some() && format == "sqlite" && here.is_none() {
        return Err(Failure::usage(anyhow::anyhow!("sqlite needs a file: name one with --output")));
    }
    let request = Request::Export(ExportRequest {
        project: project(flags),
        format,
        path,
        force: flags.get_flag("force"),
        outcomes: outcomes(flags),
        rows,
    });
    let out: Box<dyn Write> = match &here {
        Some(path) => Box::new(create(path, flags.get_flag("force"))?),
        None => Box::new(io::stdout().lock()),
    };
    let mut out = BufWriter::new(out);
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

fn create(path: &Path, force: bool) -> Result<File, Failure> {
    let file = if force { File::create(path) } else { File::create_new(path) };
    file.map_err(|error| {
        Failure::usage(anyhow::anyhow!("cannot write {}: {error}; --force replaces a file", path.display()))
    })
}
