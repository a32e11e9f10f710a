//! Cookies of one run, by RFC 6265 with the later rule that plain HTTP cannot set `Secure` cookies.
//!
//! One thing is stricter: a cookie for one host stays with that host's port (80 and 443 count as one), as several
//! sites may share a name on a machine. Nothing is stored on disk here.

mod date;
mod parse;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{Headers, PageUrl, Timestamp};

use parse::SetCookie;

/// The cookies of one run, bounded per host and in total.
pub struct CookieJar {
    kept: Mutex<Kept>,
    most: usize,
}

/// A cookie that the user gives to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartCookie {
    /// Sent to this host and those below it.
    pub domain: String,
    /// Sent below this path.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Sent over https only.
    pub secure: bool,
}

#[derive(Default)]
struct Kept {
    /// By domain.
    cookies: HashMap<String, Vec<Cookie>>,
    count: usize,
    /// Counts cookies: the lowest was set first.
    next: u64,
}

#[derive(Clone, Debug)]
struct Cookie {
    name: String,
    value: String,
    path: String,
    /// For this host alone, at this port.
    only: Option<u16>,
    secure: bool,
    expires: Option<Timestamp>,
    age: u64,
}

/// Most cookies of one domain.
const MOST_PER_DOMAIN: usize = 50;
/// Most cookies in all.
const MOST: usize = 20_000;
/// Longest header sent.
const LONGEST_HEADER: usize = 8 * 1024;
/// Most `Set-Cookie` lines looked at in one answer.
const MOST_PER_ANSWER: usize = 50;

impl Default for CookieJar {
    fn default() -> CookieJar {
        CookieJar { kept: Mutex::default(), most: MOST }
    }
}

impl CookieJar {
    /// A jar with the user's cookies.
    pub fn new(start: impl IntoIterator<Item = StartCookie>) -> CookieJar {
        let jar = CookieJar::default();
        for cookie in start {
            let domain = cookie.domain.trim_start_matches('.').to_ascii_lowercase();
            let path = if cookie.path.starts_with('/') { cookie.path } else { "/".to_owned() };
            let StartCookie { name, value, secure, .. } = cookie;
            let cookie = Cookie { name, value, path, only: None, secure, expires: None, age: 0 };
            jar.kept().keep(domain, cookie, Timestamp::ZERO, jar.most);
        }
        jar
    }

    /// Takes the cookies of an answer.
    pub fn store(&self, url: &PageUrl, headers: &Headers, now: Timestamp) {
        for line in headers.all("set-cookie").take(MOST_PER_ANSWER) {
            if let Some((domain, cookie)) = parse::set_cookie(line, now).and_then(|set| accept(set, url)) {
                self.kept().keep(domain, cookie, now, self.most);
            }
        }
    }

    /// The `Cookie` header for a request, if there is any cookie for it.
    pub fn header(&self, url: &PageUrl, now: Timestamp) -> Option<String> {
        let host = url.host();
        let (name, port, path) = (host.name(), one_port(host.port()), url.path());
        let kept = self.kept();
        if kept.count == 0 {
            return None;
        }
        let mut found: Vec<&Cookie> = Vec::new();
        for domain in above(name) {
            let cookies = kept.cookies.get(domain).map_or(&[][..], Vec::as_slice);
            found.extend(cookies.iter().filter(|cookie| {
                cookie.only.is_none_or(|only| domain == name && only == port)
                    && (!cookie.secure || url.is_https())
                    && cookie.is_alive(now)
                    && below(path, &cookie.path)
            }));
        }
        // Longer paths first, then older ones: servers take the first of a name.
        found.sort_by_key(|cookie| (std::cmp::Reverse(cookie.path.len()), cookie.age));
        let mut header = String::new();
        for cookie in found {
            let separator = if header.is_empty() { "" } else { "; " };
            if header.len() + separator.len() + cookie.name.len() + 1 + cookie.value.len() > LONGEST_HEADER {
                break;
            }
            header.push_str(separator);
            if !cookie.name.is_empty() {
                header.push_str(&cookie.name);
                header.push('=');
            }
            header.push_str(&cookie.value);
        }
        (!header.is_empty()).then_some(header)
    }

    /// How many cookies are kept.
    pub fn len(&self) -> usize {
        self.kept().count
    }

    /// True without any cookie.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn keep(&mut self, domain: String, mut cookie: Cookie, now: Timestamp, most: usize) {
        if self.count >= most {
            self.make_room(now, most);
        }
        let cookies = self.cookies.entry(domain).or_default();
        let before = cookies.len();
        cookie.age = self.next;
        self.next += 1;
        let same = |other: &Cookie| {
            (&other.name, &other.path, other.only) == (&cookie.name, &cookie.path, cookie.only)
        };
        if let Some(old) = cookies.iter().position(same) {
            // A new value keeps the place of the old one.
            cookie.age = cookies[old].age;
            cookies.swap_remove(old);
        }
        if cookie.is_alive(now) {
            if cookies.len() >= MOST_PER_DOMAIN {
                cookies.retain(|cookie| cookie.is_alive(now));
            }
            if cookies.len() >= MOST_PER_DOMAIN {
                let oldest = (0..cookies.len()).min_by_key(|&index| cookies[index].age);
                oldest.map(|oldest| cookies.swap_remove(oldest));
            }
            cookies.push(cookie);
        }
        self.count = self.count + cookies.len() - before;
    }

    /// Drops the expired, then the older half.
    fn make_room(&mut self, now: Timestamp, most: usize) {
        self.retain(|cookie| cookie.is_alive(now));
        if self.count >= most {
            let mut ages: Vec<u64> = self.cookies.values().flatten().map(|cookie| cookie.age).collect();
            let middle = ages.len() / 2;
            let median = *ages.select_nth_unstable(middle).1;
            self.retain(|cookie| cookie.age > median);
        }
    }

    fn retain(&mut self, keep: impl Fn(&Cookie) -> bool) {
        self.cookies.retain(|_, cookies| {
            cookies.retain(&keep);
            !cookies.is_empty()
        });
        self.count = self.cookies.values().map(Vec::len).sum();
    }
}

impl Cookie {
    fn is_alive(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|expires| expires > now)
    }
}

/// The cookie and its domain, if this URL may set it.
fn accept(set: SetCookie<'_>, url: &PageUrl) -> Option<(String, Cookie)> {
    let host = url.host();
    let name = host.name().to_ascii_lowercase();
    let (domain, only) = match set.domain.as_deref() {
        None => (name, Some(one_port(host.port()))),
        // A cookie for all of `.co.uk` would follow us to strangers; for a host that is such a name it is its own.
        Some(domain) if is_public_suffix(domain) => {
            (domain == name).then_some((name, Some(one_port(host.port()))))?
        }
        Some(domain) => above(&name).any(|above| above == domain).then_some((domain.to_owned(), None))?,
    };
    let path = match set.path {
        Some(path) if path.starts_with('/') => path.to_owned(),
        _ => default_path(url.path()).to_owned(),
    };
    if set.secure && !url.is_https()
        || set.name.starts_with("__Secure-") && !set.secure
        || set.name.starts_with("__Host-")
            && !(set.secure && only.is_some() && set.domain.is_none() && path == "/")
    {
        return None;
    }
    let (name, value) = (set.name.to_owned(), set.value.to_owned());
    Some((domain, Cookie { name, value, path, only, secure: set.secure, expires: set.expires, age: 0 }))
}

/// The name and every domain it lies in; an address lies in none.
fn above(name: &str) -> impl Iterator<Item = &str> {
    let is_address = name.parse::<std::net::IpAddr>().is_ok();
    std::iter::successors(Some(name), move |name| {
        (!is_address).then(|| name.split_once('.').map(|(_, rest)| rest)).flatten()
    })
}

fn is_public_suffix(domain: &str) -> bool {
    domain.parse::<std::net::IpAddr>().is_err() && psl::suffix_str(domain) == Some(domain)
}

/// http and https of one host share their cookies.
fn one_port(port: u16) -> u16 {
    if port == 443 { 80 } else { port }
}

/// The directory of a path.
fn default_path(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(slash) => &path[..slash],
    }
}

/// Does `path` lie in the directory `above`?
fn below(path: &str, above: &str) -> bool {
    path.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || above.ends_with('/') || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn url(text: &str) -> PageUrl {
        PageUrl::parse(text).unwrap()
    }

    fn jar_with(page: &str, lines: &[&str]) -> CookieJar {
        let jar = CookieJar::default();
        let lines = lines.iter().map(|line| ("Set-Cookie".to_owned(), line.as_bytes().to_vec().into()));
        jar.store(&url(page), &Headers(lines.collect()), NOW);
        jar
    }

    /// A cookie set by `page` with `line`: is it sent to `asked`?
    fn check(page: &str, line: &str, asked: &str, expected: Option<&str>) {
        let header = jar_with(page, &[line]).header(&url(asked), NOW);
        assert_eq!(header.as_deref(), expected, "{line:?} of {page} at {asked}");
    }

    #[test]
    fn a_cookie_without_a_domain_stays_with_its_host() {
        check("http://a.com/", "x=1", "http://a.com/p", Some("x=1"));
        check("http://a.com/", "x=1", "https://a.com/p", Some("x=1"));
        check("http://a.com/", "x=1", "http://b.a.com/", None);
        check("http://a.com/", "x=1", "http://a.com:8080/", None);
        check("http://127.0.0.1:81/", "x=1", "http://127.0.0.1:82/", None);
        check("http://127.0.0.1:81/", "x=1", "http://127.0.0.1:81/", Some("x=1"));
    }

    #[test]
    fn a_domain_widens_to_hosts_below_and_no_further() {
        check("http://b.a.com/", "x=1; Domain=a.com", "http://a.com/", Some("x=1"));
        check("http://b.a.com/", "x=1; Domain=.A.com", "http://c.a.com:81/", Some("x=1"));
        check("http://b.a.com/", "x=1; Domain=c.a.com", "http://c.a.com/", None);
        check("http://a.com/", "x=1; Domain=b.com", "http://b.com/", None);
        check("http://ba.com/", "x=1; Domain=a.com", "http://a.com/", None);
        check("http://127.0.0.1/", "x=1; Domain=0.0.1", "http://127.0.0.1/", None);
        check("http://127.0.0.1/", "x=1; Domain=127.0.0.1", "http://127.0.0.1/", Some("x=1"));
        check("http://a.com/", "x=1; Domain=", "http://a.com/", Some("x=1"));
    }

    #[test]
    fn nobody_sets_a_cookie_for_a_public_suffix() {
        check("http://a.co.uk/", "x=1; Domain=co.uk", "http://b.co.uk/", None);
        check("http://a.com/", "x=1; Domain=com", "http://b.com/", None);
        check("http://a.github.io/", "x=1; Domain=github.io", "http://b.github.io/", None);
        check("http://github.io/", "x=1; Domain=github.io", "http://github.io/", Some("x=1"));
        check("http://github.io/", "x=1; Domain=github.io", "http://b.github.io/", None);
    }

    #[test]
    fn paths_are_obeyed() {
        check("http://a.com/dir/page", "x=1", "http://a.com/dir/other", Some("x=1"));
        check("http://a.com/dir/page", "x=1", "http://a.com/dir", Some("x=1"));
        check("http://a.com/dir/page", "x=1", "http://a.com/", None);
        check("http://a.com/dir/page", "x=1", "http://a.com/directory", None);
        check("http://a.com/", "x=1; Path=/a", "http://a.com/a/b?c", Some("x=1"));
        check("http://a.com/", "x=1; Path=/a", "http://a.com/ab", None);
        check("http://a.com/dir/", "x=1; Path=relative", "http://a.com/dir/", Some("x=1"));
    }

    #[test]
    fn secure_cookies_never_travel_in_the_clear() {
        check("https://a.com/", "x=1; Secure", "https://a.com/", Some("x=1"));
        check("https://a.com/", "x=1; Secure", "http://a.com/", None);
        check("http://a.com/", "x=1; Secure", "https://a.com/", None);
        check("https://a.com/", "__Secure-x=1", "https://a.com/", None);
        check("https://a.com/", "__Secure-x=1; Secure", "https://a.com/", Some("__Secure-x=1"));
        check("https://a.com/", "__Host-x=1; Secure; Path=/", "https://a.com/", Some("__Host-x=1"));
        check("https://a.com/", "__Host-x=1; Secure; Path=/; Domain=a.com", "https://a.com/", None);
        check("https://a.com/d/", "__Host-x=1; Secure", "https://a.com/d/", None);
    }

    #[test]
    fn cookies_end() {
        let jar = jar_with(
            "http://a.com/",
            &["x=1; Max-Age=10", "y=1; Expires=Fri, 15 Jan 2027 08:00:05 GMT", "z=1"],
        );
        let at = |seconds: u64| jar.header(&url("http://a.com/"), Timestamp(NOW.0 + seconds * 1000));
        assert_eq!(at(4).as_deref(), Some("x=1; y=1; z=1"));
        assert_eq!(at(5).as_deref(), Some("x=1; z=1"));
        assert_eq!(at(10).as_deref(), Some("z=1"));
        // An end in the past takes a cookie back.
        let jar = jar_with("http://a.com/", &["x=1", "x=; Max-Age=0"]);
        assert!(jar.is_empty());
    }

    #[test]
    fn longer_paths_come_first_then_older_cookies() {
        let jar =
            jar_with("http://a.com/d/e", &["a=1; Path=/", "b=2; Path=/d", "c=3; Path=/", "a=4; Path=/"]);
        assert_eq!(jar.header(&url("http://a.com/d/e"), NOW).as_deref(), Some("b=2; a=4; c=3"));
    }

    #[test]
    fn a_storm_of_cookies_is_weathered() {
        let lines: Vec<String> = (0..200).map(|n| format!("c{n}={}", "v".repeat(1000))).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let jar = jar_with("http://a.com/", &lines);
        assert_eq!(jar.len(), MOST_PER_ANSWER);
        assert!(jar.header(&url("http://a.com/"), NOW).unwrap().len() <= LONGEST_HEADER);
        let jar = CookieJar { kept: Mutex::default(), most: 100 };
        for host in 0..1000 {
            let headers = Headers(vec![("set-cookie".into(), format!("n={host}").into())]);
            jar.store(&url(&format!("http://h{host}.a.com/")), &headers, NOW);
            assert!(jar.len() <= 100);
        }
        assert_eq!(jar.header(&url("http://h999.a.com/"), NOW).as_deref(), Some("n=999"));
        // More than fifty of one domain push out the oldest.
        let jar = CookieJar::default();
        for n in 0..60 {
            jar.store(
                &url("http://a.com/"),
                &Headers(vec![("set-cookie".into(), format!("c{n}=1").into())]),
                NOW,
            );
        }
        assert_eq!(jar.len(), 50);
        assert!(jar.header(&url("http://a.com/"), NOW).unwrap().starts_with("c10=1; "));
    }

    #[test]
    fn the_users_cookies_are_sent_from_the_start() {
        let cookie = |domain: &str, secure| StartCookie {
            domain: domain.into(),
            path: "/".into(),
            name: "login".into(),
            value: "yes".into(),
            secure,
        };
        let jar = CookieJar::new([cookie(".A.com", false), cookie("localhost", true)]);
        let sent = |text: &str| jar.header(&url(text), NOW).is_some();
        assert!(sent("http://a.com/") && sent("https://b.a.com:81/x") && sent("https://localhost:81/"));
        assert!(!sent("http://b.com/") && !sent("http://localhost:81/"));
    }

    proptest! {
        #[test]
        fn any_line_is_taken_or_left(line in ".*", page in "https?://[a-c]{1,2}(\\.co\\.uk|\\.com)/[a-z/]{0,5}") {
            let Ok(page) = PageUrl::parse(&page) else { return Ok(()) };
            let jar = CookieJar::default();
            jar.store(&page, &Headers(vec![("set-cookie".into(), line.into_bytes().into())]), NOW);
            let header = jar.header(&page, NOW).unwrap_or_default();
            prop_assert!(!header.contains(['\r', '\n', '\0']));
            // A stranger never gets it.
            prop_assert_eq!(jar.header(&PageUrl::parse("https://stranger.net/").unwrap(), NOW), None);
        }
    }
}
