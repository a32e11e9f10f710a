//! What reading a page with a template gives.

use model::{PageUrl, Row};

/// The rows of one page, and the links that the template asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The page's type; none when no type took it.
    pub page_type: Option<String>,
    /// Its rows in order.
    pub rows: Vec<Row>,
    /// Links to follow because the template says so, in order, each once.
    pub wanted: Vec<Wanted>,
    /// The only other links that may be followed, when the template or project limits them.
    pub links_in: Option<Vec<PageUrl>>,
    /// How often each field of the page type was found.
    pub coverage: Vec<Coverage>,
    /// True when the page had more than is read of one page: rows, bytes or steps.
    pub cut: bool,
}

/// A link that the template follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Where it leads.
    pub url: PageUrl,
    /// What for.
    pub why: Why,
}

/// Why a template follows a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The list goes on there.
    Next,
    /// A row's own page, named by this field.
    Detail {
        /// The field.
        field: String,
        /// The page type expected there.
        page_type: String,
    },
}

/// How often a field was found on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The field.
    pub field: String,
    /// Rows.
    pub rows: u64,
    /// Rows in which something was found; a default is not found.
    pub found: u64,
    /// Found values that could not be understood as the field's kind, and stayed text.
    pub odd: u64,
}
