//! What all pages of the demo site have in common: head, header, footer, cookie banner.

use serde_json::Value;

use super::phrases::CATEGORIES;
use super::site::Site;
use crate::page::{Anchor, Drawn, Page, escaped};

pub(crate) const NAME: &str = "Halden & Reef";

/// What the head of a page says.
pub(crate) struct Head<'h> {
    pub(crate) title: &'h str,
    pub(crate) description: &'h str,
    pub(crate) language: &'h str,
    /// Named as rel=canonical when not empty.
    pub(crate) canonical: &'h str,
    /// Path of the same page in the other language, when there is one.
    pub(crate) other_language: &'h str,
    pub(crate) image: &'h str,
    /// `website`, `product`, `article`.
    pub(crate) og_type: &'h str,
    pub(crate) json_ld: Option<Value>,
    pub(crate) robots: &'h str,
    /// More markup for the head.
    pub(crate) more: &'h str,
    /// Class of the body.
    pub(crate) class: &'h str,
}

impl Default for Head<'_> {
    fn default() -> Self {
        Self {
            title: "",
            description: "",
            language: "en",
            canonical: "",
            other_language: "",
            image: "",
            og_type: "website",
            json_ld: None,
            robots: "",
            more: "",
            class: "",
        }
    }
}

/// Opens a page with head and header; the caller writes the main part.
pub(crate) fn begin<'a>(base: &'a str, head: &Head<'_>) -> Page<'a> {
    let title = format!("{} · {NAME}", head.title);
    let mut page = Page::new(base, head.language, &title);
    page.head("<meta charset=\"utf-8\">\n");
    page.head_title();
    page.head("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.head("<link rel=\"stylesheet\" href=\"/style.css\">\n");
    page.head("<link rel=\"icon\" href=\"/img/icon.svg\" type=\"image/svg+xml\">\n");
    if !head.description.is_empty() {
        let description = escaped(head.description);
        page.head(&format!("<meta name=\"description\" content=\"{description}\">\n"));
        page.head(&format!("<meta property=\"og:description\" content=\"{description}\">\n"));
    }
    page.head(&format!("<meta property=\"og:title\" content=\"{}\">\n", escaped(head.title)));
    page.head(&format!("<meta property=\"og:type\" content=\"{}\">\n", head.og_type));
    page.head(&format!("<meta property=\"og:site_name\" content=\"{}\">\n", escaped(NAME)));
    if !head.image.is_empty() {
        page.head(&format!("<meta property=\"og:image\" content=\"{base}{}\">\n", head.image));
    }
    if !head.robots.is_empty() {
        page.robots_meta(head.robots);
    }
    if !head.canonical.is_empty() {
        page.canonical(head.canonical);
    }
    if !head.other_language.is_empty() {
        let (here, there) = if head.language == "de" { ("de", "en") } else { ("en", "de") };
        for (language, path) in [(here, head.canonical), (there, head.other_language)] {
            let href = escaped(path);
            page.head(&format!("<link rel=\"alternate\" hreflang=\"{language}\" href=\"{base}{href}\">\n"));
        }
    }
    if let Some(json) = &head.json_ld {
        page.head(&format!("<script type=\"application/ld+json\">{json}</script>\n"));
    }
    page.head("<script src=\"/site.js\" defer></script>\n");
    page.head(head.more);
    page.body(&format!("class=\"{}\"", head.class));
    header(&mut page, head);
    page
}

/// Footer and cookie banner. Nothing here changes with the epoch: a page whose own facts stay the
/// same stays the same, byte by byte.
pub(crate) fn end(site: &Site, mut page: Page<'_>) -> Drawn {
    page.html("<footer class=\"site-footer\">\n<div class=\"wrap footer-columns\">\n");
    column(&mut page, "Shop", &CATEGORIES.map(|category| (format!("/shop/{}/", category.1), category.0)));
    let (year, month, _) = site.first_day.civil();
    column(
        &mut page,
        "Read",
        &[
            ("/blog/".to_owned(), "Journal"),
            ("/docs/".to_owned(), "Trail computer manual"),
            ("/live/stock".to_owned(), "Live stock"),
            (format!("/calendar/{year:04}/{month:02}"), "Events calendar"),
        ],
    );
    column(
        &mut page,
        "Company",
        &[
            ("/about".to_owned(), "About us"),
            ("/team".to_owned(), "The workshop team"),
            ("/contact".to_owned(), "Contact"),
            ("/impressum".to_owned(), "Impressum"),
            ("/privacy".to_owned(), "Privacy"),
            ("/oddities/".to_owned(), "Odd corners"),
        ],
    );
    page.html("</div>\n<p class=\"wrap small\">A made-up shop that comes with Gannet. Nothing here can be bought. © ");
    page.html(&format!("{year} Halden &amp; Reef</p>\n</footer>\n"));
    page.html(COOKIES);
    page.finish()
}

/// The trail of links above the title; the last part is the page itself.
pub(crate) fn breadcrumb(page: &mut Page<'_>, trail: &[(&str, &str)], here: &str) {
    page.html("<nav class=\"breadcrumb\" aria-label=\"Breadcrumb\">\n<ol>\n");
    for (path, name) in trail {
        page.html("<li>");
        page.a(path, name);
        page.html("</li>\n");
    }
    page.html("<li aria-current=\"page\">");
    page.text(here);
    page.html("</li>\n</ol>\n</nav>\n");
}

const COOKIES: &str = "<div class=\"cookies\" id=\"cookies\" role=\"dialog\" aria-label=\"Cookies\">\n\
    <p>We would like to keep a cookie that remembers that you do not like cookies.</p>\n\
    <button type=\"button\" class=\"button\" data-cookies=\"accept\">Fine</button>\n\
    <button type=\"button\" class=\"button quiet\" data-cookies=\"refuse\">No, thanks</button>\n\
    </div>\n";

fn header(page: &mut Page<'_>, head: &Head<'_>) {
    let german = head.language == "de";
    page.html("<header class=\"site-header\">\n<div class=\"wrap bar\">\n");
    let home = if german { "/de/" } else { "/" };
    page.link(&Anchor::new(home, "<span class=\"mark\"></span> Halden &amp; Reef").with("class=\"brand\""));
    page.html("\n<nav class=\"main-nav\" aria-label=\"Main\">\n");
    let entries: &[(&str, &str)] = if german {
        &[("/shop/", "Laden"), ("/blog/", "Journal"), ("/docs/", "Handbuch"), ("/de/ueber-uns", "Über uns")]
    } else {
        &[("/shop/", "Shop"), ("/blog/", "Journal"), ("/docs/", "Docs"), ("/about", "About")]
    };
    for (path, name) in entries {
        page.a(path, name);
        page.html("\n");
    }
    page.html("</nav>\n<form class=\"search\" action=\"/search\" role=\"search\">\n");
    page.html("<input name=\"q\" type=\"search\" aria-label=\"Search\" placeholder=\"Search\">\n</form>\n");
    page.html("<nav class=\"side-nav\" aria-label=\"Account\">\n");
    if !head.other_language.is_empty() {
        let name = if german { "English" } else { "Deutsch" };
        page.link(&Anchor::new(head.other_language, name).with("class=\"language\""));
        page.html("\n");
    }
    page.a("/login", if german { "Anmelden" } else { "Sign in" });
    page.html("\n");
    page.a("/cart/", if german { "Korb" } else { "Cart" });
    page.html("\n</nav>\n</div>\n</header>\n");
}

fn column(page: &mut Page<'_>, title: &str, links: &[(String, &str)]) {
    page.html(&format!("<section>\n<h2>{title}</h2>\n<ul>\n"));
    for (path, name) in links {
        page.html("<li>");
        page.a(path, name);
        page.html("</li>\n");
    }
    page.html("</ul>\n</section>\n");
}
