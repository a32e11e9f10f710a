//! A second reading of the served pages, by text search alone: links and words as the truth has them.

use webs::truth::{Link, LinkKind, STRIPPED_PARAMETERS, TruthPage};

/// Links of a page in document order as (kind, canonical URL, words before it).
pub(crate) fn links(page_url: &str, html: &str) -> Vec<(LinkKind, String, u64)> {
    let page = url::Url::parse(page_url).expect("absolute");
    let mut base = page.clone();
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(start) = html[rest..].find('<').map(|start| rest + start) {
        let end = start + html[start..].find('>').expect("tags are closed");
        let tag = &html[start..=end];
        rest = end + 1;
        let name = tag[1..].split([' ', '>', '\n']).next().unwrap_or_default();
        let written = match name {
            "base" => {
                base = page.join(&attribute(tag, "href").expect("a base")).expect("a URL");
                None
            }
            "a" => attribute(tag, "href").map(|href| (LinkKind::Anchor, href)),
            "area" => attribute(tag, "href").map(|href| (LinkKind::Area, href)),
            "iframe" | "frame" => attribute(tag, "src").map(|src| (LinkKind::Frame, src)),
            "meta" if tag.contains("http-equiv=\"refresh\"") => {
                attribute(tag, "content").and_then(|content| {
                    content.split_once("url=").map(|(_, url)| (LinkKind::Refresh, url.to_owned()))
                })
            }
            "link" if tag.contains("rel=\"canonical\"") => {
                attribute(tag, "href").map(|href| (LinkKind::Canonical, href))
            }
            _ => None,
        };
        if let Some((kind, written)) = written {
            found.push((kind, canonical(&base, &written), words(&html[..start])));
        }
    }
    found
}

/// White-space separated visible words of `html`; tags separate nothing by themselves.
pub(crate) fn words(html: &str) -> u64 {
    let Some(start) = html.find("<body") else { return 0 };
    let mut text = String::new();
    let mut rest = &html[start..];
    while let Some(open) = rest.find('<') {
        text.push_str(&rest[..open]);
        rest = &rest[open..];
        let unseen = ["script", "style", "template", "noscript"];
        let skip = match unseen.iter().find(|name| rest[1..].starts_with(**name)) {
            Some(name) => rest.find(&format!("</{name}>")).unwrap_or(rest.len()),
            None => 0,
        };
        rest = &rest[skip..];
        rest = rest.find('>').map_or("", |close| &rest[close + 1..]);
    }
    text.push_str(rest);
    text.split_whitespace().count() as u64
}

/// Holds the links of a page as read here against those of the truth.
pub(crate) fn assert_links(page: &TruthPage, html: &str) {
    let total = words(html);
    assert_eq!(page.facts.words, total, "words of {}", page.url);
    let read = links(&page.url, html);
    let row = |link: &Link| (link.kind, link.url.clone());
    let told: Vec<_> = page.links.iter().map(row).collect();
    let seen: Vec<_> = read.iter().map(|(kind, url, _)| (*kind, url.clone())).collect();
    assert_eq!(seen, told, "links of {}", page.url);
    for (link, (_, _, before)) in page.links.iter().zip(&read) {
        let third = if *before >= total { 2 } else { 3 * before / total };
        assert_eq!(u64::from(link.position), 3 - third, "position of {} on {}", link.url, page.url);
    }
}

/// Holds the line that denies `path` against the robots.txt as served.
pub(crate) fn assert_denied(robots: &str, line: u32, path: &str) {
    let rule = robots.lines().nth(line as usize - 1).expect("the line is there");
    let prefix = rule.strip_prefix("Disallow: ").unwrap_or_else(|| panic!("line {line} is {rule:?}"));
    assert!(path.starts_with(prefix), "{path} by {rule:?}");
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    let value = &tag[start..start + tag[start..].find('"')?];
    Some(value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
}

fn canonical(base: &url::Url, written: &str) -> String {
    let mut url = base.join(written).expect("a URL");
    url.set_fragment(None);
    let kept: Vec<String> = url
        .query()
        .unwrap_or_default()
        .split('&')
        .filter(|pair| {
            let name = pair.split('=').next().unwrap_or_default();
            !name.is_empty() && !name.starts_with("utm_") && !STRIPPED_PARAMETERS.contains(&name)
        })
        .map(str::to_owned)
        .collect();
    url.set_query((!kept.is_empty()).then(|| kept.join("&")).as_deref());
    url.to_string()
}
