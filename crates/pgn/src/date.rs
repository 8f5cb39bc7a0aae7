//! Dates and clocks as PGN writes them.

use std::time::{SystemTime, UNIX_EPOCH};

/// UTC as PGN writes it: `2026.11.15` and `04:25:00`.
pub fn date_and_clock(time: SystemTime) -> (String, String) {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let ((year, month, day), of_day) = (civil(seconds / 86_400), seconds % 86_400);
    let clock = format!("{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60);
    (format!("{year:04}.{month:02}.{day:02}"), clock)
}

/// Today's date (UTC).
pub fn today() -> String {
    date_and_clock(SystemTime::now()).0
}

/// A date such as `2024`, `2024.05` or `2024-05-31`; `missing` stands for a month or day that is not there.
pub fn parse_date(text: &str, missing: u8) -> Option<(u16, u8, u8)> {
    let mut parts = text.split(['.', '-']);
    let year: u16 = parts.next()?.parse().ok().filter(|&year| year < 4096)?;
    let mut part = |most: u8| match parts.next() {
        None => Some(missing),
        Some(text) => text.parse().ok().filter(|n| (1..=most).contains(n)),
    };
    let date = (year, part(12)?, part(31)?);
    parts.next().is_none().then_some(date)
}

/// Days from 1970-01-01 to a date of the Gregorian calendar; none where month or day are not known. Every month may
/// have 31 days here: 31 February is counted on into March.
pub fn days_since_1970(year: u16, month: u8, day: u8) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // As below: years begin on 1 March.
    let (year, month) = (i64::from(year) - i64::from(month <= 2), (i64::from(month) + 9) % 12);
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(365 * year + leap_days + (153 * month + 2) / 5 + i64::from(day) - 1 - 719_468)
}

/// Days since 1970-01-01 as a date of the Gregorian calendar.
fn civil(days: u64) -> (u64, u64, u64) {
    // Count in years that begin on 1 March: the leap day is the last of its year, and of its 400-year cycle.
    let shifted = days + 719_468;
    let (cycle, day_of_cycle) = (shifted / 146_097, shifted % 146_097);
    let year_of_cycle = (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
    let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (cycle * 400 + year_of_cycle + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates() {
        let at = |seconds| date_and_clock(UNIX_EPOCH + Duration::from_secs(seconds)).0;
        assert_eq!(at(0), "1970.01.01");
        assert_eq!(at(951_782_400), "2000.02.29");
        assert_eq!(at(951_868_800), "2000.03.01");
        assert_eq!(at(1_735_689_599), "2024.12.31");
        assert_eq!(at(4_107_542_399), "2100.02.28");
        assert_eq!(at(4_107_542_400), "2100.03.01");
        let (date, clock) = date_and_clock(UNIX_EPOCH + Duration::from_secs(20_772 * 86_400 + 15_900));
        assert_eq!((date.as_str(), clock.as_str()), ("2026.11.15", "04:25:00"));
        assert_eq!(today().len(), 10);
    }

    #[test]
    fn dates_in_words() {
        assert_eq!(parse_date("2024", 0), Some((2024, 0, 0)));
        assert_eq!(parse_date("2024-05", u8::MAX), Some((2024, 5, u8::MAX)));
        assert_eq!(parse_date("2024.05.31", 0), Some((2024, 5, 31)));
        for wrong in ["", "soon", "4096", "2024.13", "2024.05.32", "2024.05.31.1", "2024."] {
            assert_eq!(parse_date(wrong, 0), None, "{wrong}");
        }
    }

    #[test]
    fn days_and_dates_agree() {
        for days in (0..80_000).step_by(7) {
            let (year, month, day) = civil(days);
            let back = days_since_1970(year as u16, month as u8, day as u8);
            assert_eq!(back, Some(days as i64), "{year}-{month}-{day}");
        }
        assert_eq!(days_since_1970(1969, 12, 31), Some(-1));
        assert_eq!(days_since_1970(0, 3, 1), Some(-719_468));
        assert_eq!(days_since_1970(0, 1, 1), Some(-719_528));
        assert_eq!(
            (days_since_1970(2024, 0, 1), days_since_1970(2024, 13, 1), days_since_1970(2024, 1, 0)),
            (None, None, None)
        );
    }
}
