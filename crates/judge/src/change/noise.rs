//! Noise: places of a page that change every time and tell nothing, as clocks, counters and advertisements do.
//!
//! Learned from repeated changes at the same place, and named by whoever knows better. A place is the path of an element
//! with ids, classes and positions, so that a clock beside a story says nothing of the story. What was learned of a place
//! holds only for changes that look like noise themselves: numbers that grow, times, tokens, texts that come back.

use std::collections::{BTreeMap, HashMap, HashSet};

use html::select::Found;
use html::{Kind, NodeId, Tree};
use xxhash_rust::xxh3::xxh3_64;

use super::{passing, structure};

/// Pairs of versions in which a place must have changed to be noise.
const FEWEST: usize = 2;

/// Words of a text that may come back as an advertisement does; more are a passage.
const MOST_ROTATING: usize = 20;

/// Places that are told, and letters of what stood there.
const MOST_TOLD: usize = 500;
const MOST_LETTERS: usize = 200;

/// Letters of an id or a class in a place.
const LONGEST_NAME: usize = 40;

/// Elements whose text is read as it stands.
const RAW: [&str; 7] = ["iframe", "noembed", "noframes", "plaintext", "script", "style", "xmp"];

/// What versions of a page teach: places, and attributes of them as `place@name`, that tell nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noise(BTreeMap<String, Seen>);

/// What stood at a place in earlier versions, where it comes back; nothing where only what passes by is noise.
type Seen = HashSet<u64>;

/// A version of a page, and what of it somebody has named as noise.
#[derive(Debug)]
pub struct Marked {
    tree: Tree,
    nodes: HashSet<NodeId>,
    attributes: HashSet<(NodeId, String)>,
}

/// Two versions without their noise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quiet {
    /// The markup of both.
    pub html: [String; 2],
    /// What was left out and differs, in the order of the page, bounded.
    pub left_out: Vec<LeftOut>,
}

/// What differs at a place of noise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The place.
    pub place: String,
    /// What stood there.
    pub before: String,
    /// What stands there.
    pub after: String,
}

impl Marked {
    /// A version of which nothing is named.
    pub fn new(html: &str) -> Marked {
        Marked { tree: html::parse(html, &mut ()), nodes: HashSet::new(), attributes: HashSet::new() }
    }

    /// Its tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Names an element with all inside, or an attribute.
    pub fn mark(&mut self, found: &Found) {
        match found {
            Found::Attribute(node, at) => {
                let name = self.tree.attributes(*node).nth(*at as usize).map(|(name, ..)| name.to_owned());
                self.attributes.extend(name.map(|name| (*node, name)));
            }
            found => {
                self.nodes.insert(found.node());
            }
        }
    }
}

impl Noise {
    /// What versions of a page teach, oldest first: places that differed between at least two pairs of neighbours, and
    /// between two of three of all, each time by what passes by; and those to whose earlier texts later ones came back.
    pub fn learned(versions: &[&str]) -> Noise {
        let pairs = versions.len().saturating_sub(1);
        if pairs < FEWEST {
            return Noise::default();
        }
        let mut values: BTreeMap<String, Vec<Option<Value>>> = BTreeMap::new();
        for (at, html) in versions.iter().enumerate() {
            let tree = html::parse(html, &mut ());
            for (place, value) in elements(&tree).into_iter().flat_map(|element| element.values(&tree)) {
                let known = values.entry(place).or_default();
                if known.len() <= at {
                    known.resize(at, None);
                    known.push(Some(value));
                }
            }
        }
        let learned = values.into_iter().filter_map(|(place, mut values)| {
            values.resize(versions.len(), None);
            Some((place, lesson(&values, pairs)?))
        });
        Noise(learned.collect())
    }

    /// The places.
    pub fn places(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Two versions without what of them is noise; none where nothing is.
    pub fn quiet(&self, old: &Marked, new: &Marked) -> Option<Quiet> {
        let mut left_out = Vec::new();
        let mut cuts = [Cut::of(old), Cut::of(new)];
        named(old, new, &mut left_out);
        let mut others: HashMap<String, Element> = HashMap::new();
        for element in elements(&new.tree) {
            others.entry(element.place.clone()).or_insert(element);
        }
        for element in elements(&old.tree) {
            // Each place once.
            let Some(other) = others.remove(&element.place) else { continue };
            let later: HashMap<String, Value> = other.values(&new.tree).into_iter().collect();
            for (place, before) in element.values(&old.tree) {
                let Some(after) = later.get(&place).filter(|after| **after != before) else { continue };
                let Some(seen) = self.0.get(&place) else { continue };
                let Some(words) = before.passes_into(after, seen) else { continue };
                match place[element.place.len()..].strip_prefix('@') {
                    Some(name) => {
                        cuts[0].attributes.insert((element.node, name.to_owned()));
                        cuts[1].attributes.insert((other.node, name.to_owned()));
                    }
                    None => {
                        cuts[0].words.insert(element.node, words.0);
                        cuts[1].words.insert(other.node, words.1);
                    }
                }
                left_out.push(LeftOut { place, before: shown(&before.text), after: shown(&after.text) });
            }
        }
        if cuts.iter().all(Cut::is_empty) {
            return None;
        }
        left_out.truncate(MOST_TOLD);
        let html = [cuts[0].apply(&old.tree), cuts[1].apply(&new.tree)];
        Some(Quiet { html, left_out })
    }
}

/// The text of an element or of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Value {
    text: String,
    is_attribute: bool,
    /// What is sold: its number tells something.
    is_price: bool,
}

/// Words of both texts that are left out, by their places.
type Words = (HashSet<usize>, HashSet<usize>);

impl Value {
    /// The words by which a later value differs as noise does, at a place where these stood before.
    fn passes_into(&self, later: &Value, seen: &Seen) -> Option<Words> {
        if seen.contains(&later.hash()) {
            let all = |value: &Value| (0..value.text.split(' ').count()).collect();
            return Some((all(self), all(later)));
        }
        self.passing(later)
    }

    fn passing(&self, later: &Value) -> Option<Words> {
        if self.is_price || later.is_price {
            return None;
        }
        if self.is_attribute {
            return passing::between_values(&self.text, &later.text).then(Words::default);
        }
        let mut words = Words::default();
        for change in passing::between(&self.text, &later.text)? {
            let of = if change.added { &mut words.1 } else { &mut words.0 };
            of.extend(change.at..change.at + change.words.split(' ').count());
        }
        Some(words)
    }

    fn hash(&self) -> u64 {
        xxh3_64(self.text.as_bytes())
    }
}

/// What the values at a place teach: none where they do not change, or by something that tells.
fn lesson(values: &[Option<Value>], pairs: usize) -> Option<Seen> {
    let often = |count: usize| count >= FEWEST && count * 3 >= pairs * 2;
    let (mut differing, mut passing, mut returning) = (0, 0, 0);
    let mut seen = Seen::new();
    for pair in values.windows(2) {
        let [Some(old), Some(new)] = pair else { continue };
        if old == new {
            continue;
        }
        differing += 1;
        passing += usize::from(old.passing(new).is_some());
        seen.insert(old.hash());
        returning += usize::from(seen.contains(&new.hash()));
    }
    if often(passing) {
        return Some(Seen::new());
    }
    // A text that was taken back once is no advertisement.
    let is_short = values.iter().flatten().all(|value| value.text.split(' ').count() <= MOST_ROTATING);
    (often(differing) && returning >= FEWEST && is_short).then_some(seen)
}

/// What is named and differs.
fn named(old: &Marked, new: &Marked, left_out: &mut Vec<LeftOut>) {
    let texts = |marked: &Marked| -> Vec<(String, String)> {
        let mut found = Vec::new();
        if marked.nodes.is_empty() && marked.attributes.is_empty() {
            return found;
        }
        for element in elements(&marked.tree) {
            if marked.nodes.contains(&element.node) {
                let text = words_of(&marked.tree.text_content(element.node));
                found.push((element.place.clone(), text));
            }
            for (name, _, value) in marked.tree.attributes(element.node) {
                if marked.attributes.contains(&(element.node, name.to_owned())) {
                    found.push((format!("{}@{name}", element.place), value.to_owned()));
                }
            }
        }
        found
    };
    let (before, mut after) = (texts(old), texts(new).into_iter().collect::<BTreeMap<_, _>>());
    for (place, text) in before {
        let later = after.remove(&place).unwrap_or_default();
        if text != later {
            left_out.push(LeftOut { place, before: shown(&text), after: shown(&later) });
        }
    }
    let came =
        after.into_iter().map(|(place, text)| LeftOut { place, before: String::new(), after: shown(&text) });
    left_out.extend(came);
}

/// An element and its place.
struct Element {
    node: NodeId,
    place: String,
}

impl Element {
    /// Its text and its attributes, by their places.
    fn values(&self, tree: &Tree) -> Vec<(String, Value)> {
        let name = tree.name(self.node).unwrap_or_default();
        let is_price = self.place.rsplit('/').take(2).any(|step| step.to_lowercase().contains("price"))
            || tree.attribute(self.node, "itemprop").is_some_and(|of| of.to_lowercase().contains("price"));
        let mut found = Vec::new();
        if !structure::is_code(name) {
            let texts = tree.children(self.node).filter(|child| tree.kind(*child) == Kind::Text);
            let text =
                texts.flat_map(|text| tree.text(text).split_whitespace()).collect::<Vec<_>>().join(" ");
            found.push((self.place.clone(), Value { text, is_attribute: false, is_price }));
        }
        let attributes = structure::telling_attributes(tree, self.node, name);
        found.extend(attributes.map(|(name, value)| {
            let value = Value { text: value.to_owned(), is_attribute: true, is_price };
            (format!("{}@{name}", self.place), value)
        }));
        found
    }
}

/// All elements, in the order of the page. Of those that are alike among their siblings the second and later ones have
/// their number.
fn elements(tree: &Tree) -> Vec<Element> {
    let mut found = Vec::new();
    let mut waiting = vec![(tree.root(), String::new())];
    while let Some((node, place)) = waiting.pop() {
        let mut counts: HashMap<String, usize> = HashMap::new();
        let from = waiting.len();
        for child in tree.children(node).filter(|child| tree.kind(*child) == Kind::Element) {
            let mut step = step(tree, child);
            let count = counts.entry(step.clone()).or_default();
            *count += 1;
            if *count > 1 {
                step = format!("{step}[{count}]");
            }
            waiting.push((child, structure::path_below(&place, &step)));
        }
        waiting[from..].reverse();
        if !place.is_empty() {
            found.push(Element { node, place });
        }
    }
    found
}

/// The name of an element with its id or class. Those with digits are often made up anew for each visitor.
fn step(tree: &Tree, node: NodeId) -> String {
    let name = tree.name(node).unwrap_or_default();
    let lasting = |word: &&str| {
        word.len() <= LONGEST_NAME
            && word.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_'))
    };
    let first = |attribute: &str| tree.attribute(node, attribute)?.split_whitespace().find(lasting);
    match (first("id"), first("class")) {
        (Some(id), _) => format!("{name}#{id}"),
        (None, Some(class)) => format!("{name}.{class}"),
        (None, None) => name.to_owned(),
    }
}

fn words_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(MOST_LETTERS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// What is cut out of a version.
struct Cut<'a> {
    nodes: &'a HashSet<NodeId>,
    attributes: HashSet<(NodeId, String)>,
    /// Of the own text of elements, words by their places.
    words: HashMap<NodeId, HashSet<usize>>,
}

impl<'a> Cut<'a> {
    fn of(marked: &'a Marked) -> Cut<'a> {
        Cut { nodes: &marked.nodes, attributes: marked.attributes.clone(), words: HashMap::new() }
    }

    fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.attributes.is_empty() && self.words.is_empty()
    }

    /// The markup without it.
    fn apply(&self, tree: &Tree) -> String {
        let mut out = String::from("<!doctype html>");
        // Words of the own text of each element that were met.
        let mut met: HashMap<NodeId, usize> = HashMap::new();
        // What is to be opened, and what is to be closed.
        let mut waiting = vec![(tree.root(), false)];
        while let Some((node, is_open)) = waiting.pop() {
            let name = tree.name(node).unwrap_or_default();
            if is_open {
                out.extend(["</", name, ">"]);
                continue;
            }
            if self.nodes.contains(&node) {
                continue;
            }
            match tree.kind(node) {
                Kind::Document => {}
                Kind::Element => {
                    out.extend(["<", name]);
                    for (attribute, _, value) in tree.attributes(node) {
                        if self.attributes.contains(&(node, attribute.to_owned())) {
                            continue;
                        }
                        let value = value.replace('&', "&amp;").replace('"', "&quot;");
                        out.extend([" ", attribute, "=\"", &value, "\""]);
                    }
                    out.push('>');
                    if html::is_void(name) {
                        continue;
                    }
                    waiting.push((node, true));
                }
                Kind::Text => {
                    let parent = tree.parent(node);
                    let text = match parent.and_then(|parent| Some((parent, self.words.get(&parent)?))) {
                        Some((parent, cut)) => without(tree.text(node), cut, met.entry(parent).or_default()),
                        None => tree.text(node).to_owned(),
                    };
                    let is_raw =
                        parent.and_then(|parent| tree.name(parent)).is_some_and(|name| RAW.contains(&name));
                    if is_raw {
                        out.push_str(&text);
                    } else {
                        out.push_str(&text.replace('&', "&amp;").replace('<', "&lt;"));
                    }
                    continue;
                }
                _ => continue,
            }
            let from = waiting.len();
            waiting.extend(tree.children(node).map(|child| (child, false)));
            waiting[from..].reverse();
        }
        out
    }
}

/// A text without some of its words, counted on from those before.
fn without(text: &str, cut: &HashSet<usize>, met: &mut usize) -> String {
    let mut out = String::new();
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        if word.is_empty() {
            out.push_str(piece);
            continue;
        }
        let is_cut = cut.contains(met);
        *met += 1;
        out.push_str(if is_cut { &piece[word.len()..] } else { piece });
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::change::{Level, level};

    fn page(clock: &str, text: &str) -> String {
        format!("<html><body><div><b>{clock}</b></div><p>{text}</p></body></html>")
    }

    fn learned(versions: &[String]) -> Noise {
        Noise::learned(&versions.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The level at which two versions differ without their noise, and what that is.
    fn beside(noise: &Noise, old: &str, new: &str) -> (Level, Vec<String>) {
        match noise.quiet(&Marked::new(old), &Marked::new(new)) {
            Some(quiet) => {
                let told = quiet.left_out.iter().map(|l| format!("{} {} → {}", l.place, l.before, l.after));
                (level(&quiet.html[0], &quiet.html[1]), told.collect())
            }
            None => (level(old, new), Vec::new()),
        }
    }

    #[test]
    fn what_changes_every_time_is_noise_and_other_changes_are_not() {
        let versions =
            [page("1:00", "same"), page("2:00", "same"), page("3:00", "same"), page("4:00", "new")];
        let noise = learned(&versions[..3]);
        assert_eq!(noise.places().collect::<Vec<_>>(), ["html/body/div/b"]);
        let told = |clocks: &str| vec![format!("html/body/div/b {clocks}")];
        assert_eq!(beside(&noise, &versions[1], &versions[2]), (Level::Same, told("2:00 → 3:00")));
        assert_eq!(beside(&noise, &versions[2], &versions[3]), (Level::Text, told("3:00 → 4:00")));
        let other = versions[2].replace("<p>", "<p class=new>");
        assert_eq!(beside(&noise, &versions[1], &other).0, Level::Attributes);
        assert_eq!(learned(&versions[..2]), Noise::default(), "once is not often");
    }

    #[test]
    fn a_page_without_its_noise_says_all_else() {
        let text = "1 &lt; 2 &amp; <i title='a \"b\" &amp;'>c</i><br>d<script>x < 1 && y</script>";
        let versions = ["1:00", "2:00", "3:00"].map(|clock| page(clock, text));
        let noise = learned(&versions);
        let quiet = noise.quiet(&Marked::new(&versions[0]), &Marked::new(&versions[2])).unwrap();
        let [first, second] = &quiet.html;
        assert_eq!(first, second);
        let (left, whole) = (html::parse(first, &mut ()), html::parse(&page("", text), &mut ()));
        assert_eq!(left.text_content(left.root()), whole.text_content(whole.root()));
        assert_eq!(structure::compare(first, &page("", text)), (vec![], vec![]));
        assert!(first.contains("<script>x < 1 && y</script>"), "{first}");
    }

    #[test]
    fn a_clock_beside_a_story_hides_nothing_of_it() {
        let page = |clock: &str, text: &str| {
            format!("<main><p>Updated {clock}</p><p>{text}</p><p class=clock>{clock}</p><p>end</p></main>")
        };
        let versions =
            [page("1:00", "story"), page("2:00", "story"), page("3:00", "story"), page("4:00", "news")];
        let noise = learned(&versions);
        let places = ["html/body/main/p", "html/body/main/p.clock"];
        assert_eq!(noise.places().collect::<Vec<_>>(), places);
        assert_eq!(beside(&noise, &versions[1], &versions[2]).0, Level::Same);
        let quiet = noise.quiet(&Marked::new(&versions[2]), &Marked::new(&versions[3])).unwrap();
        let text = |html: &str| {
            let tree = html::parse(html, &mut ());
            words_of(&tree.text_content(tree.root()))
        };
        assert_eq!(quiet.html.each_ref().map(|html| text(html)), ["Updated storyend", "Updated newsend"]);
        // What stands in the same element is told too.
        let rewritten = versions[2].replace("Updated 3:00", "Closed since 4:00");
        assert_eq!(beside(&noise, &versions[2], &rewritten).0, Level::Text);
    }

    #[test]
    fn what_somebody_writes_anew_each_time_is_no_noise() {
        let check = |texts: &[&str], is_noise: bool| {
            let versions: Vec<String> = texts.iter().map(|text| page(text, "same")).collect();
            assert_eq!(learned(&versions) != Noise::default(), is_noise, "{texts:?}");
        };
        check(&["100 EUR", "107 EUR", "114 EUR"], false);
        check(&["Storm comes", "Storm is here", "Storm is over", "Sun"], false);
        check(&["5 left", "4 left", "3 left"], false);
        check(&["open", "closed", "open"], false);
        check(&["Visitor 1000", "Visitor 1001", "Visitor 1007"], true);
        // An advertisement that comes back, and a passage that does.
        check(&["Buy tents", "Buy boats", "Buy tents", "Buy boats"], true);
        let long = ["one ".repeat(30), "two ".repeat(30)];
        check(&[&long[0], &long[1], &long[0], &long[1]], false);
        let priced = ["100", "107", "114"].map(|price| page("", &format!("<b class=price>{price}</b>")));
        assert_eq!(learned(&priced), Noise::default());
    }

    #[test]
    fn attributes_that_change_every_time_are_noise() {
        let versions = ["1", "2", "3"].map(|token| format!("<form><input name=t value={token}></form>"));
        let noise = learned(&versions);
        assert_eq!(noise.places().collect::<Vec<_>>(), ["html/body/form/input@value"]);
        let told = vec!["html/body/form/input@value 2 → 3".to_owned()];
        assert_eq!(beside(&noise, &versions[1], &versions[2]), (Level::Same, told));
        let links = ["tides", "storms", "boats"].map(|link| format!("<a href=/{link}>more</a>"));
        assert_eq!(learned(&links), Noise::default(), "where a link leads tells something");
    }

    #[test]
    fn what_is_named_is_noise_with_all_inside_and_nothing_else() {
        let page = |clock: &str, story: &str| {
            format!("<main><p class=clock><b>{clock}</b></p><p>{story}</p><a href=/{clock}>x</a></main>")
        };
        let find = |html: &str| {
            let mut marked = Marked::new(html);
            for selector in [".clock", "//a/@href"] {
                let selector = html::select::Selector::guess(selector).unwrap();
                let mut fuel = html::select::Fuel::new(1_000);
                let found = selector.select(marked.tree(), marked.tree().root(), &mut fuel).unwrap();
                let html::select::Selected::Nodes(found) = found else { panic!("nodes") };
                found.iter().for_each(|found| marked.mark(found));
            }
            marked
        };
        let differs = |old: &str, new: &str| {
            let quiet = Noise::default().quiet(&find(old), &find(new)).unwrap();
            (level(&quiet.html[0], &quiet.html[1]), quiet.left_out.len())
        };
        let old = page("1:00", "story");
        assert_eq!(differs(&old, &page("noon", "story")), (Level::Same, 2));
        assert_eq!(differs(&old, &page("noon", "news")), (Level::Text, 2));
        assert_eq!(differs(&old, &old.replace("<p class=clock><b>1:00</b></p>", "")), (Level::Same, 1));
    }

    proptest! {
        #[test]
        fn any_versions_teach_something(versions in prop::collection::vec("[<>/a-c p1-3:]{0,60}", 0..5)) {
            let noise = learned(&versions);
            for pair in versions.windows(2) {
                noise.quiet(&Marked::new(&pair[0]), &Marked::new(&pair[1]));
            }
        }
    }
}
