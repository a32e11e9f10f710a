//! Detection on list pages of many makes, and on what is no list.

use html::Tree;
use model::{Normalise, PageUrl};
use template::Template;
use template::detect::{Detection, Expression, List, detect};
use webs::lists::{ListPage, pages};

fn tree(html: &str) -> Tree {
    html::parse(html, &mut ())
}

/// What is wrong with a list, against the page's truth; nothing when it has all rows and all values in their rows.
fn wrong_with(list: &List, page: &ListPage) -> Option<String> {
    if list.rows.len() != page.rows.len() {
        return Some(format!("{} rows of {} by {:?}", list.rows.len(), page.rows.len(), list.row));
    }
    for (at, row) in page.rows.iter().enumerate() {
        for (name, value) in row {
            let found = list.fields.iter().any(|field| field.values[at].contains(value));
            if !found {
                let cells: Vec<_> =
                    list.fields.iter().map(|field| (&field.name, &field.values[at])).collect();
                return Some(format!("row {at} lacks {name} {value:?}: {cells:?}"));
            }
        }
    }
    None
}

#[test]
fn the_right_list_comes_first_on_pages_of_every_make() {
    for seed in 1..=5 {
        let mut failures = Vec::new();
        let pages = pages(seed);
        let count = pages.len();
        for page in pages {
            let detection = detect(&tree(&page.html));
            let problem = match detection.lists.first() {
                None => Some("no list".to_owned()),
                Some(list) => wrong_with(list, &page),
            };
            failures.extend(problem.map(|problem| format!("{}: {problem}", page.make)));
        }
        assert!(failures.is_empty(), "seed {seed}: {} of {count}\n{}", failures.len(), failures.join("\n"));
    }
}

/// Preview = run: what detection shows is what the template it proposes reads.
#[test]
fn the_proposed_template_reads_the_rows_that_were_shown() {
    let url = PageUrl::parse("https://offers.test/offers").unwrap();
    for page in pages(4) {
        let tree = tree(&page.html);
        let detection = detect(&tree);
        let definition = detection.template(0).unwrap();
        let reading = Template::compile(&definition, &[], Normalise::default()).unwrap().read(&tree, &url);
        assert_eq!(reading.rows.len(), page.rows.len(), "{}", page.make);
        for (coverage, field) in reading.coverage.iter().zip(&detection.lists[0].fields) {
            let shown = field.values.iter().filter(|values| !values.is_empty()).count() as u64;
            assert_eq!(coverage.found, shown, "{}: {}", page.make, field.name);
            assert!(coverage.odd * 5 <= shown, "{}: {} is no {:?}", page.make, field.name, field.kind);
        }
        let next = page.next.map(|next| Normalise::default().join(&url, &next).unwrap());
        assert_eq!(reading.wanted.first().map(|wanted| wanted.url.clone()), next, "{}", page.make);
    }
}

#[test]
fn expressions_are_short_and_name_no_long_chain_of_places() {
    for page in pages(3) {
        let detection = detect(&tree(&page.html));
        let list = &detection.lists[0];
        for expression in list.fields.iter().map(|field| &field.selector).chain([&list.row]) {
            let (Expression::Css(text) | Expression::XPath(text)) = expression;
            let numbers =
                text.split('[').skip(1).filter(|part| part.starts_with(|c: char| c.is_ascii_digit()));
            let places = text.matches("nth-").count() + numbers.count();
            assert!(text.len() <= 120 && places <= 2, "{}: {text}", page.make);
        }
    }
}

#[test]
fn the_way_on_is_found_where_there_is_one() {
    for page in pages(2) {
        let next = detect(&tree(&page.html)).next;
        assert_eq!(next.map(|next| next.href), page.next, "{}", page.make);
    }
}

#[test]
fn names_come_from_the_page() {
    let names = |make: &str| -> Vec<String> {
        let page = pages(1).into_iter().find(|page| page.make == make).unwrap();
        let detection = detect(&tree(&page.html));
        detection.lists[0].fields.iter().map(|field| field.name.clone()).collect()
    };
    let cards = names("cards");
    for name in ["title", "url", "price", "image"] {
        assert!(cards.iter().any(|one| one == name), "{name} in {cards:?}");
    }
    let table = names("table with a head");
    for name in ["name", "made_by", "price", "since"] {
        assert!(table.iter().any(|one| one == name), "{name} in {table:?}");
    }
}

#[test]
fn names_come_from_json_ld_where_the_page_has_it() {
    let rows = (1..=6).map(|n| {
        format!("<li class=c4x9z1><a class=q8r2k7 href=/p/{n}>Thing {n}</a><i class=x1y2z3w>€ {n},50</i><u>Maker {n}</u></li>")
    });
    let rows: String = rows.collect();
    let items = (1..=6).map(|n| {
        format!(
            r#"{{"@type": "ListItem", "item": {{"@type": "Product", "name": "Thing {n}", "url": "http://a.test/p/{n}",
               "brand": {{"name": "Maker {n}"}}, "offers": {{"lowPrice": "{n}.50"}}}}}}"#
        )
    });
    let items: Vec<String> = items.collect();
    let data = format!(r#"{{"@type": "ItemList", "itemListElement": [{}]}}"#, items.join(","));
    let page = format!("<script type='application/ld+json'>{data}</script><ul>{rows}</ul>");
    let detection = detect(&tree(&page));
    let names: Vec<&str> = detection.lists[0].fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["name", "url", "low_price", "brand"]);
}

#[test]
fn a_page_without_lists_gives_none_and_hostile_pages_end() {
    let empty = |html: &str| -> Detection { detect(&tree(html)) };
    assert!(empty("").lists.is_empty());
    assert!(empty("<p>One paragraph, nothing else.").lists.is_empty());
    let deep = "<div>".repeat(20_000) + "x";
    empty(&deep);
    let wide = "<ul>".to_owned() + &"<li><a href=/x>x</a>".repeat(50_000);
    empty(&wide);
    let classes = (0..3_000)
        .map(|at| format!("<div class='c{at} d{at}'><a href='/{at}'>t{at}</a></div>"))
        .collect::<String>();
    empty(&classes);
}
