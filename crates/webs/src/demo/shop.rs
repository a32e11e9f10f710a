//! The shop: overview, category lists with three kinds of pagination, product pages.

use serde_json::json;

use super::layout::{Head, begin, breadcrumb, end};
use super::phrases::CATEGORIES;
use super::site::{Product, Site, decimal};
use crate::page::{Anchor, Drawn, Page, escaped};
use crate::truth::{ProductRow, TruthList};

const PER_PAGE: usize = 8;

/// How a category's list goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pagination {
    /// `/shop/tents/page/2`, found by following "next".
    NextLink,
    /// `/shop/backpacks/2.html`, every page linked by its number.
    Numbered,
    /// `/shop/sleeping/?page=2`.
    Pattern,
}

impl Pagination {
    pub(crate) fn of(category: usize) -> Self {
        [Self::NextLink, Self::Numbered, Self::Pattern][category % 3]
    }

    pub(crate) fn path(self, segment: &str, number: usize) -> String {
        match (self, number) {
            (_, 1) => format!("/shop/{segment}/"),
            (Self::NextLink, _) => format!("/shop/{segment}/page/{number}"),
            (Self::Numbered, _) => format!("/shop/{segment}/{number}.html"),
            (Self::Pattern, _) => format!("/shop/{segment}/?page={number}"),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::NextLink => "next-link",
            Self::Numbered => "numbered",
            Self::Pattern => "pattern",
        }
    }
}

/// The page at a path below `/shop/`.
pub(crate) fn page(site: &Site, base: &str, path: &str, query: Option<&str>) -> Option<Drawn> {
    if path == "/shop/" {
        return Some(overview(site, base));
    }
    let (segment, rest) = path.strip_prefix("/shop/")?.split_once('/')?;
    let category = CATEGORIES.iter().position(|category| category.1 == segment)?;
    let asked = query.and_then(|query| query.strip_prefix("page=")).and_then(|n| n.parse().ok());
    let number = match (Pagination::of(category), rest) {
        (Pagination::Pattern, "") => asked.unwrap_or(1),
        (_, "") => 1,
        (Pagination::NextLink, rest) => rest.strip_prefix("page/")?.parse().ok()?,
        (Pagination::Numbered, rest) => rest.strip_suffix(".html")?.parse().ok()?,
        (Pagination::Pattern, _) => return None,
    };
    list(site, base, category, number)
}

/// All list pages with their rows.
pub(crate) fn lists(site: &Site, base: &str) -> Vec<TruthList> {
    let mut lists = Vec::new();
    for (category, (_, segment, ..)) in CATEGORIES.iter().enumerate() {
        let pagination = Pagination::of(category);
        let products = site.in_category(category);
        let chunks: Vec<_> = products.chunks(PER_PAGE).collect();
        for (place, chunk) in chunks.iter().enumerate() {
            let url = |number| format!("{base}{}", pagination.path(segment, number));
            lists.push(TruthList {
                url: url(place + 1),
                pagination: pagination.name().to_owned(),
                next: (place + 1 < chunks.len()).then(|| url(place + 2)),
                items: chunk.iter().map(|product| format!("{base}{}", product.path())).collect(),
            });
        }
    }
    lists
}

/// All products as rows.
pub(crate) fn rows(site: &Site, base: &str) -> Vec<ProductRow> {
    let row = |product: &Product| ProductRow {
        url: format!("{base}{}", product.path()),
        sku: product.sku.clone(),
        title: product.title.clone(),
        brand: BRAND.to_owned(),
        category: CATEGORIES[product.category].0.to_owned(),
        price: decimal(product.cents),
        price_text: product.price_text(),
        currency: product.format.currency().to_owned(),
        old_price: product.old_cents.map(decimal),
        discount: product.discount(),
        rating: product.rating(),
        reviews: product.reviews.len() as u64,
        stock: product.stock,
        colour: product.colour.map(str::to_owned),
        weight: product.weight,
        image: format!("{base}{}", product.image()),
        summary: product.description[0].clone(),
    };
    site.products.iter().map(row).collect()
}

const BRAND: &str = "Halden & Reef";

fn overview(site: &Site, base: &str) -> Drawn {
    let head = Head {
        title: "Shop",
        description: "Tents, packs, lamps and clothing, made to be mended.",
        canonical: "/shop/",
        ..Head::default()
    };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap\">\n<h1>The shop</h1>\n");
    page.html("<p class=\"lead\">Six shelves of things that last. What breaks is mended in our workshop, and what cannot be mended is taken back.</p>\n<div class=\"cards wide\">\n");
    for (category, (name, segment, _, nouns)) in CATEGORIES.iter().enumerate() {
        let products = site.in_category(category);
        let inner = format!(
            "<img src=\"/img/category/{segment}.svg\" alt=\"\" width=\"320\" height=\"180\">\n<h2>{name}</h2>\n<p>{} and more: {} products</p>\n",
            nouns[0],
            products.len()
        );
        page.link(&Anchor::new(&format!("/shop/{segment}/"), &inner).with("class=\"card\""));
        page.html("\n");
    }
    page.html("</div>\n</main>\n");
    end(site, page)
}

fn list(site: &Site, base: &str, category: usize, number: usize) -> Option<Drawn> {
    let (name, segment, ..) = CATEGORIES[category];
    let pagination = Pagination::of(category);
    let products = site.in_category(category);
    let pages = products.len().div_ceil(PER_PAGE).max(1);
    if number < 1 || number > pages {
        return None;
    }
    let shown = &products[(number - 1) * PER_PAGE..products.len().min(number * PER_PAGE)];
    let path = pagination.path(segment, number);
    let title = if number == 1 { name.to_owned() } else { format!("{name}, page {number}") };
    let head = Head {
        title: &title,
        description: &format!("{name} from the Halden workshop."),
        canonical: &path,
        ..Head::default()
    };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap\">\n");
    breadcrumb(&mut page, &[("/", "Home"), ("/shop/", "Shop")], name);
    page.html(&format!(
        "<h1>{title}</h1>\n<p class=\"lead\">{} products, sorted by catalogue number.</p>\n",
        products.len()
    ));
    match category {
        1 => table(&mut page, shown),
        4 => rows_with_picture(&mut page, shown),
        _ => cards(&mut page, shown),
    }
    pager(&mut page, pagination, segment, number, pages);
    page.html("</main>\n");
    Some(end(site, page))
}

fn cards(page: &mut Page<'_>, products: &[&Product]) {
    page.html("<ul class=\"cards products\">\n");
    for product in products {
        page.html(&format!("<li class=\"card product\" data-sku=\"{}\">\n", product.sku));
        let image = picture(product, 280, 200);
        page.link(&Anchor::new(&product.path(), &image).alt(&product.title).with("class=\"picture\""));
        page.html("\n<h2>");
        page.a(&product.path(), &product.title);
        page.html("</h2>\n");
        price(page, product);
        if let Some(rating) = product.rating() {
            page.html(&format!(
                "<p class=\"rating\"><span class=\"stars\">{rating}</span> ({} reviews)</p>\n",
                product.reviews.len()
            ));
        }
        page.html(&format!("<p class=\"stock\">{}</p>\n</li>\n", stock_words(product)));
    }
    page.html("</ul>\n");
}

fn table(page: &mut Page<'_>, products: &[&Product]) {
    page.html("<table class=\"products\">\n<thead>\n<tr><th>Product</th> <th>Number</th> <th>Colour</th> <th>Weight</th> <th>Price</th> <th>Stock</th></tr>\n</thead>\n<tbody>\n");
    for product in products {
        page.html("<tr>\n<td>");
        page.a(&product.path(), &product.title);
        let weight = product.weight.map(|grams| format!("{grams} g")).unwrap_or_default();
        page.html(&format!(
            "</td>\n<td>{}</td>\n<td>{}</td>\n<td>{weight}</td>\n<td class=\"price\">{}</td>\n<td>{}</td>\n</tr>\n",
            product.sku,
            product.colour.unwrap_or_default(),
            product.price_text(),
            product.stock
        ));
    }
    page.html("</tbody>\n</table>\n");
}

fn rows_with_picture(page: &mut Page<'_>, products: &[&Product]) {
    for product in products {
        page.html("<article class=\"row product\">\n");
        let image = picture(product, 140, 100);
        page.link(&Anchor::new(&product.path(), &image).alt(&product.title));
        page.html("\n<div>\n<h2>");
        page.a(&product.path(), &product.title);
        page.html("</h2>\n<p>");
        page.text(&product.description[0]);
        page.html("</p>\n");
        price(page, product);
        page.html("</div>\n</article>\n");
    }
}

fn picture(product: &Product, width: u32, height: u32) -> String {
    format!(
        "<img src=\"{}\" alt=\"{}\" width=\"{width}\" height=\"{height}\" loading=\"lazy\">",
        product.image(),
        escaped(&product.title)
    )
}

fn price(page: &mut Page<'_>, product: &Product) {
    page.html(&format!("<p class=\"price\"><span class=\"now\">{}</span>", product.price_text()));
    if let (Some(old), Some(discount)) = (product.old_cents, product.discount()) {
        page.html(&format!(
            " <s class=\"was\">{}</s> <span class=\"discount\">-{discount}%</span>",
            product.format.write(old)
        ));
    }
    page.html("</p>\n");
}

fn stock_words(product: &Product) -> String {
    match product.stock {
        0 => "Sold out".to_owned(),
        few @ 1..=2 => format!("Only {few} left"),
        many => format!("In stock ({many} pieces)"),
    }
}

fn pager(page: &mut Page<'_>, pagination: Pagination, segment: &str, number: usize, pages: usize) {
    page.html("<nav class=\"pager\" aria-label=\"Pages\">\n");
    if pagination == Pagination::NextLink {
        if number > 1 {
            let path = pagination.path(segment, number - 1);
            page.link(&Anchor::new(&path, "Previous page").rel("prev"));
            page.html("\n");
        }
        page.html(&format!("<span class=\"here\">Page {number}</span>\n"));
        if number < pages {
            let path = pagination.path(segment, number + 1);
            page.link(&Anchor::new(&path, "Next page").rel("next"));
            page.html("\n");
        }
    } else {
        for other in 1..=pages {
            if other == number {
                page.html(&format!("<span class=\"here\">{other}</span>\n"));
            } else {
                page.a(&pagination.path(segment, other), &other.to_string());
                page.html("\n");
            }
        }
    }
    page.html("</nav>\n");
}

/// A product's own page.
pub(crate) fn product(site: &Site, base: &str, product: &Product) -> Drawn {
    let (category, segment, ..) = CATEGORIES[product.category];
    let path = product.path();
    let german = german_path(product);
    let head = Head {
        title: &product.title,
        description: &product.description[0],
        canonical: &path,
        other_language: german.as_deref().unwrap_or_default(),
        image: &product.image(),
        og_type: "product",
        json_ld: Some(json_ld(base, product)),
        more: &format!(
            "<meta property=\"product:price:amount\" content=\"{}\">\n<meta property=\"product:price:currency\" content=\"{}\">\n",
            decimal(product.cents),
            product.format.currency()
        ),
        ..Head::default()
    };
    let mut page = begin(base, &head);
    page.html("<main class=\"wrap\">\n");
    let category_path = format!("/shop/{segment}/");
    breadcrumb(&mut page, &[("/", "Home"), ("/shop/", "Shop"), (&category_path, category)], &product.title);
    let (item, name, offer) = if product.microdata {
        (
            " itemscope itemtype=\"https://schema.org/Product\"",
            " itemprop=\"name\"",
            " itemprop=\"offers\" itemscope itemtype=\"https://schema.org/Offer\"",
        )
    } else {
        ("", "", "")
    };
    page.html(&format!(
        "<article class=\"product-page\"{item}>\n<figure>{}</figure>\n<div class=\"facts\">\n",
        picture(product, 560, 400)
    ));
    page.html(&format!("<h1{name}>"));
    page.text(&product.title);
    page.html("</h1>\n");
    if let Some(rating) = product.rating() {
        page.html(&format!(
            "<p class=\"rating\"><span class=\"stars\">{rating}</span> of 5 from {} reviews</p>\n",
            product.reviews.len()
        ));
    }
    page.html(&format!("<div{offer}>\n"));
    if product.microdata {
        page.html(&format!(
            "<meta itemprop=\"price\" content=\"{}\">\n<meta itemprop=\"priceCurrency\" content=\"{}\">\n",
            decimal(product.cents),
            product.format.currency()
        ));
    }
    price(&mut page, product);
    page.html(&format!("<p class=\"stock\">{}</p>\n</div>\n", stock_words(product)));
    page.html("<form action=\"/cart/add\" method=\"post\">\n");
    page.html(&format!("<input type=\"hidden\" name=\"sku\" value=\"{}\">\n<button class=\"button\">Put into the cart</button>\n</form>\n", product.sku));
    page.html("<dl class=\"details\">\n");
    page.html(&format!("<dt>Number</dt>\n<dd class=\"sku\">{}</dd>\n", product.sku));
    if let Some(colour) = product.colour {
        page.html(&format!("<dt>Colour</dt>\n<dd class=\"colour\">{colour}</dd>\n"));
    }
    if let Some(weight) = product.weight {
        page.html(&format!("<dt>Weight</dt>\n<dd class=\"weight\">{weight} g</dd>\n"));
    }
    page.html("<dt>Shelf</dt>\n<dd>");
    page.html("<b>");
    page.a(&category_path, category);
    page.html("</b></dd>\n</dl>\n</div>\n</article>\n<section class=\"prose\">\n<h2>About it</h2>\n");
    for paragraph in &product.description {
        page.html("<p>");
        page.text(paragraph);
        page.html("</p>\n");
    }
    care(&mut page, site, product);
    page.html("</section>\n");
    reviews(&mut page, product);
    related(&mut page, site, product);
    page.html("</main>\n");
    end(site, page)
}

/// Path of the German version, for the products that have one.
pub(crate) fn german_path(product: &Product) -> Option<String> {
    (product.id / 6).is_multiple_of(6).then(|| format!("/de/produkt/{}", product.slug))
}

fn care(page: &mut Page<'_>, site: &Site, product: &Product) {
    page.html("<p>The ");
    let sheet = format!("/files/care-{}.pdf", CATEGORIES[product.category].1);
    page.link(&Anchor::new(&sheet, "care sheet").with("type=\"application/pdf\""));
    page.html(" tells how to wash and store it. Questions go to the ");
    // The same page under the names that campaigns and sessions give it.
    let written = match product.id % 4 {
        0 => "/contact?utm_source=shop&utm_medium=product".to_owned(),
        1 => {
            format!("/contact?PHPSESSID={:016x}", site.chance.with("session").at(product.id).below(u64::MAX))
        }
        2 => "/contact#write".to_owned(),
        _ => "../docs/.././contact".to_owned(),
    };
    page.link(&Anchor::new("/contact", "workshop").written(&written));
    page.html(", and a picture can be had ");
    page.link(&Anchor::new(&product.image(), "in full size").with("class=\"zoom\""));
    page.html(".</p>\n");
}

fn reviews(page: &mut Page<'_>, product: &Product) {
    if product.reviews.is_empty() {
        return;
    }
    page.html("<section class=\"reviews\" id=\"reviews\">\n<h2>Reviews</h2>\n");
    for (number, review) in product.reviews.iter().enumerate() {
        page.html(&format!(
            "<blockquote class=\"review\">\n<p class=\"stars\">{} of 5</p>\n<p>",
            review.stars
        ));
        page.text(&review.text);
        page.html("</p>\n<footer>");
        if number == 0 {
            let profile = "http://people.elsewhere.test/";
            page.link(&Anchor::new(profile, &escaped(review.author)).rel("nofollow ugc"));
            page.html(" ");
        } else {
            page.text(review.author);
            page.html(" ");
        }
        page.html(&format!(
            "<time datetime=\"{}\">{}</time></footer>\n</blockquote>\n",
            review.day.iso(),
            review.day.long()
        ));
    }
    page.html("</section>\n");
}

fn related(page: &mut Page<'_>, site: &Site, product: &Product) {
    let same: Vec<&Product> = site.in_category(product.category);
    let place = same.iter().position(|other| other.id == product.id).unwrap_or(0);
    page.html("<aside class=\"related\">\n<h2>From the same shelf</h2>\n<ul class=\"cards small\">\n");
    for step in 1..=3.min(same.len().saturating_sub(1)) {
        let other = same[(place + step) % same.len()];
        page.html("<li class=\"card\">\n");
        let inner = format!("{}\n<strong>{}</strong>", picture(other, 200, 140), escaped(&other.title));
        page.link(&Anchor::new(&other.path(), &inner).alt(&other.title));
        page.html("\n</li>\n");
    }
    page.html("</ul>\n</aside>\n");
}

fn json_ld(base: &str, product: &Product) -> serde_json::Value {
    let mut json = json!({
        "@context": "https://schema.org",
        "@type": "Product",
        "name": product.title,
        "sku": product.sku,
        "image": format!("{base}{}", product.image()),
        "description": product.description[0],
        "brand": {"@type": "Brand", "name": BRAND},
        "offers": {
            "@type": "Offer",
            "price": decimal(product.cents),
            "priceCurrency": product.format.currency(),
            "availability": if product.stock > 0 { "https://schema.org/InStock" } else { "https://schema.org/OutOfStock" },
            "url": format!("{base}{}", product.path()),
        },
    });
    if let Some(rating) = product.rating() {
        json["aggregateRating"] = json!({
            "@type": "AggregateRating",
            "ratingValue": rating,
            "reviewCount": product.reviews.len(),
        });
    }
    if let Some(colour) = product.colour {
        json["color"] = json!(colour);
    }
    json
}
