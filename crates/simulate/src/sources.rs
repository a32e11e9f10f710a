//! A Web from a list of edges, and what Webs with URLs share.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use model::{HostKey, PageUrl};

use crate::web::Look;
use crate::{SimWeb, SimulateError};

/// A Web of a list of edges; crawls begin at these names, or at the first. Where all names are URLs the pages have
/// them, else all are on one host. Links weigh what the list says.
pub fn of_edges(path: &Path, start: &[String]) -> Result<SimWeb, SimulateError> {
    let list = graph::read_edge_list(BufReader::new(open(path)?), 256 << 20)?;
    let mut links = vec![Vec::new(); list.names.len()];
    let mut weights = vec![Vec::new(); list.names.len()];
    for target in 0..list.graph.pages() {
        for (source, weight) in list.graph.in_links(target) {
            links[source as usize].push(target);
            weights[source as usize].push(weight);
        }
    }
    let urls: Option<Vec<PageUrl>> = list.names.iter().map(|name| PageUrl::parse(name).ok()).collect();
    let hosts = urls.as_ref().map_or_else(|| vec![0; links.len()], |urls| numbered_hosts(urls));
    let mut web = SimWeb::new(&links, hosts);
    if let Some(urls) = urls {
        web.name(urls);
    }
    web.names = list.names;
    if weights.iter().flatten().any(|weight| *weight != 1.0) {
        let look = |weight: u8| Look { weight, ..Look::default() };
        web.looks = weights.iter().flat_map(|weights| in_steps(weights)).map(look).collect();
        web.weights = weights.concat();
    }
    web.begin_at(start)?;
    Ok(web)
}

/// The weights of a page's links in the steps that orders know, 1 to 255: as they are where they are such steps, else
/// in proportion to the largest, no less than one.
fn in_steps(weights: &[f32]) -> Vec<u8> {
    let most = weights.iter().copied().fold(0.0, f32::max);
    let are_steps = weights.iter().all(|weight| (1.0..=255.0).contains(weight) && weight.fract() == 0.0);
    let scale = if are_steps { 1.0 } else { 255.0 / most };
    weights.iter().map(|weight| (weight * scale).round().clamp(1.0, 255.0) as u8).collect()
}

/// The hosts of URLs, by number.
pub(crate) fn numbered_hosts(urls: &[PageUrl]) -> Vec<u32> {
    let mut numbers: HashMap<HostKey, u32> = HashMap::new();
    urls.iter()
        .map(|url| {
            let next = numbers.len() as u32;
            *numbers.entry(HostKey::of(&url.host())).or_insert(next)
        })
        .collect()
}

pub(crate) fn open(path: &Path) -> Result<File, SimulateError> {
    File::open(path).map_err(|source| SimulateError::Open { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, WebSource, ranks};

    /// The names of pages in the order in which they are fetched.
    fn fetched(edges: &str, order: &str) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("edges.tsv");
        std::fs::write(&path, edges).unwrap();
        let scenario = Scenario {
            web: WebSource::Edges(path),
            orders: vec![order.parse().unwrap()],
            ..Scenario::default()
        };
        let mut names = Vec::new();
        let each = &mut |_: &_, web: &SimWeb, downloads: &[crate::Download], _: &[f64]| {
            names = downloads.iter().map(|done| web.label(done.page)).collect();
        };
        scenario.run(each).unwrap();
        names
    }

    #[test]
    fn what_weighs_more_is_fetched_first_by_pagerank() {
        for (light, heavy) in [("1", "5"), ("0.2", "1"), ("1000", "5000")] {
            let edges = format!("start light {light}\nstart heavy {heavy}\n");
            assert_eq!(fetched(&edges, "breadth-first"), ["start", "light", "heavy"], "{edges}");
            assert_eq!(fetched(&edges, "pagerank"), ["start", "heavy", "light"], "{edges}");
        }
        assert_eq!(fetched("start light\nstart heavy\n", "pagerank"), ["start", "light", "heavy"]);
    }

    #[test]
    fn pages_have_the_ranks_of_the_list() {
        let edges = "a b 0.001\na c 700\nb a 2.5\nc b\nc a 3\nd a\n";
        let list = graph::read_edge_list(edges.as_bytes(), 1 << 20).unwrap();
        let expected = graph::PageRank::default().of(&list.graph, graph::Preference::Even).values;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("edges.tsv");
        std::fs::write(&path, edges).unwrap();
        let web = of_edges(&path, &[]).unwrap();
        let found = ranks(&web).unwrap();
        assert!(found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-12));
    }

    #[test]
    fn weights_are_steps_in_proportion() {
        assert_eq!(in_steps(&[1.0, 15.0, 255.0]), [1, 15, 255]);
        assert_eq!(in_steps(&[0.5, 1.0]), [128, 255]);
        assert_eq!(in_steps(&[1.0, 2_550.0]), [1, 255]);
        assert!(in_steps(&[]).is_empty());
    }
}
