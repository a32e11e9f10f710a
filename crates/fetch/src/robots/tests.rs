//! Cases written from RFC 9309 and from how the well known parsers behave.

use super::*;
use proptest::prelude::*;

/// May `agent` fetch `path` under `robots`, and which line says so?
fn decide(robots: &str, agent: &str, path: &str) -> (bool, Option<u32>) {
    let verdict = Robots::parse(robots.as_bytes()).rules(agent).verdict(path);
    (verdict.allowed, verdict.line)
}

/// One robots.txt, one agent: paths that are allowed and paths that are not.
#[track_caller]
fn check(robots: &str, agent: &str, allowed: &[&str], denied: &[&str]) {
    for path in allowed {
        assert!(decide(robots, agent, path).0, "{agent} may fetch {path} under\n{robots}");
    }
    for path in denied {
        assert!(!decide(robots, agent, path).0, "{agent} may not fetch {path} under\n{robots}");
    }
}

#[test]
fn without_a_matching_rule_everything_is_allowed() {
    check("", "foo", &["/", "/x"], &[]);
    check("User-agent: bar\nDisallow: /", "foo", &["/x"], &[]);
    check("User-agent: foo\nDisallow:", "foo", &["/", "/x"], &[]);
    check("User-agent: foo\nAllow: /x", "foo", &["/", "/y"], &[]);
    check("User-agent: foo", "foo", &["/"], &[]);
}

#[test]
fn rules_without_an_agent_say_nothing() {
    check("Disallow: /\nUser-agent: bar\nAllow: /", "foo", &["/x"], &[]);
    check("Disallow: /", "foo", &["/x"], &[]);
    check("foo: FooBot\nDisallow: /\n", "FooBot", &["/x"], &[]);
}

#[test]
fn names_compare_without_case() {
    for agent in ["FooBot", "foobot", "FOOBOT", "FooBot/2.1", "FooBot/2.1 (+http://e.com)"] {
        check("USER-AGENT: fooBOT\ndisALLOW: /x", agent, &["/X"], &["/x"]);
    }
    check("user-agent: FooBot/1.2\nDisallow: /", "foobot", &[], &["/x"]);
    check("user-agent: Foo Bar\nDisallow: /", "Foo", &[], &["/x"]);
    check("user-agent: Foo Bar\nDisallow: /", "Bar", &["/x"], &[]);
    check("user-agent: foo\nDisallow: /", "foobar", &["/x"], &[]);
    check("user-agent: foobar\nDisallow: /", "foo", &["/x"], &[]);
    check("user-agent: foo-bar_x\nDisallow: /", "Foo-Bar_X", &[], &["/x"]);
    check("user-agent: foo2\nDisallow: /", "foo", &[], &["/x"]);
    check("user-agent: foo2\nDisallow: /\nuser-agent: foo1\nAllow: /", "foo1", &["/x"], &[]);
}

#[test]
fn a_group_by_name_replaces_the_one_for_everyone() {
    let robots = "User-agent: *\nDisallow: /\n\nUser-agent: foo\nDisallow: /foo/\n";
    check(robots, "foo", &["/", "/x"], &["/foo/"]);
    check(robots, "bar", &[], &["/", "/x"]);
    // Even a group without rules.
    check("User-agent: *\nDisallow: /\nUser-agent: foo\nDisallow:\n", "foo", &["/"], &[]);
    check("User-agent: *\nDisallow: /\nAllow: /x\n\nUser-agent: foo\n", "foo", &["/"], &[]);
    check("User-agent: * bar\nDisallow: /", "foo", &[], &["/"]);
    check("User-agent: *bar\nDisallow: /", "foo", &["/"], &[]);
}

#[test]
fn groups_of_one_agent_are_one_group() {
    let robots = "User-agent: a\nDisallow: /1\nUser-agent: b\nDisallow: /2\nUser-agent: A\nDisallow: /3\n";
    check(robots, "a", &["/2"], &["/1", "/3"]);
    check(robots, "b", &["/1", "/3"], &["/2"]);
    check("user-agent: *\ndisallow: /1\nuser-agent: *\ndisallow: /2\n", "a", &["/3"], &["/1", "/2"]);
}

#[test]
fn several_agents_share_the_rules_that_follow() {
    let robots = "User-agent: a\nUser-agent: b\n\n# both\nDisallow: /x\n\nUser-agent: c\nDisallow: /y\n";
    check(robots, "a", &["/y"], &["/x"]);
    check(robots, "b", &["/y"], &["/x"]);
    check(robots, "c", &["/x"], &["/y"]);
    // Blank lines and lines of other kinds do not part them.
    check("User-agent: a\nSitemap: http://e.com/s\nUser-agent: b\nDisallow: /x", "a", &[], &["/x"]);
    check("User-agent: a\nCrawl-delay: 5\nUser-agent: b\nDisallow: /x", "a", &[], &["/x"]);
    check("User-agent: a\n\n\nDisallow: /x", "a", &[], &["/x"]);
    check("User-agent: a\nUnknown: x\nDisallow: /x", "a", &[], &["/x"]);
    // An empty rule does.
    check("User-agent: a\nDisallow:\nUser-agent: b\nDisallow: /x", "a", &["/x"], &[]);
}

#[test]
fn the_longest_match_wins_in_any_order() {
    for robots in [
        "User-agent: f\nDisallow: /x/page.html\nAllow: /x/\n",
        "User-agent: f\nAllow: /x/\nDisallow: /x/page.html\n",
    ] {
        check(robots, "f", &["/x/", "/x/page"], &["/x/page.html"]);
    }
    check("User-agent: f\nAllow: /x/page.html\nDisallow: /x/\n", "f", &["/x/page.html"], &["/x/"]);
    check("User-agent: f\nDisallow: /\nAllow: /p\n", "f", &["/page"], &["/other"]);
    check("User-agent: f\nAllow: /$\nDisallow: /\n", "f", &["/"], &["/page.htm"]);
    check("User-agent: f\nAllow: /folder\nDisallow: /*.htm\n", "f", &["/folder/x"], &["/x.htm"]);
    check("User-agent: f\nAllow: /page\nDisallow: /*.ph\n", "f", &["/page.php5"], &[]);
}

#[test]
fn allow_wins_a_tie() {
    check("User-agent: f\nDisallow: /folder\nAllow: /folder\n", "f", &["/folder/page"], &[]);
    check("User-agent: f\nDisallow: \nAllow: \n", "f", &["/"], &[]);
    check("User-agent: f\nDisallow: /\nAllow: /\n", "f", &["/x"], &[]);
    check("User-agent: f\nAllow: /*.a\nDisallow: /b.a\n", "f", &["/b.a"], &[]);
}

#[test]
fn the_deciding_line_is_told() {
    let robots = "# one\r\nUser-agent: *\rDisallow: /a\n\nAllow: /a/b\r\n";
    assert_eq!(decide(robots, "f", "/a"), (false, Some(3)));
    assert_eq!(decide(robots, "f", "/a/b"), (true, Some(5)));
    assert_eq!(decide(robots, "f", "/c"), (true, None));
    assert_eq!(decide("user-agent: *\ndisallow: /a\ndisallow: /a", "f", "/a"), (false, Some(2)));
    assert_eq!(decide("user-agent: *\ndisallow: /a\nallow: /a", "f", "/a"), (true, Some(3)));
}

#[test]
fn paths_compare_with_case() {
    check("user-agent: f\ndisallow: /X/", "f", &["/x/y"], &["/X/y"]);
}

#[test]
fn encodings_are_compared_in_one_spelling() {
    check(
        "User-agent: f\nDisallow: /\nAllow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par\n",
        "f",
        &["/foo/bar?qux=taz&baz=http://foo.bar?tar&par"],
        &[],
    );
    check(
        "User-agent: f\nDisallow: /\nAllow: /foo/bar/ツ\n",
        "f",
        &["/foo/bar/%E3%83%84", "/foo/bar/ツ"],
        &[],
    );
    check(
        "User-agent: f\nDisallow: /\nAllow: /foo/bar/%E3%83%84\n",
        "f",
        &["/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"],
        &[],
    );
    check(
        "User-agent: f\nDisallow: /\nAllow: /foo/bar/%62%61%7A\n",
        "f",
        &["/foo/bar/baz", "/foo/bar/%62%61%7A"],
        &[],
    );
    check("User-agent: f\nDisallow: /%7Ejoe\n", "f", &["/joe"], &["/~joe", "/%7ejoe"]);
    check("User-agent: f\nDisallow: /a%2Fb\n", "f", &["/a/b"], &["/a%2fb"]);
}

#[test]
fn stars_and_ends_are_special() {
    check(
        "User-agent: f\nDisallow: /foo/bar/quz\nAllow: /foo/*/qux\n",
        "f",
        &["/foo/quz", "/foo//quz", "/foo/bax/quz"],
        &["/foo/bar/quz"],
    );
    check(
        "User-agent: f\nDisallow: /foo/bar$\nAllow: /foo/bar/qux\n",
        "f",
        &["/foo/bar/qux", "/foo/bar/", "/foo/bar/baz"],
        &["/foo/bar"],
    );
    check("User-agent: f\nDisallow: *\n", "f", &[], &["/", "/x"]);
    check("User-agent: f\nDisallow: *.gif$\n", "f", &["/a.gif?x"], &["/a.gif"]);
    check("User-agent: f\nDisallow: /*?\n", "f", &["/a"], &["/a?", "/a?b"]);
    check("User-agent: f\nDisallow: x\n", "f", &["/x", "/"], &[]);
}

#[test]
fn comments_and_spaces_are_skipped() {
    check("User-agent: f # bar\nDisallow: /x # y\n#Disallow: /z\n", "f", &["/z", "/y"], &["/x"]);
    check("  User-agent :\tf  \n\tDisallow :\t/x \t\n", "f", &["/y"], &["/x"]);
    check("User-agent: f\nDisallow: /#x\n", "f", &[], &["/y"]);
    check("User-agent: f\nDisallow: #x\n", "f", &["/x"], &[]);
}

#[test]
fn common_mistakes_are_understood() {
    check("User-agent: f\nDisallow /x\n", "f", &["/y"], &["/x"]);
    check("User-agent f\nDisallow\t/x\n", "f", &["/y"], &["/x"]);
    check("User-agent: f\nDisallow /x y\n", "f", &["/x"], &[]);
    for key in ["dissallow", "Dissalow", "DISALOW", "diasllow", "disallaw", "Disallows", "disallow-all"] {
        check(&format!("User-agent: f\n{key}: /x\n"), "f", &["/y"], &["/x"]);
    }
    for key in ["useragent", "User Agent", "user-agents"] {
        check(&format!("{key}: f\nDisallow: /x\n"), "f", &["/y"], &["/x"]);
    }
    for key in ["dis-allow", "deny", "noindex", "disalloww", "isallow", "dísallow"] {
        let expected = key == "disalloww";
        assert_eq!(decide(&format!("User-agent: f\n{key}: /x\n"), "f", "/x").0, !expected, "{key}");
    }
    check("User-agent: f\nDisallow\n: /x\nDisallow: /z", "f", &["/x", "/y"], &["/z"]);
}

#[test]
fn any_line_end_will_do() {
    for end in ["\n", "\r", "\r\n"] {
        let robots = ["User-agent: f", "Disallow: /x", "", "Allow: /x/y"].join(end);
        check(&robots, "f", &["/y", "/x/y"], &["/x"]);
        assert_eq!(decide(&robots, "f", "/x/y").1, Some(4), "{end:?}");
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    check("\u{feff}User-agent: f\nDisallow: /x\n", "f", &["/y"], &["/x"]);
    for torn in [&b"\xef\xbbUser-agent: f\nDisallow: /x"[..], b"\xefUser-agent: f\nDisallow: /x"] {
        assert!(!Robots::parse(torn).rules("f").verdict("/x").allowed);
    }
    let wrong = b"\xef\x11\xbbUser-agent: f\nDisallow: /x";
    assert!(Robots::parse(wrong).rules("f").verdict("/x").allowed);
}

#[test]
fn the_index_page_stands_for_its_directory() {
    let robots = "User-agent: f\nAllow: /x/index.html\nDisallow: /\n";
    check(robots, "f", &["/x/", "/x/index.html"], &["/x/index.htm", "/x/other.html", "/x", "/"]);
    check("User-agent: f\nDisallow: /x/index.html\n", "f", &["/x/"], &["/x/index.html"]);
}

#[test]
fn the_file_itself_is_always_allowed() {
    check("User-agent: f\nDisallow: /\n", "f", &["/robots.txt"], &["/robots.txt.bak", "/a/robots.txt"]);
}

#[test]
fn bytes_that_are_no_text_harm_nobody() {
    let robots = Robots::parse(
        b"User-agent: f\nDisallow: /\xff\xfe\n\0\0\nDisallow: /x\nSitemap: http://e.com/\xff\n",
    );
    let rules = robots.rules("f");
    assert!(!rules.verdict("/x").allowed && !rules.verdict("/%FF%FE").allowed && rules.verdict("/y").allowed);
    assert_eq!(robots.sitemaps(), ["http://e.com/\u{fffd}"]);
    check("<!DOCTYPE html>\n<html><body>\n<p>User-agent: no</p>\n</html>", "f", &["/", "/x"], &[]);
}

#[test]
fn only_the_first_500_kib_count() {
    let padding = "#".repeat(1023) + "\n";
    let start = "user-agent: f\ndisallow: /x\n";
    let long = |bytes: usize| {
        let mut text = start.to_owned();
        while text.len() + 1024 < bytes {
            text.push_str(&padding);
        }
        text.push_str(&"#".repeat(bytes - text.len() - 1));
        text.push('\n');
        assert_eq!(text.len(), bytes);
        text
    };
    let last = "disallow: /y\n";
    check(&(long(MOST_BYTES - last.len()) + last), "f", &["/z"], &["/x", "/y"]);
    // The line that crosses the limit is not half read: `disallow: /` would forbid everything.
    let crossing = long(MOST_BYTES - "disallow: /".len()) + "disallow: /y\n";
    check(&crossing, "f", &["/y", "/z"], &["/x"]);
    check(&crossing[..MOST_BYTES], "f", &["/y", "/z"], &["/x"]);
}

#[test]
fn a_line_is_read_only_so_far() {
    let long = format!("user-agent: f\ndisallow: /{}x\nallow: /\n", "a".repeat(20_000));
    let path = format!("/{}", "a".repeat(17_000));
    check(&long, "f", &["/b"], &[&path]);
}

#[test]
fn sitemaps_belong_to_everyone() {
    let robots = Robots::parse(
        b"Sitemap: http://e.com/1.xml\nuser-agent: f\nSITE-MAP: http://e.com/2.xml # two\ndisallow: /\nsitemap:/3.xml\n",
    );
    assert_eq!(robots.sitemaps(), ["http://e.com/1.xml", "http://e.com/2.xml", "/3.xml"]);
    assert!(!robots.rules("f").verdict("/x").allowed);
}

#[test]
fn pace_is_read_per_group() {
    let robots = Robots::parse(
        b"user-agent: *\ncrawl-delay: 2.5\ndisallow: /x\nuser-agent: f\nRequest-rate: 1/10\nrequest-rate: 2/1m\n\
          Crawl-Delay: 7\nVisit-time: 0600-0845\ndisallow:\nuser-agent: f\ncrawl-delay: 3\ncrawl-delay: many\n",
    );
    let everyone = robots.rules("g");
    assert_eq!(everyone.crawl_delay(), Some(Duration::from_millis(2500)));
    assert_eq!((everyone.request_rate(), everyone.visit_times().len()), (None, 0));
    assert_eq!(everyone.next_visit(Timestamp(5)), Timestamp(5));
    let named = robots.rules("f");
    assert_eq!(named.crawl_delay(), Some(Duration::from_secs(7)));
    assert_eq!(named.request_rate(), Some(RequestRate { requests: 2, per: Duration::from_secs(60) }));
    assert_eq!(named.pause(), Some(Duration::from_secs(30)));
    assert_eq!(named.visit_times(), [VisitTime { from: 360, to: 525 }]);
    assert_eq!(named.next_visit(Timestamp(0)), Timestamp(6 * 3_600_000));
    assert!(Robots::parse(b"crawl-delay: 5").rules("f").is_empty());
}

#[test]
fn statuses_mean_what_the_standard_says() {
    let check = |statuses: &[u16], expected| {
        for status in statuses {
            assert_eq!(Reaction::to(*status), expected, "for {status}");
        }
    };
    check(&[200, 204, 206, 299], Reaction::Read);
    check(&[301, 302, 303, 307, 308], Reaction::Follow);
    check(&[400, 401, 403, 404, 410, 451], Reaction::AllowAll);
    check(&[429], Reaction::DenyAll);
    check(&[500, 502, 503, 599, 600, 999, 101], Reaction::DenyAll);
}

/// A robots.txt made to be slow: every pattern almost matches, everywhere.
#[test]
fn hostile_patterns_take_linear_time() {
    let mut robots = "user-agent: *\n".to_owned();
    while robots.len() < MOST_BYTES - 700 {
        robots.push_str("disallow: /");
        robots.push_str(&"*a*aa*".repeat(100));
        robots.push_str("b\n");
    }
    let rules = Robots::parse(robots.as_bytes()).rules("f");
    let path = format!("/{}", "a".repeat(2000));
    let begin = net::ProcessClock::start();
    for _ in 0..20 {
        assert!(rules.verdict(&path).allowed);
    }
    // A backtracking matcher would not be done within the age of the universe.
    assert!(net::Clock::elapsed(&begin) < Duration::from_secs(10), "{:?}", net::Clock::elapsed(&begin));
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes: Vec<u8>, agent in ".*", path in ".*") {
        let robots = Robots::parse(&bytes);
        let _ = robots.rules(&agent).verdict(&path);
    }

    #[test]
    fn any_lines_are_read(
        lines in proptest::collection::vec("(?i)(user-agent|allow|disallow|sitemap|crawl-delay|visit-time|request-rate)[: ]{0,2}[a-z*$/%0-9 ]{0,10}", 0..12),
        path in "/[a-z/%0-9]{0,8}",
    ) {
        let text = lines.join("\n");
        let robots = Robots::parse(text.as_bytes());
        let verdict = robots.rules("a").verdict(&path);
        // A denial always names its line, and that line exists.
        prop_assert!(verdict.allowed || verdict.line.is_some_and(|line| line as usize <= lines.len()));
        // Line ends do not matter.
        let other = Robots::parse(lines.join("\r\n").as_bytes()).rules("a").verdict(&path);
        prop_assert_eq!(verdict, other);
    }
}
