//! Real pages for benchmarks: the HTML of Debian documentation packages, unpacked beside the build.
//!
//! Nothing is installed. Where packages cannot be had, the documentation that is installed serves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Site, package, and the folder of its pages. Together about 8,000 pages of 28 kB.
const PACKAGES: &[(&str, &str, &str)] = &[
    ("apache", "apache2-doc", "usr/share/doc/apache2-doc"),
    ("cmake", "cmake-doc", "usr/share/doc/cmake-data"),
    ("django", "python-django-doc", "usr/share/doc/python-django-doc"),
    ("git", "git-doc", "usr/share/doc/git-doc"),
    ("gtk", "libgtk-3-doc", "usr/share/gtk-doc/html/gtk3"),
    ("postgresql", "postgresql-doc-15", "usr/share/doc/postgresql-doc-15"),
    ("python", "python3.11-doc", "usr/share/doc/python3.11"),
    ("sqlite", "sqlite3-doc", "usr/share/doc/sqlite3"),
];

/// A benchmark of many hosts needs as many sites.
const FEWEST: usize = 7;

/// Pages that make an installed folder a site.
const SITE: usize = 50;

/// A folder with one folder, or a link to it, for each site; otherwise what is missing.
pub(crate) fn prepare(target: &Path) -> Result<PathBuf, String> {
    let folder = target.join("bench-documents");
    let (root, sites) = (folder.join("root"), folder.join("sites"));
    let failed = |error: std::io::Error| format!("cannot write to {}: {error}", folder.display());
    fs::create_dir_all(&root).map_err(failed)?;
    fs::create_dir_all(&sites).map_err(failed)?;
    let mut found = Vec::new();
    for (site, package, pages) in PACKAGES {
        let places = [root.join(pages), Path::new("/").join(pages)];
        // A folder of that name may hold no more than what every package has.
        if !places.iter().any(|place| is_site(place)) {
            unpack(package, &folder.join(package), &root);
        }
        found.extend(places.into_iter().find(|place| is_site(place)).map(|place| (*site, place)));
    }
    let others: Vec<(String, PathBuf)> = if found.len() < FEWEST { installed() } else { Vec::new() };
    for (site, pages) in found.into_iter().chain(others.iter().map(|(site, pages)| (&**site, pages.clone())))
    {
        println!("pages: {site}, {}", pages.strip_prefix(&root).unwrap_or(&pages).display());
        let place = sites.join(site);
        let _ = fs::remove_file(&place);
        std::os::unix::fs::symlink(&pages, &place).map_err(failed)?;
    }
    match fs::read_dir(&sites).map_err(failed)?.count() {
        0 => Err("no documentation packages to be had (apt-get download)".to_owned()),
        _ => Ok(sites),
    }
}

/// Fetches a package and unpacks it; without apt-get or a connection nothing comes of it.
fn unpack(package: &str, folder: &Path, root: &Path) {
    if fs::create_dir_all(folder).is_err() {
        return;
    }
    let run = |command: &mut Command| {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    };
    if !run(Command::new("apt-get").args(["download", package]).current_dir(folder)) {
        return;
    }
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        run(Command::new("dpkg-deb").arg("-x").arg(file.path()).arg(root));
    }
    let _ = fs::remove_dir_all(folder);
}

/// Installed documentation with enough pages.
fn installed() -> Vec<(String, PathBuf)> {
    let folders = fs::read_dir("/usr/share/doc").into_iter().flatten().flatten();
    let sites = folders.filter(|folder| is_site(&folder.path()));
    sites.map(|folder| (folder.file_name().to_string_lossy().into_owned(), folder.path())).collect()
}

fn is_site(folder: &Path) -> bool {
    pages(folder, SITE) >= SITE
}

/// Pages in a folder, counted up to a number.
fn pages(folder: &Path, most: usize) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if count >= most {
            break;
        }
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => count += pages(&path, most - count),
            _ => count += usize::from(path.extension().is_some_and(|ending| ending == "html")),
        }
    }
    count
}
