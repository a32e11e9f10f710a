//! Every command that the README shows works as shown.

use std::fs;
use std::path::Path;
use std::process::Command;

use webs::program::{Options, start};

/// The blocks of a language in a Markdown text.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    text.split(fence.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_commands_of_the_readme_work_in_their_order() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let site = runtime.block_on(start(&Options::default())).unwrap();
    let here = tempfile::tempdir().unwrap();
    // The README's port may be taken on this machine; its own demo site is served in its place.
    let text = readme.replace("127.0.0.1:8300", &site.addr().to_string());
    let project = blocks(&text, "yaml");
    assert_eq!(project.len(), 1, "one project file is shown");
    fs::write(here.path().join("shop.yaml"), project[0]).unwrap();

    let bin = Path::new(env!("CARGO_BIN_EXE_gannet")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut ran = 0;
    for line in blocks(&text, "sh").iter().flat_map(|block| block.lines()) {
        if line.contains("demo-site") {
            assert!(line.ends_with(" &"), "{line}");
            continue;
        }
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(here.path())
            .env("PATH", &path)
            .env_remove("GANNET_DATA")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {}\n{errors}", output.status);
        assert!(!errors.contains("gannet:"), "{line}: {errors}");
        ran += 1;
    }
    assert!(ran >= 12, "{ran} commands");
    for file in ["pages.csv", "pages.jsonl", "pages.sqlite", "sitemap.xml", "crawl.warc.gz"] {
        assert!(fs::metadata(here.path().join(file)).unwrap().len() > 0, "{file} is empty");
    }
}
