//! Names to addresses: asynchronous, bounded in time and memory, obedient to lifetimes, and guarded.
//!
//! Answers are kept as they came and guarded whenever they are handed out, so that a change of address to a
//! private one (rebinding) is refused at the look-up that brings it.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use tokio::sync::{OnceCell, Semaphore};

use crate::hosts::{Hosts, tidy};
use crate::{AddressGuard, Clock, Forbidden};

/// How names are resolved.
#[derive(Clone, Debug)]
pub struct ResolverSettings {
    /// Servers to ask; the system's own when empty.
    pub dns: Vec<SocketAddr>,
    /// Names that are not asked of DNS.
    pub hosts: Hosts,
    /// No look-up takes longer.
    pub timeout: Duration,
    /// Most names kept.
    pub cache_size: usize,
}

impl Default for ResolverSettings {
    fn default() -> ResolverSettings {
        ResolverSettings {
            dns: Vec::new(),
            hosts: Hosts::default(),
            timeout: Duration::from_secs(10),
            cache_size: 50_000,
        }
    }
}

impl ResolverSettings {
    /// Reads `IP` or `IP:port`, the port being 53 unless said.
    pub fn server(text: &str) -> Option<SocketAddr> {
        let address = text.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 53));
        address.or_else(|_| text.parse()).ok()
    }
}

/// Turns names into addresses that may be asked.
pub struct Resolver {
    /// Or why there is none: a crawl of literal addresses and names in the hosts file does without.
    upstream: Result<TokioResolver, ResolveError>,
    settings: ResolverSettings,
    guard: Arc<AddressGuard>,
    clock: Arc<dyn Clock>,
    known: Mutex<Known>,
    asking: Semaphore,
}

/// A name's addresses: at least one, all of them allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// In the order to try them.
    pub addresses: Vec<IpAddr>,
    /// How long the answer holds from now.
    pub valid_for: Duration,
}

/// Why a name has no address to ask.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// DNS says that there is none.
    #[error("{name} does not exist")]
    NotFound {
        /// The name asked for.
        name: String,
    },
    /// Not a name that DNS can be asked for.
    #[error("{name:?} is no host name")]
    NotAName {
        /// The text.
        name: String,
    },
    /// No answer in time.
    #[error("DNS did not answer for {name} within {limit:?}")]
    TimedOut {
        /// The name asked for.
        name: String,
        /// How long was waited.
        limit: Duration,
    },
    /// The servers could not be asked, or failed.
    #[error("DNS failed for {name}: {reason}")]
    Failed {
        /// The name asked for.
        name: String,
        /// In the resolver's words.
        reason: String,
    },
    /// Every address is one that may not be asked.
    #[error("{name}: {source}")]
    Forbidden {
        /// The name asked for.
        name: String,
        /// The first of its addresses.
        source: Forbidden,
    },
    /// There is no DNS server to ask.
    #[error("cannot set up DNS: {0}")]
    Configuration(String),
}

const SHORTEST_LIFE: Duration = Duration::from_secs(60);
const LONGEST_LIFE: Duration = Duration::from_secs(6 * 60 * 60);
const FAILURE_LIFE: Duration = Duration::from_secs(60);
/// More addresses of one name are never needed.
const MOST_ADDRESSES: usize = 16;
/// Names asked for at once; each costs a socket.
const MOST_ASKED_AT_ONCE: usize = 128;

impl Resolver {
    /// Sets up a resolver; asks nothing yet.
    pub fn new(settings: ResolverSettings, guard: Arc<AddressGuard>, clock: Arc<dyn Clock>) -> Resolver {
        let upstream = upstream(&settings).map_err(|error| ResolveError::Configuration(error.to_string()));
        let asking = Semaphore::new(MOST_ASKED_AT_ONCE);
        Resolver { upstream, settings, guard, clock, known: Mutex::default(), asking }
    }

    /// The addresses of `name` that may be asked on `port`.
    ///
    /// Callers that ask for one name at the same time wait for one look-up.
    pub async fn resolve(&self, name: &str, port: u16) -> Result<Resolved, ResolveError> {
        let name = tidy(name);
        let (addresses, valid_for) = self.addresses(&name).await?;
        let mut refused = None;
        let mut allowed = addresses;
        allowed.retain(|address| match self.guard.check_socket(SocketAddr::new(*address, port)) {
            Ok(()) => true,
            Err(forbidden) => {
                refused.get_or_insert(forbidden);
                false
            }
        });
        match refused {
            Some(source) if allowed.is_empty() => Err(ResolveError::Forbidden { name, source }),
            _ if allowed.is_empty() => Err(ResolveError::NotFound { name }),
            _ => Ok(Resolved { addresses: allowed, valid_for }),
        }
    }

    /// The addresses of a proxy, which the user named: the guard has no say in them.
    pub async fn proxy_addresses(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let name = tidy(name);
        let (addresses, _) = self.addresses(&name).await?;
        if addresses.is_empty() { Err(ResolveError::NotFound { name }) } else { Ok(addresses) }
    }

    /// Forgets what is known of a name, after a connection to its addresses has failed.
    pub fn forget(&self, name: &str) {
        self.known().answers.remove(&tidy(name));
    }

    async fn addresses(&self, name: &str) -> Result<(Vec<IpAddr>, Duration), ResolveError> {
        if let Some(addresses) = self.settings.hosts.get(name) {
            return Ok((addresses.to_vec(), LONGEST_LIFE));
        }
        if let Ok(address) = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            return Ok((vec![address], LONGEST_LIFE));
        }
        // RFC 6761: never a matter for DNS.
        if name == "localhost" || name.ends_with(".localhost") {
            return Ok((vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()], LONGEST_LIFE));
        }
        if !is_name(name) {
            return Err(ResolveError::NotAName { name: name.to_owned() });
        }
        let upstream = self.upstream.as_ref().map_err(ResolveError::clone)?;
        let answer = self.answer(upstream, name).await;
        let valid_for = answer.expires.saturating_sub(self.clock.elapsed());
        answer.result.map(|addresses| (addresses, valid_for))
    }

    async fn answer(&self, upstream: &TokioResolver, name: &str) -> Answer {
        let question = {
            let mut known = self.known();
            if let Some(answer) = known.fresh(name, self.clock.elapsed()) {
                return answer;
            }
            Question { resolver: self, name, cell: known.asked.entry(name.to_owned()).or_default().clone() }
        };
        question
            .cell
            .get_or_init(async || {
                let answer = self.ask(upstream, name).await;
                self.known().keep(name, answer.clone(), self.settings.cache_size, self.clock.elapsed());
                answer
            })
            .await
            .clone()
    }

    async fn ask(&self, upstream: &TokioResolver, name: &str) -> Answer {
        let limit = self.settings.timeout;
        // A name is never completed by the system's search list: `shop` is not `shop.corp.example`.
        let lookup = async {
            let _permit = self.asking.acquire().await;
            upstream.lookup_ip(format!("{name}.")).await
        };
        let timed_out = || ResolveError::TimedOut { name: name.to_owned(), limit };
        let result = match tokio::time::timeout(limit, lookup).await {
            Ok(Ok(lookup)) => {
                let seconds = lookup.as_lookup().answers().iter().map(|record| record.ttl).min().unwrap_or(0);
                let addresses: Vec<IpAddr> = lookup.iter().take(MOST_ADDRESSES).collect();
                Ok((addresses, Duration::from_secs(seconds.into())))
            }
            Ok(Err(error)) if error.is_nx_domain() || error.is_no_records_found() => {
                Err(ResolveError::NotFound { name: name.to_owned() })
            }
            Ok(Err(NetError::Timeout)) | Err(_) => Err(timed_out()),
            Ok(Err(error)) => Err(ResolveError::Failed { name: name.to_owned(), reason: error.to_string() }),
        };
        let life = match &result {
            Ok((_, life)) => (*life).clamp(SHORTEST_LIFE, LONGEST_LIFE),
            Err(_) => FAILURE_LIFE,
        };
        Answer { result: result.map(|(addresses, _)| addresses), expires: self.clock.elapsed() + life }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What DNS said of a name, and until when it holds.
#[derive(Clone, Debug)]
struct Answer {
    result: Result<Vec<IpAddr>, ResolveError>,
    expires: Duration,
}

#[derive(Default)]
struct Known {
    answers: HashMap<String, Answer>,
    asked: HashMap<String, Arc<OnceCell<Answer>>>,
}

impl Known {
    fn fresh(&self, name: &str, now: Duration) -> Option<Answer> {
        self.answers.get(name).filter(|answer| answer.expires > now).cloned()
    }

    fn keep(&mut self, name: &str, answer: Answer, most: usize, now: Duration) {
        if self.answers.len() >= most {
            self.answers.retain(|_, answer| answer.expires > now);
        }
        if self.answers.len() >= most {
            // Half goes, soonest to expire first: rare, and cheap per name.
            let mut ends: Vec<Duration> = self.answers.values().map(|answer| answer.expires).collect();
            let middle = ends.len() / 2;
            let (_, median, _) = ends.select_nth_unstable(middle);
            let median = *median;
            self.answers.retain(|_, answer| answer.expires > median);
        }
        if most > 0 {
            self.answers.insert(name.to_owned(), answer);
        }
    }
}

/// One caller's interest in a name; the last one to leave removes the name from the list of those asked for,
/// whether it got its answer or gave up waiting.
struct Question<'a> {
    resolver: &'a Resolver,
    name: &'a str,
    cell: Arc<OnceCell<Answer>>,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        let mut known = self.resolver.known();
        // The list holds a reference, and so do we.
        let is_last = self.cell.initialized() || Arc::strong_count(&self.cell) <= 2;
        if is_last && known.asked.get(self.name).is_some_and(|cell| Arc::ptr_eq(cell, &self.cell)) {
            known.asked.remove(self.name);
        }
    }
}

/// A name that DNS can carry, without the escapes that would let it mean another.
fn is_name(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

fn upstream(settings: &ResolverSettings) -> Result<TokioResolver, NetError> {
    let mut builder = if settings.dns.is_empty() {
        TokioResolver::builder_tokio()?
    } else {
        let servers = settings.dns.iter().map(|server| {
            let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()];
            let connections = connections.into_iter().map(|mut connection| {
                connection.port = server.port();
                connection
            });
            NameServerConfig::new(server.ip(), true, connections.collect())
        });
        let config = ResolverConfig::from_name_servers(servers.collect());
        TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
    };
    let options: &mut ResolverOpts = builder.options_mut();
    // The machine's own hosts file counts only where the machine's own DNS does.
    options.use_hosts_file = if settings.dns.is_empty() { ResolveHosts::Always } else { ResolveHosts::Never };
    // We keep the answers: theirs would outlive our lifetimes and clock.
    options.cache_size = 0;
    options.ip_strategy = LookupIpStrategy::Ipv4thenIpv6;
    options.timeout = settings.timeout / 4;
    options.attempts = 2;
    options.max_active_requests = MOST_ASKED_AT_ONCE;
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_may_have_a_port() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(
                ResolverSettings::server(text),
                expected.map(|text| text.parse().unwrap()),
                "for {text:?}"
            );
        };
        check("192.0.2.1", Some("192.0.2.1:53"));
        check("192.0.2.1:5353", Some("192.0.2.1:5353"));
        check("2001:db8::1", Some("[2001:db8::1]:53"));
        check("[2001:db8::1]:5353", Some("[2001:db8::1]:5353"));
        check("dns.test", None);
        check("192.0.2.1:", None);
    }

    #[test]
    fn no_more_names_are_kept_than_allowed() {
        let mut known = Known::default();
        let until = |seconds| Answer { result: Ok(Vec::new()), expires: Duration::from_secs(seconds) };
        for n in 0..100 {
            known.keep(&n.to_string(), until(100 + n), 10, Duration::ZERO);
            assert!(known.answers.len() <= 10);
        }
        assert!(known.fresh("99", Duration::ZERO).is_some(), "the longest to live stays");
        // The expired go first.
        for n in 0..10 {
            known.keep(&format!("new {n}"), until(1000), 10, Duration::from_secs(500));
        }
        assert_eq!(known.answers.len(), 10);
        known.keep("none", until(1), 0, Duration::ZERO);
        assert!(known.fresh("none", Duration::ZERO).is_none());
    }
}
