//! What has changed since a page was kept before: images under the same URL, attributes, places that are named as noise.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use frontier::tables::MISSING;
use image::{ImageFormat, Rgb, RgbImage};
use judge::change::image::{Grey, Side};
use kv::{Durability, Reader as _, Store};
use serde_json::Value;
use webs::Answer;

use crate::duplicates::Desk;
use crate::gannet::{gannet, start};
use crate::served::{missing, page, robots, shortest_gaps, small};

/// A picture of stripes, so wide.
fn picture(stripe: u32) -> Vec<u8> {
    let drawn = RgbImage::from_fn(96, 64, |x, y| {
        if (x / stripe + y / (stripe * 2)).is_multiple_of(2) {
            Rgb([250, 250, 250])
        } else {
            Rgb([20, 40, 60])
        }
    });
    let mut bytes = Vec::new();
    drawn.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    bytes
}

/// A page with two images and a link, and one that never changes; which version is served says the number. Of the third
/// nothing is there.
fn gallery(version: Arc<AtomicU32>) -> Desk {
    let web = small(&["gallery.test"], move |request| {
        let now = version.load(Ordering::Relaxed);
        match request.path.as_str() {
            _ if now == 2 => missing(),
            "/" => Answer::new(
                200,
                "text/html",
                format!(
                    "<!doctype html><title>Gallery</title><body><main><p>Two pictures of the sea, one of which is \
                     painted anew from time to time.</p><img src=/a.png><img src=/b.png></main>\
                     <a href=/linked>more</a><script>var visit = {now}</script></body>"
                ),
            ),
            "/linked" => Answer::new(
                200,
                "text/html",
                format!(
                    "<!doctype html><title>Linked</title><p>Where it leads.</p><a class=c{now} href=/>back</a>"
                ),
            ),
            "/still" => {
                Answer::new(200, "text/html", "<!doctype html><img src=/a.png><p>Still the same.</p>")
            }
            "/a.png" => Answer::new(200, "image/png", picture(7 + now * 9)),
            "/b.png" => Answer::new(200, "image/png", picture(11)),
            _ => missing(),
        }
    });
    Desk::new(web)
}

fn row<'a>(rows: &'a [Value], end: &str) -> Option<&'a Value> {
    rows.iter().find(|row| row["url"].as_str().is_some_and(|url| url.ends_with(end)))
}

/// What the program writes, as it is.
fn bytes(desk: &Desk, args: &[&str]) -> Vec<u8> {
    start(&[args, &["--data", &desk.data()]].concat(), &[]).wait_with_output().unwrap().stdout
}

#[test]
fn an_image_replaced_under_the_same_url_is_told_with_both() {
    let version = Arc::new(AtomicU32::new(0));
    let desk = gallery(version.clone());
    let base = desk.site.start_url();
    let still = format!("{base}still");
    desk.crawl(&base, &["--images-per-page=3", &still]);
    let kept = desk.json(&["pages", "--outcome", "fetched"]);
    assert_eq!(kept.len(), 5, "three pages and two images: {kept:?}");
    version.store(1, Ordering::Relaxed);
    let refreshed = desk.say(&["refresh", "-q"]);
    assert_eq!(refreshed.code, Some(0), "{}", refreshed.err);

    let rows = desk.json(&["changes"]);
    let level = |end: &str| row(&rows, end).map(|row| row["level"].as_str().unwrap());
    assert_eq!((level("/a.png"), level("/b.png")), (Some("image"), None), "{rows:?}");
    // An attribute is no noise. What only scripts differ in is, but for its image, as is a page that is the same.
    assert_eq!(level("/linked"), Some("attributes"), "{rows:?}");
    assert_eq!((level(&base), level("/still")), (Some("image"), Some("image")), "{rows:?}");
    let listed = rows.iter().filter(|row| row["row"] == "change" && row["details"].is_null()).count();
    assert_eq!((listed, &rows[4]["changed"], &rows[4]["images"]), (4, &3.into(), &1.into()), "{rows:?}");
    assert_eq!(rows[4]["pages"], 3, "images are no pages");

    let check = |url: &str| {
        let change = desk.json(&["changes", url]).remove(0);
        let images = change["details"]["images"].as_array().unwrap().clone();
        assert_eq!(images.len(), 1, "{url}: {change}");
        let image = &images[0];
        assert_eq!(image["became"], "replaced", "{image}");
        for both in ["hashes", "pictures", "at"] {
            let both = image[both].as_array().unwrap();
            assert!(both[0].is_string() && both[1].is_string() && both[0] != both[1], "{url}: {image}");
        }
        assert!(image["pictures"][0].as_str().unwrap().starts_with("data:image/png;base64,iVBOR"));
        assert!(image["numbers"][0].is_string() && image["numbers"][1].is_string(), "{image}");
        assert!(image["distance"].as_u64() > Some(4), "{image}");
        change
    };
    check(&format!("{base}a.png"));
    assert_eq!(check(&base)["level"], "image");
    // The page itself is the same: its image is not.
    assert_eq!(check(&still)["level"], "image");
    let words = desk.say(&["changes", &still]).out;
    assert!(words.contains("image replaced: ") && words.contains(" ival "), "{words}");
    let why = desk.say(&["why", &base]).out;
    for step in
        ["image ival ", "image hash ", "hash ", "tags ", "levels ", "text codes ", "tree diff ", "word diff "]
    {
        assert!(why.contains(step), "{step}: {why}");
    }
    assert!(why.contains(" of 64 bits differ: replaced "), "{why}");
    let unknown = desk.say(&["changes", &format!("{base}nowhere")]);
    assert!(unknown.code == Some(2) && unknown.err.contains("no version of"), "{}", unknown.err);
    let once = desk.say(&["changes", &format!("{base}b.png")]);
    assert!(once.code == Some(2) && once.err.contains("has one version"), "{}", once.err);
    // What was written then is as it was, byte by byte.
    assert_eq!(bytes(&desk, &["version", &format!("{base}a.png")]), picture(16));
    // A change of an image stays as old as it is.
    let since = row(&rows, "/still").unwrap()["after"].clone();
    assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
    assert_eq!(row(&desk.json(&["changes"]), "/still").unwrap()["after"], since);
    assert_eq!(desk.json(&["changes", "--since", "2100-01-01"]).len(), 1);
    // No image is searched.
    let found = desk.json(&["search", "pictures"]).remove(0);
    assert_eq!(found["hits"].as_array().unwrap().len(), 1, "{found}");
    // What is missing once is kept as it was, and so is what was told of it.
    version.store(2, Ordering::Relaxed);
    assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
    let later = desk.json(&["changes"]);
    assert_eq!((later.len(), row(&later, "/still")), (rows.len(), row(&rows, "/still")), "{later:?}");
    let kept = desk.json(&["pages"]);
    let a = row(&kept, "/a.png").unwrap();
    assert_eq!((&a["status"], &a["content_type"]), (&404.into(), &"image/png".into()), "{a}");
}

#[test]
fn what_the_settings_name_as_noise_is_noise() {
    let version = Arc::new(AtomicU32::new(0));
    let desk = gallery(version.clone());
    desk.crawl(&desk.site.start_url(), &["--ignore-changes=a"]);
    version.store(1, Ordering::Relaxed);
    assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
    let rows = desk.json(&["changes", "--noise"]);
    assert_eq!(
        row(&rows, &desk.site.start_url()).map(|row| (&row["level"], &row["noise"])),
        Some((&"source".into(), &true.into())),
        "only scripts differ"
    );
    assert_eq!(row(&rows, "/linked").map(|row| &row["noise"]), Some(&true.into()), "{rows:?}");
    assert_eq!(
        rows.iter().filter(|row| row["row"] == "change").count(),
        2,
        "images are not fetched unasked: {rows:?}"
    );
}

/// A clock that was learned does not count beside a word that was edited.
#[test]
fn of_a_change_that_is_partly_noise_only_the_rest_counts() {
    let version = Arc::new(AtomicU32::new(0));
    let served = version.clone();
    let web = small(&["clock.test"], move |request| {
        let now = served.load(Ordering::Relaxed);
        let word = if now < 3 { "herring" } else { "mackerel" };
        match request.path.as_str() {
            "/" => Answer::new(
                200,
                "text/html",
                format!(
                    "<!doctype html><title>Harbour</title><body><main><p>The boats of the harbour bring {word} in the \
                     morning, and in the evening they lie at the quay where everybody can look at them.</p>\
                     <b>minute {now}a second {now}b visitor {now}c</b><p>Whoever wants to come along asks the \
                     skipper, who knows when the tide is high enough for the boats to leave.</p></main></body>"
                ),
            ),
            _ => missing(),
        }
    });
    let desk = Desk::new(web);
    let base = desk.site.start_url();
    desk.crawl(&base, &[]);
    for now in 1..=3 {
        version.store(now, Ordering::Relaxed);
        assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
    }
    let change = desk.json(&["changes", &base]).remove(0);
    assert_eq!((&change["versions"], &change["noise"]), (&4.into(), &false.into()), "{change}");
    let noise = &change["noise_places"];
    assert_eq!(
        (&noise[0]["place"], noise.as_array().unwrap().len()),
        (&"html/body/main/b".into(), 1),
        "{change}"
    );
    assert_eq!(noise[0]["after"], "minute 3a second 3b visitor 3c");
    assert_eq!((&change["words_added"], &change["words_removed"]), (&1.into(), &1.into()), "{change}");
    let words: Vec<&str> = change["details"]["words"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word["words"].as_str().unwrap())
        .collect();
    assert_eq!(words, ["herring", "mackerel"]);
    assert_eq!(change["severity"], "small");
    let listed = desk.json(&["changes"]).remove(0);
    assert_eq!((&listed["words_added"], &listed["noise"]), (&1.into(), &false.into()), "{listed}");
}

/// Words that follow from a number.
fn words(number: u32, count: u32) -> String {
    let word = |at: u32| {
        let mixed = (number * 7_919 + at).wrapping_mul(2_654_435_761);
        (0..5).map(|letter| char::from(b'a' + (mixed >> (letter * 5) & 15) as u8)).collect::<String>()
    };
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

/// A PDF with this text, which says when it was made.
fn pdf(text: &str, day: u32) -> Vec<u8> {
    let drawn = format!("BT /F 10 Tf 50 780 Td ({text}) Tj ET");
    format!(
        "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\n\
         endobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources \
         << /Font << /F 5 0 R >> >> >>\nendobj\n4 0 obj\n<< /Length {} >>\nstream\n{drawn}\nendstream\nendobj\n5 0 obj\n\
         << /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>\nendobj\n\
         6 0 obj\n<< /ModDate (D:2026110{day}) >>\nendobj\ntrailer\n<< /Root 1 0 R /Info 6 0 R >>\n",
        drawn.len()
    )
    .into_bytes()
}

/// Pages with all kinds of noise beside what somebody wrote, in four versions.
fn harbour(version: Arc<AtomicU32>) -> Desk {
    let web = small(&["quay.test"], move |request| {
        let now = version.load(Ordering::Relaxed);
        let story =
            if now < 3 { "The harbour is open to all ships." } else { "A storm has closed it for days." };
        let html = |main: String, footer: String| {
            let page =
                format!("<!doctype html><title>Quay</title><main>{main}</main><footer>{footer}</footer>");
            Answer::new(200, "text/html", page)
        };
        let none = String::new();
        match request.path.as_str() {
            "/" => page(["/clock", "/named", "/priced", "/news", "/counter", "/a.pdf", "/b.pdf", "/moves"]),
            "/clock" => {
                html(format!("<p>Updated at 12:0{now}</p><p>{story}</p><p>{}</p>", words(1, 60)), none)
            }
            "/named" => {
                html(format!("<p class=clock>so {now}</p><p>{story}</p><p>{}</p>", words(2, 60)), none)
            }
            "/priced" => html(format!("<p>{} EUR</p><p>{}</p>", 100 + now * 7, words(3, 60)), none),
            "/news" => html(format!("<h1>{}</h1><p>{}</p>", words(4 + now, 6), words(40 + now, 80)), none),
            "/counter" => html(format!("<p>{}</p>", words(5, 60)), format!("<b>Visitor {}</b>", 1_000 + now)),
            "/a.pdf" => Answer::new(200, "application/pdf", pdf("Tides of the harbour", now)),
            "/b.pdf" => Answer::new(200, "application/pdf", pdf(story, 1)),
            "/moves" if now == 3 => Answer::redirect(301, "/clock"),
            "/moves" => html(format!("<p>{}</p>", words(6, 60)), none),
            _ => missing(),
        }
    });
    Desk::new(web)
}

#[test]
fn noise_hides_nothing_that_somebody_wrote() {
    let version = Arc::new(AtomicU32::new(0));
    let desk = harbour(version.clone());
    let base = desk.site.start_url();
    desk.crawl(&base, &[]);
    for now in 1..=3 {
        version.store(now, Ordering::Relaxed);
        assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
    }
    let rows = desk.json(&["changes", "--ignore", ".clock"]);
    let of = |path: &str| {
        row(&rows, path)
            .map(|row| (row["level"].as_str().unwrap_or("none"), row["severity"].as_str().unwrap_or("none")))
    };
    assert_eq!(of("/clock"), Some(("text", "small")), "{rows:?}");
    assert_eq!(of("/named"), Some(("text", "small")), "{rows:?}");
    assert_eq!(of("/priced"), Some(("text", "small")), "{rows:?}");
    assert_eq!(of("/news"), Some(("text", "complete")), "{rows:?}");
    assert_eq!(of("/b.pdf"), Some(("text", "complete")), "{rows:?}");
    assert_eq!((of("/counter"), of("/a.pdf")), (None, None), "{rows:?}");
    // What leads elsewhere, then what differs most.
    assert_eq!(
        (&rows[0]["row"], rows[0]["to"].as_str().unwrap().ends_with("/clock")),
        (&"moved".into(), true)
    );
    // Not when it was last asked for and found as it was.
    let [moved, before] = [&rows[0]["at"], &row(&rows, "/news").unwrap()["before"]].map(Value::as_str);
    assert!(moved > before, "{rows:?}");
    let first = desk.json(&["changes", "--ignore", ".clock", "--limit", "3"]);
    assert_eq!(first[..3], rows[..3]);
    let counts = rows.last().unwrap();
    assert_eq!((&counts["changed"], &counts["noise"], &counts["pages"]), (&7.into(), &2.into(), &8.into()));
    assert_eq!(counts["moved"], 1);

    // Noise is told when it is asked for, with its words and where.
    let said = desk.say(&["changes", "--noise"]).out;
    let line = said.lines().find(|line| line.contains("/counter")).unwrap();
    assert!(
        line.starts_with("noise") && line.ends_with("html/body/footer/b: Visitor 1002 → Visitor 1003"),
        "{said}"
    );
    let said = desk.say(&["changes", &format!("{base}clock")]).out;
    assert!(said.contains("noise: html/body/main/p: Updated at 12:02 → Updated at 12:03"), "{said}");
    assert!(said.contains("+ A storm has closed it for days."), "{said}");
    // Noise is no reason to come again.
    let changes_of = |path: &str| {
        let why = desk.say(&["why", &format!("{base}{path}")]).out;
        why.lines().find(|line| line.contains("later visits")).map(str::to_owned).unwrap_or(why)
    };
    for (path, changes) in [("counter", 0), ("clock", 1), ("a.pdf", 0), ("priced", 3)] {
        let told = changes_of(path);
        assert!(told.contains(&format!("changed at {changes} of 3 later visits")), "{path}: {told}");
    }

    let early = desk.say(&["changes", &format!("{base}news"), "--from", "2020-01-01"]);
    assert!(early.code == Some(2) && early.err.contains("is that old; the first is of"), "{}", early.err);
    assert_eq!(desk.say(&["changes", "--from", "2020-01-01"]).code, Some(2));
    let kept = bytes(&desk, &["version", &format!("{base}b.pdf")]);
    assert_eq!(kept, pdf("A storm has closed it for days.", 1));
    let told = desk.json(&["version", &format!("{base}a.pdf")]).remove(0);
    assert!(told["content"].is_null() && told["raw"].is_string() && told["text"].is_string(), "{told}");
}

/// An advertisement with another address every time is noise, and lists no page.
#[test]
fn an_image_with_another_address_every_time_is_noise() {
    let version = Arc::new(AtomicU32::new(0));
    let served = version.clone();
    let web = small(&["advert.test"], move |request| {
        let now = served.load(Ordering::Relaxed);
        match request.path.as_str() {
            "/" => Answer::new(
                200,
                "text/html",
                format!(
                    "<!doctype html><title>Harbour</title><body><main><p>The boats of the harbour bring herring in \
                     the morning, and in the evening they lie at the quay.</p></main>\
                     <aside><img src=/advert{now}.png></aside></body>"
                ),
            ),
            path if path.starts_with("/advert") => Answer::new(200, "image/png", picture(7 + now * 5)),
            _ => missing(),
        }
    });
    let desk = Desk::new(web);
    let base = desk.site.start_url();
    desk.crawl(&base, &["--images-per-page=3"]);
    for now in 1..=3 {
        version.store(now, Ordering::Relaxed);
        assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
        let rows = desk.json(&["changes"]);
        // Once is a change, the same place again is noise.
        assert_eq!(row(&rows, &base).is_some(), now == 1, "{now}: {rows:?}");
    }
    let change = desk.json(&["changes", &base]).remove(0);
    assert_eq!((&change["noise"], &change["versions"]), (&true.into(), &4.into()), "{change}");
    assert!(!change["details"]["images"].as_array().unwrap().is_empty(), "still told when asked: {change}");
}

/// Its server says so twice, by 404 or 410; the time between is taken off by hand.
#[test]
fn pages_that_are_gone_are_listed_with_what_their_server_said() {
    const DAYS: u64 = 3 * 86_400_000;
    let round = Arc::new(AtomicU32::new(0));
    let served = round.clone();
    let web = small(&["pier.test"], move |request| {
        let rounds = match request.path.as_str() {
            "/" => return page(["/missing", "/removed", "/both", "/back"]),
            "/missing" => [200, 404, 404],
            "/removed" => [200, 410, 410],
            "/both" => [200, 404, 410],
            "/back" => [200, 404, 200],
            _ => return missing(),
        };
        let path = &request.path;
        match rounds.get(served.load(Ordering::Relaxed) as usize).copied().unwrap_or(404) {
            200 => {
                Answer::new(200, "text/html", format!("<!doctype html><title>{path}</title><p>At {path}."))
            }
            status => Answer::new(status, "text/html", "<p>Nothing here."),
        }
    });
    let desk = Desk::new(web);
    let base = desk.site.start_url();
    desk.crawl(&base, &[]);
    let refresh = |to: u32| {
        round.store(to, Ordering::Relaxed);
        assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
        let store = Store::open(&Path::new(&desk.data()).join("crawl"), kv::Options::default()).unwrap();
        let waiting: Vec<_> = store.iter(&MISSING).map(Result::unwrap).collect();
        let mut batch = store.batch();
        waiting.iter().for_each(|(page, since)| batch.put(&MISSING, page, &(since - DAYS)));
        store.commit(batch, Durability::Synced).unwrap();
        waiting.len()
    };
    assert_eq!(refresh(1), 4, "each is missing for the first time");
    let rows = desk.json(&["changes"]);
    assert_eq!((rows.len(), &rows[0]["gone"], &rows[0]["pages"]), (1, &0.into(), &5.into()), "{rows:?}");
    assert_eq!(refresh(2), 0, "what was missing is gone, or was there again");
    assert_eq!(refresh(3), 1, "the one that was there again is missing for the first time");

    let rows = desk.json(&["changes"]);
    let counts = rows.last().unwrap();
    assert_eq!((rows.len(), &counts["gone"], &counts["pages"]), (4, &3.into(), &2.into()), "{rows:?}");
    for (path, status) in [("missing", 404), ("removed", 410), ("both", 410)] {
        let gone = row(&rows, path).unwrap_or_else(|| panic!("{path}: {rows:?}"));
        assert_eq!((&gone["row"], &gone["status"]), (&"gone".into(), &status.into()), "{gone}");
        let (first, last) = (gone["first"].as_str().unwrap(), gone["last"].as_str().unwrap());
        assert_eq!(gone["words"], format!("gone: status {status} at {first} and again at {last}"));
        let said = desk.say(&["changes"]).out;
        let line = said.lines().find(|line| line.ends_with(&format!("/{path}"))).unwrap();
        assert!(line.starts_with("gone") && line.contains(&format!("status {status}")), "{said}");
        assert!(desk.say(&["why", &format!("{base}{path}")]).out.contains(&format!("gone: status {status}")));
        // What was kept of it stays.
        let kept = desk.say(&["version", &format!("{base}{path}"), "--text"]);
        assert_eq!((kept.out.trim(), kept.code), (format!("At /{path}.").as_str(), Some(0)), "{}", kept.err);
    }
    let said = desk.say(&["changes"]).out;
    assert!(said.ends_with("0 of 2 pages have changed, 3 are gone\n"), "{said}");
    let later = desk.json(&["changes", "--since", "2100-01-01"]);
    assert_eq!((later.len(), &later[0]["gone"]), (1, &0.into()), "{later:?}");
}

/// Of a page with more images than are asked for, the first ones are fetched, at the pace that robots.txt asks for.
#[test]
fn no_more_images_of_a_page_are_fetched_than_are_asked_for() {
    let web = small(&["wall.test"], |request| match request.path.as_str() {
        "/" => {
            let images: String = (0..6).map(|number| format!("<img src=/{number}.png>")).collect();
            // One that comes again counts once.
            let text =
                format!("<!doctype html><title>Wall</title><img src=/0.png>{images}<a href=/more>more</a>");
            Answer::new(200, "text/html", text)
        }
        "/more" => Answer::new(200, "text/html", "<!doctype html><img src=/0.png><img src=/7.png><p>More."),
        "/robots.txt" => robots("User-agent: *\nCrawl-delay: 0.2\n"),
        path if path.ends_with(".png") => Answer::new(200, "image/png", picture(7)),
        _ => missing(),
    });
    let desk = Desk::new(web);
    let base = desk.site.start_url();
    desk.crawl(&base, &["--images-per-page=3"]);
    let log = desk.site.log();
    let mut asked: Vec<&str> =
        log.iter().map(|entry| entry.target.as_str()).filter(|target| target.ends_with(".png")).collect();
    asked.sort_unstable();
    assert_eq!(asked, ["/0.png", "/1.png", "/2.png", "/7.png"], "three of each page, each once");
    let gaps = shortest_gaps(&log, |entry| entry.host.clone());
    assert!(gaps.values().all(|gap| *gap >= Duration::from_millis(200)), "{gaps:?}");
    let unknown = desk.say(&["why", &format!("{base}3.png")]).out;
    assert!(unknown.contains("never met"), "{unknown}");
    let kept = desk.json(&["pages", "--outcome", "fetched"]);
    assert_eq!(kept.len(), 6, "two pages and four images: {kept:?}");
}

/// A page that says another part of a long text each time.
fn diary(version: Arc<AtomicU32>) -> Desk {
    Desk::new(small(&["diary.test"], move |request| match request.path.as_str() {
        "/" => {
            let text = match version.load(Ordering::Relaxed) {
                0 => words(1, 60),
                1 => format!("{} {}", words(1, 50), words(2, 10)),
                _ => words(3, 60),
            };
            Answer::new(
                200,
                "text/html",
                format!("<!doctype html><title>Diary</title><main><p>{text}</p></main>"),
            )
        }
        _ => missing(),
    }))
}

#[test]
fn changes_are_told_against_the_version_that_was_accepted() {
    let version = Arc::new(AtomicU32::new(0));
    let desk = diary(version.clone());
    let base = desk.site.start_url();
    desk.crawl(&base, &[]);
    for now in 1..=2 {
        version.store(now, Ordering::Relaxed);
        assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
    }
    let versions = || desk.json(&["version", &base, "--list"]);
    let change = |more: &[&str]| desk.json(&[&["changes", &base], more].concat()).remove(0);
    let before = change(&[]);
    assert_eq!(
        (before["severity"].as_str(), before["accepted"].as_str()),
        (Some("complete"), None),
        "{before}"
    );
    assert!(
        before["severity_since_accepted"].is_null() && versions().iter().all(|one| one["accepted"] == false)
    );

    // The first is accepted: the second is small beside it, the third is another.
    let times: Vec<String> = versions().iter().map(|one| one["at"].as_str().unwrap().to_owned()).collect();
    let done = desk.json(&["changes", &base, "--accept", "--to", &times[0]]).remove(0);
    assert_eq!(done["version"], times[0].as_str(), "{done}");
    let since = |change: &Value| {
        ["severity", "severity_since_first", "severity_since_accepted"]
            .map(|name| change[name].as_str().map(str::to_owned))
    };
    let [severity, first, accepted] = since(&change(&["--to", &times[1]]));
    assert!(
        severity == first && first == accepted && severity.as_deref() != Some("none"),
        "{severity:?} {accepted:?}"
    );
    assert_eq!(since(&change(&[]))[2].as_deref(), Some("complete"));
    let accepted: Vec<bool> = versions().iter().map(|one| one["accepted"] == true).collect();
    assert_eq!(accepted, [true, false, false]);

    // The last takes its place; what the first version says stays what it was.
    let said = desk.say(&["changes", &base, "--accept"]);
    assert!(
        said.code == Some(0) && said.out.starts_with("accepted the version of "),
        "{}{}",
        said.out,
        said.err
    );
    let last = change(&[]);
    assert_eq!(last["accepted"], last["after"]);
    assert_eq!(since(&last).map(Option::unwrap), ["complete", "complete", "none"]);
    assert!(desk.say(&["changes", &base]).out.contains(", which is the accepted version"));
    let listed = desk.json(&["changes"]);
    assert_eq!(row(&listed, &base).unwrap()["severity_since_accepted"], "none");
    // A refresh, a check and a repair leave it as it is; what comes later is told against it.
    version.store(1, Ordering::Relaxed);
    assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
    assert_eq!(desk.say(&["check"]).code, Some(0));
    assert_eq!(desk.say(&["repair"]).code, Some(0));
    assert_eq!(since(&change(&[]))[2].as_deref(), Some("complete"));
    assert!(desk.say(&["why", &base]).out.contains("; since the accepted version of "));
    assert!(desk.say(&["version", &base, "--list"]).out.contains("accepted"));
    // What is not kept cannot be accepted, and no list can.
    let unknown = desk.say(&["changes", &format!("{base}nowhere"), "--accept"]);
    assert!(unknown.code == Some(2) && unknown.err.contains("no version of"), "{}", unknown.err);
    let early = desk.say(&["changes", &base, "--accept", "--to", "2001-01-01"]);
    assert_eq!(early.code, Some(2), "{}", early.err);
    assert_eq!(desk.say(&["changes", "--accept"]).code, Some(2));
}

/// The number of an image is that of the side which the project sets.
#[test]
fn images_are_scaled_as_the_settings_say() {
    let mut told = Vec::new();
    for side in [16, 32, 64] {
        let version = Arc::new(AtomicU32::new(0));
        let desk = gallery(version.clone());
        let base = desk.site.start_url();
        desk.crawl(&base, &["--images-per-page=3", &format!("--image-side={side}")]);
        version.store(1, Ordering::Relaxed);
        assert_eq!(desk.say(&["refresh", "-q"]).code, Some(0));
        let change = desk.json(&["changes", &format!("{base}a.png")]).remove(0);
        let numbers = &change["details"]["images"][0]["numbers"];
        for (place, stripe) in [(0, 7), (1, 16)] {
            let drawn = image::load_from_memory(&picture(stripe)).unwrap().to_rgb8();
            let grey = Grey::of_rgb(96, 64, drawn.as_raw()).unwrap();
            let expected = grey.number(Side::of(side)).to_string();
            assert_eq!(numbers[place].as_str(), Some(expected.as_str()), "side {side}: {numbers}");
        }
        told.push(numbers[0].clone());
    }
    assert!(told[0] != told[1] && told[0] != told[2], "{told:?}");
    let refused = gannet(&["crawl", "http://127.0.0.1:9/", "--image-side=48"]);
    assert!(refused.code == Some(2) && refused.err.contains("16, 32 or 64"), "{}", refused.err);
}
