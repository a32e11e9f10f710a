//! The rooms that need JavaScript: an empty shell, a script, and the JSON the script asks for.

use serde_json::{Value, json};

use super::layout::{Head, begin, end};
use super::phrases::CATEGORIES;
use super::site::{Site, decimal};
use crate::page::Drawn;

const ROOMS: [(&str, &str); 3] =
    [("stock", "Live stock"), ("prices", "Live prices"), ("arrivals", "New arrivals")];

/// The shell at a path below `/live/`.
pub(crate) fn page(site: &Site, base: &str, path: &str) -> Option<Drawn> {
    let room = path.strip_prefix("/live/")?;
    let title = if room.is_empty() { "Live" } else { ROOMS.iter().find(|known| known.0 == room)?.1 };
    let head = Head {
        title,
        canonical: path,
        more: "<script src=\"/live.js\" defer></script>\n",
        ..Head::default()
    };
    let mut page = begin(base, &head);
    page.html(&format!("<main class=\"wrap\">\n<h1>{title}</h1>\n"));
    if room.is_empty() {
        page.html("<ul class=\"archive\">\n");
        for (room, name) in ROOMS {
            page.html("<li>");
            page.a(&format!("/live/{room}"), name);
            page.html("</li>\n");
        }
        page.html("</ul>\n");
    } else {
        page.html(&format!(
            "<div id=\"live\" data-source=\"/api/{room}.json\" aria-live=\"polite\"></div>\n"
        ));
        page.html("<noscript><p>This room needs JavaScript.</p></noscript>\n");
    }
    page.html("</main>\n");
    Some(end(site, page))
}

/// What the script draws, at a path below `/api/`.
pub(crate) fn data(site: &Site, path: &str) -> Option<Value> {
    let room = path.strip_prefix("/api/")?.strip_suffix(".json")?;
    let products = site.products.iter();
    let rows: Vec<Value> = match room {
        "stock" => products
            .map(|p| json!({"name": p.title, "url": p.path(), "stock": p.stock, "shelf": CATEGORIES[p.category].0}))
            .collect(),
        "prices" => products
            .map(|p| json!({"name": p.title, "url": p.path(), "price": decimal(p.cents), "currency": p.format.currency()}))
            .collect(),
        "arrivals" => {
            let mut newest: Vec<_> = products.collect();
            newest.sort_by_key(|product| std::cmp::Reverse(product.id));
            let newest = newest.into_iter().take(12);
            newest.map(|p| json!({"name": p.title, "url": p.path(), "number": p.sku})).collect()
        }
        _ => return None,
    };
    Some(json!({"epoch": site.epoch, "rows": rows}))
}
