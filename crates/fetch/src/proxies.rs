//! Which proxy a request goes through, and how the proxies are.
//!
//! A host keeps its proxy as long as that is well; the next in its order stands in. A proxy that fails again and again
//! rests, longer each time, and one request finds out whether it is back.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use net::{Clock, ConnectError, Proxy, ProxyKind, Resolver};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Failures in a row after which a proxy rests.
const MOST_FAILURES: u32 = 3;

/// Requests in a row to which a proxy says nothing at all before it, and not the sites, is taken to be at fault.
const MOST_SILENCES: u32 = 6;

const SHORTEST_REST: Duration = Duration::from_secs(5);
const LONGEST_REST: Duration = Duration::from_secs(60 * 60);

/// How long the one request may take that tries a rested proxy.
const PROBE: Duration = Duration::from_secs(30);

/// The proxies of a run.
pub struct Proxies {
    list: Vec<Proxy>,
    choice: ProxyChoice,
    local_dns: bool,
    resolver: Arc<Resolver>,
    clock: Arc<dyn Clock>,
    health: Mutex<Vec<Health>>,
}

/// How a proxy is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyChoice {
    /// Each host has its own, so that they share the work.
    PerHost,
    /// The first of the list that is well serves all.
    PerRun,
}

impl ProxyChoice {
    /// The proxy that a host is asked through while all are well.
    pub fn usual(self, list: &[Proxy], host: &str) -> Option<usize> {
        self.among(list, host, 0..list.len())
    }

    fn among(self, list: &[Proxy], host: &str, mut well: impl Iterator<Item = usize>) -> Option<usize> {
        match self {
            ProxyChoice::PerRun => well.next(),
            // The highest of the hashes: when one falls out, only its own hosts move.
            ProxyChoice::PerHost => {
                well.max_by_key(|n| xxh3_64_with_seed(host.as_bytes(), label_hash(&list[*n])))
            }
        }
    }
}

/// How a proxy is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyState {
    /// Its address, without login.
    pub label: String,
    /// How long it still rests; none when it is well.
    pub rests: Option<Duration>,
    /// Connections through it that failed by its own fault.
    pub failed: u64,
    /// Connections through it.
    pub used: u64,
}

#[derive(Clone, Copy, Default)]
struct Health {
    failures: u32,
    silences: u32,
    rests: u32,
    until: Duration,
    failed: u64,
    used: u64,
}

impl Proxies {
    /// All of them well. With `local_dns` they are told the addresses of the requests, else the names of the sites.
    pub fn new(
        list: Vec<Proxy>,
        choice: ProxyChoice,
        local_dns: bool,
        resolver: Arc<Resolver>,
        clock: Arc<dyn Clock>,
    ) -> Proxies {
        let health = Mutex::new(vec![Health::default(); list.len()]);
        Proxies { list, choice, local_dns, resolver, clock, health }
    }

    /// How long all of them still rest; none while one is well.
    pub fn all_rest(&self) -> Option<Duration> {
        let now = self.clock.elapsed();
        let until = self.health().iter().map(|health| health.until).min()?;
        (until > now).then(|| until - now)
    }

    /// How they are.
    pub fn states(&self) -> Vec<ProxyState> {
        let now = self.clock.elapsed();
        let health = self.health().clone();
        let states = self.list.iter().zip(health).map(|(proxy, health)| ProxyState {
            label: proxy.label(),
            rests: (health.until > now).then(|| health.until - now),
            failed: health.failed,
            used: health.used,
        });
        states.collect()
    }

    /// Names are resolved here.
    pub(crate) fn local_dns(&self) -> bool {
        self.local_dns
    }

    pub(crate) fn get(&self, number: usize) -> &Proxy {
        &self.list[number]
    }

    /// The proxy for a host among those not yet tried; a rested one is handed out to one request only.
    pub(crate) fn choose(&self, host: &str, tried: &[usize]) -> Option<usize> {
        let now = self.clock.elapsed();
        let mut health = self.health();
        let well = (0..self.list.len()).filter(|n| !tried.contains(n) && health[*n].until <= now);
        let chosen = self.choice.among(&self.list, host, well)?;
        if health[chosen].rests > 0 {
            health[chosen].until = now + PROBE;
        }
        Some(chosen)
    }

    /// Where the proxy itself is.
    pub(crate) async fn address(&self, number: usize) -> Result<SocketAddr, ConnectError> {
        let proxy = &self.list[number];
        match self.resolver.proxy_addresses(&proxy.host).await {
            Ok(addresses) => Ok(SocketAddr::new(addresses[0], proxy.port)),
            Err(error) => Err(ConnectError::Proxy { proxy: proxy.label(), reason: error.to_string() }),
        }
    }

    /// A connection to it stands, which alone says little: it may still refuse us.
    pub(crate) fn reached(&self, number: usize) {
        self.health()[number].used += 1;
    }

    /// A connection through it was tried; says whether it was the proxy's fault that there is none.
    pub(crate) fn tried(&self, number: usize, error: Option<&ConnectError>) -> bool {
        let now = self.clock.elapsed();
        let mut all = self.health();
        let health = &mut all[number];
        health.used += 1;
        let at_fault = match error {
            Some(ConnectError::Proxy { .. }) => true,
            Some(ConnectError::Through { silent: true, .. }) => {
                health.silences += 1;
                health.silences >= MOST_SILENCES
            }
            _ => false,
        };
        if !at_fault {
            // A silence proves nothing either way; any word from it does.
            if !matches!(error, Some(ConnectError::Through { silent: true, .. })) {
                *health = Health { failed: health.failed, used: health.used, ..Health::default() };
            }
            return false;
        }
        health.failures += 1;
        health.failed += 1;
        if health.failures >= MOST_FAILURES || health.rests > 0 || health.silences >= MOST_SILENCES {
            let rest = SHORTEST_REST.saturating_mul(1 << health.rests.min(16)).min(LONGEST_REST);
            health.rests += 1;
            health.until = now + rest;
        }
        true
    }

    /// Our login was refused on a connection that stood.
    pub(crate) fn refused(&self, number: usize) -> ConnectError {
        let reason = "it refuses our login".to_owned();
        let error = ConnectError::Proxy { proxy: self.list[number].label(), reason };
        self.tried(number, Some(&error));
        error
    }

    /// An answer came through it.
    pub(crate) fn answered(&self, number: usize) {
        let health = &mut self.health()[number];
        *health = Health { failed: health.failed, used: health.used, ..Health::default() };
    }

    fn health(&self) -> MutexGuard<'_, Vec<Health>> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// True where the proxy is to be told whole URLs.
pub(crate) fn wants_whole_urls(proxy: &Proxy, https: bool) -> bool {
    proxy.kind == ProxyKind::Http && !https
}

fn label_hash(proxy: &Proxy) -> u64 {
    xxh3_64_with_seed(proxy.label().as_bytes(), 0)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use net::ResolverSettings;

    /// Turned by hand, in seconds.
    #[derive(Default)]
    struct Hand(Mutex<u64>);

    impl Clock for Hand {
        fn elapsed(&self) -> Duration {
            Duration::from_secs(*self.0.lock().unwrap())
        }
    }

    fn proxies(count: u16, choice: ProxyChoice) -> (Proxies, Arc<Hand>) {
        let clock = Arc::new(Hand::default());
        let resolver =
            Resolver::new(ResolverSettings::default(), Arc::default(), Arc::clone(&clock) as Arc<dyn Clock>);
        let proxy =
            |n| Proxy { kind: ProxyKind::Http, host: "127.0.0.1".into(), port: 8000 + n, login: None };
        let list = (0..count).map(proxy).collect();
        (Proxies::new(list, choice, false, Arc::new(resolver), clock.clone()), clock)
    }

    fn broken() -> ConnectError {
        ConnectError::Proxy { proxy: "p".into(), reason: "gone".into() }
    }

    #[test]
    fn a_host_keeps_its_proxy_and_the_hosts_share_them() {
        let (proxies, _) = proxies(4, ProxyChoice::PerHost);
        let names: Vec<String> = (0..200).map(|n| format!("h{n}.test")).collect();
        let before: Vec<_> = names.iter().map(|name| proxies.choose(name, &[])).collect();
        assert_eq!(before, names.iter().map(|name| proxies.choose(name, &[])).collect::<Vec<_>>());
        assert_eq!(before.iter().collect::<HashSet<_>>().len(), 4);
        let usual = |name: &String| ProxyChoice::PerHost.usual(&proxies.list, name);
        assert_eq!(before, names.iter().map(usual).collect::<Vec<_>>());
        (0..MOST_FAILURES).for_each(|_| assert!(proxies.tried(2, Some(&broken()))));
        for (name, before) in names.iter().zip(before) {
            let now = proxies.choose(name, &[]);
            assert!(now != Some(2) && (now == before || before == Some(2)), "{name}: {before:?} to {now:?}");
        }
    }

    #[test]
    fn one_serves_the_run_until_it_fails() {
        let (proxies, _) = proxies(3, ProxyChoice::PerRun);
        assert_eq!((proxies.choose("a", &[]), proxies.choose("b", &[])), (Some(0), Some(0)));
        assert_eq!(proxies.choose("a", &[0]), Some(1));
        assert_eq!(proxies.choose("a", &[0, 1, 2]), None);
    }

    #[test]
    fn a_failing_proxy_rests_longer_each_time_and_one_request_tries_it() {
        let (proxies, clock) = proxies(1, ProxyChoice::PerRun);
        let seconds = |wait: Option<Duration>| wait.map(|wait| wait.as_secs());
        (1..MOST_FAILURES).for_each(|_| assert!(proxies.tried(0, Some(&broken()))));
        assert_eq!(proxies.all_rest(), None);
        assert!(proxies.tried(0, Some(&broken())));
        assert_eq!(seconds(proxies.all_rest()), Some(5));
        assert_eq!(proxies.choose("a", &[]), None);
        *clock.0.lock().unwrap() = 5;
        assert_eq!((proxies.choose("a", &[]), proxies.choose("b", &[])), (Some(0), None));
        assert!(proxies.tried(0, Some(&broken())));
        assert_eq!(seconds(proxies.all_rest()), Some(10));
        *clock.0.lock().unwrap() = 15;
        assert_eq!(proxies.choose("a", &[]), Some(0));
        assert!(!proxies.tried(0, None));
        assert_eq!((proxies.all_rest(), proxies.choose("b", &[])), (None, Some(0)));
    }

    #[test]
    fn a_site_out_of_reach_is_not_the_proxys_fault_but_silence_without_end_is() {
        let (proxies, _) = proxies(1, ProxyChoice::PerRun);
        let through = |silent| ConnectError::Through {
            proxy: "p".into(),
            target: "t".into(),
            reason: "r".into(),
            silent,
        };
        (0..100).for_each(|_| assert!(!proxies.tried(0, Some(&through(false)))));
        (1..MOST_SILENCES).for_each(|_| assert!(!proxies.tried(0, Some(&through(true)))));
        assert_eq!(proxies.all_rest(), None);
        assert!(proxies.tried(0, Some(&through(true))));
        assert!(proxies.all_rest().is_some());
        assert_eq!((proxies.states()[0].failed, proxies.states()[0].used), (1, 106));
    }
}
