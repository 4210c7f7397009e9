//! What must come of a case, exactly: a value compared whole, or a code with its reason and facts.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use wit_worker::registry::codes::REASONS;
use wit_worker::registry::{Code, Reason};

use super::source::{self, Generate};

/// The one outcome a case must have, and the time it may take.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// The accepted outcomes: one, save where engines may rightly differ; the first is the usual one.
    pub outcomes: Vec<Outcome>,
    /// The longest the call may take, for limits and for what must be detected at once.
    pub max: Option<Duration>,
}

/// One accepted outcome.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The script succeeds with this value, and, where given, this console.
    Value {
        /// The whole value.
        value: Value,
        /// The whole console text.
        console: Option<String>,
        /// Whether console output was dropped.
        console_truncated: Option<bool>,
        /// Counts of the usage report that are fixed, by name; a bit counts as 0 or 1.
        usage: BTreeMap<String, u64>,
    },
    /// The call fails.
    Failure(Box<Failure>),
    /// No answer comes: the client withdrew the request, or the server is gone.
    NoAnswer,
}

/// A failure, as far as it is fixed. What a case leaves out is not compared; the snapshot of each code pins the whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The code.
    pub code: Code,
    /// The reason; always given for a code that has reasons.
    pub reason: Option<Reason>,
    /// The operation to blame.
    pub operation: Option<String>,
    /// Line in the user's source.
    pub line: Option<u64>,
    /// Column in the user's source.
    pub column: Option<u64>,
    /// What was measured.
    pub measured: Option<u64>,
    /// The limit.
    pub limit: Option<u64>,
    /// Texts the message must contain.
    pub message: Vec<String>,
    /// Texts the message must not contain.
    pub message_without: Vec<String>,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq)]
pub enum Observed {
    /// The success object: `value`, `usage`, perhaps `console` and `notes`.
    Success(Value),
    /// The failure object: `code`, `message`, and facts.
    Failure(Value),
    /// No answer within the time allowed.
    NoAnswer,
}

/// As it stands in the file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RawExpectation {
    value: Option<String>,
    value_made: Option<Vec<Generate>>,
    console: Option<String>,
    console_truncated: Option<bool>,
    usage: BTreeMap<String, u64>,
    code: Option<String>,
    reason: Option<String>,
    operation: Option<String>,
    line: Option<u64>,
    column: Option<u64>,
    measured: Option<u64>,
    limit: Option<u64>,
    message: Vec<String>,
    message_without: Vec<String>,
    no_answer: bool,
    any_of: Vec<RawExpectation>,
    max_ms: Option<u64>,
}

impl RawExpectation {
    /// Makes sense of the fields, or says which cannot stand together.
    pub(super) fn check(self) -> Result<Expectation, String> {
        let max = self.max_ms.map(Duration::from_millis);
        let mut outcomes = Vec::with_capacity(1 + self.any_of.len());
        let alternatives = self.any_of.clone();
        outcomes.push(self.outcome()?);
        for other in alternatives {
            if other.max_ms.is_some() || !other.any_of.is_empty() {
                return Err("any_of holds outcomes only".into());
            }
            outcomes.push(other.outcome()?);
        }
        Ok(Expectation { outcomes, max })
    }

    fn outcome(self) -> Result<Outcome, String> {
        let value = match (&self.value, &self.value_made) {
            (Some(text), None) => Some(text.clone()),
            (None, Some(pieces)) => Some(source::joined(pieces)),
            (None, None) => None,
            _ => return Err("value and value_made exclude each other".into()),
        };
        match (value, &self.code, self.no_answer) {
            (Some(text), None, false) => {
                let value = serde_json::from_str(&text).map_err(|error| format!("value is JSON text: {error}"))?;
                Ok(Outcome::Value {
                    value,
                    console: self.console,
                    console_truncated: self.console_truncated,
                    usage: self.usage,
                })
            }
            (None, Some(_), false) => self.failure().map(|failure| Outcome::Failure(Box::new(failure))),
            (None, None, true) => Ok(Outcome::NoAnswer),
            _ => Err("an outcome is one of value, code and no_answer".into()),
        }
    }

    fn failure(self) -> Result<Failure, String> {
        let name = self.code.unwrap_or_default();
        let code = Code::parse(&name).ok_or_else(|| format!("{name} is not a code"))?;
        let reason = match self.reason {
            Some(name) => Some(Reason::parse(&name).ok_or_else(|| format!("{name} is not a reason"))?),
            None => None,
        };
        match reason {
            Some(reason) if reason.code() != code => return Err(format!("{reason} is not a reason of {code}")),
            None if REASONS.iter().any(|row| row.2 == code) => return Err(format!("{code} needs its reason")),
            _ => {}
        }
        Ok(Failure {
            code,
            reason,
            operation: self.operation,
            line: self.line,
            column: self.column,
            measured: self.measured,
            limit: self.limit,
            message: self.message,
            message_without: self.message_without,
        })
    }
}

impl Expectation {
    /// Compares what was seen, and how long it took, with what must be.
    ///
    /// # Errors
    /// In words: what was expected, and what is different.
    pub fn check(&self, observed: &Observed, elapsed: Duration) -> Result<(), String> {
        let mut differences = Vec::new();
        for outcome in &self.outcomes {
            match outcome.compare(observed) {
                Ok(()) => return self.in_time(elapsed),
                Err(difference) => differences.push(difference),
            }
        }
        Err(differences.join("; nor the alternative: "))
    }

    fn in_time(&self, elapsed: Duration) -> Result<(), String> {
        match self.max {
            Some(max) if elapsed > max => Err(format!("took {elapsed:.0?}; at most {max:.0?} is allowed")),
            _ => Ok(()),
        }
    }

    /// Every code that is accepted.
    pub fn codes(&self) -> impl Iterator<Item = Code> {
        self.outcomes.iter().filter_map(|outcome| match outcome {
            Outcome::Failure(failure) => Some(failure.code),
            _ => None,
        })
    }

    /// The kinds of the accepted outcomes, without their details: what may not change under an id that was released.
    #[must_use]
    pub fn meaning(&self) -> String {
        let kinds = self.outcomes.iter().map(|outcome| match outcome {
            Outcome::Value { .. } => "value".to_owned(),
            failure_or_none => failure_or_none.shown(),
        });
        kinds.collect::<Vec<_>>().join(" or ")
    }

    /// The code expected first, if a failure is expected.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        match self.outcomes.first() {
            Some(Outcome::Failure(failure)) => Some(failure.code),
            _ => None,
        }
    }
}

impl Outcome {
    fn compare(&self, observed: &Observed) -> Result<(), String> {
        match (self, observed) {
            (Self::Value { value, console, console_truncated, usage }, Observed::Success(got)) => {
                let got_value = got.get("value").ok_or("the success object has no value")?;
                if !same(value, got_value) {
                    return Err(format!("expected value {}, got {}", brief(value), brief(got_value)));
                }
                if let Some(text) = console {
                    let got_text = got.pointer("/console/text").and_then(Value::as_str).unwrap_or_default();
                    if got_text != text {
                        return Err(format!("expected console {text:?}, got {got_text:?}"));
                    }
                }
                if let Some(truncated) = console_truncated {
                    let got = got.pointer("/console/truncated").and_then(Value::as_bool).unwrap_or_default();
                    if got != *truncated {
                        return Err(format!("expected console truncated {truncated}, got {got}"));
                    }
                }
                for (name, expected) in usage {
                    let got = got.get("usage").and_then(|usage| usage.get(name));
                    let got = got.and_then(|got| got.as_u64().or_else(|| got.as_bool().map(u64::from)));
                    if got != Some(*expected) {
                        return Err(format!("expected usage {name} {expected}, got {got:?}"));
                    }
                }
                Ok(())
            }
            (Self::Failure(failure), Observed::Failure(got)) => failure.compare(got),
            (Self::NoAnswer, Observed::NoAnswer) => Ok(()),
            _ => Err(format!("expected {}, got {}", self.shown(), observed.shown())),
        }
    }

    /// The outcome in a line.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Value { value, .. } => format!("value {}", brief(value)),
            Self::Failure(failure) => match failure.reason {
                Some(reason) => format!("{} ({reason})", failure.code),
                None => failure.code.to_string(),
            },
            Self::NoAnswer => "no answer".into(),
        }
    }
}

impl Failure {
    fn compare(&self, got: &Value) -> Result<(), String> {
        let text = |name: &str| got.get(name).and_then(Value::as_str);
        let number = |name: &str| got.get(name).and_then(Value::as_u64);
        let mut wrong = Vec::new();
        let mut differ = |name: &str, expected: String, got: String| {
            if expected != got {
                wrong.push(format!("expected {name} {expected}, got {got}"));
            }
        };
        let or_none = |text: Option<&str>| text.unwrap_or("none").to_owned();
        differ("code", self.code.to_string(), or_none(text("code")));
        differ("reason", or_none(self.reason.map(Reason::as_str)), or_none(text("reason")));
        if let Some(operation) = &self.operation {
            differ("operation", operation.clone(), or_none(text("operation")));
        }
        for (name, expected) in
            [("line", self.line), ("column", self.column), ("measured", self.measured), ("limit", self.limit)]
        {
            if let Some(expected) = expected {
                differ(name, expected.to_string(), number(name).map_or_else(|| "none".into(), |n| n.to_string()));
            }
        }
        let message = text("message").unwrap_or_default();
        for part in self.message.iter().filter(|part| !message.contains(part.as_str())) {
            wrong.push(format!("expected the message to contain {part:?}"));
        }
        for part in self.message_without.iter().filter(|part| message.contains(part.as_str())) {
            wrong.push(format!("expected the message not to contain {part:?}"));
        }
        if wrong.is_empty() { Ok(()) } else { Err(format!("{}; the failure was {}", wrong.join(", "), brief(got))) }
    }
}

impl Observed {
    /// What was seen, in a line.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Success(object) => format!("value {}", object.get("value").map_or_else(|| "absent".into(), brief)),
            Self::Failure(object) => format!("failure {}", brief(object)),
            Self::NoAnswer => "no answer".into(),
        }
    }
}

/// Equality of JSON values: of numbers by value, since `1` and `1.0` are the same number in JSON.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// A value, short enough for a line.
fn brief(value: &Value) -> String {
    const CHARACTERS: usize = 400;
    let text = value.to_string();
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn expect(text: &str) -> Result<Expectation, String> {
        toml::from_str::<RawExpectation>(text).map_err(|error| error.message().to_owned())?.check()
    }

    fn verdict(text: &str, observed: Observed) -> Result<(), String> {
        expect(text)?.check(&observed, Duration::from_millis(100))
    }

    #[test]
    fn values_are_compared_whole() {
        let got = |value: Value| Observed::Success(json!({ "value": value, "usage": {} }));
        assert_eq!(verdict("value = '[1, 2.0, null]'", got(json!([1.0, 2, null]))), Ok(()));
        for other in [json!([1, 2]), json!([1, 2, false]), json!("[1,2,null]"), json!({ "0": 1 })] {
            assert!(verdict("value = '[1, 2, null]'", got(other)).is_err());
        }
        assert!(verdict("value = '{\"a\":1}'", got(json!({ "a": 1, "b": 2 }))).is_err());
        let used = Observed::Success(json!({ "value": 1, "usage": { "pages": 2 } }));
        assert_eq!(verdict("value = '1'\nusage = { pages = 2 }", used.clone()), Ok(()));
        assert!(verdict("value = '1'\nusage = { pages = 3 }", used.clone()).is_err());
        assert!(verdict("value = '1'\nusage = { calls = 0 }", used).is_err(), "an absent count is not zero");
        assert!(verdict("value = 'null'", Observed::Success(json!({}))).is_err(), "an absent value is not null");
        assert!(verdict("value = 'null'", Observed::NoAnswer).is_err());
        assert!(verdict("value = 'null'", Observed::Failure(json!({ "code": "cancelled" }))).is_err());
    }

    #[test]
    fn failures_are_compared_by_code_reason_and_the_facts_named() {
        let got = json!({ "code": "code_rejected", "reason": "syntax_error", "message": "bad token", "line": 3 });
        let got = || Observed::Failure(got.clone());
        let base = "code = 'code_rejected'\nreason = 'syntax_error'\n";
        assert_eq!(verdict(base, got()), Ok(()));
        assert_eq!(verdict(&format!("{base}line = 3\nmessage = ['token']"), got()), Ok(()));
        for more in
            ["line = 4", "column = 1", "operation = 'wit_open'", "message = ['TOKEN']", "message_without = ['bad']"]
        {
            assert!(verdict(&format!("{base}{more}"), got()).is_err(), "{more}");
        }
        assert!(verdict("code = 'code_rejected'\nreason = 'not_json'", got()).is_err());
        assert!(verdict("code = 'cancelled'", got()).is_err());
        let unreasoned = Observed::Failure(json!({ "code": "cancelled", "reason": "crashed" }));
        assert!(verdict("code = 'cancelled'", unreasoned).is_err(), "a reason out of place is a difference");
    }

    #[test]
    fn alternatives_and_time() {
        let text = "code = 'deadline_exceeded'\nmax_ms = 50\nany_of = [{ value = '1' }]";
        assert!(verdict(text, Observed::Success(json!({ "value": 1 }))).is_err_and(|e| e.contains("took")));
        let text = "code = 'deadline_exceeded'\nmax_ms = 5000\nany_of = [{ value = '1' }]";
        assert_eq!(verdict(text, Observed::Success(json!({ "value": 1 }))), Ok(()));
        assert!(verdict(text, Observed::Success(json!({ "value": 2 }))).is_err());
    }

    #[test]
    fn expectations_that_say_too_little_or_too_much_are_refused() {
        for text in [
            "",
            "value = '1'\ncode = 'cancelled'",
            "value = '{'",
            "code = 'nope'",
            "code = 'code_rejected'",
            "code = 'cancelled'\nreason = 'crashed'",
            "surprise = 1",
            "value = '1'\nany_of = [{ value = '2', max_ms = 1 }]",
        ] {
            assert!(expect(text).is_err(), "{text}");
        }
    }
}
