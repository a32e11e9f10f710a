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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn options() -> Options {
        Options { fields: vec!["price".to_owned(), "Brand".to_owned()], lower_case_operators: false }
    }

    /// A query as nested lists, so that a test shows how it was understood.
    fn shape(query: &Query) -> String {
        let list = |name: &str, parts: &[Query]| {
            format!("({name} {})", parts.iter().map(shape).collect::<Vec<_>>().join(" "))
        };
        match &query.node {
            Node::And(parts) => list("and", parts),
            Node::Or(parts) => list("or", parts),
            Node::Xor(parts) => list("xor", parts),
            Node::Not(inner) => format!("(not {})", shape(inner)),
            Node::Near { left, right, distance } => {
                format!("(near{distance} {} {})", shape(left), shape(right))
            }
            Node::Loose(parts) => {
                let sign = |demand: &Demand| match demand {
                    Demand::May => "",
                    Demand::Must => "+",
                    Demand::MustNot => "-",
                };
                let parts: Vec<String> =
                    parts.iter().map(|(demand, part)| format!("{}{}", sign(demand), shape(part))).collect();
                format!("(any {})", parts.join(" "))
            }
            _ => query.to_string(),
        }
    }

    fn check(text: &str, expected: &str) {
        let query = parse(text, &options()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(shape(&query), expected, "{text:?}");
    }

    fn refused(text: &str, position: usize, part: &str) {
        let error = parse(text, &options()).expect_err(text);
        assert_eq!(error.position, position, "{text:?}: {error}");
        assert!(error.message.contains(part), "{text:?}: {error}");
    }

    #[test]
    fn operators_bind_not_before_near_before_and_before_xor_before_or() {
        check("a AND b OR c", "(or (and a b) c)");
        check("a OR b AND c", "(or a (and b c))");
        check("a XOR b AND c", "(xor a (and b c))");
        check("a XOR b OR c XOR d", "(or (xor a b) (xor c d))");
        check("a AND b NEAR c", "(and a (near10 b c))");
        check("NOT a AND b", "(and (not a) b)");
        check("NOT (a NEAR/3 b) XOR NOT c", "(xor (not (near3 a b)) (not c))");
    }

    #[test]
    fn equal_operators_join_from_the_left() {
        check("a AND b AND c", "(and a b c)");
        check("a NEAR b NEAR/2 c", "(near2 (near10 a b) c)");
        check("(a XOR b) XOR c", "(xor (xor a b) c)");
    }

    #[test]
    fn words_side_by_side_bind_weakest() {
        check("a b", "(any a b)");
        check("a b AND c", "(any a (and b c))");
        check("a b OR c", "(any a (or b c))");
        check("(a b) AND c", "(and (any a b) c)");
        check("single", "single");
        check("  ", "");
    }

    #[test]
    fn signs_demand_and_forbid() {
        check("+a -b c", "(any +a -b c)");
        check("-site:x.org rust", "(any -site:x.org rust)");
        check("-(a b) c", "(any -(any a b) c)");
        check("+\"a b\" c", "(any +\"a b\" c)");
        check("-a", "(any -a)");
        check("-a AND b", "(and (not a) b)");
        check("a AND -b", "(and a (not b))");
        check("well-known c++ - x", "(any well-known c++ - x)");
        check("a -b OR c", "(any a (or (not b) c))");
    }

    #[test]
    fn fields_filters_and_ranges() {
        check("title:rust", "title:rust");
        check("brand:\"old tent\"", "Brand:\"old tent\"");
        check("title:(a OR b)", "(or title:a title:b)");
        check("price:10..50 price:..5 price:7..", "(any price:10..50 price:..5 price:7..)");
        check("price:>10 price:<=5", "(any price:>10 price:..5)");
        check("site:example.org filetype:pdf lang:de", "(any site:example.org filetype:pdf lang:de)");
        check("before:2026-01-31 after:2025", "(any before:2026-01-31 after:2025)");
        check("10:30 re:start http://x.org/", "(any 10:30 re:start http://x.org/)");
        check("10: a http: b", "(any 10: a http: b)");
    }

    #[test]
    fn words_may_be_prefixes_or_near_misses() {
        check("jav* pyhton~ colour~2", "(any jav* pyhton~ colour~2)");
        let form = |text: &str| match parse(text, &options()).expect(text).node {
            Node::Word { form, .. } => form,
            other => panic!("{other:?}"),
        };
        assert_eq!(form("jav*"), Form::Prefix);
        assert_eq!(form("pyhton~"), Form::Fuzzy(None));
        assert_eq!(form("colour~2"), Form::Fuzzy(Some(2)));
        assert_eq!(form("~"), Form::Exact);
        check("*", "");
        check("/~user/x a~b what? why*? 2*3 /a?b=c", "(any /~user/x a~b what? why*? 2*3 /a?b=c)");
        check("a NEAR/99999999999 b", "(near4294967295 a b)");
    }

    #[test]
    fn an_open_quote_ends_with_the_text() {
        check("\"a b", "\"a b\"");
        check("“a b” c", "(any \"a b\" c)");
    }

    #[test]
    fn small_operators_are_words_unless_wanted() {
        check("cats and dogs", "(any cats and dogs)");
        let options = Options { lower_case_operators: true, ..options() };
        assert_eq!(shape(&parse("cats and dogs", &options).expect("a query")), "(and cats dogs)");
    }

    #[test]
    fn what_cannot_be_understood_is_pointed_at() {
        refused("a OR", 2, "OR needs something after it");
        refused("AND b", 0, "needs something before it");
        refused("(a b", 0, "never closed");
        refused("a b)", 3, "closes nothing");
        refused(")", 0, "closes nothing");
        refused("a ()", 3, "nothing inside");
        refused("NOT", 0, "NOT needs something");
        refused("a OR OR b", 5, "needs something before it");
        refused("a NEAR (b AND c)", 2, "NEAR needs");
        refused("NOT a NEAR b", 6, "NEAR needs");
        refused("site:(a b)", 5, "site: needs a value");
        refused("é (", 3, "missing at the end");
        refused("tent~3", 4, "tent~2");
        refused("a title:zelt~12", 12, "zelt~2");
        refused("te?t", 2, "te*");
        refused("a t*nt", 3, "te*");
        refused("*tent", 0, "te*");
        refused("a *", 2, "everything");
        refused("title:*", 6, "beginning of a word");
        refused("title:", 0, "title:word");
        refused("a price: 10", 2, "price:word");
        refused("(a title:)", 3, "title:word");
        refused("before: 2025", 0, "before:2026-01-31");
        refused(&"(".repeat(100), 64, "levels");
        refused(&"a".repeat(5_000), 4_096, "at most 4096");
    }

    #[test]
    fn parts_know_their_characters() {
        let query = parse("é title:\"b c\" -d", &options()).expect("a query");
        let Node::Loose(parts) = &query.node else { panic!("{query:?}") };
        let spans: Vec<_> = parts.iter().map(|(_, part)| part.span.clone()).collect();
        assert_eq!(spans, [0..1, 2..13, 14..16]);
        assert_eq!(query.span, 0..16);
    }

    fn word() -> impl Strategy<Value = Query> {
        let field = proptest::option::of(prop_oneof![Just("title".to_owned()), Just("price".to_owned())]);
        let form = prop_oneof![
            Just(Form::Exact),
            Just(Form::Prefix),
            Just(Form::Fuzzy(None)),
            Just(Form::Fuzzy(Some(1)))
        ];
        let word = (field.clone(), "[a-zé]{1,6}", form).prop_map(|(field, text, form)| Node::Word {
            field,
            text,
            form,
        });
        let phrase =
            (field, "[a-z]{1,3}( [a-z]{1,3}){0,2}").prop_map(|(field, text)| Node::Phrase { field, text });
        let span = ("[0-9]{1,3}", "[0-9]{1,3}", 0..5).prop_map(|(from, to, kind)| Node::Span {
            field: "price".into(),
            from: (kind != 1 && kind != 4).then_some(from),
            to: (kind != 2 && kind != 3).then_some(to),
            open: kind > 2,
        });
        let filter =
            "[a-z]{1,5}(\\.[a-z]{2})?".prop_map(|value| Node::Filter { filter: Filter::Site, value });
        prop_oneof![4 => word, 2 => phrase, 1 => span, 1 => filter]
            .prop_map(|node| Query { node, span: 0..0 })
    }

    fn near_side() -> impl Strategy<Value = Query> {
        "[a-z]{1,6}"
            .prop_map(|text| Query { node: Node::Word { field: None, text, form: Form::Exact }, span: 0..0 })
    }

    fn query() -> impl Strategy<Value = Query> {
        word().prop_recursive(4, 24, 4, |inner| {
            let some = proptest::collection::vec(inner.clone(), 2..4);
            let demand = prop_oneof![Just(Demand::May), Just(Demand::Must), Just(Demand::MustNot)];
            let loose = proptest::collection::vec((demand, inner.clone()), 2..4).prop_map(Node::Loose);
            let near = (near_side(), near_side(), 1u32..20).prop_map(|(left, right, distance)| Node::Near {
                left: Box::new(left),
                right: Box::new(right),
                distance,
            });
            let not = inner.prop_map(|inner| Node::Not(Box::new(inner)));
            prop_oneof![
                some.clone().prop_map(Node::And),
                some.clone().prop_map(Node::Or),
                some.prop_map(Node::Xor),
                loose,
                near,
                not
            ]
            .prop_map(|node| Query { node, span: 0..0 })
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(query in query()) {
            let text = query.to_string();
            let back = parse(&text, &options());
            prop_assert_eq!(back.as_ref().map(shape), Ok(shape(&query)), "{}", text);
            prop_assert_eq!(back, Ok(query));
        }

        #[test]
        fn any_text_gives_a_query_or_a_place_in_the_text(text in "\\PC{0,60}") {
            match parse(&text, &options()) {
                Ok(query) => prop_assert!(query.span.end <= text.chars().count()),
                Err(error) => prop_assert!(error.position <= text.chars().count()),
            }
        }

        #[test]
        fn any_heap_of_tokens_gives_a_query_or_a_place(
            parts in proptest::collection::vec(prop_oneof![
                Just("("), Just(")"), Just("AND"), Just("OR"), Just("NOT"), Just("XOR"), Just("NEAR/2"), Just("+"), Just("-"),
                Just("\""), Just("title:"), Just("site:"), Just("a"), Just("b*"), Just("c~"), Just("price:1..2"), Just(" "),
            ], 0..14)
        ) {
            let text = parts.join(" ");
            let glued = parts.concat();
            for text in [text, glued] {
                if let Err(error) = parse(&text, &options()) {
                    prop_assert!(error.position <= text.chars().count());
                }
            }
        }
    }
}
