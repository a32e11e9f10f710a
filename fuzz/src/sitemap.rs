//! Sitemaps and feeds: the input is the file, compressed or not.

use extract::{SitemapKind, sitemap};
use model::{Normalise, PageUrl};

pub(crate) fn check(input: &[u8]) {
    let url = PageUrl::parse("http://e.com/dir/sitemap.xml").expect("a URL");
    let found = sitemap(input, &url, Normalise::default());
    let listed = found.urls.iter().chain(&found.sitemaps);
    let mut met = std::collections::HashSet::new();
    for one in listed {
        assert_eq!(PageUrl::parse(one.url.as_str()).as_ref(), Ok(&one.url), "URLs are canonical");
        assert!(met.insert(one.url.as_str()), "{} twice", one.url);
        if let Some(day) = &one.modified {
            assert!(day.len() >= 10 && day.is_char_boundary(10), "{day:?} is no day");
        }
    }
    assert!(found.kind != SitemapKind::Unknown || met.is_empty(), "what is no list names nothing");
}
