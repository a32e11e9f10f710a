//! A graph of hosts out of a graph of pages.

use crate::{Builder, Fold, Graph, GraphError};

/// The graph whose pages are groups of pages: page `n` belongs to group `group_of[n]`. A link between groups weighs
/// as much as all links of their pages together; links within a group are dropped. `memory` is what sorting may take.
pub fn group(graph: &Graph, group_of: &[u32], memory: usize) -> Result<Graph, GraphError> {
    let mut builder = Builder::new(Fold::Sum, memory);
    for page in 0..graph.pages() {
        let Some(&target) = group_of.get(page as usize) else { continue };
        builder.page(target);
        for (source, weight) in graph.in_links(page) {
            if let Some(&source) = group_of.get(source as usize) {
                builder.arc(source, target, weight)?;
            }
        }
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_between_groups_are_added_up_and_those_within_dropped() {
        let mut builder = Builder::new(Fold::Max, 1 << 10);
        for (source, target, weight) in [(0, 1, 7.0), (0, 2, 1.0), (1, 3, 2.0), (3, 0, 5.0), (0, 3, 0.5)] {
            builder.arc(source, target, weight).unwrap();
        }
        builder.page(4);
        let pages = builder.finish().unwrap();
        let hosts = group(&pages, &[0, 0, 1, 1, 2], 1 << 10).unwrap();
        assert_eq!(hosts.pages(), 3);
        assert_eq!(hosts.in_links(1).collect::<Vec<_>>(), [(0, 3.5)]);
        assert_eq!(hosts.in_links(0).collect::<Vec<_>>(), [(1, 5.0)]);
        assert_eq!(hosts.in_links(2).count(), 0);
    }
}
