//! Where a page names a language that its text is not in: templates say English whatever is written into them.
//!
//! A page's own word counts unless its letters or, for English, its small words speak against it.

/// Bytes of the text that are looked at.
const LOOKED_AT: usize = 1_024;

/// Letters without which nothing is said.
const FEWEST: usize = 80;

/// Languages that are told from English by their words; others are too near to something else, or too rare.
const TOLD: &[&str] =
    &["de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "no", "fi", "cs", "hu", "ro", "tr", "vi", "id"];

/// The language of the text, where it cannot be the one that is named.
pub(crate) fn instead(named: &str, text: &str) -> Option<&'static str> {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let primary = named.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    let expected = script_of(&primary)?;
    let mut counts = [0_usize; SCRIPTS];
    let mut letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    counts[Script::Latin as usize] = letters;
    // Of most pages there is nothing else.
    let others = if text.is_ascii() { "" } else { text };
    for c in others.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()) {
        letters += 1;
        if let Some(script) = script(c) {
            counts[script as usize] += 1;
        }
    }
    if letters < FEWEST {
        return None;
    }
    if counts[expected as usize] * 10 < letters {
        return text::language(text).map(|guess| guess.code).filter(|code| script_of(code) != Some(expected));
    }
    if primary != "en" || !may_be_foreign(text) {
        return None;
    }
    text::language(text)
        .filter(|guess| guess.confidence >= 0.9 && TOLD.contains(&guess.code))
        .map(|guess| guess.code)
}

/// Whether small words of other languages are many, and more than English ones: the rest needs no closer look.
fn may_be_foreign(text: &str) -> bool {
    let (mut words, mut foreign, mut english) = (0_usize, 0_usize, 0_usize);
    for word in text.split_ascii_whitespace() {
        words += 1;
        match word.as_bytes() {
            b"the" | b"and" | b"of" | b"to" | b"is" | b"that" | b"it" | b"for" | b"with" | b"this"
            | b"are" => english += 1,
            b"der" | b"die" | b"das" | b"und" | b"den" | b"von" | b"ist" | b"mit" | b"le" | b"la"
            | b"les" | b"et" | b"des" | b"est" | b"une" | b"que" | b"el" | b"los" | b"del" | b"en" | b"y"
            | b"il" | b"di" | b"che" | b"per" | b"non" | b"os" | b"da" | b"do" | b"e" | b"em" | b"um"
            | b"het" | b"een" | b"van" | b"de" | b"op" | b"och" | b"att" | b"som" | b"det" | b"er"
            | b"og" | b"ikke" | b"w" | b"i" | b"na" | b"nie" | b"z" | b"se" | b"v" | b"ja" | b"ei"
            | b"oli" | b"az" | b"ve" | b"bir" | b"bu" | b"dan" | b"yang" | b"si" | b"cu" | b"c\xc3\xb3"
            | b"v\xc3\xa0" | b"l\xc3\xa0" | b"\xc5\x9fi" | b"je" => foreign += 1,
            _ => {}
        }
    }
    words >= 40 && foreign * 12 >= words && foreign > 2 * english
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
    Hebrew,
    Arabic,
    Devanagari,
    Thai,
    Hangul,
    /// Chinese and Japanese share their characters.
    Han,
}

const SCRIPTS: usize = Script::Han as usize + 1;

fn script(c: char) -> Option<Script> {
    Some(match c {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Script::Latin,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Greek,
        '\u{400}'..='\u{52f}' => Script::Cyrillic,
        '\u{590}'..='\u{5ff}' => Script::Hebrew,
        '\u{600}'..='\u{77f}' => Script::Arabic,
        '\u{900}'..='\u{97f}' => Script::Devanagari,
        '\u{e00}'..='\u{e7f}' => Script::Thai,
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}' => Script::Hangul,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{2ffff}' => Script::Han,
        _ => return None,
    })
}

/// What a language is written in; none where it may be several, or is not known.
fn script_of(primary: &str) -> Option<Script> {
    Some(match primary {
        "en" | "de" | "fr" | "es" | "it" | "pt" | "nl" | "pl" | "sv" | "da" | "no" | "nb" | "nn" | "fi"
        | "cs" | "sk" | "sl" | "hr" | "hu" | "ro" | "tr" | "vi" | "id" | "ca" | "et" | "lv" | "lt" | "is" => {
            Script::Latin
        }
        "ru" | "uk" | "bg" | "be" | "mk" => Script::Cyrillic,
        "el" => Script::Greek,
        "he" => Script::Hebrew,
        "ar" | "fa" | "ur" => Script::Arabic,
        "hi" | "mr" | "ne" => Script::Devanagari,
        "th" => Script::Thai,
        "ko" => Script::Hangul,
        "zh" | "ja" => Script::Han,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: &str = "The river rises on the plateau and flows to the west, past the old mill and the bridge that \
        was built when the road came. There are many fish in it, and those who know where to stand have been there \
        since the morning, with a flask and a chair and nothing else to do.";
    const GERMAN: &str = "Der Fluss entspringt auf der Hochebene und fließt nach Westen, vorbei an der alten Mühle und der \
        Brücke, die gebaut wurde, als die Straße kam. Es gibt viele Fische darin, und wer weiß, wo man stehen muss, ist \
        schon seit dem Morgen dort, mit einer Flasche und einem Stuhl und nichts anderem zu tun.";
    const RUSSIAN: &str = "Река начинается на плоскогорье и течёт на запад мимо старой мельницы и моста, который построили, \
        когда появилась дорога. В ней много рыбы, и те, кто знает место, стоят там с самого утра.";

    fn check(named: &str, text: &str, expected: Option<&str>) {
        assert_eq!(instead(named, text), expected, "for {named}: {text}");
    }

    #[test]
    fn a_page_is_believed_unless_its_text_speaks_against_it() {
        check("en", ENGLISH, None);
        check("en-US", GERMAN, Some("de"));
        check("en", RUSSIAN, Some("ru"));
        check("ru", ENGLISH, Some("en"));
        check("ja", GERMAN, Some("de"));
        check("de", GERMAN, None);
        // Near to each other, rare, or not known: their word counts.
        check("nl", GERMAN, None);
        check("sr", RUSSIAN, None);
        check("tlh", ENGLISH, None);
    }

    #[test]
    fn a_few_words_say_nothing() {
        check("en", "Привет, мир", None);
        check("ru", "Hello", None);
        check("en", "", None);
    }
}
