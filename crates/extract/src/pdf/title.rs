//! What a PDF is called: what it says of itself, unless a program wrote that; else the largest words of its first page.

use std::ops::Range;

/// Words that programs write where nobody gives a title, whatever number follows.
const NO_TITLES: &[&str] = &[
    "",
    "untitled",
    "untitled document",
    "no title",
    "title",
    "none",
    "null",
    "document",
    "new document",
    "blank",
    "blank page",
    "about:blank",
    "print",
    "scan",
    "scanned document",
    "image",
    "page",
    "slide",
    "layout",
    "presentation",
    "powerpoint presentation",
    "powerpoint-präsentation",
    "présentation powerpoint",
    "presentación de powerpoint",
    "unbenannt",
    "dokument",
    "folie",
    "sans titre",
    "sin título",
    "senza titolo",
    "sem título",
    "naamloos",
    "bez nazwy",
    "без имени",
    "無題",
    "未命名",
];

/// Ends of the names of files that PDFs are made from.
const FILES: &[&str] = &[
    "ai", "cdr", "doc", "docm", "docx", "dvi", "dwg", "eps", "fm", "htm", "html", "indd", "jpg", "key",
    "lwp", "odp", "ods", "odt", "p65", "pages", "pdf", "pmd", "png", "pps", "ppsx", "ppt", "pptx", "ps",
    "psd", "pub", "qxd", "qxp", "rtf", "sxw", "tex", "tif", "tiff", "tmp", "txt", "vsd", "wp", "wpd", "wps",
    "xls", "xlsx",
];

/// Programs that put themselves before the name of the file.
const PROGRAMS: &[&str] =
    &["microsoft word - ", "microsoft powerpoint - ", "microsoft excel - ", "microsoft publisher - "];

/// Whether somebody gave this title.
pub(super) fn is_title(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let name = lower.trim_end_matches(|c: char| c.is_numeric() || " -_()#.".contains(c));
    let end = lower.rsplit_once('.').map(|(_, end)| end);
    let is_place = ["http://", "https://", "file:"].iter().any(|scheme| lower.starts_with(scheme))
        || lower.contains(":\\");
    let is_program = PROGRAMS.iter().any(|program| lower.starts_with(program));
    !NO_TITLES.contains(&name)
        && !end.is_some_and(|end| FILES.contains(&end))
        && !is_place
        && !is_program
        && !lower.contains('\u{fffd}')
        && lower.chars().filter(|c| c.is_alphabetic()).count() >= 2
}

/// Sizes that the words of a page are drawn in, in order.
#[derive(Default)]
pub(super) struct Sizes {
    /// Each with the byte of the text from which it holds.
    sizes: Vec<(f64, usize)>,
}

/// Changes of size that are looked at.
const MOST_SIZES: usize = 2_000;
/// Sizes that differ by less are the same.
const ALIKE: f64 = 0.05;
/// A title is so many times larger than most words.
const LARGER: f64 = 1.15;
/// Bytes of a title at most, and its letters at least: others are slogans, ornaments, letters that begin a chapter.
const LONGEST: usize = 300;
const FEWEST_LETTERS: usize = 4;

impl Sizes {
    /// Notes that what follows `at` is drawn so large.
    pub(super) fn add(&mut self, size: f64, at: usize) {
        let same = |last: f64| (size / last - 1.0).abs() < ALIKE;
        if size.is_finite()
            && self.sizes.len() < MOST_SIZES
            && !self.sizes.last().is_some_and(|(last, _)| same(*last))
        {
            self.sizes.push((size, at));
        }
    }

    /// The largest words that may be a title.
    pub(super) fn title<'t>(&self, text: &'t str) -> Option<&'t str> {
        let ends = self.sizes.iter().skip(1).map(|(_, at)| *at).chain([text.len()]);
        let mut runs: Vec<(f64, Range<usize>)> =
            self.sizes.iter().zip(ends).map(|((size, start), end)| (*size, *start..end)).collect();
        // Largest first; of equals, the first on the page.
        runs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut larger = 0;
        // Most words are as large as those in the middle of all.
        let usual = runs.iter().find(|(_, run)| {
            larger += run.len();
            2 * larger >= text.len()
        })?;
        let words = |run: &Range<usize>| text.get(run.clone()).map(str::trim);
        let candidates = runs.iter().take_while(|(size, _)| *size > usual.0 * LARGER);
        candidates.filter_map(|(_, run)| words(run)).find(|words| {
            let letters = words.chars().filter(|c| c.is_alphabetic()).take(FEWEST_LETTERS).count();
            letters == FEWEST_LETTERS && words.len() <= LONGEST && is_title(words)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_write_is_no_title() {
        for title in [
            "untitled",
            "Untitled-1",
            " ",
            "-",
            "12",
            "Document1",
            "Microsoft Word - report_final.doc",
            "report.indd",
            "PowerPoint Presentation",
            "Slide 1",
            "C:\\texts\\report",
            "file:///tmp/x",
            "無題",
            "\u{fffd}\u{fffd}ab",
        ] {
            assert!(!is_title(title), "{title:?}");
        }
        for title in [
            "Tides",
            "Untitled poems",
            "Using node.js",
            "海",
            "潮汐表",
            "Version 2.0 of what?",
            "1984, a novel",
        ] {
            assert_eq!(is_title(title), title.chars().count() > 1, "{title:?}");
        }
    }

    #[test]
    fn the_largest_words_are_the_title() {
        let title = |runs: &[(f64, &str)]| {
            let (mut sizes, mut text) = (Sizes::default(), String::new());
            for (size, words) in runs {
                sizes.add(*size, text.len());
                text.push_str(words);
            }
            sizes.title(&text).map(str::to_owned)
        };
        let body = "words of the text ".repeat(20);
        let found = Some("A table of tides".to_owned());
        assert_eq!(
            title(&[(9.0, "journal "), (18.0, "A table of "), (18.2, "tides "), (10.0, &body)]),
            found
        );
        // Larger still: a letter that begins the text, a number.
        assert_eq!(title(&[(18.0, "A table of tides "), (40.0, "T"), (10.0, &body), (30.0, "12")]), found);
        assert_eq!(title(&[(10.5, "A table of tides "), (10.0, &body)]), None);
        assert_eq!(title(&[(10.0, &body)]), None);
        assert_eq!(title(&[(f64::NAN, "a"), (0.0, &body)]), None);
        assert_eq!(title(&[]), None);
    }
}
