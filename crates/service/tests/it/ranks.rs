//! `rank` and `graph`.

use service::{GraphLink, GraphRequest, LinkWeights, LinksOf, RankBy, RankRequest, RankRow, Request};

use crate::site::{NOW, Site};

fn ranked(site: &Site, request: RankRequest) -> Vec<RankRow> {
    let rows = site.ask(&Request::Rank(request)).unwrap();
    rows.into_iter().map(|row| serde_json::from_value(row).unwrap()).collect()
}

fn links(site: &Site, links: LinksOf) -> Vec<GraphLink> {
    let request = Request::Graph(GraphRequest { links, ..GraphRequest::default() });
    let rows = site.ask(&request).unwrap();
    rows.into_iter().map(|row| serde_json::from_value(row).unwrap()).collect()
}

#[test]
fn pages_are_ranked_with_the_links_that_bring_them_most() {
    let site = Site::crawled();
    let rows = ranked(&site, RankRequest { limit: Some(100), ..RankRequest::default() });
    let (Some(RankRow::Graph { pages, links, .. }), rows) = (rows.last(), &rows[..rows.len() - 1]) else {
        panic!("{rows:?}")
    };
    assert_eq!((*pages, *links, rows.len()), (12, 10, 12));
    let sum: f64 =
        rows.iter().map(|row| if let RankRow::Ranked { rank, .. } = row { *rank } else { 0.0 }).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    let RankRow::Ranked { id, place, best, .. } = &rows[0] else { panic!("{rows:?}") };
    assert_eq!((id.as_str(), *place), ("http://shop.test/gone", 1));
    let best: Vec<(&str, &str)> =
        best.iter().map(|link| (link.source.as_str(), link.anchor.as_str())).collect();
    assert_eq!(best, [("http://shop.test/b", "Lost again"), ("http://shop.test/", "Lost")]);
    assert!(site.path().join("ranks").join(format!("{:05}", site.crawl.0)).exists());
}

#[test]
fn other_weights_show_what_moves() {
    let site = Site::crawled();
    let weights = Some(LinkWeights { distance: [0.0, 3.0, 5.0], ..LinkWeights::default() });
    let rows = ranked(&site, RankRequest { weights, ..RankRequest::default() });
    // All links stay on one host, so that none is left.
    let RankRow::Ranked { rank, rank_before: Some(before), place_before: Some(1), .. } = &rows[0] else {
        panic!("{rows:?}")
    };
    assert!((rank - 1.0 / 12.0).abs() < 1e-9 && before > rank, "{before} to {rank}");
    let wrong = LinkWeights { nofollow: -1.0, ..LinkWeights::default() };
    let request = RankRequest { weights: Some(wrong), ..RankRequest::default() };
    assert!(site.ask(&Request::Rank(request)).is_err());
}

#[test]
fn hosts_are_ranked_and_trust_spreads() {
    let site = Site::crawled();
    let rows = ranked(&site, RankRequest { by: RankBy::Hosts, ..RankRequest::default() });
    let RankRow::Ranked { id, .. } = &rows[0] else { panic!("{rows:?}") };
    assert_eq!(id, "other.test", "only it has links from another host");
    let trusted = vec!["http://shop.test/b".to_owned()];
    let rows = ranked(&site, RankRequest { trusted, limit: Some(100), ..RankRequest::default() });
    let with_trust = |row: &&RankRow| matches!(row, RankRow::Ranked { rank, .. } if *rank > 0.0);
    assert_eq!(rows.iter().filter(with_trust).count(), 2);
}

#[test]
fn other_weights_show_which_hosts_move() {
    let site = Site::crawled();
    let weights = Some(LinkWeights { distance: [0.0, 3.0, 5.0], ..LinkWeights::default() });
    let rows = ranked(&site, RankRequest { by: RankBy::Hosts, weights, ..RankRequest::default() });
    // By its looks every link stays on one host, so that none is left.
    let RankRow::Ranked { rank, rank_before: Some(before), place_before: Some(_), .. } = &rows[0] else {
        panic!("{rows:?}")
    };
    assert!((rank - 0.5).abs() < 1e-9 && (before - rank).abs() > 0.1, "{before} to {rank}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let site = Site::crawled();
    let (by_hour, trusted) = (Some(1), vec!["shop.test".to_owned()]);
    let usual = RankRequest::default();
    for (request, words) in [
        (
            RankRequest { by_hour, limit: Some(3), ..usual.clone() },
            "leave out by, trusted, weights and limit",
        ),
        (RankRequest { by_hour, by: RankBy::Hosts, ..usual.clone() }, "ranks by hour"),
        (RankRequest { by_hour, trusted: trusted.clone(), ..usual.clone() }, "ranks by hour"),
        (RankRequest { by_hour, weights: Some(LinkWeights::default()), ..usual.clone() }, "ranks by hour"),
        (RankRequest { by: RankBy::Harmonic, trusted, ..usual }, "harmonic centrality has no trusted pages"),
    ] {
        let refused = site.ask(&Request::Rank(request)).unwrap_err().to_string();
        assert!(refused.contains(words), "{refused}");
    }
}

#[test]
fn what_is_trusted_and_not_known_is_told_and_refused_only_where_it_is_all() {
    let site = Site::crawled();
    let request = |names: &[&str], by| RankRequest {
        trusted: names.iter().map(|name| (*name).to_owned()).collect(),
        by,
        limit: Some(100),
        ..RankRequest::default()
    };
    for by in [RankBy::Pages, RankBy::Hosts] {
        let names = ["shop.test", "nowhere.test", "http://shop.test/never", "shop.test"];
        let mixed = ranked(&site, request(&names, by));
        let mut alone = ranked(&site, request(&["shop.test"], by));
        let Some(RankRow::Graph { unknown: None, .. }) = alone.pop() else { panic!("{alone:?}") };
        let (Some(RankRow::Graph { unknown: Some(unknown), .. }), rest) =
            (mixed.last(), &mixed[..mixed.len() - 1])
        else {
            panic!("{mixed:?}")
        };
        assert_eq!(rest, alone, "the known ones are trusted");
        assert_eq!((unknown.count, unknown.of), (2, 4));
        assert_eq!(unknown.first, ["nowhere.test", "http://shop.test/never"]);
        let refused = site.ask(&Request::Rank(request(&names[1..3], by))).unwrap_err().to_string();
        assert!(refused.contains("nowhere.test, http://shop.test/never"), "{refused}");
    }
}

#[test]
fn the_links_of_a_url_have_their_words() {
    let site = Site::crawled();
    let mut to = links(&site, LinksOf::To("HTTP://shop.test/gone".to_owned()));
    to.sort_by(|a, b| a.source.as_str().cmp(b.source.as_str()));
    let said: Vec<(&str, &str)> =
        to.iter().map(|link| (link.source.as_str(), link.anchor.as_str())).collect();
    assert_eq!(said, [("http://shop.test/", "Lost"), ("http://shop.test/b", "Lost again")]);
    let from = links(&site, LinksOf::From("http://shop.test/a".to_owned()));
    let said: Vec<(&str, f32)> = from.iter().map(|link| (link.target.as_str(), link.weight)).collect();
    assert_eq!(said, [("http://shop.test/", 1.0), ("http://shop.test/a", 1.0)]);
    assert_eq!(links(&site, LinksOf::All).len(), 11);
    assert!(links(&site, LinksOf::To("http://shop.test/never".to_owned())).is_empty());
}

#[test]
fn the_mean_rank_of_each_hour_of_a_run_is_told() {
    let site = Site::crawled();
    let catalog = site.data().catalog();
    let entry = site.data().project(None).unwrap();
    let run = site.runtime.block_on(catalog.begin_run(entry.id, &entry.project.crawl, NOW)).unwrap();
    let request = Request::Rank(RankRequest { by_hour: Some(run.0), ..RankRequest::default() });
    let mut hours = Vec::new();
    let later = model::Timestamp(NOW.0 + 24 * 3_600_000);
    service::answer(site.data(), &request, later, &mut |row| {
        if let Ok(RankRow::Hour { hour, pages, mean }) = serde_json::from_value(row) {
            hours.push((hour, pages, mean));
        }
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    assert!(
        !hours.is_empty() && hours.iter().all(|(hour, pages, mean)| *hour >= 1 && *pages > 0 && *mean > 0.0)
    );
    let unknown = Request::Rank(RankRequest { by_hour: Some(99), ..RankRequest::default() });
    assert!(site.ask(&unknown).is_err());
}
