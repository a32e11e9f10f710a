//! An analysis carried out: from a text to its words, each with the form in which it stands and the term under
//! which it is found. Where words begin and end is decided in [`crate::cut`].
//!
//! A word goes through lower case, possessives, stop words, short words, then the list of lemmas or, if that has
//! nothing, the stemmer; accents are folded last, because stemmers know the endings of their language with them.
//! "10,000" is written "10000" where the comma separates thousands, "U.S.A" is "usa".

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use frostem::Stemmer;
use regex::{Regex, RegexSet};
use unicode_normalization::UnicodeNormalization;

use crate::cache::Cache;
use crate::cut::{self, Piece};
use crate::fold::fold;
use crate::{Analysis, TextError, Tokenizer, language, stop_words};

/// Words of more characters are noise (encoded data, runs of letters): nobody searches for them.
const LONGEST_WORD: usize = 64;

/// Languages that join an article to its noun by an apostrophe.
const ELIDING: [&str; 4] = ["fr", "it", "ca", "ga"];

/// Cuts texts into words. Cheap to clone and to share.
#[derive(Clone)]
pub struct Analyzer {
    rules: Arc<Rules>,
    /// One for every thread that is at work; they live as long as the analyzer.
    caches: Arc<Mutex<Vec<Cache>>>,
}

/// One word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// As it stands, in lower case, folded, without possessive; not stemmed.
    pub exact: &'a str,
    /// What it is found under: its lemma or stem; none if it is a stop word or too short.
    pub term: Option<&'a str>,
    /// Its place among all words of the text, stop words counted.
    pub position: u32,
    /// Its first byte in the text.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
}

impl Analyzer {
    /// Checks the settings and makes them ready.
    pub fn new(analysis: &Analysis) -> Result<Analyzer, TextError> {
        Ok(Analyzer { rules: Arc::new(Rules::new(analysis)?), caches: Arc::default() })
    }

    /// Hands over every word of a text, in order. Words of more than 64 characters are left out, but counted.
    pub fn each(&self, text: &str, f: &mut dyn FnMut(Word<'_>)) {
        let mut cache = self.caches().pop().unwrap_or_else(Cache::new);
        let mut position = 0u32;
        let mut lower = [0u8; LONGEST_WORD];
        self.rules.cut(text, |Piece { start, end, is_word }| {
            let place = position;
            position = position.saturating_add(1);
            let raw = &text[start..end];
            let key = if raw.len() <= LONGEST_WORD && raw.is_ascii() && self.rules.lower_case {
                let lower = &mut lower[..raw.len()];
                lower.copy_from_slice(raw.as_bytes());
                lower.make_ascii_lowercase();
                std::str::from_utf8(lower).expect("ASCII is UTF-8")
            } else if raw.len() > LONGEST_WORD && raw.chars().nth(LONGEST_WORD).is_some() {
                return;
            } else {
                raw
            };
            let slot = cache.get(key, |key, out| self.rules.analyse(key, is_word, out));
            if slot.exact().is_empty() {
                return; // Nothing but vowel points or soft hyphens.
            }
            f(Word { exact: slot.exact(), term: slot.term(), position: place, start, end });
        });
        self.caches().push(cache);
    }

    /// The term a single word is found under; none for a stop word, a short word, or no word at all.
    /// Of several words the first counts.
    pub fn term(&self, word: &str) -> Option<String> {
        self.first(word)?.1
    }

    /// A single word as it stands: in lower case, folded, without possessive. Of several words the first counts;
    /// what is no word at all is only lower-cased and folded.
    pub fn exact(&self, word: &str) -> String {
        self.first(word).map_or_else(|| fold(&word.to_lowercase()), |(exact, _)| exact)
    }

    /// The other words of the groups that a word belongs to.
    pub fn synonyms(&self, word: &str) -> &[String] {
        self.rules.synonyms.get(&phrase_key(word)).map_or(&[], Vec::as_slice)
    }

    /// Whether words are stemmed, so that a term may differ from its exact form.
    pub fn stems(&self) -> bool {
        self.rules.stemmer.is_some() || !self.rules.lemmas.is_empty()
    }

    fn first(&self, word: &str) -> Option<(String, Option<String>)> {
        let mut first = None;
        self.each(word, &mut |word| {
            if first.is_none() {
                first = Some((word.exact.to_owned(), word.term.map(str::to_owned)));
            }
        });
        first
    }

    fn caches(&self) -> std::sync::MutexGuard<'_, Vec<Cache>> {
        // A cache is only ever pushed whole.
        self.caches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Analyzer").finish_non_exhaustive()
    }
}

struct Rules {
    tokenizer: Knife,
    lower_case: bool,
    fold: bool,
    possessives: bool,
    /// i has a dot in both cases or in neither.
    dotless_i: bool,
    /// A comma between digits separates thousands.
    comma_thousands: bool,
    stemmer: Option<Stemmer>,
    stop_words: HashSet<String>,
    stop_patterns: RegexSet,
    short_words: usize,
    lemmas: HashMap<String, String>,
    synonyms: HashMap<String, Vec<String>>,
}

enum Knife {
    Words { elision: bool },
    Whitespace,
    Letters,
    Regex(Regex),
    Bigrams,
}

impl Rules {
    fn new(analysis: &Analysis) -> Result<Rules, TextError> {
        let code = match &analysis.language {
            Some(code) => Some(
                language::known(code)
                    .ok_or_else(|| TextError::UnknownLanguage { place: "language", code: code.clone() })?,
            ),
            None => None,
        };
        let code = code.as_deref();
        let mut stop_words = HashSet::new();
        for word in stop_list(analysis, code)? {
            stop_words.insert(fold(word));
            stop_words.insert((*word).to_owned());
        }
        for word in &analysis.stop_words.words {
            let word = normal(word.trim(), true, false).into_owned();
            stop_words.insert(fold(&word));
            stop_words.insert(word);
        }
        let mut whole = Vec::new();
        for (index, pattern) in analysis.stop_words.patterns.iter().enumerate() {
            // Compiled alone, so that a parenthesis too many is not closed by ours.
            compiled(&format!("stop_words.patterns, entry {}", index + 1), pattern)?;
            whole.push(format!("^(?:{pattern})$"));
        }
        let stop_patterns = RegexSet::new(&whole).map_err(|error| TextError::Pattern {
            place: "stop_words.patterns".to_owned(),
            pattern: analysis.stop_words.patterns.join(" "),
            reason: error.to_string(),
        })?;
        let elision = code.is_some_and(|code| ELIDING.contains(&code));
        Ok(Rules {
            tokenizer: match &analysis.tokenizer {
                Tokenizer::Words => Knife::Words { elision },
                Tokenizer::Whitespace => Knife::Whitespace,
                Tokenizer::Letters => Knife::Letters,
                Tokenizer::Regex(pattern) => Knife::Regex(compiled("tokenizer.regex", pattern)?),
                Tokenizer::Bigrams => Knife::Bigrams,
            },
            lower_case: analysis.lower_case,
            fold: analysis.fold,
            possessives: analysis.possessives && !elision,
            dotless_i: matches!(code, Some("tr" | "az")),
            comma_thousands: matches!(code, None | Some("en")),
            stemmer: code.filter(|_| analysis.stem).and_then(language::stemmer),
            stop_words,
            stop_patterns,
            short_words: analysis.short_words,
            lemmas: analysis
                .lemmas
                .iter()
                .map(|(form, lemma)| {
                    (fold(&normal(form.trim(), true, false)), normal(lemma.trim(), true, false).into_owned())
                })
                .collect(),
            synonyms: synonyms(&analysis.synonyms),
        })
    }

    fn cut(&self, text: &str, mut each: impl FnMut(Piece)) {
        match &self.tokenizer {
            Knife::Words { elision } => cut::words(text, *elision, each),
            Knife::Whitespace => cut::between_spaces(text, each),
            Knife::Letters => cut::letters(text, each),
            Knife::Regex(pattern) => {
                for found in pattern.find_iter(text).filter(|found| !found.is_empty()) {
                    each(Piece { start: found.start(), end: found.end(), is_word: true });
                }
            }
            Knife::Bigrams => cut::words(text, false, |piece| {
                if piece.is_word {
                    cut::pairs(text, piece.start, piece.end, &mut each);
                } else {
                    each(piece);
                }
            }),
        }
    }

    /// Writes the exact form and the term of a word behind each other, and says where each ends.
    fn analyse(&self, raw: &str, is_word: bool, out: &mut String) -> (usize, Option<usize>) {
        let word = normal(raw, self.lower_case, self.dotless_i);
        let mut word = self.plain_number_or_acronym(word);
        if self.possessives && (word.ends_with("'s") || word.ends_with("'S")) && word.len() > 2 {
            word = Cow::Owned(word[..word.len() - 2].to_owned());
        }
        let exact = self.folded(&word);
        out.push_str(&exact);
        let exact_end = out.len();
        if !is_word {
            out.push_str(&exact);
            return (exact_end, Some(out.len()));
        }
        let lower = if self.lower_case { Cow::Borrowed(&*word) } else { normal(&word, true, self.dotless_i) };
        let stopped = self.stop_words.contains(&*lower)
            || !self.stop_patterns.is_empty() && self.stop_patterns.is_match(&lower);
        if stopped || self.short_words > 0 && exact.chars().count() <= self.short_words {
            return (exact_end, None);
        }
        let lemma = if self.lemmas.is_empty() { None } else { self.lemmas.get(&fold(&lower)) };
        let term = match (lemma, &self.stemmer) {
            (Some(lemma), _) => self.folded(lemma).into_owned(),
            (None, Some(stemmer)) if !word.ends_with(['+', '#']) => {
                self.folded(&stemmer.stem(&word)).into_owned()
            }
            _ => String::new(),
        };
        // A word that is all ending is still a word to someone who searches for it.
        out.push_str(if term.is_empty() { &exact } else { &term });
        (exact_end, Some(out.len()))
    }

    fn folded<'a>(&self, word: &'a str) -> Cow<'a, str> {
        if self.fold && !word.is_ascii() { Cow::Owned(fold(word)) } else { Cow::Borrowed(word) }
    }

    fn plain_number_or_acronym<'a>(&self, word: Cow<'a, str>) -> Cow<'a, str> {
        if self.comma_thousands && word.contains(',') && separates_thousands(&word) {
            Cow::Owned(word.replace(',', ""))
        } else if word.contains('.') && is_acronym(&word) {
            Cow::Owned(word.replace('.', ""))
        } else {
            word
        }
    }
}

fn stop_list(analysis: &Analysis, language: Option<&str>) -> Result<&'static [&'static str], TextError> {
    let Some(list) = &analysis.stop_words.list else {
        return Ok(language.and_then(stop_words::of).unwrap_or_default());
    };
    if list == "none" {
        return Ok(&[]);
    }
    let code = language::known(list)
        .ok_or_else(|| TextError::UnknownLanguage { place: "stop_words.list", code: list.clone() })?;
    stop_words::of(&code)
        .ok_or_else(|| TextError::NoStopWords { code: list.clone(), known: stop_words::codes().join(", ") })
}

fn compiled(place: &str, pattern: &str) -> Result<Regex, TextError> {
    Regex::new(pattern).map_err(|error| TextError::Pattern {
        place: place.to_owned(),
        pattern: pattern.to_owned(),
        // The last line says what is wrong; the others draw the pattern.
        reason: error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned(),
    })
}

/// One shape for every way to write the same letters, without what has no shape.
fn normal(word: &str, lower_case: bool, dotless_i: bool) -> Cow<'_, str> {
    if word.is_ascii() && !(dotless_i && word.contains('I')) {
        let is_lower = !lower_case || !word.bytes().any(|byte| byte.is_ascii_uppercase());
        return if is_lower { Cow::Borrowed(word) } else { Cow::Owned(word.to_ascii_lowercase()) };
    }
    let mut normal = String::with_capacity(word.len());
    for c in word.nfc().filter(|&c| !cut::is_ignored(c)) {
        match c {
            _ if cut::is_apostrophe(c) => normal.push('\''),
            'I' if lower_case && dotless_i => normal.push('ı'),
            'İ' if lower_case => normal.push('i'),
            _ if lower_case => normal.extend(c.to_lowercase()),
            _ => normal.push(c),
        }
    }
    Cow::Owned(normal)
}

fn separates_thousands(word: &str) -> bool {
    let whole = word.split('.').next().unwrap_or(word);
    let mut groups = whole.split(',');
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && digits(first))
        && groups.all(|group| group.len() == 3 && digits(group))
}

fn is_acronym(word: &str) -> bool {
    word.split('.').all(|part| {
        let mut letters = part.chars();
        letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
    })
}

fn synonyms(groups: &[Vec<String>]) -> HashMap<String, Vec<String>> {
    let mut all: HashMap<String, Vec<String>> = HashMap::new();
    for group in groups {
        for word in group {
            let own = phrase_key(word);
            let others = all.entry(own.clone()).or_default();
            for other in group {
                if phrase_key(other) != own && !others.contains(other) {
                    others.push(other.clone());
                }
            }
        }
    }
    all
}

/// Synonyms may be of several words: their spaces, case and accents do not matter.
fn phrase_key(phrase: &str) -> String {
    fold(&phrase.to_lowercase()).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
