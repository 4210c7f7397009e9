//! The tools each mode offers, as `tools/list` shows them.
//!
//! The list is paid for by the model in every conversation, so it says what a caller must know and no more: at most
//! 8 KiB in direct mode and 4 KiB in Code Mode. Full result types are a resource (`wit://types`) away.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};
use wit_worker::registry::operations::OPERATIONS;
use wit_worker::registry::{LimitId, Operation};

use crate::codemode::CodeModePolicy;
use crate::schema::json::{self, Object};

/// The name of the one tool of Code Mode.
pub(super) const CODE_TOOL: &str = "code";
/// Its one argument.
pub(super) const CODE_ARGUMENT: &str = "code";

/// The tools of direct mode: one an operation.
pub(super) fn direct() -> Vec<Tool> {
    OPERATIONS.iter().map(operation_tool).collect()
}

/// The tool of Code Mode, which tells the limits that are in force.
pub(super) fn code(policy: &CodeModePolicy) -> Vec<Tool> {
    vec![code_tool(policy)]
}

/// All tools only read: repeating a call changes nothing but the cache.
fn annotations(open_world: bool) -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(open_world)
}

fn operation_tool(operation: &Operation) -> Tool {
    Tool::new(operation.tool, operation.summary, Arc::new(json::arguments(operation)))
        .with_title(operation.title)
        .with_annotations(annotations(operation.open_world))
        .with_raw_output_schema(Arc::new(json::compact_result(operation)))
}

fn code_tool(policy: &CodeModePolicy) -> Tool {
    let input = object(json!({
        "type": "object",
        "properties": { CODE_ARGUMENT: { "type": "string", "description": "body of an async JavaScript function" } },
        "required": [CODE_ARGUMENT],
        "additionalProperties": false,
    }));
    // `value` is any JSON at all, so its schema is the one that admits everything.
    let output = object(json!({
        "type": "object",
        "properties": {
            "value": {},
            "usage": { "type": "object" },
            "console": { "type": "object" },
            "notes": { "type": "array" },
        },
        "required": ["value", "usage"],
    }));
    Tool::new(CODE_TOOL, description(policy), Arc::new(input))
        .with_title("Run a script over repositories")
        .with_annotations(annotations(true))
        .with_raw_output_schema(Arc::new(output))
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

/// What a model must know to write its first script.
fn description(policy: &CodeModePolicy) -> String {
    let methods: Vec<String> = OPERATIONS
        .iter()
        .map(|operation| {
            let arguments: Vec<String> = operation
                .arguments
                .iter()
                .map(|field| format!("{}{}", field.name, if field.required { "" } else { "?" }))
                .collect();
            format!("- {}({{ {} }}): {}", operation.method, arguments.join(", "), operation.summary)
        })
        .collect();
    let limit = |id: LimitId| policy.value(id);
    format!(
        "Run JavaScript that reads GitHub and local repositories; only its return value comes back.\n\
         The code is the body of an async function: use `await`, and `return` one small JSON value. Compose several \
         calls in one script, filter in JavaScript, return only what you need.\n\
         `codemode.wit` has these methods, each taking one object:\n{}\n\
         `codemode.wit.help(method?)` gives types and limits. Lists give `items`, `has_more` and \
         `next_cursor`. A failed call throws an Error with `code` and `operation`.\n\
         Example: const s = await codemode.wit.open({{ repo: 'owner/name' }}); return (await codemode.wit.read({{ \
         snapshot_id: s.snapshot_id, path: 'README.md' }})).text;\n\
         Limits: {} calls ({} pages, {} opens), {} at once, {} ms of JavaScript, {} bytes of result. No network, files, \
         timers or modules.",
        methods.join("\n"),
        limit(LimitId::HostCalls),
        limit(LimitId::Pages),
        limit(LimitId::Snapshots),
        limit(LimitId::HostConcurrency),
        limit(LimitId::WallMs),
        limit(LimitId::FinalResultBytes),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_small() {
        for (tools, most) in [(direct(), 8 * 1024), (code(&CodeModePolicy::default()), 4 * 1024)] {
            let list = rmcp::model::ListToolsResult::with_all_items(tools);
            let bytes = serde_json::to_string(&list).map(|text| text.len()).unwrap_or(usize::MAX);
            assert!(bytes <= most, "{bytes} of {most} bytes");
        }
    }

    #[test]
    fn every_tool_is_annotated_as_reading_only() {
        for tool in direct().into_iter().chain(code(&CodeModePolicy::default())) {
            let hints = tool.annotations.as_ref();
            assert_eq!(hints.and_then(|hints| hints.read_only_hint), Some(true), "{}", tool.name);
            assert_eq!(hints.and_then(|hints| hints.destructive_hint), Some(false), "{}", tool.name);
            assert_eq!(hints.and_then(|hints| hints.idempotent_hint), Some(true), "{}", tool.name);
            assert!(tool.title.is_some() && tool.output_schema.is_some(), "{}", tool.name);
        }
    }
}
