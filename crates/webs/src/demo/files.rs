//! What is not a page: style, scripts, pictures, things to download, robots.txt, sitemap, feed.

use super::oddities::calendar_path;
use super::phrases::CATEGORIES;
use super::site::{Site, slug};
use super::slots::PEOPLE;
use super::{Reply, blog};
use crate::page::escaped;
use crate::picture;
use crate::robots::Robots;

/// The file at a path.
pub(crate) fn file(site: &Site, base: &str, path: &str) -> Option<Reply> {
    let text = |content_type, text: String| Some(Reply::file(content_type, text.into_bytes()));
    match path {
        "/robots.txt" => text("text/plain; charset=utf-8", robots(base).text()),
        "/sitemap.xml" => text("application/xml", sitemap(site, base)),
        "/.well-known/crawl-hints.json" => text("application/json", hints(site)),
        "/changes.json" => text("application/json", changes(site)),
        "/blog/feed.xml" => text("application/rss+xml", feed(site, base)),
        "/style.css" => text("text/css", include_str!("style.css").to_owned()),
        "/print.css" => text("text/css", include_str!("print.css").to_owned()),
        "/site.js" => text("text/javascript", include_str!("site.js").to_owned()),
        "/live.js" => text("text/javascript", include_str!("live.js").to_owned()),
        "/favicon.ico" | "/img/icon.svg" => text(SVG, picture::icon()),
        _ => picture(site, path).or_else(|| download(path)),
    }
}

/// The rules of the site. The truth takes line numbers from here.
pub(crate) fn robots(base: &str) -> Robots {
    let mut robots = Robots::default();
    robots.line("# Halden & Reef: a made-up shop. Be welcome, be polite.");
    robots.line("User-agent: otherbot");
    robots.line("Crawl-delay: 5");
    robots.line("Disallow: /");
    robots.line("");
    robots.line("User-agent: *");
    robots.rule(false, "/private/");
    robots.rule(true, "/private/press-kit.html");
    robots.rule(false, "/cart/");
    robots.rule(false, "/search");
    robots.rule(false, "/_control/");
    robots.line("");
    robots.line(&format!("Sitemap: {base}/sitemap.xml"));
    robots
}

const SVG: &str = "image/svg+xml";

fn picture(site: &Site, path: &str) -> Option<Reply> {
    let name = path.strip_prefix("/img/")?;
    let svg = |text: String| Reply::file(SVG, text.into_bytes());
    if name == "hero.svg" {
        return Some(svg(picture::landscape(site.chance.with("hero"), 1_600, 700)));
    }
    if name == "harbour.svg" {
        return Some(svg(picture::landscape(site.chance.with("harbour"), 640, 320)));
    }
    let (folder, name) = name.split_once('/')?;
    let (name, kind) = name.rsplit_once('.')?;
    match (folder, kind) {
        ("category", "svg") => {
            let category = CATEGORIES.iter().position(|category| category.1 == name)?;
            Some(svg(picture::thing(site.chance.with("category").at(category as u64), category, 320, 180)))
        }
        ("product", _) => {
            let product = site.product(name).filter(|product| product.image() == path)?;
            let chance = site.chance.with("picture").at(product.id);
            Some(match kind {
                "png" => Reply::file("image/png", picture::block(chance, 280, 200)),
                _ => svg(picture::thing(chance, product.category, 560, 400)),
            })
        }
        ("post", "svg") => {
            let id: u64 = name.parse().ok()?;
            site.posts.iter().find(|post| post.id == id)?;
            Some(svg(picture::landscape(site.chance.with("post picture").at(id), 760, 320)))
        }
        ("person", "png") => {
            let person = PEOPLE.iter().position(|person| slug(person) == name)?;
            Some(Reply::file("image/png", picture::face(site.chance.with("face").at(person as u64), 96)))
        }
        _ => None,
    }
}

fn download(path: &str) -> Option<Reply> {
    let name = path.strip_prefix("/files/")?;
    let known = |segment: &str| CATEGORIES.iter().any(|category| category.1 == segment);
    if let Some(segment) = name.strip_prefix("care-").and_then(|rest| rest.strip_suffix(".pdf")) {
        return known(segment).then(|| Reply::file("application/pdf", pdf(segment)));
    }
    let id = name.strip_prefix("track-")?.strip_suffix(".zip")?;
    id.parse::<u64>().ok()?;
    // The end record of an archive without entries: the shortest valid one.
    let mut zip = b"PK\x05\x06".to_vec();
    zip.resize(22, 0);
    Some(Reply::file("application/zip", zip))
}

/// A one-page PDF with one line of text.
fn pdf(subject: &str) -> Vec<u8> {
    let stream = format!("BT /F1 18 Tf 60 760 Td (How to care for {subject}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut out = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", number + 1));
    }
    let table = out.len();
    out.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    for place in places {
        out.push_str(&format!("{place:010} 00000 n \n"));
    }
    out.push_str(&format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    ));
    out.into_bytes()
}

fn sitemap(site: &Site, base: &str) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    let mut url = |path: &str, day: &str| {
        out.push_str(&format!(
            "<url><loc>{}</loc><lastmod>{day}</lastmod></url>\n",
            escaped(&format!("{base}{path}"))
        ));
    };
    let today = site.today.iso();
    let (year, month, _) = site.first_day.civil();
    for path in ["/", "/shop/", "/blog/", "/docs/", "/about", &calendar_path(year, month)] {
        url(path, &today);
    }
    for post in &site.posts {
        url(&post.path(), &post.modified.iso());
    }
    for product in &site.products {
        url(&product.path(), &today);
    }
    out.push_str("</urlset>\n");
    out
}

/// What the site tells crawlers: how large it is, how fast they may be, and where its changes are listed.
fn hints(site: &Site) -> String {
    let urls = site.posts.len() + site.products.len();
    let hints = serde_json::json!({
        "version": 1,
        "urls": urls,
        "rate": { "requests_per_second": 1_000, "hours": "00:00-24:00", "time_zone": "UTC" },
        "changes": "/changes.json",
    });
    format!("{hints:#}\n")
}

/// The pages that change every day; the home page links to all of them.
fn changes(site: &Site) -> String {
    let today = site.today.iso();
    let changes: Vec<_> = ["/", "/shop/", "/blog/", "/docs/"]
        .iter()
        .map(|path| serde_json::json!({ "url": path, "lastmod": today }))
        .collect();
    format!("{:#}\n", serde_json::json!({ "version": 1, "changes": changes }))
}

fn feed(site: &Site, base: &str) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel><title>Halden &amp; Reef: journal</title><link>{base}/blog/</link><description>Walks, repairs and weather</description>\n"
    );
    for row in blog::rows(site, base).iter().zip(&site.posts).take(20) {
        let (row, post) = row;
        out.push_str(&format!(
            "<item><title>{}</title><link>{}</link><guid>{}</guid><pubDate>{}</pubDate><description>{}</description></item>\n",
            escaped(&row.title),
            escaped(&row.url),
            escaped(&row.url),
            post.day.http(),
            escaped(&row.summary)
        ));
    }
    out.push_str("</channel></rss>\n");
    out
}
