//! Lists made of tables and definition lists.

use super::makes::rows_with;
use super::{Offer, Row};
use crate::page::escaped;

pub(super) fn with_head(offers: &[Offer]) -> (String, Vec<Row>) {
    let lines: String = offers
        .iter()
        .map(|offer| {
            format!(
                "<tr><td>{}</td><td>{}</td><td class=\"num\">{}</td><td>{}</td></tr>\n",
                offer.link(),
                escaped(&offer.maker),
                offer.price(),
                offer.day
            )
        })
        .collect();
    let html = format!(
        "<table class=\"offers\"><thead><tr><th>Name</th><th>Made by</th><th>Price</th><th>Since</th></tr></thead>\n<tbody>\n{lines}</tbody></table>"
    );
    (html, rows_with(offers, &["title", "url", "maker", "price", "day"]))
}

/// No head, no body, no class; the first line has the headings, and a line in the middle spans all columns.
pub(super) fn plain(offers: &[Offer]) -> (String, Vec<Row>) {
    let mut html = String::from("<table border=1>\n<tr><th>Item<th>Price<th>Stock\n");
    for (at, offer) in offers.iter().enumerate() {
        if at == offers.len() / 2 {
            html += "<tr><td colspan=3>More on the next shelf\n";
        }
        html += &format!("<tr><td>{}<td>{}<td>{}\n", offer.link(), offer.price(), offer.count);
    }
    (html + "</table>", rows_with(offers, &["title", "url", "price", "count"]))
}

/// A term, its text, and a price that may be missing.
pub(super) fn definitions(offers: &[Offer]) -> (String, Vec<Row>) {
    let mut rows = Vec::new();
    let mut html = String::from("<dl>\n");
    for offer in offers {
        html += &format!("<dt>{}</dt><dd>{}</dd>", offer.link(), offer.text);
        let mut row =
            vec![("title", offer.title.clone()), ("url", offer.path.clone()), ("text", offer.text.clone())];
        if let Some(price) = &offer.price {
            html += &format!("<dd>{price}</dd>");
            row.push(("price", price.clone()));
        }
        html += "\n";
        rows.push(row);
    }
    (html + "</dl>", rows)
}

/// The newer form: each group of the list in an element of its own.
pub(super) fn grouped_definitions(offers: &[Offer]) -> (String, Vec<Row>) {
    let groups: String = offers
        .iter()
        .map(|offer| {
            format!(
                "<div><dt>{}</dt><dd>{}</dd><dd>{}</dd></div>\n",
                offer.link(),
                escaped(&offer.maker),
                offer.price()
            )
        })
        .collect();
    (
        format!("<dl class=\"catalogue\">\n{groups}</dl>"),
        rows_with(offers, &["title", "url", "maker", "price"]),
    )
}

pub(super) fn forum(offers: &[Offer]) -> (String, Vec<Row>) {
    let lines: String = offers
        .iter()
        .enumerate()
        .map(|(at, offer)| {
            let class = if at % 2 == 0 { "even" } else { "odd" };
            format!(
                "<tr class=\"thread {class}\" id=\"t{at}\"><td class=\"subject\">{}<br><small>{}</small></td>\
                 <td class=\"author\"><a href=\"/user/{at}\">{}</a></td><td class=\"replies\">{}</td>\
                 <td class=\"last\"><time datetime=\"{}\">{}</time></td></tr>\n",
                offer.link(),
                offer.tags.join(", "),
                escaped(&offer.maker),
                offer.count,
                offer.date,
                offer.day
            )
        })
        .collect();
    let html = format!(
        "<table class=\"threads\"><tr><th>Thread</th><th>Author</th><th>Replies</th><th>Last post</th></tr>\n{lines}</table>"
    );
    (html, rows_with(offers, &["title", "url", "maker", "count", "date"]))
}
