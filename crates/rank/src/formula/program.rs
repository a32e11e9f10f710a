//! A formula as a list of steps over a stack, each done for many rows at once: no tree is walked and nothing allocated
//! when rows are scored.

use super::expression::{Binary, Expression, Function};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Program {
    steps: Vec<Step>,
    /// The most values that stand on the stack at once.
    height: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Push(f64),
    Load(usize),
    Has(usize),
    Negate,
    Not,
    Binary(Binary),
    /// One value in, one out.
    Unary(Function),
    Min,
    Max,
    If,
    Clamp,
    Default,
}

/// Rows computed side by side: a step is looked up once for all of them.
pub(super) const LANES: usize = 64;

/// What a computation works on, kept from one to the next.
#[derive(Debug, Default)]
pub(super) struct Stack(Vec<Lanes>);

type Lanes = [f64; LANES];

impl Program {
    pub(super) fn new(expression: &Expression, names: &mut Vec<String>) -> Program {
        let mut steps = Vec::new();
        compile(expression, names, &mut steps);
        let (mut now, mut height) = (0_usize, 0);
        for step in &steps {
            now = now.saturating_sub(step.takes()) + 1;
            height = height.max(now);
        }
        Program { steps, height }
    }

    /// The values of `count` rows from a row on, at most [`LANES`]; NaN where there is none. A column holds a variable.
    pub(super) fn run<'s>(
        &self,
        columns: &[Vec<f64>],
        from: usize,
        count: usize,
        Stack(stack): &'s mut Stack,
    ) -> &'s [f64] {
        stack.resize(stack.len().max(self.height).max(1), [0.0; LANES]);
        let column = |slot: usize| columns.get(slot).and_then(|column| column.get(from..from + count));
        let mut height = 0;
        for step in &self.steps {
            height -= step.takes();
            let rows = &mut stack[height..];
            match *step {
                Step::Push(number) => rows[0].fill(number),
                Step::Load(slot) => match column(slot) {
                    Some(values) => rows[0][..count].copy_from_slice(values),
                    None => rows[0].fill(f64::NAN),
                },
                Step::Has(slot) => match column(slot) {
                    Some(values) => {
                        rows[0]
                            .iter_mut()
                            .zip(values)
                            .for_each(|(has, value)| *has = truth(value.is_finite()));
                    }
                    None => rows[0].fill(0.0),
                },
                Step::Negate => one(rows, count, |value| -value),
                Step::Not => one(rows, count, |value| match value {
                    _ if value.is_nan() => f64::NAN,
                    value => truth(value == 0.0),
                }),
                Step::Unary(function) => one(rows, count, |value| unary(function, value)),
                Step::Binary(operator) => binaries(operator, rows, count),
                Step::Min => two(rows, count, lesser),
                Step::Max => two(rows, count, |left, right| -lesser(-left, -right)),
                Step::If => three(rows, count, |condition, then, otherwise| match condition {
                    _ if condition.is_nan() => f64::NAN,
                    0.0 => otherwise,
                    _ => then,
                }),
                Step::Clamp => three(rows, count, |value, low, high| lesser(-lesser(-value, -low), high)),
                Step::Default => two(rows, count, |value, otherwise| match value.is_finite() {
                    true => value,
                    false => otherwise,
                }),
            }
            height += 1;
        }
        &stack[0][..count]
    }
}

fn one(rows: &mut [Lanes], count: usize, f: impl Fn(f64) -> f64) {
    rows[0][..count].iter_mut().for_each(|value| *value = f(*value));
}

fn two(rows: &mut [Lanes], count: usize, f: impl Fn(f64, f64) -> f64) {
    let (first, second) = rows.split_at_mut(1);
    for (value, other) in first[0][..count].iter_mut().zip(&second[0]) {
        *value = f(*value, *other);
    }
}

fn three(rows: &mut [Lanes], count: usize, f: impl Fn(f64, f64, f64) -> f64) {
    let (first, others) = rows.split_at_mut(1);
    for (value, (second, third)) in first[0][..count].iter_mut().zip(others[0].iter().zip(&others[1])) {
        *value = f(*value, *second, *third);
    }
}

/// Asks for the operator once, not for every row.
fn binaries(operator: Binary, rows: &mut [Lanes], count: usize) {
    macro_rules! each {
        ($($name:ident)*) => {
            match operator {
                $(Binary::$name => two(rows, count, |left, right| binary(Binary::$name, left, right)),)*
            }
        };
    }
    each!(Or And Less LessOrEqual More MoreOrEqual Equal Different Plus Minus Times By Modulo Power)
}

impl Step {
    /// The values that it takes from the stack; it gives one back.
    fn takes(self) -> usize {
        match self {
            Step::Push(_) | Step::Load(_) | Step::Has(_) => 0,
            Step::Negate | Step::Not | Step::Unary(_) => 1,
            Step::Binary(_) | Step::Min | Step::Max | Step::Default => 2,
            Step::If | Step::Clamp => 3,
        }
    }
}

fn compile(expression: &Expression, names: &mut Vec<String>, steps: &mut Vec<Step>) {
    match expression {
        Expression::Number(number) => steps.push(Step::Push(*number)),
        Expression::Pi => steps.push(Step::Push(std::f64::consts::PI)),
        Expression::E => steps.push(Step::Push(std::f64::consts::E)),
        Expression::Variable(name) => steps.push(Step::Load(slot(name, names))),
        Expression::Has(name) => steps.push(Step::Has(slot(name, names))),
        Expression::Negative(inner) => {
            compile(inner, names, steps);
            steps.push(Step::Negate);
        }
        Expression::Not(inner) => {
            compile(inner, names, steps);
            steps.push(Step::Not);
        }
        Expression::Binary(operator, left, right) => {
            compile(left, names, steps);
            compile(right, names, steps);
            steps.push(Step::Binary(*operator));
        }
        Expression::Call(function @ (Function::Min | Function::Max), arguments) => {
            let step = if *function == Function::Min { Step::Min } else { Step::Max };
            for (index, argument) in arguments.iter().enumerate() {
                compile(argument, names, steps);
                if index > 0 {
                    steps.push(step);
                }
            }
        }
        Expression::Call(function, arguments) => {
            for argument in arguments {
                compile(argument, names, steps);
            }
            steps.push(match function {
                Function::If => Step::If,
                Function::Clamp => Step::Clamp,
                Function::Default => Step::Default,
                unary => Step::Unary(*unary),
            });
        }
    }
}

fn slot(name: &str, names: &mut Vec<String>) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

fn unary(function: Function, value: f64) -> f64 {
    match function {
        Function::Log => value.ln(),
        Function::Log2 => value.log2(),
        Function::Log10 => value.log10(),
        Function::Exp => value.exp(),
        Function::Sqrt => value.sqrt(),
        Function::Abs => value.abs(),
        Function::Floor => value.floor(),
        Function::Ceil => value.ceil(),
        Function::Min | Function::Max | Function::If | Function::Clamp | Function::Default => value,
    }
}

#[inline(always)]
fn binary(operator: Binary, left: f64, right: f64) -> f64 {
    if left.is_nan() || right.is_nan() {
        // Neither true nor false; and 1 ^ nothing is nothing too.
        return f64::NAN;
    }
    match operator {
        Binary::Or => truth(left != 0.0 || right != 0.0),
        Binary::And => truth(left != 0.0 && right != 0.0),
        Binary::Less => truth(left < right),
        Binary::LessOrEqual => truth(left <= right),
        Binary::More => truth(left > right),
        Binary::MoreOrEqual => truth(left >= right),
        Binary::Equal => truth(left == right),
        Binary::Different => truth(left != right),
        Binary::Plus => left + right,
        Binary::Minus => left - right,
        Binary::Times => left * right,
        Binary::By => left / right,
        Binary::Modulo => left % right,
        Binary::Power => left.powf(right),
    }
}

/// `f64::min` would hide a missing value.
fn lesser(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) }
}

fn truth(is_true: bool) -> f64 {
    f64::from(u8::from(is_true))
}
