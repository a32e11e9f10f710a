//! Made-up texts and a stopwatch, for benchmarks of what is searched.

use std::time::Instant;

/// Different words.
const WORDS: u64 = 60_000;

/// A small generator of numbers, the same everywhere.
#[derive(Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// A number below another.
    pub fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below.max(1)
    }

    /// Common ones often: about as words are in a language.
    fn zipf(&mut self) -> u64 {
        let share = self.roll(1 << 24) as f64 / f64::from(1 << 24);
        ((WORDS as f64).powf(share) - 1.0) as u64
    }
}

fn spelled(number: u64) -> String {
    let letters = b"etaoinshrdlucmfwypvbgk";
    let mut word = String::new();
    let mut rest = number + 22;
    while rest > 0 {
        word.push(char::from(letters[(rest % 22) as usize]));
        rest /= 22;
    }
    word
}

/// About so many words.
pub fn text(dice: &mut Dice, mean: u64) -> String {
    let words = mean / 2 + dice.roll(mean);
    (0..words).map(|_| spelled(dice.zipf())).collect::<Vec<_>>().join(" ")
}

/// So many queries of one to four words, from the most common to the rare, all of them known.
pub fn queries(dice: &mut Dice, count: usize) -> Vec<Vec<String>> {
    let mut word = || {
        let most = [50, 500, 5_000, 30_000][dice.roll(4) as usize];
        spelled(dice.roll(most))
    };
    (0..count).map(|number| (0..1 + number % 4).map(|_| word()).collect()).collect()
}

/// Milliseconds of each query, asked three times; the best counts, as neighbours disturb.
///
/// # Panics
///
/// If nothing is found at all: that would be quick.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
pub fn times(queries: &[Vec<String>], mut search: impl FnMut(&[String]) -> usize) -> Vec<f64> {
    let mut found = 0;
    let mut once = |query: &[String]| {
        let started = Instant::now();
        found += search(query);
        started.elapsed().as_secs_f64() * 1e3
    };
    let times = queries.iter().map(|query| (0..3).map(|_| once(query)).fold(f64::MAX, f64::min)).collect();
    assert!(found > 0);
    times
}

/// Prints the median and the 99th percentile as measures.
pub fn percentiles(name: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("measure: {name}, p50 = {:.3} ms", at(0.5));
    println!("measure: {name}, p99 = {:.3} ms", at(0.99));
}
