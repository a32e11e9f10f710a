//! Title, meta data, language, directives.

use model::PageDirectives;

use crate::{read, read_with};

fn check_title(html: &str, expected: &str) {
    assert_eq!(read(html).title, expected, "in {html:?}");
}

fn check_directives(html: &str, headers: &[(&str, &str)], noindex: bool, nofollow: bool) {
    let mut all = vec![("content-type", "text/html")];
    all.extend_from_slice(headers);
    let directives = read_with(html, &all).directives;
    assert_eq!(directives, PageDirectives { noindex, nofollow }, "in {html:?} {headers:?}");
}

fn check_language(html: &str, header: &str, expected: Option<&str>) {
    let page = read_with(html, &[("content-type", "text/html"), ("content-language", header)]);
    assert_eq!(page.language.as_deref(), expected, "in {html:?} {header:?}");
}

#[test]
fn the_title_is_the_first_one() {
    check_title("<title>  A &amp;\n B<b> </title><title>C</title>", "A & B<b>");
    check_title("<svg><title>shape</title></svg><title>page</title>", "page");
    check_title("<body><p>x<title>late</title>", "late");
    check_title("<title>open", "open");
    check_title("<p>none", "");
    assert_eq!(read(&format!("<title>{}", "x".repeat(10_000))).title.len(), 1_024);
}

#[test]
fn meta_pairs_are_kept_within_bounds() {
    let page = read(
        "<meta name=Description content=' One\n line '><meta property=og:title content=T><meta name=x>\
         <meta charset=utf-8><meta name=description content=second>",
    );
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let expected = [pair("Description", "One line"), pair("og:title", "T"), pair("description", "second")];
    assert_eq!(page.meta, expected);
    assert_eq!(page.description, "One line");
    let many = "<meta name=a content=b>".repeat(1_000) + "<meta name=robots content=noindex>";
    let page = read(&many);
    assert_eq!(page.meta.len(), 64);
    assert!(page.directives.noindex, "directives count even past the limit of pairs");
    let long = read(&format!("<meta name=a content={}>", "x".repeat(10_000)));
    assert_eq!(long.meta[0].1.len(), 2_048);
}

#[test]
fn directives_come_from_page_and_headers() {
    check_directives("", &[], false, false);
    check_directives("<meta name=ROBOTS content='noindex, Follow'>", &[], true, false);
    check_directives("<meta name=gannet content=nofollow>", &[], false, true);
    check_directives("<meta name=otherbot content=none>", &[], false, false);
    check_directives("<meta name=robots content=noindex>", &[("X-Robots-Tag", "nofollow")], true, true);
    check_directives("", &[("x-robots-tag", "otherbot: none"), ("x-robots-tag", "noindex")], true, false);
    check_directives("<template><meta name=robots content=noindex></template>", &[], false, false);
}

#[test]
fn the_page_knows_its_language_better_than_the_server() {
    check_language("<html lang=de-CH>", "en", Some("de-CH"));
    check_language("<html xml:lang=fr>", "en", Some("fr"));
    check_language("<html lang=''><meta http-equiv=Content-Language content='it, en'>", "en", Some("it"));
    check_language("<p>", "en-US, fr", Some("en-US"));
    check_language("<p>", "", None);
}

const TEXT: &str = "<p>The mill stands where the beck leaves the wood, half a mile below the church, and has done so for as \
    long as anyone can tell.</p><p>Its wheel was made of oak with buckets of elm, and was turned by a leat that can \
    still be followed through the bracken as far as the weir, where it is lost among stones and young alders.</p>";

fn check_published(html: &str, expected: Option<&str>) {
    let page = read(html);
    assert_eq!(page.published.as_ref().map(model::PageDate::day), expected, "in {html}");
}

#[test]
fn a_text_above_teasers_has_its_own_date() {
    let teasers: String =
        (1..5).map(|n| format!("<h3><a href=/{n}>Other text {n}</a></h3><p>Words of it.</p>")).collect();
    let text = TEXT.repeat(3);
    let time = "<time datetime=2025-03-04>4 March</time>";
    check_published(&format!("<h1>Mill</h1>{time}{text}<div>{teasers}</div>"), Some("2025-03-04"));
    // A page of teasers has none.
    check_published(&format!("<h1>Mills</h1>{time}<p>All of them.</p><div>{teasers}</div>"), None);
}

#[test]
fn what_is_quoted_has_dates_of_its_own() {
    let quoted = "<blockquote><p>Seen today</p><time datetime=2019-05-06>6 May 2019</time></blockquote>";
    check_published(&format!("<h1>Mill</h1>{quoted}{TEXT}"), None);
    check_published(&format!("<h1>Mill</h1>{quoted}{TEXT}<p class=date>7 June 2020</p>"), Some("2020-06-07"));
}

#[test]
fn the_only_date_on_a_line_of_its_own_is_taken_where_nothing_else_tells() {
    let long = TEXT.repeat(8);
    let after = |line: &str| format!("<div><h1>Mill</h1>{long}<div class=social><h5>{line}</h5></div></div>");
    check_published(&after("23.01.2019"), Some("2019-01-23"));
    check_published(&after("23.01.2019</h5><h5>24.01.2019"), None);
    check_published(&format!("<div><h1>Mill</h1>{long}<ul><li>23.01.2019 Fair</ul></div>"), None);
    let said = "<p>Dieser Beitrag wurde am 3.05.2013 veröffentlicht und am 4.05.2013 aktualisiert</p>";
    check_published(&format!("<div><h1>Mill</h1>{long}{said}</div>"), Some("2013-05-03"));
}

#[test]
fn a_term_before_a_date_says_what_it_is() {
    let list = "<dl><dt>Updated</dt><dd>5 May 2024</dd><dt>Published</dt><dd>4 May 2024</dd></dl>";
    let page = read(&format!("<h1>Mill</h1>{list}{TEXT}"));
    let day = |date: &Option<model::PageDate>| date.as_ref().map(|date| date.day().to_owned());
    assert_eq!(
        (day(&page.published), day(&page.modified)),
        (Some("2024-05-04".into()), Some("2024-05-05".into()))
    );
}

#[test]
fn one_meta_may_have_several_properties() {
    let page = read(
        "<meta property='x:y dc:creator' content='Ada Byron'><meta name='DC:date' content=2024-05-04><p>x",
    );
    let names: Vec<&str> = page.meta.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["x:y", "dc:creator", "DC:date"]);
    assert_eq!(page.published.as_ref().map(model::PageDate::day), Some("2024-05-04"));
}

#[test]
fn scripts_tell_the_day_where_nothing_else_does() {
    let script = |days: &[&str]| -> String {
        days.iter().map(|day| format!("<script>a.push({{\"publishDate\":\"{day}\"}})</script>")).collect()
    };
    let one = script(&["2024-05-04T10:00:00Z"]);
    check_published(&format!("{one}<h1>Mill</h1>{TEXT}"), Some("2024-05-04"));
    check_published(&format!("{one}<h1>Mill</h1><p>Published 3 May 2024</p>{TEXT}"), Some("2024-05-03"));
    // Several are of several pages, unless this is said to be one of them.
    let two = script(&["2024-05-04", "2024-05-05"]);
    check_published(&format!("{two}<h1>Mill</h1>{TEXT}"), None);
    let article = "<meta property=og:type content=article>";
    check_published(&format!("{article}{two}<h1>Mill</h1>{TEXT}"), Some("2024-05-04"));
    let teasers: String =
        (1..5).map(|n| format!("<h3><a href=/{n}>Mill {n}</a></h3><p>Words.</p>")).collect();
    check_published(&format!("{one}<h1>Mills</h1>{teasers}"), None);
}

#[test]
fn another_url_of_the_page_may_hold_its_day() {
    let page = |head: &str| format!("<head>{head}</head><h1>Mill</h1>{TEXT}");
    check_published(&page("<link rel=canonical href='http://e.com/2024/05/04/mill'>"), Some("2024-05-04"));
    check_published(
        &page("<meta property=og:url content='http://e.com/2024/05/04/mill'>"),
        Some("2024-05-04"),
    );
    let image = "<meta property=og:image content='http://e.com/2024/05/04/mill.png'>";
    check_published(&page(image), None);
    check_published(&page(&format!("<meta property=og:type content=article>{image}")), Some("2024-05-04"));
}

#[test]
fn a_date_between_headline_and_text_is_the_pages_own_among_teasers() {
    let teasers: String =
        (1..9).map(|n| format!("<h3><a href=/{n}>Other text {n}</a></h3><p>Words of it.</p>")).collect();
    let time = "<time datetime=2025-03-04>4 March</time>";
    check_published(&format!("<p>News</p><h1>Mill</h1>{time}{TEXT}<div>{teasers}</div>"), Some("2025-03-04"));
    check_published(
        &format!("<p>News</p><h1>Mill</h1><p>4 March 2025</p>{TEXT}<div>{teasers}</div>"),
        Some("2025-03-04"),
    );
    // Below the text it is that of the first teaser.
    check_published(&format!("<p>News</p><h1>Mill</h1>{TEXT}{time}<div>{teasers}</div>"), None);
}

#[test]
fn attributes_for_scripts_tell_when() {
    for mark in [
        "<span data-timestamp=1709632800>lately</span>",
        "<span class=date data-date=2024-03-05>lately</span>",
        "<span data-published='2024-03-05'>lately</span>",
        "<relative-time datetime=2024-03-05>lately</relative-time>",
        "<abbr class=timeago title='2024-03-05T10:00:00Z'>lately</abbr>",
        "<i class=publishtime>2024-03-05</i>",
    ] {
        check_published(&format!("<h1>Mill</h1><p>{mark}</p>{TEXT}"), Some("2024-03-05"));
    }
    check_published(&format!("<h1>Mill</h1><p><b data-timestamp=soon>x</b></p>{TEXT}"), None);
}

#[test]
fn a_date_may_be_cut_into_boxes() {
    let boxes = |parts: &[&str]| {
        let parts: String = parts.iter().map(|part| format!("<div>{part}</div>")).collect();
        format!("<h1>Mill</h1><div>{parts}</div>{TEXT}")
    };
    check_published(&boxes(&["2024", "03/05"]), Some("2024-03-05"));
    check_published(&boxes(&["5", "Mar", "2024"]), Some("2024-03-05"));
    check_published(&boxes(&["5 March", "2024"]), Some("2024-03-05"));
    check_published(&boxes(&["Rooms", "2024", "Prices"]), None);
}

#[test]
fn a_label_makes_a_date_beside_the_text_the_pages_own() {
    let long = TEXT.repeat(8);
    let beside = |lines: &str| format!("<h1>Mill</h1>{long}<div class=sidebar>{lines}</div>");
    check_published(&beside("<p>Published on 5 March 2024</p>"), Some("2024-03-05"));
    check_published(&beside("<p>Published on 5 March 2024</p><p>Published on 6 March 2024</p>"), None);
    check_published(&beside("<ul><li>Published on 5 March 2024</li></ul>"), None);
    let terms = "<dl role=complementary><dt>Published:</dt><dd class=published>2024-03-05</dd></dl>";
    check_published(&format!("{terms}<h2>Mill</h2>{long}"), Some("2024-03-05"));
}

#[test]
fn a_sentence_about_something_published_is_less_sure_than_a_byline() {
    let caption = "<p>One of the pictures that the miller posted while at the fair of January 20, 2017</p>";
    check_published(
        &format!("<h1>Mill</h1><p>Ulf<br>Thu, 14 May 2020</p>{caption}{TEXT}"),
        Some("2020-05-14"),
    );
}

#[test]
fn a_line_right_below_the_headline_has_the_date_whatever_its_name() {
    let long = TEXT.repeat(4);
    let tools = "<div class=share-bar><p>4 May 2024</p><a href=/m>Mail</a></div>";
    let related = "<div class=related><p>Fair</p><p>1 June 2024</p></div>";
    check_published(&format!("<p>News</p><h1>Mill</h1>{tools}{long}{related}"), Some("2024-05-04"));
    check_published(&format!("<p>News</p><h1>Mill</h1>{long}{tools}{related}"), None);
}

#[test]
fn names_that_say_when_what_was_done_are_known() {
    for mark in [
        "<span class=publish-time data-publishtime=1709632800000>lately</span>",
        "<span id=pub_date>5 March 2024</span>",
        "<abbr title='2024-03-05T01:40:40Z'>an hour ago</abbr>",
        "<p class=time>2024-03-05 10:00</p>",
        "<meta itemprop=datePosted content=2024-03-05>",
    ] {
        check_published(&format!("<h1>Mill</h1><p>{mark}</p>{TEXT}"), Some("2024-03-05"));
    }
    for meta in [
        "<meta name='og:time ' content='2024-03-05 08:05:32'>",
        "<meta name=DC.Created content=2024-03-05>",
        "<meta name=parsely-page content='{\"pub_date\": \"2024-03-05T08:00:00Z\"}'>",
    ] {
        check_published(&format!("{meta}<h1>Mill</h1>{TEXT}"), Some("2024-03-05"));
    }
    let page = read(&format!("<meta name=lastPublishedDate content=2024-03-05><h1>Mill</h1>{TEXT}"));
    assert_eq!(page.published, None);
    assert_eq!(page.modified.as_ref().map(model::PageDate::day), Some("2024-03-05"));
    let page = read(&format!("<h1>Mill</h1><i class=update_time>6 March 2024</i>{TEXT}"));
    assert_eq!(page.modified.as_ref().map(model::PageDate::day), Some("2024-03-06"));
}

#[test]
fn what_people_read_counts_more_than_an_attribute_with_another_day() {
    let time = |words: &str| format!("<h1>Mill</h1><time datetime=2024-03-09T10:18:46Z>{words}</time>{TEXT}");
    check_published(&time("Published on 5 March 2024"), Some("2024-03-05"));
    // On two sides of the date line it is another day.
    check_published(&time("Published on 8 March 2024"), Some("2024-03-09"));
    check_published(&time("5 March 2024"), Some("2024-03-09"));
}

#[test]
fn a_sentence_with_a_label_is_less_sure_than_the_line_before_it() {
    let line = "<p>March 5, 2024 at 08:45 AM | categories: Mills</p>";
    let sentence = "<p>Version 5.2 of the plan was released on November 5, 2019. It is the first one to have a wheel of \
        its own, and a weir.</p>";
    check_published(&format!("<h1>Mill</h1>{line}{sentence}{TEXT}"), Some("2024-03-05"));
}

#[test]
fn a_day_on_which_something_begins_or_ends_is_none_of_the_page() {
    for line in [
        "Sundays, until 5 March 2024",
        "Ab 05.03.2024",
        "5 March 2024 – 9 March 2024",
        "When: March 5, 2024, 8 pm",
        "Born March 5, 1984",
        "As of March 5, 2024, the mill has two wheels",
    ] {
        check_published(&format!("<h1>Mill</h1><p>{line}</p>{TEXT}"), None);
    }
}

#[test]
fn an_entry_may_end_with_a_sentence_on_when_it_was_posted() {
    let said = "<p class=postmetadata>This entry was posted on Thursday, March 5th, 2024 at 8:00 am and is filed under \
        Mills. You can follow any responses to this entry through the feed.</p>";
    check_published(&format!("<h1>Mill</h1>{}{said}", TEXT.repeat(4)), Some("2024-03-05"));
    let cut = "<small>Dieser Beitrag wurde vor am Dienstag, 5. März 2024 um %H Uhr veröffentlicht und abgelegt</small>";
    check_published(
        &format!("<h1>Mill</h1>{}<p class=postmetadata>{cut}", TEXT.repeat(4)),
        Some("2024-03-05"),
    );
    let long = said.replace("Mills.", &format!("Mills, {}.", "Wheels and Weirs, ".repeat(9)));
    check_published(&format!("<h1>Mill</h1>{}{long}", TEXT.repeat(4)), Some("2024-03-05"));
}

#[test]
fn the_day_of_a_press_release_stands_before_its_text() {
    for line in ["BERLIN, March 5, 2024 /PRNewswire/ --", "BERLIN, March 5, 2024 (GLOBE NEWSWIRE) --"] {
        let text = TEXT.replacen("<p>", &format!("<p>{line} "), 1);
        check_published(&format!("<h1>Mill</h1>{text}"), Some("2024-03-05"));
    }
}

#[test]
fn the_headline_is_the_heading_that_the_title_repeats() {
    let menu =
        "<p>Stories since 1999<ul><li><a href=a>Home</a><li><a href=b>All</a><li><a href=c>Maps</a></ul>";
    let fair = "<div>Valley fair on 6 June 2024</div>";
    let site = "<title>The old mill | Valley Notes</title><h1><a href=/>Valley Notes</a></h1>";
    check_published(
        &format!("{site}{menu}<div>{fair}<h2>The old mill</h2><p>5 March 2024 by Ann</p>{TEXT}</div>"),
        Some("2024-03-05"),
    );
    // Nor is the name of a department one.
    let part = "<title>The old mill | Notes</title><h1>Buildings</h1>";
    let tools = "<p>A tool for mills</p>".repeat(14);
    check_published(
        &format!("{part}{tools}<div><h2>The old mill</h2><p>5 March 2024 by Ann</p>{TEXT}</div>"),
        Some("2024-03-05"),
    );
}

#[test]
fn a_line_that_the_title_repeats_is_a_headline() {
    let news = "<div><p>News</p><p>7 October 2024</p><p>The weir is shut.</p></div>";
    let line = "<p>The mill gets a new wheel</p><p>5 March 2024</p>";
    let head = "<title>Valley Notes - The mill gets a new wheel</title>";
    check_published(&format!("{head}{news}<div>{line}{TEXT}</div>"), Some("2024-03-05"));
}

#[test]
fn a_part_of_the_title_may_be_the_day() {
    for title in ["The mill - 05.03.2024 - News", "The mill | News | 5 March 2024", "Blog » 5 March 2024"] {
        check_published(&format!("<title>{title}</title><h1>The mill</h1>{TEXT}"), Some("2024-03-05"));
    }
    check_published(
        &format!("<title>The flood of 5 March 2024 | News</title><h1>The flood</h1>{TEXT}"),
        None,
    );
}

#[test]
fn the_last_posts_of_threads_have_dates_of_their_own() {
    let row = |n| format!("<tr><td><a href=/{n}>Wheel {n}</a><td>Last post: 5 March 2024 by ann");
    check_published(&format!("<h1>Mills</h1><table>{}{}</table>", row(1), row(2)), None);
}

#[test]
fn the_day_on_which_what_it_is_about_began_is_none_of_the_page() {
    let table =
        "<table><tr><th>Built<td>5 March 1984 <span>(<span class='bday dtstart published'>1984-03-05</span>)";
    check_published(&format!("<h1>Mill</h1>{table}</table>{TEXT}"), None);
    check_published(&format!("<h1>Mill</h1><p class='published'>1994-03-05</p>{TEXT}"), Some("1994-03-05"));
}

#[test]
fn the_days_on_which_sources_were_read_are_none_of_the_page() {
    for read in
        ["Published by the mill. Retrieved 5 March 2024", "Erschienen im Tal. Abgerufen am 5. März 2024"]
    {
        check_published(&format!("<h1>Mill</h1>{}<ol><li>A wheel. {read}.</ol>", TEXT.repeat(4)), None);
    }
}
