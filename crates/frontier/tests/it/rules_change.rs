//! A crawl that goes on under other rules: what they open is fetched, what they close is not.

use std::time::Duration;

use model::{CrawlSettings, Project};

use crate::driver::{Driver, Finish};
use crate::web::{Answer, FakeWeb, project, url};

/// Starts at `a.web`, which links to itself, to its neighbour `b.web` and to what may be skipped.
fn web() -> FakeWeb {
    let mut web = FakeWeb::default();
    web.page(&url("a.web", ""), &[url("a.web", "1"), url("a.web", "skip"), url("b.web", "")]);
    web.page(&url("a.web", "1"), &[url("a.web", "2")]);
    web.page(&url("a.web", "2"), &[]);
    web.page(&url("a.web", "skip"), &[url("a.web", "skip/more")]);
    web.page(&url("a.web", "skip/more"), &[]);
    web.page(&url("b.web", ""), &[url("b.web", "1")]);
    web.page(&url("b.web", "1"), &[]);
    web
}

fn rules(scope: &str, exclude: &[&str], edit: impl FnOnce(&mut CrawlSettings)) -> Project {
    project(&[url("a.web", "")], |settings| {
        settings.scope = scope.parse().unwrap();
        settings.exclude = exclude.iter().map(|pattern| pattern.parse().unwrap()).collect();
        edit(settings);
    })
}

/// Outcomes by URL without `http://`, one to a line.
fn check(driver: &Driver, expected: &[(&str, &str)]) {
    let known = driver.known();
    let known: Vec<_> = known.iter().map(|(url, (outcome, _))| (url.as_str(), outcome.as_str())).collect();
    let expected: Vec<_> =
        expected.iter().map(|(url, outcome)| (format!("http://{url}"), *outcome)).collect();
    let expected: Vec<_> = expected.iter().map(|(url, outcome)| (url.as_str(), *outcome)).collect();
    assert_eq!(known, expected);
}

#[test]
fn wider_rules_open_what_narrower_ones_refused() {
    let mut driver = Driver::new(web(), rules("host", &["/skip*"], |_| ()), 1);
    assert_eq!(driver.finish(), Finish::Done);
    check(
        &driver,
        &[
            ("a.web/", "fetched"),
            ("a.web/1", "fetched"),
            ("a.web/2", "fetched"),
            ("a.web/skip", "excluded by exclude /skip*"),
            ("b.web/", "off-site"),
        ],
    );
    driver = driver.restart(rules("any", &[], |_| ()), true, Duration::ZERO);
    let before = driver.servers.log.len();
    assert_eq!(driver.finish(), Finish::Done);
    assert_eq!(driver.pages(), 7);
    assert_eq!(driver.servers.log.len() - before, 4, "only what was refused is asked for");
}

#[test]
fn narrower_rules_refuse_what_waits_and_keep_what_was_fetched() {
    let mut driver = Driver::new(web(), rules("any", &[], |settings| settings.max_pages = 1), 1);
    assert!(matches!(driver.finish(), Finish::Reached(_)));
    // The limit holds still: the rules are applied without any fetch.
    let narrow = || rules("host", &["/skip*"], |settings| settings.max_pages = 1);
    driver = driver.restart(narrow(), true, Duration::ZERO);
    driver.commit();
    driver.commit();
    check(
        &driver,
        &[
            ("a.web/", "fetched"),
            ("a.web/1", "waiting"),
            ("a.web/skip", "excluded by exclude /skip*"),
            ("b.web/", "off-site"),
        ],
    );
}

#[test]
fn unchanged_rules_judge_nothing_anew() {
    let mut web = web();
    web.answer(&url("a.web", "1"), Answer::Denied);
    let project = rules("host", &[], |_| ());
    let mut driver = Driver::new(web, project.clone(), 1);
    assert_eq!(driver.finish(), Finish::Done);
    driver = driver.restart(project, false, Duration::ZERO);
    assert!(!driver.frontier.has_to_reconsider(crate::driver::CRAWL));
    assert_eq!(driver.finish(), Finish::Done);
    assert!(driver.order.is_empty(), "what robots.txt denies is not asked for at every start");
}

#[test]
fn another_order_holds_for_what_already_waits() {
    let mut web = FakeWeb::default();
    let at = |name: &str| url("a.web", name);
    web.page(&at("s"), &[at("a"), at("b")]);
    web.page(&at("a"), &[at("c")]);
    for name in ["b", "c"] {
        web.page(&at(name), &[]);
    }
    let ordered = |order: &str, pages| {
        project(&[at("s")], |settings| {
            settings.order = order.parse().unwrap();
            settings.max_pages = pages;
        })
    };
    let mut driver = Driver::new(web, ordered("breadth-first", 2), 1);
    assert_eq!(driver.run_plainly().len(), 2);
    driver = driver.restart(ordered("depth-first", 0), true, Duration::ZERO);
    assert_eq!(driver.run_plainly(), ["http://a.web/c", "http://a.web/b"]);
}

#[test]
fn following_nofollow_opens_what_was_only_recorded() {
    let mut web = FakeWeb::default();
    let links = vec![(url("a.web", "shunned"), false)];
    web.answer(&url("a.web", ""), Answer::Page { bytes: 1, links, fails: 0 });
    web.page(&url("a.web", "shunned"), &[]);
    let mut driver = Driver::new(web, rules("any", &[], |_| ()), 1);
    assert_eq!(driver.finish(), Finish::Done);
    assert_eq!(driver.pages(), 1);
    driver =
        driver.restart(rules("any", &[], |settings| settings.follow_nofollow = true), true, Duration::ZERO);
    assert_eq!(driver.finish(), Finish::Done);
    assert_eq!(driver.pages(), 2);
}

#[test]
fn a_start_url_that_redirects_widens_the_scope() {
    // `other.web` is met as off-site first: the second start links to it before the first one redirects there.
    let mut web = FakeWeb::default();
    web.answer(&url("old.web", ""), Answer::Redirect(url("new.web", "home")));
    web.page(&url("second.web", ""), &[url("new.web", "page")]);
    web.page(&url("new.web", "home"), &[url("new.web", "more")]);
    web.page(&url("new.web", "page"), &[]);
    web.page(&url("new.web", "more"), &[url("else.web", "")]);
    web.page(&url("else.web", ""), &[]);
    web.hosts.get_mut(&url("old.web", "").host()).unwrap().busy = 3;
    let project = project(&[url("old.web", ""), url("second.web", "")], |settings| {
        settings.scope = "host".parse().unwrap();
    });
    let mut driver = Driver::new(web, project.clone(), 1);
    assert_eq!(driver.finish(), Finish::Done);
    let expected = [
        ("else.web/", "off-site"),
        ("new.web/home", "fetched"),
        ("new.web/more", "fetched"),
        ("new.web/page", "fetched"),
        ("old.web/", "redirected to http://new.web/home"),
        ("second.web/", "fetched"),
    ];
    check(&driver, &expected);
    // A new process knows it too, and need not judge anything anew.
    driver = driver.restart(project, false, Duration::ZERO);
    assert!(!driver.frontier.has_to_reconsider(crate::driver::CRAWL));
    assert_eq!(driver.finish(), Finish::Done);
    check(&driver, &expected);
}
