//! Dates in UTC, as RFC 3339 writes them.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, to the second.
#[must_use]
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    written(seconds)
}

/// Seconds since 1970 as `2026-12-01T14:30:00Z`.
pub(crate) fn written(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years that begin in March end with their leap day.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Takes a date that was given, as a day or as a whole RFC 3339 time in UTC.
///
/// # Errors
/// When it is neither.
pub fn given(text: &str) -> Result<String, String> {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    match shape.as_str() {
        "0000-00-00" => Ok(format!("{text}T00:00:00Z")),
        "0000-00-00T00:00:00Z" => Ok(text.to_owned()),
        _ => Err("a date is 2026-12-01 or 2026-12-01T14:30:00Z".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_782_400 + 3661, "2000-02-29T01:01:01Z"),
            (1_796_135_133, "2026-12-01T14:25:33Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (1_798_761_599, "2026-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(written(seconds), date);
        }
        assert_eq!(given("2026-12-01").as_deref(), Ok("2026-12-01T00:00:00Z"));
        assert_eq!(given(&now()), Ok(now()));
        assert!(given("yesterday").is_err() && given("2026-12-01T00:00:00+01:00").is_err());
    }
}
