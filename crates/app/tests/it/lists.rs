//! A crawl that starts from a list, with documents in it of which nothing can be read.

use webs::Answer;

use crate::gannet::gannet;
use crate::served::{Served, missing, small};

#[test]
fn a_sitemap_is_enough_to_start_from_and_what_is_not_read_says_why() {
    const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    const WHY: &str = "not read: broken, or no DOCX or ODT";
    let site = Served::start(small(&[], |request| match request.path.as_str() {
        "/map.xml" => Answer::new(
            200,
            "text/xml",
            "<urlset><url><loc>/a</loc></url><url><loc>/b.docx</loc></url><url><loc>http://elsewhere.test/</loc></url></urlset>",
        ),
        "/a" => Answer::new(200, "text/html", "<h1>A heading</h1><p>words"),
        "/b.docx" => Answer::new(200, DOCX, "PK\x03\x04 no more"),
        _ => missing(),
    }));
    let dir = tempfile::tempdir().unwrap();
    let data = format!("--data={}", dir.path().display());
    let at = |path: &str| format!("{}{path}", site.start_url());
    let said =
        gannet(&["crawl", "--sitemap", &at("map.xml"), &data, "-q", "--allow-private", "--rate=unlimited"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let said = gannet(&["pages", "--json", &data]);
    let row = |url: &str| -> serde_json::Value {
        let mut rows = said.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        rows.find(|row| row["url"] == url).unwrap_or_else(|| panic!("{url} in {}", said.out))
    };
    let words = |url: &str| row(url)["words"].as_str().unwrap().to_owned();
    assert_eq!(row(&at("b.docx"))["outcome"], "fetched");
    assert_eq!(words(&at("b.docx")), format!("fetched, {WHY}"));
    assert_eq!((words(&at("a")), &row(&at("a"))["title"]), ("fetched".to_owned(), &"A heading".into()));
    assert_eq!(row("http://elsewhere.test/")["outcome"], "off-site");
    let said = gannet(&["why", &at("b.docx"), &data]);
    assert!(said.out.contains(WHY), "{}", said.out);
    let said = gannet(&["check", &data]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
}
