//! Rows read by a crawl of the demo site equal the site's own ground truth; a preview equals the run.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use archive::rows::{PageRows, ROWS, Stand, counts};
use crawl::{EndReason, Network, PageReader, WallClock, single_page};
use kv::Reader;
use model::{PageUrl, Project, Row, Template, Value};
use webs::truth::{ProductRow, Truth, TruthList, TruthOptions};
use webs::{Server, demo::Demo};

use crate::bench_site::{Bench, CRAWL};

/// The project that the documentation shows.
const SHOP: &str = include_str!("../../../../docs/examples/demo-shop.yaml");

const BLOG: &str = include_str!("../../../../docs/examples/demo-blog.yaml");
const BLOG_FIELDS: &str = include_str!("../../../../docs/examples/demo-blog.fields.yaml");

struct Shop {
    server: Server,
    truth: Truth,
}

impl Shop {
    async fn open(seed: u64, epoch: u64) -> Shop {
        let demo = Arc::new(Demo::new(seed, epoch));
        let server = Server::start(demo.clone(), SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let truth = demo.truth(&server.base(), TruthOptions::default());
        Shop { server, truth }
    }

    fn project(&self) -> Project {
        let mut project = Project::parse(SHOP, "demo-shop.yaml").unwrap_or_else(|error| panic!("{error}"));
        project.start = vec![PageUrl::parse(&format!("{}/shop/", self.server.base())).unwrap()];
        // The change feed names pages of the whole site.
        project.crawl.crawl_hints = false;
        project
    }

    /// Its lists of products.
    fn lists(&self) -> Vec<&TruthList> {
        self.truth.lists.iter().filter(|list| list.url.contains("/shop/")).collect()
    }

    fn product(&self, url: &str) -> &ProductRow {
        self.truth.products.iter().find(|product| product.url == url).unwrap_or_else(|| panic!("{url}"))
    }
}

/// What was kept of each page.
fn kept(bench: &Bench) -> BTreeMap<String, PageRows> {
    let pages = bench.store.iter(&ROWS).map(|row| row.unwrap().1);
    pages.map(|page| (page.url.to_string(), page)).collect()
}

/// A row's values by name, the empty ones left out.
fn named(project: &Project, row: &Row) -> BTreeMap<String, Value> {
    let page = project.fields.as_ref().unwrap().page(&row.page_type).unwrap();
    let pairs = page.read.iter().zip(&row.values).filter(|(_, value)| !value.is_empty());
    pairs.map(|(field, value)| (field.name.clone(), value.clone())).collect()
}

fn text(text: &str) -> Option<Value> {
    Some(Value::Text(text.to_owned())).filter(|_| !text.is_empty())
}

fn number(text: &str) -> Option<Value> {
    Some(Value::Number(text.parse().unwrap()))
}

fn price(amount: &str, currency: &str) -> Option<Value> {
    Some(Value::Price { amount: amount.parse().unwrap(), currency: Some(currency.to_owned()) })
}

/// What the site says a product is, as each page type of the example reads it.
fn expected(page_type: &str, product: &ProductRow) -> BTreeMap<String, Value> {
    let whole = |number: u64| Some(Value::Number(number as f64));
    let link = Some(Value::Link(product.url.clone()));
    let old = product.old_price.as_ref();
    let pairs: Vec<(&str, Option<Value>)> = match page_type {
        "next-link" | "pattern" => vec![
            ("title", text(&product.title)),
            ("price", price(&product.price, &product.currency)),
            ("old_price", old.and_then(|old| price(old, &product.currency))),
            ("discount", product.discount.map(|percent| Value::Number(-(percent as f64)))),
            ("rating", product.rating.as_deref().and_then(number)),
            ("reviews", whole(product.reviews).filter(|_| product.reviews > 0)),
            ("image", Some(Value::Image(product.image.clone()))),
            ("page", link),
        ],
        "table" => vec![
            ("title", text(&product.title)),
            ("sku", text(&product.sku)),
            ("colour", product.colour.as_deref().and_then(text)),
            ("weight", product.weight.and_then(whole)),
            ("price", price(&product.price, &product.currency)),
            ("stock", whole(product.stock)),
            ("page", link),
        ],
        "pictures" => vec![
            ("title", text(&product.title)),
            ("summary", text(&product.summary)),
            ("price", price(&product.price, &product.currency)),
            ("page", link),
        ],
        "product" => vec![
            ("name", text(&product.title)),
            ("number", text(&product.sku)),
            ("brand", text(&product.brand)),
            ("amount", number(&product.price)),
            ("currency", text(&product.currency)),
            ("stars", product.rating.as_deref().and_then(number)),
            ("shade", product.colour.as_deref().and_then(text)),
            ("grams", product.weight.and_then(whole)),
            ("about", text(&product.summary)),
        ],
        other => panic!("no page type {other}"),
    };
    pairs.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_the_demo_shop_equal_its_truth_and_its_preview() {
    for (seed, epoch) in [(1, 0), (4, 3)] {
        println!("seed {seed} epoch {epoch}");
        let shop = Shop::open(seed, epoch).await;
        let project = shop.project();
        let bench = Bench::new();
        let ended = bench.crawl(project.clone()).await;
        assert_eq!(ended.reason, EndReason::Complete);
        let pages = kept(&bench);
        let mut kinds = BTreeMap::new();
        for list in shop.lists() {
            let page = pages.get(&list.url).unwrap_or_else(|| panic!("no rows of {}", list.url));
            assert_eq!(page.rows.len(), list.items.len(), "{}", list.url);
            assert!(page.whole && !page.detail && page.stand == Stand::Read);
            for (row, item) in page.rows.iter().zip(&list.items) {
                let product = shop.product(item);
                assert_eq!(named(&project, row), expected(&row.page_type, product), "{item} on {}", list.url);
                let detail = pages.get(item).unwrap_or_else(|| panic!("{item} was not followed"));
                assert!(detail.detail && detail.rows.len() == 1, "{item}");
                assert_eq!(named(&project, &detail.rows[0]), expected("product", product), "{item}");
                *kinds.entry(list.pagination.as_str()).or_insert(0) += 1;
            }
        }
        assert_eq!(kinds.keys().copied().collect::<Vec<_>>(), ["next-link", "numbered", "pattern"]);
        let in_lists: u64 = shop.lists().iter().map(|list| list.items.len() as u64).sum();
        assert_eq!(counts(&bench.store, CRAWL).unwrap().rows, in_lists);
        let of_products = pages.values().filter(|page| page.detail).count();
        assert_eq!(pages.len(), shop.lists().len() + of_products, "no page but lists and products has rows");

        let reader = PageReader::new(&project, "gannet").unwrap();
        let clock = WallClock::start();
        let network = Network::new(&project, &[], 1, clock).unwrap();
        for url in shop.lists().into_iter().map(|list| &list.url).step_by(3) {
            let fetched =
                single_page(&network, &project.crawl, &PageUrl::parse(url).unwrap(), &clock).await.unwrap();
            let reading = reader.read(&fetched).reading.unwrap();
            assert_eq!(reading.rows, pages[url].rows, "{url}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_links_in_scope_and_links_of_the_template_are_followed() {
    let shop = Shop::open(1, 0).await;
    let bench = Bench::new();
    bench.crawl(shop.project()).await;
    for (url, record) in bench.urls() {
        let path = url.strip_prefix(&shop.server.base()).unwrap_or("/elsewhere");
        let ours = path.starts_with("/shop/") || path.starts_with("/product/");
        assert!(ours || record.outcome.name() != "fetched", "{url}: {}", record.outcome);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn max_rows_is_exact_and_stays_so_when_the_crawl_goes_on() {
    let shop = Shop::open(1, 0).await;
    for most in [1, 7, 20] {
        let bench = Bench::new();
        let mut project = shop.project();
        project.crawl.max_rows = most;
        for _ in 0..2 {
            let ended = bench.crawl(project.clone()).await;
            assert_eq!(ended.reason, EndReason::MaxRows, "max_rows {most}");
            assert_eq!(counts(&bench.store, CRAWL).unwrap().rows, most);
        }
        let rows: usize = kept(&bench).values().filter(|page| !page.detail).map(|page| page.rows.len()).sum();
        assert_eq!(rows as u64, most);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn posts_of_the_demo_blog_equal_its_truth() {
    let shop = Shop::open(2, 1).await;
    let mut project = Project::parse(BLOG, "demo-blog.yaml").unwrap_or_else(|error| panic!("{error}"));
    project.start = vec![PageUrl::parse(&format!("{}/blog/", shop.server.base())).unwrap()];
    project.fields = Some(Template::parse(BLOG_FIELDS, "demo-blog.fields.yaml").unwrap());
    let bench = Bench::new();
    bench.crawl(project.clone()).await;
    let pages = kept(&bench);
    for post in &shop.truth.posts {
        let page = pages.get(&post.url).unwrap_or_else(|| panic!("no row of {}", post.url));
        let tags = post.tags.iter().map(|tag| Value::Text(tag.clone())).collect();
        let expected = [
            ("title", text(&post.title)),
            ("author", text(&post.author)),
            ("published", Some(Value::Date(post.published.clone()))),
            ("tags", Some(Value::List(tags)).filter(|_| !post.tags.is_empty())),
            ("summary", text(&post.summary)),
        ];
        let expected =
            expected.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        assert_eq!(named(&project, &page.rows[0]), expected, "{}", post.url);
    }
    let rows: usize = pages.values().map(|page| page.rows.len()).sum();
    assert_eq!(rows, shop.truth.posts.len());
}
