//! Pages looked at before any crawl, on the demo site and on pages that wish us ill.

use std::net::SocketAddr;
use std::sync::Arc;

use crawl::WallClock;
use model::Project;
use serde_json::{Value, json};
use service::preview::{Generalise, Preview, PreviewAnswer, PreviewRequest, Previews, SelectRequest};
use tokio::runtime::Runtime;
use webs::demo::Demo;

struct Table {
    runtime: Runtime,
    site: webs::Server,
    previews: Previews,
    clock: WallClock,
}

impl Table {
    fn new() -> Table {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let anywhere: SocketAddr = ([127, 0, 0, 1], 0).into();
        let site = runtime.block_on(webs::Server::start(Arc::new(Demo::new(1, 1)), anywhere)).unwrap();
        Table { runtime, site, previews: Previews::default(), clock: WallClock::start() }
    }

    fn open(&self, request: &PreviewRequest, allow: &[SocketAddr]) -> PreviewAnswer {
        self.runtime.block_on(self.previews.open(request, None, allow, &self.clock)).unwrap()
    }

    fn demo(&self, path: &str) -> (PreviewAnswer, Arc<Preview>) {
        let request =
            PreviewRequest { url: format!("{}{path}", self.site.base()), ..PreviewRequest::default() };
        let answer = self.open(&request, &[self.site.addr()]);
        let preview = self.get(&answer);
        (answer, preview)
    }

    fn page(&self, html: &str) -> (PreviewAnswer, Arc<Preview>) {
        let request = PreviewRequest {
            url: "http://shop.test/list".to_owned(),
            html: Some(html.to_owned()),
            project: None,
        };
        let answer = self.open(&request, &[]);
        let preview = self.get(&answer);
        (answer, preview)
    }

    fn get(&self, answer: &PreviewAnswer) -> Arc<Preview> {
        self.previews.get(answer.id.as_deref().unwrap(), self.clock.now()).unwrap()
    }
}

#[test]
fn a_shop_shows_its_rows_and_what_a_crawl_would_do() {
    let table = Table::new();
    let (answer, preview) = table.demo("/shop/tents/");
    assert_eq!(answer.failure, None);
    let reading = answer.reading.unwrap();
    assert!(reading.rows.len() >= 8, "{} rows", reading.rows.len());
    assert!(reading.columns.iter().any(|column| column.kind == "price"), "{:?}", reading.columns);
    let sentence = reading.scope.sentence;
    assert!(sentence.starts_with("Follow Next") && sentence.ends_with(", robots allows."), "{sentence}");
    // The project proposed reads the same when it is handed back.
    let project = Project::from_json(&answer.project.unwrap()).unwrap();
    assert_eq!(preview.read(&project).unwrap().rows, reading.rows);
}

#[test]
fn private_addresses_are_refused_but_for_the_one_allowed() {
    let table = Table::new();
    let request = PreviewRequest { url: format!("{}/shop/", table.site.base()), ..PreviewRequest::default() };
    let answer = table.open(&request, &[]);
    let failure = answer.failure.unwrap();
    assert!(failure.what.contains("private address"), "{}", failure.what);
    assert!(table.site.log().entries().is_empty());
}

#[test]
fn what_a_project_allows_its_runs_opens_no_address_to_those_who_only_look() {
    let table = Table::new();
    let url = format!("{}/shop/", table.site.base());
    let yaml = "version: 1\nproject: own\nstart: [URL]\ncrawl: {allow_private: true, allow_addresses: [127.0.0.0/8]}\n";
    let project = Project::parse(&yaml.replace("URL", &url), "own.yaml").unwrap();
    let request = PreviewRequest { url, ..PreviewRequest::default() };
    let open = |allow: &[std::net::SocketAddr]| {
        let opened = table.previews.open(&request, Some(project.clone()), allow, &table.clock);
        table.runtime.block_on(opened).unwrap()
    };
    assert!(open(&[]).failure.unwrap().what.contains("private address"));
    assert!(table.site.log().entries().is_empty(), "nothing was asked for");
    assert_eq!(open(&[table.site.addr()]).failure, None);
}

#[test]
fn a_page_that_cannot_be_had_says_what_happened_and_what_robots_txt_says() {
    let table = Table::new();
    // A port that was free a moment ago.
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let look = |url: String| {
        let request = PreviewRequest { url, ..PreviewRequest::default() };
        table.open(&request, &[nobody]).failure.unwrap()
    };
    let refused = look(format!("http://{nobody}/"));
    assert!(refused.what.contains("cannot be had") && refused.what.contains("refused"), "{}", refused.what);
    let says = refused.robots.unwrap();
    assert_eq!((says.verdict.as_str(), says.line), ("unknown", None));
    assert!(says.sentence.starts_with("robots.txt could not be read"), "{}", says.sentence);
    let nameless = look("http://no-such-host.invalid/".to_owned());
    assert_eq!(nameless.robots.unwrap().sentence, "robots.txt could not be read either");
    assert_eq!(look("http://10.0.0.1/".to_owned()).robots.unwrap().verdict, "not-asked");
}

#[test]
fn a_page_that_is_not_there_says_so_with_advice() {
    let table = Table::new();
    let request =
        PreviewRequest { url: format!("{}/no/such/page", table.site.base()), ..PreviewRequest::default() };
    let answer = table.open(&request, &[table.site.addr()]);
    assert_eq!(answer.status, Some(404));
    assert_eq!(answer.robots.as_ref().map(|says| says.verdict.as_str()), Some("allows"));
    assert_eq!(answer.failure.unwrap().advice, ["There is no such page: check the address."]);
}

const CARDS: &str = r#"<html><head><base href="/img/"><style>p{background:url(a.png)}</style>
    <script>alert(1)</script><meta http-equiv=refresh content="0;url=http://evil.test/"></head>
    <body onload="alert(2)"><ul class=shop>
    <li class=card><h2><a href="javascript:alert(3)">One</a></h2><b>1 €</b><img src=1.png onerror=alert(4)></li>
    <li class=card><h2><a href=/2>Two</a></h2><b>2 €</b><img src="data:text/html,<script>"></li>
    <li class="card ad"><h2><a href=/ad>Ad</a></h2><b>9 €</b></li></ul>
    <iframe srcdoc="<script>alert(5)</script>"></iframe><svg><script>alert(6)</script><style></style></svg>
    <form action=http://evil.test/><input name=q></form><xmp><script>alert(7)</script></xmp>
    <math><mtext><style><img src=x onerror=alert(8)></style></math></body></html>"#;

#[test]
fn the_picture_of_a_page_holds_nothing_that_acts() {
    let table = Table::new();
    let (_, preview) = table.page(CARDS);
    let picture = preview.snapshot("/asset?u=");
    let tree = html::parse(&picture, &mut ());
    for node in tree.descendants(tree.root()).filter(|node| tree.name(*node).is_some()) {
        let name = tree.name(node).unwrap();
        assert!(!["script", "iframe", "meta", "base", "form"].contains(&name), "{name}: {picture}");
        for (attribute, _, value) in tree.attributes(node) {
            assert!(!attribute.starts_with("on") && attribute != "srcdoc", "{attribute}: {picture}");
            let acts = ["javascript:", "evil.test", "data:text"];
            assert!(!acts.iter().any(|evil| value.contains(evil)), "{value}: {picture}");
        }
    }
    assert!(picture.contains("/asset?u=http%3A%2F%2Fshop.test%2Fimg%2F1.png"), "{picture}");
    assert!(picture.contains("url(\"/asset?u=http%3A%2F%2Fshop.test%2Fimg%2Fa.png\")"), "{picture}");
}

/// The number that the picture gives to the n-th element of this start tag.
fn number(picture: &str, tag: &str, nth: usize) -> u32 {
    let start = format!("<{tag} data-g=\"");
    let at = picture.match_indices(&start).nth(nth).unwrap().0 + start.len();
    picture[at..].split('"').next().unwrap().parse().unwrap()
}

#[test]
fn what_is_pointed_at_becomes_a_selector() {
    let table = Table::new();
    let (_, preview) = table.page(CARDS);
    let picture = preview.snapshot("/asset?u=");
    let card = |nth| number(&picture, "li", nth);
    let two = Generalise { include: vec![card(0), card(1)], ..Generalise::default() };
    let picked = preview.generalise(&two).unwrap();
    assert_eq!((picked.selector, picked.count), (Some(json!({ "css": "li.card" })), 3));
    let without = Generalise { exclude: vec![card(2)], ..two };
    let picked = preview.generalise(&without).unwrap();
    assert_eq!((picked.selector, picked.count), (Some(json!({ "css": "li.card:not(.ad)" })), 2));
    let price = Generalise {
        include: vec![number(&picture, "b", 0)],
        rows: Some("li.card:not(.ad)".to_owned()),
        ..Generalise::default()
    };
    assert_eq!(preview.generalise(&price).unwrap().values, ["1 €", "2 €"]);
    let list = preview.list(&without).unwrap().unwrap();
    assert_eq!(list.rows, 2);
    assert!(list.fields.iter().any(|field| field.kind == "price"), "{list:?}");
    let path = preview.path(card(0)).unwrap();
    let labels: Vec<&str> = path.iter().map(|step| step.label.as_str()).collect();
    assert_eq!(labels, ["html", "body", "ul.shop", "li.card", "h2", "b", "img"]);
    assert!(preview.generalise(&Generalise { include: vec![9_999], ..Generalise::default() }).is_err());
}

#[test]
fn expressions_are_tried_and_mistakes_are_told_with_their_place() {
    let table = Table::new();
    let (_, preview) = table.page(CARDS);
    let select = |css: Option<&str>, xpath: Option<&str>, within: Option<&str>| {
        let own = |text: Option<&str>| text.map(str::to_owned);
        preview.select(&SelectRequest { css: own(css), xpath: own(xpath), within: own(within) })
    };
    assert_eq!(select(Some("b"), None, Some("li.card")).values, ["1 €", "2 €", "9 €"]);
    assert_eq!(select(None, Some("count(//li)"), None).values, ["3"]);
    let wrong = select(Some("li["), None, None).error.unwrap();
    assert!(wrong.position.is_some() && !wrong.message.is_empty(), "{wrong:?}");
}

#[test]
fn previews_are_few_and_the_unused_go_first() {
    let table = Table::new();
    let (first, _) = table.page("<p>first</p>");
    for page in 0..25 {
        table.page(&format!("<p>{page}</p>"));
    }
    let gone = table.previews.get(first.id.as_deref().unwrap(), table.clock.now());
    assert!(gone.is_err_and(|error| error.to_string().contains("open the page again")));
}

#[test]
fn a_template_with_a_mistake_is_told() {
    let table = Table::new();
    let (answer, preview) = table.page(CARDS);
    let mut project: Value = answer.project.unwrap();
    project["fields"] = json!({ "list": { "rows": "li", "read": { "title": "h2[" } } });
    let refused = Project::from_json(&project).map(|project| preview.read(&project));
    assert!(!matches!(refused, Ok(Ok(_))));
}
