//! Licence expressions as crates write them: `(MIT OR Apache-2.0) AND ISC`, old ones with `/` for `OR`.
//!
//! Says whether an expression can be satisfied; which licences are allowed stands in `deny.toml`.

use std::iter::Peekable;

/// Whether `expression` holds when exactly the licences that `allowed` accepts may be used.
/// An exception is part of the name: `Apache-2.0 WITH LLVM-exception`.
pub(crate) fn satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> Result<bool, String> {
    let tokens = tokens(expression);
    let mut rest = tokens.iter().map(String::as_str).peekable();
    let result = any(&mut rest, allowed)?;
    match rest.next() {
        None => Ok(result),
        Some(token) => Err(format!("unexpected {token:?}")),
    }
}

fn tokens(expression: &str) -> Vec<String> {
    let mut spaced = expression.replace('/', " OR ");
    for bracket in ["(", ")"] {
        spaced = spaced.replace(bracket, &format!(" {bracket} "));
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// `all OR all OR …`
fn any<'a, I>(rest: &mut Peekable<I>, allowed: &dyn Fn(&str) -> bool) -> Result<bool, String>
where
    I: Iterator<Item = &'a str>,
{
    let mut result = all(rest, allowed)?;
    while rest.next_if_eq(&"OR").is_some() {
        result |= all(rest, allowed)?;
    }
    Ok(result)
}

/// `one AND one AND …`
fn all<'a, I>(rest: &mut Peekable<I>, allowed: &dyn Fn(&str) -> bool) -> Result<bool, String>
where
    I: Iterator<Item = &'a str>,
{
    let mut result = one(rest, allowed)?;
    while rest.next_if_eq(&"AND").is_some() {
        result &= one(rest, allowed)?;
    }
    Ok(result)
}

/// A licence, with its exception if it has one, or an expression in brackets.
fn one<'a, I>(rest: &mut Peekable<I>, allowed: &dyn Fn(&str) -> bool) -> Result<bool, String>
where
    I: Iterator<Item = &'a str>,
{
    match rest.next() {
        Some("(") => {
            let result = any(rest, allowed)?;
            match rest.next() {
                Some(")") => Ok(result),
                _ => Err("a bracket is not closed".to_owned()),
            }
        }
        Some(name) if !["OR", "AND", "WITH", ")"].contains(&name) => {
            if rest.next_if_eq(&"WITH").is_none() {
                return Ok(allowed(name));
            }
            let exception = rest.next().ok_or("WITH lacks its exception")?;
            Ok(allowed(&format!("{name} WITH {exception}")))
        }
        Some(token) => Err(format!("unexpected {token:?}")),
        None => Err("it ends too early".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judges an expression with MIT, ISC and one exception allowed.
    fn check(expression: &str, expected: Result<bool, &str>) {
        let allowed = |name: &str| ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].contains(&name);
        assert_eq!(satisfied(expression, &allowed), expected.map_err(str::to_owned), "{expression}");
    }

    #[test]
    fn one_of_several_is_enough_for_or() {
        check("MIT", Ok(true));
        check("AGPL-3.0", Ok(false));
        check("AGPL-3.0 OR MIT", Ok(true));
        check("Unlicense/MIT", Ok(true));
        check("Unlicense / Apache-2.0", Ok(false));
    }

    #[test]
    fn each_is_needed_for_and_which_binds_tighter() {
        check("MIT AND ISC", Ok(true));
        check("MIT AND GPL-2.0", Ok(false));
        check("MIT OR ISC AND GPL-2.0", Ok(true));
        check("(MIT OR ISC) AND GPL-2.0", Ok(false));
        check("(MIT OR GPL-2.0) AND ISC", Ok(true));
    }

    #[test]
    fn an_exception_is_part_of_the_name() {
        check("Apache-2.0", Ok(false));
        check("Apache-2.0 WITH LLVM-exception", Ok(true));
        check("MIT WITH LLVM-exception", Ok(false));
    }

    #[test]
    fn a_broken_expression_is_an_error() {
        check("", Err("it ends too early"));
        check("MIT OR", Err("it ends too early"));
        check("(MIT", Err("a bracket is not closed"));
        check("MIT ISC", Err("unexpected \"ISC\""));
        check("AND MIT", Err("unexpected \"AND\""));
        check("MIT WITH", Err("WITH lacks its exception"));
    }
}
