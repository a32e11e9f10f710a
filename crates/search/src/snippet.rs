//! What is shown of a text: the passages that answer best, with the query's words marked.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use text::Analyzer;

use crate::plan::Marks;

/// Text in pieces, some of them marked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marked(pub Vec<Piece>);

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// It is what was looked for.
    pub marked: bool,
}

/// Passages shown, and how long each may be, in characters.
const PASSAGES: usize = 3;
const LENGTH: usize = 160;

/// Text looked through for passages, in bytes.
const LOOKED_THROUGH: usize = 256 * 1024;

/// A word that is marked.
#[derive(Clone, Debug)]
struct Hit {
    start: usize,
    end: usize,
    /// Which word of the query: passages with many different ones are better.
    word: String,
    worth: f64,
}

impl Marked {
    /// Without marks.
    pub fn plain(text: &str) -> Marked {
        Marked(vec![Piece { text: text.to_owned(), marked: false }])
    }

    /// With words between these marks.
    pub fn with(&self, open: &str, close: &str) -> String {
        let mut text = String::new();
        for piece in &self.0 {
            if piece.marked {
                text.extend([open, &piece.text, close]);
            } else {
                text.push_str(&piece.text);
            }
        }
        text
    }
}

/// A whole text with its words marked.
pub fn mark(text: &str, analyzer: &Analyzer, marks: &Marks) -> Marked {
    pieces(text, 0, text.len(), &hits(text, analyzer, marks))
}

/// The best passages of a text, in its order; its beginning if nothing is to be marked.
pub fn passages(text: &str, analyzer: &Analyzer, marks: &Marks) -> Vec<Marked> {
    let text = &text[..text.floor_char_boundary(LOOKED_THROUGH)];
    let hits = hits(text, analyzer, marks);
    if hits.is_empty() {
        let end = widen_end(text, text.floor_char_boundary(LENGTH));
        let mut beginning = pieces(text, 0, end, &[]);
        if end < text.len() {
            beginning.0.push(Piece { text: " …".to_owned(), marked: false });
        }
        return if text.trim().is_empty() { Vec::new() } else { vec![beginning] };
    }
    let mut chosen: Vec<(usize, usize)> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for _ in 0..PASSAGES {
        let mut best: Option<(f64, usize, usize)> = None;
        for (first, hit) in hits.iter().enumerate() {
            let last =
                hits[first..].iter().take_while(|other| other.end <= hit.start + LENGTH).count() + first;
            let inside = &hits[first..last.max(first + 1)];
            let (start, end) = (hit.start, inside[inside.len() - 1].end);
            if chosen.iter().any(|(from, to)| start < *to + LENGTH / 4 && end + LENGTH / 4 > *from) {
                continue;
            }
            let mut words: Vec<&str> = inside.iter().map(|hit| hit.word.as_str()).collect();
            words.sort_unstable();
            words.dedup();
            let new = words.iter().filter(|word| !seen.contains(word)).count() as f64;
            let worth: f64 = inside.iter().map(|hit| hit.worth).sum::<f64>().min(8.0);
            let value = 4.0 * new + words.len() as f64 + 0.2 * worth - first as f64 * 1e-6;
            if best.is_none_or(|(known, ..)| value > known) {
                best = Some((value, start, end));
            }
        }
        let Some((_, start, end)) = best else { break };
        let inside = hits.iter().filter(|hit| hit.start >= start && hit.end <= end);
        seen.extend(inside.map(|hit| hit.word.as_str()));
        chosen.push((start, end));
    }
    chosen.sort_unstable();
    let mut passages = Vec::with_capacity(chosen.len());
    for (start, end) in chosen {
        let room = LENGTH.saturating_sub(end - start) / 2;
        let from = widen_start(text, text.floor_char_boundary(start.saturating_sub(room)), start);
        let to = widen_end(text, text.ceil_char_boundary((end + room).min(text.len()))).max(end);
        let mut passage = pieces(text, from, to, &hits);
        let dots = |text: &str| Piece { text: text.to_owned(), marked: false };
        if from > 0 {
            passage.0.insert(0, dots("… "));
        }
        if to < text.len() {
            passage.0.push(dots(" …"));
        }
        passages.push(passage);
    }
    passages
}

/// From here or from the next word on, but not past `latest`.
fn widen_start(text: &str, from: usize, latest: usize) -> usize {
    if from == 0 {
        return 0;
    }
    let next = text[from..latest].find(char::is_whitespace).map(|at| from + at);
    let next = next.map(|at| at + text[at..].chars().next().map_or(0, char::len_utf8));
    next.unwrap_or(from).min(latest)
}

/// Up to here or to the end of the word before.
fn widen_end(text: &str, to: usize) -> usize {
    if to >= text.len() {
        return text.len();
    }
    text[..to].rfind(char::is_whitespace).filter(|at| *at + LENGTH / 2 > to).unwrap_or(to)
}

/// A stretch of text in pieces, white space made single.
fn pieces(text: &str, from: usize, to: usize, hits: &[Hit]) -> Marked {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut push = |part: &str, marked: bool| {
        let mut squeezed = String::with_capacity(part.len());
        for c in part.chars() {
            let blank = c.is_whitespace() || c.is_control();
            if !blank {
                squeezed.push(c);
            } else if !squeezed.ends_with(' ') {
                squeezed.push(' ');
            }
        }
        if !squeezed.is_empty() {
            pieces.push(Piece { text: squeezed, marked });
        }
    };
    let mut at = from;
    for hit in hits.iter().filter(|hit| hit.start >= from && hit.end <= to) {
        if hit.start < at {
            continue;
        }
        push(&text[at..hit.start], false);
        push(&text[hit.start..hit.end], true);
        at = hit.end;
    }
    push(&text[at..to], false);
    Marked(pieces)
}

/// The words of a text that the query looked for. Words of a phrase count where the whole phrase stands, or where they
/// were also asked for alone.
fn hits(text: &str, analyzer: &Analyzer, marks: &Marks) -> Vec<Hit> {
    let mut hits = Vec::new();
    let longest = marks.phrases.iter().map(|row| row.words.len()).max().unwrap_or_default();
    // The last words read, for phrases: start, end, word and stem.
    let mut recent: VecDeque<(usize, usize, String, Option<String>)> = VecDeque::new();
    analyzer.each(text, &mut |word| {
        let single = match word.term {
            Some(term) if marks.terms.contains(term) => Some(term.to_owned()),
            _ if marks.exact.contains(word.exact) => Some(word.exact.to_owned()),
            _ if marks.prefixes.iter().any(|prefix| word.exact.starts_with(prefix.as_str())) => {
                Some(word.exact.to_owned())
            }
            _ => None,
        };
        if let Some(found) = single {
            hits.push(Hit { start: word.start, end: word.end, word: found, worth: 1.0 });
        }
        if longest > 0 {
            let stem = word.term.map(str::to_owned);
            recent.push_back((word.start, word.end, word.exact.to_owned(), stem));
            if recent.len() > longest {
                recent.pop_front();
            }
            for row in &marks.phrases {
                let Some(skip) = recent.len().checked_sub(row.words.len()) else { continue };
                let same = recent.iter().skip(skip).zip(&row.words).all(|((.., exact, stem), wanted)| {
                    let seen = if row.stemmed { stem.as_ref() } else { Some(exact) };
                    wanted.is_none() || seen == wanted.as_ref()
                });
                if let (true, Some(first), Some(last)) = (same, recent.get(skip), recent.back()) {
                    let word = row.words.iter().flatten().cloned().collect::<Vec<_>>().join(" ");
                    hits.push(Hit { start: first.0, end: last.1, word, worth: 3.0 });
                }
            }
        }
    });
    // The longest first where several begin; what overlaps is left out when pieces are cut.
    hits.sort_by(|one, other| one.start.cmp(&other.start).then(other.end.cmp(&one.end)));
    hits
}
