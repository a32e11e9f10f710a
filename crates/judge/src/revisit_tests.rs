//! Estimates and schedules, alone and over two simulated years.

use super::*;
use proptest::prelude::*;

fn history(comparisons: u32, changes: u32, days: f64, unmodified_days: Option<f64>) -> History {
    History { comparisons, changes, days, unmodified_days }
}

#[test]
fn estimates_are_as_defined() {
    let check = |history: History, estimator, expected: f64| {
        let found = history.rate(estimator);
        assert!((found - expected).abs() < 1e-9, "{history:?}: {found}, not {expected}");
    };
    check(history(10, 0, 10.0, None), Estimator::Best, 0.0);
    check(history(10, 0, 10.0, Some(10.0)), Estimator::Best, 0.0);
    check(history(10, 5, 10.0, None), Estimator::Plain, 2.0_f64.ln());
    check(history(10, 5, 10.0, None), Estimator::Best, -(5.5_f64 / 10.5).ln());
    check(history(10, 10, 10.0, Some(5.0)), Estimator::Best, 9.0 / 5.0);
    check(history(10, 5, 10.0, Some(5.0)), Estimator::Best, (4.0 + 5.0 / (10.0 * 2.0_f64.ln())) / 5.0);
}

proptest! {
    #[test]
    fn no_history_gives_a_number_that_is_none(
        comparisons: u32, changes: u32, days: f64, unmodified: Option<f64>, plain: bool,
    ) {
        let estimator = if plain { Estimator::Plain } else { Estimator::Best };
        let rate = history(comparisons, changes, days, unmodified).rate(estimator);
        prop_assert!(rate.is_finite() && rate >= 0.0);
    }

    #[test]
    fn schedules_keep_the_budget_and_the_bounds(
        rates in proptest::collection::vec((0.0..5.0_f64, 0.0..3.0_f64), 1..30), budget in 0.5..50.0_f64,
    ) {
        let pages: Vec<Planned> =
            rates.iter().map(|(rate, importance)| Planned { rate: *rate, importance: *importance }).collect();
        let bounds = Intervals { least: 0.1, most: 100.0 };
        let found = schedule(&pages, budget, bounds);
        prop_assert!(found.iter().all(|interval| (0.1..=100.0).contains(interval)));
        let fetches: f64 = found.iter().map(|interval| 1.0 / interval).sum();
        let least = pages.len() as f64 / 100.0;
        prop_assert!(fetches <= budget.max(least) + 1e-6, "{fetches} of {budget}");
    }
}

/// Nothing within the bounds is fresher at the same budget than what was planned.
#[test]
fn no_other_schedule_is_fresher() {
    let pages: Vec<Planned> =
        (1..20).map(|n| Planned { rate: f64::from(n) * 0.1, importance: f64::from(n % 3 + 1) }).collect();
    let bounds = Intervals { least: 0.01, most: 1_000.0 };
    let plan = schedule(&pages, 20.0, bounds);
    let total = |plan: &[f64]| -> f64 {
        pages.iter().zip(plan).map(|(page, interval)| page.importance * freshness(page.rate, *interval)).sum()
    };
    let best = total(&plan);
    for from in 0..plan.len() {
        for to in (0..plan.len()).filter(|to| *to != from) {
            let mut moved = plan.clone();
            let step = (0.05_f64).min(1.0 / moved[from] * 0.5);
            moved[from] = 1.0 / (1.0 / moved[from] - step);
            moved[to] = 1.0 / (1.0 / moved[to] + step);
            assert!(total(&moved) <= best + 1e-9, "from {from} to {to}");
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

#[derive(Clone, Copy, PartialEq)]
enum Policy {
    Fixed,
    Adaptive,
    Planned,
}

const PAGES: usize = 200;
const DAYS: u32 = 730;
const A_DAY: usize = 30;

/// Two years of a site, with the same number of fetches every day: the mean freshness after the first half year, and
/// the mean error of the estimated rates, as a factor.
fn simulate(policy: Policy, seed: u64) -> (f64, f64) {
    let mut chance = Chance(seed);
    let bounds = Intervals { least: 1.0, most: 120.0 };
    let rates: Vec<f64> = (0..PAGES).map(|_| 0.004 * 500.0_f64.powf(chance.next())).collect();
    let usual = PAGES as f64 / A_DAY as f64;
    let mut changed: Vec<f64> = rates.iter().map(|rate| chance.wait(*rate)).collect();
    let mut histories = vec![History::default(); PAGES];
    let mut last = vec![0.0; PAGES];
    let mut intervals = vec![usual; PAGES];
    let mut due: Vec<f64> = (0..PAGES).map(|page| page as f64 / A_DAY as f64).collect();
    let (mut fresh, mut counted) = (0_u64, 0_u64);
    for day in 1..=DAYS {
        let now = f64::from(day);
        if policy == Policy::Planned && day % 10 == 0 {
            let pages: Vec<Planned> = histories
                .iter()
                .map(|history| Planned {
                    // Nothing seen yet is not nothing: as if half a change had been.
                    rate: match history.rate(Estimator::Best) {
                        0.0 => 0.5 / history.days.max(usual),
                        rate => rate,
                    },
                    importance: 1.0,
                })
                .collect();
            intervals = schedule(&pages, A_DAY as f64, bounds);
            for page in 0..PAGES {
                due[page] = last[page] + intervals[page];
            }
        }
        let mut order: Vec<usize> = (0..PAGES).collect();
        order.sort_by(|a, b| due[*a].total_cmp(&due[*b]));
        for &page in &order[..A_DAY] {
            let has_changed = changed[page] <= now;
            while changed[page] <= now {
                changed[page] += chance.wait(rates[page]);
            }
            let history = &mut histories[page];
            history.comparisons += 1;
            history.changes += u32::from(has_changed);
            history.days = now;
            if policy == Policy::Adaptive {
                intervals[page] = adapted(intervals[page], has_changed, bounds);
            }
            (last[page], due[page]) = (now, now + intervals[page]);
        }
        if day > DAYS / 4 {
            fresh += changed.iter().filter(|changed| **changed > now).count() as u64;
            counted += PAGES as u64;
        }
    }
    let errors = histories.iter().zip(&rates).map(|(history, rate)| {
        let found = history.rate(Estimator::Best).max(1e-4);
        (found / rate).ln().abs()
    });
    (fresh as f64 / counted as f64, (errors.sum::<f64>() / PAGES as f64).exp())
}

#[test]
fn planned_visits_keep_pages_fresher_than_others_at_the_same_budget() {
    for seed in 1..=10 {
        let (fixed, _) = simulate(Policy::Fixed, seed);
        let (adaptive, _) = simulate(Policy::Adaptive, seed);
        let (planned, error) = simulate(Policy::Planned, seed);
        println!(
            "seed {seed}: fixed {fixed:.3}, adaptive {adaptive:.3}, planned {planned:.3}; rates within ×{error:.2}"
        );
        assert!(planned > fixed && planned > adaptive, "seed {seed}: {fixed:.3} {adaptive:.3} {planned:.3}");
        assert!(error < 2.0, "seed {seed}: rates off by ×{error:.2}");
    }
}
