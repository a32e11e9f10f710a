//! What a project's settings come to, in plain words.

use std::time::Duration;

use model::{CrawlSettings, OffTopic, Order, Policy, Project, Rate, Revisit, RobotsMode, Scope};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::preview::{lasting, pace};

/// Hosts named in a sentence.
const NAMED: usize = 3;

/// What a project's settings come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Meaning {
    /// One consequence each.
    pub sentences: Vec<String>,
    /// Which pages are taken.
    pub scope_sentence: String,
    /// Pages at most; none when nothing limits them.
    pub pages_estimate: Option<u64>,
    /// Seconds that they take at most at this pace from one host; none when nothing limits them.
    pub seconds_estimate: Option<u64>,
}

/// What a project's settings come to.
pub fn meaning(project: &Project) -> Meaning {
    let crawl = &project.crawl;
    let pages = pages(project);
    let gap = crawl.rate.map_or(crawl.delay.duration(), Rate::gap);
    let hosts = hosts(project).len().max(1) as u64;
    let by_pages = pages.map(|pages| {
        let in_turn = pages.div_ceil(if matches!(crawl.scope, Scope::Any) { 1 } else { hosts });
        gap.saturating_mul(u32::try_from(in_turn).unwrap_or(u32::MAX)).as_secs()
    });
    let walltime = crawl.walltime.limit().map(|walltime| walltime.as_secs());
    let seconds = match (by_pages, walltime) {
        (Some(pages), Some(walltime)) => Some(pages.min(walltime)),
        (pages, walltime) => pages.or(walltime),
    };
    let mut sentences = vec![limits(crawl, pages), speed(crawl, gap)];
    if let Some(seconds) = seconds.filter(|seconds| *seconds > 0) {
        sentences.push(format!("That takes {} at most, if the site answers quickly.", lasting(seconds)));
    }
    sentences.push(match crawl.robots {
        RobotsMode::Obey => "robots.txt decides what may be asked for, and may slow us down.".to_owned(),
        RobotsMode::Ignore => "robots.txt is ignored: do this on your own sites only.".to_owned(),
    });
    if !crawl.exclude.is_empty() {
        let list: Vec<String> = crawl.exclude.iter().map(ToString::to_string).collect();
        sentences.push(format!("URLs like {} are left out.", list.join(", ")));
    }
    if !crawl.include.is_empty() {
        let list: Vec<String> = crawl.include.iter().map(ToString::to_string).collect();
        sentences.push(format!("Only URLs like {} are taken, and the start pages.", list.join(", ")));
    }
    if let Some(words) = first_come(crawl.order) {
        sentences.push(words.to_owned());
    }
    if !crawl.topic.is_empty() || !crawl.topic_examples.is_empty() {
        let marked = if crawl.off_topic == OffTopic::Mark {
            "; pages off topic are left out of the search"
        } else {
            ""
        };
        sentences.push(format!("Pages are judged by the topic{marked}."));
    }
    sentences.extend(revisits(crawl));
    if let Some(fields) = &project.fields {
        let names: Vec<&str> = fields.pages.iter().map(|page| page.name.as_str()).collect();
        sentences.push(format!("Rows are read from pages of type {}.", names.join(", ")));
    } else {
        sentences.push("No rows are read; pages are kept and can be searched.".to_owned());
    }
    if crawl.allow_private {
        sentences.push("Addresses of this machine and its network may be asked.".to_owned());
    }
    if crawl.accept_invalid_tls {
        sentences.push("Certificates are not checked: nobody proves who answers.".to_owned());
    }
    Meaning { sentences, scope_sentence: scope(project), pages_estimate: pages, seconds_estimate: seconds }
}

/// Pages that the settings allow.
fn pages(project: &Project) -> Option<u64> {
    let crawl = &project.crawl;
    let limit = |limit: u64| Some(limit).filter(|limit| *limit > 0);
    let listed = (crawl.scope == Scope::List && crawl.sitemaps.is_empty() && crawl.feeds.is_empty())
        .then_some(project.start.len() as u64);
    let per_host = limit(crawl.max_pages_per_host)
        .filter(|_| matches!(crawl.scope, Scope::Host | Scope::Prefix))
        .map(|most| most.saturating_mul(hosts(project).len() as u64));
    [limit(crawl.max_pages), listed, per_host].into_iter().flatten().min()
}

fn limits(crawl: &CrawlSettings, pages: Option<u64>) -> String {
    let mut ends = Vec::new();
    if let Some(pages) = pages {
        ends.push(if pages == 1 { "1 page".to_owned() } else { format!("{pages} pages") });
    }
    if crawl.max_rows > 0 {
        ends.push(format!("{} rows", crawl.max_rows));
    }
    if crawl.max_bytes.limit().is_some() {
        ends.push(crawl.max_bytes.to_string());
    }
    if let Some(walltime) = crawl.walltime.limit() {
        ends.push(lasting(walltime.as_secs()));
    }
    match ends.is_empty() {
        true => "It ends when no page is left; nothing else limits it.".to_owned(),
        false => format!("It ends when no page is left, at the latest after {}.", ends.join(" or ")),
    }
}

fn speed(crawl: &CrawlSettings, gap: Duration) -> String {
    let adapts = if crawl.rate.is_none() && crawl.delay_factor > 0 && !gap.is_zero() {
        format!(
            "; a slow host rests {} times as long as its answer took, {} at most",
            crawl.delay_factor,
            lasting(crawl.max_earned_delay.duration().as_secs())
        )
    } else {
        String::new()
    };
    format!("Each host is asked at {}{adapts}; up to {} hosts at once.", pace(gap), crawl.connections)
}

fn scope(project: &Project) -> String {
    let crawl = &project.crawl;
    let hosts = hosts(project);
    let mut names = hosts.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if hosts.len() > NAMED {
        names.push_str(&format!(" and {} more", hosts.len() - NAMED));
    }
    let mut sentence = match &crawl.scope {
        Scope::Host => format!("Follow links on {names}"),
        Scope::Domain => format!("Follow links on {names} and all hosts of the same domains"),
        Scope::Prefix => format!("Follow links below the start pages on {names}"),
        Scope::Suffix(suffix) => format!("Follow links on {suffix} and hosts below it"),
        Scope::List => match project.start.len() {
            1 => "Fetch the start page only".to_owned(),
            many => format!("Fetch the {many} start pages only"),
        },
        Scope::Any => format!("Follow links from {names} to any host"),
    };
    if crawl.max_depth > 0 && crawl.scope != Scope::List {
        let links = if crawl.max_depth == 1 { "link" } else { "links" };
        sentence.push_str(&format!(", up to {} {links} from the start", crawl.max_depth));
    }
    sentence + "."
}

fn hosts(project: &Project) -> Vec<String> {
    let mut hosts: Vec<String> = project.start.iter().map(|url| url.host().to_string()).collect();
    hosts.sort();
    hosts.dedup();
    hosts
}

/// Which pages come first, where that is not the nearest.
fn first_come(order: Order) -> Option<&'static str> {
    let mut terms = order.terms();
    let (Some((_, policy)), None) = (terms.next(), terms.next()) else {
        return Some("What comes first is decided by several orders together.");
    };
    match policy {
        Policy::BreadthFirst => None,
        Policy::DepthFirst => Some("Pages far from the start come first."),
        Policy::Backlink => Some("Pages that most known pages link to come first."),
        Policy::PageRank => Some("Pages that links make most important come first."),
        Policy::ForwardLink => Some("Pages of hosts with many links come first."),
        Policy::Location => Some("Pages with short addresses come first."),
        Policy::PValue => Some("Pages with many links on them and few to them come first."),
        Policy::Relevance => Some("Pages found on relevant pages come first."),
        Policy::Topic => Some("Pages that relevant pages and links lead to come first."),
        Policy::TimedBreadthFirst => Some("No page is begun that would end too late."),
        Policy::Opic => Some("Pages to which fetched pages hand on most come first."),
        Policy::Random => Some("Pages come in no order."),
    }
}

/// What a refresh will do; nothing is said of asking for all pages.
fn revisits(crawl: &CrawlSettings) -> Option<String> {
    let span = |span: model::Span| lasting(span.duration().as_secs().max(1));
    let (least, most) = (span(crawl.revisit_min), span(crawl.revisit_max.max(crawl.revisit_min)));
    Some(match crawl.revisit {
        Revisit::All => return None,
        Revisit::Off => "A refresh fetches only what is new.".to_owned(),
        Revisit::Fixed => format!("A refresh asks for each page again after {}.", span(crawl.revisit_every)),
        Revisit::Adaptive => format!(
            "A refresh asks for a page the sooner the more often it changes: {least} to {most} after the last time."
        ),
        Revisit::Optimal => format!(
            "Refreshes spend up to {} fetches a day where they keep most pages fresh: a page that never changes is \
             asked for every {most}, none more often than every {least}.",
            crawl.revisit_budget
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(crawl: &str, scope: &str, pages: Option<u64>, seconds: Option<u64>, says: &str) {
        let file = format!("version: 1\nproject: shop\nstart: [http://shop.test/a]\ncrawl: {crawl}\n");
        let meaning = meaning(&Project::parse(&file, "shop").unwrap());
        assert_eq!(meaning.scope_sentence, scope);
        assert_eq!((meaning.pages_estimate, meaning.seconds_estimate), (pages, seconds));
        assert!(meaning.sentences.iter().any(|sentence| sentence.contains(says)), "{meaning:?}");
    }

    #[test]
    fn settings_are_told_in_words() {
        check("{}", "Follow links on shop.test.", None, None, "nothing else limits it");
        let scope = "Follow links on shop.test.";
        check("{duplicates: off, revisit: off}", scope, None, None, "only what is new");
        check("{revisit: fixed, revisit_every: 2d}", scope, None, None, "each page again after");
        check("{revisit: adaptive}", scope, None, None, "the more often it changes");
        let swapped = "{revisit: adaptive, revisit_min: 40d, revisit_max: 30d}";
        check(swapped, scope, None, None, "40 days to 40 days after");
        check("{revisit: optimal, revisit_budget: 50}", scope, None, None, "up to 50 fetches a day");
        check(
            "{max_pages: 120, rate: 2/s, max_depth: 5}",
            "Follow links on shop.test, up to 5 links from the start.",
            Some(120),
            Some(60),
            "at 2 requests/s",
        );
        check(
            "{scope: list, rate: unlimited}",
            "Fetch the start page only.",
            Some(1),
            Some(0),
            "as fast as it answers",
        );
        check("{walltime: 1h, robots: ignore}", "Follow links on shop.test.", None, Some(3_600), "ignored");
        check(
            "{exclude: [/calendar/*]}",
            "Follow links on shop.test.",
            None,
            None,
            "/calendar/* are left out",
        );
    }
}
