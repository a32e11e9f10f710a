//! Include and exclude patterns: the first line is the pattern, each further line a URL.

use model::{PageUrl, Pattern};

pub(crate) fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let mut lines = text.lines();
    let written = lines.next().unwrap_or_default();
    let urls: Vec<PageUrl> = lines.take(8).filter_map(|line| PageUrl::parse(line).ok()).collect();
    match written.parse::<Pattern>() {
        Ok(pattern) => {
            assert_eq!(pattern.as_str(), written);
            let again: Pattern = pattern.as_str().parse().expect("what was taken is taken again");
            for url in &urls {
                assert_eq!(pattern.matches(url), again.matches(url));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    for url in urls.iter().filter(|url| url.as_str().len() < 1_000) {
        check_own(url);
    }
}

/// Every URL can be named by a pattern of each kind.
fn check_own(url: &PageUrl) {
    let escaped: String = url.as_str().chars().flat_map(escape).collect();
    let own = [
        url.path_and_query().to_owned(),
        url.as_str().to_owned(),
        format!("host:{}", url.host().name()),
        format!("host:{}", url.host().as_str()),
        format!("regex:^{escaped}$"),
    ];
    for written in own {
        let pattern: Result<Pattern, _> = written.parse();
        let pattern = pattern.unwrap_or_else(|error| panic!("{written:?} is refused: {error}"));
        assert!(pattern.matches(url), "{written:?} does not speak of {url}");
    }
}

fn escape(c: char) -> impl Iterator<Item = char> {
    let special = c.is_ascii_punctuation().then_some('\\');
    special.into_iter().chain([c])
}
