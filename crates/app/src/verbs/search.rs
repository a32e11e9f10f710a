//! `gannet search`, `gannet suggest` and `gannet why-not`: asking an index.

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use search::Search;
use serde_json::Value;
use service::{CachedRequest, IndexRequest, Request, SearchRequest, SuggestRequest, WhyNot, WhyNotRequest};

use super::asking::{ask, ask_for};
use super::ranking::{self, ranking_args};
use super::table::{cut, plain, terminal_width};
use crate::output::Output;
use crate::{Context, Exit, Failure};

/// Letters shown of a row's value.
const LONGEST_VALUE: usize = 120;

fn index_arg() -> Arg {
    Arg::new("index")
        .long("index")
        .short('i')
        .value_name("NAME")
        .help("The index, or the project; those of the project that ran last unless said")
}

fn index_of(flags: &ArgMatches) -> Option<String> {
    flags.get_one::<String>("index").cloned()
}

/// Hits on a page.
fn limit(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=search::LARGEST_PAGE).contains(number));
    number.ok_or_else(|| format!("it must be from 1 to {}", search::LARGEST_PAGE))
}

fn text_of(flags: &ArgMatches, name: &str) -> String {
    flags.get_many::<String>(name).into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
}

pub(super) fn command() -> Command {
    Command::new("search")
        .about("Search what was crawled, also while a crawl runs")
        .after_help(
            "Examples:\n  \
             gannet search red chairs\n  \
             gannet search '\"folding chair\" AND (oak OR beech) -site:old.test price:10..50'\n  \
             gannet search chair --explain --set weights.title=2 --k 0.9\n  \
             gannet search chair --facet brand --sort -price --json\n\n\
             Words: any of them, pages with all of them first. AND OR NOT XOR NEAR NEAR/5 ( ), \"phrases\", +must -not,\n\
             title: text: url: anchor: site: filetype: lang: before: after: and the fields of rows,\n\
             ranges price:10..50, beginnings chair*, near spellings chiar~.\n\
             A query that begins with a minus goes behind \"--\".",
        )
        .arg(
            Arg::new("query")
                .value_name("QUERY")
                .required_unless_present("like")
                .num_args(1..)
                .help("What to look for; behind -- or in quotes where it begins with a minus"),
        )
        .arg(
            Arg::new("like")
                .long("like")
                .value_name("URL")
                .conflicts_with("query")
                .help("Pages and rows like this one, instead of a query"),
        )
        .arg(index_arg())
        .arg(
            Arg::new("limit")
                .long("limit")
                .short('n')
                .value_name("NUMBER")
                .value_parser(limit)
                .help("Hits on a page, 1 to 1000; 10 unless said"),
        )
        .arg(Arg::new("cursor").long("cursor").value_name("CURSOR").help("The next page, as the answer before named it"))
        .arg(
            Arg::new("sort")
                .long("sort")
                .value_name("COLUMN")
                .allow_hyphen_values(true)
                .help("By a number or date instead of the score; -COLUMN for the largest first"),
        )
        .arg(
            Arg::new("facet")
                .long("facet")
                .value_name("COLUMN")
                .action(ArgAction::Append)
                .help("Count the values of a column: site, lang, filetype, or one of the rows'"),
        )
        .arg(Arg::new("explain").long("explain").action(ArgAction::SetTrue).help("Show the way to each score"))
        .args(ranking_args())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let mut search = Search {
        query: text_of(flags, "query"),
        filters: Vec::new(),
        like: flags.get_one("like").cloned(),
        limit: flags.get_one("limit").copied(),
        cursor: flags.get_one("cursor").cloned(),
        sort: flags.get_one("sort").cloned(),
        facets: flags.get_many::<String>("facet").into_iter().flatten().cloned().collect(),
        known_facets: false,
        explain: flags.get_flag("explain"),
        ranking: None,
    };
    let index = index_of(flags);
    if ranking::changes(flags) {
        let base = own_ranking(context, index.as_deref())?;
        search.ranking = Some(ranking::changed(&base, flags)?);
    }
    let like = search.like.is_some();
    let request = Request::Search(SearchRequest { index, search });
    let mut out = Output::new();
    ask(context, &request, |answer| {
        if context.json {
            return out.line(answer);
        }
        lines(&answer, like, terminal_width()).iter().try_for_each(|line| out.line(plain(line)))
    })?;
    out.done()?;
    Ok(Exit::Done)
}

/// The ranking that the flags change: that of the index, or the usual one where there is no index yet.
pub(super) fn own_ranking(context: &Context, index: Option<&str>) -> Result<search::Ranking, Failure> {
    let mut ranking = None;
    let request = Request::Index(IndexRequest::Ranking { name: index.map(str::to_owned) });
    ask(context, &request, |row| {
        ranking = Some(serde_json::from_value(row)?);
        Ok(())
    })?;
    Ok(ranking.unwrap_or_default())
}

fn marked(value: &Value) -> String {
    let pieces = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let piece = |piece: &Value| {
        let text = piece["text"].as_str().unwrap_or_default();
        if piece["marked"].as_bool() == Some(true) { format!("[{text}]") } else { text.to_owned() }
    };
    pieces.iter().map(piece).collect()
}

/// How many hits there are, and what became of those that are not shown.
fn count(answer: &Value, like: bool) -> String {
    let number = |name: &str| answer[name].as_u64().unwrap_or_default();
    let mut line = match number("total") {
        0 => "nothing found".to_owned(),
        1 => "1 hit".to_owned(),
        total if like => format!("{total} hits"),
        total => format!("{total} hits, {} with all words", number("with_all_words")),
    };
    let left_out = |name: &str| answer["left_out"][name].as_u64().unwrap_or_default();
    let reasons = [
        ("blocked", "blocked by rules"),
        ("same_site", "more of the same site (per_site)"),
        ("duplicates", "that say the same as others"),
        ("cut", "below the share of the best score (cut)"),
    ];
    let reasons = reasons.map(|(name, words)| (left_out(name), words));
    let reasons = reasons.iter().filter(|(count, _)| *count > 0);
    let reasons: Vec<String> = reasons.map(|(count, words)| format!("{count} {words}")).collect();
    if !reasons.is_empty() {
        let shown = answer["hits"].as_array().map_or(0, Vec::len);
        let so_far = if answer["next"].is_string() { ", left out so far" } else { "" };
        line.push_str(&format!(", {shown} shown{so_far}: {}", reasons.join(", ")));
    }
    line
}

/// An answer for people, whose terminal is so wide.
fn lines(answer: &Value, like: bool, width: Option<usize>) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Some(index), Some(project)) = (answer["index"].as_str(), answer["instead_of"].as_str()) {
        lines.push(format!("in index {index}: project {project} has none of its own name"));
    }
    lines.push(count(answer, like));
    let list = |name: &str| answer[name].as_array().cloned().unwrap_or_default();
    let words: Vec<String> =
        list("ignored").iter().filter_map(|word| word.as_str().map(str::to_owned)).collect();
    if !words.is_empty() {
        lines.push(format!("too common to be looked for: {}", words.join(", ")));
    }
    for also in list("also") {
        let others: Vec<&str> = also[1].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let word = also[0].as_str().unwrap_or_default();
        // Something may have the word itself: `~` asks for near ones all the same.
        lines.push(format!("also looked for, near {word}: {}", others.join(", ")));
    }
    if let Some(meant) = answer["did_you_mean"].as_str() {
        lines.push(format!("did you mean: {meant}"));
    }
    for hit in list("hits") {
        lines.push(String::new());
        let title = marked(&hit["title"]);
        let title = if title.trim().is_empty() { "(no title)".to_owned() } else { title };
        let pinned = if hit["pinned"].as_bool() == Some(true) { ", pinned" } else { "" };
        let score = hit["score"].as_f64().unwrap_or_default();
        lines.push(format!("{}. {title}  ({score:.3}{pinned})", hit["place"]));
        lines.push(format!("   {}", hit["url"].as_str().unwrap_or_default()));
        let day = hit["date"].as_i64().and_then(search::day);
        let author = hit["author"].as_str().map(|author| format!("by {author}"));
        let known: Vec<String> = [author, day].into_iter().flatten().collect();
        if !known.is_empty() {
            lines.push(cut(&format!("   {}", known.join(" · ")), width));
        }
        match hit["near_duplicates"].as_u64() {
            None | Some(0) => {}
            Some(1) => lines.push("   1 near-duplicate".to_owned()),
            Some(others) => lines.push(format!("   {others} near-duplicates")),
        }
        for passage in hit["passages"].as_array().into_iter().flatten() {
            lines.push(format!("   {}", marked(passage)));
        }
        let mut fields = Vec::new();
        for field in hit["fields"].as_array().into_iter().flatten() {
            let value =
                field[1].as_object().and_then(|value| value.values().next()).cloned().unwrap_or_default();
            let value = value.as_array().and_then(|parts| parts.last().cloned()).unwrap_or(value);
            let value = cut(value.as_str().unwrap_or_default(), Some(LONGEST_VALUE));
            fields.push(format!("{}: {value}", field[0].as_str().unwrap_or_default()));
        }
        if !fields.is_empty() {
            lines.push(cut(&format!("   {}", fields.join(" · ")), width));
        }
        if hit["more_of_site"].as_bool() == Some(true) {
            lines.push("   more of this site: --set per_site=0".to_owned());
        }
        if let Ok(tree) = serde_json::from_value::<rank::Explanation>(hit["explanation"].clone()) {
            lines.extend(tree.to_string().lines().map(|line| format!("     {line}")));
        }
    }
    for facet in list("facets") {
        lines.push(String::new());
        lines.push(format!("{}:", facet["column"].as_str().unwrap_or_default()));
        for value in facet["values"].as_array().into_iter().flatten().take(20) {
            lines.push(format!("  {:>8}  {}", value[1], value[0].as_str().unwrap_or_default()));
        }
    }
    if let Some(next) = answer["next"].as_str() {
        lines.push(String::new());
        lines.push(format!("more: --cursor {next}"));
    }
    lines
}

pub(super) fn suggest_command() -> Command {
    Command::new("suggest")
        .about("Show what someone may be about to type: titles, anchors, queries, your own dictionary")
        .after_help("Example:\n  gannet suggest fold")
        .arg(Arg::new("typed").value_name("TEXT").required(true).num_args(1..).help("What was typed so far"))
        .arg(index_arg())
        .arg(
            Arg::new("limit")
                .long("limit")
                .short('n')
                .value_name("NUMBER")
                .value_parser(value_parser!(usize))
                .help("So many; 10 unless said"),
        )
}

pub(super) fn suggest(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let request = Request::Suggest(SuggestRequest {
        index: index_of(flags),
        typed: text_of(flags, "typed"),
        limit: flags.get_one("limit").copied(),
    });
    let mut out = Output::new();
    ask(context, &request, |row| match context.json {
        true => out.line(row),
        false => out.line(plain(row["text"].as_str().unwrap_or_default())),
    })?;
    out.done()?;
    Ok(Exit::Done)
}

pub(super) fn cached_command() -> Command {
    Command::new("cached")
        .about("Show a page as the index has it, with a query's words marked")
        .after_help("Example:\n  gannet cached https://shop.test/chair/7 folding")
        .arg(Arg::new("url").value_name("URL").required(true).help("The page"))
        .arg(Arg::new("query").value_name("QUERY").num_args(0..).help("Whose words to mark"))
        .arg(index_arg())
}

pub(super) fn cached(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let request = Request::Cached(CachedRequest {
        index: index_of(flags),
        url: flags.get_one::<String>("url").cloned().unwrap_or_default(),
        query: text_of(flags, "query"),
    });
    let mut out = Output::new();
    ask(context, &request, |copy| {
        if context.json {
            return out.line(copy);
        }
        out.line(plain(&marked(&copy["title"])))?;
        out.line(plain(copy["url"].as_str().unwrap_or_default()))?;
        copy["text"].as_array().into_iter().flatten().try_for_each(|line| out.line(plain(&marked(line))))
    })?;
    out.done()?;
    Ok(Exit::Done)
}

pub(super) fn why_not_command() -> Command {
    Command::new("why-not")
        .about("Explain why a page is missing or low for a query: from the crawl to its rank")
        .after_help("Example:\n  gannet why-not https://shop.test/chair/7 'folding chair'")
        .arg(Arg::new("url").value_name("URL").required(true).help("The page"))
        .arg(Arg::new("query").value_name("QUERY").required(true).num_args(1..).help("What was typed"))
        .arg(index_arg())
}

pub(super) fn why_not(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let request = Request::WhyNot(WhyNotRequest {
        index: index_of(flags),
        url: flags.get_one::<String>("url").cloned().unwrap_or_default(),
        query: text_of(flags, "query"),
    });
    let mut out = Output::new();
    if context.json {
        ask(context, &request, |row| out.line(row))?;
    } else {
        ask_for(context, &request, |answer: WhyNot| {
            out.line(plain(&answer.url))?;
            for step in &answer.chain {
                out.line(plain(&format!("  {step}")))?;
            }
            answer.advice.iter().try_for_each(|advice| out.line(plain(&format!("  → {advice}"))))
        })?;
    }
    out.done()?;
    Ok(Exit::Done)
}
