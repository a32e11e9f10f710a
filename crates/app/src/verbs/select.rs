//! `gannet select`: what an expression finds on a page.

use std::io;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use html::select::{SelectError, Selector};
use serde::Deserialize;
use serde_json::{Value, json};
use service::tools::select;

use crate::output::Output;
use crate::{Context, Exit, Failure, batch, page};

pub(super) fn command() -> Command {
    let switch = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("select")
        .about("Show what a CSS selector or XPath expression finds on a page")
        .after_help(
            "Examples:\n  \
             gannet select page.html 'li.item > a::attr(href)'\n  \
             gannet select page.html '//li[@class=\"item\"]/a/@href'\n  \
             gannet select page.html 'count(//li)'\n  \
             echo '{\"html\": \"<p>a<p>b\", \"xpath\": \"//p[2]\"}' | gannet select --batch\n\n\
             An expression that begins with a path, a bracket, an axis or a function is taken for XPath 1.0, any \
             other for CSS.\nNumbers that JSON has not are written as \"NaN\", \"Infinity\" and \"-Infinity\".",
        )
        .arg(
            Arg::new("page")
                .value_name("FILE|URL")
                .required_unless_present("batch")
                .help("The page: a file, - for standard input, or a URL, asked for once"),
        )
        .arg(
            Arg::new("expression")
                .value_name("EXPRESSION")
                .required_unless_present("batch")
                .allow_hyphen_values(true)
                .help("What to look for"),
        )
        .arg(switch("css", "Take the expression for CSS").conflicts_with("xpath"))
        .arg(switch("xpath", "Take the expression for XPath"))
        .arg(
            switch(
                "batch",
                "Read JSON lines {html | file, xpath | css}; write {type, values} or {error, position} for each",
            )
            .conflicts_with_all(["page", "expression", "css", "xpath"]),
        )
        .args(page::args())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    if flags.get_flag("batch") {
        let answer = |question: Question| question.answer().unwrap_or_else(|problem| problem);
        batch::run(io::stdin().lock(), io::stdout().lock(), answer).map_err(Failure::output)?;
        return Ok(Exit::Done);
    }
    let argument = |name| flags.get_one::<String>(name).map(String::as_str).unwrap_or_default();
    let expression = argument("expression");
    let compile = match (flags.get_flag("css"), flags.get_flag("xpath")) {
        (true, _) => Selector::css,
        (_, true) => Selector::xpath,
        _ => Selector::guess,
    };
    let selector =
        compile(expression).map_err(|error| Failure::usage(anyhow::anyhow!("{expression:?} {error}")))?;
    let (html, _) = page::read(argument("page"), flags)?;
    let answer = select(&html, &selector).map_err(|error| Failure::new(Exit::Failed, error))?;
    let mut out = Output::new();
    if context.json {
        out.line(json!(answer))?;
    } else {
        for value in &answer.values {
            match value {
                Value::String(text) => out.line(one_line(text))?,
                other => out.line(other)?,
            }
        }
    }
    out.done()?;
    Ok(Exit::Done)
}

/// A page and an expression.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    html: Option<String>,
    file: Option<String>,
    xpath: Option<String>,
    css: Option<String>,
}

impl Question {
    /// The answer, or what is wrong.
    fn answer(self) -> Result<Value, Value> {
        let wrong = |problem: String| json!({ "error": problem });
        let misplaced = |error: SelectError| json!({ "error": error.reason, "position": error.position });
        let selector = match (&self.xpath, &self.css) {
            (Some(xpath), None) => Selector::xpath(xpath).map_err(misplaced)?,
            (None, Some(css)) => Selector::css(css).map_err(misplaced)?,
            _ => return Err(wrong("give one of xpath and css".to_owned())),
        };
        let html = match (self.html, self.file) {
            (Some(html), None) => html,
            (None, Some(file)) => {
                page::read_file(Path::new(&file)).map_err(|error| wrong(format!("{file}: {error}")))?
            }
            _ => return Err(wrong("give one of html and file".to_owned())),
        };
        Ok(json!(select(&html, &selector).map_err(|error| wrong(error.to_string()))?))
    }
}

/// A value on one line: line breaks would look like the next value.
pub(super) fn one_line(text: &str) -> String {
    text.trim().replace(['\r', '\n'], " ")
}
