//! Runs leave nothing behind in their process: no descriptor, no thread, no file.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::bench_site::Bench;
use crate::site::{Site, not_found, page};

const PAGES: usize = 40;

/// Open descriptors by what they are, and threads by name.
fn held() -> BTreeMap<String, usize> {
    let mut held = BTreeMap::new();
    for descriptor in std::fs::read_dir("/proc/self/fd").unwrap().flatten() {
        let Ok(target) = std::fs::read_link(descriptor.path()) else { continue };
        // Sockets and pipes carry a number of their own; files do not.
        let what = target.to_string_lossy().split(":[").next().unwrap_or_default().to_owned();
        *held.entry(what).or_default() += 1;
    }
    for thread in std::fs::read_dir("/proc/self/task").unwrap().flatten() {
        let Ok(name) = std::fs::read_to_string(thread.path().join("comm")) else { continue };
        *held.entry(format!("thread {}", name.trim())).or_default() += 1;
    }
    held
}

/// What is held beyond `before`, once it has not changed for a while; none when nothing is.
async fn beyond(before: &BTreeMap<String, usize>) -> Vec<(String, usize, usize)> {
    let mut surplus = Vec::new();
    for _ in 0..100 {
        let had = |what: &String| before.get(what).copied().unwrap_or(0);
        surplus = held()
            .into_iter()
            // Tokio starts threads for blocking work as it needs them, up to its limit, and ends idle ones later.
            .filter(|(what, _)| !what.starts_with("thread tokio"))
            .filter_map(|(what, count)| (count > had(&what)).then(|| (what.clone(), had(&what), count)))
            .collect();
        if surplus.is_empty() {
            break;
        }
        // Threads and connections end a moment after the run has said that it is over.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    surplus
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_in_the_same_process_holds_no_more_than_the_first_left() {
    let site = Site::serve(|request| match request.path.as_str() {
        "/robots.txt" => not_found(),
        "/" => {
            let links: Vec<String> = (0..PAGES).map(|number| format!("/page/{number}")).collect();
            page("Start", &links.iter().map(String::as_str).collect::<Vec<_>>())
        }
        path => page(path, &[]),
    })
    .await;
    let crawl = async || {
        let bench = Bench::new();
        bench.crawl(site.project(&bench, &[site.url("/")], |_| ())).await;
        let files = std::fs::read_dir(bench.dir.path()).unwrap().flatten();
        let mut names: Vec<_> = files.map(|file| file.file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, ["archive", "crawl", "hosts"], "a run leaves no file of its own");
    };
    let before = held();
    // What the process makes once and keeps, it makes now.
    crawl().await;
    let surplus = beyond(&before).await;
    println!("after the first run: {surplus:?}");
    let first = held();
    for _ in 0..3 {
        crawl().await;
    }
    assert_eq!(beyond(&first).await, []);
}
