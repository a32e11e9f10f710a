//! From tokens to a query: one function for each line of the grammar.

use super::lexer::{Kind, Token, tokens};
use super::{Demand, Filter, Form, LONGEST, MOST_NESTED, Node, Options, Query, QueryError};

/// Reads a query. What cannot be understood is said with its place; a text without words asks for everything.
pub fn parse(text: &str, options: &Options) -> Result<Query, QueryError> {
    let length = text.chars().count();
    if length > LONGEST {
        let message = format!("the query has {length} characters; at most {LONGEST} are read");
        return Err(QueryError { position: LONGEST, message });
    }
    let tokens = tokens(text, options);
    let mut parser = Parser { tokens: &tokens, at: 0, nested: 0, length, options };
    if tokens.is_empty() {
        return Ok(Query { node: Node::Everything, span: 0..length });
    }
    if matches!(&tokens[..], [Token { kind: Kind::Word(word), .. }] if word == "*") {
        return Ok(Query { node: Node::Everything, span: 0..length });
    }
    let query = parser.loose()?;
    match parser.peek() {
        None => Ok(query),
        Some(Token { kind: Kind::Close, span, .. }) => {
            Err(error(span.start, "this ) closes nothing; remove it or put a ( before"))
        }
        Some(token) => Err(error(token.span.start, "this was not expected here")),
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    nested: usize,
    length: usize,
    options: &'t Options,
}

type Parsed = Result<Query, QueryError>;

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn or(&mut self) -> Parsed {
        self.chain(&Kind::Or, "OR", Node::Or, Parser::xor)
    }

    fn xor(&mut self) -> Parsed {
        self.chain(&Kind::Xor, "XOR", Node::Xor, Parser::and)
    }

    fn and(&mut self) -> Parsed {
        self.chain(&Kind::And, "AND", Node::And, Parser::near)
    }

    fn chain(
        &mut self,
        operator: &Kind,
        name: &str,
        join: fn(Vec<Query>) -> Node,
        next: fn(&mut Self) -> Parsed,
    ) -> Parsed {
        let mut parts = vec![next(self)?];
        while self.peek().is_some_and(|token| token.kind == *operator) {
            self.after(name)?;
            parts.push(next(self)?);
        }
        Ok(joined(parts, join))
    }

    fn near(&mut self) -> Parsed {
        let mut left = self.unary()?;
        while let Some(&Token { kind: Kind::Near(distance), .. }) = self.peek() {
            let operator = self.after("NEAR")?;
            let right = self.unary()?;
            for side in [&left, &right] {
                if !can_be_near(&side.node) {
                    let message = "NEAR needs a word, a phrase, or several joined by OR on both sides";
                    return Err(error(operator, message));
                }
            }
            let span = left.span.start..right.span.end;
            let node = Node::Near { left: Box::new(left), right: Box::new(right), distance };
            left = Query { node, span };
        }
        Ok(left)
    }

    /// Steps over an operator, after which something must follow.
    fn after(&mut self, name: &str) -> Result<usize, QueryError> {
        let place = self.take().map_or(self.length, |token| token.span.start);
        match self.peek() {
            None => Err(error(place, &format!("{name} needs something after it"))),
            Some(_) => Ok(place),
        }
    }

    fn loose(&mut self) -> Parsed {
        let mut parts: Vec<(Demand, Query)> = Vec::new();
        while self.peek().is_some_and(|token| token.kind != Kind::Close) {
            parts.push(self.demanded()?);
        }
        let Some((_, first)) = parts.first() else { return Err(self.nothing_here()) };
        let span = first.span.start..parts.last().map_or(first.span.end, |(_, last)| last.span.end);
        if let [(Demand::May, _)] = parts[..] {
            return parts.pop().map(|(_, only)| only).ok_or_else(|| self.nothing_here());
        }
        Ok(Query { node: Node::Loose(parts), span })
    }

    /// One part and its sign. A sign belongs to the part alone: next to an operator it is read by `unary`.
    fn demanded(&mut self) -> Result<(Demand, Query), QueryError> {
        let start = self.at;
        let demand = match self.peek().map(|token| &token.kind) {
            Some(Kind::Plus) => Demand::Must,
            Some(Kind::Minus) => Demand::MustNot,
            _ => return Ok((Demand::May, self.or()?)),
        };
        let sign = self.take().map_or(0, |token| token.span.start);
        let mut query = self.unary()?;
        if self
            .peek()
            .is_some_and(|token| matches!(token.kind, Kind::And | Kind::Or | Kind::Xor | Kind::Near(_)))
        {
            self.at = start;
            return Ok((Demand::May, self.or()?));
        }
        query.span.start = sign;
        Ok((demand, query))
    }

    fn nothing_here(&self) -> QueryError {
        match self.peek() {
            None => error(self.length, "something is missing at the end"),
            Some(Token { kind: Kind::Close, span, .. }) if self.nested > 0 => {
                error(span.start, "there is nothing inside these parentheses")
            }
            Some(Token { kind: Kind::Close, span, .. }) => {
                error(span.start, "this ) closes nothing; remove it or put a ( before")
            }
            Some(token) => error(
                token.span.start,
                "this operator needs something before it; put quotes around it to search for the word",
            ),
        }
    }

    fn unary(&mut self) -> Parsed {
        let start = match self.peek().map(|token| &token.kind) {
            Some(Kind::Not) => self.after("NOT")?,
            Some(Kind::Minus) => self.after("-")?,
            Some(Kind::Plus) => {
                self.after("+")?;
                return self.primary();
            }
            _ => return self.primary(),
        };
        self.deeper(start)?;
        let inner = self.unary()?;
        self.nested -= 1;
        let span = start..inner.span.end;
        Ok(Query { node: Node::Not(Box::new(inner)), span })
    }

    fn primary(&mut self) -> Parsed {
        let nothing = self.nothing_here();
        let Some(token) = self.take() else { return Err(nothing) };
        let span = token.span.clone();
        match token.kind {
            Kind::Open => self.group(span.start),
            Kind::Quoted(text) => Ok(Query { node: Node::Phrase { field: None, text }, span }),
            Kind::Word(word) => Ok(Query { node: with_form(None, &word, span.start)?, span }),
            Kind::Field(name) => self.in_field(&name, span.start),
            _ => Err(nothing),
        }
    }

    fn group(&mut self, start: usize) -> Parsed {
        self.deeper(start)?;
        let mut inner = self.loose()?;
        self.nested -= 1;
        match self.take() {
            Some(Token { kind: Kind::Close, span, .. }) => {
                inner.span = start..span.end;
                Ok(inner)
            }
            _ => Err(error(start, "this ( is never closed")),
        }
    }

    fn in_field(&mut self, name: &str, start: usize) -> Parsed {
        let next = self.peek().filter(|token| !token.apart && token.kind != Kind::Close);
        let Some(token) = next.cloned() else {
            let what =
                Filter::of(name).map_or_else(|| format!("{name}:word"), |filter| example(filter).to_owned());
            let message = format!("{name}: needs something right after the colon, as in {what}");
            return Err(error(start, &message));
        };
        self.at += 1;
        let span = start..token.span.end;
        if let Some(filter) = Filter::of(name) {
            return match token.kind {
                Kind::Word(value) | Kind::Quoted(value) => {
                    Ok(Query { node: Node::Filter { filter, value }, span })
                }
                _ => Err(error(
                    token.span.start,
                    &format!("{name}: needs a value, such as {}", example(filter)),
                )),
            };
        }
        let field = self.known(name);
        let node = match token.kind {
            Kind::Quoted(text) => Node::Phrase { field: Some(field), text },
            Kind::Word(word) => match range(&word) {
                Some((from, to, open)) => Node::Span { field, from, to, open },
                None => with_form(Some(field), &word, token.span.start)?,
            },
            Kind::Open => {
                let inner = self.group(token.span.start)?;
                let span = start..inner.span.end;
                return Ok(Query { node: put_in_field(inner, &field).node, span });
            }
            _ => return Err(error(token.span.start, &format!("{name}: needs a word, a phrase or a range"))),
        };
        Ok(Query { node, span })
    }

    /// The field as the index writes it.
    fn known(&self, name: &str) -> String {
        let own = self.options.fields.iter().find(|known| known.eq_ignore_ascii_case(name));
        own.cloned().unwrap_or_else(|| name.to_ascii_lowercase())
    }

    fn deeper(&mut self, place: usize) -> Result<(), QueryError> {
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err(error(place, &format!("more than {MOST_NESTED} levels of parentheses or NOT")));
        }
        Ok(())
    }
}

fn error(position: usize, message: &str) -> QueryError {
    QueryError { position, message: message.to_owned() }
}

fn joined(mut parts: Vec<Query>, join: fn(Vec<Query>) -> Node) -> Query {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let span = parts[0].span.start..parts[parts.len() - 1].span.end;
    Query { node: join(parts), span }
}

fn can_be_near(node: &Node) -> bool {
    match node {
        Node::Word { .. } | Node::Phrase { .. } | Node::Near { .. } => true,
        Node::Or(parts) => parts.iter().all(|part| can_be_near(&part.node)),
        Node::Loose(parts) => {
            parts.iter().all(|(demand, part)| *demand == Demand::May && can_be_near(&part.node))
        }
        _ => false,
    }
}

fn with_form(field: Option<String>, word: &str, start: usize) -> Result<Node, QueryError> {
    let form = |text: &str, form| Ok(Node::Word { field: field.clone(), text: text.to_owned(), form });
    if word.chars().all(|c| c == '*') {
        return Err(error(start, "* needs the beginning of a word before it; alone it finds everything"));
    }
    if let Some(place) = stands_for_letters(word) {
        let message = "* stands for letters only at the end of a word, and ? nowhere: \
                       write te* for words that begin so, or tent~ for words near to it";
        return Err(error(start + place, message));
    }
    if let Some(text) = word.strip_suffix('*').filter(|text| is_worded(text)) {
        return form(text, Form::Prefix);
    }
    if let Some((text, distance)) = word.rsplit_once('~').filter(|(text, _)| is_worded(text)) {
        match distance {
            "" => return form(text, Form::Fuzzy(None)),
            "1" | "2" => return form(text, Form::Fuzzy(distance.parse().ok())),
            _ if distance.bytes().all(|byte| byte.is_ascii_digit()) => {
                let message = format!("words can be 1 or 2 letters away: write {text}~2");
                return Err(error(start + text.chars().count(), &message));
            }
            _ => {}
        }
    }
    form(word, Form::Exact)
}

/// Where in a word, of nothing but letters and such signs, * or ? seems to stand for letters within it.
fn stands_for_letters(word: &str) -> Option<usize> {
    let is_sign = |c: char| matches!(c, '*' | '?');
    let is_pattern = word.chars().any(char::is_alphabetic)
        && word.chars().all(|c| is_sign(c) || c.is_alphanumeric())
        && !word.ends_with('?');
    let place = word.chars().position(is_sign).filter(|_| is_pattern)?;
    word.chars().skip(place).any(char::is_alphanumeric).then_some(place)
}

fn is_worded(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric) && !text.ends_with(['*', '~'])
}

/// `10..50`, `..50`, `10..`, `>10`, `<=50`: the ends as typed, and whether they are left out.
fn range(word: &str) -> Option<(Option<String>, Option<String>, bool)> {
    let end = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    if let Some((from, to)) = word.split_once("..") {
        let (from, to) = (end(from), end(to));
        return (from.is_some() || to.is_some()).then_some((from, to, false));
    }
    let above = |rest: &str, open| end(rest).map(|end| (Some(end), None, open));
    let below = |rest: &str, open| end(rest).map(|end| (None, Some(end), open));
    match word.as_bytes() {
        [b'>', b'=', ..] => above(&word[2..], false),
        [b'>', ..] => above(&word[1..], true),
        [b'<', b'=', ..] => below(&word[2..], false),
        [b'<', ..] => below(&word[1..], true),
        _ => None,
    }
}

/// `title:(a OR b)`: every word inside that names no field of its own is meant there.
fn put_in_field(mut query: Query, name: &str) -> Query {
    query.node = match query.node {
        Node::Word { field: None, text, form } => Node::Word { field: Some(name.to_owned()), text, form },
        Node::Phrase { field: None, text } => Node::Phrase { field: Some(name.to_owned()), text },
        Node::And(parts) => Node::And(each(parts, name)),
        Node::Or(parts) => Node::Or(each(parts, name)),
        Node::Xor(parts) => Node::Xor(each(parts, name)),
        Node::Not(inner) => Node::Not(Box::new(put_in_field(*inner, name))),
        Node::Near { left, right, distance } => Node::Near {
            left: Box::new(put_in_field(*left, name)),
            right: Box::new(put_in_field(*right, name)),
            distance,
        },
        Node::Loose(parts) => {
            Node::Loose(parts.into_iter().map(|(demand, part)| (demand, put_in_field(part, name))).collect())
        }
        other => other,
    };
    query
}

fn each(parts: Vec<Query>, name: &str) -> Vec<Query> {
    parts.into_iter().map(|part| put_in_field(part, name)).collect()
}

fn example(filter: Filter) -> &'static str {
    match filter {
        Filter::Site => "site:example.org",
        Filter::FileType => "filetype:pdf",
        Filter::Language => "lang:de",
        Filter::Before => "before:2026-01-31",
        Filter::After => "after:2025",
    }
}

#[cfg(test)]
mod tests;
