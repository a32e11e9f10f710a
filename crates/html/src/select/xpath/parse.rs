//! Tokens → plan: the grammar of XPath 1.0, by recursive descent as deep as brackets are nested.

use html5ever::LocalName;

use super::Mistake;
use super::functions::Function;
use super::plan::{Axis, Calculation, Comparison, Expr, Path, Predicate, Prefix, Start, Step, Test, Type};
use super::token::{Spanned, Token, tokens};
use crate::select::MAX_NESTING;

pub(super) fn parse(text: &str) -> Result<Expr, Mistake> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, end: text.len(), nesting: 0 };
    if parser.tokens.is_empty() {
        return parser.mistake("an expression is missing");
    }
    let expr = parser.or()?;
    match parser.peek() {
        None => Ok(expr),
        Some(Token::Close) => parser.mistake("this `)` closes nothing"),
        Some(Token::CloseBracket) => parser.mistake("this `]` closes nothing"),
        Some(_) => parser.mistake("an operator is missing before this"),
    }
}

struct Parser<'a> {
    tokens: Vec<Spanned<'a>>,
    at: usize,
    end: usize,
    nesting: usize,
}

type Parsed<T> = Result<T, Mistake>;

const EQUALITY: [(&str, Comparison); 2] = [("=", Comparison::Equal), ("!=", Comparison::Unequal)];
const RELATIONS: [(&str, Comparison); 4] = [
    ("<", Comparison::Less),
    ("<=", Comparison::LessOrEqual),
    (">", Comparison::Greater),
    (">=", Comparison::GreaterOrEqual),
];
const SUMS: [(&str, Calculation); 2] = [("+", Calculation::Add), ("-", Calculation::Subtract)];
const PRODUCTS: [(&str, Calculation); 3] =
    [("*", Calculation::Multiply), ("div", Calculation::Divide), ("mod", Calculation::Remainder)];

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&Token<'a>> {
        self.tokens.get(self.at).map(|spanned| &spanned.token)
    }

    fn place(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |spanned| spanned.at)
    }

    fn mistake<T>(&self, reason: &str) -> Parsed<T> {
        Err(Mistake { at: self.place(), reason: reason.to_owned() })
    }

    fn take(&mut self, token: &Token<'_>) -> bool {
        let there = self.peek() == Some(token);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, token: &Token<'_>, reason: &str) -> Parsed<()> {
        if self.take(token) { Ok(()) } else { self.mistake(reason) }
    }

    fn operator<T: Copy>(&mut self, known: &[(&str, T)]) -> Option<T> {
        let Some(Token::Operator(sign)) = self.peek() else { return None };
        let (_, meaning) = known.iter().find(|(name, _)| name == sign)?;
        self.at += 1;
        Some(*meaning)
    }

    fn list(
        &mut self,
        sign: &'static str,
        part: impl Fn(&mut Self) -> Parsed<Expr>,
        whole: impl FnOnce(Vec<Expr>) -> Expr,
    ) -> Parsed<Expr> {
        let first = part(self)?;
        let mut parts = vec![first];
        while self.take(&Token::Operator(sign)) {
            parts.push(part(self)?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => whole(parts),
        })
    }

    fn chain<T: Copy>(
        &mut self,
        known: &[(&str, T)],
        part: impl Fn(&mut Self) -> Parsed<Expr>,
        whole: impl FnOnce(Box<Expr>, Vec<(T, Expr)>) -> Expr,
    ) -> Parsed<Expr> {
        let first = part(self)?;
        let mut rest = Vec::new();
        while let Some(operator) = self.operator(known) {
            rest.push((operator, part(self)?));
        }
        Ok(if rest.is_empty() { first } else { whole(Box::new(first), rest) })
    }

    fn or(&mut self) -> Parsed<Expr> {
        self.list("or", Self::and, Expr::Or)
    }

    fn and(&mut self) -> Parsed<Expr> {
        self.list("and", Self::equality, Expr::And)
    }

    fn equality(&mut self) -> Parsed<Expr> {
        self.chain(&EQUALITY, Self::relation, Expr::Compare)
    }

    fn relation(&mut self) -> Parsed<Expr> {
        self.chain(&RELATIONS, Self::sum, Expr::Compare)
    }

    fn sum(&mut self) -> Parsed<Expr> {
        self.chain(&SUMS, Self::product, Expr::Calculate)
    }

    fn product(&mut self) -> Parsed<Expr> {
        self.chain(&PRODUCTS, Self::sign, Expr::Calculate)
    }

    fn sign(&mut self) -> Parsed<Expr> {
        let mut signs = 0;
        while self.take(&Token::Operator("-")) {
            signs += 1;
        }
        let expr = self.union()?;
        Ok(match signs {
            0 => expr,
            // Two signs still make a number of what they stand before.
            _ if signs % 2 == 0 => Expr::Negate(Box::new(Expr::Negate(Box::new(expr)))),
            _ => Expr::Negate(Box::new(expr)),
        })
    }

    fn union(&mut self) -> Parsed<Expr> {
        let place = self.place();
        let expr = self.list("|", Self::path, Expr::Union)?;
        if let Expr::Union(parts) = &expr
            && parts.iter().any(|part| part.kind() != Type::Nodes)
        {
            return Err(Mistake { at: place, reason: "`|` joins nodes only".to_owned() });
        }
        Ok(expr)
    }

    fn path(&mut self) -> Parsed<Expr> {
        let mut steps = Vec::new();
        let start = match self.peek() {
            Some(Token::Slash) => {
                self.at += 1;
                if !self.begins_step() {
                    return Ok(Expr::Path(Path { start: Start::Root, steps }));
                }
                Start::Root
            }
            Some(Token::DoubleSlash) => {
                self.at += 1;
                steps.push(double_slash());
                Start::Root
            }
            Some(Token::Number(_) | Token::Literal(_) | Token::Open) => return self.filter(),
            Some(Token::Function(_, name)) if !is_node_type(name) => return self.filter(),
            _ => Start::Context,
        };
        self.steps(start, steps)
    }

    /// A value, its predicates, and what is looked for from there.
    fn filter(&mut self) -> Parsed<Expr> {
        let place = self.place();
        let expr = self.primary()?;
        let asks_nodes = matches!(self.peek(), Some(Token::OpenBracket | Token::Slash | Token::DoubleSlash));
        if asks_nodes && expr.kind() != Type::Nodes {
            return Err(Mistake { at: place, reason: "`[` and `/` can follow nodes only".to_owned() });
        }
        let predicates = self.predicates()?;
        let expr = match predicates.is_empty() {
            true => expr,
            false => Expr::Filter(Box::new(expr), predicates),
        };
        let mut steps = Vec::new();
        match self.peek() {
            Some(Token::Slash) => self.at += 1,
            Some(Token::DoubleSlash) => {
                self.at += 1;
                steps.push(double_slash());
            }
            _ => return Ok(expr),
        }
        self.steps(Start::Expr(Box::new(expr)), steps)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        match self.peek() {
            Some(Token::Number(number)) => {
                let number = *number;
                self.at += 1;
                Ok(Expr::Number(number))
            }
            Some(Token::Literal(text)) => {
                let text = (*text).into();
                self.at += 1;
                Ok(Expr::Text(text))
            }
            Some(Token::Function(..)) => self.call(),
            _ => {
                self.expect(&Token::Open, "an expression is missing here")?;
                let expr = self.nested(Self::or)?;
                self.expect(&Token::Close, "`)` is missing")?;
                Ok(expr)
            }
        }
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting == MAX_NESTING {
            return self.mistake(&format!("more than {MAX_NESTING} brackets in each other"));
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    fn call(&mut self) -> Parsed<Expr> {
        let place = self.place();
        let Some(&Token::Function(prefix, name)) = self.peek() else {
            return self.mistake("an expression is missing here");
        };
        let known = if prefix.is_none() { Function::named(name) } else { None };
        let Some(function) = known else {
            let full = prefix.map_or(name.to_owned(), |prefix| format!("{prefix}:{name}"));
            return self.mistake(&format!("the function {full}() is not known"));
        };
        self.at += 1;
        self.expect(&Token::Open, "`(` is missing")?;
        let mut arguments = Vec::new();
        if !self.take(&Token::Close) {
            loop {
                let place = self.place();
                let argument = self.nested(Self::or)?;
                if function.wants_nodes(arguments.len()) && argument.kind() != Type::Nodes {
                    return Err(Mistake { at: place, reason: format!("{name}() wants nodes here") });
                }
                arguments.push(argument);
                if !self.take(&Token::Comma) {
                    break;
                }
            }
            self.expect(&Token::Close, "`,` or `)` is missing")?;
        }
        let (least, most) = function.arguments();
        if arguments.len() < least || arguments.len() > most {
            let wanted = match (least, most) {
                (least, usize::MAX) => format!("{least} or more arguments"),
                (0, 0) => "no argument".to_owned(),
                (1, 1) => "one argument".to_owned(),
                (least, most) if least == most => format!("{least} arguments"),
                (least, most) => format!("{least} to {most} arguments"),
            };
            let reason = format!("{name}() takes {wanted}, not {}", arguments.len());
            return Err(Mistake { at: place, reason });
        }
        Ok(Expr::Call(function, arguments))
    }

    fn predicates(&mut self) -> Parsed<Vec<Predicate>> {
        let mut predicates = Vec::new();
        while self.take(&Token::OpenBracket) {
            let expr = self.nested(Self::or)?;
            self.expect(&Token::CloseBracket, "`]` is missing")?;
            predicates.push(Predicate::new(expr));
        }
        Ok(predicates)
    }

    fn begins_step(&self) -> bool {
        match self.peek() {
            Some(Token::Function(_, name)) => is_node_type(name),
            Some(
                Token::Name(..)
                | Token::AnyOf(_)
                | Token::Axis(_)
                | Token::Star
                | Token::Dot
                | Token::DotDot
                | Token::At,
            ) => true,
            _ => false,
        }
    }

    fn steps(&mut self, start: Start, mut steps: Vec<Step>) -> Parsed<Expr> {
        loop {
            steps.push(self.step()?);
            if self.take(&Token::DoubleSlash) {
                steps.push(double_slash());
            } else if !self.take(&Token::Slash) {
                break;
            }
        }
        let mut path = Path { start, steps };
        path.shorten();
        Ok(Expr::Path(path))
    }

    fn step(&mut self) -> Parsed<Step> {
        let shortened = match self.peek() {
            Some(Token::Dot) => Some(Axis::Itself),
            Some(Token::DotDot) => Some(Axis::Parent),
            _ => None,
        };
        if let Some(axis) = shortened {
            self.at += 1;
            if self.peek() == Some(&Token::OpenBracket) {
                return self
                    .mistake("`.` and `..` take no `[…]`; write self::node()[…] or parent::node()[…]");
            }
            return Ok(Step { axis, test: Test::Node, predicates: Vec::new() });
        }
        let axis = match self.peek() {
            Some(Token::At) => {
                self.at += 1;
                Axis::Attribute
            }
            Some(&Token::Axis(name)) => {
                let Some((_, axis)) = Axis::NAMED.iter().find(|(known, _)| *known == name) else {
                    return self.mistake(&format!("there is no axis {name}"));
                };
                self.at += 1;
                *axis
            }
            _ => Axis::Child,
        };
        let test = self.test()?;
        Ok(Step { axis, test, predicates: self.predicates()? })
    }

    fn test(&mut self) -> Parsed<Test> {
        let test = match self.peek() {
            Some(Token::Star) => Test::Any,
            Some(Token::Name(None, name)) => Test::Name(LocalName::from(*name)),
            Some(Token::Name(Some(prefix), name)) => {
                Test::Prefixed(self.prefix(prefix)?, LocalName::from(*name))
            }
            Some(Token::AnyOf(prefix)) => Test::AnyOf(self.prefix(prefix)?),
            Some(&Token::Function(None, name)) if is_node_type(name) => return self.node_type(name),
            _ => return self.mistake("a name, `*`, `.`, `@` or node() is missing here"),
        };
        self.at += 1;
        Ok(test)
    }

    fn node_type(&mut self, name: &str) -> Parsed<Test> {
        self.at += 1;
        self.expect(&Token::Open, "`(` is missing")?;
        let test = match name {
            "node" => Test::Node,
            "text" => Test::Text,
            "comment" => Test::Comment,
            _ => {
                if matches!(self.peek(), Some(Token::Literal(_))) {
                    self.at += 1;
                }
                Test::Instruction
            }
        };
        self.expect(&Token::Close, "`)` is missing")?;
        Ok(test)
    }

    fn prefix(&self, prefix: &str) -> Parsed<Prefix> {
        match prefix {
            "xml" => Ok(Prefix::Xml),
            "xlink" => Ok(Prefix::Xlink),
            _ => self.mistake(&format!(
                "the prefix {prefix} is not known; elements of pages are found without prefix"
            )),
        }
    }
}

fn double_slash() -> Step {
    Step { axis: Axis::DescendantOrSelf, test: Test::Node, predicates: Vec::new() }
}

fn is_node_type(name: &str) -> bool {
    matches!(name, "node" | "text" | "comment" | "processing-instruction")
}
