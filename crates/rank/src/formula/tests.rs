//! What formulas give, which are refused, and that none can do harm.

use proptest::prelude::*;

use super::expression::{Binary, FUNCTIONS, Function};
use super::*;

fn formula(text: &str) -> Formula {
    let known = |name: &str| ["x", "y", "price", "reviews", "page rank", "Größe", "min"].contains(&name);
    Formula::parse(text, &known).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// With x = 3, y missing, price = 10, reviews = 0; a result that is none is -1.
fn check(text: &str, expected: f64) {
    let formula = formula(text);
    let vars: Vec<f64> = formula
        .names()
        .iter()
        .map(|name| match name.as_str() {
            "x" => 3.0,
            "price" => 10.0,
            "reviews" => 0.0,
            "page rank" | "Größe" | "min" => 7.0,
            _ => f64::NAN,
        })
        .collect();
    let value = formula.eval(&vars, -1.0);
    assert!((value - expected).abs() < 1e-12, "{text} = {value}, not {expected}");
}

fn check_error(text: &str, message: &str, start: usize, end: usize) {
    let known = |name: &str| ["price", "reviews", "Größe"].contains(&name);
    let error = Formula::parse(text, &known).expect_err(text);
    assert_eq!((error.message.as_str(), error.start, error.end), (message, start, end), "{text}");
}

#[test]
fn arithmetic_is_that_of_school() {
    check("1 + 2 * 3", 7.0);
    check("(1 + 2) * 3", 9.0);
    check("10 - 4 - 3", 3.0);
    check("2 ^ 3 ^ 2", 512.0);
    check("-2 ^ 2", -4.0);
    check("2 ^ -1", 0.5);
    check("7 % 4", 3.0);
    check("-x + +x", 0.0);
    check(".5 + 1.5e2 + 1E-1", 150.6);
    check("2*pi - e", 2.0 * std::f64::consts::PI - std::f64::consts::E);
}

#[test]
fn comparisons_and_logic_give_1_or_0() {
    check("1 < 2", 1.0);
    check("2 <= 1 or 3 != 3", 0.0);
    check("not 1 = 2 and 2 > 1", 1.0);
    check("NOT 0 OR 0", 1.0);
    check("1 && 0 || 1", 1.0);
    check("(1 < 2) * 5", 5.0);
}

#[test]
fn functions_do_what_their_names_say() {
    check("log(e) + log2(8) + log10(100)", 6.0);
    check("exp(0) + sqrt(9) + abs(-2) + floor(1.9) + ceil(1.1)", 9.0);
    check("min(3, 1, 2) + max(5) + MAX(1, 9, 4)", 15.0);
    check("if(x > 2, 10, 20)", 10.0);
    check("clamp(5, 0, 1) + clamp(-5, 0, 1) + clamp(0.5, 0, 1)", 1.5);
    check("log(1 + reviews)", 0.0);
    check("`page rank` + Größe + min", 21.0);
}

#[test]
fn what_has_no_value_is_neutral() {
    for text in [
        "1 / reviews",
        "log(reviews)",
        "log(-1)",
        "sqrt(-1)",
        "0 / 0",
        "exp(1000)",
        "1e300 * 1e300",
        "1e31",
        "y",
        "y > 1",
        "not y",
        "y or 1",
        "min(y, 1)",
        "max(1, y)",
        "if(y, 1, 2)",
        "clamp(y, 0, 1)",
        "1 ^ y",
        "y ^ 0",
        "x % 0",
    ] {
        check(text, -1.0);
    }
    check("1 / (1 + exp(1000))", 0.0);
}

#[test]
fn missing_values_can_be_asked_for() {
    check("has(y) + has(x)", 1.0);
    check("if(has(y), y, 5)", 5.0);
    check("default(y, 4) + default(x, 4)", 7.0);
    check("default(1 / reviews, 2)", 2.0);
    assert_eq!(formula("x + y").eval(&[], 1.0), 1.0);
}

#[test]
fn variables_are_loaded_by_slot() {
    let formula = formula("x + price * x + has(y)");
    assert_eq!(formula.names(), ["x", "price", "y"]);
    assert_eq!(formula.eval(&[2.0, 3.0, 0.5], 0.0), 9.0);
    let explained = formula.explain(&[2.0, 3.0]);
    assert_eq!(explained[..2], [("x".to_owned(), 2.0), ("price".to_owned(), 3.0)]);
    assert!(explained[2].1.is_nan());
}

#[test]
fn mistakes_are_pointed_at() {
    check_error("", "the formula is empty", 0, 0);
    check_error("1 +", "expected a number, a name or (, found the end", 3, 3);
    check_error("pirce * 2", "unknown name pirce; did you mean price?", 0, 5);
    check_error("2 * Price", "unknown name Price; did you mean price?", 4, 9);
    check_error("größe", "unknown name größe", 0, 7);
    check_error("lgo(2)", "unknown function lgo; did you mean log?", 0, 3);
    check_error("log", "log is a function: log(x)", 0, 3);
    check_error("if(1, 2)", "if with 2 values; it is called as if(condition, then, else)", 0, 8);
    check_error("min()", "min with 0 values; it is called as min(x, y, …)", 0, 5);
    check_error("(1 + 2", "no ) belongs to this (", 0, 1);
    check_error("1 + 2)", "no ( belongs to this )", 5, 6);
    check_error("1 2", "expected an operator such as + or *, found the number 2", 2, 3);
    check_error("1 < 2 < 3", "compare two values at a time: a < b and b < c", 6, 7);
    check_error("price $ 2", "'$' means nothing in a formula", 6, 7);
    check_error("price = \"a\"", "a formula computes with numbers; texts cannot be compared", 8, 9);
    check_error("has(1)", "has takes the name of one variable: has(price)", 4, 5);
    check_error("1e999", "this number is too large", 0, 5);
    check_error("`price", "a name in backticks ends with a backtick", 0, 6);
    check_error("and 1", "expected a number, a name or ( before and", 0, 3);
    assert_eq!(
        Formula::parse("1 +", &|_| false).expect_err("cut off").to_string(),
        "formula, character 4: expected a number, a name or (, found the end"
    );
}

#[test]
fn a_mistake_is_told_by_its_character_not_its_byte() {
    let check = |formula: &str, character: usize| {
        let error = Formula::parse(formula, &|name| name == "größe").expect_err("a mistake");
        assert_eq!(error.character, character, "{formula}: {error}");
        assert!(error.to_string().starts_with(&format!("formula, character {character}: ")), "{error}");
        assert_eq!(formula[..error.start].chars().count() + 1, character, "{formula}");
    };
    check("1 $", 3);
    check("größe $ 2", 7);
    check("`größe` + `größe` $", 19);
    check("größe +", 8);
    check("€", 1);
}

#[test]
fn size_and_depth_have_limits() {
    let long = format!("1{}", "+1".repeat(1000));
    assert_eq!(Formula::parse(&long, &|_| true).expect_err("long").start, 2000);
    let deep = format!("{}1{}", "(".repeat(51), ")".repeat(51));
    assert!(Formula::parse(&deep, &|_| true).expect_err("deep").message.contains("levels"));
    let chain = format!("1{}", "+1".repeat(999));
    assert_eq!(Formula::parse(&chain, &|_| true).expect("long enough").eval(&[], 0.0), 1000.0);
    // Every level that keeps two values waiting for a third, as deep as it goes.
    let most = format!("{}1{}", "if(1,1+1*".repeat(12), ",1)".repeat(12));
    assert!(Formula::parse(&most, &|_| true).expect("deep enough").eval(&[], 0.0) >= 2.0);
}

/// The plain meaning, by walking the tree.
fn naive(expression: &Expression, var: &dyn Fn(&str) -> f64) -> f64 {
    let none = f64::NAN;
    let flag = |is: bool| if is { 1.0 } else { 0.0 };
    match expression {
        Expression::Number(number) => *number,
        Expression::Pi => std::f64::consts::PI,
        Expression::E => std::f64::consts::E,
        Expression::Variable(name) => var(name),
        Expression::Has(name) => flag(var(name).is_finite()),
        Expression::Negative(inner) => 0.0 - naive(inner, var),
        Expression::Not(inner) => match naive(inner, var) {
            value if value.is_nan() => none,
            value => flag(value == 0.0),
        },
        Expression::Binary(operator, left, right) => {
            let (left, right) = (naive(left, var), naive(right, var));
            if left.is_nan() || right.is_nan() {
                return none;
            }
            match operator {
                Binary::Or => flag(left != 0.0 || right != 0.0),
                Binary::And => flag(left != 0.0 && right != 0.0),
                Binary::Less => flag(left < right),
                Binary::LessOrEqual => flag(left <= right),
                Binary::More => flag(left > right),
                Binary::MoreOrEqual => flag(left >= right),
                Binary::Equal => flag(left == right),
                Binary::Different => flag(left != right),
                Binary::Plus => left + right,
                Binary::Minus => left - right,
                Binary::Times => left * right,
                Binary::By => left / right,
                Binary::Modulo => left % right,
                Binary::Power => left.powf(right),
            }
        }
        Expression::Call(function, arguments) => {
            let values: Vec<f64> = arguments.iter().map(|argument| naive(argument, var)).collect();
            let missing = values.iter().any(|value| value.is_nan());
            match function {
                Function::If if values[0].is_nan() => none,
                Function::If => values[if values[0] == 0.0 { 2 } else { 1 }],
                Function::Default => values[usize::from(!values[0].is_finite())],
                _ if missing => none,
                Function::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
                Function::Max => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                Function::Clamp => values[0].max(values[1]).min(values[2]),
                Function::Log => values[0].ln(),
                Function::Log2 => values[0].log2(),
                Function::Log10 => values[0].log10(),
                Function::Exp => values[0].exp(),
                Function::Sqrt => values[0].sqrt(),
                Function::Abs => values[0].abs(),
                Function::Floor => values[0].floor(),
                Function::Ceil => values[0].ceil(),
            }
        }
    }
}

fn expressions() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        (0.0..1e20f64).prop_map(Expression::Number),
        (0u8..5).prop_map(|number| Expression::Number(number.into())),
        Just(Expression::Pi),
        Just(Expression::E),
        "[xyz]|page rank|and|ü1".prop_map(Expression::Variable),
        "[xyz]".prop_map(Expression::Has),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let binary = prop::sample::select(vec![
            Binary::Or,
            Binary::And,
            Binary::Less,
            Binary::LessOrEqual,
            Binary::More,
            Binary::MoreOrEqual,
            Binary::Equal,
            Binary::Different,
            Binary::Plus,
            Binary::Minus,
            Binary::Times,
            Binary::By,
            Binary::Modulo,
            Binary::Power,
        ]);
        prop_oneof![
            inner.clone().prop_map(|inner| Expression::Negative(Box::new(inner))),
            inner.clone().prop_map(|inner| Expression::Not(Box::new(inner))),
            (binary, inner.clone(), inner.clone()).prop_map(|(operator, left, right)| Expression::Binary(
                operator,
                Box::new(left),
                Box::new(right)
            )),
            (prop::sample::select(FUNCTIONS.to_vec()), prop::collection::vec(inner, 4)).prop_map(
                |((function, _, least, most, _), mut arguments)| {
                    arguments.truncate(if most == usize::MAX { 4 } else { least });
                    Expression::Call(function, arguments)
                }
            ),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(expression in expressions()) {
        let text = expression.to_string();
        prop_assume!(text.len() <= 2000);
        let formula = Formula::parse(&text, &|_| true).unwrap_or_else(|error| panic!("{text}: {error}"));
        prop_assert_eq!(&formula.expression, &expression, "{}", text);
        prop_assert_eq!(formula.to_string(), text);
    }

    #[test]
    fn the_program_agrees_with_the_tree(
        expression in expressions(),
        rows in prop::collection::vec((-9.0..9.0, prop::num::f64::ANY), 1..150),
    ) {
        let text = expression.to_string();
        prop_assume!(text.len() <= 2000);
        let formula = Formula::parse(&text, &|_| true).expect("well formed");
        let var = |name: &str, (x, y): (f64, f64)| match name { "x" => x, "y" => y, "z" => f64::NAN, _ => 2.0 };
        let column = |name: &String| rows.iter().map(|row| var(name, *row)).collect();
        let columns: Vec<Vec<f64>> = formula.names().iter().map(column).collect();
        let mut values = vec![0.0; rows.len()];
        formula.eval_many(&columns, -7.5, &mut Scratch::default(), &mut values);
        for (row, value) in rows.iter().zip(values) {
            let expected = naive(&expression, &|name| var(name, *row));
            let expected = if expected.abs() <= 1e30 { expected } else { -7.5 };
            prop_assert!(value == expected, "{}: {} or {}", text, value, expected);
        }
    }

    #[test]
    fn no_text_does_harm(text in any::<String>()) {
        if let Err(error) = Formula::parse(&text, &|name| name == "x") {
            prop_assert!(text.get(error.start..error.end).is_some(), "{:?} in {:?}", error, text);
        }
    }

    #[test]
    fn no_text_of_our_signs_does_harm(text in "([-+*/%^()<>=!,`.| ]|[0-9e]|min|if|has|not |and |or |x){0,30}") {
        match Formula::parse(&text, &|name| name == "x") {
            Ok(formula) => prop_assert!(formula.eval(&[1.5], 0.0).is_finite()),
            Err(error) => prop_assert!(text.get(error.start..error.end).is_some()),
        }
    }
}
