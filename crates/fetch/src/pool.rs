//! Connections kept alive between requests, bounded per host, in total and in time.
//!
//! Nothing here runs by itself: old connections go when the pool is used or `sweep` is called.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::Origin;

/// Whose connection it is: a kept one is used only for the same origin at the same address. One that another host's
/// certificate would cover too is not shared with that host: its delays are its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) origin: Origin,
    pub(crate) address: SocketAddr,
    /// The number of the proxy in between.
    pub(crate) proxy: Option<usize>,
}

/// Bounds on kept connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PoolLimits {
    pub(crate) per_host: usize,
    pub(crate) total: usize,
    pub(crate) idle: Duration,
}

pub(crate) struct Pool<C> {
    limits: PoolLimits,
    idle: Mutex<Idle<C>>,
}

struct Idle<C> {
    /// Oldest first within a key.
    kept: HashMap<Key, Vec<(C, Duration)>>,
    count: usize,
    swept: Duration,
}

impl<C> Pool<C> {
    pub(crate) fn new(limits: PoolLimits) -> Pool<C> {
        Pool { limits, idle: Mutex::new(Idle { kept: HashMap::new(), count: 0, swept: Duration::ZERO }) }
    }

    /// Takes the connection that was used last: the others may grow old and go.
    pub(crate) fn take(&self, key: &Key, now: Duration) -> Option<C> {
        let mut idle = self.idle();
        let kept = idle.kept.get_mut(key)?;
        let (connection, since) = kept.pop()?;
        if kept.is_empty() {
            idle.kept.remove(key);
        }
        idle.count -= 1;
        (now.saturating_sub(since) < self.limits.idle).then_some(connection)
    }

    /// Keeps a connection for later, unless there are enough.
    pub(crate) fn put(&self, key: Key, connection: C, now: Duration) {
        let mut idle = self.idle();
        if idle.count >= self.limits.total || now.saturating_sub(idle.swept) >= Duration::from_secs(1) {
            idle.sweep(self.limits.idle, now);
        }
        if idle.count >= self.limits.total {
            return;
        }
        let kept = idle.kept.entry(key).or_default();
        if kept.len() < self.limits.per_host {
            kept.push((connection, now));
            idle.count += 1;
        }
    }

    /// Closes what has been idle too long.
    pub(crate) fn sweep(&self, now: Duration) {
        self.idle().sweep(self.limits.idle, now);
    }

    /// How many connections are kept.
    pub(crate) fn len(&self) -> usize {
        self.idle().count
    }

    fn idle(&self) -> MutexGuard<'_, Idle<C>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C> Idle<C> {
    fn sweep(&mut self, longest: Duration, now: Duration) {
        self.kept.retain(|_, kept| {
            kept.retain(|(_, since)| now.saturating_sub(*since) < longest);
            !kept.is_empty()
        });
        self.count = self.kept.values().map(Vec::len).sum();
        self.swept = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::PageUrl;

    const LIMITS: PoolLimits = PoolLimits { per_host: 2, total: 3, idle: Duration::from_secs(30) };

    fn key(host: &str) -> Key {
        let url = PageUrl::parse(&format!("http://{host}/")).unwrap();
        Key { origin: url.origin(), address: "192.0.2.1:80".parse().unwrap(), proxy: None }
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_last_used_comes_first_and_only_to_its_owner() {
        let pool = Pool::new(LIMITS);
        pool.put(key("a"), 1, at(0));
        pool.put(key("a"), 2, at(1));
        assert_eq!(pool.take(&key("b"), at(2)), None);
        let elsewhere = Key { address: "192.0.2.2:80".parse().unwrap(), ..key("a") };
        assert_eq!(pool.take(&elsewhere, at(2)), None);
        let through_proxy = Key { proxy: Some(0), ..key("a") };
        assert_eq!(pool.take(&through_proxy, at(2)), None);
        assert_eq!([pool.take(&key("a"), at(2)), pool.take(&key("a"), at(2))], [Some(2), Some(1)]);
        assert_eq!((pool.take(&key("a"), at(2)), pool.len()), (None, 0));
    }

    #[test]
    fn old_connections_are_not_used() {
        let pool = Pool::new(LIMITS);
        pool.put(key("a"), 1, at(0));
        assert_eq!(pool.take(&key("a"), at(30)), None);
        pool.put(key("a"), 1, at(40));
        pool.put(key("b"), 2, at(50));
        pool.sweep(at(70));
        assert_eq!((pool.len(), pool.take(&key("b"), at(70))), (1, Some(2)));
    }

    #[test]
    fn no_more_are_kept_than_allowed() {
        let pool = Pool::new(LIMITS);
        for n in 0..5 {
            pool.put(key("a"), n, at(0));
        }
        assert_eq!(pool.len(), 2);
        pool.put(key("b"), 6, at(0));
        pool.put(key("c"), 7, at(0));
        assert_eq!((pool.len(), pool.take(&key("c"), at(0))), (3, None));
        // The old make room for the new.
        pool.put(key("c"), 8, at(31));
        assert_eq!((pool.len(), pool.take(&key("c"), at(31))), (1, Some(8)));
    }
}
