//! A template compiled: every selector, path and expression ready to be asked, or refused with its place.

use html::select::{SelectError, Selector};
use model::{
    FieldKind, Language, Normalise, Pattern, Place, SelectorText, Source as Written, TemplateError,
    TemplateVersion,
};

use crate::clean::Step;
use crate::date;
use crate::json::Path;
use crate::linked_data::DataPath;
use crate::markup::collapsed;
use crate::number::Decimal;

/// A template ready to read pages. Cheap to clone, may be shared by threads.
#[derive(Clone, Debug)]
pub struct Template {
    pub(crate) version: TemplateVersion,
    pub(crate) pages: Vec<PageType>,
    pub(crate) links_in: Vec<Selector>,
    pub(crate) normalise: Normalise,
}

#[derive(Clone, Debug)]
pub(crate) struct PageType {
    pub(crate) name: String,
    pub(crate) url: Vec<Pattern>,
    pub(crate) has: Option<Selector>,
    pub(crate) rows: Option<Selector>,
    pub(crate) fields: Vec<Field>,
    /// Places of the fields that make the key.
    pub(crate) key: Vec<usize>,
    pub(crate) next: Option<Next>,
    pub(crate) links: Option<Vec<Selector>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) source: Option<Source>,
    pub(crate) attribute: Option<String>,
    pub(crate) kind: FieldKind,
    pub(crate) all: bool,
    pub(crate) clean: Vec<Step>,
    pub(crate) format: Option<String>,
    pub(crate) locale: Option<String>,
    pub(crate) decimal: Option<Decimal>,
    pub(crate) default: Option<String>,
    pub(crate) required: bool,
    /// The page type to which its link leads.
    pub(crate) follow: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum Source {
    Select(Selector),
    Header(String),
    JsonLd(DataPath),
    Microdata(DataPath),
    Meta(String),
    Json(Option<Selector>, Path),
}

#[derive(Clone, Debug)]
pub(crate) enum Next {
    Link(Selector),
    Numbers(Selector),
    Url { pattern: String, to: Option<u32> },
}

impl Template {
    /// Compiles a template with the project's link scope and URL normalisation.
    pub fn compile(
        template: &model::Template,
        links_in: &[SelectorText],
        normalise: Normalise,
    ) -> Result<Template, TemplateError> {
        if template.from.is_none() || !template.pages.is_empty() {
            template.check()?;
        }
        let pages = template.pages.iter().map(page_type).collect::<Result<_, _>>()?;
        let links_in = links_in
            .iter()
            .map(|text| selector(text, "links_in", Place::default()))
            .collect::<Result<_, _>>()?;
        Ok(Template { version: template.version(), pages, links_in, normalise })
    }

    /// A template that reads no rows and only says which links may be followed.
    pub fn links_only(links_in: &[SelectorText], normalise: Normalise) -> Result<Template, TemplateError> {
        let none = model::Template { from: Some(Default::default()), pages: Vec::new() };
        Template::compile(&none, links_in, normalise)
    }

    /// Refuses selectors of the setting `key` that cannot be compiled.
    pub fn check_selectors(key: &str, selectors: &[SelectorText]) -> Result<(), TemplateError> {
        selectors.iter().try_for_each(|text| selector(text, key, Place::default()).map(|_| ()))
    }

    /// Which definition this is.
    pub fn version(&self) -> TemplateVersion {
        self.version
    }
}

fn page_type(page: &model::PageType) -> Result<PageType, TemplateError> {
    let compile =
        |text: &SelectorText, key: &str| selector(text, &format!("{}: {key}", page.name), page.place);
    let next = match &page.next {
        None => None,
        Some(model::Next { link: Some(link), .. }) => Some(Next::Link(compile(link, "next")?)),
        Some(model::Next { numbers: Some(numbers), .. }) => Some(Next::Numbers(compile(numbers, "next")?)),
        Some(model::Next { url, to, .. }) => {
            url.as_ref().map(|pattern| Next::Url { pattern: pattern.clone(), to: *to })
        }
    };
    let links = page.links.as_ref().map(|links| links.iter().map(|text| compile(text, "links")).collect());
    Ok(PageType {
        name: page.name.clone(),
        url: page.url.clone(),
        has: page.has.as_ref().map(|text| compile(text, "has")).transpose()?,
        rows: page.rows.as_ref().map(|text| compile(text, "rows")).transpose()?,
        fields: page.read.iter().map(|read| field(page, read)).collect::<Result<_, _>>()?,
        key: page.key.iter().filter_map(|name| page.field(name).map(|(place, _)| place)).collect(),
        next,
        links: links.transpose()?,
    })
}

fn field(page: &model::PageType, field: &model::Field) -> Result<Field, TemplateError> {
    let subject = format!("{}: {}", page.name, field.name);
    let refuse =
        |problem: String| TemplateError { place: field.place, problem: format!("{subject}: {problem}") };
    let path = |text: &str, (place, reason): (usize, &str)| {
        refuse(format!("the path {text:?}, at character {}: {reason}", place + 1))
    };
    let source = match field.source() {
        None => None,
        Some(Written::Selector(text)) => Some(Source::Select(selector(text, &subject, field.place)?)),
        Some(Written::Header(text)) => Some(Source::Header(label(text))),
        Some(Written::JsonLd(text)) => {
            Some(Source::JsonLd(DataPath::parse(text).map_err(|error| path(text, error))?))
        }
        Some(Written::Microdata(text)) => {
            Some(Source::Microdata(DataPath::parse(text).map_err(|error| path(text, error))?))
        }
        Some(Written::Meta(name)) => Some(Source::Meta(name.to_lowercase())),
        Some(Written::Json(json)) => {
            let within =
                json.within.as_ref().map(|text| selector(text, &subject, field.place)).transpose()?;
            Some(Source::Json(within, Path::parse(&json.path).map_err(|error| path(&json.path, error))?))
        }
    };
    if let Some(format) = field.format.as_ref().filter(|format| !date::is_format(format)) {
        return Err(refuse(format!(
            "{format:?} is no date format; write one with day, month and year, as %d.%m.%Y"
        )));
    }
    let locale = field.locale.as_ref().or(page.locale.as_ref());
    Ok(Field {
        name: field.name.clone(),
        source,
        attribute: field.attribute.as_ref().map(|name| name.to_lowercase()),
        kind: field.kind,
        all: field.all,
        clean: field
            .clean
            .iter()
            .map(Step::compile)
            .collect::<Result<_, _>>()
            .map_err(|error| refuse(format!("the regular expression does not hold: {error}")))?,
        format: field.format.clone(),
        locale: locale.cloned(),
        decimal: locale.map(|locale| Decimal::of(locale)),
        default: field.default.clone(),
        required: field.required,
        follow: field.follow.as_ref().map(|follow| follow.page.clone()),
    })
}

fn selector(text: &SelectorText, subject: &str, around: Place) -> Result<Selector, TemplateError> {
    let (compiled, language) = match text.language {
        Language::Css => (Selector::css(&text.text), "CSS selector"),
        Language::XPath => (Selector::xpath(&text.text), "XPath expression"),
    };
    compiled.map_err(|error: SelectError| TemplateError {
        place: if text.place.is_known() { text.place } else { around },
        problem: format!("{subject}: the {language} {:?}, {error}", text.text),
    })
}

/// A header's text, for comparison: small letters, no colon at the end.
pub(crate) fn label(text: &str) -> String {
    collapsed(text).trim_end_matches([':', '：']).trim_end().to_lowercase()
}
