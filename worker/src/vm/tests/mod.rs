//! The VM against an in-process host: one table a family, each row a script and what must become of it.

mod bridge;
mod failures;
mod front_end;
mod limits;
mod results;

use std::collections::VecDeque;
use std::fmt::Write as _;

use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::{Answer, Engine, Host, HostGone, Outcome};
use crate::protocol::message::HostError;
use crate::protocol::{CallId, ScriptError};
use crate::registry::{Code, Limits, OperationId};

/// What the mock host answers to an operation and its arguments.
type Behaviour = fn(OperationId, &Json) -> Result<Json, Code>;

/// Answers at once, in the order of the calls unless told otherwise.
struct MockHost {
    behaviour: Behaviour,
    /// Answers the newest call first.
    newest_first: bool,
    answers: VecDeque<Answer>,
    /// Every call sent: number, tool, arguments.
    sent: Vec<String>,
}

impl MockHost {
    fn new(behaviour: Behaviour) -> Self {
        Self { behaviour, newest_first: false, answers: VecDeque::new(), sent: Vec::new() }
    }
}

/// Gives the arguments back.
fn echo(operation: OperationId, arguments: &Json) -> Result<Json, Code> {
    if arguments.is_object() {
        Ok(serde_json::json!({ "method": operation.entry().tool, "args": arguments }))
    } else {
        Err(Code::InvalidArguments)
    }
}

impl Host for MockHost {
    fn send(&mut self, call: CallId, operation: OperationId, arguments: &RawValue) -> Result<(), HostGone> {
        let tool = operation.entry().tool;
        self.sent.push(format!("{} {tool} {}", call.get(), arguments.get()));
        let arguments: Json = serde_json::from_str(arguments.get()).map_err(|_| HostGone)?;
        let outcome = match (self.behaviour)(operation, &arguments) {
            Ok(value) => Ok(RawValue::from_string(value.to_string()).map_err(|_| HostGone)?),
            Err(code) => {
                Err(HostError { code, operation: tool.to_owned(), message: format!("{tool}: refused by the host.") })
            }
        };
        self.answers.push_back(Answer { call, outcome });
        Ok(())
    }

    fn flush(&mut self) -> Result<(), HostGone> {
        Ok(())
    }

    fn receive(&mut self) -> Result<Answer, HostGone> {
        let next = if self.newest_first { self.answers.pop_back() } else { self.answers.pop_front() };
        next.ok_or(HostGone)
    }
}

fn run_with(source: &[u8], limits: Limits, host: &mut MockHost) -> Outcome {
    let engine = Engine::new().unwrap_or_else(|e| panic!("{e}"));
    engine.run(source, limits, host).unwrap_or_else(|e| panic!("{e}"))
}

fn run(source: &str) -> Outcome {
    run_with(source.as_bytes(), Limits::default(), &mut MockHost::new(echo))
}

fn value_of(outcome: &Outcome) -> Json {
    match &outcome.result {
        Ok(value) => serde_json::from_str(value.get()).unwrap_or_else(|e| panic!("{e}")),
        Err(error) => panic!("{error:?}"),
    }
}

fn failure_of(outcome: Outcome) -> ScriptError {
    match outcome.result {
        Ok(value) => panic!("a success: {value}"),
        Err(error) => error,
    }
}

/// Runs each script and compares the JSON of its value, byte for byte.
fn values(table: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (source, expected) in table {
        match run(source).result {
            Ok(value) if value.get() == *expected => {}
            other => {
                let _ = writeln!(wrong, "{source}\n  expected {expected}\n  got {other:?}");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Runs each script and compares `code/reason`, and that the message holds the text.
fn failures(table: &[(&str, &str, &str)]) {
    let mut wrong = String::new();
    for (source, code, text) in table {
        let got = match run(source).result {
            Ok(value) => format!("success {value}"),
            Err(error) => {
                let reason = error.reason.map_or(String::new(), |reason| format!("/{reason}"));
                let place = error.line.zip(error.column).map_or(String::new(), |(l, c)| format!(" @{l}:{c}"));
                format!("{}{reason}{place} {}", error.code, error.message)
            }
        };
        if !got.starts_with(&format!("{code} ")) || !got.contains(text) {
            let _ = writeln!(wrong, "{source}\n  expected {code} … {text}\n  got {got}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
