//! What JSON-LD says of the page as a whole: dates, author, headline, language.

use serde_json::Value as Json;

/// Facts from all scripts of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) published: Option<String>,
    pub(crate) modified: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) headline: Option<String>,
    pub(crate) language: Option<String>,
    /// Days on which something begins or ends that the page is about.
    pub(crate) events: Vec<String>,
    /// The page is a thread: what visitors wrote is what it is there for.
    pub(crate) is_thread: bool,
    /// How well the item fits that said so.
    rank: u8,
}

/// Objects looked at in one script.
const MOST_OBJECTS: usize = 2_000;
/// Of these, how many may name days.
const MOST_EVENTS: usize = 20;

impl Facts {
    /// Adds what one script says.
    pub(crate) fn add(&mut self, script: &str) {
        let names = [
            "datePublished",
            "dateModified",
            "dateCreated",
            "uploadDate",
            "datePosted",
            "pubDate",
            "author",
            "inLanguage",
            "startDate",
            "endDate",
            "QAPage",
            "ForumPosting",
        ];
        if !names.iter().any(|name| script.contains(name)) {
            return;
        }
        let script = unwrapped(script);
        // Line ends within texts are a common mistake, and elsewhere as good as a space.
        let mended = || serde_json::from_str::<Json>(&script.replace(char::is_control, " "));
        match serde_json::from_str::<Json>(script).or_else(|_| mended()) {
            Ok(json) => {
                let mut items = Vec::new();
                collect(&json, &mut items, 0);
                // Several of a kind are a list of other pages, unless they say the same.
                let best = items.iter().map(|item| rank(item)).max().unwrap_or(0);
                let mut of_best = items.iter().filter(|item| rank(item) == best && best > 0);
                if let Some(item) = of_best.next() {
                    let day = text(item, "datePublished");
                    if of_best.all(|other| text(other, "datePublished") == day) {
                        self.take(item, &items, best);
                    }
                }
                let is_thread = |kind: &str| kind == "QAPage" || kind == "DiscussionForumPosting";
                self.is_thread |= items.iter().any(|item| kinds(item).any(is_thread));
                for item in items.iter().take(MOST_EVENTS) {
                    let names = ["startDate", "endDate", "validThrough", "previousStartDate"];
                    self.events.extend(names.iter().filter_map(|name| text(item, name)).map(str::to_owned));
                }
                // As the search engine Baidu wants it, without a type.
                if let Some(item) = items.first().filter(|item| item.get("@type").is_none()) {
                    let fill = |slot: &mut Option<String>, name: &str| {
                        *slot = slot.take().or_else(|| text(item, name).map(str::to_owned));
                    };
                    fill(&mut self.published, "pubDate");
                    fill(&mut self.modified, "upDate");
                }
                // What the page says of itself fills gaps.
                for item in items.iter().filter(|item| is_page(item)) {
                    self.fill(item, &items);
                }
            }
            // Broken JSON is common: an unescaped quote in a description.
            Err(_) => {
                self.published = self.published.take().or_else(|| scan(script, "datePublished"));
                self.modified = self.modified.take().or_else(|| scan(script, "dateModified"));
            }
        }
    }

    /// Whether the page is one article.
    pub(crate) fn is_article(&self) -> bool {
        self.rank == ARTICLE
    }

    fn take(&mut self, item: &Json, items: &[&Json], rank: u8) {
        if rank > self.rank {
            let (events, is_thread) = (std::mem::take(&mut self.events), self.is_thread);
            *self = Facts { rank, events, is_thread, ..Facts::default() };
        }
        self.fill(item, items);
    }

    fn fill(&mut self, item: &Json, items: &[&Json]) {
        let first = |names: &[&str]| names.iter().find_map(|name| text(item, name)).map(str::to_owned);
        let fill = |slot: &mut Option<String>, value: Option<String>| {
            if slot.is_none() {
                *slot = value;
            }
        };
        fill(&mut self.published, first(&["datePublished", "uploadDate", "dateCreated", "datePosted"]));
        fill(&mut self.modified, first(&["dateModified"]));
        fill(&mut self.headline, first(&["headline"]));
        fill(&mut self.language, first(&["inLanguage"]));
        fill(&mut self.author, item.get("author").and_then(|author| people(author, items)));
    }
}

/// Without the comments that some wrap around scripts.
fn unwrapped(script: &str) -> &str {
    let inner = script.trim().trim_start_matches("<!--").trim_start_matches("//");
    let inner = inner.trim_start().trim_start_matches("<![CDATA[").trim_end().trim_end_matches("-->");
    inner.trim_end().trim_end_matches("]]>").trim_end().trim_end_matches("//").trim_end_matches(';')
}

/// Items of the page itself: the top ones, those of a graph, and what a page is about.
fn collect<'a>(json: &'a Json, items: &mut Vec<&'a Json>, depth: u8) {
    if depth > 4 || items.len() >= MOST_OBJECTS {
        return;
    }
    match json {
        Json::Array(list) => list.iter().for_each(|item| collect(item, items, depth + 1)),
        Json::Object(object) => {
            items.push(json);
            for name in ["@graph", "mainEntity", "mainEntityOfPage"] {
                if let Some(inner) = object.get(name) {
                    collect(inner, items, depth + 1);
                }
            }
        }
        _ => {}
    }
}

fn kinds(item: &Json) -> impl Iterator<Item = &str> {
    let listed = item.get("@type").into_iter().flat_map(|kind| match kind {
        Json::Array(list) => list.iter().collect(),
        one => vec![one],
    });
    listed.filter_map(Json::as_str).map(|name| name.rsplit(['/', '#', ':']).next().unwrap_or(name))
}

fn is_page(item: &Json) -> bool {
    kinds(item).any(|kind| kind.ends_with("Page"))
}

/// The rank of what fits best.
const ARTICLE: u8 = 3;

fn rank(item: &Json) -> u8 {
    let of = |kind: &str| match kind {
        _ if kind.ends_with("Article") || kind.ends_with("Posting") || kind == "Report" => ARTICLE,
        "Recipe" | "HowTo" | "Question" | "Dataset" | "Course" | "Book" | "Review" | "CreativeWork" => 2,
        "VideoObject" | "Podcast" | "PodcastEpisode" | "Event" | "SoftwareSourceCode" => 1,
        _ => 0,
    };
    kinds(item).map(of).max().unwrap_or(0)
}

fn text<'a>(item: &'a Json, name: &str) -> Option<&'a str> {
    let value = item.get(name)?;
    let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
    value.as_str().map(str::trim).filter(|text| !text.is_empty())
}

/// The names of an author, or of several.
fn people(author: &Json, items: &[&Json]) -> Option<String> {
    let name = |one: &Json| match one {
        Json::String(name) => Some(name.trim().to_owned()),
        one => text(one, "name").map(str::to_owned).or_else(|| {
            let id = text(one, "@id")?;
            let other =
                items.iter().find(|item| item.get("name").is_some() && text(item, "@id") == Some(id))?;
            text(other, "name").map(str::to_owned)
        }),
    };
    let names: Vec<String> = match author {
        Json::Array(list) => list.iter().take(10).filter_map(name).collect(),
        one => name(one).into_iter().collect(),
    };
    (!names.is_empty()).then(|| names.join(", "))
}

/// The text after `"name":`, wherever it stands.
pub(crate) fn scan(script: &str, name: &str) -> Option<String> {
    let after = &script[script.find(name)? + name.len()..];
    let value = after.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?.trim_start();
    let value = value.strip_prefix(['"', '\''])?;
    Some(value[..value.find(['"', '\''])?].to_owned()).filter(|value| value.len() <= 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, published: Option<&str>, modified: Option<&str>, author: Option<&str>) {
        let mut facts = Facts::default();
        facts.add(script);
        let found = (facts.published.as_deref(), facts.modified.as_deref(), facts.author.as_deref());
        assert_eq!(found, (published, modified, author), "in {script}");
    }

    #[test]
    fn an_article_gives_its_dates_and_author() {
        check(
            r#"{"@type":"NewsArticle","datePublished":"2026-01-02","dateModified":"2026-01-03","author":{"name":"A B"}}"#,
            Some("2026-01-02"),
            Some("2026-01-03"),
            Some("A B"),
        );
        check(
            r#"{"@graph":[{"@type":"WebPage","datePublished":"2026-02-01"},{"@type":["Article"],"author":[{"@id":"p"},"C"],"datePublished":"2026-01-02"},{"@id":"p","@type":"Person","name":"A"}]}"#,
            Some("2026-01-02"),
            None,
            Some("A, C"),
        );
    }

    #[test]
    fn other_vocabularies_have_other_names() {
        check(
            r#"{"@context":"x","@id":"y","pubDate":"2026-01-02T03:04:05","upDate":"2026-01-03"}"#,
            Some("2026-01-02T03:04:05"),
            Some("2026-01-03"),
            None,
        );
        check(r#"{"@type":"JobPosting","datePosted":"2026-01-02"}"#, Some("2026-01-02"), None, None);
        check(r#"{"@type":"Product","pubDate":"2026-01-02"}"#, None, None, None);
    }

    #[test]
    fn broken_scripts_give_what_is_readable() {
        check(
            "{\"description\":\"a \"b\"\", \"datePublished\" : \"2026-01-02\",}",
            Some("2026-01-02"),
            None,
            None,
        );
        check(
            "{\"@type\":\"Article\",\"description\":\"two\nlines\",\"datePublished\":\"2026-01-02\",\"author\":\"A\"}",
            Some("2026-01-02"),
            None,
            Some("A"),
        );
        check("<!-- {\"@type\":\"Article\",\"author\":\"A\"} -->", None, None, Some("A"));
        check("{\"datePublished\":", None, None, None);
    }

    #[test]
    fn a_list_of_other_pages_is_not_about_this_one() {
        check(
            r#"[{"@type":"Article","datePublished":"2026-01-02"},{"@type":"Article","datePublished":"2026-01-03"}]"#,
            None,
            None,
            None,
        );
        check(r#"{"@type":"Product","releaseDate":"2026-01-02","author":"x"}"#, None, None, None);
    }
}
