//! Arguments, read by the registry's tables: what an operation then asks for by name is there and of the right type.
//!
//! Models send numbers, booleans and lists as strings; where that can mean only one thing it is understood: `"10"` is
//! 10, `"true"` is true, `"foo"` is `["foo"]`, `'["a","b"]'` is that list. `null` is an absent argument. Everything else
//! is refused by naming the field, the type that was given and what is accepted; values are never echoed.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;
use wit_worker::registry::{Code, Field, Operation, Type};

use super::OperationError;

/// One call's arguments, with defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arguments {
    values: BTreeMap<&'static str, Value>,
}

impl Arguments {
    /// Reads the arguments of an operation.
    pub(crate) fn parse(operation: &Operation, text: &RawValue) -> Result<Self, OperationError> {
        let given: Value = serde_json::from_str(text.get())
            .map_err(|_| refused("the arguments must be one JSON object of moderate depth".to_owned()))?;
        let Value::Object(mut given) = given else {
            return Err(refused(format!("the arguments must be an object; got {}", name_of(&given))));
        };
        let mut values = BTreeMap::new();
        for field in operation.arguments {
            match given.remove(field.name) {
                None | Some(Value::Null) if field.required => {
                    return Err(refused(format!("`{}` is missing: {}", field.name, accepted(&field.ty))));
                }
                None | Some(Value::Null) => {
                    if let Some(default) = field.default.and_then(|text| serde_json::from_str(text).ok()) {
                        values.insert(field.name, default);
                    }
                }
                Some(value) => {
                    values.insert(field.name, understand(field, value)?);
                }
            }
        }
        if let Some(name) = given.keys().next() {
            let known: Vec<_> = operation.arguments.iter().map(|field| field.name).collect();
            let name: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
            return Err(refused(format!(
                "`{name}` is not an argument of {}; there are {}",
                operation.tool,
                known.join(", ")
            )));
        }
        Ok(Self { values })
    }

    /// A string argument.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_str()
    }

    /// A string argument that is required or has a default.
    pub(crate) fn text_or_empty(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// A number.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.values.get(name)?.as_u64()
    }

    /// A number that indexes memory.
    pub(crate) fn count(&self, name: &str) -> Option<usize> {
        self.number(name).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// A boolean; false if absent.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.values.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// A list of strings; empty if absent.
    pub(crate) fn list(&self, name: &str) -> Vec<String> {
        let items = self.values.get(name).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Everything, as it was understood.
    pub(crate) fn understood(self) -> Value {
        self.values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<serde_json::Map<_, _>>().into()
    }

    /// What a cursor is bound to: every argument but those that only size a page.
    pub(crate) fn fingerprint(&self) -> String {
        const PAGING: [&str; 5] = ["cursor", "max_items", "max_results", "max_lines", "max_bytes"];
        let bound: BTreeMap<_, _> = self.values.iter().filter(|(name, _)| !PAGING.contains(name)).collect();
        serde_json::to_string(&bound).unwrap_or_default()
    }
}

/// A refusal of an argument, in our words.
pub(crate) fn refused(words: String) -> OperationError {
    OperationError::new(Code::InvalidArguments, words)
}

fn understand(field: &Field, value: Value) -> Result<Value, OperationError> {
    let given = name_of(&value);
    let wrong = || refused(format!("`{}` must be {}; got {given}", field.name, accepted(&field.ty)));
    coerce(&field.ty, value).ok_or_else(wrong)
}

/// The value as the type has it, if it can mean only that.
fn coerce(ty: &Type, value: Value) -> Option<Value> {
    match (ty, value) {
        (Type::Nullable(_), Value::Null) => Some(Value::Null),
        (Type::Nullable(inner), value) => coerce(inner, value),
        (Type::Boolean, value @ Value::Bool(_)) => Some(value),
        (Type::Boolean, Value::String(text)) => text.trim().parse().ok().map(Value::Bool),
        (Type::Integer { minimum, maximum }, value) => {
            let number = whole(&value)?;
            (*minimum..=*maximum).contains(&number).then(|| number.into())
        }
        (Type::Number, value @ Value::Number(_)) => Some(value),
        (Type::String { max_bytes }, Value::String(text)) => {
            (text.len() as u64 <= *max_bytes).then_some(Value::String(text))
        }
        (Type::Enum(words), Value::String(text)) => words.contains(&text.as_str()).then_some(Value::String(text)),
        (Type::Array { items, min_items, max_items }, value) => {
            let list = match value {
                Value::Array(list) => list,
                Value::String(text) => match serde_json::from_str(&text) {
                    Ok(Value::Array(list)) if list.iter().all(Value::is_string) && !list.is_empty() => list,
                    _ => vec![Value::String(text)],
                },
                _ => return None,
            };
            let list = list.into_iter().map(|item| coerce(items, item)).collect::<Option<Vec<_>>>()?;
            (*min_items..=*max_items).contains(&(list.len() as u64)).then_some(Value::Array(list))
        }
        _ => None,
    }
}

fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            let float = number.as_f64()?;
            let exact = float.fract() == 0.0 && (0.0..=9_007_199_254_740_991.0).contains(&float);
            // Checked to be a whole number within 53 bits.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
            exact.then_some(float as u64)
        }),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn accepted(ty: &Type) -> String {
    match ty {
        Type::Boolean => "true or false".to_owned(),
        Type::Integer { minimum, maximum } => format!("a whole number from {minimum} to {maximum}"),
        Type::Number => "a number".to_owned(),
        Type::String { max_bytes } => format!("a string of at most {max_bytes} bytes"),
        Type::Enum(words) => format!("one of {}", words.join(", ")),
        Type::Array { items, min_items, max_items } => {
            format!("a list of {min_items} to {max_items} items, each {}", accepted(items))
        }
        Type::Object(_) => "an object".to_owned(),
        Type::Nullable(inner) => format!("{} or null", accepted(inner)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wit_worker::registry::OperationId;

    fn parse(id: OperationId, text: &str) -> Result<Arguments, OperationError> {
        Arguments::parse(id.entry(), &RawValue::from_string(text.to_owned()).expect("JSON"))
    }

    fn search(rest: &str) -> Result<Arguments, OperationError> {
        parse(OperationId::SearchCode, &format!(r#"{{"snapshot_id":"s",{rest}}}"#))
    }

    #[test]
    fn defaults_and_coercions() {
        let given = search(r#""queries":"foo","max_results":"10","context_lines":2.0,"globs":"[\"*.rs\",\"!x\"]""#)
            .expect("good");
        assert_eq!(given.list("queries"), ["foo"]);
        assert_eq!(given.list("globs"), ["*.rs", "!x"]);
        assert_eq!((given.number("max_results"), given.number("context_lines")), (Some(10), Some(2)));
        assert_eq!((given.number("max_bytes"), given.text("case")), (Some(65_536), Some("smart")));
        assert_eq!(search(r#""queries":"[a-z]""#).expect("good").list("queries"), ["[a-z]"]);
        assert!(
            parse(OperationId::List, r#"{"snapshot_id":"s","include_metadata":"true","path":null}"#)
                .expect("good")
                .flag("include_metadata")
        );
    }

    #[test]
    fn refusals_name_field_type_and_what_is_accepted() {
        let words = |outcome: Result<Arguments, OperationError>| {
            let error = outcome.expect_err("a refusal");
            assert_eq!(error.code, Code::InvalidArguments);
            error.message
        };
        assert_eq!(
            words(search(r#""queries":["a"],"max_results":"ten""#)),
            "`max_results` must be a whole number from 1 to 1000; got a string"
        );
        assert_eq!(
            words(search(r#""queries":["a"],"max_results":1001"#)),
            "`max_results` must be a whole number from 1 to 1000; got a number"
        );
        assert_eq!(
            words(search(r#""queries":[]"#)),
            "`queries` must be a list of 1 to 16 items, each a string of at most 4096 bytes; got a list"
        );
        assert!(words(search(r#""max_results":5"#)).starts_with("`queries` is missing"));
        assert!(
            words(search(r#""queries":"a","surprise":1"#))
                .starts_with("`surprise` is not an argument of wit_search_code")
        );
        assert_eq!(words(parse(OperationId::Open, "[]")), "the arguments must be an object; got a list");
        assert_eq!(words(parse(OperationId::Open, "null")), "the arguments must be an object; got null");
        assert!(words(search(r#""queries":"a","max_results":-1"#)).contains("got a number"));
        assert!(words(search(r#""queries":"a","max_results":1.5"#)).contains("got a number"));
        assert!(words(search(r#""queries":"a","case":"SMART""#)).contains("one of smart, sensitive, insensitive"));
    }

    #[test]
    fn fingerprints_ignore_paging_only() {
        let base = search(r#""queries":"a""#).expect("good").fingerprint();
        assert_eq!(
            base,
            search(r#""queries":["a"],"max_results":7,"max_bytes":2048,"cursor":"x""#).expect("good").fingerprint()
        );
        assert_ne!(base, search(r#""queries":["b"]"#).expect("good").fingerprint());
        assert_ne!(base, search(r#""queries":["a"],"case":"sensitive""#).expect("good").fingerprint());
    }
}
