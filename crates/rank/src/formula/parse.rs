//! From text to a tree, with the place of every mistake.

use std::fmt;

use super::FormulaError;
use super::expression::{
    AND, Binary, COMPARISON, Expression, FUNCTIONS, Function, NOT, OR, OTHER_NAMES, POWER, PRODUCT, SIGN,
    SUM, begins_name, continues_name,
};

/// Longer formulas are a mistake, and a tree of so many characters fits on any stack.
const LONGEST: usize = 2000;
const DEEPEST: usize = 50;

pub(super) fn parse(text: &str, known: &dyn Fn(&str) -> bool) -> Result<Expression, FormulaError> {
    if text.len() > LONGEST {
        let message = format!("a formula has at most {LONGEST} bytes, this one has {}", text.len());
        return Err(error(message, text.floor_char_boundary(LONGEST), text.len()));
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
    // The character is counted where the text is at hand.
    FormulaError { message: message.into(), character: 0, start, end }
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
