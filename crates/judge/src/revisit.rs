//! Revisits: how often a page changes, and how often to ask for it so that the whole is as fresh as can be.
//!
//! Changes are taken to come by chance at a steady rate λ, so that a copy of age t is fresh with probability e^(−λt).
//! Times are days, as plain numbers: no clock is read. A crawl and the simulator choose by the same [`choose`].

use model::{Revisit, RevisitSettings};

/// What visits have told about a page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct History {
    /// Visits after the first: N.
    pub comparisons: u32,
    /// Those at which the page had changed: X.
    pub changes: u32,
    /// Days since the first visit: S.
    pub days: f64,
    /// Days that the page is known to have stood unchanged, where it says when it was changed: T.
    pub unmodified_days: Option<f64>,
}

/// How the rate is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Estimator {
    /// From when the page says it was changed, where it does, else corrected for few visits.
    #[default]
    Best,
    /// From visits alone, as in the source paper: −N·ln(1 − X/N) / S.
    Plain,
}

/// Bounds on how often a page is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intervals {
    /// The shortest, in days.
    pub least: f64,
    /// The longest, in days; that of pages that never change.
    pub most: f64,
}

/// No interval is shorter, in days.
const SHORTEST: f64 = 1e-6;

/// No history is longer, in days: a clock that jumped by more says nothing more.
const LONGEST: f64 = 1e9;

/// A page to be scheduled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planned {
    /// Changes a day.
    pub rate: f64,
    /// How important it is; a page that counts twice as much gains twice as much by being fresh.
    pub importance: f64,
}

/// A page that may be asked for again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Changes a day, as far as they are known.
    pub rate: f64,
    /// How important it is.
    pub importance: f64,
    /// The interval that the rule of thumb ([`adapted`]) has come to.
    pub adapted: f64,
    /// Days since it was last found.
    pub age: f64,
}

/// How much may be asked for at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// Pages at most, by optimal revisits; the others take all that are due.
    pub pages: usize,
    /// Days since pages were chosen before, and likely until they are again.
    pub since: f64,
}

/// Pages to be asked for, as places among the candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// First those that matter most.
    pub pages: Vec<usize>,
    /// Pages that are due too, and for which there is no room.
    pub left: usize,
}

impl History {
    /// Changes a day. Nothing known, or nothing seen, is no change; clocks that jump give no number that is none.
    pub fn rate(&self, estimator: Estimator) -> f64 {
        let visits = f64::from(self.comparisons);
        let changes = f64::from(self.changes.min(self.comparisons));
        if changes == 0.0 {
            return 0.0;
        }
        let rate = match (estimator, self.unmodified_days.filter(|days| *days > 0.0)) {
            (Estimator::Best, Some(days)) if changes == visits => (visits - 1.0) / days,
            (Estimator::Best, Some(days)) => {
                ((changes - 1.0) - changes / (visits * (1.0 - changes / visits).ln())) / days
            }
            (Estimator::Best, None) => -((visits - changes + 0.5) / (visits + 0.5)).ln() * visits / self.days,
            // With a change at every visit the plain one is endless; as if half a visit had found none.
            (Estimator::Plain, _) if changes == visits => visits * (2.0 * visits).ln() / self.days,
            (Estimator::Plain, _) => -visits * (1.0 - changes / visits).ln() / self.days,
        };
        if rate.is_finite() { rate.max(0.0) } else { 0.0 }
    }

    /// Changes a day as far as few visits can tell them: no more than one in the shortest interval, and beside what was
    /// seen stands half a change in the usual one. Nothing seen is not nothing, and two visits within seconds say little.
    pub fn likely_rate(&self, usual: f64, least: f64) -> f64 {
        let days = if self.days.is_finite() { self.days.clamp(0.0, LONGEST) } else { 0.0 };
        let seen = self.rate(Estimator::Best).min(1.0 / least.max(SHORTEST)) * days;
        (0.5 + seen) / (usual.max(SHORTEST) + days)
    }
}

impl Default for Intervals {
    fn default() -> Intervals {
        Intervals { least: 1.0 / 24.0, most: 90.0 }
    }
}

/// The part of the time that a page of this rate is fresh, when it is asked for at this interval.
pub fn freshness(rate: f64, interval: f64) -> f64 {
    let changes = rate * interval;
    if changes <= 1e-9 { 1.0 } else { (1.0 - (-changes).exp()) / changes }
}

/// The interval of each page, in days, such that together they are as fresh as can be with so many fetches a day.
/// Pages that change faster than they can be followed are left to the longest interval.
pub fn schedule(pages: &[Planned], fetches_a_day: f64, bounds: Intervals) -> Vec<f64> {
    let bounds =
        Intervals { least: bounds.least.max(SHORTEST), most: bounds.most.max(bounds.least).max(SHORTEST) };
    let fetches = |price: f64| pages.iter().map(|page| 1.0 / page.interval(price, bounds)).sum::<f64>();
    // At a higher price of a fetch less is fetched: find the one at which the budget is used up.
    let (mut low, mut high) = (0.0, 1.0);
    let is_bounded = pages.iter().all(|page| page.rate.is_finite() && page.importance.is_finite());
    while is_bounded && fetches(high) > fetches_a_day && high < 1e30 {
        (low, high) = (high, high * 4.0);
    }
    for _ in 0..80 {
        if high - low <= 1e-9 * high {
            break;
        }
        let middle = (low + high) / 2.0;
        if fetches(middle) > fetches_a_day {
            low = middle;
        } else {
            high = middle;
        }
    }
    pages.iter().map(|page| page.interval(high, bounds)).collect()
}

/// The days after which each page is asked for again, by the policy.
pub fn intervals(pages: &[Candidate], settings: &RevisitSettings) -> Vec<f64> {
    let bounds = Intervals { least: settings.least, most: settings.most.max(settings.least) };
    match settings.policy {
        Revisit::Off => vec![f64::INFINITY; pages.len()],
        Revisit::All => vec![0.0; pages.len()],
        Revisit::Fixed => vec![settings.every.clamp(bounds.least, bounds.most); pages.len()],
        Revisit::Adaptive => pages.iter().map(|page| page.adapted).collect(),
        Revisit::Optimal => {
            let planned: Vec<Planned> = pages.iter().map(Candidate::planned).collect();
            schedule(&planned, settings.budget, bounds)
        }
    }
}

/// All pages, the most urgent first, each with its interval: optimal revisits put first what gains most, the others what
/// is overdue by the most times its interval. Equals stay in the order in which they came.
pub fn by_urgency(pages: &[Candidate], settings: &RevisitSettings) -> Vec<(usize, f64)> {
    let is_optimal = settings.policy == Revisit::Optimal;
    let urgency = |page: &Candidate, interval: f64| match is_optimal {
        true => page.planned().gain(page.age),
        false => page.age / interval.max(SHORTEST),
    };
    let ranked = pages.iter().zip(intervals(pages, settings)).enumerate();
    let mut ranked: Vec<(f64, usize, f64)> =
        ranked.map(|(place, (page, interval))| (urgency(page, interval), place, interval)).collect();
    ranked.sort_unstable_by(|(urgency, place, _), (other, other_place, _)| {
        let ages = pages[*other_place].age.total_cmp(&pages[*place].age);
        other.total_cmp(urgency).then(ages).then(place.cmp(other_place))
    });
    ranked.into_iter().map(|(_, place, interval)| (place, interval)).collect()
}

/// The pages that are due. Optimal revisits take no more than there is room for, and also what will be due before the
/// next time: who comes once a day would else come late by up to a day, and leave a tenth of the budget.
pub fn choose(pages: &[Candidate], settings: &RevisitSettings, room: Room) -> Choice {
    let is_optimal = settings.policy == Revisit::Optimal;
    let early = if is_optimal { room.since.max(0.0) } else { 0.0 };
    let is_due = |page: usize, interval: f64| pages[page].age >= interval;
    let ranked = by_urgency(pages, settings);
    let nearly = |(page, interval): &&(usize, f64)| {
        is_due(*page, *interval) || pages[*page].age >= (interval - early).max(settings.least)
    };
    let most = if is_optimal { room.pages } else { usize::MAX };
    let chosen: Vec<usize> = ranked.iter().filter(nearly).map(|(page, _)| *page).take(most).collect();
    let due = ranked.iter().filter(|(page, interval)| is_due(*page, *interval)).count();
    let taken = chosen.len().min(due);
    Choice { pages: chosen, left: due - taken }
}

/// So many pages may be asked for: a day's fetches for every day since the last time, at least for one, less what is
/// spent.
pub fn pages_of(fetches_a_day: f64, since: f64, spent: usize) -> usize {
    ((fetches_a_day * since.max(1.0)) as usize).max(1).saturating_sub(spent)
}

impl Candidate {
    fn planned(&self) -> Planned {
        Planned { rate: self.rate, importance: self.importance }
    }
}

impl Planned {
    /// What one more fetch a day gains in freshness, at this interval or, of a page that was not asked for since, age;
    /// weighed by importance.
    pub fn gain(&self, interval: f64) -> f64 {
        if !(self.rate > 0.0 && self.importance > 0.0 && interval > 0.0) {
            return 0.0;
        }
        let r = self.rate * interval;
        let part = if r < 1e-4 { r * r / 2.0 } else { 1.0 - (1.0 + r) * (-r).exp() };
        self.importance / self.rate * part
    }

    /// The interval at which one more fetch a day gains just this much.
    fn interval(&self, price: f64, bounds: Intervals) -> f64 {
        if !(self.rate > 0.0 && self.importance > 0.0) {
            return bounds.most;
        }
        // The gain is importance / rate · (1 − (1 + r)·e^(−r)), where r is the rate times the interval: growing with r,
        // and never more than importance / rate.
        let wanted = price * self.rate / self.importance;
        if wanted >= 1.0 {
            return bounds.most;
        }
        // Newton's steps, kept between what is too little and what is too much: 1 − (1 + r)·e^(−r) is below r²/2.
        let (mut low, mut high) = ((2.0 * wanted).sqrt(), 64.0_f64);
        let mut r = low;
        for _ in 0..60 {
            let left = wanted - (1.0 - (1.0 + r) * (-r).exp());
            if left > 0.0 {
                low = r;
            } else {
                high = r;
            }
            let step = left / (r * (-r).exp());
            let next = if step.is_finite() { r + step } else { f64::NAN };
            let next = if next > low && next < high { next } else { f64::midpoint(low, high) };
            if (next - r).abs() <= 1e-13 * r {
                break;
            }
            r = next;
        }
        (r / self.rate).clamp(bounds.least, bounds.most)
    }
}

/// The next interval of the usual rule of thumb: longer when nothing has changed, shorter when something has.
pub fn adapted(interval: f64, changed: bool, bounds: Intervals) -> f64 {
    (interval * if changed { 0.8 } else { 1.4 }).clamp(bounds.least, bounds.most)
}

#[cfg(test)]
#[path = "revisit_tests.rs"]
mod tests;
