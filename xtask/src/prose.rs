//! The prose: links in Markdown files lead to files and headings that exist, and nothing in the
//! repository names a package registry's host or one machine's folders.
//!
//! Links to the Web are not followed, tests do not leave the machine; links in doc comments are rustdoc's.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

/// Hosts, by their labels: written out, this file would name them.
const HOSTS: &[&[&str]] = &[
    &["crates", "io"],
    &["pypi", "org"],
    &["pythonhosted", "org"],
    &["npmjs", "org"],
    &["npmjs", "com"],
    &["deb", "debian", "org"],
];

/// Folders of one machine. Refused in prose and settings; in code they may well be paths of a URL.
const FOLDERS: &[&str] = &["/root/", "/home/"];

/// Made by tools, not by us.
const SKIPPED_FOLDERS: &[&str] =
    &[".git", "target", "node_modules", "dist", "gannet-data", "__pycache__", "corpus", "artifacts"];
const LOCK_FILES: &[&str] = &["Cargo.lock", "package-lock.json"];

/// Everything wrong in the texts below `root`, a sentence each.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let mut texts = BTreeMap::new();
    read_texts(root, Path::new(""), &mut texts)?;
    let mut problems = Vec::new();
    for (path, text) in &texts {
        if is_markdown(path) {
            problems.extend(check_links(root, path, text, &texts));
        }
        problems.extend(check_words(path, text));
    }
    Ok(problems)
}

/// Every text file of the repository by its path from the root; other files are passed over.
fn read_texts(root: &Path, folder: &Path, texts: &mut BTreeMap<PathBuf, String>) -> Result<()> {
    let whole = root.join(folder);
    let entries = std::fs::read_dir(&whole).with_context(|| format!("cannot list {}", whole.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let path = folder.join(&name);
        let name = name.to_string_lossy();
        let kind = entry.file_type()?;
        if kind.is_dir() && !SKIPPED_FOLDERS.contains(&&*name) {
            read_texts(root, &path, texts)?;
        } else if kind.is_file() && !LOCK_FILES.contains(&&*name) {
            let bytes =
                std::fs::read(entry.path()).with_context(|| format!("cannot read {}", path.display()))?;
            if let Ok(text) = String::from_utf8(bytes) {
                texts.insert(path, text);
            }
        }
    }
    Ok(())
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// Prose and settings: also files without an extension, such as the Makefile.
fn is_prose_or_settings(path: &Path) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) => ["md", "toml", "sh"].contains(&extension),
        None => true,
    }
}

fn check_words(path: &Path, text: &str) -> Vec<String> {
    let mut banned: Vec<(String, &str)> =
        HOSTS.iter().map(|labels| (labels.join("."), "a package registry's host")).collect();
    if is_prose_or_settings(path) {
        banned.extend(FOLDERS.iter().map(|folder| ((*folder).to_owned(), "a folder of one machine")));
    }
    let mut problems = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.to_lowercase();
        for (word, what) in &banned {
            if stands_alone(&line, word) {
                problems.push(format!("{}:{}: {word} is {what}", path.display(), number + 1));
            }
        }
    }
    problems
}

/// Whether `word` occurs with no letter or digit before or after it: `crates.iter()` names no host,
/// `example.com/home/` no folder of this machine.
fn stands_alone(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        // A folder ends with its slash: whatever follows lies in it.
        let after = after.filter(|_| !word.ends_with('/'));
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

fn check_links(root: &Path, path: &Path, text: &str, texts: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let mut problems = Vec::new();
    for (number, target) in links(text) {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        if let Some(reason) = broken(root, path, &target, texts) {
            problems.push(format!("{}:{number}: link to {target}: {reason}", path.display()));
        }
    }
    problems
}

/// Why a link from the file `path` leads nowhere.
fn broken(root: &Path, path: &Path, target: &str, texts: &BTreeMap<PathBuf, String>) -> Option<String> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = match file {
        "" => path.to_path_buf(),
        file => match resolve(path, file) {
            Some(resolved) => resolved,
            None => return Some("it leaves the repository".to_owned()),
        },
    };
    if !root.join(&file).exists() {
        return Some("no such file".to_owned());
    }
    if anchor.is_empty() || !is_markdown(&file) {
        return None;
    }
    let known = texts.get(&file).is_some_and(|text| anchors(text).contains(&anchor.to_owned()));
    (!known).then(|| format!("no heading #{anchor} there"))
}

/// The target's path from the root, without `.` and `..`.
fn resolve(from: &Path, target: &str) -> Option<PathBuf> {
    let start = match target.strip_prefix('/') {
        Some(rest) => PathBuf::from(rest),
        None => from.parent().unwrap_or(Path::new("")).join(target),
    };
    let mut path = PathBuf::new();
    for component in start.components() {
        match component {
            Component::ParentDir => path.pop().then_some(())?,
            Component::Normal(part) => path.push(part),
            _ => {}
        }
    }
    Some(path)
}

/// The lines outside code blocks, with their numbers, code spans blanked out.
fn prose_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut fence: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
            (None, None) => lines.push((index + 1, line.to_owned())),
        }
    }
    lines
}

/// Link targets with their line numbers: `[text](target)`, `[label]: target`.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose_lines(text) {
        let line = without_code_spans(&line);
        let inline = line.match_indices("](").map(|(start, mark)| &line[start + mark.len()..]);
        let definition = line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("]: "));
        for target in inline.chain(definition.map(|(_, target)| target)) {
            found.extend(target_of(target).map(|target| (number, target)));
        }
    }
    found
}

/// The target at the start of `rest`: in `<…>`, or up to white space or the closing bracket.
fn target_of(rest: &str) -> Option<String> {
    let rest = rest.trim_start();
    let target = match rest.strip_prefix('<') {
        Some(inside) => inside.split('>').next()?,
        None => rest.split(|c: char| c.is_whitespace() || c == ')').next()?,
    };
    (!target.is_empty()).then(|| target.to_owned())
}

fn without_code_spans(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    // An odd number of back-ticks: the last one opens nothing.
    let closed = parts.len() - (parts.len() + 1) % 2;
    let shown =
        parts.iter().enumerate().map(|(i, part)| if i % 2 == 1 && i < closed { "code" } else { part });
    shown.collect()
}

/// The anchors that a reader's Markdown view gives to the headings, and those set by hand.
fn anchors(text: &str) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut anchors = Vec::new();
    for (_, line) in prose_lines(text) {
        for mark in ["id=\"", "name=\""] {
            let by_hand = line.split(mark).skip(1).filter_map(|rest| rest.split('"').next());
            anchors.extend(by_hand.map(str::to_owned));
        }
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let slug = slug(title.trim());
        let count = seen.entry(slug.clone()).or_default();
        anchors.push(if *count == 0 { slug } else { format!("{slug}-{count}") });
        *count += 1;
    }
    anchors
}

fn slug(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks one file in a repository that also has `docs/guide.md` with two headings.
    fn check_file(path: &str, text: &str, expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("docs/guide.md", "# First steps\n\n## `make run`, then?\n"), (path, text)] {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        assert_eq!(check(folder.path()).unwrap(), expected, "{text}");
    }

    #[test]
    fn a_link_leads_to_a_file_or_is_told() {
        check_file("README.md", "see [guide](docs/guide.md) and [docs](docs)", &[]);
        check_file(
            "README.md",
            "\n[a](docs/gone.md \"t\")",
            &["README.md:2: link to docs/gone.md: no such file"],
        );
        check_file("README.md", "[a]: gone.md", &["README.md:1: link to gone.md: no such file"]);
        check_file("docs/a.md", "[up](../docs/guide.md) [root](/docs/guide.md)", &[]);
        check_file("docs/a.md", "[up](../../x)", &["docs/a.md:1: link to ../../x: it leaves the repository"]);
        check_file("README.md", "[web](https://example.com/gone.md) ![pic](<docs/guide.md>)", &[]);
    }

    #[test]
    fn an_anchor_leads_to_a_heading_or_is_told() {
        check_file("README.md", "[a](docs/guide.md#first-steps) [b](docs/guide.md#make-run-then)", &[]);
        check_file(
            "README.md",
            "# Top\n[a](#top) [b](docs/guide.md#last)",
            &["README.md:2: link to docs/guide.md#last: no heading #last there"],
        );
        check_file("README.md", "# A\n# A\n[a](#a-1)\n<a id=\"by-hand\"></a> [b](#by-hand)", &[]);
    }

    #[test]
    fn code_is_not_prose() {
        check_file("README.md", "```text\n[a](gone.md)\n```\n`[a](gone.md)` and `a` [b](docs/guide.md)", &[]);
        check_file("README.md", "a ` alone [b](gone.md)", &["README.md:1: link to gone.md: no such file"]);
    }

    #[test]
    fn a_registry_host_is_refused_everywhere_but_in_lock_files() {
        let host = HOSTS[0].join(".");
        check_file(
            "src/a.rs",
            &format!("// from static.{host}/x"),
            &[&format!("src/a.rs:1: {host} is a package registry's host")],
        );
        check_file("src/a.rs", "crates.iter(); crates.iota()", &[]);
        check_file("Cargo.lock", &host, &[]);
    }

    #[test]
    fn a_machine_folder_is_refused_in_prose_and_settings() {
        let folder = FOLDERS[1];
        check_file(
            "Makefile",
            &format!("cd {folder}me"),
            &[&format!("Makefile:1: {folder} is a folder of one machine")],
        );
        check_file("README.md", &format!("https://example.com{folder}x"), &[]);
        check_file("src/a.rs", &format!("\"{folder}\""), &[]);
    }
}
