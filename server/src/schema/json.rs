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
    let mut schema = object(operation.arguments);
    schema.insert("additionalProperties".into(), Value::Bool(false));
    schema
}

/// The open schema of an operation's result, down to the last field.
#[must_use]
pub fn result(operation: &Operation) -> Object {
    object(operation.result)
}

/// The same, as `tools/list` shows it: an object, and the fields that are always there.
///
/// A list of tools is paid for in every conversation; the full types are a resource away.
#[must_use]
pub fn compact_result(operation: &Operation) -> Object {
    let mut schema = object(operation.result);
    schema.remove("properties");
    schema
}

fn object(fields: &[Field]) -> Object {
    let properties: Object = fields.iter().map(|field| (field.name.to_owned(), property(field))).collect();
    let required: Vec<Value> = fields.iter().filter(|field| field.required).map(|field| field.name.into()).collect();
    let mut schema = Object::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), Value::Array(required));
    }
    schema
}

fn property(field: &Field) -> Value {
    let mut schema = of_type(&field.ty);
    schema.insert("description".into(), field.doc.into());
    // The registry's own test proves that each default is JSON.
    if let Some(default) = field.default.and_then(|text| serde_json::from_str(text).ok()) {
        schema.insert("default".into(), default);
    }
    Value::Object(schema)
}

fn of_type(ty: &Type) -> Object {
    let schema = match ty {
        Type::Boolean => json!({"type": "boolean"}),
        Type::Number => json!({"type": "number"}),
        Type::String { .. } => json!({"type": "string"}),
        Type::Enum(words) => json!({"type": "string", "enum": words}),
        Type::Integer { minimum, maximum: MAX_SAFE } => json!({"type": "integer", "minimum": minimum}),
        Type::Integer { minimum, maximum } => json!({"type": "integer", "minimum": minimum, "maximum": maximum}),
        Type::Array { items, min_items, max_items } => {
            let mut schema = json!({"type": "array", "items": of_type(items), "maxItems": max_items});
            if *min_items > 0 {
                schema["minItems"] = json!(min_items);
            }
            schema
        }
        Type::Object(fields) => Value::Object(object(fields)),
        Type::Nullable(inner) => return nullable(of_type(inner)),
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
        let field = Field { name: "c", ty: Type::Nullable(&Type::Boolean), required: true, default: None, doc: "d" };
        let cursor = property(&field);
        assert_eq!(cursor, json!({"type": ["boolean", "null"], "description": "d"}));
    }
}
