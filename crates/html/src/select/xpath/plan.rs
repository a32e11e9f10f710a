//! What an expression says, ready to be carried out.

use html5ever::LocalName;

use super::functions::Function;

/// An expression. Chains of one operator are one list, so that depth is bounded by the brackets written.
#[derive(Debug)]
pub(super) enum Expr {
    Number(f64),
    Text(Box<str>),
    Negate(Box<Expr>),
    Or(Vec<Expr>),
    And(Vec<Expr>),
    /// `a = b != c`, from left to right.
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    /// `a + b - c`, from left to right.
    Calculate(Box<Expr>, Vec<(Calculation, Expr)>),
    Union(Vec<Expr>),
    Path(Path),
    /// `(…)[1]`
    Filter(Box<Expr>, Vec<Predicate>),
    Call(Function, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Calculation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// The four kinds of values. There are no variables, so the kind of every expression is known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Nodes,
    Text,
    Number,
    Boolean,
}

#[derive(Debug)]
pub(super) struct Path {
    pub(super) start: Start,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug)]
pub(super) enum Start {
    Root,
    Context,
    Expr(Box<Expr>),
}

#[derive(Debug)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: Test,
    pub(super) predicates: Vec<Predicate>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Namespace,
    Parent,
    Preceding,
    PrecedingSibling,
    Itself,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// `node()`
    Node,
    /// `text()`
    Text,
    /// `comment()`
    Comment,
    /// `processing-instruction()`: pages have none, HTML reads them as comments.
    Instruction,
    /// `*`
    Any,
    /// `a`
    Name(LocalName),
    /// `xlink:href`
    Prefixed(Prefix, LocalName),
    /// `xlink:*`
    AnyOf(Prefix),
}

/// The prefixes that are known: those that HTML gives to attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    Xml,
    Xlink,
}

#[derive(Debug)]
pub(super) enum Predicate {
    /// `[3]`
    At(usize),
    /// `[last()]`
    Last,
    /// True or false whatever the position.
    Holds(Expr),
    /// Says something about the position, or is a number that must equal it.
    Positional(Expr),
}

impl Axis {
    pub(super) const NAMED: [(&'static str, Axis); 13] = [
        ("ancestor", Axis::Ancestor),
        ("ancestor-or-self", Axis::AncestorOrSelf),
        ("attribute", Axis::Attribute),
        ("child", Axis::Child),
        ("descendant", Axis::Descendant),
        ("descendant-or-self", Axis::DescendantOrSelf),
        ("following", Axis::Following),
        ("following-sibling", Axis::FollowingSibling),
        ("namespace", Axis::Namespace),
        ("parent", Axis::Parent),
        ("preceding", Axis::Preceding),
        ("preceding-sibling", Axis::PrecedingSibling),
        ("self", Axis::Itself),
    ];
}

impl Predicate {
    pub(super) fn new(expr: Expr) -> Predicate {
        match expr {
            Expr::Number(number) if number >= 1.0 && number.fract() == 0.0 && number < 1e9 => {
                Predicate::At(number as usize)
            }
            Expr::Call(Function::Last, _) => Predicate::Last,
            expr if expr.kind() == Type::Number || expr.asks_position() => Predicate::Positional(expr),
            expr => Predicate::Holds(expr),
        }
    }

    pub(super) fn is_positional(&self) -> bool {
        !matches!(self, Predicate::Holds(_))
    }
}

impl Step {
    /// Whether the order of the nodes on the axis matters to a predicate.
    pub(super) fn is_positional(&self) -> bool {
        self.predicates.iter().any(Predicate::is_positional)
    }
}

impl Expr {
    pub(super) fn kind(&self) -> Type {
        match self {
            Expr::Number(_) | Expr::Negate(_) | Expr::Calculate(..) => Type::Number,
            Expr::Text(_) => Type::Text,
            Expr::Or(_) | Expr::And(_) | Expr::Compare(..) => Type::Boolean,
            Expr::Union(_) | Expr::Path(_) | Expr::Filter(..) => Type::Nodes,
            Expr::Call(function, _) => function.kind(),
        }
    }

    /// Whether it asks for the position or size of its own context; predicates inside have contexts of their own.
    fn asks_position(&self) -> bool {
        match self {
            Expr::Number(_) | Expr::Text(_) => false,
            Expr::Negate(inner) | Expr::Filter(inner, _) => inner.asks_position(),
            Expr::Or(parts) | Expr::And(parts) | Expr::Union(parts) => parts.iter().any(Expr::asks_position),
            Expr::Compare(first, rest) => {
                first.asks_position() || rest.iter().any(|(_, part)| part.asks_position())
            }
            Expr::Calculate(first, rest) => {
                first.asks_position() || rest.iter().any(|(_, part)| part.asks_position())
            }
            Expr::Path(path) => matches!(&path.start, Start::Expr(start) if start.asks_position()),
            Expr::Call(Function::Position | Function::Last, _) => true,
            Expr::Call(_, arguments) => arguments.iter().any(Expr::asks_position),
        }
    }

    /// The attribute of the context node that it names, when it does just that: `@href`.
    pub(super) fn own_attribute(&self) -> Option<&LocalName> {
        let Expr::Path(Path { start: Start::Context, steps }) = self else { return None };
        match steps.as_slice() {
            [Step { axis: Axis::Attribute, test: Test::Name(name), predicates }] if predicates.is_empty() => {
                Some(name)
            }
            _ => None,
        }
    }
}

impl Path {
    /// Says `descendant::a` for `descendant-or-self::node()/child::a`, as `//a` is read, where that is the same.
    pub(super) fn shorten(&mut self) {
        let mut steps: Vec<Step> = Vec::with_capacity(self.steps.len());
        for mut step in self.steps.drain(..) {
            let after_double_slash = matches!(
                steps.last(),
                Some(Step { axis: Axis::DescendantOrSelf, test: Test::Node, predicates }) if predicates.is_empty()
            );
            match step.axis {
                Axis::Child if after_double_slash && !step.is_positional() => {
                    steps.pop();
                    step.axis = Axis::Descendant;
                }
                Axis::Attribute if after_double_slash => {
                    if let Some(last) = steps.last_mut() {
                        last.test = Test::Any;
                    }
                }
                _ => {}
            }
            steps.push(step);
        }
        self.steps = steps;
    }
}
