//! Selectors: the first line is an expression, tried as CSS and as XPath; the rest is the page it is asked of.

use std::collections::HashSet;

use html::Tree;
use html::select::{Fuel, Selected, Selector};

const STEPS: u64 = 200_000;

pub(crate) fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (expression, page) =
        text.split_once('\n').unwrap_or((&text, "<p class=a id=b>text<a href=c>link</a>"));
    let tree = html::parse(page, &mut ());
    for compiled in [Selector::css(expression), Selector::xpath(expression)] {
        match compiled {
            Ok(selector) => check_selector(&selector, &tree),
            Err(error) => {
                assert!(error.position <= expression.chars().count(), "{error}");
                assert!(!error.reason.is_empty());
            }
        }
    }
}

fn check_selector(selector: &Selector, tree: &Tree) {
    let ask = |steps| selector.select(tree, tree.root(), &mut Fuel::new(steps));
    let Ok(selected) = ask(STEPS) else { return };
    // A number that is none equals nothing, not even itself.
    let said = format!("{selected:?}");
    assert_eq!(format!("{:?}", ask(STEPS).expect("as the first time")), said, "the same again");
    if let Ok(with_less) = ask(STEPS / 100) {
        assert_eq!(format!("{with_less:?}"), said, "fuel decides whether, not what");
    }
    if let Selected::Nodes(found) = selected {
        let distinct: HashSet<_> = found.iter().collect();
        assert_eq!(distinct.len(), found.len(), "none twice");
    }
}
