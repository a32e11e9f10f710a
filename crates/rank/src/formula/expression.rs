//! A formula as a tree, and from a tree to text.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Number(f64),
    Pi,
    E,
    Variable(String),
    Has(String),
    Negative(Box<Expression>),
    Not(Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    Call(Function, Vec<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Or,
    And,
    Less,
    LessOrEqual,
    More,
    MoreOrEqual,
    Equal,
    Different,
    Plus,
    Minus,
    Times,
    By,
    Modulo,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Log,
    Log2,
    Log10,
    Exp,
    Sqrt,
    Abs,
    Floor,
    Ceil,
    Min,
    Max,
    If,
    Clamp,
    Default,
}

/// Name, how many arguments at least, at most, and how it is called.
pub(super) const FUNCTIONS: [(Function, &str, usize, usize, &str); 13] = [
    (Function::Log, "log", 1, 1, "log(x)"),
    (Function::Log2, "log2", 1, 1, "log2(x)"),
    (Function::Log10, "log10", 1, 1, "log10(x)"),
    (Function::Exp, "exp", 1, 1, "exp(x)"),
    (Function::Sqrt, "sqrt", 1, 1, "sqrt(x)"),
    (Function::Abs, "abs", 1, 1, "abs(x)"),
    (Function::Floor, "floor", 1, 1, "floor(x)"),
    (Function::Ceil, "ceil", 1, 1, "ceil(x)"),
    (Function::Min, "min", 1, usize::MAX, "min(x, y, …)"),
    (Function::Max, "max", 1, usize::MAX, "max(x, y, …)"),
    (Function::If, "if", 3, 3, "if(condition, then, else)"),
    (Function::Clamp, "clamp", 3, 3, "clamp(x, low, high)"),
    (Function::Default, "default", 2, 2, "default(x, y)"),
];

pub(super) const OTHER_NAMES: [&str; 6] = ["and", "or", "not", "pi", "e", "has"];

/// How tight operators bind.
pub(super) const OR: u8 = 1;
pub(super) const AND: u8 = 2;
pub(super) const NOT: u8 = 3;
pub(super) const COMPARISON: u8 = 4;
pub(super) const SUM: u8 = 5;
pub(super) const PRODUCT: u8 = 6;
pub(super) const SIGN: u8 = 7;
pub(super) const POWER: u8 = 8;
pub(super) const VALUE: u8 = 9;

impl Binary {
    pub(super) fn sign(self) -> (&'static str, u8) {
        match self {
            Binary::Or => ("or", OR),
            Binary::And => ("and", AND),
            Binary::Less => ("<", COMPARISON),
            Binary::LessOrEqual => ("<=", COMPARISON),
            Binary::More => (">", COMPARISON),
            Binary::MoreOrEqual => (">=", COMPARISON),
            Binary::Equal => ("=", COMPARISON),
            Binary::Different => ("!=", COMPARISON),
            Binary::Plus => ("+", SUM),
            Binary::Minus => ("-", SUM),
            Binary::Times => ("*", PRODUCT),
            Binary::By => ("/", PRODUCT),
            Binary::Modulo => ("%", PRODUCT),
            Binary::Power => ("^", POWER),
        }
    }
}

impl Expression {
    fn tightness(&self) -> u8 {
        match self {
            Expression::Binary(operator, ..) => operator.sign().1,
            Expression::Negative(_) => SIGN,
            Expression::Not(_) => NOT,
            _ => VALUE,
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, least: u8) -> fmt::Result {
        if self.tightness() < least { write!(f, "({self})") } else { write!(f, "{self}") }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Number(number) if *number != 0.0 && !(1e-6..1e15).contains(number) => {
                write!(f, "{number:e}")
            }
            Expression::Number(number) => write!(f, "{number}"),
            Expression::Pi => f.write_str("pi"),
            Expression::E => f.write_str("e"),
            Expression::Variable(name) => write_name(f, name),
            Expression::Has(name) => {
                f.write_str("has(")?;
                write_name(f, name)?;
                f.write_str(")")
            }
            Expression::Negative(inner) => {
                f.write_str("-")?;
                inner.write(f, SIGN)
            }
            Expression::Not(inner) => {
                f.write_str("not ")?;
                inner.write(f, NOT)
            }
            Expression::Binary(operator, left, right) => {
                let (sign, tightness) = operator.sign();
                // Only ^ goes to the right; a comparison has no side that may hold another.
                let (least_left, least_right) = match tightness {
                    POWER => (VALUE, SIGN),
                    COMPARISON => (SUM, SUM),
                    _ => (tightness, tightness + 1),
                };
                left.write(f, least_left)?;
                write!(f, " {sign} ")?;
                right.write(f, least_right)
            }
            Expression::Call(function, arguments) => {
                let name = FUNCTIONS.iter().find(|known| known.0 == *function).map_or("", |known| known.1);
                write!(f, "{name}(")?;
                for (index, argument) in arguments.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{argument}")?;
                }
                f.write_str(")")
            }
        }
    }
}

pub(super) fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

pub(super) fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    let lower = name.to_ascii_lowercase();
    let is_ours = OTHER_NAMES.contains(&lower.as_str()) || FUNCTIONS.iter().any(|known| known.1 == lower);
    let is_plain = name.starts_with(begins_name) && name.chars().all(continues_name) && !is_ours;
    if is_plain { f.write_str(name) } else { write!(f, "`{name}`") }
}
