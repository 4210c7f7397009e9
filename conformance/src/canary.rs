//! Canaries: random texts planted where the parent holds things, and looked for in everything it lets out (I7).
//!
//! A leak need not be literal, nor whole. Each canary is searched as it is, by either half (a text that was cut still
//! tells a secret), with its characters as JSON escapes, in hex of either case, and in base64 at each of the three
//! positions it can have in a longer text.

use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// The shortest half that is looked for by itself.
const HALF_BYTES: usize = 14;

/// A planted text.
#[derive(Debug, Clone)]
pub struct Canary {
    /// Where it was planted, for the report.
    pub place: &'static str,
    /// The text: letters and digits only, so that it can stand in a path, a header and a variable.
    pub text: String,
}

impl Canary {
    /// A fresh one, never used before.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn new(place: &'static str) -> std::io::Result<Self> {
        let mut bytes = [0_u8; 12];
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            filled += rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty())?;
        }
        Ok(Self { place, text: format!("canary{}", hex(&bytes, false)) })
    }

    /// The forms in which it is looked for, each with its name.
    #[must_use]
    pub fn forms(&self) -> Vec<(&'static str, Vec<u8>)> {
        let bytes = self.text.as_bytes();
        let mut forms = vec![
            ("raw", bytes.to_vec()),
            ("hex", hex(bytes, false).into_bytes()),
            ("upper-case hex", hex(bytes, true).into_bytes()),
            ("JSON escapes", self.text.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect::<String>().into()),
            ("JSON escapes", self.text.chars().map(|c| format!("\\u{:04X}", u32::from(c))).collect::<String>().into()),
        ];
        // A half is still long enough that it cannot come about by chance.
        let (begin, end) = bytes.split_at(bytes.len() / 2);
        if begin.len() >= HALF_BYTES {
            forms.extend([("its beginning", begin.to_vec()), ("its end", end.to_vec())]);
        }
        for shift in 0..3 {
            forms.push(("base64", base64_core(&STANDARD_NO_PAD, bytes, shift)));
            forms.push(("URL-safe base64", base64_core(&URL_SAFE_NO_PAD, bytes, shift)));
        }
        forms
    }

    /// In which form it stands in the bytes, if it does.
    #[must_use]
    pub fn found_in(&self, haystack: &[u8]) -> Option<&'static str> {
        self.forms().into_iter().find(|(_, form)| contains(haystack, form)).map(|(name, _)| name)
    }
}

/// The part of the base64 text that does not depend on what stands around, after `shift` bytes of something else.
fn base64_core(engine: &impl base64::Engine, bytes: &[u8], shift: usize) -> Vec<u8> {
    let mut padded = vec![0; shift];
    padded.extend_from_slice(bytes);
    let whole = padded.len() / 3 * 3;
    let text = engine.encode(padded.get(..whole).unwrap_or_default());
    text.into_bytes().split_off(if shift == 0 { 0 } else { 4 })
}

fn hex(bytes: &[u8], upper: bool) -> String {
    bytes.iter().map(|byte| if upper { format!("{byte:02X}") } else { format!("{byte:02x}") }).collect()
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    // The first byte is found quickly; the rest is compared where it stands.
    let Some((first, rest)) = needle.split_first() else { return false };
    let mut from = haystack;
    while let Some(at) = from.iter().position(|byte| byte == first) {
        let (_, tail) = from.split_at(at + 1);
        if tail.starts_with(rest) {
            return true;
        }
        from = tail;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    #[test]
    fn every_form_of_a_leak_is_seen() -> std::io::Result<()> {
        let canary = Canary::new("test")?;
        let escaped: String = canary.text.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
        for before in ["", "x", "xy", "xyz", "token="] {
            for after in ["", "!", "tail"] {
                let whole = format!("{before}{}{after}", canary.text);
                for leak in [whole.clone(), STANDARD.encode(&whole), URL_SAFE_NO_PAD.encode(&whole)] {
                    assert!(canary.found_in(format!("{{\"a\":\"{leak}\"}}").as_bytes()).is_some(), "{leak}");
                }
            }
        }
        assert_eq!(canary.found_in(hex(canary.text.as_bytes(), true).as_bytes()), Some("upper-case hex"));
        assert_eq!(canary.found_in(escaped.as_bytes()), Some("JSON escapes"));
        let upper = escaped.replace("6e", "6E");
        assert_ne!(upper, escaped);
        assert_eq!(canary.found_in(upper.as_bytes()), Some("JSON escapes"));
        assert_eq!(canary.found_in(canary.text.split_at(20).0.as_bytes()), Some("its beginning"));
        assert_eq!(canary.found_in(canary.text.split_at(12).1.as_bytes()), Some("its end"));
        Ok(())
    }

    #[test]
    fn nothing_is_seen_where_nothing_is() -> std::io::Result<()> {
        let canary = Canary::new("test")?;
        let other = Canary::new("test")?;
        assert_ne!(canary.text, other.text);
        assert_eq!(canary.found_in(other.text.as_bytes()), None);
        assert_eq!(canary.found_in(canary.text.split_at(10).0.as_bytes()), None, "a few characters are not a half");
        Ok(())
    }
}
