//! Tokens: how programs ask.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use service::Moment;
use utoipa::ToSchema;

use super::list::List;
use crate::extract::{Body, Path};
use crate::problem::{Problem, Problems};
use crate::state::App;

/// Longest name of a token.
const LONGEST_NAME: usize = 100;

/// A token.
#[derive(Serialize, ToSchema)]
pub(crate) struct Token {
    /// Its number.
    id: i64,
    /// What people call it.
    name: String,
    /// When it was made.
    #[schema(value_type = String)]
    created: Moment,
    /// When it was last shown, within a minute.
    #[schema(value_type = Option<String>)]
    last_used: Option<Moment>,
    /// When it ends to be good.
    #[schema(value_type = Option<String>)]
    expires: Option<Moment>,
    /// The token itself, told once.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// What a token is to be.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewToken {
    /// What people call it.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// Days until it ends to be good; never unless said.
    #[schema(minimum = 1, maximum = 36500)]
    days: Option<u32>,
}

impl From<catalog::Token> for Token {
    fn from(token: catalog::Token) -> Token {
        Token {
            id: token.id,
            name: token.name,
            created: token.created_at.into(),
            last_used: token.used_at.map(Moment),
            expires: token.expires_at.map(Moment),
            token: None,
        }
    }
}

/// Every token.
#[utoipa::path(get, path = "/tokens", tag = "session", responses((status = 200, body = List<Token>), Problems))]
pub(crate) async fn list(State(app): State<App>) -> Result<Json<List<Token>>, Problem> {
    let tokens = app.data.catalog().tokens().await?;
    Ok(Json(List::whole(tokens.into_iter().map(Token::from).collect())))
}

/// Makes a token; only this answer holds it.
#[utoipa::path(
    post, path = "/tokens", tag = "session", request_body = NewToken,
    responses((status = 201, body = Token), Problems)
)]
pub(crate) async fn create(
    State(app): State<App>,
    Body(wanted): Body<NewToken>,
) -> Result<(StatusCode, Json<Token>), Problem> {
    let name = wanted.name.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME {
        let problem = format!("a token's name has 1 to {LONGEST_NAME} characters");
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, problem));
    }
    if wanted.days.is_some_and(|days| !(1..=36_500).contains(&days)) {
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "days must be from 1 to 36500"));
    }
    let now = (app.now)();
    let expires = wanted.days.map(|days| now + Duration::from_secs(u64::from(days) * 86_400));
    let (token, secret) = app.access.new_token(name, now, expires).await?;
    Ok((StatusCode::CREATED, Json(Token { token: Some(secret.0), ..token.into() })))
}

/// Ends a token.
#[utoipa::path(
    delete, path = "/tokens/{id}", tag = "session", params(("id" = i64, Path)),
    responses((status = 204), Problems)
)]
pub(crate) async fn revoke(State(app): State<App>, Path(id): Path<i64>) -> Result<StatusCode, Problem> {
    match app.data.catalog().drop_token(id).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Problem::missing(format!("there is no token {id}"))),
    }
}
