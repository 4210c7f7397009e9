//! Texts that a plain file cannot show: made by repetition, or given as base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

/// A text made by repetition: `prefix`, then `repeat` written `count` times, then `suffix`.
///
/// For sources and values whose exact length matters, and which nobody should have to scroll through.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generate {
    /// Text before.
    #[serde(default)]
    pub prefix: String,
    /// Text repeated.
    pub repeat: String,
    /// How often.
    pub count: usize,
    /// Text after.
    #[serde(default)]
    pub suffix: String,
}

impl Generate {
    /// The text.
    #[must_use]
    pub fn text(&self) -> String {
        [&*self.prefix, &*self.repeat.repeat(self.count), &*self.suffix].concat()
    }
}

/// Several generated pieces, one after another.
pub(super) fn joined(pieces: &[Generate]) -> String {
    pieces.iter().map(Generate::text).collect()
}

/// Decodes a base64 source, which must be UTF-8 because a tool call carries a JSON string.
pub(super) fn from_base64(text: &str) -> Result<String, String> {
    let bytes = STANDARD.decode(text).map_err(|error| format!("source_base64: {error}"))?;
    String::from_utf8(bytes).map_err(|_| "source_base64 is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_text_has_its_parts_in_order() {
        let made = Generate { prefix: "<".into(), repeat: "ab".into(), count: 3, suffix: ">".into() };
        assert_eq!(made.text(), "<ababab>");
        assert_eq!(joined(&[made.clone(), Generate { count: 0, ..made }]), "<ababab><>");
    }

    #[test]
    fn base64_carries_any_utf8_and_nothing_else() {
        assert_eq!(from_base64("YQBi"), Ok("a\0b".to_owned()));
        assert!(from_base64("gA==").is_err(), "a lone continuation byte");
        assert!(from_base64("***").is_err());
    }
}
