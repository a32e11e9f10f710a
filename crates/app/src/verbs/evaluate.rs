//! `gannet evaluate`: how good a ranking is, by judged queries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use measure::{Comparison, Evaluation, Judgments, Measure};
use search::{Collection, Document, IndexSettings, Ranking, Searcher};
use serde::Deserialize;
use serde_json::json;
use service::{EvaluateRequest, Request};

use super::asking::ask;
use super::ranking::{self, ranking_args};
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
    };
    Command::new("evaluate")
        .about("Measure a ranking by judged queries: MAP, nDCG, precision, recall; compare two settings")
        .after_help(
            "Examples:\n  \
             gannet evaluate --collection cranfield\n  \
             gannet evaluate --collection cranfield --set k=2 --against k=1.2 --measure map\n  \
             gannet evaluate --queries queries.tsv --qrels qrels.tsv --set proximity=0\n\n\
             A collection is a folder with docs.jsonl ({id, title, text} a line), queries.tsv (id, text) and \
             qrels.tsv (query, document, grade), or TREC qrels.\nWith --against the same queries run under both \
             settings; p is the chance of such a difference if there were none.",
        )
        .arg(
            Arg::new("collection")
                .long("collection")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Documents, queries and judgments, indexed in memory; without it, an index is measured"),
        )
        .arg(
            Arg::new("index")
                .long("index")
                .short('i')
                .value_name("NAME")
                .conflicts_with_all(["collection", "settings"])
                .help("The index to measure: judgments name its documents by URL"),
        )
        .arg(file("queries", "Queries: id, tab, text").required_unless_present("collection"))
        .arg(
            file("qrels", "Judgments: TREC qrels, or query, document, grade").required_unless_present("collection"),
        )
        .arg(file("settings", "Index settings in YAML: analysis, fields, ranking"))
        .args(ranking_args())
        .arg(
            Arg::new("against")
                .long("against")
                .value_name("NAME=VALUE")
                .action(ArgAction::Append)
                .help("A second ranking to compare with: as --set, starting from the same settings"),
        )
        .arg(
            Arg::new("measure")
                .long("measure")
                .value_name("NAME")
                .action(ArgAction::Append)
                .value_parser(|text: &str| text.parse::<Measure>().map_err(|error| error.to_string()))
                .help("map, ndcg@k, p@k, mp@r, recall@k, rr, precision and recall of all that is returned (or set_precision, set_recall); the usual ones unless said"),
        )
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let Some(dir) = flags.get_one::<PathBuf>("collection") else { return of_index(context, flags) };
    let path =
        |name: &str, file: &str| flags.get_one::<PathBuf>(name).cloned().unwrap_or_else(|| dir.join(file));
    let settings = ranking::index_settings(flags)?;
    let documents = documents(&dir.join("docs.jsonl"))?;
    let queries = queries(&path("queries", "queries.tsv"))?;
    let qrels = path("qrels", "qrels.tsv");
    let judgments =
        Judgments::parse(&read(&qrels)?).map_err(|error| anyhow::anyhow!("{}: {error}", qrels.display()))?;
    let measures: Vec<Measure> = match flags.get_many::<Measure>("measure") {
        Some(measures) => measures.copied().collect(),
        None => Measure::USUAL.to_vec(),
    };
    let first = ranking::changed(&settings.ranking, flags)?;
    let second = match flags.get_many::<String>("against") {
        None => None,
        Some(changes) => Some(ranking::set(&settings.ranking, changes.map(String::as_str))?),
    };
    let collection = Collection::new(settings, &documents).map_err(ranking::failure)?;
    let evaluate = |ranking: &Ranking| {
        let run = |searcher: &Searcher<'_>| {
            search::evaluate(searcher, ranking, &queries, &judgments, &measures, |document| document.id)
        };
        collection.with(run).map_err(ranking::failure)
    };
    let evaluation = evaluate(&first)?;
    let compared = match second {
        None => None,
        Some(second) => {
            let other = evaluate(&second)?;
            let compare = |measure: &Measure| measure::compare(&measure.to_string(), &other, &evaluation);
            let compared: Result<Vec<_>, _> = measures.iter().map(compare).collect();
            Some((other, compared.map_err(anyhow::Error::from)?))
        }
    };
    print(context, &evaluation, compared.as_ref())
}

/// Measures an index of the data directory.
fn of_index(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let path = |name: &str| flags.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    let index = flags.get_one::<String>("index").cloned();
    let own = super::search::own_ranking(context, index.as_deref())?;
    let request = Request::Evaluate(EvaluateRequest {
        index,
        queries: queries(&path("queries"))?,
        judgments: read(&path("qrels"))?,
        ranking: ranking::changed(&own, flags)?,
        against: match flags.get_many::<String>("against") {
            None => None,
            Some(changes) => Some(ranking::set(&own, changes.map(String::as_str))?),
        },
        measures: flags
            .get_many::<Measure>("measure")
            .into_iter()
            .flatten()
            .map(Measure::to_string)
            .collect(),
    });
    let mut exit = Ok(Exit::Done);
    ask(context, &request, |answer| {
        if context.json {
            let mut out = Output::new();
            out.line(answer)?;
            return out.done();
        }
        let evaluation: Evaluation = serde_json::from_value(answer.clone())?;
        let comparisons: Option<Vec<Comparison>> = serde_json::from_value(answer["comparison"].clone())?;
        exit = print(context, &evaluation, comparisons.map(|all| (Evaluation::default(), all)).as_ref());
        Ok(())
    })?;
    exit
}

fn print(
    context: &Context,
    evaluation: &Evaluation,
    compared: Option<&(Evaluation, Vec<Comparison>)>,
) -> Result<Exit, Failure> {
    let mut out = Output::new();
    if context.json {
        let mut answer = json!(evaluation);
        if let Some((against, comparisons)) = compared {
            answer["against"] = json!(against);
            answer["comparison"] = json!(comparisons);
        }
        out.line(answer)?;
        out.done()?;
        return Ok(Exit::Done);
    }
    out.line(format!("{} judged queries", evaluation.queries.len()))?;
    for (name, value) in &evaluation.mean {
        let comparison = compared.and_then(|(_, all)| all.iter().find(|one| one.measure == *name));
        match comparison {
            None => out.line(format!("  {name:<14} {value:.4}"))?,
            Some(one) => out.line(format!(
                "  {name:<14} {value:.4}  against {:.4}  {:+.4}  p {:.3}  {} better, {} worse, {} equal",
                one.before,
                one.after - one.before,
                one.p,
                one.better,
                one.worse,
                one.equal
            ))?,
        }
    }
    out.done()?;
    Ok(Exit::Done)
}

#[derive(Deserialize)]
struct Line {
    id: serde_json::Value,
    #[serde(default)]
    title: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    url: String,
}

fn documents(path: &Path) -> Result<Vec<Document>, Failure> {
    let text = read(path)?;
    let mut documents = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Line = serde_json::from_str(line)
            .map_err(|error| anyhow::anyhow!("{}, line {}: {error}", path.display(), number + 1))?;
        let id = match line.id {
            serde_json::Value::String(id) => id,
            other => other.to_string(),
        };
        documents.push(Document {
            id,
            title: line.title,
            text: line.text,
            url: line.url,
            ..Document::default()
        });
    }
    Ok(documents)
}

fn queries(path: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let text = read(path)?;
    let mut queries = BTreeMap::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Some((id, query)) = line.split_once('\t') else {
            let place = format!("{}, line {}", path.display(), number + 1);
            return Err(anyhow::anyhow!("{place}: a query is an id, a tab and its text").into());
        };
        queries.insert(id.trim().to_owned(), query.trim().to_owned());
    }
    Ok(queries)
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| anyhow::anyhow!("cannot read {}: {error}", path.display()).into())
}

/// The settings of a file, or the usual ones.
pub(super) fn settings_of(path: Option<&PathBuf>) -> Result<IndexSettings, Failure> {
    match path {
        None => Ok(IndexSettings::default()),
        Some(path) => {
            let text = read(path)?;
            IndexSettings::read(&text)
                .map_err(|error| Failure::usage(anyhow::anyhow!("{}: {error}", path.display())))
        }
    }
}
