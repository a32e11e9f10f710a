//! Ctrl-C and SIGTERM stop a crawl cleanly: what was fetched is kept, the same command goes on.

use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use webs::Answer;
use webs::demo::Demo;

use crate::kept::{Kept, assert_same};
use crate::process::{LONGEST, Running, eventually};
use crate::served::{Served, missing, small};

fn start(site: &Served, folder: &TempDir, name: &str, more: &[&str]) -> Running {
    let data = format!("--data={}", folder.path().join(name).display());
    let url = site.start_url();
    let mut args = vec!["crawl", &url, &data, "--allow-private", "--rate=unlimited", "--retry-wait=20ms"];
    args.extend(["--exclude=/calendar/*", "--linger=2s"]);
    args.extend(more);
    Running::start(&args)
}

#[test]
fn a_stopped_crawl_keeps_everything_and_goes_on() {
    let site = Served::start(Arc::new(Demo::new(1, 1)));
    let folder = tempfile::tempdir().unwrap();
    start(&site, &folder, "whole", &["-q"]).finish();
    let expected = Kept::read(&folder.path().join("whole"));
    let data = folder.path().join("stopped");
    for (signal, requests) in [("INT", 60), ("TERM", 80), ("INT", 1)] {
        let before = site.now();
        let mut run = start(&site, &folder, "stopped", &[]);
        site.wait_for(requests, before, || run.is_alive());
        run.signal(signal);
        let said = run.wait();
        assert_eq!(said.code, Some(130), "{signal}: {}", said.err);
        assert!(said.out.starts_with("stopped\n\nproject "), "{signal}: {}", said.out);
        assert!(
            said.err.contains("stopping: visits under way may end, Ctrl-C again ends at once"),
            "{}",
            said.err
        );
        let kept = Kept::read(&data);
        println!("{signal}: {} pages", kept.pages().len());
        assert!(kept.pages().len() < expected.pages().len());
    }
    let resumed = start(&site, &folder, "stopped", &[]).finish();
    assert!(resumed.err.starts_with("resuming 127.0.0.1"), "{}", resumed.err);
    assert!(resumed.out.starts_with("complete: every URL has its outcome"), "{}", resumed.out);
    assert_same(&expected, &Kept::read(&data));
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let site = Served::start(small(&[], |request| match request.path.as_str() {
        "/robots.txt" => missing(),
        _ => {
            let mut answer = Answer::new(200, "text/html", "<p>At last.</p>");
            answer.delay = Duration::from_secs(30);
            answer
        }
    }));
    let folder = tempfile::tempdir().unwrap();
    let mut run = start(&site, &folder, "data", &[]);
    site.wait_for(2, 0, || run.is_alive());
    run.signal("INT");
    eventually("it says that it stops", LONGEST, || run.errors().contains("stopping").then_some(()));
    assert!(run.is_alive(), "a visit is under way");
    run.signal("INT");
    let said = run.wait();
    assert_eq!((said.code, said.out.as_str()), (Some(130), ""));
}
