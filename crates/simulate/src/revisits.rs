//! Revisits under a simulated clock: how fresh a collection stays by each policy with the same number of fetches a day.
//!
//! Pages change by chance, each at a rate of its own that nobody tells; every policy sees only what its visits find. The
//! same plan gives the same figures. Optimal revisits are chosen by the code that chooses them in a crawl.

use judge::revisit::{Candidate, Estimator, History, Intervals, Room, adapted, by_urgency, choose};
use model::{Revisit, RevisitSettings};
use serde::{Deserialize, Serialize};

/// What is simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Revisiting {
    /// Pages of the collection.
    pub pages: usize,
    /// Simulated days; the first quarter is for learning and not counted.
    pub days: u32,
    /// Fetches a day.
    pub fetches: usize,
    /// Changes a day of the slowest page and of the fastest; the others lie between, evenly by their logarithm.
    pub rates: (f64, f64),
    /// The shortest interval of a page and the longest, in days.
    pub intervals: (f64, f64),
    /// One collection for each.
    pub seeds: Vec<u64>,
}

/// The largest collection, and the longest time.
const MOST_PAGES: usize = 1_000_000;
const MOST_DAYS: u32 = 100_000;

/// How pages are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    Fixed,
    Adaptive,
    Optimal,
    /// By the rates themselves, which no crawl knows.
    Told,
}

/// How a policy did with one collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Revisited {
    /// `fixed`, `adaptive`, `optimal`, or `best possible`: planned by the rates themselves.
    pub policy: String,
    /// Of the collection.
    pub seed: u64,
    /// The part of pages that were as kept, on an average day.
    pub freshness: f64,
    /// Fetches on an average day.
    pub fetches: f64,
    /// How far estimated rates were off, as a factor: 1.5 is half as much again, or a third less.
    pub error: f64,
}

/// A policy over all collections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RevisitMean {
    /// The policy.
    pub policy: String,
    /// Mean freshness.
    pub freshness: f64,
    /// The least and the most of any collection.
    pub range: (f64, f64),
    /// Mean of fetches a day.
    pub fetches: f64,
    /// Mean error of rates, as a factor.
    pub error: f64,
}

impl Default for Revisiting {
    fn default() -> Revisiting {
        Revisiting {
            pages: 200,
            days: 730,
            fetches: 30,
            rates: (0.004, 2.0),
            intervals: (1.0, 120.0),
            seeds: (1..=10).collect(),
        }
    }
}

impl Revisiting {
    /// Reads a plan.
    pub fn parse(text: &str) -> Result<Revisiting, crate::SimulateError> {
        let plan: Revisiting = serde_saphyr::from_str(text)
            .map_err(|error| crate::SimulateError::Scenario(error.to_string()))?;
        plan.check()?;
        Ok(plan)
    }

    /// Refuses what cannot be simulated.
    fn check(&self) -> Result<(), crate::SimulateError> {
        let wrong = |what: &str| Err(crate::SimulateError::Scenario(what.to_owned()));
        let is_range = |(least, most): (f64, f64)| least > 0.0 && least <= most && most.is_finite();
        if !is_range(self.intervals) {
            return wrong("intervals are the shortest and the longest, in days: [1, 120]");
        }
        if !is_range(self.rates) {
            return wrong("rates are the least and the most changes a day: [0.004, 2]");
        }
        if self.seeds.is_empty() {
            return wrong("seeds name at least one collection: [1]");
        }
        let most = (MOST_PAGES, MOST_DAYS);
        if self.pages == 0 || self.fetches == 0 || self.days == 0 || self.pages > most.0 || self.days > most.1
        {
            return wrong("pages are 1 to 1000000, days 1 to 100000, fetches at least 1");
        }
        Ok(())
    }

    /// Every policy over every collection.
    pub fn run(&self) -> Vec<Revisited> {
        let mut all = Vec::new();
        for policy in [Policy::Fixed, Policy::Adaptive, Policy::Optimal, Policy::Told] {
            all.extend(self.seeds.iter().map(|seed| self.simulate(policy, *seed)));
        }
        all
    }

    fn simulate(&self, policy: Policy, seed: u64) -> Revisited {
        let (slow, fast) = (self.rates.0.max(1e-6), self.rates.1.max(self.rates.0).max(1e-6));
        let pages = self.pages.clamp(1, MOST_PAGES);
        let a_day = self.fetches.clamp(1, pages);
        let bounds = Intervals { least: self.intervals.0, most: self.intervals.1 };
        let usual = pages as f64 / a_day as f64;
        let mut chance = Chance(seed);
        let rates: Vec<f64> = (0..pages).map(|_| slow * (fast / slow).powf(chance.next())).collect();
        let mut changes: Vec<f64> = rates.iter().map(|rate| chance.wait(*rate)).collect();
        let mut histories = vec![History::default(); pages];
        let mut last = vec![0.0; pages];
        let mut intervals = vec![usual; pages];
        let settings = RevisitSettings {
            policy: policy.as_set(),
            every: usual,
            budget: a_day as f64,
            least: bounds.least,
            most: bounds.most,
        };
        let (mut fresh, mut counted, mut fetches) = (0_u64, 0_u64, 0_u64);
        for day in 1..=self.days {
            let now = f64::from(day);
            let candidate = |page: usize| Candidate {
                rate: match policy {
                    Policy::Told => rates[page],
                    _ => histories[page].likely_rate(usual, bounds.least),
                },
                importance: 1.0,
                adapted: intervals[page],
                age: now - last[page],
            };
            let candidates: Vec<Candidate> = (0..pages).map(candidate).collect();
            let chosen: Vec<usize> = match policy {
                // As a crawl that is refreshed every day.
                Policy::Optimal | Policy::Told => {
                    choose(&candidates, &settings, Room { pages: a_day, since: 1.0 }).pages
                }
                // These have no budget of their own: they get all of it, whether enough is due or not.
                Policy::Fixed | Policy::Adaptive => {
                    by_urgency(&candidates, &settings).into_iter().take(a_day).map(|(page, _)| page).collect()
                }
            };
            fetches += chosen.len() as u64;
            for page in chosen {
                let changed = changes[page] <= now;
                while changes[page] <= now {
                    changes[page] += chance.wait(rates[page]);
                }
                let history = &mut histories[page];
                history.comparisons += 1;
                history.changes += u32::from(changed);
                history.days = now;
                intervals[page] = adapted(intervals[page], changed, bounds);
                last[page] = now;
            }
            if day > self.days / 4 {
                fresh += changes.iter().filter(|changed| **changed > now).count() as u64;
                counted += pages as u64;
            }
        }
        let off = histories.iter().zip(&rates).map(|(history, rate)| {
            let found = history.rate(Estimator::Best).max(slow / 40.0);
            (found / rate).ln().abs()
        });
        Revisited {
            policy: policy.name().to_owned(),
            seed,
            freshness: fresh as f64 / counted.max(1) as f64,
            fetches: fetches as f64 / f64::from(self.days.max(1)),
            error: (off.sum::<f64>() / pages as f64).exp(),
        }
    }
}

/// Each policy over all collections, in order.
pub fn revisit_means(all: &[Revisited]) -> Vec<RevisitMean> {
    let mut names: Vec<&str> = Vec::new();
    for one in all {
        if !names.contains(&one.policy.as_str()) {
            names.push(&one.policy);
        }
    }
    let mean = |name: &str| {
        let of: Vec<&Revisited> = all.iter().filter(|one| one.policy == name).collect();
        let count = of.len().max(1) as f64;
        let range = of.iter().fold((1.0_f64, 0.0_f64), |(least, most), one| {
            (least.min(one.freshness), most.max(one.freshness))
        });
        RevisitMean {
            policy: name.to_owned(),
            freshness: of.iter().map(|one| one.freshness).sum::<f64>() / count,
            range,
            fetches: of.iter().map(|one| one.fetches).sum::<f64>() / count,
            error: of.iter().map(|one| one.error).sum::<f64>() / count,
        }
    };
    names.into_iter().map(mean).collect()
}

impl Policy {
    /// As a project sets it.
    fn as_set(self) -> Revisit {
        match self {
            Policy::Fixed => Revisit::Fixed,
            Policy::Adaptive => Revisit::Adaptive,
            Policy::Optimal | Policy::Told => Revisit::Optimal,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Policy::Fixed => "fixed",
            Policy::Adaptive => "adaptive",
            Policy::Optimal => "optimal",
            Policy::Told => "best possible",
        }
    }
}

/// Numbers by chance, the same for the same seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Days until something that happens at this rate.
    fn wait(&mut self, rate: f64) -> f64 {
        -(1.0 - self.next()).ln() / rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optimal_revisits_keep_every_collection_fresher_at_the_same_budget() {
        let all = Revisiting::default().run();
        assert_eq!(all.len(), 40);
        let of = |policy: &str, seed: u64| {
            all.iter().find(|one| (one.policy.as_str(), one.seed) == (policy, seed)).unwrap()
        };
        for seed in 1..=10 {
            let [fixed, adaptive, optimal, best] =
                ["fixed", "adaptive", "optimal", "best possible"].map(|policy| of(policy, seed));
            println!(
                "seed {seed}: fixed {:.3}, adaptive {:.3}, optimal {:.3} by {:.1} fetches a day, best possible {:.3}; rates \
                 within ×{:.2}",
                fixed.freshness,
                adaptive.freshness,
                optimal.freshness,
                optimal.fetches,
                best.freshness,
                optimal.error
            );
            assert!(optimal.freshness > fixed.freshness && optimal.freshness > adaptive.freshness);
            assert!(best.freshness > optimal.freshness - 0.01);
            assert!(optimal.error < 2.0);
            // The same number of fetches, or fewer.
            assert!(optimal.fetches <= 30.0 && fixed.fetches == 30.0 && adaptive.fetches == 30.0);
            assert!(optimal.fetches > 29.0, "the budget is used: {}", optimal.fetches);
        }
        println!("{:?}", revisit_means(&all));
    }

    #[test]
    fn plans_are_read_and_mistakes_named() {
        let plan = Revisiting::parse("pages: 10\nfetches: 2\nseeds: [7]\ndays: 40\n").unwrap();
        assert_eq!((plan.pages, plan.run().len()), (10, 4));
        assert_eq!(plan.run(), plan.run());
        assert!(Revisiting::parse("page: 10").unwrap_err().to_string().contains("page"));
        for (text, words) in [
            ("intervals: [10, 1]", "intervals are the shortest and the longest"),
            ("intervals: [0, 1]", "intervals are"),
            ("rates: [2, 1]", "rates are"),
            ("seeds: []", "at least one collection"),
            ("days: 0", "days 1 to"),
        ] {
            let refused = Revisiting::parse(text).unwrap_err().to_string();
            assert!(refused.contains(words), "{text}: {refused}");
        }
        // Anything can be simulated.
        let odd = Revisiting { pages: 0, days: 0, fetches: 0, rates: (0.0, -1.0), ..Revisiting::default() };
        assert!(odd.run().iter().all(|one| one.freshness.is_finite() && one.error.is_finite()));
    }
}
