//! Hosts that are odd by their name alone: what the name server says of them, and what is right.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::book::{Book, DOMAIN, FORBIDDEN, Spot};
use super::dns::Say;
use super::truth::{Ending, Why};

/// Names on one address, besides the ordinary ones.
const MANY: u64 = 10;

pub(super) fn write(book: &mut Book) {
    book.chapter("names");
    let good = IpAddr::from(Spot::Second.ip());
    let inside = IpAddr::from(FORBIDDEN);
    let mapped = IpAddr::from(FORBIDDEN.to_ipv6_mapped());
    let addresses = |addresses: &[IpAddr], ttl| Say::Addresses { addresses: addresses.to_vec(), ttl };
    let wide = |segments: [u16; 8]| IpAddr::from(Ipv6Addr::from(segments));
    let alias = |label: &str, hops: u32, end: IpAddr| Say::Aliases {
        chain: (1..=hops).map(|hop| format!("{label}-{hop}.{DOMAIN}")).collect(),
        end: Some(end),
    };

    let fine = [
        ("ttl-0", addresses(&[good], 0)),
        ("ttl-absurd", addresses(&[good], u32::MAX)),
        ("alias-3", alias("alias-3", 3, good)),
        ("slow-name", Say::Slow { address: good, by: book.options.slow_dns }),
        ("many-addresses", addresses(&vec![good; 20], 60)),
    ];
    for (label, say) in fine {
        book.name(label, say);
        book.lead(book.url(label, "/"));
        book.site(label, &["/page.html"], Vec::new());
    }
    for number in 0..MANY {
        let label = format!("many-{number}");
        book.host(&label, Spot::Second);
        book.lead(book.url(&label, "/"));
        book.page(&label, "/", Vec::new());
    }

    let unknown = [
        ("no-such-name", Say::NoSuchName),
        ("broken-name", Say::Broken),
        ("refused-name", Say::Refused),
        ("silent-name", Say::Silence),
        ("empty-name", addresses(&[], 60)),
        ("garbage-name", Say::Garbage),
        (
            "alias-loop",
            Say::Aliases {
                chain: vec![format!("alias-loop-1.{DOMAIN}"), format!("alias-loop.{DOMAIN}")],
                end: None,
            },
        ),
    ];
    for (label, say) in unknown {
        book.name(label, say);
        expect(book, label, &[Why::Dns.into(), Why::Timeout.into(), Ending::Waiting]);
    }
    // Long, but it ends: followed or given up.
    book.name("alias-30", alias("alias-30", 30, good));
    expect(book, "alias-30", &[Ending::Fetched, Why::Dns.into(), Ending::Waiting]);

    let guarded = [
        ("inside", addresses(&[inside], 60)),
        ("inside-alias", alias("inside-alias", 1, inside)),
        ("inside-mapped", addresses(&[mapped], 60)),
        // 127.66.0.1 as NAT64 and 6to4 write it; then addresses of IPv6's own.
        ("inside-nat64", addresses(&[wide([0x64, 0xff9b, 0, 0, 0, 0, 0x7f42, 1])], 60)),
        ("inside-6to4", addresses(&[wide([0x2002, 0x7f42, 1, 0, 0, 0, 0, 1])], 60)),
        ("inside-loopback6", addresses(&[IpAddr::from(Ipv6Addr::LOCALHOST)], 60)),
        ("inside-local6", addresses(&[wide([0xfd00, 0, 0, 0, 0, 0, 0, 1])], 60)),
        ("inside-link6", addresses(&[wide([0xfe80, 0, 0, 0, 0, 0, 0, 1])], 60)),
        ("inside-private", addresses(&[IpAddr::from(Ipv4Addr::new(10, 0, 0, 1))], 60)),
        ("inside-metadata", addresses(&[IpAddr::from(Ipv4Addr::new(169, 254, 169, 254))], 60)),
        ("inside-zero", addresses(&[IpAddr::from(Ipv4Addr::UNSPECIFIED)], 60)),
    ];
    for (label, say) in guarded {
        book.name(label, say);
        book.lead(book.url(label, "/"));
        book.expect(label, "/", [Ending::from(Why::ForbiddenAddress)], 0);
    }
    // The good address may be asked; the forbidden one never is.
    book.name("inside-mixed", addresses(&[inside, good], 60));
    expect(book, "inside-mixed", &[Ending::Fetched, Why::ForbiddenAddress.into()]);
    let after = book.options.rebinds_after;
    book.name("rebinding", Say::Rebinding { first: good, then: inside, after });
    expect(book, "rebinding", &[Ending::Fetched, Why::ForbiddenAddress.into()]);

    book.host("refused", Spot::Refused);
    // Its robots.txt is refused, too.
    expect(book, "refused", &[Why::Connect.into(), Why::RobotsUnreachable.into(), Ending::Waiting]);
}

fn expect(book: &mut Book, label: &str, endings: &[Ending]) {
    for path in ["/", "/second.html"] {
        book.lead(book.url(label, path));
        book.draw(label, path, Vec::new());
        book.expect(label, path, endings.to_vec(), book.tries());
    }
}
