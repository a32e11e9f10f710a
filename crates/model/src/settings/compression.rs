//! How pages are compressed in the archive.

use std::fmt;
use std::str::FromStr;

use super::text::{ValueError, written_as_text};

/// How much is done to make an archive small. Whatever it is, every record is a gzip member of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// As fast as pages come.
    #[default]
    Fast,
    /// Smaller, at the cost of time.
    Small,
    /// Pages stay as they are.
    None,
}

written_as_text!(Compression, "fast, small or none");

impl FromStr for Compression {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Compression, ValueError> {
        match text {
            "fast" => Ok(Compression::Fast),
            "small" => Ok(Compression::Small),
            "none" => Ok(Compression::None),
            _ => Err(ValueError::new(text, "way to compress", "write fast, small or none")),
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compression::Fast => "fast",
            Compression::Small => "small",
            Compression::None => "none",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::{check, check_refused};
    use super::*;

    #[test]
    fn ways_to_compress_read_back_as_written() {
        for text in ["fast", "small", "none"] {
            check::<Compression>(text, text);
        }
        check_refused::<Compression>("best", "\"best\" is no way to compress; write fast, small or none");
    }
}
