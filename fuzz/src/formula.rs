//! Formulas: the first line is the formula, the second the values of its variables, as text.

use rank::{Formula, Scratch};

use crate::first_line;

pub(crate) fn check(input: &[u8]) {
    let (formula, rest) = first_line(input);
    let text = String::from_utf8_lossy(formula);
    let known = |name: &str| matches!(name, "price" | "age" | "pagerank" | "x" | "y");
    let formula = match Formula::parse(&text, &known) {
        Ok(formula) => formula,
        Err(error) => {
            assert!(error.start <= error.end && error.end <= text.len(), "{error:?} of {}", text.len());
            assert!(!error.message.is_empty());
            return;
        }
    };
    let written = formula.to_string();
    let again = Formula::parse(&written, &known).expect("what is written is read");
    assert_eq!(again.to_string(), written);
    assert!(formula.names().iter().all(|name| known(name)), "{:?}", formula.names());
    let mut values = String::from_utf8_lossy(rest)
        .split_whitespace()
        .map(|word| word.parse().unwrap_or(f64::NAN))
        .collect::<Vec<f64>>();
    values.resize(formula.names().len(), 0.0);
    // What is no number is neutral, so that an order never has to compare one.
    let (value, other) = (formula.eval(&values, 7.5), formula.eval(&values, -7.5));
    assert!(value.is_finite() && (value == other || (value, other) == (7.5, -7.5)), "{text:?} is {value:?}");
    // Rows side by side have the values that they have alone.
    let columns: Vec<Vec<f64>> = values.iter().map(|value| vec![*value, f64::NAN, *value]).collect();
    let mut many = [0.0; 3];
    formula.eval_many(&columns, 7.5, &mut Scratch::default(), &mut many);
    let missing = vec![f64::NAN; values.len()];
    assert_eq!(many, [value, formula.eval(&missing, 7.5), value], "{text:?}");
}
