//! The demo site's facts at one seed and epoch: products, posts, days. Pages are drawn from these
//! and from nothing else; the ground truth is read from the same values.

use std::collections::HashMap;

use super::phrases::{
    CATEGORIES, COLOURS, POST_SENTENCES, POST_TITLES, PRODUCT_SENTENCES, REVIEWS, SERIES, TAGS, sentence,
    sentences,
};
use super::slots::{PEOPLE, PLACES};
use crate::chance::Chance;
use crate::dates::Day;

/// Products there are at epoch 0.
const FIRST_PRODUCTS: u64 = 144;
/// Products that appear with every epoch.
const NEW_PRODUCTS: u64 = 3;
/// A product lives fewer epochs than this.
const LONGEST_LIFE: u64 = 120;
/// Posts there are at epoch 0; one more appears with every epoch.
const FIRST_POSTS: u64 = 64;
/// Older posts are taken down.
const KEPT_POSTS: u64 = 90;
/// Later epochs are shown as this one, so that no control URL makes the site expensive.
pub(crate) const LAST_EPOCH: u64 = 100_000;

pub(crate) struct Site {
    pub(crate) seed: u64,
    pub(crate) epoch: u64,
    pub(crate) chance: Chance,
    pub(crate) first_day: Day,
    pub(crate) today: Day,
    /// On sale, in catalogue order.
    pub(crate) products: Vec<Product>,
    /// Newest first.
    pub(crate) posts: Vec<Post>,
    product_by_slug: HashMap<String, usize>,
    post_by_path: HashMap<String, usize>,
}

pub(crate) struct Product {
    pub(crate) id: u64,
    pub(crate) sku: String,
    pub(crate) slug: String,
    pub(crate) title: String,
    pub(crate) category: usize,
    pub(crate) cents: u64,
    pub(crate) old_cents: Option<u64>,
    pub(crate) format: PriceFormat,
    pub(crate) reviews: Vec<Review>,
    pub(crate) stock: u64,
    pub(crate) colour: Option<&'static str>,
    pub(crate) weight: Option<u64>,
    pub(crate) description: Vec<String>,
    pub(crate) microdata: bool,
}

pub(crate) struct Review {
    pub(crate) stars: u64,
    pub(crate) author: &'static str,
    pub(crate) text: String,
    pub(crate) day: Day,
}

pub(crate) struct Post {
    pub(crate) id: u64,
    pub(crate) title: String,
    pub(crate) slug: String,
    pub(crate) author: &'static str,
    pub(crate) day: Day,
    pub(crate) modified: Day,
    pub(crate) tags: Vec<&'static str>,
    pub(crate) paragraphs: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum PriceFormat {
    EuroBefore,
    EuroAfter,
    EuroCode,
    Dollar,
    Pound,
    Franc,
}

impl Site {
    pub(crate) fn new(seed: u64, epoch: u64) -> Self {
        let epoch = epoch.min(LAST_EPOCH);
        let chance = Chance::new(seed).with("demo");
        let first_day = Day(Day::of(2026, 3, 2).0 + (seed % 60) as i64);
        let today = Day(first_day.0 + epoch as i64);

        let newest = FIRST_PRODUCTS + epoch * NEW_PRODUCTS;
        // Anything older than the longest life is gone for certain.
        let oldest = newest.saturating_sub(FIRST_PRODUCTS + LONGEST_LIFE * NEW_PRODUCTS);
        let on_sale = (oldest..newest).filter(|&id| epoch < vanishes(chance, id));
        let mut products: Vec<Product> =
            on_sale.map(|id| Product::new(chance, id, epoch, first_day)).collect();
        products.sort_by_key(|product| (product.category, product.id));

        let newest = FIRST_POSTS + epoch;
        let posts = (newest.saturating_sub(KEPT_POSTS)..newest).rev();
        let mut posts: Vec<Post> = posts.map(|id| Post::new(chance, id, epoch, first_day)).collect();
        posts.sort_by_key(|post| std::cmp::Reverse((post.day, post.id)));

        let product_by_slug = products.iter().enumerate().map(|(place, p)| (p.slug.clone(), place)).collect();
        let post_by_path = posts.iter().enumerate().map(|(place, p)| (p.path(), place)).collect();
        Self { seed, epoch, chance, first_day, today, products, posts, product_by_slug, post_by_path }
    }

    pub(crate) fn product(&self, slug: &str) -> Option<&Product> {
        self.product_by_slug.get(slug).map(|&place| &self.products[place])
    }

    pub(crate) fn post(&self, path: &str) -> Option<&Post> {
        self.post_by_path.get(path).map(|&place| &self.posts[place])
    }

    pub(crate) fn in_category(&self, category: usize) -> Vec<&Product> {
        self.products.iter().filter(|product| product.category == category).collect()
    }

    /// The status of a product page that is not on sale: 410 or 404 when it once was, else 404.
    pub(crate) fn missing_product(&self, slug: &str) -> u16 {
        let id = slug.rsplit('-').next().and_then(|number| number.parse::<u64>().ok());
        let id = id.and_then(|number| number.checked_sub(1_000));
        let once = id.is_some_and(|id| {
            id < FIRST_PRODUCTS + self.epoch * NEW_PRODUCTS && name(self.chance, id).1 == slug
        });
        let told = id.is_some_and(|id| self.chance.with("told").at(id).percent(60));
        if once && told { 410 } else { 404 }
    }

    /// The path of product `id`, on sale or not.
    pub(crate) fn product_path(&self, id: u64) -> String {
        format!("/product/{}", name(self.chance, id).1)
    }

    /// The title of product `id`, on sale or not.
    pub(crate) fn product_title(&self, id: u64) -> String {
        name(self.chance, id).0
    }

    /// Months with posts, newest first.
    pub(crate) fn months(&self) -> Vec<(i64, u32)> {
        let mut months: Vec<(i64, u32)> = self.posts.iter().map(Post::month).collect();
        months.dedup();
        months
    }
}

/// The epoch at which a product is no longer sold.
fn vanishes(chance: Chance, id: u64) -> u64 {
    let chance = chance.with("life").at(id);
    // A quarter is a short fashion, so that something goes with almost every epoch; the rest stays
    // long enough to keep the shop full.
    let life = match chance.with("fashion").percent(25) {
        true => 1 + chance.below(12),
        false => 30 + chance.below(LONGEST_LIFE - 30),
    };
    born(id) + life
}

fn born(id: u64) -> u64 {
    if id < FIRST_PRODUCTS { 0 } else { 1 + (id - FIRST_PRODUCTS) / NEW_PRODUCTS }
}

/// Title and slug.
fn name(chance: Chance, id: u64) -> (String, String) {
    let category = (id % 6) as usize;
    let series = SERIES[(id / 6 % 24) as usize];
    let noun = chance.with("noun").at(id).pick(&CATEGORIES[category].3);
    let mark = id / FIRST_PRODUCTS;
    let title = match mark {
        0 => format!("{series} {noun}"),
        _ => format!("{series} {noun} Mk {}", mark + 1),
    };
    let slug = format!("{}-{}", slug(&title), 1_000 + id);
    (title, slug)
}

/// How often something with a chance of `percent` per epoch has happened from epoch 1 on, and the
/// last epoch at which it did.
fn times(chance: Chance, percent: u64, epoch: u64) -> (u64, u64) {
    // Only recent epochs are looked at: an old site must not cost more than a young one.
    let epochs = (1 + epoch.saturating_sub(LONGEST_LIFE))..=epoch;
    let happened = epochs.filter(|&epoch| chance.at(epoch).percent(percent));
    happened.fold((0, 0), |(count, _), epoch| (count + 1, epoch))
}

impl Product {
    fn new(chance: Chance, id: u64, epoch: u64, first_day: Day) -> Self {
        let here = chance.with("product").at(id);
        let (title, slug) = name(chance, id);
        let category = (id % 6) as usize;
        let dear = [280, 90, 130, 40, 25, 70][category];
        let (changes, changed) = times(here.with("price changes"), 6, epoch);
        let base = dear * 100 + 100 * here.with("price").below(dear * 4);
        let shift = here.with("shift").at(changed).below(30);
        let cents = match changes {
            0 => base + here.with("ending").pick(&[0, 50, 90, 95, 99]),
            _ => base * (85 + shift) / 100 / 10 * 10,
        };
        let reduced = here.with("reduced").at(changed).percent(25);
        let old_cents = reduced.then(|| cents * 5 / 4 / 100 * 100 + 95);
        let (_, sold) = times(here.with("sales"), 10, epoch);
        let stock = match here.with("stock").at(sold).below(10) {
            0 => 0,
            few @ 1..=2 => few,
            _ => 3 + here.with("pieces").at(sold).below(60),
        };
        let format = here.with("format").pick(&[
            PriceFormat::EuroBefore,
            PriceFormat::EuroAfter,
            PriceFormat::EuroCode,
            PriceFormat::Dollar,
            PriceFormat::Pound,
            PriceFormat::Franc,
        ]);
        let (new_reviews, _) = times(here.with("new reviews"), 3, epoch);
        let review_count =
            if here.with("unreviewed").percent(20) { 0 } else { 1 + here.with("reviews").below(5) };
        let review = |number: u64| {
            let chance = here.with("review").at(number);
            Review {
                stars: 5 - chance.with("stars").below(12).saturating_sub(7).min(3),
                author: chance.with("author").pick(&REVIEWERS),
                text: sentence(chance.with("text"), chance.pick(&REVIEWS)),
                day: Day(first_day.0 - 300 + 3 * chance.with("day").below(95) as i64),
            }
        };
        let sentences = sentences(here.with("description"), &PRODUCT_SENTENCES, 7);
        Self {
            id,
            sku: format!("HR-{}{:04}", CATEGORIES[category].1[..2].to_uppercase(), 1_000 + id),
            slug,
            title,
            category,
            cents,
            old_cents,
            format,
            reviews: (0..review_count + new_reviews).map(review).collect(),
            stock,
            colour: here.with("coloured").percent(65).then(|| here.with("colour").pick(&COLOURS)),
            weight: here.with("weighed").percent(75).then(|| 80 + 10 * here.with("weight").below(dear * 2)),
            description: sentences.chunks(3).map(|chunk| capitalised(&chunk.join(" "))).collect(),
            microdata: id.is_multiple_of(3),
        }
    }

    pub(crate) fn path(&self) -> String {
        format!("/product/{}", self.slug)
    }

    pub(crate) fn image(&self) -> String {
        // Some pictures are PNG, most are SVG, as in shops that grew over the years.
        let kind = if self.id.is_multiple_of(5) { "png" } else { "svg" };
        format!("/img/product/{}.{kind}", self.slug)
    }

    /// Mean of the stars with one decimal.
    pub(crate) fn rating(&self) -> Option<String> {
        let count = self.reviews.len() as u64;
        let stars: u64 = self.reviews.iter().map(|review| review.stars).sum();
        (count > 0).then(|| {
            let tenths = (stars * 10 + count / 2) / count;
            format!("{}.{}", tenths / 10, tenths % 10)
        })
    }

    /// The reduction in whole percent.
    pub(crate) fn discount(&self) -> Option<u64> {
        self.old_cents.map(|old| (old - self.cents.min(old)) * 100 / old)
    }

    pub(crate) fn price_text(&self) -> String {
        self.format.write(self.cents)
    }
}

impl PriceFormat {
    pub(crate) fn write(self, cents: u64) -> String {
        let (whole, rest) = (cents / 100, cents % 100);
        match self {
            Self::EuroBefore => format!("€ {},{rest:02}", grouped(whole, ".")),
            Self::EuroAfter => format!("{},{rest:02} €", grouped(whole, ".")),
            Self::EuroCode => format!("EUR {whole}.{rest:02}"),
            Self::Dollar => format!("${}.{rest:02}", grouped(whole, ",")),
            Self::Pound => format!("£{}.{rest:02}", grouped(whole, ",")),
            Self::Franc => format!("CHF {}.{rest:02}", grouped(whole, "'")),
        }
    }

    pub(crate) fn currency(self) -> &'static str {
        match self {
            Self::EuroBefore | Self::EuroAfter | Self::EuroCode => "EUR",
            Self::Dollar => "USD",
            Self::Pound => "GBP",
            Self::Franc => "CHF",
        }
    }
}

/// A price as a decimal number.
pub(crate) fn decimal(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

fn grouped(whole: u64, separator: &str) -> String {
    match whole {
        0..1_000 => whole.to_string(),
        _ => format!("{}{separator}{:03}", grouped(whole / 1_000, separator), whole % 1_000),
    }
}

const REVIEWERS: [&str; 12] = [
    "Anna K.",
    "Ben",
    "Cem D.",
    "Dorothea",
    "Emil W.",
    "Farah",
    "Greta S.",
    "Hugo",
    "Ines M.",
    "Jaro",
    "Kirsten P.",
    "Luca",
];

impl Post {
    fn new(chance: Chance, id: u64, epoch: u64, first_day: Day) -> Self {
        let here = chance.with("post").at(id);
        let day = match id.checked_sub(FIRST_POSTS) {
            Some(later) => Day(first_day.0 + 1 + later as i64),
            None => {
                let back = 5 * (FIRST_POSTS - id) as i64 + here.with("day").below(4) as i64;
                Day(first_day.0 - back)
            }
        };
        let place = PLACES[(id * 7 % 40) as usize];
        let title = POST_TITLES[(id % 16) as usize].replace("{place}", place);
        let mut tags: Vec<&'static str> = Vec::new();
        for number in 0..1 + here.with("tags").below(3) {
            let tag = here.with("tag").at(number).pick(&TAGS);
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        let count = 18 + here.with("length").below(16) as usize;
        let told = sentences(here.with("text"), &POST_SENTENCES, count);
        let mut paragraphs: Vec<String> = told.chunks(4).map(|chunk| chunk.join(" ")).collect();
        for paragraph in &mut paragraphs {
            *paragraph = capitalised(paragraph);
        }
        let edits = epoch.saturating_sub(born_post(id));
        let (_, edited) = times(here.with("edits"), 3, edits);
        let mut modified = day;
        if edited > 0 {
            modified = Day(first_day.0 + (born_post(id) + edited) as i64);
            let note = sentences(here.with("edit").at(edited), &POST_SENTENCES, 2).join(" ");
            paragraphs.push(format!("Update of {}: {note}", modified.long()));
        }
        let author = PEOPLE[here.with("author").below(PEOPLE.len() as u64) as usize];
        Self { id, slug: slug(&title), title, author, day, modified, tags, paragraphs }
    }

    pub(crate) fn month(&self) -> (i64, u32) {
        let (year, month, _) = self.day.civil();
        (year, month)
    }

    pub(crate) fn path(&self) -> String {
        let (year, month) = self.month();
        format!("/blog/{year}/{month:02}/{}", self.slug)
    }

    pub(crate) fn print_path(&self) -> String {
        format!("/print/{}-{}", self.slug, self.id)
    }

    /// Products the post mentions, on sale or not.
    pub(crate) fn mentions(&self, chance: Chance) -> Vec<u64> {
        let here = chance.with("mentions").at(self.id);
        let products = FIRST_PRODUCTS + born_post(self.id) * NEW_PRODUCTS;
        // Recent products only, so that a mention was on sale when the post was written.
        let oldest = products - FIRST_PRODUCTS.min(products);
        let mut ids: Vec<u64> =
            (0..3).map(|number| oldest + here.at(number).below(products - oldest)).collect();
        ids.retain(|&id| vanishes(chance, id) > born_post(self.id));
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

fn born_post(id: u64) -> u64 {
    (id + 1).saturating_sub(FIRST_POSTS)
}

/// Every sentence of `text` begun with a capital letter: slots may stand first.
fn capitalised(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut begin = true;
    for character in text.chars() {
        if begin && character.is_alphabetic() {
            out.extend(character.to_uppercase());
            begin = false;
        } else {
            begin = begin && character.is_whitespace();
            out.push(character);
        }
        if ".!?".contains(character) {
            begin = true;
        }
    }
    out
}

/// Lower case, hyphens between words.
pub(crate) fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_written_in_every_format() {
        let check = |format: PriceFormat, cents, expected: &str| {
            assert_eq!(format.write(cents), expected);
        };
        check(PriceFormat::EuroBefore, 129_900, "€ 1.299,00");
        check(PriceFormat::EuroAfter, 4_990, "49,90 €");
        check(PriceFormat::EuroCode, 129_905, "EUR 1299.05");
        check(PriceFormat::Dollar, 129_900, "$1,299.00");
        check(PriceFormat::Franc, 129_900, "CHF 1'299.00");
    }

    #[test]
    fn every_epoch_has_enough_products_and_posts() {
        for seed in [0, 1, 42] {
            for epoch in [0, 1, 2, 5, 20, 60, 200, LAST_EPOCH + 5] {
                let site = Site::new(seed, epoch);
                assert!(site.products.len() >= 120, "{} at {epoch}", site.products.len());
                assert!(site.posts.len() >= 60);
                assert_eq!(site.products.len(), site.product_by_slug.len());
                assert_eq!(site.posts.len(), site.post_by_path.len(), "paths at {epoch}");
            }
        }
    }

    #[test]
    fn an_epoch_changes_some_products_and_leaves_most() {
        let (before, after) = (Site::new(1, 0), Site::new(1, 1));
        let kept: Vec<_> =
            before.products.iter().filter_map(|p| Some((p, after.product(&p.slug)?))).collect();
        let gone = before.products.len() - kept.len();
        let repriced = kept.iter().filter(|(old, new)| old.cents != new.cents).count();
        assert!((1..20).contains(&gone), "gone: {gone}");
        assert!((1..60).contains(&repriced), "repriced: {repriced}");
        assert_eq!(after.products.len(), kept.len() + 3);
    }
}
