//! An idle server: memory of its own (`RssAnon`) and processor time, with nobody asking. The argument is how many
//! seconds are watched; 60 unless said.

use std::fs::read_to_string;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Clock ticks of a second, as the kernel tells them to everybody.
const TICKS: f64 = 100.0;

#[expect(clippy::disallowed_methods, reason = "a benchmark of doing nothing waits")]
fn main() {
    let seconds: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(60);
    let dir = tempfile::tempdir().expect("a folder for the data");
    let data = dir.path().join("data");
    let args = ["gannet", "serve", "--quiet", "--bind", "127.0.0.1:0", "--data"];
    let args: Vec<_> = args.iter().map(Into::into).chain([data.clone().into_os_string()]).collect();
    std::thread::spawn(move || app::run(args));
    while !data.join("gannet.sock").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    // What a start leaves behind is given back by then.
    std::thread::sleep(Duration::from_secs(5));
    let before = ticks();
    std::thread::sleep(Duration::from_secs(seconds));
    let used = (ticks() - before) / TICKS / seconds as f64 * 100.0;
    println!("measure: memory of an idle server = {:.1} MiB", rss_anon() / 1024.0);
    println!("measure: processor of an idle server = {used:.3} %");
}

/// KiB of memory that no file backs.
fn rss_anon() -> f64 {
    let status = read_to_string("/proc/self/status").expect("the kernel tells");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse().ok()).unwrap_or(f64::NAN)
}

/// Processor time so far, in ticks.
fn ticks() -> f64 {
    let stat = read_to_string("/proc/self/stat").expect("the kernel tells");
    // The name may hold anything, up to the last bracket.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let field = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(f64::NAN);
    field(11) + field(12)
}
