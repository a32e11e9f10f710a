//! The web UI: embedded in the program, or from a folder while it is worked on.
//!
//! Files that the build compressed (`x.js.br`, `x.js.gz`) are sent as they are to those who take them.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

include!(concat!(env!("OUT_DIR"), "/dist.rs"));

/// Folder of files whose names change with their content.
const HASHED: &str = "assets/";

/// Where the UI's files are.
pub(crate) struct Assets {
    folder: Option<PathBuf>,
}

struct File {
    bytes: Cow<'static, [u8]>,
    hash: String,
}

impl Assets {
    pub(crate) fn new(folder: Option<PathBuf>) -> Assets {
        Assets { folder }
    }

    /// Whether there is a UI.
    pub(crate) fn has_ui(&self) -> bool {
        self.file("index.html").is_some()
    }

    /// The file of a path; any other path that a browser opens is a page of the UI, which is one file.
    pub(crate) fn respond(&self, path: &str, asked: &HeaderMap) -> Response {
        let name = path.trim_start_matches('/');
        let accepted = asked.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let is_page = !name.starts_with(HASHED) && (!name.contains('.') || accepted.contains("text/html"));
        let name = if is_page && self.file(name).is_none() { "index.html" } else { name };
        let Some(file) = self.file(name) else {
            return match name {
                "index.html" => (StatusCode::OK, [(header::CONTENT_TYPE, HTML)], NO_UI).into_response(),
                _ => (
                    StatusCode::NOT_FOUND,
                    [(header::CONTENT_TYPE, "text/plain; charset=utf-8")],
                    "not found\n",
                )
                    .into_response(),
            };
        };
        let tag = format!("\"{}\"", file.hash);
        let mut headers = HeaderMap::new();
        let caching =
            if name.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(header::ETAG, tag);
        }
        if asked.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(name)));
        for (ending, coding) in [("br", "br"), ("gz", "gzip")] {
            if takes(asked, coding)
                && let Some(packed) = self.file(&format!("{name}.{ending}"))
            {
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
                return (headers, Body::from(packed.bytes.into_owned())).into_response();
            }
        }
        (headers, Body::from(file.bytes.into_owned())).into_response()
    }

    fn file(&self, name: &str) -> Option<File> {
        match &self.folder {
            None => Dist::get(name).map(|file| File {
                hash: URL_SAFE_NO_PAD.encode(file.metadata.sha256_hash()),
                bytes: file.data,
            }),
            Some(folder) => {
                let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
                let bytes = plain.then(|| std::fs::read(folder.join(name)).ok())??;
                let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(&bytes));
                Some(File { bytes: bytes.into(), hash })
            }
        }
    }
}

const HTML: &str = "text/html; charset=utf-8";

/// Shown where the UI would be.
const NO_UI: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Gannet</title><link rel=stylesheet href=/plain.css>\
    <h1>Gannet is running</h1><p>This program was built without its web UI: \
    <code>make run</code> in its sources builds both. \
    <p>Everything can be asked through the <a href=/api>API</a> all the same.";

fn takes(asked: &HeaderMap, coding: &str) -> bool {
    let codings = asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    codings.flat_map(|list| list.split(',')).any(|item| {
        let mut parts = item.split(';').map(str::trim);
        parts.next().is_some_and(|name| name.eq_ignore_ascii_case(coding)) && parts.all(|part| part != "q=0")
    })
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => HTML,
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(accept: &str, coding: &str, expected: bool) {
        let mut asked = HeaderMap::new();
        asked.insert(header::ACCEPT_ENCODING, accept.parse().unwrap());
        assert_eq!(takes(&asked, coding), expected, "{accept}");
    }

    #[test]
    fn a_packed_file_goes_to_those_who_take_it() {
        check("gzip, deflate, br, zstd", "br", true);
        check("gzip;q=1.0, br;q=0", "br", false);
        check("identity", "gzip", false);
        check("GZIP", "gzip", true);
    }

    #[test]
    fn a_program_without_its_ui_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let assets = Assets::new(Some(dir.path().to_owned()));
        assert!(!assets.has_ui() && NO_UI.contains("built without its web UI"));
        let asked = |path: &str| assets.respond(path, &HeaderMap::new());
        assert_eq!(asked("/").status(), StatusCode::OK);
        assert_eq!(asked("/").headers()[header::CONTENT_TYPE], HTML);
        assert_eq!(asked("/assets/x.js").status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn no_path_leads_out_of_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("secret.txt"), "no").unwrap();
        let ui = dir.path().join("ui");
        std::fs::create_dir(&ui).unwrap();
        std::fs::write(ui.join("index.html"), "yes").unwrap();
        let assets = Assets::new(Some(ui));
        assert!(assets.file("index.html").is_some());
        for name in ["../secret.txt", "/etc/passwd", "a/../../secret.txt", "./index.html", ""] {
            assert!(assets.file(name).is_none(), "{name}");
        }
    }
}
