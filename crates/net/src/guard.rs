//! Which addresses may be asked: a crawler takes orders from strangers' pages, and must not be sent home by them.
//!
//! The guard looks at numbers only. It is asked for every answer of the resolver and again at every connection.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

/// Decides which addresses may be connected to.
#[derive(Clone, Debug, Default)]
pub struct AddressGuard {
    /// Let private, loopback, link-local and test addresses pass. Metadata services, multicast, broadcast,
    /// unspecified and reserved addresses still need a place on the list.
    pub allow_private: bool,
    /// What passes whatever its kind.
    pub allow: Vec<Allowed>,
}

/// One entry of the guard's list of exceptions: `10.1.2.3`, `10.0.0.0/8`, `127.0.0.1:8080`, `[::1]:8080`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// One address, all ports.
    Address(IpAddr),
    /// All addresses that share the first bits.
    Network(IpAddr, u8),
    /// One address and port.
    Socket(SocketAddr),
}

/// An address that may not be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{address} is {reach}: not allowed")]
pub struct Forbidden {
    /// The address.
    pub address: IpAddr,
    /// What it is.
    pub reach: Reach,
}

/// How far an address reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// The public Internet.
    Public,
    /// A private network, carrier NAT included.
    Private,
    /// This machine.
    Loopback,
    /// This network segment.
    LinkLocal,
    /// Documentation and benchmarks: nobody's.
    Test,
    /// The metadata service of a cloud, which hands out credentials.
    Metadata,
    /// Many machines.
    Multicast,
    /// `0.0.0.0/8`, `::`: in practice this machine.
    Unspecified,
    /// Not in use, or for special protocols.
    Reserved,
}

/// Why a text is no entry of the list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no address, network (10.0.0.0/8) or address with port (127.0.0.1:8080)")]
pub struct AllowedError(String);

impl AddressGuard {
    /// May this address be asked, on any port?
    pub fn check(&self, address: IpAddr) -> Result<(), Forbidden> {
        self.judge(address, None)
    }

    /// May this address be asked on this port?
    pub fn check_socket(&self, socket: SocketAddr) -> Result<(), Forbidden> {
        self.judge(socket.ip(), Some(socket.port()))
    }

    fn judge(&self, address: IpAddr, port: Option<u16>) -> Result<(), Forbidden> {
        let reach = Reach::of(address);
        let passes = match reach.strictness() {
            0 => true,
            1 => self.allow_private,
            _ => false,
        };
        if passes || self.allow.iter().any(|allowed| allowed.covers(address, port)) {
            return Ok(());
        }
        Err(Forbidden { address, reach })
    }
}

impl Allowed {
    fn covers(&self, address: IpAddr, port: Option<u16>) -> bool {
        // `::ffff:10.0.0.1` reaches 10.0.0.1: whoever allows one allows the other.
        let address = address.to_canonical();
        match *self {
            Allowed::Address(allowed) => allowed.to_canonical() == address,
            Allowed::Network(IpAddr::V4(network), bits) => {
                matches!(address, IpAddr::V4(address) if within(address, network, bits))
            }
            Allowed::Network(IpAddr::V6(network), bits) => {
                matches!(address, IpAddr::V6(address) if within6(address, network, bits))
            }
            Allowed::Socket(socket) => socket.ip().to_canonical() == address && port == Some(socket.port()),
        }
    }
}

impl FromStr for Allowed {
    type Err = AllowedError;

    fn from_str(text: &str) -> Result<Allowed, AllowedError> {
        let bad = || AllowedError(text.to_owned());
        if let Some((network, bits)) = text.split_once('/') {
            let network: IpAddr = network.parse().map_err(|_| bad())?;
            let longest = if network.is_ipv4() { 32 } else { 128 };
            let bits: u8 = bits.parse().ok().filter(|bits| *bits <= longest).ok_or_else(bad)?;
            return Ok(Allowed::Network(network, bits));
        }
        if let Ok(address) = text.parse() {
            return Ok(Allowed::Address(address));
        }
        text.parse().map(Allowed::Socket).map_err(|_| bad())
    }
}

/// Addresses at which clouds hand out credentials to the machine that asks.
const METADATA: [IpAddr; 10] = [
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 23)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe)),
];

/// First match wins.
const V4: [([u8; 4], u8, Reach); 16] = [
    ([0, 0, 0, 0], 8, Reach::Unspecified),
    ([10, 0, 0, 0], 8, Reach::Private),
    ([100, 64, 0, 0], 10, Reach::Private),
    ([127, 0, 0, 0], 8, Reach::Loopback),
    ([169, 254, 0, 0], 16, Reach::LinkLocal),
    ([172, 16, 0, 0], 12, Reach::Private),
    ([192, 0, 0, 0], 24, Reach::Reserved),
    ([192, 0, 2, 0], 24, Reach::Test),
    ([192, 88, 99, 0], 24, Reach::Reserved),
    ([192, 168, 0, 0], 16, Reach::Private),
    ([198, 18, 0, 0], 15, Reach::Test),
    ([198, 51, 100, 0], 24, Reach::Test),
    ([203, 0, 113, 0], 24, Reach::Test),
    ([224, 0, 0, 0], 4, Reach::Multicast),
    ([240, 0, 0, 0], 4, Reach::Reserved),
    ([0, 0, 0, 0], 0, Reach::Public),
];

/// First match wins; forms that carry an IPv4 address have been taken out before.
const V6: [([u16; 4], u8, Reach); 10] = [
    ([0x2001, 0xdb8, 0, 0], 32, Reach::Test),
    ([0x2001, 2, 0, 0], 48, Reach::Test),
    ([0x3fff, 0, 0, 0], 20, Reach::Test),
    ([0x2001, 0, 0, 0], 23, Reach::Reserved),
    ([0x2000, 0, 0, 0], 3, Reach::Public),
    ([0xfc00, 0, 0, 0], 7, Reach::Private),
    ([0xfe80, 0, 0, 0], 10, Reach::LinkLocal),
    // Site-local: withdrawn, still routed inside some networks.
    ([0xfec0, 0, 0, 0], 10, Reach::Private),
    ([0xff00, 0, 0, 0], 8, Reach::Multicast),
    ([0, 0, 0, 0], 0, Reach::Reserved),
];

impl Reach {
    /// How far an address reaches; an IPv6 address that carries an IPv4 address reaches as far as that.
    pub fn of(address: IpAddr) -> Reach {
        if METADATA.contains(&address) {
            return Reach::Metadata;
        }
        match address {
            IpAddr::V4(address) => {
                let found = V4.iter().find(|(network, bits, _)| within(address, (*network).into(), *bits));
                found.map_or(Reach::Reserved, |(_, _, reach)| *reach)
            }
            IpAddr::V6(address) => Reach::of_v6(address),
        }
    }

    fn of_v6(address: Ipv6Addr) -> Reach {
        let [a, b, c, d, e, f, g, h] = address.segments();
        let v4 = |high: u16, low: u16| Reach::of(IpAddr::V4((u32::from(high) << 16 | u32::from(low)).into()));
        match (a, b) {
            _ if address.is_unspecified() => return Reach::Unspecified,
            _ if address.is_loopback() => return Reach::Loopback,
            // ::ffff:a.b.c.d, mapped; ::ffff:0:a.b.c.d, translated.
            (0, 0) if [c, d, e, f] == [0, 0, 0, 0xffff] || [c, d, e, f] == [0, 0, 0xffff, 0] => {
                return v4(g, h);
            }
            // ::a.b.c.d, compatible: withdrawn, so even a public one is not used.
            (0, 0) if [c, d, e, f] == [0; 4] => return v4(g, h).but_not_public(),
            // NAT64: how a network without IPv4 reaches public IPv4 sites.
            (0x64, 0xff9b) if [c, d, e, f] == [0; 4] => return v4(g, h),
            // Local-use NAT64: where it carries an IPv4 address depends on the network, so it counts as one's own.
            // No metadata service may hide at any of the places (RFC 6052).
            (0x64, 0xff9b) if c == 1 => {
                let bytes = address.octets();
                let places = [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], [12, 13, 14, 15]];
                let hidden = places.map(|places| IpAddr::from(places.map(|place| bytes[place])));
                let found = hidden.iter().any(|address| METADATA.contains(address));
                return if found { Reach::Metadata } else { Reach::Private };
            }
            // 6to4.
            (0x2002, _) => return v4(b, c),
            // Teredo: the server's address, and the client's with all bits turned.
            (0x2001, 0) => return v4(c, d).nearer(v4(!g, !h)),
            _ => {}
        }
        let network = V6.iter().find(|([a, b, c, d], bits, _)| {
            within6(address, Ipv6Addr::new(*a, *b, *c, *d, 0, 0, 0, 0), *bits)
        });
        let reach = network.map_or(Reach::Reserved, |(_, _, reach)| *reach);
        // ISATAP: the interface part carries an IPv4 address.
        if matches!((e, f), (0 | 0x200, 0x5efe)) { reach.nearer(v4(g, h)) } else { reach }
    }

    /// The one that is guarded more strictly.
    fn nearer(self, other: Reach) -> Reach {
        if other.strictness() > self.strictness() { other } else { self }
    }

    /// 0: passes; 1: passes by `allow_private`; 2 and 3: by the list alone.
    fn strictness(self) -> u8 {
        match self {
            Reach::Public => 0,
            Reach::Private | Reach::Loopback | Reach::LinkLocal | Reach::Test => 1,
            Reach::Multicast | Reach::Unspecified | Reach::Reserved => 2,
            Reach::Metadata => 3,
        }
    }

    fn but_not_public(self) -> Reach {
        if self == Reach::Public { Reach::Reserved } else { self }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reach::Public => "public",
            Reach::Private => "a private address",
            Reach::Loopback => "this machine",
            Reach::LinkLocal => "a link-local address",
            Reach::Test => "an address for tests and documentation",
            Reach::Metadata => "a cloud's metadata service",
            Reach::Multicast => "a multicast address",
            Reach::Unspecified => "an unspecified address",
            Reach::Reserved => "a reserved address",
        })
    }
}

fn within(address: Ipv4Addr, network: Ipv4Addr, bits: u8) -> bool {
    let differing = u32::from(address) ^ u32::from(network);
    differing.leading_zeros() >= u32::from(bits)
}

fn within6(address: Ipv6Addr, network: Ipv6Addr, bits: u8) -> bool {
    let differing = u128::from(address) ^ u128::from(network);
    differing.leading_zeros() >= u32::from(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(address: &str, expected: Reach) {
        let reach = Reach::of(address.parse().unwrap());
        assert_eq!(reach, expected, "for {address}");
        let passes = AddressGuard::default().check(address.parse().unwrap()).is_ok();
        assert_eq!(passes, expected == Reach::Public, "for {address}");
    }

    #[test]
    fn public_addresses_pass() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "168.63.129.17",
            "2606:4700::1111",
            "2a00:1450:4001::1",
            "2001:4860:4860::8888",
            "2001:200::1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:808:808::1",
            "2001:0:808:808:0:0:f7f7:f7f7",
        ] {
            check(address, Reach::Public);
        }
    }

    #[test]
    fn private_networks_are_refused() {
        for address in [
            "10.0.0.0",
            "10.255.255.255",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "192.168.255.255",
            "100.64.0.0",
            "100.127.255.255",
            "fc00::1",
            "fdff:ffff::1",
            "fec0::1",
            "feff::1",
            "64:ff9b:1::1",
            "64:ff9b:1:808:8:800::",
            "64:ff9b:1:ffff:ffff::808:808",
        ] {
            check(address, Reach::Private);
        }
    }

    #[test]
    fn this_machine_is_refused_in_every_spelling() {
        for address in ["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1", "::ffff:0:127.0.0.1"] {
            check(address, Reach::Loopback);
        }
        for address in ["0.0.0.0", "0.1.2.3", "0.255.255.255", "::", "::ffff:0.0.0.0"] {
            check(address, Reach::Unspecified);
        }
    }

    #[test]
    fn metadata_services_are_refused() {
        for address in [
            "169.254.169.254",
            "169.254.170.2",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd20:ce::254",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:a9fe:a9fe::1",
            "::169.254.169.254",
            "fe80::a9fe:a9fe",
            // Local-use NAT64, each place where a network may put the address.
            "64:ff9b:1::a9fe:a9fe",
            "64:ff9b:1:a9fe:a9:fe00::",
            "64:ff9b:1:a9:fe:a9fe::",
            "64:ff9b:1:0:a9:fea9:fe00::",
            // Private as far as its first look goes, and what it carries is worse.
            "2001:0:a00:1:0:0:5601:5601",
            "fd00::5efe:169.254.169.254",
            "fe80::5efe:169.254.169.254",
        ] {
            check(address, Reach::Metadata);
        }
    }

    #[test]
    fn an_address_that_carries_another_reaches_as_far_as_that() {
        check("::ffff:10.0.0.1", Reach::Private);
        check("::10.0.0.1", Reach::Private);
        check("::8.8.8.8", Reach::Reserved);
        check("64:ff9b::192.168.1.1", Reach::Private);
        check("64:ff9b::7f00:1", Reach::Loopback);
        check("2002:7f00:1::1", Reach::Loopback);
        check("2002:c0a8:101::1", Reach::Private);
        // Teredo with a private server, and with a private client (10.0.0.1, bits turned).
        check("2001:0:a00:1:0:0:f7f7:f7f7", Reach::Private);
        check("2001:0:808:808:0:0:f5ff:fffe", Reach::Private);
        check("2606:4700::5efe:10.0.0.1", Reach::Private);
        check("2606:4700::200:5efe:127.0.0.1", Reach::Loopback);
    }

    #[test]
    fn the_rest_that_is_nobodys_is_refused() {
        for address in ["169.254.0.1", "169.254.255.255", "fe80::1", "febf::1"] {
            check(address, Reach::LinkLocal);
        }
        for address in ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"] {
            check(address, Reach::Multicast);
        }
        for address in [
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.1",
            "198.18.0.1",
            "198.19.255.255",
            "2001:db8::1",
            "3fff::1",
            "2001:2::1",
        ] {
            check(address, Reach::Test);
        }
        for address in [
            "255.255.255.255",
            "240.0.0.1",
            "192.0.0.1",
            "192.88.99.1",
            "100::1",
            "2001:10::1",
            "2001:20::1",
            "5f00::1",
            "4000::1",
            "200::1",
            "64:ff9b:2::1",
            "::1:2:3:4",
        ] {
            check(address, Reach::Reserved);
        }
    }

    #[test]
    fn allow_private_opens_networks_but_no_metadata() {
        let guard = AddressGuard { allow_private: true, allow: Vec::new() };
        for address in ["127.0.0.1", "::1", "10.1.1.1", "fd00::1", "169.254.1.1", "198.18.0.1", "8.8.8.8"] {
            assert!(guard.check(address.parse().unwrap()).is_ok(), "for {address}");
        }
        for address in
            ["169.254.169.254", "fd00:ec2::254", "0.0.0.0", "224.0.0.1", "255.255.255.255", "240.0.0.1"]
        {
            assert!(guard.check(address.parse().unwrap()).is_err(), "for {address}");
        }
    }

    #[test]
    fn the_list_allows_what_it_names_and_no_more() {
        let allow = ["10.0.0.0/31", "127.0.0.1:8080", "[::1]:8080", "169.254.169.254", "fd00::/16"];
        let allow = allow.iter().map(|text| text.parse().unwrap()).collect();
        let guard = AddressGuard { allow_private: false, allow };
        let passes = |text: &str| match text.parse::<SocketAddr>() {
            Ok(socket) => guard.check_socket(socket).is_ok(),
            Err(_) => guard.check(text.parse().unwrap()).is_ok(),
        };
        for allowed in [
            "10.0.0.0",
            "10.0.0.1",
            "10.0.0.1:9",
            "127.0.0.1:8080",
            "[::1]:8080",
            "[::ffff:127.0.0.1]:8080",
            "169.254.169.254",
            "fd00:1::1",
        ] {
            assert!(passes(allowed), "{allowed} is on the list");
        }
        for refused in ["10.0.0.2", "127.0.0.1", "127.0.0.1:8081", "127.0.0.2:8080", "[::1]:80", "fd01::1"] {
            assert!(!passes(refused), "{refused} is not on the list");
        }
    }

    #[test]
    fn an_entry_that_means_nothing_is_refused() {
        for text in
            ["", "localhost", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0", "127.0.0.1:99999", "1.2.3.4/-1"]
        {
            assert_eq!(text.parse::<Allowed>(), Err(AllowedError(text.to_owned())));
        }
    }

    #[test]
    fn the_reason_is_said() {
        let forbidden = AddressGuard::default().check("10.0.0.1".parse().unwrap()).unwrap_err();
        assert_eq!(forbidden.to_string(), "10.0.0.1 is a private address: not allowed");
    }

    proptest! {
        /// Whatever the wrapping, it reaches no further than the IPv4 address inside.
        #[test]
        fn wrapping_never_opens_an_address(row in 0..V4.len() - 1, any: u32) {
            let (network, bits, _) = V4[row];
            let v4 = u32::from_be_bytes(network) | any >> bits;
            prop_assert_ne!(Reach::of(IpAddr::V4(v4.into())), Reach::Public);
            let [high, low] = [(v4 >> 16) as u16, v4 as u16];
            for wrapped in [
                Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, high, low),
                Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
                Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
                Ipv6Addr::new(0x2001, 0, high, low, 0, 0, 0, 0),
                Ipv6Addr::new(0x2001, 0, 0x808, 0x808, 0, 0, !high, !low),
            ] {
                prop_assert!(AddressGuard::default().check(wrapped.into()).is_err(), "{wrapped}");
            }
        }
    }
}
