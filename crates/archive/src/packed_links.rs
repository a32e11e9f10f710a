//! The links of a page as bytes: a byte says how a link looks, another what it is. Its host is named where it is another
//! than that of the link before, which it seldom is, and its page where that is another, which it is for half of them.

use kv::{DecodeError, Table, Value};
use model::{HostKey, LinkKind, LinkLook, Rel, SharedText, UrlKey};

use crate::tables::{Edge, LINKS, Links};

/// The links of a page as last read, of those who write them: the same rows as [`LINKS`].
pub const PACKED_LINKS: Table<(u32, u64, u128), PackedLinks> = LINKS.with_values();

/// The links of a page as they are kept, made link by link.
#[derive(Clone, Debug)]
pub struct PackedLinks {
    bytes: Vec<u8>,
    /// Where the last one leads, and how far.
    before: Option<(u8, UrlKey)>,
}

/// Room for the links of most pages is made once.
const ROOM: usize = 2 << 10;

impl Default for PackedLinks {
    fn default() -> PackedLinks {
        let mut bytes = Vec::with_capacity(ROOM);
        bytes.push(VERSION);
        PackedLinks { bytes, before: None }
    }
}

impl PackedLinks {
    /// Adds a link: where it leads, its words, how prominent it is, what its `rel` asks, its markup, and whether it was
    /// followed.
    pub fn push(
        &mut self,
        target: UrlKey,
        anchor: &str,
        look: LinkLook,
        rel: Rel,
        kind: LinkKind,
        followed: bool,
    ) {
        let distance = distance(look);
        let same_host = self.before.is_some_and(|(_, before)| before.host == target.host);
        let same_page = self.before == Some((distance, target));
        let seen = attributes(look, rel, followed) | if same_page { SAME_PAGE } else { distance };
        self.bytes.extend([seen, code(kind, rel) | if same_host { SAME_HOST } else { 0 }]);
        if !same_host {
            self.bytes.extend(target.host.0.to_le_bytes());
        }
        if !same_page {
            self.bytes.extend(target.page.to_le_bytes());
        }
        self.before = Some((distance, target));
        push_length(&mut self.bytes, anchor.len());
        self.bytes.extend(anchor.as_bytes());
    }

    /// None of them was followed after all.
    pub fn unfollow(&mut self) {
        let mut links = self.unpack();
        links.edges.iter_mut().for_each(|edge| edge.followed = false);
        *self = PackedLinks::of(&links);
    }

    /// The links.
    pub fn unpack(&self) -> Links {
        Links::decode(&self.bytes).expect("links that were packed")
    }

    fn of(links: &Links) -> PackedLinks {
        let mut packed = PackedLinks::default();
        for Edge { target, anchor, look, rel, kind, followed } in &links.edges {
            packed.push(*target, anchor, *look, *rel, *kind, *followed);
        }
        packed
    }
}

impl Value for PackedLinks {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes);
    }

    fn decode(bytes: &[u8]) -> Result<PackedLinks, DecodeError> {
        Links::decode(bytes).map(|links| PackedLinks::of(&links))
    }
}

const VERSION: u8 = 3;
/// The same, with each link's page.
const WITH_PAGES: u8 = 2;

/// Bits of the second byte, above the kind.
const SPONSORED: u8 = 1 << 4;
const UGC: u8 = 1 << 5;
const NEXT: u8 = 1 << 6;
const SAME_HOST: u8 = 1 << 7;

const KINDS: [LinkKind; 9] = [
    LinkKind::Anchor,
    LinkKind::Area,
    LinkKind::Frame,
    LinkKind::Refresh,
    LinkKind::Canonical,
    LinkKind::Redirect,
    LinkKind::Start,
    LinkKind::Further,
    LinkKind::Listed,
];

/// Bits of the first byte that have the code of the distance. The last code says that the link leads where the one before
/// does, and so is as far.
const DISTANCE: u8 = 3 << 4;
const SAME_PAGE: u8 = 3 << 4;

/// Distances by their code.
const DISTANCES: [u8; 3] = [1, 3, 5];

impl Value for Links {
    fn encode(&self, out: &mut Vec<u8>) {
        PackedLinks::of(self).encode(out);
    }

    fn decode(bytes: &[u8]) -> Result<Links, DecodeError> {
        let (&version, mut rest) =
            bytes.split_first().ok_or(DecodeError::Length { expected: 1, found: 0 })?;
        match version {
            // Each field by itself, in postcard form.
            1 => return kv::read_fields(rest),
            WITH_PAGES | VERSION => {}
            found => return Err(DecodeError::Version { found, known: VERSION }),
        }
        let mut edges = Vec::new();
        let mut before: Option<(u8, UrlKey)> = None;
        while !rest.is_empty() {
            let [mut look, kind] = take(&mut rest)?;
            let first = || malformed("the first link has no host or page of its own");
            let host = match before {
                _ if kind & SAME_HOST == 0 => HostKey(u64::from_le_bytes(take(&mut rest)?)),
                Some((_, before)) => before.host,
                None => return Err(first()),
            };
            let page = if version == VERSION && look & DISTANCE == SAME_PAGE {
                let (distance, before) = before.filter(|_| kind & SAME_HOST != 0).ok_or_else(first)?;
                look = (look & !DISTANCE) | distance;
                before.page
            } else {
                u128::from_le_bytes(take(&mut rest)?)
            };
            let target = UrlKey { host, page };
            before = Some((look & DISTANCE, target));
            let length = take_length(&mut rest)?;
            let (words, left) =
                rest.split_at_checked(length).ok_or_else(|| malformed("a link is cut off"))?;
            rest = left;
            let anchor = std::str::from_utf8(words).map_err(|_| malformed("words that are not UTF-8"))?;
            edges.push(edge(target, anchor.into(), look, kind)?);
        }
        Ok(Links { edges })
    }
}

/// The attribute byte without its two bits of [`distance`]: visibility and position, two bits each, whether it was followed
/// and whether its author vouches for it.
fn attributes(look: LinkLook, rel: Rel, followed: bool) -> u8 {
    let third = |step: u8| step.clamp(1, 3) - 1;
    third(look.visibility)
        | (third(look.position) << 2)
        | (u8::from(rel.nofollow) << 6)
        | (u8::from(followed) << 7)
}

fn distance(look: LinkLook) -> u8 {
    match look.distance {
        0..=1 => 0,
        2..=4 => 1 << 4,
        _ => 2 << 4,
    }
}

fn code(kind: LinkKind, rel: Rel) -> u8 {
    let kind = KINDS.iter().position(|known| *known == kind).unwrap_or(0) as u8;
    let flag = |is: bool, bit: u8| if is { bit } else { 0 };
    kind | flag(rel.sponsored, SPONSORED) | flag(rel.ugc, UGC) | flag(rel.next, NEXT)
}

fn edge(target: UrlKey, anchor: SharedText, look: u8, kind: u8) -> Result<Edge, DecodeError> {
    let third = |shift: u32| Some(1 + ((look >> shift) & 3)).filter(|step| *step <= 3);
    let unknown = || malformed("a link that looks like none");
    let look_of = LinkLook {
        visibility: third(0).ok_or_else(unknown)?,
        position: third(2).ok_or_else(unknown)?,
        distance: *DISTANCES.get(usize::from((look >> 4) & 3)).ok_or_else(unknown)?,
    };
    let rel = Rel {
        nofollow: (look >> 6) & 1 == 1,
        sponsored: kind & SPONSORED != 0,
        ugc: kind & UGC != 0,
        next: kind & NEXT != 0,
    };
    let kind = *KINDS.get(usize::from(kind & 15)).ok_or_else(unknown)?;
    Ok(Edge { target, anchor, look: look_of, rel, kind, followed: look >> 7 == 1 })
}

/// Seven bits a byte, the lowest first.
fn push_length(out: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

fn take_length(rest: &mut &[u8]) -> Result<usize, DecodeError> {
    let mut length = 0;
    for shift in (0..usize::BITS).step_by(7) {
        let [byte] = take(rest)?;
        length |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(length);
        }
    }
    Err(malformed("a length without end"))
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], DecodeError> {
    let (taken, left) = rest.split_first_chunk().ok_or_else(|| malformed("a link is cut off"))?;
    *rest = left;
    Ok(*taken)
}

fn malformed(what: &str) -> DecodeError {
    DecodeError::Malformed(what.to_owned())
}

#[cfg(test)]
mod tests {
    use kv::Record;
    use proptest::prelude::*;
    use serde::{Deserialize, Serialize};

    use super::*;

    /// As they were kept before.
    #[derive(Serialize, Deserialize)]
    struct Before {
        edges: Vec<Edge>,
    }

    impl Record for Before {
        const VERSION: u8 = 1;
    }

    fn edges() -> impl Strategy<Value = Vec<Edge>> {
        let page = prop_oneof![Just(u128::MAX), any::<u128>()];
        let key = (0u64..3, page);
        let look = (1u8..=3, 1u8..=3, prop::sample::select(&DISTANCES[..]));
        let flags = any::<[bool; 5]>();
        let edge = (key, "\\PC{0,300}", look, flags, prop::sample::select(&KINDS[..]));
        let made = edge.prop_map(|((host, page), anchor, look, flags, kind)| {
            let [nofollow, sponsored, ugc, next, followed] = flags;
            Edge {
                target: UrlKey { host: HostKey(host.wrapping_mul(u64::MAX / 2)), page },
                anchor: anchor.as_str().into(),
                look: LinkLook { visibility: look.0, position: look.1, distance: look.2 },
                rel: Rel { nofollow, sponsored, ugc, next },
                kind,
                followed,
            }
        });
        prop::collection::vec(made, 0..20)
    }

    fn bytes_of(value: &impl Value) -> Vec<u8> {
        let mut bytes = Vec::new();
        value.encode(&mut bytes);
        bytes
    }

    proptest! {
        #[test]
        fn links_come_back_as_they_were_also_those_of_before(edges in edges()) {
            let links = Links { edges };
            prop_assert_eq!(&Links::decode(&bytes_of(&links)).unwrap(), &links);
            let before = bytes_of(&Before { edges: links.edges.clone() });
            prop_assert_eq!(&Links::decode(&before).unwrap(), &links);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Links::decode(&bytes);
            let _ = Links::decode(&[&[VERSION], &bytes[..]].concat());
            let _ = Links::decode(&[&[WITH_PAGES], &bytes[..]].concat());
        }
    }

    #[test]
    fn a_link_on_the_same_host_costs_nineteen_bytes_beside_its_words() {
        let edge = |page: u128| Edge {
            target: UrlKey { host: HostKey(u64::MAX - 5), page: u128::MAX - page },
            anchor: "word".into(),
            look: LinkLook { visibility: 3, position: 2, distance: 1 },
            rel: Rel::default(),
            kind: LinkKind::Anchor,
            followed: true,
        };
        let links = Links { edges: (0..100).map(edge).collect() };
        assert_eq!(bytes_of(&links).len(), 1 + 8 + 100 * (2 + 16 + 1 + 4));
    }

    #[test]
    fn a_link_to_the_page_of_the_one_before_costs_three_bytes_beside_its_words() {
        let edge = |distance: u8| Edge {
            target: UrlKey { host: HostKey(7), page: 8 },
            anchor: "word".into(),
            look: LinkLook { visibility: 1, position: 3, distance },
            rel: Rel { nofollow: true, ..Rel::default() },
            kind: LinkKind::Area,
            followed: true,
        };
        let links = Links { edges: vec![edge(3), edge(3), edge(3), edge(5)] };
        let bytes = bytes_of(&links);
        assert_eq!(bytes.len(), 1 + 8 + 2 * (2 + 16) + 2 * 2 + 4 * (1 + 4));
        assert_eq!(Links::decode(&bytes).unwrap(), links);
    }

    /// Written by a program that knew version 2.
    #[test]
    fn links_of_the_version_before_are_read() {
        let target = UrlKey { host: HostKey(7), page: 8 };
        let look = LinkLook { visibility: 2, position: 1, distance: 5 };
        let edge = |anchor: &str, followed| Edge {
            target,
            anchor: anchor.into(),
            look,
            rel: Rel::default(),
            kind: LinkKind::Anchor,
            followed,
        };
        let (host, page) = (7u64.to_le_bytes(), 8u128.to_le_bytes());
        let first = [&[WITH_PAGES, 0xa1, 0][..], &host, &page, &[1, b'a']].concat();
        let second = [&[0x21, SAME_HOST][..], &page, &[1, b'b']].concat();
        let links = Links { edges: vec![edge("a", true), edge("b", false)] };
        assert_eq!(Links::decode(&[&first[..], &second].concat()).unwrap(), links);
        let same = [&[0x31, SAME_HOST][..], &[1, b'b']].concat();
        assert!(Links::decode(&[&first[..], &same].concat()).is_err(), "it knew no such link");
    }

    #[test]
    fn the_page_of_the_link_before_is_of_its_host() {
        let host = 7u64.to_le_bytes();
        let first = [&[VERSION, 0xa1, 0][..], &host, &8u128.to_le_bytes(), &[1, b'a']].concat();
        let (same, elsewhere) = ([0x31, SAME_HOST, 1, b'b'], [&[0x31, 0][..], &host, &[1, b'b']].concat());
        assert_eq!(Links::decode(&[&first[..], &same].concat()).unwrap().edges.len(), 2);
        assert!(Links::decode(&[&first[..], &elsewhere].concat()).is_err());
        assert!(Links::decode(&[&[VERSION][..], &same].concat()).is_err(), "no link stands before it");
    }

    #[test]
    fn links_that_are_cut_off_are_refused() {
        let edge = Edge {
            target: UrlKey { host: HostKey(1), page: 2 },
            anchor: "word".into(),
            look: LinkLook::plain(5),
            rel: Rel::default(),
            kind: LinkKind::Canonical,
            followed: false,
        };
        let one = bytes_of(&Links { edges: vec![edge.clone()] }).len();
        let bytes = bytes_of(&Links { edges: vec![edge.clone(), edge] });
        for end in (2..bytes.len()).filter(|end| *end != one) {
            assert!(Links::decode(&bytes[..end]).is_err(), "{end}");
        }
        assert!(Links::decode(&[]).is_err() && Links::decode(&[4]).is_err());
        assert_eq!(Links::decode(&[VERSION]).unwrap(), Links::default());
    }
}
