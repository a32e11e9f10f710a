//! Pages for the comparison: HTML files below a folder, as title and text. Tags are cut out and no more, since what counts
//! here is that all indexes are given the same.

use std::path::{Path, PathBuf};

/// More pages say nothing more.
const MOST: usize = 8_000;

/// Pages of less text are lists and stubs, longer ones whole books.
const LENGTHS: std::ops::Range<u64> = 4_000..200_000;

/// Titles and texts, some of every folder.
pub(crate) fn read(folder: &Path) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    collect(folder, true, &mut paths);
    paths.sort();
    let step = paths.len().div_ceil(MOST).max(1);
    let pages = paths.iter().step_by(step).filter_map(|path| std::fs::read(path).ok());
    pages.map(|page| page_of(&String::from_utf8_lossy(&page))).collect()
}

fn collect(folder: &Path, is_top: bool, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        // No links but those to whole sites: they would show the same page twice.
        if kind.is_dir() || is_top && kind.is_symlink() && path.is_dir() {
            collect(&path, false, paths);
        } else if kind.is_file()
            && path.extension().is_some_and(|ending| ending == "html")
            && entry.metadata().is_ok_and(|file| LENGTHS.contains(&file.len()))
        {
            paths.push(path);
        }
    }
}

fn page_of(html: &str) -> (String, String) {
    let mut title = String::new();
    let mut text = String::new();
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        text.push_str(&rest[..open]);
        text.push(' ');
        rest = &rest[open..];
        let skipped = ["script", "style"].iter().find(|name| rest[1..].starts_with(**name));
        if let Some(name) = skipped {
            rest = rest.find(&format!("</{name}")).map_or("", |end| &rest[end..]);
        }
        let is_title = rest.starts_with("<title");
        rest = rest.find('>').map_or("", |close| &rest[close + 1..]);
        if is_title && title.is_empty() {
            title = rest.split('<').next().unwrap_or_default().trim().to_owned();
        }
    }
    text.push_str(rest);
    (title, text.split_whitespace().collect::<Vec<_>>().join(" "))
}
