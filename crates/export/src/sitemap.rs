//! `sitemap.xml`, by the protocol of sitemaps.org: split where it would grow beyond 50,000 URLs or 50 MiB, with
//! an index file that names the parts.

use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

use model::{PageUrl, Timestamp};

use crate::{ExportError, FileTarget};

const MAX_URLS: u64 = 50_000;
const MAX_BYTES: u64 = 50 * 1024 * 1024;
/// The protocol allows no longer addresses.
const MAX_URL: usize = 2_047;
const OPEN: &str = concat!(
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
    "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
);
const CLOSE: &str = "</urlset>\n";

/// Writes a sitemap.
pub struct Sitemap {
    path: PathBuf,
    force: bool,
    max_urls: u64,
    max_bytes: u64,
    /// Where the parts will be found on the Web; the first URL's site until told.
    base: Option<String>,
    full: Vec<FileTarget>,
    current: Part,
    summary: SitemapSummary,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SitemapSummary {
    /// URLs listed.
    pub urls: u64,
    /// URLs left out because they are longer than the protocol allows.
    pub too_long: u64,
    /// Files written, the index included.
    pub files: Vec<PathBuf>,
}

struct Part {
    target: FileTarget,
    urls: u64,
    bytes: u64,
}

impl Sitemap {
    /// Begins a sitemap in the file `path`. Parts, if there must be any, stand beside it as `…-1.xml`, `…-2.xml`,
    /// and the index names them under `base`, or at the root of the first URL's site.
    pub fn create(path: &Path, force: bool, base: Option<&PageUrl>) -> Result<Sitemap, ExportError> {
        Sitemap::with_limits(path, force, base, MAX_URLS, MAX_BYTES)
    }

    fn with_limits(
        path: &Path,
        force: bool,
        base: Option<&PageUrl>,
        max_urls: u64,
        max_bytes: u64,
    ) -> Result<Sitemap, ExportError> {
        Ok(Sitemap {
            path: path.to_owned(),
            force,
            max_urls,
            max_bytes,
            base: base.map(|url| url.as_str().trim_end_matches('/').to_owned()),
            full: Vec::new(),
            current: Part::begin(FileTarget::create(path, force)?)?,
            summary: SitemapSummary::default(),
        })
    }

    /// Lists a URL.
    pub fn push(&mut self, url: &PageUrl, last_modified: Option<Timestamp>) -> Result<(), ExportError> {
        if url.as_str().len() > MAX_URL {
            self.summary.too_long += 1;
            return Ok(());
        }
        let mut entry = format!("<url><loc>{}</loc>", escape(url.as_str()));
        if let Some(moment) = last_modified {
            entry.push_str(&format!("<lastmod>{moment}</lastmod>"));
        }
        entry.push_str("</url>\n");
        let with_entry = self.current.bytes + (entry.len() + CLOSE.len()) as u64;
        if self.current.urls >= self.max_urls || (with_entry > self.max_bytes && self.current.urls > 0) {
            self.next_part()?;
        }
        if self.base.is_none() {
            self.base = Some(url.origin().to_string());
        }
        self.current.push(&entry)?;
        self.current.urls += 1;
        self.summary.urls += 1;
        Ok(())
    }

    /// Ends the sitemap: all of its files get their names now, the index last.
    pub fn finish(mut self) -> Result<SitemapSummary, ExportError> {
        self.current.push(CLOSE)?;
        if self.full.is_empty() {
            self.current.target.commit()?;
            self.summary.files.push(self.path);
            return Ok(self.summary);
        }
        let (path, force) = (self.path, self.force);
        self.current.target.close()?;
        self.full.push(self.current.target);
        let mut entries = String::new();
        for (number, part) in (1..).zip(self.full) {
            let part_path = part_path(&path, number);
            let name = part_path.file_name().unwrap_or_default().to_string_lossy();
            let base = self.base.as_deref().unwrap_or_default();
            entries
                .push_str(&format!("<sitemap><loc>{}</loc></sitemap>\n", escape(&format!("{base}/{name}"))));
            part.commit_as(&part_path)?;
            self.summary.files.push(part_path.clone());
        }
        let mut index = FileTarget::create(&path, force)?;
        let open = OPEN.replace("<urlset", "<sitemapindex");
        index.write_all(format!("{open}{entries}</sitemapindex>\n").as_bytes())?;
        index.commit()?;
        self.summary.files.push(path);
        Ok(self.summary)
    }

    fn next_part(&mut self) -> Result<(), ExportError> {
        // The part in hand keeps the name it has until the end; the next one starts under its own.
        let number = self.full.len() as u64 + 2;
        let next = Part::begin(FileTarget::create(&part_path(&self.path, number), self.force)?)?;
        let mut full = std::mem::replace(&mut self.current, next);
        full.push(CLOSE)?;
        full.target.close()?;
        self.full.push(full.target);
        Ok(())
    }
}

impl Part {
    fn begin(target: FileTarget) -> Result<Part, ExportError> {
        let mut part = Part { target, urls: 0, bytes: 0 };
        part.push(OPEN)?;
        Ok(part)
    }

    fn push(&mut self, text: &str) -> Result<(), ExportError> {
        self.target.write_all(text.as_bytes())?;
        self.bytes += text.len() as u64;
        Ok(())
    }
}

/// `sitemap.xml` -> `sitemap-1.xml`.
fn part_path(path: &Path, number: u64) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{number}{ending}"))
}

fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    Cow::Owned(escaped.replace('"', "&quot;").replace('\'', "&apos;"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn url(path: &str) -> PageUrl {
        PageUrl::parse(&format!("http://example.com/{path}")).unwrap()
    }

    #[test]
    fn a_small_sitemap_is_one_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sitemap.xml");
        let mut sitemap = Sitemap::create(&path, false, None).unwrap();
        sitemap.push(&url("a?b=1&c='2'"), Some(Timestamp(1_763_196_319_123))).unwrap();
        sitemap.push(&url(&"x".repeat(3_000)), None).unwrap();
        let summary = sitemap.finish().unwrap();
        assert_eq!(summary, SitemapSummary { urls: 1, too_long: 1, files: vec![path.clone()] });
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
             <url><loc>http://example.com/a?b=1&amp;c=%272%27</loc><lastmod>2025-11-15T08:45:19.123Z</lastmod></url>\n\
             </urlset>\n"
        );
    }

    #[test]
    fn a_large_sitemap_is_split_and_its_index_names_the_parts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sitemap.xml");
        // Two URLs to a file, by number; then one, by size.
        for (max_urls, max_bytes, parts) in [(2, u64::MAX, 3), (100, 180, 5)] {
            let mut sitemap = Sitemap::with_limits(&path, true, None, max_urls, max_bytes).unwrap();
            for number in 0..5 {
                sitemap.push(&url(&number.to_string()), None).unwrap();
            }
            let summary = sitemap.finish().unwrap();
            assert_eq!((summary.urls, summary.files.len()), (5, parts + 1));
            let index = fs::read_to_string(&path).unwrap();
            assert!(index.contains("<sitemapindex xmlns=") && index.ends_with("</sitemapindex>\n"));
            let mut listed = Vec::new();
            for part in 1..=parts {
                let name = format!("sitemap-{part}.xml");
                assert!(index.contains(&format!("<loc>http://example.com/{name}</loc>")));
                let text = fs::read_to_string(dir.path().join(name)).unwrap();
                assert!(text.len() as u64 <= max_bytes);
                assert!(text.ends_with(CLOSE));
                listed.extend(
                    text.split("<loc>").skip(1).map(|rest| rest.split('<').next().unwrap().to_owned()),
                );
            }
            let expected: Vec<_> = (0..5).map(|number| url(&number.to_string()).to_string()).collect();
            assert_eq!(listed, expected);
            assert!(!dir.path().join("sitemap.xml.part").exists());
        }
    }

    #[test]
    fn an_unfinished_sitemap_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut sitemap = Sitemap::with_limits(&dir.path().join("s.xml"), false, None, 1, u64::MAX).unwrap();
        (0..3).for_each(|number| sitemap.push(&url(&number.to_string()), None).unwrap());
        drop(sitemap);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
