//! The small words of the language: hexadecimal, numbers, durations, quoted text, names.

use std::time::Duration;

/// The longest pause a script may ask for.
pub const MAX_PAUSE: Duration = Duration::from_secs(60);

/// Bytes in hexadecimal, two digits each, with or without spaces between them.
///
/// # Errors
/// When there is none, or something else.
pub fn hex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| *c != ' ')
        .map(|c| c.to_digit(16).ok_or(format!("{c:?} is not a hexadecimal digit")))
        .collect::<Result<_, _>>()?;
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return Err("bytes in hexadecimal have two digits each".to_owned());
    }
    digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).map_err(|e| e.to_string())).collect()
}

/// A number without sign.
///
/// # Errors
/// When it is not digits, or over 64 bits.
pub fn number(text: &str) -> Result<u64, String> {
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("{text:?} is not a number"));
    }
    text.parse().map_err(|_| format!("{text:?} is not a number of 64 bits"))
}

/// `50ms` or `2s`.
///
/// # Errors
/// When it is neither, or over [`MAX_PAUSE`].
pub fn duration(text: &str) -> Result<Duration, String> {
    let duration = if let Some(ms) = text.strip_suffix("ms") {
        Duration::from_millis(number(ms)?)
    } else if let Some(s) = text.strip_suffix('s') {
        Duration::from_secs(number(s)?)
    } else {
        return Err(format!("{text:?} is not a duration such as 50ms or 2s"));
    };
    if duration > MAX_PAUSE { Err(format!("{text} is longer than {MAX_PAUSE:?}")) } else { Ok(duration) }
}

/// Text between double quotes with the escapes `\n \r \t \\ \" \0 \xHH`. Gives the bytes.
///
/// # Errors
/// When a quote is missing, an escape is unknown, or something follows the closing quote.
pub fn quoted(text: &str) -> Result<Vec<u8>, String> {
    let mut rest = text.strip_prefix('"').ok_or("text stands between double quotes")?.chars();
    let mut out = Vec::new();
    loop {
        match rest.next().ok_or("text has no closing quote")? {
            '"' if rest.as_str().is_empty() => return Ok(out),
            '"' => return Err("something follows the closing quote".to_owned()),
            '\\' => match rest.next() {
                Some('n') => out.push(b'\n'),
                Some('r') => out.push(b'\r'),
                Some('t') => out.push(b'\t'),
                Some('0') => out.push(0),
                Some(c @ ('"' | '\\')) => out.extend_from_slice(c.to_string().as_bytes()),
                Some('x') => {
                    let digits: String = rest.by_ref().take(2).collect();
                    out.extend(hex(&digits)?);
                }
                _ => return Err("an escape is \\n \\r \\t \\0 \\\\ \\\" or \\xHH".to_owned()),
            },
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// Whether this can name a kept value.
#[must_use]
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_exactly() {
        assert_eq!(hex("41 4243"), Ok(b"ABC".to_vec()));
        assert_eq!(number("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(duration("50ms"), Ok(Duration::from_millis(50)));
        assert_eq!(duration("2s"), Ok(Duration::from_secs(2)));
        assert_eq!(quoted(r#""a\n\xff\"é""#), Ok(b"a\n\xff\"\xc3\xa9".to_vec()));
        assert!(is_name("SNAPSHOT_ID") && !is_name("") && !is_name("a"));
    }

    #[test]
    fn near_words_are_refused() {
        assert!(hex("").is_err() && hex("4").is_err() && hex("4g").is_err());
        assert!(number("-1").is_err() && number("1e3").is_err() && number("18446744073709551616").is_err());
        assert!(number("").is_err());
        assert!(duration("50").is_err() && duration("61s").is_err() && duration("s").is_err());
        for bad in ["a", "\"a", "\"a\"b", r#""\q""#, r#""\x4""#, ""] {
            assert!(quoted(bad).is_err(), "{bad}");
        }
    }
}
