//! `gannet graph`: the links of a crawl: to a URL, from it, or all of them into a file.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command, value_parser};
use service::{GraphLink, GraphRequest, LinkWeights, LinksOf, Request};

use super::asking::{ask_for, limit_arg, print_json, project, project_arg};
use super::table::{Table, number, text};
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    let url = || Arg::new("url").value_name("URL").required(true).help("The URL, in any spelling");
    let weights = || {
        Arg::new("weights")
            .long("weights")
            .value_name("NAME=NUMBERS …")
            .value_parser(value_parser!(LinkWeights))
            .help("What links weigh: visibility=1,2,3 position=1,2,3 distance=1,3,5 nofollow=0")
    };
    let limit = || limit_arg("At most so many");
    Command::new("graph")
        .about("Show or export the links that a crawl found")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("to")
                .about("Links that lead to a URL, with their words and looks")
                .args([url(), weights(), limit(), project_arg()]),
        )
        .subcommand(
            Command::new("from")
                .about("Links of a page, with their words and looks")
                .args([url(), weights(), limit(), project_arg()]),
        )
        .subcommand(
            Command::new("export")
                .about("All links, for other programs")
                .after_help(
                    "edges: source, target and weight, apart by tabs, as gannet rank --edges reads them; links of weight 0 \
                     are left out.\n\nExamples:\n  gannet graph export -o links.tsv\n  \
                     gannet graph export --format graphml -o links.graphml",
                )
                .arg(
                    Arg::new("format")
                        .long("format")
                        .value_name("FORMAT")
                        .value_parser(["edges", "graphml"])
                        .default_value("edges")
                        .help("A list of edges, or GraphML with all that is known of each link"),
                )
                .arg(
                    Arg::new("output")
                        .long("output")
                        .short('o')
                        .value_name("FILE")
                        .value_parser(value_parser!(PathBuf))
                        .help("Where to; standard output unless said"),
                )
                .args([weights(), limit(), project_arg()]),
        )
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let Some((verb, flags)) = flags.subcommand() else { return Ok(Exit::Usage) };
    let url = || flags.get_one::<String>("url").cloned().unwrap_or_default();
    let links = match verb {
        "to" => LinksOf::To(url()),
        "from" => LinksOf::From(url()),
        _ => LinksOf::All,
    };
    let request = Request::Graph(GraphRequest {
        project: project(flags),
        links,
        weights: flags.get_one::<LinkWeights>("weights").copied(),
        limit: flags.get_one::<u64>("limit").copied(),
    });
    match verb {
        "export" => export(context, flags, &request),
        _ if context.json => print_json(context, &request),
        _ => show(context, &request, verb == "to"),
    }
}

fn show(context: &Context, request: &Request, to: bool) -> Result<Exit, Failure> {
    let other = if to { "FROM" } else { "TO" };
    let columns =
        [number("WEIGHT"), number("LOOK"), number("PLACE"), number("FAR"), text(other), text("WORDS")];
    let mut table = Table::new(&columns);
    ask_for(context, request, |link: GraphLink| {
        let url = if to { link.source } else { link.target };
        table.row(vec![
            link.weight.to_string(),
            link.visibility.to_string(),
            link.position.to_string(),
            link.distance.to_string(),
            url.to_string(),
            link.anchor,
        ])
    })?;
    if table.end()? == 0 && !context.quiet {
        eprintln!("gannet: the crawl knows no such links");
    }
    Ok(Exit::Done)
}

fn export(context: &Context, flags: &ArgMatches, request: &Request) -> Result<Exit, Failure> {
    let path = flags.get_one::<PathBuf>("output");
    let mut out: Box<dyn Write> = match path {
        Some(path) => {
            let file = File::create(path).with_context(|| format!("cannot write {}", path.display()));
            Box::new(BufWriter::new(file.map_err(Failure::usage)?))
        }
        None => Box::new(BufWriter::new(std::io::stdout().lock())),
    };
    let graphml = flags.get_one::<String>("format").is_some_and(|format| format == "graphml");
    let mut text = String::new();
    if graphml {
        text.push_str(GRAPHML);
    }
    let mut seen = std::collections::HashSet::new();
    let mut links = 0_u64;
    ask_for(context, request, |link: GraphLink| {
        if graphml {
            for url in [link.source.as_str(), link.target.as_str()] {
                if seen.insert(url.to_owned()) {
                    let _ = writeln!(text, "<node id=\"{}\"/>", Escaped(url));
                }
            }
            edge(&mut text, &link);
        } else if link.weight > 0.0 {
            let _ = writeln!(text, "{}\t{}\t{}", link.source, link.target, link.weight);
        } else {
            return Ok(());
        }
        links += 1;
        out.write_all(text.as_bytes()).map_err(Failure::output)?;
        text.clear();
        Ok(())
    })?;
    if graphml {
        text.push_str("</graph>\n</graphml>\n");
    }
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::output)?;
    if let Some(path) = path.filter(|_| !context.quiet) {
        eprintln!("{links} links written to {}", path.display());
    }
    Ok(Exit::Done)
}

const GRAPHML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">
<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>
<key id=\"anchor\" for=\"edge\" attr.name=\"anchor\" attr.type=\"string\"/>
<key id=\"visibility\" for=\"edge\" attr.name=\"visibility\" attr.type=\"int\"/>
<key id=\"position\" for=\"edge\" attr.name=\"position\" attr.type=\"int\"/>
<key id=\"distance\" for=\"edge\" attr.name=\"distance\" attr.type=\"int\"/>
<key id=\"nofollow\" for=\"edge\" attr.name=\"nofollow\" attr.type=\"boolean\"/>
<graph edgedefault=\"directed\">
";

fn edge(text: &mut String, link: &GraphLink) {
    let _ = writeln!(
        text,
        "<edge source=\"{}\" target=\"{}\"><data key=\"weight\">{}</data><data key=\"anchor\">{}</data>\
         <data key=\"visibility\">{}</data><data key=\"position\">{}</data><data key=\"distance\">{}</data>\
         <data key=\"nofollow\">{}</data></edge>",
        Escaped(link.source.as_str()),
        Escaped(link.target.as_str()),
        link.weight,
        Escaped(&link.anchor),
        link.visibility,
        link.position,
        link.distance,
        link.nofollow,
    );
}

/// A text within XML.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                // XML has no other control characters, and ends with U+FFFE.
                '\t' | '\n' | '\r' => f.write_str(" ")?,
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_cannot_break_the_xml() {
        assert_eq!(Escaped("a<b>&\"c\u{1}\n").to_string(), "a&lt;b&gt;&amp;&quot;c\u{fffd} ");
    }
}
