//! Where the rows of an answer go, one at a time.

use std::ops::ControlFlow;

use serde::Serialize;
use serde_json::Value;

use crate::ServiceError;

/// Takes one value of an answer; breaks when no more is wanted.
pub(crate) struct Sink<'a>(pub(crate) &'a mut dyn FnMut(Value) -> ControlFlow<()>);

impl Sink<'_> {
    pub(crate) fn send(&mut self, row: &impl Serialize) -> Result<(), ServiceError> {
        let value = serde_json::to_value(row).expect("rows have only text keys");
        match (self.0)(value) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ServiceError::Closed),
        }
    }
}
