//! Words: how a text is cut into them, their stems, stop words, languages, and which words are near another.
//!
//! Whatever compares words (an index, a query, a judge of topics) cuts its text here, so that all cut alike:
//! [`Analysis`] is the user's choice, [`Analyzer`] carries it out. [`language()`] guesses the language of a text,
//! [`spell`] finds the words near a mistyped one, [`suggest`] completes what is being typed. Nothing here
//! reads files or knows an index.

mod analysis;
mod analyzer;
mod cache;
mod cut;
mod edits;
mod error;
mod fold;
mod language;
mod qgrams;
pub mod spell;
mod stop_words;
mod stored;
mod strings;
pub mod suggest;

pub use analysis::{Analysis, StopWords, Tokenizer};
pub use analyzer::{Analyzer, Word};
pub use error::TextError;
pub use fold::fold;
pub use language::{Language, language};
pub use stored::seal;
