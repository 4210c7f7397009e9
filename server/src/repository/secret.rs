//! A token that can't be printed by accident (I7).

use std::fmt;

/// A credential. `Debug` and `Display` show that there is one, never what it is; it has no serialized form.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Takes a credential; `None` when nothing is left after trimming, or when it can't stand in a header.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let printable = text.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
        (!text.is_empty() && printable).then(|| Self(text.to_owned()))
    }

    /// The credential itself, for the one place that puts it into a request header.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([redacted])")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_nothing() {
        let secret = Secret::new(" hunter2\n").expect("a token");
        assert_eq!(secret.expose(), "hunter2");
        assert!(!format!("{secret:?} {secret} {:?}", Some(&secret)).contains("hunter2"));
    }

    #[test]
    fn refuses_what_a_header_cannot_carry() {
        assert!(Secret::new("  ").is_none());
        assert!(Secret::new("a\r\nHost: evil").is_none());
        assert!(Secret::new("pässword").is_none());
    }
}
