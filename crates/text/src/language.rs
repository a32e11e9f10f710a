//! Languages: which codes there are, and which language a text is in.

use frostem::{Algorithm, Stemmer};
use whatlang::Lang;

/// So much of a text is looked at: more changes no guess.
const LOOKED_AT: usize = 4096;
/// Fewer letters than this say nothing about their language.
const FEWEST_LETTERS: usize = 20;
/// A script of syllables or words says as much with fewer characters.
const FEWEST_WIDE_LETTERS: usize = 6;

/// A guess at the language of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Language {
    /// ISO 639-1, where the language has such a code; else ISO 639-3.
    pub code: &'static str,
    /// From 0 to 1.
    pub confidence: f64,
}

/// The language a text is in, or none if it is too short or the guess too unsure. Looks at the first 4 KiB.
pub fn language(text: &str) -> Option<Language> {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    // Of most pages there is nothing but ASCII, which is told byte by byte.
    let others = if text.is_ascii() { "" } else { text };
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count()
        + others.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count();
    let wide = others.chars().filter(|&c| crate::cut::is_unspaced(c)).count();
    if letters < FEWEST_LETTERS && wide < FEWEST_WIDE_LETTERS {
        return None;
    }
    if let Some(confidence) = is_english(text) {
        return Some(Language { code: "en", confidence });
    }
    let info = whatlang::detect(text)?;
    info.is_reliable().then(|| Language { code: short_code(info.lang()), confidence: info.confidence() })
}

/// English by its small words, which no other language has together: most pages are told at a hundredth of the cost of
/// comparing profiles. How sure, or none if it may be another language.
fn is_english(text: &str) -> Option<f64> {
    let (mut words, mut english, mut articles) = (0_usize, 0_usize, 0_usize);
    for word in text.split_ascii_whitespace() {
        words += 1;
        match word {
            "the" | "The" => articles += 1,
            "and" | "that" | "this" | "This" | "with" | "which" | "from" | "have" | "been" | "their"
            | "they" | "would" | "where" | "there" | "when" | "your" | "you" | "into" | "other" | "are"
            | "by" | "not" | "if" | "If" | "will" | "can" | "has" | "its" | "or" | "was" | "be" | "must"
            | "should" | "may" | "any" | "each" | "an" | "it" | "It" | "only" | "used" | "These"
            | "these" | "than" | "then" | "such" | "what" | "how" => english += 1,
            _ => {}
        }
    }
    let small = articles + english;
    let enough = words >= 40 && articles * 100 >= words && small * 9 >= words;
    // One word in six is as much as prose has.
    enough.then(|| (small as f64 * 6.0 / words as f64).min(1.0))
}

/// The code as we keep it (`en` for `EN` and `en-GB`), if we know the language.
pub(crate) fn known(code: &str) -> Option<String> {
    let primary = code.split(['-', '_']).next().unwrap_or(code).to_ascii_lowercase();
    let primary = if primary == "nb" || primary == "nn" { "no".to_owned() } else { primary };
    let known = primary.len() == 2
        && (Algorithm::from_name(&primary).is_ok()
            || Lang::all().iter().any(|&language| short_code(language) == primary));
    known.then_some(primary)
}

/// The stemmer of a known language; some have none.
pub(crate) fn stemmer(code: &str) -> Option<Stemmer> {
    Algorithm::from_name(code).ok().map(Stemmer::new)
}

fn short_code(language: Lang) -> &'static str {
    match language {
        Lang::Epo => "eo",
        Lang::Eng => "en",
        Lang::Rus => "ru",
        Lang::Cmn => "zh",
        Lang::Spa => "es",
        Lang::Por => "pt",
        Lang::Ita => "it",
        Lang::Ben => "bn",
        Lang::Fra => "fr",
        Lang::Deu => "de",
        Lang::Ukr => "uk",
        Lang::Kat => "ka",
        Lang::Ara => "ar",
        Lang::Hin => "hi",
        Lang::Jpn => "ja",
        Lang::Heb => "he",
        Lang::Yid => "yi",
        Lang::Pol => "pl",
        Lang::Amh => "am",
        Lang::Jav => "jv",
        Lang::Kor => "ko",
        Lang::Nob => "no",
        Lang::Dan => "da",
        Lang::Swe => "sv",
        Lang::Fin => "fi",
        Lang::Tur => "tr",
        Lang::Nld => "nl",
        Lang::Hun => "hu",
        Lang::Ces => "cs",
        Lang::Ell => "el",
        Lang::Bul => "bg",
        Lang::Bel => "be",
        Lang::Mar => "mr",
        Lang::Kan => "kn",
        Lang::Ron => "ro",
        Lang::Slv => "sl",
        Lang::Hrv => "hr",
        Lang::Srp => "sr",
        Lang::Mkd => "mk",
        Lang::Lit => "lt",
        Lang::Lav => "lv",
        Lang::Est => "et",
        Lang::Tam => "ta",
        Lang::Vie => "vi",
        Lang::Urd => "ur",
        Lang::Tha => "th",
        Lang::Guj => "gu",
        Lang::Uzb => "uz",
        Lang::Pan => "pa",
        Lang::Aze => "az",
        Lang::Ind => "id",
        Lang::Tel => "te",
        Lang::Pes => "fa",
        Lang::Mal => "ml",
        Lang::Ori => "or",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Sin => "si",
        Lang::Khm => "km",
        Lang::Tuk => "tk",
        Lang::Aka => "ak",
        Lang::Zul => "zu",
        Lang::Sna => "sn",
        Lang::Afr => "af",
        Lang::Lat => "la",
        Lang::Slk => "sk",
        Lang::Cat => "ca",
        Lang::Tgl => "tl",
        Lang::Hye => "hy",
        Lang::Cym => "cy",
        #[allow(unreachable_patterns, reason = "a later version may know more languages")]
        other => other.code(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(language(text).map(|found| found.code), expected, "{text}");
    }

    #[test]
    fn the_language_of_prose_is_found() {
        check(
            "The gannets came back to the cliffs in the first week of spring and everybody went to watch them.",
            Some("en"),
        );
        check(
            "Die Vögel kehrten im Frühling auf die Klippen zurück, und alle gingen hinaus, um ihnen zuzusehen.",
            Some("de"),
        );
        check(
            "Les oiseaux sont revenus sur les falaises au printemps et tout le monde est sorti pour les regarder.",
            Some("fr"),
        );
        check(
            "Птицы вернулись на скалы весной, и все вышли посмотреть на них с высокого берега моря.",
            Some("ru"),
        );
        check("鳥たちは春に崖に戻ってきました。", Some("ja"));
    }

    #[test]
    fn small_words_tell_english_and_only_english() {
        let english = "The colony stood on the rock above the sea, and when the wind came from the north the birds that \
            had been on the ledges went out with it. This is where they fish, and there is no other place in the bay \
            from which you would see them dive into the water with such force.";
        assert!(is_english(english).is_some_and(|confidence| confidence > 0.9));
        check(english, Some("en"));
        let german = "Die Kolonie stand auf dem Felsen über dem Meer, und wenn der Wind aus Norden kam, flogen die Vögel, \
            die auf den Simsen gesessen hatten, mit ihm hinaus. Hier fischen sie, und es gibt in der ganzen Bucht keinen \
            anderen Ort, von dem aus man sie mit solcher Wucht ins Wasser stürzen sieht. Das Lied heißt \"The Sea and the Wind\".";
        assert_eq!(is_english(german), None);
        check(german, Some("de"));
        assert_eq!(is_english("the and that this with"), None, "too short");
    }

    #[test]
    fn too_little_text_has_no_language() {
        check("", None);
        check("gannet", None);
        check("12345 67890 12345 67890 12345 67890", None);
    }

    #[test]
    fn codes_are_known_in_any_form() {
        for (written, kept) in
            [("en", Some("en")), ("EN-gb", Some("en")), ("nb", Some("no")), ("zh", Some("zh")), ("xx", None)]
        {
            assert_eq!(known(written).as_deref(), kept, "{written}");
        }
        assert_eq!(known("porter"), None);
        assert_eq!(known(""), None);
    }
}
