//! What an expression finds on a page.

use html::Tree;
use html::select::{Fuel, SelectError, Selected, Selector};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ServiceError;

/// Steps that one question may take: seconds.
const FUEL: u64 = 100_000_000;

/// An expression; the page comes separately.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelectQuestion {
    /// An expression of XPath.
    #[serde(default)]
    pub xpath: Option<String>,
    /// Or of CSS.
    #[serde(default)]
    pub css: Option<String>,
    /// Or of either, as it looks.
    #[serde(default)]
    pub expression: Option<String>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// `nodes`, `string`, `number` or `boolean`.
    pub r#type: String,
    /// The text of each node, or the one value.
    pub values: Vec<Value>,
}

impl SelectQuestion {
    /// The expression, understood; none unless exactly one is given.
    pub fn compile(&self) -> Option<Result<Selector, SelectError>> {
        match (&self.xpath, &self.css, &self.expression) {
            (Some(xpath), None, None) => Some(Selector::xpath(xpath)),
            (None, Some(css), None) => Some(Selector::css(css)),
            (None, None, Some(text)) => Some(Selector::guess(text)),
            _ => None,
        }
    }
}

/// What a selector finds on a page.
pub fn select(html: &str, selector: &Selector) -> Result<Found, ServiceError> {
    let tree = html::parse(html, &mut ());
    let selected = selector.select(&tree, tree.root(), &mut Fuel::new(FUEL));
    Ok(Found::new(&tree, selected.map_err(|error| ServiceError::Question(error.to_string()))?))
}

impl Found {
    fn new(tree: &Tree, selected: Selected) -> Found {
        let (kind, values) = match selected {
            Selected::Nodes(found) => {
                ("nodes", found.iter().map(|found| json!(found.string_value(tree))).collect())
            }
            Selected::Text(text) => ("string", vec![json!(text)]),
            Selected::Number(number) => ("number", vec![in_json(number)]),
            Selected::Boolean(boolean) => ("boolean", vec![json!(boolean)]),
        };
        Found { r#type: kind.to_owned(), values }
    }
}

/// Whole numbers without a point; those that JSON has not, by name.
fn in_json(number: f64) -> Value {
    if number.is_nan() {
        return json!("NaN");
    }
    if number.is_infinite() {
        return json!(if number > 0.0 { "Infinity" } else { "-Infinity" });
    }
    if number.fract() == 0.0 && number.abs() < 9e15 { json!(number as i64) } else { json!(number) }
}
