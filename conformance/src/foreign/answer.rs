//! From a foreign server's answer to an outcome in our terms, and how closely that can be compared.

use std::time::Duration;

use serde_json::{Value, json};
use wit_worker::registry::Code;

use super::adapter::{Adapter, From};
use crate::corpus::{Expectation, Observed, Outcome};

/// Stands for a code the adapter cannot tell.
const UNMAPPED: &str = "unmapped";
/// Stands for any of our codes.
const ANY: &str = "any";

/// The outcome, the whole result, and what is wrong with its form.
pub(super) fn read(adapter: &Adapter, answer: &Value) -> (Observed, Option<Value>, Vec<String>) {
    if let Some(error) = answer.get("error") {
        let number = error.get("code").cloned().unwrap_or_default();
        let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
        return (mapped(adapter, &format!("JSON-RPC {number}: {message}")), None, Vec::new());
    }
    let result = answer.get("result").cloned().unwrap_or_default();
    let observed = outcome(adapter, &result);
    (observed, Some(result), Vec::new())
}

fn outcome(adapter: &Adapter, result: &Value) -> Observed {
    let text = text(result);
    let structured = result.get("structuredContent");
    let failure = &adapter.failure;
    let captured = failure.pattern.as_ref().and_then(|pattern| pattern.captures(&text));
    let is_error = failure.is_error && result.get("isError").and_then(Value::as_bool) == Some(true);
    if is_error || captured.is_some() {
        if failure.ours {
            return Observed::Failure(structured.cloned().unwrap_or_default());
        }
        let told = captured.as_ref().and_then(|captured| captured.get(1)).map_or(&*text, |group| group.as_str());
        return mapped(adapter, told);
    }
    let success = &adapter.success;
    let value = match (success.from, &success.pattern) {
        (From::Structured, _) => structured.and_then(|content| content.pointer(&success.pointer)).cloned(),
        (From::Text, Some(pattern)) => {
            let group = pattern.captures(&text).and_then(|captured| captured.get(1));
            group.and_then(|group| serde_json::from_str(group.as_str()).ok())
        }
        (From::Text, None) => {
            let whole = serde_json::from_str::<Value>(&text).ok();
            whole.and_then(|whole| whole.pointer(&success.pointer).cloned())
        }
    };
    match value {
        Some(value) => Observed::Success(json!({ "value": value })),
        None => mapped(adapter, &format!("neither a value nor a failure that the adapter knows: {text}")),
    }
}

/// All text of a result.
fn text(result: &Value) -> String {
    let blocks = result.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    texts.join("\n")
}

/// The failure that a text stands for.
fn mapped(adapter: &Adapter, text: &str) -> Observed {
    let rule = adapter.rule(text);
    let code = rule.map_or(UNMAPPED, |rule| rule.code.map_or(ANY, Code::as_str));
    let mut object = json!({ "code": code, "message": text });
    if let (Some(reason), Some(object)) = (rule.and_then(|rule| rule.reason), object.as_object_mut()) {
        object.insert("reason".to_owned(), reason.as_str().into());
    }
    Observed::Failure(object)
}

/// Compares what can be compared: the whole value, or the code, and the reason where the adapter tells one. Console,
/// usage, places, measures and messages are wit's own.
pub(super) fn check(expect: &Expectation, observed: &Observed, elapsed: Duration) -> Result<(), String> {
    let accepted = expect.outcomes.iter().any(|outcome| match (outcome, observed) {
        (Outcome::Failure(wanted), Observed::Failure(got)) => {
            let told = |name: &str| got.get(name).and_then(Value::as_str);
            let reason = told("reason").is_none_or(|told| wanted.reason.is_some_and(|reason| reason.as_str() == told));
            told("code").is_some_and(|code| code == ANY || (code == wanted.code.as_str() && reason))
        }
        (Outcome::Value { value, .. }, Observed::Success(_)) => {
            let bare = Outcome::Value {
                value: value.clone(),
                console: None,
                console_truncated: None,
                usage: std::collections::BTreeMap::new(),
            };
            Expectation { outcomes: vec![bare], max: None }.check(observed, elapsed).is_ok()
        }
        (Outcome::NoAnswer, Observed::NoAnswer) => true,
        _ => false,
    });
    if !accepted {
        let wanted: Vec<String> = expect.outcomes.iter().map(Outcome::shown).collect();
        return Err(format!("expected {}, got {}", wanted.join(", or "), observed.shown()));
    }
    match expect.max {
        Some(max) if elapsed > max => Err(format!("it took {elapsed:.0?}, at most {max:.0?} were allowed")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{self, Corpus};

    const ADAPTER: &str = r#"
        name = "other"
        tool = { name = "run", argument = "script", also = { timeout = 5 }, script = "'use strict'; {source}" }
        success = { from = "text", pointer = "/result" }
        failure = { is_error = true, pattern = "^Error: (.*)" }
        code = [
            { pattern = "^out of time", code = "deadline_exceeded" },
            { pattern = "SyntaxError", code = "code_rejected", reason = "syntax_error" },
            { pattern = "strange", code = "any" },
        ]
    "#;

    fn corpus() -> Corpus {
        corpus::load(&corpus::directory()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn adapter() -> Adapter {
        Adapter::parse(ADAPTER, &corpus()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn observed(text: &str, is_error: bool) -> Observed {
        let result = json!({ "isError": is_error, "content": [{ "type": "text", "text": text }] });
        read(&adapter(), &json!({ "id": 1, "result": result })).0
    }

    #[test]
    fn the_script_is_wrapped_and_goes_where_the_server_wants_it() {
        let arguments = adapter().arguments(&json!({ "code": "return 1" }));
        assert_eq!(arguments, json!({ "timeout": 5, "script": "'use strict'; return 1" }));
    }

    #[test]
    fn answers_are_read_as_the_adapter_says() {
        assert_eq!(observed(r#"{"result": [1]}"#, false), Observed::Success(json!({ "value": [1] })));
        assert_eq!(observed(r#"{"result": null}"#, false), Observed::Success(json!({ "value": null })));
        let code = |observed: Observed| match observed {
            Observed::Failure(object) => (object["code"].clone(), object.get("reason").cloned()),
            other => panic!("{other:?}"),
        };
        assert_eq!(code(observed("out of time", true)).0, "deadline_exceeded");
        assert_eq!(
            code(observed("Error: SyntaxError: x", false)),
            (json!("code_rejected"), Some(json!("syntax_error")))
        );
        assert_eq!(code(observed("strange", true)).0, "any");
        assert_eq!(code(observed("never seen", true)).0, "unmapped");
        assert_eq!(code(observed("{}", false)).0, "unmapped", "no value is no success");
    }

    #[test]
    fn outcomes_are_compared_as_closely_as_the_adapter_can_tell() {
        let corpus = corpus();
        let expect =
            |id: &str| &corpus.cases.iter().find(|case| case.id == id).unwrap_or_else(|| panic!("{id}")).expect;
        let failure = |code: &str, reason: Option<&str>| {
            Observed::Failure(json!({ "code": code, "reason": reason.map_or(Value::Null, Value::from) }))
        };
        let quick = Duration::from_millis(1);
        let syntax = expect("syntax-error-line-column");
        assert_eq!(check(syntax, &failure("code_rejected", None), quick), Ok(()), "lines are not compared");
        assert_eq!(check(syntax, &failure("any", None), quick), Ok(()));
        assert!(check(syntax, &failure("code_rejected", Some("heap_limit")), quick).is_err());
        assert!(check(syntax, &failure("unmapped", None), quick).is_err());
        assert!(check(syntax, &Observed::Success(json!({ "value": 1 })), quick).is_err());
        assert!(check(expect("final-null"), &failure("any", None), quick).is_err());
    }
}
