//! Numbers and their texts.

/// The number that a text says: blanks, a minus, digits with or without a point, blanks; else not a number.
pub(super) fn to_number(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let written = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    // Rust reads more than XPath does: signs, exponents, names.
    if written { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// The text of a number: whole ones without point, others with 15 significant digits, as lxml writes them.
pub(super) fn to_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if number.fract() == 0.0 {
        // Zero has no sign.
        return format!("{}", number + 0.0);
    }
    let before_point = number.abs().log10().floor() as i32;
    let digits = usize::try_from(14 - before_point).unwrap_or(0);
    let text = format!("{number:.digits$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The nearest whole number; halves go up.
pub(super) fn round(number: f64) -> f64 {
    // From -0.5 to 0 the result is minus zero, which adding would lose.
    if (-0.5..0.0).contains(&number) { -0.0 } else { (number + 0.5).floor() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_numbers() {
        fn check(text: &str, expected: Option<f64>) {
            assert_eq!(Some(to_number(text)).filter(|number| !number.is_nan()), expected, "{text:?}");
        }
        check("12", Some(12.0));
        check(" -1.50\n", Some(-1.5));
        check(".5", Some(0.5));
        check("5.", Some(5.0));
        for other in
            ["", " ", ".", "-", "+1", "1e3", "1 2", "1.2.3", "--1", "0x10", "inf", "NaN", "\u{a0}1", "١"]
        {
            check(other, None);
        }
    }

    #[test]
    fn numbers_are_written_as_texts() {
        fn check(number: f64, expected: &str) {
            assert_eq!(to_text(number), expected);
        }
        check(0.0, "0");
        check(-0.0, "0");
        check(3.0, "3");
        check(-1.5, "-1.5");
        check(0.1 + 0.2, "0.3");
        check(1.0 / 3.0, "0.333333333333333");
        check(200.0 / 3.0, "66.6666666666667");
        check(123_456_789.123_456_79, "123456789.123457");
        check(0.00001234, "0.00001234");
        check(1e21, "1000000000000000000000");
        check(f64::NAN, "NaN");
        check(f64::NEG_INFINITY, "-Infinity");
    }

    #[test]
    fn halves_are_rounded_up() {
        fn check(number: f64, expected: f64) {
            assert_eq!(round(number).to_bits(), expected.to_bits(), "{number}");
        }
        check(2.5, 3.0);
        check(-2.5, -2.0);
        check(-0.4, -0.0);
        check(-0.5, -0.0);
        check(0.4, 0.0);
        check(f64::INFINITY, f64::INFINITY);
    }
}
