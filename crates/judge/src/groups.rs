//! Groups of near duplicates, and the member that stands for each: chosen by rule, never by arrival.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What the choice depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Where the document is.
    pub url: String,
    /// How important it is; more is better.
    pub rank: f64,
}

/// A group: places of its members among those given, the chosen one first, the others in the order of the rule.
pub type Group = Vec<usize>;

/// Puts members together that are joined by pairs, directly or through others. A member without a pair has no group.
pub fn groups(members: &[Member], pairs: impl IntoIterator<Item = (usize, usize)>) -> Vec<Group> {
    let mut parents: Vec<usize> = (0..members.len()).collect();
    for (first, second) in pairs {
        if first < parents.len() && second < parents.len() {
            let (first, second) = (root(&mut parents, first), root(&mut parents, second));
            parents[first.max(second)] = first.min(second);
        }
    }
    let mut found: BTreeMap<usize, Group> = BTreeMap::new();
    for member in 0..members.len() {
        found.entry(root(&mut parents, member)).or_default().push(member);
    }
    let mut groups: Vec<Group> = found.into_values().filter(|group| group.len() > 1).collect();
    for group in &mut groups {
        group.sort_by(|first, second| rule(&members[*first], &members[*second]));
    }
    groups.sort_by(|first, second| members[first[0]].url.cmp(&members[second[0]].url));
    groups
}

/// The higher rank first, then the shorter URL, then the one whose bytes come first.
pub fn rule(first: &Member, second: &Member) -> Ordering {
    second
        .rank
        .total_cmp(&first.rank)
        .then(first.url.len().cmp(&second.url.len()))
        .then_with(|| first.url.as_bytes().cmp(second.url.as_bytes()))
}

fn root(parents: &mut [usize], mut member: usize) -> usize {
    while parents[member] != member {
        parents[member] = parents[parents[member]];
        member = parents[member];
    }
    member
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn member(url: &str, rank: f64) -> Member {
        Member { url: url.to_owned(), rank }
    }

    fn shown(members: &[Member], pairs: &[(usize, usize)]) -> Vec<Vec<String>> {
        let groups = groups(members, pairs.iter().copied());
        groups.iter().map(|group| group.iter().map(|place| members[*place].url.clone()).collect()).collect()
    }

    #[test]
    fn rank_then_length_then_bytes_choose() {
        let members = [
            member("/bb", 0.0),
            member("/long", 1.0),
            member("/ab", 0.0),
            member("/b", 0.0),
            member("/x", 9.0),
        ];
        assert_eq!(shown(&members, &[(0, 2), (2, 3), (1, 3)]), [["/long", "/b", "/ab", "/bb"]]);
        assert_eq!(shown(&members, &[(4, 99)]), Vec::<Vec<String>>::new());
    }

    proptest! {
        #[test]
        fn arrival_makes_no_difference(pairs in proptest::collection::vec((0usize..8, 0usize..8), 0..12), turn in 0usize..8) {
            let members: Vec<Member> = (0..8).map(|n| member(&format!("/{n}"), f64::from(n % 3))).collect();
            let mut turned = members.clone();
            turned.rotate_left(turn);
            let moved: Vec<(usize, usize)> =
                pairs.iter().map(|(a, b)| ((a + 8 - turn) % 8, (b + 8 - turn) % 8)).collect();
            prop_assert_eq!(shown(&members, &pairs), shown(&turned, &moved));
        }
    }
}
