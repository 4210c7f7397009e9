//! Strict JSON: what `serde_json` accepts, less what two parsers could read differently.
//!
//! Refused beyond malformed text: duplicate keys (`serde` keeps the last, another reader the first), nesting over
//! 128, arrays where an object is meant, and, by [`Fields`], unknown, missing or wrongly typed fields. `serde`'s
//! derive is not used for reading: internally tagged enums accept an array, `Option` cannot tell null from
//! missing, and `deny_unknown_fields` is unreliable with them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Deepest nesting of arrays and objects in one frame, the frame's own object included.
pub const MAX_DEPTH: usize = 128;

/// What a peer did that the protocol does not allow. The text is for tests and local logs; it names only fields
/// of ours, never the peer's bytes (I7).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolViolation {
    /// Not one JSON object, or JSON that two readers could take differently.
    #[error("the frame is not one strict JSON object")]
    NotStrictJson,
    /// `type` is not one this end may receive.
    #[error("the frame has no type this end accepts")]
    UnexpectedType,
    /// A field that must be there is not.
    #[error("field {0} is missing")]
    MissingField(&'static str),
    /// A field that is not part of the message.
    #[error("a field is unknown")]
    UnknownField,
    /// A field of the wrong type or outside its range.
    #[error("field {0} has a value it may not have")]
    WrongValue(&'static str),
    /// `ok`, `value_present`, `value` and `error` do not agree.
    #[error("ok, value_present, value and error contradict each other")]
    Contradiction,
    /// A version other than 1.
    #[error("the version is not supported")]
    UnsupportedVersion,
    /// A length outside 1…73 728.
    #[error("the frame length is out of range")]
    FrameLength,
    /// Legal by itself, but not now: a foreign invocation, a repeated call, anything after `result`.
    #[error("{0}")]
    OutOfOrder(&'static str),
}

impl From<super::frame::FrameError> for ProtocolViolation {
    fn from(_: super::frame::FrameError) -> Self {
        Self::FrameLength
    }
}

/// Checks that `text` is one strict JSON value whose nesting, begun at `depth`, stays within [`MAX_DEPTH`].
///
/// # Errors
/// [`ProtocolViolation::NotStrictJson`].
pub fn check_value(text: &str, depth: usize) -> Result<(), ProtocolViolation> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit(); // `Checker` counts for itself, exactly
    Checker { depth }
        .deserialize(&mut deserializer)
        .and_then(|()| deserializer.end())
        .map_err(|_| ProtocolViolation::NotStrictJson)
}

/// The fields of one frame, each taken at most once.
#[derive(Debug)]
pub struct Fields<'a> {
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Fields<'a> {
    /// Splits a frame's body into its fields, keys unique, values still raw.
    ///
    /// # Errors
    /// [`ProtocolViolation::NotStrictJson`] when it is not exactly one JSON object in UTF-8.
    pub fn parse(body: &'a [u8]) -> Result<Self, ProtocolViolation> {
        let text = std::str::from_utf8(body).map_err(|_| ProtocolViolation::NotStrictJson)?;
        Self::parse_text(text)
    }

    /// [`Self::parse`] for text.
    ///
    /// # Errors
    /// [`ProtocolViolation::NotStrictJson`] when it is not exactly one JSON object.
    pub fn parse_text(text: &'a str) -> Result<Self, ProtocolViolation> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        deserializer.disable_recursion_limit(); // raw values are skipped without recursion
        let fields = deserializer
            .deserialize_map(FieldsVisitor)
            .and_then(|fields| deserializer.end().map(|()| fields))
            .map_err(|_| ProtocolViolation::NotStrictJson)?;
        Ok(Self { fields })
    }

    /// A field's raw value, if it is there.
    pub fn take(&mut self, name: &'static str) -> Option<&'a RawValue> {
        let index = self.fields.iter().position(|(key, _)| key == name)?;
        Some(self.fields.swap_remove(index).1)
    }

    /// A field's raw value.
    ///
    /// # Errors
    /// [`ProtocolViolation::MissingField`].
    pub fn require(&mut self, name: &'static str) -> Result<&'a RawValue, ProtocolViolation> {
        self.take(name).ok_or(ProtocolViolation::MissingField(name))
    }

    /// A required string.
    ///
    /// # Errors
    /// When it is missing or not a string.
    pub fn string(&mut self, name: &'static str) -> Result<Cow<'a, str>, ProtocolViolation> {
        as_string(self.require(name)?, name)
    }

    /// An optional string; `null` is not one.
    ///
    /// # Errors
    /// When it is there and not a string.
    pub fn optional_string(&mut self, name: &'static str) -> Result<Option<Cow<'a, str>>, ProtocolViolation> {
        self.take(name).map(|raw| as_string(raw, name)).transpose()
    }

    /// A required non-negative integer, written as one.
    ///
    /// # Errors
    /// When it is missing, negative, fractional, in exponent form or over `u64::MAX`.
    pub fn integer(&mut self, name: &'static str) -> Result<u64, ProtocolViolation> {
        as_integer(self.require(name)?, name)
    }

    /// An optional non-negative integer.
    ///
    /// # Errors
    /// As [`Self::integer`], when it is there.
    pub fn optional_integer(&mut self, name: &'static str) -> Result<Option<u64>, ProtocolViolation> {
        self.take(name).map(|raw| as_integer(raw, name)).transpose()
    }

    /// A required boolean.
    ///
    /// # Errors
    /// When it is missing or not a boolean.
    pub fn boolean(&mut self, name: &'static str) -> Result<bool, ProtocolViolation> {
        match self.require(name)?.get() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(ProtocolViolation::WrongValue(name)),
        }
    }

    /// A required strict JSON value, kept raw. The frame's own object is level one.
    ///
    /// # Errors
    /// When it is missing or not strict JSON.
    pub fn value(&mut self, name: &'static str) -> Result<Box<RawValue>, ProtocolViolation> {
        let raw = self.require(name)?;
        check_value(raw.get(), 1)?;
        Ok(raw.to_owned())
    }

    /// A required object, split into its own fields.
    ///
    /// # Errors
    /// When it is missing or not an object with unique keys.
    pub fn object(&mut self, name: &'static str) -> Result<Fields<'a>, ProtocolViolation> {
        let raw = self.require(name)?;
        Fields::parse_text(raw.get()).map_err(|_| ProtocolViolation::WrongValue(name))
    }

    /// Whether the field is still there.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(key, _)| key == name)
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// [`ProtocolViolation::UnknownField`] when a field was not taken.
    pub fn finish(self) -> Result<(), ProtocolViolation> {
        if self.fields.is_empty() { Ok(()) } else { Err(ProtocolViolation::UnknownField) }
    }
}

fn as_string<'a>(raw: &'a RawValue, name: &'static str) -> Result<Cow<'a, str>, ProtocolViolation> {
    serde_json::from_str::<Text<'a>>(raw.get()).map(|text| text.0).map_err(|_| ProtocolViolation::WrongValue(name))
}

fn as_integer(raw: &RawValue, name: &'static str) -> Result<u64, ProtocolViolation> {
    serde_json::from_str(raw.get()).map_err(|_| ProtocolViolation::WrongValue(name))
}

/// A string, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields: Self::Value = Vec::new();
        while let Some(Text(key)) = map.next_key()? {
            // A frame has at most a dozen fields; a hostile one with thousands is refused at the first we don't know.
            if fields.len() >= 16 || fields.iter().any(|(seen, _)| *seen == key) {
                return Err(A::Error::custom("duplicate or surplus key"));
            }
            fields.push((key, map.next_value()?));
        }
        Ok(fields)
    }
}

/// Walks a value and keeps nothing but the keys of the objects it is in.
#[derive(Clone, Copy)]
struct Checker {
    depth: usize,
}

impl Checker {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth >= MAX_DEPTH {
            return Err(E::custom("nested too deeply"));
        }
        Ok(Self { depth: self.depth + 1 })
    }
}

impl<'de> DeserializeSeed<'de> for Checker {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Checker {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let inner = self.deeper()?;
        while seq.next_element_seed(inner)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let inner = self.deeper()?;
        let mut keys = Keys::default();
        while let Some(Text(key)) = map.next_key()? {
            if !keys.insert(key) {
                return Err(A::Error::custom("duplicate key"));
            }
            map.next_value_seed(inner)?;
        }
        Ok(())
    }
}

/// The keys seen in one object: a short list for usual objects, a tree so that a hostile one is not quadratic.
#[derive(Default)]
struct Keys<'a> {
    few: Vec<Cow<'a, str>>,
    many: BTreeSet<Cow<'a, str>>,
}

impl<'a> Keys<'a> {
    const FEW: usize = 16;

    fn insert(&mut self, key: Cow<'a, str>) -> bool {
        if self.few.contains(&key) {
            return false;
        }
        if self.few.len() < Self::FEW {
            self.few.push(key);
            return true;
        }
        self.many.insert(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_strict_value_and_nothing_else() {
        for good in ["null", "[1,2.5,-3]", "{\"a\":{\"a\":1}}", "\"\\ud83d\\ude00\"", " 1 ", "1e300"] {
            assert_eq!(check_value(good, 0), Ok(()), "{good}");
        }
        for bad in [
            "",
            "1 2",
            "[1,]",
            "01",
            "NaN",
            "1e400",
            "{\"a\":1,\"a\":2}",
            "{\"a\":1,\"\\u0061\":2}",
            "\"\\ud800\"",
            "\"\u{0}\"",
            "[{\"b\":[{\"x\":1,\"x\":1}]}]",
            "/**/1",
            "'a'",
        ] {
            assert!(check_value(bad, 0).is_err(), "{bad}");
        }
    }

    #[test]
    fn nesting_is_counted_exactly() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(check_value(&nested(MAX_DEPTH), 0), Ok(()));
        assert!(check_value(&nested(MAX_DEPTH + 1), 0).is_err());
        assert_eq!(check_value(&nested(MAX_DEPTH - 1), 1), Ok(()));
        assert!(check_value(&nested(MAX_DEPTH), 1).is_err());
        assert!(check_value(&nested(30_000), 1).is_err());
    }

    #[test]
    fn duplicate_keys_are_found_in_large_objects_too() {
        let keys: Vec<String> = (0..100).map(|n| format!("\"k{n}\":0")).collect();
        assert_eq!(check_value(&format!("{{{}}}", keys.join(",")), 0), Ok(()));
        assert!(check_value(&format!("{{{},\"k99\":1}}", keys.join(",")), 0).is_err());
        assert!(check_value(&format!("{{{},\"k3\":1}}", keys.join(",")), 0).is_err());
    }

    #[test]
    fn fields_are_taken_once_and_none_may_be_left() {
        let mut fields = Fields::parse(b"{\"a\":1,\"b\":true,\"c\":\"x\\n\"}").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(fields.integer("a"), Ok(1));
        assert_eq!(fields.integer("a"), Err(ProtocolViolation::MissingField("a")));
        assert_eq!(fields.boolean("b"), Ok(true));
        assert_eq!(fields.string("c").as_deref(), Ok("x\n"));
        assert_eq!(fields.finish(), Ok(()));
        for bad in [
            &b"[1]"[..],
            b"null",
            b"5",
            b"{} {}",
            b"{\"a\":1,\"a\":1}",
            b"\xff{}",
            b"\xef\xbb\xbf{}",
            b"{\"a\":\"\xed\xa0\x80\"}",
        ] {
            assert!(Fields::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn integers_are_written_as_integers() {
        for bad in ["1.0", "-1", "1e0", "\"1\"", "null", "18446744073709551616", "true"] {
            let text = format!("{{\"n\":{bad}}}");
            let mut fields = Fields::parse_text(&text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(fields.integer("n"), Err(ProtocolViolation::WrongValue("n")), "{bad}");
        }
    }
}
