//! What a crawl that starts on this page would do, in one sentence: how many pages, how fast, how long.

use std::time::Duration;

use crawl::PageRead;
use model::{Fetched, PageUrl, Project, Rate};
use serde::{Deserialize, Serialize};
use template::Why;
use utoipa::ToSchema;

use super::RobotsSays;
use super::reading::ruled;

/// Page numbers beyond this are dates or articles, not pages of a list.
const MOST_PAGES: u64 = 1_000_000;

/// What a crawl would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Scope {
    /// In words.
    pub sentence: String,
    /// Pages, as far as this page tells.
    pub pages: Option<u64>,
    /// How long that takes at the pace asked for.
    pub seconds: Option<u64>,
}

pub(super) fn scope(
    project: &Project,
    fetched: &Fetched,
    read: &PageRead,
    robots: Option<&RobotsSays>,
    pause: Option<Duration>,
) -> Scope {
    let links = ruled(project, read);
    let followed = links.iter().filter(|(_, refusal)| refusal.is_none()).map(|(found, _)| *found);
    let next = followed.clone().find(|found| found.wanted == Some(&Why::Next)).map(|found| &found.link.url);
    let details =
        followed.clone().filter(|found| matches!(found.wanted, Some(Why::Detail { .. }))).count() as u64;
    let others =
        followed.filter(|found| found.wanted.is_none() && found.link.url != fetched.url).count() as u64;
    let all: Vec<&PageUrl> = read.links().map(|found| &found.link.url).collect();
    let rows = read.reading.as_ref().map_or(0, |reading| reading.rows.len() as u64);
    let lists = next.map(|next| last_page(&fetched.url, next, &all).or_else(|| told(&read.page.text, rows)));
    let mut pages = match lists {
        Some(Some(lists)) => Some(lists * (1 + details)),
        Some(None) => None,
        None => Some(1 + details),
    };
    // Links of pages that are not read yet lead on: their number is not known.
    if others > 0 {
        pages = None;
    }
    let limit = Some(project.crawl.max_pages).filter(|limit| *limit > 0);
    let limited = pages.zip(limit).is_some_and(|(pages, limit)| pages > limit);
    let told = match (pages, limit) {
        (Some(pages), Some(limit)) => Some(pages.min(limit)),
        (pages, _) => pages,
    };
    let gap =
        project.crawl.rate.map_or(project.crawl.delay.duration(), Rate::gap).max(pause.unwrap_or_default());
    let seconds = told.map(|pages| (gap * u32::try_from(pages).unwrap_or(u32::MAX)).as_secs());
    let host = fetched.url.host();
    let mut sentence = String::from("Read ");
    match (next.is_some(), told) {
        (true, Some(pages)) => {
            sentence = format!(
                "Follow Next{}, about {pages} pages",
                if details > 0 { " and each row's page" } else { "" }
            );
        }
        (true, None) => sentence = "Follow Next, as many pages as there are".to_owned(),
        (false, Some(1)) => sentence.push_str("this page"),
        (false, Some(pages)) if details > 0 => {
            sentence.push_str(&format!("this page and {} rows' pages", pages - 1))
        }
        (false, Some(pages)) => sentence.push_str(&format!("about {pages} pages")),
        (false, None) => sentence = format!("Follow the {others} links of this page and what they lead to"),
    }
    if limited || (told.is_none() && limit.is_some()) {
        sentence.push_str(&format!(" (at most {})", limit.unwrap_or_default()));
    }
    sentence.push_str(&format!(" on {host}, {}", pace(gap)));
    if let Some(seconds) = seconds {
        sentence.push_str(&format!(", ≈ {}", lasting(seconds)));
    }
    let word = match robots.map(|says| says.verdict.as_str()) {
        Some("allows") => ", robots allows.",
        _ => ", robots not asked.",
    };
    sentence.push_str(word);
    Scope { sentence, pages: told, seconds }
}

/// The number of the list's last page, from links that differ from the next one in a number alone.
fn last_page(page: &PageUrl, next: &PageUrl, links: &[&PageUrl]) -> Option<u64> {
    let (before, number, after) = numbers(next.as_str()).into_iter().find(|(before, number, after)| {
        // The number that the next page has one higher than this one, or that this one lacks.
        *number >= 1 && page.as_str() != format!("{before}{number}{after}") && *number <= MOST_PAGES
    })?;
    let same = |url: &&PageUrl| {
        let middle = url.as_str().strip_prefix(before)?.strip_suffix(after)?;
        middle.parse::<u64>().ok().filter(|number| *number <= MOST_PAGES)
    };
    let last = links.iter().filter_map(same).max()?.max(number);
    // Only "next" tells nothing of how many there are.
    (last > number).then_some(last)
}

/// What people count on list pages.
const COUNTED: [&str; 21] = [
    "products",
    "results",
    "items",
    "entries",
    "articles",
    "posts",
    "jobs",
    "hits",
    "matches",
    "offers",
    "records",
    "books",
    "listings",
    "produkte",
    "ergebnisse",
    "artikel",
    "treffer",
    "résultats",
    "produits",
    "resultados",
    "productos",
];

/// The number of pages that the page's words tell: "page 1 of 12", "1–8 of 94", "94 products".
fn told(text: &str, rows: u64) -> Option<u64> {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    let number = |at: usize| {
        let digits: String =
            words.get(at)?.chars().filter(|c| !matches!(c, '.' | ',' | '\'' | '’')).collect();
        digits.parse::<u64>().ok().filter(|number| (1..=MOST_PAGES * 100).contains(number))
    };
    let of_rows = |all: u64| (rows > 0 && all > rows).then(|| all.div_ceil(rows));
    (0..words.len()).find_map(|at| {
        let is_of = matches!(words[at].as_str(), "of" | "von" | "sur" | "de");
        if is_of && at >= 2 && matches!(words[at - 2].as_str(), "page" | "seite" | "página") {
            return number(at + 1).filter(|pages| *pages > 1 && *pages <= MOST_PAGES);
        }
        if is_of && at >= 1 && words[at - 1].starts_with(|c: char| c.is_ascii_digit()) {
            return number(at + 1).and_then(of_rows);
        }
        let counted = words.get(at + 1).is_some_and(|next| COUNTED.contains(&next.as_str()));
        if counted { number(at).and_then(of_rows) } else { None }
    })
}

/// Every number in a URL, from the right, with what stands before and behind it.
fn numbers(url: &str) -> Vec<(&str, u64, &str)> {
    let mut found = Vec::new();
    let mut end = url.len();
    while let Some(last) = url[..end].rfind(|c: char| c.is_ascii_digit()) {
        let start = url[..last].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
        // A character before a run of digits may be longer than a byte.
        let start = (start..=last)
            .find(|at| url.is_char_boundary(*at) && url.as_bytes()[*at].is_ascii_digit())
            .unwrap_or(last);
        if let Ok(number) = url[start..=last].parse() {
            found.push((&url[..start], number, &url[last + 1..]));
        }
        end = start;
    }
    found
}

pub(crate) fn pace(gap: Duration) -> String {
    if gap.is_zero() {
        return "as fast as it answers".to_owned();
    }
    let seconds = gap.as_secs_f64();
    if seconds <= 1.0 {
        let rate = 1.0 / seconds;
        format!("{} request{}/s", trimmed(rate), if rate > 1.0 { "s" } else { "" })
    } else {
        format!("1 request per {} s", trimmed(seconds))
    }
}

fn trimmed(number: f64) -> String {
    format!("{number:.1}").trim_end_matches(".0").to_owned()
}

pub(crate) fn lasting(seconds: u64) -> String {
    match seconds {
        0..=1 => "1 s".to_owned(),
        2..=89 => format!("{seconds} s"),
        90..=5_399 => format!("{} min", (seconds + 30) / 60),
        5_400..=172_799 => format!("{} h", (seconds + 1_800) / 3_600),
        _ => format!("{} days", (seconds + 43_200) / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: &str, next: &str, links: &[&str], expected: Option<u64>) {
        let parse = |text: &str| PageUrl::parse(text).unwrap();
        let links: Vec<PageUrl> = links.iter().map(|link| parse(link)).collect();
        assert_eq!(last_page(&parse(page), &parse(next), &links.iter().collect::<Vec<_>>()), expected);
    }

    #[test]
    fn numbered_pages_tell_how_many_there_are() {
        let base = "http://shop.test/list";
        let links =
            ["http://shop.test/list?page=3", "http://shop.test/list?page=94", "http://shop.test/x?page=999"];
        check(base, "http://shop.test/list?page=2", &links, Some(94));
        check(base, "http://shop.test/list?page=2", &["http://shop.test/list?page=2"], None);
        check(base, "http://shop.test/more", &links, None);
        check("http://e.test/2026/p/1", "http://e.test/2026/p/2", &["http://e.test/2026/p/9"], Some(9));
    }

    #[test]
    fn words_tell_how_many_pages_there_are() {
        let check = |text: &str, expected: Option<u64>| assert_eq!(told(text, 8), expected, "{text}");
        check("Tents 24 products, sorted by number", Some(3));
        check("showing 1–8 of 1,204 things", Some(151));
        check("Page 2 of 12", Some(12));
        check("Seite 1 von 7.", Some(7));
        check("4 results", None);
        check("one of 90 reasons; 2 de mayo", None);
    }

    #[test]
    fn paces_and_times_are_told_in_words() {
        assert_eq!(pace(Duration::from_secs(1)), "1 request/s");
        assert_eq!(pace(Duration::from_millis(500)), "2 requests/s");
        assert_eq!(pace(Duration::from_secs(4)), "1 request per 4 s");
        assert_eq!([0, 30, 94, 7_200, 1_000_000].map(lasting), ["1 s", "30 s", "2 min", "2 h", "12 days"]);
    }

    proptest::proptest! {
        #[test]
        fn any_url_has_its_numbers(text in ".{0,40}") {
            for (before, _, after) in numbers(&text) {
                proptest::prop_assert!(text.starts_with(before) && text.ends_with(after));
            }
        }
    }
}
