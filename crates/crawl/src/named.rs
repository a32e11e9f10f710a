//! Sitemaps and feeds that someone named: they are read whatever their servers call them.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use model::{CrawlSettings, Fetched, Normalise, PageUrl};

/// What servers call files of which they know nothing.
pub(crate) const UNNAMED: [&str; 2] = ["application/octet-stream", "binary/octet-stream"];

/// Lists remembered; those of further robots.txt are told by their type alone.
const MOST_LISTS: usize = 100_000;

/// The lists that the settings or a robots.txt name, and files that the ends of their names tell.
pub(crate) struct NamedLists {
    urls: RwLock<HashSet<PageUrl>>,
    /// Ends of names of what is wanted.
    ends: Vec<&'static str>,
    normalise: Normalise,
}

impl NamedLists {
    pub(crate) fn of(settings: &CrawlSettings) -> NamedLists {
        let named = settings.sitemaps.iter().chain(&settings.feeds).cloned();
        let documents = [
            (".pdf", "application/pdf"),
            (".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            (".odt", "application/vnd.oasis.opendocument.text"),
        ];
        let wanted = documents.into_iter().filter(|(_, content_type)| settings.wants(content_type));
        let lists = [".xml", ".xml.gz", ".txt.gz", ".rss", ".atom"];
        let lists = lists.into_iter().filter(|_| settings.reads_lists());
        NamedLists {
            urls: RwLock::new(named.collect()),
            ends: wanted.map(|(end, _)| end).chain(lists).collect(),
            normalise: settings.normalise(),
        }
    }

    pub(crate) fn has(&self, url: &PageUrl) -> bool {
        self.urls.read().unwrap_or_else(PoisonError::into_inner).contains(url)
    }

    pub(crate) fn add(&self, url: &PageUrl) {
        let mut urls = self.urls.write().unwrap_or_else(PoisonError::into_inner);
        if urls.len() < MOST_LISTS {
            urls.insert(url.clone());
        }
    }

    /// Where a named list has moved to is named, too.
    pub(crate) fn follow(&self, moved: &Fetched) {
        let to = || self.normalise.join(&moved.url, moved.headers.get("location")?).ok();
        if self.has(&moved.url)
            && let Some(to) = to()
        {
            self.add(&to);
        }
    }

    /// True of a URL that ends like a list or document that is wanted: a server may know no type for it.
    pub(crate) fn is_told_by_its_end(&self, url: &PageUrl) -> bool {
        let path = url.path().as_bytes();
        let ends = |end: &&str| {
            let at = path.len().checked_sub(end.len());
            at.is_some_and(|at| path[at..].eq_ignore_ascii_case(end.as_bytes()))
        };
        self.ends.iter().any(ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_their_ends_where_they_are_wanted() {
        let mut settings = CrawlSettings::default();
        let check = |settings: &CrawlSettings, url: &str, expected: bool| {
            let url = PageUrl::parse(url).expect("a URL");
            assert_eq!(NamedLists::of(settings).is_told_by_its_end(&url), expected, "{url}");
        };
        check(&settings, "http://e.test/a.PDF?x=1", true);
        check(&settings, "http://e.test/a.docx", true);
        check(&settings, "http://e.test/a.exe", false);
        check(&settings, "http://e.test/pdf", false);
        check(&settings, "http://e.test/sitemap.xml.gz", false);
        settings.robots_sitemaps = true;
        check(&settings, "http://e.test/sitemap.xml.gz", true);
        check(&settings, "http://e.test/data.tar.gz", false);
        settings.content_types.retain(|pattern| pattern.matches("text/html"));
        check(&settings, "http://e.test/a.pdf", false);
    }

    #[test]
    fn lists_that_were_named_are_known() {
        let url = |text: &str| PageUrl::parse(text).expect("a URL");
        let settings = CrawlSettings { feeds: vec![url("http://e.test/f")], ..CrawlSettings::default() };
        let named = NamedLists::of(&settings);
        named.add(&url("http://e.test/s"));
        assert!(named.has(&url("http://e.test/f")) && named.has(&url("http://e.test/s")));
        assert!(!named.has(&url("http://e.test/")));
    }
}
