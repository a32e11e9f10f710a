//! The graph as its users see it.

mod dense;
mod reference;
