//! What came of a simulation, for people and programs: a verdict in words, tables (CSV), plots.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::{Download, Line, Outcome, Picture, SimWeb, plot};

/// The order that no crawl can have.
const BEST: &str = "best possible";

/// The parts of the pages that orders are compared by.
const PARTS: [&str; 3] = ["tenth", "quarter", "half"];

/// Up to so many times as much is as good as the same; what is shown as 1.0 times says nothing.
const HARDLY: f64 = 1.05;

/// A plot, with the name of its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// `mass.svg`.
    pub name: String,
    /// The picture.
    pub svg: String,
}

/// An order over all Webs: means, and how far the Webs lie apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The order.
    pub order: String,
    /// Webs.
    pub webs: usize,
    /// Share of PageRank after the first tenth, quarter and half of the pages, and in the end: mean and spread.
    pub mass: [(f64, f64); 4],
    /// Pages on topic among the same.
    pub relevant: Option<[(f64, f64); 4]>,
    /// Share of the pages that are at the end as they were fetched.
    #[serde(default)]
    pub fresh: Option<(f64, f64)>,
    /// Simulated seconds.
    pub seconds: (f64, f64),
    /// Pages in a simulated second; none where it took no time.
    #[serde(default)]
    pub pages_per_second: Option<(f64, f64)>,
    /// Pages fetched.
    pub pages: (f64, f64),
}

/// Each order over all Webs, in the order of the scenario.
pub fn means(outcomes: &[Outcome]) -> Vec<Mean> {
    let mut names: Vec<&str> = Vec::new();
    for outcome in outcomes {
        if !names.contains(&outcome.order.as_str()) {
            names.push(&outcome.order);
        }
    }
    let mean_of = |name: &str| {
        let of: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.order == name).collect();
        let spread = |value: &dyn Fn(&Outcome) -> f64| {
            mean_and_spread(&of.iter().map(|outcome| value(outcome)).collect::<Vec<_>>())
        };
        let relevant =
            |at: usize| spread(&|outcome| outcome.relevant.map_or(0.0, |relevant| relevant[at] as f64));
        Mean {
            order: name.to_owned(),
            webs: of.len(),
            mass: [0, 1, 2, 3].map(|at| spread(&|outcome| outcome.mass[at])),
            relevant: of.iter().all(|outcome| outcome.relevant.is_some()).then(|| [0, 1, 2, 3].map(relevant)),
            fresh: (of.iter().all(|outcome| outcome.fresh.is_some()))
                .then(|| spread(&|outcome| outcome.fresh.unwrap_or(0.0))),
            seconds: spread(&|outcome| outcome.seconds),
            pages_per_second: (of.iter().all(|outcome| outcome.pages_per_second.is_some()))
                .then(|| spread(&|outcome| outcome.pages_per_second.unwrap_or(0.0))),
            pages: spread(&|outcome| outcome.pages as f64),
        }
    };
    names.into_iter().map(mean_of).collect()
}

/// What to take from it, in plain words.
pub fn verdict(outcomes: &[Outcome]) -> String {
    let means = means(outcomes);
    let best = means.iter().find(|mean| mean.order == BEST);
    let mut orders: Vec<&Mean> = means.iter().filter(|mean| mean.order != BEST).collect();
    if orders.is_empty() {
        return "Nothing was simulated.".to_owned();
    }
    let mut words = String::new();
    // The first part of the pages in which orders differ says most.
    let differ = |at: &usize| {
        let mass = || orders.iter().map(|mean| mean.mass[*at].0);
        mass().fold(0.0, f64::max) >= HARDLY * mass().fold(f64::MAX, f64::min)
    };
    let part = (0..PARTS.len()).find(differ).unwrap_or(0);
    let mass = |mean: &Mean| mean.mass[part].0;
    orders.sort_by(|a, b| mass(b).total_cmp(&mass(a)));
    let (first, last) = (orders[0], orders[orders.len() - 1]);
    let _ = write!(
        words,
        "{} brings important pages soonest: {:.0} % of all PageRank with the first {} of the pages",
        first.order,
        100.0 * mass(first),
        PARTS[part]
    );
    if let Some(best) = best.filter(|best| mass(best) > 0.0) {
        let _ = write!(words, ", {:.0} % of what is possible", 100.0 * mass(first) / mass(best));
    }
    if orders.len() > 1 && mass(last) > 0.0 {
        let times = mass(first) / mass(last);
        let _ = match times < HARDLY {
            true => write!(words, "; it hardly matters, {} brings as much", last.order),
            false => write!(words, "; {times:.1} times as much as {}", last.order),
        };
    }
    words.push('.');
    if means.iter().all(|mean| mean.relevant.is_some()) {
        let relevant = |mean: &Mean, at: usize| mean.relevant.map_or(0.0, |relevant| relevant[at].0);
        let any = |at: &usize| orders.iter().any(|mean| relevant(mean, *at) > 0.0);
        let part = (0..PARTS.len()).find(any).unwrap_or(0);
        let harvest = |mean: &Mean| relevant(mean, part);
        orders.sort_by(|a, b| harvest(b).total_cmp(&harvest(a)));
        let (first, last) = (orders[0], orders[orders.len() - 1]);
        let _ = write!(
            words,
            " {} finds most on the topic: {} in the first {}",
            first.order,
            pages(harvest(first)),
            PARTS[part]
        );
        if orders.len() > 1 && harvest(last) > 0.0 {
            let times = harvest(first) / harvest(last);
            let _ = match times < HARDLY {
                true => write!(words, ", hardly more than {}", last.order),
                false => write!(words, ", {times:.1} times as many as {}", last.order),
            };
        }
        words.push('.');
    }
    let quickest = means.iter().filter(|mean| mean.order != BEST && mean.seconds.0 > 0.0);
    if let Some(quickest) = quickest.min_by(|a, b| a.seconds.0.total_cmp(&b.seconds.0)) {
        let _ = write!(
            words,
            " {} in {} of simulated time.",
            pages(quickest.pages.0),
            lasting(quickest.seconds.0)
        );
    }
    let fresh = |mean: &&Mean| mean.fresh.map(|(share, _)| share);
    let freshest = orders.iter().max_by(|a, b| fresh(a).unwrap_or(0.0).total_cmp(&fresh(b).unwrap_or(0.0)));
    if let Some((freshest, share)) = freshest.and_then(|mean| Some((mean, fresh(mean)?))) {
        let _ = write!(
            words,
            " At its end {:.0} % are as they were fetched ({}).",
            100.0 * share,
            freshest.order
        );
    }
    words
}

/// One line for each order and Web.
pub fn table_csv(outcomes: &[Outcome]) -> String {
    let mut csv = String::from(
        "order,seed,pages,mass_10,mass_25,mass_50,mass_all,relevant_10,relevant_25,relevant_50,relevant_all,seconds,pages_per_second,fresh\n",
    );
    for outcome in outcomes {
        let seed = outcome.seed.map(|seed| seed.to_string()).unwrap_or_default();
        let mass = outcome.mass.map(|mass| format!("{mass:.6}")).join(",");
        let relevant = match outcome.relevant {
            Some(relevant) => relevant.map(|pages| pages.to_string()).join(","),
            None => ",,,".to_owned(),
        };
        let speed = outcome.pages_per_second.map(|speed| format!("{speed:.3}")).unwrap_or_default();
        let fresh = outcome.fresh.map(|share| format!("{share:.6}")).unwrap_or_default();
        let _ = writeln!(
            csv,
            "{},{seed},{},{mass},{relevant},{:.3},{speed},{fresh}",
            quoted(&outcome.order),
            outcome.pages,
            outcome.seconds
        );
    }
    csv
}

/// The way of each order on each Web.
pub fn curves_csv(outcomes: &[Outcome]) -> String {
    let mut csv = String::from("order,seed,pages,seconds,mass,relevant\n");
    for outcome in outcomes {
        let seed = outcome.seed.map(|seed| seed.to_string()).unwrap_or_default();
        for point in &outcome.curve {
            let _ = writeln!(
                csv,
                "{},{seed},{},{:.3},{:.6},{}",
                quoted(&outcome.order),
                point.pages,
                point.seconds,
                point.mass,
                point.relevant
            );
        }
    }
    csv
}

/// The mean PageRank of the pages of each hour, that of all being 1.
pub fn hours_csv(outcomes: &[Outcome]) -> String {
    let mut csv = String::from("order,seed,hour,pages,mean_rank\n");
    for outcome in outcomes.iter().filter(|outcome| outcome.order != BEST) {
        let seed = outcome.seed.map(|seed| seed.to_string()).unwrap_or_default();
        for (hour, (pages, mean)) in (1..).zip(&outcome.hourly) {
            let _ = writeln!(csv, "{},{seed},{hour},{pages},{mean:.4}", quoted(&outcome.order));
        }
    }
    csv
}

/// Pages that each worker fetched.
pub fn load_csv(outcomes: &[Outcome]) -> String {
    let mut csv = String::from("order,seed,worker,pages\n");
    for outcome in outcomes.iter().filter(|outcome| outcome.order != BEST) {
        let seed = outcome.seed.map(|seed| seed.to_string()).unwrap_or_default();
        for (worker, pages) in (1..).zip(&outcome.load) {
            let _ = writeln!(csv, "{},{seed},{worker},{pages}", quoted(&outcome.order));
        }
    }
    csv
}

/// The head of the list of downloads.
pub const DOWNLOADS_HEAD: &str = "order,seed,place,page,url,seconds,worker,rank\n";

/// Downloads that are written down at once.
const AT_ONCE: usize = 1_000;

/// The downloads of one order on one Web, handed over a thousand lines at a time.
pub fn downloads_csv(
    outcome: &Outcome,
    web: &SimWeb,
    downloads: &[Download],
    ranks: &[f64],
    each: &mut dyn FnMut(String),
) {
    let seed = outcome.seed.map(|seed| seed.to_string()).unwrap_or_default();
    let mut places = 1..;
    for downloads in downloads.chunks(AT_ONCE) {
        let mut csv = String::new();
        for (done, place) in downloads.iter().zip(&mut places) {
            let rank = ranks.get(done.page as usize).copied().unwrap_or(0.0) * ranks.len() as f64;
            let _ = writeln!(
                csv,
                "{},{seed},{place},{},{},{:.3},{},{rank:.4}",
                quoted(&outcome.order),
                done.page,
                quoted(&web.label(done.page)),
                done.millis as f64 / 1e3,
                done.worker
            );
        }
        each(csv);
    }
}

/// The plots as lines (SVG).
pub fn plots(outcomes: &[Outcome]) -> Vec<Plot> {
    let plot = |(name, picture): (&str, Picture)| Plot { name: format!("{name}.svg"), svg: picture.svg() };
    pictures(outcomes).into_iter().map(plot).collect()
}

/// The names of all plots; those on a topic and of several workers are there where these are.
pub const PICTURES: [&str; 7] =
    ["mass", "mass-by-time", "pages-by-time", "order-of-download", "rank-by-hour", "relevant", "load"];

/// The plots by name: of the first Web, all orders.
pub fn pictures(outcomes: &[Outcome]) -> Vec<(&'static str, Picture)> {
    let first = outcomes.first().and_then(|outcome| outcome.seed);
    let shown: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.seed == first).collect();
    let timed: Vec<&Outcome> = shown.iter().copied().filter(|outcome| outcome.order != BEST).collect();
    let lines = |of: &[&Outcome], points: &dyn Fn(&Outcome) -> Vec<(f64, f64)>| {
        let colour = |order: &str| shown.iter().position(|outcome| outcome.order == order).unwrap_or(0);
        let line = |outcome: &&Outcome| Line {
            name: outcome.order.clone(),
            points: points(outcome),
            colour: colour(&outcome.order),
        };
        of.iter().map(line).collect::<Vec<Line>>()
    };
    let by_pages = lines(&shown, &|outcome| of_curve(outcome, |point| (point.pages as f64, point.mass)));
    let by_time = lines(&timed, &|outcome| of_curve(outcome, |point| (point.seconds / 3_600.0, point.mass)));
    let pages_by_time =
        lines(&timed, &|outcome| of_curve(outcome, |point| (point.seconds / 3_600.0, point.pages as f64)));
    let by_place = lines(&shown, &|outcome| {
        let steps = outcome.curve.windows(2).filter(|pair| pair[1].pages > pair[0].pages);
        let mean = |pair: &[crate::Point]| {
            (pair[1].mass - pair[0].mass) * outcome.known as f64 / (pair[1].pages - pair[0].pages) as f64
        };
        steps.map(|pair| (pair[1].pages as f64, mean(pair))).collect()
    });
    let by_hour = lines(&timed, &|outcome| {
        let hours = outcome.hourly.iter().enumerate().filter(|(_, (pages, _))| *pages > 0);
        hours.map(|(hour, (_, mean))| (hour as f64 + 1.0, *mean)).collect()
    });
    let share = "share of all PageRank";
    let mut pictures = vec![
        ("mass", plot("PageRank gathered", "pages", share, &by_pages)),
        ("mass-by-time", plot("PageRank gathered by time", "simulated hours", share, &by_time)),
        ("pages-by-time", plot("Pages fetched by time", "simulated hours", "pages", &pages_by_time)),
        (
            "order-of-download",
            plot("PageRank in the order of download (mean of all: 1)", "place", "mean PageRank", &by_place),
        ),
        (
            "rank-by-hour",
            plot(
                "Mean PageRank of the pages of each hour (mean of all: 1)",
                "hour",
                "mean PageRank",
                &by_hour,
            ),
        ),
    ];
    if shown.iter().any(|outcome| outcome.relevant.is_some()) {
        let lines =
            lines(&shown, &|outcome| of_curve(outcome, |point| (point.pages as f64, point.relevant as f64)));
        pictures.push(("relevant", plot("Pages on topic", "pages", "pages on topic", &lines)));
    }
    if timed.iter().any(|outcome| outcome.load.len() > 1) {
        let lines = lines(&timed, &|outcome| {
            (1..).zip(&outcome.load).map(|(worker, pages)| (f64::from(worker), *pages as f64)).collect()
        });
        pictures.push(("load", plot("Pages by worker", "worker", "pages", &lines)));
    }
    pictures
}

fn of_curve(outcome: &Outcome, point: impl Fn(&crate::Point) -> (f64, f64)) -> Vec<(f64, f64)> {
    outcome.curve.iter().map(point).collect()
}

/// `1 page`, `2 pages`.
fn pages(count: f64) -> String {
    let is_one = (0.5..1.5).contains(&count);
    format!("{count:.0} page{}", if is_one { "" } else { "s" })
}

/// A time as people say it.
pub fn lasting(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7_200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3_600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

fn mean_and_spread(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    (mean, square.sqrt())
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    fn outcomes() -> Vec<Outcome> {
        let text = "web: {generated: {pages: 2000, topic: 0.1}}\norders: [breadth-first, pagerank, topic]\nseeds: [1, 2]\nrate: unlimited\n";
        let mut outcomes = Vec::new();
        let scenario = Scenario::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let ran = scenario.run(&mut |outcome, _, _, _| outcomes.push(outcome.clone()));
        ran.unwrap_or_else(|error| panic!("{error}"));
        outcomes
    }

    #[test]
    fn the_same_simulation_is_reported_in_the_same_bytes() {
        let (one, other) = (outcomes(), outcomes());
        assert_eq!(table_csv(&one), table_csv(&other));
        assert_eq!(curves_csv(&one), curves_csv(&other));
        assert_eq!(plots(&one), plots(&other));
        assert_eq!(verdict(&one), verdict(&other));
        assert_eq!(table_csv(&one).lines().count(), 1 + 2 * 4);
        // 2,000 pages, a tenth of a second each: within the first hour, by the only worker.
        assert_eq!(
            hours_csv(&one).lines().nth(1).map(|line| line.starts_with("breadth-first,1,1,2000,")),
            Some(true)
        );
        assert_eq!(load_csv(&one).lines().nth(1), Some("breadth-first,1,1,2000"));
        assert!(pictures(&one).iter().all(|(name, _)| PICTURES.contains(name)));
        assert!(plots(&one).iter().all(|plot| plot.svg.ends_with("</svg>\n")));
    }

    #[test]
    fn the_verdict_names_who_is_best_and_by_how_much() {
        let words = verdict(&outcomes());
        assert!(words.starts_with("pagerank brings important pages soonest: "), "{words}");
        assert!(words.contains("topic finds most on the topic: ") && words.contains("times as"), "{words}");
        assert_eq!(verdict(&[]), "Nothing was simulated.");
    }

    #[test]
    fn means_have_their_spread() {
        assert_eq!(mean_and_spread(&[1.0, 3.0]), (2.0, 2.0f64.sqrt()));
        assert_eq!(mean_and_spread(&[5.0]), (5.0, 0.0));
        let means = means(&outcomes());
        assert_eq!(means.iter().map(|mean| mean.webs).collect::<Vec<_>>(), [2; 4]);
        // One worker, a tenth of a second a page; the best possible order takes no time.
        let speeds: Vec<Option<String>> =
            means.iter().map(|mean| mean.pages_per_second.map(|(speed, _)| format!("{speed:.1}"))).collect();
        let each = Some("10.0".to_owned());
        assert_eq!(speeds, [None, each.clone(), each.clone(), each]);
    }

    #[test]
    fn downloads_are_numbered_on_from_one_part_to_the_next() {
        let web = crate::PowerLaw { pages: 2_500, ..crate::PowerLaw::default() }.web();
        let downloads: Vec<Download> =
            (0..2_500).map(|page| Download { page, millis: 0, worker: 0 }).collect();
        let mut parts = Vec::new();
        downloads_csv(&outcomes()[1], &web, &downloads, &[], &mut |part| parts.push(part));
        let lines: Vec<usize> = parts.iter().map(|part| part.lines().count()).collect();
        assert_eq!(lines, [1_000, 1_000, 500]);
        assert_eq!(
            parts.concat().lines().last(),
            Some("breadth-first,1,2500,2499,http://h0.test/2499,0.000,0,0.0000")
        );
    }
}
