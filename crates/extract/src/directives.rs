//! What a page and its headers ask of robots, and the language they name.

use model::PageDirectives;

/// Adds the words of `<meta name=robots content>`.
pub(crate) fn add(directives: &mut PageDirectives, words: &str) {
    words.split(',').for_each(|word| add_word(directives, word.trim()));
}

/// Adds an `X-Robots-Tag`: `noindex`, or `gannet: noindex, nofollow` for one robot alone.
pub(crate) fn add_header(directives: &mut PageDirectives, value: &str, agent: &str) {
    let mut for_us = true;
    for part in value.split(',') {
        let mut word = part.trim();
        // A colon ends a robot's name, except in directives that have a value of their own.
        if let Some((name, rest)) = word.split_once(':')
            && is_agent(name)
        {
            for_us = name.eq_ignore_ascii_case(agent);
            word = rest.trim();
        }
        if for_us {
            add_word(directives, word);
        }
    }
}

/// The first language of a list, if it looks like a language tag.
pub(crate) fn language(value: &str) -> Option<String> {
    let tag = value.split(',').next().unwrap_or_default().trim();
    let plausible = (2..=35).contains(&tag.len())
        && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    plausible.then(|| tag.to_owned())
}

fn add_word(directives: &mut PageDirectives, word: &str) {
    let none = word.eq_ignore_ascii_case("none");
    directives.noindex |= none || word.eq_ignore_ascii_case("noindex");
    directives.nofollow |= none || word.eq_ignore_ascii_case("nofollow");
}

fn is_agent(name: &str) -> bool {
    let takes_value = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        && !takes_value.iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, noindex: bool, nofollow: bool) {
        let mut directives = PageDirectives::default();
        add_header(&mut directives, value, "gannet");
        assert_eq!(directives, PageDirectives { noindex, nofollow }, "for {value:?}");
    }

    #[test]
    fn headers_speak_to_all_or_to_one() {
        check("noindex", true, false);
        check("NoIndex, nofollow", true, true);
        check("none", true, true);
        check("all, noarchive", false, false);
        check("otherbot: noindex, nofollow", false, false);
        check("Gannet: nofollow", false, true);
        check("otherbot: noindex, gannet: nofollow", false, true);
        check("unavailable_after: 25 Jun 2030 15:00:00 GMT, noindex", true, false);
        check("unavailable_after: Friday, 25-Jun-30 15:00:00 GMT, noindex", true, false);
        check("max-snippet:5, nofollow", false, true);
        check("", false, false);
    }

    #[test]
    fn languages_are_tags() {
        assert_eq!(language(" en-GB , de"), Some("en-GB".to_owned()));
        assert_eq!(language("e"), None);
        assert_eq!(language("what language?"), None);
    }
}
