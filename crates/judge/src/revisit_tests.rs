//! Estimates and schedules. Two years of policies beside each other are simulated in `simulate`.

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

/// However often a page differs within seconds, it is thought to change no faster than it can be asked for, and by
/// little more than a page of which nothing is known.
#[test]
fn visits_within_seconds_say_little() {
    let (usual, least, second) = (7.0, 1.0 / 24.0, 1.0 / 86_400.0);
    for visits in [1, 2, 50] {
        let days = 3.0 * second * f64::from(visits);
        let found = history(visits, visits, days, None).likely_rate(usual, least);
        assert!(history(visits, visits, days, None).rate(Estimator::Best) > 10_000.0);
        assert!((0.5 / 7.0..1.0 / 7.0).contains(&found), "{visits} visits: {found} a day");
        let says_when = history(visits, visits, days, Some(second)).likely_rate(usual, least);
        assert!(says_when < 1.0 / 7.0, "{visits} visits: {says_when} a day");
    }
    // Seen for long, it is what was seen, and nothing seen is less and less.
    let seen = history(1_000, 500, 1_000.0, None);
    let (rate, likely) = (seen.rate(Estimator::Best), seen.likely_rate(usual, least));
    assert!((likely / rate - 1.0).abs() < 0.02, "{likely} of {rate}");
    assert!(history(10, 0, 100.0, None).likely_rate(usual, least) < 0.005);
    assert_eq!(history(0, 0, 0.0, None).likely_rate(usual, least), 0.5 / 7.0);
    let jumped = history(2, 1, 9e307, Some(2e-41)).likely_rate(usual, least);
    assert!((0.0..=24.1).contains(&jumped), "{jumped} a day, whatever the clock did");
    let hourly = history(10_000, 10_000, 10_000.0 / 24.0, None).likely_rate(usual, least);
    assert!((20.0..=24.0).contains(&hourly), "{hourly} a day, at most one an hour");
}

/// Numbers by chance between 0 and 1, the same for the same seed.
fn chance(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*seed ^ (*seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// What so many visits, this many days apart, tell of a page that changes by chance at this rate and says when.
fn visited(rate: f64, visits: u32, apart: f64, seed: &mut u64) -> History {
    let mut wait = || -(1.0 - chance(seed)).ln() / rate;
    let (mut next, mut changes, mut stood) = (wait(), 0, 0.0);
    for visit in 1..=visits {
        let now = f64::from(visit) * apart;
        let mut last = now - apart;
        changes += u32::from(next <= now);
        while next <= now {
            last = next;
            next += wait();
        }
        stood += now - last;
    }
    history(visits, changes, f64::from(visits) * apart, Some(stood))
}

/// Ten collections of 200 pages with known rates, each visited every three days for two years: the mean error of each
/// estimator as a factor, for pages that change less than once between two visits, and for those that change more often.
#[test]
fn the_error_of_each_estimator_is_known() {
    const APART: f64 = 3.0;
    let mut errors = [[(0.0, 0_u32); 2]; 3];
    for mut seed in 1..=10_u64 {
        for page in 0..200 {
            let rate = 0.01 * 200.0_f64.powf(f64::from(page) / 199.0);
            let says = visited(rate, 243, APART, &mut seed);
            let silent = History { unmodified_days: None, ..says };
            let found =
                [says.rate(Estimator::Best), silent.rate(Estimator::Best), silent.rate(Estimator::Plain)];
            for (error, found) in errors.iter_mut().zip(found) {
                let (sum, count) = &mut error[usize::from(rate * APART > 1.0)];
                *sum += (found / rate).ln().abs();
                *count += 1;
            }
        }
    }
    let factor = |(sum, count): (f64, u32)| (sum / f64::from(count)).exp();
    let [says, silent, plain] = errors.map(|error| error.map(factor));
    println!("Last-Modified {says:.3?}, visits alone {silent:.3?}, as in the paper {plain:.3?}");
    assert!(says[0] < 1.2 && silent[0] < 1.2 && plain[0] < 1.2, "{says:?} {silent:?} {plain:?}");
    // Where every visit finds a change, only what the page says tells how many there were.
    assert!(says[1] < 1.06 && says[1] < silent[1], "{says:?} {silent:?}");
    assert!(silent[1] < 1.15 && plain[1] < 1.15, "{silent:?} {plain:?}");
}

proptest! {
    #[test]
    fn no_history_gives_a_number_that_is_none(
        comparisons: u32, changes: u32, days: f64, unmodified: Option<f64>, plain: bool,
    ) {
        let estimator = if plain { Estimator::Plain } else { Estimator::Best };
        let rate = history(comparisons, changes, days, unmodified).rate(estimator);
        prop_assert!(rate.is_finite() && rate >= 0.0);
        let likely = history(comparisons, changes, days, unmodified).likely_rate(7.0, 0.1);
        prop_assert!((0.0..=10.001).contains(&likely), "{likely}");
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

#[test]
fn every_policy_keeps_its_bounds() {
    for policy in [Revisit::Fixed, Revisit::Adaptive, Revisit::Optimal] {
        let settings = settings(policy, 3.0);
        let pages: Vec<Candidate> = (0..20)
            .map(|n| {
                let rate = history(20, n, 40.0, None).likely_rate(settings.every, settings.least);
                Candidate { rate, importance: f64::from(n % 3), adapted: settings.every, age: 1.0 }
            })
            .collect();
        let found = intervals(&pages, &settings);
        let bounds = settings.least..=settings.most;
        assert!(found.iter().all(|days| bounds.contains(days)), "{policy}: {found:?}");
    }
}

fn settings(policy: Revisit, budget: f64) -> RevisitSettings {
    RevisitSettings { policy, every: 7.0, budget, least: 1.0 / 24.0, most: 90.0 }
}

/// Who refreshes once a day takes what is due and what will be before the next day, within the budget.
#[test]
fn optimal_revisits_use_their_budget() {
    let page = |rate: f64, age: f64| Candidate { rate, importance: 1.0, adapted: 7.0, age };
    let optimal = settings(Revisit::Optimal, 2.0);
    // Four alike: two a day is one of each every other day.
    let pages = [page(0.2, 1.8), page(0.2, 1.4), page(0.2, 0.9), page(0.2, 0.01)];
    let chosen = |since: f64, room: usize| choose(&pages, &optimal, Room { pages: room, since });
    assert_eq!(chosen(0.0, 9), Choice { pages: vec![], left: 0 });
    assert_eq!(chosen(0.5, 9), Choice { pages: vec![0], left: 0 });
    assert_eq!(chosen(1.0, 9).pages, [0, 1]);
    assert_eq!(chosen(1.0, 1).pages, [0]);
    // However long nobody came: never within the shortest interval.
    assert_eq!(chosen(1_000.0, 9).pages, [0, 1, 2]);
    // The others take all that are due, and nothing before.
    let fixed = settings(Revisit::Fixed, 1.0);
    let pages = [page(0.2, 6.9), page(0.2, 7.0), page(0.2, 14.0)];
    assert_eq!(choose(&pages, &fixed, Room { pages: 1, since: 1.0 }), Choice { pages: vec![2, 1], left: 0 });
    assert!(choose(&pages, &settings(Revisit::Off, 1.0), Room { pages: 9, since: 1.0 }).pages.is_empty());
    assert_eq!([pages_of(3.0, 0.1, 0), pages_of(3.0, 5.0, 2), pages_of(0.5, 1.0, 0)], [3, 13, 1]);
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
