//! Pages without scripts: searching an index, and the API described for people.
//!
//! Every value goes through the template's escaping; crawled addresses are links only where they are http or https.

use askama::Template;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use url::form_urlencoded::Serializer;

use crate::api;
use crate::extract::{Pairs, Path};
use crate::problem::Problem;
use crate::state::App;

/// The pages' style.
const STYLE: &str = include_str!("../templates/plain.css");

/// Hits of a page, unless said.
const HITS: usize = 10;

/// Parameters that go along from page to page.
const KEPT: [&str; 6] = ["sort", "filter", "group", "limit", "set", "facet"];

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    index: String,
    link_name: String,
    query: String,
    kept: Vec<(String, String)>,
    trouble: Option<String>,
    asked: bool,
    total: u64,
    ignored: String,
    meant: Option<(String, String)>,
    first: usize,
    hits: Vec<HitShown>,
    before: Option<String>,
    after: Option<String>,
    ui: String,
    json: String,
}

/// A text in pieces, some marked.
type Pieces = Vec<(String, bool)>;

struct HitShown {
    href: Option<String>,
    url: String,
    title: Pieces,
    passages: Vec<Pieces>,
    fields: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "api.html")]
struct ApiPage {
    base: String,
    groups: Vec<Group>,
}

struct Group {
    name: String,
    calls: Vec<Call>,
}

struct Call {
    method: String,
    path: String,
    summary: String,
    parameters: Vec<(String, String)>,
    body: Option<String>,
}

/// The pages' style.
pub(crate) async fn style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")], STYLE)
        .into_response()
}

/// Searches an index: HTML, or JSON for those who ask for it.
pub(crate) async fn search(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
    query: Pairs,
) -> Result<Response, Problem> {
    let (index, as_json) = match name.strip_suffix(".json") {
        Some(index) => (index, true),
        None => (name.as_str(), wants_json(&headers)),
    };
    let asked = query.one("q").is_some() || query.one("filter").is_some();
    let answer = match asked {
        true => api::found(&app, index, &query).await,
        false => Ok(Value::Null),
    };
    if as_json {
        return Ok(Json(answer?).into_response());
    }
    let page = search_page(index, &query, asked, answer);
    let status = if page.trouble.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let mut response = html(&page, status);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    Ok(response)
}

/// The API, for people.
pub(crate) async fn api_page(State(app): State<App>) -> Response {
    let page = ApiPage { base: format!("http://{}", app.address), groups: groups(&api::openapi()) };
    html(&page, StatusCode::OK)
}

fn html(page: &impl Template, status: StatusCode) -> Response {
    match page.render() {
        Ok(text) => (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response(),
        Err(error) => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

fn wants_json(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    accept.contains("application/json") && !accept.contains("text/html")
}

fn search_page(index: &str, query: &Pairs, asked: bool, answer: Result<Value, Problem>) -> SearchPage {
    let text = query.one("q").unwrap_or_default();
    let page: usize = query.one("page").and_then(|page| page.parse().ok()).unwrap_or(1).max(1);
    let limit: usize = query.one("limit").and_then(|limit| limit.parse().ok()).unwrap_or(HITS);
    let kept: Vec<(String, String)> = KEPT
        .iter()
        .flat_map(|name| query.all(name).map(|value| ((*name).to_owned(), value.to_owned())))
        .collect();
    let link_name: String = url::form_urlencoded::byte_serialize(index.as_bytes()).collect();
    let link = |base: &str, text: &str, page: usize| {
        let mut pairs = Serializer::new(String::new());
        pairs.append_pair("q", text);
        for (name, value) in &kept {
            pairs.append_pair(name, value);
        }
        if page > 1 {
            pairs.append_pair("page", &page.to_string());
        }
        format!("{base}?{}", pairs.finish())
    };
    let own = format!("/s/{link_name}");
    let (answer, trouble) = match answer {
        Ok(answer) => (answer, None),
        Err(problem) => (Value::Null, Some(problem.detail)),
    };
    let words = |name: &str| {
        let words = answer[name].as_array().into_iter().flatten().filter_map(Value::as_str);
        words.collect::<Vec<_>>().join(", ")
    };
    let meant = answer["did_you_mean"].as_str().map(|meant| (meant.to_owned(), link(&own, meant, 1)));
    SearchPage {
        index: index.to_owned(),
        query: text.to_owned(),
        trouble,
        asked,
        total: answer["total"].as_u64().unwrap_or(0),
        ignored: words("ignored"),
        meant,
        first: (page - 1).saturating_mul(limit) + 1,
        hits: answer["hits"].as_array().into_iter().flatten().map(hit).collect(),
        before: (page > 1).then(|| link(&own, text, page - 1)),
        after: answer["next"].is_string().then(|| link(&own, text, page + 1)),
        ui: link(&format!("/search/{link_name}"), text, page),
        json: link(&format!("{own}.json"), text, page),
        kept,
        link_name,
    }
}

fn hit(hit: &Value) -> HitShown {
    let url = hit["url"].as_str().unwrap_or_default().to_owned();
    let field = |field: &Value| Some((field[0].as_str()?.to_owned(), field_text(&field[1])?));
    let mut title = pieces(&hit["title"]);
    if title.iter().all(|(text, _)| text.trim().is_empty()) {
        title = vec![(url.clone(), false)];
    }
    HitShown {
        href: (url.starts_with("https://") || url.starts_with("http://")).then(|| url.clone()),
        title,
        passages: hit["passages"].as_array().into_iter().flatten().map(pieces).collect(),
        fields: hit["fields"].as_array().into_iter().flatten().filter_map(field).collect(),
        url,
    }
}

fn pieces(marked: &Value) -> Pieces {
    let pieces = marked.as_array().into_iter().flatten();
    pieces
        .map(|piece| {
            let text = piece["text"].as_str().unwrap_or_default().to_owned();
            (text, piece["marked"].as_bool().unwrap_or(false))
        })
        .collect()
}

/// As it was written.
fn field_text(value: &Value) -> Option<String> {
    let value = value.as_object()?.values().next()?;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(pair) => pair.last()?.as_str().map(str::to_owned),
        _ => None,
    }
}

fn groups(description: &Value) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (path, calls) in description["paths"].as_object().into_iter().flatten() {
        for (method, call) in calls.as_object().into_iter().flatten() {
            let name = call["tags"][0].as_str().unwrap_or("more").to_owned();
            let call = described(method, path, call);
            match groups.iter_mut().find(|group| group.name == name) {
                Some(group) => group.calls.push(call),
                None => groups.push(Group { name, calls: vec![call] }),
            }
        }
    }
    groups
}

fn described(method: &str, path: &str, call: &Value) -> Call {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let parameters = call["parameters"].as_array().into_iter().flatten();
    let parameters = parameters.filter(|parameter| parameter["in"] != "path");
    let schema = &call["requestBody"]["content"]["application/json"]["schema"];
    Call {
        method: method.to_uppercase(),
        path: format!("/api/v1{path}"),
        summary: match text(&call["description"]) {
            more if more.is_empty() => text(&call["summary"]),
            more => format!("{} {more}", text(&call["summary"])),
        },
        parameters: parameters.map(|known| (text(&known["name"]), text(&known["description"]))).collect(),
        body: schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()).map(str::to_owned),
    }
}
