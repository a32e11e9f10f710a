//! List pages of many makes, each with the rows that stand on it.
//!
//! One stock of made-up offers is shown as cards, tables, definition lists, nested lists and so on, inside a frame of
//! menus, side lists and footers such as real pages have. What finds lists on pages is tried on these.

mod makes;
mod tables;

use crate::chance::Chance;
use crate::dates::month_name;
use crate::page::escaped;

/// One list page and its truth.
#[derive(Clone, Debug)]
pub struct ListPage {
    /// What it is made of: `cards`, `plain table`.
    pub make: &'static str,
    /// The page.
    pub html: String,
    /// The rows of its main list in order: name and value of each field that is present. Links are as written.
    pub rows: Vec<Vec<(&'static str, String)>>,
    /// Where the list goes on, as written.
    pub next: Option<String>,
}

/// Every make, drawn from `seed`.
pub fn pages(seed: u64) -> Vec<ListPage> {
    let chance = Chance::new(seed).with("lists");
    let makes: [Make; 16] = [
        ("cards", makes::cards),
        ("table with a head", tables::with_head),
        ("plain table", tables::plain),
        ("definition list", tables::definitions),
        ("definition list in groups", tables::grouped_definitions),
        ("nested lists", makes::nested),
        ("sparse fields", makes::sparse),
        ("ads between rows", makes::with_ads),
        ("two lists", makes::two_lists),
        ("no classes", makes::no_classes),
        ("grid of rows", makes::grid),
        ("utility classes", makes::utility_classes),
        ("forum", tables::forum),
        ("lead story", makes::lead_story),
        ("flat siblings", makes::flat),
        ("search results", makes::results),
    ];
    makes
        .into_iter()
        .enumerate()
        .map(|(at, (make, draw))| draw_page(chance.at(at as u64), make, draw))
        .collect()
}

type Make = (&'static str, fn(&[Offer]) -> (String, Vec<Row>));
type Row = Vec<(&'static str, String)>;

fn draw_page(chance: Chance, make: &'static str, draw: fn(&[Offer]) -> (String, Vec<Row>)) -> ListPage {
    let count = 12 + chance.below(16);
    let offers: Vec<Offer> = (0..count).map(|index| Offer::draw(chance.at(index), index)).collect();
    let (list, rows) = draw(&offers);
    let next = chance.percent(70).then(|| "/offers?page=2".to_owned());
    ListPage { make, html: framed(&list, next.as_deref()), rows, next }
}

/// What is on offer: enough for shops, forums and news.
struct Offer {
    path: String,
    title: String,
    maker: String,
    text: String,
    price: Option<String>,
    old_price: Option<String>,
    date: String,
    day: String,
    count: u64,
    tags: Vec<&'static str>,
    image: String,
}

impl Offer {
    fn draw(chance: Chance, index: u64) -> Offer {
        let thing = chance.with("thing").pick(&THINGS);
        let kind = chance.with("kind").pick(&KINDS);
        let cents = 500 + chance.with("cents").below(90_000);
        let (month, day) = (1 + chance.with("month").below(12), 1 + chance.with("day").below(28));
        let order = chance.with("tags").shuffled(TAGS.len());
        let sentences = 1 + chance.with("long").below(3);
        let text = (0..sentences).map(|at| chance.with("text").at(at).pick(&SENTENCES)).collect::<Vec<_>>();
        Offer {
            path: format!("/offer/{}-{}", 100 + index * 7 + chance.with("id").below(7), thing),
            title: format!("{kind} {thing} {}", 10 + chance.with("number").below(90)),
            maker: chance.with("maker").pick(&MAKERS).to_owned(),
            text: text.join(" "),
            price: chance.with("priced").percent(75).then(|| format!("€ {}.{:02}", cents / 100, cents % 100)),
            old_price: chance.with("old").percent(20).then(|| format!("€ {}.00", cents / 100 + 20)),
            date: format!("2026-{month:02}-{day:02}"),
            day: format!("{day} {} 2026", month_name(month as u32)),
            count: chance.with("count").below(400),
            tags: order
                .into_iter()
                .take(1 + chance.with("how many").below(3) as usize)
                .map(|at| TAGS[at])
                .collect(),
            image: format!("/pictures/{index}.jpg"),
        }
    }

    fn price(&self) -> String {
        self.price.clone().unwrap_or_else(|| format!("€ {}.50", 10 + self.count))
    }

    fn link(&self) -> String {
        format!("<a href=\"{}\">{}</a>", self.path, escaped(&self.title))
    }
}

fn framed(list: &str, next: Option<&str>) -> String {
    let menu: String = MENU.iter().map(|word| format!("<li><a href=\"/{word}\">{word}</a></li>\n")).collect();
    let side: String = TAGS
        .iter()
        .enumerate()
        .map(|(at, tag)| format!("<li><a href=\"/tag/{tag}\">{tag}</a> <span>({})</span></li>\n", 3 + at * 5))
        .collect();
    let foot: String = ["Help", "Company", "Legal"]
        .iter()
        .map(|title| {
            let links: String =
                (1..5).map(|at| format!("<li><a href=\"/{title}/{at}\">{title} {at}</a></li>")).collect();
            format!("<div><h4>{title}</h4><ul>{links}</ul></div>\n")
        })
        .collect();
    let pages = next.map_or_else(String::new, |next| {
        let numbers: String = (2..7).map(|at| format!("<a href=\"/offers?page={at}\">{at}</a> ")).collect();
        format!("<nav><b>1</b> {numbers}<a href=\"{next}\" rel=\"next\">Next</a></nav>\n")
    });
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Offers</title></head>\n<body>\n\
         <header><a href=\"/\">Home</a><nav><ul>\n{menu}</ul></nav></header>\n\
         <aside><h3>Subjects</h3><ul>\n{side}</ul></aside>\n\
         <main>\n<p>Home / Offers</p><h1>All offers</h1>\n{list}\n{pages}</main>\n\
         <footer>{foot}<p>All prices with tax.</p></footer>\n</body></html>\n"
    )
}

const MENU: [&str; 8] = ["shop", "news", "repair", "people", "places", "letters", "jobs", "contact"];
const THINGS: [&str; 12] = [
    "lantern", "kettle", "tent", "rope", "compass", "stove", "anorak", "sledge", "canoe", "blanket", "axe",
    "flask",
];
const KINDS: [&str; 9] =
    ["Copper", "Folding", "Winter", "Light", "Double", "Old", "Northern", "Quiet", "Long"];
const MAKERS: [&str; 8] = ["Brandt", "Ostheim", "Kvist & Co", "Ribera", "Lund", "Aalto", "Pereira", "Novak"];
const TAGS: [&str; 9] =
    ["camping", "kitchen", "winter", "water", "repair", "light", "family", "wood", "wool"];
const SENTENCES: [&str; 8] = [
    "Made by hand in a small workshop and tested on long walks.",
    "The seams are double and the buckles can be replaced.",
    "Packs down to the size of a loaf of bread.",
    "Keeps its heat for a night and its shape for years.",
    "A favourite of people who mend what they own.",
    "Comes with a bag, a spare part and an honest manual.",
    "Heavier than it looks, and better for it.",
    "What the old ferrymen used, with a modern lining.",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_make_says_what_stands_on_its_page() {
        for page in pages(1) {
            assert!(page.rows.len() >= 8, "{}: {} rows", page.make, page.rows.len());
            for (name, value) in page.rows.iter().flatten() {
                assert!(page.html.contains(&escaped(value)), "{}: {name} {value:?} is missing", page.make);
            }
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_pages() {
        let html = |seed| pages(seed).into_iter().map(|page| page.html).collect::<Vec<_>>();
        assert_eq!(html(7), html(7));
        assert_ne!(html(7), html(8));
    }
}
