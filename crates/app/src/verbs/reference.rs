//! `gannet reference`: every key of a project file, as a page of prose and tables.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use model::{CrawlSettings, Project, Setting, SettingKind, Template};

use crate::output::Output;
use crate::{Context, Exit, Failure, settings};

pub(super) fn command() -> Command {
    Command::new("reference")
        .about("Print the reference of project files (Markdown): each key, its flag and its variable")
        .after_help(
            "Examples:\n  gannet reference > docs/project.md\n  gannet reference --api > ui/openapi.json",
        )
        .arg(
            Arg::new("api")
                .long("api")
                .action(ArgAction::SetTrue)
                .help("The description of the HTTP API (OpenAPI) instead"),
        )
}

pub(super) fn run(_: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let mut out = Output::new();
    out.text(&if flags.get_flag("api") { api() } else { page() })?;
    out.done()?;
    Ok(Exit::Done)
}

const INTRODUCTION: &str = "\
# Project files

<!-- Made by `gannet reference` from the settings' own documentation; change it there. -->

One YAML file describes a project. `gannet crawl -p shop.yaml` crawls it:

```yaml
version: 1
project: shop
start: [https://shop.test/list]
crawl: {scope: host, max_depth: 5, max_pages: 100, rate: 1/s, exclude: [\"/calendar/*\"]}
```

Each key under `crawl` is also a flag of `gannet crawl` and a variable of the environment. Later wins, key by key:
default, file, environment, flag. A list from a later layer replaces the earlier one. A flag of a list is given once
for each item; a variable holds one item a line. Unknown keys are refused with their place and the nearest known name.
";

const FIELDS: &str = "
## fields

Which rows are read from which pages. A page has the first type that takes it; `gannet try URL -p shop.yaml` shows
what would be read, with the code that the crawl runs. `docs/examples` has whole projects.

```yaml
fields:
  list:                                   # a page type
    rows: ul.products > li                # one row for each
    read:
      title: h2                           # a selector: CSS, or XPath if it looks like it
      price: {css: .price, kind: price}
      page: {css: a, kind: link, follow: product}
    next: a[rel=next]                     # the list goes on there
  product:
    has: article.product
    read:
      sku: {json_ld: Product.sku}
      weight: {header: Weight, kind: number, locale: de}
```

A field that is not found is empty; the row stays. A number, price or date that cannot be understood stays the text it
was. Steps under `clean` work on the found texts in order; a field without `all` then takes the first.
";

const FORMS: &str = "\
## How values are written

| value | written |
| --- | --- |
| time | a number and a unit: `ms`, `s`, `m`, `h`, `d`, also together: `250ms`, `1h30m` |
| size | a number and a unit: `B`, `KB`, `MB`, `GB`, `TB` (powers of 1000), `KiB`, `MiB`, `GiB`, `TiB` (powers of 1024) |
| rate | requests per second, minute or hour: `1/s`, `30/m`, `6/h`; or `unlimited` |
| selector | CSS, or XPath if it begins with `/`, `./`, `..`, `(`, `@`, an axis or a function |
| pattern `/calendar/*` | path and query, from the first slash to the end |
| pattern `https://shop.test/*` | the whole URL |
| pattern `host:*.shop.test` | the host's name, or `name:port` |
| pattern `regex:[?&]page=[0-9]{4}` | a regular expression that matches somewhere in the whole URL |

In the first three patterns `*` stands for any characters, slashes too; nothing else is special. Patterns are compared
with URLs in canonical form, which `gannet url` shows.
";

/// Kinds of value that `FORMS` explains.
const EXPLAINED: [&str; 4] = ["time", "size", "rate", "pattern"];

/// The API, described for programs.
fn api() -> String {
    format!("{:#}\n", server::openapi())
}

/// The whole page.
fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    page += "\n## The file\n\n| key | form | meaning |\n| --- | --- | --- |\n";
    for setting in Project::reference() {
        let _ = writeln!(page, "| `{}` | {} | {} |", setting.key, form(&setting), cell(&setting.help));
    }
    let settings = CrawlSettings::reference();
    let mut group = "";
    for setting in &settings {
        if setting.group != group {
            group = &setting.group;
            let head = "| key | default | form | meaning | flag | environment |\n| --- | --- | --- | --- | --- | --- |";
            let _ = write!(page, "\n## crawl: {}\n\n{head}\n", group.to_lowercase());
        }
        page += &row(setting);
    }
    page += FIELDS;
    for (name, settings) in Template::reference() {
        let _ = write!(page, "\n### Keys of {name}\n\n| key | form | meaning |\n| --- | --- | --- |\n");
        for setting in settings {
            let _ = writeln!(page, "| `{}` | {} | {} |", setting.key, form(&setting), cell(&setting.help));
        }
    }
    format!("{page}\n{FORMS}")
}

fn row(setting: &Setting) -> String {
    let default = settings::default_text(setting).map_or("none".to_owned(), |text| format!("`{text}`"));
    let help = cell(&setting.help);
    let (flag, environment) = (setting.flag(), setting.environment());
    format!("| `{}` | {default} | {} | {help} | `--{flag}` | `{environment}` |\n", setting.key, form(setting))
}

fn form(setting: &Setting) -> String {
    let (name, form) = settings::named_form(setting).unwrap_or(("", &setting.form));
    // Those that many keys share are explained once, at the end.
    let form = if EXPLAINED.contains(&name) { name } else { form };
    match setting.kind {
        SettingKind::Switch => "true or false".to_owned(),
        SettingKind::Number if !setting.unit.is_empty() => setting.unit.clone(),
        SettingKind::List if !form.starts_with('[') => cell(&format!("list: {form}")),
        _ => cell(form),
    }
}

/// Text that keeps to its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('*', "\\*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_reference_is_the_generated_one() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/project.md");
        let committed = std::fs::read_to_string(file).unwrap_or_default();
        assert!(
            committed == page(),
            "docs/project.md is stale; run: cargo run --profile ci -p app -- reference > docs/project.md"
        );
    }

    #[test]
    fn the_committed_description_of_the_api_is_the_generated_one() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/openapi.json");
        let committed = std::fs::read_to_string(file).unwrap_or_default();
        assert!(
            committed == api(),
            "ui/openapi.json is stale; run: cargo run --profile ci -p app -- reference --api > ui/openapi.json"
        );
    }

    #[test]
    fn every_setting_has_a_row() {
        let page = page();
        for setting in CrawlSettings::reference() {
            assert!(page.contains(&format!("| `{}` | ", setting.key)), "{}", setting.key);
        }
    }
}
