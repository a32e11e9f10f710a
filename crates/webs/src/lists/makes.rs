//! Lists made of cards and list items.

use super::{Offer, Row};
use crate::page::escaped;

pub(super) fn cards(offers: &[Offer]) -> (String, Vec<Row>) {
    let html: String = offers
        .iter()
        .map(|offer| {
            let tags: String = offer.tags.iter().map(|tag| format!("<li>{tag}</li>")).collect();
            let old = offer
                .old_price
                .as_ref()
                .map_or_else(String::new, |old| format!(" <del class=\"old-price\">{old}</del>"));
            format!(
                "<article class=\"card\"><a class=\"picture\" href=\"{}\"><img src=\"{}\" alt=\"\"></a>\
                 <h3 class=\"card__title\">{}</h3><p class=\"card__text\">{}</p>\
                 <p><span class=\"price\">{}</span>{old}</p><ul class=\"tags\">{tags}</ul>\
                 <button>Add to basket</button></article>\n",
                offer.path,
                offer.image,
                offer.link(),
                offer.text,
                offer.price()
            )
        })
        .collect();
    let rows = offers.iter().map(|offer| {
        let mut row = vec![
            ("title", offer.title.clone()),
            ("url", offer.path.clone()),
            ("image", offer.image.clone()),
            ("text", offer.text.clone()),
            ("price", offer.price()),
        ];
        row.extend(offer.old_price.clone().map(|old| ("old price", old)));
        row
    });
    (format!("<div class=\"cards\">\n{html}</div>"), rows.collect())
}

/// Shelves with a heading, each with its own list; a row is an item of any shelf.
pub(super) fn nested(offers: &[Offer]) -> (String, Vec<Row>) {
    let shelves: String = offers
        .chunks(5)
        .enumerate()
        .map(|(at, shelf)| {
            let items: String = shelf
                .iter()
                .map(|offer| {
                    let tags: String = offer.tags.iter().map(|tag| format!("<li>{tag}</li>")).collect();
                    format!(
                        "<li>{} <em>{}</em> <span>{}</span><ul>{tags}</ul></li>\n",
                        offer.link(),
                        escaped(&offer.maker),
                        offer.price()
                    )
                })
                .collect();
            format!("<li><h2>Shelf {at}</h2><ul>\n{items}</ul></li>\n")
        })
        .collect();
    (
        format!("<ul class=\"shelves\">\n{shelves}</ul>"),
        rows_with(offers, &["title", "url", "maker", "price"]),
    )
}

/// Only the title is always there.
pub(super) fn sparse(offers: &[Offer]) -> (String, Vec<Row>) {
    let has = |offer: &Offer, part: u64, of: u64| {
        !offer.count.is_multiple_of(of) || offer.count / of % 2 == part % 2
    };
    let mut rows = Vec::new();
    let html: String = offers
        .iter()
        .map(|offer| {
            let mut item = format!("<div class=\"entry\"><h2>{}</h2>", offer.link());
            let mut row = vec![("title", offer.title.clone()), ("url", offer.path.clone())];
            if has(offer, 0, 2) {
                item += &format!("<p class=\"blurb\">{}</p>", offer.text);
                row.push(("text", offer.text.clone()));
            }
            if let Some(price) = &offer.price {
                item += &format!("<span class=\"cost\">{price}</span>");
                row.push(("price", price.clone()));
            }
            if let Some(old) = &offer.old_price {
                item += &format!("<span class=\"was\">{old}</span>");
                row.push(("old price", old.clone()));
            }
            if has(offer, 1, 3) {
                item += &format!("<span class=\"by\">{}</span>", escaped(&offer.maker));
                row.push(("maker", offer.maker.clone()));
            }
            rows.push(row);
            item + "</div>\n"
        })
        .collect();
    (format!("<section class=\"entries\">\n{html}</section>"), rows)
}

pub(super) fn with_ads(offers: &[Offer]) -> (String, Vec<Row>) {
    let mut html = String::from("<div class=\"results\">\n");
    for (at, offer) in offers.iter().enumerate() {
        if at % 4 == 2 {
            html += "<div class=\"promo\"><a href=\"/club\">Join the club</a><p>Members walk further.</p></div>\n";
        }
        if at == 5 {
            html += "<div class=\"newsletter\"><form><label>Mail <input name=\"mail\"></label><button>Send</button></form></div>\n";
        }
        html += &format!(
            "<div class=\"result\"><h3>{}</h3><span class=\"maker\">{}</span><span class=\"price\">{}</span><p>{}</p></div>\n",
            offer.link(),
            escaped(&offer.maker),
            offer.price(),
            offer.text
        );
    }
    (html + "</div>", rows_with(offers, &["title", "url", "maker", "price", "text"]))
}

/// A short list of favourites above the long one.
pub(super) fn two_lists(offers: &[Offer]) -> (String, Vec<Row>) {
    let favourites: String = offers
        .iter()
        .take(4)
        .map(|offer| {
            format!("<div class=\"fav\"><img src=\"{}\" alt=\"\">{}</div>\n", offer.image, offer.link())
        })
        .collect();
    let items: String = offers
        .iter()
        .map(|offer| {
            format!(
                "<li class=\"offer\"><h3>{}</h3><p>{}</p><b>{}</b> <i>{}</i></li>\n",
                offer.link(),
                offer.text,
                offer.price(),
                escaped(&offer.maker)
            )
        })
        .collect();
    let html = format!(
        "<h2>Favourites</h2><div class=\"favs\">{favourites}</div>\n<h2>All</h2><ol class=\"offers\">\n{items}</ol>"
    );
    (html, rows_with(offers, &["title", "url", "text", "price", "maker"]))
}

pub(super) fn no_classes(offers: &[Offer]) -> (String, Vec<Row>) {
    let html: String = offers
        .iter()
        .map(|offer| {
            format!(
                "<div><div><img src=\"{}\" alt=\"\"></div><div>{}</div><div>{}</div><div>{}</div></div>\n",
                offer.image,
                offer.link(),
                offer.price(),
                offer.text
            )
        })
        .collect();
    (format!("<div>\n{html}</div>"), rows_with(offers, &["image", "title", "url", "price", "text"]))
}

/// Three cards to a line, each line its own element.
pub(super) fn grid(offers: &[Offer]) -> (String, Vec<Row>) {
    let lines: String = offers
        .chunks(3)
        .map(|line| {
            let cells: String = line
                .iter()
                .map(|offer| {
                    format!(
                        "<div class=\"cell\"><img src=\"{}\" alt=\"\"><h4>{}</h4><p class=\"maker\">{}</p><p class=\"price\">{}</p></div>\n",
                        offer.image,
                        offer.link(),
                        escaped(&offer.maker),
                        offer.price()
                    )
                })
                .collect();
            format!("<div class=\"line\">\n{cells}</div>\n")
        })
        .collect();
    (
        format!("<div class=\"grid\">\n{lines}</div>"),
        rows_with(offers, &["image", "title", "url", "maker", "price"]),
    )
}

/// Classes that say how it looks, not what it is.
pub(super) fn utility_classes(offers: &[Offer]) -> (String, Vec<Row>) {
    let html: String = offers
        .iter()
        .enumerate()
        .map(|(at, offer)| {
            let extra = if at % 2 == 0 { " bg-gray-50" } else { "" };
            format!(
                "<div class=\"flex p-4 mt-2 css-1q8{at}x{extra}\"><a class=\"w-24 h-24\" href=\"{}\"><img class=\"rounded\" src=\"{}\" alt=\"\"></a>\
                 <div class=\"flex-1 ml-4\"><h3 class=\"text-lg font-bold\">{}</h3><div class=\"text-sm text-gray-600\">{}</div>\
                 <div class=\"text-xl mt-2\">{}</div></div></div>\n",
                offer.path,
                offer.image,
                escaped(&offer.title),
                escaped(&offer.maker),
                offer.price()
            )
        })
        .collect();
    let html = format!("<div class=\"grid gap-2 css-9z8y7\">\n{html}</div>");
    (html, rows_with(offers, &["url", "image", "title", "maker", "price"]))
}

/// The first story is larger and has a class more.
pub(super) fn lead_story(offers: &[Offer]) -> (String, Vec<Row>) {
    let html: String = offers
        .iter()
        .enumerate()
        .map(|(at, offer)| {
            let (class, text) = match at {
                0 => ("story story--lead", format!("<p class=\"story__intro\">{}</p>", offer.text)),
                _ => ("story", String::new()),
            };
            format!(
                "<article class=\"{class}\"><h2 class=\"story__headline\">{}</h2>{text}\
                 <time datetime=\"{}\">{}</time> <span class=\"story__author\">{}</span></article>\n",
                offer.link(),
                offer.date,
                offer.day,
                escaped(&offer.maker)
            )
        })
        .collect();
    (format!("<div class=\"river\">\n{html}</div>"), rows_with(offers, &["title", "url", "date", "maker"]))
}

/// Headings and paragraphs side by side, nothing around a row.
pub(super) fn flat(offers: &[Offer]) -> (String, Vec<Row>) {
    let html: String = offers
        .iter()
        .map(|offer| {
            format!(
                "<h3>{}</h3>\n<p class=\"meta\">{}, {}</p>\n<p>{}</p>\n",
                offer.link(),
                offer.day,
                offer.price(),
                offer.text
            )
        })
        .collect();
    let rows = offers.iter().map(|offer| {
        vec![
            ("title", offer.title.clone()),
            ("url", offer.path.clone()),
            ("meta", format!("{}, {}", offer.day, offer.price())),
            ("text", offer.text.clone()),
        ]
    });
    (format!("<section>\n{html}</section>"), rows.collect())
}

pub(super) fn results(offers: &[Offer]) -> (String, Vec<Row>) {
    let html: String = offers
        .iter()
        .map(|offer| {
            format!(
                "<li><h3>{}</h3><cite>gear.example › {}</cite><p><time datetime=\"{}\">{}</time> {}</p></li>\n",
                offer.link(),
                offer.tags[0],
                offer.date,
                offer.day,
                offer.text
            )
        })
        .collect();
    (format!("<ol id=\"results\">\n{html}</ol>"), rows_with(offers, &["title", "url", "date"]))
}

/// Rows with the named fields of each offer.
pub(super) fn rows_with(offers: &[Offer], names: &[&'static str]) -> Vec<Row> {
    let value = |offer: &Offer, name: &str| match name {
        "title" => offer.title.clone(),
        "url" => offer.path.clone(),
        "image" => offer.image.clone(),
        "text" => offer.text.clone(),
        "maker" => offer.maker.clone(),
        "date" => offer.date.clone(),
        "day" => offer.day.clone(),
        "count" => offer.count.to_string(),
        _ => offer.price(),
    };
    offers.iter().map(|offer| names.iter().map(|name| (*name, value(offer, name))).collect()).collect()
}
