//! A template of ten fields on pages of fifty rows, read by us and by parsel: pages per second of processor time,
//! parsing included. Pages and expressions are the same, and so must the values be: the first of each field in each
//! row, its white space collapsed. And how long finding the lists of a page of 1 MB takes.
//!
//! parsel runs in the Python named by `GANNET_BENCH_PYTHON`; `cargo xtask bench extract` sets it up.

use std::error::Error;
use std::fmt::Write as _;
use std::hash::Hasher as _;
use std::path::Path;
use std::process::Command;

use model::{Normalise, PageUrl, Project, Value};
use serde_json::json;
use template::Template;
use template::detect::detect;

const PAGES: usize = 40;
const ROWS: usize = 50;
/// How often each page is read: the processor's clock is coarse.
const ROUNDS: usize = 10;

const ROW: &str = "//div[@class='product']";
const XPATH: [&str; 7] = [
    "@data-sku",
    ".//h3/a/@href",
    ".//span[@class='old price']/text()",
    ".//div[contains(concat(' ', normalize-space(@class), ' '), ' stars ')]/@data-value",
    "normalize-space(.//span[@class='reviews'])",
    ".//dt[. = 'Brand']/following-sibling::dd[1]/text()",
    ".//p[last()]/text()",
];
const CSS: [&str; 3] = ["h3 > a::text", "span.now::text", "img::attr(src)"];

fn main() -> Result<(), Box<dyn Error>> {
    let pages: Vec<String> = (0..PAGES).map(page).collect();
    let bytes: usize = pages.iter().map(String::len).sum();
    println!("{PAGES} pages of {ROWS} rows, {} bytes each on average", bytes / PAGES);

    let parsel = parsel(&pages)?;
    let template = template()?;
    let url = PageUrl::parse("https://shop.test/list")?;
    let mut values = Vec::new();
    let start = processor_seconds()?;
    for _ in 0..ROUNDS {
        values.clear();
        for page in &pages {
            let tree = html::parse(page, &mut ());
            let reading = template.read(&tree, &url);
            values.extend(reading.rows.into_iter().flat_map(|row| row.values));
        }
    }
    let rate = (PAGES * ROUNDS) as f64 / (processor_seconds()? - start);

    let start = processor_seconds()?;
    for _ in 0..ROUNDS {
        for page in &pages {
            std::hint::black_box(html::parse(page, &mut ()));
        }
    }
    let parsing = (PAGES * ROUNDS) as f64 / (processor_seconds()? - start);

    match parsel {
        Some((theirs, same)) => {
            if same != digest(&values) {
                return Err("parsel found other values".into());
            }
            println!("measure: parsel = {theirs:.1} pages/CPU-s");
            println!("{:.2} times as many pages as parsel (1.5 is the aim)", rate / theirs);
        }
        None => println!("no parsel: set GANNET_BENCH_PYTHON to a Python that has it"),
    }
    println!("measure: gannet = {rate:.1} pages/CPU-s");
    println!("measure: gannet, parsing alone = {parsing:.1} pages/CPU-s");

    let large: Vec<String> = (0..).map(page).take(pages.len()).collect();
    let large = large.concat();
    let large =
        &large[..large.char_indices().map(|(at, _)| at).take_while(|at| *at <= 1 << 20).last().unwrap_or(0)];
    let start = processor_seconds()?;
    let tree = html::parse(large, &mut ());
    let found = detect(&tree);
    let millis = (processor_seconds()? - start) * 1e3;
    let rows = found.lists.first().map_or(0, |list| list.rows.len());
    println!("{} bytes: a list of {rows} rows (200 ms is the aim)", large.len());
    println!("measure: detect = {millis:.1} ms");
    Ok(())
}

fn template() -> Result<Template, Box<dyn Error>> {
    let xpath = XPATH.iter().map(|text| format!("xpath: \"{text}\""));
    let css = CSS.iter().map(|text| format!("css: \"{text}\""));
    let fields = xpath.chain(css).enumerate().map(|(at, text)| format!("      f{at}: {{{text}}}\n"));
    let fields: String = fields.collect();
    let project = format!(
        "version: 1\nproject: bench\nstart: [https://shop.test/]\nfields:\n  list:\n    rows: \"{ROW}\"\n    read:\n{fields}"
    );
    let project = Project::parse(&project, "bench.yaml")?;
    let fields = project.fields.ok_or("the project has fields")?;
    Ok(Template::compile(&fields, &[], Normalise::default())?)
}

/// A list as shops have it: not every row has every field.
fn page(number: usize) -> String {
    let mut html = String::from(
        "<!DOCTYPE html><html><head><title>Harbour shop</title><meta charset=utf-8></head><body>\n\
         <header><nav><ul><li><a href=\"/\">Home</a></li><li><a href=\"/all\">All</a></li></ul></nav></header>\n<main>\n",
    );
    for row in 0..ROWS {
        let id = number * ROWS + row;
        let old = if row % 3 == 0 { "<span class=\"old price\">£29.00</span>" } else { "" };
        let badge = if row % 5 == 0 { "<em class=badge>New</em>" } else { "" };
        let stars = row % 5;
        write!(
            html,
            "<div class=\"product\" data-sku=\"SKU-{id}\">\n  <a class=\"picture\" href=\"/p/{id}\"><img src=\"/i/{id}.jpg\" \
             alt=\"Picture of thing {id}\" width=200 height=200></a>\n  <h3><a href=\"/p/{id}\">Thing number {id} &amp; \
             its box</a></h3>{badge}\n  <div class=\"rating stars small\" data-value=\"{stars}\"><span \
             class=\"reviews\">\n    {id} reviews </span></div>\n  <span class=\"price now\">£{}.50</span> {old}\n  \
             <dl><dt>Colour</dt><dd>red</dd><dt>Brand</dt><dd>Maker {}</dd></dl>\n  <p>Made for those who like things, \
             with <b>care</b> and <a href=\"/care\">more</a>.</p><p>In stock: {row}</p>\n</div>\n",
            id % 90 + 10,
            id % 7,
        )
        .expect("a text takes what is written");
    }
    html.push_str("</main><footer><p>© Harbour shop</p></footer></body></html>\n");
    html
}

/// Pages per second of parsel, and the digest of its values; none without a Python.
fn parsel(pages: &[String]) -> Result<Option<(f64, String)>, Box<dyn Error>> {
    let Some(python) = std::env::var_os("GANNET_BENCH_PYTHON") else { return Ok(None) };
    let folder = tempfile::tempdir()?;
    let job = folder.path().join("job.json");
    std::fs::write(
        &job,
        serde_json::to_vec(
            &json!({ "pages": pages, "rounds": ROUNDS, "row": ROW, "xpath": XPATH, "css": CSS }),
        )?,
    )?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/bench_extract.py");
    let output = Command::new(python).arg(script).arg(&job).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let said = String::from_utf8(output.stdout)?;
    let (rate, digest) = said.trim().split_once(' ').ok_or("parsel said nothing")?;
    Ok(Some((rate.parse()?, digest.to_owned())))
}

/// FNV-1a over all values, as the script does it.
fn digest(values: &[Value]) -> String {
    struct Fnv(u64);
    impl std::hash::Hasher for Fnv {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, bytes: &[u8]) {
            for byte in bytes {
                self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
    }
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for value in values {
        hash.write(value.to_string().as_bytes());
        hash.write(b"\n");
    }
    format!("{:x}", hash.finish())
}

/// Processor time of this thread so far.
fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = spent.split_whitespace().next().ok_or("no schedstat")?.parse()?;
    Ok(nanoseconds / 1e9)
}
