//! Explanations: a score as a tree in which every value follows from those below it, so that nothing is hidden.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One value and what it is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    /// What the value is.
    pub label: String,
    /// The value.
    pub value: f64,
    /// How it follows from the children.
    #[serde(default)]
    pub how: How,
    /// What it is made of; of a plain value, what is worth knowing about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Explanation>,
}

/// How a value follows from its children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It is their sum.
    Sum,
    /// It is their product.
    Product,
    /// It is the largest of them.
    Max,
    /// It stands for itself; children are remarks.
    #[default]
    Value,
}

impl Explanation {
    /// A value that stands for itself.
    pub fn value(label: impl Into<String>, value: f64) -> Explanation {
        Explanation { label: label.into(), value, how: How::Value, children: Vec::new() }
    }

    /// A value that stands for itself, with remarks.
    pub fn value_of(label: impl Into<String>, value: f64, remarks: Vec<Explanation>) -> Explanation {
        Explanation { label: label.into(), value, how: How::Value, children: remarks }
    }

    /// The sum of the children.
    pub fn sum(label: impl Into<String>, children: Vec<Explanation>) -> Explanation {
        Explanation::of(label, How::Sum, children)
    }

    /// The product of the children.
    pub fn product(label: impl Into<String>, children: Vec<Explanation>) -> Explanation {
        Explanation::of(label, How::Product, children)
    }

    /// The largest of the children.
    pub fn max(label: impl Into<String>, children: Vec<Explanation>) -> Explanation {
        Explanation::of(label, How::Max, children)
    }

    /// Says whether every value follows from its children, to a millionth; if not, which is the first that does not.
    pub fn check(&self) -> Result<(), &Explanation> {
        for child in &self.children {
            child.check()?;
        }
        let given = match self.how {
            How::Value => return Ok(()),
            how => how.of(&self.children),
        };
        // Large parts that cancel out leave their own rounding behind.
        let size = match self.how {
            How::Sum => self.children.iter().map(|child| child.value.abs()).fold(self.value.abs(), f64::max),
            _ => self.value.abs(),
        };
        let agrees = self.value == given || (self.value - given).abs() <= 1e-6 * size.max(f64::MIN_POSITIVE);
        if agrees { Ok(()) } else { Err(self) }
    }

    fn of(label: impl Into<String>, how: How, children: Vec<Explanation>) -> Explanation {
        Explanation { label: label.into(), value: how.of(&children), how, children }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let how = match self.how {
            How::Sum if !self.children.is_empty() => ", sum of:",
            How::Product if !self.children.is_empty() => ", product of:",
            How::Max if !self.children.is_empty() => ", largest of:",
            _ => "",
        };
        write!(f, "{:indent$}{}  {}{how}", "", Figure(self.value), self.label, indent = 2 * depth)?;
        for child in &self.children {
            writeln!(f)?;
            child.write(f, depth + 1)?;
        }
        Ok(())
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl How {
    fn of(self, children: &[Explanation]) -> f64 {
        let values = children.iter().map(|child| child.value);
        match self {
            How::Sum | How::Value => values.sum(),
            How::Product => values.product(),
            How::Max => values.reduce(f64::max).unwrap_or(0.0),
        }
    }
}

/// A number as people like to read it: whole ones whole, others to four places.
struct Figure(f64);

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figure(value) = *self;
        if value.fract() == 0.0 && value.abs() < 1e9 {
            write!(f, "{value}")
        } else if value != 0.0 && (value.abs() < 1e-3 || value.abs() >= 1e9) {
            write!(f, "{value:.4e}")
        } else {
            write!(f, "{value:.4}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Explanation {
        Explanation::sum(
            "score",
            vec![
                Explanation::product(
                    "\"gannet\" in title",
                    vec![
                        Explanation::value_of("idf", 1.5, vec![Explanation::value("df", 3.0)]),
                        Explanation::value("tf", 2.0),
                    ],
                ),
                Explanation::max(
                    "best of two",
                    vec![Explanation::value("a", -1.0), Explanation::value("b", 0.00025)],
                ),
            ],
        )
    }

    #[test]
    fn a_tree_reads_from_the_score_down() {
        let expected = "\
3.0002  score, sum of:
  3  \"gannet\" in title, product of:
    1.5000  idf
      3  df
    2  tf
  2.5000e-4  best of two, largest of:
    -1  a
    2.5000e-4  b";
        assert_eq!(tree().to_string(), expected);
    }

    #[test]
    fn a_value_that_does_not_follow_is_found() {
        let mut tree = tree();
        assert_eq!(tree.check(), Ok(()));
        tree.children[0].value = 3.001;
        assert_eq!(tree.check().map_err(|node| node.label.as_str()), Err("\"gannet\" in title"));
        tree.children[0].value = 3.000_000_1;
        assert_eq!(tree.check(), Ok(()));
        tree.value = f64::NAN;
        assert!(tree.check().is_err());
    }

    #[test]
    fn a_tree_survives_json() {
        let json = serde_json::to_string(&tree()).expect("plain data");
        assert_eq!(serde_json::from_str::<Explanation>(&json).expect("what was written"), tree());
    }
}
