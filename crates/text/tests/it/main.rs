//! What the crate promises as a whole.

mod typos;
