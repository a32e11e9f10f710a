//! Numbers and prices as people write them, by language or by their own form.

/// How a language writes numbers: what stands before the decimals, and what between thousands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decimal {
    /// `1,299.50`
    Point,
    /// `1.299,50`
    Comma,
}

/// Longest number, in characters.
const MAX_NUMBER: usize = 64;

/// Languages that write a point before the decimals; most others write a comma.
const POINT: [&str; 13] = ["en", "zh", "ja", "ko", "th", "he", "hi", "bn", "ms", "fa", "ga", "mt", "cy"];

impl Decimal {
    /// The habit of a language such as `de`, `en-GB`, `de-CH`.
    pub(crate) fn of(locale: &str) -> Decimal {
        let (language, region) = locale.split_once(['-', '_']).unwrap_or((locale, ""));
        let swiss = region.eq_ignore_ascii_case("CH") || region.eq_ignore_ascii_case("LI");
        let mexican = language.eq_ignore_ascii_case("es") && region.eq_ignore_ascii_case("MX");
        let point = POINT.iter().any(|known| language.eq_ignore_ascii_case(known));
        if point || swiss || mexican { Decimal::Point } else { Decimal::Comma }
    }
}

/// The first number of a text. Without a language its form decides; `1.299` then is a thousand in a price, which has
/// two decimals or none.
pub(crate) fn number(text: &str, decimal: Option<Decimal>, is_price: bool) -> Option<f64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let before = text[..start].trim_end_matches([' ', '\u{a0}']);
    let lone_sign = |sign: char| {
        let rest = before.strip_suffix(sign)?;
        // `HR-12` and `5-12` are no negative numbers.
        (!rest.ends_with(|c: char| c.is_alphanumeric())).then_some(())
    };
    let negative = ['-', '−', '–'].into_iter().any(|sign| lone_sign(sign).is_some());
    let leading_point = before.len() == start && before.ends_with(['.', ',']) && {
        let rest = &before[..before.len() - 1];
        !rest.ends_with(|c: char| c.is_alphanumeric())
    };
    let run = run_of(&text[start..]);
    let plain = if leading_point { format!("0.{}", digits(run)) } else { plain(run, decimal, is_price) };
    let number: f64 = plain.parse().ok()?;
    number.is_finite().then_some(if negative { -number } else { number })
}

/// Digits and what may stand between them; ends with a digit.
fn run_of(text: &str) -> &str {
    let mut end = 0;
    let mut chars = text.char_indices().take(MAX_NUMBER).peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_ascii_digit() {
            end = at + 1;
            continue;
        }
        let digit_follows = chars.peek().is_some_and(|(_, next)| next.is_ascii_digit());
        let separates = match c {
            '.' | ',' | '\'' | '’' => digit_follows,
            // A space separates thousands only: three digits, then none.
            ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' => {
                let rest = &text[at + c.len_utf8()..];
                rest.chars().take_while(char::is_ascii_digit).count() == 3
            }
            _ => false,
        };
        if !separates {
            break;
        }
    }
    &text[..end]
}

fn digits(run: &str) -> String {
    run.chars().filter(char::is_ascii_digit).collect()
}

/// The run as Rust reads numbers.
fn plain(run: &str, decimal: Option<Decimal>, is_price: bool) -> String {
    let mark = match decimal {
        Some(Decimal::Point) => Some('.'),
        Some(Decimal::Comma) => Some(','),
        None => guessed_mark(run, is_price),
    };
    let at = mark.and_then(|mark| run.rfind(mark).filter(|_| run.matches(mark).count() == 1));
    match at {
        Some(at) => format!("{}.{}", digits(&run[..at]), digits(&run[at..])),
        None => digits(run),
    }
}

fn guessed_mark(run: &str, is_price: bool) -> Option<char> {
    let (point, comma) = (run.rfind('.'), run.rfind(','));
    match (point, comma) {
        (Some(point), Some(comma)) => Some(if point > comma { '.' } else { ',' }),
        (Some(at), None) => {
            (!is_thousands(run, at) || !is_price && run.matches('.').count() == 1).then_some('.')
        }
        (None, Some(at)) => (!is_thousands(run, at)).then_some(','),
        (None, None) => None,
    }
}

/// True if the mark at this place stands between thousands: three digits after it, one to three before.
fn is_thousands(run: &str, at: usize) -> bool {
    let before = run[..at].trim_start_matches('0');
    run.len() - at - 1 == 3 && !before.is_empty()
}

/// The currency that a text names: a code, or a sign.
pub(crate) fn currency(text: &str) -> Option<&'static str> {
    let words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() == 3);
    let code = words.into_iter().find_map(|word| CODES.iter().find(|code| word.eq_ignore_ascii_case(code)));
    code.copied().or_else(|| SIGNS.iter().find(|(sign, _)| text.contains(sign)).map(|(_, code)| *code))
}

const CODES: [&str; 38] = [
    "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "AUD", "CAD", "NZD", "SEK", "NOK", "DKK", "ISK", "PLN", "CZK",
    "HUF", "RON", "BGN", "TRY", "RUB", "UAH", "INR", "BRL", "MXN", "ARS", "CLP", "COP", "ZAR", "KRW", "SGD",
    "HKD", "TWD", "THB", "IDR", "MYR", "ILS", "AED", "SAR",
];

/// Longer signs first: `US$` is not any dollar.
const SIGNS: [(&str, &str); 24] = [
    ("US$", "USD"),
    ("A$", "AUD"),
    ("AU$", "AUD"),
    ("CA$", "CAD"),
    ("C$", "CAD"),
    ("NZ$", "NZD"),
    ("HK$", "HKD"),
    ("S$", "SGD"),
    ("R$", "BRL"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("$", "USD"),
    ("¥", "JPY"),
    ("₹", "INR"),
    ("₽", "RUB"),
    ("₴", "UAH"),
    ("₺", "TRY"),
    ("₩", "KRW"),
    ("₪", "ILS"),
    ("zł", "PLN"),
    ("Kč", "CZK"),
    ("Ft", "HUF"),
    ("Fr.", "CHF"),
    ("SFr", "CHF"),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, locale: &str, expected: Option<f64>) {
        let decimal = (!locale.is_empty()).then(|| Decimal::of(locale));
        assert_eq!(number(text, decimal, false), expected, "{text:?} in {locale:?}");
    }

    fn check_price(text: &str, amount: f64, code: Option<&str>) {
        assert_eq!((number(text, None, true), currency(text)), (Some(amount), code), "{text:?}");
    }

    #[test]
    fn numbers_are_read_by_language() {
        check("1.299,50", "de", Some(1299.5));
        check("1.299", "de", Some(1299.0));
        check("1,299.50", "en", Some(1299.5));
        check("1,299", "en-GB", Some(1299.0));
        check("1'299.50", "de-CH", Some(1299.5));
        check("1 299,5", "fr", Some(1299.5));
        check("12,5 kg", "nl", Some(12.5));
    }

    #[test]
    fn numbers_are_read_by_their_form() {
        check("1.299,50", "", Some(1299.5));
        check("1,299.50", "", Some(1299.5));
        check("1.299.000", "", Some(1_299_000.0));
        check("4.125", "", Some(4.125));
        check("1,299", "", Some(1299.0));
        check("0,125", "", Some(0.125));
        check("12,5", "", Some(12.5));
        check("1 299 000 people", "", Some(1_299_000.0));
        check("In stock (14 pieces)", "", Some(14.0));
        check("4.5 of 5 from 12 reviews", "", Some(4.5));
        check("-15%", "", Some(-15.0));
        check("− 3 °C", "", Some(-3.0));
        check("HR-12", "", Some(12.0));
        check("Page 3.", "", Some(3.0));
        check(".5", "", Some(0.5));
        check("2026, 2027", "", Some(2026.0));
        check("none", "", None);
    }

    #[test]
    fn prices_have_amount_and_currency() {
        check_price("€ 1.299,00", 1299.0, Some("EUR"));
        check_price("1.299 €", 1299.0, Some("EUR"));
        check_price("EUR 49.90", 49.9, Some("EUR"));
        check_price("$1,299.00", 1299.0, Some("USD"));
        check_price("US$ 5", 5.0, Some("USD"));
        check_price("C$5", 5.0, Some("CAD"));
        check_price("£12", 12.0, Some("GBP"));
        check_price("CHF 1'299.00", 1299.0, Some("CHF"));
        check_price("12,–", 12.0, None);
        check_price("249 zł", 249.0, Some("PLN"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "\\PC*", comma: bool) {
            let decimal = if comma { Decimal::Comma } else { Decimal::Point };
            let _ = (number(&text, Some(decimal), true), number(&text, None, false), currency(&text));
        }

        #[test]
        fn a_number_in_words_is_found(whole in 0u32..1_000_000, cents in 0u32..100) {
            let expected: f64 = format!("{whole}.{cents:02}").parse().unwrap();
            prop_assert_eq!(number(&format!("only {whole}.{cents:02} today"), None, false), Some(expected));
            prop_assert_eq!(number(&format!("nur {whole},{cents:02} heute"), Some(Decimal::Comma), true), Some(expected));
        }
    }
}
