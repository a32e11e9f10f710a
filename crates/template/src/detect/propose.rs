//! A detected list as the template that reads it.

use model::{Field, FieldKind, Language, Next, PageType, Place, SelectorText, Template};

use super::{Detection, Expression, List};

impl Detection {
    /// The template that reads one of the lists, and goes on where the page does. None without such a list.
    pub fn template(&self, list: usize) -> Option<Template> {
        let list = self.lists.get(list)?;
        let next =
            self.next.as_ref().map(|next| Next { link: Some(selector(&next.selector)), ..Next::default() });
        let page = PageType {
            name: "list".to_owned(),
            rows: Some(selector(&list.row)),
            key: list.detail.map(|at| list.fields[at].name.clone()).into_iter().collect(),
            read: fields(list),
            next,
            // The rows and the way on are what was asked for; the rest of the page's links is another crawl.
            links: Some(Vec::new()),
            ..PageType::default()
        };
        Some(Template { from: None, pages: vec![page] })
    }
}

fn fields(list: &List) -> Vec<Field> {
    let field = |found: &super::Field| Field {
        attribute: found.attribute.filter(|name| !is_implied(found.kind, name)).map(str::to_owned),
        kind: found.kind,
        all: found.many,
        ..Field::selected(&found.name, selector(&found.selector))
    };
    list.fields.iter().map(field).collect()
}

/// A link's address and a picture's source are what their kinds read anyway.
fn is_implied(kind: FieldKind, attribute: &str) -> bool {
    matches!((kind, attribute), (FieldKind::Link, "href") | (FieldKind::Image, "src"))
}

fn selector(expression: &Expression) -> SelectorText {
    let (language, text) = match expression {
        Expression::Css(text) => (Language::Css, text.clone()),
        Expression::XPath(text) => (Language::XPath, text.clone()),
    };
    SelectorText { language, text, place: Place::default() }
}
