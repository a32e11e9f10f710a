//! Images, headings, tables, dates and authors of HTML pages.

use model::DateSource::{self, LinkedData, Markup, Meta, Text};

use crate::read;

/// An article with something in its head and something below its headline.
fn article(head: &str, below: &str) -> model::Page {
    let words =
        "<p>The sea comes in twice a day and goes out as often, whatever people do about it.</p>".repeat(5);
    read(&format!(
        "<html lang=en><head><title>Tides</title>{head}</head><article><h1>Tides</h1>{below}{words}</article>"
    ))
}

#[test]
fn headings_keep_their_levels_and_order() {
    let page =
        read("<h1>One <em>two</em></h1><p>x</p><h3>Three<br>four</h3><h2></h2><div><h6> five </h6></div>");
    let found: Vec<_> = page.headings.iter().map(|one| (one.level, one.text.as_str())).collect();
    assert_eq!(found, [(1, "One two"), (3, "Three four"), (6, "five")]);
    let many = read(&"<h2>again</h2>".repeat(500));
    assert_eq!(many.headings.len(), 300);
}

#[test]
fn images_are_listed_once_with_their_words() {
    let page = read(
        "<base href='/pics/'><p>x<img src='a.png' alt=' A  boat '><img src='a.png' alt='again'><img src='http://i.test/b.jpg'>\
         <img alt='none'><img src='data:image/png;base64,AAAA'></p>",
    );
    let found: Vec<_> = page.images.iter().map(|one| (one.url.to_string(), one.alt.clone())).collect();
    let expected = [("http://e.com/pics/a.png", "A boat"), ("http://i.test/b.jpg", "")];
    assert_eq!(found, expected.map(|(url, alt)| (url.to_owned(), alt.to_owned())));
    let many: String = (0..300).map(|nth| format!("<img src='/{nth}.png'>")).collect();
    assert_eq!(read(&many).images.len(), 200);
}

#[test]
fn tables_of_data_are_kept_row_by_row() {
    let page = read(
        "<table><tr><th>Port</th><th>High</th></tr><tr><td>Bergen</td><td>06:10 <b>UTC</b></td></tr></table>\
         <table><tr><td>alone</td></tr></table>\
         <table><tr><td>menu</td><td><table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table></td></tr>\
         <tr><td>x</td><td>y</td></tr></table>",
    );
    let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
    let first = vec![row(["Port", "High"]), row(["Bergen", "06:10 UTC"])];
    // What arranges the page is none; the table in it is.
    assert_eq!(page.tables, [first, vec![row(["a", "b"]), row(["c", "d"])]]);
}

#[test]
fn dates_say_where_they_are_from_and_how_sure_they_are() {
    let check = |head: &str, below: &str, expected: Option<(&str, DateSource, u8)>| {
        let found = article(head, below).published;
        let found = found.as_ref().map(|date| (date.at.as_str(), date.source, date.confidence));
        assert_eq!(found, expected, "of {head} {below}");
    };
    let ld = "<script type=application/ld+json>{\"@type\":\"Article\",\"description\":\"a\nb\",\"datePublished\":\"2024-03-05\"}</script>";
    check(ld, "", Some(("2024-03-05", LinkedData, 95)));
    check(
        "<meta property=article:published_time content=2024-03-05T10:00:00Z>",
        "",
        Some(("2024-03-05T10:00:00Z", Meta, 90)),
    );
    check("<meta property=schema:datePublished content=2024-03-05>", "", Some(("2024-03-05", Meta, 90)));
    check("<meta name=pubdate content=1709632800>", "", Some(("2024-03-05T10:00:00Z", Meta, 90)));
    check("", "<p><time datetime=2024-03-05>Tuesday</time></p>", Some(("2024-03-05", Markup, 75)));
    check(
        "",
        "<p><span property='schema:datePublished' content='2024-03-05'>Tuesday</span></p>",
        Some(("2024-03-05", Markup, 85)),
    );
    check("", "<p>Published: 5 March 2024</p>", Some(("2024-03-05", Text, 78)));
    check("", "<p>5 March 2024</p>", Some(("2024-03-05", Text, 60)));
    check("", "<p>05.03.24</p>", Some(("2024-03-05", Text, 60)));
    // The surest counts; what says the same to the minute adds the minute.
    check(
        "<meta property=article:published_time content=2024-03-05T10:00:00Z>",
        "<p>Published: 7 March 2024</p>",
        Some(("2024-03-05T10:00:00Z", Meta, 90)),
    );
    check("", "<p>version 1.2.24</p>", None);
    let modified =
        article("<meta http-equiv=Last-Modified content='Tue, 05 Mar 2024 10:00:00 GMT'>", "").modified;
    assert_eq!(modified.map(|date| (date.at, date.source)), Some(("2024-03-05".to_owned(), Meta)));
}

#[test]
fn a_byline_gives_the_name_alone() {
    for (below, expected) in [
        ("<p>By Jo Ek. Published: 5 March 2024</p>", Some("Jo Ek")),
        ("<p>By J. R. Ek | 5 March 2024</p>", Some("J. R. Ek")),
        ("<p class=byline>By Jo Ek</p>", Some("Jo Ek")),
        ("<p>By the sea it is cold.</p>", None),
    ] {
        assert_eq!(article("", below).author.as_deref(), expected, "of {below}");
    }
}

#[test]
fn a_page_without_a_title_is_called_by_what_else_it_says() {
    for (html, expected) in [
        ("<title>T</title><meta property=og:title content=O><h1>H</h1>", "T"),
        ("<title> </title><meta property=og:title content='O  o'><h1>H</h1>", "O o"),
        ("<h2>second</h2><h1>H</h1><p>x", "H"),
        ("<h2>second</h2><p>x", ""),
    ] {
        assert_eq!(read(html).title, expected, "of {html}");
    }
}
