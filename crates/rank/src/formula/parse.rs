//! From text to a tree, with the place of every mistake; and from a tree to text.

use std::fmt;

use super::FormulaError;

/// Longer formulas are a mistake, and a tree of so many characters fits on any stack.
const LONGEST: usize = 2000;
const DEEPEST: usize = 50;

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

const OTHER_NAMES: [&str; 6] = ["and", "or", "not", "pi", "e", "has"];

/// How tight operators bind.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const SIGN: u8 = 7;
const POWER: u8 = 8;
const VALUE: u8 = 9;

pub(super) fn parse(text: &str, known: &dyn Fn(&str) -> bool) -> Result<Expression, FormulaError> {
    if text.len() > LONGEST {
        let message = format!("a formula has at most {LONGEST} bytes, this one has {}", text.len());
        return Err(FormulaError { message, start: text.floor_char_boundary(LONGEST), end: text.len() });
    }
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens, at: 0, depth: 0, known };
    let expression = parser.expression(OR)?;
    match parser.token() {
        Token { kind: Kind::End, .. } => Ok(expression),
        Token { kind: Kind::Sign(")"), start, end } => Err(error("no ( belongs to this )", *start, *end)),
        token => Err(error(
            format!("expected an operator such as + or *, found {}", token.kind),
            token.start,
            token.end,
        )),
    }
}

struct Token {
    kind: Kind,
    start: usize,
    end: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Number(f64),
    Name(String),
    Quoted(String),
    Sign(&'static str),
    End,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Number(number) => write!(f, "the number {number}"),
            Kind::Name(name) | Kind::Quoted(name) => write!(f, "the name {name}"),
            Kind::Sign(sign) => write!(f, "{sign}"),
            Kind::End => f.write_str("the end"),
        }
    }
}

/// Longer signs first.
const SIGNS: [&str; 18] =
    ["<=", ">=", "==", "!=", "<>", "&&", "||", "<", ">", "=", "+", "-", "*", "/", "%", "^", "(", ")"];

fn tokens(text: &str) -> Result<Vec<Token>, FormulaError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at;
        let kind = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if c.is_ascii_digit() || c == '.' && rest[1..].starts_with(|next: char| next.is_ascii_digit())
        {
            at += number_length(rest);
            let number: f64 = text[start..at].parse().map_err(|_| error("this is no number", start, at))?;
            if !number.is_finite() {
                return Err(error("this number is too large", start, at));
            }
            Kind::Number(number)
        } else if begins_name(c) {
            at += rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
            Kind::Name(text[start..at].to_owned())
        } else if c == '`' {
            let Some(length) = rest[1..].find('`').filter(|&length| length > 0) else {
                return Err(error("a name in backticks ends with a backtick", start, text.len()));
            };
            at += length + 2;
            Kind::Quoted(rest[1..=length].to_owned())
        } else if c == ',' {
            at += 1;
            Kind::Sign(",")
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            at += sign.len();
            Kind::Sign(sign)
        } else {
            at += c.len_utf8();
            let message = match c {
                '"' | '\'' => "a formula computes with numbers; texts cannot be compared".to_owned(),
                _ => format!("{c:?} means nothing in a formula"),
            };
            return Err(error(message, start, at));
        };
        tokens.push(Token { kind, start, end: at });
    }
    tokens.push(Token { kind: Kind::End, start: text.len(), end: text.len() });
    Ok(tokens)
}

fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

fn number_length(text: &str) -> usize {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits(0);
    if text[length..].starts_with('.') {
        length += 1 + digits(length + 1);
    }
    if text[length..].starts_with(['e', 'E']) {
        let sign = usize::from(text[length + 1..].starts_with(['+', '-']));
        let power = digits(length + 1 + sign);
        if power > 0 {
            length += 1 + sign + power;
        }
    }
    length
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    known: &'a dyn Fn(&str) -> bool,
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn next(&mut self) -> (Kind, usize, usize) {
        let token = &self.tokens[self.at];
        let next = (token.kind.clone(), token.start, token.end);
        if token.kind != Kind::End {
            self.at += 1;
        }
        next
    }

    fn takes(&mut self, sign: &str) -> bool {
        let takes = matches!(&self.token().kind, Kind::Sign(found) if *found == sign);
        if takes {
            self.at += 1;
        }
        takes
    }

    /// What follows, as long as its operators bind at least as tight as `least`.
    fn expression(&mut self, least: u8) -> Result<Expression, FormulaError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let (_, start, end) = self.next();
            return Err(error(format!("more than {DEEPEST} levels within each other"), start, end));
        }
        let mut left = self.first()?;
        let mut compared = false;
        while let Some((operator, tightness)) = self.operator() {
            if tightness < least {
                break;
            }
            let (_, start, end) = self.next();
            if tightness == COMPARISON && std::mem::replace(&mut compared, true) {
                return Err(error("compare two values at a time: a < b and b < c", start, end));
            }
            // ^ binds to the right, and its exponent may have a sign.
            let right = self.expression(if tightness == POWER { SIGN } else { tightness + 1 })?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operator(&self) -> Option<(Binary, u8)> {
        Some(match &self.token().kind {
            Kind::Name(name) if name.eq_ignore_ascii_case("or") => (Binary::Or, OR),
            Kind::Name(name) if name.eq_ignore_ascii_case("and") => (Binary::And, AND),
            Kind::Sign(sign) => match *sign {
                "||" => (Binary::Or, OR),
                "&&" => (Binary::And, AND),
                "<" => (Binary::Less, COMPARISON),
                "<=" => (Binary::LessOrEqual, COMPARISON),
                ">" => (Binary::More, COMPARISON),
                ">=" => (Binary::MoreOrEqual, COMPARISON),
                "=" | "==" => (Binary::Equal, COMPARISON),
                "!=" | "<>" => (Binary::Different, COMPARISON),
                "+" => (Binary::Plus, SUM),
                "-" => (Binary::Minus, SUM),
                "*" => (Binary::Times, PRODUCT),
                "/" => (Binary::By, PRODUCT),
                "%" => (Binary::Modulo, PRODUCT),
                "^" => (Binary::Power, POWER),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn first(&mut self) -> Result<Expression, FormulaError> {
        let (kind, start, end) = self.next();
        match kind {
            Kind::Number(number) => Ok(Expression::Number(number)),
            Kind::Sign("-") => Ok(Expression::Negative(Box::new(self.expression(SIGN)?))),
            Kind::Sign("+") => self.expression(SIGN),
            Kind::Sign("(") => {
                let inner = self.expression(OR)?;
                self.close(start)?;
                Ok(inner)
            }
            Kind::Quoted(name) => self.variable(name, start, end),
            Kind::Name(name) => self.named(name, start, end),
            Kind::End if start == 0 => Err(error("the formula is empty", start, end)),
            kind => Err(error(format!("expected a number, a name or (, found {kind}"), start, end)),
        }
    }

    fn named(&mut self, name: String, start: usize, end: usize) -> Result<Expression, FormulaError> {
        let lower = name.to_ascii_lowercase();
        match lower.as_str() {
            "pi" => return Ok(Expression::Pi),
            "e" => return Ok(Expression::E),
            "not" => return Ok(Expression::Not(Box::new(self.expression(NOT)?))),
            "and" | "or" => {
                return Err(error(format!("expected a number, a name or ( before {lower}"), start, end));
            }
            "has" => return self.has(start, end),
            _ => {}
        }
        let function = FUNCTIONS.iter().find(|function| function.1 == lower);
        let is_call = self.token().kind == Kind::Sign("(");
        match function {
            Some(function) if is_call => self.call(function, start),
            Some((_, _, _, _, usage)) if !(self.known)(&name) => {
                Err(error(format!("{lower} is a function: {usage}"), start, end))
            }
            None if is_call && !(self.known)(&name) => {
                let names = FUNCTIONS.iter().map(|function| function.1).chain(OTHER_NAMES);
                let near = names.into_iter().find(|known| edits_of(&lower).any(|edit| edit == **known));
                Err(error(with_nearest(format!("unknown function {name}"), near), start, end))
            }
            _ => self.variable(name, start, end),
        }
    }

    fn variable(&mut self, name: String, start: usize, end: usize) -> Result<Expression, FormulaError> {
        if (self.known)(&name) {
            return Ok(Expression::Variable(name));
        }
        let lower = name.to_lowercase();
        let near = std::iter::once(lower.clone())
            .chain(edits_of(&name))
            .chain(edits_of(&lower))
            .find(|edit| !edit.is_empty() && (self.known)(edit));
        Err(error(with_nearest(format!("unknown name {name}"), near.as_deref()), start, end))
    }

    fn has(&mut self, start: usize, end: usize) -> Result<Expression, FormulaError> {
        let wrong = |start, end| error("has takes the name of one variable: has(price)", start, end);
        if !self.takes("(") {
            return Err(wrong(start, end));
        }
        let (kind, name_start, name_end) = self.next();
        let (Kind::Name(name) | Kind::Quoted(name)) = kind else { return Err(wrong(name_start, name_end)) };
        self.variable(name.clone(), name_start, name_end)?;
        if !self.takes(")") {
            let (_, start, end) = self.next();
            return Err(wrong(start, end));
        }
        Ok(Expression::Has(name))
    }

    fn call(
        &mut self,
        &(function, name, least, most, usage): &(Function, &str, usize, usize, &str),
        start: usize,
    ) -> Result<Expression, FormulaError> {
        let (_, opening, _) = self.next();
        let mut arguments = Vec::new();
        if !self.takes(")") {
            loop {
                arguments.push(self.expression(OR)?);
                if !self.takes(",") {
                    break;
                }
            }
            self.close(opening)?;
        }
        if arguments.len() < least || arguments.len() > most {
            let end = self.tokens[self.at - 1].end;
            return Err(error(
                format!("{name} with {} values; it is called as {usage}", arguments.len()),
                start,
                end,
            ));
        }
        Ok(Expression::Call(function, arguments))
    }

    fn close(&mut self, opening: usize) -> Result<(), FormulaError> {
        if self.takes(")") {
            return Ok(());
        }
        match self.next() {
            (Kind::End, ..) => Err(error("no ) belongs to this (", opening, opening + 1)),
            (kind, start, end) => Err(error(format!("expected an operator or ), found {kind}"), start, end)),
        }
    }
}

fn error(message: impl Into<String>, start: usize, end: usize) -> FormulaError {
    FormulaError { message: message.into(), start, end }
}

fn with_nearest(message: String, near: Option<&str>) -> String {
    near.map_or(message.clone(), |near| format!("{message}; did you mean {near}?"))
}

/// Every text that is one edit away: we are only told which names there are when we ask for one.
fn edits_of(name: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = name.chars().take(40).collect();
    let alphabet: Vec<char> = ('a'..='z').chain('0'..='9').chain(['_', '.']).collect();
    let joined = |parts: [&[char]; 3]| parts.into_iter().flatten().collect::<String>();
    let mut edits = Vec::new();
    for at in 0..=letters.len() {
        let (before, after) = letters.split_at(at);
        if let [_, rest @ ..] = after {
            edits.push(joined([before, &[], rest]));
            edits.extend(alphabet.iter().map(|&c| joined([before, &[c], rest])));
        }
        if let [first, second, rest @ ..] = after {
            edits.push(joined([before, &[*second, *first], rest]));
        }
        edits.extend(alphabet.iter().map(|&c| joined([before, &[c], after])));
    }
    edits.into_iter()
}

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

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    let lower = name.to_ascii_lowercase();
    let is_ours = OTHER_NAMES.contains(&lower.as_str()) || FUNCTIONS.iter().any(|known| known.1 == lower);
    let is_plain = name.starts_with(begins_name) && name.chars().all(continues_name) && !is_ours;
    if is_plain { f.write_str(name) } else { write!(f, "`{name}`") }
}
