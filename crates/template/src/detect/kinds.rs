//! What kind of thing a column holds, told from its values.

use model::FieldKind;

use super::leaves::{Column, Part};

/// Most values must agree; a shop writes "on request" now and then.
const MOST: f64 = 0.8;

pub(super) fn guess(column: &Column) -> FieldKind {
    match column.part {
        Part::Attribute("href") => return FieldKind::Link,
        Part::Attribute("src" | "data-src") => return FieldKind::Image,
        Part::Attribute("datetime") => return FieldKind::Date,
        _ => {}
    }
    let share = |is: fn(&str) -> bool| {
        let (all, those) =
            column.all_values().fold((0, 0), |(all, those), value| (all + 1, those + usize::from(is(value))));
        all > 0 && those as f64 >= MOST * f64::from(all)
    };
    if share(is_price) {
        FieldKind::Price
    } else if share(is_number) {
        FieldKind::Number
    } else if share(is_date) {
        FieldKind::Date
    } else {
        FieldKind::Text
    }
}

fn is_price(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let marked = text.chars().any(|c| "€$£¥₹₽₩₺₴₪฿₫".contains(c))
        || text.split(|c: char| !c.is_alphabetic()).any(|word| CURRENCIES.contains(&word));
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    marked && digits > 0 && letters <= 12 && text.chars().count() <= 30
}

const CURRENCIES: [&str; 22] = [
    "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RUB", "INR", "BRL",
    "CAD", "AUD", "TRY", "kr", "zł", "Kč", "Fr",
];

fn is_number(text: &str) -> bool {
    let text = text
        .trim()
        .trim_start_matches(['+', '-', '−', '(', '~', '≈'])
        .trim_end_matches(['%', ')', '+'])
        .trim();
    let plain = text
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | ' ' | '\u{a0}' | '\u{202f}' | '\''));
    plain
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.len() <= 20
        && text.matches('.').count() <= 3
}

fn is_date(text: &str) -> bool {
    if text.chars().count() > 40 {
        return false;
    }
    let numbers: Vec<&str> =
        text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    let is_year = |part: &str| part.len() == 4 && (part.starts_with("19") || part.starts_with("20"));
    let year = numbers.iter().any(|part| is_year(part));
    let month_named = text
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| word.chars().count() >= 3)
        .any(|word| MONTHS.contains(&word.to_lowercase().chars().take(3).collect::<String>().as_str()));
    let only_digits = text.chars().all(|c| c.is_ascii_digit() || " -./:TZ+,".contains(c));
    year && ((month_named && numbers.len() >= 2) || (only_digits && numbers.len() >= 3))
}

/// The first three letters of the months in the languages of most pages.
const MONTHS: [&str; 34] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mär", "mai", "okt",
    "dez", "ene", "abr", "ago", "dic", "fév", "fev", "avr", "jui", "aoû", "déc", "gen", "mag", "giu", "lug",
    "set", "ott", "maj", "out",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_have_a_currency_and_dates_a_year() {
        for price in ["€ 12.50", "$1,200", "12,50 €", "CHF 3.-", "from 199 kr"] {
            assert!(is_price(price), "{price}");
        }
        for no_price in ["12.50", "costs € as people say", "CHF"] {
            assert!(!is_price(no_price), "{no_price}");
        }
        for date in [
            "2026-11-15",
            "15.11.2026",
            "3 May 2026",
            "November 15, 2026",
            "15. März 2026",
            "2026-11-15T10:00Z",
        ] {
            assert!(is_date(date), "{date}");
        }
        for no_date in ["2026", "May", "model 2026 b", "12.50"] {
            assert!(!is_date(no_date), "{no_date}");
        }
        for number in ["12", "1,200", "4.5", "+3 %", "(12)"] {
            assert!(is_number(number), "{number}");
        }
        for no_number in ["12 items", "", "a1", "."] {
            assert!(!is_number(no_number), "{no_number}");
        }
    }
}
