//! Reads what a tool call came to, and checks what every answer must be whatever it says.

use serde_json::{Value, json};
use wit_worker::registry::Code;

use crate::corpus::Observed;

/// The outcome in an answer to `tools/call`, the whole result, and what is wrong with its form.
pub(crate) fn read(answer: &Value) -> (Observed, Option<Value>, Vec<String>) {
    if let Some(error) = answer.get("error") {
        let number = error.get("code").cloned().unwrap_or_default();
        let message = error.get("message").cloned().unwrap_or_default();
        let failure = json!({ "code": format!("JSON-RPC {number}"), "message": message });
        return (Observed::Failure(failure), None, vec!["a tool call was answered with a protocol error".into()]);
    }
    let result = answer.get("result").cloned().unwrap_or_default();
    let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or_default();
    let structured = result.get("structuredContent").cloned().unwrap_or_default();
    let faults = form(&result, is_error, &structured);
    let observed = if is_error { Observed::Failure(structured) } else { Observed::Success(structured) };
    (observed, Some(result), faults)
}

/// Text and structured content must both carry the data (DESIGN §8).
fn form(result: &Value, is_error: bool, structured: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let blocks = result.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = match blocks {
        [block] => block.get("text").and_then(Value::as_str),
        _ => None,
    };
    let Some(text) = text else { return vec![format!("the content is not one text but {} blocks", blocks.len())] };
    let Ok(text) = serde_json::from_str::<Value>(text) else { return vec!["the text content is not JSON".into()] };
    if is_error {
        if text != *structured {
            faults.push("text and structured content of the failure differ".into());
        }
        for name in ["code", "message"] {
            if structured.get(name).and_then(Value::as_str).is_none_or(str::is_empty) {
                faults.push(format!("the failure has no {name}"));
            }
        }
    } else {
        if structured.get("value") != Some(&text) {
            faults.push("the text content is not the value".into());
        }
        if !structured.get("usage").is_some_and(Value::is_object) {
            faults.push("the success has no usage".into());
        }
    }
    faults
}

/// The failure that a server which will not start reports in the last line of stderr: `wit: CODE: MESSAGE`.
pub(super) fn refusal(stderr: &[u8]) -> Observed {
    let text = String::from_utf8_lossy(stderr);
    let last = text.lines().next_back().unwrap_or_default();
    let object = match last.strip_prefix("wit: ").and_then(|line| line.split_once(": ")) {
        Some((code, message)) if Code::parse(code).is_some() => json!({ "code": code, "message": message }),
        _ => json!({ "code": "none", "message": last }),
    };
    Observed::Failure(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(result: &Value) -> Vec<String> {
        read(&json!({ "jsonrpc": "2.0", "id": 1, "result": result })).2
    }

    #[test]
    fn text_and_structured_content_must_agree() {
        let success = |text: &str| json!({ "content": [{ "type": "text", "text": text }], "structuredContent": { "value": 1, "usage": {} } });
        assert!(faults(&success("1")).is_empty());
        assert_eq!(faults(&success("2")).len(), 1);
        assert_eq!(faults(&success("one")).len(), 1);
        let failure = |code: &str| {
            let object = json!({ "code": code, "message": "m" });
            json!({ "isError": true, "structuredContent": object,
                    "content": [{ "type": "text", "text": object.to_string() }] })
        };
        assert!(faults(&failure("cancelled")).is_empty());
        assert_eq!(faults(&failure("")).len(), 1);
        assert_eq!(faults(&json!({ "structuredContent": { "value": 1, "usage": {} }, "content": [] })).len(), 1);
    }

    #[test]
    fn protocol_errors_and_refusals_are_failures() {
        let (observed, result, faults) = read(&json!({ "error": { "code": -32602, "message": "no" } }));
        assert!(matches!(observed, Observed::Failure(object) if object["code"] == "JSON-RPC -32602"));
        assert!(result.is_none() && faults.len() == 1);
        let Observed::Failure(object) = refusal(b"warning\nwit: invalid_policy: pages is 0\n") else { panic!() };
        assert_eq!(object, json!({ "code": "invalid_policy", "message": "pages is 0" }));
        let Observed::Failure(object) = refusal(b"thread panicked\n") else { panic!() };
        assert_eq!(object["code"], "none");
    }
}
