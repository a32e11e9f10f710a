//! Content codings: the first line is `Content-Encoding`, the rest the body.

use bytes::Bytes;
use fetch::{DecodeLimits, decode};
use model::Cut;

const LIMITS: DecodeLimits = DecodeLimits { length: 1 << 20, ratio: 200 };
const SHORT: DecodeLimits = DecodeLimits { length: 1_000, ratio: 200 };

pub(crate) fn check(input: &[u8]) {
    let (codings, body) = super::first_line(input);
    let codings = String::from_utf8_lossy(codings);
    let body = Bytes::copy_from_slice(body);
    let Some(whole) = decode(&body, &codings, LIMITS) else {
        assert!(codings.matches(',').count() >= 3, "refused only for too many layers: {codings:?}");
        return;
    };
    let short = decode(&body, &codings, SHORT).expect("layers do not depend on limits");
    let coded = body != whole.content || whole.cut.is_some();
    if coded {
        assert!(whole.content.len() as u64 <= LIMITS.length);
        assert!(short.content.len() as u64 <= SHORT.length);
    }
    assert!(whole.content.starts_with(&short.content), "a shorter limit keeps a shorter beginning");
    if short.cut.is_none() {
        assert_eq!((short.content, short.cut), (whole.content, whole.cut), "below both limits");
    } else if whole.content.len() as u64 > SHORT.length {
        assert_eq!(short.cut, Some(Cut::Length));
    }
}
