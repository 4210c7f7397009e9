//! What a caller writes to an operation: its arguments, and the cursors it sends back.

use serde_json::value::RawValue;
use wit::operations::exposed::{CursorOf, arguments as understand};
use wit_worker::registry::operations::OPERATIONS;
use wit_worker::registry::{Code, OperationId};

/// The longest refusal; a message is for people, and of wit's own words.
const MESSAGE_BYTES: usize = 4096;

/// The operation that a byte names, and what follows it.
fn operation(data: &[u8]) -> Option<(OperationId, &[u8])> {
    let (&which, rest) = data.split_first()?;
    Some((OPERATIONS[usize::from(which) % OPERATIONS.len()].id, rest))
}

/// Arguments are refused with one code and in few words, or understood; and what is understood means the same when it is
/// sent again.
pub fn arguments(data: &[u8]) {
    let Some((id, text)) = operation(data) else { return };
    let Some(text) = std::str::from_utf8(text).ok().and_then(|text| RawValue::from_string(text.to_owned()).ok()) else {
        return;
    };
    match understand(id, &text) {
        Err(error) => {
            assert_eq!(error.code, Code::InvalidArguments);
            assert!(!error.message.is_empty() && error.message.len() <= MESSAGE_BYTES);
            assert!(!error.message.chars().any(char::is_control), "{:?}", error.message);
        }
        Ok(understood) => {
            let known = id.entry().arguments;
            let fields = understood.as_object().expect("an object");
            assert!(fields.keys().all(|name| known.iter().any(|field| field.name == name)));
            assert!(known.iter().all(|field| !field.required || fields.contains_key(field.name)));
            let again = RawValue::from_string(understood.to_string()).expect("it is JSON");
            assert_eq!(understand(id, &again).as_ref(), Ok(&understood), "it would mean something else");
        }
    }
}

/// A cursor that nobody issued is refused; one that was issued is accepted by its own walk alone, and unchanged.
pub fn cursors(data: &[u8]) {
    let Some((operation, rest)) = operation(data) else { return };
    let (key, other) = ([7; 32], [8; 32]);
    let own = CursorOf { key: &key, operation, subject: "subject", fingerprint: "{}" };
    if let Ok(text) = std::str::from_utf8(rest) {
        match own.accept(text) {
            Ok(position) => assert_eq!(own.issue(position), text, "two texts for one position"),
            Err(error) => assert_eq!(error.code, Code::InvalidCursor),
        }
    }
    let number = |at: usize| {
        let bytes = rest.iter().skip(at * 8).take(8);
        bytes.fold(0_u64, |number, &byte| number << 8 | u64::from(byte))
    };
    let position = (number(0), number(1));
    let cursor = own.issue(position);
    assert_eq!(own.accept(&cursor), Ok(position));
    let text = std::str::from_utf8(rest).unwrap_or("x");
    let elsewhere = OPERATIONS.iter().map(|entry| entry.id).find(|id| *id != operation).expect("there are seven");
    for foreign in [
        CursorOf { key: &other, ..own },
        CursorOf { operation: elsewhere, ..own },
        CursorOf { subject: text, ..own },
        CursorOf { fingerprint: text, ..own },
    ] {
        assert!(foreign == own || foreign.accept(&cursor).is_err(), "it moved to another walk");
    }
    // One changed character, wherever the input says.
    let at = usize::from(rest.first().copied().unwrap_or_default()) % cursor.len();
    let mut changed = cursor.clone().into_bytes();
    changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
    assert!(own.accept(std::str::from_utf8(&changed).expect("ASCII")).is_err());
}
