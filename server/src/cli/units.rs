//! Sizes and ages as people write them.

use std::time::Duration;

/// Suffixes of sizes, in any case: powers of 1024 with an i, powers of 1000 without.
const SIZES: [(&str, u64); 9] = [
    ("", 1),
    ("B", 1),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];
/// Suffixes of ages.
const AGES: [(&str, u64); 5] = [("s", 1), ("min", 60), ("h", 3600), ("d", 86_400), ("w", 604_800)];

/// A number of bytes: `1048576`, `1MiB` or `500 MB`.
///
/// # Errors
/// What was expected.
pub(super) fn size(text: &str) -> Result<u64, String> {
    parse(text, &SIZES).ok_or_else(|| "expected bytes, such as 1048576, 500MB or 2GiB".to_owned())
}

/// The same, where nothing at all would make no sense.
///
/// # Errors
/// As [`size`].
pub(super) fn some_size(text: &str) -> Result<u64, String> {
    match size(text)? {
        0 => Err("expected at least 1 byte".to_owned()),
        bytes => Ok(bytes),
    }
}

/// A time that has passed: `90s`, `15min`, `12h`, `30d` or `2w`.
///
/// # Errors
/// What was expected.
pub(super) fn age(text: &str) -> Result<Duration, String> {
    let seconds = parse(text, &AGES).ok_or_else(|| "expected an age, such as 90s, 15min, 12h, 30d or 2w".to_owned());
    seconds.map(Duration::from_secs)
}

/// Bytes for people.
pub(super) fn shown(bytes: u64) -> String {
    let unit = [("GiB", 1_u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)].into_iter().find(|(_, unit)| bytes >= *unit);
    match unit {
        // Tenths, rounded down: never more than there is.
        Some((name, unit)) => format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit),
        None => format!("{bytes} B"),
    }
}

fn parse(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, suffix) = text.split_at(digits);
    let (_, unit) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(suffix.trim()))?;
    number.parse::<u64>().ok()?.checked_mul(*unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_ages() {
        for (text, bytes) in [("0", 0), ("12", 12), ("1KiB", 1024), ("2 gib", 2 << 30), ("500MB", 500_000_000)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "x", "-1", "1.5GiB", "1XB", "99999999999GiB", "KiB"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert!(some_size("0").is_err());
        assert_eq!(age("2w"), Ok(Duration::from_secs(1_209_600)));
        for text in ["", "5", "d", "1y"] {
            assert!(age(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bytes_for_people() {
        for (bytes, text) in [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), ((1 << 20) - 1, "1023.9 KiB")] {
            assert_eq!(shown(bytes), text);
        }
    }
}
