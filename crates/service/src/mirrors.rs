//! `mirrors`: the same pages under other addresses, as patterns: other paths of one host, replicas on other hosts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::duplicates::Groups;
use crate::sink::Sink;
use crate::{Data, MirrorsRequest, ServiceError};

/// Pairs of pages without which two patterns are no mirror.
const FEWEST: u64 = 2;

/// Members of a group that are compared with its chosen one.
const MOST_MEMBERS: usize = 64;

/// Letters without which a name that another URL has in its own says nothing.
const SHORTEST_NAME: usize = 4;

/// Patterns that are counted; a site that makes up addresses makes up patterns.
const MOST_PATTERNS: usize = 100_000;

/// Two patterns of URLs under which the same pages stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Mirror {
    /// Where the chosen pages are; the star stands for what both have in common, `#` for any number.
    pub pattern: String,
    /// Where their copies are.
    pub copy: String,
    /// On another host.
    pub other_host: bool,
    /// Pages that stand under both.
    pub pages: u64,
    /// One of them, as it is chosen.
    pub example: String,
    /// Its copy.
    pub example_copy: String,
}

pub(crate) fn mirrors(data: &Data, request: &MirrorsRequest, out: &mut Sink<'_>) -> Result<(), ServiceError> {
    let entry = data.project(request.project.as_ref())?;
    let groups = Groups::of(data, &data.store().snapshot(), &entry)?;
    let limit = usize::try_from(request.limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    found(groups.urls()).iter().take(limit).try_for_each(|mirror| out.send(mirror))
}

/// Patterns that groups have in common, most pages first.
fn found<'a>(groups: impl Iterator<Item = Vec<&'a str>>) -> Vec<Mirror> {
    let mut counts: BTreeMap<(String, String), (u64, &str, &str)> = BTreeMap::new();
    for members in groups {
        let Some((chosen, others)) = members.split_first() else { continue };
        for copy in others.iter().take(MOST_MEMBERS) {
            let Some(patterns) = patterns(chosen, copy) else { continue };
            if counts.len() < MOST_PATTERNS || counts.contains_key(&patterns) {
                counts.entry(patterns).or_insert((0, chosen, copy)).0 += 1;
            }
        }
    }
    // Which of two hosts the chosen page is on may differ from page to page.
    for (pattern, copy) in counts.keys().cloned().collect::<Vec<_>>() {
        let turned = (copy.clone(), pattern.clone());
        let (Some(own), Some(other)) = (counts.get(&(pattern.clone(), copy.clone())), counts.get(&turned))
        else {
            continue;
        };
        if pattern != copy && (own.0, &copy) >= (other.0, &pattern) {
            let more = other.0;
            counts.remove(&turned);
            counts.entry((pattern, copy)).and_modify(|count| count.0 += more);
        }
    }
    let mut mirrors: Vec<Mirror> = counts
        .into_iter()
        .filter(|(_, (pages, ..))| *pages >= FEWEST)
        .map(|((pattern, copy), (pages, example, example_copy))| Mirror {
            other_host: host(&pattern) != host(&copy),
            pattern,
            copy,
            pages,
            example: example.to_owned(),
            example_copy: example_copy.to_owned(),
        })
        .collect();
    mirrors.sort_by(|one, other| {
        other
            .pages
            .cmp(&one.pages)
            .then_with(|| (&one.pattern, &one.copy).cmp(&(&other.pattern, &other.copy)))
    });
    mirrors
}

/// Two URLs with what they have in common as a star: the end of their paths, from a slash on; else their beginning, where
/// one only adds something; else the last name of one, which the other has in its own, with numbers beside it as `#`.
fn patterns(first: &str, second: &str) -> Option<(String, String)> {
    let (first_path, second_path) = (&first[path_at(first)?..], &second[path_at(second)?..]);
    let common = first_path.bytes().rev().zip(second_path.bytes().rev()).take_while(|(a, b)| a == b).count();
    let end = &first_path[first_path.ceil_char_boundary(first_path.len() - common)..];
    // Not in the middle of a name.
    if let Some(slash) = end.find('/').filter(|slash| end.len() - slash > 1) {
        let tail = end.len() - slash - 1;
        let (one, other) = (&first[..first.len() - tail], &second[..second.len() - tail]);
        if one != other {
            return Some((format!("{one}*"), format!("{other}*")));
        }
    }
    let (short, long, turned) =
        if first.len() <= second.len() { (first, second, false) } else { (second, first, true) };
    let (plain, more) = match long.strip_prefix(short) {
        Some(added) => {
            let origin = &short[..=path_at(short)?];
            (format!("{origin}*"), format!("{origin}*{added}"))
        }
        None => {
            let ((first, second), swapped) = match named(first, second) {
                Some(found) => (found, false),
                None => (named(second, first)?, true),
            };
            return Some(if swapped { (second, first) } else { (first, second) });
        }
    };
    Some(if turned { (more, plain) } else { (plain, more) })
}

/// Two URLs of which the second has the last name of the first in its own.
fn named(first: &str, second: &str) -> Option<(String, String)> {
    let (folder, name) = first.rsplit_once('/')?;
    let (other_folder, other_name) = second.rsplit_once('/')?;
    let at = other_name.find(name).filter(|_| name.chars().count() >= SHORTEST_NAME)?;
    let (before, after) = (&other_name[..at], &other_name[at + name.len()..]);
    let one = format!("{}/*", with_numbers(folder));
    let other =
        format!("{}/{}*{}", with_numbers(other_folder), without_numbers(before), without_numbers(after));
    (one != other).then_some((one, other))
}

/// A folder with the numbers of its path as `#`; those of its host and port stay.
fn with_numbers(folder: &str) -> String {
    let path = path_at(folder).unwrap_or(folder.len());
    format!("{}{}", &folder[..path], without_numbers(&folder[path..]))
}

fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if out.ends_with('#') => {}
            true => out.push('#'),
            false => out.push(c),
        }
    }
    out
}

/// Where the path of a URL begins.
fn path_at(url: &str) -> Option<usize> {
    let host = url.find("://")? + 3;
    Some(host + url[host..].find('/')?)
}

fn host(pattern: &str) -> &str {
    let rest = pattern.split_once("://").map_or(pattern, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(first: &str, second: &str, expected: Option<(&str, &str)>) {
        let expected = expected.map(|(one, other)| (one.to_owned(), other.to_owned()));
        assert_eq!(patterns(first, second), expected, "{first} and {second}");
    }

    #[test]
    fn what_two_addresses_have_in_common_is_a_star() {
        check(
            "http://a.test/old/x/1",
            "http://a.test/new/x/1",
            Some(("http://a.test/old/*", "http://a.test/new/*")),
        );
        check("http://a.test/x/1", "http://b.test/x/1", Some(("http://a.test/*", "http://b.test/*")));
        check("http://a.test/x", "http://a.test/m/x", Some(("http://a.test/*", "http://a.test/m/*")));
        check(
            "http://a.test/x",
            "http://a.test/x?print=1",
            Some(("http://a.test/*", "http://a.test/*?print=1")),
        );
        check("http://a.test/x?s=1", "http://a.test/x?s=2", None);
        check("http://a.test/x", "https://a.test/x", Some(("http://a.test/*", "https://a.test/*")));
        check(
            "http://a.test:80/d/x/1",
            "https://a.test/d/x/1",
            Some(("http://a.test:80/*", "https://a.test/*")),
        );
        check("http://a.test/", "https://a.test/", None);
        let blog = ("http://a1.test/blog/#/#/*", "http://a1.test/print/*-#");
        check("http://a1.test/blog/2026/02/rain", "http://a1.test/print/rain-63", Some(blog));
        let turned = Some((blog.1, blog.0));
        check("http://a1.test/print/rain-7", "http://a1.test/blog/2025/11/rain", turned);
        check("http://a.test/a/one", "http://a.test/b/two", None);
        check("http://a.test/é/ü", "http://b.test/é/ü", Some(("http://a.test/*", "http://b.test/*")));
    }

    #[test]
    fn patterns_are_counted_in_both_directions_and_single_pairs_are_none() {
        let groups = [
            vec!["http://a.test/1", "http://b.test/1"],
            vec!["http://a.test/2", "http://b.test/2"],
            vec!["http://b.test/3", "http://a.test/3"],
            vec!["http://a.test/p", "http://a.test/p/q"],
        ];
        let mirrors = found(groups.into_iter());
        assert_eq!(mirrors.len(), 1, "{mirrors:?}");
        assert_eq!(
            (mirrors[0].pattern.as_str(), mirrors[0].copy.as_str()),
            ("http://a.test/*", "http://b.test/*")
        );
        assert_eq!((mirrors[0].pages, mirrors[0].other_host), (3, true));
    }
}
