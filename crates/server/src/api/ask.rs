//! The verbs of the command line as they are, one request each: what `gannet --server` sends.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use service::{
    AcceptRequest, CachedRequest, ChangesRequest, DiffRequest, DuplicatesRequest, EvaluateRequest,
    ExcludeRequest, ExportRequest, GraphRequest, HostsRequest, LinksRequest, MirrorsRequest, OrderRequest,
    PagesRequest, ProjectChoice, RankRequest, Request, RowsRequest, RunChoice, RunLogRequest, SearchRequest,
    SpeedRequest, SuggestRequest, VersionRequest, WhatIfRequest, WhyNotRequest, WhyRequest,
};
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{Content, RefOr, ResponseBuilder};
use utoipa::{IntoResponses, PartialSchema, ToSchema};

use super::exports::handed_over;
use super::simulations::bounded;
use crate::extract::Body;
use crate::problem::{Problem, Problems};
use crate::state::App;
use crate::stream;

/// One of the verbs, with what it takes.
struct Ask;

/// JSON lines, also where something is wrong with what was asked.
struct Lines;

/// Does what a verb of the command line does; `gannet --server` asks so. Answers with JSON lines: `{"row": …}` each,
/// then `{"end": COUNT}`, or `{"error": {"class", "message"}}`.
#[utoipa::path(post, path = "/ask", tag = "command line", request_body = inline(Ask), responses(Lines))]
pub(crate) async fn ask(State(app): State<App>, Body(request): Body<Request>) -> Result<Response, Problem> {
    if matches!(&request, Request::Export(export) if export.path.is_some()) {
        let problem = Problem::request("a server writes no files for those who ask from elsewhere");
        return Err(problem.advise("leave the path out; the bytes are handed over"));
    }
    if let Request::Export(export) = &request
        && export.format == "sqlite"
    {
        return handed_over(&app, export.clone()).await;
    }
    if let Request::Simulate(scenario) | Request::SimulateListed(scenario) = &request {
        bounded(scenario)?;
    }
    Ok(stream::respond(app.data.clone(), app.now.clone(), request).await)
}

impl PartialSchema for Ask {
    fn schema() -> RefOr<Schema> {
        let verbs = [
            verb::<PagesRequest>("pages"),
            verb::<WhyRequest>("why"),
            verb::<LinksRequest>("links"),
            verb::<ChangesRequest>("changes"),
            verb::<VersionRequest>("version"),
            verb::<AcceptRequest>("accept"),
            verb::<DuplicatesRequest>("duplicates"),
            verb::<MirrorsRequest>("mirrors"),
            verb::<RankRequest>("rank"),
            verb::<GraphRequest>("graph"),
            verb::<HostsRequest>("hosts"),
            verb::<ProjectChoice>("summary"),
            verb::<ProjectChoice>("runs"),
            verb::<RowsRequest>("rows"),
            verb::<DiffRequest>("diff"),
            verb::<ExportRequest>("export"),
            verb::<SearchRequest>("search"),
            verb::<SuggestRequest>("suggest"),
            verb::<CachedRequest>("cached"),
            verb::<EvaluateRequest>("evaluate"),
            verb::<WhyNotRequest>("why-not"),
            verb::<RunLogRequest>("log"),
            verb::<ExcludeRequest>("exclude"),
            verb::<SpeedRequest>("speed"),
            verb::<OrderRequest>("order"),
            verb::<WhatIfRequest>("what-if"),
            verb::<RunChoice>("progress"),
            verb::<RunChoice>("forecast"),
            verb::<RunChoice>("pause"),
            verb::<RunChoice>("resume"),
            verb::<RunChoice>("stop"),
            verb::<RunChoice>("cancel"),
            // Told in the guide: these take the settings of an index, or a scenario.
            named(ObjectBuilder::new(), "index"),
            named(simulated(), "simulate"),
            named(simulated(), "simulate-listed"),
            named(ObjectBuilder::new(), "check"),
            named(ObjectBuilder::new(), "repair"),
        ];
        let all = verbs.into_iter().fold(OneOfBuilder::new(), OneOfBuilder::item);
        RefOr::T(Schema::OneOf(all.build()))
    }
}

impl ToSchema for Ask {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        // What the verbs' own fields refer to.
        RowsRequest::schemas(schemas);
        LinksRequest::schemas(schemas);
        RankRequest::schemas(schemas);
        GraphRequest::schemas(schemas);
        RunLogRequest::schemas(schemas);
        ExcludeRequest::schemas(schemas);
        ExportRequest::schemas(schemas);
    }
}

impl IntoResponses for Lines {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let lines = || Content::new(Some(String::schema()));
        let mut all = Problems::responses();
        for answer in all.values_mut() {
            if let RefOr::T(answer) = answer {
                answer.content.insert(stream::JSON_LINES.to_owned(), RefOr::T(lines()));
            }
        }
        let found = ResponseBuilder::new().description("JSON lines.").content(stream::JSON_LINES, lines());
        all.insert("200".to_owned(), RefOr::T(found.build()));
        all
    }
}

/// What a verb takes, and its name beside that.
fn verb<T: PartialSchema>(name: &str) -> Schema {
    match T::schema() {
        RefOr::T(Schema::Object(object)) => {
            named(ObjectBuilder::from(object).additional_properties(None::<Schema>), name)
        }
        _ => named(ObjectBuilder::new(), name),
    }
}

/// Over what a project has crawled; the simulations' own path says more.
fn simulated() -> ObjectBuilder {
    let web = ObjectBuilder::new().property("crawl", String::schema()).required("crawl");
    ObjectBuilder::new().property("web", web).required("web")
}

fn named(object: ObjectBuilder, name: &str) -> Schema {
    let text = ObjectBuilder::new().schema_type(SchemaType::Type(Type::String)).enum_values(Some([name]));
    object.title(Some(name)).property("verb", text).required("verb").into()
}
