//! The settings of an analysis: plain data, part of a project's file. [`crate::Analyzer`] carries them out.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a text becomes words that can be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Analysis {
    /// ISO 639-1 code of the text's language, such as `en`: it chooses the stemmer and the list of stop words.
    /// Without it words are neither stemmed nor left out.
    pub language: Option<String>,
    /// Where a word begins and ends.
    pub tokenizer: Tokenizer,
    /// Take upper and lower case for the same.
    pub lower_case: bool,
    /// Take letters with and without accents for the same, ß for ss, ligatures and full-width letters for plain ones.
    pub fold: bool,
    /// Take forms of a word for the same by cutting off endings, as `language` has them.
    pub stem: bool,
    /// Leave off 's at the end of a word.
    pub possessives: bool,
    /// Words that are too common to search for.
    pub stop_words: StopWords,
    /// Leave out words of this many letters or fewer.
    pub short_words: usize,
    /// Forms and the word they are forms of: `mice: mouse`. What stands here is not stemmed.
    pub lemmas: BTreeMap<String, String>,
    /// Groups of words that mean the same: `[[car, automobile]]`. A query for one finds the others.
    pub synonyms: Vec<Vec<String>>,
}

impl Default for Analysis {
    fn default() -> Self {
        Analysis {
            language: None,
            tokenizer: Tokenizer::Words,
            lower_case: true,
            fold: true,
            stem: true,
            possessives: true,
            stop_words: StopWords::default(),
            short_words: 0,
            lemmas: BTreeMap::new(),
            synonyms: Vec::new(),
        }
    }
}

impl Analysis {
    /// The defaults for a language.
    pub fn of_language(code: &str) -> Analysis {
        Analysis { language: Some(code.to_owned()), ..Analysis::default() }
    }
}

/// Where a word begins and ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tokenizer {
    /// Words as people read them, numbers included; Chinese, Japanese, Korean and Thai in overlapping pairs of
    /// characters.
    #[default]
    Words,
    /// Whatever stands between white space, punctuation included.
    Whitespace,
    /// Runs of letters; digits separate like any other character.
    Letters,
    /// Every match of a regular expression.
    Regex(String),
    /// Overlapping pairs of letters, whatever the script: finds parts of words. Neither stemmed nor left out.
    Bigrams,
}

/// Words that are too common to search for. They keep their place, so that phrases count true distances.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StopWords {
    /// Code of the language whose list is used, or `none`; when absent, the list of `language`.
    pub list: Option<String>,
    /// Further stop words.
    pub words: Vec<String>,
    /// Regular expressions; a word that one matches as a whole, in lower case, is left out.
    pub patterns: Vec<String>,
}
