//! Noise: places of a page that change every time and tell nothing, as clocks, counters and advertisements do.
//!
//! Learned from repeated changes at the same place, and named by whoever knows better. A place is the path of an element,
//! as in the table of levels.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use html::{Kind, NodeId, Tree};

use super::structure::{self, LevelChange};

/// Pairs of versions in which a place must have changed to be noise.
const FEWEST: usize = 2;

/// Elements whose text is read as it stands.
const RAW: [&str; 7] = ["iframe", "noembed", "noframes", "plaintext", "script", "style", "xmp"];

/// Places that tell nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noise(BTreeSet<String>);

impl Noise {
    /// What versions of a page teach, oldest first: places whose text, or attributes that, differed between at least two
    /// pairs of neighbours, and between two of three of all.
    pub fn learned(versions: &[&str]) -> Noise {
        let pairs = versions.len().saturating_sub(1);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for pair in versions.windows(2) {
            let (levels, attributes) = structure::compare(pair[0], pair[1]);
            let edited: BTreeSet<String> =
                levels.into_iter().flat_map(|level| level.edited).chain(attributes).collect();
            for path in edited {
                *counts.entry(path).or_default() += 1;
            }
        }
        let often = |count: usize| count >= FEWEST && count * 3 >= pairs * 2;
        Noise(counts.into_iter().filter(|(_, count)| often(*count)).map(|(path, _)| path).collect())
    }

    /// Adds the place of an element.
    pub fn add(&mut self, tree: &Tree, node: NodeId) {
        self.0.insert(structure::path_of(tree, node));
    }

    /// The places.
    pub fn places(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// True of the path of an element at such a place, or below one, or of an attribute there.
    fn holds(&self, path: &str) -> bool {
        self.0.iter().any(|place| {
            path.strip_prefix(place.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '@']))
        })
    }

    /// Markup of a page without the text that stands at such places and not in the other version: several elements may
    /// have the path of one that changes every time.
    pub fn without(&self, html: &str, other: &str) -> String {
        let other = html::parse(other, &mut ());
        let texts = other.descendants(other.root()).filter(|node| other.kind(*node) == Kind::Text);
        let lasting: HashSet<&str> = texts.map(|node| other.text(node).trim()).collect();
        let tree = html::parse(html, &mut ());
        let mut out = String::from("<!doctype html>");
        // What is to be opened, with the path it is in and whether that is noise; and what is to be closed.
        let mut waiting = vec![(tree.root(), Some((String::new(), false)))];
        while let Some((node, within)) = waiting.pop() {
            let name = tree.name(node).unwrap_or_default();
            let Some((mut path, mut is_noise)) = within else {
                out.extend(["</", name, ">"]);
                continue;
            };
            match tree.kind(node) {
                Kind::Document => {}
                Kind::Element => {
                    path = structure::path_below(&path, name);
                    is_noise |= self.holds(&path);
                    out.extend(["<", name]);
                    for (attribute, _, value) in tree.attributes(node) {
                        let value = value.replace('&', "&amp;").replace('"', "&quot;");
                        out.extend([" ", attribute, "=\"", &value, "\""]);
                    }
                    out.push('>');
                    if html::is_void(name) {
                        continue;
                    }
                    waiting.push((node, None));
                }
                Kind::Text if !is_noise || lasting.contains(tree.text(node).trim()) => {
                    let parent = tree.parent(node).and_then(|parent| tree.name(parent));
                    if parent.is_some_and(|parent| RAW.contains(&parent)) {
                        out.push_str(tree.text(node));
                    } else {
                        out.push_str(&tree.text(node).replace('&', "&amp;").replace('<', "&lt;"));
                    }
                    continue;
                }
                _ => continue,
            }
            let from = waiting.len();
            waiting.extend(tree.children(node).map(|child| (child, Some((path.clone(), is_noise)))));
            waiting[from..].reverse();
        }
        out
    }

    /// True when all that differs are texts and attributes at such places, or below them.
    pub fn explains(&self, levels: &[LevelChange], attributes: &[String]) -> bool {
        let known = |path: &String| self.holds(path);
        let elements =
            levels.iter().flat_map(|level| level.added.iter().chain(&level.removed).chain(&level.edited));
        !(levels.is_empty() && attributes.is_empty()) && elements.chain(attributes).all(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(clock: &str, text: &str) -> String {
        format!("<html><body><div><b>{clock}</b></div><p>{text}</p></body></html>")
    }

    #[test]
    fn what_changes_every_time_is_noise_and_other_changes_are_not() {
        let versions =
            [page("1:00", "same"), page("2:00", "same"), page("3:00", "same"), page("4:00", "new")];
        let texts: Vec<&str> = versions.iter().map(String::as_str).collect();
        let noise = Noise::learned(&texts[..3]);
        assert_eq!(noise.places().collect::<Vec<_>>(), ["html/body/div/b"]);
        let explains = |old: &str, new: &str| {
            let (levels, attributes) = structure::compare(old, new);
            noise.explains(&levels, &attributes)
        };
        assert!(explains(texts[1], texts[2]));
        assert!(!explains(texts[2], texts[3]));
        assert!(!explains(texts[1], &texts[2].replace("<p>", "<p class=new>")));
        assert!(!noise.explains(&[], &[]));
        assert_eq!(Noise::learned(&texts[..2]), Noise::default(), "once is not often");
    }

    #[test]
    fn a_page_without_its_noise_says_all_else() {
        let text = "1 &lt; 2 &amp; <i title='a \"b\" &amp;'>c</i><br>d<script>x < 1 && y</script>";
        let versions =
            [page("1:00", text), page("2:00 sharp", text), page("3:00", text), page("4:00", "edited")];
        let noise = Noise::learned(&versions[..3].iter().map(String::as_str).collect::<Vec<_>>());
        let beside = |at: usize, other: usize| noise.without(&versions[at], &versions[other]);
        let [first, second, third, last] = [beside(0, 1), beside(1, 2), beside(2, 3), beside(3, 0)];
        assert!(first == second && second == third && third != last, "{first}\n{second}\n{third}");
        let quiet = html::parse(&first, &mut ());
        let whole = html::parse(&page("", text), &mut ());
        assert_eq!(quiet.text_content(quiet.root()), whole.text_content(whole.root()));
        assert_eq!(structure::compare(&first, &page("", text)), (vec![], vec![]));
        assert!(first.contains("<script>x < 1 && y</script>"), "{first}");
    }

    #[test]
    fn what_lasts_stays_beside_noise_of_the_same_path() {
        let page =
            |clock: &str, text: &str| format!("<main><p>Updated {clock}</p><p>{text}</p><p>end</p></main>");
        let versions =
            [page("1:00", "story"), page("2:00", "story"), page("3:00", "story"), page("4:00", "news")];
        let noise = Noise::learned(&versions[..3].iter().map(String::as_str).collect::<Vec<_>>());
        let text = |at: usize, other: usize| {
            let tree = html::parse(&noise.without(&versions[at], &versions[other]), &mut ());
            tree.text_content(tree.root())
        };
        assert_eq!([text(1, 2), text(2, 1)], ["storyend", "storyend"]);
        assert_eq!([text(2, 3), text(3, 2)], ["end", "end"], "an edit at a noisy place is noise");
    }

    #[test]
    fn attributes_that_change_every_time_are_noise() {
        let versions = ["1", "2", "3"].map(|token| format!("<form><input name=t value={token}></form>"));
        let noise = Noise::learned(&versions.each_ref().map(String::as_str));
        assert_eq!(noise.places().collect::<Vec<_>>(), ["html/body/form/input@value"]);
        let (levels, attributes) = structure::compare(&versions[1], &versions[2]);
        assert!(noise.explains(&levels, &attributes));
    }

    #[test]
    fn a_place_that_is_named_counts_with_all_inside() {
        let (old, new) = (page("1:00", "same"), page("2:00", "same"));
        let tree = html::parse(&old, &mut ());
        let div = tree.descendants(tree.root()).find(|node| tree.name(*node) == Some("div")).unwrap();
        let mut noise = Noise::default();
        noise.add(&tree, div);
        let (levels, attributes) = structure::compare(&old, &new.replace("<b>", "<b class=late>"));
        assert!(!attributes.is_empty() && noise.explains(&levels, &attributes));
    }
}
