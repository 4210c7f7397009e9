//! JSON Schemas of arguments and results.
//!
//! Arguments are closed: an unknown field is refused, so the schema says so. Results are open objects that name
//! what is always there and of which type, and admit what is really sent: a client that validates rejects none of
//! ours. Lengths in bytes have no JSON Schema word (`maxLength` counts characters), so the server alone checks them.

use serde_json::{Map, Value, json};
use wit_worker::registry::{Field, Operation, Type};

/// A JSON object, as schemas are.
pub type Object = Map<String, Value>;

/// The largest integer a schema bothers to name as a bound.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// The closed schema of an operation's arguments.
#[must_use]
pub fn arguments(operation: &Operation) -> Object {
    let mut schema = object(operation.arguments, Detail::Full);
    schema.insert("additionalProperties".into(), Value::Bool(false));
    schema
}

/// The open schema of an operation's result, down to the last field.
#[must_use]
pub fn result(operation: &Operation) -> Object {
    object(operation.result, Detail::Full)
}

/// The same, as `tools/list` shows it: types only, and of nested objects no more than that they are objects.
///
/// A list of tools is paid for in every conversation; the full types are a resource away.
#[must_use]
pub fn compact_result(operation: &Operation) -> Object {
    object(operation.result, Detail::Shallow)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// Every type with its bounds and words.
    Full,
    /// Only what kind of value each field is.
    Shallow,
}

fn object(fields: &[Field], detail: Detail) -> Object {
    let properties: Object = fields.iter().map(|field| (field.name.to_owned(), property(field, detail))).collect();
    let required: Vec<Value> = fields.iter().filter(|field| field.required).map(|field| field.name.into()).collect();
    let mut schema = Object::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), Value::Array(required));
    }
    schema
}

fn property(field: &Field, detail: Detail) -> Value {
    let mut schema = of_type(&field.ty, detail);
    if detail == Detail::Full {
        schema.insert("description".into(), field.doc.into());
        // The registry's own test proves that each default is JSON.
        if let Some(default) = field.default.and_then(|text| serde_json::from_str(text).ok()) {
            schema.insert("default".into(), default);
        }
    }
    Value::Object(schema)
}

fn of_type(ty: &Type, detail: Detail) -> Object {
    let schema = match (ty, detail) {
        (Type::Boolean, _) => json!({"type": "boolean"}),
        (Type::Number, _) => json!({"type": "number"}),
        (Type::String { .. }, _) => json!({"type": "string"}),
        (Type::Enum(_), Detail::Shallow) => json!({"type": "string"}),
        (Type::Enum(words), Detail::Full) => json!({"type": "string", "enum": words}),
        (Type::Integer { .. }, Detail::Shallow) => json!({"type": "integer"}),
        (Type::Integer { minimum, maximum: MAX_SAFE }, Detail::Full) => {
            json!({"type": "integer", "minimum": minimum})
        }
        (Type::Integer { minimum, maximum }, Detail::Full) => {
            json!({"type": "integer", "minimum": minimum, "maximum": maximum})
        }
        (Type::Array { .. }, Detail::Shallow) => json!({"type": "array"}),
        (Type::Array { items, min_items, max_items }, Detail::Full) => {
            let mut schema = json!({"type": "array", "items": of_type(items, detail), "maxItems": max_items});
            if *min_items > 0 {
                schema["minItems"] = json!(min_items);
            }
            schema
        }
        (Type::Object(_), Detail::Shallow) => json!({"type": "object"}),
        (Type::Object(fields), Detail::Full) => Value::Object(object(fields, detail)),
        (Type::Nullable(inner), _) => return nullable(of_type(inner, detail)),
    };
    match schema {
        Value::Object(schema) => schema,
        _ => Object::new(),
    }
}

/// The same schema, `null` admitted too.
fn nullable(mut schema: Object) -> Object {
    if let Some(ty) = schema.get_mut("type") {
        *ty = Value::Array(vec![ty.take(), "null".into()]);
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.push(Value::Null);
    }
    schema
}

#[cfg(test)]
mod tests {
    use wit_worker::registry::operations::OPERATIONS;

    use super::*;

    #[test]
    fn arguments_are_closed_and_results_are_open_objects() {
        for operation in OPERATIONS {
            let arguments = arguments(operation);
            assert_eq!(arguments["type"], "object", "{}", operation.tool);
            assert_eq!(arguments["additionalProperties"], false, "{}", operation.tool);
            for result in [result(operation), compact_result(operation)] {
                assert_eq!(result["type"], "object", "{}", operation.tool);
                assert!(!result.contains_key("additionalProperties"), "{}", operation.tool);
            }
        }
    }

    #[test]
    fn a_nullable_type_admits_null() {
        let cursor = property(
            &Field { name: "c", ty: Type::Nullable(&Type::Boolean), required: true, default: None, doc: "d" },
            Detail::Full,
        );
        assert_eq!(cursor, json!({"type": ["boolean", "null"], "description": "d"}));
    }
}
