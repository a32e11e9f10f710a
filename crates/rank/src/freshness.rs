//! Freshness: how much of a page's newness is left.

/// From 1 for a page of today, by half every `half_life` days, to 0. An age that is not known is not fresh; a date
/// in the future counts as today.
pub fn freshness(age_days: f64, half_life: f64) -> f64 {
    if age_days.is_nan() || half_life.is_nan() {
        return 0.0;
    }
    if age_days <= 0.0 {
        return 1.0;
    }
    if half_life <= 0.0 {
        return 0.0;
    }
    let halvings = age_days / half_life;
    // Infinity by infinity.
    if halvings.is_nan() { 0.0 } else { (-halvings).exp2() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(age_days: f64, half_life: f64, expected: f64) {
        assert_eq!(freshness(age_days, half_life), expected, "{age_days} days, {half_life} days");
    }

    #[test]
    fn newness_halves_every_half_life() {
        check(0.0, 30.0, 1.0);
        check(30.0, 30.0, 0.5);
        check(60.0, 30.0, 0.25);
        check(1e9, 30.0, 0.0);
        check(10.0, f64::INFINITY, 1.0);
    }

    #[test]
    fn odd_numbers_stay_between_0_and_1() {
        check(-5.0, 30.0, 1.0);
        check(f64::NAN, 30.0, 0.0);
        check(5.0, 0.0, 0.0);
        check(0.0, 0.0, 1.0);
        check(5.0, -1.0, 0.0);
        check(f64::INFINITY, f64::INFINITY, 0.0);
        check(5.0, f64::NAN, 0.0);
    }
}
