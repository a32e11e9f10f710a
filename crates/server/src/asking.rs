//! Questions to `service`, which blocks, asked from handlers, which must not.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::Value;
use service::{Data, Request, ServiceError};

use crate::problem::Problem;
use crate::state::App;

/// Does something that blocks.
pub(crate) async fn blocking<T: Send + 'static>(
    app: &App,
    work: impl FnOnce(&Arc<Data>) -> Result<T, ServiceError> + Send + 'static,
) -> Result<T, Problem> {
    let data = app.data.clone();
    let done = tokio::task::spawn_blocking(move || work(&data)).await;
    Ok(done.map_err(|_| ServiceError::Lost)??)
}

/// The whole answer; only for requests that bound it.
pub(crate) async fn all(app: &App, request: Request) -> Result<Vec<Value>, Problem> {
    let now = (app.now)();
    blocking(app, move |data| {
        let mut rows = Vec::new();
        service::answer(data, &request, now, &mut |row| {
            rows.push(row);
            ControlFlow::Continue(())
        })?;
        Ok(rows)
    })
    .await
}

/// The only value of an answer.
pub(crate) async fn one(app: &App, request: Request) -> Result<Value, Problem> {
    Ok(all(app, request).await?.into_iter().next().unwrap_or_default())
}
