//! Days of the made-up calendar, and how they are written on pages. No clock is read.

/// A day, counted from 1 January 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Day(pub(crate) i64);

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

impl Day {
    /// Year, month (1 to 12) and day of the month, by the proleptic Gregorian calendar.
    pub(crate) fn civil(self) -> (i64, u32, u32) {
        // Counting years from March puts the leap day last, so that months are a linear formula.
        let shifted = self.0 + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * march_month + 2) / 5 + 1) as u32;
        let month = if march_month < 10 { march_month + 3 } else { march_month - 9 } as u32;
        (year_of_era + era * 400 + i64::from(month <= 2), month, day)
    }

    /// `2026-03-09`
    pub(crate) fn iso(self) -> String {
        let (year, month, day) = self.civil();
        format!("{year:04}-{month:02}-{day:02}")
    }

    /// `9 March 2026`
    pub(crate) fn long(self) -> String {
        let (year, month, day) = self.civil();
        format!("{day} {} {year}", month_name(month))
    }

    /// `Mon, 09 Mar 2026 06:00:00 GMT`, the form of HTTP headers and feeds.
    pub(crate) fn http(self) -> String {
        let (year, month, day) = self.civil();
        let weekday = WEEKDAYS[self.0.rem_euclid(7) as usize];
        format!("{weekday}, {day:02} {} {year:04} 06:00:00 GMT", &month_name(month)[..3])
    }

    /// Reads the form that `http` writes; `None` for anything else.
    pub(crate) fn from_http(text: &str) -> Option<Self> {
        let mut parts = text.split_ascii_whitespace().skip(1);
        let day: i64 = parts.next()?.parse().ok()?;
        let name = parts.next()?;
        let month = MONTHS.iter().position(|month| &month[..3] == name)? as i64 + 1;
        let year: i64 = parts.next()?.parse().ok()?;
        if !(1..=31).contains(&day) || !(0..=9_999).contains(&year) {
            return None;
        }
        Some(Self::of(year, month as u32, day as u32))
    }

    /// The day of a civil date.
    pub(crate) fn of(year: i64, month: u32, day: u32) -> Self {
        let march_year = if month <= 2 { year - 1 } else { year };
        let era = march_year.div_euclid(400);
        let year_of_era = march_year.rem_euclid(400);
        let march_month = i64::from((month + 9) % 12);
        let day_of_year = (153 * march_month + 2) / 5 + i64::from(day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Self(era * 146_097 + day_of_era - 719_468)
    }
}

/// The English name of month 1 to 12.
pub(crate) fn month_name(month: u32) -> &'static str {
    MONTHS[(month as usize + 11) % 12]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_written_as_their_dates() {
        assert_eq!(Day(0).iso(), "1970-01-01");
        assert_eq!(Day(19_782).iso(), "2024-02-29");
        assert_eq!(Day(20_521).http(), "Mon, 09 Mar 2026 06:00:00 GMT");
        assert_eq!(Day(20_521).long(), "9 March 2026");
    }

    #[test]
    fn dates_come_back_as_the_same_day() {
        for day in (-100_000..100_000).step_by(37) {
            let (year, month, date) = Day(day).civil();
            assert_eq!(Day::of(year, month, date), Day(day));
        }
        assert_eq!(Day::from_http(&Day(20_521).http()), Some(Day(20_521)));
        assert_eq!(Day::from_http("tomorrow"), None);
    }
}
