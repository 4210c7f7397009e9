//! A JavaScript value to JSON in one pass under a byte budget, outside the JavaScript heap.
//!
//! What is measured is what is sent: each property is read once, getters, proxies and `toJSON` run once, and no
//! method of ours that a script could replace is called. Over the budget, bytes are counted but no longer kept, up to
//! [`COUNT_LIMIT`], so that the size reported is useful. The rules are those of DESIGN §5, "Result".

use std::collections::BTreeSet;

use rquickjs::{Atom, Filter, Value};

use super::classes::{Classes, Kind, data_property};
use super::clock::Clock;
use super::path::{Key, path};
use super::raw::{self, Heap};
use super::text;

/// Deepest nesting of arrays and objects.
pub(super) const MAX_DEPTH: usize = 100;
/// Bytes beyond which an oversized value is no longer measured.
pub(super) const COUNT_LIMIT: usize = 1024 * 1024;

/// What becomes of an unpaired surrogate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Surrogates {
    /// It becomes U+FFFD: cutting text in the middle of a character is normal in a result.
    Replace,
    /// The value is refused: an argument must mean exactly what was written.
    Refuse,
}

/// Why a value was not serialized.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It has no JSON form. `path` is like `$.a[1].b`.
    NotJson {
        /// Where.
        path: String,
        /// What is wrong there, and what to do.
        hint: String,
    },
    /// It is larger than the budget: at least this many bytes.
    TooLarge(usize),
    /// JavaScript that ran on the way threw; the exception is pending.
    Thrown,
    /// The deadline passed on the way.
    Deadline,
}

/// Serializes `value` in at most `budget` bytes.
///
/// May run getters, traps and `toJSON` of the script.
pub(super) fn serialize(
    value: &Value<'_>,
    budget: usize,
    surrogates: Surrogates,
    classes: &Classes,
    heap: &Heap,
    clock: &Clock,
) -> Result<String, Refusal> {
    let mut writer =
        Serializer { out: Vec::new(), count: 0, budget, surrogates, classes, heap, clock, stack: Vec::new(), ticks: 0 };
    let written = writer.resolve(value.clone(), &Key::Root).and_then(|value| match value {
        Some(value) if !value.is_function() => writer.write(value).map(|()| true),
        _ => Ok(false),
    });
    match written {
        Ok(true) => {}
        Ok(false) => {
            let hint = if value.is_function() {
                "a function was returned; call it, or return what it gives"
            } else {
                "nothing was returned; use `return` to return a value"
            };
            return Err(Refusal::NotJson { path: "$".to_owned(), hint: hint.to_owned() });
        }
        Err(Stop::NotJson { mut segments, hint }) => {
            segments.reverse();
            return Err(Refusal::NotJson { path: path(&segments), hint });
        }
        Err(Stop::TooLarge) => return Err(Refusal::TooLarge(writer.count)),
        Err(Stop::Thrown) => return Err(Refusal::Thrown),
        Err(Stop::Deadline) => return Err(Refusal::Deadline),
    }
    if writer.count > budget {
        return Err(Refusal::TooLarge(writer.count));
    }
    // Only whole UTF-8 is ever appended.
    String::from_utf8(writer.out).map_err(|_| Refusal::TooLarge(writer.count))
}

enum Stop {
    /// Segments from the inside out.
    NotJson {
        segments: Vec<Key>,
        hint: String,
    },
    TooLarge,
    Thrown,
    Deadline,
}

fn not_json(hint: impl Into<String>) -> Stop {
    Stop::NotJson { segments: Vec::new(), hint: hint.into() }
}

struct Serializer<'a, 'js> {
    out: Vec<u8>,
    count: usize,
    budget: usize,
    surrogates: Surrogates,
    classes: &'a Classes,
    heap: &'a Heap,
    clock: &'a Clock,
    /// The objects being serialized, outermost first.
    stack: Vec<Value<'js>>,
    ticks: u32,
}

impl<'js> Serializer<'_, 'js> {
    /// The value to write for one that was read; none for `undefined`.
    fn resolve(&mut self, value: Value<'js>, key: &Key) -> Result<Option<Value<'js>>, Stop> {
        self.tick()?;
        let value = self.apply_to_json(value, key)?;
        Ok((!value.is_undefined()).then_some(value))
    }

    fn write(&mut self, value: Value<'js>) -> Result<(), Stop> {
        if value.is_null() {
            self.push(b"null")
        } else if let Some(boolean) = value.as_bool() {
            self.push(if boolean { b"true" } else { b"false" })
        } else if let Some(int) = value.as_int() {
            self.push(int.to_string().as_bytes())
        } else if let Some(float) = value.as_float() {
            self.number(float)
        } else if value.is_string() {
            self.string(&value)
        } else if value.is_object() {
            self.object(value)
        } else if value.is_big_int() {
            Err(not_json("a BigInt has no JSON form; use String(x) or Number(x)"))
        } else if value.is_symbol() {
            Err(not_json("a symbol has no JSON form; use a string"))
        } else {
            Err(not_json("the value has no JSON form"))
        }
    }

    /// `toJSON` of objects and BigInts, called once as `JSON.stringify` would.
    fn apply_to_json(&mut self, value: Value<'js>, key: &Key) -> Result<Value<'js>, Stop> {
        if !value.is_object() && !value.is_big_int() {
            return Ok(value);
        }
        let method = raw::property(&value, c"toJSON").ok_or(Stop::Thrown)?;
        let Some(method) = method.into_function() else {
            return Ok(value);
        };
        let name = match key {
            Key::Root => String::new(),
            Key::Index(index) => index.to_string(),
            Key::Name(name) => name.clone(),
        };
        method.call((rquickjs::function::This(value), name)).map_err(|_| Stop::Thrown)
    }

    fn object(&mut self, object: Value<'js>) -> Result<(), Stop> {
        match self.classes.kind(&object) {
            Kind::Array => self.nested(object, Self::array),
            Kind::Plain => self.nested(object, Self::plain),
            Kind::Error => self.nested(object, Self::error),
            Kind::Function => Err(not_json("a function has no JSON form; leave it out")),
            Kind::Promise => Err(not_json("a Promise has no JSON form; missing `await`?")),
            Kind::Date => Err(not_json("a Date without toJSON has no JSON form; use a string or a number")),
            Kind::Exotic("Map") => Err(not_json("a Map has no JSON form; use Object.fromEntries(map)")),
            Kind::Exotic("Set") => Err(not_json("a Set has no JSON form; use [...set]")),
            Kind::Exotic("RegExp") => Err(not_json("a RegExp has no JSON form; use its `source`")),
            Kind::Exotic(name) => {
                let article = if name.starts_with(['A', 'I', 'a', 'i']) { "an" } else { "a" };
                let advice = if name.ends_with("Array") { "[...array]" } else { "plain objects and arrays" };
                Err(not_json(format!("{article} {name} has no JSON form; use {advice}")))
            }
        }
    }

    fn nested(
        &mut self,
        object: Value<'js>,
        write: fn(&mut Self, &Value<'js>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        if self.stack.contains(&object) {
            return Err(not_json("a cycle has no JSON form: the value contains itself"));
        }
        if self.stack.len() >= MAX_DEPTH {
            return Err(not_json(format!("nesting deeper than {MAX_DEPTH} is refused; return a flatter value")));
        }
        self.stack.push(object.clone());
        write(self, &object)?;
        self.stack.pop();
        Ok(())
    }

    fn array(&mut self, array: &Value<'js>) -> Result<(), Stop> {
        let length = raw::array_length(array).ok_or(Stop::Thrown)?;
        self.push(b"[")?;
        for index in 0..length {
            if index > 0 {
                self.push(b",")?;
            }
            let element = raw::element(array, index).ok_or(Stop::Thrown)?;
            let key = Key::Index(index);
            let written = self.resolve(element, &key).and_then(|value| match value {
                Some(value) => self.write(value),
                None => Err(not_json("a hole or undefined in an array has no JSON form; use null or filter it out")),
            });
            written.map_err(|stop| within(stop, key))?;
        }
        self.push(b"]")
    }

    fn plain(&mut self, object: &Value<'js>) -> Result<(), Stop> {
        let Some(properties) = object.as_object() else {
            return Err(not_json("the value has no JSON form"));
        };
        // The engine lists the keys once, in its own heap and under the script's limit. Each is converted when it is
        // due and then let go, so that many keys on many levels cost nothing outside that limit, and a key whose value
        // is dropped is neither written nor measured.
        let mut written = BTreeSet::new();
        let mut first = true;
        self.push(b"{")?;
        for atom in properties.own_keys::<Atom<'js>>(Filter::new().string().enum_only()) {
            let atom = atom.map_err(|_| Stop::Thrown)?;
            let text = self.heap.unlimited(|| atom.to_value()).map_err(|_| Stop::Thrown)?;
            let name = self.key(&text)?;
            let value: Value<'js> = properties.get(atom).map_err(|_| Stop::Thrown)?;
            let key = Key::Name(name);
            // `undefined`, also from `toJSON`, leaves the property out.
            let value = match self.resolve(value, &key) {
                Ok(Some(value)) => value,
                Ok(None) => {
                    self.tick()?;
                    continue;
                }
                Err(stop) => return Err(within(stop, key)),
            };
            if !first {
                self.push(b",")?;
            }
            first = false;
            if let Key::Name(name) = &key {
                // Only names that hold U+FFFD can have become the same.
                if name.contains('\u{fffd}') && !written.insert(name.clone()) {
                    return Err(not_json("two keys are the same once their unpaired surrogates are replaced"));
                }
                self.quoted(name)?;
            }
            self.push(b":")?;
            self.write(value).map_err(|stop| within(stop, key))?;
        }
        self.push(b"}")
    }

    /// An error as `{name, message, code?, operation?}`, read without running anything of the script's.
    fn error(&mut self, error: &Value<'js>) -> Result<(), Stop> {
        self.push(b"{")?;
        let mut first = true;
        for name in ["name", "message", "code", "operation"] {
            let value = data_property(error, name).filter(Value::is_string);
            if value.is_none() && !matches!(name, "name" | "message") {
                continue;
            }
            self.push(if first { b"\"" } else { b",\"" })?;
            first = false;
            self.push(name.as_bytes())?;
            self.push(b"\":")?;
            match value {
                Some(value) => self.string(&value)?,
                None => self.push(if name == "name" { b"\"Error\"" } else { b"\"\"" })?,
            }
        }
        self.push(b"}")
    }

    fn number(&mut self, number: f64) -> Result<(), Stop> {
        if !number.is_finite() {
            return Err(not_json(format!("{} has no JSON form; use null", printed(number))));
        }
        // JSON.stringify(-0) is "0".
        self.push(ryu_js::Buffer::new().format_finite(if number == 0.0 { 0.0 } else { number }).as_bytes())
    }

    fn string(&mut self, string: &Value<'js>) -> Result<(), Stop> {
        self.measure(string)?;
        let (heap, surrogates) = (self.heap, self.surrogates);
        let text = heap.unlimited(|| {
            raw::with_text(string, |bytes| match surrogates {
                Surrogates::Refuse if text::has_surrogate(bytes) => Err(not_json(UNPAIRED)),
                _ => Ok(self.quoted(&text::replace_surrogates(bytes))),
            })
        });
        text.ok_or(Stop::Thrown)??
    }

    /// A property name as text, unpaired surrogates replaced or refused.
    fn key(&self, string: &Value<'js>) -> Result<String, Stop> {
        let text = self.heap.unlimited(|| {
            raw::with_text(string, |bytes| {
                if self.surrogates == Surrogates::Refuse && text::has_surrogate(bytes) {
                    return Err(not_json(UNPAIRED));
                }
                Ok(text::replace_surrogates(bytes).into_owned())
            })
        });
        text.ok_or(Stop::Thrown)?
    }

    /// Refuses a string that cannot fit before it is converted: each UTF-16 unit takes at least a byte.
    fn measure(&mut self, string: &Value<'js>) -> Result<(), Stop> {
        let least = usize::try_from(raw::string_units(string)).unwrap_or(usize::MAX).saturating_add(2);
        if self.count.saturating_add(least) > COUNT_LIMIT.max(self.budget) {
            self.count = self.count.saturating_add(least);
            return Err(Stop::TooLarge);
        }
        Ok(())
    }

    fn quoted(&mut self, text: &str) -> Result<(), Stop> {
        if self.count > self.budget {
            let length = text.chars().map(text::escaped_length).sum::<usize>() + 2;
            return self.counted(length);
        }
        let start = self.out.len();
        self.out.push(b'"');
        text::push_escaped(&mut self.out, text);
        self.out.push(b'"');
        self.counted(self.out.len() - start)
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        if self.count <= self.budget {
            self.out.extend_from_slice(bytes);
        }
        self.counted(bytes.len())
    }

    fn counted(&mut self, bytes: usize) -> Result<(), Stop> {
        self.count = self.count.saturating_add(bytes);
        if self.count > self.budget {
            self.out = Vec::new();
            if self.count > COUNT_LIMIT {
                return Err(Stop::TooLarge);
            }
        }
        Ok(())
    }

    /// Nothing in the engine polls the deadline while we walk a graph that gives few bytes.
    fn tick(&mut self) -> Result<(), Stop> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(1024) && self.clock.expired() { Err(Stop::Deadline) } else { Ok(()) }
    }
}

const UNPAIRED: &str = "text with an unpaired surrogate is refused in arguments; use toWellFormed()";

fn within(stop: Stop, key: Key) -> Stop {
    match stop {
        Stop::NotJson { mut segments, hint } => {
            segments.push(key);
            Stop::NotJson { segments, hint }
        }
        other => other,
    }
}

fn printed(number: f64) -> &'static str {
    match number {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    }
}
