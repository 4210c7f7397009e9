//! `codemode.wit.help()`: the registries, fresh each time, so that a script can change only its own copy.

use serde_json::{Value as Json, json};

use super::suggest::HELP;
use crate::registry::operations::OPERATIONS;
use crate::registry::{Field, LimitId, Limits, Operation, Type};

/// What a script can meet and only the server knows the value of: the protocol carries the worker's share alone.
const SERVER_LIMITS: &[LimitId] = &[
    LimitId::Pages,
    LimitId::Snapshots,
    LimitId::HostResultBytes,
    LimitId::CumulativeHostBytes,
    LimitId::HostOperations,
    LimitId::OperationMs,
];

/// Every method, the limits in force that the worker enforces, and those the server enforces, as they are unless its
/// operator has moved them.
pub(super) fn overview(limits: &Limits) -> Json {
    let methods: Vec<Json> = OPERATIONS.iter().map(summary).collect();
    let limits: serde_json::Map<String, Json> =
        limits.fields().into_iter().map(|(id, value)| (id.name().to_owned(), value.into())).collect();
    let server: serde_json::Map<String, Json> =
        SERVER_LIMITS.iter().map(|id| (id.name().to_owned(), server_limit(*id))).collect();
    json!({ "methods": methods, "limits": limits, "server_limits": server })
}

fn server_limit(id: LimitId) -> Json {
    let entry = id.entry();
    json!({ "default": entry.default, "maximum": entry.maximum, "code": entry.code.map(crate::registry::Code::as_str) })
}

/// One method with its arguments, by its own name.
pub(super) fn method(name: &str) -> Option<Json> {
    if name == HELP {
        return Some(json!({
            "name": HELP,
            "signature": "help(name?)",
            "summary": "This text: every method; limits, as they are in force; server_limits, which the server's operator may have moved. Or one method with its arguments.",
            "example": "codemode.wit.help('read')",
        }));
    }
    let operation = OPERATIONS.iter().find(|operation| operation.method == name)?;
    let mut entry = summary(operation);
    let arguments: Vec<Json> = operation.arguments.iter().map(argument).collect();
    let result: Vec<&str> = operation.result.iter().map(|field| field.name).collect();
    if let Some(object) = entry.as_object_mut() {
        object.insert("arguments".to_owned(), arguments.into());
        object.insert("result_fields".to_owned(), result.into());
    }
    Some(entry)
}

fn summary(operation: &Operation) -> Json {
    let names: Vec<String> = operation
        .arguments
        .iter()
        .map(|field| if field.required { field.name.to_owned() } else { format!("{}?", field.name) })
        .collect();
    json!({
        "name": operation.method,
        "tool": operation.tool,
        "signature": format!("{}({{ {} }})", operation.method, names.join(", ")),
        "summary": operation.summary,
        "example": operation.example,
    })
}

fn argument(field: &Field) -> Json {
    let mut entry = json!({
        "name": field.name,
        "type": type_text(&field.ty),
        "required": field.required,
        "doc": field.doc,
    });
    let default = field.default.and_then(|default| serde_json::from_str::<Json>(default).ok());
    if let (Some(object), Some(default)) = (entry.as_object_mut(), default) {
        object.insert("default".to_owned(), default);
    }
    entry
}

/// A type in the words of TypeScript, with its bounds.
fn type_text(ty: &Type) -> String {
    match ty {
        Type::Boolean => "boolean".to_owned(),
        Type::Integer { minimum, maximum } => format!("integer {minimum}..{maximum}"),
        Type::Number => "number".to_owned(),
        Type::String { .. } => "string".to_owned(),
        Type::Enum(words) => words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" | "),
        Type::Array { items, max_items, .. } => format!("{}[] (at most {max_items})", type_text(items)),
        Type::Object(_) => "object".to_owned(),
        Type::Nullable(inner) => format!("{} | null", type_text(inner)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overview_has_seven_methods_and_the_limits_given() {
        let limits = Limits { final_result_bytes: 1000, ..Limits::default() };
        let overview = overview(&limits);
        assert_eq!(overview["methods"].as_array().map(Vec::len), Some(7));
        assert_eq!(overview["limits"]["final_result_bytes"], 1000);
        assert_eq!(overview["server_limits"]["pages"], json!({ "default": 8, "maximum": 16, "code": "pages_limit" }));
        let shown = |id: LimitId| overview["limits"].get(id.name()).or(overview["server_limits"].get(id.name()));
        // What only an operator sees: whole frames, stderr, and how many run at once.
        let unseen = [
            LimitId::FrameBytes,
            LimitId::DiagnosticsBytes,
            LimitId::Workers,
            LimitId::Invocations,
            LimitId::SpareWorkers,
        ];
        for row in crate::registry::limits::LIMITS {
            assert_eq!(shown(row.id).is_none(), unseen.contains(&row.id), "{}", row.name);
        }
        for operation in OPERATIONS {
            let entry = method(operation.method).unwrap_or_default();
            assert_eq!(entry["name"], operation.method);
            assert_eq!(entry["arguments"].as_array().map(Vec::len), Some(operation.arguments.len()));
        }
        assert_eq!(method("constructor"), None);
    }
}
