//! What can be wrong with judgments, rankings and names of measures.

/// Input that cannot be read, with the place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MeasureError {
    /// A line of judgments or of a run has the wrong shape.
    #[error("line {line}: {reason}: {text:?}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong and what would be right.
        reason: &'static str,
        /// The line, cut to what fits in a message.
        text: String,
    },
    /// No measure has this name.
    #[error(
        "unknown measure {0:?}; there are map, rr, mp@r, precision, recall, and p@k, recall@k, ndcg@k with a number k"
    )]
    UnknownMeasure(String),
    /// Two evaluations over different queries cannot be compared.
    #[error("the two evaluations share no query")]
    NothingShared,
}

impl MeasureError {
    pub(crate) fn line(number: usize, reason: &'static str, text: &str) -> MeasureError {
        MeasureError::Line { line: number, reason, text: text.chars().take(80).collect() }
    }
}
