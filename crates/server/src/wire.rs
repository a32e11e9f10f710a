//! An answer on the wire: JSON lines, each a row, an end or an error, so that a broken connection is never
//! taken for a short answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use service::{Class, ServiceError};

/// A line of an answer.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Line {
    /// One value.
    Row(Value),
    /// Nothing went wrong, and that was all.
    End(u64),
    /// Something went wrong; nothing more comes.
    Error(Trouble),
}

/// What went wrong, as others may know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trouble {
    pub(crate) class: Class,
    pub(crate) message: String,
}

impl Line {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        serde_json::to_writer(&mut *out, self).expect("lines have only text keys, and memory takes them");
        out.push(b'\n');
    }
}

impl From<&ServiceError> for Trouble {
    fn from(error: &ServiceError) -> Trouble {
        Trouble { class: error.class(), message: error.sentence() }
    }
}
