//! How names become addresses.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use net::{AddressGuard, Clock, Hosts, ResolveError, Resolver, ResolverSettings};
use tokio::sync::Notify;

use crate::dns::{Dns, Say};

const PUBLIC: &str = "93.184.216.34";

/// A clock turned by hand.
#[derive(Default)]
struct Hand(Mutex<Duration>);

impl Hand {
    fn turn(&self, seconds: u64) {
        *self.0.lock().unwrap() += Duration::from_secs(seconds);
    }
}

impl Clock for Hand {
    fn elapsed(&self) -> Duration {
        *self.0.lock().unwrap()
    }
}

fn ips(list: &[&str]) -> Vec<IpAddr> {
    list.iter().map(|text| text.parse().unwrap()).collect()
}

fn say(list: &[&str], ttl: u32) -> Say {
    Say::Addresses(ips(list), ttl)
}

fn resolver_with(dns: &Dns, guard: AddressGuard, hosts: &str, clock: Arc<Hand>) -> Resolver {
    let settings = ResolverSettings {
        dns: vec![dns.address],
        hosts: Hosts::parse(hosts).unwrap(),
        timeout: Duration::from_secs(2),
        ..ResolverSettings::default()
    };
    Resolver::new(settings, Arc::new(guard), clock)
}

fn resolver(dns: &Dns) -> (Resolver, Arc<Hand>) {
    let clock = Arc::new(Hand::default());
    (resolver_with(dns, AddressGuard::default(), "", clock.clone()), clock)
}

async fn addresses(resolver: &Resolver, name: &str) -> Vec<IpAddr> {
    resolver.resolve(name, 80).await.unwrap().addresses
}

#[tokio::test]
async fn a_name_has_its_addresses() {
    let dns = Dns::start(|_, _| say(&[PUBLIC, "93.184.216.35"], 300)).await;
    let (resolver, _) = resolver(&dns);
    assert_eq!(addresses(&resolver, "Example.COM.").await, ips(&[PUBLIC, "93.184.216.35"]));
    assert_eq!(addresses(&resolver, "example.com").await.len(), 2);
    assert_eq!(dns.questions(), 1);
}

#[tokio::test]
async fn a_name_without_ipv4_is_asked_for_ipv6() {
    let dns = Dns::start(|_, _| say(&["2606:4700::1"], 300)).await;
    assert_eq!(addresses(&resolver(&dns).0, "six.test").await, ips(&["2606:4700::1"]));
}

#[tokio::test]
async fn answers_live_as_long_as_they_say_within_reason() {
    for (ttl, life) in [(300, 300), (5, 60), (0, 60), (604_800, 6 * 3600)] {
        let dns = Dns::start(move |_, _| say(&[PUBLIC], ttl)).await;
        let (resolver, clock) = resolver(&dns);
        let first = resolver.resolve("a.test", 80).await.unwrap();
        assert_eq!(first.valid_for, Duration::from_secs(life), "ttl {ttl}");
        clock.turn(life - 1);
        assert_eq!(resolver.resolve("a.test", 80).await.unwrap().valid_for, Duration::from_secs(1));
        assert_eq!(dns.questions(), 1, "ttl {ttl}");
        clock.turn(1);
        addresses(&resolver, "a.test").await;
        assert_eq!(dns.questions(), 2, "ttl {ttl}");
    }
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_asked_again_after_a_minute() {
    let dns = Dns::start(|_, _| Say::NoSuchName).await;
    let (resolver, clock) = resolver(&dns);
    let missing = ResolveError::NotFound { name: "no.test".into() };
    for _ in 0..3 {
        assert_eq!(resolver.resolve("no.test", 80).await, Err(missing.clone()));
    }
    let questions = dns.questions();
    clock.turn(59);
    assert_eq!(resolver.resolve("no.test", 80).await, Err(missing.clone()));
    assert_eq!(dns.questions(), questions);
    clock.turn(1);
    assert_eq!(resolver.resolve("no.test", 80).await, Err(missing));
    assert!(dns.questions() > questions);
}

#[tokio::test]
async fn a_silent_server_costs_only_so_much_time() {
    let dns = Dns::start(|_, _| Say::Silence).await;
    let (resolver, _) = resolver(&dns);
    let looking = tokio::time::timeout(Duration::from_secs(20), resolver.resolve("a.test", 80));
    let limit = Duration::from_secs(2);
    assert_eq!(looking.await.unwrap(), Err(ResolveError::TimedOut { name: "a.test".into(), limit }));
}

#[tokio::test]
async fn a_broken_server_is_told_from_a_missing_name() {
    let dns = Dns::start(|_, _| Say::Broken).await;
    let error = resolver(&dns).0.resolve("a.test", 80).await.unwrap_err();
    assert!(matches!(error, ResolveError::Failed { .. }), "{error:?}");
}

#[tokio::test]
async fn what_is_no_name_is_refused() {
    let dns = Dns::start(|_, _| say(&[PUBLIC], 60)).await;
    for name in ["", "a..b", &"x".repeat(64), &"x.".repeat(200), "a\\.b", "a b", "a/b", "b\u{fc}cher.test"] {
        let error = resolver(&dns).0.resolve(name, 80).await.unwrap_err();
        assert!(matches!(error, ResolveError::NotAName { .. }), "{name:?}: {error:?}");
    }
    assert_eq!(dns.questions(), 0);
}

#[tokio::test]
async fn a_thousand_at_once_ask_once() {
    let dns = Dns::start(|_, _| say(&[PUBLIC], 300)).await;
    let (resolver, _) = resolver(&dns);
    let resolver = Arc::new(resolver);
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..1000 {
        let resolver = resolver.clone();
        asking.spawn(async move { addresses(&resolver, "a.test").await });
    }
    assert!(asking.join_all().await.iter().all(|found| *found == ips(&[PUBLIC])));
    assert_eq!(dns.questions(), 1);
}

#[tokio::test]
async fn one_who_gives_up_does_not_take_the_others_with_him() {
    let heard = Arc::new(Notify::new());
    let bell = heard.clone();
    let dns = Dns::start(move |_, before| {
        bell.notify_one();
        // Only the second question is answered.
        if before == 0 { Say::Silence } else { say(&[PUBLIC], 300) }
    })
    .await;
    let (resolver, _) = resolver(&dns);
    let resolver = Arc::new(resolver);
    let asking = || {
        let resolver = resolver.clone();
        tokio::spawn(async move { addresses(&resolver, "a.test").await })
    };
    let (first, second) = (asking(), asking());
    heard.notified().await;
    first.abort();
    assert_eq!(second.await.unwrap(), ips(&[PUBLIC]));
}

#[tokio::test]
async fn private_addresses_are_not_handed_out() {
    let dns = Dns::start(|name, _| match name {
        "mixed.test" => say(&["10.0.0.1", PUBLIC, "127.0.0.1"], 300),
        _ => say(&["10.0.0.1", "169.254.169.254"], 300),
    })
    .await;
    let (resolver, _) = resolver(&dns);
    assert_eq!(addresses(&resolver, "mixed.test").await, ips(&[PUBLIC]));
    let error = resolver.resolve("inside.test", 80).await.unwrap_err();
    assert_eq!(error.to_string(), "inside.test: 10.0.0.1 is a private address: not allowed");
}

#[tokio::test]
async fn a_name_that_moves_to_a_private_address_is_refused_from_then_on() {
    let dns =
        Dns::start(|_, before| if before == 0 { say(&[PUBLIC], 0) } else { say(&["127.0.0.1"], 0) }).await;
    let (resolver, clock) = resolver(&dns);
    assert_eq!(addresses(&resolver, "rebind.test").await, ips(&[PUBLIC]));
    clock.turn(60);
    let error = resolver.resolve("rebind.test", 80).await.unwrap_err();
    assert!(matches!(error, ResolveError::Forbidden { .. }), "{error:?}");
}

#[tokio::test]
async fn an_exception_for_one_port_holds_for_that_port() {
    let dns = Dns::start(|_, _| say(&["127.0.0.1"], 300)).await;
    let guard = AddressGuard { allow_private: false, allow: vec!["127.0.0.1:8080".parse().unwrap()] };
    let resolver = resolver_with(&dns, guard, "", Arc::default());
    assert!(resolver.resolve("demo.test", 8080).await.is_ok());
    assert!(resolver.resolve("demo.test", 8081).await.is_err());
}

#[tokio::test]
async fn the_hosts_file_wins_and_is_guarded_too() {
    let dns = Dns::start(|_, _| say(&[PUBLIC], 300)).await;
    let guard = AddressGuard { allow_private: false, allow: vec!["127.0.0.2".parse().unwrap()] };
    let resolver = resolver_with(&dns, guard, "127.0.0.2 shop.test\n127.0.0.1 home.test\n", Arc::default());
    assert_eq!(addresses(&resolver, "SHOP.test").await, ips(&["127.0.0.2"]));
    assert!(matches!(resolver.resolve("home.test", 80).await, Err(ResolveError::Forbidden { .. })));
    assert_eq!(dns.questions(), 0);
}

#[tokio::test]
async fn literals_and_localhost_need_no_dns() {
    let dns = Dns::start(|_, _| say(&[PUBLIC], 300)).await;
    let guard = AddressGuard { allow_private: true, allow: Vec::new() };
    let resolver = resolver_with(&dns, guard, "", Arc::default());
    assert_eq!(addresses(&resolver, "192.168.1.1").await, ips(&["192.168.1.1"]));
    assert_eq!(addresses(&resolver, "[::1]").await, ips(&["::1"]));
    assert_eq!(addresses(&resolver, "::1").await, ips(&["::1"]));
    assert_eq!(addresses(&resolver, "demo.localhost").await, ips(&["127.0.0.1", "::1"]));
    assert_eq!(dns.questions(), 0);
    let closed = resolver_with(&dns, AddressGuard::default(), "", Arc::default());
    for name in ["127.0.0.1", "[::1]", "localhost", "[::ffff:10.0.0.1]", "0.0.0.0"] {
        assert!(matches!(closed.resolve(name, 80).await, Err(ResolveError::Forbidden { .. })), "{name}");
    }
}

#[tokio::test]
async fn a_forgotten_name_is_asked_again() {
    let dns = Dns::start(|_, _| say(&[PUBLIC], 300)).await;
    let (resolver, _) = resolver(&dns);
    addresses(&resolver, "a.test").await;
    resolver.forget("A.test");
    addresses(&resolver, "a.test").await;
    assert_eq!(dns.questions(), 2);
}
