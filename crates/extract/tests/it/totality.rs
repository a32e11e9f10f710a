//! Whatever comes, there is a page, and it is the same on both paths (`read_bytes` compares them).

use proptest::prelude::*;

use crate::{read, read_bytes};

#[test]
fn deep_pages_are_read() {
    for open in ["<div>", "<b>", "<a href=x>", "<table><tr><td>", "<template>", "<svg>", "<select><option>"] {
        let page = read(&(open.repeat(100_000) + "words"));
        assert!(page.links.len() <= extract::MAX_LINKS, "for {open}");
    }
}

#[test]
fn pages_cut_anywhere_are_read() {
    let page = include_bytes!("../../../html/tests/pages/shop.html");
    for cut in (0..page.len()).step_by(13) {
        read_bytes(&page[..cut], &[("content-type", "text/html; charset=utf-8")], 100);
    }
}

/// Markup that matters to the reader, well formed or not.
fn soup() -> impl Strategy<Value = String> {
    let names = "a b strong i em p div li table tr td th caption select option title textarea script style noscript \
                 iframe head body html form br img template base area link meta frame span";
    let name = prop::sample::select(names.split_whitespace().collect::<Vec<_>>());
    let attribute = prop::sample::select(vec![
        "",
        " href=x",
        " href=//f.com/",
        " src=y",
        " alt='an image'",
        " rel=canonical",
        " rel='nofollow next'",
        " name=robots content=noindex",
        " http-equiv=refresh content='1;url=z'",
        " name=description content=d",
        " lang=de",
        " /",
        " href='",
    ]);
    let piece = prop_oneof![
        5 => (name.clone(), attribute).prop_map(|(name, attribute)| format!("<{name}{attribute}>")),
        4 => name.prop_map(|name| format!("</{name}>")),
        4 => "[a-c &;<\n\u{e9}\u{a0}]{0,6}",
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_bytes_give_a_page(bytes: Vec<u8>, prefix in "(<[!?a-z/ ]{0,8}>?)?", kind in "(text/html|text/plain)?(; ?charset=[a-z0-9-]{0,8})?") {
        let body = [prefix.as_bytes(), &bytes].concat();
        read_bytes(&body, &[("content-type", &kind)], 5);
    }

    #[test]
    fn soup_is_read_alike_on_both_paths(html in soup()) {
        let page = read(&html);
        prop_assert!(page.text.lines().all(|line| !line.is_empty() && line.trim() == line));
        for link in &page.links {
            prop_assert!((1..=3).contains(&link.look.visibility) && (1..=3).contains(&link.look.position));
            prop_assert!(matches!(link.look.distance, 1 | 5));
            prop_assert_eq!(link.anchor.split_whitespace().collect::<Vec<_>>().join(" "), &*link.anchor);
        }
    }

    /// The attribute as it is defined, against the page's own text: plain links between plain words.
    #[test]
    fn positions_follow_their_definition(before in 0..30_usize, after in 0..30_usize, own in 0..4_usize) {
        let words = |count: usize| "word ".repeat(count);
        let page = read(&format!("<p>{}<a href=x>{}</a> {}", words(before), words(own), words(after)));
        let total = page.text.split_whitespace().count();
        prop_assert_eq!(total, before + own + after);
        let third = (3 * before).checked_div(total).unwrap_or(0).min(2);
        prop_assert_eq!(usize::from(page.links[0].look.position), 3 - third);
    }
}
