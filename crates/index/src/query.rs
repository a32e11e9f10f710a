//! What is asked of an index: a tree whose words are already cut and stemmed.

/// A query.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Query {
    /// Every entry.
    #[default]
    Everything,
    /// None.
    Nothing,
    /// Entries with a word; its BM25 is their score.
    Term(Term),
    /// Entries with words that follow each other; scored as one word whose worth is the sum of theirs.
    Phrase {
        /// The words, all of one field and form, each with its place from the first.
        words: Vec<(u32, Term)>,
    },
    /// Entries in which two are within so many words of each other, in either order. Both sides are words, phrases and
    /// unions of them, of one field.
    Near {
        /// One.
        left: Box<Query>,
        /// The other.
        right: Box<Query>,
        /// In words; neighbours are 1 apart.
        distance: u32,
    },
    /// Entries that all of these match; scores are added.
    All(Vec<Query>),
    /// Entries that one of these matches; scores are added.
    Any(Vec<Query>),
    /// Entries that one of these matches; the best score counts.
    Best(Vec<Query>),
    /// Entries that an odd number of these match; scores are added.
    Odd(Vec<Query>),
    /// All other entries, without score.
    Not(Box<Query>),
    /// Parts side by side: those that must, must not, and may match. At the root those with all parts can come first.
    Loose(Vec<(Demand, Query)>),
    /// Matches without score.
    Silent(Box<Query>),
    /// Matches with something added to the score.
    Plus(Box<Query>, f64),
    /// Entries with this value in a keyword field.
    Keyword {
        /// The field.
        field: usize,
        /// The value.
        value: String,
    },
    /// Entries with a value between these, both included, in a number or date field.
    Between {
        /// The field.
        field: usize,
        /// From here; open if none.
        from: Option<f64>,
        /// Up to here; open if none.
        to: Option<f64>,
    },
}

/// A word in a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The field.
    pub field: usize,
    /// Which of its words.
    pub form: Form,
    /// As the analysis gave it.
    pub text: String,
    /// What it counts, beside its field's weight.
    pub boost: f64,
}

/// Which of a field's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// Stems, without stop words.
    Term,
    /// All words as they stand.
    Exact,
}

/// What a part of a loose query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Nothing: it may match.
    May,
    /// Nothing: it may match, and is no part of all parts.
    Also,
    /// It must.
    Must,
    /// It must not.
    MustNot,
}

impl Query {
    /// Calls `f` with every word whose statistics its scores need.
    pub(crate) fn each_term<'a>(&'a self, f: &mut dyn FnMut(&'a Term)) {
        match self {
            Query::Term(term) => f(term),
            Query::Phrase { words } => words.iter().for_each(|(_, term)| f(term)),
            Query::Near { left, right, .. } => {
                left.each_term(f);
                right.each_term(f);
            }
            Query::All(parts) | Query::Any(parts) | Query::Best(parts) | Query::Odd(parts) => {
                parts.iter().for_each(|part| part.each_term(f));
            }
            Query::Loose(parts) => parts
                .iter()
                .filter(|(demand, _)| *demand != Demand::MustNot)
                .for_each(|(_, part)| part.each_term(f)),
            Query::Plus(part, _) => part.each_term(f),
            Query::Not(_)
            | Query::Silent(_)
            | Query::Everything
            | Query::Nothing
            | Query::Keyword { .. }
            | Query::Between { .. } => {}
        }
    }
}
