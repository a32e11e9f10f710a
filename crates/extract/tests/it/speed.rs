//! How fast pages are read: `cargo test --release -p extract -- --ignored --nocapture speed`.

use std::hint::black_box;

use bytes::Bytes;
use extract::Input;
use model::{Headers, Normalise, PageUrl};

#[test]
#[ignore = "prints a figure, checks nothing"]
fn speed() {
    let page = include_str!("../../../html/tests/pages/shop.html").repeat(9);
    let url = PageUrl::parse("http://e.com/dir/page").unwrap();
    let headers = Headers(vec![("content-type".to_owned(), Bytes::from_static(b"text/html; charset=utf-8"))]);
    let normalise = Normalise::default();
    let body = page.as_bytes();
    let input = Input { url: &url, headers: &headers, body, normalise, max_links: 1_000, agent: "gannet" };
    measure("without a tree", body.len(), || drop(black_box(extract::page(&input))));
    measure("with a tree", body.len(), || drop(black_box(extract::page_and_tree(&input))));
}

/// Markup made to cost more than it should, as much of it as a body may have.
#[test]
#[ignore = "prints figures, checks nothing"]
fn hostile_speed() {
    let open_ups: String = (0..400).map(|nth| format!("<b id={nth}>")).collect();
    let other: String = (0..200).map(|nth| format!("<b id={nth}>")).collect();
    for (start, repeated) in [
        ("", "<div>"),
        ("", "<b>"),
        ("", "</x>"),
        ("<svg>", "<g>"),
        ("<svg><g><g>", "</z>"),
        ("<svg><foreignObject>", "<p></q>"),
        ("", "<a href=x>"),
        ("", "<table><td>"),
        ("", "<table>x"),
        ("", "<b a"),
        ("<p", " a=b c d"),
        ("", "&"),
        ("", "&amp"),
        ("", "<!--"),
        ("", "<title>"),
        ("", "<script><!--<script>"),
        ("", "<template>"),
        ("", "<select><option>"),
        ("", "<html a b c><body d>"),
        ("", "<math><annotation-xml encoding=text/html>"),
        (open_ups.as_str(), "<p>x</p>"),
        (other.as_str(), "<b></b>"),
        ("", "<i><p><b>x</i>"),
        ("", "<a><div>"),
        ("", "\u{e9}"),
        ("", "a "),
        ("", "\0"),
    ] {
        let html = start.to_owned() + &repeated.repeat((4 << 20) / repeated.len());
        let before = cpu_seconds();
        let headers = Headers(vec![("content-type".to_owned(), Bytes::from_static(b"text/html"))]);
        let url = PageUrl::parse("http://e.com/").unwrap();
        let body = html.as_bytes();
        let normalise = Normalise::default();
        let input =
            Input { url: &url, headers: &headers, body, normalise, max_links: 1_000, agent: "gannet" };
        drop(black_box(extract::page(&input)));
        let between = cpu_seconds();
        drop(black_box(extract::page_and_tree(&input)));
        let (read, parse) = (between - before, cpu_seconds() - between);
        println!("{read:.2} s without, {parse:.2} s with a tree: {repeated:?}");
    }
}

fn measure(name: &str, bytes: usize, run: impl Fn()) {
    const ROUNDS: u32 = 1_000;
    let start = cpu_seconds();
    (0..ROUNDS).for_each(|_| run());
    let seconds = cpu_seconds() - start;
    let each = seconds * 1_000.0 / f64::from(ROUNDS);
    let rate = bytes as f64 * f64::from(ROUNDS) / 1e6 / seconds;
    println!("{name}: {each:.3} ms for {bytes} bytes, {rate:.0} MB per CPU second");
}

/// Time this process has spent, from the kernel, in ticks of 10 ms.
pub(crate) fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}
