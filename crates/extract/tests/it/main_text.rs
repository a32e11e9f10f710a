//! Single rules of what belongs to the main text, each on a page of its own.

use crate::read_bytes;

const TEXT: &str = "<p>The mill stands where the beck leaves the wood, half a mile below the church, and has done so for \
    as long as anyone can tell.</p><p>Its wheel was made of oak with buckets of elm, and was turned by a leat that can \
    still be followed through the bracken as far as the weir.</p>";

fn main_of(body: &str) -> String {
    read_bytes(format!("<!doctype html><body>{body}").as_bytes(), &[("content-type", "text/html")], 10).main
}

/// The page is the text with something before and after it; of these, what is kept?
fn check(before: &str, after: &str, kept: &[&str], dropped: &[&str]) {
    let main = main_of(&format!("<div>{before}<h1>The mill</h1>{TEXT}{after}</div>"));
    assert!(main.contains("below the church") && main.contains("as far as the weir"), "{main}");
    for words in kept {
        assert!(main.contains(words), "{words:?} is missing in {main}");
    }
    for words in dropped {
        assert!(!main.contains(words), "{words:?} is left in {main}");
    }
}

#[test]
fn boxes_that_ask_for_consent_or_an_address_are_beside_the_text() {
    let box_of =
        |words: &str, button: &str| format!("<div class=x><p>{words}</p><button>{button}</button></div>");
    for (words, button) in [
        ("We and our partners use cookies to measure how our pages are read and by whom.", "Accept all"),
        ("Wir verwenden Cookies, um unsere Seiten und die Werbung darauf zu verbessern.", "Alle akzeptieren"),
        ("Nous et nos partenaires utilisons des cookies pour mesurer notre audience.", "Tout accepter"),
    ] {
        check(&box_of(words, button), "", &[], &[words]);
    }
    let letter = "Get the ten best stories from the coast in your inbox every working day at six.";
    check("", &format!("<div class=y><b>Letter</b><p>{letter}</p><input type=email></div>"), &[], &[letter]);
    // A page about cookies is not such a box.
    let about = main_of(
        "<h1>Cookies</h1><p>A cookie is a small text that a server asks a browser to keep, and that the browser sends back with each request to that server.</p><p>Which of them last for how long is up to the server, within what the browser allows.</p>",
    );
    assert!(about.contains("asks a browser to keep"), "{about}");
}

#[test]
fn a_line_about_the_sites_cookies_is_beside_the_text() {
    for words in [
        "Our pages use cookies to show you what you like. <a href=c>Learn more</a>",
        "Diese Website verwendet Cookies. Mehr dazu <a href=c>hier</a>.",
        "Ce site utilise des cookies pour mesurer son audience.",
    ] {
        check("", &format!("<div class=x><p>{words}</p></div>"), &[], &["ookies"]);
    }
    let told = "The baker of the lower farm uses cookies to pay for his flour, as did his father.";
    check("", &format!("<p>{told}</p>"), &[told], &[]);
    let about =
        ["We use cookies to bake with.", "Our cookies use oats.", "Use our cookies while they are warm."];
    let kept: String = about.iter().map(|words| format!("<p>{words}</p>")).collect();
    check("", &kept, &about, &[]);
}

#[test]
fn labels_over_advertising_and_excuses_to_browsers_are_no_text() {
    for label in ["Advertisement", "REKLAMA", "- Anzeige -", "Publicité:", "广告"] {
        check("", &format!("<div>{label}</div><p>The weir was mended in spring.</p>"), &["mended"], &[label]);
    }
    check("", "<p>Your browser does not support this video.</p><p>The weir.</p>", &["The weir"], &["video"]);
    check("", "<p>Advertisements were painted on the barn.</p>", &["painted"], &[]);
}

#[test]
fn words_for_search_engines_are_hidden_and_no_text() {
    let words = "cheap watches mill wheel oak elm weir ".repeat(200);
    check("", &format!("<div style='display:none'>{words}</div>"), &[], &["watches"]);
}

#[test]
fn a_box_that_is_one_link_is_a_teaser() {
    let words =
        "The wheel that came down the river in one piece and was never paid for by the man who found it";
    let card = format!("<div class=x><a href=w><h4>Wheels</h4><div>{words}</div></a></div>");
    check("", &format!("{card}<p>The weir was mended in spring.</p>"), &["mended"], &[words, "Wheels"]);
}

#[test]
fn visitors_may_write_more_than_the_text_has() {
    let more =
        "<p>The leat was cleared each spring by the men of the upper farms, who were paid in flour.</p>"
            .repeat(5);
    let comments =
        "<li><p>I remember the miller well, and so did my father, who carried sacks there as a boy.</p>"
            .repeat(40);
    check("", &format!("{more}<h2>40 Kommentare</h2><ul>{comments}</ul>"), &["in flour"], &["as a boy"]);
}

#[test]
fn what_is_folded_away_belongs_to_the_text_and_what_is_hidden_does_not() {
    check(
        "",
        "<div class=tab-panel style='display:none'><p>Opening hours: ten to four.</p></div>",
        &["ten to four"],
        &[],
    );
    check("", "<div role=tabpanel hidden><p>Opening hours: ten to four.</p></div>", &["ten to four"], &[]);
    check("", "<div class=accordion-body aria-hidden=true><ul><li>No dogs</ul></div>", &["No dogs"], &[]);
    check(
        "",
        "<div style='display:none'><p>Buy cheap watches here, all of them cheap and all of them watches.</p></div>",
        &[],
        &["watches"],
    );
    check(
        "",
        "<p>Seen<span hidden> unseen <span>things</span> of old</span> by all who pass the mill on their way to church.</p>",
        &["Seen", "by all who"],
        &["unseen", "of old"],
    );
    check(
        "",
        "<h2>Course<span class=mw-editsection>[<a href=/e>edit</a>]</span></h2><p>It falls four hundred metres in its first twenty kilometres, and few after that.</p>",
        &["Course"],
        &["edit"],
    );
}

#[test]
fn made_up_elements_have_a_place() {
    check(
        "<site-header><a href=/>Mills</a><a href=/b>Books</a></site-header>",
        "<story-related><p>The mill that burnt down twice, and the miller who did not mind it at all.</p></story-related>",
        &[],
        &["Mills", "Books", "burnt"],
    );
    let within = main_of(
        "<p>Posted <relative-time>3 days ago</relative-time> by a <my-icon></my-icon>friend of the house.</p>",
    );
    assert_eq!(within, "Posted 3 days ago by a friend of the house.");
}

#[test]
fn a_thread_is_all_of_its_posts() {
    let post = |user: &str, words: &str| {
        format!(
            "<div class=comment><div class=user-info>{user} Joined: May 2019</div><div class=comment-text><p>{words}</p></div></div>"
        )
    };
    let first = "Has anybody here ever moved a millstone without a crane, and lived to tell how it was done?";
    let second = "Rollers and patience. It took us two days and a great deal of tea, but nobody was hurt.";
    let body = format!("<h1>Millstones</h1><p>{TEXT}</p>{}{}", post("grit", first), post("burr", second));
    let read = |url: &str| {
        let url = model::PageUrl::parse(url).unwrap();
        let headers =
            model::Headers(vec![("content-type".to_owned(), bytes::Bytes::from_static(b"text/html"))]);
        let normalise = model::Normalise::default();
        let input = extract::Input {
            url: &url,
            headers: &headers,
            body: body.as_bytes(),
            normalise,
            max_links: 9,
            agent: "gannet",
        };
        extract::page(&input).main
    };
    let thread = read("http://e.com/threads/41-millstones");
    assert!(thread.contains(first) && thread.contains(second) && !thread.contains("Joined"), "{thread}");
    let article = read("http://e.com/blog/millstones");
    assert!(!article.contains(first) && !article.contains(second), "{article}");
}

#[test]
fn lines_at_the_foot_are_no_text() {
    for line in [
        "© 2011-2026 Mills of the Dale",
        "Last updated 11 February 2003. Best viewed at 800 x 600.",
        "Alle Rechte vorbehalten. Mühlen im Tal e. V.",
        "版权所有 2011 磨坊",
    ] {
        check("", &format!("<br><font size=1>{line}</font>"), &[], &[line]);
    }
}

#[test]
fn the_day_of_an_event_is_no_day_of_publication() {
    let day = |served: Option<&str>, body: &str| {
        let mut headers = vec![("content-type", "text/html")];
        headers.extend(served.map(|day| ("date", day)));
        read_bytes(body.as_bytes(), &headers, 10).published.map(|date| date.at)
    };
    let event = format!(
        "<script type='application/ld+json'>{{\"@type\":\"Event\",\"startDate\":\"2027-02-13\"}}</script><h1>Fiddles</h1><p>13 February 2027</p>{TEXT}"
    );
    assert_eq!(day(None, &event), None);
    let marked =
        format!("<h1>Fiddles</h1><time itemprop=startDate datetime=2027-02-13>13 February 2027</time>{TEXT}");
    assert_eq!(day(None, &marked), None);
    let plain = format!("<h1>Fiddles</h1><p>13 February 2027</p>{TEXT}");
    assert_eq!(day(None, &plain).as_deref(), Some("2027-02-13"));
    assert_eq!(day(Some("Mon, 16 Nov 2026 10:00:00 GMT"), &plain), None);
    assert_eq!(day(Some("Fri, 12 Feb 2027 23:00:00 GMT"), &plain).as_deref(), Some("2027-02-13"));
    // What a customer wrote has a day of its own, and so has the page.
    let review =
        "<div itemprop=review itemscope><meta itemprop=datePublished content=2023-02-02><p>Lovely.</p></div>";
    assert_eq!(day(None, &format!("<h1>Basket</h1>{TEXT}{review}")), None);
    let own = format!(
        "<div itemscope><meta itemprop=datePublished content=2021-01-01><h1>Basket</h1>{TEXT}</div>{review}"
    );
    assert_eq!(day(None, &own).as_deref(), Some("2021-01-01"));
    let above = format!(
        "<div class=date-today>16 November 2026</div><p>News</p><h1>Fiddles</h1><p>27 February 2024</p>{TEXT}"
    );
    assert_eq!(day(None, &above).as_deref(), Some("2024-02-27"));
}

#[test]
fn teasers_under_a_label_are_beside_the_text() {
    let teasers = "<div class=q><div>Flere saker</div><div><a href=/1>Sauene</a><div>The driver noticed nothing before the last stop, and then they would not get off.</div></div></div>";
    check("", teasers, &[], &["Flere saker", "The driver"]);
    check("", &teasers.replace("Flere saker", "为您推荐"), &[], &["为您推荐", "The driver"]);
    // The same words in a sentence are none.
    check(
        "",
        "<p>Related people have asked for a key to the mill, and none of them got one.</p>",
        &["Related people"],
        &[],
    );
}

#[test]
fn a_list_with_an_introduction_keeps_its_entries() {
    let item = |name: &str| format!("<li><h3><a href=/{name}>{name} bean</a></h3><div>3.10</div></li>");
    let items: String = ["Blue", "Borlotto", "Masterpiece", "Cherokee"].map(item).concat();
    let main = main_of(&format!(
        "<main><h1>Beans</h1><p>Climbing and dwarf beans from our own fields, saved by hand.</p><ul>{items}</ul></main>"
    ));
    assert!(
        main.contains("saved by hand") && main.contains("Cherokee bean") && main.contains("3.10"),
        "{main}"
    );
}

#[test]
fn the_headline_is_not_the_name_of_the_site() {
    let main = main_of(&format!(
        "<div id=header><h1><a href=/>Mills</a></h1></div><div class=post><h2>The mill at Low Ings</h2><small>by Ulf</small><div class=body>{TEXT}</div></div>"
    ));
    assert!(main.starts_with("The mill at Low Ings"), "{main}");
}

#[test]
fn chapters_side_by_side_are_all_kept() {
    let data = "<dl><dt>Weight</dt><dd>265 g in size 42</dd><dt>Drop</dt><dd>6 mm</dd></dl>";
    let main =
        main_of(&format!("<div><div><h2>Description</h2>{TEXT}</div><div><h2>Data</h2>{data}</div></div>"));
    assert!(main.contains("Weight") && main.contains("6 mm"), "{main}");
}

#[test]
fn what_only_subscribers_see_is_text() {
    let paid = "The miller kept a book of every sack that came and went, and of what the weather did to the leat and its banks.";
    check("", &format!("<p class=paywall>{paid}</p>").repeat(3), &[paid], &[]);
    check("", "<div class=paywall><p>Subscribe now</p></div>", &[], &["Subscribe now"]);
}

#[test]
fn ids_made_from_headings_say_nothing_of_a_part() {
    let text = "Whoever shares the leat with a neighbour tells him before the sluice is shut.";
    let section = |id: &str| format!("<div id={id}><h2>Sharing</h2><p>{text}</p></div>");
    check("", &section("sharing-with-a-neighbour"), &[text, "Sharing"], &[]);
    check("", &section("sharing"), &[], &[text]);
    check("", &format!("<h2 id=subscribe>Subscribe</h2><p>{text}</p>"), &["Subscribe", text], &[]);
}

#[test]
fn lines_that_say_what_to_read_next_are_beside_the_text() {
    check(
        "",
        "<p><b>Also read:</b> <a href=/b>How the bridge was built by two brothers</a></p>",
        &[],
        &["bridge"],
    );
    check(
        "",
        "<p><strong>Auch interessant:</strong></p><ul><li><a href=/b>Die Brücke</a></ul>",
        &[],
        &["Auch"],
    );
    check(
        "",
        "<p>Related to this is the question of who owned the water, which no court has answered.</p>",
        &["Related"],
        &[],
    );
}

#[test]
fn boxes_about_the_author_are_beside_the_text() {
    let about = "Petra Lindqvist has written about mills and bridges since 1998 and lives in a village by the sea with \
        her two dogs and a boat that she built with her own hands in the winter of the long frost, as she says.";
    check("", &format!("{TEXT}{TEXT}<div class='author-box'><p>{about}</p></div>"), &[], &["two dogs"]);
    check("", &format!("<div class='box'><p>{about}</p></div>"), &["two dogs"], &[]);
}

#[test]
fn a_sentence_is_a_lead_whatever_its_element() {
    let lead = "Ada Byron walks from the church to the weir and finds what is left of the oldest mill of the valley.";
    let main = main_of(&format!("<article><h1>Mill</h1><h4>{lead}</h4><h4>The wheel</h4>{TEXT}</article>"));
    assert!(main.contains(lead), "{main}");
}

#[test]
fn soft_hyphens_are_no_part_of_a_word() {
    let page = read_bytes(
        "<title>Müh\u{ad}le</title><p>Die Was\u{ad}ser\u{ad}müh\u{ad}le <a href=/a>Müh&shy;le</a>".as_bytes(),
        &[("content-type", "text/html; charset=utf-8")],
        10,
    );
    assert_eq!((page.title.as_str(), page.text.as_str()), ("Mühle", "Die Wassermühle Mühle"));
    assert_eq!(&*page.links[0].anchor, "Mühle");
}

#[test]
fn a_text_that_scripts_show_is_a_text() {
    let body = format!("<h1>The mill</h1><p>Low water.</p><div style='display: none'>{TEXT}</div>");
    assert!(main_of(&body).contains("as far as the weir"));
    // Less of it where it is called the article's body, as the page has more to say.
    let more = "<p>The chapel beside it was built by the same family and has been shut for most of this century.</p>";
    let body = |id: &str| {
        format!("<h1>The mill</h1>{more}{more}{more}<div id={id} style='display: none'>{TEXT}</div>")
    };
    assert!(main_of(&body("articleBody")).contains("as far as the weir"));
    assert!(!main_of(&body("second")).contains("as far as the weir"));
}

#[test]
fn a_text_among_many_links_is_a_text() {
    let links: String =
        (1..200).map(|n| format!("<li><a href=/{n}>What else happened, part {n}</a></li>")).collect();
    let text = TEXT.repeat(3);
    let page = format!("<div><div><h1>The mill</h1>{text}</div><div><ul>{links}</ul></div></div>");
    let main = main_of(&page);
    assert!(main.contains("below the church") && !main.contains("part 7"), "{main}");
    // Without a headline it may be the words before a list.
    assert!(main_of(&page.replace("h1", "b")).contains("part 7"));
}

#[test]
fn boxes_with_a_linked_heading_each_are_beside_a_text() {
    let teaser = |name: &str| {
        format!(
            "<div><h3><a href=/{name}>The {name}</a></h3><p>What was found under the floor of the {name}, and who was asked about it by the police.</p></div>"
        )
    };
    let teasers: String = ["chapel", "bridge", "school"].map(teaser).concat();
    let text = TEXT.repeat(3);
    let main = main_of(&format!("<div><h1>The mill</h1>{text}</div><div>{teasers}</div>"));
    assert!(main.contains("below the church") && !main.contains("police"), "{main}");
    // Less of a text is enough where the page says that it is one.
    let short = format!("<h1>The mill</h1>{TEXT}<div>{teasers}</div>");
    assert!(main_of(&short).contains("police"));
    let head = "<head><meta property=og:type content=article></head>";
    let named = read_bytes(format!("{head}{short}").as_bytes(), &[("content-type", "text/html")], 10).main;
    assert!(named.contains("below the church") && !named.contains("police"), "{named}");
    // A headline that leads to its own page heads all of the text.
    let own = format!(
        "<div><div><h2><a href=/mill>The mill</a></h2><i>by Ulf</i></div>{text}</div><div>{teasers}</div>"
    );
    assert!(main_of(&own).contains("The mill") && !main_of(&own).contains("police"));
    // A page of nothing else is a list of them.
    let list = main_of(&format!("<h1>News</h1><div>{teasers}</div>"));
    assert!(list.contains("The bridge") && list.contains("police"), "{list}");
}

#[test]
fn chapters_that_are_called_after_something_beside_them_are_text() {
    let chapter = |words: &str| format!("<section class='part part-ads'><h2>{words}</h2>{TEXT}</section>");
    let main = main_of(&format!(
        "<article><h1>Mills</h1>{}{}{}</article>",
        chapter("One"),
        chapter("Two"),
        chapter("Six")
    ));
    assert!(main.contains("One") && main.contains("Two") && main.contains("Six"), "{main}");
}

#[test]
fn classes_that_hide_and_recommend_are_beside_the_text() {
    check("<div class='u-hidden'>{\"views\": 12}</div>", "", &[], &["views"]);
    check("<div class='hidden md:block'>Low water.</div>", "", &["Low water"], &[]);
    check(
        "",
        "<div id=post_recommend><p>The bridge that was sold to a man from over the hills and far away, and then sold again.</p></div>",
        &[],
        &["sold"],
    );
    check("<div class=post_crumb>Home &gt; Mills &gt; Text</div>", "", &[], &["Home"]);
}

#[test]
fn a_headline_is_never_beside_its_text() {
    let main =
        main_of(&format!("<aside><h1>The mill</h1>2019-09-05 by Ulf</aside><article>{TEXT}</article>"));
    assert!(main.starts_with("The mill"), "{main}");
    // An opinion is called a comment as well.
    let body = format!(
        "<div class=comment><h1>The mill</h1><p>5 September 2019</p></div><div class=comment>{TEXT}</div><p>{}</p>",
        "All about mills and those who keep them. ".repeat(8)
    );
    assert!(main_of(&body).contains("as far as the weir"));
}

#[test]
fn chapters_with_a_link_to_themselves_are_text() {
    let chapter = |name: &str| format!("<div><h2><a href='#{name}'>{name}</a></h2>{TEXT}</div>");
    let main = main_of(&format!(
        "<h1>Mills</h1>{}{}{}{}{TEXT}",
        chapter("Oak"),
        chapter("Elm"),
        chapter("Ash"),
        chapter("Yew")
    ));
    assert!(
        main.contains("Oak") && main.contains("Yew") && main.matches("below the church").count() == 5,
        "{main}"
    );
    // Products that a text goes through stand each under a link to the shop.
    let product = |name: &str| format!("<h2><a href=/{name}>{name}</a></h2>{TEXT}");
    let main = main_of(&format!(
        "<div><h1>Mills</h1>{TEXT}{}{}{}</div>",
        product("Oak"),
        product("Elm"),
        product("Ash")
    ));
    assert!(main.contains("Oak") && main.contains("Ash"), "{main}");
}

#[test]
fn days_of_teasers_are_not_the_days_of_the_page() {
    let day = |body: &str| {
        read_bytes(body.as_bytes(), &[("content-type", "text/html")], 10).published.map(|date| date.at)
    };
    let long = TEXT.repeat(8);
    let teaser = |day: u8| format!("<li><p><time>2019-09-0{day}</time> Mills</p></li>");
    let teasers = |first, second| format!("<ul>{}{}</ul>", teaser(first), teaser(second));
    assert_eq!(day(&format!("<h1>The mill</h1>{long}{}", teasers(6, 4))), None);
    assert_eq!(day(&format!("<h1>The mill</h1>{long}{}", teasers(6, 6))).as_deref(), Some("2019-09-06"));
    // A short text among many teasers has a day of its own where one is named beside its headline.
    let list: String = (1..6)
        .map(|n| format!("<div><h3><a href=/{n}>Mill {n}</a></h3><p>July {n}, 2017</p></div>"))
        .collect();
    let posted = "<div>Posted on September 1, 2017 at 0h00</div>";
    assert_eq!(
        day(&format!("{posted}<h1>Mills</h1><p>A short one.</p>{list}")).as_deref(),
        Some("2017-09-01")
    );
    let of_teaser = format!("<h1>Mills</h1><h3><a href=/0>Mill</a></h3>{posted}{list}");
    assert_eq!(day(&of_teaser), None);
}

#[test]
fn dates_are_found_where_pages_write_them() {
    let day = |url: &str, head: &str, line: &str| {
        let url = model::PageUrl::parse(url).unwrap();
        let headers =
            model::Headers(vec![("content-type".to_owned(), bytes::Bytes::from_static(b"text/html"))]);
        let body = format!("<head>{head}</head><h1>The mill</h1>{line}{TEXT}");
        let normalise = model::Normalise::default();
        let input = extract::Input {
            url: &url,
            headers: &headers,
            body: body.as_bytes(),
            normalise,
            max_links: 9,
            agent: "gannet",
        };
        let page = extract::page(&input);
        page.published.map(|date| date.at[..10].to_owned())
    };
    let plain = |head: &str, line: &str| day("http://e.com/a", head, line);
    for name in [
        "pub_date",
        "article.published",
        "site:recs:publishtime",
        "og:release_date",
        "weibo:article:create_at",
    ] {
        let meta = format!("<meta name='{name}' content='2019-03-04'>");
        assert_eq!(plain(&meta, "").as_deref(), Some("2019-03-04"), "by {name}");
    }
    assert_eq!(plain("<meta name=expires content=2019-03-04>", ""), None);
    let long =
        "The beck rose by a metre in one night, and nobody slept in the houses below the weir. ".repeat(4);
    assert_eq!(plain("", &format!("<p>(04.03.2019) {long}</p>")).as_deref(), Some("2019-03-04"));
    assert_eq!(plain("", &format!("<p>Since 04.03.2019 {long}</p>")), None);
    assert_eq!(
        plain("", "<p class=postmetadata>Posted on March 4th, 2019 by Ulf</p>").as_deref(),
        Some("2019-03-04")
    );
    // A page may be given a new day, its URL keeps the first; the number of an article is none.
    let meta = "<meta property=article:published_time content=2019-06-17>";
    assert_eq!(day("http://e.com/2017/7/12/mill", meta, "").as_deref(), Some("2017-07-12"));
    assert_eq!(day("http://e.com/2019/6/16/mill", meta, "").as_deref(), Some("2019-06-17"));
    assert_eq!(day("http://e.com/20170712", meta, "").as_deref(), Some("2019-06-17"));
}

#[test]
fn which_number_is_the_month_is_told_by_the_words() {
    let day = |text: &str| {
        let body = format!("<h1>x</h1><p>04/03/2019</p><p>{text}</p>");
        read_bytes(body.as_bytes(), &[("content-type", "text/html; charset=utf-8")], 10)
            .published
            .map(|date| date.at)
    };
    let french = "Le moulin se trouve à l'endroit où le ruisseau quitte la forêt, et personne ne sait depuis quand il est là.";
    assert_eq!(day(french).as_deref(), Some("2019-03-04"));
    assert_eq!(day(TEXT).as_deref(), Some("2019-04-03"));
}
