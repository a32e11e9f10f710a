//! Retries: when to try again what failed.

use std::time::Duration;

use model::{CrawlSettings, UrlKey};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// How often and how soon.
#[derive(Clone, Debug)]
pub struct Retry {
    /// Tries after the first.
    pub times: u32,
    /// First wait after a passing failure (time-out, broken connection, 5xx).
    pub soft: Duration,
    /// First wait after a failure that lasts (name, connection).
    pub hard: Duration,
}

/// How patient a failure asks us to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Patience {
    /// Never again: it would fail the same way.
    Drop,
    /// Soon.
    Soft,
    /// Much later, and the whole host rests with it.
    Hard,
}

/// Longest wait of all.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// How often a host may say "busy" to one URL before it counts as failed.
pub(crate) const BUSY_LIMIT: u32 = 8;

impl Retry {
    /// From a project's settings.
    pub fn of(settings: &CrawlSettings) -> Retry {
        let soft = settings.retry_wait.duration();
        Retry { times: settings.retry, soft, hard: soft * 60 }
    }

    /// The wait before try number `tries` + 1: doubled each time, with full jitter so that many failures of
    /// one moment do not return in one moment. Seeded by the URL, so a simulation repeats exactly.
    pub fn wait(&self, patience: Patience, tries: u32, key: UrlKey) -> Option<Duration> {
        let base = match patience {
            Patience::Drop => return None,
            Patience::Soft => self.soft,
            Patience::Hard => self.hard,
        };
        if tries > self.times {
            return None;
        }
        let ceiling = base.saturating_mul(1 << tries.saturating_sub(1).min(16)).min(LONGEST);
        let mut seed = key.page.to_be_bytes().to_vec();
        seed.extend(tries.to_be_bytes());
        // Never less than half: "full jitter" down to zero would ask a failing host again at once.
        let share = 0.5 + (xxh3_64(&seed) >> 11) as f64 / (1u64 << 54) as f64;
        Some(ceiling.mul_f64(share))
    }

    /// The wait after the host said "busy" for the `times`-th time without a longer word of its own.
    pub fn busy_wait(times: u32) -> Duration {
        Duration::from_secs(1 << times.saturating_sub(1).min(12))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{HostKey, Timestamp};

    #[test]
    fn waits_double_with_jitter_and_end() {
        let retry = Retry { times: 3, soft: Duration::from_secs(60), hard: Duration::from_secs(3600) };
        for page in 0..100u128 {
            let key = UrlKey { host: HostKey(1), page };
            for tries in 1..=3 {
                let wait = retry.wait(Patience::Soft, tries, key).unwrap();
                let ceiling = Duration::from_secs(60 << (tries - 1));
                assert!(wait >= ceiling / 2 && wait <= ceiling, "{wait:?} of {ceiling:?}");
                assert!(Timestamp(0) + wait > Timestamp(0));
            }
            assert_eq!(retry.wait(Patience::Soft, 4, key), None);
            assert_eq!(retry.wait(Patience::Drop, 1, key), None);
        }
    }
}
