//! Whole-envelope snapshots: what a client sees for each code, byte for byte, save numbers that time decides.

use std::path::PathBuf;

use serde_json::Value;

use crate::binary::workspace;

/// Where the snapshots lie.
#[must_use]
pub fn directory() -> PathBuf {
    workspace().join("snapshots/conformance")
}

/// Compares the result of a case with its snapshot.
///
/// # Panics
/// When they differ; the message is insta's own.
pub fn check(id: &str, result: &Value) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(directory());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_json_snapshot!(id, stable(result)));
}

/// Whether the result of a case is its snapshot, for a report: nothing is written and nothing panics.
///
/// # Errors
/// What is different, or that there is no snapshot to compare with.
pub fn compare(id: &str, result: &Value) -> Result<(), String> {
    let path = directory().join(format!("{id}.snap"));
    let text = std::fs::read_to_string(&path).map_err(|error| format!("snapshot {id}.snap: {error}"))?;
    // A header between two lines of three hyphens, then the JSON.
    let kept = text.splitn(3, "---\n").nth(2).unwrap_or_default();
    let kept: Value = serde_json::from_str(kept).map_err(|error| format!("snapshot {id}.snap: {error}"))?;
    let got = stable(result);
    if kept == got { Ok(()) } else { Err(format!("the envelope is not the snapshot {id}.snap: {got}")) }
}

/// The result with its text content as JSON and without what differs from run to run.
#[must_use]
pub fn stable(result: &Value) -> Value {
    let mut result = result.clone();
    if let Some(blocks) = result.get_mut("content").and_then(Value::as_array_mut) {
        for block in blocks {
            if let Some(text) = block.get_mut("text")
                && let Some(inner) = text.as_str().and_then(|text| serde_json::from_str(text).ok())
            {
                *text = inner;
            }
        }
    }
    redact(&mut result, "");
    unmeasure(&mut result);
    result
}

/// Sizes of whole host results depend on the form of their provenance, which is not the envelope's affair. The exact
/// numbers are held at the session level, with a host whose results have exact sizes.
fn unmeasure(result: &mut Value) {
    let structured = result.get("structuredContent").cloned().unwrap_or_default();
    let code = structured.get("code").and_then(Value::as_str).unwrap_or_default();
    let Some(measured) = structured.get("measured").map(Value::to_string) else { return };
    if matches!(code, "host_result_bytes_limit" | "cumulative_host_bytes_limit") {
        replace(result, &measured);
    }
}

fn replace(value: &mut Value, number: &str) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|value| replace(value, number)),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, number)),
        Value::String(text) => *text = text.replace(number, "[n]"),
        Value::Number(found) if found.to_string() == number => *value = Value::String("[n]".into()),
        _ => {}
    }
}

fn redact(value: &mut Value, name: &str) {
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| redact(value, name)),
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, name)),
        Value::Number(_) if name.ends_with("_ms") || name == "ms" || name == "peak_heap_bytes" => {
            *value = Value::String("[varies]".into());
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_varies_is_taken_out() {
        let result = json!({ "content": [{ "text": "{\"a\":1,\"js_ms\":5}" }], "measured": 9 });
        assert_eq!(stable(&result), json!({ "content": [{ "text": { "a": 1, "js_ms": "[varies]" } }], "measured": 9 }));
    }
}
