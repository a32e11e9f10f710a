//! The one-shot tools of the command line: questions about a page, a URL, a robots.txt; judged queries; the health of
//! the data.

use axum::Json;
use axum::extract::State;
use model::{Fetched, PageUrl, Project};
use serde::Deserialize;
use serde_json::{Value, json};
use service::tools::{
    self, Compared, Cut, Document, Fingerprint, Given, NearPair, RawPage, RobotsQuestion, SelectQuestion,
    Trial, UrlQuestion,
};
use service::{EvaluateRequest, Request, ServiceError};
use utoipa::ToSchema;

use super::list::List;
use super::projects::ProjectGiven;
use crate::asking;
use crate::extract::Body;
use crate::problem::{Problem, Problems};
use crate::state::App;

/// Where a page is taken to stand when nothing says so.
const NOWHERE: &str = "http://localhost/";

/// A page: given, or asked for once at its URL.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PageGiven {
    /// Its text.
    html: Option<String>,
    /// Its bytes, in base 64.
    html_base64: Option<String>,
    /// Where it stands.
    url: Option<String>,
    /// What it is, as a server would say it.
    content_type: Option<String>,
    /// How to ask for it: crawl settings.
    #[schema(value_type = Option<Object>)]
    crawl: Option<Box<model::CrawlSettings>>,
}

/// A page and an expression.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SelectAsked {
    #[serde(flatten)]
    page: PageGiven,
    /// An expression of CSS.
    css: Option<String>,
    /// Or of XPath.
    xpath: Option<String>,
    /// Or of either, as it looks.
    expression: Option<String>,
}

/// A page with lists.
#[derive(Deserialize, ToSchema)]
pub(crate) struct DetectAsked {
    #[serde(flatten)]
    page: PageGiven,
    /// Which list the project reads, from 1.
    #[schema(minimum = 1)]
    list: Option<usize>,
    /// Do not ask for the first row's own page.
    #[serde(default)]
    no_detail: bool,
}

/// A page and a project.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TryAsked {
    #[serde(flatten)]
    page: PageGiven,
    /// The project, as its file or as JSON.
    #[serde(flatten)]
    project: ProjectGiven,
}

/// A URL.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UrlAsked {
    /// The URL.
    url: String,
    /// The page that it stands on, if it is relative.
    base: Option<String>,
    #[serde(default)]
    drop_query: bool,
    #[serde(default)]
    drop_trailing_slash: bool,
    #[serde(default)]
    drop_www: bool,
}

/// A robots.txt and a URL.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RobotsAsked {
    /// The file.
    robots: Option<String>,
    /// The file, in base 64.
    robots_base64: Option<String>,
    /// Name of the crawler that asks; `gannet` unless said.
    agent: Option<String>,
    /// The URL, or its path.
    url: String,
}

/// A text.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TextGiven {
    /// It.
    text: String,
    #[serde(flatten)]
    cut: Cut,
}

/// Two texts.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TextsGiven {
    /// One.
    a: String,
    /// The other.
    b: String,
    #[serde(flatten)]
    cut: Cut,
}

/// Many texts.
#[derive(Deserialize, ToSchema)]
pub(crate) struct DocumentsGiven {
    /// They.
    documents: Vec<Document>,
    /// Near duplicates from here on; 0.7 unless said.
    #[schema(minimum = 0, maximum = 1)]
    threshold: Option<f64>,
    #[serde(flatten)]
    cut: Cut,
}

impl PageGiven {
    async fn page(self, app: &App) -> Result<RawPage, Problem> {
        let PageGiven { html, html_base64, url, content_type, crawl } = self;
        // Only whoever started the server opens private addresses; a project's own word counts for its runs.
        let crawl = crawl.map(|crawl| {
            Box::new(model::CrawlSettings { allow_private: false, allow_addresses: Vec::new(), ..*crawl })
        });
        let given = Given { html, html_base64, url, content_type, crawl: crawl.map(|crawl| *crawl) };
        Ok(given.page(&app.allow, &app.clock).await?)
    }
}

/// What an expression finds on a page.
#[utoipa::path(
    post, path = "/select", tag = "tools", request_body = SelectAsked,
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn select(
    State(app): State<App>,
    Body(asked): Body<SelectAsked>,
) -> Result<Json<Value>, Problem> {
    let SelectAsked { page, css, xpath, expression } = asked;
    let compiled = SelectQuestion { xpath, css, expression }.compile();
    let compiled = compiled.ok_or_else(|| Problem::request("give one of css, xpath and expression"))?;
    let selector = match compiled {
        Ok(selector) => selector,
        Err(error) => return Ok(Json(json!({ "error": error.reason, "position": error.position }))),
    };
    let page = page.page(&app).await?;
    answer(move || Ok(json!(tools::select(&page.text(), &selector)?))).await
}

/// The lists on a page, and the project that reads one.
#[utoipa::path(
    post, path = "/detect", tag = "tools", request_body = DetectAsked,
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn detect(
    State(app): State<App>,
    Body(asked): Body<DetectAsked>,
) -> Result<Json<Value>, Problem> {
    let (ask, crawl) =
        (asked.page.html.is_none() && asked.page.html_base64.is_none(), asked.page.crawl.clone());
    let page = asked.page.page(&app).await?;
    let chosen = asked.list.unwrap_or(1).saturating_sub(1);
    let (url, html) = (page.url.clone(), page.text());
    let found = tokio::task::spawn_blocking(move || tools::detect(&html, chosen)).await;
    let mut found = found.map_err(|_| ServiceError::Lost)??;
    if let Some(from) = url.as_ref().filter(|_| ask && !asked.no_detail)
        && let Some(detail) = found.detail_page(from)
    {
        let given = PageGiven {
            html: None,
            html_base64: None,
            url: Some(detail.to_string()),
            content_type: None,
            crawl,
        };
        if let Ok(page) = given.page(&app).await {
            found.with_detail(from, &page.text(), page.url.as_ref().unwrap_or(&detail));
        }
    }
    let project = url.map(|url| found.project(&url));
    Ok(Json(found.to_json(project.as_ref())))
}

/// What a project would read from a page, and which links it would follow.
#[utoipa::path(
    post, path = "/try", tag = "tools", request_body = TryAsked,
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn try_page(
    State(app): State<App>,
    Body(asked): Body<TryAsked>,
) -> Result<Json<Value>, Problem> {
    let project: Project = asked.project.read()?;
    let mut given = asked.page;
    given.crawl.get_or_insert_with(|| Box::new(project.crawl.clone()));
    let page = given.page(&app).await?;
    answer(move || Ok(Trial::new(&project, &fetched(page)?)?.to_json(&project))).await
}

/// What is read from a page: main text, author, dates, language, links.
#[utoipa::path(
    post, path = "/read", tag = "tools", request_body = PageGiven,
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn read(
    State(app): State<App>,
    Body(given): Body<PageGiven>,
) -> Result<Json<Value>, Problem> {
    let page = given.page(&app).await?;
    answer(move || {
        let url = page.url.clone().map_or_else(nowhere, Ok)?;
        Ok(tools::read_json(&page.body, &page.headers, &url))
    })
    .await
}

/// The URLs of a sitemap or feed.
#[utoipa::path(
    post, path = "/sitemap", tag = "tools", request_body = PageGiven,
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn sitemap(
    State(app): State<App>,
    Body(given): Body<PageGiven>,
) -> Result<Json<Value>, Problem> {
    let page = given.page(&app).await?;
    answer(move || {
        let url = page.url.clone().map_or_else(nowhere, Ok)?;
        Ok(tools::sitemap_json(&tools::sitemap(&page.body, &url)?))
    })
    .await
}

/// The canonical form of a URL.
#[utoipa::path(
    post, path = "/url", tag = "tools", request_body = UrlAsked,
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn url(Body(asked): Body<UrlAsked>) -> Json<Value> {
    let UrlAsked { url, base, drop_query, drop_trailing_slash, drop_www } = asked;
    let question = UrlQuestion { url, base, drop_query, drop_trailing_slash, drop_www };
    Json(match question.answer() {
        Ok(canonical) => json!({ "url": question.url, "canonical": canonical }),
        Err(error) => json!({ "url": question.url, "error": error }),
    })
}

/// What a robots.txt says of a URL.
#[utoipa::path(
    post, path = "/robots", tag = "tools", request_body = RobotsAsked,
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn robots(Body(asked): Body<RobotsAsked>) -> Result<Json<Value>, Problem> {
    let RobotsAsked { robots, robots_base64, agent, url } = asked;
    let verdict = RobotsQuestion { robots, robots_base64, agent, url }.answer("gannet");
    Ok(Json(json!(verdict.map_err(Problem::request)?)))
}

/// The fingerprint of a text: the hashes that winnowing keeps.
#[utoipa::path(
    post, path = "/fingerprint", tag = "tools", request_body = TextGiven,
    responses((status = 200, body = Fingerprint), Problems)
)]
pub(crate) async fn fingerprint(Body(asked): Body<TextGiven>) -> Result<Json<Fingerprint>, Problem> {
    let cut = asked.cut.winnowing()?;
    worked(move || tools::fingerprint(&asked.text, cut)).await
}

/// What two texts have in common.
#[utoipa::path(
    post, path = "/compare", tag = "tools", request_body = TextsGiven,
    responses((status = 200, body = Compared), Problems)
)]
pub(crate) async fn compare(Body(asked): Body<TextsGiven>) -> Result<Json<Compared>, Problem> {
    let cut = asked.cut.winnowing()?;
    worked(move || tools::compare(&asked.a, &asked.b, cut)).await
}

/// Which of many texts are near duplicates.
#[utoipa::path(
    post, path = "/compare/all", tag = "tools", request_body = DocumentsGiven,
    responses((status = 200, body = List<NearPair>), Problems)
)]
pub(crate) async fn near_duplicates(
    Body(asked): Body<DocumentsGiven>,
) -> Result<Json<List<NearPair>>, Problem> {
    let cut = asked.cut.winnowing()?;
    if asked.threshold.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
        return Err(Problem::request("threshold is a number from 0 to 1"));
    }
    worked(move || List::whole(tools::near_pairs(asked.documents, asked.threshold, cut))).await
}

/// Measures a ranking by judged queries.
#[utoipa::path(
    post, path = "/evaluate", tag = "tools", request_body = EvaluateRequest,
    responses((status = 200, body = Value), Problems)
)]
pub(crate) async fn evaluate(
    State(app): State<App>,
    Body(asked): Body<EvaluateRequest>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(asking::one(&app, Request::Evaluate(asked)).await?))
}

/// Is everything whole?
#[utoipa::path(post, path = "/check", tag = "tools", responses((status = 200, body = List<Value>), Problems))]
pub(crate) async fn check(State(app): State<App>) -> Result<Json<List<Value>>, Problem> {
    Ok(Json(List::whole(asking::all(&app, Request::Check).await?)))
}

/// Rebuilds what can be rebuilt.
#[utoipa::path(post, path = "/repair", tag = "tools", responses((status = 200, body = List<Value>), Problems))]
pub(crate) async fn repair(State(app): State<App>) -> Result<Json<List<Value>>, Problem> {
    Ok(Json(List::whole(asking::all(&app, Request::Repair).await?)))
}

async fn worked<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<Json<T>, Problem> {
    Ok(Json(tokio::task::spawn_blocking(work).await.map_err(|_| ServiceError::Lost)?))
}

async fn answer(
    work: impl FnOnce() -> Result<Value, ServiceError> + Send + 'static,
) -> Result<Json<Value>, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    Ok(Json(done.map_err(|_| ServiceError::Lost)??))
}

fn nowhere() -> Result<PageUrl, ServiceError> {
    PageUrl::parse(NOWHERE).map_err(|source| ServiceError::Url { text: NOWHERE.to_owned(), source })
}

/// A page as the answer that it might have been.
fn fetched(page: RawPage) -> Result<Fetched, ServiceError> {
    let url = page.url.map_or_else(nowhere, Ok)?;
    Ok(Fetched {
        url,
        address: None,
        started: model::Timestamp::ZERO,
        timings: model::Timings::default(),
        request: bytes::Bytes::new(),
        version: model::HttpVersion::Http1,
        status: 200,
        head: bytes::Bytes::new(),
        headers: page.headers,
        content: page.body.clone(),
        body: page.body,
        cut: None,
    })
}
