//! The API below `/api/v1`: one module per resource, each thin; what is done stands in `service`.

mod ask;
mod changes;
mod duplicates;
mod events;
mod exports;
mod graphs;
mod indexes;
mod list;
mod pages;
mod previews;
mod projects;
mod rows;
mod run_looks;
mod runs;
mod samples;
mod session;
mod settings;
mod simulations;
mod tokens;
mod tools;

use utoipa::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) use indexes::found;

use crate::guard::COOKIE;
use crate::problem::{Position, Problem};
use crate::state::App;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Gannet",
        description = "Crawl, read and search: everything that the web UI and the command line do.",
        license(name = "MIT"),
    ),
    servers((url = "/api/v1")),
    components(schemas(Problem, Position)),
    security(("session" = []), ("token" = []))
)]
struct Description;

/// The table of contents.
pub(crate) fn router() -> OpenApiRouter<App> {
    let mut description = Description::openapi();
    let schemes = &mut description.components.get_or_insert_default().security_schemes;
    let session = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::with_description(
        format!("{COOKIE}7777"),
        "Set by a sign-in link. The number is the server's port.".to_owned(),
    )));
    schemes.insert("session".to_owned(), session.into());
    schemes.insert("token".to_owned(), SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)).into());
    OpenApiRouter::with_openapi(description)
        .routes(routes!(session::show, session::sign_out))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(settings::crawl))
        .routes(routes!(settings::index))
        .routes(routes!(settings::of_given))
        .routes(routes!(settings::of_project))
        .routes(routes!(previews::open))
        .routes(routes!(previews::page))
        .routes(routes!(previews::asset))
        .routes(routes!(previews::picture))
        .routes(routes!(previews::select))
        .routes(routes!(previews::generalise))
        .routes(routes!(previews::list))
        .routes(routes!(previews::path))
        .routes(routes!(previews::read))
        .routes(routes!(samples::list))
        .routes(routes!(samples::create))
        .routes(routes!(projects::list, projects::create))
        .routes(routes!(projects::check))
        .routes(routes!(projects::show, projects::update, projects::remove))
        .routes(routes!(projects::file))
        .routes(routes!(projects::summary))
        .routes(routes!(pages::list))
        .routes(routes!(pages::outcomes))
        .routes(routes!(pages::why))
        .routes(routes!(pages::links))
        .routes(routes!(pages::hosts))
        .routes(routes!(graphs::rank))
        .routes(routes!(graphs::graph))
        .routes(routes!(simulations::map))
        .routes(routes!(simulations::what_if))
        .routes(routes!(simulations::create))
        .routes(routes!(simulations::live))
        .routes(routes!(changes::list))
        .routes(routes!(changes::of_page))
        .routes(routes!(changes::versions))
        .routes(routes!(changes::version))
        .routes(routes!(changes::accept))
        .routes(routes!(duplicates::list))
        .routes(routes!(duplicates::pair))
        .routes(routes!(duplicates::mirrors))
        .routes(routes!(rows::list))
        .routes(routes!(rows::history))
        .routes(routes!(rows::diff))
        .routes(routes!(rows::coverage))
        .routes(routes!(exports::download))
        .routes(routes!(runs::of_project, runs::begin))
        .routes(routes!(runs::list))
        .routes(routes!(runs::show, run_looks::speed))
        .routes(routes!(runs::pause))
        .routes(routes!(runs::resume))
        .routes(routes!(runs::stop))
        .routes(routes!(runs::cancel))
        .routes(routes!(run_looks::live))
        .routes(routes!(run_looks::series))
        .routes(routes!(run_looks::outlook))
        .routes(routes!(run_looks::forecast))
        .routes(routes!(run_looks::log))
        .routes(routes!(run_looks::log_download))
        .routes(routes!(run_looks::exclude))
        .routes(routes!(run_looks::retry))
        .routes(routes!(events::of_run))
        .routes(routes!(events::of_all))
        .routes(routes!(indexes::list, indexes::create))
        .routes(routes!(indexes::show, indexes::update, indexes::remove))
        .routes(routes!(indexes::rebuild))
        .routes(routes!(indexes::search))
        .routes(routes!(indexes::suggest))
        .routes(routes!(indexes::cached))
        .routes(routes!(indexes::similar))
        .routes(routes!(indexes::why_not))
        .routes(routes!(indexes::ranking))
        .routes(routes!(tools::read))
        .routes(routes!(tools::select))
        .routes(routes!(tools::detect))
        .routes(routes!(tools::try_page))
        .routes(routes!(tools::sitemap))
        .routes(routes!(tools::url))
        .routes(routes!(tools::robots))
        .routes(routes!(tools::fingerprint))
        .routes(routes!(tools::compare))
        .routes(routes!(tools::near_duplicates))
        .routes(routes!(tools::evaluate))
        .routes(routes!(tools::check))
        .routes(routes!(tools::repair))
        .routes(routes!(ask::ask))
}

/// The description of the API.
pub fn openapi() -> serde_json::Value {
    serde_json::to_value(router().into_openapi()).unwrap_or_default()
}
