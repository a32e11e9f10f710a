//! `gannet rows`: what templates read, as a table or JSON lines; `--follow` shows rows as they come.

use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};
use service::{Condition, Mark, Request, RowsPart, RowsRequest, SortBy};

use super::asking::{ask_for, limit_arg, runtime};
use super::table::{Table, named, plain};
use crate::output::Output;
use crate::{Context, Exit, Failure};

/// How often `--follow` asks.
const EVERY: Duration = Duration::from_millis(500);

pub(super) fn command() -> Command {
    Command::new("rows")
        .about("Show the rows that were read from pages")
        .after_help(
            "Examples:\n  gannet rows --where 'price<50' --where 'title~tent' --sort -price --limit 20\n  \
             gannet rows shop --status changed --json\n\n\
             Besides the fields there are the columns _page, _type, _position, _key, _parent, _read, _incomplete\n\
             and _status, and NAME_currency of a price.",
        )
        .arg(of_arg())
        .arg(
            Arg::new("follow")
                .long("follow")
                .short('f')
                .action(ArgAction::SetTrue)
                .conflicts_with("sort")
                .help("Go on with rows as they come, until the crawl ends"),
        )
        .args(choosing_args())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let of = flags.get_one::<String>("of").cloned();
    let mut request = RowsRequest { of, ..choosing(flags) };
    let mut shown = Shown::new(context);
    let mut left = request.limit;
    let drifted = loop {
        let (mut next, mut live, mut rows, mut drifted) = (0, false, 0, Vec::new());
        ask_for(context, &Request::Rows(request.clone()), |part: RowsPart| match part {
            RowsPart::Columns { names } => shown.columns(&names),
            RowsPart::Row { cells } => shown.row(cells),
            RowsPart::End { rows: sent, next: place, live: going, drift } => {
                (rows, next, live, drifted) = (sent, place, going, drift);
                Ok(())
            }
        })?;
        left = left.map(|left| left.saturating_sub(rows));
        if !flags.get_flag("follow") || !live || left == Some(0) {
            break drifted;
        }
        shown.flush()?;
        (request.after, request.limit) = (Some(next), left);
        runtime()?.block_on(async { tokio::time::sleep(EVERY).await });
    };
    if shown.end()? == 0 && !context.quiet {
        eprintln!("no row is like that");
    }
    for drift in drifted.iter().filter(|_| !context.quiet) {
        eprintln!("drift: {}", plain(&drift.to_string()));
    }
    Ok(Exit::Done)
}

/// `PROJECT` or `RUN`.
fn of_arg() -> Arg {
    Arg::new("of")
        .value_name("PROJECT|RUN")
        .help("Of this project, or as they stood after the run of this number; of what ran last unless said")
}

/// The flags that say which rows, in which order, and what of them.
pub(super) fn choosing_args() -> [Arg; 6] {
    [
        Arg::new("where")
            .long("where")
            .value_name("CONDITION")
            .action(ArgAction::Append)
            .value_parser(|text: &str| text.parse::<Condition>())
            .help("Only rows with, e.g., price<50, title~tent, brand=Acme, \"brand empty\"; all given must hold"),
        Arg::new("columns")
            .long("columns")
            .value_name("NAME,…")
            .action(ArgAction::Append)
            .value_delimiter(',')
            .help("These columns, in this order; all fields unless said"),
        Arg::new("sort")
            .long("sort")
            .value_name("NAME")
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .help("Sort by this column, -NAME begins with the largest; give it again for ties"),
        limit_arg("At most so many rows"),
        Arg::new("type").long("type").value_name("PAGE TYPE").help("Only rows read as this page type"),
        Arg::new("status")
            .long("status")
            .value_name("STATUS")
            .action(ArgAction::Append)
            .value_delimiter(',')
            .value_parser(Mark::ALL.map(Mark::name))
            .help("Only rows of which this became since the run before"),
    ]
}

/// What `choosing_args` were given.
pub(super) fn choosing(flags: &ArgMatches) -> RowsRequest {
    let texts = |name: &str| flags.get_many::<String>(name).into_iter().flatten().cloned();
    RowsRequest {
        conditions: flags.get_many::<Condition>("where").into_iter().flatten().cloned().collect(),
        columns: texts("columns").collect(),
        sort: texts("sort").map(SortBy::from).collect(),
        limit: flags.get_one::<u64>("limit").copied(),
        page_type: flags.get_one::<String>("type").cloned(),
        status: marks(flags),
        ..RowsRequest::default()
    }
}

/// What `--status` was given.
pub(super) fn marks(flags: &ArgMatches) -> Vec<Mark> {
    let names: Vec<&String> = flags.get_many::<String>("status").into_iter().flatten().collect();
    Mark::ALL.into_iter().filter(|mark| names.iter().any(|name| *name == mark.name())).collect()
}

/// A cell as people read it.
pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(cell).collect::<Vec<_>>().join("; "),
        Value::Object(price) if price.len() == 2 && price.contains_key("amount") => {
            let currency = price.get("currency").and_then(Value::as_str).unwrap_or_default();
            format!("{} {currency}", price["amount"]).trim_end().to_owned()
        }
        other => other.to_string(),
    }
}

/// Rows on standard output.
struct Shown {
    json: bool,
    names: Vec<String>,
    table: Option<Table>,
    out: Option<Output>,
    rows: u64,
}

impl Shown {
    fn new(context: &Context) -> Shown {
        Shown { json: context.json, names: Vec::new(), table: None, out: None, rows: 0 }
    }

    fn columns(&mut self, names: &[String]) -> Result<(), Failure> {
        self.names = names.to_vec();
        if self.json {
            self.out.get_or_insert_with(Output::new);
        } else if self.table.is_none() {
            let columns: Vec<_> = names.iter().map(|name| named(name)).collect();
            self.table = Some(Table::new(&columns));
        }
        Ok(())
    }

    fn row(&mut self, cells: Map<String, Value>) -> Result<(), Failure> {
        self.rows += 1;
        if let Some(out) = &mut self.out {
            return out.line(Value::Object(cells));
        }
        let cells = self.names.iter().map(|name| cells.get(name).map(cell).unwrap_or_default()).collect();
        self.table.as_mut().map_or(Ok(()), |table| table.row(cells))
    }

    /// What came so far is to be seen now.
    fn flush(&mut self) -> Result<(), Failure> {
        match (&mut self.table, &mut self.out) {
            (Some(table), _) => table.flush(),
            (None, Some(out)) => out.flush(),
            (None, None) => Ok(()),
        }
    }

    fn end(self) -> Result<u64, Failure> {
        if let Some(table) = self.table {
            table.end()?;
        }
        if let Some(out) = self.out {
            out.done()?;
        }
        Ok(self.rows)
    }
}
