//! The journal: list, months, tags, posts, and the print mirror that repeats every post.

use serde_json::json;

use super::layout::{Head, NAME, begin, breadcrumb, end};
use super::phrases::{CATEGORIES, TAGS};
use super::site::{Post, Site, slug};
use crate::dates::month_name;
use crate::page::{Anchor, Drawn, Page, escaped};
use crate::truth::{PostRow, TruthList};

const PER_PAGE: usize = 10;

/// The page at a path below `/blog/`.
pub(crate) fn page(site: &Site, base: &str, path: &str, query: Option<&str>) -> Option<Drawn> {
    if let Some(post) = site.post(path) {
        return Some(self::post(site, base, post));
    }
    let rest = path.strip_prefix("/blog/")?;
    if rest.is_empty() {
        let asked = query.and_then(|query| query.strip_prefix("page="));
        return list(site, base, asked.map_or(Some(1), |number| number.parse().ok())?);
    }
    if let Some(tag) = rest.strip_prefix("tag/").and_then(|rest| rest.strip_suffix('/')) {
        let tag = TAGS.iter().find(|&&known| known == tag)?;
        let posts: Vec<&Post> = site.posts.iter().filter(|post| post.tags.contains(tag)).collect();
        return (!posts.is_empty()).then(|| selection(site, base, path, &format!("Tag: {tag}"), &posts));
    }
    let mut parts = rest.strip_suffix('/')?.splitn(2, '/');
    let month = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let posts: Vec<&Post> = site.posts.iter().filter(|post| post.month() == month).collect();
    let canonical = month_path(month);
    if posts.is_empty() || canonical != path {
        return None;
    }
    let title = format!("{} {}", month_name(month.1), month.0);
    Some(selection(site, base, path, &title, &posts))
}

/// All posts as rows, newest first.
pub(crate) fn rows(site: &Site, base: &str) -> Vec<PostRow> {
    let row = |post: &Post| PostRow {
        url: format!("{base}{}", post.path()),
        print_url: format!("{base}{}", post.print_path()),
        title: post.title.clone(),
        author: post.author.to_owned(),
        published: post.day.iso(),
        modified: post.modified.iso(),
        tags: post.tags.iter().map(|&tag| tag.to_owned()).collect(),
        summary: post.paragraphs[0].clone(),
    };
    site.posts.iter().map(row).collect()
}

/// The list pages with their rows.
pub(crate) fn lists(site: &Site, base: &str) -> Vec<TruthList> {
    let chunks: Vec<&[Post]> = site.posts.chunks(PER_PAGE).collect();
    let url = |number| format!("{base}{}", list_path(number));
    let list = |(place, chunk): (usize, &&[Post])| TruthList {
        url: url(place + 1),
        pagination: "next-link".to_owned(),
        next: (place + 1 < chunks.len()).then(|| url(place + 2)),
        items: chunk.iter().map(|post| format!("{base}{}", post.path())).collect(),
    };
    chunks.iter().enumerate().map(list).collect()
}

/// The print version at a path below `/print/`.
pub(crate) fn print(site: &Site, base: &str, path: &str) -> Option<Drawn> {
    let id: u64 = path.rsplit_once('-')?.1.parse().ok()?;
    let post = site.posts.iter().find(|post| post.id == id && post.print_path() == path)?;
    let mut page = Page::new(base, "en", &format!("{} (print version)", post.title));
    page.head("<meta charset=\"utf-8\">\n");
    page.head_title();
    page.head("<link rel=\"stylesheet\" href=\"/print.css\">\n");
    // Only half of the mirror says that it is one.
    if post.id.is_multiple_of(2) {
        page.canonical(&post.path());
    }
    page.body("class=\"print\"");
    page.html("<table class=\"letterhead\">\n<tr><td>Halden and Reef, Quay Street 7, Stavik</td></tr>\n</table>\n<div id=\"sheet\">\n<h2>");
    page.text(&post.title);
    page.html(&format!(
        "</h2>\n<p>Written by {} on {}. Printed from the journal.</p>\n",
        post.author,
        post.day.iso()
    ));
    for paragraph in &post.paragraphs {
        page.html("<p>");
        page.text(paragraph);
        page.html("</p>\n");
    }
    page.html("</div>\n<hr>\n<p>Source: ");
    page.link(&Anchor::new(&post.path(), "web version").rel("nofollow"));
    page.html(" or the ");
    page.a("/blog/", "journal");
    page.html("</p>\n");
    Some(page.finish())
}

pub(crate) fn month_path((year, month): (i64, u32)) -> String {
    format!("/blog/{year}/{month:02}/")
}

/// A teaser with picture, as on the home page and in lists.
pub(crate) fn teaser(page: &mut Page<'_>, post: &Post) {
    page.html("<article class=\"teaser\">\n");
    let image = format!(
        "<img src=\"/img/post/{}.svg\" alt=\"{}\" width=\"220\" height=\"140\" loading=\"lazy\">",
        post.id,
        escaped(&post.title)
    );
    page.link(&Anchor::new(&post.path(), &image).alt(&post.title));
    page.html("\n<div>\n<h2>");
    page.a(&post.path(), &post.title);
    page.html("</h2>\n");
    byline(page, post);
    page.html("<p>");
    page.text(&post.paragraphs[0]);
    page.html("</p>\n</div>\n</article>\n");
}

fn byline(page: &mut Page<'_>, post: &Post) {
    page.html(&format!(
        "<p class=\"byline\">By <span class=\"author\">{}</span> on <time datetime=\"{}\">{}</time></p>\n",
        post.author,
        post.day.iso(),
        post.day.long()
    ));
}

fn list_path(number: usize) -> String {
    if number == 1 { "/blog/".to_owned() } else { format!("/blog/?page={number}") }
}

fn list(site: &Site, base: &str, number: usize) -> Option<Drawn> {
    let pages = site.posts.len().div_ceil(PER_PAGE).max(1);
    if number < 1 || number > pages {
        return None;
    }
    let title = if number == 1 { "Journal".to_owned() } else { format!("Journal, page {number}") };
    let path = list_path(number);
    let head = Head {
        title: &title,
        description: "Walks, repairs and weather.",
        canonical: &path,
        more: "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/blog/feed.xml\">\n",
        ..Head::default()
    };
    let mut page = begin(base, &head);
    page.html(&format!("<main class=\"wrap with-side\">\n<div>\n<h1>{title}</h1>\n"));
    for post in site.posts.iter().skip((number - 1) * PER_PAGE).take(PER_PAGE) {
        teaser(&mut page, post);
    }
    page.html("<nav class=\"pager\" aria-label=\"Pages\">\n");
    if number > 1 {
        page.link(&Anchor::new(&list_path(number - 1), "Newer posts").rel("prev"));
        page.html("\n");
    }
    page.html(&format!("<span class=\"here\">Page {number} of {pages}</span>\n"));
    if number < pages {
        page.link(&Anchor::new(&list_path(number + 1), "Older posts").rel("next"));
        page.html("\n");
    }
    page.html("</nav>\n</div>\n");
    side(site, &mut page);
    page.html("</main>\n");
    Some(end(site, page))
}

fn side(site: &Site, page: &mut Page<'_>) {
    page.html("<aside class=\"side\">\n<h2>Months</h2>\n<ul>\n");
    for month in site.months() {
        page.html("<li>");
        page.a(&month_path(month), &format!("{} {}", month_name(month.1), month.0));
        page.html("</li>\n");
    }
    page.html("</ul>\n<h2>Tags</h2>\n<ul class=\"tags\">\n");
    for tag in TAGS {
        if site.posts.iter().any(|post| post.tags.contains(&tag)) {
            page.html("<li>");
            page.a(&format!("/blog/tag/{tag}/"), tag);
            page.html("</li>\n");
        }
    }
    page.html("</ul>\n</aside>\n");
}

fn selection(site: &Site, base: &str, path: &str, title: &str, posts: &[&Post]) -> Drawn {
    let head = Head { title, canonical: path, ..Head::default() };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap\">\n");
    breadcrumb(&mut page, &[("/", "Home"), ("/blog/", "Journal")], title);
    page.html(&format!("<h1>{title}</h1>\n<ol class=\"archive\">\n"));
    for post in posts {
        page.html(&format!("<li><time datetime=\"{}\">{}</time> ", post.day.iso(), post.day.iso()));
        page.a(&post.path(), &post.title);
        page.html(&format!(" <span class=\"author\">{}</span></li>\n", post.author));
    }
    page.html("</ol>\n</main>\n");
    end(site, page)
}

fn post(site: &Site, base: &str, post: &Post) -> Drawn {
    let path = post.path();
    // A third of the posts has its facts in the visible text only.
    let json_ld = (!post.id.is_multiple_of(3)).then(|| {
        json!({
            "@context": "https://schema.org",
            "@type": "Article",
            "headline": post.title,
            "author": {"@type": "Person", "name": post.author},
            "datePublished": post.day.iso(),
            "dateModified": post.modified.iso(),
            "publisher": {"@type": "Organization", "name": NAME},
        })
    });
    let meta = format!("<meta property=\"article:published_time\" content=\"{}\">\n", post.day.iso());
    let head = Head {
        title: &post.title,
        description: &post.paragraphs[0],
        canonical: &path,
        image: &format!("/img/post/{}.svg", post.id),
        og_type: "article",
        json_ld,
        more: if post.id.is_multiple_of(2) { &meta } else { "" },
        ..Head::default()
    };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap\">\n");
    let month = post.month();
    let month_title = format!("{} {}", month_name(month.1), month.0);
    breadcrumb(
        &mut page,
        &[("/", "Home"), ("/blog/", "Journal"), (&month_path(month), &month_title)],
        &post.title,
    );
    page.html("<article class=\"prose post\">\n<h1>");
    page.text(&post.title);
    page.html("</h1>\n");
    byline(&mut page, post);
    page.html(&format!(
        "<img class=\"hero\" src=\"/img/post/{}.svg\" alt=\"\" width=\"760\" height=\"320\">\n",
        post.id
    ));
    let mentions = post.mentions(site.chance);
    for (number, paragraph) in post.paragraphs.iter().enumerate() {
        if number == 3 {
            page.html("<h2>On the way</h2>\n");
        }
        page.html("<p>");
        page.text(paragraph);
        page.html(" ");
        match mentions.get(number / 2) {
            Some(&id) if number.is_multiple_of(2) => mention(site, &mut page, post, id, number),
            _ => {}
        }
        page.html("</p>\n");
    }
    aside_links(&mut page, post);
    page.html("<ul class=\"tags\">\n");
    for tag in &post.tags {
        page.html("<li>");
        page.a(&format!("/blog/tag/{tag}/"), tag);
        page.html("</li>\n");
    }
    page.html("</ul>\n</article>\n");
    neighbours(site, &mut page, post);
    page.html("</main>\n");
    end(site, page)
}

/// A sentence with a link to a product: bold, italic, both or plain.
fn mention(site: &Site, page: &mut Page<'_>, post: &Post, id: u64, number: usize) {
    let (path, title) = (site.product_path(id), escaped(&site.product_title(id)));
    page.html("We carried the ");
    match (post.id as usize + number / 2) % 4 {
        0 => page.link(&Anchor::new(&path, &format!("<b>{title}</b>"))),
        1 => {
            page.html("<em>");
            page.link(&Anchor::new(&path, &title));
            page.html("</em>");
        }
        2 => {
            page.html("<strong>");
            page.link(&Anchor::new(&path, &format!("<i>{title}</i>")));
            page.html("</strong>");
        }
        _ => page.link(&Anchor::new(&path, &title)),
    }
    page.html(" on this trip.");
}

fn aside_links(page: &mut Page<'_>, post: &Post) {
    page.html("<p class=\"small\">There is a ");
    page.a(&post.print_path(), "version for the printer");
    page.html(" of this entry. ");
    match post.id % 6 {
        0 => {
            // Addresses of the shop before it was rebuilt: they redirect.
            page.html("The lamp in the picture is ");
            page.a(&format!("/p/{}", 1_000 + post.id % 48), "an older model");
            page.html(".");
        }
        1 => {
            page.html("Thanks to the people at ");
            page.link(&Anchor::new("http://elsewhere.test/huts", "Elsewhere Huts").rel("noopener"));
            page.html(".");
        }
        2 => {
            page.html("The photographs are gone, but there was once ");
            page.a(&format!("/blog/gallery/{}", post.slug), "a gallery");
            page.html(".");
        }
        3 => {
            page.html("Our partner has ");
            page.link(&Anchor::new("/partner/offers", "offers").rel("nofollow sponsored"));
            page.html(" that we were asked to mention.");
        }
        4 => {
            page.html("More of the same on ");
            let (name, segment, ..) = CATEGORIES[(post.id % 5) as usize];
            let canonical = format!("/shop/{segment}/");
            let written = format!("{canonical}?utm_source=journal&utm_campaign={}", slug(&post.title));
            page.link(&Anchor::new(&canonical, &format!("<i>the {name} shelf</i>")).written(&written));
            page.html(".");
        }
        _ => {
            page.html("The track can be had as ");
            page.link(&Anchor::new(&format!("/files/track-{}.zip", post.id), "an archive").with("download"));
            page.html(".");
        }
    }
    page.html("</p>\n");
}

fn neighbours(site: &Site, page: &mut Page<'_>, post: &Post) {
    let place = site.posts.iter().position(|other| other.id == post.id).unwrap_or(0);
    page.html("<nav class=\"pager\" aria-label=\"Other posts\">\n");
    let newer = place.checked_sub(1).map(|place| &site.posts[place]);
    for (other, rel, word) in [(newer, "next", "Newer:"), (site.posts.get(place + 1), "prev", "Older:")] {
        if let Some(other) = other {
            page.link(&Anchor::new(&other.path(), &format!("{word} {}", escaped(&other.title))).rel(rel));
            page.html("\n");
        }
    }
    page.html("</nav>\n");
}
