//! Home, the company's own pages, the German ones, and what is behind the login.

use super::blog::teaser;
use super::layout::{Head, NAME, begin, breadcrumb, end};
use super::phrases::{CATEGORIES, sentence};
use super::shop::german_path;
use super::site::{Product, Site, decimal, slug};
use super::slots::PEOPLE;
use crate::page::{Anchor, Drawn, Page, escaped};

/// The page at a path that belongs to no other part of the site.
pub(crate) fn page(site: &Site, base: &str, path: &str) -> Option<Drawn> {
    Some(match path {
        "/" => home(site, base),
        "/about" => about(site, base),
        "/team" => team(site, base),
        "/contact" => contact(site, base),
        "/impressum" => plain(site, base, &IMPRESSUM),
        "/privacy" => plain(site, base, &PRIVACY),
        "/partner/offers" => plain(site, base, &OFFERS),
        "/status/maintenance" => plain(site, base, &GUESTS),
        "/private/press-kit.html" => plain(site, base, &PRESS),
        "/private/minutes.html" => plain(site, base, &MINUTES),
        "/login" => login(site, base, ""),
        "/de/" => german_home(site, base),
        "/de/ueber-uns" => plain(site, base, &UEBER_UNS),
        "/de/kontakt" => plain(site, base, &KONTAKT),
        "/de/impressum" => plain(site, base, &IMPRESSUM_DE),
        _ => {
            let slug = path.strip_prefix("/de/produkt/")?;
            let product = site.product(slug).filter(|product| german_path(product).is_some())?;
            german_product(site, base, product)
        }
    })
}

/// A page of fixed text.
struct Plain {
    path: &'static str,
    language: &'static str,
    other: &'static str,
    title: &'static str,
    paragraphs: &'static [&'static str],
}

const IMPRESSUM: Plain = Plain {
    path: "/impressum",
    language: "en",
    other: "/de/impressum",
    title: "Impressum",
    paragraphs: &[
        "Halden & Reef is a made-up company with a made-up address: Quay Street 7, 0000 Stavik.",
        "Responsible for the contents: Clara Whitlock. Register number HR 000 000.",
        "Everything on these pages may be copied, quoted, crawled and taken apart.",
    ],
};
const PRIVACY: Plain = Plain {
    path: "/privacy",
    language: "en",
    other: "",
    title: "Privacy",
    paragraphs: &[
        "We store nothing about you. The cookie of the banner remembers your answer to the banner, and the cookie of the login remembers that you have signed in.",
        "There are no counters, no pixels and no third parties, because there is no second party either.",
    ],
};
const OFFERS: Plain = Plain {
    path: "/partner/offers",
    language: "en",
    other: "",
    title: "Offers of our partner",
    paragraphs: &["Only nofollow links lead here. A crawler that honours them does not read this sentence."],
};
const GUESTS: Plain = Plain {
    path: "/status/maintenance",
    language: "en",
    other: "",
    title: "Guest book",
    paragraphs: &["The guest book has been repaired. Nobody has written into it yet."],
};
const PRESS: Plain = Plain {
    path: "/private/press-kit.html",
    language: "en",
    other: "",
    title: "Press kit",
    paragraphs: &["The folder is closed to robots, this page is not: robots.txt allows it by a longer rule."],
};
const MINUTES: Plain = Plain {
    path: "/private/minutes.html",
    language: "en",
    other: "",
    title: "Minutes of the last meeting",
    paragraphs: &["Robots are asked to stay out of here. If you are one, something has gone wrong."],
};
const UEBER_UNS: Plain = Plain {
    path: "/de/ueber-uns",
    language: "de",
    other: "/about",
    title: "Über uns",
    paragraphs: &[
        "Seit vielen Jahren nähen, löten und schrauben wir in Stavik an Dingen, die draußen halten.",
        "Was kaputtgeht, wird in unserer Werkstatt repariert. Was sich nicht reparieren lässt, nehmen wir zurück.",
        "Den Laden gibt es nur hier: Er ist erfunden und gehört zu Gannet.",
    ],
};
const KONTAKT: Plain = Plain {
    path: "/de/kontakt",
    language: "de",
    other: "/contact",
    title: "Kontakt",
    paragraphs: &[
        "Schreiben Sie uns eine Postkarte: Kaistraße 7, 0000 Stavik. Wir antworten bei jedem Wetter.",
    ],
};
const IMPRESSUM_DE: Plain = Plain {
    path: "/de/impressum",
    language: "de",
    other: "/impressum",
    title: "Impressum",
    paragraphs: &[
        "Halden & Reef ist eine erfundene Firma mit erfundener Anschrift: Kaistraße 7, 0000 Stavik.",
    ],
};

fn plain(site: &Site, base: &str, text: &Plain) -> Drawn {
    let head = Head {
        title: text.title,
        language: text.language,
        canonical: text.path,
        other_language: text.other,
        ..Head::default()
    };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap prose\">\n<h1>");
    page.text(text.title);
    page.html("</h1>\n");
    for paragraph in text.paragraphs {
        page.html("<p>");
        page.text(paragraph);
        page.html("</p>\n");
    }
    page.html("</main>\n");
    end(site, page)
}

fn home(site: &Site, base: &str) -> Drawn {
    let head = Head {
        title: "Outdoor goods, made to be mended",
        description: "Tents, packs and lamps from a small workshop by the sea.",
        canonical: "/",
        other_language: "/de/",
        image: "/img/hero.svg",
        class: "home",
        ..Head::default()
    };
    let mut page = begin(base, &head);
    page.html("<section class=\"hero-band\">\n<div class=\"wrap\">\n<p class=\"kicker\">Catalogue ");
    page.html(&format!("{}</p>\n<h1>Made to be mended</h1>\n", site.first_day.civil().0));
    page.html("<p class=\"lead\">Tents, packs, stoves and lamps from a small workshop by the sea. Take them out, bring them back, we repair them.</p>\n<p>");
    page.link(&Anchor::new("/shop/", "Look around the shop").with("class=\"button\""));
    page.html(" ");
    page.link(&Anchor::new("/today", "Read today's entry").with("class=\"button quiet\""));
    page.html("</p>\n</div>\n</section>\n<main class=\"wrap\">\n<h2>Shelves</h2>\n<div class=\"cards\">\n");
    for (name, segment, ..) in CATEGORIES {
        let inner = format!(
            "<img src=\"/img/category/{segment}.svg\" alt=\"\" width=\"320\" height=\"180\">\n<h3>{name}</h3>\n"
        );
        page.link(&Anchor::new(&format!("/shop/{segment}/"), &inner).with("class=\"card\""));
        page.html("\n");
    }
    page.html("</div>\n<h2>Fresh from the workshop</h2>\n<ul class=\"cards products\">\n");
    let mut newest: Vec<&Product> = site.products.iter().collect();
    newest.sort_by_key(|product| std::cmp::Reverse(product.id));
    for product in newest.iter().take(4) {
        page.html("<li class=\"card product\">\n");
        let inner = format!(
            "<img src=\"{}\" alt=\"\" width=\"280\" height=\"200\">\n<strong>{}</strong>\n<span class=\"now\">{}</span>",
            product.image(),
            escaped(&product.title),
            product.price_text()
        );
        page.link(&Anchor::new(&product.path(), &inner));
        page.html("\n</li>\n");
    }
    page.html("</ul>\n<h2>From the journal</h2>\n<div class=\"teasers\">\n");
    for post in site.posts.iter().take(3) {
        teaser(&mut page, post);
    }
    page.html("</div>\n<p class=\"hint\">New here? The ");
    page.link(&Anchor::new("/docs/", "manual").written("docs/./"));
    page.html(" explains the trail computer, and the newsletter is the ");
    page.link(
        &Anchor::new("/blog/", "journal")
            .written("/blog/?utm_source=home&utm_medium=text&utm_campaign=spring"),
    );
    page.html(" by post.</p>\n</main>\n");
    end(site, page)
}

fn about(site: &Site, base: &str) -> Drawn {
    let head =
        Head { title: "About us", canonical: "/about", other_language: "/de/ueber-uns", ..Head::default() };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap prose\">\n<h1>About us</h1>\n<p class=\"lead\">We sew, solder and screw things together that stay together outdoors.</p>\n");
    page.html("<p>The workshop stands on the quay in Stavik. Upstairs is the loft where the tents hang, downstairs the bench where stoves are tested. The ");
    page.a("/team", "team");
    page.html(" is eight people and a dog. We write a ");
    page.html("<i>");
    page.a("/blog/", "journal");
    page.html("</i>, keep an archive of ");
    page.html("<b><i>");
    page.a("/shop/", "everything we make");
    page.html("</i></b>, and answer every ");
    page.html("<strong>");
    page.a("/contact", "letter");
    page.html("</strong>.</p>\n<h2>For the press</h2>\n<p>Journalists find a ");
    page.a("/private/press-kit.html", "press kit");
    page.html(" here. The ");
    page.a("/private/minutes.html", "minutes");
    page.html(" of our meetings are for members. The campaign of last spring has ");
    page.a("/campaign/spring", "ended");
    page.html(", the guest book is ");
    page.a("/status/maintenance", "being repaired");
    page.html(" and the old counter has ");
    page.a("/status/broken", "never worked");
    page.html(".</p>\n<p>Friends: ");
    page.link(&Anchor::new("http://elsewhere.test/", "Elsewhere").written("HTTP://ELSEWHERE.TEST:80"));
    page.html(" and ");
    page.a("https://secure.elsewhere.test/map", "its map");
    page.html("</p>\n</main>\n");
    end(site, page)
}

fn team(site: &Site, base: &str) -> Drawn {
    let head = Head { title: "The workshop team", canonical: "/team", ..Head::default() };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap\">\n<h1>The workshop team</h1>\n<ul class=\"cards small\">\n");
    for (number, name) in PEOPLE.iter().enumerate() {
        let chance = site.chance.with("team").at(number as u64);
        let pattern = "Knows {fabric} by its sound, likes {food}, and once met {animal} on {ground}.";
        page.html(&format!(
            "<li class=\"card person\">\n<img src=\"/img/person/{}.png\" alt=\"\" width=\"96\" height=\"96\">\n<h2>{name}</h2>\n<p>",
            slug(name)
        ));
        page.text(&sentence(chance, pattern));
        page.html("</p>\n</li>\n");
    }
    page.html("</ul>\n</main>\n");
    end(site, page)
}

fn contact(site: &Site, base: &str) -> Drawn {
    let head =
        Head { title: "Contact", canonical: "/contact", other_language: "/de/kontakt", ..Head::default() };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap prose\">\n<h1>Contact</h1>\n<p>Quay Street 7, 0000 Stavik. Open when the flag is up.</p>\n<h2 id=\"write\">Write to us</h2>\n<form action=\"/contact\" method=\"post\" class=\"stacked\">\n<label>Name <input name=\"name\"></label>\n<label>Message <textarea name=\"message\" rows=\"5\"></textarea></label>\n<button class=\"button\">Send</button>\n</form>\n<p>How to find us: see the ");
    page.a("/oddities/map", "map of the harbour");
    page.html(".</p>\n</main>\n");
    end(site, page)
}

/// The login page, with a message after a failed try.
pub(crate) fn login(site: &Site, base: &str, message: &str) -> Drawn {
    let head = Head { title: "Sign in", canonical: "/login", ..Head::default() };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap prose\">\n<h1>Sign in</h1>\n");
    if !message.is_empty() {
        page.html(&format!("<p class=\"notice\" role=\"alert\">{message}</p>\n"));
    }
    page.html("<form action=\"/login\" method=\"post\" class=\"stacked\" id=\"login\">\n<label>Name <input name=\"user\" autocomplete=\"username\" required></label>\n<label>Password <input name=\"password\" type=\"password\" autocomplete=\"current-password\" required></label>\n<button class=\"button\">Sign in</button>\n</form>\n<p class=\"hint\">The name is demo, the password is demo. Behind it is ");
    page.a("/account/", "your account");
    page.html("</p>\n</main>\n");
    end(site, page)
}

/// A page behind the login.
pub(crate) fn account(site: &Site, base: &str, path: &str) -> Option<Drawn> {
    let title = match path {
        "/account/" => "Your account",
        "/account/orders" => "Your orders",
        _ => return None,
    };
    let head = Head { title, robots: "noindex", ..Head::default() };
    let mut page = begin(base, &head);
    page.html(&format!("<main class=\"wrap\">\n<h1>{title}</h1>\n"));
    if path == "/account/" {
        page.html("<p>Welcome back, demo. You have five ");
        page.a("/account/orders", "orders");
        page.html(" and can ");
        page.a("/logout", "sign out");
        page.html(" at any time.</p>\n");
    } else {
        page.html(
            "<table>\n<thead>\n<tr><th>Order</th> <th>Product</th> <th>Sum</th></tr>\n</thead>\n<tbody>\n",
        );
        for (number, product) in site.products.iter().step_by(7).take(5).enumerate() {
            page.html(&format!("<tr><td>{}</td> <td>", 7_001 + number));
            page.a(&product.path(), &product.title);
            page.html(&format!("</td> <td>{}</td></tr>\n", product.price_text()));
        }
        page.html("</tbody>\n</table>\n");
    }
    page.html("</main>\n");
    Some(end(site, page))
}

/// Cart and search: closed to robots, but real pages for people.
pub(crate) fn closed(site: &Site, base: &str, path: &str, query: &str) -> Option<Drawn> {
    let search = path == "/search";
    if !search && path != "/cart/" && path != "/cart/add" {
        return None;
    }
    let title = if search { "Search" } else { "Cart" };
    let mut page = begin(base, &Head { title, robots: "noindex", ..Head::default() });
    page.html(&format!("<main class=\"wrap\">\n<h1>{title}</h1>\n"));
    if search {
        let wanted = query.to_lowercase();
        let found = site.products.iter().filter(|product| product.title.to_lowercase().contains(&wanted));
        page.html("<ul class=\"archive\">\n");
        for product in found.take(20) {
            page.html("<li>");
            page.a(&product.path(), &product.title);
            page.html(&format!(" {}</li>\n", product.price_text()));
        }
        page.html("</ul>\n");
    } else {
        page.html("<p>Your cart is empty, and will stay so.</p>\n");
    }
    page.html("</main>\n");
    Some(end(site, page))
}

fn german_home(site: &Site, base: &str) -> Drawn {
    let head = Head {
        title: "Ausrüstung zum Reparieren",
        language: "de",
        canonical: "/de/",
        other_language: "/",
        ..Head::default()
    };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap\">\n<h1>Ausrüstung, die sich reparieren lässt</h1>\n<p class=\"lead\">Zelte, Rucksäcke und Lampen aus einer kleinen Werkstatt am Meer.</p>\n<ul class=\"archive\">\n");
    for product in site.products.iter().filter(|product| german_path(product).is_some()) {
        page.html("<li>");
        page.a(&german_path(product).unwrap_or_default(), &product.title);
        page.html(&format!(" {} {}</li>\n", CATEGORIES[product.category].2, product.price_text()));
    }
    page.html("</ul>\n<p>Fragen? Hier ist der ");
    page.a("/de/kontakt", "Kontakt");
    page.html(" und das ");
    page.a("/de/impressum", "Impressum");
    // A path outside ASCII: canonical means percent-encoded UTF-8.
    page.html(", und die ");
    page.link(&Anchor::new("/oddities/gr%C3%B6%C3%9Fen", "Größentabelle").written("/oddities/größen"));
    page.html("</p>\n</main>\n");
    end(site, page)
}

fn german_product(site: &Site, base: &str, product: &Product) -> Drawn {
    let path = german_path(product).unwrap_or_default();
    let other = product.path();
    let head = Head {
        title: &product.title,
        language: "de",
        canonical: &path,
        other_language: &other,
        image: &product.image(),
        og_type: "product",
        ..Head::default()
    };
    let category = CATEGORIES[product.category].2;
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap\">\n");
    breadcrumb(&mut page, &[("/de/", "Start")], &product.title);
    page.html(&format!(
        "<article class=\"product-page\">\n<figure><img src=\"{}\" alt=\"\" width=\"560\" height=\"400\"></figure>\n<div class=\"facts\">\n<h1>",
        product.image()
    ));
    page.text(&product.title);
    page.html(&format!(
        "</h1>\n<p class=\"price\"><span class=\"now\">{} {}</span></p>\n",
        decimal(product.cents).replace('.', ","),
        product.format.currency()
    ));
    let stock = match product.stock {
        0 => "Ausverkauft".to_owned(),
        pieces => format!("Auf Lager: {pieces} Stück"),
    };
    page.html(&format!("<p class=\"stock\">{stock}</p>\n<dl class=\"details\">\n<dt>Nummer</dt>\n<dd class=\"sku\">{}</dd>\n<dt>Regal</dt>\n<dd>{category}</dd>\n", product.sku));
    if let Some(weight) = product.weight {
        page.html(&format!("<dt>Gewicht</dt>\n<dd>{weight} g</dd>\n"));
    }
    page.html("</dl>\n</div>\n</article>\n<section class=\"prose\">\n<p>");
    german_words(&mut page, site, product);
    page.html("</p>\n</section>\n</main>\n");
    end(site, page)
}

fn german_words(page: &mut Page<'_>, site: &Site, product: &Product) {
    let chance = site.chance.with("deutsch").at(product.id);
    for (number, choices) in GERMAN.iter().enumerate() {
        page.text(chance.at(number as u64).pick(choices));
        page.html(" ");
    }
    page.text(&format!("Von {NAME}, Stavik."));
}

const GERMAN: [[&str; 4]; 4] = [
    [
        "Genäht in unserer Werkstatt am Kai.",
        "Entworfen im Regen, geprüft im Sturm.",
        "Ein Stück für lange Wege.",
        "Schlicht, dicht und leise.",
    ],
    [
        "Jede Naht ist doppelt gelegt.",
        "Alle Teile lassen sich einzeln ersetzen.",
        "Der Stoff ist gewachst und dunkelt nach.",
        "Schnallen und Ösen sind aus Messing.",
    ],
    [
        "Auch mit Handschuhen zu bedienen.",
        "Trocknet über Nacht am Haken.",
        "Passt in jede Seitentasche.",
        "Wiegt weniger als ein Frühstück.",
    ],
    [
        "Zehn Jahre gibt es Ersatzteile.",
        "Wir reparieren es, solange es uns gibt.",
        "Für Frost gemacht, im Sommer geschätzt.",
        "Das Muster stammt von einer alten Skizze.",
    ],
];
