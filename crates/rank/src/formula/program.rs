//! A formula as a list of steps over a stack: no tree is walked and nothing allocated when a row is scored.

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

/// The parser allows 50 levels, and one level keeps at most three values.
const STACK: usize = 160;

/// Enough for what people write: clearing more for every row would take longer than computing it.
const LOW_STACK: usize = 12;

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

    /// The value; NaN if there is none.
    pub(super) fn run(&self, vars: &[f64]) -> f64 {
        match self.height {
            ..=LOW_STACK => self.run_on(&mut [0.0; LOW_STACK], vars),
            _ => self.run_on(&mut [0.0; STACK], vars),
        }
    }

    fn run_on(&self, values: &mut [f64], vars: &[f64]) -> f64 {
        let mut stack = Stack { values, height: 0 };
        let var = |slot: usize| vars.get(slot).copied().unwrap_or(f64::NAN);
        for step in &self.steps {
            let value = match *step {
                Step::Push(number) => number,
                Step::Load(slot) => var(slot),
                Step::Has(slot) => truth(var(slot).is_finite()),
                Step::Negate => -stack.pop(),
                Step::Not => match stack.pop() {
                    value if value.is_nan() => f64::NAN,
                    value => truth(value == 0.0),
                },
                Step::Unary(function) => unary(function, stack.pop()),
                Step::Binary(operator) => {
                    let (right, left) = (stack.pop(), stack.pop());
                    binary(operator, left, right)
                }
                Step::Min => lesser(stack.pop(), stack.pop()),
                Step::Max => -lesser(-stack.pop(), -stack.pop()),
                Step::If => {
                    let (otherwise, then, condition) = (stack.pop(), stack.pop(), stack.pop());
                    match condition {
                        _ if condition.is_nan() => f64::NAN,
                        0.0 => otherwise,
                        _ => then,
                    }
                }
                Step::Clamp => {
                    let (high, low, value) = (stack.pop(), stack.pop(), stack.pop());
                    lesser(-lesser(-value, -low), high)
                }
                Step::Default => {
                    let (otherwise, value) = (stack.pop(), stack.pop());
                    if value.is_finite() { value } else { otherwise }
                }
            };
            stack.push(value);
        }
        stack.pop()
    }
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

struct Stack<'s> {
    values: &'s mut [f64],
    height: usize,
}

impl Stack<'_> {
    #[inline]
    fn push(&mut self, value: f64) {
        self.values[self.height] = value;
        self.height += 1;
    }

    #[inline]
    fn pop(&mut self) -> f64 {
        self.height -= 1;
        self.values[self.height]
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
