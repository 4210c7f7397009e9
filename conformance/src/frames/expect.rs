//! What the other side must do: patterns for frames, and ways to end.

use serde_json::{Map, Value};

use super::template::{Template, Variables};

/// A frame that must come: fields of the frame, and of its `error`, that are not named are not compared; every
/// other value is compared whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The JSON object, invocation not yet filled in.
    template: Template,
    /// The type the frame must have, when the script named one.
    kind: Option<String>,
}

impl Pattern {
    /// Reads a pattern: a JSON object, in which only `$INVOCATION` may be substituted.
    ///
    /// # Errors
    /// A sentence about what is wrong.
    pub fn parse(kind: Option<&str>, text: &str) -> Result<Self, String> {
        let template = Template::parse(if text.is_empty() { "{}" } else { text })?;
        if !template.is_plain() {
            return Err("only $INVOCATION can be substituted in an expectation".to_owned());
        }
        let pattern = Self { template, kind: kind.map(str::to_owned) };
        pattern.object(&Variables { invocation: 1, ..Variables::default() })?;
        Ok(pattern)
    }

    /// Compares a frame's body.
    ///
    /// # Errors
    /// What was expected and what came.
    pub fn check(&self, body: &[u8], variables: &Variables) -> Result<(), String> {
        let expected = self.object(variables)?;
        let shown = || String::from_utf8_lossy(&body[..body.len().min(2000)]).into_owned();
        let got: Value = serde_json::from_slice(body).map_err(|e| format!("not JSON ({e}): {}", shown()))?;
        let Value::Object(got) = got else { return Err(format!("not an object: {}", shown())) };
        contains(&expected, &got)
            .map_err(|field| format!("field {field} differs; expected {expected:?}, got {}", shown()))
    }

    fn object(&self, variables: &Variables) -> Result<Map<String, Value>, String> {
        let mut object: Map<String, Value> = serde_json::from_slice(&self.template.expand(variables)?)
            .map_err(|e| format!("the expectation is not a JSON object: {e}"))?;
        if let Some(kind) = &self.kind {
            object.insert("type".to_owned(), Value::String(kind.clone()));
        }
        Ok(object)
    }
}

fn contains(expected: &Map<String, Value>, got: &Map<String, Value>) -> Result<(), String> {
    for (name, want) in expected {
        let have = got.get(name).ok_or(name.as_str())?;
        match (name.as_str(), want, have) {
            ("error", Value::Object(want), Value::Object(have)) => {
                contains(want, have).map_err(|field| format!("error.{field}"))?;
            }
            _ if want == have => {}
            _ => return Err(name.clone()),
        }
    }
    Ok(())
}

/// A way for a process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitKind {
    /// With this status.
    Status(u8),
    /// With any status but zero, and not by a signal.
    Failure,
    /// By this signal.
    Signal(super::script::Signal),
}

/// How a process did end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With a status.
    Status(i32),
    /// By a signal.
    Signal(i32),
}

impl ExitKind {
    /// Whether that is what happened; signals by their Linux numbers.
    #[must_use]
    pub fn matches(self, ended: Ended) -> bool {
        match (self, ended) {
            (Self::Status(want), Ended::Status(got)) => i32::from(want) == got,
            (Self::Failure, Ended::Status(got)) => got != 0,
            (Self::Signal(want), Ended::Signal(got)) => want.number() == got,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, body: &str) -> Result<(), String> {
        let variables = Variables { invocation: 9, ..Variables::default() };
        Pattern::parse(Some("result"), pattern).and_then(|pattern| pattern.check(body.as_bytes(), &variables))
    }

    #[test]
    fn named_fields_are_compared_and_values_whole() {
        let body = r#"{"type":"result","invocation":9,"value":{"a":1,"b":2},"extra":0}"#;
        assert_eq!(check(r#"{"invocation":$INVOCATION,"value":{"a":1,"b":2}}"#, body), Ok(()));
        assert_eq!(check("", body), Ok(()));
        assert!(check(r#"{"value":{"a":1}}"#, body).is_err());
        assert!(check(r#"{"missing":1}"#, body).is_err());
        assert!(check("", r#"{"type":"host_call"}"#).is_err());
        assert!(check("", "[]").is_err());
        let failed = r#"{"type":"result","error":{"code":"x","message":"y"}}"#;
        assert_eq!(check(r#"{"error":{"code":"x"}}"#, failed), Ok(()));
        assert!(check(r#"{"error":{"code":"y"}}"#, failed).is_err());
    }

    #[test]
    fn patterns_are_checked_when_they_are_read() {
        for bad in ["[]", "{", "{\"a\":$(repeat 41 3)}", "{\"a\":$N}", "5"] {
            assert!(Pattern::parse(None, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ways_to_end_are_told_apart() {
        assert!(ExitKind::Failure.matches(Ended::Status(1)));
        assert!(!ExitKind::Failure.matches(Ended::Status(0)));
        assert!(!ExitKind::Failure.matches(Ended::Signal(6)));
        assert!(ExitKind::Signal(super::super::script::Signal::Sys).matches(Ended::Signal(31)));
        assert!(ExitKind::Status(0).matches(Ended::Status(0)));
    }
}
