//! A project's pages: from an answer to page, rows and links with their verdicts.
//!
//! The crawl and `gannet try` both read here, so what is previewed is what a run would do.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use archive::PackedLinks;
use archive::rows::{PageRows, Stand};
use frontier::{Offer, PageTopic, Unfollowed};
use model::{
    CrawlSettings, Fetched, Keep, KeepPages, Link, LinkKind, LinkLook, Normalise, Page, PageUrl, Project,
    TemplateError, UrlKey, UrlKeys, Value,
};
use template::{Reading, Template, Why};

use crate::apart::read_document;
use crate::topic::TopicInForce;

/// Reads the pages of one project. Cheap to clone.
#[derive(Clone)]
pub struct PageReader {
    settings: Arc<CrawlSettings>,
    agent: String,
    normalise: Normalise,
    template: Option<Arc<Template>>,
    topic: TopicInForce,
    /// Page types whose values join rows of other pages.
    details: Arc<HashSet<String>>,
    has_fields: bool,
}

/// A page as a project reads it.
pub struct PageRead {
    /// The page.
    pub page: Page,
    /// Its rows, when the project reads some.
    pub reading: Option<Reading>,
    /// What becomes of the page's links, in their order, so that these must stay as they were read; and then of those that
    /// only the template knows.
    fates: Vec<Fate>,
    further: Vec<Link>,
}

/// What becomes of a link.
struct Fate {
    refusal: Option<LinkRefusal>,
    wanted: Option<Why>,
}

/// A link and what becomes of it, scope and other rules of URLs aside.
#[derive(Clone, Copy)]
pub struct FoundLink<'a> {
    /// The link.
    pub link: &'a Link,
    /// Why it is not followed, if so.
    pub refusal: Option<LinkRefusal>,
    /// What the template wants it for.
    pub wanted: Option<&'a Why>,
}

/// Why a link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRefusal {
    /// It, or its page, says nofollow.
    Nofollow,
    /// Canonical links are not honoured.
    Canonical,
    /// It stands outside `links` or `links_in`.
    OutsideScope,
}

impl PageRead {
    /// The page's links, and then those that only the template knows.
    pub fn links(&self) -> impl Iterator<Item = FoundLink<'_>> + Clone {
        let links = self.page.links.iter().chain(&self.further);
        links.zip(&self.fates).map(|(link, Fate { refusal, wanted })| FoundLink {
            link,
            refusal: *refusal,
            wanted: wanted.as_ref(),
        })
    }

    /// The page's links as they are offered to the frontier, and as they are kept; the page is this URL's, so deep. Those in
    /// a row that lead to one page are offered as one, as half of all links do, unless they are to `keep_places`.
    pub fn offers(&self, from: UrlKey, depth: u32, keep_places: bool) -> (Vec<Offer>, PackedLinks) {
        let mut offers: Vec<Offer> = Vec::with_capacity(self.fates.len());
        let mut packed = PackedLinks::default();
        let mut keys = UrlKeys::default();
        for found in self.links() {
            let unfollowed = found.refusal.map(|refusal| match refusal {
                LinkRefusal::Nofollow => Unfollowed::Nofollow,
                LinkRefusal::Canonical => Unfollowed::Canonical,
                LinkRefusal::OutsideScope => Unfollowed::OutsideLinks,
            });
            let Link { url, anchor, look, rel, kind } = found.link;
            let kind = if found.wanted == Some(&Why::Next) { LinkKind::Further } else { *kind };
            let key = keys.of(url);
            packed.push(key, anchor, *look, *rel, kind, unfollowed.is_none());
            let further = kind == LinkKind::Further;
            if let Some(last) = offers.last_mut()
                && !keep_places
                && (last.key, last.unfollowed, last.further) == (key, unfollowed, further)
            {
                last.links += 1;
                last.weight = last.weight.max(look.weight());
                continue;
            }
            offers.push(Offer {
                url: url.clone(),
                key,
                depth: kind.depth_from(depth),
                via: Some(from),
                unfollowed,
                start: false,
                hops: 0,
                further,
                weight: look.weight(),
                links: 1,
            });
        }
        (offers, packed)
    }
}

impl PageRead {
    /// The page's first images as they are offered, each once; they are as deep as the page.
    pub(crate) fn image_offers(&self, from: UrlKey, depth: u32, most: u32) -> Vec<Offer> {
        let mut met = HashSet::new();
        let images = self.page.images.iter().filter(|image| met.insert(&image.url)).take(most as usize);
        let offer = |image: &model::Image| Offer { depth, via: Some(from), ..Offer::of(image.url.clone()) };
        images.map(offer).collect()
    }
}

impl PageReader {
    /// A reader for a project; `agent` is our name for directives meant for one robot.
    pub fn new(project: &Project, agent: &str) -> Result<PageReader, TemplateError> {
        let normalise = project.crawl.normalise();
        let links_in = &project.crawl.links_in;
        let template = match &project.fields {
            Some(fields) => Some(Template::compile(fields, links_in, normalise)?),
            None if !links_in.is_empty() => Some(Template::links_only(links_in, normalise)?),
            None => None,
        };
        let fields = project.fields.iter().flat_map(|template| &template.pages).flat_map(|page| &page.read);
        let merged =
            fields.filter_map(|field| field.follow.as_ref()).filter(|follow| follow.keep == Keep::Merge);
        Ok(PageReader {
            settings: Arc::new(project.crawl.clone()),
            agent: agent.to_owned(),
            normalise,
            template: template.map(Arc::new),
            topic: TopicInForce::default(),
            details: Arc::new(merged.map(|follow| follow.page.clone()).collect()),
            has_fields: project.fields.is_some(),
        })
    }

    /// The same, judging pages by the topic in force.
    pub(crate) fn with_topic(mut self, topic: TopicInForce) -> PageReader {
        self.topic = topic;
        self
    }

    /// What a page has to do with the topic, if there is one.
    pub(crate) fn topic(&self, read: &PageRead) -> Option<PageTopic> {
        self.topic.judge(read)
    }

    /// Our name where a page speaks to one crawler: the first word of what we call ourselves.
    pub fn product(settings: &CrawlSettings) -> &str {
        let name = settings.user_agent.as_deref().unwrap_or("gannet");
        name.split(['/', ' ']).next().unwrap_or_default()
    }

    /// How the project wants its URLs.
    pub(crate) fn normalise(&self) -> Normalise {
        self.normalise
    }

    /// Reads a page.
    pub fn read(&self, fetched: &Fetched) -> PageRead {
        let input = self.input(fetched);
        if extract::is_pdf(fetched.headers.get("content-type"), &fetched.content) {
            return self.with_links(read_document(&input), None, &fetched.url);
        }
        let Some(template) = &self.template else {
            let page = match self.settings.keep {
                KeepPages::None if !self.topic.is_some() => extract::page_links(&input),
                _ => extract::page(&input),
            };
            return self.with_links(page, None, &fetched.url);
        };
        let (page, tree) = extract::page_and_tree(&input);
        let reading = tree.map(|tree| template.read(&tree, &fetched.url)).unwrap_or_default();
        self.with_links(page, Some(reading), &fetched.url)
    }

    fn input<'a>(&'a self, fetched: &'a Fetched) -> extract::Input<'a> {
        extract::Input {
            url: &fetched.url,
            headers: &fetched.headers,
            body: &fetched.content,
            normalise: self.normalise,
            max_links: match self.settings.max_links {
                0 => usize::MAX,
                most => most as usize,
            },
            agent: &self.agent,
        }
    }

    /// A page that stands at `from`, with what becomes of its links.
    fn with_links(&self, page: Page, reading: Option<Reading>, from: &PageUrl) -> PageRead {
        let settings = &self.settings;
        let asked = reading.iter().flat_map(|reading| &reading.wanted);
        let mut wanted: HashMap<&PageUrl, &Why> = asked.map(|wanted| (&wanted.url, &wanted.why)).collect();
        let scope: Option<HashSet<&PageUrl>> =
            reading.as_ref().and_then(|reading| reading.links_in.as_ref()).map(|urls| urls.iter().collect());
        let refusal = |link: &Link, is_wanted: bool| {
            let asked_not_to = link.rel.nofollow || page.directives.nofollow;
            if link.kind == LinkKind::Canonical {
                return (!settings.honour_canonical).then_some(LinkRefusal::Canonical);
            }
            if asked_not_to && !settings.follow_nofollow {
                return Some(LinkRefusal::Nofollow);
            }
            let in_scope = is_wanted
                || link.kind == LinkKind::Listed
                || scope.as_ref().is_none_or(|scope| scope.contains(&link.url));
            (!in_scope).then_some(LinkRefusal::OutsideScope)
        };
        let mut fates: Vec<Fate> = Vec::with_capacity(page.links.len());
        let mut met = HashSet::new();
        for link in &page.links {
            let why = wanted.get(&link.url).map(|why| (*why).clone());
            if why.is_some() {
                met.insert(&link.url);
            }
            fates.push(Fate { refusal: refusal(link, why.is_some()), wanted: why });
        }
        wanted.retain(|url, _| !met.contains(url));
        let mut further = Vec::new();
        for only in reading.iter().flat_map(|reading| &reading.wanted) {
            if wanted.contains_key(&only.url) {
                let distance = if only.url.host() == from.host() { 1 } else { 5 };
                let link = Link {
                    url: only.url.clone(),
                    anchor: Default::default(),
                    look: LinkLook::plain(distance),
                    rel: Default::default(),
                    kind: LinkKind::Anchor,
                };
                fates.push(Fate { refusal: refusal(&link, true), wanted: Some(only.why.clone()) });
                further.push(link);
            }
        }
        PageRead { page, reading, fates, further }
    }

    /// True of a value that was found and understood; see [`Template::is_found`].
    pub fn is_found(&self, page_type: &str, field: &str, value: &Value) -> bool {
        self.template.as_ref().is_some_and(|template| template.is_found(page_type, field, value))
    }

    /// Selectors that find these values of a field on a page, by their row's place; see [`Template::proposals`].
    pub fn proposals(
        &self,
        fetched: &Fetched,
        page_type: &str,
        field: &str,
        known: &[(u32, Value)],
    ) -> Vec<String> {
        let Some(template) = &self.template else { return Vec::new() };
        let (_, tree) = extract::page_and_tree(&self.input(fetched));
        tree.map(|tree| template.proposals(page_type, field, &tree, &fetched.url, known)).unwrap_or_default()
    }

    /// What a visit says of the page's rows; nothing where the project reads none.
    pub fn rows(&self, fetched: &Fetched, stand: Stand, reading: Option<&mut Reading>) -> Option<PageRows> {
        let template = self.template.as_ref().filter(|_| self.has_fields)?;
        let (page_type, whole, rows) = match reading {
            Some(reading) => (reading.page_type.as_deref(), !reading.cut, std::mem::take(&mut reading.rows)),
            None => (None, true, Vec::new()),
        };
        Some(PageRows {
            url: fetched.url.clone(),
            visited: fetched.started,
            stand,
            template: template.version(),
            detail: page_type.is_some_and(|name| self.details.contains(name)),
            whole: whole && fetched.cut.is_none(),
            rows,
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use bytes::Bytes;
    use model::{HostKey, Timestamp};

    use super::*;

    /// A project of one site, and what reads its pages.
    pub(crate) fn project() -> (Project, PageReader) {
        let text = "version: 1\nproject: e\nstart: [http://e.test/]\n";
        let project = Project::parse(text, "e").expect("a project");
        let reader = PageReader::new(&project, "gannet").expect("no template");
        (project, reader)
    }

    /// An answer of that site.
    pub(crate) fn fetched(html: &'static str) -> Fetched {
        Fetched {
            url: PageUrl::parse("http://e.test/x").expect("a URL"),
            address: None,
            version: model::HttpVersion::Http1,
            started: Timestamp(5),
            timings: model::Timings::default(),
            request: Bytes::new(),
            status: 200,
            head: Bytes::new(),
            headers: model::Headers::default(),
            body: Bytes::from_static(html.as_bytes()),
            content: Bytes::from_static(html.as_bytes()),
            cut: None,
        }
    }

    #[test]
    fn links_in_a_row_to_one_page_are_offered_as_one_and_kept_each() {
        let from = UrlKey { host: HostKey(1), page: 2 };
        let (_, reader) = project();
        let read = reader.read(&fetched(
            "<p><a href=/a>one</a> <a href='/a#two'><b>two</b></a> <a href=/a rel=nofollow>three</a> <a href=/a>four</a>
            <a href=/b>five</a> <a href=/a>six</a>",
        ));
        let shown = |offers: &[Offer]| -> Vec<(String, u32, bool)> {
            let path = |offer: &Offer| offer.url.path().to_owned();
            offers.iter().map(|offer| (path(offer), offer.links, offer.unfollowed.is_none())).collect()
        };
        let (offers, links) = read.offers(from, 3, false);
        let expected = [("/a", 2, true), ("/a", 1, false), ("/a", 1, true), ("/b", 1, true), ("/a", 1, true)];
        assert_eq!(
            shown(&offers),
            expected.map(|(path, links, followed)| (path.to_owned(), links, followed))
        );
        let links = links.unpack().edges;
        let weights: Vec<u8> = links.iter().map(|edge| edge.look.weight()).collect();
        assert!(weights[1] > weights[0], "bold ones weigh more: {weights:?}");
        assert_eq!(offers[0].weight, weights[1]);
        let words: Vec<&str> = links.iter().map(|edge| &*edge.anchor).collect();
        assert_eq!(words, ["one", "two", "three", "four", "five", "six"]);
        let (each, _) = read.offers(from, 3, true);
        assert_eq!(shown(&each).iter().map(|(_, links, _)| *links).collect::<Vec<_>>(), [1; 6]);
        assert!(each.iter().zip(&links).all(|(offer, edge)| offer.key == edge.target && offer.depth == 4));
    }
}
