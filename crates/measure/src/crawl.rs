//! Figures of a crawl: how much of what could be reached it has, how much of it was wanted, and how evenly the work
//! was shared.

/// Pages fetched of those that could be reached; 1 when there was nothing to reach.
pub fn coverage(fetched: u64, reachable: u64) -> f64 {
    if reachable == 0 { 1.0 } else { fetched as f64 / reachable as f64 }
}

/// Pages on topic of those fetched; 0 before the first page.
pub fn harvest(on_topic: u64, fetched: u64) -> f64 {
    if fetched == 0 { 0.0 } else { on_topic as f64 / fetched as f64 }
}

/// Pages of the busiest worker over the mean of all: 1 is even. 1 also when nobody did anything.
pub fn balance(pages_per_worker: &[u64]) -> f64 {
    let most = pages_per_worker.iter().max().copied().unwrap_or(0);
    let all: u64 = pages_per_worker.iter().sum();
    if all == 0 { 1.0 } else { most as f64 * pages_per_worker.len() as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_whole_and_nothing_divides_by_zero() {
        assert_eq!(coverage(30, 40), 0.75);
        assert_eq!(coverage(0, 0), 1.0);
        assert_eq!(harvest(1, 4), 0.25);
        assert_eq!(harvest(0, 0), 0.0);
    }

    #[test]
    fn balance_is_one_when_even_and_the_number_of_workers_when_one_did_all() {
        assert_eq!(balance(&[5, 5, 5]), 1.0);
        assert_eq!(balance(&[9, 0, 0]), 3.0);
        assert_eq!(balance(&[]), 1.0);
    }
}
