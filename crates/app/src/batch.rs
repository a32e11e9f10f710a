//! JSON lines in, one JSON line out for each, in order: how scripts use the one-shot tools.
//!
//! A bad line gives an error in its place and never stops the rest.

use std::io::{self, BufRead, Read, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// Longest line that is read.
const MAX_LINE: u64 = 16 << 20;

/// Answers each line of `input` on `output`.
pub(crate) fn run<Question, Answer>(
    input: impl Read,
    output: impl Write,
    answer: impl Fn(Question) -> Answer,
) -> io::Result<()>
where
    Question: DeserializeOwned,
    Answer: Serialize,
{
    let mut input = io::BufReader::with_capacity(64 << 10, input);
    let mut output = io::BufWriter::new(output);
    let mut line = Vec::new();
    let mut number: u64 = 0;
    loop {
        line.clear();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        number += 1;
        let whole = line.last() == Some(&b'\n') || (line.len() as u64) < MAX_LINE;
        let bad = |problem: String| json!({ "error": problem, "line": number });
        if !whole {
            input.skip_until(b'\n')?;
            serde_json::to_writer(&mut output, &bad(format!("longer than {MAX_LINE} bytes")))?;
        } else {
            match serde_json::from_slice(&line) {
                Ok(question) => serde_json::to_writer(&mut output, &answer(question))?,
                Err(error) => {
                    serde_json::to_writer(&mut output, &bad(format!("not understood: {}", words(&error))))?
                }
            }
        }
        output.write_all(b"\n")?;
        // Someone who waits for the answer before asking again must get it.
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
    output.flush()
}

/// A file that a line names. Standard input cannot be one: the questions come from there.
pub(crate) fn file(path: &Path) -> Result<&Path, String> {
    if path == Path::new("-") {
        return Err("file: - is standard input, from which these lines come; name a file".to_owned());
    }
    Ok(path)
}

/// The error without its place: the line is always the first.
fn words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((words, _)) if error.line() > 0 => format!("{words} at column {}", error.column()),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Question {
        n: u32,
    }

    fn check(input: &[u8], expected: &str) {
        let mut output = Vec::new();
        run(input, &mut output, |question: Question| json!({ "twice": question.n * 2 })).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), expected);
    }

    #[test]
    fn each_line_is_answered_in_order() {
        check(b"{\"n\":1}\n{\"n\":2}\n", "{\"twice\":2}\n{\"twice\":4}\n");
        check(b"{\"n\":1}", "{\"twice\":2}\n");
        check(b"", "");
    }

    #[test]
    fn a_bad_line_is_an_error_in_its_place() {
        check(
            b"{\"n\":1}\nnonsense\n\n{}\n\xff\n{\"n\":4}\n",
            "{\"twice\":2}\n\
             {\"error\":\"not understood: expected ident at column 2\",\"line\":2}\n\
             {\"error\":\"not understood: EOF while parsing a value at column 0\",\"line\":3}\n\
             {\"error\":\"not understood: missing field `n` at column 2\",\"line\":4}\n\
             {\"error\":\"not understood: expected value at column 1\",\"line\":5}\n\
             {\"twice\":8}\n",
        );
    }

    #[test]
    fn an_endless_line_is_passed_over() {
        let mut input = vec![b'x'; usize::try_from(MAX_LINE).unwrap() + 5];
        input.extend_from_slice(b"\n{\"n\":1}\n");
        check(&input, "{\"error\":\"longer than 16777216 bytes\",\"line\":1}\n{\"twice\":2}\n");
    }
}
