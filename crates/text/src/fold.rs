//! Folding: letters that people take for the same become the same. Accents go, ß becomes ss, ligatures and
//! full-width letters become plain ones, vowel points of Arabic and Hebrew go. Letters that only look accented
//! (й, voiced kana) and the vowel signs of Indian scripts stay.

use unicode_normalization::UnicodeNormalization;

/// The folded form of a text. Case stays.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut folded = String::with_capacity(text.len());
    // Composed first, so that a letter that stays is found however it was written.
    for c in text.nfc() {
        match c {
            'й' | 'Й' => folded.push(c),
            'ß' => folded.push_str("ss"),
            'ẞ' => folded.push_str("SS"),
            'æ' | 'ǽ' => folded.push_str("ae"),
            'Æ' | 'Ǽ' => folded.push_str("AE"),
            'œ' => folded.push_str("oe"),
            'Œ' => folded.push_str("OE"),
            'ø' | 'ǿ' => folded.push('o'),
            'Ø' | 'Ǿ' => folded.push('O'),
            'đ' | 'ð' => folded.push('d'),
            'Đ' | 'Ð' => folded.push('D'),
            'þ' => folded.push_str("th"),
            'Þ' => folded.push_str("TH"),
            'ł' => folded.push('l'),
            'Ł' => folded.push('L'),
            'ħ' => folded.push('h'),
            'Ħ' => folded.push('H'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            '’' | '‘' | '＇' => folded.push('\''),
            '\u{0640}' => {}
            _ if c.is_ascii() => folded.push(c),
            _ => folded.extend(std::iter::once(c).nfkd().filter(|&d| !is_accent(d)).nfc()),
        }
    }
    folded
}

fn is_accent(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036f}' | '\u{0591}'..='\u{05c7}' | '\u{064b}'..='\u{065f}' | '\u{0670}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_look_the_same_are_the_same() {
        for (text, expected) in [
            ("Café", "Cafe"),
            ("cafe\u{301}", "cafe"),
            ("Straße", "Strasse"),
            ("œuvre", "oeuvre"),
            ("ﬁnal", "final"),
            ("ＡＢＣ１", "ABC1"),
            ("Łódź", "Lodz"),
            ("ёлка", "елка"),
            ("каждый", "каждый"),
            ("ガラス", "ガラス"),
            ("한국어", "한국어"),
            ("हिन्दी", "हिन्दी"),
            ("λόγος", "λογοσ"),
        ] {
            assert_eq!(fold(text), expected, "{text}");
        }
        assert_eq!(fold("и\u{306}"), "й");
    }
}
