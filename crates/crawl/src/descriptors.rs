//! File descriptors: how many this process may have, and what of them a run may use.
//!
//! A process that runs out of them fails everywhere at once: connections, names, the store. So a run asks at its start.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Kept free for the store, the archive, the database, sockets of other commands, and the libraries' own.
const FILES: u64 = 320;

/// Kept free for questions to name servers; each costs one.
const QUESTIONS: u64 = 128;

/// With fewer connections than this a run is not begun.
const FEWEST: u64 = 4;

/// Idle connections kept where descriptors abound.
const MOST_IDLE: u64 = 256;

/// How many connections a run may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Connections {
    /// In use at once.
    pub(crate) active: u32,
    /// Idle, kept for later.
    pub(crate) idle: usize,
}

/// There are too few descriptors for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooFew {
    /// How many there are.
    pub(crate) limit: u64,
    /// How many it takes.
    pub(crate) needed: u64,
}

/// Raises the process's limit as far as it may, and tells what a run that wishes for so many connections may have
/// beside those promised to other runs.
pub(crate) fn connections(wished: u32, promised: u64) -> Result<Connections, TooFew> {
    let limits = getrlimit(Resource::Nofile);
    let mut limit = limits.current.unwrap_or(u64::MAX);
    let highest = limits.maximum.unwrap_or(u64::MAX);
    let enough = FILES + QUESTIONS + MOST_IDLE + promised + u64::from(wished);
    // Not to the highest: programs that we start would inherit a number that some of them loop over.
    let raised = highest.min(enough.max(limit));
    if raised > limit && setrlimit(Resource::Nofile, Rlimit { current: Some(raised), ..limits }).is_ok() {
        limit = raised;
    }
    share(limit.saturating_sub(promised), wished)
}

/// What of `limit` descriptors a run that wishes for so many connections may have.
fn share(limit: u64, wished: u32) -> Result<Connections, TooFew> {
    let left = limit.saturating_sub(FILES + QUESTIONS);
    if left < FEWEST {
        return Err(TooFew { limit, needed: FILES + QUESTIONS + FEWEST });
    }
    let active = u64::from(wished).min(left);
    let idle = usize::try_from((left - active).min(MOST_IDLE)).unwrap_or(0);
    Ok(Connections { active: u32::try_from(active).unwrap_or(wished), idle })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_takes_no_more_than_is_left() {
        let check = |limit, wished, active, idle| {
            assert_eq!(share(limit, wished), Ok(Connections { active, idle }), "{wished} of {limit}");
        };
        check(1_048_576, 64, 64, 256);
        check(1_024, 64, 64, 256);
        check(1_024, 512, 512, 64);
        check(1_024, 2_000, 576, 0);
        check(452, 64, 4, 0);
        assert_eq!(share(451, 64), Err(TooFew { limit: 451, needed: 452 }));
        assert_eq!(share(0, 1), Err(TooFew { limit: 0, needed: 452 }));
    }

    #[test]
    fn the_limit_of_this_process_can_be_asked_for() {
        assert!(connections(8, 0).is_ok_and(|found| found.active == 8));
    }
}
