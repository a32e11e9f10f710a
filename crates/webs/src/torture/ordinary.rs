//! Ordinary sites between all the mischief: several hosts, some sharing an address. Every page of
//! theirs must be fetched.

use super::book::{Book, Spot};
use crate::chance::Chance;

const SITES: [(&str, Spot); 4] =
    [("alpha", Spot::First), ("beta", Spot::First), ("gamma", Spot::Second), ("delta", Spot::Second)];
const SECTIONS: [&str; 5] = ["news", "guides", "people", "places", "notes"];

/// Writes the sites. Their pages also link across the sites and, as pages do, into `lures`.
pub(super) fn write(book: &mut Book, lures: &[String]) {
    book.chapter("sites");
    let sites: Vec<(&str, Vec<String>)> = SITES
        .iter()
        .map(|(label, _)| {
            let here = book.chance.with("site").with(label);
            let count = 6 + here.with("pages").below(4);
            (*label, (0..count).map(|number| path(here, number)).collect())
        })
        .collect();
    for ((label, paths), (_, spot)) in sites.iter().zip(SITES) {
        book.host(label, spot);
        book.lead(book.url(label, "/"));
        for (number, path) in paths.iter().enumerate() {
            let here = book.chance.with("site").with(label).at(number as u64);
            // The pages of a site form a tree of two branches each.
            let children = paths.iter().skip(2 * number + 1).take(2).cloned();
            let (other, others) = &sites[here.with("other").below(sites.len() as u64) as usize];
            let across = &others[here.with("across").below(others.len() as u64) as usize];
            let mut links: Vec<String> = children.collect();
            links.push(book.url(other, across));
            if !lures.is_empty() && here.with("lured").percent(40) {
                links.push(lures[here.with("lure").below(lures.len() as u64) as usize].clone());
            }
            book.page(label, path, links);
        }
    }
}

fn path(here: Chance, number: u64) -> String {
    match number {
        0 => "/".to_owned(),
        _ => format!("/{}/{number}.html", here.with("section").at(number).pick(&SECTIONS)),
    }
}
