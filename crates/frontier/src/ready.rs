//! Hosts that may be asked now, in two lanes, so that those known to answer soon need not wait for the others.

use std::collections::BTreeSet;

use model::HostKey;

use crate::crawl::END;

/// Whom to lease next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lane {
    /// Whoever has the best URL.
    #[default]
    Any,
    /// A host known to answer soon if one is ready, else any.
    QuickFirst,
    /// A host known to answer soon, or nobody.
    QuickOnly,
}

/// A host's mean time to answer up to which it is quick.
pub(crate) const QUICK_MILLIS: u64 = 1_000;

/// A host's place: (inverted priority, arrival) of its best URL, host.
pub(crate) type Row = ((u32, u64), HostKey);

/// Hosts that may be asked now, best URL first.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    quick: BTreeSet<Row>,
    /// Slow ones, failing ones, and those of which nothing is known yet.
    others: BTreeSet<Row>,
}

impl Ready {
    pub(crate) fn insert(&mut self, row: Row, quick: bool) {
        self.lane(quick).insert(row);
    }

    pub(crate) fn remove(&mut self, row: Row, quick: bool) {
        self.lane(quick).remove(&row);
    }

    pub(crate) fn len(&self) -> usize {
        self.quick.len() + self.others.len()
    }

    /// The next host with its place.
    pub(crate) fn first(&self, lane: Lane) -> Option<Row> {
        let (quick, other) = (self.quick.first(), self.others.first());
        let row = match lane {
            Lane::Any => quick.into_iter().chain(other).min(),
            Lane::QuickFirst => quick.or(other),
            Lane::QuickOnly => quick,
        };
        row.copied()
    }

    /// The best place of any; the last of all if nobody is ready.
    pub(crate) fn best(&self) -> (u32, u64) {
        let row = self.quick.first().into_iter().chain(self.others.first()).min();
        row.map_or(END, |(place, _)| *place)
    }

    /// The host that would come last.
    pub(crate) fn last(&self) -> Option<HostKey> {
        self.quick.last().into_iter().chain(self.others.last()).max().map(|(_, host)| *host)
    }

    fn lane(&mut self, quick: bool) -> &mut BTreeSet<Row> {
        if quick { &mut self.quick } else { &mut self.others }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_decides_who_comes_first() {
        let mut ready = Ready::default();
        let check = |ready: &Ready, any: u64, first: u64, only: Option<u64>| {
            let host = |lane| ready.first(lane).map(|(_, host)| host);
            assert_eq!(host(Lane::Any), Some(HostKey(any)));
            assert_eq!(host(Lane::QuickFirst), Some(HostKey(first)));
            assert_eq!(host(Lane::QuickOnly), only.map(HostKey));
        };
        ready.insert(((0, 1), HostKey(1)), false);
        check(&ready, 1, 1, None);
        ready.insert(((0, 2), HostKey(2)), true);
        check(&ready, 1, 2, Some(2));
        ready.insert(((0, 0), HostKey(3)), true);
        check(&ready, 3, 3, Some(3));
        assert_eq!((ready.len(), ready.last()), (3, Some(HostKey(2))));
        ready.remove(((0, 1), HostKey(1)), false);
        ready.remove(((0, 0), HostKey(3)), true);
        check(&ready, 2, 2, Some(2));
    }
}
