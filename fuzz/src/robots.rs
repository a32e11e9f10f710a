//! robots.txt: the input is the file; the paths asked about are those that stand in it.

use fetch::robots::{MOST_BYTES, Robots};
use model::Timestamp;

const NOW: Timestamp = Timestamp(1_763_196_319_123);

pub(crate) fn check(input: &[u8]) {
    let robots = Robots::parse(input);
    let lines = input.split(|byte| matches!(byte, b'\r' | b'\n')).count() as u32;
    let mut with_mark = Vec::from(*b"\xef\xbb\xbf");
    with_mark.extend_from_slice(input);
    let with_mark = Robots::parse(&with_mark);
    for agent in ["gannet", "googlebot", "*", ""] {
        let rules = robots.rules(agent);
        let long_name = robots.rules(&format!("{agent}/1.0 (+http://e.com/)"));
        if let Some(pause) = rules.pause() {
            assert!(Some(pause) >= rules.crawl_delay());
        }
        assert!(rules.next_visit(NOW) >= NOW, "a visit is not due in the past");
        assert!(rules.verdict("/robots.txt").allowed, "the file itself may always be asked for");
        for path in paths(input) {
            let verdict = rules.verdict(&path);
            assert!(verdict.allowed || verdict.line.is_some(), "a refusal names its line: {path:?}");
            assert!(
                verdict.line.is_none_or(|line| (1..=lines).contains(&line)),
                "{verdict:?} of {lines} lines"
            );
            assert_eq!(long_name.verdict(&path), verdict, "the product's name counts: {path:?}");
            if !input.starts_with(b"\xef") {
                assert_eq!(with_mark.rules(agent).verdict(&path), verdict, "a byte order mark says nothing");
            }
            if path != "/robots.txt" {
                assert_eq!(rules.verdict(&encoded(&path)), verdict, "the spelling does not count: {path:?}");
            }
        }
    }
    assert!(robots.sitemaps().iter().map(String::len).sum::<usize>() <= input.len().min(MOST_BYTES) * 3);
}

/// The values of the first lines, as paths.
fn paths(input: &[u8]) -> Vec<String> {
    let values = input.split(|byte| *byte == b'\n').take(16).filter_map(|line| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let value = String::from_utf8_lossy(&line[colon + 1..]).trim().replace('*', "x");
        Some(format!("/{}", value.trim_start_matches('/')))
    });
    values.chain(["/".to_owned(), "/a?b".to_owned()]).collect()
}

/// The same path with every letter and digit percent-encoded that is not part of such a code already.
fn encoded(path: &str) -> String {
    let path = path.split('#').next().unwrap_or_default();
    if path.contains('%') {
        return path.to_owned();
    }
    let mut text = String::new();
    for c in path.chars() {
        if c.is_ascii_alphanumeric() { text.push_str(&format!("%{:02x}", c as u32)) } else { text.push(c) }
    }
    text
}
