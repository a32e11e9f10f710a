//! The links of a page as bytes: a byte says how a link looks, another what it is, and the host is named where it is
//! another than that of the link before, which it seldom is.

use kv::{DecodeError, Value};
use model::{HostKey, LinkKind, LinkLook, Rel, SharedText, UrlKey};

use crate::tables::{Edge, Links};

const VERSION: u8 = 2;

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

/// Distances by their code.
const DISTANCES: [u8; 3] = [1, 3, 5];

impl Value for Links {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        let mut host = None;
        for edge in &self.edges {
            let same = host.replace(edge.target.host) == Some(edge.target.host);
            out.extend([attributes(edge), kind(edge) | if same { SAME_HOST } else { 0 }]);
            if !same {
                out.extend(edge.target.host.0.to_le_bytes());
            }
            out.extend(edge.target.page.to_le_bytes());
            push_length(out, edge.anchor.len());
            out.extend(edge.anchor.as_bytes());
        }
    }

    fn decode(bytes: &[u8]) -> Result<Links, DecodeError> {
        let (&version, mut rest) =
            bytes.split_first().ok_or(DecodeError::Length { expected: 1, found: 0 })?;
        match version {
            // Each field by itself, in postcard form.
            1 => return kv::read_fields(rest),
            VERSION => {}
            found => return Err(DecodeError::Version { found, known: VERSION }),
        }
        let mut edges = Vec::new();
        let mut host = None;
        while !rest.is_empty() {
            let [look, kind] = take(&mut rest)?;
            if kind & SAME_HOST == 0 {
                host = Some(HostKey(u64::from_le_bytes(take(&mut rest)?)));
            }
            let host = host.ok_or_else(|| malformed("the first link has no host"))?;
            let target = UrlKey { host, page: u128::from_le_bytes(take(&mut rest)?) };
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

/// The attribute byte: visibility, position and distance, two bits each, whether it was followed and whether its author
/// vouches for it.
fn attributes(edge: &Edge) -> u8 {
    let third = |step: u8| step.clamp(1, 3) - 1;
    let distance = match edge.look.distance {
        0..=1 => 0,
        2..=4 => 1,
        _ => 2,
    };
    third(edge.look.visibility)
        | (third(edge.look.position) << 2)
        | (distance << 4)
        | (u8::from(edge.rel.nofollow) << 6)
        | (u8::from(edge.followed) << 7)
}

fn kind(edge: &Edge) -> u8 {
    let kind = KINDS.iter().position(|kind| *kind == edge.kind).unwrap_or(0) as u8;
    let flag = |is: bool, bit: u8| if is { bit } else { 0 };
    kind | flag(edge.rel.sponsored, SPONSORED) | flag(edge.rel.ugc, UGC) | flag(edge.rel.next, NEXT)
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
        let key = (0u64..3, any::<u128>());
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
    fn links_that_are_cut_off_are_refused() {
        let links = Links {
            edges: vec![Edge {
                target: UrlKey { host: HostKey(1), page: 2 },
                anchor: "word".into(),
                look: LinkLook::plain(5),
                rel: Rel::default(),
                kind: LinkKind::Canonical,
                followed: false,
            }],
        };
        let bytes = bytes_of(&links);
        for end in 2..bytes.len() {
            assert!(Links::decode(&bytes[..end]).is_err(), "{end}");
        }
        assert!(Links::decode(&[]).is_err() && Links::decode(&[3]).is_err());
        assert_eq!(Links::decode(&[VERSION]).unwrap(), Links::default());
    }
}
