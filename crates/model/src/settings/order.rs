//! Which of a host's waiting URLs comes first: a policy, or several with their shares.

use std::fmt;
use std::str::FromStr;

use super::ValueError;
use super::text::written_as_text;

/// Which of a host's waiting URLs comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Order {
    /// Policies and their shares in thousandths, the first ones set.
    terms: [Option<(u32, Policy)>; MOST],
}

/// Policies in one order at most.
const MOST: usize = 4;

/// One way to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// Nearest to the start first.
    BreadthFirst,
    /// Farthest from the start first.
    DepthFirst,
    /// What most known pages link to.
    Backlink,
    /// What links make most important.
    PageRank,
    /// Pages with many links.
    ForwardLink,
    /// URLs of a promising shape.
    Location,
    /// Links on a page against links to it, in lanes of 4 : 2 : 1.
    PValue,
    /// Found on relevant pages.
    Relevance,
    /// Found on or near relevant pages, by relevant links.
    Topic,
    /// Nearest to the start first, while there is time left for them.
    TimedBreadthFirst,
    /// What fetched pages have handed on.
    Opic,
    /// None.
    Random,
}

impl Policy {
    /// Every policy.
    pub const ALL: [Policy; 12] = [
        Policy::BreadthFirst,
        Policy::DepthFirst,
        Policy::Backlink,
        Policy::PageRank,
        Policy::ForwardLink,
        Policy::Location,
        Policy::PValue,
        Policy::Relevance,
        Policy::Topic,
        Policy::TimedBreadthFirst,
        Policy::Opic,
        Policy::Random,
    ];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Policy::BreadthFirst => "breadth-first",
            Policy::DepthFirst => "depth-first",
            Policy::Backlink => "backlink",
            Policy::PageRank => "pagerank",
            Policy::ForwardLink => "forward-link",
            Policy::Location => "location",
            Policy::PValue => "pvalue",
            Policy::Relevance => "relevance",
            Policy::Topic => "topic",
            Policy::TimedBreadthFirst => "timed-breadth-first",
            Policy::Opic => "opic",
            Policy::Random => "random",
        }
    }
}

impl Order {
    /// Nearest to the start first.
    pub const BREADTH_FIRST: Order = Order::only(Policy::BreadthFirst);
    /// What links make most important first.
    pub const BEST_FIRST: Order = Order::only(Policy::PageRank);
    /// Farthest from the start first.
    pub const DEPTH_FIRST: Order = Order::only(Policy::DepthFirst);

    /// One policy alone.
    pub const fn only(policy: Policy) -> Order {
        Order { terms: [Some((1_000, policy)), None, None, None] }
    }

    /// True when one of its policies is this one.
    pub fn has(self, policy: Policy) -> bool {
        self.terms().any(|(_, other)| other == policy)
    }

    /// True of orders that are nothing without a topic.
    pub fn needs_topic(self) -> bool {
        self.has(Policy::Relevance) || self.has(Policy::Topic)
    }

    /// Its policies, with their shares.
    pub fn terms(self) -> impl Iterator<Item = (f64, Policy)> {
        self.terms.into_iter().flatten().map(|(share, policy)| (f64::from(share) / 1e3, policy))
    }
}

impl Default for Order {
    fn default() -> Order {
        Order::BEST_FIRST
    }
}

written_as_text!(
    Order,
    "breadth-first, depth-first, backlink, pagerank, forward-link, location, pvalue, relevance, topic, timed-breadth-first, opic or random; or shares: 0.7 pagerank + 0.3 location"
);

impl FromStr for Order {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Order, ValueError> {
        let mut terms = [None; MOST];
        for (count, term) in text.split('+').enumerate() {
            let term = term.trim();
            let (share, name) = match term.split_once(char::is_whitespace) {
                Some((share, name)) => (share.parse::<f64>().ok(), name.trim()),
                None => (Some(1.0), term),
            };
            let share = share.filter(|share| (0.001..=1_000.0).contains(share));
            // Best-first is what users of other crawlers call it.
            let name = if name == "best-first" { Policy::PageRank.name() } else { name };
            let policy = Policy::ALL.into_iter().find(|policy| policy.name() == name);
            let (Some(share), Some(policy)) = (share, policy) else { return Err(wrong(text)) };
            let Some(place) = terms.get_mut(count) else { return Err(wrong(text)) };
            *place = Some(((share * 1e3).round() as u32, policy));
        }
        // A policy alone has the whole, whatever its share; its lanes need it.
        match terms {
            [Some((_, policy)), None, ..] => Ok(Order::only(policy)),
            terms => Ok(Order { terms }),
        }
    }
}

fn wrong(text: &str) -> ValueError {
    let names: Vec<&str> = Policy::ALL.iter().map(|policy| policy.name()).collect();
    let (last, others) = names.split_last().unwrap_or((&"", &[]));
    let hint = format!(
        "write {} or {last}, or shares of up to {MOST}: 0.7 pagerank + 0.3 location",
        others.join(", ")
    );
    ValueError::new(text, "order", hint)
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms: Vec<(f64, Policy)> = self.terms().collect();
        if let [(_, policy)] = terms[..] {
            return f.write_str(policy.name());
        }
        for (number, (share, policy)) in terms.into_iter().enumerate() {
            write!(f, "{}{share} {policy}", if number > 0 { " + " } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::{check, check_refused};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn orders_read_back_as_written() {
        for policy in Policy::ALL {
            check::<Order>(policy.name(), policy.name());
        }
        check::<Order>("0.7 pagerank+0.3  location", "0.7 pagerank + 0.3 location");
        check::<Order>("pagerank + 2 random", "1 pagerank + 2 random");
        check::<Order>("5 opic", "opic");
        check::<Order>("best-first", "pagerank");
    }

    #[test]
    fn words_that_are_no_order_are_refused() {
        let hint = "write breadth-first, depth-first, backlink, pagerank, forward-link, location, pvalue, \
                    relevance, topic, timed-breadth-first, opic or random, or shares of up to 4: 0.7 pagerank + 0.3 location";
        for text in [
            "bfs",
            "",
            "0 pagerank",
            "-1 pagerank",
            "0.7 + pagerank",
            "pagerank +",
            "nan opic",
            "opic + opic + opic + opic + opic",
        ] {
            check_refused::<Order>(text, &format!("{text:?} is no order; {hint}"));
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_order_parser_panic(text in "[0-9. +a-z-]{0,40}") {
            if let Ok(order) = text.parse::<Order>() {
                prop_assert_eq!(order.to_string().parse::<Order>(), Ok(order));
            }
        }
    }
}
