//! Text from the engine to JSON: surrogates, escapes, and exact counts of serialized bytes.

use std::borrow::Cow;

/// The bytes of U+FFFD, which stands for an unpaired surrogate.
const REPLACEMENT: &str = "\u{fffd}";

/// Whether WTF-8 text holds an unpaired surrogate (ED A0…BF xx).
pub(super) fn has_surrogate(wtf8: &[u8]) -> bool {
    wtf8.windows(2).any(|pair| pair[0] == 0xed && pair[1] >= 0xa0)
}

/// WTF-8 as UTF-8, each unpaired surrogate becoming one U+FFFD (`from_utf8_lossy` gives three).
pub(super) fn replace_surrogates(wtf8: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(wtf8) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(wtf8.len());
    let mut rest = wtf8;
    while !rest.is_empty() {
        match std::str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                break;
            }
            Err(error) => {
                let (valid, invalid) = rest.split_at(error.valid_up_to());
                text.push_str(&String::from_utf8_lossy(valid));
                text.push_str(REPLACEMENT);
                let surrogate = invalid.len() >= 3 && invalid[0] == 0xed && invalid[1] >= 0xa0;
                rest = &invalid[if surrogate { 3 } else { 1 }..];
            }
        }
    }
    Cow::Owned(text)
}

/// What a byte becomes inside a JSON string: itself (0), a two-character escape (that character), or `\u00XX` (b'u').
const fn escape(byte: u8) -> u8 {
    match byte {
        b'"' => b'"',
        b'\\' => b'\\',
        0x08 => b'b',
        0x09 => b't',
        0x0a => b'n',
        0x0c => b'f',
        0x0d => b'r',
        0x00..=0x1f => b'u',
        _ => 0,
    }
}

/// Appends the contents of a JSON string (no quotes), escaped as `serde_json` escapes them.
pub(super) fn push_escaped(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let bytes = text.as_bytes();
    let mut plain = 0;
    for (index, &byte) in bytes.iter().enumerate() {
        let code = escape(byte);
        if code == 0 {
            continue;
        }
        out.extend_from_slice(&bytes[plain..index]);
        plain = index + 1;
        if code == b'u' {
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
        } else {
            out.extend_from_slice(&[b'\\', code]);
        }
    }
    out.extend_from_slice(&bytes[plain..]);
}

/// The bytes a character takes inside a JSON string.
pub(super) fn escaped_length(character: char) -> usize {
    match u8::try_from(character).map(escape) {
        Ok(b'u') => 6,
        Ok(0) | Err(_) => character.len_utf8(),
        Ok(_) => 2,
    }
}

/// The longest beginning of `text` of at most `bytes` bytes that ends between characters.
pub(super) fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_surrogate_becomes_one_replacement() {
        let wtf8 = b"a\xed\xa0\xbdb\xed\xb0\x80\xed\xbf\xbf";
        assert!(has_surrogate(wtf8));
        assert_eq!(replace_surrogates(wtf8), "a\u{fffd}b\u{fffd}\u{fffd}");
        assert!(!has_surrogate("\u{d7ff}\u{e000}\u{1f600}".as_bytes()));
        assert_eq!(replace_surrogates("\u{d7ff}x".as_bytes()), "\u{d7ff}x");
    }

    #[test]
    fn escapes_and_their_lengths_are_those_of_serde_json() {
        let all: String = (0..0x250).filter_map(char::from_u32).chain("\u{2028}\u{fffd}\u{1f600}".chars()).collect();
        let expected = serde_json::to_string(&all).unwrap_or_default();
        let mut out = Vec::new();
        push_escaped(&mut out, &all);
        assert_eq!(format!("\"{}\"", String::from_utf8_lossy(&out)), expected);
        assert_eq!(all.chars().map(escaped_length).sum::<usize>() + 2, expected.len());
    }

    #[test]
    fn cutting_never_splits_a_character() {
        assert_eq!(cut("a\u{20ac}", 3), "a");
        assert_eq!(cut("a\u{20ac}", 4), "a\u{20ac}");
        assert_eq!(cut("abc", 99), "abc");
    }
}
