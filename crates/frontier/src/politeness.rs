//! Politeness: the earliest moment a host may be asked again.
//!
//! Nothing here sleeps or reads a clock: `now` comes from the caller, so a test crawls a simulated week in a
//! millisecond.

use std::time::Duration;

use model::{CrawlSettings, Rate, Timestamp};

/// A host that asks for less than this gets its URLs one lease at a time; a faster one by the batch.
pub(crate) const BATCH_GAP: Duration = Duration::from_millis(100);

/// What we owe one host between two fetches.
#[derive(Clone, Debug)]
pub struct Politeness {
    /// Shortest pause after the end of a fetch.
    pub pause: Duration,
    /// A slow host rests longer: this many times its last response time …
    pub rest_factor: u32,
    /// … but no longer than this.
    pub longest_rest: Duration,
    /// Instead of all that: the time between two request starts, by the project's own word.
    pub rate_gap: Option<Duration>,
    /// Shortest time between two requests to one address, whatever the host.
    pub address_gap: Duration,
}

/// What a fetch told us about its host.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    /// `Crawl-delay` or `Request-rate` of robots.txt.
    pub crawl_delay: Option<Duration>,
    /// `Retry-After`, or our own back-off where the host is busy without saying for how long.
    pub retry_after: Option<Duration>,
}

impl Politeness {
    /// From a project's settings.
    pub fn of(settings: &CrawlSettings) -> Politeness {
        let rate_gap = match settings.rate {
            None => None,
            Some(Rate::Unlimited) => Some(Duration::ZERO),
            Some(rate) => Some(rate.gap()),
        };
        let address_delay = settings.address_delay.duration();
        Politeness {
            pause: settings.delay.duration(),
            rest_factor: settings.delay_factor,
            longest_rest: settings.max_earned_delay.duration(),
            rate_gap,
            // `rate` replaces the fixed pauses, this one too.
            address_gap: rate_gap.map_or(address_delay, |gap| gap.min(address_delay)),
        }
    }

    /// When the host may be asked again, after a fetch from `start` to `end`.
    pub fn next_fetch(&self, start: Timestamp, end: Timestamp, asked: Asked) -> Timestamp {
        let own = match self.rate_gap {
            Some(gap) => start + gap,
            None => end + self.pause.max((end.since(start) * self.rest_factor).min(self.longest_rest)),
        };
        // The host's own word may lengthen our pause, never shorten it: a forged `Retry-After: 0` must not
        // turn us into a flood.
        let asked_for = asked.crawl_delay.unwrap_or_default().max(asked.retry_after.unwrap_or_default());
        own.max(end + asked_for)
    }

    /// The shortest time between two request starts at a host that asks for `crawl_delay`.
    pub fn gap(&self, crawl_delay: Option<Duration>) -> Duration {
        self.rate_gap.unwrap_or(self.pause).max(crawl_delay.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Took and Retry-After → wait after the end, all in milliseconds.
    fn check(took: u64, retry_after: Option<u64>, expected: u64) {
        let politeness = Politeness::of(&CrawlSettings::default());
        let asked = Asked { retry_after: retry_after.map(Duration::from_millis), ..Asked::default() };
        let (start, end) = (Timestamp(1_000_000), Timestamp(1_000_000 + took));
        assert_eq!(politeness.next_fetch(start, end, asked), Timestamp(end.0 + expected));
    }

    #[test]
    fn retry_after_lengthens_but_never_shortens() {
        check(20, Some(60_000), 60_000);
        check(20, Some(0), 1_000);
        check(20, None, 1_000);
    }

    #[test]
    fn a_slow_host_rests_longer_up_to_a_limit() {
        check(500, None, 2_500);
        check(60_000, None, 10_000);
    }

    #[test]
    fn a_rate_replaces_the_pauses_but_not_the_hosts_word() {
        let fast = Politeness::of(&CrawlSettings {
            rate: Some("50/s".parse().unwrap()),
            ..CrawlSettings::default()
        });
        let (start, end) = (Timestamp(1_000), Timestamp(1_900));
        // The next start is owed 20 ms after the last; a longer fetch has used them up.
        assert_eq!(fast.next_fetch(start, end, Asked::default()), Timestamp(1_900));
        let asked = Asked { crawl_delay: Some(Duration::from_secs(5)), ..Asked::default() };
        assert_eq!(fast.next_fetch(start, end, asked), Timestamp(6_900));
        assert_eq!(fast.address_gap, Duration::from_millis(20));
    }
}
