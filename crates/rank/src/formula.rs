//! The user's formula: arithmetic over the numbers of a row, such as `log(1 + reviews)`. Checked once, with the place
//! of every mistake, then computed for many rows. It can do nothing but compute, and always gives a number.
//!
//! From loose to tight: `or`, `and`, `not`, comparison (`< <= > >= = !=`, giving 1 or 0), `+ -`, `* / %`, unary minus,
//! `^` (to the right). Functions: `log` (natural), `log2`, `log10`, `exp`, `sqrt`, `abs`, `floor`, `ceil`, `min` and
//! `max` of any number of values, `if(condition, then, else)`, `clamp(x, low, high)`, `has(name)`: whether a row has
//! that number, `default(x, y)`: y where x has no value. Constants: `pi`, `e`. A name that is none of ours is a
//! variable; one that is no plain word stands in backticks.
//!
//! A missing variable has no value, and neither has what is computed from it.

mod expression;
mod parse;
mod program;

use std::fmt;

use self::expression::Expression;
use self::program::{LANES, Program, Stack};

/// A formula that can be computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    expression: Expression,
    names: Vec<String>,
    program: Program,
}

/// What is wrong with a formula, and which bytes of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("formula, character {character}: {message}")]
pub struct FormulaError {
    /// What is wrong and what would be right.
    pub message: String,
    /// The first character of the mistake, from 1.
    pub character: usize,
    /// Its first byte.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
}

/// What many computations share.
#[derive(Debug, Default)]
pub struct Scratch(Stack);

impl Formula {
    /// Reads a formula. `known` says which variables there are.
    pub fn parse(text: &str, known: &dyn Fn(&str) -> bool) -> Result<Formula, FormulaError> {
        let expression = parse::parse(text, known).map_err(|error| FormulaError {
            character: text[..text.floor_char_boundary(error.start)].chars().count() + 1,
            ..error
        })?;
        let mut names = Vec::new();
        let program = Program::new(&expression, &mut names);
        Ok(Formula { expression, names, program })
    }

    /// The variables, in the order in which [`Formula::eval`] takes their values.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The value for the given variables; NaN stands for one that is missing. Where there is no value, or none that
    /// a score can hold, `neutral`: 0 where the formula is added, 1 where it is multiplied.
    pub fn eval(&self, vars: &[f64], neutral: f64) -> f64 {
        let columns: Vec<Vec<f64>> = vars.iter().map(|value| vec![*value]).collect();
        let mut value = [neutral];
        self.eval_many(&columns, neutral, &mut Scratch::default(), &mut value);
        value[0]
    }

    /// The same for many rows: a column for each variable, as long as `out`.
    pub fn eval_many(&self, columns: &[Vec<f64>], neutral: f64, scratch: &mut Scratch, out: &mut [f64]) {
        /// Beyond this a sum of scores would no longer tell one row from another.
        const LARGEST: f64 = 1e30;
        for (number, out) in out.chunks_mut(LANES).enumerate() {
            let values = self.program.run(columns, number * LANES, out.len(), &mut scratch.0);
            for (out, value) in out.iter_mut().zip(values) {
                *out = if value.abs() <= LARGEST { *value } else { neutral };
            }
        }
    }

    /// The variables with their values; NaN for one that is missing.
    pub fn explain(&self, vars: &[f64]) -> Vec<(String, f64)> {
        self.names
            .iter()
            .enumerate()
            .map(|(slot, name)| (name.clone(), vars.get(slot).copied().unwrap_or(f64::NAN)))
            .collect()
    }
}

impl fmt::Display for Formula {
    /// The formula with only the parentheses it needs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expression.fmt(f)
    }
}

#[cfg(test)]
mod tests;
