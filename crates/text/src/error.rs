//! What can be wrong with an analysis, a dictionary, a stored vocabulary or stored suggestions.

/// A setting or input that cannot be used, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// No language has this code.
    #[error("{place}: unknown language {code:?}; use an ISO 639-1 code such as en, de or fr")]
    UnknownLanguage {
        /// The setting.
        place: &'static str,
        /// What was written there.
        code: String,
    },
    /// There is no list of stop words for this language.
    #[error("stop_words.list: no stop words known for {code:?}; use none or one of {known}")]
    NoStopWords {
        /// What was written there.
        code: String,
        /// The codes that have a list.
        known: String,
    },
    /// A regular expression that cannot be compiled.
    #[error("{place}: {pattern:?} is no regular expression: {reason}")]
    Pattern {
        /// The setting, with the number of the entry where it is a list.
        place: String,
        /// The expression.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Bytes that are no vocabulary of ours.
    #[error("this vocabulary cannot be read: {reason}; build it again")]
    Vocabulary {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Bytes that are no suggestions of ours.
    #[error("this file of suggestions cannot be read: {reason}; build it again")]
    Suggestions {
        /// What is wrong with them.
        reason: &'static str,
    },
    /// A line of a dictionary of suggestions has the wrong shape.
    #[error("dictionary, line {line}: {reason}")]
    Dictionary {
        /// From 1.
        line: usize,
        /// What is wrong and what would be right.
        reason: String,
    },
}
