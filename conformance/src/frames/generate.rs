//! The combinatorial cases: every field of every message, spoilt in every way, in both directions.
//!
//! From one template a message. Each case is a script in the same language as the files, so that a failing one can
//! be read, and kept as a file. Ids are stable: `gen/<message>/<field>/<mutation>`.

use std::fmt::Write as _;

use wit_worker::registry::{Code, LimitId, Limits, Reason};

use super::Direction;

/// A derived case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// `gen/<message>/<field>/<mutation>`.
    pub id: String,
    /// The script.
    pub text: String,
    /// To the parent: the code the client must see. To the worker the script says what must happen.
    pub code: Code,
    /// Whether the fault lies before `execute`, so that the parent cannot have sent anything.
    pub before_execute: bool,
}

/// An unspoilt message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// The message's name in ids.
    pub name: &'static str,
    /// The script.
    pub text: String,
    /// To the parent: the code and the reason the client must see; none where the value 1 comes of it.
    pub failure: Option<(Code, Reason)>,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Integer,
    Text,
    Boolean,
    Object,
    Array,
    /// Any JSON value, so that no type is wrong.
    Anything,
}

/// A field: its path from the frame's object, what it holds, and a good value.
type Field = (&'static str, Holds, String);

/// A message: its name in ids, its direction, the line before it in a script, and its fields.
struct Message {
    name: &'static str,
    direction: Direction,
    fields: Vec<Field>,
}

/// Every derived case of a direction, in a stable order.
#[must_use]
pub fn cases(direction: Direction) -> Vec<Generated> {
    let mut out = Vec::new();
    for message in messages().iter().filter(|message| message.direction == direction) {
        for (index, field) in message.fields.iter().enumerate() {
            for (mutation, value) in mutations(field) {
                let body = message.body(index, &value);
                out.push(Generated {
                    id: format!("gen/{}/{}/{mutation}", message.name, field.0),
                    text: message.script(&body),
                    code: code(message.name, field.0, mutation),
                    before_execute: message.name == "ready",
                });
            }
        }
    }
    out
}

/// The unspoilt messages, each in its script; they must succeed, or the spoilt ones prove nothing.
#[must_use]
pub fn controls(direction: Direction) -> Vec<Control> {
    let messages = messages();
    let mine = messages.iter().filter(|message| message.direction == direction);
    mine.map(|message| Control {
        name: message.name,
        text: message.unspoilt_script(),
        // The one message to the parent that reports a failure is believed, and is one.
        failure: (message.name == "result-failed").then_some((Code::CodeRejected, Reason::UncaughtException)),
    })
    .collect()
}

fn code(message: &str, field: &str, mutation: &str) -> Code {
    match (message, field, mutation) {
        // A text that names no operation is the one thing that is worse than a malformed frame.
        ("host_call", "operation", "too-large") => Code::CapabilityDenied,
        _ => Code::WorkerProtocolError,
    }
}

/// What takes the place of a field. `None` leaves it out; `Twice` writes it twice; `Beside` adds a surplus field.
enum Value {
    Missing,
    Instead(String),
    Twice,
    Beside(String),
}

fn mutations((path, holds, good): &Field) -> Vec<(&'static str, Value)> {
    let name = path.rsplit('.').next().unwrap_or(path);
    let instead = |text: &str| Value::Instead(text.to_owned());
    let mut out = vec![
        ("missing", Value::Missing),
        ("twice", Value::Twice),
        ("surplus", Value::Beside(format!("{name}_"))),
        ("surplus-in-capitals", Value::Beside(name.to_ascii_uppercase())),
        ("nested-too-deeply", instead("$(repeat 5B 200)$(repeat 5D 200)")),
        ("not-utf8", instead("\"$(hex FF)\"")),
        ("not-json", instead("nil")),
    ];
    if *holds != Holds::Anything {
        out.push(("null", instead("null")));
        let others = [
            (Holds::Text, "text", format!("\"{}\"", good.replace(['"', '\\', '$'], ""))),
            (Holds::Integer, "number", "7".to_owned()),
            (Holds::Boolean, "boolean", "true".to_owned()),
            (Holds::Array, "array", format!("[{good}]")),
            (Holds::Object, "object", format!("{{\"{name}\":{good}}}")),
        ];
        for (other, mutation, value) in others {
            if other != *holds {
                out.push((mutation, Value::Instead(value)));
            }
        }
    }
    match holds {
        Holds::Integer => out.extend([
            ("negative", instead("-1")),
            ("fraction", Value::Instead(format!("{good}.0"))),
            ("exponent", instead("1e0")),
            ("too-large", instead("18446744073709551616")),
        ]),
        Holds::Text if !matches!(*path, "console.text" | "error.operation") => {
            out.push(("too-large", instead("\"$(repeat 78 60000)\"")))
        }
        // The console is cut, not refused, and the operation of a host error is the parent's own text.
        Holds::Array => out.push(("too-large", Value::Instead(format!("[{}\"x\"]", "\"x\",".repeat(5000))))),
        _ => {}
    }
    out
}

/// Writes one field, given its index, name and good value, into the parts of an object.
type Write<'a> = dyn Fn(usize, &str, &str, &mut Vec<String>) + 'a;

impl Message {
    /// The JSON of the message with one field spoilt.
    fn body(&self, spoilt: usize, value: &Value) -> String {
        self.object("", &|index, name, good, out: &mut Vec<String>| {
            let written = |value: &str| format!("\"{name}\":{value}");
            if index != spoilt {
                out.push(written(good));
                return;
            }
            match value {
                Value::Missing => {}
                Value::Instead(other) => out.push(written(other)),
                Value::Twice => out.extend([written(good), written(good)]),
                Value::Beside(surplus) => out.extend([written(good), format!("\"{surplus}\":0")]),
            }
        })
    }

    /// Writes the object at `path`, each field through `write`, which sees its index, name and good value.
    fn object(&self, path: &str, write: &Write<'_>) -> String {
        let mut parts = Vec::new();
        for (index, (field, _, good)) in self.fields.iter().enumerate() {
            let (parent, name) = field.rsplit_once('.').unwrap_or(("", field));
            if parent != path {
                continue;
            }
            let inner = self.fields.iter().any(|(other, ..)| other.starts_with(&format!("{field}.")));
            let whole = if inner { self.object(field, write) } else { good.clone() };
            write(index, name, &whole, &mut parts);
        }
        format!("{{{}}}", parts.join(","))
    }

    fn unspoilt(&self) -> String {
        self.object("", &|_, name, good, out: &mut Vec<String>| out.push(format!("\"{name}\":{good}")))
    }

    /// The script that brings the other side to the point where this message belongs, and sends it.
    fn script(&self, body: &str) -> String {
        let mut script = self.before();
        // Writing to a String cannot fail.
        let _ = writeln!(script, "send json {body}");
        script.push_str(match (self.direction, self.name) {
            (Direction::ToParent, "ready") => "hang\n",
            (Direction::ToParent, _) => "wait eof\n",
            (Direction::ToWorker, "execute") => "send source \"return 1\"\nexpect eof\nexpect exit failure\n",
            (Direction::ToWorker, _) => "expect eof\nexpect exit failure\n",
        });
        script
    }

    fn unspoilt_script(&self) -> String {
        let mut script = self.before();
        let _ = writeln!(script, "send json {}", self.unspoilt());
        script.push_str(match (self.direction, self.name) {
            (Direction::ToParent, "ready") => "wait execute\nresult 1\n",
            (Direction::ToParent, "host_call") => "expect host_result {\"call\":1}\nresult 1\n",
            (Direction::ToParent, _) => "",
            (Direction::ToWorker, "execute") => {
                "send source \"return 1\"\nexpect result {\"ok\":true,\"value\":1}\nexpect eof\nexpect exit 0\n"
            }
            (Direction::ToWorker, "host_result") => {
                "expect result {\"ok\":true,\"value\":1}\nexpect eof\nexpect exit 0\n"
            }
            (Direction::ToWorker, _) => "expect result {\"ok\":false}\nexpect eof\nexpect exit 0\n",
        });
        script
    }

    fn before(&self) -> String {
        match (self.direction, self.name) {
            (Direction::ToParent, "ready") => String::new(),
            (Direction::ToParent, _) => "ready\nwait execute\n".to_owned(),
            (Direction::ToWorker, "execute") => "expect ready\n".to_owned(),
            (Direction::ToWorker, _) => {
                let source = "return await codemode.wit.list({ snapshot_id: 's' })";
                format!(
                    "expect ready\nexecute {}\nsend source \"{source}\"\nexpect host_call {{\"call\":1}}\n",
                    source.len()
                )
            }
        }
    }
}

fn messages() -> Vec<Message> {
    use Direction::{ToParent, ToWorker};
    use Holds::{Anything, Array, Boolean, Integer, Object, Text};
    let field = |path, holds, good: &str| (path, holds, good.to_owned());
    let invocation = || field("invocation", Integer, "$INVOCATION");
    let measured = || {
        vec![
            field("console", Object, ""),
            field("console.text", Text, "\"\""),
            field("console.truncated", Boolean, "false"),
            field("usage", Object, ""),
            field("usage.javascript_us", Integer, "1000"),
            field("usage.peak_heap_bytes", Integer, "100000"),
        ]
    };
    let result = |outcome: Vec<Field>| {
        let mut fields = vec![field("type", Text, "\"result\""), invocation()];
        fields.extend(outcome);
        fields.extend(measured());
        fields
    };
    let good = [field("ok", Boolean, "true"), field("value_present", Boolean, "true"), field("value", Anything, "1")];
    let bad = [field("ok", Boolean, "false"), field("value_present", Boolean, "false"), field("error", Object, "")];
    let script_error = [
        field("error.code", Text, "\"code_rejected\""),
        field("error.reason", Text, "\"uncaught_exception\""),
        field("error.message", Text, "\"x\""),
    ];
    let host_error = [
        field("error.code", Text, "\"not_text\""),
        field("error.operation", Text, "\"wit_list\""),
        field("error.message", Text, "\"x\""),
    ];
    let answer = |outcome: &[Field]| {
        let mut fields = vec![field("type", Text, "\"host_result\""), invocation(), field("call", Integer, "1")];
        fields.extend_from_slice(outcome);
        fields
    };
    let mut execute = vec![
        field("type", Text, "\"execute\""),
        field("version", Integer, "1"),
        invocation(),
        field("source_bytes", Integer, "8"),
        field("limits", Object, ""),
    ];
    execute.extend(Limits::default().fields().map(|(id, value)| (limit_path(id), Integer, value.to_string())));
    let message = |name, direction, fields| Message { name, direction, fields };
    vec![
        message(
            "ready",
            ToParent,
            vec![
                field("type", Text, "\"ready\""),
                field("version", Integer, "1"),
                field("layers", Array, "[\"seccomp\"]"),
            ],
        ),
        message(
            "host_call",
            ToParent,
            vec![
                field("type", Text, "\"host_call\""),
                invocation(),
                field("call", Integer, "1"),
                field("operation", Text, "\"wit_list\""),
                field("arguments", Anything, "{\"snapshot_id\":\"none\"}"),
            ],
        ),
        message("result", ToParent, result(good.to_vec())),
        message("result-failed", ToParent, result([&bad[..], &script_error].concat())),
        message("execute", ToWorker, execute),
        message("host_result", ToWorker, answer(&good)),
        message("host_result-failed", ToWorker, answer(&[&bad[..], &host_error].concat())),
    ]
}

/// `limits.NAME`, for the eight limits that cross.
const fn limit_path(id: LimitId) -> &'static str {
    match id {
        LimitId::SourceBytes => "limits.source_bytes",
        LimitId::WallMs => "limits.wall_ms",
        LimitId::HeapBytes => "limits.heap_bytes",
        LimitId::StackBytes => "limits.stack_bytes",
        LimitId::HostCalls => "limits.host_calls",
        LimitId::HostConcurrency => "limits.host_concurrency",
        LimitId::FinalResultBytes => "limits.final_result_bytes",
        _ => "limits.console_bytes",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use wit_worker::protocol::{FromWorker, ToWorker};

    use super::*;
    use crate::frames::parse;
    use crate::frames::script::Step;
    use crate::frames::template::Variables;

    /// The body of the last frame a script sends as JSON.
    fn last_message(text: &str, direction: Direction) -> Vec<u8> {
        let script = parse(text, direction).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let variables = Variables { invocation: 12, ..Variables::default() };
        let mut sends = script.steps.iter().filter_map(|line| match &line.step {
            Step::Send(send) => send.template.expand(&variables).ok(),
            _ => None,
        });
        sends.rfind(|bytes| bytes.first() == Some(&b'{')).unwrap_or_default()
    }

    #[test]
    fn ids_are_unique_and_many() {
        for direction in [Direction::ToParent, Direction::ToWorker] {
            let cases = cases(direction);
            let ids: BTreeSet<_> = cases.iter().map(|case| &case.id).collect();
            assert_eq!(ids.len(), cases.len());
            assert!(cases.len() > 150, "{}", cases.len());
        }
    }

    #[test]
    fn unspoilt_messages_are_legal_and_spoilt_ones_are_not() {
        let legal = |body: &[u8], direction| match direction {
            Direction::ToParent => FromWorker::parse(body).is_ok(),
            Direction::ToWorker => ToWorker::parse(body).is_ok(),
        };
        for direction in [Direction::ToParent, Direction::ToWorker] {
            for Control { name, text, .. } in controls(direction) {
                assert!(legal(&last_message(&text, direction), direction), "{name}: {text}");
            }
            for case in cases(direction) {
                let body = last_message(&case.text, direction);
                // What the parser alone cannot see, and the session refuses: a rejected script always has a reason,
                // and an operation is one of seven.
                let later =
                    case.id.ends_with("error.reason/missing") || case.id.ends_with("host_call/operation/too-large");
                assert!(later || !legal(&body, direction), "{}: {}", case.id, String::from_utf8_lossy(&body));
            }
        }
    }
}
