//! The formats a user can ask for.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::ExportError;

/// An export format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line.
    Jsonl,
    /// One JSON array of objects; rows only.
    Json,
    /// Comma-separated values.
    Csv,
    /// A SQLite file with the table `pages` or `rows`.
    Sqlite,
    /// `sitemap.xml`.
    Sitemap,
    /// The archive itself.
    Warc,
}

impl Format {
    /// Every name that `FromStr` takes.
    pub const NAMES: [&'static str; 6] = ["jsonl", "json", "csv", "sqlite", "sitemap", "warc"];

    /// The format that a file name asks for, if its ending says so.
    pub fn of_path(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let endings = [
            (".jsonl", Format::Jsonl),
            (".ndjson", Format::Jsonl),
            (".json", Format::Json),
            (".csv", Format::Csv),
            (".sqlite", Format::Sqlite),
            (".sqlite3", Format::Sqlite),
            (".db", Format::Sqlite),
            (".xml", Format::Sitemap),
            (".warc.gz", Format::Warc),
        ];
        endings.into_iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| format)
    }
}

impl FromStr for Format {
    type Err = ExportError;

    fn from_str(name: &str) -> Result<Format, ExportError> {
        match name {
            "jsonl" => Ok(Format::Jsonl),
            "json" => Ok(Format::Json),
            "csv" => Ok(Format::Csv),
            "sqlite" => Ok(Format::Sqlite),
            "sitemap" => Ok(Format::Sitemap),
            "warc" => Ok(Format::Warc),
            other => Err(ExportError::UnknownFormat(other.to_owned())),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Jsonl => "jsonl",
            Format::Json => "json",
            Format::Csv => "csv",
            Format::Sqlite => "sqlite",
            Format::Sitemap => "sitemap",
            Format::Warc => "warc",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back_and_others_are_refused_with_the_choice() {
        for name in Format::NAMES {
            assert_eq!(name.parse::<Format>().unwrap().to_string(), name);
        }
        let error = "xlsx".parse::<Format>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown export format \"xlsx\"; known are jsonl, json, csv, sqlite, sitemap, warc"
        );
    }

    #[test]
    fn a_file_name_may_say_its_format() {
        for (path, format) in [
            ("a/pages.JSONL", Some(Format::Jsonl)),
            ("rows.json", Some(Format::Json)),
            ("pages.csv", Some(Format::Csv)),
            ("x.db", Some(Format::Sqlite)),
            ("sitemap.xml", Some(Format::Sitemap)),
            ("all.warc.gz", Some(Format::Warc)),
            ("pages", None),
        ] {
            assert_eq!(Format::of_path(Path::new(path)), format, "{path}");
        }
    }
}
