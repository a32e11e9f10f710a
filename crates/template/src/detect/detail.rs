//! The page behind a row: which fields its own words propose.
//!
//! One page shows no repetition, so only what names itself is taken: JSON-LD, labels with values, the heading, the
//! description. Each field was read from the page as a crawl would read it.

use std::collections::HashSet;

use html::{Kind, Tree};
use model::{
    Field, FieldKind, Language, Normalise, PageType, PageUrl, Pattern, Place, SelectorText, Template,
};
use serde_json::Value as Json;

use super::Detection;
use super::naming::plain;
use crate::{linked_data, markup};

/// Fields that are proposed.
const MOST_FIELDS: usize = 24;

/// Types of JSON-LD that say what stands around the thing itself.
const AROUND: [&str; 9] = [
    "BreadcrumbList",
    "WebSite",
    "WebPage",
    "Organization",
    "ItemList",
    "SearchAction",
    "SiteNavigationElement",
    "ImageObject",
    "ItemPage",
];

impl Detection {
    /// Where the first row's own page is, if the rows of a list have one.
    pub fn detail_link(&self, list: usize) -> Option<&str> {
        let list = self.lists.get(list)?;
        list.fields.get(list.detail?)?.values.iter().flatten().next().map(String::as_str)
    }

    /// As [`Detection::template`], with a page type for the pages behind the rows, of which this is one. Without it
    /// when that page proposes no fields, or when such pages cannot be told from others by their URL.
    pub fn template_with_detail(
        &self,
        list: usize,
        from: &PageUrl,
        detail: &Tree,
        detail_url: &PageUrl,
    ) -> Option<Template> {
        let mut template = self.template(list)?;
        let found = self.lists.get(list)?;
        let Some(place) = found.detail else { return Some(template) };
        let links = found.fields[place].values.iter().flatten();
        let links: Vec<PageUrl> =
            links.filter_map(|link| Normalise::default().join(from, link).ok()).collect();
        let url =
            common_start(&links).filter(|pattern| pattern.matches(detail_url) && !pattern.matches(from));
        let Some(url) = url else { return Some(template) };
        let read = fields(detail, detail_url);
        if read.is_empty() {
            return Some(template);
        }
        for field in template.pages.iter_mut().flat_map(|page| &mut page.read) {
            if field.name == found.fields[place].name {
                field.follow = Some(model::Follow { page: "detail".to_owned(), keep: Default::default() });
            }
        }
        // First, because lists of related things stand on such pages as well.
        let page = PageType {
            name: "detail".to_owned(),
            url: vec![url],
            read,
            links: Some(Vec::new()),
            ..PageType::default()
        };
        template.pages.insert(0, page);
        Some(template)
    }
}

/// What all these URLs begin with, up to a slash, as a pattern; none when that is no more than the site.
fn common_start(links: &[PageUrl]) -> Option<Pattern> {
    let first = links.first()?;
    let mut path = &first.path()[..=first.path().rfind('/')?];
    for link in links.iter().filter(|link| link.host() == first.host()) {
        while !link.path().starts_with(path) {
            path = &path[..=path.strip_suffix('/')?.rfind('/')?];
        }
    }
    (path.len() > 1).then(|| format!("{path}*").parse().ok()).flatten()
}

/// The fields that a page proposes: those of its own words that are found when they are read.
fn fields(tree: &Tree, url: &PageUrl) -> Vec<Field> {
    let mut proposed = Vec::new();
    for item in linked_data::json_ld(tree, tree.root()) {
        things(&item, &mut proposed);
    }
    let heading = SelectorText { language: Language::Css, text: "h1".to_owned(), place: Place::default() };
    if !proposed.iter().any(|field: &Field| field.name == "name") {
        proposed.push(Field::selected("title", heading));
    }
    labels(tree, &mut proposed);
    if !proposed.iter().any(|field: &Field| field.name == "description") {
        let meta = Some("description".to_owned());
        proposed.push(Field { name: "description".to_owned(), meta, ..Field::default() });
    }
    let mut names = HashSet::new();
    proposed.retain(|field| names.insert(field.name.clone()));
    proposed.truncate(MOST_FIELDS);
    let page = PageType { name: "detail".to_owned(), read: proposed.clone(), ..PageType::default() };
    let template = Template { from: None, pages: vec![page] };
    let Ok(compiled) = crate::Template::compile(&template, &[], Normalise::default()) else {
        return Vec::new();
    };
    let coverage = compiled.read(tree, url).coverage;
    let found: HashSet<String> =
        coverage.into_iter().filter(|field| field.found > field.odd).map(|field| field.field).collect();
    proposed.retain(|field| found.contains(&field.name));
    proposed
}

/// The properties of the first thing in JSON-LD that is not about the page around it.
fn things(item: &Json, proposed: &mut Vec<Field>) {
    let inner = match item {
        Json::Array(items) => items.iter().collect(),
        Json::Object(map) => match map.get("@graph") {
            Some(Json::Array(items)) => items.iter().collect(),
            _ => vec![item],
        },
        _ => return,
    };
    for thing in inner.into_iter().filter_map(Json::as_object) {
        let kind = match thing.get("@type") {
            Some(Json::String(kind)) => kind.as_str(),
            Some(Json::Array(kinds)) => kinds.iter().find_map(Json::as_str).unwrap_or_default(),
            _ => continue,
        };
        let plain_kind = !kind.is_empty() && kind.chars().all(|c| c.is_ascii_alphanumeric());
        if !plain_kind || AROUND.contains(&kind) || !proposed.is_empty() {
            continue;
        }
        for (key, value) in thing {
            match value {
                // What has a name is said by it; else its parts are.
                Json::Object(map) if !map.contains_key("name") && !map.contains_key("@value") => {
                    for (inner, value) in map {
                        property(&format!("{kind}.{key}.{inner}"), inner, value, proposed);
                    }
                }
                value => property(&format!("{kind}.{key}"), key, value, proposed),
            }
        }
    }
}

fn property(path: &str, key: &str, value: &Json, proposed: &mut Vec<Field>) {
    let is_plain = key.chars().all(|c| c.is_ascii_alphanumeric());
    let first = value.as_array().and_then(|values| values.first()).unwrap_or(value);
    let (Some(text), true) = (linked_data::text(first), is_plain) else { return };
    let is_date = key.starts_with("date") || key.ends_with("Date") || key.ends_with("Until");
    let kind = match key {
        "image" | "thumbnailUrl" | "logo" => FieldKind::Image,
        "url" => return,
        _ if is_date => FieldKind::Date,
        _ if value.is_number() || text.parse::<f64>().is_ok() && ends_in_amount(key) => FieldKind::Number,
        _ => FieldKind::Text,
    };
    // Long descriptions are the page's text; the rest is cells.
    if let Some(name) = super::vocabulary::snake(key) {
        proposed.push(Field { name, json_ld: Some(path.to_owned()), kind, ..Field::default() });
    }
}

fn ends_in_amount(key: &str) -> bool {
    ["price", "Price", "Count", "Value", "weight", "height", "width", "depth"]
        .iter()
        .any(|end| key.ends_with(end))
}

/// Labels with values: `th` before `td`, `dt` before `dd`.
fn labels(tree: &Tree, proposed: &mut Vec<Field>) {
    let mut names: HashSet<String> = proposed.iter().map(|field| field.name.clone()).collect();
    for node in tree.descendants(tree.root()).filter(|node| matches!(tree.name(*node), Some("th" | "dt"))) {
        let mut after = std::iter::successors(tree.next(node), |at| tree.next(*at))
            .filter(|at| tree.kind(*at) == Kind::Element);
        let wanted = if tree.name(node) == Some("th") { "td" } else { "dd" };
        if after.next().is_none_or(|value| tree.name(value) != Some(wanted)) {
            continue;
        }
        let (label, _) = markup::words(tree, node, 80);
        if let Some(name) = plain(&label).filter(|name| names.insert(name.clone())) {
            proposed.push(Field { name, header: Some(label), ..Field::default() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::detect;
    use crate::tests::tree;

    #[test]
    fn the_page_behind_a_row_proposes_what_it_names_itself() {
        let rows: String = (1..=6)
            .map(|n| {
                format!(
                    "<li class=card><h3><a href=/p/{n}>Thing {n}</a></h3><b class=price>{n}.50 €</b></li>"
                )
            })
            .collect();
        let list = tree(&format!("<ul>{rows}</ul>"));
        let detail = tree(
            r#"<title>x</title><meta name=description content="About it"><script type="application/ld+json">
               [{"@type": "BreadcrumbList", "name": "no"}, {"@type": "Product", "name": "Thing 1", "sku": "A-1",
               "offers": {"@type": "Offer", "price": "1.50", "priceCurrency": "EUR"}, "brand": {"name": "Heron"}}]
               </script><h1>Thing 1</h1><table><tr><th>Weight:</th><td>1 kg</td></tr></table>
               <dl><dt>Colour<dd>red<dt>Empty<dd></dl><ul><li class=card><h3>Related"#,
        );
        let from = PageUrl::parse("http://a.test/list").unwrap();
        let url = PageUrl::parse("http://a.test/p/1").unwrap();
        let template = detect(&list).template_with_detail(0, &from, &detail, &url).unwrap();
        let page = &template.pages[0];
        assert_eq!((page.name.as_str(), page.url[0].as_str()), ("detail", "/p/*"));
        let names: Vec<&str> = page.read.iter().map(|field| field.name.as_str()).collect();
        let expected = ["name", "sku", "price", "price_currency", "brand", "weight", "colour", "description"];
        let (mut sorted, mut wanted) = (names.clone(), expected.to_vec());
        sorted.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(sorted, wanted);
        let followed = template.pages[1].read.iter().find(|field| field.follow.is_some()).unwrap();
        assert_eq!(followed.follow.as_ref().unwrap().page, "detail");
        let compiled = crate::Template::compile(&template, &[], Normalise::default()).unwrap();
        let reading = compiled.read(&detail, &url);
        assert_eq!((reading.page_type.as_deref(), reading.rows.len()), (Some("detail"), 1));
        assert_eq!(compiled.read(&list, &from).rows.len(), 6);
    }

    #[test]
    fn pages_that_no_url_tells_apart_have_no_type_of_their_own() {
        let links = |paths: &[&str]| -> Vec<PageUrl> {
            paths.iter().map(|path| PageUrl::parse(&format!("http://a.test{path}")).unwrap()).collect()
        };
        let check = |paths: &[&str], pattern: Option<&str>| {
            let found = common_start(&links(paths));
            assert_eq!(found.as_ref().map(Pattern::as_str), pattern, "{paths:?}");
        };
        check(&["/p/1", "/p/2"], Some("/p/*"));
        check(&["/shop/a/1.html", "/shop/b/2.html"], Some("/shop/*"));
        check(&["/tent", "/boat"], None);
        check(&["/a/1", "/b/2"], None);
        check(&[], None);
    }
}
