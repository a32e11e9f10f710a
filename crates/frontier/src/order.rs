//! Crawl orders: which of a host's waiting URLs comes next.
//!
//! An order sees a [`Candidate`] and answers with a [`Priority`]; ties are broken by discovery. The same code
//! serves a real crawl and a simulated one.

/// What an order may look at.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Links on the shortest known path from a start URL.
    pub depth: u32,
}

/// The larger, the sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Priority(pub u32);

/// A policy: the priority of an unfetched URL.
pub trait CrawlOrder: Send + Sync {
    /// The larger, the sooner.
    fn priority(&self, candidate: &Candidate) -> Priority;
}

/// Level by level.
pub struct BreadthFirst;

/// The deepest level first.
pub struct DepthFirst;

impl CrawlOrder for BreadthFirst {
    fn priority(&self, candidate: &Candidate) -> Priority {
        Priority(u32::MAX - candidate.depth)
    }
}

impl CrawlOrder for DepthFirst {
    fn priority(&self, candidate: &Candidate) -> Priority {
        Priority(candidate.depth)
    }
}

/// The order of this name in a project's settings.
pub(crate) fn named(order: model::Order) -> Box<dyn CrawlOrder> {
    match order {
        model::Order::BreadthFirst => Box::new(BreadthFirst),
        model::Order::DepthFirst => Box::new(DepthFirst),
    }
}
