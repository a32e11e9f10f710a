//! Crawl hints and the feed of changes: the input is the JSON, tried as both.

use std::time::Duration;

use fetch::hints::{self, Hints, MOST_CHANGES};
use model::Timestamp;

const DAY: Duration = Duration::from_secs(24 * 3600);

pub(crate) fn check(input: &[u8]) {
    if let Some(hints) = Hints::parse(input) {
        assert_eq!(Hints::parse(input).as_ref(), Some(&hints), "the same again");
        assert!(hints.pause.is_none_or(|pause| pause <= DAY), "{:?}", hints.pause);
        // A hint puts a visit off by a day at most, and then it is welcome.
        for minute in (0..24 * 60).step_by(61) {
            let now = Timestamp(1_700_000_000_000 + minute * 60_000);
            let next = hints.next_visit(now);
            assert!(next >= now && next <= now + DAY, "{now:?} is put off to {next:?}");
            assert_eq!(hints.next_visit(next), next, "welcome then");
        }
    }
    if let Some(changes) = hints::changes(input) {
        assert!(changes.len() <= MOST_CHANGES);
        let bytes: usize = changes.iter().map(|change| change.url.len()).sum();
        assert!(bytes <= input.len(), "no more than is written");
    }
}
